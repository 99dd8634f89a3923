// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define RATIO_TERMS                                                                   \
	(1u << PP_FAST | 1u << PP_REFILL | 1u << PP_SLOW | 1u << PP_SLOW_HIGH_ORDER | \
	 1u << PP_CACHED | 1u << PP_RING)

void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	m->interval_s = NAN;
}

void model_free(struct model *m)
{
	snapshot_free(&m->now);
	snapshot_free(&m->before);
	free(m->pools);
	free(m->devices);
	free(m->gone);
	model_init(m);
}

bool counter_known(uint32_t known, enum pp_counter i)
{
	return known & (1u << i);
}

double recycle_ratio(const double *n, uint32_t known)
{
	double taken = n[PP_FAST] + n[PP_REFILL] + n[PP_SLOW] + n[PP_SLOW_HIGH_ORDER];
	double back = n[PP_CACHED] + n[PP_RING];

	if ((known & RATIO_TERMS) != RATIO_TERMS || !(taken > 0))
		return NAN;
	/* More can come back than was taken in an interval: pages taken before it. */
	return back < taken ? back / taken : 1;
}

/*
 * Rates over the interval, and the ratio over the interval or, without one, over all. A counter
 * that was put right in between can be a little lower than before; that is no negative rate.
 */
static void figure(struct figures *f, const struct counters *now, const struct counters *before,
		   uint32_t known, double interval_s)
{
	double n[PP_NR_COUNTERS];

	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		int64_t delta = (int64_t)(now->n[i] - (before ? before->n[i] : 0));

		n[i] = delta > 0 ? (double)delta : 0;
		f->rate[i] = counter_known(known, (enum pp_counter)i) && interval_s > 0
				     ? n[i] / interval_s
				     : NAN;
	}
	if (!(interval_s > 0))
		for (int i = 0; i < PP_NR_COUNTERS; i++)
			n[i] = (double)now->n[i];
	f->recycle_ratio = recycle_ratio(n, known);
}

/* The pool @p in another snapshot, or NULL. */
static const struct pool *find_pool(const struct snapshot *s, const struct pool *p)
{
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pool *q = &s->pools[i];

		if (q->address == p->address && q->generation == p->generation && q->id == p->id)
			return q;
	}
	return NULL;
}

/*
 * What went into ring and cache less what came out is what is in them. The counters say how many:
 * the ring gets `ring` pages and loses `moved` and `waive`; the cache gets `cached`, `fetched` and
 * `moved`, and loses one page for each fast, slow and refill, and all at a change of node. Only a
 * pool at rest can be audited by numbers that were not read in one instant.
 */
static struct audit audit(const struct pool *p, const struct pool *before)
{
	const uint64_t *n = p->total.n;
	struct audit a = {0};
	int64_t ring, cache;

	if (!before || !(p->has & POOL_HAS_BOOKS) || !(p->has & POOL_HAS_CPUS) ||
	    p->counters_known != (1u << PP_NR_COUNTERS) - 1 ||
	    (p->state != POOL_LIVE && p->state != POOL_SYSTEM) ||
	    memcmp(&p->total, &before->total, sizeof(p->total)) != 0)
		return a;
	ring = (int64_t)(p->base_ring + n[PP_RING] - n[PP_MOVED] - n[PP_WAIVE]) - p->ring;
	cache = (int64_t)(p->base_cache + n[PP_CACHED] + n[PP_FETCHED] + n[PP_MOVED] -
			  (n[PP_FAST] - n[PP_SHARED]) - n[PP_SLOW] - n[PP_REFILL] - n[PP_FLUSHED]) -
		p->cache;
	a.known = true;
	a.unaccounted = llabs(ring) + llabs(cache);
	return a;
}

static bool same_device(const struct model_device *d, const struct pool *p)
{
	return d->netns == p->netns && d->ifindex == p->ifindex &&
	       (d->ifindex || !strcmp(d->ifname, p->ifname));
}

/* The device of @p, made if it is new; named as the newest pool says, for renames. */
static struct model_device *device_of(struct model *m, const struct pool *p)
{
	struct model_device *d = NULL;

	for (size_t i = 0; i < m->nr_devices && !d; i++)
		if (same_device(&m->devices[i], p))
			d = &m->devices[i];
	if (!d) {
		d = realloc(m->devices, (m->nr_devices + 1) * sizeof(*d));
		if (!d)
			return NULL;
		m->devices = d;
		d += m->nr_devices++;
		memset(d, 0, sizeof(*d));
		d->netns = p->netns;
		d->ifindex = p->ifindex;
	}
	if (p->ifname[0])
		memcpy(d->ifname, p->ifname, sizeof(d->ifname));
	if (p->netns_name[0])
		memcpy(d->netns_name, p->netns_name, sizeof(d->netns_name));
	if (p->driver[0])
		memcpy(d->driver, p->driver, sizeof(d->driver));
	return d;
}

static void add_counters(struct counters *sum, const struct counters *n)
{
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		sum->n[i] += n->n[i];
}

