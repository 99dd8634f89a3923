// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "html.h"

static const struct row {
	const char *side, *key, *help;
	bool recycle;
	bool loss; /* what should not happen, or seldom */
} rows[PP_NR_COUNTERS] = {
#define PP_X(ID, side, key, kernel, metric, label, title, help)        \
	[PP_##ID] = {#side, #key, help, PP_##ID >= PP_CACHED,          \
		     PP_##ID == PP_WAIVE || PP_##ID == PP_RING_FULL || \
			     PP_##ID == PP_RELEASED_REFCNT},
	PP_COUNTERS(PP_X)
#undef PP_X
};

static double part(const double *n, uint32_t known, int counter)
{
	double all = rows[counter].recycle
			     ? n[PP_CACHED] + n[PP_RING] + n[PP_RING_FULL] + n[PP_RELEASED_REFCNT]
			     : n[PP_FAST] + n[PP_REFILL] + n[PP_SLOW] + n[PP_SLOW_HIGH_ORDER];
	const uint32_t terms = rows[counter].recycle
				       ? 1u << PP_CACHED | 1u << PP_RING | 1u << PP_RING_FULL |
						 1u << PP_RELEASED_REFCNT
				       : 1u << PP_FAST | 1u << PP_REFILL | 1u << PP_SLOW |
						 1u << PP_SLOW_HIGH_ORDER;

	if ((known & terms) != terms || !counter_known(known, (enum pp_counter)counter))
		return NAN;
	return all > 0 ? n[counter] / all : (double)NAN;
}

double html_share(const struct counters *total, uint32_t known, const struct track *t, int i)
{
	double n[PP_NR_COUNTERS];

	known = track_figures(t, total, known, n);
	return part(n, known, i);
}

static const char *mark(int i, double share)
{
	return rows[i].loss && share >= HTML_MUCH ? " class=\"warn\"" : "";
}

static void put_row(FILE *f, int i, const struct counters *total, uint32_t known,
		    const struct track *t, const char *path)
{
	double share = html_share(total, known, t, i);
	char count[CELL] = "n/a", gained[CELL] = "n/a", rate[CELL], part[CELL];

	if (counter_known(known, (enum pp_counter)i))
		html_whole(total->n[i], false, count);
	if (track_is_whole(t, (enum pp_counter)i))
		html_whole(t->gained[i], false, gained);
	html_rate(track_rate(t, (enum pp_counter)i), rate);
	html_part(share, counter_known(known, (enum pp_counter)i), part);
	fprintf(f, "<tr><th scope=\"row\" title=\"%s\">%s</th><td", rows[i].help, rows[i].key);
	if (path)
		fprintf(f, " data-path=\"%s.%s.%s\"", path, rows[i].side, rows[i].key);
	fprintf(f,
		">%s</td><td class=\"gained\">%s</td><td class=\"mean\">%s</td><td%s>%s</td></tr>\n",
		count, gained, rate, mark(i, share), part);
}

void html_counters(FILE *f, const struct counters *total, uint32_t known, const struct track *t,
		   const char *path, const char *caption)
{
	fprintf(f,
		"<div class=\"scroll\" tabindex=\"0\"><table class=\"counters\"><caption>%s"
		"</caption><thead><tr><th scope=\"col\">counter</th><th scope=\"col\">count</th>"
		"<th scope=\"col\">in the recording</th><th scope=\"col\">per second</th>"
		"<th scope=\"col\">share</th></tr></thead>\n<tbody>\n",
		caption);
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (i && rows[i].recycle != rows[i - 1].recycle)
			fputs("</tbody>\n<tbody>\n", f);
		if (!i || rows[i].recycle != rows[i - 1].recycle)
			fprintf(f,
				"<tr><th class=\"g\" colspan=\"5\" scope=\"rowgroup\">%s</th></tr>\n",
				rows[i].recycle ? "put back" : "allocated");
		put_row(f, i, total, known, t, path);
	}
	fputs("</tbody></table></div>\n", f);
}
