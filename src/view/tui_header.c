// SPDX-License-Identifier: GPL-2.0-or-later
/* The upper part: what is watched and how, sums, and the two charts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui_draw.h"
#include "tui_priv.h"

/* --- two lines -----------------------------------------------------------------------------------
 */

/* Text from left to right, and on the lines below, for as long as there is room. */
struct line {
	int y, x, cols;
	int last_y;
};

static void put(struct line *l, enum style style, const char *text)
{
	int width = text_width(text);

	if (l->x >= l->cols)
		return;
	term_put(l->y, l->x, width, style, text);
	l->x += width;
}

/* "  label value"; what does not fit whole is left out. */
static void put_pair(struct line *l, const char *label, enum style style, const char *value)
{
	int width = text_width(label) + !!*label + text_width(value);

	if (l->x && l->x + 2 + width > l->cols && l->y < l->last_y) {
		l->y++;
		l->x = 0;
	}
	if (l->x && l->x + 2 + width > l->cols)
		return;
	if (l->x)
		put(l, STYLE_NORMAL, "  ");
	if (*label) {
		put(l, STYLE_DIM, label);
		put(l, STYLE_NORMAL, " ");
	}
	put(l, style, value);
}

static void put_time(struct line *l, const struct tui *t)
{
	char text[CELL];
	struct tm tm;

	if (gmtime_r(&t->m->now.time.tv_sec, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%SZ", &tm))
		put_pair(l, "", STYLE_NORMAL, text);
}

static void put_mode(struct line *l, const struct tui *t)
{
	char text[CELL] = "";
	double back = (double)(t->live->now.mono_ns - t->m->now.mono_ns) / 1e9;

	if (t->paused && back > 0)
		snprintf(text, sizeof(text), "PAUSED, %.1f s back", back);
	else if (t->paused)
		snprintf(text, sizeof(text), "PAUSED");
	else if (t->ended)
		snprintf(text, sizeof(text), "END OF RECORDING");
	else if (t->recorded)
		snprintf(text, sizeof(text), "RECORDING");
	if (text[0])
		put_pair(l, "", STYLE_STRONG, text);
}

static void put_source(struct line *l, const struct source_info *s)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%s%s%s%s", s->counters ? s->counters : "no counters",
		 s->level ? "/" : "", s->level ? s->level : "", s->attached ? " attached" : "");
	put_pair(l, "", s->counters ? STYLE_NORMAL : STYLE_WARN, text);
}

static void draw_first(const struct tui *t)
{
	struct line l = {.cols = t->cols};
	const struct model *m = t->m;
	char text[CELL];

	put(&l, STYLE_STRONG, "ppooltop");
	put_mode(&l, t);
	text_safe(m->now.host.name, text);
	if (text[0])
		put_pair(&l, "", STYLE_STRONG, text);
	text_safe(m->now.host.kernel, text);
	put_pair(&l, "", STYLE_NORMAL, text);
	put_source(&l, &m->now.source);
	if (isnan(m->interval_s))
		strcpy(text, "counts");
	else
		snprintf(text, sizeof(text), "%.1f s%s", m->interval_s,
			 t->config.counts ? ", counts" : "");
	put_pair(&l, "", STYLE_NORMAL, text);
	put_time(&l, t);
	snprintf(text, sizeof(text), "%d CPUs", m->now.host.cpus);
	put_pair(&l, "", STYLE_NORMAL, text);
	if (t->filter[0])
		put_pair(&l, "filter", STYLE_STRONG, t->filter);
}

/* A sum in words of the columns, so that both always say the same. */
static void put_column(struct line *l, const struct row *r, const char *title, const char *label,
		       const char *unit)
{
	char cell[CELL], text[CELL + 8];

	column_print(column_find(title), r, cell);
	snprintf(text, sizeof(text), "%s%s", cell, strpbrk(cell, "0123456789") ? unit : "");
	put_pair(l, label, STYLE_STRONG, text);
}

