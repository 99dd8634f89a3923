// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recycling side: cached, cache_full, ring, ring_full, released_refcnt.
 *
 * The functions that decide are inlined everywhere (page_pool_recycle_in_cache() and its kin), but
 * what they will do can be foretold at the entry of a put: a page somebody else holds is released;
 * a put from the cache's owner goes into the cache while there is room; everything else goes into
 * the ring. What cannot be foretold is put right. A full ring, because other CPUs fill and empty
 * it: then the page is released at once, and page_pool_state_release tells. And an interrupt that
 * makes the put direct after the program looked: then the cache shows the page, see settle().
 */
#include "state.bpf.h"
#ifndef PP_KPROBE
#include "device.bpf.h"
#endif

/* What a page is told by: a struct page, or a netmem_ref (6.11 and later). */
enum page_kind { PAGE, NETMEM };

static __always_inline bool recyclable(struct here *h, __u64 page, enum page_kind kind)
{
	return kind == NETMEM ? netmem_recyclable(page, &h->ctx->scratch)
			      : page_recyclable((const struct page *)page, &h->ctx->scratch);
}

/*
 * Could an interrupt still make a put direct that is not? Only one that finds the pool's NAPI idle
 * and schedules it here; a NAPI owned by another CPU does not change hands that fast. The interrupt
 * may even have come since napi_local() looked.
 */
static __always_inline bool may_turn_local(const struct page_pool *pool, const struct here *h)
{
	const struct napi_struct *napi;
	int owner;

	if (preempt_rt || !h->softirq || !bpf_core_field_exists(pool->cpuid))
		return false;
	napi = READ(pool, p.napi);
	if (!napi)
		return false;
	owner = READ(napi, list_owner);
	return owner == -1 || owner == (int)h->cpu;
}

static __always_inline __u32 foretell(struct here *h, const struct page_pool *pool, __u64 page,
				      enum page_kind kind, bool allow_direct)
{
	bool direct;

	if (!recyclable(h, page, kind)) {
		COUNT(h, RELEASED_REFCNT, 1);
		return PUT_RELEASED;
	}
	direct = allow_direct ? direct_allowed(pool, h->softirq)
			      : napi_local(pool, h->cpu, h->softirq, preempt_rt);
	if (direct && READ(pool, alloc.count) < PP_CACHE_SIZE) {
		COUNT(h, CACHED, 1);
		return PUT_CACHED;
	}
	if (direct)
		COUNT(h, CACHE_FULL, 1);
	COUNT(h, RING, 1);
	return !direct && may_turn_local(pool, h) ? PUT_MAYBE_CACHED : PUT_RING;
}

/* @allow_direct: a bool in the low byte of a register; the rest of it may be anything */
static __always_inline void put_enter(struct page_pool *pool, __u64 page, enum page_kind kind,
				      __u64 allow_direct)
{
	struct here h;

	if (!here_pool(&h, pool))
		return;
	settle(&h);
	h.ctx->pages_pool = 0; /* the cache level may rise: see page_pool_alloc_pages() */
	h.ctx->put.page = page;
	h.ctx->put.pool = (__u64)pool;
	h.ctx->put.slot = h.slot;
	h.ctx->put.level = READ(pool, alloc.count);
	h.ctx->put.kind = foretell(&h, pool, page, kind, allow_direct & 0xff);
}

/* 5.18 to 6.7 */
ENTRY(put_defragged_page, page_pool_put_defragged_page, struct page_pool *pool, struct page *page,
      __u32 size, __u64 allow_direct)
{
	put_enter(pool, (__u64)page, PAGE, allow_direct);
	return 0;
}

/* 6.8 to 6.10; a wrapper of the next one later */
ENTRY(put_unrefed_page, page_pool_put_unrefed_page, struct page_pool *pool, struct page *page,
      __u32 size, __u64 allow_direct)
{
	put_enter(pool, (__u64)page, PAGE, allow_direct);
	return 0;
}

/* 6.11 and later */
ENTRY(put_unrefed_netmem, page_pool_put_unrefed_netmem, struct page_pool *pool, __u64 netmem,
      __u32 size, __u64 allow_direct)
{
	put_enter(pool, netmem, NETMEM, allow_direct);
	return 0;
}

/*
 * Bulk puts. Which pages were put for good is known at entry or exit, which were released is told
 * by page_pool_state_release in between, and whether the rest went into the cache is seen in the
 * cache: all of them while there was room, or none.
 */
static __always_inline void bulk_begin(struct here *h, struct bulk_state *b)
{
	settle(h);
	h->ctx->put.kind = PUT_NONE;
	h->ctx->pages_pool = 0;
	__builtin_memset(b, 0, sizeof(*b));
}

