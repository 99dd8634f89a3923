// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static bool matches(const struct pool *p, const struct filter *f)
{
	char inode[16];

	snprintf(inode, sizeof(inode), "%u", p->netns);
	if (f->device && strcmp(f->device, p->ifname) != 0)
		return false;
	if (f->id && f->id != p->id)
		return false;
	return !f->netns || !strcmp(f->netns, p->netns_name) || !strcmp(f->netns, inode);
}

void snapshot_filter(struct snapshot *s, const struct filter *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nr_pools; i++) {
		if (matches(&s->pools[i], f))
			s->pools[kept++] = s->pools[i];
		else
			free(s->pools[i].cpus);
	}
	s->nr_pools = kept;
}
