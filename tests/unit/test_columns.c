// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns and the rows they print, the words of verdicts, and text for terminals. */
#include "unit.h"

#include <ctype.h>
#include <locale.h>

#include "columns.h"
#include "tui_config.h"
#include "verdict.h"

static void the_table(void **state)
{
	(void)state;
	assert_true(nr_columns <= CONFIG_COLUMNS);
	for (int i = 0; i < nr_columns; i++) {
		const struct column *c = &columns[i];

		assert_ptr_equal(column_find(c->title), c); /* no two of a name */
		for (const char *s = c->title; *s; s++)
			assert_true(isgraph((unsigned char)*s) && !islower((unsigned char)*s));
		assert_true(c->help[0] && c->print && c->rows && c->rank >= 0 && c->rank <= 9);
		assert_true((int)strlen(c->title) <= c->width + 2);
	}
	/* those that must fit 80 columns */
	assert_int_equal(columns[0].rank, 1);
}

static const struct row_opts rates = {.glyphs = &glyphs_ascii};
static const struct row_opts counts = {.counts = true, .glyphs = &glyphs_ascii};

static void put(struct model *m, double seconds, uint64_t n)
{
	struct snapshot s;

	unit_snapshot(&s, seconds);
	for (uint64_t i = 0; i < 2; i++) {
		struct pool *p = unit_pool(&s, 0x1000 + i, 2);

		p->queue = (int)i;
		p->total.n[PP_FAST] = 70 * n;
		p->total.n[PP_REFILL] = 20 * n;
		p->total.n[PP_SLOW] = 9 * n;
		p->total.n[PP_SLOW_HIGH_ORDER] = n;
		p->total.n[PP_RING] = 40 * n;
		p->total.n[PP_CACHED] = 10 * n;
		p->total.n[PP_CACHE_FULL] = 3 * n;
		p->total.n[PP_RING_FULL] = 4 * n;
		p->cpus[1] = p->total;
		p->inflight = 100;
		p->inflight_bytes = 409600;
		p->cache = 64;
		p->ring = 512;
	}
	assert_int_equal(model_update(m, &s), 0);
}

static void check(const struct row *r, const char *title, const char *want)
{
	char cell[CELL];

	column_print(column_find(title), r, cell);
	assert_string_equal(cell, want);
}

static void rows(void **state)
{
	const struct model_pool *pools[2];
	struct model m;
	struct row r;

	(void)state;
	model_init(&m);
	put(&m, 1, 1);
	put(&m, 3, 5);
	pools[0] = &m.pools[0];
	pools[1] = &m.pools[1];
	row_pools(&r, &m, pools, 1, &rates);
	check(&r, "ALLOC", "200");
	check(&r, "FAST%", "70.0");
	check(&r, "FULL", "14");
	check(&r, "RECYC%", "50.0");
	check(&r, "INFLIGHT", "100");
	check(&r, "BYTES", "400.0K");
	check(&r, "CACHEBAR", "[###   ]");
	check(&r, "RINGBAR", "[###   ]");
	check(&r, "CACHE", "64/128");
	check(&r, "VERDICT", "-");
	row_pools(&r, &m, pools, 1, &counts);
	check(&r, "ALLOC", "500");
	row_pools(&r, &m, pools, 2, &rates);
	check(&r, "DEVICE", "2 pools");
	check(&r, "ALLOC", "400");
	check(&r, "RECYC%", "50.0");
	check(&r, "INFLIGHT", "200");
	check(&r, "CACHE", "");
	row_device(&r, &m, &m.devices[0], &rates);
	check(&r, "DEVICE", "eth0");
	check(&r, "ALLOC", "400");
	check(&r, "INFLIGHT", "200");
	check(&r, "STATE", "");
	row_device(&r, &m, &m.totals, &counts);
	check(&r, "ALLOC", "1000");
	row_cpu(&r, &m, pools, 1, ROW_CPU, &rates);
	check(&r, "DEVICE", " cpu 1");
	check(&r, "ALLOC", "200");
	check(&r, "INFLIGHT", "");
	row_cpu(&r, &m, pools, 0, ROW_PART, &rates);
	check(&r, "DEVICE", "eth0");
	check(&r, "ALLOC", "0");
	row_cpu_sum(&r, &m, 1, &rates);
	check(&r, "DEVICE", "cpu 1");
	check(&r, "ALLOC", "400");
	row_cpu_sum(&r, &m, 1, &counts);
	check(&r, "ALLOC", "1000");
	model_free(&m);
}

