// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocation side: fast, refill, empty, waive, slow, slow_high_order.
 *
 * Callers hold the pool's consumer side (net/core/page_pool.c, struct page_pool), so alloc.count
 * seen at entry is what the kernel will see: above zero the page comes from the cache, at zero
 * page_pool_refill_alloc_cache() follows, and if that finds nothing the slow path.
 */
#include "state.bpf.h"

/*
 * page_pool_alloc_pages() reaches page_pool_alloc_netmems() on one build (7.2) and has it inlined
 * on another (6.12): counting both doubles there, counting one misses callers here. An empty cache
 * tells: what follows is either page_pool_alloc_netmems() or at once the refill. Until one was met,
 * which another CPU may do at any time, the cache level decides: a real allocation in between would
 * have changed it.
 */
static __always_inline bool counted_by_pages(struct here *h, __u64 pool, __u32 level)
{
	if (h->ctx->pages_pool != pool)
		return false;
	h->ctx->pages_pool = 0;
	if (h->ctx->pages_count != level)
		return false;
	if (!level && pages_calls == PAGES_UNKNOWN)
		pages_calls = PAGES_CALL_NETMEMS;
	return true;
}

/* @netmems: page_pool_alloc_pages() may have called */
static __always_inline void alloc_enter(struct page_pool *pool, bool netmems)
{
	struct here h;
	__u32 level;

	if (!here_pool(&h, pool))
		return;
	level = READ(pool, alloc.count);
	if (netmems && counted_by_pages(&h, (__u64)pool, level))
		return;
	settle(&h);
	if (h.ctx->frag_pool == (__u64)pool)
		h.ctx->frag_counted = 1;
	if (level)
		COUNT(&h, FAST, 1);
}

/* 5.15 and later */
ENTRY(alloc_pages, page_pool_alloc_pages, struct page_pool *pool)
{
	__u32 calls = *(volatile __u32 *)&pages_calls; /* once: it changes */
	struct here h;

	if (calls == PAGES_CALL_NETMEMS)
		return 0;
	if (calls == PAGES_UNKNOWN && here_ctx(&h)) {
		h.ctx->pages_pool = (__u64)pool;
		h.ctx->pages_count = READ(pool, alloc.count);
	}
	alloc_enter(pool, false);
	return 0;
}

/* 6.14 and later, and stable 6.12 */
ENTRY(alloc_netmems, page_pool_alloc_netmems, struct page_pool *pool)
{
	alloc_enter(pool, true);
	return 0;
}

/* its name from 6.11 to 6.13 */
ENTRY(alloc_netmem, page_pool_alloc_netmem, struct page_pool *pool)
{
	alloc_enter(pool, true);
	return 0;
}

/* 5.15 and later */
ENTRY(refill_enter, page_pool_refill_alloc_cache, struct page_pool *pool)
{
	struct here h;

	if (!here_ctx(&h))
		return 0;
	/* Elsewhere page_pool_alloc_netmems() may have been passed without its program, which an
	 * interrupt had entered. */
	if (h.ctx->pages_pool == (__u64)pool && pages_calls == PAGES_UNKNOWN && h.softirq)
		pages_calls = PAGES_INLINE_NETMEMS;
	h.ctx->pages_pool = 0;
	if (h.ctx->frag_pool == (__u64)pool)
		h.ctx->frag_counted = 1;
	settle(&h);
	/* What was put into the ring may come out again now: it is no longer "just put". */
	h.ctx->put.kind = PUT_NONE;
	h.ctx->refill_pool = (__u64)pool;
	h.ctx->last_refill = (__u64)pool;
	h.ctx->waived = 0;
	return 0;
}

/* @page: a struct page * or a netmem_ref; only whether there is one matters. */
static __always_inline void refill_done(void *ctx, struct page_pool *pool, __u64 page)
{
	struct here h;

	if (!here_pool(&h, pool))
		return;
	h.ctx->refill_pool = 0;
	if (page) {
		COUNT(&h, REFILL, 1);
		COUNT(&h, MOVED, READ(pool, alloc.count) + 1);
	} else if (!h.ctx->waived) {
		COUNT(&h, EMPTY, 1);
	}
	/* At most one: a refill stops at the first page of another node. */
	if (h.ctx->waived)
		COUNT(&h, WAIVE, 1);
}

