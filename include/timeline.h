/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures over time in bounded memory: a point for each interval, and when there is no room for
 * more, neighbours are merged and each point stands for twice as many intervals. A rate is then the
 * mean of what was known; of pages in flight the least and the most are kept, so that a short peak
 * of a long day is still there.
 */
#ifndef PPOOLTOP_TIMELINE_H
#define PPOOLTOP_TIMELINE_H

#include <stddef.h>

#include "counters.h"

/* One interval. Times are seconds since whatever the timeline begins with; NAN is not known. */
struct sample {
	double from_s, to_s;
	double rate[PP_NR_COUNTERS];
	double inflight; /* pages at its end */
};

/* As single precision: a chart shows no more, and there are thousands. */
struct point {
	float from_s, to_s;
	float seconds; /* of intervals in it: less than to_s - from_s where there was a gap */
	float rate[PP_NR_COUNTERS];
	float least, most; /* pages in flight */
};

struct timeline {
	struct point *points;
	size_t nr, cap;
	size_t max;	   /* even, 2 or more */
	unsigned int per;  /* intervals that a point stands for */
	unsigned int last; /* that are in the last point so far */
};

void timeline_init(struct timeline *s, size_t max);
void timeline_free(struct timeline *s);

/* 0 or -ENOMEM: not kept. */
int timeline_add(struct timeline *s, const struct sample *sample);

/* Pages recycled per page allocated, as recycle_ratio() has it; NAN where that is not known. */
double point_ratio(const struct point *p);

#endif /* PPOOLTOP_TIMELINE_H */
