/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What snapshots mean: differences, rates, ratios, sums per device, and whether the books balance.
 */
#ifndef PPOOLTOP_MODEL_H
#define PPOOLTOP_MODEL_H

#include "snapshot.h"

/* What is computed for a pool, a device or everything. Unknown figures are NAN. */
struct figures {
	double rate[PP_NR_COUNTERS]; /* per second, over the interval */
	double recycle_ratio;	     /* 0 to 1 */
};

struct model_pool {
	const struct pool *pool;   /* in the model's snapshot */
	const struct pool *before; /* the same one snapshot ago, or NULL */
	size_t device;		   /* of the model's devices */
	struct figures figures;
	/* of a destroyed pool: over all the time it was seen to be so */
	double drain_rate;   /* pages/s that came back; 0: flat, NAN: not known */
	double drain_left_s; /* until all are back at that rate; NAN: flat or not known */
	/* where that time began; 0: not destroyed, or its pages are not known */
	uint64_t drain_from_ns;
	int64_t drain_from; /* pages */
};

struct model_device {
	char ifname[16]; /* empty: pools without a device */
	int ifindex;
	uint32_t netns;
	char netns_name[SNAP_NAMELEN];
	char driver[SNAP_NAMELEN];

	unsigned int pools; /* that are there now */
	unsigned int parts; /* pools and past that counters_known speaks of */
	bool others;	    /* not one device, but those too many to be told apart */
	int64_t inflight;   /* pages; pools in state impossible are left out */
	uint64_t inflight_bytes;
	bool inflight_known;
	uint32_t counters_known;
	struct counters total;	/* of all its pools, those gone included: never goes backwards */
	struct counters before; /* total one snapshot ago */
	uint32_t before_known;	/* and what was known of it */
	struct counters gone;	/* part of total: pools that vanished without a word */
	struct figures figures;
};

struct model {
	struct snapshot now;
	struct snapshot before;
	double interval_s; /* between the two, NAN with only one */
	struct model_pool *pools;
	size_t nr_pools;
	struct model_device *devices;
	size_t nr_devices;
	struct model_device totals;
};

void model_init(struct model *m);
void model_free(struct model *m);

/*
 * The model's next snapshot is @s, which the model then owns (@s is left empty). Pools in state
 * dead are not listed: their device's past has them. Returns 0 or -ENOMEM.
 */
int model_update(struct model *m, struct snapshot *s);

/* One and the same? One that netlink alone knew has no address before BPF meets it. */
bool model_same_pool(const struct pool *p, const struct pool *q);

/* The pool @p in another snapshot, or NULL; most likely it is where it was before, at @hint. */
const struct pool *model_find_pool(const struct snapshot *s, const struct pool *p, size_t hint);

/* The device like @d in another model's list, or NULL. */
const struct model_device *model_find_device(const struct model_device *list, size_t nr,
					     const struct model_device *d);

/* Is counter @i among @known, the bits PP_x of a pool or device? */
bool counter_known(uint32_t known, enum pp_counter i);

/* Is any of the counters not 0? */
bool counted_anything(const struct counters *n);

/* Is all known that recycle_ratio() needs? */
bool ratio_known(uint32_t known);

/*
 * Pages recycled per page allocated: (cached + ring) / (fast + refill + slow + slow_high_order), at
 * most 1. NAN when nothing was allocated or a term is not known. @n: PP_NR_COUNTERS values.
 */
double recycle_ratio(const double *n, uint32_t known);

/* What is kept of a snapshot, by -d, -P and -n. */
struct filter {
	const char *device; /* interface name, or NULL */
	const char *netns;  /* name or inode number, or NULL */
	uint32_t id;	    /* the kernel's pool id, or 0 */
};

/* Drop pools that do not match @f from @s. */
void snapshot_filter(struct snapshot *s, const struct filter *f);

#endif /* PPOOLTOP_MODEL_H */
