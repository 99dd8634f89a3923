// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
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
	model_init(m);
}

bool counter_known(uint32_t known, enum pp_counter i)
{
	return known & (1u << i);
}

bool counted_anything(const struct counters *n)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		if (n->n[i])
			return true;
	return false;
}

bool ratio_known(uint32_t known)
{
	return (known & RATIO_TERMS) == RATIO_TERMS;
}

double recycle_ratio(const double *n, uint32_t known)
{
	double taken = n[PP_FAST] + n[PP_REFILL] + n[PP_SLOW] + n[PP_SLOW_HIGH_ORDER];
	double back = n[PP_CACHED] + n[PP_RING];

	if (!ratio_known(known) || !(taken > 0))
		return NAN;
	/* More can come back than was taken in an interval: pages taken before it. */
	return back < taken ? back / taken : 1;
}

/*
 * Rates over the interval, and the ratio over the interval or, without one, over all. A counter
 * that was put right in between can be a little lower than before; that is no negative rate. One
 * that was not known before has no rate yet.
 */
static void figure(struct figures *f, const struct counters *now, uint32_t known,
		   const struct counters *before, uint32_t before_known, double interval_s)
{
	double n[PP_NR_COUNTERS];

	if (interval_s > 0)
		known &= before_known;

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

bool model_same_pool(const struct pool *p, const struct pool *q)
{
	if (p->has & q->has & POOL_HAS_ADDRESS)
		return p->address == q->address && p->generation == q->generation;
	return p->has & q->has & POOL_HAS_ID && p->id == q->id;
}

const struct pool *model_find_pool(const struct snapshot *s, const struct pool *p, size_t hint)
{
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pool *q = &s->pools[(hint + i) % s->nr_pools];

		if (model_same_pool(p, q))
			return q;
	}
	return NULL;
}

static struct model_device *find_device(struct model *m, uint32_t netns, int ifindex,
					const char *ifname)
{
	for (size_t i = 0; i < m->nr_devices; i++) {
		struct model_device *d = &m->devices[i];

		if (!d->others && d->netns == netns && d->ifindex == ifindex &&
		    (ifindex || !strcmp(d->ifname, ifname)))
			return d;
	}
	return NULL;
}

const struct model_device *model_find_device(const struct model_device *list, size_t nr,
					     const struct model_device *d)
{
	for (size_t i = 0; i < nr; i++) {
		const struct model_device *e = &list[i];

		if (e->others == d->others && e->netns == d->netns && e->ifindex == d->ifindex &&
		    (d->ifindex || !strcmp(e->ifname, d->ifname)))
			return e;
	}
	return NULL;
}

static struct model_device *new_device(struct model *m, uint32_t netns, int ifindex)
{
	struct model_device *d = realloc(m->devices, (m->nr_devices + 1) * sizeof(*d));

	if (!d)
		return NULL;
	m->devices = d;
	d += m->nr_devices++;
	memset(d, 0, sizeof(*d));
	d->netns = netns;
	d->ifindex = ifindex;
	d->inflight_known = true;
	d->before_known = ~0u; /* it began at nothing */
	return d;
}

static void name_device(struct model_device *d, const char *ifname, const char *netns_name,
			const char *driver)
{
	if (ifname[0])
		snprintf(d->ifname, sizeof(d->ifname), "%s", ifname);
	if (netns_name[0])
		snprintf(d->netns_name, sizeof(d->netns_name), "%s", netns_name);
	if (driver[0])
		snprintf(d->driver, sizeof(d->driver), "%s", driver);
}

/*
 * The device of @p, made if it is new; named as the newest pool says, for renames. A pool that is
 * destroyed has the name of then.
 */
static struct model_device *device_of(struct model *m, const struct pool *p)
{
	struct model_device *d = find_device(m, p->netns, p->ifindex, p->ifname);

	if (!d)
		d = new_device(m, p->netns, p->ifindex);
	if (!d)
		return NULL;
	name_device(d, p->has & POOL_HAS_DESTROYED && d->ifname[0] ? "" : p->ifname, p->netns_name,
		    p->driver);
	return d;
}

