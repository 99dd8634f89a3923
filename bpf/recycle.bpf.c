// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recycling side: cached, cache_full, ring, ring_full, released_refcnt.
 *
 * The functions that decide are inlined everywhere (page_pool_recycle_in_cache() and its kin), but
 * what they will do can be foretold at the entry of a put: a page somebody else holds is released;
 * a put from the cache's owner goes into the cache while there is room; everything else goes into
 * the ring. Only a full ring cannot be foretold, because other CPUs fill and empty it: then the
 * page is released at once, page_pool_state_release tells, and the count is put right.
 */
#include "state.bpf.h"
#include <bpf/bpf_tracing.h>

/* What a page is told by: a struct page, or a netmem_ref (6.11 and later). */
enum page_kind { PAGE, NETMEM };

static __always_inline bool recyclable(struct here *h, __u64 page, enum page_kind kind)
{
	return kind == NETMEM ? netmem_recyclable(page, &h->ctx->scratch)
			      : page_recyclable((const struct page *)page, &h->ctx->scratch);
}

/*
 * Could an interrupt still make a put direct that is not? Only one that finds the pool's NAPI idle
 * and schedules it here; a NAPI owned by another CPU does not change hands that fast.
 */
static __always_inline bool may_turn_local(const struct page_pool *pool, bool softirq)
{
	const struct napi_struct *napi;

	if (preempt_rt || !softirq || !bpf_core_field_exists(pool->cpuid))
		return false;
	napi = pool->p.napi;
	return napi && napi->list_owner == -1;
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
	if (direct && pool->alloc.count < PP_CACHE_SIZE) {
		COUNT(h, CACHED, 1);
		return PUT_CACHED;
	}
	if (direct)
		COUNT(h, CACHE_FULL, 1);
	COUNT(h, RING, 1);
	return !direct && may_turn_local(pool, h->softirq) ? PUT_MAYBE_CACHED : PUT_RING;
}

static __always_inline void put_enter(struct page_pool *pool, __u64 page, enum page_kind kind,
				      bool allow_direct)
{
	struct here h;

	if (!here_pool(&h, pool))
		return;
	settle(&h);
	h.ctx->pages_pool = 0; /* the cache level may rise: see page_pool_alloc_pages() */
	h.ctx->put.page = page;
	h.ctx->put.pool = (__u64)pool;
	h.ctx->put.slot = h.slot;
	h.ctx->put.level = pool->alloc.count;
	h.ctx->put.kind = foretell(&h, pool, page, kind, allow_direct);
}

/* 5.18 to 6.7 */
SEC("fentry/page_pool_put_defragged_page")
int BPF_PROG(put_defragged_page, struct page_pool *pool, struct page *page, __u32 size,
	     bool allow_direct)
{
	put_enter(pool, (__u64)page, PAGE, allow_direct);
	return 0;
}

/* 6.8 to 6.10; a wrapper of the next one later */
SEC("fentry/page_pool_put_unrefed_page")
int BPF_PROG(put_unrefed_page, struct page_pool *pool, struct page *page, __u32 size,
	     bool allow_direct)
{
	put_enter(pool, (__u64)page, PAGE, allow_direct);
	return 0;
}

/* 6.11 and later */
SEC("fentry/page_pool_put_unrefed_netmem")
int BPF_PROG(put_unrefed_netmem, struct page_pool *pool, __u64 netmem, __u32 size,
	     bool allow_direct)
{
	put_enter(pool, netmem, NETMEM, allow_direct);
	return 0;
}

/*
 * Bulk puts up to 6.13: pages of one pool, as addresses of their data. The kernel collects the
 * pages bound for the ring at the front of @data, as struct page pointers; entries that changed
 * are therefore those pages. The pages it releases tell themselves whether for their reference
 * count or for a full ring.
 */
SEC("fentry/page_pool_put_page_bulk")
int BPF_PROG(put_page_bulk_enter, struct page_pool *pool)
{
	struct bulk_state *b;
	__u64 data = 0;
	struct here h;

	if (!here_ctx(&h))
		return 0;
	b = &h.ctx->bulk;
	__builtin_memset(b, 0, sizeof(*b));
	b->pool = (__u64)pool;
	b->cache = pool->alloc.count;
	bpf_get_func_arg(ctx, 1, &data); /* void **: the verifier lets no program load it */
	bpf_probe_read_kernel(b->data, sizeof(b->data), (const void *)data);
	settle(&h);
	h.ctx->put.kind = PUT_NONE;
	h.ctx->pages_pool = 0;
	return 0;
}

SEC("fexit/page_pool_put_page_bulk")
int BPF_PROG(put_page_bulk_exit, struct page_pool *pool)
{
	__u64 now[BULK_MAX] = {}, data = 0, n = 0;
	struct bulk_state *b;
	__u32 ring = 0, cached;
	struct here h;
	bool direct;

	if (!here_pool(&h, pool))
		return 0;
	b = &h.ctx->bulk;
	if (b->pool != (__u64)pool)
		return 0;
	b->pool = 0;
	bpf_get_func_arg(ctx, 1, &data);
	bpf_get_func_arg(ctx, 2, &n);
	bpf_probe_read_kernel(now, sizeof(now), (const void *)data);
	for (__u32 i = 0; i < BULK_MAX; i++)
		if (i < (__u32)n && now[i] != b->data[i])
			ring++;
	direct = napi_local(pool, h.cpu, h.softirq, preempt_rt);
	cached = direct ? pool->alloc.count - b->cache : 0;
	COUNT(&h, CACHED, cached);
	if (direct)
		COUNT(&h, CACHE_FULL, ring);
	COUNT(&h, RING, ring - b->left);
	COUNT(&h, RING_FULL, !!b->left);
	COUNT(&h, RELEASED_REFCNT, b->released);
	return 0;
}

