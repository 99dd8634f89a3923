// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages that outlive their pool: live frames become skbs in the queue of a socket, while the
 * pool they came from is destroyed at the end of its run. On 6.1 a page leaves its pool as it
 * becomes an skb (__xdp_build_skb_from_frame(), net/core/xdp.c); later it stays inflight, and
 * after 60 s the kernel logs the stalled shutdown.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "priv.h"

static int open_socket(struct load_result *res)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(LOAD_PORT),
		.sin_addr.s_addr = htonl(LOAD_ADDR_RX),
	};
	int room = INT_MAX / 2; /* the kernel doubles it (__sock_set_rcvbuf(), net/core/sock.c) */
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return load_fail(res, -errno, "UDP socket", NULL, "use a kernel with CONFIG_INET");
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) &&
	    !bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	err = load_fail(res, -errno, "UDP socket", NULL, "see dmesg");
	close(fd);
	return err;
}

static int hold_setup(struct load_scene *scene)
{
	struct load_live *live = &scene->live;
	struct load_link dev;
	int err;

	err = load_scene_device(scene, 0, &dev);
	if (err)
		return err;
	err = load_rtnl_add_addr(&scene->rtnl, dev.ifindex, LOAD_ADDR_RX, LOAD_PREFIX, 0);
	if (err)
		return load_fail(live->res, err, "adding an address", NULL,
				 "use a kernel with CONFIG_INET");
	load_scene_source(scene, &dev);
	memcpy(live->frame.dst, dev.mac, sizeof(dev.mac));
	return load_scene_prog(scene,
			       load_prog_action(live->counts_fd, LOAD_COUNT_SENT, XDP_PASS, false));
}

static int hold_frames(struct load_scene *scene, int fd)
{
	struct load_result *res = scene->live.res;
	uint64_t start = load_now();
	int err;

	err = load_scene_send(scene);
	if (!err)
		load_hold(scene->live.opts);
	res->queued = load_read_all(fd);
	res->received = res->queued;
	res->seconds = (double)(load_now() - start) / (double)NSEC_PER_SEC;
	if (!err && (uint64_t)res->queued < res->sent)
		err = load_fail(res, -ENOBUFS, "udp-hold", "the socket did not take all of them",
				"send fewer, or raise the sysctl net.ipv4.udp_mem");
	return err;
}

int load_run_hold(const struct load_opts *opts, struct load_result *res)
{
	struct load_scene scene;
	int err, fd;

	err = load_scene_open(&scene, opts, res);
	if (err)
		return err;
	err = hold_setup(&scene);
	if (err)
		goto out;
	fd = open_socket(res);
	if (fd < 0) {
		err = fd;
		goto out;
	}
	err = hold_frames(&scene, fd);
	close(fd);
out:
	load_scene_close(&scene);
	return err;
}
