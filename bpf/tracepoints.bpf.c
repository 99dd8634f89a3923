// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints: pools that are met, named, destroyed and freed. */
#include "books.bpf.h"

/*
 * The only event a kernel without fentry gives for a pool that is in use: it is met here.
 * 5.15 and later.
 */
SEC("tp_btf/page_pool_state_hold")
int BPF_PROG(hold, struct page_pool *pool)
{
	if (armed)
		pool_slot((__u64)pool);
	return 0;
}

/*
 * Passed by page_pool_destroy(), and by its retry every second, after cache and ring were emptied.
 * With nothing in flight the pool is freed next. 5.15 and later.
 */
SEC("tp_btf/page_pool_release")
int BPF_PROG(pool_release, struct page_pool *pool, s32 inflight, u32 hold_cnt, u32 release_cnt)
{
	__u64 address = (__u64)pool;
	struct pp_pool *p;
	__u32 slot;
	__u64 now;
	int found;

	if (!armed)
		return 0;
	found = pool_slot(address);
	/* One that has no slot is counted once, however often it is looked at before it is gone. */
	if (!inflight)
		bpf_map_delete_elem(&lost, &address);
	if (found < 0)
		return 0;
	slot = found;
	p = bpf_map_lookup_elem(&pools, &slot);
	if (!p)
		return 0;
	now = bpf_ktime_get_ns();
	if (!p->changed_ns || p->release != release_cnt)
		p->changed_ns = now;
	/* A device that goes first leaves its pools to another: what was it is known by now. */
	if (!p->destroyed_ns && p->ifindex)
		p->destroyed_ns = now;
	read_pool(p, pool);
	if (!p->destroyed_ns)
		p->destroyed_ns = now;
	p->hold = hold_cnt;
	p->release = release_cnt;
	p->cache = 0;
	p->ring = 0;
	if (!inflight)
		bury(slot, address, false);
	return 0;
}

/* A receive queue tells its pool: the device's name on kernels where the pool does not know it. */
SEC("tp_btf/mem_connect")
int BPF_PROG(mem_connect, const struct xdp_mem_allocator *xa, const struct xdp_rxq_info *rxq)
{
	struct page_pool *pool = xa->page_pool;
	struct pp_pool *p;
	struct where was;

	p = slot_pool((__u64)pool);
	if (!p)
		return 0;
	was = pool_where(p);
	read_device(p, rxq->dev);
	leave_device(p, &was);
	p->netdev = (__u64)rxq->dev;
	p->queue = rxq->queue_index;
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

char LICENSE[] SEC("license") = "GPL";
