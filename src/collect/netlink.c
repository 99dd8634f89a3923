// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's own list of page pools: generic netlink, family "netdev".
 *
 * Messages: Documentation/netlink/specs/netdev.yaml, net/core/page_pool_user.c. The two dumps are
 * put together in a struct dump first and go into the snapshot only when both are complete, so that
 * one that has to be repeated leaves nothing behind.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>

#include <libmnl/libmnl.h>

#include "collect.h"
#include "netlink_parse.h"
#include "snapshot.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TRIES	      5
/* What the kernel makes a dump's messages at most, for a socket that receives as much at once */
#define BUFFER_SIZE 32768

/* Parsing */

/* libmnl's own loops stop at an attribute that is cut short as if it were the end: this does not */
static int parse_attrs(const struct nlattr *attr, int len, const struct nlattr **tb, int max)
{
	memset(tb, 0, (max + 1) * sizeof(*tb));
	while (len > 0) {
		if (!mnl_attr_ok(attr, len))
			return -EBADMSG;
		if (mnl_attr_get_type(attr) <= max)
			tb[mnl_attr_get_type(attr)] = attr;
		len -= MNL_ALIGN(attr->nla_len);
		attr = mnl_attr_next(attr);
	}
	return 0;
}

static int parse_genl(const struct nlmsghdr *nlh, const struct nlattr **tb, int max)
{
	int len = (int)mnl_nlmsg_get_payload_len(nlh) - (int)MNL_ALIGN(sizeof(struct genlmsghdr));

	if (len < 0)
		return -EBADMSG;
	return parse_attrs(mnl_nlmsg_get_payload_offset(nlh, sizeof(struct genlmsghdr)), len, tb,
			   max);
}

static int parse_nested(const struct nlattr *nest, const struct nlattr **tb, int max)
{
	return parse_attrs(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), tb, max);
}

/*
 * The specification's "uint", of 4 or 8 bytes as the value needs (nla_put_uint()); a u32 is one,
 * too. Leaves @v alone if there is no @attr; @max bounds it.
 */
