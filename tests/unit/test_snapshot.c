// SPDX-License-Identifier: GPL-2.0-or-later
/* The lists of pools and past: growing, finding, freeing, filtering. The sanitizers watch the
 * memory. */
#include "unit.h"

#include "model.h"

static struct pool *add(struct snapshot *s, bool cpus)
{
	struct pool *p = snapshot_add(s, cpus);

	assert_non_null(p);
	return p;
}

static struct past *add_past(struct snapshot *s)
{
	struct past *past = snapshot_add_past(s);

	assert_non_null(past);
	return past;
}

static void check_empty(const struct snapshot *s)
{
	assert_int_equal(s->nr_pools, 0);
	assert_int_equal(s->cap_pools, 0);
	assert_null(s->pools);
	assert_int_equal(s->nr_past, 0);
	assert_null(s->past);
}

static void starts_empty(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_init(&s, 3);
	assert_int_equal(s.nr_cpus, 3);
	check_empty(&s);
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
	p = add(&s, true);
	assert_int_equal(p->has, 0);
	assert_int_equal(p->counters_known, 0);
	assert_int_equal(p->queue, -1);
	assert_int_equal(p->nid, -1);
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++) {
		assert_int_equal(p->total.n[i], 0);
		assert_int_equal(p->cpus[0].n[i], 0);
		assert_int_equal(p->cpus[1].n[i], 0);
	}
	assert_null(add(&s, false)->cpus);
	snapshot_free(&s);
}

static void grows(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_init(&s, 2);
	for (uint32_t i = 0; i < 1000; i++) {
		struct pool *p = add(&s, true);

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
	add(&s, false)->id = 7;
	assert_null(snapshot_find_id(&s, 7));
	assert_null(snapshot_find_id(&s, 0));
	p = add(&s, false);
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
			add(&s, i % 2);
		snapshot_free(&s);
		snapshot_free(&s);
		check_empty(&s);
	}
}

static void past_grows(void **state)
{
	static const struct past nothing;
	struct snapshot s;

	(void)state;
	snapshot_init(&s, 2);
	for (uint64_t i = 0; i < 1000; i++) {
		struct past *past = add_past(&s);

		assert_memory_equal(past, &nothing, sizeof(nothing));
		past->ifindex = (int)i;
		past->total.n[PP_RING] = i;
	}
	assert_int_equal(s.nr_past, 1000);
	assert_int_equal(s.nr_pools, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(s.past[i].ifindex, i);
		assert_int_equal(s.past[i].total.n[PP_RING], i);
	}
	snapshot_free(&s);
	check_empty(&s);
}

/* What a source that reads once more begins with: lists are empty, all else stays. */
static void clears(void **state)
{
	struct snapshot s;

	(void)state;
	unit_snapshot(&s, 5);
	s.lost_pools = 3;
	s.lost_events = 4;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 40; i++) {
			add(&s, i % 2);
			add_past(&s);
		}
		snapshot_clear(&s);
		snapshot_clear(&s);
		check_empty(&s);
	}
	assert_int_equal(s.nr_cpus, UNIT_CPUS);
	assert_int_equal(s.mono_ns, 5000000000u);
	assert_int_equal(s.lost_pools, 3);
	assert_int_equal(s.lost_events, 4);
	assert_int_equal(s.host.page_size, 4096);
	assert_string_equal(s.source.counters, "fentry");
	snapshot_free(&s);
	assert_int_equal(s.lost_pools, 0);
	assert_int_equal(s.nr_cpus, UNIT_CPUS);
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
		struct pool *p = add(s, true);

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
	add(&s, true);
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

static struct past *add_past_of(struct snapshot *s, uint32_t netns, int ifindex, const char *ifname)
{
	struct past *past = add_past(s);

	past->pools = s->nr_past - 1; /* to tell them apart */
	past->netns = netns;
	past->ifindex = ifindex;
	snprintf(past->ifname, sizeof(past->ifname), "%s", ifname);
	return past;
}

/*
 * Six pasts: no device, others, two devices of one namespace, one of a namespace with a name, and
 * one that was renamed since: its live pool is lan0, and its draining pool has the name of then.
 */
