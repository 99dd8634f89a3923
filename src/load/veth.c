// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets into a veth with an XDP program. From 6.4 on a packet whose buffer the program may not
 * write to is copied into pages of the queue's pool (veth_convert_skb_to_xdp_buff(),
 * drivers/net/veth.c; skb_pp_cow_data(), net/core/skbuff.c), and that is every packet of a
 * socket. From 6.6 on small ones share a page (the frag path): payloads up to some 1,400 bytes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "priv.h"

#define BURST	 64 /* well below the 256 packets of the veth's ring (VETH_RING_SIZE) */
#define STUCK_NS (2 * NSEC_PER_SEC)

struct veth {
	const struct load_opts *opts;
	struct load_result *res;
	struct load_ns near, far; /* near: where packets are sent from */
	struct load_rtnl rtnl_near, rtnl_far;
	struct load_live live; /* for the counters only */
	int out_fd, in_fd;
	int prog_fd, link_fd;
	struct load_link near_dev, far_dev;
};

/* Both namespaces; the thread is in the far one afterwards, each rtnetlink socket in its own. */
static int enter(struct veth *v)
{
	int err;

	err = load_ns_enter(&v->near, v->res);
	if (err)
		return err;
	err = load_rtnl_open(&v->rtnl_near);
	if (err)
		return load_fail(v->res, err, "opening rtnetlink", NULL, "see dmesg");
	v->out_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (v->out_fd < 0)
		return load_fail(v->res, -errno, "packet socket", NULL,
				 "use a kernel with CONFIG_PACKET");
	err = load_ns_enter(&v->far, v->res);
	if (err)
		return err;
	err = load_rtnl_open(&v->rtnl_far);
	if (err)
		return load_fail(v->res, err, "opening rtnetlink", NULL, "see dmesg");
	return 0;
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
		err = load_rtnl_add_addr(&v->rtnl_far, v->far_dev.ifindex, LOAD_ADDR_RX,
					 LOAD_PREFIX, 0);
	if (!err)
		err = load_rtnl_set_up(&v->rtnl_far, v->far_dev.ifindex, true);
	if (!err)
		err = load_rtnl_set_up(&v->rtnl_near, v->near_dev.ifindex, true);
	if (err)
		return load_fail(v->res, err, "setting up a veth pair", NULL, "see dmesg");
	load_set_device(v->res, 0, v->far_dev.name);
	load_set_device(v->res, 1, v->near_dev.name);
	return 0;
}

static int attach(struct veth *v)
{
	v->live.counts_fd = load_counts_create();
	if (v->live.counts_fd < 0)
		return load_fail(v->res, v->live.counts_fd, "making a BPF map", NULL,
				 "use a kernel with CONFIG_BPF_SYSCALL");
	v->prog_fd = load_prog_action(v->live.counts_fd, LOAD_COUNT_RECEIVED, XDP_PASS, false);
	if (v->prog_fd < 0)
		return load_fail(v->res, v->prog_fd, "loading an XDP program", NULL, "see dmesg");
	v->link_fd = load_prog_attach(v->prog_fd, v->far_dev.ifindex);
	if (v->link_fd < 0)
		return load_fail(v->res, v->link_fd, "attaching an XDP program", NULL, "see dmesg");
	return 0;
}

static int open_sockets(struct veth *v)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_ifindex = v->near_dev.ifindex,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(LOAD_PORT),
		.sin_addr.s_addr = htonl(LOAD_ADDR_RX),
	};

	if (bind(v->out_fd, (struct sockaddr *)&ll, sizeof(ll)))
		return load_fail(v->res, -errno, "packet socket", NULL, "see dmesg");
	/* Somebody must listen, or each packet would be answered by ICMP. */
	v->in_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (v->in_fd < 0 || bind(v->in_fd, (struct sockaddr *)&in, sizeof(in)))
		return load_fail(v->res, -errno, "UDP socket", NULL, "see dmesg");
	return 0;
}

