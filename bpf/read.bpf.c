// SPDX-License-Identifier: GPL-2.0-only
/* Run by the reader, with BPF_PROG_TEST_RUN: brings everything up to date in one system call. */
#include "books.bpf.h"

const volatile __u32 nr_cpus = 1;
const volatile __u32 level = PP_LEVEL_FULL;
const volatile bool kernel_stats = false;
const volatile __u64 per_cpu_offset = 0;
const volatile __u64 page_pools = 0;
const volatile bool preempt_rt = false;
const volatile bool frag_share_is_fast = false;
const volatile bool frag_reuse_is_cached = false;
const volatile __u32 tick_ns = 0; /* of the kernel's jiffies */
/* Which laws the books can be held against: bits PP_LAW_x. */
const volatile __u32 laws = 0;
__u32 pages_calls = PAGES_UNKNOWN;
bool armed;
struct pp_global global;
__u32 late_cached[PP_MAX_CPUS];

/* Both sides of each law, as the counters have them; and a sum that changes whenever one does. */
struct sides {
	__s64 in[PP_NR_LAWS];
	__s64 out[PP_NR_LAWS];
	__u64 all;
};

/* One reading: the counters just before and just after what they are held against. */
struct reading {
	struct sides before;
	struct sides after;
};

static __always_inline void take_sides(const struct pp_pool *p, const struct sums *s,
				       struct sides *to)
{
	to->in[PP_LAW_CACHE] = cache_in(p, s);
	to->out[PP_LAW_CACHE] = cache_out(p, s);
	to->in[PP_LAW_RING] = ring_in(p, s);
	to->out[PP_LAW_RING] = ring_out(p, s);
	to->in[PP_LAW_HOLD] = s->n[PP_FETCHED] + s->n[PP_SLOW_HIGH_ORDER];
	to->out[PP_LAW_HOLD] = 0;
	to->all = 0;
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		to->all += s->n[i];
}

/*
 * A refresh's work space, too large for a program's stack. One reader at a time: a second one would
 * derive counters from what the first has read half of.
 */
struct work {
	__u32 busy;
	struct sums sums;
	struct reading reading;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct work);
} works SEC(".maps");

static __always_inline struct work *the_work(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&works, &zero);
}

/* By how much the books are off: somewhere in [from, to], for counters moved while it was read. */
struct off {
	__s64 from, to;
};

static __always_inline struct off law_off(const struct pp_pool *p, const struct reading *r,
					  enum pp_law law)
{
	const struct sides *b = &r->before, *a = &r->after;
	__u32 there = law == PP_LAW_CACHE  ? p->cache
		      : law == PP_LAW_RING ? p->ring
					   : p->hold - p->base_hold; /* wraps, as the kernel's */

	if (law == PP_LAW_HOLD)
		return (struct off){(__s32)((__u32)b->in[law] - there),
				    (__s32)((__u32)a->in[law] - there)};
	return (struct off){b->in[law] - a->out[law] - there, a->in[law] - b->out[law] - there};
}

/* A memory provider fills the cache and holds its pages by itself. */
static __always_inline bool law_applies(const struct pp_pool *p, enum pp_law law)
{
	return laws & (1u << law) && (law == PP_LAW_RING || !p->provider);
}

/* Pages that the books cannot account for, at the least. */
static __always_inline __u32 unaccounted(const struct pp_pool *p, const struct reading *r)
{
	__u32 pages = 0;

	for (int law = 0; law < PP_NR_LAWS; law++) {
		struct off off;

		if (!law_applies(p, law))
			continue;
		off = law_off(p, r, law);
		if (off.from > p->drift[law])
			pages += off.from - p->drift[law];
		else if (off.to < p->drift[law])
			pages += p->drift[law] - off.to;
	}
	return pages;
}

static __always_inline bool at_rest(const struct reading *r)
{
	return r->before.all == r->after.all;
}

#define REST_NS	  500000000ULL /* two readings a second apart do, also if one is late */
#define REST_SEEN 16

/*
 * A pool that is met, not created, while we watch: what is in it was read while others used it. By
 * how much that was off shows when it is at rest. A page may be in the hands of a task that was
 * stopped in the middle, at this reading and the next one too: so believed is what stays the same
 * while nothing is counted for a while, or what is seen again and again while the pool is in use.
 */
static __always_inline void learn_drift(struct pp_pool *p, const struct reading *r)
{
	bool same = p->audit == PP_AUDIT_ONCE;
	__u64 now = bpf_ktime_get_ns();

	for (int law = 0; law < PP_NR_LAWS; law++) {
		__s32 off = law_applies(p, law) ? law_off(p, r, law).from : 0;

		same &= p->drift[law] == off;
		p->drift[law] = off;
	}
	p->unaccounted = 0;
	p->audit = PP_AUDIT_ONCE;
	p->rest_seen = same ? p->rest_seen + 1 : 0;
	if (!same || p->rest_sum != r->after.all) {
		p->rest_sum = r->after.all;
		p->rest_ns = now;
	}
	if (now - p->rest_ns >= REST_NS || p->rest_seen >= REST_SEEN)
		p->audit = PP_AUDIT_READY;
}

