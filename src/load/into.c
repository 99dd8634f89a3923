// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets into a device with an XDP program, through sockets at both ends. */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "priv.h"

#define BURST	 64 /* well below the 256 packets of a veth's ring (VETH_RING_SIZE) */
#define STUCK_NS (2 * NSEC_PER_SEC)

/* A burst of packets, to one reader after the other. */
struct burst {
	struct mmsghdr msgs[BURST];
	struct iovec iov[LOAD_MAX_READERS];
	struct sockaddr_in to[LOAD_MAX_READERS];
	unsigned char *data[LOAD_MAX_READERS];
};

void load_into_init(struct load_into *in, const struct load_opts *opts, struct load_result *res)
{
	*in = (struct load_into){
		.opts = opts,
		.res = res,
		.live = {.opts = opts, .res = res, .counts_fd = -1},
		.out_fd = -1,
		.prog_fd = -1,
		.link_fd = -1,
	};
	load_frame_init(&in->frame, opts);
}

static int action_prog(struct load_into *in, int to_ifindex, bool frags)
{
	static const int actions[] = {
		[LOAD_X_DEFAULT] = XDP_PASS,
		[LOAD_X_PASS] = XDP_PASS,
		[LOAD_X_DROP] = XDP_DROP,
		[LOAD_X_TX] = XDP_TX,
	};
	unsigned int flags = frags ? BPF_F_XDP_HAS_FRAGS : 0;

	if (in->opts->action == LOAD_X_REDIRECT)
		return load_prog_redirect(in->live.counts_fd, LOAD_COUNT_RECEIVED, to_ifindex);
	return load_prog_flags(in->live.counts_fd, LOAD_COUNT_RECEIVED, actions[in->opts->action],
			       flags);
}

int load_into_attach(struct load_into *in, int ifindex, unsigned int xdp_flags, int to_ifindex)
{
	bool frags = in->opts->size > LOAD_SIZE_MAX || xdp_flags == XDP_FLAGS_SKB_MODE;

	if (in->live.counts_fd < 0)
		in->live.counts_fd = load_counts_create();
	if (in->live.counts_fd < 0)
		return load_fail(in->res, in->live.counts_fd, "making a BPF map", NULL,
				 "use a kernel with CONFIG_BPF_SYSCALL");
	if (in->prog_fd < 0)
		in->prog_fd = action_prog(in, to_ifindex, frags);
	if (in->prog_fd < 0)
		return load_fail(in->res, in->prog_fd, "loading an XDP program", NULL, "see dmesg");
	in->link_fd = load_prog_attach(in->prog_fd, ifindex, xdp_flags);
	if (in->link_fd < 0)
		return load_fail(in->res, in->link_fd, "attaching an XDP program", NULL,
				 "use a device whose driver knows XDP and has no program yet");
	return 0;
}

void load_into_detach(struct load_into *in)
{
	if (in->link_fd >= 0)
		close(in->link_fd);
	in->link_fd = -1;
}

int load_packet_socket(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

int load_into_bind(struct load_into *in, const struct load_link *from, const struct load_link *to)
{
	struct sockaddr_ll ll = {.sll_family = AF_PACKET, .sll_ifindex = from->ifindex};

	in->packet = true;
	memcpy(in->frame.dst, to->mac, sizeof(in->frame.dst));
	memcpy(in->frame.src, from->mac, sizeof(in->frame.src));
	if (bind(in->out_fd, (struct sockaddr *)&ll, sizeof(ll)))
		return load_fail(in->res, -errno, "packet socket", NULL, "see dmesg");
	return 0;
}

/* What the sender's socket does not add by itself: all of the frame, or its payload. */
static int fill_iov(struct load_into *in, struct burst *b, unsigned int i)
{
	/* A raw socket adds no UDP header; there it is payload. */
	size_t skip = in->packet ? 0 : in->opts->raw ? LOAD_HEADERS - LOAD_UDP_LEN : LOAD_HEADERS;

	b->data[i] = malloc(LOAD_HEADERS + in->frame.payload);
	if (!b->data[i])
		return -ENOMEM;
	in->frame.dport = (uint16_t)(LOAD_PORT + i);
	b->iov[i].iov_len = load_frame_build(b->data[i], &in->frame) - skip;
	b->iov[i].iov_base = b->data[i] + skip;
	b->to[i] = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(in->frame.dport),
		.sin_addr.s_addr = htonl(in->frame.daddr),
	};
	return 0;
}

static int fill_burst(struct load_into *in, struct burst *b)
{
	unsigned int nr = in->readers.nr ?: 1;
	int err = 0;

	for (unsigned int i = 0; !err && i < nr; i++)
		err = fill_iov(in, b, i);
	for (unsigned int i = 0; i < BURST; i++) {
		struct msghdr *msg = &b->msgs[i].msg_hdr;

		msg->msg_iov = &b->iov[i % nr];
		msg->msg_iovlen = 1;
		if (in->packet)
			continue;
		msg->msg_name = &b->to[i % nr];
		msg->msg_namelen = sizeof(b->to[0]);
	}
	return err ? load_fail(in->res, err, "packets", NULL, "free memory") : 0;
}

/*
 * Sends up to n packets. A packet that does not fit a veth's ring is dropped there with ENOBUFS
 * (packet_snd(), net/packet/af_packet.c), before XDP sees it, and does not count as sent.
 */
static int send_burst(struct load_into *in, struct burst *b, uint64_t n, uint64_t *progress)
{
	int sent = sendmmsg(in->out_fd, b->msgs, n < BURST ? (unsigned int)n : BURST, 0);
	/* The readers' work may change it. */
	int err = errno;

	if (!in->keep)
		load_readers_poll(&in->readers);
	if (sent > 0) {
		in->res->sent += (uint64_t)sent;
		*progress = load_now();
		return 0;
	}
	if (err == EINTR)
		return 0;
	in->res->errors++;
	if (err != ENOBUFS || load_now() - *progress > STUCK_NS)
		return load_fail(in->res, -err, "sending packets", NULL, "see dmesg");
	load_sleep(NSEC_PER_MSEC / 10);
	return 0;
}

int load_into_send(struct load_into *in, uint64_t count)
{
	uint64_t progress = load_now(), end = in->res->sent + count;
	struct burst b = {0};
	struct load_pace pace;
	int err;

	err = fill_burst(in, &b);
	load_pace_start(&pace, in->opts);
	while (!err && !load_stopped(in->opts) && in->res->sent < end) {
		uint64_t sent = in->res->sent;

		err = send_burst(in, &b, load_pace_quantum(&pace, sent, end - sent), &progress);
		load_pace_wait(&pace, in->res->sent);
	}
	for (unsigned int i = 0; i < LOAD_MAX_READERS; i++)
		free(b.data[i]);
	in->res->seconds += (double)(load_now() - pace.start) / (double)NSEC_PER_SEC;
	if (in->link_fd >= 0)
		load_live_settle(&in->live);
	return err;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void load_into_close(struct load_into *in)
{
	load_into_detach(in);
	load_readers_close(&in->readers);
	close_fd(in->out_fd);
	close_fd(in->prog_fd);
	close_fd(in->live.counts_fd);
}