static int get_uint(const struct nlattr *attr, uint64_t max, uint64_t *v)
{
	uint64_t u;

	if (!attr)
		return 0;
	if (mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
		u = mnl_attr_get_u32(attr);
	else if (mnl_attr_get_payload_len(attr) == sizeof(uint64_t))
		u = mnl_attr_get_u64(attr);
	else
		return -EBADMSG;
	if (u > max)
		return -EBADMSG;
	*v = u;
	return 0;
}

/* Which pool, in both messages: ids start at 1 */
static int get_pool(const struct nlattr **tb, struct netlink_pool *p)
{
	uint64_t id = 0, ifindex = 0;

	if (get_uint(tb[NETDEV_A_PAGE_POOL_ID], UINT32_MAX, &id) ||
	    get_uint(tb[NETDEV_A_PAGE_POOL_IFINDEX], INT_MAX, &ifindex) || !id)
		return -EBADMSG;
	p->has |= POOL_HAS_ID;
	p->id = id;
	p->ifindex = ifindex;
	return 0;
}

int netlink_parse_family(const struct nlmsghdr *nlh, uint16_t *family)
{
	const struct nlattr *tb[CTRL_ATTR_FAMILY_ID + 1];
	const struct nlattr *attr;

	if (parse_genl(nlh, tb, CTRL_ATTR_FAMILY_ID))
		return -EBADMSG;
	attr = tb[CTRL_ATTR_FAMILY_ID];
	if (!attr || mnl_attr_get_payload_len(attr) != sizeof(uint16_t))
		return -EBADMSG;
	*family = mnl_attr_get_u16(attr);
	return 0;
}

int netlink_parse_pool(const struct nlmsghdr *nlh, struct netlink_pool *p)
{
	const struct nlattr *tb[NETDEV_A_PAGE_POOL_DETACH_TIME + 1];
	struct netlink_pool new = {0};
	uint64_t napi = 0, inflight = 0;

	if (parse_genl(nlh, tb, NETDEV_A_PAGE_POOL_DETACH_TIME) || get_pool(tb, &new) ||
	    get_uint(tb[NETDEV_A_PAGE_POOL_NAPI_ID], UINT32_MAX, &napi) ||
	    get_uint(tb[NETDEV_A_PAGE_POOL_INFLIGHT], UINT64_MAX, &inflight) ||
	    get_uint(tb[NETDEV_A_PAGE_POOL_INFLIGHT_MEM], UINT64_MAX, &new.inflight_bytes) ||
	    get_uint(tb[NETDEV_A_PAGE_POOL_DETACH_TIME], UINT64_MAX, &new.detached))
		return -EBADMSG;
	new.napi_id = napi;
	new.inflight = (int64_t)inflight;
	/* together or not at all: one has no meaning on screen without the other */
	if (tb[NETDEV_A_PAGE_POOL_INFLIGHT] && tb[NETDEV_A_PAGE_POOL_INFLIGHT_MEM])
		new.has |= POOL_HAS_INFLIGHT;
	if (tb[NETDEV_A_PAGE_POOL_DETACH_TIME])
		new.has |= POOL_HAS_DESTROYED;
	*p = new;
	return 0;
}

static const uint16_t stats_attr[] = {
	[PP_FAST] = NETDEV_A_PAGE_POOL_STATS_ALLOC_FAST,
	[PP_SLOW] = NETDEV_A_PAGE_POOL_STATS_ALLOC_SLOW,
	[PP_SLOW_HIGH_ORDER] = NETDEV_A_PAGE_POOL_STATS_ALLOC_SLOW_HIGH_ORDER,
	[PP_EMPTY] = NETDEV_A_PAGE_POOL_STATS_ALLOC_EMPTY,
	[PP_REFILL] = NETDEV_A_PAGE_POOL_STATS_ALLOC_REFILL,
	[PP_WAIVE] = NETDEV_A_PAGE_POOL_STATS_ALLOC_WAIVE,
	[PP_CACHED] = NETDEV_A_PAGE_POOL_STATS_RECYCLE_CACHED,
	[PP_CACHE_FULL] = NETDEV_A_PAGE_POOL_STATS_RECYCLE_CACHE_FULL,
	[PP_RING] = NETDEV_A_PAGE_POOL_STATS_RECYCLE_RING,
	[PP_RING_FULL] = NETDEV_A_PAGE_POOL_STATS_RECYCLE_RING_FULL,
	[PP_RELEASED_REFCNT] = NETDEV_A_PAGE_POOL_STATS_RECYCLE_RELEASED_REFCNT,
};
_Static_assert(ARRAY_SIZE(stats_attr) == PP_NR_COUNTERS, "a counter without its attribute");

static int get_counters(const struct nlattr **tb, struct netlink_pool *p)
{
	for (size_t i = 0; i < PP_NR_COUNTERS; i++) {
		if (!tb[stats_attr[i]])
			continue;
		if (get_uint(tb[stats_attr[i]], UINT64_MAX, &p->n[i]))
			return -EBADMSG;
		p->counters_known |= 1U << i;
	}
	return 0;
}

int netlink_parse_stats(const struct nlmsghdr *nlh, struct netlink_pool *p)
{
	const struct nlattr *tb[NETDEV_A_PAGE_POOL_STATS_RECYCLE_RELEASED_REFCNT + 1];
	const struct nlattr *info[NETDEV_A_PAGE_POOL_IFINDEX + 1];
	struct netlink_pool new = {0};

	if (parse_genl(nlh, tb, NETDEV_A_PAGE_POOL_STATS_RECYCLE_RELEASED_REFCNT) ||
	    !tb[NETDEV_A_PAGE_POOL_STATS_INFO] ||
	    parse_nested(tb[NETDEV_A_PAGE_POOL_STATS_INFO], info, NETDEV_A_PAGE_POOL_IFINDEX) ||
	    get_pool(info, &new) || get_counters(tb, &new))
		return -EBADMSG;
	*p = new;
	return 0;
}

/* The pools of a dump */

struct dump {
	struct netlink_pool *pools;
	size_t nr;
	size_t cap;
};

static int dump_add(struct dump *d, const struct netlink_pool *p)
{
	struct netlink_pool *pools;
	size_t cap;

	if (d->nr == d->cap) {
		cap = d->cap ? 2 * d->cap : 64;
		pools = reallocarray(d->pools, cap, sizeof(*pools));
		if (!pools)
			return -ENOMEM;
		d->pools = pools;
		d->cap = cap;
	}
	d->pools[d->nr++] = *p;
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct netlink_pool *p = a, *q = b;

	return (p->id > q->id) - (p->id < q->id);
}

/*
 * Sort by id, each once: a dump of several messages is not of one moment, and pools move between
 * devices meanwhile. Which the kernel leaves out is another matter: it goes on from the last id
 * downwards, so that of the pools handed over to lo, which are in the order their devices went,
 * those with a higher id than one before them are never shown.
 */
static void dump_sort(struct dump *d)
{
	size_t nr = 0;

	if (!d->nr)
		return;
	qsort(d->pools, d->nr, sizeof(*d->pools), compare_ids);
	for (size_t i = 1; i < d->nr; i++) {
		if (d->pools[i].id != d->pools[nr].id)
			d->pools[++nr] = d->pools[i];
	}
	d->nr = nr + 1;
}

static struct netlink_pool *dump_find(struct dump *d, const struct netlink_pool *key)
{
	if (!d->nr)
		return NULL;
	return bsearch(key, d->pools, d->nr, sizeof(*d->pools), compare_ids);
}

/* The socket */

struct nl {
	struct mnl_socket *sk;
	uint16_t family;
	uint32_t seq;
	_Alignas(struct nlmsghdr) char buf[BUFFER_SIZE];
};

/* errno and the verdict libmnl wants of a callback, for 0 or -errno */
static int cb_result(int err, int good)
{
	if (err >= 0)
		return good;
	errno = -err;
	return MNL_CB_ERROR;
}

/* A dump's error comes in its last message, where libmnl does not look */
static int on_done(const struct nlmsghdr *nlh, void *data)
{
	int err = 0;

	(void)data;
	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(err))
		memcpy(&err, mnl_nlmsg_get_payload(nlh), sizeof(err));
	return cb_result(err, MNL_CB_STOP);
}

