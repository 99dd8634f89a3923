// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of processors, as sysfs has them. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "util.h"

static void lists(void **state)
{
	(void)state;
	assert_int_equal(cpu_ids("0\n"), 1);
	assert_int_equal(cpu_ids("0"), 1);
	assert_int_equal(cpu_ids("0-3\n"), 4);
	assert_int_equal(cpu_ids("0-3,8,12-15\n"), 16);
	assert_int_equal(cpu_ids("2,4"), 5);
	assert_int_equal(cpu_ids("5-5"), 6);
	/* whatever the order */
	assert_int_equal(cpu_ids("12-15,0-3"), 16);
	assert_int_equal(cpu_ids("0-8191\n"), 8192);
	assert_int_equal(cpu_ids("2147483646"), 2147483647);
}

static void garbage(void **state)
{
	static const char *const lists[] = {
		"",
		"\n",
		"-",
		"-1",
		"0-",
		"0-\n",
		",",
		"0,",
		",0",
		"0,,1",
		"3-1",
		"0-3-5",
		"0 1",
		" 0",
		"0-3 ",
		"+1",
		"0-+3",
		"a",
		"0x3",
		"0-3\n\n",
		"0-3\n4",
		"0-31:1/2",
		"(null)",
		"2147483647",
		"0-2147483647",
		"4294967296",
		"99999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		assert_int_equal(cpu_ids(lists[i]), -EINVAL);
}

static void of_this_machine(void **state)
{
	int n = possible_cpu_ids();

	(void)state;
	/* no sysfs: nothing to tell */
	if (n != -ENOENT)
		assert_true(n >= sysconf(_SC_NPROCESSORS_ONLN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(garbage),
		cmocka_unit_test(of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
