// SPDX-License-Identifier: GPL-2.0-or-later
/* A pool on the page: its line in the table of its device, and all about it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "columns.h"
#include "html_pools.h"
#include "util.h"

/* The text of column @title for it. */
static void cell_of(const struct recording *r, const struct listed *l, const char *title,
		    char *cell)
{
	const struct model_pool *mp = &l->mp;
	const struct row_opts opts = {0};
	struct row row;

	row_pools(&row, &r->m, &mp, 1, &opts);
	column_print(column_find(title), &row, cell);
}

static const char *state_of(const struct listed *l)
{
	return l->gone ? "gone" : pool_state_names[l->mp.pool->state];
}

static const struct verdict_rule *rule_of(const struct recording *r, const struct listed *l)
{
	return l->gone ? NULL : verdict_find(&r->m, &l->mp);
}

/* Its words, "-" where nothing is wrong. */
static void words_of(const struct recording *r, const struct listed *l, char *cell)
{
	struct timespec seen = recording_time(r, l->t->seen_s);
	char clock[CELL];

	if (!l->gone) {
		verdict_print(&r->m, &l->mp, cell, CELL);
		return;
	}
	html_clock(&seen, r->seconds, clock);
	snprintf(cell, CELL, "seen last at %.20s", clock);
}

static const char *class_of(const struct recording *r, const struct listed *l)
{
	const struct verdict_rule *rule = rule_of(r, l);

	return rule && rule->severity != VERDICT_NONE ? html_severity(rule->severity) : "soft";
}

static void put_id(FILE *f, const struct listed *l)
{
	fprintf(f, "%c%zu", l->gone ? 'g' : 'p', l->index);
}

/* A cell of the document: where it is in it, if the pool is in the last one. */
static void put_path(FILE *f, const struct listed *l, const char *key)
{
	if (!l->gone)
		fprintf(f, " data-path=\"pools.%zu.%s\"", l->index, key);
}

static double lost(const struct track *t)
{
	return track_rate(t, PP_RING_FULL) + track_rate(t, PP_RELEASED_REFCNT);
}

static void ratio_of(const struct listed *l, char *cell)
{
	const struct pool *p = &l->t->pool;
	const struct track *t = &l->t->track;

	html_ratio(t, &p->total, p->counters_known, cell);
}

static void inflight_of(const struct listed *l, char *cell)
{
	const struct pool *p = l->mp.pool;

	html_inflight(p->has & POOL_HAS_INFLIGHT, p->inflight, cell);
}

static void put_fills(FILE *f, const struct recording *r, const struct listed *l)
{
	const struct pool *p = l->mp.pool;
	char cell[CELL];

	cell_of(r, l, "CACHE", cell);
	fprintf(f, "<td>%s</td>", cell);
	cell_of(r, l, "RINGFILL", cell);
	fprintf(f, "<td>%s", cell);
	if (p->has & POOL_HAS_PARAMS && p->pool_size && p->pool_size != p->ring_size)
		fprintf(f, " (asked for: %" PRIu32 ")", p->pool_size);
	fputs("</td>", f);
}

static void put_line(FILE *f, const struct recording *r, const struct listed *l)
{
	char alloc[CELL], loss[CELL], cell[CELL];

	cell_of(r, l, "POOL", cell);
	fputs("<tr><th scope=\"row\"><a href=\"#", f);
	put_id(f, l);
	fprintf(f, "\">%s</a></th>", cell);
	cell_of(r, l, "Q", cell);
	fprintf(f, "<td>%s</td><td class=\"l\"", cell);
	put_path(f, l, "state");
	html_rate(track_alloc(&l->t->track), alloc);
	html_rate(lost(&l->t->track), loss);
	ratio_of(l, cell);
	fprintf(f, ">%s</td><td>%s</td><td>%s</td><td>%s</td>", state_of(l), alloc, cell, loss);
	inflight_of(l, cell);
	fprintf(f, "<td>%s</td>", cell);
	put_fills(f, r, l);
	words_of(r, l, cell);
	fprintf(f, "<td class=\"l w %s\">", class_of(r, l));
	html_text(f, cell);
	fputs("</td></tr>\n", f);
}

/* --- all about it --------------------------------------------------------------------------------
 */

static void put_flags(FILE *f, const struct pool *p)
{
	char text[256] = "";

	for (int i = 0; i < NR_POOL_FLAGS; i++) {
		if (!(p->flags & 1u << i))
			continue;
		strncat(text, text[0] ? ", " : "", sizeof(text) - strlen(text) - 1);
		strncat(text, pool_flag_names[i], sizeof(text) - strlen(text) - 1);
	}
	html_fact(f, "flags", "%s", text[0] ? text : "none");
}

static void put_params(FILE *f, const struct pool *p)
{
	if (!(p->has & POOL_HAS_PARAMS)) {
		html_fact(f, "parameters", "n/a");
		return;
	}
	html_fact(f, "order", "%" PRIu32, p->order);
	if (!p->pool_size || p->pool_size == p->ring_size)
		html_fact(f, "ring size", "%" PRIu32, p->ring_size);
	else
		html_fact(f, "ring size", "%" PRIu32 " (asked for: %" PRIu32 ")", p->ring_size,
			  p->pool_size);
	html_fact(f, "NUMA node", "%d", p->nid);
	put_flags(f, p);
	if (p->dma_dir < NR_DMA_DIRS)
		html_fact(f, "DMA direction", "%s", dma_dir_names[p->dma_dir]);
	html_fact(f, "offset, max_len", "%" PRIu32 ", %" PRIu32, p->offset, p->max_len);
	if (p->provider)
		html_fact(f, "memory provider", "%s",
			  p->provider_name[0] ? p->provider_name : "yes");
}