EXIT(refill_exit, page_pool_refill_alloc_cache, refill_done, refill_pool, struct page_pool *pool)

static __always_inline void slow_done(void *ctx, struct page_pool *pool, __u64 page)
{
	struct here h;

	if (!page || !here_pool(&h, pool))
		return;
	if (READ(pool, p.order)) {
		COUNT(&h, SLOW_HIGH_ORDER, 1);
	} else {
		COUNT(&h, SLOW, 1);
		COUNT(&h, FETCHED, READ(pool, alloc.count) + 1);
	}
}

/* 5.15 up to the kernels where the next one is; each comes after a refill that found nothing */
EXIT(slow_pages_exit, __page_pool_alloc_pages_slow, slow_done, last_refill, struct page_pool *pool,
     __u32 gfp)

/* seen on 7.2 */
EXIT(slow_netmems_exit, __page_pool_alloc_netmems_slow, slow_done, last_refill,
     struct page_pool *pool, __u32 gfp)

/*
 * Fragments. page_pool_alloc_frag() gives a part of pool->frag_page; when that is used up and
 * nobody else holds it, it starts again with the same page, else it allocates one (by a call that
 * has its own hook, or inlined: 6.1).
 */
static __always_inline __u64 frag_page(const struct page_pool *pool)
{
	if (bpf_core_field_exists(pool->frag_page))
		return READ(pool, frag_page);
	return (__u64)READ((const struct page_pool___frag_ptr *)pool, frag_page);
}

static __always_inline void frag_enter(struct page_pool *pool)
{
	struct here h;

	if (!here_ctx(&h))
		return;
	h.ctx->frag_pool = (__u64)pool;
	h.ctx->frag_page = frag_page(pool);
	h.ctx->frag_count = READ(pool, alloc.count);
	h.ctx->frag_counted = 0;
}

static __always_inline void frag_done(void *ctx, struct page_pool *pool, __u64 page)
{
	struct here h;

	if (!here_pool(&h, pool) || h.ctx->frag_pool != (__u64)pool)
		return;
	h.ctx->frag_pool = 0;
	if (!page)
		return;
	if (READ(pool, frag_users) > 1) { /* one more part of the same page */
		if (frag_share_is_fast) {
			COUNT(&h, FAST, 1);
			COUNT(&h, SHARED, 1);
		}
		return;
	}
	if (h.ctx->frag_counted)
		return; /* a new page, counted by the hooks inside */
	/* a new page from the cache, inlined here */
	if (READ(pool, alloc.count) < h.ctx->frag_count) {
		COUNT(&h, FAST, 1);
		return;
	}
	if (page != h.ctx->frag_page)
		return; /* a new page from a memory provider */
	/* The same page from its beginning: it never saw the cache. */
	COUNT(&h, FAST, 1);
	if (frag_reuse_is_cached)
		COUNT(&h, CACHED, 1);
	else
		COUNT(&h, SHARED, 1);
}

/* 5.15 and later; a wrapper of the next one from 6.11 on */
ENTRY(frag_page_enter, page_pool_alloc_frag, struct page_pool *pool)
{
	frag_enter(pool);
	return 0;
}

EXIT(frag_page_exit, page_pool_alloc_frag, frag_done, frag_pool, struct page_pool *pool,
     void *offset, __u32 size, __u32 gfp)

/* 6.11 and later */
ENTRY(frag_netmem_enter, page_pool_alloc_frag_netmem, struct page_pool *pool)
{
	frag_enter(pool);
	return 0;
}

EXIT(frag_netmem_exit, page_pool_alloc_frag_netmem, frag_done, frag_pool, struct page_pool *pool,
     void *offset, __u32 size, __u32 gfp)

char LICENSE[] SEC("license") = "GPL";
