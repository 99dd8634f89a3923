// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets into a veth with an XDP program. From 6.4 on a packet whose buffer the program may not
 * write to is copied into pages of the queue's pool (veth_convert_skb_to_xdp_buff(),
 * drivers/net/veth.c; skb_pp_cow_data(), net/core/skbuff.c), and that is every packet of a
 * socket. From 6.6 on small ones share a page (the frag path): payloads up to some 1,400 bytes.
 * Jumbo frames take a page and parts of others.
 */
#include <errno.h>
#include <linux/if_link.h>

#include "priv.h"

#define JUMBO_MTU 9000

struct veth {
	const struct load_opts *opts;
	struct load_result *res;
	struct load_ns near, far; /* near: where packets are sent from */
	struct load_rtnl rtnl_near, rtnl_far;
	struct load_link near_dev, far_dev;
	struct load_into into;
};

static int enter_one(struct veth *v, struct load_ns *ns, struct load_rtnl *rtnl)
{
	int err;

	err = load_ns_enter(ns, v->res);
	if (err)
		return err;
	err = load_rtnl_open(rtnl);
	return err ? load_fail(v->res, err, "opening rtnetlink", NULL, "see dmesg") : 0;
}

/* Both namespaces; the thread is in the far one afterwards, each rtnetlink socket in its own. */
static int enter(struct veth *v)
{
	int err;

	err = enter_one(v, &v->near, &v->rtnl_near);
	if (err)
		return err;
	v->into.out_fd = load_packet_socket();
	if (v->into.out_fd < 0)
		return load_fail(v->res, v->into.out_fd, "packet socket", NULL,
				 "use a kernel with CONFIG_PACKET");
	return enter_one(v, &v->far, &v->rtnl_far);
}

static int set_mtu(struct veth *v)
{
	int err;

	if (v->opts->size <= LOAD_SIZE_MAX)
		return 0;
	err = load_rtnl_set_mtu(&v->rtnl_far, v->far_dev.ifindex, JUMBO_MTU);
	return err ?: load_rtnl_set_mtu(&v->rtnl_near, v->near_dev.ifindex, JUMBO_MTU);
}

static int make_devices(struct veth *v)
{
	int err;

	err = load_rtnl_add_veth(&v->rtnl_far, "ppla1", "ppla0", v->near.fd);
	if (err)
		return load_fail(v->res, err, "making a veth pair",
				 err == -EOPNOTSUPP ? "this kernel has no veth" : NULL,
				 "load the veth module");
	err = load_rtnl_get(&v->rtnl_far, "ppla1", &v->far_dev);
	if (!err)
		err = load_rtnl_get(&v->rtnl_near, "ppla0", &v->near_dev);
	if (!err)
		err = set_mtu(v);
	if (!err)
		err = load_rtnl_add_addr(&v->rtnl_far, v->far_dev.ifindex, LOAD_ADDR_RX,
					 LOAD_PREFIX, 0);
	if (!err)
		err = load_rtnl_set_up(&v->rtnl_far, v->far_dev.ifindex, true);
	if (!err)
		err = load_rtnl_set_up(&v->rtnl_near, v->near_dev.ifindex, true);
	if (err)
		return load_fail(v->res, err, "setting up a veth pair", NULL, "see dmesg");
	if (v->opts->jitter_us)
		err = load_rtnl_add_jitter(&v->rtnl_near, v->near_dev.ifindex, v->opts->jitter_us);
	if (err)
		return load_fail(v->res, err, "adding a queueing discipline", NULL,
				 "load the module sch_netem");
	load_set_device(v->res, 0, v->far_dev.name);
	load_set_device(v->res, 1, v->near_dev.name);
	return load_into_bind(&v->into, &v->near_dev, &v->far_dev);
}

static int attach(struct veth *v)
{
	return load_into_attach(&v->into, v->far_dev.ifindex, XDP_FLAGS_DRV_MODE, 0);
}

static int veth_open(struct veth *v, const struct load_opts *opts, struct load_result *res)
{
	int err;

	*v = (struct veth){
		.opts = opts,
		.res = res,
		.near = LOAD_NS_NONE,
		.far = LOAD_NS_NONE,
	};
	load_into_init(&v->into, opts, res);
	err = enter(v);
	if (!err)
		err = make_devices(v);
	return err;
}

static void veth_close(struct veth *v)
{
	load_into_detach(&v->into);
	if (v->far_dev.ifindex)
		load_rtnl_del(&v->rtnl_far, v->far_dev.ifindex);
	load_into_close(&v->into);
	load_rtnl_close(&v->rtnl_far);
	load_rtnl_close(&v->rtnl_near);
	load_ns_leave(&v->far);
	load_ns_leave(&v->near);
}

int load_run_veth(const struct load_opts *opts, struct load_result *res)
{
	struct veth v;
	int err;

	err = veth_open(&v, opts, res);
	if (!err)
		err = attach(&v);
	/* Somebody must listen, or each packet would be answered by ICMP. */
	if (!err)
		err = load_readers_open(&v.into.readers, opts, LOAD_ADDR_RX, res);
	if (!err)
		err = load_into_send(&v.into, res->requested);
	veth_close(&v);
	return err;
}

/* A pool lives from attach to detach, and its pages as long as nobody reads the socket. */
static int churn_once(struct veth *v)
{
	int err;

	err = attach(v);
	if (!err)
		err = load_into_send(&v->into, v->opts->count);
	load_into_detach(&v->into);
	return err;
}

int load_run_churn(const struct load_opts *opts, struct load_result *res)
{
	struct veth v;
	int err;

	err = veth_open(&v, opts, res);
	v.into.keep = true;
	if (!err)
		err = load_readers_open(&v.into.readers, opts, LOAD_ADDR_RX, res);
	for (unsigned int i = 0; !err && i < opts->runs && !load_stopped(opts); i++)
		err = churn_once(&v);
	if (!err)
		load_hold(opts);
	res->queued = load_readers_close(&v.into.readers);
	veth_close(&v);
	return err;
}
