// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows: what the columns print. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"

static void begin(struct row *r, enum row_kind kind, const struct model *m,
		  const struct row_opts *opts)
{
	memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->m = m;
	r->cpu = -1;
	r->glyphs = opts->glyphs;
	r->ratio = NAN;
}

/* Counts since the base, each @scale times; they can have been put right by one or two since then.
 */
static void add_scaled(struct row *r, const struct counters *now, const struct counters *base,
		       double scale)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		uint64_t from = base ? base->n[i] : 0;

		if (now->n[i] > from)
			r->n[i] += (double)(now->n[i] - from) * scale;
	}
}

static void add_counts(struct row *r, const struct counters *now, const struct counters *base)
{
	add_scaled(r, now, base, 1);
}

static void add_rates(struct row *r, const double *rate)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		r->n[i] += isnan(rate[i]) ? 0 : rate[i];
}

void row_device(struct row *r, const struct model *m, const struct model_device *d,
		const struct row_opts *opts)
{
	bool counts = opts->counts || isnan(m->interval_s);
	const struct model_device *base = NULL;

	begin(r, ROW_DEVICE, m, opts);
	r->device = d;
	r->known = d->counters_known;
	r->inflight_known = d->inflight_known;
	r->inflight = d->inflight;
	r->bytes = d->inflight_bytes;
	if (counts && opts->base)
		base = d == &m->totals
			       ? &opts->base->totals
			       : model_find_device(opts->base->devices, opts->base->nr_devices, d);
	if (counts)
		add_counts(r, &d->total, base ? &base->total : NULL);
	else
		add_rates(r, d->figures.rate);
	r->ratio = counts ? recycle_ratio(r->n, r->known) : d->figures.recycle_ratio;
}

static const struct pool *base_pool(const struct base *b, const struct model *m,
				    const struct pool *p)
{
	return b ? model_find_pool(&b->snap, p, (size_t)(p - m->now.pools)) : NULL;
}

void row_pools(struct row *r, const struct model *m, const struct model_pool *const *pools,
	       unsigned int nr, const struct row_opts *opts)
{
	bool counts = opts->counts || isnan(m->interval_s);

	begin(r, nr > 1 ? ROW_GROUP : ROW_POOL, m, opts);
	r->pools = pools;
	r->nr = nr;
	r->known = pools[0]->pool->counters_known;
	r->inflight_known = pools[0]->pool->has & POOL_HAS_INFLIGHT;
	for (unsigned int i = 0; i < nr; i++) {
		const struct pool *p = pools[i]->pool, *base = NULL;

		r->known &= p->counters_known;
		r->inflight = (int64_t)((uint64_t)r->inflight + (uint64_t)p->inflight);
		r->bytes += p->inflight_bytes;
		if (counts)
			base = base_pool(opts->base, m, p);
		if (counts)
			add_counts(r, &p->total, base ? &base->total : NULL);
		else
			add_rates(r, pools[i]->figures.rate);
	}
	r->ratio = nr == 1 && !counts ? pools[0]->figures.recycle_ratio
				      : recycle_ratio(r->n, r->known);
}

/* What @cpu did for one pool. */
static void add_cpu(struct row *r, const struct model_pool *mp, int cpu,
		    const struct row_opts *opts)
{
	bool counts = opts->counts || isnan(r->m->interval_s);
	const struct pool *p = mp->pool;
	const struct pool *base = counts ? base_pool(opts->base, r->m, p) : mp->before;

	add_scaled(r, &p->cpus[cpu], base && base->cpus ? &base->cpus[cpu] : NULL,
		   counts ? 1 : 1 / r->m->interval_s);
}

void row_cpu(struct row *r, const struct model *m, const struct model_pool *const *pool, int cpu,
	     enum row_kind kind, const struct row_opts *opts)
{
	begin(r, kind, m, opts);
	r->pools = pool;
	r->nr = 1;
	r->cpu = cpu;
	r->known = pool[0]->pool->cpus_known;
	add_cpu(r, pool[0], cpu, opts);
	r->ratio = NAN;
}

void row_cpu_sum(struct row *r, const struct model *m, int cpu, const struct row_opts *opts)
{
	begin(r, ROW_CPU_SUM, m, opts);
	r->cpu = cpu;
	r->known = UINT32_MAX;
	for (size_t i = 0; i < m->nr_pools; i++) {
		if (!m->pools[i].pool->cpus)
			continue;
		r->known &= m->pools[i].pool->cpus_known;
		add_cpu(r, &m->pools[i], cpu, opts);
	}
}

void base_free(struct base *b)
{
	snapshot_free(&b->snap);
	free(b->devices);
	memset(b, 0, sizeof(*b));
}

int base_take(struct base *b, const struct model *m)
{
	base_free(b);
	b->devices = calloc(m->nr_devices + 1, sizeof(*b->devices));
	if (!b->devices)
		return -ENOMEM;
	b->nr_devices = m->nr_devices;
	if (m->nr_devices)
		memcpy(b->devices, m->devices, m->nr_devices * sizeof(*b->devices));
	b->totals = m->totals;
	return snapshot_copy(&b->snap, &m->now);
}
