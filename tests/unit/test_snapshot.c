// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of pools: growing, finding, freeing, filtering. The sanitizers watch the memory. */
#include "unit.h"

#include "model.h"

static void starts_empty(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_init(&s, 3);
	assert_int_equal(s.nr_cpus, 3);
	assert_int_equal(s.nr_pools, 0);
	assert_null(s.pools);
	assert_null(snapshot_find_id(&s, 0));
	snapshot_free(&s);
	assert_int_equal(s.nr_cpus, 3);
}

static void new_pool_knows_nothing(void **state)
{
	struct snapshot s;
	struct pool *p;

	(void)state;
	snapshot_init(&s, 2);
	p = snapshot_add(&s, true);
	assert_non_null(p);
	assert_int_equal(p->has, 0);
	assert_int_equal(p->counters_known, 0);
	assert_int_equal(p->queue, -1);
	assert_int_equal(p->nid, -1);
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++) {
		assert_int_equal(p->total.n[i], 0);
		assert_int_equal(p->cpus[0].n[i], 0);
		assert_int_equal(p->cpus[1].n[i], 0);
	}
	p = snapshot_add(&s, false);
	assert_non_null(p);
	assert_null(p->cpus);
	snapshot_free(&s);
}

static void grows(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_init(&s, 2);
	for (uint32_t i = 0; i < 1000; i++) {
		struct pool *p = snapshot_add(&s, true);

		assert_non_null(p);
		p->id = i + 1;
		p->has = POOL_HAS_ID;
		p->cpus[1].n[PP_FAST] = i;
	}
	assert_int_equal(s.nr_pools, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(s.pools[i].id, i + 1);
		assert_int_equal(s.pools[i].cpus[1].n[PP_FAST], i);
		assert_ptr_equal(snapshot_find_id(&s, i + 1), &s.pools[i]);
	}
	assert_null(snapshot_find_id(&s, 1001));
	snapshot_free(&s);
}

static void finds_only_pools_with_an_id(void **state)
{
	struct snapshot s;
	struct pool *p;

	(void)state;
	snapshot_init(&s, 1);
	p = snapshot_add(&s, false);
	p->id = 7;
	assert_null(snapshot_find_id(&s, 7));
	assert_null(snapshot_find_id(&s, 0));
	p = snapshot_add(&s, false);
	p->id = 7;
	p->has = POOL_HAS_ID;
	assert_ptr_equal(snapshot_find_id(&s, 7), &s.pools[1]);
	snapshot_free(&s);
}

static void frees_twice_and_again(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_init(&s, 4);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 40; i++)
			assert_non_null(snapshot_add(&s, i % 2));
		snapshot_free(&s);
		snapshot_free(&s);
		assert_int_equal(s.nr_pools, 0);
		assert_int_equal(s.cap_pools, 0);
		assert_null(s.pools);
	}
}

static void fill(struct snapshot *s)
{
	static const struct {
		const char *ifname, *netns_name;
		uint32_t netns, id;
	} rows[] = {
		{"eth0", "", 4026531840u, 1},
		{"eth1", "", 4026531840u, 2},
		{"eth0", "blue", 4026532000u, 3},
		{"eth0", "", 4026531840u, 4},
		{"", "", 0, 0},
	};

	snapshot_init(s, 2);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pool *p = snapshot_add(s, true);

		assert_non_null(p);
		snprintf(p->ifname, sizeof(p->ifname), "%s", rows[i].ifname);
		snprintf(p->netns_name, sizeof(p->netns_name), "%s", rows[i].netns_name);
		p->netns = rows[i].netns;
		p->id = rows[i].id;
		p->cpus[0].n[PP_RING] = rows[i].id;
	}
}

/* What is left of the five pools: their ids, in order, then UINT32_MAX. */
static void check_filter(const struct filter *f, const uint32_t *ids)
{
	struct snapshot s;
	size_t n = 0;

	fill(&s);
	snapshot_filter(&s, f);
	for (; ids[n] != UINT32_MAX; n++) {
		assert_true(n < s.nr_pools);
		assert_int_equal(s.pools[n].id, ids[n]);
		assert_int_equal(s.pools[n].cpus[0].n[PP_RING], ids[n]);
	}
	assert_int_equal(s.nr_pools, n);
	/* what is added now does not tread on what was kept */
	assert_non_null(snapshot_add(&s, true));
	assert_int_equal(s.pools[n].cpus[0].n[PP_RING], 0);
	snapshot_free(&s);
}

static void filters(void **state)
{
#define IDS(...) ((const uint32_t[]){__VA_ARGS__, UINT32_MAX})
	static const uint32_t none[] = {UINT32_MAX};

	(void)state;
	check_filter(&(struct filter){0}, IDS(1, 2, 3, 4, 0));
	check_filter(&(struct filter){.device = "eth0"}, IDS(1, 3, 4));
	check_filter(&(struct filter){.device = "eth"}, none);
	check_filter(&(struct filter){.device = "ETH0"}, none);
	check_filter(&(struct filter){.id = 2}, IDS(2));
	check_filter(&(struct filter){.id = 9}, none);
	check_filter(&(struct filter){.netns = "blue"}, IDS(3));
	check_filter(&(struct filter){.netns = "4026532000"}, IDS(3));
	check_filter(&(struct filter){.netns = "4026531840"}, IDS(1, 2, 4));
	check_filter(&(struct filter){.netns = "red"}, none);
	check_filter(&(struct filter){.device = "eth0", .netns = "4026531840"}, IDS(1, 4));
	check_filter(&(struct filter){.device = "eth0", .id = 2}, none);
	check_filter(&(struct filter){.device = "eth0", .netns = "blue", .id = 3}, IDS(3));
#undef IDS
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(new_pool_knows_nothing),
		cmocka_unit_test(grows),
		cmocka_unit_test(finds_only_pools_with_an_id),
		cmocka_unit_test(frees_twice_and_again),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