static int on_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);

	(void)data;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*e))
		return cb_result(-EBADMSG, MNL_CB_STOP);
	return cb_result(e->error, MNL_CB_STOP);
}

/* not const for the sake of libmnl */
static mnl_cb_t on_control[] = {
	[NLMSG_ERROR] = on_error,
	[NLMSG_DONE] = on_done,
};

static ssize_t nl_recv(struct nl *nl)
{
	ssize_t n;

	do {
		n = mnl_socket_recvfrom(nl->sk, nl->buf, sizeof(nl->buf));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? n : -EBADMSG;
}

/* Ask @req, and give the answers to @cb. -EINTR: the dump was interrupted */
static int nl_query(struct nl *nl, struct nlmsghdr *req, mnl_cb_t cb, void *data)
{
	unsigned int portid = mnl_socket_get_portid(nl->sk);
	ssize_t n;
	int ret;

	req->nlmsg_seq = ++nl->seq;
	if (mnl_socket_sendto(nl->sk, req, req->nlmsg_len) < 0)
		return -errno;
	do {
		n = nl_recv(nl);
		if (n < 0)
			return n;
		ret = mnl_cb_run2(nl->buf, n, nl->seq, portid, cb, data, on_control,
				  ARRAY_SIZE(on_control));
	} while (ret > MNL_CB_STOP);
	return ret < 0 ? -errno : 0;
}

static struct nlmsghdr *nl_request(void *buf, uint16_t type, uint16_t flags, uint8_t cmd,
				   uint8_t version)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = version;
	return nlh;
}

static int on_family(const struct nlmsghdr *nlh, void *data)
{
	return cb_result(netlink_parse_family(nlh, data), MNL_CB_STOP);
}

