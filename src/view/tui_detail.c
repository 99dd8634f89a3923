// SPDX-License-Identifier: GPL-2.0-or-later
/* All about one pool. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "tui_draw.h"
#include "util.h"
#include "verdict.h"

#define LABEL 11 /* columns of the words on the left */

static void heading(struct page *p, const char *text)
{
	page_line(p);
	page_line(p);
	page_add(p, STYLE_STRONG, "%s", text);
}

/* "  label      value": one of the things that are known, or not. */
static void fact(struct page *p, const char *label, const char *value)
{
	char safe[CELL];

	text_safe(value[0] ? value : "-", safe);
	page_line(p);
	page_add(p, STYLE_DIM, "  %-*s", LABEL, label);
	page_add(p, STYLE_NORMAL, "%s", safe);
}

/* The cell of a column, as the list would have it. */
static void cell_fact(struct page *p, const char *label, const struct row *r, const char *title)
{
	char cell[CELL];

	column_print(column_find(title), r, cell);
	fact(p, label, cell);
}

static void put_number(struct page *p, const char *label, bool known, double v)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%.0f", v);
	fact(p, label, known ? text : "n/a");
}

static void add_identity(struct page *p, const struct row *r)
{
	const struct pool *pool = r->pools[0]->pool;
	char text[CELL] = "";

	heading(p, "Identity");
	if (pool->has & POOL_HAS_ID)
		snprintf(text, sizeof(text), "%" PRIu32, pool->id);
	fact(p, "id", text);
	text[0] = '\0';
	if (pool->has & POOL_HAS_ADDRESS)
		snprintf(text, sizeof(text), "0x%" PRIx64, pool->address);
	fact(p, "address", text);
	cell_fact(p, "interface", r, "DEVICE");
	cell_fact(p, "netns", r, "NETNS");
	cell_fact(p, "driver", r, "DRIVER");
	fact(p, "device", pool->dev);
	cell_fact(p, "queue", r, "Q");
	put_number(p, "napi id", pool->napi_id, pool->napi_id);
	fact(p, "created by", pool->creator);
	fact(p, "netlink", pool->visible ? "lists it" : "does not list it");
}

static void add_params(struct page *p, const struct pool *pool)
{
	bool known = pool->has & POOL_HAS_PARAMS;
	char flags[CELL] = "", text[CELL];

	heading(p, "Parameters");
	if (!known) {
		fact(p, "n/a", "this source does not know them");
		return;
	}
	for (unsigned int i = 0; i < NR_POOL_FLAGS; i++)
		if (pool->flags & (1u << i))
			snprintf(flags + strlen(flags), sizeof(flags) - strlen(flags), "%s%s",
				 flags[0] ? " " : "", pool_flag_names[i]);
	snprintf(text, sizeof(text), "%" PRIu32 " (asked for: %" PRIu32 ")", pool->ring_size,
		 pool->pool_size);
	fact(p, "ring size", text);
	put_number(p, "order", true, pool->order);
	put_number(p, "NUMA node", true, pool->nid);
	fact(p, "flags", flags);
	fact(p, "DMA", pool->dma_dir < NR_DMA_DIRS ? dma_dir_names[pool->dma_dir] : "");
	snprintf(text, sizeof(text), "%" PRIu32 " from %" PRIu32, pool->max_len, pool->offset);
	fact(p, "DMA sync", text);
	fact(p, "provider",
	     pool->provider_name[0] ? pool->provider_name
	     : pool->provider	    ? "yes"
				    : "none");
}

/* --- over time -----------------------------------------------------------------------------------
 */

static void add_sparks(struct page *p, const struct glyphs *g, const double *v, int nr, double max,
		       int width, enum style style)
{
	for (int i = nr > width ? nr - width : 0; i < nr; i++)
		page_add(p, style, "%s", text_spark(g, v[i], max));
}

static double highest(const double *v, int nr, int width)
{
	double max = 0;

	for (int i = nr > width ? nr - width : 0; i < nr; i++)
		if (v[i] > max)
			max = v[i];
	return max;
}

#define FIGURES 34 /* columns of text before sparks */

static void occupancy(struct page *p, const struct tui *t, const char *label, const char *text,
		      const double *v, double max, int width)
{
	page_line(p);
	page_add(p, STYLE_DIM, "  %-*s", LABEL, label);
	page_add(p, STYLE_NORMAL, "%-*s", FIGURES - LABEL - 2, text);
	add_sparks(p, t->glyphs, v, t->series.nr, max, width - FIGURES, STYLE_GOOD);
}

