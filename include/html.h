/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages: HTML that is well-formed XML as well, in one file that fetches nothing and runs nothing.
 *
 * Numbers that are in the last document stand in elements with data-path, which is where in the
 * document: tests compare the two.
 */
#ifndef PPOOLTOP_HTML_H
#define PPOOLTOP_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "recording.h"
#include "text.h"
#include "verdict.h"

struct html {
	FILE *f;
	unsigned int charts; /* so far: they are numbered */
	const char *side;    /* "before", "after" or NULL: which recording's they are */
};

/* --- html.c: text and numbers --- */

/*
 * @s as text or as the value of an attribute: valid whatever bytes it has, and what would not be
 * seen or turn what follows is made visible.
 */
void html_text(FILE *f, const char *s);

/* Numbers as text, at most CELL bytes. Thousands are set apart; NAN is "n/a". */
void html_whole(uint64_t v, bool negative, char *cell);
void html_rate(double v, char *cell);
void html_part(double v, bool known, char *cell); /* per cent; "-" where it is of nothing */
void html_pages(double v, char *cell);
void html_inflight(bool known, int64_t pages, char *cell); /* to the last digit */
/* Pages recycled per page allocated; see track_figures(). */
void html_ratio(const struct track *t, const struct counters *total, uint32_t known, char *cell);
void html_bytes(uint64_t bytes, char *cell); /* "20.6 MiB" */

/* "2026-01-02 03:04:05", "03:04:05" (@day: how long the recording is) */
void html_time(const struct timespec *ts, char *cell);
void html_clock(const struct timespec *ts, double span_s, char *cell);

/* Elements whole. */
void html_fact(FILE *f, const char *term, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void html_device(FILE *f, const struct model_device *d);
void html_netns(FILE *f, uint32_t netns, const char *name);

/* --- html_page.c: what every page has --- */

/* @more: what comes after the host in the title. */
void html_head(FILE *f, const char *host, const char *more);
void html_foot(FILE *f);
void html_glossary(FILE *f);

/* Where a recording is from, as <dl>. */
void html_origin(FILE *f, const struct recording *r);

/* --- html_chart.c --- */

enum chart {
	CHART_ALLOC,
	CHART_RECYCLE,
	CHART_RATIO,
	CHART_INFLIGHT,
	NR_CHARTS,
};

/* What the vertical axis has to show. */
struct range {
	double low, high;
};

/* Widen @range, which begins as {0, 0}, by what @t has. */
void html_chart_range(enum chart chart, const struct timeline *t, struct range *range);

/* One <figure>. @of: of what, a name as it is. */
void html_chart(struct html *h, enum chart chart, const struct recording *r, const struct track *t,
		const char *of, const struct range *range);

/* All four, or those with something in them. */
void html_charts(struct html *h, const struct recording *r, const struct track *t, const char *of,
		 bool all);

/* --- html_table.c --- */

/* A loss of this part is not to be overlooked. */
#define HTML_MUCH 0.05

/*
 * Share of a counter, of the pages allocated or of those put back: in the recording, or in all that
 * was counted where it has no interval.
 */
double html_share(const struct counters *total, uint32_t known, const struct track *t, int counter);

/* @path: where in the document it is, as "devices.0"; NULL: it is not. */
void html_counters(FILE *f, const struct counters *total, uint32_t known, const struct track *t,
		   const char *path, const char *caption);

/* --- html_find.c --- */

const char *html_severity(enum severity severity);

/* Does device @i lose so much that it is among the findings? */
bool html_is_lossy(const struct recording *r, size_t i);

/* The graver the higher; 0: nothing is wrong. */
int html_weight(const struct verdict_rule *rule);

struct pools;

/* What is wrong, linked to where @pools and devices are on the page, or, if it is NULL, to nowhere.
 */
void html_findings(FILE *f, const struct recording *r, const struct pools *pools);

#endif /* PPOOLTOP_HTML_H */
