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
		if (m->devices[i].ifindex == ifindex)
			return &m->devices[i];
	fail_msg("no device %d", ifindex);
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
	}
	assert_near(m.interval_s, 1);
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

/* A dead pool stays in its slot for as long as the slot is free: it counts once all the same. */
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
		p = unit_pool(&s, 0x1000, 2);
		p->total.n[PP_FAST] = 130;
		p->state = POOL_DEAD;
		unit_pool(&s, 0x2000, 2)->total.n[PP_FAST] = 7;
		update(&m, &s);
		assert_int_equal(m.nr_pools, 1);
		assert_int_equal(m.totals.pools, 1);
		assert_int_equal(device(&m, 2)->total.n[PP_FAST], 137);
		assert_int_equal(m.totals.total.n[PP_FAST], 137);
		assert_near(m.totals.figures.rate[PP_FAST], i == 2 ? 30 : 0);
	}
	/* the slot is taken by another pool, at the same address */
	unit_snapshot(&s, 6);
	unit_pool(&s, 0x1000, 4)->total.n[PP_FAST] = 1;
	unit_pool(&s, 0x2000, 2)->total.n[PP_FAST] = 7;
	update(&m, &s);
	assert_int_equal(m.nr_pools, 2);
	assert_int_equal(device(&m, 2)->total.n[PP_FAST], 138);
	assert_int_equal(m.totals.total.n[PP_FAST], 138);
	/* and that one dies, too */
	unit_snapshot(&s, 7);
	p = unit_pool(&s, 0x1000, 4);
	p->total.n[PP_FAST] = 2;
	p->state = POOL_DEAD;
	update(&m, &s);
	assert_true(m.totals.total.n[PP_FAST] >= 132);
	model_free(&m);
}

/* Born and dead between two readings: seen only as dead. */
static void short_life_counts(void **state)
{
	struct model m;
	struct snapshot s;
	struct pool *p;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	update(&m, &s);
	unit_snapshot(&s, 2);
	p = unit_pool(&s, 0x1000, 2);
	p->total.n[PP_FAST] = 64;
	p->total.n[PP_RING] = 32;
	p->state = POOL_DEAD;
	update(&m, &s);
	assert_int_equal(m.nr_pools, 0);
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

static void check_not_less(const struct counters *now, const struct counters *before)
{
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		assert_true(now->n[i] >= before->n[i]);
}

/* Pools are born, count, die and give their slots to others: no sum ever falls, none is lost. */
static void totals_never_go_backwards(void **state)
{
	struct {
		bool taken;
		uint64_t address;
		uint32_t generation;
		enum pool_state pool_state;
		int ifindex;
		uint64_t fast;
	} slots[16] = {0};
	uint64_t counted[4] = {0}, address = 0x1000;
	struct counters device_before[4] = {0}, total_before = {0};
	struct model m;
	unsigned int seed = 1;

	(void)state;
	model_init(&m);
	for (int step = 1; step < 400; step++) {
		struct snapshot s;

		unit_snapshot(&s, step);
		for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
			int dice = rand_r(&seed) % 8;

			if (!slots[i].taken || (slots[i].pool_state == POOL_DEAD && !dice)) {
				slots[i].taken = true;
				slots[i].address = address += 0x100;
				slots[i].generation += 2;
				slots[i].pool_state = POOL_LIVE;
				slots[i].ifindex = rand_r(&seed) % 4;
				slots[i].fast = 0;
			} else if (slots[i].pool_state != POOL_DEAD && dice == 1) {
				slots[i].pool_state = POOL_DRAINING;
			} else if (slots[i].pool_state == POOL_DRAINING && dice == 2) {
				slots[i].pool_state = POOL_DEAD;
			}
			if (slots[i].pool_state == POOL_LIVE) {
				slots[i].fast += (uint64_t)dice;
				counted[slots[i].ifindex] += (uint64_t)dice;
			}
		}
		for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
			struct pool *p = unit_pool(&s, slots[i].address, slots[i].generation);

			p->state = slots[i].pool_state;
			p->ifindex = slots[i].ifindex;
			if (!p->ifindex)
				p->ifname[0] = '\0';
			p->total.n[PP_FAST] = slots[i].fast;
		}
		update(&m, &s);
		for (size_t i = 0; i < m.nr_devices; i++) {
			const struct model_device *d = &m.devices[i];

			check_not_less(&d->total, &device_before[d->ifindex]);
			device_before[d->ifindex] = d->total;
			assert_int_equal(d->total.n[PP_FAST], counted[d->ifindex]);
		}
		check_not_less(&m.totals.total, &total_before);
		total_before = m.totals.total;
		assert_int_equal(m.totals.total.n[PP_FAST],
				 counted[0] + counted[1] + counted[2] + counted[3]);
	}
	model_free(&m);
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

/* A pool whose books balance: the cache has 60 pages, the ring 100. */
static struct pool *balanced(struct snapshot *s)
{
	struct pool *p = unit_pool(s, 0x1000, 2);
	uint64_t *n = p->total.n;

