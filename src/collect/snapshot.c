// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

const char *const counter_paths[PP_NR_COUNTERS] = {
#define PP_X(ID, side, key, ...) #side "." #key,
	PP_COUNTERS(PP_X)
#undef PP_X
};

const char *const pool_state_names[POOL_NR_STATES] = {
	[POOL_LIVE] = "live",	  [POOL_DRAINING] = "draining",	    [POOL_STUCK] = "stuck",
	[POOL_SYSTEM] = "system", [POOL_IMPOSSIBLE] = "impossible", [POOL_DEAD] = "dead",
};

/* PP_FLAG_*, include/net/page_pool/types.h, bit by bit; bit 2 is told apart by collect/ */
const char *const pool_flag_names[NR_POOL_FLAGS] = {
	"dma_map", "dma_sync_dev", "page_frag", "allow_unreadable_netmem", "system_pool",
};

/* enum dma_data_direction, include/linux/dma-direction.h */
const char *const dma_dir_names[NR_DMA_DIRS] = {
	"bidirectional",
	"to_device",
	"from_device",
	"none",
};

void snapshot_init(struct snapshot *s, int nr_cpus)
{
	memset(s, 0, sizeof(*s));
	s->nr_cpus = nr_cpus;
}

void snapshot_clear(struct snapshot *s)
{
	for (size_t i = 0; i < s->nr_pools; i++)
		free(s->pools[i].cpus);
	free(s->pools);
	s->pools = NULL;
	s->nr_pools = 0;
	s->cap_pools = 0;
	free(s->past);
	s->past = NULL;
	s->nr_past = 0;
}

void snapshot_free(struct snapshot *s)
{
	snapshot_clear(s);
	snapshot_init(s, s->nr_cpus);
}

/* The past, and pools without their CPUs. */
static int copy_lists(struct snapshot *to, const struct snapshot *from)
{
	to->past = calloc(from->nr_past + 1, sizeof(*to->past));
	to->pools = calloc(from->nr_pools + 1, sizeof(*to->pools));
	if (!to->past || !to->pools)
		return -ENOMEM;
	if (from->nr_past)
		memcpy(to->past, from->past, from->nr_past * sizeof(*to->past));
	to->nr_past = from->nr_past;
	for (size_t i = 0; i < from->nr_pools; i++) {
		to->pools[i] = from->pools[i];
		to->pools[i].cpus = NULL;
	}
	to->nr_pools = from->nr_pools;
	to->cap_pools = from->nr_pools + 1;
	return 0;
}

int snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
	const size_t size = (size_t)from->nr_cpus * sizeof(*from->pools->cpus);
	int err;

	*to = *from;
	to->pools = NULL;
	to->nr_pools = 0;
	to->past = NULL;
	to->nr_past = 0;
	err = copy_lists(to, from);
	for (size_t i = 0; !err && i < from->nr_pools; i++) {
		if (!from->pools[i].cpus)
			continue;
		to->pools[i].cpus = malloc(size ? size : 1);
		if (to->pools[i].cpus)
			memcpy(to->pools[i].cpus, from->pools[i].cpus, size);
		else
			err = -ENOMEM;
	}
	if (err)
		snapshot_free(to);
	return err;
}

struct pool *snapshot_add(struct snapshot *s, bool cpus)
{
	struct pool *p;

	if (s->nr_pools == s->cap_pools) {
		size_t cap = s->cap_pools ? 2 * s->cap_pools : 16;

		p = realloc(s->pools, cap * sizeof(*p));
		if (!p)
			return NULL;
		s->pools = p;
		s->cap_pools = cap;
	}
	p = &s->pools[s->nr_pools];
	memset(p, 0, sizeof(*p));
	p->queue = -1;
	p->nid = -1;
	if (cpus) {
		p->cpus = calloc((size_t)s->nr_cpus, sizeof(*p->cpus));
		if (!p->cpus)
			return NULL;
	}
	s->nr_pools++;
	return p;
}

struct past *snapshot_add_past(struct snapshot *s)
{
	struct past *d = realloc(s->past, (s->nr_past + 1) * sizeof(*d));

	if (!d)
		return NULL;
	s->past = d;
	d += s->nr_past++;
	memset(d, 0, sizeof(*d));
	return d;
}

int64_t snapshot_inflight(uint32_t hold, uint32_t release)
{
	return (int32_t)(hold - release);
}

struct pool *snapshot_find_id(struct snapshot *s, uint32_t id)
{
	for (size_t i = 0; i < s->nr_pools; i++)
		if ((s->pools[i].has & POOL_HAS_ID) && s->pools[i].id == id)
			return &s->pools[i];
	return NULL;
}
