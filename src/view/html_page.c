// SPDX-License-Identifier: GPL-2.0-or-later
/* What every page has. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "html.h"
#include "html_style.h"
#include "util.h"

static void put_title(FILE *f, const char *host, const char *more)
{
	fputs("page_pools", f);
	if (host[0]) {
		fputs(" of ", f);
		html_text(f, host);
	}
	fputs(more, f);
}

void html_head(FILE *f, const char *host, const char *more)
{
	/* No namespaces: they are addresses, and a browser knows both by the elements' names. */
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	      "<meta name=\"generator\" content=\"ppooltop " VERSION "\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\"/>\n<title>",
	      f);
	put_title(f, host, more);
	fprintf(f, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", html_style);
	put_title(f, host, more);
	fputs("</h1>\n", f);
}

void html_foot(FILE *f)
{
	fputs("<footer><p>Made by ppooltop " VERSION
	      ". What is not known is n/a, and a gap in a chart; - is a ratio of nothing. Rates are "
	      "means over the time something was seen. Each point of a chart is one interval, or "
	      "where these are many, the mean of some.</p></footer>\n</body>\n</html>\n",
	      f);
}

static const struct {
	const char *key, *help;
} glossary[] = {
#define PP_X(ID, side, key, kernel, metric, label, title, help) {#key, help},
	PP_COUNTERS(PP_X)
#undef PP_X
};

void html_glossary(FILE *f)
{
	fputs("<section id=\"counters\"><h2>What the counters mean</h2>\n<dl class=\"facts\">\n",
	      f);
	for (size_t i = 0; i < sizeof(glossary) / sizeof(glossary[0]); i++)
		html_fact(f, glossary[i].key, "%s", glossary[i].help);
	html_fact(f, "recycle ratio",
		  "(cached + ring) / (fast + refill + slow + slow_high_order), 100%% at most");
	html_fact(f, "inflight",
		  "pages taken from the page allocator and not given back, those at rest in cache "
		  "and ring included");
	fputs("</dl></section>\n", f);
}

/* "fentry, level full, attached" */
static void put_source(FILE *f, const struct source_info *src)
{
	html_fact(f, "counters from", "%s%s%s%s", src->counters ? src->counters : "nowhere (n/a)",
		  src->level ? ", level " : "", src->level ? src->level : "",
		  src->attached ? ", attached" : "");
}

#define DATE_LEN 11 /* "2026-01-02 " */

static void put_span(FILE *f, const struct recording *r)
{
	struct timespec from = recording_time(r, 0), to = recording_time(r, r->seconds);
	char begin[CELL], end[CELL], span[AGE_LEN];

	html_time(&from, begin);
	html_time(&to, end);
	if (!strncmp(begin, end, DATE_LEN)) /* on one day */
		memmove(end, end + DATE_LEN, sizeof(end) - DATE_LEN);
	age_text(r->seconds, span, sizeof(span));
	if (!r->intervals)
		html_fact(f, "read once", "%s UTC: counts, no rates", begin);
	else if (r->seconds < 60)
		html_fact(f, "recorded", "%s to %s UTC (%.4g s)", begin, end, r->seconds);
	else
		html_fact(f, "recorded", "%s to %s UTC (%s)", begin, end, span);
	if (r->intervals)
		html_fact(f, "intervals", "%lu, of %.3g s on average", r->intervals,
			  r->totals.seconds / (double)r->intervals);
}

static void put_missing(FILE *f, const struct source_info *src)
{
	if (!src->nr_missing)
		return;
	fputs("<details open=\"open\"><summary>Counters that are n/a, and why</summary>"
	      "<dl class=\"facts\">\n",
	      f);
	for (int i = 0; i < src->nr_missing; i++) {
		fputs("<div><dt>", f);
		html_text(f, src->missing[i].counter);
		fputs("</dt><dd>", f);
		html_text(f, src->missing[i].reason);
		fputs("</dd></div>\n", f);
	}
	fputs("</dl></details>\n", f);
}

void html_origin(FILE *f, const struct recording *r)
{
	const struct snapshot *now = &r->m.now;

	fputs("<dl class=\"facts\">\n", f);
	html_fact(f, "host", "%s", now->host.name[0] ? now->host.name : "n/a");
	html_fact(f, "kernel", "%s", now->host.kernel[0] ? now->host.kernel : "n/a");
	if (now->host.cpus > 0)
		html_fact(f, "CPUs", "%d", now->host.cpus);
	put_span(f, r);
	put_source(f, &now->source);
	html_fact(f, "lost", "%" PRIu64 " pools, %" PRIu64 " events", now->lost_pools,
		  now->lost_events);
	if (r->file)
		html_fact(f, "file", "%s", r->file);
	fputs("</dl>\n", f);
	if (r->mixed)
		fputs("<p class=\"warn\">More than one host, kernel or source is in this recording. "
		      "These are the last one's.</p>\n",
		      f);
	put_missing(f, &now->source);
}
