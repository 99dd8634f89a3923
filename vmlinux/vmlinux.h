/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that bpf/ reads, and only the fields it reads: CO-RE relocates every access
 * against the running kernel's BTF, so order and size do not matter here, names and kinds do.
 *
 * A `struct x___suffix` is the same kernel structure as it looked on other kernels; the comment
 * says which. `make vmlinux-check` compares each type and field with the BTF of the lab's kernels.
 */
#ifndef PPOOLTOP_VMLINUX_H
#define PPOOLTOP_VMLINUX_H
#define __VMLINUX_H__ /* for bpf_tracing.h: registers by the kernel's names */

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
/* bpf_helper_defs.h names these in its prototypes */
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

#define true 1
#define false 0

/* Constants of include/uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_QUEUE = 22,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_MMAPABLE = 1 << 10,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

typedef atomic64_t atomic_long_t;

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct kobject {
	const char *name;
};

/* struct class; by that name clang-format takes it for C++ */
struct class___device {
	const char *name;
};

struct device_driver {
	const char *name;
};

struct device {
	struct kobject kobj;
	struct device *parent;
	struct device_driver *driver;
	const struct class___device *class;
};

struct rtnl_link_ops {
	const char *kind;
};

struct napi_struct;

/* 6.7 and later; before, without a NAPI, it is elsewhere and not looked at */
struct netdev_rx_queue {
	struct napi_struct *napi;
};

struct net_device {
	const struct rtnl_link_ops *rtnl_link_ops;
	char name[16];
	int ifindex;
	possible_net_t nd_net;
	struct device dev;
	struct netdev_rx_queue *_rx;
	unsigned int real_num_rx_queues;
};

struct napi_struct {
	struct net_device *dev;
	int list_owner; /* 6.4 and later */
	unsigned int napi_id;
};

struct page_pool;

/* The page_pool part. pp_magic shares its word with lru.next: bit 1 is pfmemalloc. */
struct page {
	unsigned long pp_magic;
	struct page_pool *pp;
	atomic_long_t pp_ref_count; /* pp_frag_count before 6.8 */
	atomic_t _refcount;
};

/* struct page, 7.1 and later */
struct page___info {
	unsigned long compound_info;
};

struct ptr_ring {
	int producer;
	int consumer_head;
	int size;
	void **queue;
};

struct pp_alloc_cache {
	u32 count;
};

enum dma_data_direction {
	DMA_BIDIRECTIONAL,
};

/* pool->p is a struct page_pool_params up to 6.7 */
struct page_pool_params_fast {
	unsigned int order;
	unsigned int pool_size;
	int nid;
	struct device *dev;
	struct napi_struct *napi; /* 6.4 and later */
	enum dma_data_direction dma_dir;
	unsigned int max_len;
	unsigned int offset;
};

/* 6.8 and later; `flags` is here from 6.10 on */
struct page_pool_params_slow {
	struct net_device *netdev;
	unsigned int flags;
};

struct page_pool {
	struct page_pool_params_fast p;
	unsigned long defer_start;
	int cpuid; /* 6.9 and later: the CPU that owns the cache, or -1 */
	u32 pages_state_hold_cnt;
	long frag_users;
	unsigned long frag_page; /* netmem_ref, 6.11 and later */
	struct pp_alloc_cache alloc;
	struct ptr_ring ring;
	void *mp_priv;	    /* 6.12 and later */
	const void *mp_ops; /* 6.14 and later, and stable 6.12 */
	atomic_t pages_state_release_cnt;
	u64 destroy_cnt;
	struct page_pool_params_slow slow; /* 6.8 and later */
	struct {
		u32 id;
	} user; /* 6.8 and later */
};

struct page_pool_params___flags {
	unsigned int flags;
};

/* struct page_pool where p.flags exists: up to 6.9 */
struct page_pool___flags {
	struct page_pool_params___flags p;
};

/* struct page_pool where frag_page is a pointer: up to 6.10 */
struct page_pool___frag_ptr {
	struct page *frag_page;
};

/* with CONFIG_PAGE_POOL_STATS only, 5.18 and later */
struct page_pool_alloc_stats {
	u64 fast;
	u64 slow;
	u64 slow_high_order;
	u64 empty;
	u64 refill;
	u64 waive;
};

struct page_pool_recycle_stats {
	u64 cached;
	u64 cache_full;
	u64 ring;
	u64 ring_full;
	u64 released_refcnt;
};

struct page_pool___stats {
	struct page_pool_alloc_stats alloc_stats;
	struct page_pool_recycle_stats *recycle_stats;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct xarray {
	void *xa_head;
};

struct xdp_rxq_info {
	struct net_device *dev;
	u32 queue_index;
};

struct xdp_mem_allocator {
	struct page_pool *page_pool;
};

/* x86: where a kprobe finds arguments and result */
struct pt_regs {
	unsigned long di;
	unsigned long si;
	unsigned long dx;
	unsigned long cx;
	unsigned long ax;
};

/* x86 has preempt_count here from 6.2 to 6.14; else it is the variable __preempt_count */
struct pcpu_hot {
	int preempt_count;
};

#pragma clang attribute pop

#endif /* PPOOLTOP_VMLINUX_H */
