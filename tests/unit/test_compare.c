// SPDX-License-Identifier: GPL-2.0-or-later
/* Two recordings side by side: which devices go together, and what the differences are. */
#include "unit.h"

#include "compare.h"

#define TEN_S 10

struct device {
	const char *name;
	uint32_t netns;
	const char *netns_name;
	uint64_t per_s; /* of each counter */
	int64_t inflight;
};

/* A recording of ten seconds with these devices. */
static void record(struct recording *r, const struct device *devices, size_t nr)
{
	struct model m;

	recording_init(r);
	model_init(&m);
	for (int at = 0; at <= TEN_S; at += TEN_S) {
		struct snapshot s;

		unit_snapshot(&s, 100 + at);
		for (size_t i = 0; i < nr; i++) {
			struct pool *p = unit_pool(&s, 0x1000 + i, 2);

			snprintf(p->ifname, sizeof(p->ifname), "%s", devices[i].name);
			snprintf(p->netns_name, sizeof(p->netns_name), "%s", devices[i].netns_name);
			p->netns = devices[i].netns;
			p->ifindex = (int)(devices[i].name[0] ? i + 2 : 0);
			p->inflight = devices[i].inflight;
			for (int k = 0; k < PP_NR_COUNTERS; k++)
				p->total.n[k] = devices[i].per_s * (uint64_t)at;
		}
		assert_int_equal(model_update(&m, &s), 0);
		assert_int_equal(recording_add(r, &m), 0);
	}
	recording_end(r, &m);
}

struct fixture {
	struct recording r[NR_SIDES];
	struct comparison c;
};

static void compare(struct fixture *f, const struct device *before, size_t nr_before,
		    const struct device *after, size_t nr_after)
{
	record(&f->r[BEFORE], before, nr_before);
	record(&f->r[AFTER], after, nr_after);
	assert_int_equal(compare_recordings(&f->c, &f->r[BEFORE], &f->r[AFTER]), 0);
}

static void finish(struct fixture *f)
{
	comparison_free(&f->c);
	recording_free(&f->r[BEFORE]);
	recording_free(&f->r[AFTER]);
}

static void check(const struct pair *p, int figure, double before, double after, double by,
		  double part)
{
	const double wanted[] = {before, after, by, part};
	struct difference d;

	pair_difference(p, figure, &d);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		double got = i < NR_SIDES ? d.value[i] : i == 2 ? d.by : d.part;

		if (isnan(wanted[i]) ? !isnan(got) : !near(got, wanted[i]))
			fail_msg("%s[%zu] is %g, not %g", compared[figure].name, i, got, wanted[i]);
	}
}

static void every_figure_has_its_difference(void **state)
{
	static const struct device before = {"eth0", 1, "", 100, 1000};
	static const struct device after = {"eth0", 1, "", 125, 900};
	struct fixture f;

	(void)state;
	compare(&f, &before, 1, &after, 1);
	assert_int_equal(f.c.nr_devices, 1);
	assert_true(pair_is_whole(&f.c.devices[0]));
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		check(&f.c.totals, i, 100, 125, 25, 0.25);
		check(&f.c.devices[0], i, 100, 125, 25, 0.25);
	}
	check(&f.c.totals, FIGURE_RATIO, 0.5, 0.5, 0, NAN);
	check(&f.c.devices[0], FIGURE_INFLIGHT, 1000, 900, -100, -0.1);
	check(&f.c.devices[0], FIGURE_POOLS, 1, 1, 0, 0);
	finish(&f);
}

static void nothing_before_has_no_percentage(void **state)
{
	static const struct device before = {"eth0", 1, "", 0, -10};
	static const struct device after = {"eth0", 1, "", 5, 10};
	struct fixture f;

	(void)state;
	compare(&f, &before, 1, &after, 1);
	check(&f.c.totals, PP_FAST, 0, 5, 5, NAN);
	check(&f.c.totals, FIGURE_RATIO, NAN, 0.5, NAN, NAN);
	/* more is more, also from below nothing */
	check(&f.c.totals, FIGURE_INFLIGHT, -10, 10, 20, 2);
	finish(&f);
}

