/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last ten minutes, snapshot by snapshot.
 *
 * Bounded: a snapshot is kept as its difference to the one before, and every 60th whole, so that an
 * idle pool costs a few bytes and a busy one some thirty. All together takes at most 8 MiB and 12
 * KiB for each pool; where that is not enough the oldest go early. What CPUs did is kept of up to
 * HISTORY_CPUS pairs of pool and CPU; beyond, the past knows pools only.
 */
#ifndef PPOOLTOP_HISTORY_H
#define PPOOLTOP_HISTORY_H

#include "model.h"

#define HISTORY_S    600
#define HISTORY_CPUS 8192

/* What charts show of a snapshot: rates over the interval that it ends. */
struct history_point {
	struct timespec time;
	uint64_t mono_ns;
	uint32_t known; /* bit PP_x: rate[PP_x] is known */
	double rate[PP_NR_COUNTERS];
	double recycle_ratio;
};

struct history;

/* NULL: memory is out. */
struct history *history_new(void);
void history_free(struct history *h);

/* Keep what @m has as now. Call it after each model_update() of @m. 0 or -ENOMEM: not kept. */
int history_push(struct history *h, const struct model *m);

/* How many snapshots there are; number 0 is the oldest. */
size_t history_count(const struct history *h);

/* How many were dropped so far: number @n was number @n + dropped in the beginning. */
uint64_t history_dropped(const struct history *h);

/* @n must be below history_count(). Good until the next push. */
const struct history_point *history_point(const struct history *h, size_t n);

/* Make @m, which is freed first, the model as it was at number @n. 0 or -ENOMEM. */
int history_model(struct history *h, size_t n, struct model *m);

/*
 * Call @each for the numbers @from to @to, both included, with the pool that is like @p then, or
 * NULL; 0 or -ENOMEM.
 */
int history_pool(struct history *h, size_t from, size_t to, const struct pool *p,
		 void (*each)(const struct pool *p, uint64_t mono_ns, void *arg), void *arg);

/* Bytes in use. */
size_t history_bytes(const struct history *h);

#endif /* PPOOLTOP_HISTORY_H */