static void fill_past(struct snapshot *s)
{
	struct pool *p;

	snapshot_init(s, 1);
	add_past_of(s, 0, 0, "");
	add_past_of(s, 10, 9, "eth0")->others = true;
	add_past_of(s, 10, 2, "eth0");
	add_past_of(s, 10, 3, "eth1");
	snprintf(add_past_of(s, 20, 2, "eth0")->netns_name, SNAP_NAMELEN, "blue");
	add_past_of(s, 10, 4, "eth4");
	for (uint32_t i = 0; i < 3; i++) {
		p = add(s, false);
		p->has = POOL_HAS_ID;
		p->id = i + 1;
		p->netns = 10;
		p->ifindex = 4;
		/* the last has an index and no name */
		snprintf(p->ifname, sizeof(p->ifname), "%s", i == 2 ? "" : i ? "eth4" : "lan0");
		if (i == 1)
			p->has |= POOL_HAS_DESTROYED;
	}
}

/* The pasts that are left, as bits. */
static unsigned int past_left(const struct filter *f)
{
	unsigned int bits = 0;
	struct snapshot s;

	fill_past(&s);
	snapshot_filter(&s, f);
	for (size_t i = 0; i < s.nr_past; i++) {
		assert_false(bits >> s.past[i].pools); /* in order, each once */
		bits |= 1u << s.past[i].pools;
	}
	snapshot_free(&s);
	return bits;
}

static void filters_past(void **state)
{
	(void)state;
	assert_int_equal(past_left(&(struct filter){0}), 0x3f);
	/* others are of any device, so of none that was asked for */
	assert_int_equal(past_left(&(struct filter){.device = "eth0"}), 1 << 2 | 1 << 4);
	assert_int_equal(past_left(&(struct filter){.device = "eth1"}), 1 << 3);
	assert_int_equal(past_left(&(struct filter){.device = "eth2"}), 0);
	assert_int_equal(past_left(&(struct filter){.netns = "blue"}), 1 << 4);
	assert_int_equal(past_left(&(struct filter){.netns = "20"}), 1 << 4);
	assert_int_equal(past_left(&(struct filter){.netns = "10"}), 1 << 2 | 1 << 3 | 1 << 5);
	assert_int_equal(past_left(&(struct filter){.device = "eth0", .netns = "10"}), 1 << 2);
	/* by the name it has now */
	assert_int_equal(past_left(&(struct filter){.device = "lan0"}), 1 << 5);
	assert_int_equal(past_left(&(struct filter){.device = "eth4"}), 0);
	/* one pool is no device */
	assert_int_equal(past_left(&(struct filter){.id = 1}), 0);
	assert_int_equal(past_left(&(struct filter){.id = 1, .device = "lan0"}), 0);
}

/* Alone, a pool has all it counted; with its devices it has its part of each. */
static void what_a_pool_counted_elsewhere(void **state)
{
	static const struct filter by_id = {.id = 7}, by_device = {.device = "eth0"};
	struct snapshot s;

	(void)state;
	for (int alone = 0; alone < 2; alone++) {
		struct pool *p;

		unit_snapshot(&s, 1);
		unit_pool(&s, 0x1000, 2)->id = 6;
		p = unit_pool(&s, 0x2000, 2);
		p->id = 7;
		p->total.n[PP_FAST] = 100;
		p->elsewhere.n[PP_FAST] = 60;
		p->counted_apart = 1u << PP_RING;
		snapshot_filter(&s, alone ? &by_id : &by_device);
		p = &s.pools[s.nr_pools - 1];
		assert_int_equal(p->id, 7);
		assert_int_equal(p->total.n[PP_FAST], 100);
		assert_int_equal(p->elsewhere.n[PP_FAST], alone ? 0 : 60);
		assert_int_equal(p->counted_apart, alone ? 0 : 1u << PP_RING);
		snapshot_free(&s);
	}
}

/* Scenario 15, and around it */
static void inflight_is_a_signed_distance(void **state)
{
	(void)state;
	assert_int_equal(snapshot_inflight(0, 0), 0);
	assert_int_equal(snapshot_inflight(100, 51546), -51446);
	assert_int_equal(snapshot_inflight(5, 4294967290), 11);
	assert_int_equal(snapshot_inflight(4294967290, 5), -11);
	assert_int_equal(snapshot_inflight(0x7fffffff, 0), 0x7fffffff);
	assert_int_equal(snapshot_inflight(0x80000000, 0), -0x80000000LL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_empty),
		cmocka_unit_test(new_pool_knows_nothing),
		cmocka_unit_test(grows),
		cmocka_unit_test(finds_only_pools_with_an_id),
		cmocka_unit_test(frees_twice_and_again),
		cmocka_unit_test(past_grows),
		cmocka_unit_test(clears),
		cmocka_unit_test(inflight_is_a_signed_distance),
		cmocka_unit_test(filters),
		cmocka_unit_test(filters_past),
		cmocka_unit_test(what_a_pool_counted_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