static void what_is_not_known_has_no_difference(void **state)
{
	static const struct device both = {"eth0", 1, "", 3, 1};
	struct fixture f;

	(void)state;
	compare(&f, &both, 1, &both, 1);
	f.r[AFTER].devices[0].known_s[PP_RING] = 0;
	f.r[AFTER].m.devices[0].inflight_known = false;
	check(&f.c.devices[0], PP_RING, 3, NAN, NAN, NAN);
	check(&f.c.devices[0], FIGURE_RATIO, 0.5, NAN, NAN, NAN);
	check(&f.c.devices[0], FIGURE_INFLIGHT, 1, NAN, NAN, NAN);
	check(&f.c.devices[0], PP_FAST, 3, 3, 0, 0);
	finish(&f);
}

/* Which of before goes with which of after, by the rate that each has to itself. */
static void devices_go_together_by_name(void **state)
{
	static const struct device before[] = {
		{"eth0", 1, "", 1, 0},	  {"eth1", 1, "", 2, 0}, {"eth0", 2, "blue", 3, 0},
		{"eth0", 3, "red", 4, 0}, {"", 1, "", 5, 0},	 {"eth9", 1, "", 6, 0},
		{"veth", 7, "", 7, 0},
	};
	static const struct device after[] = {
		{"eth8", 1, "", 10, 0},	   {"eth0", 9, "red", 40, 0}, {"eth0", 8, "blue", 30, 0},
		{"eth1", 1, "", 20, 0},	   {"eth0", 1, "", 11, 0},    {"", 1, "", 50, 0},
		{"veth", 4711, "", 70, 0},
	};
	static const double pairs[][2] = {{1, 11}, {2, 20},  {3, 30}, {4, 40},
					  {5, 50}, {6, NAN}, {7, 70}, {NAN, 10}};
	struct fixture f;

	(void)state;
	compare(&f, before, ARRAY_SIZE(before), after, ARRAY_SIZE(after));
	assert_int_equal(f.c.nr_devices, ARRAY_SIZE(pairs));
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		double by = pairs[i][1] - pairs[i][0];

		check(&f.c.devices[i], PP_WAIVE, pairs[i][0], pairs[i][1], by, by / pairs[i][0]);
		assert_int_equal(pair_is_whole(&f.c.devices[i]), !isnan(by));
	}
	assert_string_equal(pair_device(&f.c.devices[5])->ifname, "eth9");
	assert_string_equal(pair_device(&f.c.devices[7])->ifname, "eth8");
	finish(&f);
}

/* A device goes with one other at most. */
static void a_name_that_is_there_twice(void **state)
{
	static const struct device before[] = {{"veth", 7, "", 1, 0}};
	static const struct device after[] = {{"veth", 8, "", 2, 0}, {"veth", 7, "", 3, 0}};
	struct fixture f;

	(void)state;
	compare(&f, before, 1, after, 2);
	assert_int_equal(f.c.nr_devices, 2);
	check(&f.c.devices[0], PP_FAST, 1, 3, 2, 2);
	check(&f.c.devices[1], PP_FAST, NAN, 2, NAN, NAN);
	finish(&f);
}

static void nothing_and_nothing(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, NULL, 0, NULL, 0);
	assert_int_equal(f.c.nr_devices, 0);
	check(&f.c.totals, FIGURE_POOLS, 0, 0, 0, NAN);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_has_its_difference),
		cmocka_unit_test(nothing_before_has_no_percentage),
		cmocka_unit_test(what_is_not_known_has_no_difference),
		cmocka_unit_test(devices_go_together_by_name),
		cmocka_unit_test(a_name_that_is_there_twice),
		cmocka_unit_test(nothing_and_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
