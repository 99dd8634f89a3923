// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two NICs of this machine that are joined outside of it.
 *
 * The first NIC stays where netlink shows its pools. The second one goes to a private namespace,
 * else the kernel would see that both addresses are its own and use the loopback. When that
 * namespace ends, however the process died, the kernel moves the NIC back to the initial one
 * (default_device_exit_net(), net/core/dev.c).
 */
#include <errno.h>
#include <sched.h>

#include "priv.h"

/* The address on the NIC that stays removes itself if we are killed. */
#define ADDR_S	      600
#define ADDR_RENEW_NS (60 * NSEC_PER_SEC)

static int get_link(struct load_joined *j, const char *name, struct load_link *link)
{
	int err = load_rtnl_get(&j->rtnl, name, link);

	return err ? load_fail(j->res, err, name, NULL, "see `ip link` for the devices") : 0;
}

static int find_named(struct load_joined *j)
{
	int err;

	err = get_link(j, j->opts->device[0], &j->near);
	if (!err)
		err = get_link(j, j->opts->device[1], &j->far);
	if (!err && j->near.ifindex == j->far.ifindex)
		err = load_fail(j->res, -EINVAL, j->near.name, "the same device twice",
				"name two of them, or none");
	return err;
}

static int find_any(struct load_joined *j)
{
	const char *mode = load_modes[j->opts->mode].name;
	char first[IFNAMSIZ], second[IFNAMSIZ];
	int err;

	err = load_sysdev_find(NULL, NULL, first);
	if (!err)
		err = load_sysdev_find(NULL, first, second);
	if (err)
		return load_fail(j->res, -EOPNOTSUPP, mode, "this machine has no two NICs",
				 "give it two that are joined, and name them with -d");
	err = get_link(j, first, &j->near);
	if (!err)
		err = get_link(j, second, &j->far);
	/* Moving a NIC takes its addresses away: that is not for us to decide. */
	if (!err && j->far.flags & IFF_UP)
		err = load_fail(j->res, -EOPNOTSUPP, second, "found, but in use",
				"name two with -d; the second one loses its addresses");
	return err;
}

static int find_devices(struct load_joined *j)
{
	const char *const *device = j->opts->device;

	if (!device[0] != !device[1])
		return load_fail(j->res, -EINVAL, load_modes[j->opts->mode].name,
				 "one device is not enough", "name two of them, or none");
	return device[0] ? find_named(j) : find_any(j);
}

/* A private namespace, seen from home: only a socket for it is opened inside. */
static int make_far(struct load_joined *j)
{
	int err;

	err = load_ns_enter(&j->ns, j->res);
	if (err)
		return err;
	err = load_rtnl_open(&j->rtnl_far);
	if (setns(j->ns.home, CLONE_NEWNET))
		err = -errno;
	if (err)
		return load_fail(j->res, err, "making a namespace", NULL, "see dmesg");
	return 0;
}

static int add_addr(struct load_joined *j)
{
	j->renewed = load_now();
	return load_rtnl_add_addr(&j->rtnl, j->near.ifindex, LOAD_ADDR_RX, LOAD_PREFIX, ADDR_S);
}

int load_joined_renew(struct load_joined *j)
{
	return load_now() - j->renewed > ADDR_RENEW_NS ? add_addr(j) : 0;
}

static int set_up(struct load_joined *j)
{
	struct load_link moved;
	int err;

	load_set_device(j->res, 0, j->near.name);
	load_set_device(j->res, 1, j->far.name);
	err = load_rtnl_move(&j->rtnl, j->far.ifindex, j->ns.fd);
	if (err)
		return load_fail(j->res, err, j->far.name, NULL,
				 "name a NIC that can be moved to a namespace");
	err = load_rtnl_get(&j->rtnl_far, j->far.name, &moved);
	if (!err) {
		j->far_index = moved.ifindex;
		err = load_rtnl_add_addr(&j->rtnl_far, moved.ifindex, LOAD_ADDR_TX, LOAD_PREFIX, 0);
	}
	if (!err)
		err = load_rtnl_set_up(&j->rtnl_far, moved.ifindex, true);
	if (!err)
		err = add_addr(j);
	j->addr = !err;
	if (!err)
		err = load_rtnl_set_up(&j->rtnl, j->near.ifindex, true);
	return err ? load_fail(j->res, err, "setting up the NICs", NULL, "see dmesg") : 0;
}

int load_joined_open(struct load_joined *j, const struct load_opts *opts, struct load_result *res)
{
	int err;

	*j = (struct load_joined){.opts = opts, .res = res, .ns = LOAD_NS_NONE};
	err = load_rtnl_open(&j->rtnl);
	if (err)
		return load_fail(res, err, "opening rtnetlink", NULL, "see dmesg");
	err = find_devices(j);
	if (!err)
		err = make_far(j);
	if (!err)
		err = set_up(j);
	return err;
}

int load_joined_socket(struct load_joined *j, int (*make)(void))
{
	int fd;

	if (setns(j->ns.fd, CLONE_NEWNET))
		return -errno;
	fd = make();
	if (setns(j->ns.home, CLONE_NEWNET))
		return -errno;
	return fd;
}

void load_joined_close(struct load_joined *j)
{
	if (j->far_index && !load_rtnl_move(&j->rtnl_far, j->far_index, j->ns.home) &&
	    j->far.flags & IFF_UP && !load_rtnl_get(&j->rtnl, j->far.name, &j->far))
		load_rtnl_set_up(&j->rtnl, j->far.ifindex, true);
	if (j->addr)
		load_rtnl_del_addr(&j->rtnl, j->near.ifindex, LOAD_ADDR_RX, LOAD_PREFIX);
	if (j->near.ifindex && !(j->near.flags & IFF_UP))
		load_rtnl_set_up(&j->rtnl, j->near.ifindex, false);
	load_rtnl_close(&j->rtnl_far);
	load_rtnl_close(&j->rtnl);
	load_ns_leave(&j->ns);
}
