// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of one recording: what is wrong, sums, devices, and below each its pools. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_pools.h"
#include "util.h"
#include "view.h"

static void tile(FILE *f, const char *what, const char *value, const char *path, const char *more)
{
	fprintf(f, "<div><dt>%s</dt><dd><span", what);
	if (path)
		fprintf(f, " data-path=\"%s\"", path);
	fprintf(f, ">%s</span>", value);
	if (more[0])
		fprintf(f, " <small>%s</small>", more);
	fputs("</dd></div>\n", f);
}

static void count_pools(const struct model *m, size_t *destroyed, size_t *off)
{
	*destroyed = *off = 0;
	for (size_t i = 0; i < m->nr_pools; i++) {
		const struct pool *p = m->pools[i].pool;

		*destroyed += p->state == POOL_DRAINING || p->state == POOL_STUCK;
		*off += p->audit.known && p->audit.unaccounted;
	}
}

static double sum_alloc(const struct counters *n)
{
	return (double)n->n[PP_FAST] + (double)n->n[PP_REFILL] + (double)n->n[PP_SLOW] +
	       (double)n->n[PP_SLOW_HIGH_ORDER];
}

static void put_tiles(FILE *f, const struct recording *r)
{
	const struct model_device *d = &r->m.totals;
	const struct track *t = &r->totals;
	char cell[CELL], more[CELL] = "";
	size_t destroyed, off;

	fputs("<dl class=\"tiles\">\n", f);
	html_rate(track_alloc(t), cell);
	if (!r->intervals && ratio_known(d->counters_known)) {
		html_whole((uint64_t)sum_alloc(&d->total), false, cell);
		tile(f, "allocated", cell, NULL, "in all");
	} else {
		tile(f, "allocated per second", cell, NULL, "");
	}
	html_ratio(t, &d->total, d->counters_known, cell);
	tile(f, "recycled", cell, NULL, "of the pages allocated");
	html_inflight(d->inflight_known, d->inflight, cell);
	if (d->inflight_known)
		html_bytes(d->inflight_bytes, more);
	tile(f, "pages in flight", cell, "totals.inflight.pages", more);
	count_pools(&r->m, &destroyed, &off);
	snprintf(cell, CELL, "%zu", r->m.nr_pools);
	snprintf(more, CELL, "%zu destroyed", destroyed);
	tile(f, "pools", cell, "totals.pools", destroyed ? more : "");
	snprintf(cell, CELL, "%zu", off);
	tile(f, "books that are off", cell, NULL, "");
	fputs("</dl>\n", f);
}

/* --- devices -------------------------------------------------------------------------------------
 */

/* In which order devices are shown: what is wrong first, then what is busy. */
struct place {
	size_t device;
	int rank;
	double busy;
};

static int compare(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int c = q->rank - p->rank;

	if (!c)
		c = (p->busy < q->busy) - (p->busy > q->busy);
	return c ? c : (p->device > q->device) - (p->device < q->device);
}

/* Those with something wrong, then the busiest: with charts, and on the page at all. */
#define CHARTED_DEVICES 40
#define TABLED_DEVICES	1000

static size_t nr_tabled(const struct recording *r)
{
	return r->nr_devices < TABLED_DEVICES ? r->nr_devices : TABLED_DEVICES;
}

/* As grave as a warning, but after those that have one. */
#define LOSSY (1000 * VERDICT_WARN)

/* To be freed by the caller. NULL: memory is out. */
static struct place *place_devices(const struct recording *r, const struct pools *pools)
{
	struct place *places = calloc(r->nr_devices + 1, sizeof(*places));

	for (size_t i = 0; places && i < r->nr_devices; i++) {
		places[i].device = i;
		places[i].busy = r->intervals ? track_alloc(&r->devices[i])
					      : sum_alloc(&r->m.devices[i].total);
		if (isnan(places[i].busy))
			places[i].busy = 0;
		places[i].rank = html_is_lossy(r, i) ? LOSSY : 0;
	}
	for (size_t i = 0; places && i < pools->nr; i++) {
		const struct listed *l = &pools->list[i];

		if (l->device < r->nr_devices && l->rank > places[l->device].rank)
			places[l->device].rank = l->rank;
	}
	if (places && r->nr_devices)
		qsort(places, r->nr_devices, sizeof(*places), compare);
	return places;
}

static double counted(const struct recording *r, size_t i, enum pp_counter counter)
{
	const struct model_device *d = &r->m.devices[i];

	if (r->intervals)
		return track_rate(&r->devices[i], counter);
	return counter_known(d->counters_known, counter) ? (double)d->total.n[counter]
							 : (double)NAN;
}