/* @recycled: pages that were not released for their reference count; @cached: those in the cache */
static __always_inline void bulk_count(struct here *h, const struct bulk_pool *bp, __u32 recycled,
				       __u32 cached, bool direct)
{
	__u32 ring = recycled - cached;

	h->counts = slot_counts(bp->slot, h->cpu);
	if (!h->counts)
		return;
	COUNT(h, CACHED, cached);
	if (direct)
		COUNT(h, CACHE_FULL, ring);
	COUNT(h, RING, ring - bp->left);
	COUNT(h, RING_FULL, bp->left ? 1 : 0); /* once, however many pages are left over */
	COUNT(h, RELEASED_REFCNT, bp->released);
}

/*
 * Up to 6.13: pages of one pool, as addresses of their data. The kernel collects those bound for
 * the ring at the front of @data, as struct page pointers: entries that changed.
 */
ENTRY(put_page_bulk_enter, page_pool_put_page_bulk, struct page_pool *pool)
{
	struct bulk_state *b;
	struct here h;

	if (!here_pool(&h, pool))
		return 0;
	b = &h.ctx->bulk;
	bulk_begin(&h, b);
	b->pools[0].pool = (__u64)pool;
	b->pools[0].slot = h.slot;
	b->pools[0].level = READ(pool, alloc.count);
	b->at = ARG(1); /* void **: the verifier lets no program load it */
	b->nr_data = ARG(2);
	bpf_probe_read_kernel(b->data, sizeof(b->data), (const void *)b->at);
	b->nr = 1;
	return 0;
}

static __always_inline void page_bulk_done(void *ctx, struct page_pool *pool, __u64 unused)
{
	__u64 now[BULK_MAX] = {};
	__u32 ring = 0, cached = 0;
	struct bulk_state *b;
	struct here h;
	bool direct;

	if (!here_ctx(&h) || !h.ctx->bulk.nr)
		return;
	b = &h.ctx->bulk;
	b->nr = 0;
	bpf_probe_read_kernel(now, sizeof(now), (const void *)b->at);
	for (__u32 i = 0; i < BULK_MAX; i++)
		if (i < b->nr_data && now[i] != b->data[i])
			ring++;
	/* Only the owner of the cache gets here with a cache that grew. */
	direct = napi_local(pool, h.cpu, h.softirq, preempt_rt);
	if (direct)
		cached = READ(pool, alloc.count) - b->pools[0].level;
	bulk_count(&h, &b->pools[0], ring + cached, cached,
		   direct && READ(pool, alloc.count) == PP_CACHE_SIZE);
}

EXIT_VOID(put_page_bulk_exit, page_pool_put_page_bulk, page_bulk_done, bulk.pools[0].pool,
	  struct page_pool *pool)

/* The entry of @pool in @b, made if it is new. */
static __always_inline struct bulk_pool *bulk_pool(struct bulk_state *b, __u64 pool, bool make)
{
	for (__u32 k = 0; k < BULK_MAX; k++) {
		struct bulk_pool *bp = &b->pools[k];

		if (bp->pool == pool)
			return bp;
		if (!bp->pool)
			return make ? bp : NULL;
	}
	return NULL;
}

/* How many parts of @page come before entry @i of the bulk put: by then they are put. */
static __always_inline __u32 parts_before(struct here *h, __u32 i, const struct page *page)
{
	__u32 parts = 0;

	for (__u32 k = 0; k < BULK_MAX && k < i; k++)
		if (netmem_head(h->ctx->bulk.data[k], &h->ctx->scratch) == page)
			parts++;
	return parts;
}

/* Page @i of a bulk put of netmems. */
static __noinline int bulk_netmem(__u32 i)
{
	const struct page *page;
	struct page_pool *pool;
	struct bulk_pool *bp;
	struct bulk_state *b;
	struct here h;
	__u64 netmem;
	long parts;

	if (!here_ctx(&h) || i >= BULK_MAX)
		return 0;
	b = &h.ctx->bulk;
	netmem = b->data[i];
	page = netmem_head(netmem, &h.ctx->scratch);
	parts = READ(page, pp_ref_count.counter);
	if (parts > 1)
		parts -= parts_before(&h, i, page);
	if (parts != 1)
		return 0; /* other fragments of the page are still out */
	pool = page_owner(page, &h.ctx->scratch);
	if (!pool || !here_counts(&h, (__u64)pool))
		return 0;
	bp = bulk_pool(b, (__u64)pool, true);
	if (!bp)
		return 0;
	if (!bp->pool) {
		bp->pool = (__u64)pool;
		bp->slot = h.slot;
		bp->level = READ(pool, alloc.count);
		bp->direct = napi_local(pool, h.cpu, h.softirq, preempt_rt);
		b->nr++;
	}
	bp->pages++;
	if (!bp->first && ((netmem & NET_IOV) || page_recyclable(page, &h.ctx->scratch)))
		bp->first = netmem & NET_IOV ? netmem : (__u64)page;
	return 0;
}

