/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two recordings side by side: before and after. */
#ifndef PPOOLTOP_COMPARE_H
#define PPOOLTOP_COMPARE_H

#include "recording.h"

enum { BEFORE, AFTER, NR_SIDES };

extern const char *const compare_sides[NR_SIDES]; /* "before" and "after" */

/* A device, or the totals, in the one recording and in the other; NULL where it is in one alone. */
struct pair {
	const struct model_device *device[NR_SIDES];
	const struct track *track[NR_SIDES];
};

struct comparison {
	const struct recording *r[NR_SIDES];
	struct pair totals;
	struct pair *devices; /* those of before in its order, and then those of after alone */
	size_t nr_devices;
};

/*
 * Devices go together by name and namespace, or else by name, since a namespace without a name has
 * another number after each boot. The recordings must outlive it. 0 or -ENOMEM.
 */
int compare_recordings(struct comparison *c, const struct recording *before,
		       const struct recording *after);
void comparison_free(struct comparison *c);

/* Is the device in both? */
bool pair_is_whole(const struct pair *p);

/* Any of the two. */
const struct model_device *pair_device(const struct pair *p);

/* What is compared: the counters by number, and then these. */
enum {
	FIGURE_RATIO = PP_NR_COUNTERS,
	FIGURE_INFLIGHT,
	FIGURE_POOLS,
	NR_FIGURES,
};

enum figure_unit {
	UNIT_RATE, /* per second, on average */
	UNIT_PART, /* of 1 */
	UNIT_COUNT,
};

struct figure {
	const char *name;
	enum figure_unit unit;
	const char *help;
};

extern const struct figure compared[NR_FIGURES];

/* NAN: not known. */
struct difference {
	double value[NR_SIDES];
	double by;   /* after less before */
	double part; /* by / before; NAN also where before is 0, and of a part of something */
};

void pair_difference(const struct pair *p, int figure, struct difference *d);

#endif /* PPOOLTOP_COMPARE_H */