static void put_loss(FILE *f, const struct recording *r, size_t i, enum pp_counter counter)
{
	const struct model_device *d = &r->m.devices[i];
	double share = html_share(&d->total, d->counters_known, &r->devices[i], counter);
	char cell[CELL];

	html_rate(counted(r, i, counter), cell);
	fprintf(f, "<td%s>%s</td>", share >= HTML_MUCH ? " class=\"warn\"" : "", cell);
}

/* The gravest of its pools, in words. */
static void put_worst(FILE *f, const struct recording *r, const struct pools *pools, size_t device)
{
	const struct listed *worst = NULL;
	size_t more = 0;
	char words[CELL];

	for (size_t i = 0; i < pools->nr; i++) {
		const struct listed *l = &pools->list[i];

		if (l->device != device || !l->rank)
			continue;
		more++;
		if (!worst || l->rank > worst->rank)
			worst = l;
	}
	if (!worst) {
		fputs("<td class=\"l soft\">-</td>", f);
		return;
	}
	verdict_print(&r->m, &worst->mp, words, sizeof(words));
	fprintf(f, "<td class=\"l w %s\">",
		html_severity(verdict_find(&r->m, &worst->mp)->severity));
	html_text(f, words);
	if (more > 1)
		fprintf(f, " (and %zu more)", more - 1);
	fputs("</td>", f);
}

static void put_device_line(FILE *f, const struct recording *r, const struct pools *pools, size_t i)
{
	const struct model_device *d = &r->m.devices[i];
	char cell[CELL];

	fprintf(f, "<tr><th scope=\"row\"><a href=\"#d%zu\">", i);
	html_device(f, d);
	fputs("</a></th><td class=\"l\">", f);
	html_netns(f, d->netns, d->netns_name);
	fprintf(f, "</td><td>%u</td>", d->pools);
	html_rate(counted(r, i, PP_FAST) + counted(r, i, PP_REFILL) + counted(r, i, PP_SLOW) +
			  counted(r, i, PP_SLOW_HIGH_ORDER),
		  cell);
	fprintf(f, "<td>%s</td>", cell);
	html_ratio(&r->devices[i], &d->total, d->counters_known, cell);
	fprintf(f, "<td>%s</td>", cell);
	put_loss(f, r, i, PP_WAIVE);
	put_loss(f, r, i, PP_RING_FULL);
	put_loss(f, r, i, PP_RELEASED_REFCNT);
	html_inflight(d->inflight_known, d->inflight, cell);
	fprintf(f, "<td>%s</td>", cell);
	put_worst(f, r, pools, i);
	fputs("</tr>\n", f);
}

static void put_device_table(FILE *f, const struct recording *r, const struct pools *pools,
			     const struct place *places)
{
	const char *per = r->intervals ? "/s" : "";

	if (!r->nr_devices) {
		fputs("<p>No page_pool was seen.</p>\n", f);
		return;
	}
	fprintf(f,
		"<div class=\"scroll\" tabindex=\"0\"><table class=\"devices\"><caption>%s; losses of "
		"5%% or more are marked</caption><thead><tr><th scope=\"col\">device</th>"
		"<th scope=\"col\" class=\"l\">namespace</th><th scope=\"col\">pools</th>"
		"<th scope=\"col\">alloc%s</th><th scope=\"col\">recycled</th>"
		"<th scope=\"col\">waive%s</th><th scope=\"col\">ring full%s</th>"
		"<th scope=\"col\">still held%s</th><th scope=\"col\">in flight</th>"
		"<th scope=\"col\" class=\"l\">verdict</th></tr></thead>\n<tbody>\n",
		r->intervals ? "Means per second over the recording" : "Counts", per, per, per,
		per);
	for (size_t i = 0; i < nr_tabled(r); i++)
		put_device_line(f, r, pools, places[i].device);
	fputs("</tbody></table></div>\n", f);
}

static void put_inflight(FILE *f, const struct model_device *d, size_t i)
{
	char pages[CELL], bytes[CELL];

	html_inflight(d->inflight_known, d->inflight, pages);
	html_bytes(d->inflight_bytes, bytes);
	fprintf(f,
		"<div><dt>in flight</dt><dd><span data-path=\"devices.%zu.inflight.pages\">%s"
		"</span>",
		i, pages);
	if (d->inflight_known)
		fprintf(f, " page%s, %s", d->inflight == 1 ? "" : "s", bytes);
	fputs("</dd></div>\n", f);
}

