// SPDX-License-Identifier: GPL-2.0-or-later
/* What the model makes of snapshots. Numbers of scenarios: what people posted in public. */
#include "unit.h"

#include "model.h"

static void update(struct model *m, struct snapshot *s)
{
	assert_int_equal(model_update(m, s), 0);
	assert_int_equal(s->nr_pools, 0);
	assert_null(s->pools);
}

static const struct model_device *device(const struct model *m, int ifindex)
{
	for (size_t i = 0; i < m->nr_devices; i++)
		if (m->devices[i].ifindex == ifindex && !m->devices[i].others)
			return &m->devices[i];
	fail_msg("no device %d", ifindex);
	return NULL;
}

static const struct model_device *others(const struct model *m)
{
	for (size_t i = 0; i < m->nr_devices; i++)
		if (m->devices[i].others)
			return &m->devices[i];
	fail_msg("no row for others");
	return NULL;
}

static void one_snapshot_has_no_interval(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	assert_nan(m.interval_s);
	unit_snapshot(&s, 100);
	p = unit_pool(&s, 0x1000, 2);
	p->total.n[PP_FAST] = 1000;
	p->total.n[PP_CACHED] = 500;
	update(&m, &s);
	assert_nan(m.interval_s);
	assert_int_equal(m.nr_pools, 1);
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		assert_nan(m.pools[0].figures.rate[i]);
		assert_nan(m.totals.figures.rate[i]);
	}
	/* without an interval the ratio is over all that was counted */
	assert_near(m.pools[0].figures.recycle_ratio, 0.5);
	assert_near(m.devices[0].figures.recycle_ratio, 0.5);
	assert_near(m.totals.figures.recycle_ratio, 0.5);
	/* nor has the first of a second recording in one file */
	unit_snapshot(&s, 100);
	update(&m, &s);
	assert_nan(m.interval_s);
	model_free(&m);
}

static void no_pools(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 4; i++) {
		unit_snapshot(&s, i);
		update(&m, &s);
		assert_int_equal(m.nr_pools, 0);
		assert_int_equal(m.nr_devices, 0);
		assert_int_equal(m.totals.pools, 0);
		assert_nan(m.totals.figures.recycle_ratio);
		/* nothing is out, and nothing was counted of what the source can count */
		assert_true(m.totals.inflight_known);
		assert_int_equal(m.totals.counters_known, (1 << PP_NR_COUNTERS) - 1);
	}
	assert_near(m.interval_s, 1);
	unit_snapshot(&s, 4);
	snprintf(s.source.missing[0].counter, sizeof(s.source.missing[0].counter), "alloc.waive");
	s.source.nr_missing = 1;
	update(&m, &s);
	assert_int_equal(m.totals.counters_known, ((1 << PP_NR_COUNTERS) - 1) & ~(1 << PP_WAIVE));
	unit_snapshot(&s, 5);
	s.source.counters = NULL;
	update(&m, &s);
	assert_int_equal(m.totals.counters_known, 0);
	model_free(&m);
}

static void rates_are_per_second(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 100);
	p = unit_pool(&s, 0x1000, 2);
	p->total.n[PP_FAST] = 1000;
	p->total.n[PP_CACHED] = 1000;
	p->total.n[PP_SLOW] = 50;
	update(&m, &s);

	unit_snapshot(&s, 102.5);
	p = unit_pool(&s, 0x1000, 2);
	p->total.n[PP_FAST] = 2000;
	p->total.n[PP_CACHED] = 1250;
	p->total.n[PP_SLOW] = 45;     /* put right: a little lower than before */
	p = unit_pool(&s, 0x2000, 2); /* new: it began at nothing */
	p->total.n[PP_FAST] = 500;
	p->counters_known = ALL_COUNTERS & ~(1u << PP_RING);
	update(&m, &s);

	assert_near(m.interval_s, 2.5);
	assert_near(m.pools[0].figures.rate[PP_FAST], 400);
	assert_near(m.pools[0].figures.rate[PP_CACHED], 100);
	assert_near(m.pools[0].figures.rate[PP_SLOW], 0);
	/* over the interval: 250 / 1000, not 1250 / 2045 */
	assert_near(m.pools[0].figures.recycle_ratio, 0.25);
	assert_near(m.pools[1].figures.rate[PP_FAST], 200);
	assert_nan(m.pools[1].figures.rate[PP_RING]);
	assert_nan(m.pools[1].figures.recycle_ratio);
	assert_near(m.devices[0].figures.rate[PP_FAST], 600);
	/* a sum with an unknown part is unknown */
	assert_nan(m.devices[0].figures.rate[PP_RING]);
	assert_nan(m.totals.figures.rate[PP_RING]);
	assert_near(m.totals.figures.rate[PP_FAST], 600);
	model_free(&m);
}

