// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept is what there was, however pools came and went; and it stays within its bounds. */
#include "unit.h"

#include "history.h"

#define MAX_POOLS 40

/* Numbers that repeat from run to run. */
static uint32_t seed;

static uint32_t some(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

/* A machine whose pools come, work and go. */
struct world {
	uint64_t address[MAX_POOLS];
	uint64_t count[MAX_POOLS];
	size_t nr;
	uint64_t born;
};

static void step(struct world *w)
{
	if (w->nr < MAX_POOLS && !some(3)) {
		w->address[w->nr] = 0x1000 + 0x100 * ++w->born;
		w->count[w->nr++] = 0;
	}
	if (w->nr > 1 && !some(4)) {
		size_t gone = some((uint32_t)w->nr);

		w->address[gone] = w->address[w->nr - 1];
		w->count[gone] = w->count[w->nr - 1];
		w->nr--;
	}
	for (size_t i = 0; i < w->nr; i++)
		if (some(2))
			w->count[i] += some(100000);
}

static void photograph(const struct world *w, struct snapshot *s, double seconds)
{
	unit_snapshot(s, seconds);
	s->time.tv_sec += (time_t)seconds;
	for (size_t i = 0; i < w->nr; i++) {
		struct pool *p = unit_pool(s, w->address[i], 2);

		p->total.n[PP_FAST] = w->count[i];
		p->cpus[w->count[i] % UNIT_CPUS].n[PP_FAST] = w->count[i];
		p->inflight = (int64_t)(w->count[i] % 77) - 5;
		p->queue = (int)i;
	}
	if (w->born > 3) {
		struct past *past = snapshot_add_past(s);

		assert_non_null(past);
		past->pools = w->born;
		past->ifindex = 2;
		past->counters_known = ALL_COUNTERS;
		past->total.n[PP_RING] = w->born * 10;
	}
}

static void check_same(const struct snapshot *s, const struct snapshot *t)
{
	assert_int_equal(s->mono_ns, t->mono_ns);
	assert_int_equal(s->time.tv_sec, t->time.tv_sec);
	assert_string_equal(s->host.kernel, t->host.kernel);
	assert_int_equal(s->nr_past, t->nr_past);
	for (size_t i = 0; i < s->nr_past; i++)
		assert_int_equal(s->past[i].total.n[PP_RING], t->past[i].total.n[PP_RING]);
	assert_int_equal(s->nr_pools, t->nr_pools);
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pool *p = &s->pools[i], *q = &t->pools[i];

		assert_int_equal(p->address, q->address);
		assert_int_equal(p->queue, q->queue);
		assert_int_equal(p->inflight, q->inflight);
		assert_string_equal(p->ifname, q->ifname);
		assert_memory_equal(&p->total, &q->total, sizeof(p->total));
		assert_int_equal(!p->cpus, !q->cpus);
		if (p->cpus)
			assert_memory_equal(p->cpus, q->cpus, UNIT_CPUS * sizeof(*p->cpus));
	}
}

#define FRAMES 200

static void the_past_is_what_it_was(void **state)
{
	static struct snapshot truth[FRAMES];
	struct history *h = history_new();
	struct world w = {0};
	struct model m, then;

	(void)state;
	seed = 1;
	model_init(&m);
	model_init(&then);
	for (int i = 0; i < FRAMES; i++) {
		struct snapshot s;

		step(&w);
		photograph(&w, &s, 1 + i);
		assert_int_equal(snapshot_copy(&truth[i], &s), 0);
		assert_int_equal(model_update(&m, &s), 0);
		assert_int_equal(history_push(h, &m), 0);
	}
	assert_int_equal(history_count(h), FRAMES);
	/* forwards, backwards, and anyhow */
	for (int round = 0; round < 3 * FRAMES; round++) {
		size_t n = round < FRAMES	? (size_t)round
			   : round < 2 * FRAMES ? (size_t)(2 * FRAMES - 1 - round)
						: some(FRAMES);

		assert_int_equal(history_model(h, n, &then), 0);
		check_same(&then.now, &truth[n]);
		assert_int_equal(history_point(h, n)->time.tv_sec, truth[n].time.tv_sec);
		if (n) {
			check_same(&then.before, &truth[n - 1]);
			assert_near(then.interval_s, 1);
		} else {
			assert_nan(then.interval_s);
		}
	}
	for (int i = 0; i < FRAMES; i++)
		snapshot_free(&truth[i]);
	model_free(&then);
	model_free(&m);
	history_free(h);
}

