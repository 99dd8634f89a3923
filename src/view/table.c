// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <wctype.h>

#include "util.h"
#include "view.h"

#define CELL 64

/* A row is a pool, or one CPU's part of it (cpu >= 0). */
struct row {
	const struct model_pool *mp;
	int cpu;
};

/* A column is a row of data: its title, how wide, on which side, what it prints, how it sorts. */
struct column {
	const char *title;
	int width;
	bool left;
	void (*print)(const struct row *r, char *cell);
	double (*value)(const struct model_pool *mp); /* NULL: sorts by its text */
};

static void na(char *cell)
{
	strcpy(cell, "n/a");
}

/* Four digits or less before the unit: 9999, 10.0K, 12.3M */
static void human(double v, double unit, char *cell)
{
	const char *u = "\0KMGTPE";

	while (fabs(v) >= (*u ? 999.95 : 9999.5) && u[1]) {
		v /= unit;
		u++;
	}
	if (*u)
		snprintf(cell, CELL, "%.1f%c", v, *u);
	else
		snprintf(cell, CELL, "%.0f", v);
}

/* A control character in a name must not reach the terminal; every other stays as it is. */
static void text(const char *s, char *cell)
{
	mbstate_t state;
	char *end = cell + CELL - MB_LEN_MAX - 1;

	memset(&state, 0, sizeof(state));
	while (*s && cell < end) {
		wchar_t w;
		size_t n = mbrtowc(&w, s, MB_CUR_MAX, &state);

		if (n == (size_t)-1 || n == (size_t)-2 || !iswprint((wint_t)w)) {
			memset(&state, 0, sizeof(state));
			*cell++ = '?';
			s += n == (size_t)-1 || n == (size_t)-2 ? 1 : n;
			continue;
		}
		memcpy(cell, s, n);
		cell += n;
		s += n;
	}
	*cell = '\0';
}

static void print_device(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		snprintf(cell, CELL, " cpu %d", r->cpu);
	else if (r->mp->pool->ifname[0])
		text(r->mp->pool->ifname, cell);
	else
		strcpy(cell, "-");
}

static void print_netns(const struct row *r, char *cell)
{
	const struct pool *p = r->mp->pool;

	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (p->netns_name[0])
		text(p->netns_name, cell);
	else if (p->netns)
		snprintf(cell, CELL, "%" PRIu32, p->netns);
	else
		strcpy(cell, "-");
}

static void print_queue(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (r->mp->pool->queue >= 0)
		snprintf(cell, CELL, "%d", r->mp->pool->queue);
	else
		strcpy(cell, "-");
}

static double value_queue(const struct model_pool *mp)
{
	return -mp->pool->queue;
}

static void print_id(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (r->mp->pool->has & POOL_HAS_ID)
		snprintf(cell, CELL, "%" PRIu32, r->mp->pool->id);
	else
		snprintf(cell, CELL, "%" PRIx64, r->mp->pool->address & 0xffffffff);
}

static void print_state(const struct row *r, char *cell)
{
	snprintf(cell, CELL, "%s", r->cpu >= 0 ? "" : pool_state_name(r->mp->pool->state));
}

/* Per second; a CPU's share as its part of the pool's count. */
static void print_counter(const struct row *r, enum pp_counter i, char *cell)
{
	const struct pool *p = r->mp->pool;
	double v = r->mp->figures.rate[i];

	if (!counter_known(r->cpu >= 0 ? p->cpus_known : p->counters_known, i)) {
		na(cell);
	} else if (r->cpu >= 0) {
		human((double)p->cpus[r->cpu].n[i], 1000, cell);
	} else if (isnan(v)) {
		human((double)p->total.n[i], 1000, cell);
	} else {
		human(v, 1000, cell);
	}
}