static void add_pool(struct model_device *d, const struct pool *p)
{
	d->counters_known = d->pools ? d->counters_known & p->counters_known : p->counters_known;
	d->pools++;
	add_counters(&d->total, &p->total);
	if (!(p->has & POOL_HAS_INFLIGHT) || p->state == POOL_IMPOSSIBLE)
		return;
	d->inflight_known = true;
	d->inflight += p->inflight;
	d->inflight_bytes += p->inflight_bytes;
}

static bool was_gone(const struct model *m, const struct pool *p)
{
	for (size_t i = 0; i < m->nr_gone; i++)
		if (m->gone[i].address == p->address && m->gone[i].generation == p->generation)
			return true;
	return false;
}

/* Fold the dead pools of the snapshot into their devices, each once. */
static int fold_gone(struct model *m)
{
	struct gone_pool *gone = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < m->now.nr_pools; i++)
		nr += m->now.pools[i].state == POOL_DEAD;
	if (nr) {
		gone = calloc(nr, sizeof(*gone));
		if (!gone)
			return -ENOMEM;
	}
	nr = 0;
	for (size_t i = 0; i < m->now.nr_pools; i++) {
		const struct pool *p = &m->now.pools[i];
		struct model_device *d;

		if (p->state != POOL_DEAD)
			continue;
		gone[nr++] = (struct gone_pool){p->address, p->generation};
		if (was_gone(m, p))
			continue;
		d = device_of(m, p);
		if (!d) {
			free(gone);
			return -ENOMEM;
		}
		add_counters(&d->gone, &p->total);
		d->counters_known = p->counters_known;
		if (!m->totals.counters_known)
			m->totals.counters_known = p->counters_known;
	}
	/* Those that left the snapshot gave up their slot and cannot come again. */
	free(m->gone);
	m->gone = gone;
	m->nr_gone = nr;
	return 0;
}

/*
 * Fold pools that went without a trace, as netlink's do. One that BPF watches is dead before it is
 * gone; if it is missing all the same, a filter left it out, and it may come back.
 */
static int fold_vanished(struct model *m)
{
	for (size_t i = 0; i < m->before.nr_pools; i++) {
		const struct pool *b = &m->before.pools[i];
		struct model_device *d;

		if ((b->has & POOL_HAS_ADDRESS) || find_pool(&m->now, b))
			continue;
		d = device_of(m, b);
		if (!d)
			return -ENOMEM;
		add_counters(&d->gone, &b->total);
	}
	return 0;
}

static void begin_device(struct model_device *d)
{
	d->before = d->total;
	d->total = d->gone;
	d->pools = 0;
	d->inflight = 0;
	d->inflight_bytes = 0;
	d->inflight_known = false;
}

static int by_key(const void *a, const void *b)
{
	const struct pool *p = ((const struct model_pool *)a)->pool;
	const struct pool *q = ((const struct model_pool *)b)->pool;
	int c;

	c = (p->netns > q->netns) - (p->netns < q->netns);
	if (!c)
		c = (p->ifindex > q->ifindex) - (p->ifindex < q->ifindex);
	if (!c)
		c = (p->queue > q->queue) - (p->queue < q->queue);
	if (!c)
		c = (p->id > q->id) - (p->id < q->id);
	if (!c)
		c = (p->address > q->address) - (p->address < q->address);
	return c;
}

static int list_pools(struct model *m)
{
	struct model_pool *list = NULL;
	size_t nr = 0;

	if (m->now.nr_pools) {
		list = calloc(m->now.nr_pools, sizeof(*list));
		if (!list)
			return -ENOMEM;
	}
	for (size_t i = 0; i < m->now.nr_pools; i++) {
		const struct pool *p = &m->now.pools[i], *before;
		struct model_device *d;

		if (p->state == POOL_DEAD)
			continue;
		d = device_of(m, p);
		if (!d) {
			free(list);
			return -ENOMEM;
		}
		add_pool(d, p);
		add_pool(&m->totals, p);
		before = find_pool(&m->before, p);
		list[nr].pool = p;
		/* A pool that is new since then began at nothing. */
		figure(&list[nr].figures, &p->total, before ? &before->total : NULL,
		       p->counters_known, m->interval_s);
		list[nr++].audit = audit(p, before);
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_key);
	free(m->pools);
	m->pools = list;
	m->nr_pools = nr;
	return 0;
}

int model_update(struct model *m, struct snapshot *s)
{
	int err;

	snapshot_free(&m->before);
	m->before = m->now;
	m->now = *s;
	snapshot_init(s, s->nr_cpus);
	m->interval_s =
		m->before.mono_ns ? (double)(m->now.mono_ns - m->before.mono_ns) / 1e9 : NAN;

	err = fold_gone(m);
	if (!err)
		err = fold_vanished(m);
	if (err)
		return err;
	for (size_t i = 0; i < m->nr_devices; i++)
		begin_device(&m->devices[i]);
	begin_device(&m->totals);
	err = list_pools(m);
	if (err)
		return err;
	for (size_t i = 0; i < m->nr_devices; i++) {
		struct model_device *d = &m->devices[i];

		add_counters(&m->totals.total, &d->gone);
		figure(&d->figures, &d->total, &d->before, d->counters_known, m->interval_s);
	}
	figure(&m->totals.figures, &m->totals.total, &m->totals.before, m->totals.counters_known,
	       m->interval_s);
	return 0;
}
