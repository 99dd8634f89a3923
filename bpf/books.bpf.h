/* SPDX-License-Identifier: GPL-2.0-only */
/* The books of a pool: sums over CPUs, the laws they obey, and what a dead pool leaves behind. */
#ifndef PPOOLTOP_BOOKS_BPF_H
#define PPOOLTOP_BOOKS_BPF_H

#include "device.bpf.h"
#include "pool.bpf.h"

struct sums {
	__u64 n[PP_NR_SLOT_COUNTERS];
};

/* Sum slot @slot over all CPUs. Global, so that the verifier looks at its loop once. */
__weak __noinline int sum_counts(__u32 slot, struct sums *to)
{
	if (!to)
		return -1;
	__builtin_memset(to, 0, sizeof(*to));
	for (__u32 cpu = 0; cpu < nr_cpus && cpu < PP_MAX_CPUS; cpu++) {
		const struct pp_counts *c = slot_counts(slot, cpu);

		if (!c)
			return -1;
		for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
			to->n[i] += c->n[i];
		/* The CPU itself puts this right at its next event: see settle(). */
		if (late_cached[cpu] == slot + 1) {
			to->n[PP_RING]--;
			to->n[PP_CACHED]++;
		}
	}
	return 0;
}

/* What the counters say came in, less what they say went out, of cache, ring and page allocator. */
static __always_inline __s64 cache_in(const struct pp_pool *p, const struct sums *s)
{
	return p->base_cache + s->n[PP_CACHED] + s->n[PP_FETCHED] + s->n[PP_MOVED] +
	       s->n[PP_SHARED];
}

/* Fast allocations leave the cache, too, where they are counted. */
static __always_inline __s64 cache_out(const struct pp_pool *p, const struct sums *s)
{
	return (level == PP_LEVEL_FULL ? s->n[PP_FAST] : 0) + s->n[PP_SLOW] + s->n[PP_REFILL] +
	       s->n[PP_FLUSHED] + p->flushed_cache;
}

static __always_inline __s64 ring_in(const struct pp_pool *p, const struct sums *s)
{
	return p->base_ring + s->n[PP_RING];
}

static __always_inline __s64 ring_out(const struct pp_pool *p, const struct sums *s)
{
	return s->n[PP_MOVED] + s->n[PP_WAIVE] + p->flushed_ring;
}

static __always_inline __u64 at_least(__s64 v, __u64 floor)
{
	return v > (__s64)floor ? (__u64)v : floor;
}

/*
 * Below PP_LEVEL_FULL one side of a law is not counted but follows from the other: what came in
 * less what is there went out, and the other way round. @in is of before cache and ring were read
 * and @out of after, or @out of before for the ring, so that pages on their way make the result too
 * low, for this once, but never too high; and it does not go back.
 */
static __always_inline void derive(struct pp_pool *p, struct sums *s, __s64 in_cache,
				   __s64 out_cache, __s64 out_ring)
{
	if (level == PP_LEVEL_DERIVED)
		s->n[PP_FAST] = at_least(in_cache - out_cache - p->cache, p->total[PP_FAST]);
	else if (level == PP_LEVEL_SLOW)
		s->n[PP_RING] = at_least(out_ring + p->ring - p->base_ring, p->total[PP_RING]);
}

/* --- counters the kernel keeps -------------------------------------------------------------------
 * CONFIG_PAGE_POOL_STATS, 5.18 and later; include/net/page_pool/types.h.
 */

#define RECYCLE_STAT(stats, field)                                                              \
	(*(__u64 *)((void *)(stats) +                                                           \
		    __builtin_preserve_field_info(((struct page_pool_recycle_stats *)0)->field, \
						  BPF_FIELD_BYTE_OFFSET)))

/* Recycling is counted per CPU: copied to where our own counts would be. */
__weak __noinline int copy_recycle_stats(__u32 slot, __u64 stats)
{
	if (!bpf_core_type_exists(struct page_pool_recycle_stats))
		return -1;
	for (__u32 cpu = 0; cpu < nr_cpus && cpu < PP_MAX_CPUS; cpu++) {
		struct pp_counts *c = slot_counts(slot, cpu);
		struct page_pool_recycle_stats r = {};
		__u64 offset = 0;

		if (!c)
			return -1;
		bpf_probe_read_kernel(&offset, sizeof(offset),
				      (const void *)per_cpu_offset + cpu * sizeof(offset));
		bpf_core_read(&r, sizeof(r), (const void *)(stats + offset));
		c->n[PP_CACHED] = RECYCLE_STAT(&r, cached);
		c->n[PP_CACHE_FULL] = RECYCLE_STAT(&r, cache_full);
		c->n[PP_RING] = RECYCLE_STAT(&r, ring);
		c->n[PP_RING_FULL] = RECYCLE_STAT(&r, ring_full);
		c->n[PP_RELEASED_REFCNT] = RECYCLE_STAT(&r, released_refcnt);
	}
	return 0;
}