/* Counts since the base; a pool, device or CPU that is new since then began at nothing. */
static void bases(void **state)
{
	struct base base = {0};
	const struct row_opts opts = {.counts = true, .base = &base};
	const struct model_pool *pool;
	struct model m;
	struct row r;

	(void)state;
	model_init(&m);
	put(&m, 1, 1);
	assert_int_equal(base_take(&base, &m), 0);
	base.snap.pools[1].address = 0x9999;
	put(&m, 2, 3);
	pool = &m.pools[0];
	row_pools(&r, &m, &pool, 1, &opts);
	check(&r, "ALLOC", "200");
	row_cpu(&r, &m, &pool, 1, ROW_CPU, &opts);
	check(&r, "ALLOC", "200");
	pool = &m.pools[1];
	row_pools(&r, &m, &pool, 1, &opts);
	check(&r, "ALLOC", "300");
	row_device(&r, &m, &m.devices[0], &opts);
	check(&r, "ALLOC", "400");
	row_device(&r, &m, &m.totals, &opts);
	check(&r, "ALLOC", "400");
	base_free(&base);
	model_free(&m);
}

static void order(void **state)
{
	struct row r = {.kind = ROW_DEVICE, .known = 1u << PP_FAST, .n[PP_FAST] = 5}, s = r,
		   none = r;
	const struct column *c = column_find("FAST");

	(void)state;
	s.n[PP_FAST] = 7;
	none.known = 0;
	assert_true(column_compare(c, &s, &r, false) < 0);
	assert_true(column_compare(c, &s, &r, true) > 0);
	assert_int_equal(column_compare(c, &r, &r, false), 0);
	for (int inverted = 0; inverted < 2; inverted++) {
		assert_true(column_compare(c, &none, &r, inverted) > 0);
		assert_true(column_compare(c, &r, &none, inverted) < 0);
		assert_int_equal(column_compare(c, &none, &none, inverted), 0);
	}
}

static void check_verdict(const struct model_pool *mp, const char *code, const char *want)
{
	char text[CELL];

	assert_string_equal(verdict_find(NULL, mp)->code, code);
	verdict_print(NULL, mp, text, sizeof(text));
	assert_string_equal(text, want);
}

static void verdicts(void **state)
{
	struct pool p = {.state = POOL_LIVE, .has = POOL_HAS_DESTROYED | POOL_HAS_INFLIGHT};
	struct model_pool mp = {.pool = &p, .drain_rate = NAN, .drain_left_s = NAN};
	int rank;

	(void)state;
	check_verdict(&mp, "none", "-");
	assert_int_equal(verdict_rank(verdict_find(NULL, &mp)), 0);
	p.audit = (struct audit){.known = true, .unaccounted = -3};
	check_verdict(&mp, "books", "books off by -3");
	p.audit.known = false;
	p.state = POOL_DRAINING;
	p.inflight = 7293;
	check_verdict(&mp, "draining", "draining");
	mp.drain_rate = 205.0 / 60;
	check_verdict(&mp, "draining", "draining 3.4 pages/s");
	mp.drain_left_s = 7293 / mp.drain_rate;
	check_verdict(&mp, "draining", "draining 3.4 pages/s, 36 min left");
	p.state = POOL_STUCK;
	p.destroyed_s = 505602;
	check_verdict(&mp, "stuck", "stuck for 5 d 20 h");
	rank = verdict_rank(verdict_find(NULL, &mp));
	p.has |= POOL_HAS_PARAMS;
	p.flags = POOL_FLAG_DMA_MAP;
	check_verdict(&mp, "stuck-mapped", "stuck for 5 d 20 h, DMA-mapped");
	assert_true(verdict_rank(verdict_find(NULL, &mp)) > rank);
	p.provider = true;
	check_verdict(&mp, "provider", "provider holds 7293");
	p.inflight = 0;
	check_verdict(&mp, "stuck-mapped", "stuck for 5 d 20 h, DMA-mapped");
	p.state = POOL_IMPOSSIBLE;
	p.hold = 100;
	p.release = 51546;
	check_verdict(&mp, "impossible", "impossible: 100 held, 51546 released");
	assert_non_null(verdict_find(NULL, &mp)->advice);
}

