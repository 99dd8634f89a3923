/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps, and the way from a pool's address to this CPU's counters. Included by every program
 * file, so maps are weak: the linker keeps one of each.
 */
#ifndef PPOOLTOP_STATE_BPF_H
#define PPOOLTOP_STATE_BPF_H

#include "kernel.bpf.h"
#include "slots.h"

/* Set before loading. */
extern const volatile __u32 nr_cpus;	 /* the size of a row of `counts` */
extern const volatile __u32 level;	 /* enum pp_level */
extern const volatile bool kernel_stats; /* counters are read from the pools, not counted here */
/* Addresses of the kernel's variables __per_cpu_offset and page_pools; 0: not to be had. */
extern const volatile __u64 per_cpu_offset;
extern const volatile __u64 page_pools;
extern const volatile bool preempt_rt;
/* page_pool_alloc_frag() counts a further part of a page as fast (6.1, 6.12), or not (7.2) */
extern const volatile bool frag_share_is_fast;
/* ... and a page it starts again with as cached (7.2), or not (6.1, 6.12) */
extern const volatile bool frag_reuse_is_cached;

/* Learnt while running: see page_pool_alloc_pages() in alloc.bpf.c. */
enum pages_calls { PAGES_UNKNOWN, PAGES_CALL_NETMEMS, PAGES_INLINE_NETMEMS };

extern __u32 pages_calls;

/*
 * Set once every hook is attached: counting begins everywhere at the same moment, and nothing is
 * concluded from seeing half of what happens.
 */
extern bool armed;

/* For the reader: slot + 1 whose last put on this CPU is still counted as ring, but was cached. */
extern __u32 late_cached[PP_MAX_CPUS];
extern struct pp_global global;

/*
 * The page this CPU put last and what was foretold of it: to be put right if the page is released,
 * or if the cache shows that it went there.
 */
enum put_kind {
	PUT_NONE,
	PUT_CACHED,
	PUT_RING,
	PUT_MAYBE_CACHED, /* counted as ring, but an interrupt could still make it direct */
	PUT_RELEASED,
};

struct put_memo {
	__u64 page; /* struct page * or netmem_ref */
	__u64 pool;
	__u32 kind;
	__u32 slot;
	__u32 level; /* alloc.count before */
	__u32 pad;
};

#define BULK_MAX 16 /* XDP_BULK_QUEUE_SIZE, include/net/xdp.h: no caller passes more */

/* The part of a bulk put that concerns one pool. */
struct bulk_pool {
	__u64 pool;
	__u64 first; /* the first page that could go into the cache */
	__u32 slot;
	__u32 level;	/* alloc.count at entry */
	__u32 pages;	/* put for good: no other fragment of the page is out */
	__u32 direct;	/* foretold to go into the cache while there is room */
	__u32 released; /* freed because somebody else held them */
	__u32 left;	/* freed because the ring was full */
};

/* A bulk put that is under way. */
struct bulk_state {
	__u32 nr;      /* pools; 0: none is under way */
	__u32 nr_data; /* pages */
	__u64 at;      /* where the kernel has them */
	struct bulk_pool pools[BULK_MAX];
	__u64 data[BULK_MAX];
};

/* What is under way on a CPU, for process context and softirq apart: one interrupts the other. */
struct ctx_state {
	struct put_memo put;
	__u64 scratch; /* see page_recyclable() */
	/* page_pool_alloc_pages() of this pool, with this cache level, is on its way */
	__u64 pages_pool;
	__u32 pages_count;
	__u64 last_refill; /* pool of the last refill: what a slow path after it belongs to */
	/* a refill of this pool is running; pages it dropped */
	__u32 waived;
	__u64 refill_pool;
	/* page_pool_alloc_frag() of this pool is running; page and cache level it began with */
	__u64 frag_pool;
	__u64 frag_page;
	__u32 frag_count;
	__u32 frag_counted; /* the allocation inside is counted by its own hook */
	struct bulk_state bulk;
};

/* Private to each CPU; entry cpu of the map `cpus`. */
struct cpu_state {
	__u64 pool; /* the pool seen last, and its slot */
	__u32 slot;
	__u32 pad;
	struct ctx_state ctx[2]; /* index: in_softirq() */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading: PP_MAX_POOLS * nr_cpus */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct pp_counts);
} counts __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PP_MAX_POOLS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct pp_pool);
} pools __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set before loading: nr_cpus */
	__type(key, __u32);
	__type(value, struct cpu_state);
} cpus __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct pp_meta);
} meta __weak SEC(".maps");