#define TRIES 8 /* readings until one is of a moment in which no page was between two places */

/*
 * Read the books of the pool in @slot and audit them. Other CPUs go on meanwhile, and a page in a
 * CPU's hands is counted but not yet where it goes to: a difference counts only if every reading
 * has one. Global, as sum_counts().
 */
__weak __noinline int read_books(__u32 slot)
{
	struct pp_pool *p = bpf_map_lookup_elem(&pools, &slot);
	const struct page_pool *pool;
	struct work *w = the_work();
	struct reading *r;
	__u32 least = 0, generation;

	if (!p || !w)
		return -1;
	generation = p->generation;
	r = &w->reading;
	pool = (const void *)p->address;
	for (int i = 0; i < TRIES; i++) {
		sum_counts(slot, &w->sums);
		take_sides(p, &w->sums, &r->before);
		p->release = BPF_CORE_READ(pool, pages_state_release_cnt.counter);
		p->hold = BPF_CORE_READ(pool, pages_state_hold_cnt);
		p->cache = BPF_CORE_READ(pool, alloc.count);
		p->ring = ring_pages(pool);
		sum_counts(slot, &w->sums);
		take_sides(p, &w->sums, &r->after);
		if (!laws || p->destroyed_ns)
			break;
		if (p->audit == PP_AUDIT_READY) {
			__u32 now = unaccounted(p, r);

			least = i && least < now ? least : now;
			if (!least)
				break;
		} else if (at_rest(r)) {
			learn_drift(p, r);
			break;
		}
	}
	if (p->audit == PP_AUDIT_READY)
		p->unaccounted = least;
	if (kernel_stats)
		read_kernel_stats(p, slot, &w->sums);
	else
		derive(p, &w->sums, r->before.in[PP_LAW_CACHE], r->after.out[PP_LAW_CACHE],
		       r->before.out[PP_LAW_RING]);
	/* It may have died meanwhile, and what it left behind is final; or be another one now. */
	if (p->state == PP_SLOT_DEAD || p->generation != generation)
		return -1;
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		p->total[i] = w->sums.n[i];
	return 0;
}

/* --- the kernel's own list of pools --------------------------------------------------------------
 * The xarray page_pools of net/core/page_pool_user.c (6.8 and later), by id. Read as it is, with no
 * lock: a pool is in it from its creation until after page_pool_release() found nothing in flight.
 */

#define XA_BITS	 6 /* XA_CHUNK_SHIFT, include/linux/xarray.h */
#define XA_DEPTH 6 /* enough for 32 bits */

