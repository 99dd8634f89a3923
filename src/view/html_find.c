// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong, the gravest first: a paragraph for each rule, and the pools it holds for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "html_pools.h"

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

int html_weight(const struct verdict_rule *rule)
{
	return (int)rule->severity * 1000 + verdict_rank(rule);
}

struct find {
	const struct verdict_rule *rule;
	const struct model_pool *mp;
	size_t seq, nr; /* that are alike */
};

static int compare(const void *a, const void *b)
{
	const struct find *p = a, *q = b;
	int rank = html_weight(q->rule) - html_weight(p->rule);

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

static void put_pool(FILE *f, const struct recording *r, const struct find *find,
		     const struct pools *pools)
{
	const struct row_opts opts = {0};
	const bool link = pools && html_pool_is_there(pools, find->seq);
	const struct model *m = &r->m;
	char pool[CELL], words[CELL];
	struct row row;

	row_pools(&row, m, &find->mp, 1, &opts);
	column_print(column_find("POOL"), &row, pool);
	verdict_print(m, find->mp, words, sizeof(words));
	fputs("<li>", f);
	if (link)
		fprintf(f, "<a href=\"#p%zu\">", find->seq);
	html_device(f, &m->devices[find->mp->device]);
	if (find->nr > 1)
		fprintf(f, ", %zu pools", find->nr);
	else
		fprintf(f, ", pool %s", pool);
	fputs(link ? "</a>: " : ": ", f);
	if (find->nr > 1)
		fprintf(f, "%" PRId64 " page%s each, ", find->mp->pool->inflight,
			find->mp->pool->inflight == 1 ? "" : "s");
	html_text(f, words);
	fputs("</li>\n", f);
}

static void begin(FILE *f, enum severity severity)
{
	fprintf(f, "<div class=\"find %s\"><span class=\"badge\">%s</span>\n<ul>\n",
		html_severity(severity), severity_word(severity));
}

/* What it means comes after what it is about. */
static void end(FILE *f, const char *advice)
{
	fputs("</ul>\n<p>", f);
	html_text(f, advice ? advice : "");
	fputs("</p></div>\n", f);
}

/* Those of one rule; returns how many. */
static size_t put_rule(FILE *f, const struct recording *r, const struct find *list, size_t nr,
		       const struct pools *pools)
{
	const struct verdict_rule *rule = list->rule;
	size_t same = 0;

	while (same < nr && list[same].rule == rule)
		same++;
	begin(f, rule->severity);
	for (size_t i = 0; i < same && i < LISTED; i++)
		put_pool(f, r, &list[i], pools);
	if (same > LISTED)
		fprintf(f, "<li>and %zu more</li>\n", same - LISTED);
	end(f, rule->advice);
	return same;
}

/* What the counts themselves lack. */
static size_t put_losses(FILE *f, const struct snapshot *now)
{
	if (now->lost_pools) {
		begin(f, VERDICT_WARN);
		fprintf(f, "<li>%" PRIu64 " pools lost</li>\n", now->lost_pools);
		end(f, "There was no room for them: sums are incomplete.");
	}
	if (now->lost_events) {
		begin(f, VERDICT_WARN);
		fprintf(f, "<li>%" PRIu64 " events lost</li>\n", now->lost_events);
		end(f, "Counters can be that much too low. See EXACTNESS in ppooltop(8).");
	}
	return (now->lost_pools > 0) + (now->lost_events > 0);
}

/* What no pool has a verdict on, but is much of what a device does. */
static const struct loss {
	enum pp_counter counter;
	const char *of, *what, *text;
} losses[] = {
	{PP_WAIVE, "of the pages allocated", "waived",
	 "Refills dropped pages because these are of another NUMA node."},
	{PP_RING_FULL, "of the pages put back", "lost to a full ring",
	 "They were freed instead of recycled."},
	{PP_RELEASED_REFCNT, "of the pages put back", "still held",
	 "Somebody else had a reference, so they were freed instead of recycled."},
};

static double loss_of(const struct recording *r, size_t i, const struct loss *loss)
{
	const struct model_device *d = &r->m.devices[i];

	return html_share(&d->total, d->counters_known, &r->devices[i], loss->counter);
}

bool html_is_lossy(const struct recording *r, size_t i)
{
	for (size_t k = 0; k < sizeof(losses) / sizeof(losses[0]); k++)
		if (loss_of(r, i, &losses[k]) >= HTML_MUCH)
			return true;
	return false;
}

static size_t put_loss(FILE *f, const struct recording *r, const struct loss *loss,
		       const struct pools *pools)
{
	size_t said = 0;

	for (size_t i = 0; i < r->nr_devices; i++) {
		double share = loss_of(r, i, loss);
		char cell[CELL];

		if (!(share >= HTML_MUCH))
			continue;
		if (!said++)
			begin(f, VERDICT_WARN);
		html_part(share, true, cell);
		fputs("<li>", f);
		if (pools)
			fprintf(f, "<a href=\"#d%zu\">", i);
		html_device(f, &r->m.devices[i]);
		fprintf(f, "%s: %s %s, %s</li>\n", pools ? "</a>" : "", cell, loss->what, loss->of);
	}
	if (said)
		end(f, loss->text);
	return said;
}

static size_t put_device_losses(FILE *f, const struct recording *r, const struct pools *pools)
{
	size_t said = 0;

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		said += put_loss(f, r, &losses[i], pools);
	return said;
}

void html_findings(FILE *f, const struct recording *r, const struct pools *pools)
{
	size_t nr, said, i = 0;
	struct find *list = find_all(&r->m, &nr);

	said = put_losses(f, &r->m.now);
	while (list && i < nr && list[i].rule->severity >= VERDICT_WARN)
		i += put_rule(f, r, list + i, nr - i, pools);
	said += put_device_losses(f, r, pools);
	while (list && i < nr)
		i += put_rule(f, r, list + i, nr - i, pools);
	if (list && !nr && !said)
		fputs("<div class=\"find good\"><span class=\"badge\">good</span> <p>Nothing is wrong "
		      "at the end of the recording, as far as is known.</p></div>\n",
		      f);
	free(list);
}
