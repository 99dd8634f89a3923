/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What BPF writes and C reads, through memory-mapped array maps. Included on both sides, so only
 * the kernel's integer types are used; the includer brings them (vmlinux.h or linux/types.h).
 */
#ifndef PPOOLTOP_SLOTS_H
#define PPOOLTOP_SLOTS_H

#include "counters.h"

#define PP_MAX_POOLS 4096 /* pools alive at once; more are counted as lost */
#define PP_MAX_CPUS  1024
#define PP_DEVNAMSIZ 32
#define PP_IFNAMSIZ  16 /* IFNAMSIZ, include/uapi/linux/if.h */

/*
 * The counters of one pool on one CPU: entry slot * nr_cpus + cpu of the map "counts". Two cache
 * lines, written by that CPU only. @pool is the pool's address while it lives and 0 afterwards, so
 * that one load tells a writer whether the slot it remembers is still this pool's.
 */
struct pp_counts {
	__u64 pool;
	__u64 n[PP_NR_SLOT_COUNTERS];
};

_Static_assert(sizeof(struct pp_counts) == 128, "one slot is two cache lines");

enum pp_slot_state {
	PP_SLOT_FREE,
	PP_SLOT_LIVE,
	PP_SLOT_DRAINING, /* page_pool_destroy() was called, pages are still out */
	PP_SLOT_DEAD, /* freed by the kernel; the slot keeps its last counts until it is reused */
};

/*
 * One pool: entry slot of the map "pools". (address, generation) is its identity: no two pools have
 * the same generation. It is odd while the slot is being filled in.
 */
struct pp_pool {
	__u64 address;
	__u32 generation;
	__u32 state;	    /* enum pp_slot_state */
	__u64 since_ns;	    /* CLOCK_MONOTONIC when created, or when first seen */
	__u64 destroyed_ns; /* of the first page_pool_release() seen, or 0 */
	__u64 changed_ns;   /* of the last page that came back after that */
	__u32 created;	    /* 1: seen from its creation on, so that counts are its whole life */
	__u32 id;	    /* pool->user.id, 6.8 and later, else 0 */

	/* the device: pool->slow.netdev (6.8 and later), xdp:mem_connect, or what pool->p.dev is of
	 */
	__u32 netns; /* inode number, 0: unknown */
	__s32 ifindex;
	char ifname[PP_IFNAMSIZ];
	char dev[PP_DEVNAMSIZ]; /* name of params.dev: "0000:00:03.0", or a network interface's */
	__s32 queue;		/* -1: unknown */
	__u32 napi_id;		/* 0: none */

	/* parameters: struct page_pool_params */
	__u32 order;
	__u32 pool_size; /* as asked for, 0: the default */
	__u32 ring_size; /* as it is */
	__s32 nid;
	__u32 flags;
	__u32 dma_dir;
	__u32 max_len;
	__u32 offset;
	__u32 provider; /* 1: pages come from a memory provider */
	__u32 system;	/* 1: one of the per-CPU pools of the system */

	/* state at the last refresh, or at death */
	__u32 hold;
	__u32 release;
	__u32 cache; /* pages in alloc.cache */
	__u32 ring;  /* pages in the ring */

	/* state when first seen: what the books start from */
	__u32 base_hold;
	__u32 base_release;
	__u32 base_cache;
	__u32 base_ring;
};

_Static_assert(sizeof(struct pp_pool) == 184, "same layout on both sides");

/* Global numbers, in the BPF objects' .bss. */
struct pp_global {
	__u64 lost_pools; /* no free slot when a pool appeared */
	__u32 generation; /* the last one given, even */
	__u32 pad;
};

#endif /* PPOOLTOP_SLOTS_H */