static void put_device(struct html *h, const struct recording *r, const struct pools *pools,
		       size_t i, bool charts)
{
	const struct model_device *d = &r->m.devices[i];
	char path[32], cell[CELL];

	fprintf(h->f, "<section class=\"device\" id=\"d%zu\"><h2>", i);
	html_device(h->f, d);
	fputs("</h2>\n<dl class=\"facts\">\n<div><dt>namespace</dt><dd>", h->f);
	html_netns(h->f, d->netns, d->netns_name);
	fputs("</dd></div>\n", h->f);
	if (d->driver[0])
		html_fact(h->f, "driver", "%s", d->driver);
	fprintf(h->f, "<div><dt>pools</dt><dd data-path=\"devices.%zu.pools\">%u</dd></div>\n", i,
		d->pools);
	html_ratio(&r->devices[i], &d->total, d->counters_known, cell);
	html_fact(h->f, "recycled", "%s", cell);
	put_inflight(h->f, d, i);
	fputs("</dl>\n", h->f);
	if (r->intervals && charts)
		html_charts(h, r, &r->devices[i], d->ifname[0] ? d->ifname : "no device", false);
	snprintf(path, sizeof(path), "devices.%zu", i);
	html_counters(h->f, &d->total, d->counters_known, &r->devices[i], path,
		      "Counters, those of pools that are gone included");
	html_pools(h, r, pools, i);
	fputs("</section>\n", h->f);
}

/* What is not on the page. */
static void put_limits(FILE *f, const struct recording *r, const struct pools *p)
{
	if (p->nr_charted < p->nr_tabled && r->intervals)
		fprintf(f,
			"<p class=\"soft\">Pools with charts: %zu of %zu. They are those with a verdict, "
			"one for many that are alike, and the busiest; %d at most.</p>\n",
			p->nr_charted, p->nr, CHARTED_POOLS);
	if (r->nr_devices > CHARTED_DEVICES && r->intervals)
		fprintf(f,
			"<p class=\"soft\">Devices with charts: %d of %zu, the first here.</p>\n",
			CHARTED_DEVICES, r->nr_devices);
	if (nr_tabled(r) < r->nr_devices)
		fprintf(f,
			"<p class=\"warn\">%zu devices are left out, with their pools: those with "
			"something wrong and the busiest are here, %d in all.</p>\n",
			r->nr_devices - nr_tabled(r), TABLED_DEVICES);
	if (p->nr_tabled < p->nr)
		fprintf(f,
			"<p class=\"warn\">%zu pools are left out: those with a verdict and the "
			"busiest are here, %d in all.</p>\n",
			p->nr - p->nr_tabled, TABLED_POOLS);
	if (r->left_out)
		fprintf(f,
			"<p class=\"warn\">%zu more pools came and went, and are part of sums "
			"alone.</p>\n",
			r->left_out);
}

static void put_page(FILE *f, const struct recording *r, const struct pools *pools,
		     const struct place *places)
{
	struct html h = {.f = f};

	html_head(f, r->m.now.host.name, "");
	html_origin(f, r);
	fputs("</header>\n<main>\n<section id=\"findings\"><h2>What is wrong</h2>\n", f);
	html_findings(f, r, pools);
	fputs("</section>\n<section id=\"devices\"><h2>Devices</h2>\n", f);
	put_device_table(f, r, pools, places);
	put_limits(f, r, pools);
	fputs("</section>\n<section id=\"all\"><h2>All together</h2>\n", f);
	put_tiles(f, r);
	if (r->intervals)
		html_charts(&h, r, &r->totals, "all devices", true);
	html_counters(f, &r->m.totals.total, r->m.totals.counters_known, &r->totals, "totals",
		      "Counters of all devices, those of pools that are gone included");
	fputs("</section>\n", f);
	for (size_t i = 0; i < nr_tabled(r); i++)
		put_device(&h, r, pools, places[i].device, i < CHARTED_DEVICES);
	html_glossary(f);
	fputs("</main>\n", f);
	html_foot(f);
}

int view_report(FILE *f, const struct recording *r)
{
	struct place *places = NULL;
	struct pools pools;
	struct whole page;
	int err;

	err = html_pools_take(&pools, r);
	if (err)
		return err;
	places = place_devices(r, &pools);
	err = places ? whole_open(&page) : -ENOMEM;
	if (!err) {
		put_page(page.f, r, &pools, places);
		err = whole_close(&page, f);
	}
	html_pools_free(&pools);
	free(places);
	return err;
}
