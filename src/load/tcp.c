// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP between two NICs of this machine that are joined outside of it, which fills the receive
 * queues of the first one: virtio-net has page_pools from 7.1 on.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "priv.h"

#define CHUNK	   (128 * 1024)
#define CONNECT_MS 10000
#define STUCK_NS   (10 * NSEC_PER_SEC)
#define SLICE_MS   50

struct tcp {
	const struct load_opts *opts;
	struct load_result *res;
	struct load_joined nics;
	struct load_into into; /* for its program only */
	int listen_fd, in_fd, out_fd;
	uint64_t progress;
	unsigned char buf[CHUNK];
};

/* Closing has to end the connection at once: one that lingers would keep the namespace, and the
 * NIC in it, for minutes. */
static int tcp_socket(void)
{
	struct linger linger = {.l_onoff = 1};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	return fd;
}

static struct sockaddr_in near_addr(in_port_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = port,
		.sin_addr.s_addr = htonl(LOAD_ADDR_RX),
	};
}

static int open_listener(struct tcp *t, in_port_t *port)
{
	struct sockaddr_in addr = near_addr(0);
	socklen_t len = sizeof(addr);

	t->listen_fd = tcp_socket();
	if (t->listen_fd < 0)
		return t->listen_fd;
	if (bind(t->listen_fd, (struct sockaddr *)&addr, len) || listen(t->listen_fd, 1) ||
	    getsockname(t->listen_fd, (struct sockaddr *)&addr, &len))
		return -errno;
	*port = addr.sin_port;
	return 0;
}

static int connect_sockets(struct tcp *t)
{
	uint64_t end = load_now() + CONNECT_MS * NSEC_PER_MSEC;
	struct sockaddr_in addr = near_addr(0);
	struct pollfd pfd = {.events = POLLIN};
	int err;

	err = open_listener(t, &addr.sin_port);
	if (!err)
		t->out_fd = load_joined_socket(&t->nics, tcp_socket);
	if (!err && t->out_fd < 0)
		err = t->out_fd;
	if (err)
		return load_fail(t->res, err, "TCP socket", NULL, "see dmesg");
	if (connect(t->out_fd, (struct sockaddr *)&addr, sizeof(addr)) && errno != EINPROGRESS)
		return load_fail(t->res, -errno, "TCP connection", NULL, "see dmesg");
	pfd.fd = t->listen_fd;
	while (!load_stopped(t->opts) && load_now() < end) {
		if (poll(&pfd, 1, SLICE_MS) > 0)
			t->in_fd = accept4(t->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (t->in_fd >= 0)
			return 0;
	}
	if (load_stopped(t->opts))
		return 0;
	t->res->errors++;
	return load_fail(t->res, -ETIMEDOUT, "TCP connection", "no answer between the two NICs",
			 "join them (QEMU: one -netdev socket each, listen and connect)");
}

static int pump_out(struct tcp *t, const struct load_pace *pace)
{
	uint64_t left = t->res->requested - t->res->sent;
	size_t want = (size_t)load_pace_quantum(pace, t->res->sent, left < CHUNK ? left : CHUNK);
	ssize_t n = send(t->out_fd, t->buf, want, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	t->res->sent += (uint64_t)n;
	t->progress = load_now();
	return 0;
}

static int pump_in(struct tcp *t)
{
	ssize_t n = recv(t->in_fd, t->buf, sizeof(t->buf), 0);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n)
		return -ECONNRESET;
	t->res->received += n;
	t->progress = load_now();
	return 0;
}

static int pump(struct tcp *t, const struct load_pace *pace)
{
	struct pollfd pfd[2] = {
		{.fd = t->in_fd, .events = POLLIN},
		{.fd = t->res->sent < t->res->requested ? t->out_fd : -1, .events = POLLOUT},
	};
	int err = 0;

	if (poll(pfd, 2, SLICE_MS) < 0)
		return errno == EINTR ? 0 : -errno;
	if (pfd[0].revents)
		err = pump_in(t);
	if (!err && pfd[1].revents)
		err = pump_out(t, pace);
	if (!err && load_now() - t->progress > STUCK_NS)
		err = -ETIMEDOUT;
	if (!err)
		err = load_joined_renew(&t->nics);
	return err;
}

static int transfer(struct tcp *t)
{
	struct load_result *res = t->res;
	struct load_pace pace;
	int err = 0;

	res->received = 0;
	load_pace_start(&pace, t->opts);
	t->progress = pace.start;
	while (!err && !load_stopped(t->opts) && (uint64_t)res->received < res->requested) {
		err = pump(t, &pace);
		load_pace_wait(&pace, res->sent);
	}
	res->seconds = (double)(load_now() - pace.start) / (double)NSEC_PER_SEC;
	if (!err)
		return 0;
	res->errors++;
	return load_fail(res, err, "TCP transfer", NULL, "see `ip -s link` and dmesg");
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void clean_up(struct tcp *t)
{
	close_fd(t->in_fd);
	close_fd(t->out_fd);
	close_fd(t->listen_fd);
	load_into_close(&t->into);
	load_joined_close(&t->nics);
}

/* A NIC may have to be started anew for that. */
static int attach(struct tcp *t)
{
	struct load_link nic = t->nics.near; /* which stays as it was found */
	int err = load_into_attach(&t->into, nic.ifindex, XDP_FLAGS_DRV_MODE, 0);

	return err ?: load_carrier_wait(&t->nics.rtnl, t->opts, &nic, t->res);
}

int load_run_tcp(const struct load_opts *opts, struct load_result *res)
{
	struct tcp t = {
		.opts = opts,
		.res = res,
		.listen_fd = -1,
		.in_fd = -1,
		.out_fd = -1,
	};
	int err;

	load_into_init(&t.into, opts, res);
	err = load_joined_open(&t.nics, opts, res);
	if (!err && opts->action)
		err = attach(&t);
	if (!err)
		err = connect_sockets(&t);
	if (!err && t.in_fd >= 0)
		err = transfer(&t);
	clean_up(&t);
	return err;
}
