// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "columns.h"
#include "util.h"
#include "view.h"

/* The columns "show" has never change their order: -s and scripts know them. */
static const struct column *column_after(const struct column *c)
{
	for (c = c ? c + 1 : columns; c < columns + nr_columns; c++)
		if (c->table)
			return c;
	return NULL;
}

bool view_table_column(const char *title)
{
	return column_find(title);
}

void view_table_titles(FILE *f)
{
	for (int i = 0; i < nr_columns; i++)
		fprintf(f, "%s%s", i ? " " : "", columns[i].title);
}

static void put_cell(FILE *f, const struct column *c, const char *s, bool last)
{
	int pad = c->width - text_width(s);

	if (!c->left)
		fprintf(f, "%*s%s", pad > 0 ? pad : 0, "", s);
	else
		fprintf(f, "%s%*s", s, pad > 0 && !last ? pad : 0, "");
	fputs(last ? "\n" : " ", f);
}

static void put_row(FILE *f, const struct row *r)
{
	char cell[CELL];

	for (const struct column *c = column_after(NULL), *next; c; c = next) {
		next = column_after(c);
		if (r)
			column_print(c, r, cell);
		put_cell(f, c, r ? cell : c->title, !next);
	}
}

static const struct row_opts rates, counts = {.counts = true};

static const struct column *sort_column;
static const struct model *sort_model;

/* Equal rows keep the model's order. */
static int compare(const void *a, const void *b)
{
	const struct model_pool *const *p = a, *const *q = b;
	struct row r, s;
	int order;

	row_pools(&r, sort_model, p, 1, &rates);
	row_pools(&s, sort_model, q, 1, &rates);
	order = column_compare(sort_column, &r, &s, false);
	return order ? order : (*p > *q) - (*p < *q);
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

/* A pool's row and those of its CPUs, as far as @left lines allow. */
static void put_pool(FILE *f, const struct model *m, const struct model_pool *const *mp,
		     const struct table_opts *opts, int *left)
{
	const struct pool *p = (*mp)->pool;
	struct row r;

	if (*left <= 0)
		return;
	row_pools(&r, m, mp, 1, &rates);
	put_row(f, &r);
	--*left;
	for (int cpu = 0; opts->per_cpu && p->cpus && cpu < m->now.nr_cpus; cpu++) {
		if (*left <= 0 || !counted_anything(&p->cpus[cpu]))
			continue;
		row_cpu(&r, m, mp, cpu, ROW_CPU, &counts);
		put_row(f, &r);
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
	sort_column = opts->sort ? column_find(opts->sort) : NULL;
	sort_model = m;
	if (sort_column)
		qsort(order, nr, sizeof(*order), compare);
	put_header(f, m);
	put_row(f, NULL);
	for (size_t i = 0; i < nr; i++)
		put_pool(f, m, &order[i], opts, &left);
	if (!nr)
		fputs("no page_pool was seen\n", f);
	free(order);
	return finish_output(f);
}
