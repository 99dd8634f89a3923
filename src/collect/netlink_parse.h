/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What family "netdev" says about page pools, message by message. No I/O. */
#ifndef PPOOLTOP_NETLINK_PARSE_H
#define PPOOLTOP_NETLINK_PARSE_H

#include <stdint.h>

#include <linux/netlink.h>

#include "counters.h"

/*
 * From include/uapi/linux/netdev.h of Linux 7.2, unchanged since 6.8. Not included from there: what
 * distributions install may be older, or absent as in Debian 12.
 */
#define NETDEV_FAMILY_NAME    "netdev"
#define NETDEV_FAMILY_VERSION 1

enum {
	NETDEV_CMD_PAGE_POOL_GET = 5,
	NETDEV_CMD_PAGE_POOL_STATS_GET = 9,
};

enum {
	NETDEV_A_PAGE_POOL_ID = 1,
	NETDEV_A_PAGE_POOL_IFINDEX,
	NETDEV_A_PAGE_POOL_NAPI_ID,
	NETDEV_A_PAGE_POOL_INFLIGHT,
	NETDEV_A_PAGE_POOL_INFLIGHT_MEM,
	NETDEV_A_PAGE_POOL_DETACH_TIME,
};

enum {
	NETDEV_A_PAGE_POOL_STATS_INFO = 1,
	NETDEV_A_PAGE_POOL_STATS_ALLOC_FAST = 8,
	NETDEV_A_PAGE_POOL_STATS_ALLOC_SLOW,
	NETDEV_A_PAGE_POOL_STATS_ALLOC_SLOW_HIGH_ORDER,
	NETDEV_A_PAGE_POOL_STATS_ALLOC_EMPTY,
	NETDEV_A_PAGE_POOL_STATS_ALLOC_REFILL,
	NETDEV_A_PAGE_POOL_STATS_ALLOC_WAIVE,
	NETDEV_A_PAGE_POOL_STATS_RECYCLE_CACHED,
	NETDEV_A_PAGE_POOL_STATS_RECYCLE_CACHE_FULL,
	NETDEV_A_PAGE_POOL_STATS_RECYCLE_RING,
	NETDEV_A_PAGE_POOL_STATS_RECYCLE_RING_FULL,
	NETDEV_A_PAGE_POOL_STATS_RECYCLE_RELEASED_REFCNT,
};

struct netlink_pool {
	uint32_t has; /* POOL_HAS_ID, _INFLIGHT, _DESTROYED */
	uint32_t id;
	int ifindex;	  /* 0: the device is gone from this namespace */
	uint32_t napi_id; /* 0: none */
	int64_t inflight;
	uint64_t inflight_bytes;
	uint64_t detached; /* CLOCK_BOOTTIME, seconds */
	uint32_t counters_known;
	uint64_t n[PP_NR_COUNTERS];
};

/*
 * One message each into what is pointed to, which is untouched unless 0 is returned. -EBADMSG: cut
 * short, or not of the form the kernel's specification says. The caller vouches for
 * @nlh->nlmsg_len bytes, see mnl_nlmsg_ok().
 */

/* CTRL_CMD_GETFAMILY's answer: the family's number. */
int netlink_parse_family(const struct nlmsghdr *nlh, uint16_t *family);

/* NETDEV_CMD_PAGE_POOL_GET's answer: all but the counters. */
int netlink_parse_pool(const struct nlmsghdr *nlh, struct netlink_pool *p);

/* NETDEV_CMD_PAGE_POOL_STATS_GET's answer: id, and the counters. */
int netlink_parse_stats(const struct nlmsghdr *nlh, struct netlink_pool *p);

#endif /* PPOOLTOP_NETLINK_PARSE_H */