static void put_pools(struct line *l, const struct model *m)
{
	char text[CELL];
	unsigned int destroyed = 0;
	bool stuck = false;

	for (size_t i = 0; i < m->nr_pools; i++) {
		stuck |= m->pools[i].pool->state == POOL_STUCK;
		destroyed += m->pools[i].pool->state == POOL_DRAINING ||
			     m->pools[i].pool->state == POOL_STUCK;
	}
	snprintf(text, sizeof(text), "%zu", m->nr_pools);
	put_pair(l, "pools", STYLE_STRONG, text);
	snprintf(text, sizeof(text), "%u", destroyed);
	put_pair(l, "destroyed", stuck ? STYLE_BAD : destroyed ? STYLE_WARN : STYLE_NORMAL, text);
}

static void put_losses(struct line *l, const struct snapshot *s)
{
	char text[CELL];

	if (s->lost_pools || s->lost_events)
		snprintf(text, sizeof(text), "%" PRIu64 " pools, %" PRIu64 " events", s->lost_pools,
			 s->lost_events);
	else
		strcpy(text, "0");
	put_pair(l, "lost", s->lost_pools || s->lost_events ? STYLE_BAD : STYLE_NORMAL, text);
}

static void put_audit(struct line *l, const struct model *m)
{
	unsigned int audited = 0, bad = 0;
	char text[CELL];

	for (size_t i = 0; i < m->nr_pools; i++) {
		audited += m->pools[i].pool->audit.known;
		bad += m->pools[i].pool->audit.known && m->pools[i].pool->audit.unaccounted;
	}
	if (bad)
		snprintf(text, sizeof(text), "%u of %u off", bad, audited);
	else
		strcpy(text, audited ? "ok" : "-");
	put_pair(l, "audit", bad ? STYLE_BAD : STYLE_NORMAL, text);
}

static void draw_second(const struct tui *t, int last_y)
{
	struct row_opts opts = tui_row_opts(t);
	struct line l = {.y = 1, .cols = t->cols, .last_y = last_y};
	struct row r;
	char bytes[CELL], text[2 * CELL];

	row_device(&r, t->m, &t->m->totals, &opts);
	put_column(&l, &r, "ALLOC", "alloc",
		   t->config.counts || isnan(t->m->interval_s) ? "" : "/s");
	put_column(&l, &r, "RECYC%", "recycled", "%");
	column_print(column_find("INFLIGHT"), &r, text);
	column_print(column_find("BYTES"), &r, bytes);
	if (r.inflight_known)
		snprintf(text + strlen(text), CELL, " (%.20s)", bytes);
	put_pair(&l, "inflight", STYLE_STRONG, text);
	put_pools(&l, t->m);
	put_losses(&l, &t->m->now);
	put_audit(&l, t->m);
}

void draw_status(const struct tui *t, const struct tui_layout *l)
{
	if (l->status_rows > 0)
		draw_first(t);
	if (l->status_rows > 1)
		draw_second(t, l->status_rows - 1);
}

/* --- charts --------------------------------------------------------------------------------------
 */

#define AXIS 7 /* columns of the scale */

/* From the bottom up. */
static const struct path {
	enum pp_counter counter;
	enum style style;
	const char *name;
} paths[] = {
	{PP_FAST, STYLE_FAST, "fast"},
	{PP_REFILL, STYLE_REFILL, "refill"},
	{PP_SLOW, STYLE_SLOW, "slow"},
	{PP_SLOW_HIGH_ORDER, STYLE_SLOW_HIGH_ORDER, "high order"},
};

#define NR_PATHS (int)(sizeof(paths) / sizeof(paths[0]))

struct chart {
	const struct tui *t;
	int y, x, rows, cols; /* of what is drawn, legend and scale left out */
	double max;
};

/* The point that column @x shows, or NULL; the last one is on the right. */
static const struct history_point *point_at(const struct chart *c, int x)
{
	size_t back = (size_t)(c->cols - 1 - x), frame = tui_frame(c->t);

	if (!history_count(c->t->history) || back > frame)
		return NULL;
	return history_point(c->t->history, frame - back);
}

/* What was allocated on the first @nr paths; what is not known of them is left out. */
static double stacked(const struct history_point *p, int nr)
{
	double sum = 0;

	for (int i = 0; i < nr; i++)
		if (counter_known(p->known, paths[i].counter) && !isnan(p->rate[paths[i].counter]))
			sum += p->rate[paths[i].counter];
	return sum;
}

