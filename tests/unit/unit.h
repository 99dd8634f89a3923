/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the unit tests share: cmocka with what it wants included first, and pools made by hand. */
#ifndef PPOOLTOP_UNIT_H
#define PPOOLTOP_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot.h"

#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define ALL_COUNTERS	  ((1u << PP_NR_COUNTERS) - 1)
#define UNIT_CPUS	  2

#define assert_nan(x)	  assert_true(isnan(x))
#define assert_near(x, y) assert_true(near((x), (y)))

static inline bool near(double x, double y)
{
	return fabs(x - y) < 1e-9 * (1 + fabs(y));
}

/* A snapshot taken @s seconds after boot. */
static inline void unit_snapshot(struct snapshot *snap, double s)
{
	snapshot_init(snap, UNIT_CPUS);
	snap->mono_ns = (uint64_t)(s * 1e9);
	snap->time = (struct timespec){1767323045, 678999999};
	snap->host.cpus = UNIT_CPUS;
	snap->host.page_size = 4096;
	snprintf(snap->host.name, sizeof(snap->host.name), "rx7");
	snprintf(snap->host.kernel, sizeof(snap->host.kernel), "6.1.0");
	snap->source.counters = "fentry";
	snap->source.state = "fentry";
	snap->source.level = "full";
}

/* A pool as the BPF source makes it: all is known, on device eth0. Good until the next one. */
static inline struct pool *unit_pool(struct snapshot *s, uint64_t address, uint32_t generation)
{
	struct pool *p = snapshot_add(s, true);

	assert_non_null(p);
	p->has = POOL_HAS_ADDRESS | POOL_HAS_PARAMS | POOL_HAS_BOOKS | POOL_HAS_INFLIGHT |
		 POOL_HAS_CPUS;
	p->counters_known = ALL_COUNTERS;
	p->cpus_known = ALL_COUNTERS;
	p->address = address;
	p->generation = generation;
	p->state = POOL_LIVE;
	snprintf(p->ifname, sizeof(p->ifname), "eth0");
	p->ifindex = 2;
	p->netns = 4026531840u;
	p->queue = 0;
	p->ring_size = 1024;
	return p;
}

#endif /* PPOOLTOP_UNIT_H */
