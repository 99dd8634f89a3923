/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel facts as small functions: the CPU's context, pages, pools. */
#ifndef PPOOLTOP_KERNEL_BPF_H
#define PPOOLTOP_KERNEL_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "hook.bpf.h"

#define PP_CACHE_SIZE                                                              \
	128 /* PP_ALLOC_CACHE_SIZE with 4 KiB pages, include/net/page_pool/types.h \
	     */
#define SOFTIRQ_MASK 0x0000ff00 /* include/linux/preempt.h */
#define NET_IOV	     1UL	/* bit 0 of a netmem_ref, include/net/netmem.h */
#define PFMEMALLOC   2UL	/* page_is_pfmemalloc(), include/linux/mm.h */

/* x86: up to 6.1 and from 6.15 on */
extern const int __preempt_count __ksym __weak;
/* x86: 6.2 to 6.14 */
extern const struct pcpu_hot pcpu_hot __ksym __weak;

/*
 * in_softirq(), include/linux/preempt.h: a softirq runs or bottom halves are off. The bits cannot
 * change under a program: whatever interrupts it restores them before it goes on.
 */
static __always_inline bool in_softirq(void)
{
	if (&__preempt_count) {
		const int *count = bpf_this_cpu_ptr(&__preempt_count);

		return *count & SOFTIRQ_MASK;
	}
	if (&pcpu_hot) {
		const struct pcpu_hot *hot = bpf_this_cpu_ptr(&pcpu_hot);

		return hot->preempt_count & SOFTIRQ_MASK;
	}
	return false;
}

/*
 * page_pool_napi_local(), net/core/page_pool.c: may this CPU touch the cache without being asked
 * to? pool->cpuid is there since 6.9, napi->list_owner since 6.4; older kernels leave it all to
 * the caller.
 */
static __always_inline bool napi_local(const struct page_pool *pool, int cpu, bool softirq, bool rt)
{
	const struct napi_struct *napi;

	if (rt || !softirq || !bpf_core_field_exists(pool->cpuid))
		return false;
	if (READ(pool, cpuid) == cpu)
		return true;
	napi = READ(pool, p.napi);
	return napi && READ(napi, list_owner) == cpu;
}

/*
 * Is a direct put really direct? Up to 6.9 the kernel asks in_softirq() as well
 * (__page_pool_put_page()); pool->cpuid came with the kernels that stopped asking.
 */
static __always_inline bool direct_allowed(const struct page_pool *pool, bool softirq)
{
	return softirq || bpf_core_field_exists(pool->cpuid);
}

/*
 * The condition of __page_pool_put_page(): nobody else holds the page, and it is no reserve page.
 * The verifier takes pp_magic for what shares its place, the pointer lru.next, and allows no
 * arithmetic on it; once it was in a map's memory, here @scratch, it is a number.
 */
static __always_inline bool page_recyclable(const struct page *page, volatile __u64 *scratch)
{
	*scratch = READ(page, pp_magic);
	return READ(page, _refcount.counter) == 1 && !(*scratch & PFMEMALLOC);
}

static __always_inline const struct page *netmem_page(__u64 netmem)
{
	return CAST(struct page, netmem);
}

/* A net_iov has no reference count of its own: it can always be recycled. */
static __always_inline bool netmem_recyclable(__u64 netmem, volatile __u64 *scratch)
{
	return (netmem & NET_IOV) || page_recyclable(netmem_page(netmem), scratch);
}

/*
 * netmem_compound_head(), as something with the fields that struct page and struct net_iov share.
 * 7.1 and later, where a tail page's compound_info is a mask for its address (or, where struct page
 * is no power of two in size, the head's address): include/linux/page-flags.h.
 */
static __always_inline const struct page *netmem_head(__u64 netmem, volatile __u64 *scratch)
{
	const struct page___info *page = (const void *)netmem_page(netmem & ~NET_IOV);
	unsigned long info;

	if (netmem & NET_IOV || !bpf_core_field_exists(page->compound_info))
		return (const struct page *)page;
	*scratch = READ(page, compound_info); /* shares the place of lru.next, too */
	info = *scratch;
	if (!(info & 1))
		return (const struct page *)page;
	/* A mask is a small negative number, an address of struct page is far below. */
	return netmem_page((long)info > -(1L << 40) ? netmem & info : info - 1);
}

/* The pool of a page; page->pp shares the place of lru.prev, see page_recyclable(). */
static __always_inline struct page_pool *page_owner(const struct page *page,
						    volatile __u64 *scratch)
{
	*scratch = (__u64)READ(page, pp);
	return CAST(struct page_pool, *scratch);
}

/* Pages resting in a ptr_ring (include/linux/ptr_ring.h). Consumed entries are cleared in batches,
 * so only the one at consumer_head tells a full ring from an empty one.
 */
static __always_inline __u32 ring_pages(const struct page_pool *pool)
{
	int producer = BPF_CORE_READ(pool, ring.producer);
	int consumer = BPF_CORE_READ(pool, ring.consumer_head);
	int size = BPF_CORE_READ(pool, ring.size);
	int used = producer - consumer;
	void **queue, *next = NULL;

	if (used < 0)
		return used + size;
	if (used > 0 || size <= 0)
		return used;
	queue = BPF_CORE_READ(pool, ring.queue);
	bpf_probe_read_kernel(&next, sizeof(next), queue + consumer);
	return next ? size : 0;
}

#endif /* PPOOLTOP_KERNEL_BPF_H */
