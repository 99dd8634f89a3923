// SPDX-License-Identifier: GPL-2.0-only
/* Pools: born, met, named, destroyed, freed; and read on demand. */
#include "state.bpf.h"
#include <bpf/bpf_tracing.h>

const volatile __u32 nr_cpus = 1;
const volatile bool preempt_rt = false;
const volatile bool frag_share_is_fast = false;
const volatile bool frag_reuse_is_cached = false;
__u32 pages_calls = PAGES_UNKNOWN;
bool armed;
struct pp_global global;
__u32 late_cached[PP_MAX_CPUS];

static __always_inline struct pp_pool *slot_pool(__u64 address)
{
	__u32 *slot = bpf_map_lookup_elem(&slots, &address);

	return slot ? bpf_map_lookup_elem(&pools, slot) : NULL;
}

/* Read by address: the caller may be late, and then finds garbage but no fault. */
static __always_inline void read_device(struct pp_pool *p, const struct net_device *dev)
{
	bpf_core_read_str(p->ifname, sizeof(p->ifname), &dev->name);
	p->ifindex = BPF_CORE_READ(dev, ifindex);
	p->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
}

/* The device pages are mapped for; veth gives its network device's own. */
static __always_inline void read_dev(struct pp_pool *p, const struct device *dev)
{
	const struct net_device *nd = NULL;
	char class[4] = {};

	bpf_probe_read_kernel_str(p->dev, sizeof(p->dev), BPF_CORE_READ(dev, kobj.name));
	bpf_probe_read_kernel_str(class, sizeof(class), BPF_CORE_READ(dev, class, name));
	if (class[0] != 'n' || class[1] != 'e' || class[2] != 't')
		return;
	nd = (const void *)dev - __builtin_preserve_field_info(nd->dev, BPF_FIELD_BYTE_OFFSET);
	read_device(p, nd);
}

static __always_inline void read_pool(struct pp_pool *p, const struct page_pool *pool)
{
	const struct page_pool___flags *old = (const void *)pool;
	const struct net_device *dev;
	struct napi_struct *napi;

	p->hold = BPF_CORE_READ(pool, pages_state_hold_cnt);
	p->release = BPF_CORE_READ(pool, pages_state_release_cnt.counter);
	p->cache = BPF_CORE_READ(pool, alloc.count);
	p->ring = ring_pages(pool);
	p->order = BPF_CORE_READ(pool, p.order);
	p->pool_size = BPF_CORE_READ(pool, p.pool_size);
	p->ring_size = BPF_CORE_READ(pool, ring.size);
	p->nid = BPF_CORE_READ(pool, p.nid);
	p->dma_dir = BPF_CORE_READ(pool, p.dma_dir);
	p->max_len = BPF_CORE_READ(pool, p.max_len);
	p->offset = BPF_CORE_READ(pool, p.offset);
	if (bpf_core_field_exists(pool->slow.flags))
		p->flags = BPF_CORE_READ(pool, slow.flags);
	else
		p->flags = BPF_CORE_READ(old, p.flags);
	/* PP_FLAG_SYSTEM_POOL; the bit meant PP_FLAG_PAGE_FRAG before there was a cpuid. */
	p->system = bpf_core_field_exists(pool->cpuid) && (p->flags & 4);
	if (bpf_core_field_exists(pool->mp_priv))
		p->provider = !!BPF_CORE_READ(pool, mp_priv);
	if (bpf_core_field_exists(pool->user.id))
		p->id = BPF_CORE_READ(pool, user.id);
	if (bpf_core_field_exists(pool->p.napi)) {
		napi = BPF_CORE_READ(pool, p.napi);
		p->napi_id = napi ? BPF_CORE_READ(napi, napi_id) : 0;
	}
	/* What the device is was learnt while the pool lived: it may be gone before the pool. */
	if (p->destroyed_ns)
		return;
	if (BPF_CORE_READ(pool, p.dev))
		read_dev(p, BPF_CORE_READ(pool, p.dev));
	if (bpf_core_field_exists(pool->slow.netdev)) {
		dev = BPF_CORE_READ(pool, slow.netdev);
		/* NET_PTR_POISON (6.8 and later) marks a device whose namespace is gone. */
		if (dev && (__s64)dev < -4096)
			read_device(p, dev);
	}
}

/*
 * Programs below are attached alternatively, as the kernel has the functions: see the table of
 * hooks in src/collect/hooks.c.
 */
static __always_inline void created(struct page_pool *pool)
{
	struct pp_pool *p;

	/* An error pointer: no pool came of it. */
	if (!armed || (__u64)pool >= (__u64)-4095 || !pool)
		return;
	if (pool_add((__u64)pool, 1) < 0)
		return;
	p = slot_pool((__u64)pool);
	if (p)
		read_pool(p, pool);
}

/* up to 6.8 */
SEC("fexit/page_pool_create")
int BPF_PROG(create_exit, const void *params, struct page_pool *pool)
{
	created(pool);
	return 0;
}

/* 6.9 and later */
SEC("fexit/page_pool_create_percpu")
int BPF_PROG(create_percpu_exit, const void *params, int cpuid, struct page_pool *pool)
{
	created(pool);
	return 0;
}

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
	struct pp_counts *c;
	struct pp_pool *p;
	__u32 slot;
	__u64 now;
	int found;

	if (!armed)
		return 0;
	found = pool_slot(address);
	if (found < 0)
		return 0;
	slot = found;
	p = bpf_map_lookup_elem(&pools, &slot);
	if (!p)
		return 0;
	now = bpf_ktime_get_ns();
	if (!p->changed_ns || p->release != release_cnt)
		p->changed_ns = now;
	read_pool(p, pool);
	if (!p->destroyed_ns)
		p->destroyed_ns = now;
	p->hold = hold_cnt;
	p->release = release_cnt;
	if (inflight) {
		p->state = PP_SLOT_DRAINING;
		return 0;
	}
	p->state = PP_SLOT_DEAD;
	bpf_map_delete_elem(&slots, &address);
	for (__u32 i = 0; i < nr_cpus; i++) {
		c = slot_counts(slot, i);
		if (c)
			c->pool = 0;
	}
	bpf_map_push_elem(&free_slots, &slot, BPF_ANY);
	return 0;
}

/* A receive queue tells its pool: the device's name on kernels where the pool does not know it. */
SEC("tp_btf/mem_connect")
int BPF_PROG(mem_connect, const struct xdp_mem_allocator *xa, const struct xdp_rxq_info *rxq)
{
	struct page_pool *pool = xa->page_pool;
	struct pp_pool *p;

	p = slot_pool((__u64)pool);
	if (!p)
		return 0;
	read_device(p, rxq->dev);
	p->queue = rxq->queue_index;
	return 0;
}

static long refresh_one(void *map, __u64 *address, __u32 *slot, void *ctx)
{
	struct pp_pool *p = bpf_map_lookup_elem(&pools, slot);

	if (p)
		read_pool(p, (const void *)*address);
	return 0;
}

/* Run by the reader before it reads: brings every pool's state up to date in one call. */
SEC("raw_tp")
int refresh(void *ctx)
{
	bpf_for_each_map_elem(&slots, refresh_one, NULL, 0);
	for (__u32 i = 0; i < nr_cpus && i < PP_MAX_CPUS; i++) {
		__u32 cpu = i;
		struct cpu_state *s = bpf_map_lookup_elem(&cpus, &cpu);
		struct put_memo *m;

		if (!s)
			continue;
		m = &s->ctx[1].put;
		late_cached[i] = m->kind == PUT_MAYBE_CACHED && went_to_cache(m) ? m->slot + 1 : 0;
	}
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
