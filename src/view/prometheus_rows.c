// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "prometheus_priv.h"
#include "text.h"

/* A label's value: @s as UTF-8 and escaped, with its name before it. */
static void put_label(FILE *f, const char *name, const char *s)
{
	char text[2 * SNAP_NAMELEN + 1];

	text_utf8(s, text, sizeof(text));
	fprintf(f, "%s=\"", name);
	for (const char *c = text; *c; c++) {
		if (*c == '\n') {
			fputs("\\n", f);
			continue;
		}
		if (*c == '"' || *c == '\\')
			fputc('\\', f);
		fputc(*c, f);
	}
	fputc('"', f);
}

static void put_device(FILE *f, uint32_t netns, const char *netns_name, const char *ifname)
{
	char text[NETNS_LEN];

	name_netns(netns, netns_name, text);
	put_label(f, "netns", text);
	fputc(',', f);
	put_label(f, "device", ifname);
}

static void put_pool(FILE *f, const struct pool *p)
{
	char key[POOL_KEY_LEN];

	name_pool(p, key);
	fputc(',', f);
	put_label(f, "pool", key);
	if (p->queue >= 0)
		fprintf(f, ",queue=\"%d\"", p->queue);
	else
		fputs(",queue=\"\"", f);
}

/* The labels of a device or, with @p, of a pool of it; NULL when memory is out. */
static char *labels_of(const struct model_device *d, const struct pool *p)
{
	char *labels = NULL;
	size_t len;
	FILE *f = open_memstream(&labels, &len);

	if (!f)
		return NULL;
	put_device(f, d->netns, d->netns_name, d->ifname);
	if (p)
		put_pool(f, p);
	if (fclose(f)) {
		free(labels);
		return NULL;
	}
	return labels;
}

/* What a row says of its pools beside their counters. */
static void add_pool(struct prom_row *r, const struct pool *p)
{
	bool destroyed =
		p->state == POOL_DRAINING || p->state == POOL_STUCK || p->has & POOL_HAS_DESTROYED;

	r->pools++;
	r->states[p->state]++;
	r->of_providers[p->state] += p->has & POOL_HAS_PARAMS && p->provider;
	r->destroyed += destroyed;
	if (destroyed && p->has & POOL_HAS_DESTROYED) {
		r->dated++;
		r->oldest_s = p->destroyed_s > r->oldest_s ? p->destroyed_s : r->oldest_s;
	}
	if (p->audit.known) {
		r->audit_known = true;
		r->unaccounted += p->audit.unaccounted < 0 ? -(uint64_t)p->audit.unaccounted
							   : (uint64_t)p->audit.unaccounted;
	}
}

static void set_entry(struct prom_row *r, const struct ledger_entry *e)
{
	r->n = e->n;
	r->pages_known = e->pages_known;
	r->held = e->held;
	r->released = e->released;
	if (e->cpus)
		r->cpus = e->cpus;
}

/* A sum is known if all its parts are; pages in flight are those of the pools that tell. */
static void merge(struct prom_row *r, struct prom_row *s)
{
	bool tells = (r->pools && r->inflight_known) || (s->pools && s->inflight_known);

	r->inflight_known = tells || (!r->pools && !s->pools);
	r->pools += s->pools;
	for (int i = 0; i < POOL_NR_STATES; i++) {
		r->states[i] += s->states[i];
		r->of_providers[i] += s->of_providers[i];
	}
	r->destroyed += s->destroyed;
	r->dated += s->dated;
	r->oldest_s = s->oldest_s > r->oldest_s ? s->oldest_s : r->oldest_s;
	r->known &= s->known;
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		r->n.n[i] += s->n.n[i];
	r->pages_known &= s->pages_known;
	r->held += s->held;
	r->released += s->released;
	r->inflight = (int64_t)((uint64_t)r->inflight + (uint64_t)s->inflight);
	r->bytes += s->bytes;
	r->audit_known |= s->audit_known;
	r->unaccounted += s->unaccounted;
	r->cpus_known &= s->cpus_known;
	s->merged = true;
	s->next = r->next;
	r->next = s;
}

static int by_labels(const void *a, const void *b)
{
	const struct prom_row *r = *(struct prom_row *const *)a, *s = *(struct prom_row *const *)b;
	int c = strcmp(r->labels, s->labels);

	return c ? c : (r->order > s->order) - (r->order < s->order);
}

/* Rows of the same labels become one, where the first of them is. */
static int merge_rows(struct prom_rows *rows)
{
	struct prom_row **sorted = calloc(rows->nr + 1, sizeof(*sorted)), *first = NULL;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++) {
		rows->list[i].order = i;
		sorted[i] = &rows->list[i];
	}
	qsort(sorted, rows->nr, sizeof(*sorted), by_labels);
	for (size_t i = 0; i < rows->nr; i++) {
		if (first && !strcmp(first->labels, sorted[i]->labels))
			merge(first, sorted[i]);
		else
			first = sorted[i];
	}
	free(sorted);
	return 0;
}

static int rows_alloc(struct prom_rows *rows, size_t nr)
{
	rows->list = calloc(nr + 1, sizeof(*rows->list));
	rows->nr = rows->list ? nr : 0;
	return rows->list ? 0 : -ENOMEM;
}

int rows_of_devices(struct prom_rows *rows, const struct model *m, const struct ledger *l)
{
	if (rows_alloc(rows, m->nr_devices))
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct model_device *d = &m->devices[i];
		struct prom_row *r = &rows->list[i];

		r->labels = labels_of(d, NULL);
		if (!r->labels)
			return -ENOMEM;
		r->known = d->counters_known;
		r->n = d->total;
		r->inflight_known = d->inflight_known;
		r->inflight = d->inflight;
		r->bytes = d->inflight_bytes;
		if (l)
			set_entry(r, &l->devices[i]);
	}
	for (size_t i = 0; i < m->nr_pools; i++)
		add_pool(&rows->list[m->pools[i].device], m->pools[i].pool);
	return merge_rows(rows);
}

int rows_of_pools(struct prom_rows *rows, const struct model *m, const struct ledger *l)
{
	if (rows_alloc(rows, m->nr_pools))
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct model_pool *mp = &m->pools[i];
		const struct ledger_entry *e = ledger_pool(l, m, mp);
		const struct pool *p = mp->pool;
		struct prom_row *r = &rows->list[i];

		r->labels = labels_of(&m->devices[mp->device], p);
		if (!r->labels)
			return -ENOMEM;
		add_pool(r, p);
		r->known = p->counters_known;
		r->n = p->total;
		r->inflight_known = p->has & POOL_HAS_INFLIGHT;
		r->inflight = p->inflight;
		r->bytes = p->inflight_bytes;
		r->cpus = p->has & POOL_HAS_CPUS ? p->cpus : NULL;
		r->cpus_known = r->cpus ? p->cpus_known : 0;
		if (e)
			set_entry(r, e);
	}
	return merge_rows(rows);
}

void rows_free(struct prom_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		free(rows->list[i].labels);
	free(rows->list);
	memset(rows, 0, sizeof(*rows));
}
