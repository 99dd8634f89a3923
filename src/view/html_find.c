// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong, the gravest first: a paragraph for each rule, and the pools it holds for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "html.h"

#define LISTED 40 /* pools, or groups of them, below one rule */

const char *html_severity(enum severity severity)
{
	static const char *const names[] = {
		[VERDICT_NONE] = "good",
		[VERDICT_NOTE] = "note",
		[VERDICT_WARN] = "warn",
		[VERDICT_BAD] = "bad",
	};

	return names[severity];
}

static const char *severity_word(enum severity severity)
{
	return severity == VERDICT_WARN ? "warning" : html_severity(severity);
}

struct find {
	const struct verdict_rule *rule;
	const struct model_pool *mp;
	size_t seq, nr; /* that are alike */
};

static int compare(const void *a, const void *b)
{
	const struct find *p = a, *q = b;
	int rank = verdict_rank(q->rule) - verdict_rank(p->rule);

	return rank ? rank : (p->seq > q->seq) - (p->seq < q->seq);
}

/* How many are like @m's pool @i, which is the first of them; 0: it is not. */
static size_t alike(const struct model *m, size_t i)
{
	const struct pool *p = m->pools[i].pool;
	size_t nr = 1;

	for (size_t k = 0; k < i; k++)
		if (pools_alike(p, m->pools[k].pool))
			return 0;
	for (size_t k = i + 1; k < m->nr_pools; k++)
		nr += pools_alike(p, m->pools[k].pool);
	return nr;
}

/* The list is the caller's to free. NULL: memory is out. */
static struct find *find_all(const struct model *m, size_t *nr)
{
	struct find *list = calloc(m->nr_pools + 1, sizeof(*list));

	*nr = 0;
	for (size_t i = 0; list && i < m->nr_pools; i++) {
		const struct verdict_rule *rule = verdict_find(m, &m->pools[i]);
		size_t like = rule->severity == VERDICT_NONE ? 0 : alike(m, i);

		if (like)
			list[(*nr)++] = (struct find){rule, &m->pools[i], i, like};
	}
	if (list && *nr)
		qsort(list, *nr, sizeof(*list), compare);
	return list;
}

static void put_pool(FILE *f, const struct recording *r, const struct find *find, bool links)
{
	const struct row_opts opts = {0};
	const struct model *m = &r->m;
	char pool[CELL], words[CELL];
	struct row row;

	row_pools(&row, m, &find->mp, 1, &opts);
	column_print(column_find("POOL"), &row, pool);
	verdict_print(m, find->mp, words, sizeof(words));
	fputs("<li>", f);
	if (links)
		fprintf(f, "<a href=\"#p%zu\">", find->seq);
	html_device(f, &m->devices[find->mp->device]);
	if (find->nr > 1)
		fprintf(f, ", %zu pools", find->nr);
	else
		fprintf(f, ", pool %s", pool);
	fputs(links ? "</a>: " : ": ", f);
	if (find->nr > 1)
		fprintf(f, "%" PRId64 " page%s each, ", find->mp->pool->inflight,
			find->mp->pool->inflight == 1 ? "" : "s");
	html_text(f, words);
	fputs("</li>\n", f);
}

static void begin(FILE *f, enum severity severity, const char *advice)
{
	fprintf(f, "<div class=\"find %s\"><span class=\"badge\">%s</span> <p>",
		html_severity(severity), severity_word(severity));
	html_text(f, advice);
	fputs("</p>\n", f);
}

/* Those of one rule; returns how many. */
static size_t put_rule(FILE *f, const struct recording *r, const struct find *list, size_t nr,
		       bool links)
{
	const struct verdict_rule *rule = list->rule;
	size_t same = 0;

	while (same < nr && list[same].rule == rule)
		same++;
	begin(f, rule->severity, rule->advice ? rule->advice : "");
	fputs("<ul>\n", f);
	for (size_t i = 0; i < same && i < LISTED; i++)
		put_pool(f, r, &list[i], links);
	if (same > LISTED)
		fprintf(f, "<li>and %zu more</li>\n", same - LISTED);
	fputs("</ul></div>\n", f);
	return same;
}

/* What the counts themselves lack. */
static size_t put_losses(FILE *f, const struct snapshot *now)
{
	if (now->lost_pools) {
		begin(f, VERDICT_WARN, "There was no room for some pools: sums are incomplete.");
		fprintf(f, "<ul><li>%" PRIu64 " pools lost</li></ul></div>\n", now->lost_pools);
	}
	if (now->lost_events) {
		begin(f, VERDICT_WARN,
		      "Events were missed: counters can be that much too low. See EXACTNESS in "
		      "ppooltop(8).");
		fprintf(f, "<ul><li>%" PRIu64 " events lost</li></ul></div>\n", now->lost_events);
	}
	return (now->lost_pools > 0) + (now->lost_events > 0);
}

void html_findings(FILE *f, const struct recording *r, bool links)
{
	size_t nr, said;
	struct find *list = find_all(&r->m, &nr);

	said = put_losses(f, &r->m.now);
	for (size_t i = 0; list && i < nr;)
		i += put_rule(f, r, list + i, nr - i, links);
	if (list && !nr && !said)
		fputs("<div class=\"find good\"><span class=\"badge\">good</span> <p>Nothing is wrong at "
		      "the end of the recording, as far as is known.</p></div>\n",
		      f);
	free(list);
}