static void add_counters(struct counters *sum, const struct counters *n)
{
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		sum->n[i] += n->n[i];
}

/* What is known of a sum is what is known of all its parts. */
static void add_known(struct model_device *d, uint32_t known)
{
	d->counters_known = d->parts++ ? d->counters_known & known : known;
}

static void add_pool(struct model_device *d, const struct pool *p)
{
	add_known(d, p->counters_known | p->counted_apart);
	if (!d->pools++)
		d->inflight_known = false; /* until one of them says */
	/* What was put right since it moved may leave less than it counted elsewhere. */
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		if (p->total.n[i] > p->elsewhere.n[i])
			d->total.n[i] += p->total.n[i] - p->elsewhere.n[i];
	if (!(p->has & POOL_HAS_INFLIGHT) || p->state == POOL_IMPOSSIBLE)
		return;
	d->inflight_known = true;
	d->inflight = (int64_t)((uint64_t)d->inflight + (uint64_t)p->inflight);
	d->inflight_bytes += p->inflight_bytes;
}

static bool is_empty(const struct past *past)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		if (past->total.n[i])
			return false;
	return !past->pools;
}

static struct model_device *find_others(struct model *m)
{
	for (size_t i = 0; i < m->nr_devices; i++)
		if (m->devices[i].others)
			return &m->devices[i];
	return NULL;
}

/* The device of @past, made if it is new, or NULL. */
static struct model_device *device_of_past(struct model *m, const struct past *past)
{
	struct model_device *d;

	if (past->others) {
		d = find_others(m);
		if (!d)
			d = new_device(m, 0, 0);
		if (d)
			d->others = true;
		return d;
	}
	d = find_device(m, past->netns, past->ifindex, past->ifname);
	if (!d)
		d = new_device(m, past->netns, past->ifindex);
	/* Pools that are there know the name of now, unless past has every device. */
	if (d && (!d->pools || m->now.whole_past))
		name_device(d, past->ifname, past->netns_name, past->driver);
	return d;
}

/* Where past has every device, devices are in its order, not in that of their pools. */
static int add_devices(struct model *m)
{
	for (size_t i = 0; m->now.whole_past && i < m->now.nr_past; i++)
		if (!device_of_past(m, &m->now.past[i]))
			return -ENOMEM;
	return 0;
}

/* What devices counted by pools that are not there any more. */
static int add_past(struct model *m)
{
	for (size_t i = 0; i < m->now.nr_past; i++) {
		const struct past *past = &m->now.past[i];
		struct model_device *d;

		if (is_empty(past))
			continue;
		d = device_of_past(m, past);
		if (!d)
			return -ENOMEM;
		add_known(d, past->counters_known);
		add_known(&m->totals, past->counters_known);
		add_counters(&d->total, &past->total);
		add_counters(&m->totals.total, &past->total);
	}
	return 0;
}

/*
 * Fold pools that went without a trace, as netlink's do. One that BPF watches is dead before it is
 * gone; if it is missing all the same, a filter left it out, and it may come back.
 */
static int fold_vanished(struct model *m)
{
	for (size_t i = 0; i < m->before.nr_pools && !m->now.whole_past; i++) {
		const struct pool *b = &m->before.pools[i];
		struct model_device *d;

		if ((b->has & POOL_HAS_ADDRESS) || model_find_pool(&m->now, b, i))
			continue;
		d = device_of(m, b);
		if (!d)
			return -ENOMEM;
		add_counters(&d->gone, &b->total);
		add_counters(&m->totals.gone, &b->total);
	}
	return 0;
}