static void put_pages(FILE *f, const struct recording *r, const struct listed *l)
{
	const struct pool *p = l->mp.pool;
	char ratio[CELL], pages[CELL], bytes[CELL], cell[CELL];

	inflight_of(l, pages);
	html_bytes(p->inflight_bytes, bytes);
	ratio_of(l, ratio);
	html_fact(f, "recycled", "%s", ratio);
	fputs("<div><dt>in flight</dt><dd><span", f);
	put_path(f, l, "inflight.pages");
	fprintf(f, ">%s</span>", pages);
	if (p->has & POOL_HAS_INFLIGHT)
		fputs(p->inflight == 1 ? " page" : " pages", f);
	if (p->has & POOL_HAS_INFLIGHT && p->state != POOL_IMPOSSIBLE)
		fprintf(f, ", %s", bytes);
	fputs("</dd></div>\n", f);
	if (p->has & POOL_HAS_BOOKS)
		html_fact(f, "held, released", "%" PRIu32 ", %" PRIu32, p->hold, p->release);
	cell_of(r, l, "CACHE", cell);
	html_fact(f, "in the cache", "%s", cell);
	cell_of(r, l, "RINGFILL", cell);
	html_fact(f, "in the ring", "%s", cell);
	cell_of(r, l, "AUDIT", cell);
	html_fact(f, "audit", "%s", cell);
}

static void put_identity(FILE *f, const struct pool *p)
{
	char time[CELL], age[AGE_LEN];

	html_time(&p->since, time);
	age_text(p->destroyed_s, age, sizeof(age));
	if (p->queue >= 0)
		html_fact(f, "queue", "%d", p->queue);
	if (p->napi_id)
		html_fact(f, "NAPI id", "%" PRIu32, p->napi_id);
	if (p->dev[0])
		html_fact(f, "mapped for", "%s", p->dev);
	if (p->creator[0])
		html_fact(f, "made by", "%s()", p->creator);
	if (p->since.tv_sec)
		html_fact(f, "counted since", "%s UTC", time);
	if (p->has & POOL_HAS_DESTROYED)
		html_fact(f, "destroyed", "%s ago", age);
}

static void put_advice(FILE *f, const struct recording *r, const struct listed *l)
{
	const struct verdict_rule *rule = rule_of(r, l);

	if (!rule || !rule->advice)
		return;
	fputs("<p>", f);
	html_text(f, rule->advice);
	fputs("</p>\n", f);
}

static void put_summary(FILE *f, const struct recording *r, const struct listed *l, bool open)
{
	char pool[CELL], words[CELL];

	cell_of(r, l, "POOL", pool);
	words_of(r, l, words);
	fputs("<details class=\"pool\" id=\"", f);
	put_id(f, l);
	fprintf(f, "\"%s><summary><strong>pool %s</strong> <span class=\"%s\">",
		open ? " open=\"open\"" : "", pool, class_of(r, l));
	/* A verdict has the state in its words. */
	html_text(f, strcmp(words, "-") != 0 ? words : state_of(l));
	fputs("</span>", f);
	fputs("</summary>\n", f);
}

static void put_pool(struct html *h, const struct recording *r, const struct listed *l, bool open)
{
	const struct pool *p = &l->t->pool;
	char pool[CELL], of[2 * CELL], path[32];

	cell_of(r, l, "POOL", pool);
	snprintf(of, sizeof(of), "%s pool %s", p->ifname, pool);
	snprintf(path, sizeof(path), "pools.%zu", l->index);
	put_summary(h->f, r, l, open);
	put_advice(h->f, r, l);
	fputs("<div class=\"side\"><dl class=\"facts\">\n", h->f);
	put_pages(h->f, r, l);
	put_params(h->f, p);
	put_identity(h->f, p);
	fputs("</dl>\n", h->f);
	html_counters(h->f, &p->total, p->counters_known, &l->t->track, l->gone ? NULL : path,
		      "Counters");
	fputs("</div>\n", h->f);
	if (l->charted)
		html_charts(h, r, &l->t->track, of, false);
	fputs("</details>\n", h->f);
}

static void put_table(FILE *f, const struct recording *r, const struct pools *p, size_t device)
{
	fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"pools\"><caption>Pools</caption>"
	      "<thead><tr><th scope=\"col\">pool</th><th scope=\"col\">queue</th>"
	      "<th scope=\"col\" class=\"l\">state</th><th scope=\"col\">alloc/s</th>"
	      "<th scope=\"col\">recycled</th><th scope=\"col\">lost/s</th>"
	      "<th scope=\"col\">in flight</th><th scope=\"col\">cache</th>"
	      "<th scope=\"col\">ring</th><th scope=\"col\" class=\"l\">verdict</th></tr></thead>\n"
	      "<tbody>\n",
	      f);
	for (size_t i = 0; i < p->nr; i++)
		if (p->list[i].device == device && p->list[i].tabled)
			put_line(f, r, &p->list[i]);
	fputs("</tbody></table></div>\n", f);
}

/* As many as fit a page that nobody minds to scroll are open. */
#define FEW 4

void html_pools(struct html *h, const struct recording *r, const struct pools *p, size_t device)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		nr += p->list[i].device == device && p->list[i].tabled;
	if (!nr)
		return;
	put_table(h->f, r, p, device);
	for (size_t i = 0; i < p->nr; i++) {
		const struct listed *l = &p->list[i];

		if (l->device == device && l->tabled)
			put_pool(h, r, l, p->nr <= FEW || (l->rank && !l->repeated));
	}
}
