// SPDX-License-Identifier: GPL-2.0-or-later
/* Time in words. */
#include "unit.h"

#include "util.h"

static void check_age(double seconds, const char *want)
{
	char text[AGE_LEN];

	age_text(seconds, text, sizeof(text));
	if (strcmp(text, want) != 0)
		fail_msg("%g s is \"%s\", not \"%s\"", seconds, text, want);
}

static void ages(void **state)
{
	(void)state;
	check_age(0, "0 s");
	check_age(-1, "0 s");
	check_age(0.4, "0 s");
	check_age(45, "45 s");
	check_age(59.4, "59 s");
	check_age(60, "1 min");
	check_age(3600, "1 h");
	check_age(3660, "1 h 1 min");
	check_age(7500, "2 h 5 min");
	check_age(86400, "1 d");
	check_age(97200, "1 d 3 h");
	check_age(NAN, "n/a");
}

/* Reports from the field: a dozen pools, a pool that drains, and one that is days old. */
static void ages_that_people_posted(void **state)
{
	(void)state;
	check_age(3020, "50 min");
	check_age(7293 / (205 / 60.0), "36 min");
	check_age(505602, "5 d 20 h");
}

/* What rounding makes a whole of the next unit is said in that unit. */
static void ages_at_the_edges(void **state)
{
	(void)state;
	check_age(59.5, "1 min");
	check_age(3569, "59 min");
	check_age(3570, "1 h");
	check_age(7199, "2 h");
	check_age(86399, "1 d");
	check_age(86400 + 86399, "2 d");
	check_age(4294967296.0 * 2, "99420 d 13 h");
	check_age(HUGE_VAL, "inf d");
}

static void ages_that_do_not_fit(void **state)
{
	char text[5] = "xxxx";

	(void)state;
	age_text(505602, text, sizeof(text));
	assert_string_equal(text, "5 d ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ages),
		cmocka_unit_test(ages_that_people_posted),
		cmocka_unit_test(ages_at_the_edges),
		cmocka_unit_test(ages_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