static int nl_find_family(struct nl *nl)
{
	_Alignas(struct nlmsghdr) char buf[128] = {0};
	struct nlmsghdr *req = nl_request(buf, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1);
	int err;

	mnl_attr_put_strz(req, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY_NAME);
	err = nl_query(nl, req, on_family, &nl->family);
	if (err)
		return err == -ENOENT ? -EOPNOTSUPP : err;
	return nl->family ? 0 : -EBADMSG;
}

/*
 * The kernel has every answer ready before it is asked for; the timeout is for the case that it did
 * not send the last one after all, which must not freeze the screen.
 */
static int nl_open(struct nl *nl)
{
	const struct timeval timeout = {.tv_sec = 1};

	nl->seq = 0;
	nl->family = 0;
	nl->sk = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!nl->sk)
		return errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT ? -EOPNOTSUPP : -errno;
	if (mnl_socket_bind(nl->sk, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    setsockopt(mnl_socket_get_fd(nl->sk), SOL_SOCKET, SO_RCVTIMEO, &timeout,
		       sizeof(timeout)) < 0) {
		int err = -errno;

		mnl_socket_close(nl->sk);
		return err;
	}
	return 0;
}

static int nl_dump(struct nl *nl, uint8_t cmd, mnl_cb_t cb, struct dump *d)
{
	_Alignas(struct nlmsghdr) char buf[64] = {0};

	return nl_query(nl, nl_request(buf, nl->family, NLM_F_DUMP, cmd, NETDEV_FAMILY_VERSION), cb,
			d);
}

static int on_pool(const struct nlmsghdr *nlh, void *data)
{
	struct netlink_pool p;
	int err = netlink_parse_pool(nlh, &p);

	if (!err)
		err = dump_add(data, &p);
	return cb_result(err, MNL_CB_OK);
}

/* A pool made since the other dump is left to the next reading */
static int on_stats(const struct nlmsghdr *nlh, void *data)
{
	struct netlink_pool p, *q;
	int err = netlink_parse_stats(nlh, &p);

	q = err ? NULL : dump_find(data, &p);
	if (q) {
		q->counters_known = p.counters_known;
		memcpy(q->n, p.n, sizeof(q->n));
	}
	return cb_result(err, MNL_CB_OK);
}

static int nl_read(struct nl *nl, struct dump *d, bool stats)
{
	int err = nl_find_family(nl);

	if (!err)
		err = nl_dump(nl, NETDEV_CMD_PAGE_POOL_GET, on_pool, d);
	if (err)
		return err;
	dump_sort(d);
	if (!stats)
		return 0;
	err = nl_dump(nl, NETDEV_CMD_PAGE_POOL_STATS_GET, on_stats, d);
	/* no CONFIG_PAGE_POOL_STATS; the list of pools is good all the same */
	return err == -EOPNOTSUPP ? 0 : err;
}

/*
 * A new socket for each try: the rest of an interrupted dump is still in the old one. On success
 * @nl is open.
 */
static int nl_open_and_read(struct nl *nl, struct dump *d, bool stats)
{
	int err;

	for (int i = 0; i < TRIES; i++) {
		err = nl_open(nl);
		if (err)
			return err;
		d->nr = 0;
		err = nl_read(nl, d, stats);
		if (!err)
			return 0;
		mnl_socket_close(nl->sk);
		if (err != -EINTR && err != -ENOBUFS)
			break;
	}
	return err;
}

/* Into the snapshot */

struct context {
	int fd; /* any socket does for ioctl() */
	uint32_t netns;
	double boottime;
	/* of the device looked up last: a dump goes device by device, mostly */
	int ifindex;
	char ifname[IF_NAMESIZE];
	char driver[SNAP_NAMELEN];
};

/* Virtual devices have a driver name here too, but none under /sys/class/net */
static void get_driver(struct context *c)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq ifr = {.ifr_data = (char *)&info};

	memcpy(ifr.ifr_name, c->ifname, sizeof(ifr.ifr_name));
	if (!ioctl(c->fd, SIOCETHTOOL, &ifr))
		snprintf(c->driver, sizeof(c->driver), "%.*s", (int)sizeof(info.driver),
			 info.driver);
}

