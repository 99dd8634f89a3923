// SPDX-License-Identifier: GPL-2.0-or-later
/* A veth pair in the namespace of the calling thread. */
#include <errno.h>

#include "priv.h"

static int pair_set(struct load_pair *pair, struct load_rtnl *rtnl, const char *const names[2],
		    bool up)
{
	int err;

	err = load_rtnl_get(rtnl, names[0], &pair->near);
	if (!err)
		err = load_rtnl_get(rtnl, names[1], &pair->peer);
	if (!err && up)
		err = load_rtnl_set_up(rtnl, pair->near.ifindex, true);
	if (!err && up)
		err = load_rtnl_set_up(rtnl, pair->peer.ifindex, true);
	return err;
}

int load_pair_make(struct load_pair *pair, struct load_rtnl *rtnl, const char *const names[2],
		   bool up, struct load_result *res)
{
	int err;

	pair->made = false;
	err = load_rtnl_add_veth(rtnl, names[0], names[1], -1);
	if (err)
		return load_fail(res, err, "making a veth pair",
				 err == -EOPNOTSUPP ? "this kernel has no veth" : NULL,
				 "load the veth module, or name a device");
	pair->made = true;
	err = pair_set(pair, rtnl, names, up);
	if (err)
		return load_fail(res, err, "setting up a veth pair", NULL, "see dmesg");
	return 0;
}

void load_pair_remove(struct load_pair *pair, struct load_rtnl *rtnl)
{
	/* The namespace's end would do it too, but some time later. */
	if (pair->made)
		load_rtnl_del(rtnl, pair->near.ifindex);
	pair->made = false;
}