/* Reading gives pages back in process context, which is what makes this mode worth having. */
static void drain(int fd)
{
	char byte;

	while (recv(fd, &byte, sizeof(byte), MSG_DONTWAIT) >= 0)
		;
}

static void fill_burst(struct mmsghdr *msgs, struct iovec *iov, unsigned char *data, size_t len)
{
	*iov = (struct iovec){.iov_base = data, .iov_len = len};
	memset(msgs, 0, BURST * sizeof(*msgs));
	for (int i = 0; i < BURST; i++) {
		msgs[i].msg_hdr.msg_iov = iov;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
}

/*
 * Sends up to n packets. A packet that does not fit the veth's ring is dropped there with
 * ENOBUFS (packet_snd(), net/packet/af_packet.c), before XDP sees it, and does not count as sent.
 */
static int send_burst(struct veth *v, struct mmsghdr *msgs, uint64_t n, uint64_t *progress)
{
	int sent = sendmmsg(v->out_fd, msgs, n < BURST ? (unsigned int)n : BURST, 0);

	drain(v->in_fd);
	if (sent > 0) {
		v->res->sent += (uint64_t)sent;
		*progress = load_now();
		return 0;
	}
	if (errno == EINTR)
		return 0;
	v->res->errors++;
	if (errno != ENOBUFS || load_now() - *progress > STUCK_NS)
		return load_fail(v->res, -errno, "sending into the veth", NULL, "see dmesg");
	load_sleep(NSEC_PER_MSEC / 10);
	return 0;
}

static int send_all(struct veth *v)
{
	unsigned char data[LOAD_HEADERS + LOAD_SIZE_MAX];
	uint64_t progress = load_now(), left;
	struct mmsghdr msgs[BURST];
	struct load_frame frame;
	struct load_pace pace;
	struct iovec iov;
	int err = 0;

	load_frame_init(&frame, v->opts);
	memcpy(frame.dst, v->far_dev.mac, sizeof(frame.dst));
	memcpy(frame.src, v->near_dev.mac, sizeof(frame.src));
	fill_burst(msgs, &iov, data, load_frame_build(data, &frame));
	load_pace_start(&pace, v->opts);
	while (!err && !load_stopped(v->opts) && v->res->sent < v->res->requested) {
		left = v->res->requested - v->res->sent;
		err = send_burst(v, msgs, load_pace_quantum(&pace, v->res->sent, left), &progress);
		load_pace_wait(&pace, v->res->sent);
	}
	v->res->seconds = (double)(load_now() - pace.start) / (double)NSEC_PER_SEC;
	return err;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void leave(struct veth *v)
{
	close_fd(v->link_fd);
	if (v->far_dev.ifindex)
		load_rtnl_del(&v->rtnl_far, v->far_dev.ifindex);
	close_fd(v->in_fd);
	close_fd(v->out_fd);
	load_rtnl_close(&v->rtnl_far);
	load_rtnl_close(&v->rtnl_near);
	load_ns_leave(&v->far);
	load_ns_leave(&v->near);
	close_fd(v->prog_fd);
	close_fd(v->live.counts_fd);
}

int load_run_veth(const struct load_opts *opts, struct load_result *res)
{
	struct veth v = {
		.opts = opts,
		.res = res,
		.near = LOAD_NS_NONE,
		.far = LOAD_NS_NONE,
		.live = {.opts = opts, .res = res, .counts_fd = -1},
		.out_fd = -1,
		.in_fd = -1,
		.prog_fd = -1,
		.link_fd = -1,
	};
	int err;

	err = enter(&v);
	if (!err)
		err = make_devices(&v);
	if (!err)
		err = attach(&v);
	if (!err)
		err = open_sockets(&v);
	if (!err) {
		err = send_all(&v);
		load_live_settle(&v.live);
		drain(v.in_fd);
	}
	leave(&v);
	return err;
}
