// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of two recordings: before and after. */
#include <math.h>
#include <string.h>

#include "html.h"
#include "util.h"
#include "view.h"

static const char *const titles[NR_SIDES] = {"Before", "After"};

static void put_value(char *cell, enum figure_unit unit, double v)
{
	if (unit == UNIT_PART)
		html_part(v, false, cell);
	else if (unit == UNIT_COUNT)
		html_pages(v, cell);
	else
		html_rate(v, cell);
}

/* With a sign, so that it is no value of its own. */
static void put_by(char *cell, enum figure_unit unit, double by)
{
	char text[CELL];

	put_value(text, unit, by);
	if (unit == UNIT_PART && !isnan(by))
		snprintf(cell, CELL, "%+.1f points", 100 * by);
	else
		snprintf(cell, CELL, "%s%.100s", by > 0 ? "+" : "", text);
}

static void put_part(char *cell, const struct difference *d)
{
	if (!isnan(d->part))
		snprintf(cell, CELL, "%+.1f%%", 100 * d->part);
	else
		strcpy(cell, isnan(d->by) ? "n/a" : "-");
}

static void put_figure(FILE *f, const struct pair *p, int i)
{
	const struct figure *fig = &compared[i];
	char cells[NR_SIDES + 2][CELL];
	struct difference d;

	pair_difference(p, i, &d);
	for (int side = 0; side < NR_SIDES; side++)
		put_value(cells[side], fig->unit, d.value[side]);
	put_by(cells[NR_SIDES], fig->unit, d.by);
	put_part(cells[NR_SIDES + 1], &d);
	fprintf(f,
		"<tr><th scope=\"row\" title=\"%s\">%s%s</th><td>%s</td><td>%s</td><td>%s</td>"
		"<td>%s</td></tr>\n",
		fig->help, fig->name, fig->unit == UNIT_RATE ? " /s" : "", cells[0], cells[1],
		cells[2], cells[3]);
}

static void put_table(FILE *f, const struct pair *p)
{
	fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"pair\"><caption>Rates are means per "
	      "second</caption><thead><tr><th scope=\"col\">figure</th><th scope=\"col\">before</th>"
	      "<th scope=\"col\">after</th><th scope=\"col\">difference</th>"
	      "<th scope=\"col\">in %</th></tr></thead>\n<tbody>\n",
	      f);
	for (int i = 0; i < NR_FIGURES; i++)
		put_figure(f, p, i);
	fputs("</tbody></table></div>\n", f);
}

/* Each chart twice, with one vertical axis for both. */
static void put_charts(struct html *h, const struct comparison *c, const struct pair *p,
		       const char *name)
{
	if (!c->r[BEFORE]->intervals && !c->r[AFTER]->intervals)
		return;
	fputs("<div class=\"charts two\">\n", h->f);
	for (int i = 0; i < NR_CHARTS; i++) {
		enum chart chart = (enum chart)i;
		struct range range = {0, 0};

		for (int side = 0; side < NR_SIDES; side++)
			html_chart_range(chart, &p->track[side]->timeline, &range);
		for (int side = 0; side < NR_SIDES; side++) {
			h->side = compare_sides[side];
			if (c->r[side]->intervals)
				html_chart(h, chart, c->r[side], p->track[side], name, &range);
			else
				fputs("<p class=\"soft\">no interval</p>\n", h->f);
		}
	}
	fputs("</div>\n", h->f);
}

static void put_alone(FILE *f, const struct comparison *c, int side)
{
	bool any = false;

	for (size_t i = 0; i < c->nr_devices; i++) {
		const struct pair *p = &c->devices[i];

		if (!p->device[side] || p->device[!side])
			continue;
		fprintf(f, any ? ", " : "<p class=\"warn\">Only %s: ", compare_sides[side]);
		any = true;
		html_device(f, p->device[side]);
		fputs(" (", f);
		html_netns(f, p->device[side]->netns, p->device[side]->netns_name);
		fputs(")", f);
	}
	if (any)
		fputs("</p>\n", f);
}

static void put_pair(struct html *h, const struct comparison *c, size_t i)
{
	const struct pair *p = &c->devices[i];
	const struct model_device *d = p->device[AFTER];

	fprintf(h->f, "<section class=\"device\" id=\"d%zu\"><h2>", i);
	html_device(h->f, d);
	fputs("</h2>\n<dl class=\"facts\"><div><dt>namespace</dt><dd>", h->f);
	html_netns(h->f, d->netns, d->netns_name);
	fputs("</dd></div></dl>\n", h->f);
	put_table(h->f, p);
	put_charts(h, c, p, d->ifname[0] ? d->ifname : "no device");
	fputs("</section>\n", h->f);
}

/* Names of hosts in a title: one if they are the same. */
static void title_of(const struct comparison *c, char *host, size_t len)
{
	const char *before = c->r[BEFORE]->m.now.host.name, *after = c->r[AFTER]->m.now.host.name;

	if (!strcmp(before, after) || !before[0] || !after[0])
		snprintf(host, len, "%s", before[0] ? before : after);
	else
		snprintf(host, len, "%s and %s", before, after);
}

static void put_page(FILE *f, const struct comparison *c)
{
	struct html h = {.f = f};
	char host[256];

	title_of(c, host, sizeof(host));
	html_head(f, host, ", before and after");
	fputs("<div class=\"side\">\n", f);
	for (int side = 0; side < NR_SIDES; side++) {
		fprintf(f, "<section><h2>%s</h2>\n", titles[side]);
		html_origin(f, c->r[side]);
		html_findings(f, c->r[side], NULL);
		fputs("</section>\n", f);
	}
	fputs("</div>\n</header>\n<main>\n<section id=\"all\"><h2>All together</h2>\n", f);
	put_alone(f, c, BEFORE);
	put_alone(f, c, AFTER);
	put_table(f, &c->totals);
	put_charts(&h, c, &c->totals, "all devices");
	fputs("</section>\n", f);
	for (size_t i = 0; i < c->nr_devices; i++)
		if (pair_is_whole(&c->devices[i]))
			put_pair(&h, c, i);
	html_glossary(f);
	fputs("</main>\n", f);
	html_foot(f);
}

int view_report_pair(FILE *f, const struct comparison *c)
{
	struct whole page;
	int err = whole_open(&page);

	if (err)
		return err;
	put_page(page.f, c);
	return whole_close(&page, f);
}
