// SPDX-License-Identifier: GPL-2.0-or-later
/* What BPF wrote of a pool's pages, and what becomes of it in a snapshot. */
#include "unit.h"

#include <linux/types.h>

#include "bpf_priv.h"
#include "model.h"

#define SECOND 1000000000ull

/* A live pool in a snapshot of @s seconds after boot. */
static void begin(struct snapshot *snap, struct pp_pool *raw, double s)
{
	unit_snapshot(snap, s);
	memset(raw, 0, sizeof(*raw));
	raw->state = PP_SLOT_USED;
}

/* Scenario 15: pages in flight, in state @state. */
static void check_inflight(uint32_t hold, uint32_t release, int64_t inflight, uint64_t bytes,
			   enum pool_state state)
{
	struct pool p = {0};
	struct snapshot s;
	struct pp_pool raw;

	begin(&s, &raw, 1);
	raw.hold = hold;
	raw.release = release;
	bpf_fill_books(&p, &raw, &s, true);
	assert_int_equal(p.hold, hold);
	assert_int_equal(p.release, release);
	assert_int_equal(p.inflight, inflight);
	assert_int_equal(p.inflight_bytes, bytes);
	assert_int_equal(p.state, state);
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
	struct snapshot s;
	struct pp_pool raw;
	struct model m;

	(void)state;
	model_init(&m);
	begin(&s, &raw, 1);
	raw.hold = 8;
	bpf_fill_books(unit_pool(&s, 0x1000, 2), &raw, &s, true);
	raw.hold = 100;
	raw.release = 51546;
	bpf_fill_books(unit_pool(&s, 0x2000, 2), &raw, &s, true);
	assert_int_equal(model_update(&m, &s), 0);
	assert_int_equal(m.totals.pools, 2);
	assert_int_equal(m.totals.inflight, 8);
	assert_int_equal(m.totals.inflight_bytes, 8 * 4096);
	assert_int_equal(m.devices[0].inflight, 8);
	assert_int_equal(m.devices[0].inflight_bytes, 8 * 4096);
	model_free(&m);
}

static void bytes_are_of_whole_pages(void **state)
{
	struct pool p = {0};
	struct snapshot s;
	struct pp_pool raw;

	(void)state;
	begin(&s, &raw, 1);
	raw.hold = 3;
	raw.order = 5;
	bpf_fill_books(&p, &raw, &s, true);
	assert_int_equal(p.inflight_bytes, 3 * 32 * 4096);
	s.host.page_size = 65536;
	bpf_fill_books(&p, &raw, &s, true);
	assert_int_equal(p.inflight_bytes, 3 * 32 * 65536);
	/* what is read of a pool that is just freed may be anything: the sanitizers look on */
	for (uint32_t order = 6; order; order *= 2) {
		raw.order = order + 1;
		bpf_fill_books(&p, &raw, &s, true);
		assert_int_equal(p.inflight, 3);
	}
	assert_int_equal(p.inflight_bytes, 0);
}

static void check_state(uint32_t slot_state, bool destroyed, double quiet_s, bool system,
			enum pool_state want)
{
	struct pool p = {0};
	struct snapshot s;
	struct pp_pool raw;

	begin(&s, &raw, 1000);
	raw.state = slot_state;
	raw.destroyed_ns = destroyed;
	raw.system = system;
	raw.hold = 9;
	raw.changed_ns = (uint64_t)((1000 - quiet_s) * 1e9);
	bpf_fill_books(&p, &raw, &s, true);
	assert_int_equal(p.state, want);
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
	struct pool p = {0};
	struct snapshot s;
	struct pp_pool raw;

	(void)state;
	begin(&s, &raw, 1000);
	raw.hold = 9;
	raw.destroyed_ns = 1;
	raw.since_ns = 941 * SECOND;
	bpf_fill_books(&p, &raw, &s, true);
	assert_int_equal(p.state, POOL_DRAINING);
	raw.since_ns = 940 * SECOND;
	bpf_fill_books(&p, &raw, &s, true);
	assert_int_equal(p.state, POOL_STUCK);
}

static void destroyed_since(void **state)
{
	struct pool p = {0};
	struct snapshot s;
	struct pp_pool raw;

	(void)state;
	begin(&s, &raw, 505702);
	bpf_fill_books(&p, &raw, &s, true);
	assert_false(p.has & POOL_HAS_DESTROYED);
	raw.destroyed_ns = 100 * SECOND;
	bpf_fill_books(&p, &raw, &s, true);
	assert_true(p.has & POOL_HAS_DESTROYED);
	assert_near(p.destroyed_s, 505602);
	/* after the snapshot's time was taken */
	raw.destroyed_ns = 505703 * SECOND;
	bpf_fill_books(&p, &raw, &s, true);
	assert_near(p.destroyed_s, 0);
}

static bool audit_known(uint32_t slot_state, uint64_t destroyed_ns, uint32_t audit, bool audited)
{
	struct pool p = {0};
	struct snapshot s;
	struct pp_pool raw;

	begin(&s, &raw, 1);
	raw.state = slot_state;
	raw.destroyed_ns = destroyed_ns;
	raw.audit = audit;
	raw.unaccounted = 7;
	bpf_fill_books(&p, &raw, &s, audited);
	if (p.audit.known)
		assert_int_equal(p.audit.unaccounted, 7);
	return p.audit.known;
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
