// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that never step back, and pages in 64 bits. */
#include "unit.h"

#include "ledger.h"

static struct model m;
static struct ledger ledger;

static int begin(void **state)
{
	(void)state;
	model_init(&m);
	ledger_init(&ledger, true, true);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ledger_free(&ledger);
	model_free(&m);
	return 0;
}

static void update(struct snapshot *s)
{
	assert_int_equal(model_update(&m, s), 0);
	assert_int_equal(ledger_update(&ledger, &m), 0);
}

static struct pool *books(struct snapshot *s, uint64_t address, uint32_t hold, uint32_t release)
{
	struct pool *p = unit_pool(s, address, 2);

	p->hold = hold;
	p->release = release;
	p->inflight = snapshot_inflight(hold, release);
	return p;
}

static void check_pages(uint64_t held, uint64_t released)
{
	assert_true(ledger.devices[0].pages_known);
	assert_int_equal(ledger.devices[0].held, held);
	assert_int_equal(ledger.devices[0].released, released);
}

static void counts_wait(void **state)
{
	static const uint64_t is[] = {100, 99, 99, 101, 100, 50, 51, 0, 1};
	static const uint64_t want[] = {100, 100, 100, 101, 101, 50, 51, 0, 1};
	struct snapshot s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(is); i++) {
		struct pool *p;

		unit_snapshot(&s, 1 + (double)i);
		p = unit_pool(&s, 0x1000, 2);
		p->total.n[PP_RING] = is[i];
		p->cpus[1].n[PP_RING] = is[i];
		update(&s);
		assert_int_equal(ledger.devices[0].n.n[PP_RING], want[i]);
		assert_int_equal(ledger_pool(&ledger, &m, m.pools)->n.n[PP_RING], want[i]);
		assert_int_equal(ledger_pool(&ledger, &m, m.pools)->cpus[1].n[PP_RING], want[i]);
	}
}

/* What is not known for a while goes on from where it was. */
static void unknown_for_a_while(void **state)
{
	struct snapshot s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct pool *p;

		unit_snapshot(&s, 1 + i);
		p = unit_pool(&s, 0x1000, 2);
		p->total.n[PP_FAST] = i == 1 ? 0 : 1000 - (uint64_t)i;
		p->counters_known = i == 1 ? 0 : ALL_COUNTERS;
		update(&s);
		assert_int_equal(ledger.devices[0].n.n[PP_FAST], 1000);
	}
}

static void pages_wrap(void **state)
{
	struct snapshot s;

	(void)state;
	unit_snapshot(&s, 1);
	books(&s, 0x1000, UINT32_MAX - 1, UINT32_MAX - 100);
	update(&s);
	check_pages(0, 0);
	unit_snapshot(&s, 2);
	books(&s, 0x1000, 8, UINT32_MAX - 50);
	update(&s);
	check_pages(10, 50);
	unit_snapshot(&s, 3);
	books(&s, 0x1000, 0x70000008, 0x70000008);
	update(&s);
	check_pages(0x7000000a, 0x70000008 + 101);
	unit_snapshot(&s, 4);
	books(&s, 0x1000, 5, 5); /* began anew: two recordings in one file */
	update(&s);
	check_pages(0x7000000a, 0x70000008 + 101);
}

/* One made while we look counts from nothing; one that was only met, from then on. */
static void new_pools(void **state)
{
	struct snapshot s;
	struct pool *p;

	(void)state;
	unit_snapshot(&s, 1);
	p = books(&s, 0x1000, 100, 0);
	p->created = true; /* and before the ledger began */
	p->since = (struct timespec){1, 0};
	update(&s);
	check_pages(0, 0);
	unit_snapshot(&s, 2);
	s.time.tv_sec += 10;
	books(&s, 0x1000, 100, 0);
	p = books(&s, 0x2000, 64, 4);
	p->created = true;
	p->since = (struct timespec){s.time.tv_sec - 5, 0};
	books(&s, 0x3000, 5000, 4000);
	p = books(&s, 0x4000, 700, 600); /* a filter had left it out */
	p->created = true;
	p->since = (struct timespec){s.time.tv_sec - 500, 0};
	update(&s);
	check_pages(64, 4);
	for (size_t i = 0; i < m.nr_pools; i++) {
		const struct ledger_entry *e = ledger_pool(&ledger, &m, &m.pools[i]);

		assert_int_equal(e->held, m.pools[i].pool->address == 0x2000 ? 64 : 0);
	}
}