#define PP_X(ID, ...)                                                                        \
	static void print_##ID(const struct row *r, char *cell)                              \
	{                                                                                    \
		print_counter(r, PP_##ID, cell);                                             \
	}                                                                                    \
	static double value_##ID(const struct model_pool *mp)                                \
	{                                                                                    \
		return isnan(mp->figures.rate[PP_##ID]) ? (double)mp->pool->total.n[PP_##ID] \
							: mp->figures.rate[PP_##ID];         \
	}
PP_COUNTERS(PP_X)
#undef PP_X

static double value_ratio(const struct model_pool *mp)
{
	return isnan(mp->figures.recycle_ratio) ? -1 : mp->figures.recycle_ratio;
}

static void print_ratio(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (isnan(r->mp->figures.recycle_ratio))
		strcpy(cell, ratio_known(r->mp->pool->counters_known) ? "-" : "n/a");
	else
		snprintf(cell, CELL, "%.1f", 100 * r->mp->figures.recycle_ratio);
}

static void print_fill(bool known, uint32_t pages, uint32_t capacity, char *cell)
{
	if (known)
		snprintf(cell, CELL, "%" PRIu32 "/%" PRIu32, pages, capacity);
	else
		na(cell);
}

static void print_cache(const struct row *r, char *cell)
{
	const struct pool *p = r->mp->pool;

	cell[0] = '\0';
	if (r->cpu < 0)
		print_fill(p->has & POOL_HAS_BOOKS, p->cache, 128, cell);
}

static void print_ring(const struct row *r, char *cell)
{
	const struct pool *p = r->mp->pool;

	cell[0] = '\0';
	if (r->cpu < 0)
		print_fill(p->has & POOL_HAS_BOOKS, p->ring, p->ring_size, cell);
}

static double value_inflight(const struct model_pool *mp)
{
	return (double)mp->pool->inflight;
}

static void print_inflight(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (r->mp->pool->has & POOL_HAS_INFLIGHT)
		human((double)r->mp->pool->inflight, 1000, cell);
	else
		na(cell);
}

static double value_bytes(const struct model_pool *mp)
{
	return (double)mp->pool->inflight_bytes;
}

static void print_bytes(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (r->mp->pool->has & POOL_HAS_INFLIGHT)
		human((double)r->mp->pool->inflight_bytes, 1024, cell);
	else
		na(cell);
}

static void print_audit(const struct row *r, char *cell)
{
	if (r->cpu >= 0)
		cell[0] = '\0';
	else if (!r->mp->pool->audit.known)
		strcpy(cell, "-");
	else if (!r->mp->pool->audit.unaccounted)
		strcpy(cell, "ok");
	else
		snprintf(cell, CELL, "%" PRId64, r->mp->pool->audit.unaccounted);
}

static const struct column columns[] = {
	{"DEVICE", 15, true, print_device, NULL},
	{"NETNS", 10, true, print_netns, NULL},
	{"Q", 3, false, print_queue, value_queue},
	{"POOL", 8, false, print_id, NULL},
	{"STATE", 10, true, print_state, NULL},
#define PP_X(ID, side, key, kernel, metric, label, title, help) \
	{title, 6, false, print_##ID, value_##ID},
	PP_COUNTERS(PP_X)
#undef PP_X
		{"RECYC%", 6, false, print_ratio, value_ratio},
	{"CACHE", 7, false, print_cache, NULL},
	{"RINGFILL", 11, false, print_ring, NULL},
	{"INFLIGHT", 8, false, print_inflight, value_inflight},
	{"BYTES", 7, false, print_bytes, value_bytes},
	{"AUDIT", 5, false, print_audit, NULL},
};

#define NR_COLUMNS (int)(sizeof(columns) / sizeof(columns[0]))

static const struct column *find_column(const char *title)
{
	for (int i = 0; i < NR_COLUMNS; i++)
		if (!strcasecmp(columns[i].title, title))
			return &columns[i];
	return NULL;
}

bool view_table_column(const char *title)
{
	return find_column(title);
}

void view_table_titles(FILE *f)
{
	for (int i = 0; i < NR_COLUMNS; i++)
		fprintf(f, "%s%s", i ? " " : "", columns[i].title);
}

/* Screen columns @s takes: what is not one character per byte must not push the rest aside. */
static int screen_width(const char *s)
{
	wchar_t wide[CELL];
	size_t n = mbstowcs(wide, s, CELL);
	int width = n == (size_t)-1 ? -1 : wcswidth(wide, n);

	return width < 0 ? (int)strlen(s) : width;
}

static void put_cell(FILE *f, const struct column *c, const char *s, bool last)
{
	int pad = c->width - screen_width(s);

	if (!c->left)
		fprintf(f, "%*s%s", pad > 0 ? pad : 0, "", s);
	else
		fprintf(f, "%s%*s", s, pad > 0 && !last ? pad : 0, "");
	fputs(last ? "\n" : " ", f);
}

static void put_row(FILE *f, const struct row *r)
{
	char cell[CELL];

	for (int i = 0; i < NR_COLUMNS; i++) {
		if (r)
			columns[i].print(r, cell);
		put_cell(f, &columns[i], r ? cell : columns[i].title, i == NR_COLUMNS - 1);
	}
}

static const struct column *sort_column;

/* Numbers fall, words rise; equal rows keep the model's order. */
static int compare(const void *a, const void *b)
{
	const struct model_pool *const *p = a, *const *q = b;
	struct row r = {*p, -1}, s = {*q, -1};
	char x[CELL], y[CELL];
	int c;

	if (sort_column->value) {
		double v = sort_column->value(*p), w = sort_column->value(*q);

		c = (v < w) - (v > w);
	} else {
		sort_column->print(&r, x);
		sort_column->print(&s, y);
		c = strcmp(x, y);
	}
	return c ? c : (*p > *q) - (*p < *q);
}

static void put_header(FILE *f, const struct model *m)
{
	const struct source_info *src = &m->now.source;
	const char *unit = isnan(m->interval_s) ? "counts" : "per second";

	fprintf(f, "ppooltop: kernel %s, %d CPUs; counters from %s%s%s%s, %s", m->now.host.kernel,
		m->now.host.cpus, src->counters ? src->counters : "nowhere (n/a)",
		src->level ? "/" : "", src->level ? src->level : "",
		src->attached ? " (attached)" : "", unit);
	if (!isnan(m->interval_s))
		fprintf(f, " over %.1f s", m->interval_s);
	fprintf(f, "; lost: %" PRIu64 " pools, %" PRIu64 " events%s\n", m->now.lost_pools,
		m->now.lost_events, m->now.lost_pools ? "; sums are incomplete" : "");
}

static bool counted_anything(const struct counters *n)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		if (n->n[i])
			return true;
	return false;
}

/* A pool's row and those of its CPUs, as far as @left lines allow. */
static void put_pool(FILE *f, const struct model *m, const struct model_pool *mp,
		     const struct table_opts *opts, int *left)
{
	if (*left <= 0)
		return;
	put_row(f, &(struct row){mp, -1});
	--*left;
	for (int cpu = 0; opts->per_cpu && mp->pool->cpus && cpu < m->now.nr_cpus; cpu++) {
		if (*left <= 0 || !counted_anything(&mp->pool->cpus[cpu]))
			continue;
		put_row(f, &(struct row){mp, cpu});
		--*left;
	}
}

int view_table(FILE *f, const struct model *m, const struct table_opts *opts)
{
	const size_t nr = m->nr_pools;
	const struct model_pool **order;
	int left = opts->rows ? opts->rows - 2 : INT_MAX;

	order = calloc(nr + 1, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		order[i] = &m->pools[i];
	sort_column = opts->sort ? find_column(opts->sort) : NULL;
	if (sort_column)
		qsort(order, nr, sizeof(*order), compare);
	put_header(f, m);
	put_row(f, NULL);
	for (size_t i = 0; i < nr; i++)
		put_pool(f, m, order[i], opts, &left);
	if (!nr)
		fputs("no page_pool was seen\n", f);
	free(order);
	return finish_output(f);
}