static void begin_device(struct model_device *d)
{
	d->before = d->total;
	d->before_known = d->parts ? d->counters_known : ~0u;
	d->total = d->gone;
	d->pools = 0;
	d->parts = 0;
	d->inflight = 0;
	d->inflight_bytes = 0;
	d->inflight_known = true; /* of no pools there are no pages out */
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

static bool is_draining(const struct pool *p)
{
	return (p->state == POOL_DRAINING || p->state == POOL_STUCK) &&
	       (p->has & POOL_HAS_INFLIGHT);
}

static void trend(struct model_pool *mp, uint64_t now_ns)
{
	double seconds = (double)(now_ns - mp->drain_from_ns) / 1e9;
	double back = (double)(mp->drain_from - mp->pool->inflight);

	/* Flat is what the source says, which knows of every page; or what was seen. */
	if (mp->pool->state == POOL_STUCK || (back <= 0 && seconds > 0))
		mp->drain_rate = 0;
	else if (seconds > 0)
		mp->drain_rate = back / seconds;
	if (mp->drain_rate > 0)
		mp->drain_left_s = (double)mp->pool->inflight / mp->drain_rate;
}

/*
 * How fast the @nr destroyed pools of @list drain, seen from where @m's list of one snapshot ago
 * has them; both are in the same order, so that the next one is most likely next to the last.
 */
static void follow_drains(const struct model *m, struct model_pool *list, size_t nr)
{
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		struct model_pool *mp = &list[i];

		mp->drain_rate = NAN;
		mp->drain_left_s = NAN;
		if (!is_draining(mp->pool))
			continue;
		mp->drain_from = mp->pool->inflight;
		mp->drain_from_ns = m->now.mono_ns;
		for (size_t k = 0; k < m->nr_pools; k++) {
			const struct model_pool *was = &m->pools[(at + k) % m->nr_pools];

			if (!model_same_pool(mp->pool, was->pool))
				continue;
			if (was->drain_from_ns) {
				mp->drain_from = was->drain_from;
				mp->drain_from_ns = was->drain_from_ns;
			}
			at = (at + k + 1) % m->nr_pools;
			break;
		}
		trend(mp, m->now.mono_ns);
	}
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
		before = model_find_pool(&m->before, p, i);
		list[nr].pool = p;
		list[nr].before = before;
		list[nr].device = (size_t)(d - m->devices);
		/* A pool that is new since then began at nothing. */
		figure(&list[nr++].figures, &p->total, p->counters_known,
		       before ? &before->total : NULL, before ? before->counters_known : ~0u,
		       m->interval_s);
	}
	if (nr)
		qsort(list, nr, sizeof(*list), by_key);
	follow_drains(m, list, nr);
	free(m->pools);
	m->pools = list;
	m->nr_pools = nr;
	return 0;
}

/* What a source knows of every pool it may come to see. */
static uint32_t source_known(const struct source_info *info)
{
	uint32_t known = info->counters ? (1u << PP_NR_COUNTERS) - 1 : 0;

	for (int k = 0; k < info->nr_missing; k++)
		for (int i = 0; i < PP_NR_COUNTERS; i++)
			if (!strcmp(info->missing[k].counter, counter_paths[i]))
				known &= ~(1u << i);
	return known;
}

int model_update(struct model *m, struct snapshot *s)
{
	int err;

	snapshot_free(&m->before);
	m->before = m->now;
	m->now = *s;
	snapshot_init(s, s->nr_cpus);
	/* No time is between two recordings in one file. */
	m->interval_s = m->before.mono_ns && m->now.mono_ns > m->before.mono_ns
				? (double)(m->now.mono_ns - m->before.mono_ns) / 1e9
				: NAN;
	err = fold_vanished(m);
	if (err)
		return err;
	for (size_t i = 0; i < m->nr_devices; i++)
		begin_device(&m->devices[i]);
	begin_device(&m->totals);
	err = add_devices(m);
	if (!err)
		err = list_pools(m);
	if (!err)
		err = add_past(m);
	if (err)
		return err;
	if (!m->totals.parts) /* no pool yet is nothing counted yet, not unknown */
		m->totals.counters_known = source_known(&m->now.source);
	for (size_t i = 0; i < m->nr_devices; i++) {
		struct model_device *d = &m->devices[i];

		figure(&d->figures, &d->total, d->counters_known, &d->before, d->before_known,
		       m->interval_s);
	}
	figure(&m->totals.figures, &m->totals.total, m->totals.counters_known, &m->totals.before,
	       m->totals.before_known, m->interval_s);
	return 0;
}