/*
 * All system pools share one object of recycle counters (net/core/dev.c, 6.9 and later): it is kept
 * apart, and their own rows say nothing of recycling.
 */
static __always_inline void read_kernel_stats(struct pp_pool *p, __u32 slot, struct sums *s)
{
	const struct page_pool___stats *pool = (const void *)p->address;

	if (!bpf_core_field_exists(pool->alloc_stats))
		return;
	copy_recycle_stats(slot, (__u64)BPF_CORE_READ(pool, recycle_stats));
	sum_counts(slot, s);
	if (p->system) {
		for (int i = PP_CACHED; i <= PP_RELEASED_REFCNT; i++) {
			global.system_recycle[i] = s->n[i];
			s->n[i] = 0;
		}
	}
	s->n[PP_FAST] = BPF_CORE_READ(pool, alloc_stats.fast);
	s->n[PP_SLOW] = BPF_CORE_READ(pool, alloc_stats.slow);
	s->n[PP_SLOW_HIGH_ORDER] = BPF_CORE_READ(pool, alloc_stats.slow_high_order);
	s->n[PP_EMPTY] = BPF_CORE_READ(pool, alloc_stats.empty);
	s->n[PP_REFILL] = BPF_CORE_READ(pool, alloc_stats.refill);
	s->n[PP_WAIVE] = BPF_CORE_READ(pool, alloc_stats.waive);
}

/* --- what pools leave behind ---------------------------------------------------------------------
 */

/* A device as a pool saw it. */
struct where {
	__u32 netns;
	__s32 ifindex;
	char ifname[PP_IFNAMSIZ];
};

static __always_inline struct where pool_where(const struct pp_pool *p)
{
	struct where w = {.netns = p->netns, .ifindex = p->ifindex};

	__builtin_memcpy(w.ifname, p->ifname, sizeof(w.ifname));
	return w;
}

/* Add what @p counted since it came to the device @w, @total in all, to that device's own. */
static __always_inline void fold(struct pp_pool *p, const struct where *w, const __u64 *total,
				 __u32 died)
{
	struct pp_device *d = device_entry(w->netns, w->ifindex);

	if (!d)
		return;
	d->netns = w->netns;
	d->ifindex = w->ifindex;
	__builtin_memcpy(d->ifname, w->ifname, sizeof(d->ifname));
	__builtin_memcpy(d->driver, p->driver, sizeof(d->driver));
	__sync_fetch_and_add(&d->pools, died);
	/* Should two come to it at once, the second finds nothing left to add. */
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++) {
		__u64 moved = __atomic_exchange_n(&p->moved[i], total[i], __ATOMIC_SEQ_CST);

		__sync_fetch_and_add(&d->n[i], total[i] - moved);
	}
}

/*
 * If @p is not where it was, what readers saw it count there stays there. They wait for that as for
 * a death: in between, it is counted twice or not at all.
 */
static __always_inline void leave_device(struct pp_pool *p, const struct where *was)
{
	if (!was->ifindex || (was->ifindex == p->ifindex && was->netns == p->netns))
		return;
	__sync_fetch_and_add(&global.deaths_begun, 1);
	fold(p, was, p->total, 0);
	__sync_fetch_and_add(&global.deaths_done, 1);
}

/*
 * The pool at @address, in @slot, is gone: its device keeps its counts, and the slot is free. Its
 * end and a refresh that finds it gone may both come to it; the first does it, or the slot would be
 * free twice. @missed: its end was, so nothing can be read any more.
 */
static __noinline int bury(__u32 slot, __u64 address, bool missed)
{
	struct pp_pool *p = bpf_map_lookup_elem(&pools, &slot);
	__u32 *mine = bpf_map_lookup_elem(&slots, &address);
	struct where w;
	struct sums s;

	if (!p || !mine || *mine != slot || bpf_map_delete_elem(&slots, &address))
		return -1;
	sum_counts(slot, &s);
	if (!kernel_stats)
		derive(p, &s, cache_in(p, &s), cache_out(p, &s), ring_out(p, &s));
	else if (!missed)
		read_kernel_stats(p, slot, &s);
	else
		__builtin_memcpy(&s, p->total, sizeof(s));
	w = pool_where(p);
	__sync_fetch_and_add(&global.deaths_begun, 1);
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		p->total[i] = s.n[i];
	p->state = PP_SLOT_DEAD;
	fold(p, &w, s.n, 1);
	for (__u32 cpu = 0; cpu < nr_cpus && cpu < PP_MAX_CPUS; cpu++) {
		struct pp_counts *c = slot_counts(slot, cpu);

		if (c)
			c->pool = 0;
	}
	bpf_map_push_elem(&free_slots, &slot, BPF_ANY);
	__sync_fetch_and_add(&global.deaths_done, 1);
	return 0;
}

#endif /* PPOOLTOP_BOOKS_BPF_H */
