// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pools are on the page: those with something wrong first, then the busiest. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_pools.h"

static double busy(const struct pool_track *t)
{
	const struct track *track = &t->track;
	double sum = 0;

	for (int i = 0; i < PP_NR_COUNTERS; i++)
		sum += track->seconds > 0 ? (double)track->gained[i] : (double)t->pool.total.n[i];
	return sum;
}

/* The device that a pool was on that is gone: it stays in the model's list. */
static size_t device_of(const struct model *m, const struct pool *p)
{
	struct model_device d = {.ifindex = p->ifindex, .netns = p->netns};
	const struct model_device *found;

	snprintf(d.ifname, sizeof(d.ifname), "%s", p->ifname);
	found = model_find_device(m->devices, m->nr_devices, &d);
	return found ? (size_t)(found - m->devices) : m->nr_devices;
}

static void take_gone(struct listed *l, const struct model *m, size_t index)
{
	l->gone = true;
	l->index = index;
	l->mp.pool = &l->t->pool;
	l->mp.drain_rate = l->mp.drain_left_s = l->mp.figures.recycle_ratio = NAN;
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		l->mp.figures.rate[i] = NAN;
	l->device = device_of(m, l->mp.pool);
}

static void take_here(struct listed *l, const struct model *m, const struct model_pool *mp)
{
	l->mp = *mp;
	l->index = (size_t)(mp - m->pools);
	l->device = mp->device;
	l->rank = html_weight(verdict_find(m, mp));
	for (size_t i = 0; l->rank && !l->repeated && i < l->index; i++)
		l->repeated = pools_alike(mp->pool, m->pools[i].pool);
}

/* What is wrong, the gravest first; then what is busy. Those that only repeat come last. */
static int by_weight(const void *a, const void *b)
{
	const struct listed *p = *(const struct listed *const *)a;
	const struct listed *q = *(const struct listed *const *)b;
	int c = p->repeated - q->repeated;

	if (!c)
		c = q->rank - p->rank;
	if (!c)
		c = (p->busy < q->busy) - (p->busy > q->busy);
	return c ? c : (p > q) - (p < q);
}

static int in_order(const void *a, const void *b)
{
	const struct listed *p = a, *q = b;
	int c = p->gone - q->gone;

	return c ? c : (p->index > q->index) - (p->index < q->index);
}

static int choose(struct pools *p)
{
	struct listed **order = calloc(p->nr + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr; i++)
		order[i] = &p->list[i];
	if (p->nr)
		qsort(order, p->nr, sizeof(struct listed *), by_weight);
	for (size_t i = 0; i < p->nr && i < TABLED_POOLS; i++) {
		struct listed *l = order[i];

		l->tabled = true;
		p->nr_tabled++;
		l->charted = p->nr_charted < CHARTED_POOLS && !l->repeated &&
			     l->t->track.timeline.nr > 0;
		p->nr_charted += l->charted;
	}
	free(order);
	return 0;
}

int html_pools_take(struct pools *p, const struct recording *r)
{
	size_t gone = 0;
	int err;

	memset(p, 0, sizeof(*p));
	p->list = calloc(r->nr_pools + 1, sizeof(*p->list));
	if (!p->list)
		return -ENOMEM;
	for (size_t i = 0; i < r->nr_pools; i++) {
		struct listed *l = &p->list[p->nr++];

		l->t = &r->pools[i];
		if (l->t->mp)
			take_here(l, &r->m, l->t->mp);
		else
			take_gone(l, &r->m, gone++);
		l->busy = busy(l->t);
	}
	if (p->nr)
		qsort(p->list, p->nr, sizeof(*p->list), in_order);
	err = choose(p);
	if (err)
		html_pools_free(p);
	return err;
}

bool html_pool_is_there(const struct pools *p, size_t index)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->list[i].index == index && !p->list[i].gone)
			return p->list[i].tabled;
	return false;
}

void html_pools_free(struct pools *p)
{
	free(p->list);
	memset(p, 0, sizeof(*p));
}