static void add_occupancy(struct page *p, const struct tui *t, const struct row *r, int width)
{
	const struct series *s = &t->series;
	const struct pool *pool = r->pools[0]->pool;
	char text[2 * CELL], bytes[CELL];

	heading(p, "Pages");
	column_print(column_find("INFLIGHT"), r, text);
	column_print(column_find("BYTES"), r, bytes);
	snprintf(text + strlen(text), CELL, "  %.20s", bytes);
	occupancy(p, t, "in flight", r->inflight_known ? text : "n/a", s->inflight,
		  highest(s->inflight, s->nr, width - FIGURES), width);
	column_print(column_find("CACHE"), r, text);
	occupancy(p, t, "in cache", text, s->cache, 128, width);
	column_print(column_find("RINGFILL"), r, text);
	occupancy(p, t, "in ring", text, s->ring, pool->ring_size, width);
	if (!(pool->has & POOL_HAS_BOOKS))
		return;
	put_number(p, "held", true, pool->hold);
	put_number(p, "released", true, pool->release);
	cell_fact(p, "audit", r, "AUDIT");
}

/* --- counters ------------------------------------------------------------------------------------
 */

static const struct {
	const char *key;
	bool recycle;
} counter_rows[PP_NR_COUNTERS] = {
#define side_alloc		 false
#define side_recycle		 true
#define PP_X(ID, side, key, ...) {#key, side_##side},
	PP_COUNTERS(PP_X)
#undef PP_X
};

/* Of the pages allocated, or of those that came back: NAN where there is none, or it is not known.
 */
static double share(const struct row *r, int i)
{
	const double *n = r->n;
	double all = counter_rows[i].recycle
			     ? n[PP_CACHED] + n[PP_RING] + n[PP_RING_FULL] + n[PP_RELEASED_REFCNT]
			     : n[PP_FAST] + n[PP_REFILL] + n[PP_SLOW] + n[PP_SLOW_HIGH_ORDER];

	return ratio_known(r->known) && all > 0 ? n[i] / all : (double)NAN;
}

static void add_counter(struct page *p, const struct tui *t, const struct row *r, int i, int width)
{
	const struct pool *pool = r->pools[0]->pool;
	bool known = counter_known(r->known, (enum pp_counter)i);
	char rate[CELL] = "n/a", part[CELL] = "-", total[CELL] = "n/a";
	const struct series *s = &t->series;
	double of = share(r, i);

	if (known) {
		text_human(r->n[i], 1000, rate);
		snprintf(total, sizeof(total), "%" PRIu64, pool->total.n[i]);
	}
	if (!isnan(of))
		snprintf(part, sizeof(part), "%.1f%%", 100 * of);
	page_line(p);
	page_add(p, STYLE_DIM, "  %-16s", counter_rows[i].key);
	page_add(p, STYLE_NORMAL, "%8s %20s %7s  ", rate, total, part);
	add_sparks(p, t->glyphs, s->rate[i], s->nr, highest(s->rate[i], s->nr, width - 57),
		   width - 57, counter_rows[i].recycle ? STYLE_REFILL : STYLE_FAST);
}

static void add_counters(struct page *p, const struct tui *t, const struct row *r, int width)
{
	bool counts = t->config.counts || isnan(t->m->interval_s);
	char ratio[CELL];

	heading(p, "Counters");
	page_line(p);
	page_add(p, STYLE_TITLE, "  %-16s%8s %20s %7s", "", counts ? "counted" : "per sec",
		 "in all", "share");
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		add_counter(p, t, r, i, width);
	column_print(column_find("RECYC%"), r, ratio);
	page_line(p);
	page_add(p, STYLE_DIM, "  %-16s", "recycled");
	page_add(p, STYLE_STRONG, "%7s%%", ratio);
	page_add(p, STYLE_DIM,
		 "  of the pages allocated; shares are of these, or of those put back");
}

/* --- CPUs ----------------------------------------------------------------------------------------
 */

