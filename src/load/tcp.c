// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP between two NICs of this machine that are joined outside of it, which fills the receive
 * queues of the first one: virtio-net has page_pools from 7.1 on.
 *
 * The first NIC stays where netlink shows its pools. The second one goes to a private namespace,
 * else the kernel would see that both addresses are its own and use the loopback. When that
 * namespace ends, however the process died, the kernel moves the NIC back to the initial one
 * (default_device_exit_net(), net/core/dev.c).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "priv.h"

#define CHUNK	   (128 * 1024)
#define CONNECT_MS 10000
#define STUCK_NS   (10 * NSEC_PER_SEC)
/* The address on the NIC that stays removes itself if we are killed. */
#define ADDR_S	      600
#define ADDR_RENEW_NS (60 * NSEC_PER_SEC)
#define SLICE_MS      50

struct tcp {
	const struct load_opts *opts;
	struct load_result *res;
	struct load_ns ns;
	struct load_rtnl rtnl, rtnl_far; /* here, and in the private namespace */
	struct load_link near, far;	 /* the first and the second NIC */
	int far_index;			 /* its number in the private namespace, 0: not there */
	bool addr;			 /* our address is on near */
	int listen_fd, in_fd, out_fd;
	uint64_t progress, renewed;
	unsigned char buf[CHUNK];
};

static int find_devices(struct tcp *t)
{
	char first[IFNAMSIZ], second[IFNAMSIZ];
	int err;

	if (!t->opts->device[0] != !t->opts->device[1])
		return load_fail(t->res, -EINVAL, "virtio", "one device is not enough",
				 "name two of them, or none");
	if (t->opts->device[0]) {
		for (int i = 0; i < 2; i++) {
			err = load_rtnl_get(&t->rtnl, t->opts->device[i], i ? &t->far : &t->near);
			if (err)
				return load_fail(t->res, err, t->opts->device[i], NULL,
						 "see `ip link` for the devices");
		}
		if (t->near.ifindex == t->far.ifindex)
			return load_fail(t->res, -EINVAL, t->near.name, "the same device twice",
					 "name two of them, or none");
		return 0;
	}
	err = load_sysdev_find(NULL, NULL, first);
	if (!err)
		err = load_sysdev_find(NULL, first, second);
	if (err)
		return load_fail(t->res, -EOPNOTSUPP, "virtio", "this machine has no two NICs",
				 "give it two that are joined, and name them with -d");
	err = load_rtnl_get(&t->rtnl, first, &t->near);
	if (!err)
		err = load_rtnl_get(&t->rtnl, second, &t->far);
	if (err)
		return load_fail(t->res, err, first, NULL, "see `ip link` for the devices");
	/* Moving a NIC takes its addresses away: that is not for us to decide. */
	if (t->far.flags & IFF_UP)
		return load_fail(t->res, -EOPNOTSUPP, second, "found, but in use",
				 "name two with -d; the second one loses its addresses");
	return 0;
}

/* A private namespace, seen from home: only a socket for it is opened inside. */
static int make_far(struct tcp *t)
{
	int err;

	err = load_ns_enter(&t->ns, t->res);
	if (err)
		return err;
	err = load_rtnl_open(&t->rtnl_far);
	if (setns(t->ns.home, CLONE_NEWNET))
		err = -errno;
	if (err)
		return load_fail(t->res, err, "making a namespace", NULL, "see dmesg");
	return 0;
}

static int renew_addr(struct tcp *t)
{
	t->renewed = load_now();
	return load_rtnl_add_addr(&t->rtnl, t->near.ifindex, LOAD_ADDR_RX, LOAD_PREFIX, ADDR_S);
}

static int set_up(struct tcp *t)
{
	struct load_link moved;
	int err;

	load_set_device(t->res, 0, t->near.name);
	load_set_device(t->res, 1, t->far.name);
	err = load_rtnl_move(&t->rtnl, t->far.ifindex, t->ns.fd);
	if (err)
		return load_fail(t->res, err, t->far.name, NULL,
				 "name a NIC that can be moved to a namespace");
	err = load_rtnl_get(&t->rtnl_far, t->far.name, &moved);
	if (!err) {
		t->far_index = moved.ifindex;
		err = load_rtnl_add_addr(&t->rtnl_far, moved.ifindex, LOAD_ADDR_TX, LOAD_PREFIX, 0);
	}
	if (!err)
		err = load_rtnl_set_up(&t->rtnl_far, moved.ifindex, true);
	if (!err)
		err = renew_addr(t);
	t->addr = !err;
	if (!err)
		err = load_rtnl_set_up(&t->rtnl, t->near.ifindex, true);
	return err ? load_fail(t->res, err, "setting up the NICs", NULL, "see dmesg") : 0;
}

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

static int open_far_socket(struct tcp *t)
{
	if (setns(t->ns.fd, CLONE_NEWNET))
		return -errno;
	t->out_fd = tcp_socket();
	if (setns(t->ns.home, CLONE_NEWNET))
		return -errno;
	return t->out_fd < 0 ? t->out_fd : 0;
}

static int connect_sockets(struct tcp *t)
{
	uint64_t end = load_now() + CONNECT_MS * NSEC_PER_MSEC;
	struct sockaddr_in addr = near_addr(0);
	struct pollfd pfd = {.events = POLLIN};
	int err;

	err = open_listener(t, &addr.sin_port);
	if (!err)
		err = open_far_socket(t);
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
	if (!err && load_now() - t->renewed > ADDR_RENEW_NS)
		err = renew_addr(t);
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
	if (t->far_index && !load_rtnl_move(&t->rtnl_far, t->far_index, t->ns.home) &&
	    t->far.flags & IFF_UP && !load_rtnl_get(&t->rtnl, t->far.name, &t->far))
		load_rtnl_set_up(&t->rtnl, t->far.ifindex, true);
	if (t->addr)
		load_rtnl_del_addr(&t->rtnl, t->near.ifindex, LOAD_ADDR_RX, LOAD_PREFIX);
	if (t->near.ifindex && !(t->near.flags & IFF_UP))
		load_rtnl_set_up(&t->rtnl, t->near.ifindex, false);
	load_rtnl_close(&t->rtnl_far);
	load_rtnl_close(&t->rtnl);
	load_ns_leave(&t->ns);
}

int load_run_tcp(const struct load_opts *opts, struct load_result *res)
{
	struct tcp t = {
		.opts = opts,
		.res = res,
		.ns = LOAD_NS_NONE,
		.listen_fd = -1,
		.in_fd = -1,
		.out_fd = -1,
	};
	int err;

	err = load_rtnl_open(&t.rtnl);
	if (err)
		return load_fail(res, err, "opening rtnetlink", NULL, "see dmesg");
	err = find_devices(&t);
	if (!err)
		err = make_far(&t);
	if (!err)
		err = set_up(&t);
	if (!err)
		err = connect_sockets(&t);
	if (!err && t.in_fd >= 0)
		err = transfer(&t);
	clean_up(&t);
	return err;
}