/* What becomes known only now did not happen all at once. */
static void unknown_before_has_no_rate(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 5; i++) {
		unit_snapshot(&s, i);
		unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 10 * (uint64_t)i;
		p = unit_pool(&s, 0x2000, 2);
		p->total.n[PP_FAST] = i > 1 ? 1000000 + (uint64_t)i : 0;
		p->counters_known = i > 1 ? ALL_COUNTERS : ALL_COUNTERS & ~(1u << PP_FAST);
		update(&m, &s);
		if (i == 1)
			continue;
		assert_near(m.pools[0].figures.rate[PP_FAST], 10);
		assert_near(m.pools[1].figures.rate[PP_SLOW], 0);
		if (i == 2) {
			assert_nan(m.pools[1].figures.rate[PP_FAST]);
			assert_nan(m.pools[1].figures.recycle_ratio);
			assert_nan(m.devices[0].figures.rate[PP_FAST]);
			assert_nan(m.totals.figures.rate[PP_FAST]);
		} else {
			assert_near(m.pools[1].figures.rate[PP_FAST], 1);
			assert_near(m.devices[0].figures.rate[PP_FAST], 11);
			assert_near(m.totals.figures.rate[PP_FAST], 11);
		}
	}
	model_free(&m);
}

/* Counters are u64 to the last bit. */
static void counters_near_the_end(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = UINT64_MAX - 100;
	update(&m, &s);
	unit_snapshot(&s, 2);
	unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = UINT64_MAX;
	update(&m, &s);
	assert_near(m.pools[0].figures.rate[PP_FAST], 100);
	assert_true(m.totals.total.n[PP_FAST] == UINT64_MAX);
	model_free(&m);
}

static double percent(const double *n)
{
	return round(1000 * recycle_ratio(n, ALL_COUNTERS)) / 10;
}

static void ratios_that_people_posted(void **state)
{
	double mlx5[PP_NR_COUNTERS] = {
		[PP_FAST] = 3574227, [PP_SLOW] = 1008,	    [PP_EMPTY] = 1008,
		[PP_REFILL] = 7997,  [PP_CACHED] = 3008813, [PP_CACHE_FULL] = 277864,
		[PP_RING] = 536556,  [PP_RING_FULL] = 5025,
	};
	double netlink[PP_NR_COUNTERS] = {
		[PP_SLOW] = 656,
		[PP_FAST] = 397681,
		[PP_RING] = 89652,
		[PP_CACHED] = 270201,
	};
	double numa[PP_NR_COUNTERS] = {
		[PP_FAST] = 60066264, [PP_SLOW] = 16512,    [PP_EMPTY] = 16512,
		[PP_REFILL] = 473841, [PP_RING] = 29754145,
	};

	(void)state;
	assert_near(percent(mlx5), 98.9);
	mlx5[PP_REFILL] = 0; /* the older formula */
	assert_near(percent(mlx5), 99.2);
	assert_near(percent(netlink), 90.3);
	assert_near(percent(numa), 49.1);
}

static void ratios_without_sense(void **state)
{
	static const enum pp_counter terms[] = {PP_FAST,   PP_SLOW, PP_SLOW_HIGH_ORDER,
						PP_REFILL, PP_RING, PP_CACHED};
	double n[PP_NR_COUNTERS] = {0};

	(void)state;
	assert_nan(recycle_ratio(n, ALL_COUNTERS));
	n[PP_CACHED] = 10; /* pages taken before the interval */
	assert_nan(recycle_ratio(n, ALL_COUNTERS));
	n[PP_FAST] = 5;
	assert_near(recycle_ratio(n, ALL_COUNTERS), 1);
	n[PP_CACHED] = 0;
	assert_near(recycle_ratio(n, ALL_COUNTERS), 0);
	n[PP_SLOW_HIGH_ORDER] = 5;
	n[PP_RING] = 5;
	assert_near(recycle_ratio(n, ALL_COUNTERS), 0.5);
	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		assert_nan(recycle_ratio(n, ALL_COUNTERS & ~(1u << terms[i])));
	assert_near(recycle_ratio(n, ALL_COUNTERS & ~(1u << PP_WAIVE)), 0.5);
	assert_nan(recycle_ratio(n, 0));
}

static void quiet_interval_has_no_ratio(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 3; i++) {
		struct pool *p;

		unit_snapshot(&s, i);
		p = unit_pool(&s, 0x1000, 2);
		p->total.n[PP_FAST] = 10;
		p->total.n[PP_RING] = 10;
		update(&m, &s);
	}
	assert_near(m.pools[0].figures.rate[PP_FAST], 0);
	assert_nan(m.pools[0].figures.recycle_ratio);
	assert_nan(m.totals.figures.recycle_ratio);
	model_free(&m);
}

/* What pools that are gone have counted on a device. Good until the next one. */
static struct past *unit_past(struct snapshot *s, int ifindex, uint64_t pools, uint64_t fast)
{
	struct past *past = snapshot_add_past(s);

	assert_non_null(past);
	past->ifindex = ifindex;
	if (ifindex) {
		past->netns = 4026531840u;
		snprintf(past->ifname, sizeof(past->ifname), "eth%d", ifindex - 2);
	}
	past->pools = pools;
	past->counters_known = ALL_COUNTERS;
	past->total.n[PP_FAST] = fast;
	return past;
}

