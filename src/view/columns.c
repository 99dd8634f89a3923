// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"
#include "util.h"
#include "verdict.h"

#define ALLOC_TERMS (1u << PP_FAST | 1u << PP_REFILL | 1u << PP_SLOW | 1u << PP_SLOW_HIGH_ORDER)
#define CACHE_SIZE  128 /* PP_ALLOC_CACHE_SIZE, include/net/page_pool/types.h */
#define BAR_WIDTH   6

#define POOLS	    (1u << ROW_POOL | 1u << ROW_GROUP)
#define DEVICES	    (POOLS | 1u << ROW_DEVICE)
#define ALL_ROWS    ((1u << ROW_NR_KINDS) - 1)

static const struct pool *first(const struct row *r)
{
	return r->pools[0]->pool;
}

static void na(char *cell)
{
	strcpy(cell, "n/a");
}

static void print_number(double v, double unit, char *cell)
{
	if (isnan(v))
		na(cell);
	else
		text_human(v, unit, cell);
}

static void print_pool(const struct row *r, char *cell)
{
	const struct pool *p = first(r);

	if (r->nr > 1)
		strcpy(cell, "-");
	else if (p->has & POOL_HAS_ID)
		snprintf(cell, CELL, "%" PRIu32, p->id);
	else
		snprintf(cell, CELL, "%" PRIx64, p->address & 0xffffffff);
}

static double value_pool(const struct row *r)
{
	const struct pool *p = first(r);

	return -(double)(p->has & POOL_HAS_ID ? p->id : p->address);
}

static void print_ifname(const char *ifname, char *cell)
{
	if (ifname[0])
		text_safe(ifname, cell);
	else
		strcpy(cell, "-");
}

static void print_device(const struct row *r, char *cell)
{
	char id[CELL];

	switch (r->kind) {
	case ROW_DEVICE:
		if (r->device->others)
			strcpy(cell, "(others)");
		else
			print_ifname(r->device->ifname, cell);
		return;
	case ROW_GROUP:
		snprintf(cell, CELL, "%u pools", r->nr);
		return;
	case ROW_CPU:
		snprintf(cell, CELL, " cpu %d", r->cpu);
		return;
	case ROW_CPU_SUM:
		snprintf(cell, CELL, "cpu %d", r->cpu);
		return;
	default:
		break;
	}
	if (!r->nested) {
		print_ifname(first(r)->ifname, cell);
		return;
	}
	print_pool(r, id);
	snprintf(cell, CELL, "pool %.20s", id);
}

static void print_netns(const struct row *r, char *cell)
{
	uint32_t netns = r->device ? r->device->netns : first(r)->netns;
	const char *name = r->device ? r->device->netns_name : first(r)->netns_name;

	if (name[0])
		text_safe(name, cell);
	else if (netns)
		snprintf(cell, CELL, "%" PRIu32, netns);
	else
		strcpy(cell, "-");
}

static void print_driver(const struct row *r, char *cell)
{
	const char *driver = r->device ? r->device->driver : first(r)->driver;

	if (driver[0])
		text_safe(driver, cell);
	else
		strcpy(cell, "-");
}

static void print_queue(const struct row *r, char *cell)
{
	if (r->nr == 1 && first(r)->queue >= 0)
		snprintf(cell, CELL, "%d", first(r)->queue);
	else
		strcpy(cell, "-");
}

static double value_queue(const struct row *r)
{
	return first(r)->queue < 0 ? (double)NAN : -first(r)->queue;
}

static void print_state(const struct row *r, char *cell)
{
	snprintf(cell, CELL, "%s", pool_state_names[first(r)->state]);
}

static enum mark mark_state(const struct row *r)
{
	static const enum mark marks[POOL_NR_STATES] = {
		[POOL_LIVE] = MARK_GOOD,
		[POOL_DRAINING] = MARK_WARN,
		[POOL_STUCK] = MARK_BAD,
		[POOL_IMPOSSIBLE] = MARK_BAD,
	};

	return marks[first(r)->state];
}

static double counter(const struct row *r, enum pp_counter i)
{
	return counter_known(r->known, i) ? r->n[i] : (double)NAN;
}

