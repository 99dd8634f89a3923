// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording as a whole: what was counted in it, over which time, and by which pools. */
#include "unit.h"

#include "recording.h"

struct fixture {
	struct recording r;
	struct model m;
	struct snapshot s;
};

static void begin(struct fixture *f)
{
	recording_init(&f->r);
	model_init(&f->m);
}

static void finish(struct fixture *f)
{
	recording_end(&f->r, &f->m);
	assert_int_equal(f->m.nr_pools, 0);
}

/* The next reading. */
static void push(struct fixture *f)
{
	assert_int_equal(model_update(&f->m, &f->s), 0);
	assert_int_equal(recording_add(&f->r, &f->m), 0);
}

static struct pool *pool(struct fixture *f, uint64_t address, uint64_t fast, int64_t inflight)
{
	struct pool *p = unit_pool(&f->s, address, 2);

	for (int i = 0; i < PP_NR_COUNTERS; i++)
		p->total.n[i] = fast;
	p->inflight = inflight;
	return p;
}

static void one_reading(struct fixture *f, double at, uint64_t fast)
{
	unit_snapshot(&f->s, at);
	pool(f, 0x1000, fast, 7);
	push(f);
}

static double ratio(const struct track *t, const struct counters *total)
{
	double n[PP_NR_COUNTERS];

	return recycle_ratio(n, track_figures(t, total, ALL_COUNTERS, n));
}

static void what_was_counted_from_start_to_end(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	one_reading(&f, 100, 1000);
	one_reading(&f, 101, 1500);
	one_reading(&f, 105, 1600);
	finish(&f);
	assert_near(f.r.seconds, 5);
	assert_int_equal(f.r.intervals, 2);
	assert_int_equal(f.r.nr_pools, 1);
	assert_int_equal(f.r.nr_devices, 1);
	assert_int_equal(f.r.totals.gained[PP_WAIVE], 600);
	assert_int_equal(f.r.devices[0].gained[PP_WAIVE], 600);
	assert_int_equal(f.r.pools[0].track.gained[PP_WAIVE], 600);
	assert_near(track_rate(&f.r.pools[0].track, PP_WAIVE), 120);
	assert_near(track_alloc(&f.r.totals), 480);
	/* cached + ring of fast + refill + slow + slow_high_order */
	assert_near(ratio(&f.r.totals, NULL), 0.5);
	assert_int_equal(f.r.totals.timeline.nr, 2);
	assert_near(f.r.totals.timeline.points[0].rate[PP_FAST], 500);
	assert_near(f.r.totals.timeline.points[1].from_s, 1);
	assert_near(f.r.totals.timeline.points[1].to_s, 5);
	assert_near(f.r.totals.timeline.points[1].rate[PP_FAST], 25);
	assert_near(f.r.totals.timeline.points[1].most, 7);
	assert_ptr_equal(f.r.pools[0].mp, &f.r.m.pools[0]);
	recording_free(&f.r);
}

/* One reading is counts, and nothing over time. */
static void one_reading_has_no_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	one_reading(&f, 100, 1000);
	finish(&f);
	assert_int_equal(f.r.intervals, 0);
	assert_int_equal(f.r.totals.timeline.nr, 0);
	assert_nan(track_rate(&f.r.totals, PP_FAST));
	assert_nan(track_alloc(&f.r.totals));
	assert_near(ratio(&f.r.totals, &f.r.m.totals.total), 0.5);
	recording_free(&f.r);
}

static void a_pool_that_is_new_began_at_nothing(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	one_reading(&f, 100, 1000);
	one_reading(&f, 101, 1000);
	unit_snapshot(&f.s, 102);
	pool(&f, 0x1000, 1000, 1);
	pool(&f, 0x2000, 40, 2);
	push(&f);
	finish(&f);
	assert_int_equal(f.r.nr_pools, 2);
	assert_int_equal(f.r.pools[1].track.gained[PP_FAST], 40);
	assert_near(track_rate(&f.r.pools[1].track, PP_FAST), 40);
	assert_near(track_rate(&f.r.devices[0], PP_FAST), 20);
	recording_free(&f.r);
}

static void a_pool_that_is_gone_stays(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	unit_snapshot(&f.s, 100);
	pool(&f, 0x1000, 10, 1);
	pool(&f, 0x2000, 10, 1);
	push(&f);
	unit_snapshot(&f.s, 101);
	pool(&f, 0x1000, 15, 1);
	pool(&f, 0x2000, 30, 1);
	push(&f);
	unit_snapshot(&f.s, 103);
	pool(&f, 0x2000, 30, 1);
	push(&f);
	finish(&f);
	assert_int_equal(f.r.nr_pools, 2);
	assert_null(f.r.pools[0].mp);
	assert_near(f.r.pools[0].seen_s, 1);
	assert_int_equal(f.r.pools[0].pool.total.n[PP_FAST], 15);
	assert_int_equal(f.r.pools[0].track.gained[PP_FAST], 5);
	assert_near(track_rate(&f.r.pools[0].track, PP_FAST), 5);
	assert_null(f.r.pools[0].pool.cpus);
	assert_ptr_equal(f.r.pools[1].mp, &f.r.m.pools[0]);
	assert_near(track_rate(&f.r.pools[1].track, PP_FAST), 20.0 / 3);
	recording_free(&f.r);
}