/* address -> slot of every pool that lives */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PP_MAX_POOLS);
	__type(key, __u64);
	__type(value, __u32);
} slots __weak SEC(".maps");

/* addresses of pools that live and have no slot: each is counted once in global.lost_pools */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PP_MAX_LOST);
	__type(key, __u64);
	__type(value, __u32);
} lost __weak SEC(".maps");

/*
 * Free slots, oldest first: a dead pool's last counts stay readable for as long as possible, and a
 * CPU that is late with a correction still finds them.
 */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, PP_MAX_POOLS);
	__type(value, __u32);
} free_slots __weak SEC(".maps");

/* Nothing of the slot's last pool stays; its generation does, it is odd now. */
static __always_inline void clear_pool(struct pp_pool *p)
{
	const __u32 generation = p->generation;

	__builtin_memset(p, 0, offsetof(struct pp_pool, total));
	p->generation = generation;
	__builtin_memset(p->total, 0, sizeof(p->total));
	__builtin_memset(p->moved, 0, sizeof(p->moved));
	__builtin_memset(p->stack, 0, sizeof(p->stack));
}

/*
 * Take a slot for a pool. @created: at its birth, else it was there before and is met now.
 * Returns the slot, or a negative number when none is free (counted in global.lost_pools).
 */
static __noinline int pool_add(__u64 address, __u32 created)
{
	const struct page_pool *pool = (const void *)address;
	struct pp_counts *c;
	struct pp_pool *p;
	__u32 slot, generation, *other;
	int err;

	if (bpf_map_pop_elem(&free_slots, &slot)) {
		slot = 1;
		/* One just created is a new one, even if there is no room to remember it. */
		if (!bpf_map_update_elem(&lost, &address, &slot, BPF_NOEXIST) || created)
			__sync_fetch_and_add(&global.lost_pools, 1);
		return -1;
	}
	p = bpf_map_lookup_elem(&pools, &slot);
	if (!p)
		return -1;
	generation = __sync_fetch_and_add(&global.generation, 2) + 2;
	p->generation = generation - 1;
	for (__u32 i = 0; i < nr_cpus; i++) {
		__u32 k = slot * nr_cpus + i;

		c = bpf_map_lookup_elem(&counts, &k);
		if (!c)
			return -1;
		__builtin_memset(c->n, 0, sizeof(c->n));
		c->pool = address;
	}
	clear_pool(p);
	p->address = address;
	p->since_ns = bpf_ktime_get_ns();
	p->created = created;
	p->audit = created ? PP_AUDIT_READY : PP_AUDIT_NONE;
	p->queue = -1;
	p->base_hold = BPF_CORE_READ(pool, pages_state_hold_cnt);
	p->base_cache = BPF_CORE_READ(pool, alloc.count);
	p->base_ring = ring_pages(pool);
	p->state = PP_SLOT_USED;
	*(volatile __u32 *)&p->generation = generation;

	err = bpf_map_update_elem(&slots, &address, &slot, BPF_NOEXIST);
	if (!err)
		return slot;

	/* Another CPU met the pool at the same time and was first: this slot goes back. */
	p->state = PP_SLOT_FREE;
	for (__u32 i = 0; i < nr_cpus; i++) {
		__u32 k = slot * nr_cpus + i;

		c = bpf_map_lookup_elem(&counts, &k);
		if (c)
			c->pool = 0;
	}
	bpf_map_push_elem(&free_slots, &slot, BPF_ANY);
	other = bpf_map_lookup_elem(&slots, &address);
	return other ? *other : -1;
}

/*
 * The slot of a pool, taking one if it is new; negative when there is none. A pool that found none
 * does not ask again and again, which would cost every packet the queue's lock: the next walk
 * through the kernel's list does (lifecycle.bpf.c).
 */
static __always_inline int pool_slot(__u64 address)
{
	__u32 *slot = bpf_map_lookup_elem(&slots, &address);

	if (slot)
		return *slot;
	return bpf_map_lookup_elem(&lost, &address) ? -1 : pool_add(address, 0);
}

static __always_inline struct pp_counts *slot_counts(__u32 slot, __u32 cpu)
{
	__u32 k = slot * nr_cpus + cpu;

	return bpf_map_lookup_elem(&counts, &k);
}

/*
 * Only this CPU writes the counter, but a softirq may interrupt process context between load and
 * store: there one instruction has to do it all. In a softirq nothing that counts can interrupt.
 */