/* The kernel frees a pool when all its pages are back. */
static void pools_that_go(void **state)
{
	struct snapshot s;

	(void)state;
	unit_snapshot(&s, 1);
	books(&s, 0x1000, 100, 40);
	books(&s, 0x2000, 30, 20);
	update(&s);
	unit_snapshot(&s, 2);
	books(&s, 0x1000, 110, 50)->state = POOL_DEAD;
	update(&s);
	/* the first: 10 more held, and 70 released; the second: 10 released */
	check_pages(10, 80);
	unit_snapshot(&s, 3);
	update(&s);
	check_pages(10, 80);
}

/* More was released than held: there is nothing that could come back. */
static void impossible_pool_goes(void **state)
{
	struct snapshot s;

	(void)state;
	unit_snapshot(&s, 1);
	books(&s, 0x1000, 100, 51546)->state = POOL_IMPOSSIBLE;
	update(&s);
	unit_snapshot(&s, 2);
	update(&s);
	check_pages(0, 0);
}

/* What it counted stays where it counted it. */
static void pool_moves(void **state)
{
	struct snapshot s;

	(void)state;
	unit_snapshot(&s, 1);
	books(&s, 0x1000, 100, 0);
	update(&s);
	unit_snapshot(&s, 2);
	books(&s, 0x1000, 130, 0);
	update(&s);
	unit_snapshot(&s, 3);
	books(&s, 0x1000, 137, 0)->ifindex = 3;
	update(&s);
	check_pages(30, 0);
	assert_int_equal(m.nr_devices, 2);
	assert_int_equal(ledger.devices[1].held, 7);
}

/* Known if all pools of the device keep books; of no pools it stays what it was. */
static void pages_unknown(void **state)
{
	struct snapshot s;

	(void)state;
	unit_snapshot(&s, 1);
	books(&s, 0x1000, 100, 0);
	books(&s, 0x2000, 100, 0)->has &= ~(uint32_t)POOL_HAS_BOOKS;
	update(&s);
	assert_false(ledger.devices[0].pages_known);
	unit_snapshot(&s, 2);
	books(&s, 0x1000, 100, 0);
	books(&s, 0x2000, 100, 0);
	update(&s);
	check_pages(0, 0);
	unit_snapshot(&s, 3);
	update(&s);
	check_pages(0, 200);
}

/* The order of pools changes, and the number of CPUs. */
static void pools_in_another_place(void **state)
{
	struct snapshot s;

	(void)state;
	for (int i = 0; i < 4; i++) {
		unit_snapshot(&s, 1 + i);
		s.nr_cpus = i == 3 ? 1 : UNIT_CPUS;
		for (int k = 0; k < 3; k++) {
			int nr = i % 2 ? 2 - k : k;
			struct pool *p =
				books(&s, 0x1000 * (uint64_t)(nr + 1), (uint32_t)(i * (nr + 1)), 0);

			p->total.n[PP_FAST] = 100 * ((uint64_t)nr + 1) - (uint64_t)i;
			p->cpus[0].n[PP_FAST] = 10 * ((uint64_t)nr + 1);
		}
		update(&s);
		for (size_t k = 0; k < m.nr_pools; k++) {
			const struct ledger_entry *e = ledger_pool(&ledger, &m, &m.pools[k]);
			uint64_t nr = m.pools[k].pool->address / 0x1000;

			assert_int_equal(e->n.n[PP_FAST], 100 * nr);
			assert_int_equal(e->cpus[0].n[PP_FAST], 10 * nr);
			assert_int_equal(e->held, (uint64_t)i * nr);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_wait, begin, end),
		cmocka_unit_test_setup_teardown(unknown_for_a_while, begin, end),
		cmocka_unit_test_setup_teardown(pages_wrap, begin, end),
		cmocka_unit_test_setup_teardown(new_pools, begin, end),
		cmocka_unit_test_setup_teardown(pools_that_go, begin, end),
		cmocka_unit_test_setup_teardown(impossible_pool_goes, begin, end),
		cmocka_unit_test_setup_teardown(pool_moves, begin, end),
		cmocka_unit_test_setup_teardown(pages_unknown, begin, end),
		cmocka_unit_test_setup_teardown(pools_in_another_place, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