/* A dead pool is its device's past, and not counted by itself even if the snapshot has it. */
static void dead_pool_counts_once(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 100;
	unit_pool(&s, 0x2000, 2)->total.n[PP_FAST] = 7;
	update(&m, &s);
	assert_int_equal(m.totals.total.n[PP_FAST], 107);
	for (int i = 2; i < 6; i++) {
		unit_snapshot(&s, i);
		if (i != 4) {
			p = unit_pool(&s, 0x1000, 2);
			p->total.n[PP_FAST] = 130;
			p->state = POOL_DEAD;
		}
		unit_pool(&s, 0x2000, 2)->total.n[PP_FAST] = 7;
		unit_past(&s, 2, 1, 130);
		update(&m, &s);
		assert_int_equal(m.nr_pools, 1);
		assert_int_equal(m.nr_devices, 1);
		assert_int_equal(m.totals.pools, 1);
		assert_int_equal(device(&m, 2)->pools, 1);
		assert_int_equal(device(&m, 2)->total.n[PP_FAST], 137);
		assert_int_equal(m.totals.total.n[PP_FAST], 137);
		assert_near(m.totals.figures.rate[PP_FAST], i == 2 ? 30 : 0);
	}
	/* the slot is taken by another pool, at the same address */
	unit_snapshot(&s, 6);
	unit_pool(&s, 0x1000, 4)->total.n[PP_FAST] = 1;
	unit_pool(&s, 0x2000, 2)->total.n[PP_FAST] = 7;
	unit_past(&s, 2, 1, 130);
	update(&m, &s);
	assert_int_equal(m.nr_pools, 2);
	assert_near(m.pools[0].figures.rate[PP_FAST], 1);
	assert_int_equal(device(&m, 2)->total.n[PP_FAST], 138);
	assert_int_equal(m.totals.total.n[PP_FAST], 138);
	/* and that one dies, and the other, too */
	unit_snapshot(&s, 7);
	unit_past(&s, 2, 3, 140);
	update(&m, &s);
	assert_int_equal(m.nr_pools, 0);
	assert_int_equal(device(&m, 2)->pools, 0);
	assert_int_equal(device(&m, 2)->counters_known, ALL_COUNTERS);
	assert_int_equal(device(&m, 2)->total.n[PP_FAST], 140);
	assert_near(device(&m, 2)->figures.rate[PP_FAST], 2);
	model_free(&m);
}

/* Born and dead between two readings: nobody ever saw it. */
static void short_life_counts(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	update(&m, &s);
	unit_snapshot(&s, 2);
	unit_past(&s, 2, 1, 64)->total.n[PP_RING] = 32;
	snprintf(s.past[0].driver, sizeof(s.past[0].driver), "veth");
	snprintf(s.past[0].netns_name, sizeof(s.past[0].netns_name), "blue");
	update(&m, &s);
	assert_int_equal(m.nr_pools, 0);
	assert_string_equal(device(&m, 2)->ifname, "eth0");
	assert_string_equal(device(&m, 2)->driver, "veth");
	assert_string_equal(device(&m, 2)->netns_name, "blue");
	assert_int_equal(device(&m, 2)->total.n[PP_FAST], 64);
	assert_int_equal(device(&m, 2)->counters_known, ALL_COUNTERS);
	assert_near(device(&m, 2)->figures.rate[PP_FAST], 64);
	assert_int_equal(m.totals.total.n[PP_FAST], 64);
	/* the totals are as well known as the device is */
	assert_int_equal(m.totals.counters_known, ALL_COUNTERS);
	assert_near(m.totals.figures.rate[PP_FAST], 64);
	assert_near(m.totals.figures.recycle_ratio, 0.5);
	model_free(&m);
}

/* Entries there always are, in which nothing is yet. */
static void empty_past_is_no_device(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_past(&s, 0, 0, 0);
	unit_past(&s, 0, 0, 0)->others = true;
	update(&m, &s);
	assert_int_equal(m.nr_devices, 0);
	/* a pool that died without counting anything was there */
	unit_snapshot(&s, 2);
	unit_past(&s, 2, 1, 0);
	update(&m, &s);
	assert_int_equal(m.nr_devices, 1);
	model_free(&m);
}

/* A sum with a part that is not known is not known, also if that part is over. */
static void past_may_be_unknown(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 3; i++) {
		unit_snapshot(&s, i);
		unit_pool(&s, 0x1000, 2);
		unit_past(&s, 2, 1, 9)->counters_known = ALL_COUNTERS & ~(1u << PP_RING);
		unit_past(&s, 3, 1, 9);
		update(&m, &s);
		assert_int_equal(device(&m, 2)->counters_known, ALL_COUNTERS & ~(1u << PP_RING));
		assert_int_equal(device(&m, 3)->counters_known, ALL_COUNTERS);
		assert_int_equal(m.totals.counters_known, ALL_COUNTERS & ~(1u << PP_RING));
	}
	assert_nan(m.totals.figures.rate[PP_RING]);
	assert_near(m.totals.figures.rate[PP_FAST], 0);
	/* what is known now does not depend on then */
	unit_snapshot(&s, 3);
	unit_pool(&s, 0x1000, 2);
	update(&m, &s);
	assert_int_equal(device(&m, 2)->counters_known, ALL_COUNTERS);
	assert_int_equal(m.totals.counters_known, ALL_COUNTERS);
	model_free(&m);
}