/* What one CPU did: pages taken, or pages put back. */
static double activity(const struct tui *t, const struct row *r, int cpu, bool recycle)
{
	struct row_opts opts = tui_row_opts(t);
	struct row part;

	row_cpu(&part, t->m, r->pools, cpu, ROW_CPU, &opts);
	if (recycle)
		return part.n[PP_CACHED] + part.n[PP_RING] + part.n[PP_RING_FULL] +
		       part.n[PP_RELEASED_REFCNT];
	return part.n[PP_FAST] + part.n[PP_REFILL] + part.n[PP_SLOW] + part.n[PP_SLOW_HIGH_ORDER];
}

static double busiest(const struct tui *t, const struct row *r, bool recycle)
{
	double max = 0;

	for (int cpu = 0; cpu < t->m->now.nr_cpus; cpu++)
		max = fmax(max, activity(t, r, cpu, recycle));
	return max;
}

/* One character a CPU, as high as it was busy; lines of @per, numbered by their first. */
static void add_heat(struct page *p, const struct tui *t, const struct row *r, const char *label,
		     bool recycle, int per)
{
	double max = busiest(t, r, recycle);

	for (int cpu = 0; cpu < t->m->now.nr_cpus; cpu++) {
		double v = activity(t, r, cpu, recycle);

		if (cpu % per == 0) {
			page_line(p);
			page_add(p, STYLE_DIM, "  %-*s%4d ", LABEL, cpu ? "" : label, cpu);
		}
		/* One span for all that are alike would save spans, and cost what it is about. */
		page_add(p, v > max / 2 ? STYLE_WARN : STYLE_GOOD, "%s",
			 v > 0		   ? text_spark(t->glyphs, v, max)
			 : t->glyphs->utf8 ? "·"
					   : ".");
	}
}

static void add_cpus(struct page *p, const struct tui *t, const struct row *r, int width)
{
	int per = width - LABEL - 7;

	if (!r->pools[0]->pool->cpus)
		return;
	per = per >= 64 ? 64 : per >= 32 ? 32 : per >= 16 ? 16 : 8;
	heading(p, "CPUs, by how busy");
	add_heat(p, t, r, "allocating", false, per);
	add_heat(p, t, r, "recycling", true, per);
}

/* --- verdict -------------------------------------------------------------------------------------
 */

static void add_destroyed(struct page *p, const struct model_pool *mp)
{
	char text[CELL];

	if (!(mp->pool->has & POOL_HAS_DESTROYED))
		return;
	age_text(mp->pool->destroyed_s, text, sizeof(text));
	fact(p, "destroyed", text);
	if (isnan(mp->drain_rate))
		strcpy(text, "-");
	else
		snprintf(text, sizeof(text), "%.1f pages/s come back", mp->drain_rate);
	fact(p, "trend", text);
	age_text(mp->drain_left_s, text, sizeof(text));
	fact(p, "time left", isnan(mp->drain_left_s) ? "-" : text);
}

static void add_verdict(struct page *p, const struct tui *t, const struct model_pool *mp, int width)
{
	static const enum style of[] = {
		[VERDICT_NONE] = STYLE_NORMAL,
		[VERDICT_NOTE] = STYLE_NORMAL,
		[VERDICT_WARN] = STYLE_WARN,
		[VERDICT_BAD] = STYLE_BAD,
	};
	const struct verdict_rule *rule = verdict_find(t->m, mp);
	char text[CELL];

	heading(p, "Verdict");
	rule->say(mp, text, sizeof(text));
	page_line(p);
	page_add(p, of[rule->severity], "  %s",
		 rule->severity ? text
				: "nothing is wrong, as far as "
				  "is known");
	add_destroyed(p, mp);
	if (rule->advice)
		page_wrap(p, STYLE_NORMAL, 2, width, rule->advice);
}

void page_detail(struct page *p, struct tui *t, const struct model_pool *mp, int width)
{
	struct row_opts opts = tui_row_opts(t);
	const struct model_pool *pools[] = {mp};
	char name[CELL], id[CELL];
	struct row r;

	tui_series(t, mp);
	row_pools(&r, t->m, pools, 1, &opts);
	column_print(column_find("DEVICE"), &r, name);
	column_print(column_find("POOL"), &r, id);
	page_line(p);
	page_add(p, STYLE_TITLE, " %s  pool %s  %s ", name, id, pool_state_names[mp->pool->state]);
	add_verdict(p, t, mp, width);
	add_counters(p, t, &r, width);
	add_occupancy(p, t, &r, width);
	add_cpus(p, t, &r, width);
	add_identity(p, &r);
	add_params(p, mp->pool);
}
