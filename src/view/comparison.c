// SPDX-License-Identifier: GPL-2.0-or-later
/* Before and after as a table of text: a line for each device and figure. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text.h"
#include "util.h"
#include "view.h"

static void put_origin(FILE *f, const struct recording *r, const char *side)
{
	const struct snapshot *now = &r->m.now;
	char host[CELL], kernel[CELL];

	text_safe(now->host.name[0] ? now->host.name : "n/a", host);
	text_safe(now->host.kernel[0] ? now->host.kernel : "n/a", kernel);
	fprintf(f, "ppooltop: %s: host %s, kernel %s, %d CPUs; counters from %s%s%s%s", side, host,
		kernel, now->host.cpus,
		now->source.counters ? now->source.counters : "nowhere (n/a)",
		now->source.level ? "/" : "", now->source.level ? now->source.level : "",
		now->source.attached ? " (attached)" : "");
	if (r->intervals)
		fprintf(f, ", %lu intervals, %.1f s", r->intervals, r->seconds);
	fprintf(f, "; lost: %" PRIu64 " pools, %" PRIu64 " events%s\n", now->lost_pools,
		now->lost_events, r->mixed ? "; more than one host, kernel or source" : "");
}

static void number(char *cell, enum figure_unit unit, double v)
{
	if (isnan(v))
		strcpy(cell, "n/a");
	else if (unit == UNIT_PART)
		snprintf(cell, CELL, "%.1f%%", 100 * v);
	else if (unit == UNIT_RATE && fabs(v) < 99.95 && v != floor(v))
		snprintf(cell, CELL, "%.1f", v); /* a rate of one in a minute is not 0 */
	else
		text_human(v, 1000, cell);
}

/* One that does not fit is shortened as other numbers are. */
static void percent(char *cell, const struct difference *d)
{
	double v = 100 * d->part;
	char text[CELL];

	if (isnan(v)) {
		strcpy(cell, isnan(d->by) ? "n/a" : "-");
		return;
	}
	if (fabs(v) < 9999.95)
		snprintf(text, CELL, "%.1f", v);
	else
		text_human(v, 1000, text);
	snprintf(cell, CELL, "%s%.100s", v > 0 ? "+" : "", text);
}

static void put_names(FILE *f, const struct model_device *d)
{
	char name[CELL], netns[CELL];

	text_safe(!d ? "all" : d->others ? "(others)" : d->ifname[0] ? d->ifname : "-", name);
	if (d && d->netns_name[0])
		text_safe(d->netns_name, netns);
	else if (d && d->netns)
		snprintf(netns, CELL, "%" PRIu32, d->netns);
	else
		strcpy(netns, "-");
	fprintf(f, "%s%*s %s%*s ", name, 15 - text_width(name) > 0 ? 15 - text_width(name) : 0, "",
		netns, 12 - text_width(netns) > 0 ? 12 - text_width(netns) : 0, "");
}

static void put_line(FILE *f, const struct model_device *d, const struct pair *p, int i)
{
	char name[CELL], before[CELL], after[CELL], text[CELL], by[CELL], part[CELL];
	enum figure_unit unit = compared[i].unit;
	struct difference diff;

	pair_difference(p, i, &diff);
	number(before, unit, diff.value[BEFORE]);
	number(after, unit, diff.value[AFTER]);
	number(text, unit, diff.by);
	snprintf(by, CELL, "%s%.100s", diff.by > 0 ? "+" : "", text);
	percent(part, &diff);
	put_names(f, d);
	snprintf(name, CELL, "%s%s", compared[i].name, unit == UNIT_RATE ? "/s" : "");
	fprintf(f, "%-17s %9s %9s %9s %8s\n", name, before, after, by, part);
}

static void put_pair(FILE *f, const struct model_device *d, const struct pair *p)
{
	for (int i = 0; i < NR_FIGURES; i++)
		put_line(f, d, p, i);
}

static void put_table(FILE *f, const struct comparison *c)
{
	for (int side = 0; side < NR_SIDES; side++)
		put_origin(f, c->r[side], compare_sides[side]);
	fprintf(f, "%-15s %-12s %-17s %9s %9s %9s %8s\n", "DEVICE", "NETNS", "FIGURE", "BEFORE",
		"AFTER", "DIFF", "DIFF%");
	put_pair(f, NULL, &c->totals);
	for (size_t i = 0; i < c->nr_devices; i++)
		if (pair_is_whole(&c->devices[i]))
			put_pair(f, c->devices[i].device[AFTER], &c->devices[i]);
	for (size_t i = 0; i < c->nr_devices; i++) {
		const struct pair *p = &c->devices[i];

		if (pair_is_whole(p))
			continue;
		put_names(f, pair_device(p));
		fprintf(f, "only %s\n", compare_sides[!p->device[BEFORE]]);
	}
}

int view_comparison(FILE *f, const struct comparison *c)
{
	struct whole table;
	int err = whole_open(&table);

	if (err)
		return err;
	put_table(table.f, c);
	return whole_close(&table, f);
}