/* What a pool counts belongs to the device it is on at that time. */
static void pool_that_moves(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 100;
	update(&m, &s);
	/* with 20 more it went to another namespace, and counted 10 there */
	for (int i = 2; i < 4; i++) {
		unit_snapshot(&s, i);
		p = unit_pool(&s, 0x1000, 2);
		p->netns++;
		p->ifindex = 5;
		p->total.n[PP_FAST] = 130;
		p->elsewhere.n[PP_FAST] = 120;
		unit_past(&s, 2, 0, 120);
		update(&m, &s);
		assert_int_equal(m.nr_pools, 1);
		assert_int_equal(m.nr_devices, 2);
		assert_int_equal(device(&m, 2)->pools, 0);
		assert_int_equal(device(&m, 2)->total.n[PP_FAST], 120);
		assert_int_equal(device(&m, 5)->pools, 1);
		assert_int_equal(device(&m, 5)->total.n[PP_FAST], 10);
		assert_int_equal(m.totals.total.n[PP_FAST], 130);
		assert_near(m.pools[0].figures.rate[PP_FAST], i == 2 ? 30 : 0);
		assert_near(device(&m, 2)->figures.rate[PP_FAST], i == 2 ? 20 : 0);
		assert_near(device(&m, 5)->figures.rate[PP_FAST], i == 2 ? 10 : 0);
		assert_near(m.totals.figures.rate[PP_FAST], i == 2 ? 30 : 0);
	}
	/* a counter that was put right after the move */
	unit_snapshot(&s, 3.5);
	p = unit_pool(&s, 0x1000, 2);
	p->netns++;
	p->ifindex = 5;
	p->total.n[PP_FAST] = 119;
	p->elsewhere.n[PP_FAST] = 120;
	unit_past(&s, 2, 0, 120);
	update(&m, &s);
	assert_int_equal(device(&m, 5)->total.n[PP_FAST], 0);
	assert_int_equal(m.totals.total.n[PP_FAST], 120);
	/* it dies there, with 5 more */
	unit_snapshot(&s, 4);
	unit_past(&s, 2, 0, 120);
	unit_past(&s, 5, 1, 15)->netns++;
	update(&m, &s);
	assert_int_equal(device(&m, 2)->total.n[PP_FAST], 120);
	assert_int_equal(device(&m, 5)->total.n[PP_FAST], 15);
	assert_int_equal(m.totals.total.n[PP_FAST], 135);
	assert_near(m.totals.figures.rate[PP_FAST], 30);
	model_free(&m);
}

#define RECYCLE_BITS                                                                  \
	(1u << PP_CACHED | 1u << PP_CACHE_FULL | 1u << PP_RING | 1u << PP_RING_FULL | \
	 1u << PP_RELEASED_REFCNT)

/* System pools on rung kernel: the kernel has one set of recycle counters for all of them. */
static void pools_counted_together(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	for (uint64_t i = 0; i < 2; i++) {
		struct pool *p = unit_pool(&s, 0x1000 + i, 2);

		p->state = POOL_SYSTEM;
		p->ifname[0] = '\0';
		p->ifindex = 0;
		p->netns = 0;
		p->counters_known = ALL_COUNTERS & ~RECYCLE_BITS;
		p->counted_apart = RECYCLE_BITS;
		p->total.n[PP_FAST] = 50;
	}
	unit_past(&s, 0, 0, 0)->total.n[PP_RING] = 80;
	update(&m, &s);
	assert_nan(m.pools[0].figures.recycle_ratio);
	assert_int_equal(m.nr_devices, 1);
	assert_int_equal(m.devices[0].counters_known, ALL_COUNTERS);
	assert_int_equal(m.devices[0].total.n[PP_FAST], 100);
	assert_int_equal(m.devices[0].total.n[PP_RING], 80);
	assert_near(m.devices[0].figures.recycle_ratio, 0.8);
	assert_int_equal(m.totals.counters_known, ALL_COUNTERS);
	assert_near(m.totals.figures.recycle_ratio, 0.8);
	model_free(&m);
}

/* One row for all, whatever the last of them was called, and none of the devices there are. */
static void devices_too_many(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	/* they come first, and a pool without a device is none of them */
	unit_snapshot(&s, 0.5);
	unit_past(&s, 2, 1, 8)->others = true;
	update(&m, &s);
	assert_int_equal(m.nr_devices, 1);
	assert_int_equal(others(&m)->total.n[PP_FAST], 8);
	for (int i = 1; i < 4; i++) {
		unit_snapshot(&s, i);
		unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 1;
		p = unit_pool(&s, 0x2000, 2);
		p->netns = 0;
		p->ifindex = 0;
		p->ifname[0] = '\0';
		p->total.n[PP_FAST] = 2;
		unit_past(&s, 0, 1, 4);
		unit_past(&s, i + 1, 1, 8 * (uint64_t)i)->others = true;
		update(&m, &s);
		assert_int_equal(m.nr_devices, 3);
		assert_string_equal(others(&m)->ifname, "");
		assert_int_equal(others(&m)->ifindex, 0);
		assert_int_equal(others(&m)->pools, 0);
		assert_int_equal(others(&m)->total.n[PP_FAST], 8 * i);
		assert_int_equal(device(&m, 2)->total.n[PP_FAST], 1);
		assert_int_equal(device(&m, 0)->pools, 1);
		assert_int_equal(device(&m, 0)->total.n[PP_FAST], 6);
		assert_near(device(&m, 0)->figures.rate[PP_FAST], i == 1 ? 12 : 0);
		assert_int_equal(m.totals.total.n[PP_FAST], 7 + 8 * i);
	}
	model_free(&m);
}

