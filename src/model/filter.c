// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static bool in_netns(uint32_t netns, const char *name, const struct filter *f)
{
	char inode[16];

	snprintf(inode, sizeof(inode), "%u", netns);
	return !f->netns || !strcmp(f->netns, name) || !strcmp(f->netns, inode);
}

static bool matches(const struct pool *p, const struct filter *f)
{
	if (f->device && strcmp(f->device, p->ifname) != 0)
		return false;
	if (f->id && f->id != p->id)
		return false;
	return in_netns(p->netns, p->netns_name, f);
}

/* By the name the device has now, if a pool knows it: one that is destroyed has that of then. */
static bool past_matches(const struct past *past, const struct snapshot *s, const struct filter *f)
{
	const char *ifname = past->ifname;

	if (f->id || past->others)
		return false; /* a sum is of no one pool, and these are of no one device */
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pool *p = &s->pools[i];

		if (p->ifindex == past->ifindex && p->netns == past->netns && p->ifname[0] &&
		    !(p->has & POOL_HAS_DESTROYED))
			ifname = p->ifname;
	}
	if (f->device && strcmp(f->device, ifname) != 0)
		return false;
	return in_netns(past->netns, past->netns_name, f);
}

/* What it counted before it moved is in no past any more: it stays with the pool. */
static void keep_alone(struct pool *p)
{
	memset(&p->elsewhere, 0, sizeof(p->elsewhere));
	p->counted_apart = 0;
}

void snapshot_filter(struct snapshot *s, const struct filter *f)
{
	size_t kept = 0;

	if (!f->device && !f->netns && !f->id)
		return;
	for (size_t i = 0; i < s->nr_past; i++)
		if (past_matches(&s->past[i], s, f))
			s->past[kept++] = s->past[i];
	s->nr_past = kept;
	kept = 0;
	for (size_t i = 0; i < s->nr_pools; i++) {
		if (matches(&s->pools[i], f))
			s->pools[kept++] = s->pools[i];
		else
			free(s->pools[i].cpus);
	}
	for (size_t i = 0; f->id && i < kept; i++)
		keep_alone(&s->pools[i]);
	s->nr_pools = kept;
}