static __always_inline void count(__u64 *n, __s64 by, bool softirq)
{
	if (softirq)
		*n += by;
	else
		__sync_fetch_and_add(n, by);
}

/* Where a program runs and what it counts into. */
struct here {
	__u32 cpu;
	__u32 slot;
	bool softirq;
	struct cpu_state *cpu_state;
	struct ctx_state *ctx;
	struct pp_counts *counts;
};

/* Fill in all but slot and counts. False: counting has not begun. */
static __always_inline bool here_ctx(struct here *h)
{
	if (!armed)
		return false;
	h->cpu = bpf_get_smp_processor_id();
	h->cpu_state = bpf_map_lookup_elem(&cpus, &h->cpu);
	if (!h->cpu_state)
		return false;
	h->softirq = in_softirq();
	h->ctx = h->softirq ? &h->cpu_state->ctx[1] : &h->cpu_state->ctx[0];
	return true;
}

/*
 * Fill in slot and counts. The pool seen last is remembered; the address inside the slot says
 * whether the memory is still right, also when an interrupt changed it half-way. False: the pool
 * has no slot, because too many live.
 */
static __always_inline bool here_counts(struct here *h, __u64 address)
{
	int slot;

	if (h->cpu_state->pool == address) {
		h->slot = h->cpu_state->slot;
		h->counts = slot_counts(h->slot, h->cpu);
		if (h->counts && h->counts->pool == address)
			return true;
	}
	slot = pool_slot(address);
	if (slot < 0)
		return false;
	h->slot = slot;
	h->cpu_state->pool = address;
	h->cpu_state->slot = slot;
	h->counts = slot_counts(slot, h->cpu);
	return h->counts != NULL;
}

static __always_inline bool here_pool(struct here *h, const struct page_pool *pool)
{
	return here_ctx(h) && here_counts(h, (__u64)pool);
}

/* For EXIT in hook.bpf.h: the pool that the program at the entry of the call kept on this CPU. */
#define kept_pool(field)                                                                \
	({                                                                              \
		struct here kept_here;                                                  \
                                                                                        \
		here_ctx(&kept_here) ? (struct page_pool *)kept_here.ctx->field : NULL; \
	})

/*
 * Does the cache of the pool at @address hold @page at @level? The array is of struct page * or of
 * netmem_ref, which CO-RE takes for different things; on 64-bit both begin 8 bytes after count.
 */
static __always_inline bool in_cache(__u64 address, __u32 level, __u64 page)
{
	const struct page_pool *pool = (const void *)address;
	const void *cache = (const void *)&pool->alloc.count + sizeof(page);
	__u64 there = 0;

	if (level >= PP_CACHE_SIZE || BPF_CORE_READ(pool, alloc.count) <= level)
		return false;
	bpf_probe_read_kernel(&there, sizeof(there), cache + level * sizeof(page));
	return there == page;
}

/* Did the page put last go into the cache? Asked before anything else changes the cache. */
static __always_inline bool went_to_cache(const struct put_memo *m)
{
	return in_cache(m->pool, m->level, m->page);
}

/*
 * What could not be foretold of the put before this event is decided now. An interrupt between the
 * program and the kernel's own look may have scheduled the pool's NAPI on this CPU, which made the
 * put direct; or another holder may have let go of a page in that moment, so that it was recycled.
 */
static __always_inline void settle(struct here *h)
{
	struct put_memo *m = &h->ctx->put;
	struct pp_counts *c;

	if (m->kind < PUT_MAYBE_CACHED)
		return;
	c = slot_counts(m->slot, h->cpu);
	if (c && c->pool != m->pool)
		c = NULL; /* the slot is another pool's */
	if (c && m->kind == PUT_MAYBE_CACHED && went_to_cache(m)) {
		count(&c->n[PP_RING], -1, h->softirq);
		count(&c->n[PP_CACHED], 1, h->softirq);
	}
	/* Process context may have been left in the middle of the put: no conclusion there. */
	if (c && m->kind == PUT_RELEASED && h->softirq) {
		c->n[PP_RELEASED_REFCNT]--;
		c->n[went_to_cache(m) ? PP_CACHED : PP_RING]++;
	}
	m->kind = PUT_NONE;
}

#define COUNT(h, ID, by) count(&(h)->counts->n[PP_##ID], by, (h)->softirq)

#endif /* PPOOLTOP_STATE_BPF_H */