/* A source that has no dead pools, as netlink: one that is shown no more is gone. */
static void vanished_pool_still_counts(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 4; i++) {
		unit_snapshot(&s, i);
		for (uint32_t id = 1; id <= 2; id++) {
			struct pool *p;

			if (i == 3 && id == 2)
				continue;
			p = unit_pool(&s, 0, 0);
			p->has = POOL_HAS_ID | POOL_HAS_INFLIGHT;
			p->id = id;
			p->total.n[PP_FAST] = 100 * id;
		}
		update(&m, &s);
		assert_int_equal(m.nr_pools, i == 3 ? 1 : 2);
		assert_int_equal(device(&m, 2)->total.n[PP_FAST], 300);
		assert_int_equal(m.totals.total.n[PP_FAST], 300);
	}
	model_free(&m);
}

/* An idle pool that netlink shows, and that BPF meets at its first event: still the same. */
static void netlink_knew_it_first(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 5; i++) {
		struct pool *p;

		unit_snapshot(&s, i);
		p = unit_pool(&s, i < 3 ? 0 : 0x1000, i < 3 ? 0 : 2);
		p->has |= POOL_HAS_ID;
		if (i < 3)
			p->has &= ~(uint32_t)POOL_HAS_ADDRESS;
		p->id = 7;
		p->total.n[PP_FAST] = 1000 + 10 * (uint64_t)i;
		update(&m, &s);
		assert_int_equal(m.nr_pools, 1);
		assert_int_equal(m.totals.total.n[PP_FAST], 1000 + 10 * i);
		if (i > 1)
			assert_near(m.pools[0].figures.rate[PP_FAST], 10);
	}
	model_free(&m);
}

/* A pool BPF watched that is not in the snapshot was left out by a filter: it is not folded. */
static void pool_left_out_by_a_filter(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 4; i++) {
		unit_snapshot(&s, i);
		if (i != 2)
			unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 100;
		update(&m, &s);
		assert_int_equal(m.totals.total.n[PP_FAST], i == 2 ? 0 : 100);
	}
	model_free(&m);
}

/* As a recording has it: each device, in its order and with its name, and what vanished, too. */
static void past_has_every_device(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 3; i++) {
		unit_snapshot(&s, i);
		s.whole_past = true;
		if (i == 1) {
			p = unit_pool(&s, 0, 0);
			p->has = POOL_HAS_ID;
			p->id = 7;
			p->total.n[PP_FAST] = 100;
		}
		unit_past(&s, 4, 1, 5);
		unit_past(&s, 0, 1, 3)->others = true;
		unit_past(&s, 2, 1, i == 1 ? 0 : 100);
		snprintf(s.past[2].ifname, sizeof(s.past[2].ifname), "lan0");
		update(&m, &s);
		assert_int_equal(m.nr_devices, 3);
		assert_int_equal(m.devices[0].ifindex, 4);
		assert_true(m.devices[1].others);
		assert_string_equal(m.devices[1].ifname, "");
		assert_string_equal(m.devices[2].ifname, "lan0");
		/* the pool that is gone counts once */
		assert_int_equal(m.devices[2].total.n[PP_FAST], 100);
		assert_int_equal(m.totals.total.n[PP_FAST], 108);
	}
	model_free(&m);
}

#define HISTORY_DEVICES 5 /* 0: none; the last: of those too many to be told apart */
#define HISTORY_POOLS	16

/* What a source knows: pools that are there, and what those that are not have left behind. */
struct history {
	struct history_pool {
		bool taken;
		uint64_t address;
		uint32_t generation;
		int ifindex;
		uint64_t fast, elsewhere;
		bool draining;
	} pools[HISTORY_POOLS];
	uint64_t past[HISTORY_DEVICES], dead[HISTORY_DEVICES];
	uint64_t counted[HISTORY_DEVICES];
	uint64_t address;
	unsigned int seed;
};

static unsigned int history_dice(struct history *h, unsigned int sides)
{
	return (unsigned int)rand_r(&h->seed) % sides;
}

/* What a pool counted since it came to its device is its device's past. */
static void history_fold(struct history *h, struct history_pool *p)
{
	h->past[p->ifindex] += p->fast - p->elsewhere;
	p->elsewhere = p->fast;
}

static void history_step(struct history *h, struct history_pool *p)
{
	unsigned int dice = history_dice(h, 12), n = history_dice(h, 10);

	if (!p->taken) {
		if (dice > 3)
			return;
		*p = (struct history_pool){.taken = true,
					   .address = h->address += 0x100,
					   .generation = p->generation + 2,
					   .ifindex = (int)history_dice(h, HISTORY_DEVICES)};
	}
	/* a pool counts until its end: pages come back while it drains */
	p->fast += n;
	h->counted[p->ifindex] += n;
	if (p->draining && dice < 4) {
		history_fold(h, p);
		h->dead[p->ifindex]++;
		p->taken = false;
	} else if (!p->draining && dice == 5) {
		p->draining = true;
	} else if (!p->draining && dice == 6) {
		history_fold(h, p);
		p->ifindex = (int)history_dice(h, HISTORY_DEVICES);
	}
}

