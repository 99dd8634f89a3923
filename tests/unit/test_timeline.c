// SPDX-License-Identifier: GPL-2.0-or-later
/* Points over time: as many as there is room for, and what they stand for when they are merged. */
#include "unit.h"

#include "timeline.h"

/* Interval @i, a second long: @rate of each counter. */
static void add(struct timeline *s, int i, double rate, double inflight)
{
	struct sample sample = {.from_s = i, .to_s = i + 1, .inflight = inflight};

	for (int k = 0; k < PP_NR_COUNTERS; k++)
		sample.rate[k] = rate;
	assert_int_equal(timeline_add(s, &sample), 0);
}

static void a_point_for_each_interval(void **state)
{
	struct timeline s;

	(void)state;
	timeline_init(&s, 8);
	for (int i = 0; i < 8; i++)
		add(&s, i, 10 * i, 100 + i);
	assert_int_equal(s.nr, 8);
	assert_int_equal(s.per, 1);
	for (int i = 0; i < 8; i++) {
		assert_near(s.points[i].from_s, i);
		assert_near(s.points[i].to_s, i + 1);
		assert_near(s.points[i].rate[PP_RING_FULL], 10 * i);
		assert_near(s.points[i].least, 100 + i);
		assert_near(s.points[i].most, 100 + i);
	}
	timeline_free(&s);
}

static void neighbours_are_merged_when_it_is_full(void **state)
{
	struct timeline s;

	(void)state;
	timeline_init(&s, 8);
	for (int i = 0; i < 9; i++)
		add(&s, i, 10 * i, 100 + i);
	assert_int_equal(s.nr, 5);
	assert_int_equal(s.per, 2);
	assert_near(s.points[1].from_s, 2);
	assert_near(s.points[1].to_s, 4);
	assert_near(s.points[1].rate[PP_FAST], 25);
	assert_near(s.points[1].least, 102);
	assert_near(s.points[1].most, 103);
	/* the ninth has a point that the tenth joins */
	assert_near(s.points[4].to_s, 9);
	add(&s, 9, 100, 90);
	assert_int_equal(s.nr, 5);
	assert_near(s.points[4].to_s, 10);
	assert_near(s.points[4].rate[PP_FAST], 90);
	assert_near(s.points[4].least, 90);
	assert_near(s.points[4].most, 108);
	timeline_free(&s);
}

/* A day of seconds: bounded, no page lost, all time covered once, and the peak of a second seen. */
static void a_day_of_seconds(void **state)
{
	double sum = 0, seconds = 0, most = 0;
	struct timeline s;

	(void)state;
	timeline_init(&s, 480);
	for (int i = 0; i < 86400; i++)
		add(&s, i, i % 2 ? 100 : 300, i == 40000 ? 5000 : 10);
	assert_true(s.nr <= 480 && s.nr >= 240);
	assert_true(s.cap <= 480);
	for (size_t i = 0; i < s.nr; i++) {
		if (i)
			assert_near(s.points[i].from_s, s.points[i - 1].to_s);
		sum += (double)s.points[i].rate[PP_FAST] * s.points[i].seconds;
		seconds += s.points[i].seconds;
		most = fmax(most, s.points[i].most);
	}
	assert_near(seconds, 86400);
	assert_near(s.points[s.nr - 1].to_s, 86400);
	assert_true(fabs(sum - 200.0 * 86400) < 200);
	assert_near(most, 5000);
	timeline_free(&s);
}

/* Points that were merged early weigh as much as they are long. */
static void the_mean_is_of_time(void **state)
{
	struct sample long_one = {.from_s = 0, .to_s = 9, .inflight = NAN};
	struct timeline s;

	(void)state;
	timeline_init(&s, 2);
	for (int k = 0; k < PP_NR_COUNTERS; k++)
		long_one.rate[k] = 10;
	assert_int_equal(timeline_add(&s, &long_one), 0);
	add(&s, 9, 110, NAN);
	add(&s, 10, 0, 7);
	assert_int_equal(s.nr, 2);
	assert_near(s.points[0].rate[PP_SLOW], 20);
	assert_nan(s.points[0].most);
	assert_near(s.points[1].most, 7);
	timeline_free(&s);
}

static void what_is_not_known_is_never_0(void **state)
{
	struct timeline s;

	(void)state;
	timeline_init(&s, 4);
	add(&s, 0, NAN, NAN);
	add(&s, 1, 50, 5);
	add(&s, 2, NAN, NAN);
	add(&s, 3, NAN, NAN);
	add(&s, 4, 8, NAN);
	assert_int_equal(s.nr, 3);
	/* one of two is known: it stands for both */
	assert_near(s.points[0].rate[PP_CACHED], 50);
	assert_near(s.points[0].least, 5);
	assert_near(s.points[0].most, 5);
	assert_nan(s.points[1].rate[PP_CACHED]);
	assert_nan(s.points[1].least);
	assert_nan(s.points[1].most);
	timeline_free(&s);
}

static void gaps_stay_gaps(void **state)
{
	struct timeline s;

	(void)state;
	timeline_init(&s, 2);
	add(&s, 0, 10, 1);
	add(&s, 5, 30, 1);
	add(&s, 6, 30, 1);
	assert_near(s.points[0].to_s, 6);
	assert_near(s.points[0].seconds, 2);
	assert_near(s.points[0].rate[PP_FAST], 20);
	timeline_free(&s);
}

static void the_ratio_of_a_point(void **state)
{
	struct point p = {.rate = {[PP_FAST] = 80,
				   [PP_REFILL] = 10,
				   [PP_SLOW] = 10,
				   [PP_CACHED] = 30,
				   [PP_RING] = 20}};

	(void)state;
	assert_near(point_ratio(&p), 0.5);
	p.rate[PP_CACHED] = 1000; /* taken before */
	assert_near(point_ratio(&p), 1);
	p.rate[PP_RING_FULL] = NAN; /* is not part of it */
	assert_near(point_ratio(&p), 1);
	p.rate[PP_REFILL] = NAN;
	assert_nan(point_ratio(&p));
	memset(&p, 0, sizeof(p));
	assert_nan(point_ratio(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_point_for_each_interval),
		cmocka_unit_test(neighbours_are_merged_when_it_is_full),
		cmocka_unit_test(a_day_of_seconds),
		cmocka_unit_test(the_mean_is_of_time),
		cmocka_unit_test(what_is_not_known_is_never_0),
		cmocka_unit_test(gaps_stay_gaps),
		cmocka_unit_test(the_ratio_of_a_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
