// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets through generic XDP on the loopback of a private namespace. They have no room for XDP in
 * front of their data, and so are copied; from 6.9 on into pages of the CPU's system pool
 * (netif_skb_check_for_xdp(), net/core/dev.c), if the program can do with several of them.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <sys/socket.h>

#include "priv.h"

static int set_up(struct load_rtnl *rtnl, struct load_link *lo, struct load_result *res)
{
	int err;

	err = load_rtnl_get(rtnl, "lo", lo);
	if (!err)
		err = load_rtnl_set_up(rtnl, lo->ifindex, true);
	if (err)
		return load_fail(res, err, "setting up lo", NULL, "see dmesg");
	load_set_device(res, 0, lo->name);
	return 0;
}

static int open_out(struct load_into *in)
{
	in->frame.daddr = LOAD_ADDR_LO;
	in->out_fd = in->opts->raw ? socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, LOAD_RAW_PROTOCOL)
				   : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (in->out_fd < 0)
		return load_fail(in->res, -errno, "socket", NULL, "use a kernel with CONFIG_INET");
	return 0;
}

int load_run_generic(const struct load_opts *opts, struct load_result *res)
{
	struct load_ns ns = LOAD_NS_NONE;
	struct load_rtnl rtnl = {0};
	struct load_link lo = {0};
	struct load_into in;
	int err;

	load_into_init(&in, opts, res);
	err = load_ns_enter(&ns, res);
	if (!err) {
		err = load_rtnl_open(&rtnl);
		if (err)
			load_fail(res, err, "opening rtnetlink", NULL, "see dmesg");
	}
	if (!err)
		err = set_up(&rtnl, &lo, res);
	if (!err)
		err = load_into_attach(&in, lo.ifindex, XDP_FLAGS_SKB_MODE, 0);
	if (!err)
		err = load_readers_open(&in.readers, opts, LOAD_ADDR_LO, res);
	if (!err)
		err = open_out(&in);
	if (!err)
		err = load_into_send(&in, res->requested);
	load_into_close(&in);
	load_rtnl_close(&rtnl);
	load_ns_leave(&ns);
	return err;
}