static void history_read(const struct history *h, struct snapshot *s)
{
	for (size_t i = 0; i < HISTORY_POOLS; i++) {
		const struct history_pool *hp = &h->pools[i];
		struct pool *p;

		if (!hp->taken)
			continue;
		p = unit_pool(s, hp->address, hp->generation);
		p->state = hp->draining ? POOL_DRAINING : POOL_LIVE;
		p->ifindex = hp->ifindex;
		snprintf(p->ifname, sizeof(p->ifname), "eth%d", hp->ifindex);
		if (!hp->ifindex) {
			p->ifname[0] = '\0';
			p->netns = 0;
		}
		p->total.n[PP_FAST] = hp->fast;
		p->elsewhere.n[PP_FAST] = hp->elsewhere;
	}
	for (int i = 0; i < HISTORY_DEVICES; i++)
		unit_past(s, i, h->dead[i], h->past[i])->others = i == HISTORY_DEVICES - 1;
}

/* What the pools on the last device have counted there: of the past only others know. */
static uint64_t history_last_device(const struct history *h)
{
	uint64_t n = 0;

	for (size_t i = 0; i < HISTORY_POOLS; i++)
		if (h->pools[i].taken && h->pools[i].ifindex == HISTORY_DEVICES - 1)
			n += h->pools[i].fast - h->pools[i].elsewhere;
	return n;
}

static void check_rates(const struct figures *f)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		assert_true(f->rate[i] >= 0 || isnan(f->rate[i]));
}

/* Every row has what was counted there, and what it never said before was more. */
static void check_history(const struct history *h, const struct model *m, uint64_t *before)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->nr_devices; i++) {
		const struct model_device *d = &m->devices[i];
		uint64_t want = h->counted[d->ifindex];

		if (d->others)
			want = h->past[HISTORY_DEVICES - 1];
		else if (d->ifindex == HISTORY_DEVICES - 1)
			want = history_last_device(h);
		assert_int_equal(d->total.n[PP_FAST], want);
		check_rates(&d->figures);
		sum += want;
		if (d->others || d->ifindex == HISTORY_DEVICES - 1)
			continue;
		assert_true(want >= before[d->ifindex]);
		before[d->ifindex] = want;
	}
	assert_int_equal(m->totals.total.n[PP_FAST], sum);
	assert_true(sum >= before[HISTORY_DEVICES]);
	before[HISTORY_DEVICES] = sum;
	check_rates(&m->totals.figures);
}

/*
 * Pools are born, count, move to other devices, die and give their slots to others, several of that
 * between two readings: no sum ever falls, nothing is lost and nothing counted twice.
 */
static void totals_never_go_backwards(void **state)
{
	uint64_t counted = 0;

	(void)state;
	for (unsigned int seed = 1; seed < 20; seed++) {
		uint64_t before[HISTORY_DEVICES + 1] = {0};
		struct history h = {.seed = seed, .address = 0x1000};
		struct model m;

		model_init(&m);
		for (int step = 1; step < 200; step++) {
			struct snapshot s;

			for (size_t i = 0; i < HISTORY_POOLS; i++)
				history_step(&h, &h.pools[i]);
			if (history_dice(&h, 3))
				continue;
			unit_snapshot(&s, step);
			history_read(&h, &s);
			update(&m, &s);
			check_history(&h, &m, before);
		}
		counted += before[HISTORY_DEVICES];
		model_free(&m);
	}
	assert_true(counted > 0);
}

static void renamed_device_is_one_row(void **state)
{
	static const char *const names[] = {"eth0", "lan0"};
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 0; i < 2; i++) {
		unit_snapshot(&s, 1 + i);
		for (uint32_t q = 0; q < 2; q++) {
			struct pool *p = unit_pool(&s, 0x1000 * (q + 1), 2);

			snprintf(p->ifname, sizeof(p->ifname), "%s", names[i]);
			p->total.n[PP_FAST] = 10;
		}
		update(&m, &s);
		assert_int_equal(m.nr_devices, 1);
		assert_string_equal(m.devices[0].ifname, names[i]);
		assert_int_equal(m.devices[0].total.n[PP_FAST], 20);
	}
	model_free(&m);
}

/* A live pool knows the name of now, the past the one of when its last pool died. */
static void past_takes_the_new_name(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_past(&s, 2, 1, 5);
	update(&m, &s);
	assert_string_equal(device(&m, 2)->ifname, "eth0");
	for (int i = 2; i < 4; i++) {
		unit_snapshot(&s, i);
		unit_past(&s, 2, 1, 5);
		p = unit_pool(&s, 0x1000, 2);
		snprintf(p->ifname, sizeof(p->ifname), "lan0");
		/* destroyed before: it has the name of then */
		p = unit_pool(&s, 0x2000, 2);
		p->state = POOL_STUCK;
		p->has |= POOL_HAS_DESTROYED;
		update(&m, &s);
		assert_int_equal(m.nr_devices, 1);
		assert_string_equal(m.devices[0].ifname, "lan0");
		assert_int_equal(m.devices[0].total.n[PP_FAST], 5);
	}
	model_free(&m);
}

