// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"

void ledger_init(struct ledger *l, bool per_pool, bool per_cpu)
{
	memset(l, 0, sizeof(*l));
	l->per_pool = per_pool;
	l->per_cpu = per_cpu;
}

static void free_pools(struct ledger_entry *pools, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(pools[i].cpus);
	free(pools);
}

void ledger_free(struct ledger *l)
{
	free_pools(l->pools, l->nr_pools);
	free(l->devices);
	ledger_init(l, false, false);
}

/*
 * A count that was put right between two readings can be a little lower than before: then it waits.
 * One that fell by half began anew, as where a recording is two in one file.
 */
static void advance(struct counters *n, const struct counters *now, uint32_t known)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		uint64_t v = now->n[i];

		if (!counter_known(known, (enum pp_counter)i))
			continue;
		if (v >= n->n[i] || v <= n->n[i] / 2)
			n->n[i] = v;
	}
}

static bool is_after(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* From @before to @now, counts that wrap: one that seems to go back began anew. */
static uint64_t gained(uint32_t now, uint32_t before)
{
	int64_t n = snapshot_inflight(now, before);

	return n > 0 ? (uint64_t)n : 0;
}

/* The pages of @p that changed hands since @b, the same one snapshot ago. */
static void add_pages(struct ledger_entry *e, const struct pool *p, const struct pool *b)
{
	e->held += gained(p->hold, b->hold);
	e->released += gained(p->release, b->release);
}

/* One that was made since the last snapshot began at nothing; of others the past is not known. */
static void add_pool_pages(const struct ledger *l, const struct model *m,
			   const struct model_pool *mp, struct ledger_entry *e)
{
	static const struct pool nothing;
	const struct pool *p = mp->pool, *b = mp->before;

	if (!(p->has & POOL_HAS_BOOKS))
		return;
	if (!b && l->begun && p->created && is_after(&p->since, &m->before.time))
		b = &nothing;
	else if (!b || !(b->has & POOL_HAS_BOOKS))
		return;
	add_pages(e, p, b);
}

static struct ledger_entry *entry_of(const struct ledger *l, const struct model *m,
				     const struct pool *p)
{
	struct model_device like = {.netns = p->netns, .ifindex = p->ifindex};
	const struct model_device *d;

	memcpy(like.ifname, p->ifname, sizeof(like.ifname));
	d = model_find_device(m->devices, m->nr_devices, &like);
	return d ? &l->devices[d - m->devices] : NULL;
}

/*
 * The kernel lets go of a pool when all its pages are back: then as many were released as held. Or
 * a filter left it out; then its pages are not in flight here any more.
 */
static void close_books(const struct ledger *l, const struct model *m)
{
	for (size_t i = 0; i < m->before.nr_pools; i++) {
		const struct pool *b = &m->before.pools[i], *last;
		struct ledger_entry *e;

		if (b->state == POOL_DEAD || !(b->has & POOL_HAS_BOOKS))
			continue;
		last = model_find_pool(&m->now, b, i);
		e = !last || last->state == POOL_DEAD ? entry_of(l, m, b) : NULL;
		if (!e)
			continue;
		if (!last || !(last->has & POOL_HAS_BOOKS))
			last = b;
		add_pages(e, last, b);
		e->released += gained(last->hold, last->release);
	}
}

static int add_devices(struct ledger *l, const struct model *m)
{
	struct ledger_entry *list = realloc(l->devices, (m->nr_devices + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	l->devices = list;
	memset(list + l->nr_devices, 0, (m->nr_devices - l->nr_devices) * sizeof(*list));
	l->nr_devices = m->nr_devices;
	for (size_t i = 0; i < m->nr_devices; i++) {
		advance(&list[i].n, &m->devices[i].total, m->devices[i].counters_known);
		/* Of no pools it is what it was. */
		list[i].pages_known |= m->devices[i].pools > 0;
	}
	for (size_t i = 0; i < m->nr_pools; i++) {
		struct ledger_entry *e = &list[m->pools[i].device];

		e->pages_known &= (m->pools[i].pool->has & POOL_HAS_BOOKS) != 0;
		add_pool_pages(l, m, &m->pools[i], e);
	}
	return 0;
}

/* What CPUs of @p counted, from where @e has it of one snapshot ago. */
static int add_cpus(struct ledger_entry *e, const struct pool *p, int nr_cpus)
{
	if (!(p->has & POOL_HAS_CPUS))
		return 0;
	if (!e->cpus)
		e->cpus = calloc((size_t)nr_cpus + 1, sizeof(*e->cpus));
	if (!e->cpus)
		return -ENOMEM;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		advance(&e->cpus[cpu], &p->cpus[cpu], p->cpus_known);
	return 0;
}

/* The entry of @mp one snapshot ago moves to @e; there is none if it is new. */
static void take_entry(struct ledger *l, const struct model *m, const struct model_pool *mp,
		       struct ledger_entry *e)
{
	size_t i = mp->before ? (size_t)(mp->before - m->before.pools) : l->nr_pools;

	if (i >= l->nr_pools)
		return;
	*e = l->pools[i];
	l->pools[i].cpus = NULL;
	if (m->before.nr_cpus != m->now.nr_cpus) {
		free(e->cpus);
		e->cpus = NULL;
	}
}

static int add_pools(struct ledger *l, const struct model *m)
{
	struct ledger_entry *list = calloc(m->now.nr_pools + 1, sizeof(*list));
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < m->nr_pools; i++) {
		const struct model_pool *mp = &m->pools[i];
		struct ledger_entry *e = &list[mp->pool - m->now.pools];

		take_entry(l, m, mp, e);
		advance(&e->n, &mp->pool->total, mp->pool->counters_known);
		e->pages_known = mp->pool->has & POOL_HAS_BOOKS;
		add_pool_pages(l, m, mp, e);
		if (l->per_cpu)
			err = add_cpus(e, mp->pool, m->now.nr_cpus);
	}
	free_pools(l->pools, l->nr_pools);
	l->pools = list;
	l->nr_pools = list ? m->now.nr_pools : 0;
	return err;
}

int ledger_update(struct ledger *l, const struct model *m)
{
	int err = add_devices(l, m);

	if (!err && l->begun)
		close_books(l, m);
	if (!err && l->per_pool)
		err = add_pools(l, m);
	l->begun = true;
	return err;
}

const struct ledger_entry *ledger_pool(const struct ledger *l, const struct model *m,
				       const struct model_pool *mp)
{
	size_t i = (size_t)(mp->pool - m->now.pools);

	return l && i < l->nr_pools ? &l->pools[i] : NULL;
}
