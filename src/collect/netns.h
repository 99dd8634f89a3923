/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of network namespaces. */
#ifndef PPOOLTOP_COLLECT_NETNS_H
#define PPOOLTOP_COLLECT_NETNS_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

struct netns_name {
	uint32_t inode;
	char name[SNAP_NAMELEN];
};

/* All names seen so far: a namespace's is kept when it is gone, as pools can outlive it. */
struct netns_names {
	struct netns_name *list;
	size_t nr;
};

/* Learn the names there are now. */
void netns_learn(struct netns_names *names);

/* Fill in netns_name of pools and past devices whose namespace has a name. */
void netns_name_pools(const struct netns_names *names, struct snapshot *s);

void netns_forget(struct netns_names *names);

#endif /* PPOOLTOP_COLLECT_NETNS_H */