static void devices_are_told_apart(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2);
	p = unit_pool(&s, 0x2000, 2); /* the same index and name elsewhere */
	p->netns++;
	p = unit_pool(&s, 0x3000, 2); /* no device */
	p->ifindex = 0;
	p->ifname[0] = '\0';
	p->netns = 0;
	p = unit_pool(&s, 0x4000, 2);
	p->ifindex = 0;
	p->ifname[0] = '\0';
	p->netns = 0;
	update(&m, &s);
	assert_int_equal(m.nr_devices, 3);
	assert_int_equal(m.devices[0].pools, 1);
	assert_int_equal(m.devices[1].pools, 1);
	assert_int_equal(m.devices[2].pools, 2);
	assert_int_equal(m.totals.pools, 4);
	model_free(&m);
}

/* A pool that netlink does not show has no driver: that does not undo what another pool says. */
static void unknown_name_does_not_erase_a_known_one(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	snprintf(p->driver, sizeof(p->driver), "mlx5_core");
	snprintf(p->netns_name, sizeof(p->netns_name), "blue");
	p = unit_pool(&s, 0x2000, 2);
	p->ifname[0] = '\0';
	update(&m, &s);
	assert_int_equal(m.nr_devices, 1);
	assert_string_equal(m.devices[0].ifname, "eth0");
	assert_string_equal(m.devices[0].driver, "mlx5_core");
	assert_string_equal(m.devices[0].netns_name, "blue");
	model_free(&m);
}

/* The source audits; the model hands it on as it is. */
static void audit_is_the_sources(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	p->audit.known = true;
	p->audit.unaccounted = 64;
	p->total.n[PP_FAST] = 1;
	update(&m, &s);
	assert_true(m.pools[0].pool->audit.known);
	assert_int_equal(m.pools[0].pool->audit.unaccounted, 64);
	model_free(&m);
}

/* Scenario 15: hold 100, release 51,546 */
static void impossible_pool_stays_out_of_sums(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	p->inflight = 3;
	p->inflight_bytes = 12288;
	p->total.n[PP_FAST] = 1;
	p = unit_pool(&s, 0x2000, 2);
	p->state = POOL_IMPOSSIBLE;
	p->inflight = -51446;
	p->inflight_bytes = (uint64_t)-51446 * 4096;
	p->total.n[PP_FAST] = 2;
	update(&m, &s);
	assert_int_equal(m.nr_pools, 2);
	assert_int_equal(m.totals.pools, 2);
	assert_true(m.totals.inflight_known);
	assert_int_equal(m.totals.inflight, 3);
	assert_int_equal(m.totals.inflight_bytes, 12288);
	assert_int_equal(m.devices[0].inflight, 3);
	assert_int_equal(m.devices[0].inflight_bytes, 12288);
	/* what it counted is counted */
	assert_int_equal(m.totals.total.n[PP_FAST], 3);
	model_free(&m);
}

static void unknown_inflight_is_not_nothing(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	p->has &= ~(uint32_t)POOL_HAS_INFLIGHT;
	update(&m, &s);
	assert_false(m.devices[0].inflight_known);
	assert_false(m.totals.inflight_known);
	model_free(&m);
}

/* Scenario 12: each of 20 destroyed pools once, always in the same order, and then none. */
static void twenty_destroyed_pools(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int round = 1; round < 4; round++) {
		unit_snapshot(&s, round);
		for (uint32_t i = 0; i < 20; i++) {
			/* in another order each time */
			uint32_t k = (i * 7 + (uint32_t)round) % 20;
			struct pool *p = unit_pool(&s, 0x1000 + k, 2);

			p->state = POOL_DRAINING;
			p->inflight = 1;
			p->inflight_bytes = 4096;
			p->queue = -1;
		}
		update(&m, &s);
		assert_int_equal(m.nr_pools, 20);
		for (uint32_t i = 0; i < 20; i++)
			assert_int_equal(m.pools[i].pool->address, 0x1000 + i);
		assert_int_equal(m.totals.inflight, 20);
		assert_int_equal(m.totals.inflight_bytes, 81920);
	}
	unit_snapshot(&s, 9);
	update(&m, &s);
	assert_int_equal(m.nr_pools, 0);
	assert_int_equal(m.totals.pools, 0);
	assert_int_equal(m.totals.inflight, 0);
	model_free(&m);
}

/* A destroyed pool with so many pages out. Good until the next one. */
static struct pool *unit_drain(struct snapshot *s, uint64_t address, int64_t pages)
{
	struct pool *p = unit_pool(s, address, 2);

	p->state = POOL_DRAINING;
	p->has |= POOL_HAS_DESTROYED;
	p->inflight = pages;
	return p;
}

