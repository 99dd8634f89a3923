// SPDX-License-Identifier: GPL-2.0-or-later
/* The few rtnetlink requests that a load needs. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <libmnl/libmnl.h>

#include "priv.h"

#define CARRIER_NS (5 * NSEC_PER_SEC)
#define BUF_LEN	   8192 /* MNL_SOCKET_BUFFER_SIZE is a call, and at most this */

int load_rtnl_open(struct load_rtnl *rtnl)
{
	int err;

	rtnl->seq = 0;
	rtnl->nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!rtnl->nl)
		return -errno;
	if (!mnl_socket_bind(rtnl->nl, 0, MNL_SOCKET_AUTOPID))
		return 0;
	err = -errno;
	load_rtnl_close(rtnl);
	return err;
}

void load_rtnl_close(struct load_rtnl *rtnl)
{
	if (rtnl->nl)
		mnl_socket_close(rtnl->nl);
	rtnl->nl = NULL;
}

/* Sends a request and waits for its acknowledgement, giving what comes before to cb. */
static int talk(struct load_rtnl *rtnl, struct nlmsghdr *nlh, mnl_cb_t cb, void *data)
{
	unsigned int portid = mnl_socket_get_portid(rtnl->nl);
	char buf[BUF_LEN];
	ssize_t n;
	int ret;

	nlh->nlmsg_seq = ++rtnl->seq;
	nlh->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	while (mnl_socket_sendto(rtnl->nl, nlh, nlh->nlmsg_len) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	do {
		n = mnl_socket_recvfrom(rtnl->nl, buf, sizeof(buf));
		if (n < 0 && errno == EINTR) {
			ret = MNL_CB_OK;
			continue;
		}
		if (n < 0)
			return -errno;
		ret = mnl_cb_run(buf, (size_t)n, rtnl->seq, portid, cb, data);
	} while (ret > MNL_CB_STOP);
	return ret < 0 ? -errno : 0;
}

static struct ifinfomsg *link_request(char *buf, struct nlmsghdr **nlh, uint16_t type, int ifindex)
{
	struct ifinfomsg *ifi;

	*nlh = mnl_nlmsg_put_header(buf);
	(*nlh)->nlmsg_type = type;
	ifi = mnl_nlmsg_put_extra_header(*nlh, sizeof(*ifi));
	ifi->ifi_family = AF_UNSPEC;
	ifi->ifi_index = ifindex;
	return ifi;
}

static int parse_link(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct load_link *link = data;
	const struct nlattr *attr;

	if (nlh->nlmsg_type != RTM_NEWLINK)
		return MNL_CB_OK;
	link->ifindex = ifi->ifi_index;
	link->flags = ifi->ifi_flags;
	mnl_attr_for_each(attr, nlh, sizeof(*ifi))
	{
		uint16_t type = mnl_attr_get_type(attr);

		if (type == IFLA_ADDRESS && mnl_attr_get_payload_len(attr) == LOAD_ETH_ALEN)
			memcpy(link->mac, mnl_attr_get_payload(attr), LOAD_ETH_ALEN);
		else if (type == IFLA_IFNAME)
			snprintf(link->name, sizeof(link->name), "%s", mnl_attr_get_str(attr));
	}
	return MNL_CB_OK;
}

int load_rtnl_get(struct load_rtnl *rtnl, const char *name, struct load_link *link)
{
	char buf[BUF_LEN];
	struct nlmsghdr *nlh;

	if (strlen(name) >= IFNAMSIZ)
		return -ENODEV;
	memset(link, 0, sizeof(*link));
	link_request(buf, &nlh, RTM_GETLINK, 0);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return talk(rtnl, nlh, parse_link, link);
}

int load_rtnl_set_up(struct load_rtnl *rtnl, int ifindex, bool up)
{
	char buf[BUF_LEN];
	struct nlmsghdr *nlh;
	struct ifinfomsg *ifi = link_request(buf, &nlh, RTM_NEWLINK, ifindex);

	ifi->ifi_flags = up ? IFF_UP : 0;
	ifi->ifi_change = IFF_UP;
	return talk(rtnl, nlh, NULL, NULL);
}

int load_carrier_wait(struct load_rtnl *rtnl, const struct load_opts *opts, struct load_link *link,
		      struct load_result *res)
{
	uint64_t end = load_now() + CARRIER_NS;
	char name[IFNAMSIZ];
	int err;

	memcpy(name, link->name, sizeof(name));
	while (load_now() < end && !load_stopped(opts)) {
		err = load_rtnl_get(rtnl, name, link);
		if (err)
			return load_fail(res, err, name, NULL, "see `ip link`");
		if (link->flags & IFF_LOWER_UP)
			return 0;
		load_sleep(10 * NSEC_PER_MSEC);
	}
	return load_fail(res, -ENETDOWN, name, "no carrier", "plug it in");
}

int load_rtnl_set_mtu(struct load_rtnl *rtnl, int ifindex, uint32_t mtu)
{
	char buf[BUF_LEN];
	struct nlmsghdr *nlh;

	link_request(buf, &nlh, RTM_NEWLINK, ifindex);
	mnl_attr_put_u32(nlh, IFLA_MTU, mtu);
	return talk(rtnl, nlh, NULL, NULL);
}

/* struct tc_netem_qopt counts in units of 64 ns (PSCHED_SHIFT, include/net/pkt_sched.h). */
int load_rtnl_add_jitter(struct load_rtnl *rtnl, int ifindex, unsigned int usec)
{
	struct tc_netem_qopt qopt = {
		.latency = usec * 1000 / 64,
		.jitter = usec * 1000 / 64,
		.limit = 1000,
	};
	char buf[BUF_LEN];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct tcmsg *tc;

	nlh->nlmsg_type = RTM_NEWQDISC;
	nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
	tc = mnl_nlmsg_put_extra_header(nlh, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = ifindex;
	tc->tcm_parent = TC_H_ROOT;
	mnl_attr_put_strz(nlh, TCA_KIND, "netem");
	mnl_attr_put(nlh, TCA_OPTIONS, sizeof(qopt), &qopt);
	return talk(rtnl, nlh, NULL, NULL);
}

int load_rtnl_move(struct load_rtnl *rtnl, int ifindex, int ns_fd)
{
	char buf[BUF_LEN];
	struct nlmsghdr *nlh;

	link_request(buf, &nlh, RTM_NEWLINK, ifindex);
	mnl_attr_put_u32(nlh, IFLA_NET_NS_FD, (uint32_t)ns_fd);
	return talk(rtnl, nlh, NULL, NULL);
}

int load_rtnl_del(struct load_rtnl *rtnl, int ifindex)
{
	char buf[BUF_LEN];
	struct nlmsghdr *nlh;

	link_request(buf, &nlh, RTM_DELLINK, ifindex);
	return talk(rtnl, nlh, NULL, NULL);
}

int load_rtnl_add_veth(struct load_rtnl *rtnl, const char *name, const char *peer, int peer_ns)
{
	struct nlattr *info, *data, *end;
	char buf[BUF_LEN];
	struct nlmsghdr *nlh;

	link_request(buf, &nlh, RTM_NEWLINK, 0);
	nlh->nlmsg_flags |= NLM_F_CREATE | NLM_F_EXCL;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	end = mnl_attr_nest_start(nlh, VETH_INFO_PEER);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(nlh, IFLA_IFNAME, peer);
	if (peer_ns >= 0)
		mnl_attr_put_u32(nlh, IFLA_NET_NS_FD, (uint32_t)peer_ns);
	mnl_attr_nest_end(nlh, end);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);
	return talk(rtnl, nlh, NULL, NULL);
}

static struct nlmsghdr *addr_request(char *buf, uint16_t type, int ifindex, uint32_t addr,
				     unsigned int prefix)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct ifaddrmsg *ifa;

	nlh->nlmsg_type = type;
	ifa = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifa));
	ifa->ifa_family = AF_INET;
	ifa->ifa_prefixlen = (uint8_t)prefix;
	ifa->ifa_index = (uint32_t)ifindex;
	mnl_attr_put_u32(nlh, IFA_LOCAL, htonl(addr));
	mnl_attr_put_u32(nlh, IFA_ADDRESS, htonl(addr));
	return nlh;
}

int load_rtnl_add_addr(struct load_rtnl *rtnl, int ifindex, uint32_t addr, unsigned int prefix,
		       unsigned int seconds)
{
	struct ifa_cacheinfo life = {.ifa_prefered = seconds, .ifa_valid = seconds};
	char buf[BUF_LEN];
	struct nlmsghdr *nlh = addr_request(buf, RTM_NEWADDR, ifindex, addr, prefix);

	nlh->nlmsg_flags |= NLM_F_CREATE | NLM_F_REPLACE;
	if (seconds)
		mnl_attr_put(nlh, IFA_CACHEINFO, sizeof(life), &life);
	return talk(rtnl, nlh, NULL, NULL);
}

int load_rtnl_del_addr(struct load_rtnl *rtnl, int ifindex, uint32_t addr, unsigned int prefix)
{
	char buf[BUF_LEN];
	struct nlmsghdr *nlh = addr_request(buf, RTM_DELADDR, ifindex, addr, prefix);

	return talk(rtnl, nlh, NULL, NULL);
}