/* One digit and zeros: a scale that does not change with every reading. */
static double round_up(double v)
{
	double unit = v > 0 ? pow(10, floor(log10(v))) : 1;

	return ceil(v / unit) * unit;
}

static double highest(const struct chart *c)
{
	double max = 1;

	for (int x = 0; x < c->cols; x++) {
		const struct history_point *p = point_at(c, x);

		if (p && stacked(p, NR_PATHS) > max)
			max = stacked(p, NR_PATHS);
	}
	return round_up(max);
}

static void draw_scale(const struct chart *c, const char *top, const char *bottom)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%*s", AXIS - 1, top);
	term_put(c->y, c->x - AXIS, AXIS, STYLE_DIM, text);
	snprintf(text, sizeof(text), "%*s", AXIS - 1, bottom);
	term_put(c->y + c->rows - 1, c->x - AXIS, AXIS, STYLE_DIM, text);
}

/*
 * Each path has its own shade; a cell is that of the path which has its middle, and the one that is
 * not full at the top is a bar of eighths.
 */
static void draw_stack(const struct chart *c, int x, const struct history_point *p)
{
	const struct glyphs *g = c->t->glyphs;
	double total = stacked(p, NR_PATHS) / c->max * c->rows;

	for (int row = 0; row < c->rows && row < total; row++) {
		double part = total - row, middle = row + (part < 1 ? part : 1) / 2;
		int path = 0;

		while (path < NR_PATHS - 1 && stacked(p, path + 1) / c->max * c->rows < middle)
			path++;
		term_put(c->y + c->rows - 1 - row, c->x + x, 1, paths[path].style,
			 part < 1 ? text_spark(g, part, 1) : g->shades[path]);
	}
}

static void draw_alloc(struct chart *c, const struct tui_layout *l)
{
	const struct history_point *last = point_at(c, c->cols - 1);
	struct line legend = {.y = l->chart, .x = 0, .cols = c->x + c->cols};
	char text[CELL], number[CELL];

	c->max = highest(c);
	put(&legend, STYLE_DIM, " alloc/s");
	for (int i = 0; i < NR_PATHS && last; i++) {
		double rate = last->rate[paths[i].counter];

		if (!counter_known(last->known, paths[i].counter) || isnan(rate))
			strcpy(number, "n/a");
		else
			text_human(rate, 1000, number);
		snprintf(text, sizeof(text), "%s %s %.10s", c->t->glyphs->shades[i], paths[i].name,
			 number);
		put_pair(&legend, "", paths[i].style, text);
	}
	text_human(c->max, 1000, text);
	draw_scale(c, text, "0");
	for (int x = 0; x < c->cols; x++) {
		const struct history_point *p = point_at(c, x);

		if (p)
			draw_stack(c, x, p);
	}
}

static void draw_recycled(const struct chart *c, const struct tui_layout *l)
{
	const struct glyphs *g = c->t->glyphs;

	term_put(l->chart, c->x - AXIS, AXIS + c->cols, STYLE_DIM, " recycled");
	draw_scale(c, "100%", "0%");
	for (int x = 0; x < c->cols; x++) {
		const struct history_point *p = point_at(c, x);
		double level = p ? p->recycle_ratio * c->rows : (double)NAN;

		for (int row = 0; row < c->rows && row < level; row++)
			term_put(c->y + c->rows - 1 - row, c->x + x, 1, STYLE_GOOD,
				 text_spark(g, level - row < 1 ? level - row : 1, 1));
		if (p && isnan(level))
			term_put(c->y + c->rows - 1, c->x + x, 1, STYLE_DIM, g->none);
	}
}

void draw_charts(const struct tui *t, const struct tui_layout *l)
{
	int left = t->cols * 3 / 5;
	struct chart alloc = {.t = t,
			      .y = l->chart + 1,
			      .x = AXIS,
			      .rows = l->chart_rows - 1,
			      .cols = left - AXIS - 1};
	struct chart recycled = alloc;

	if (!l->chart_rows)
		return;
	recycled.x = left + AXIS;
	recycled.cols = t->cols - recycled.x;
	draw_alloc(&alloc, l);
	draw_recycled(&recycled, l);
}