static void push(struct history *h, struct model *m, double seconds, size_t pools, uint64_t count)
{
	struct snapshot s;

	unit_snapshot(&s, seconds);
	for (size_t i = 0; i < pools; i++) {
		struct pool *p = unit_pool(&s, 0x1000 + i, 2);

		for (int k = 0; k < PP_NR_COUNTERS; k++)
			p->total.n[k] = count * (i + 1) * 7919;
	}
	assert_int_equal(model_update(m, &s), 0);
	assert_int_equal(history_push(h, m), 0);
}

/* Ten minutes, and at most the group more that the oldest is in. */
static void ten_minutes(void **state)
{
	struct history *h = history_new();
	struct model m;

	(void)state;
	model_init(&m);
	for (int i = 1; i <= 2000; i++)
		push(h, &m, i, 1, (uint64_t)i);
	assert_in_range(history_count(h), 600, 661);
	assert_int_equal(history_count(h) + history_dropped(h), 2000);
	assert_int_equal(history_point(h, history_count(h) - 1)->mono_ns, 2000000000000);
	model_free(&m);
	history_free(h);
}

static void memory_is_bounded(void **state)
{
	const size_t pools = 200;
	struct history *h = history_new();
	struct model m, then;

	(void)state;
	model_init(&m);
	model_init(&then);
	for (int i = 1; i <= 1500; i++)
		push(h, &m, i / 10.0, pools, (uint64_t)i * 1000);
	assert_true(history_bytes(h) <= ((size_t)8 << 20) + pools * ((size_t)12 << 10));
	assert_true(history_dropped(h) > 0);
	assert_int_equal(history_model(h, 0, &then), 0);
	assert_int_equal(then.now.pools[1].total.n[PP_FAST],
			 (history_dropped(h) + 1) * 1000 * 2 * 7919);
	model_free(&then);
	model_free(&m);
	history_free(h);
}

/* CPUs are kept of as many as fit, whichever way their number goes. */
static void cpus_are_bounded(void **state)
{
	struct history *h = history_new();
	struct model m, then;

	(void)state;
	model_init(&m);
	model_init(&then);
	for (size_t i = 1; i <= 6; i++)
		push(h, &m, (double)i, i % 3 ? 2 : HISTORY_CPUS / UNIT_CPUS + 1, i);
	for (size_t i = 0; i < 6; i++) {
		const struct pool *p;

		assert_int_equal(history_model(h, i, &then), 0);
		p = &then.now.pools[0];
		assert_int_equal(!!p->cpus, (i + 1) % 3 != 0);
		assert_int_equal(!!(p->has & POOL_HAS_CPUS), (i + 1) % 3 != 0);
		assert_int_equal(p->total.n[PP_FAST], (i + 1) * 7919);
	}
	model_free(&then);
	model_free(&m);
	history_free(h);
}

/* How fast a pool drains is seen over more than the last interval. */
static void drains_of_then(void **state)
{
	struct history *h = history_new();
	struct model m, then;

	(void)state;
	model_init(&m);
	model_init(&then);
	for (int i = 1; i <= 50; i++) {
		struct snapshot s;
		struct pool *p;

		unit_snapshot(&s, i);
		p = unit_pool(&s, 0x1000, 2);
		p->state = POOL_DRAINING;
		p->has |= POOL_HAS_DESTROYED;
		p->inflight = 1000 - i / 10 * 10; /* ten at once, every ten seconds */
		assert_int_equal(model_update(&m, &s), 0);
		assert_int_equal(history_push(h, &m), 0);
	}
	assert_int_equal(history_model(h, 30, &then), 0);
	assert_near(then.interval_s, 1);
	assert_near(then.pools[0].drain_rate, 1);
	model_free(&then);
	model_free(&m);
	history_free(h);
}

struct seen {
	int there, missing;
	uint64_t last;
};

static void look_at(const struct pool *p, uint64_t mono_ns, void *arg)
{
	struct seen *seen = arg;

	assert_true(mono_ns > 0);
	if (!p) {
		seen->missing++;
		return;
	}
	assert_true(p->total.n[PP_FAST] > seen->last);
	seen->last = p->total.n[PP_FAST];
	seen->there++;
}

static void one_pool_over_time(void **state)
{
	struct history *h = history_new();
	struct seen seen = {0};
	struct model m;

	(void)state;
	model_init(&m);
	for (int i = 1; i <= 100; i++)
		push(h, &m, i, i > 30 ? 3 : 2, (uint64_t)i);
	assert_int_equal(history_pool(h, 0, 99, &m.now.pools[2], look_at, &seen), 0);
	assert_int_equal(seen.there, 70);
	assert_int_equal(seen.missing, 30);
	model_free(&m);
	history_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_past_is_what_it_was), cmocka_unit_test(ten_minutes),
		cmocka_unit_test(memory_is_bounded),	   cmocka_unit_test(cpus_are_bounded),
		cmocka_unit_test(one_pool_over_time),	   cmocka_unit_test(drains_of_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