/* 6.14 and later: netmems, of several pools mixed; the kernel takes one pool at a time. */
ENTRY(put_netmem_bulk_enter, page_pool_put_netmem_bulk)
{
	struct bulk_state *b;
	struct here h;

	if (!here_ctx(&h))
		return 0;
	b = &h.ctx->bulk;
	bulk_begin(&h, b);
	b->at = ARG(0);
	b->nr_data = ARG(1);
	bpf_probe_read_kernel(b->data, sizeof(b->data), (const void *)b->at);
	for (__u32 i = 0; i < BULK_MAX; i++) {
		if (i >= b->nr_data)
			break;
		bulk_netmem(i);
	}
	return 0;
}

static __always_inline void netmem_bulk_done(void *ctx, struct page_pool *pool, __u64 unused)
{
	struct bulk_state *b;
	struct here h;

	if (!here_ctx(&h))
		return;
	b = &h.ctx->bulk;
	for (__u32 k = 0; k < BULK_MAX; k++) {
		struct bulk_pool *bp = &b->pools[k];
		__u32 recycled = bp->pages - bp->released, room = PP_CACHE_SIZE - bp->level;
		bool direct;

		if (k >= b->nr)
			break;
		/* A full cache shows nothing: there what was foretold has to do. */
		direct = room ? bp->first && in_cache(bp->pool, bp->level, bp->first) : bp->direct;
		if (!direct)
			room = 0;
		bulk_count(&h, bp, recycled, recycled < room ? recycled : room, direct);
	}
	b->nr = 0;
}

EXIT_VOID(put_netmem_bulk_exit, page_pool_put_netmem_bulk, netmem_bulk_done, bulk.pools[0].pool,
	  struct page_pool *pool)

#ifndef PP_KPROBE

/*
 * Pages that are released: for both kinds of hooks on puts. It stands here because the linker
 * takes the kernel's bpf_rdonly_cast() from one file only (libbpf 1.1).
 */

/* The pool of a put was buried before the put was put right: its device has its counts now. */
static __always_inline void correct_late(const struct put_memo *m, enum pp_counter i, __s64 by)
{
	const struct pp_pool *p = bpf_map_lookup_elem(&pools, &m->slot);
	struct pp_device *d;

	if (!p || p->address != m->pool || p->state != PP_SLOT_DEAD)
		return;
	d = device_entry(p->netns, p->ifindex);
	if (d && i < PP_NR_SLOT_COUNTERS)
		__sync_fetch_and_add(&d->n[i], by);
}

static __always_inline void correct(struct here *h, const struct put_memo *m, enum pp_counter i,
				    __s64 by)
{
	__u64 pool = h->counts->pool;

	if (pool && pool != m->pool)
		return; /* the slot is another pool's, and too much time went by */
	count(&h->counts->n[i], by, h->softirq);
	if (!pool)
		correct_late(m, i, by);
}

/* The page put last is released: the kernel found it held, or the ring full. */
static __always_inline void put_released(struct here *h, struct put_memo *m, bool held)
{
	/* The slot of then: the pool may be gone by now, killed by this very page. */
	h->counts = slot_counts(m->slot, h->cpu);
	if (!h->counts)
		return;
	/* A cached page that nobody holds is not released by its put: the cache is thrown out. */
	if (m->kind == PUT_RELEASED || (m->kind == PUT_CACHED && !held))
		return;
	correct(h, m, m->kind == PUT_CACHED ? PP_CACHED : PP_RING, -1);
	correct(h, m, held ? PP_RELEASED_REFCNT : PP_RING_FULL, 1);
}

static __always_inline void released(struct page_pool *pool, __u64 page, enum page_kind kind)
{
	struct bulk_pool *bp;
	struct put_memo *m;
	struct here h;

	if (!here_ctx(&h))
		return;
	m = &h.ctx->put;
	if (m->kind != PUT_NONE && m->page == page && m->pool == (__u64)pool) {
		put_released(&h, m, !recyclable(&h, page, kind));
		m->kind = PUT_NONE;
	} else if (h.ctx->refill_pool == (__u64)pool) {
		h.ctx->waived++;
	} else if (h.ctx->bulk.nr) {
		bp = bulk_pool(&h.ctx->bulk, (__u64)pool, false);
		if (!bp)
			return;
		if (recyclable(&h, page, kind))
			bp->left++;
		else
			bp->released++;
	}
}

/* up to 6.10 */
SEC("tp_btf/page_pool_state_release")
int BPF_PROG(release_page, struct page_pool *pool, struct page *page)
{
	released(pool, (__u64)page, PAGE);
	return 0;
}

/* later */
SEC("tp_btf/page_pool_state_release")
int BPF_PROG(release_netmem, struct page_pool *pool, __u64 netmem)
{
	released(pool, netmem, NETMEM);
	return 0;
}

#endif /* PP_KPROBE */

char LICENSE[] SEC("license") = "GPL";
