// SPDX-License-Identifier: GPL-2.0-only
/*
 * The independent truth: reads the kernel's own counters out of a pool at the last moment of its
 * life, and on demand out of pools that live. Shares nothing with bpf/ but the kernel's types.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "truth.h"

extern const void __per_cpu_offset __ksym;
/* 6.9 and later: a pointer to the CPU's pool, alone or first in a structure */
extern const void system_page_pool __ksym __weak;

const volatile __u32 truth_cpus = 1;
__u32 nr_truths;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRUTH_MAX);
	__type(key, __u32);
	__type(value, struct truth);
} truths SEC(".maps");

/* pools being destroyed: what was in them at first */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRUTH_MAX);
	__type(key, __u64);
	__type(value, struct truth);
} dying SEC(".maps");

/* pools that live, as far as they were seen; the value is 1 for those of the system */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRUTH_MAX);
	__type(key, __u64);
	__type(value, __u32);
} ask SEC(".maps");

static __always_inline void read_stats(struct truth *t, const struct page_pool *pool)
{
	const struct page_pool___stats *s = (const void *)pool;
	struct page_pool_recycle_stats *recycle;
	__u64 offset;

	t->address = (__u64)pool;
	if (bpf_core_field_exists(pool->user.id))
		t->id = BPF_CORE_READ(pool, user.id);
	if (!bpf_core_field_exists(s->alloc_stats))
		return;
	t->stats = 1;
	t->alloc[0] = BPF_CORE_READ(s, alloc_stats.fast);
	t->alloc[1] = BPF_CORE_READ(s, alloc_stats.slow);
	t->alloc[2] = BPF_CORE_READ(s, alloc_stats.slow_high_order);
	t->alloc[3] = BPF_CORE_READ(s, alloc_stats.empty);
	t->alloc[4] = BPF_CORE_READ(s, alloc_stats.refill);
	t->alloc[5] = BPF_CORE_READ(s, alloc_stats.waive);
	recycle = BPF_CORE_READ(s, recycle_stats);
	for (__u32 i = 0; i < TRUTH_CPUS; i++) {
		const struct page_pool_recycle_stats *r;

		if (i >= truth_cpus)
			break;
		bpf_probe_read_kernel(&offset, sizeof(offset),
				      (const void *)&__per_cpu_offset + i * sizeof(offset));
		r = (const void *)((__u64)recycle + offset);
		t->recycle[i][0] = BPF_CORE_READ(r, cached);
		t->recycle[i][1] = BPF_CORE_READ(r, cache_full);
		t->recycle[i][2] = BPF_CORE_READ(r, ring);
		t->recycle[i][3] = BPF_CORE_READ(r, ring_full);
		t->recycle[i][4] = BPF_CORE_READ(r, released_refcnt);
	}
}

static __always_inline struct truth *new_truth(void)
{
	__u32 i = __sync_fetch_and_add(&nr_truths, 1);

	return bpf_map_lookup_elem(&truths, &i);
}

struct walk {
	void **queue;
	int at, size;
	__u32 pages;
};

static long walk_one(__u32 i, struct walk *w)
{
	void *page = NULL;

	bpf_probe_read_kernel(&page, sizeof(page), w->queue + w->at);
	if (!page)
		return 1;
	w->pages++;
	w->at = w->at + 1 < w->size ? w->at + 1 : 0;
	return 0;
}

/* Walked, where bpf/kernel.bpf.h subtracts: from consumer_head to the first hole. */
static __always_inline __u32 pages_in_ring(const struct page_pool *pool)
{
	struct walk w = {
		.queue = BPF_CORE_READ(pool, ring.queue),
		.at = BPF_CORE_READ(pool, ring.consumer_head),
		.size = BPF_CORE_READ(pool, ring.size),
	};

	bpf_loop(w.size, walk_one, &w, 0);
	return w.pages;
}

SEC("fentry/page_pool_release")
int BPF_PROG(truth_scrub, struct page_pool *pool)
{
	__u64 address = (__u64)pool;
	struct truth *t, fresh = {};

	t = bpf_map_lookup_elem(&dying, &address);
	if (t) {
		t->scrubs++;
		return 0;
	}
	fresh.scrubs = 1;
	fresh.cache = pool->alloc.count;
	fresh.ring = pages_in_ring(pool);
	fresh.inflight = pool->pages_state_hold_cnt - pool->pages_state_release_cnt.counter;
	bpf_map_update_elem(&dying, &address, &fresh, BPF_ANY);
	return 0;
}

/* Whatever takes a page is a pool. */
SEC("tp_btf/page_pool_state_hold")
int BPF_PROG(truth_seen, struct page_pool *pool)
{
	__u64 address = (__u64)pool;
	__u32 no = 0;

	bpf_map_update_elem(&ask, &address, &no, BPF_NOEXIST);
	return 0;
}