static void alike(void **state)
{
	struct pool p = {.state = POOL_STUCK,
			 .has = POOL_HAS_DESTROYED,
			 .ifindex = 2,
			 .inflight = 1,
			 .destroyed_s = 3000};
	struct pool q = p;

	(void)state;
	q.queue = 5;
	q.destroyed_s = 3000.9;
	assert_true(pools_alike(&p, &q));
	q.destroyed_s = 3001;
	assert_false(pools_alike(&p, &q));
	q = p;
	q.inflight = 2;
	assert_false(pools_alike(&p, &q));
	q = p;
	q.ifindex = 3;
	assert_false(pools_alike(&p, &q));
	q = p;
	q.state = POOL_DRAINING;
	assert_false(pools_alike(&p, &q));
	p.state = POOL_LIVE;
	q = p;
	assert_false(pools_alike(&p, &q));
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(text_width("eth0"), 4);
	assert_int_equal(text_width("h\303\244"), 2);
	assert_int_equal(text_width("\360\237\230\200x"), 3);
	assert_int_equal(text_width("\377a"), 2);
	assert_int_equal(text_width("a\314\201"), 1); /* a combining accent */
	assert_int_equal(text_fit("eth0", 2), 2);
	assert_int_equal(text_fit("\360\237\230\200x", 1), 0); /* no half of a wide one */
	assert_int_equal(text_fit("\360\237\230\200x", 2), 4);
	assert_int_equal(text_fit("abc", 0), 0);
	assert_int_equal(text_fit("abc", -1), 0);
}

static void check_safe(const char *s, const char *want)
{
	char cell[CELL];

	text_safe(s, cell);
	assert_string_equal(cell, want);
}

/* What could move what follows, or begin a command, does not get through. */
static void safe_names(void **state)
{
	char longer[4 * CELL];

	(void)state;
	check_safe("\033[2J", "?[2J");
	check_safe("a\342\200\256b", "a?b"); /* right-to-left override */
	check_safe("a\342\200\213b", "a?b"); /* zero width space */
	check_safe("\357\273\277b", "?b");   /* byte order mark */
	check_safe("\302\233x", "?x");	     /* CSI */
	check_safe("\360\237\230\200", "\360\237\230\200");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	text_safe(longer, longer + 2 * CELL);
	assert_true(strlen(longer + 2 * CELL) < CELL);
}

static void bars(void **state)
{
	char cell[CELL];

	(void)state;
	text_bar(&glyphs_ascii, 0, 4, cell);
	assert_string_equal(cell, "[    ]");
	text_bar(&glyphs_ascii, 1, 4, cell);
	assert_string_equal(cell, "[####]");
	text_bar(&glyphs_ascii, 7, 4, cell);
	assert_string_equal(cell, "[####]");
	text_bar(&glyphs_utf8, 0.5, 4, cell);
	assert_int_equal(text_width(cell), 6);
	assert_string_equal(text_spark(&glyphs_ascii, NAN, 8), " ");
	assert_string_equal(text_spark(&glyphs_ascii, 8, 8), "#");
	assert_string_equal(text_spark(&glyphs_ascii, 0.001, 8), "_"); /* not nothing */
	assert_string_equal(text_spark(&glyphs_ascii, 0, 8), " ");
	assert_string_equal(text_spark(&glyphs_ascii, 5, 0), " ");
	for (int i = 0; i <= 8; i++)
		assert_int_equal(text_width(glyphs_utf8.bars[i]), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table), cmocka_unit_test(rows),	   cmocka_unit_test(bases),
		cmocka_unit_test(order),     cmocka_unit_test(verdicts),   cmocka_unit_test(alike),
		cmocka_unit_test(widths),    cmocka_unit_test(safe_names), cmocka_unit_test(bars),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "en_US.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
