// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets from the second of two joined NICs into an XDP program at the first one. vmxnet3 uses
 * its page_pools while it has a program (from 6.6 on), virtio-net always (from 7.1 on).
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <unistd.h>

#include "priv.h"

/* A driver sets up its transmit side for XDP together with a program. */
static int open_target(struct load_joined *nics, struct load_into *in, struct load_link *to,
		       int fds[2])
{
	const char *name = in->opts->device[2];
	int err;

	err = load_rtnl_get(&nics->rtnl, name, to);
	if (err)
		return load_fail(in->res, err, name, NULL, "see `ip link` for the devices");
	load_set_device(in->res, 2, name);
	in->live.counts_fd = load_counts_create();
	fds[0] = load_prog_action(in->live.counts_fd, LOAD_COUNT_SENT, XDP_PASS, false);
	if (fds[0] < 0)
		return load_fail(in->res, fds[0], "loading an XDP program", NULL, "see dmesg");
	fds[1] = load_prog_attach(fds[0], to->ifindex, XDP_FLAGS_DRV_MODE);
	if (fds[1] < 0)
		return load_fail(in->res, fds[1], "attaching an XDP program", NULL,
				 "use a device whose driver knows XDP and has no program yet");
	return 0;
}

static int send_to_nic(struct load_joined *nics, struct load_into *in)
{
	struct load_link to = {0}, from = nics->far;
	struct load_link near = nics->near; /* which stays as it was found */
	int fds[2] = {-1, -1}, err = 0;

	from.ifindex = nics->far_index;
	if (in->opts->action == LOAD_X_REDIRECT)
		err = open_target(nics, in, &to, fds);
	if (!err && in->opts->action != LOAD_X_NONE)
		err = load_into_attach(in, nics->near.ifindex, XDP_FLAGS_DRV_MODE, to.ifindex);
	if (!err)
		err = load_carrier_wait(&nics->rtnl, in->opts, &near, in->res);
	if (!err)
		err = load_readers_open(&in->readers, in->opts, LOAD_ADDR_RX, in->res);
	if (!err) {
		in->out_fd = load_joined_socket(nics, load_packet_socket);
		if (in->out_fd < 0)
			err = load_fail(in->res, in->out_fd, "packet socket", NULL,
					"use a kernel with CONFIG_PACKET");
	}
	if (!err)
		err = load_into_bind(in, &from, &nics->near);
	if (!err)
		err = load_into_send(in, in->res->requested);
	for (int i = 1; i >= 0; i--)
		if (fds[i] >= 0)
			close(fds[i]);
	return err;
}

int load_run_nic(const struct load_opts *opts, struct load_result *res)
{
	struct load_joined nics;
	struct load_into in;
	int err;

	if (!opts->device[2] != (opts->action != LOAD_X_REDIRECT))
		return load_fail(res, -EINVAL, "nic-xdp", "a third device is for redirect",
				 "name it with -x redirect, and only then");
	load_into_init(&in, opts, res);
	err = load_joined_open(&nics, opts, res);
	if (!err)
		err = send_to_nic(&nics, &in);
	load_into_close(&in);
	load_joined_close(&nics);
	return err;
}