SEC("tp_btf/page_pool_release")
int BPF_PROG(truth_death, struct page_pool *pool, s32 inflight)
{
	__u64 address = (__u64)pool;
	struct truth *t, *d;

	if (inflight)
		return 0;
	t = new_truth();
	if (!t)
		return 0;
	t->system = 0; /* the entry was used before */
	d = bpf_map_lookup_elem(&dying, &address);
	if (d) {
		t->scrubs = d->scrubs;
		t->cache = d->cache;
		t->ring = d->ring;
		t->inflight = d->inflight;
	}
	read_stats(t, pool);
	bpf_map_delete_elem(&dying, &address);
	bpf_map_delete_elem(&ask, &address);
	return 0;
}

static long read_one(void *map, __u64 *address, __u32 *system, void *ctx)
{
	const struct page_pool *pool = (const void *)*address;
	struct truth *t = new_truth();

	if (!t)
		return 0;
	t->cache = BPF_CORE_READ(pool, alloc.count);
	t->ring = pages_in_ring(pool);
	t->inflight = BPF_CORE_READ(pool, pages_state_hold_cnt) -
		      BPF_CORE_READ(pool, pages_state_release_cnt.counter);
	t->system = *system;
	read_stats(t, pool);
	return 0;
}

/* They were there before anybody looked. */
static __always_inline void find_system_pools(void)
{
	__u64 offset, address;
	__u32 yes = 1;

	if (!&system_page_pool)
		return;
	for (__u32 i = 0; i < TRUTH_CPUS && i < truth_cpus; i++) {
		bpf_probe_read_kernel(&offset, sizeof(offset),
				      (const void *)&__per_cpu_offset + i * sizeof(offset));
		address = 0;
		bpf_probe_read_kernel(&address, sizeof(address),
				      (const void *)&system_page_pool + offset);
		if (address)
			bpf_map_update_elem(&ask, &address, &yes, BPF_ANY);
	}
}

SEC("raw_tp")
int truth_live(void *ctx)
{
	find_system_pools();
	bpf_for_each_map_elem(&ask, read_one, NULL, 0);
	return 0;
}

/*
 * Witnesses: did a load do what it was made for? Attached only where a test asks for one, and each
 * counts in `witnessed`.
 */
__u64 witnessed;

#define BULK 16 /* XDP_BULK_QUEUE_SIZE, include/net/xdp.h */

/* A bulk put that mixes pools: 6.14 and later. */
SEC("fentry/page_pool_put_netmem_bulk")
int BPF_PROG(witness_mixed, __u64 *data, __u32 n)
{
	__u64 netmems[BULK] = {};
	const struct page_pool *first = NULL;

	bpf_probe_read_kernel(netmems, sizeof(netmems), data);
	for (__u32 i = 0; i < BULK && i < n; i++) {
		const struct page_pool *pool = BPF_CORE_READ((struct page *)netmems[i], pp);

		if (!first)
			first = pool;
		if (pool != first) {
			__sync_fetch_and_add(&witnessed, 1);
			break;
		}
	}
	return 0;
}

/* The last part of a page, put by another CPU than one before it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u32);
} parts SEC(".maps");

SEC("fentry/napi_pp_put_page")
int BPF_PROG(witness_shared, __u64 netmem)
{
	long left = BPF_CORE_READ((struct page *)netmem, pp_ref_count.counter);
	__u32 cpu = bpf_get_smp_processor_id(), *other;

	if (left > 1) {
		bpf_map_update_elem(&parts, &netmem, &cpu, BPF_ANY);
		return 0;
	}
	other = bpf_map_lookup_elem(&parts, &netmem);
	if (other && *other != cpu)
		__sync_fetch_and_add(&witnessed, 1);
	bpf_map_delete_elem(&parts, &netmem);
	return 0;
}

/* Is a put in process context under way? A softirq cannot change it while it looks. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TRUTH_CPUS);
	__type(key, __u32);
	__type(value, __u32);
} putting SEC(".maps");

extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot pcpu_hot __ksym __weak;

static __always_inline bool softirq(void)
{
	const int *count;

	if (&__preempt_count) {
		count = bpf_this_cpu_ptr(&__preempt_count);
		return *count & 0xff00;
	}
	if (&pcpu_hot) {
		const struct pcpu_hot *hot = bpf_this_cpu_ptr(&pcpu_hot);

		return hot->preempt_count & 0xff00;
	}
	return false;
}

/* A put in a softirq that interrupted one in process context. */
SEC("fentry/page_pool_put_unrefed_netmem")
int BPF_PROG(witness_nested)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 *under_way = bpf_map_lookup_elem(&putting, &cpu);

	if (!under_way)
		return 0;
	if (!softirq())
		*under_way = 1;
	else if (*under_way)
		__sync_fetch_and_add(&witnessed, 1);
	return 0;
}

SEC("fexit/page_pool_put_unrefed_netmem")
int BPF_PROG(witness_nested_exit)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 *under_way = bpf_map_lookup_elem(&putting, &cpu);

	if (under_way && !softirq())
		*under_way = 0;
	return 0;
}

static long linger(__u32 i, void *ctx)
{
	return 0;
}

/*
 * Between the program that foretells a put and the kernel's own look: time for an interrupt. The
 * program attached first runs last.
 */
SEC("fentry/page_pool_put_unrefed_netmem")
int BPF_PROG(witness_lingered)
{
	bpf_loop(1000, linger, NULL, 0);
	__sync_fetch_and_add(&witnessed, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