/* Name and driver stay empty if the device went away in between */
static void get_device(struct context *c, int ifindex)
{
	if (c->ifindex == ifindex)
		return;
	memset(c->ifname, 0, sizeof(c->ifname));
	memset(c->driver, 0, sizeof(c->driver));
	c->ifindex = ifindex;
	if (if_indextoname(ifindex, c->ifname))
		get_driver(c);
}

static void context_init(struct context *c, const struct nl *nl)
{
	struct timespec now;
	struct stat st;

	memset(c, 0, sizeof(*c));
	c->fd = mnl_socket_get_fd(nl->sk);
	if (!stat("/proc/self/ns/net", &st))
		c->netns = st.st_ino;
	clock_gettime(CLOCK_BOOTTIME, &now);
	c->boottime = now.tv_sec + now.tv_nsec / 1e9;
}

/* A better source may have said all this before, from one moment: then it stays */
static void merge_device(struct pool *p, const struct netlink_pool *q, struct context *c)
{
	if (!p->netns)
		p->netns = c->netns;
	if (!p->napi_id)
		p->napi_id = q->napi_id;
	if (!q->ifindex || (p->ifindex && p->ifindex != q->ifindex))
		return;
	p->ifindex = q->ifindex;
	if (p->ifname[0] && p->driver[0])
		return;
	get_device(c, q->ifindex);
	if (!p->ifname[0])
		snprintf(p->ifname, sizeof(p->ifname), "%s", c->ifname);
	if (!p->driver[0])
		snprintf(p->driver, sizeof(p->driver), "%s", c->driver);
}

static void merge_state(struct pool *p, const struct netlink_pool *q, const struct context *c)
{
	if (q->has & ~p->has & POOL_HAS_INFLIGHT) {
		p->inflight = q->inflight;
		p->inflight_bytes = q->inflight_bytes;
		p->has |= POOL_HAS_INFLIGHT;
	}
	if (!(q->has & POOL_HAS_DESTROYED))
		return;
	if (p->state == POOL_LIVE)
		p->state = POOL_DRAINING;
	if (!(p->has & POOL_HAS_DESTROYED)) {
		/* below 0: we are in a time namespace, the kernel's answer is not */
		p->destroyed_s = c->boottime - (double)q->detached;
		if (p->destroyed_s < 0)
			p->destroyed_s = 0;
		p->has |= POOL_HAS_DESTROYED;
	}
}

/* All or none: counters since the pool's creation do not go with others since we began */
static void merge_counters(struct pool *p, const struct netlink_pool *q)
{
	if (p->counters_known || !q->counters_known)
		return;
	memcpy(p->total.n, q->n, sizeof(q->n));
	p->counters_known = q->counters_known;
	p->created = true;
}

static struct pool *find_or_add(struct snapshot *s, uint32_t id)
{
	struct pool *p = snapshot_find_id(s, id);

	if (p)
		return p;
	p = snapshot_add(s, false);
	if (!p)
		return NULL;
	p->has = POOL_HAS_ID;
	p->id = id;
	return p;
}

static int merge(struct snapshot *s, const struct dump *d, struct context *c)
{
	for (size_t i = 0; i < d->nr; i++) {
		const struct netlink_pool *q = &d->pools[i];
		struct pool *p = find_or_add(s, q->id);

		if (!p)
			return -ENOMEM;
		p->visible = true;
		merge_device(p, q, c);
		merge_state(p, q, c);
		merge_counters(p, q);
	}
	return d->nr;
}

int netlink_read(struct snapshot *s, bool stats)
{
	struct dump d = {0};
	struct context c;
	struct nl nl;
	int ret;

	ret = nl_open_and_read(&nl, &d, stats);
	if (!ret) {
		context_init(&c, &nl);
		ret = merge(s, &d, &c);
		mnl_socket_close(nl.sk);
	}
	free(d.pools);
	return ret;
}