	p->base_cache = 5;
	p->base_ring = 10;
	n[PP_RING] = 200;
	n[PP_MOVED] = 100;
	n[PP_WAIVE] = 10;
	n[PP_CACHED] = 300;
	n[PP_FETCHED] = 128;
	n[PP_FAST] = 470;
	n[PP_SHARED] = 10;
	n[PP_SLOW] = 2;
	n[PP_REFILL] = 3;
	n[PP_FLUSHED] = 8;
	p->ring = 10 + 200 - 100 - 10;
	p->cache = 5 + 300 + 128 + 100 - (470 - 10) - 2 - 3 - 8;
	return p;
}

static void audit_of_a_pool_at_rest(void **state)
{
	struct model m;
	struct snapshot s;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	balanced(&s);
	update(&m, &s);
	/* one snapshot cannot tell rest from load */
	assert_false(m.pools[0].audit.known);
	unit_snapshot(&s, 2);
	balanced(&s);
	update(&m, &s);
	assert_true(m.pools[0].audit.known);
	assert_int_equal(m.pools[0].audit.unaccounted, 0);
	/* under load */
	unit_snapshot(&s, 3);
	balanced(&s)->total.n[PP_FAST]++;
	update(&m, &s);
	assert_false(m.pools[0].audit.known);
	model_free(&m);
}

static void audit_of(struct audit *a, void (*change)(struct pool *p))
{
	struct model m;
	struct snapshot s;

	model_init(&m);
	for (int i = 1; i < 3; i++) {
		unit_snapshot(&s, i);
		change(balanced(&s));
		update(&m, &s);
	}
	*a = m.pools[0].audit;
	model_free(&m);
}

static void lose_page(struct pool *p)
{
	p->ring--;
}

static void lose_and_gain(struct pool *p)
{
	p->ring -= 3;
	p->cache += 3;
}

static void miss_event(struct pool *p)
{
	p->total.n[PP_CACHED] -= 64;
}

static void make_system(struct pool *p)
{
	p->state = POOL_SYSTEM;
}

static void make_draining(struct pool *p)
{
	p->state = POOL_DRAINING;
}

static void make_impossible(struct pool *p)
{
	p->state = POOL_IMPOSSIBLE;
}

static void forget_books(struct pool *p)
{
	p->has &= ~(uint32_t)POOL_HAS_BOOKS;
}

static void forget_counter(struct pool *p)
{
	p->counters_known &= ~(1u << PP_WAIVE);
}

/*
 * State from BPF, but the eleven counters from the kernel: they have no MOVED and FETCHED, and did
 * not begin when base_cache and base_ring were read.
 */
static void kernel_counters(struct pool *p)
{
	p->has &= ~(uint32_t)POOL_HAS_CPUS;
	for (int i = PP_NR_COUNTERS; i < PP_NR_SLOT_COUNTERS; i++)
		p->total.n[i] = 0;
}

static void audit_finds_mismatches(void **state)
{
	struct audit a;

	(void)state;
	audit_of(&a, lose_page);
	assert_true(a.known);
	assert_int_equal(a.unaccounted, 1);
	audit_of(&a, lose_and_gain); /* one does not hide the other */
	assert_true(a.known);
	assert_int_equal(a.unaccounted, 6);
	audit_of(&a, miss_event);
	assert_true(a.known);
	assert_int_equal(a.unaccounted, 64);
	audit_of(&a, make_system);
	assert_true(a.known);
	assert_int_equal(a.unaccounted, 0);
}

static void audit_needs_all_it_reckons_with(void **state)
{
	static void (*const changes[])(struct pool *) = {make_draining, make_impossible,
							 forget_books, forget_counter};
	struct audit a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		audit_of(&a, changes[i]);
		assert_false(a.known);
	}
}

static void audit_needs_counters_of_its_own(void **state)
{
	struct audit a;

	(void)state;
	audit_of(&a, kernel_counters);
	assert_false(a.known);
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
		cmocka_unit_test(counters_near_the_end),
		cmocka_unit_test(ratios_that_people_posted),
		cmocka_unit_test(ratios_without_sense),
		cmocka_unit_test(quiet_interval_has_no_ratio),
		cmocka_unit_test(dead_pool_counts_once),
		cmocka_unit_test(short_life_counts),
		cmocka_unit_test(vanished_pool_still_counts),
		cmocka_unit_test(totals_never_go_backwards),
		cmocka_unit_test(renamed_device_is_one_row),
		cmocka_unit_test(devices_are_told_apart),
		cmocka_unit_test(unknown_name_does_not_erase_a_known_one),
		cmocka_unit_test(audit_of_a_pool_at_rest),
		cmocka_unit_test(audit_finds_mismatches),
		cmocka_unit_test(audit_needs_all_it_reckons_with),
		cmocka_unit_test(audit_needs_counters_of_its_own),
		cmocka_unit_test(impossible_pool_stays_out_of_sums),
		cmocka_unit_test(unknown_inflight_is_not_nothing),
		cmocka_unit_test(twenty_destroyed_pools),
		cmocka_unit_test(pools_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