/* Its mean is over the time it is known of; how much it was in all is not known. */
static void what_was_not_known_throughout(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 4; i++) {
		unit_snapshot(&f.s, 100 + i);
		pool(&f, 0x1000, 10 * (uint64_t)i, i);
		if (i == 1) {
			f.s.pools[0].counters_known &= ~(1u << PP_SLOW);
			f.s.pools[0].has &= ~(uint32_t)POOL_HAS_INFLIGHT;
		}
		push(&f);
	}
	finish(&f);
	for (int k = 0; k < 2; k++) {
		struct track *t = k ? &f.r.pools[0].track : &f.r.devices[0];

		assert_false(track_is_whole(t, PP_SLOW));
		assert_near(track_rate(t, PP_SLOW), 10);
		assert_true(track_is_whole(t, PP_FAST));
		assert_near(track_rate(t, PP_FAST), 10);
		assert_nan(t->timeline.points[0].rate[PP_SLOW]);
		assert_nan(t->timeline.points[1].rate[PP_SLOW]);
		assert_near(t->timeline.points[2].rate[PP_SLOW], 10);
		assert_nan(t->timeline.points[0].most);
		assert_near(t->timeline.points[1].most, 2);
		assert_near(ratio(t, NULL), 0.5);
	}
	recording_free(&f.r);
}

static void what_was_never_known(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i < 3; i++) {
		unit_snapshot(&f.s, 100 + i);
		pool(&f, 0x1000, 10 * (uint64_t)i, i)->counters_known &= ~(1u << PP_SLOW);
		push(&f);
	}
	finish(&f);
	assert_false(track_is_whole(&f.r.totals, PP_SLOW));
	assert_nan(track_rate(&f.r.totals, PP_SLOW));
	assert_nan(track_alloc(&f.r.totals));
	assert_nan(ratio(&f.r.totals, NULL));
	recording_free(&f.r);
}

/* One that was put right is lower than before: no negative rate, and no huge one. */
static void a_count_that_was_put_right(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	one_reading(&f, 100, 1000);
	one_reading(&f, 101, 999);
	one_reading(&f, 102, 1009);
	finish(&f);
	assert_int_equal(f.r.pools[0].track.gained[PP_FAST], 10);
	assert_near(f.r.totals.timeline.points[0].rate[PP_FAST], 0);
	recording_free(&f.r);
}

/* Two recordings in one file: the clock stands between them, and nothing is counted there. */
static void two_in_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	one_reading(&f, 100, 1000);
	one_reading(&f, 101, 1001);
	assert_false(f.r.mixed);
	unit_snapshot(&f.s, 101);
	snprintf(f.s.host.name, sizeof(f.s.host.name), "rx8");
	pool(&f, 0x1000, 500000, 7);
	push(&f);
	unit_snapshot(&f.s, 102);
	snprintf(f.s.host.name, sizeof(f.s.host.name), "rx8");
	pool(&f, 0x1000, 500002, 7);
	push(&f);
	finish(&f);
	assert_true(f.r.mixed);
	assert_int_equal(f.r.intervals, 2);
	assert_int_equal(f.r.totals.gained[PP_FAST], 3);
	assert_near(f.r.totals.seconds, 2);
	recording_free(&f.r);
}

static void the_time_of_day(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	one_reading(&f, 100, 1);
	one_reading(&f, 110, 2);
	finish(&f);
	/* unit_snapshot()'s is that of the end */
	assert_int_equal(recording_time(&f.r, 10).tv_sec, 1767323045);
	assert_int_equal(recording_time(&f.r, 10).tv_nsec, 678999999);
	assert_int_equal(recording_time(&f.r, 0).tv_sec, 1767323035);
	assert_int_equal(recording_time(&f.r, 0.5).tv_nsec, 178999999);
	f.r.m.now.time.tv_sec = 0;
	assert_int_equal(recording_time(&f.r, 0).tv_sec, 0);
	recording_free(&f.r);
}

static void churn(struct fixture *f, int at, size_t nr)
{
	unit_snapshot(&f->s, 100 + at);
	pool(f, 1, (uint64_t)at, 1); /* stays */
	for (size_t i = 0; i < nr; i++)
		pool(f, (uint64_t)(at + 2) << 32 | i, 1, 1);
	push(f);
}

/* Pools come and go: those that are here are kept, and so are the last of those that are gone. */
static void pools_are_bounded(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int at = 0; at < 6; at++)
		churn(&f, at, 1000);
	finish(&f);
	assert_int_equal(f.r.nr_pools, RECORDING_POOLS);
	assert_int_equal(f.r.left_out, 6001 - RECORDING_POOLS);
	assert_int_equal(f.r.pools[0].track.gained[PP_FAST], 5);
	for (size_t i = 0, here = 0; i < f.r.nr_pools; i++) {
		here += f.r.pools[i].mp != NULL;
		if (i == f.r.nr_pools - 1)
			assert_int_equal(here, 1001);
	}
	recording_free(&f.r);
}

static void more_pools_than_there_is_room_for(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	churn(&f, 0, RECORDING_POOLS + 9);
	finish(&f);
	assert_int_equal(f.r.nr_pools, RECORDING_POOLS);
	assert_int_equal(f.r.left_out, 10);
	recording_free(&f.r);
}

static void nothing_at_all(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	snapshot_init(&f.s, 1);
	push(&f);
	finish(&f);
	assert_int_equal(f.r.intervals, 0);
	assert_int_equal(f.r.nr_pools, 0);
	recording_free(&f.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_counted_from_start_to_end),
		cmocka_unit_test(one_reading_has_no_time),
		cmocka_unit_test(a_pool_that_is_new_began_at_nothing),
		cmocka_unit_test(a_pool_that_is_gone_stays),
		cmocka_unit_test(what_was_not_known_throughout),
		cmocka_unit_test(what_was_never_known),
		cmocka_unit_test(a_count_that_was_put_right),
		cmocka_unit_test(two_in_one),
		cmocka_unit_test(the_time_of_day),
		cmocka_unit_test(pools_are_bounded),
		cmocka_unit_test(more_pools_than_there_is_room_for),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