static enum mark mark_zero(double v)
{
	return v > 0 ? MARK_NONE : MARK_DIM;
}

/* What should not happen, or seldom. */
static enum mark mark_loss(double v)
{
	return v > 0 ? MARK_WARN : MARK_DIM;
}

#define mark_FAST	     mark_zero
#define mark_SLOW	     mark_zero
#define mark_SLOW_HIGH_ORDER mark_zero
#define mark_EMPTY	     mark_zero
#define mark_REFILL	     mark_zero
#define mark_WAIVE	     mark_loss
#define mark_CACHED	     mark_zero
#define mark_CACHE_FULL	     mark_zero
#define mark_RING	     mark_zero
#define mark_RING_FULL	     mark_loss
#define mark_RELEASED_REFCNT mark_loss

#define PP_X(ID, ...)                                           \
	static double value_##ID(const struct row *r)           \
	{                                                       \
		return counter(r, PP_##ID);                     \
	}                                                       \
	static void print_##ID(const struct row *r, char *cell) \
	{                                                       \
		print_number(value_##ID(r), 1000, cell);        \
	}                                                       \
	static enum mark mark_of_##ID(const struct row *r)      \
	{                                                       \
		return mark_##ID(value_##ID(r));                \
	}
PP_COUNTERS(PP_X)
#undef PP_X

static double value_alloc(const struct row *r)
{
	if ((r->known & ALLOC_TERMS) != ALLOC_TERMS)
		return NAN;
	return r->n[PP_FAST] + r->n[PP_REFILL] + r->n[PP_SLOW] + r->n[PP_SLOW_HIGH_ORDER];
}

static void print_alloc(const struct row *r, char *cell)
{
	print_number(value_alloc(r), 1000, cell);
}

static enum mark mark_alloc(const struct row *r)
{
	return mark_zero(value_alloc(r));
}

static void print_percent(double part, bool known, char *cell)
{
	if (isnan(part))
		strcpy(cell, known ? "-" : "n/a");
	else
		snprintf(cell, CELL, "%.1f", 100 * part);
}

/* NAN where nothing was allocated, too. */
static double value_fast_part(const struct row *r)
{
	double alloc = value_alloc(r);

	return alloc > 0 ? r->n[PP_FAST] / alloc : (double)NAN;
}

static void print_fast_part(const struct row *r, char *cell)
{
	print_percent(value_fast_part(r), (r->known & ALLOC_TERMS) == ALLOC_TERMS, cell);
}

static double value_full(const struct row *r)
{
	return counter(r, PP_CACHE_FULL) + counter(r, PP_RING_FULL);
}

static void print_full(const struct row *r, char *cell)
{
	print_number(value_full(r), 1000, cell);
}

static enum mark mark_full(const struct row *r)
{
	return r->n[PP_RING_FULL] > 0 ? MARK_WARN : mark_zero(value_full(r));
}

static double value_ratio(const struct row *r)
{
	return r->ratio;
}

static void print_ratio(const struct row *r, char *cell)
{
	print_percent(r->ratio, ratio_known(r->known), cell);
}

static double value_cache(const struct row *r)
{
	return first(r)->has & POOL_HAS_BOOKS ? first(r)->cache : (double)NAN;
}

static double value_ring(const struct row *r)
{
	return first(r)->has & POOL_HAS_BOOKS ? first(r)->ring : (double)NAN;
}

static void print_fill(const struct row *r, uint32_t pages, uint32_t capacity, char *cell)
{
	if (first(r)->has & POOL_HAS_BOOKS)
		snprintf(cell, CELL, "%" PRIu32 "/%" PRIu32, pages, capacity);
	else
		na(cell);
}

static void print_cache(const struct row *r, char *cell)
{
	print_fill(r, first(r)->cache, CACHE_SIZE, cell);
}

static void print_ring(const struct row *r, char *cell)
{
	print_fill(r, first(r)->ring, first(r)->ring_size, cell);
}

static void print_bar(const struct row *r, uint32_t pages, uint32_t capacity, char *cell)
{
	if (first(r)->has & POOL_HAS_BOOKS && capacity)
		text_bar(r->glyphs, (double)pages / capacity, BAR_WIDTH, cell);
	else
		na(cell);
}

static void print_cache_bar(const struct row *r, char *cell)
{
	print_bar(r, first(r)->cache, CACHE_SIZE, cell);
}

static void print_ring_bar(const struct row *r, char *cell)
{
	print_bar(r, first(r)->ring, first(r)->ring_size, cell);
}

static double value_ring_part(const struct row *r)
{
	return first(r)->ring_size ? value_ring(r) / first(r)->ring_size : (double)NAN;
}

static double value_inflight(const struct row *r)
{
	return r->inflight_known ? (double)r->inflight : (double)NAN;
}

static void print_inflight(const struct row *r, char *cell)
{
	print_number(value_inflight(r), 1000, cell);
}

static double value_bytes(const struct row *r)
{
	return r->inflight_known ? (double)r->bytes : (double)NAN;
}

static void print_bytes(const struct row *r, char *cell)
{
	print_number(value_bytes(r), 1024, cell);
}

static double value_age(const struct row *r)
{
	const struct pool *p = first(r);

	if (p->has & POOL_HAS_DESTROYED)
		return p->destroyed_s;
	if (!p->created || !p->since.tv_sec)
		return NAN;
	return difftime(r->m->now.time.tv_sec, p->since.tv_sec);
}

static void print_age(const struct row *r, char *cell)
{
	double age = value_age(r);

	if (isnan(age))
		strcpy(cell, "-");
	else
		age_text(age, cell, CELL);
}

static double value_audit(const struct row *r)
{
	return first(r)->audit.known ? fabs((double)first(r)->audit.unaccounted) : (double)NAN;
}

static void print_audit(const struct row *r, char *cell)
{
	if (!first(r)->audit.known)
		strcpy(cell, "-");
	else if (!first(r)->audit.unaccounted)
		strcpy(cell, "ok");
	else
		snprintf(cell, CELL, "%" PRId64, first(r)->audit.unaccounted);
}

static enum mark mark_audit(const struct row *r)
{
	return value_audit(r) > 0 ? MARK_BAD : MARK_NONE;
}

static double value_verdict(const struct row *r)
{
	return verdict_rank(verdict_find(r->m, r->pools[0]));
}

static void print_verdict(const struct row *r, char *cell)
{
	int n = 0;

	if (r->nr > 1) {
		int64_t each = first(r)->inflight;

		/* How many pools is in the row's name. */
		n = snprintf(cell, CELL, "%" PRId64 " page%s each, ", each, each == 1 ? "" : "s");
	}
	verdict_print(r->m, r->pools[0], cell + n, CELL - (size_t)n);
}

static enum mark mark_verdict(const struct row *r)
{
	static const enum mark marks[] = {
		[VERDICT_NONE] = MARK_DIM,
		[VERDICT_NOTE] = MARK_NONE,
		[VERDICT_WARN] = MARK_WARN,
		[VERDICT_BAD] = MARK_BAD,
	};

	return marks[verdict_find(r->m, r->pools[0])->severity];
}

#define COUNTER(ID, title, rank, help)                                                            \
	{                                                                                         \
		title, 6, false, true, rank, ALL_ROWS, help, print_##ID, value_##ID, mark_of_##ID \
	}

/* Which of the kernel's counters the live view shows by itself: pp_counter to rank. */
#define RANK_FAST	     0
#define RANK_SLOW	     3
#define RANK_SLOW_HIGH_ORDER 0
#define RANK_EMPTY	     6
#define RANK_REFILL	     6
#define RANK_WAIVE	     3
#define RANK_CACHED	     6
#define RANK_CACHE_FULL	     0
#define RANK_RING	     6
#define RANK_RING_FULL	     0
#define RANK_RELEASED_REFCNT 3

const struct column columns[] = {
	{"DEVICE", 15, true, true, 1, ALL_ROWS, "interface, or the row's pool or CPU", print_device,
	 NULL, NULL},
	{"NETNS", 10, true, true, 7, DEVICES, "network namespace: its name or inode number",
	 print_netns, NULL, NULL},
	{"DRIVER", 10, true, false, 0, DEVICES, "the interface's driver", print_driver, NULL, NULL},
	{"Q", 3, false, true, 2, POOLS, "receive queue", print_queue, value_queue, NULL},
	{"POOL", 8, false, true, 0, POOLS, "the kernel's id, or the low half of the address",
	 print_pool, value_pool, NULL},
	{"STATE", 10, true, true, 1, POOLS, "live, draining, stuck, system or impossible",
	 print_state, NULL, mark_state},
	{"ALLOC", 6, false, false, 1, ALL_ROWS,
	 "pages allocated: fast + refill + slow + slow_high_order", print_alloc, value_alloc,
	 mark_alloc},
	{"FAST%", 5, false, false, 5, ALL_ROWS, "of these, from the pool's cache", print_fast_part,
	 value_fast_part, NULL},
#define PP_X(ID, side, key, kernel, metric, label, title, help) COUNTER(ID, title, RANK_##ID, help),
	PP_COUNTERS(PP_X)
#undef PP_X
		{"FULL", 6, false, false, 3, ALL_ROWS,
		 "times cache or ring was full: CFULL + RFULL", print_full, value_full, mark_full},
	{"RECYC%", 6, false, true, 1, DEVICES, "pages recycled per page allocated", print_ratio,
	 value_ratio, NULL},
	{"CACHE", 7, false, true, 0, 1u << ROW_POOL, "pages in the cache, and its size",
	 print_cache, value_cache, NULL},
	{"RINGFILL", 11, false, true, 0, 1u << ROW_POOL, "pages in the ring, and its size",
	 print_ring, value_ring, NULL},
	{"CACHEBAR", BAR_WIDTH + 2, true, false, 8, 1u << ROW_POOL, "how full the cache is",
	 print_cache_bar, value_cache, NULL},
	{"RINGBAR", BAR_WIDTH + 2, true, false, 8, 1u << ROW_POOL, "how full the ring is",
	 print_ring_bar, value_ring_part, NULL},
	{"INFLIGHT", 8, false, true, 1, DEVICES, "pages held and not given back", print_inflight,
	 value_inflight, NULL},
	{"BYTES", 7, false, true, 5, DEVICES, "the same in bytes", print_bytes, value_bytes, NULL},
	{"AGE", 8, false, false, 5, POOLS, "since it was destroyed; of a live pool, since created",
	 print_age, value_age, NULL},
	{"AUDIT", 5, false, true, 0, 1u << ROW_POOL,
	 "do the books balance? or pages unaccounted for", print_audit, value_audit, mark_audit},
	{"VERDICT", 22, true, false, 1, POOLS, "what is wrong with it, in words", print_verdict,
	 value_verdict, mark_verdict},
};

const int nr_columns = sizeof(columns) / sizeof(columns[0]);

const struct column *column_find(const char *title)
{
	for (int i = 0; i < nr_columns; i++)
		if (!strcasecmp(columns[i].title, title))
			return &columns[i];
	return NULL;
}

static bool has_cell(const struct column *c, const struct row *r)
{
	return c->rows & (1u << r->kind);
}

void column_print(const struct column *c, const struct row *r, char *cell)
{
	cell[0] = '\0';
	if (has_cell(c, r))
		c->print(r, cell);
}

enum mark column_mark(const struct column *c, const struct row *r)
{
	return has_cell(c, r) && c->mark ? c->mark(r) : MARK_NONE;
}

static int compare_text(const struct column *c, const struct row *r, const struct row *s,
			bool inverted)
{
	char x[CELL], y[CELL];
	int order;

	column_print(c, r, x);
	column_print(c, s, y);
	if (!x[0] || !y[0])
		return !x[0] - !y[0];
	order = strcmp(x, y);
	return inverted ? -order : order;
}

double column_value(const struct column *c, const struct row *r)
{
	return c->value && has_cell(c, r) ? c->value(r) : (double)NAN;
}

int column_order(double v, double w, bool inverted)
{
	int order = (v < w) - (v > w);

	if (isnan(v) || isnan(w))
		return !!isnan(v) - !!isnan(w);
	return inverted ? -order : order;
}

int column_compare(const struct column *c, const struct row *r, const struct row *s, bool inverted)
{
	if (!c->value)
		return compare_text(c, r, s, inverted);
	return column_order(column_value(c, r), column_value(c, s), inverted);
}
