/* SPDX-License-Identifier: GPL-2.0-only */
/* What a pool is, read out of the kernel: its device, parameters and state. */
#ifndef PPOOLTOP_POOL_BPF_H
#define PPOOLTOP_POOL_BPF_H

#include "state.bpf.h"

static __always_inline struct pp_pool *slot_pool(__u64 address)
{
	__u32 *slot = bpf_map_lookup_elem(&slots, &address);

	return slot ? bpf_map_lookup_elem(&pools, slot) : NULL;
}

static __always_inline void read_driver(struct pp_pool *p, const struct device *dev)
{
	const char *name = BPF_CORE_READ(dev, driver, name);

	if (name)
		bpf_probe_read_kernel_str(p->driver, sizeof(p->driver), name);
}

/*
 * By address: the caller may be late, and then finds garbage but no fault. Device and namespace
 * first, they tell whether the name was read before.
 */
static __always_inline void read_device(struct pp_pool *p, const struct net_device *dev)
{
	const struct device *parent = BPF_CORE_READ(dev, dev.parent);
	const char *kind = BPF_CORE_READ(dev, rtnl_link_ops, kind);

	/* Not registered yet: its name is a pattern. */
	if (!BPF_CORE_READ(dev, ifindex))
		return;
	bpf_core_read_str(p->ifname, sizeof(p->ifname), &dev->name);
	p->ifindex = BPF_CORE_READ(dev, ifindex);
	p->netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	if (p->driver[0])
		return;
	if (kind)
		bpf_probe_read_kernel_str(p->driver, sizeof(p->driver), kind);
	else if (parent)
		read_driver(p, parent);
}

/* The device pages are mapped for; veth gives its network device's own. */
static __always_inline void read_dev(struct pp_pool *p, const struct device *dev)
{
	const struct net_device *nd = NULL;
	char class[4] = {};

	bpf_probe_read_kernel_str(p->dev, sizeof(p->dev), BPF_CORE_READ(dev, kobj.name));
	bpf_probe_read_kernel_str(class, sizeof(class), BPF_CORE_READ(dev, class, name));
	if (class[0] != 'n' || class[1] != 'e' || class[2] != 't') {
		if (!p->driver[0])
			read_driver(p, dev);
		return;
	}
	nd = (const void *)dev - __builtin_preserve_field_info(nd->dev, BPF_FIELD_BYTE_OFFSET);
	read_device(p, nd);
}

/*
 * Where the pool does not know its network device (up to 6.7), a receive queue told it once
 * (mem_connect). A later name is believed while what is there still looks like that device.
 */
static __always_inline void read_renamed(struct pp_pool *p)
{
	const struct net_device *dev = (const void *)p->netdev;

	if (dev && BPF_CORE_READ(dev, ifindex) == p->ifindex &&
	    BPF_CORE_READ(dev, nd_net.net, ns.inum) == p->netns)
		bpf_core_read_str(p->ifname, sizeof(p->ifname), &dev->name);
}

#define LOOPBACK_IFINDEX 1 /* include/net/flow.h */

/* The network device of @pool where the kernel tells, or NULL. @napi: the pool's, or NULL. */
static __always_inline const struct net_device *
pool_netdev(const struct pp_pool *p, const struct page_pool *pool, const struct napi_struct *napi)
{
	const struct net_device *dev = napi ? BPF_CORE_READ(napi, dev) : NULL;

	if (dev || !bpf_core_field_exists(pool->slow.netdev))
		return dev;
	dev = BPF_CORE_READ(pool, slow.netdev);
	/* NET_PTR_POISON (6.8 and later) marks a device whose namespace is gone. */
	if ((__s64)dev >= -4096)
		return NULL;
	/* Of a device that leaves its namespace: page_pool_unreg_netdev(), page_pool_user.c. */
	if (dev && p->ifindex && BPF_CORE_READ(dev, ifindex) == LOOPBACK_IFINDEX)
		return NULL;
	return dev;
}

/* Everything but the books: what may be read at any time, in any order. */
static __always_inline void read_pool(struct pp_pool *p, const struct page_pool *pool)
{
	const struct page_pool___flags *old = (const void *)pool;
	const struct net_device *dev;
	struct napi_struct *napi = NULL;

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
	if (bpf_core_field_exists(pool->mp_ops))
		p->provider_ops = (__u64)BPF_CORE_READ(pool, mp_ops);
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
	dev = pool_netdev(p, pool, napi);
	if (dev)
		read_device(p, dev);
	else if (!bpf_core_field_exists(pool->slow.netdev))
		read_renamed(p);
}

#endif /* PPOOLTOP_POOL_BPF_H */
