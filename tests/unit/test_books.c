// SPDX-License-Identifier: GPL-2.0-or-later
/* What BPF wrote of a pool's pages, and what becomes of it in a snapshot. */
#include "unit.h"

#include <linux/types.h>

#include "bpf_priv.h"
#include "model.h"

#define SECOND 1000000000ull

struct books {
	struct snapshot snap;
	struct pp_pool raw;
	struct pool pool;
};

/* A live pool in a snapshot of @s seconds after boot. */
static void begin(struct books *b, double s)
{
	memset(b, 0, sizeof(*b));
	unit_snapshot(&b->snap, s);
	b->raw.state = PP_SLOT_USED;
}

static const struct pool *filled(struct books *b)
{
	bpf_fill_books(&b->pool, &b->raw, &b->snap, true);
	return &b->pool;
}

/* Scenario 15: pages in flight, in state @state. */
static void check_inflight(uint32_t hold, uint32_t release, int64_t inflight, uint64_t bytes,
			   enum pool_state state)
{
	const struct pool *p;
	struct books b;

	begin(&b, 1);
	b.raw.hold = hold;
	b.raw.release = release;
	p = filled(&b);
	assert_int_equal(p->hold, hold);
	assert_int_equal(p->release, release);
	assert_int_equal(p->inflight, inflight);
	assert_int_equal(p->inflight_bytes, bytes);
	assert_int_equal(p->state, state);
}

static void hold_less_release(void **state)
{
	(void)state;
	check_inflight(0, 0, 0, 0, POOL_LIVE);
	check_inflight(64, 0, 64, 64 * 4096, POOL_LIVE);
	check_inflight(1000, 1000, 0, 0, POOL_LIVE);
	/* more released than held: no pages, and no gigabytes of them */
	check_inflight(100, 51546, -51446, 0, POOL_IMPOSSIBLE);
	check_inflight(0, 1, -1, 0, POOL_IMPOSSIBLE);
	/* hold has wrapped, release not yet */
	check_inflight(5, 4294967290u, 11, 11 * 4096, POOL_LIVE);
	check_inflight(0, UINT32_MAX, 1, 4096, POOL_LIVE);
	/* and the other way round */
	check_inflight(4294967290u, 5, -11, 0, POOL_IMPOSSIBLE);
	check_inflight(UINT32_MAX, UINT32_MAX, 0, 0, POOL_LIVE);
	/* as far apart as can be told */
	check_inflight(INT32_MAX, 0, INT32_MAX, 4096ull * INT32_MAX, POOL_LIVE);
	check_inflight(1u << 31, 0, INT32_MIN, 0, POOL_IMPOSSIBLE);
}

/* It is in no sum of pages and bytes. */
static void impossible_pool_is_in_no_sum(void **state)
{
	struct books b;
	struct model m;

	(void)state;
	model_init(&m);
	begin(&b, 1);
	b.raw.hold = 8;
	bpf_fill_books(unit_pool(&b.snap, 0x1000, 2), &b.raw, &b.snap, true);
	b.raw.hold = 100;
	b.raw.release = 51546;
	bpf_fill_books(unit_pool(&b.snap, 0x2000, 2), &b.raw, &b.snap, true);
	assert_int_equal(model_update(&m, &b.snap), 0);
	assert_int_equal(m.totals.pools, 2);
	assert_int_equal(m.totals.inflight, 8);
	assert_int_equal(m.totals.inflight_bytes, 8 * 4096);
	assert_int_equal(m.devices[0].inflight, 8);
	assert_int_equal(m.devices[0].inflight_bytes, 8 * 4096);
	model_free(&m);
}

static void bytes_are_of_whole_pages(void **state)
{
	struct books b;

	(void)state;
	begin(&b, 1);
	b.raw.hold = 3;
	b.raw.order = 5;
	assert_int_equal(filled(&b)->inflight_bytes, 3 * 32 * 4096);
	b.snap.host.page_size = 65536;
	assert_int_equal(filled(&b)->inflight_bytes, 3 * 32 * 65536);
	/* what is read of a pool that is just freed may be anything: the sanitizers look on */
	for (uint32_t order = 6; order; order *= 2) {
		b.raw.order = order + 1;
		assert_int_equal(filled(&b)->inflight, 3);
	}
	assert_int_equal(b.pool.inflight_bytes, 0);
}