static __always_inline bool xa_is_node(__u64 entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

/*
 * The entry at @id, or 0; @next: the first id after it that could have one. Global, so that the
 * verifier does not follow the walk id by id.
 */
__weak __noinline __u64 xa_entry(__u64 id, __u64 *next)
{
	const struct xarray *xa = (const void *)page_pools;
	__u64 entry = (__u64)BPF_CORE_READ(xa, xa_head);

	if (!next)
		return 0;
	*next = id + 1;
	for (int depth = 0; depth < XA_DEPTH; depth++) {
		const struct xa_node *node = (const void *)(entry - 2);
		__u32 shift, i;

		if (!xa_is_node(entry))
			break;
		shift = BPF_CORE_READ(node, shift) & 63;
		i = (id >> shift) & ((1 << XA_BITS) - 1);
		if (!depth && id >> shift >> XA_BITS) {
			*next = 0; /* beyond the end */
			return 0;
		}
		entry = 0;
		bpf_probe_read_kernel(&entry, sizeof(entry), &node->slots[i]);
		if (!entry)
			*next = ((id >> shift) + 1) << shift;
	}
	/* A lone entry in xa_head is that of id 0, which no pool has. */
	return entry & 3 || !entry ? 0 : entry;
}

/*
 * Destroyed, with nothing out: page_pool_release() freed it or is about to, and pool_release() has
 * seen that or will. It leaves the list a little later.
 */
static __always_inline bool is_ending(const struct page_pool *pool)
{
	__u32 release = BPF_CORE_READ(pool, pages_state_release_cnt.counter);

	return BPF_CORE_READ(pool, destroy_cnt) &&
	       BPF_CORE_READ(pool, pages_state_hold_cnt) == release;
}

struct walk {
	__u64 id;
};

static long walk_one(__u32 i, struct walk *w)
{
	__u64 next, address = xa_entry(w->id, &next);
	__u32 *is_lost;

	if (address && !is_ending((const void *)address)) {
		is_lost = bpf_map_lookup_elem(&lost, &address);
		if (!is_lost)
			pool_slot(address);
		else if (pool_add(address, 0) >= 0)
			bpf_map_delete_elem(&lost, &address);
	}
	w->id = next;
	return !next;
}

/* Finds pools that no event has shown. Only loaded where there is a list. */
SEC("raw_tp")
int walk(void *ctx)
{
	struct walk w = {.id = 1};

	bpf_loop(1 << 20, walk_one, &w, 0);
	return 0;
}

/* Is the pool in its place in the kernel's list? If not, its end was missed. */
static __always_inline bool still_listed(const struct pp_pool *p)
{
	__u64 next;

	return !p->id || !page_pools || xa_entry(p->id, &next) == p->address;
}

/* --- refresh ------------------------------------------------------------------------------------
 */

#define MAX_QUEUES 4096

struct queue_search {
	const void *rx;
	__u64 napi;
	__s32 found;
};

static long is_queue(__u32 i, struct queue_search *s)
{
	const struct netdev_rx_queue *rx = s->rx;

	if ((__u64)BPF_CORE_READ(rx, napi) == s->napi) {
		s->found = i;
		return 1;
	}
	s->rx += bpf_core_type_size(struct netdev_rx_queue);
	return 0;
}

/*
 * The receive queue of a pool, where the driver told which NAPI serves it: netif_queue_set_napi(),
 * 6.7 and later. Where it did not, mem_connect may have: tracepoints.bpf.c.
 */
static __always_inline void find_queue(struct pp_pool *p, const struct page_pool *pool)
{
	struct queue_search s = {.found = -1};
	const struct net_device *dev;
	struct napi_struct *napi;
	__u32 nr;

	if (!bpf_core_field_exists(((struct netdev_rx_queue *)0)->napi) || p->queue >= 0)
		return;
	napi = BPF_CORE_READ(pool, p.napi);
	dev = napi ? BPF_CORE_READ(napi, dev) : NULL;
	if (!dev)
		return;
	s.napi = (__u64)napi;
	s.rx = BPF_CORE_READ(dev, _rx);
	nr = BPF_CORE_READ(dev, real_num_rx_queues);
	bpf_loop(nr < MAX_QUEUES ? nr : MAX_QUEUES, is_queue, &s, 0);
	p->queue = s.found;
}

/*
 * A pool that is met when it is destroyed already: since when, by its own word. Kept in ticks, of
 * 32 bits as page_pool_release_retry() takes them; 0 until its first retry is due.
 */
static __always_inline void find_destroyed(struct pp_pool *p, const struct page_pool *pool)
{
	__u32 start = BPF_CORE_READ(pool, defer_start);

	if (p->destroyed_ns || !BPF_CORE_READ(pool, destroy_cnt))
		return;
	p->destroyed_ns = bpf_ktime_get_ns();
	if (start)
		p->destroyed_ns -= (__u64)((__u32)bpf_jiffies64() - start) * tick_ns;
}

static long refresh_one(void *map, __u64 *address, __u32 *slot, void *ctx)
{
	struct pp_pool *p = bpf_map_lookup_elem(&pools, slot);
	struct where was;

	/* An entry may go while it is looked at, and its slot be another pool's. */
	if (!p || p->address != *address)
		return 0;
	if (!still_listed(p)) {
		bury(*slot, *address, true);
		return 0;
	}
	was = pool_where(p);
	if (read_books(*slot))
		return 0;
	read_pool(p, (const void *)p->address);
	find_queue(p, (const void *)p->address);
	find_destroyed(p, (const void *)p->address);
	leave_device(p, &was);
	return 0;
}

/* Returns 1 if another reader is at it, and nothing was done. */
SEC("raw_tp")
int refresh(void *ctx)
{
	struct work *w = the_work();

	if (!w || __sync_fetch_and_or(&w->busy, 1))
		return 1;
	for (__u32 i = 0; i < nr_cpus && i < PP_MAX_CPUS; i++) {
		__u32 cpu = i;
		struct cpu_state *s = bpf_map_lookup_elem(&cpus, &cpu);
		struct put_memo *m;

		if (!s)
			continue;
		m = &s->ctx[1].put;
		late_cached[i] = m->kind == PUT_MAYBE_CACHED && went_to_cache(m) ? m->slot + 1 : 0;
	}
	bpf_for_each_map_elem(&slots, refresh_one, NULL, 0);
	w->busy = 0;
	return 0;
}

/* Run once, before anything is attached: all slots are free. */
SEC("raw_tp")
int setup(void *ctx)
{
	for (__u32 i = 0; i < PP_MAX_POOLS; i++) {
		__u32 slot = i; /* a copy: the verifier loses count of what a helper may see */

		bpf_map_push_elem(&free_slots, &slot, BPF_ANY);
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
