/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as a whole: what was counted from its start to its end, and its course. */
#ifndef PPOOLTOP_RECORDING_H
#define PPOOLTOP_RECORDING_H

#include "model.h"
#include "timeline.h"

/* Points kept of the totals, of a device, and of a pool; and pools of which any are kept. */
#define TOTALS_POINTS	480
#define DEVICE_POINTS	240
#define POOL_POINTS	120
#define RECORDING_POOLS 4096

/* What something counted while it was seen, which may be known of some counters only at times. */
struct track {
	uint64_t gained[PP_NR_COUNTERS]; /* in the intervals of which it is known */
	double known_s[PP_NR_COUNTERS];	 /* how long these were */
	double seconds;			 /* all intervals; 0: nothing is known over time */
	struct timeline timeline;
};

struct pool_track {
	struct track track;
	struct pool pool; /* as it was seen last; without CPUs */
	double seen_s;	  /* when that was */
	/* in the list of the recording's last model, or NULL: it is gone */
	const struct model_pool *mp;
};

struct recording {
	const char *file; /* what it was read from, or NULL */
	struct model m;	  /* at its end */
	double seconds;	  /* from its start to its end */
	unsigned long intervals;
	bool mixed;	  /* more than one host, kernel or source */
	uint64_t from_ns; /* the model's clock at its start */
	struct track totals;
	struct track *devices; /* of those of the model, in its order */
	size_t nr_devices;
	struct pool_track *pools; /* in the order they were met */
	size_t nr_pools, cap_pools;
	size_t left_out; /* pools there was no room for */
};

void recording_init(struct recording *r);
void recording_free(struct recording *r);

/* Add what @m has, after each model_update() of it. 0 or -ENOMEM. */
int recording_add(struct recording *r, const struct model *m);

/* There is no more: the model is the recording's from now on, and @m is left empty. */
void recording_end(struct recording *r, struct model *m);

/* @s seconds after its start by the clock; tv_sec 0: no time is known. */
struct timespec recording_time(const struct recording *r, double s);

/* Is it known in every interval what it counted? */
bool track_is_whole(const struct track *t, enum pp_counter i);

/* Per second, on average over the time it is known of; NAN: never. */
double track_rate(const struct track *t, enum pp_counter i);

/*
 * Make @n these rates, or where there is no interval the counts @total, of which @known are known.
 * Returns which are known.
 */
uint32_t track_figures(const struct track *t, const struct counters *total, uint32_t known,
		       double *n);

/* Pages allocated per second, by whatever path; NAN: not known. */
double track_alloc(const struct track *t);

#endif /* PPOOLTOP_RECORDING_H */