static void check_state(uint32_t slot_state, bool destroyed, double quiet_s, bool system,
			enum pool_state want)
{
	struct books b;

	begin(&b, 1000);
	b.raw.state = slot_state;
	b.raw.destroyed_ns = destroyed;
	b.raw.system = system;
	b.raw.hold = 9;
	b.raw.changed_ns = (uint64_t)((1000 - quiet_s) * 1e9);
	assert_int_equal(filled(&b)->state, want);
}

static void states(void **state)
{
	(void)state;
	check_state(PP_SLOT_USED, false, 999, false, POOL_LIVE);
	check_state(PP_SLOT_USED, false, 999, true, POOL_SYSTEM);
	check_state(PP_SLOT_USED, true, 0, false, POOL_DRAINING);
	check_state(PP_SLOT_USED, true, 59, false, POOL_DRAINING);
	check_state(PP_SLOT_USED, true, 60, false, POOL_STUCK);
	check_state(PP_SLOT_USED, true, 999, true, POOL_STUCK);
	/* a page came back after the snapshot's time was taken */
	check_state(PP_SLOT_USED, true, -1, false, POOL_DRAINING);
	check_state(PP_SLOT_DEAD, true, 999, false, POOL_DEAD);
}

/* One that was destroyed long ago, and met a while ago: what it did in between nobody saw. */
static void stuck_since_met(void **state)
{
	struct books b;

	(void)state;
	begin(&b, 1000);
	b.raw.hold = 9;
	b.raw.destroyed_ns = 1;
	b.raw.since_ns = 941 * SECOND;
	assert_int_equal(filled(&b)->state, POOL_DRAINING);
	b.raw.since_ns = 940 * SECOND;
	assert_int_equal(filled(&b)->state, POOL_STUCK);
}

static void destroyed_since(void **state)
{
	struct books b;

	(void)state;
	begin(&b, 505702);
	assert_false(filled(&b)->has & POOL_HAS_DESTROYED);
	b.raw.destroyed_ns = 100 * SECOND;
	assert_true(filled(&b)->has & POOL_HAS_DESTROYED);
	assert_near(b.pool.destroyed_s, 505602);
	/* after the snapshot's time was taken */
	b.raw.destroyed_ns = 505703 * SECOND;
	assert_near(filled(&b)->destroyed_s, 0);
}

static bool audit_known(uint32_t slot_state, uint64_t destroyed_ns, uint32_t audit, bool audited)
{
	struct books b;

	begin(&b, 1);
	b.raw.state = slot_state;
	b.raw.destroyed_ns = destroyed_ns;
	b.raw.audit = audit;
	b.raw.unaccounted = 7;
	bpf_fill_books(&b.pool, &b.raw, &b.snap, audited);
	if (b.pool.audit.known)
		assert_int_equal(b.pool.audit.unaccounted, 7);
	return b.pool.audit.known;
}

static void audits(void **state)
{
	(void)state;
	assert_true(audit_known(PP_SLOT_USED, 0, PP_AUDIT_READY, true));
	/* what it began with is not known yet */
	assert_false(audit_known(PP_SLOT_USED, 0, PP_AUDIT_NONE, true));
	assert_false(audit_known(PP_SLOT_USED, 0, PP_AUDIT_ONCE, true));
	/* being emptied */
	assert_false(audit_known(PP_SLOT_USED, 1, PP_AUDIT_READY, true));
	assert_false(audit_known(PP_SLOT_DEAD, 0, PP_AUDIT_READY, true));
	/* nobody keeps the books */
	assert_false(audit_known(PP_SLOT_USED, 0, PP_AUDIT_READY, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hold_less_release),
		cmocka_unit_test(impossible_pool_is_in_no_sum),
		cmocka_unit_test(bytes_are_of_whole_pages),
		cmocka_unit_test(states),
		cmocka_unit_test(stuck_since_met),
		cmocka_unit_test(destroyed_since),
		cmocka_unit_test(audits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