/*
 * Bulk puts later (6.14): netmems, of several pools mixed. The kernel takes one pool at a time, but
 * what happens to a page depends on its own pool only, so they can be foretold in their order; of
 * each pool the level of its cache has to be followed, as the kernel will raise it.
 */
SEC("fentry/page_pool_put_netmem_bulk")
int BPF_PROG(put_netmem_bulk_enter)
{
	__u64 pools_seen[BULK_POOLS] = {}, data = 0, n = 0;
	__u32 level[BULK_POOLS] = {};
	struct bulk_state *b;
	struct here h;

	if (!here_ctx(&h))
		return 0;
	b = &h.ctx->bulk;
	__builtin_memset(b, 0, sizeof(*b));
	bpf_get_func_arg(ctx, 0, &data);
	bpf_get_func_arg(ctx, 1, &n);
	bpf_probe_read_kernel(b->data, sizeof(b->data), (const void *)data);
	b->mixed = 1;
	settle(&h);
	h.ctx->put.kind = PUT_NONE;
	h.ctx->pages_pool = 0;

	for (__u32 i = 0; i < BULK_MAX; i++) {
		const struct page *page;
		struct page_pool *pool;
		__u64 netmem = b->data[i];
		__u32 k;

		if (i >= (__u32)n)
			break;
		page = netmem_head(netmem, &h.ctx->scratch);
		if (page->pp_ref_count.counter != 1)
			continue; /* other fragments of the page are still out */
		pool = page_owner(page, &h.ctx->scratch);
		if (!pool || !here_counts(&h, (__u64)pool))
			continue;
		if (!(netmem & NET_IOV) && !page_recyclable(page, &h.ctx->scratch)) {
			COUNT(&h, RELEASED_REFCNT, 1);
			continue;
		}
		if (napi_local(pool, h.cpu, h.softirq, preempt_rt)) {
			for (k = 0; k < BULK_POOLS - 1; k++)
				if (!pools_seen[k] || pools_seen[k] == (__u64)pool)
					break;
			if (!pools_seen[k]) {
				pools_seen[k] = (__u64)pool;
				level[k] = pool->alloc.count;
			}
			if (level[k] < PP_CACHE_SIZE) {
				level[k]++;
				COUNT(&h, CACHED, 1);
				continue;
			}
			COUNT(&h, CACHE_FULL, 1);
		}
		COUNT(&h, RING, 1);
	}
	return 0;
}

SEC("fexit/page_pool_put_netmem_bulk")
int BPF_PROG(put_netmem_bulk_exit)
{
	struct here h;

	if (here_ctx(&h))
		h.ctx->bulk.mixed = 0;
	return 0;
}

/* A page released inside a bulk put. @held: somebody else holds it. */
static __always_inline void bulk_released(struct here *h, struct page_pool *pool, bool held)
{
	struct bulk_state *b = &h->ctx->bulk;

	if (b->pool) { /* settled at its exit */
		if (held)
			b->released++;
		else
			b->left++;
		return;
	}
	if (held)
		return; /* foretold */
	if (!here_counts(h, (__u64)pool))
		return;
	COUNT(h, RING, -1);
	if (b->full_pool != (__u64)pool) { /* counted once, however many pages are left over */
		b->full_pool = (__u64)pool;
		COUNT(h, RING_FULL, 1);
	}
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
	if (m->kind == PUT_CACHED)
		COUNT(h, CACHED, -1);
	else
		COUNT(h, RING, -1);
	if (held)
		COUNT(h, RELEASED_REFCNT, 1);
	else
		COUNT(h, RING_FULL, 1);
}

static __always_inline void released(struct page_pool *pool, __u64 page, enum page_kind kind)
{
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
	} else if (h.ctx->bulk.pool == (__u64)pool || h.ctx->bulk.mixed) {
		bulk_released(&h, pool, !recyclable(&h, page, kind));
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

/*
 * page_pool_release() empties cache and ring of a pool that is being destroyed: what was put into
 * them before is settled now, on every CPU (nobody else touches the cache any more, and a put into
 * the ring cannot be in doubt), and this CPU's last put is not "just put" any more.
 */
SEC("fentry/page_pool_release")
int BPF_PROG(scrub_enter, struct page_pool *pool)
{
	struct here h;

	for (__u32 i = 0; i < nr_cpus; i++) {
		__u32 cpu = i;
		struct cpu_state *s = bpf_map_lookup_elem(&cpus, &cpu);
		struct put_memo *m;
		struct pp_counts *c;

		if (!s)
			continue;
		m = &s->ctx[1].put;
		if (m->pool != (__u64)pool || m->kind != PUT_MAYBE_CACHED || !went_to_cache(m))
			continue;
		m->kind = PUT_NONE;
		c = slot_counts(m->slot, i);
		if (c) {
			count(&c->n[PP_RING], -1, false);
			count(&c->n[PP_CACHED], 1, false);
		}
	}
	if (here_ctx(&h))
		h.ctx->put.kind = PUT_NONE;
	return 0;
}

/*
 * page_pool_update_nid() throws out the cache. The tracepoint is passed just before.
 * 5.15 and later.
 */
SEC("tp_btf/page_pool_update_nid")
int BPF_PROG(update_nid, struct page_pool *pool)
{
	struct here h;

	if (!here_pool(&h, pool))
		return 0;
	COUNT(&h, FLUSHED, pool->alloc.count);
	h.ctx->put.kind = PUT_NONE;
	return 0;
}