/* Scenario 9: 7,498 pages at 60 s, 7,293 at 120 s */
static void drains_slowly(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 60);
	unit_pool(&s, 0x1000, 2);
	unit_drain(&s, 0x2000, 7498);
	update(&m, &s);
	for (int i = 0; i < 2; i++) {
		assert_nan(m.pools[i].drain_rate);
		assert_nan(m.pools[i].drain_left_s);
	}
	unit_snapshot(&s, 120);
	unit_pool(&s, 0x1000, 2);
	unit_drain(&s, 0x2000, 7293);
	update(&m, &s);
	assert_nan(m.pools[0].drain_rate);
	assert_nan(m.pools[0].drain_left_s);
	assert_near(m.pools[1].drain_rate, 205 / 60.0);
	assert_near(m.pools[1].drain_left_s, 7293 * 60 / 205.0);
	/* nothing more came: the rate is over all that was seen */
	unit_snapshot(&s, 180);
	unit_drain(&s, 0x2000, 7293);
	update(&m, &s);
	assert_near(m.pools[0].drain_rate, 205 / 120.0);
	/* until the source says that it is flat */
	unit_snapshot(&s, 181);
	unit_drain(&s, 0x2000, 7293)->state = POOL_STUCK;
	update(&m, &s);
	assert_near(m.pools[0].drain_rate, 0);
	assert_nan(m.pools[0].drain_left_s);
	/* and it may drain again */
	unit_snapshot(&s, 260);
	unit_drain(&s, 0x2000, 7098);
	update(&m, &s);
	assert_near(m.pools[0].drain_rate, 2);
	assert_near(m.pools[0].drain_left_s, 3549);
	model_free(&m);
}

static void drain_that_is_flat(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 4; i++) {
		unit_snapshot(&s, i);
		unit_drain(&s, 0x1000, 1);
		unit_drain(&s, 0x2000, 5 + i); /* which cannot be */
		unit_drain(&s, 0x3000, 5 - i)->has &= ~(uint32_t)POOL_HAS_INFLIGHT;
		unit_drain(&s, 0x4000, -i)->state = POOL_IMPOSSIBLE;
		update(&m, &s);
		for (int k = 0; k < 4; k++)
			assert_nan(m.pools[k].drain_left_s);
	}
	assert_near(m.pools[0].drain_rate, 0);
	assert_near(m.pools[1].drain_rate, 0);
	assert_nan(m.pools[2].drain_rate);
	assert_nan(m.pools[3].drain_rate);
	model_free(&m);
}

/* Each has its own trend, whatever comes and goes between them; an address that is used again. */
static void drains_are_told_apart(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	for (int i = 1; i < 6; i++) {
		unit_snapshot(&s, i);
		for (int k = 19; k >= 0; k--) {
			struct pool *p;

			if (k % 5 == i % 5)
				continue;
			p = unit_drain(&s, 0x1000 + (uint64_t)k, 1000 - (int64_t)i * k);
			if (k == 11 && i > 2)
				p->generation = 4;
		}
		update(&m, &s);
	}
	for (size_t i = 0; i < m.nr_pools; i++) {
		const struct pool *p = m.pools[i].pool;
		int k = (int)(p->address - 0x1000);

		/* one that was away is new */
		if (k % 5 == 4)
			assert_nan(m.pools[i].drain_rate);
		else
			assert_near(m.pools[i].drain_rate, k);
	}
	model_free(&m);
}

static void pools_are_in_order(void **state)
{
	static const struct {
		uint32_t netns;
		int ifindex, queue;
		uint32_t id;
	} rows[] = {{2, 1, 0, 9}, {1, 3, 1, 4}, {1, 3, 0, 6}, {1, 3, 0, 5}, {1, 2, 7, 8}};
	static const uint32_t ids[] = {8, 5, 6, 4, 9};
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pool *p = unit_pool(&s, 0x1000 + i, 2);

		p->netns = rows[i].netns;
		p->ifindex = rows[i].ifindex;
		p->queue = rows[i].queue;
		p->id = rows[i].id;
	}
	update(&m, &s);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(m.pools[i].pool->id, ids[i]);
	model_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_snapshot_has_no_interval),
		cmocka_unit_test(no_pools),
		cmocka_unit_test(rates_are_per_second),
		cmocka_unit_test(unknown_before_has_no_rate),
		cmocka_unit_test(counters_near_the_end),
		cmocka_unit_test(ratios_that_people_posted),
		cmocka_unit_test(ratios_without_sense),
		cmocka_unit_test(quiet_interval_has_no_ratio),
		cmocka_unit_test(dead_pool_counts_once),
		cmocka_unit_test(short_life_counts),
		cmocka_unit_test(empty_past_is_no_device),
		cmocka_unit_test(past_may_be_unknown),
		cmocka_unit_test(pool_that_moves),
		cmocka_unit_test(pools_counted_together),
		cmocka_unit_test(devices_too_many),
		cmocka_unit_test(vanished_pool_still_counts),
		cmocka_unit_test(netlink_knew_it_first),
		cmocka_unit_test(pool_left_out_by_a_filter),
		cmocka_unit_test(past_has_every_device),
		cmocka_unit_test(totals_never_go_backwards),
		cmocka_unit_test(renamed_device_is_one_row),
		cmocka_unit_test(past_takes_the_new_name),
		cmocka_unit_test(devices_are_told_apart),
		cmocka_unit_test(unknown_name_does_not_erase_a_known_one),
		cmocka_unit_test(audit_is_the_sources),
		cmocka_unit_test(impossible_pool_stays_out_of_sums),
		cmocka_unit_test(unknown_inflight_is_not_nothing),
		cmocka_unit_test(twenty_destroyed_pools),
		cmocka_unit_test(drains_slowly),
		cmocka_unit_test(drain_that_is_flat),
		cmocka_unit_test(drains_are_told_apart),
		cmocka_unit_test(pools_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
