// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "prometheus_priv.h"
#include "util.h"

/* Where series go: to a file, or nowhere but to be counted. */
struct sink {
	FILE *f; /* NULL: count only */
	const struct model *m;
	const struct prometheus_opts *opts;
	const struct family *family;
	bool begun; /* the family: its HELP and TYPE are written */
	size_t series;
	size_t omitted; /* series left out of this text */
};

enum scope {
	OF_DEVICE, /* always for each device */
	OF_ROW,	   /* for each device or, if these are wanted, for each pool */
	OF_ALL,	   /* one for all */
};

/* A metric is a row of data: its name, what it is about, and how its series are written. */
struct family {
	const char *name, *type, *help;
	enum scope scope;
	void (*put)(struct sink *out, const struct prom_row *r);
};

static const char *const counter_metric[] = {
#define PP_X(ID, side, key, kernel, metric, label, ...) [PP_##ID] = (metric),
	PP_COUNTERS(PP_X)
#undef PP_X
};

static const char *const counter_label[] = {
#define PP_X(ID, side, key, kernel, metric, label, ...) [PP_##ID] = (label),
	PP_COUNTERS(PP_X)
#undef PP_X
};

/*
 * Begin a series, with the labels of @r (NULL: none) and @more. False: nothing is to be written;
 * else its value and a newline have to follow.
 */
static bool begin(struct sink *out, const struct prom_row *r, const char *more)
{
	const struct family *family = out->family;
	FILE *f = out->f;

	out->series++;
	if (!f)
		return false;
	if (!out->begun)
		fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
			family->type);
	out->begun = true;
	fputs_unlocked(family->name, f);
	if (r || *more)
		putc_unlocked('{', f);
	if (r)
		fputs_unlocked(r->labels, f);
	if (r && *more)
		putc_unlocked(',', f);
	fputs_unlocked(more, f);
	if (r || *more)
		putc_unlocked('}', f);
	putc_unlocked(' ', f);
	return true;
}

static void put_uint(struct sink *out, const struct prom_row *r, const char *more, uint64_t v)
{
	char text[24], *digit = text + sizeof(text);

	if (!begin(out, r, more))
		return;
	*--digit = '\0';
	*--digit = '\n';
	do
		*--digit = (char)('0' + v % 10);
	while (v /= 10);
	fputs_unlocked(digit, out->f);
}

static void put_int(struct sink *out, const struct prom_row *r, int64_t v)
{
	if (begin(out, r, ""))
		fprintf(out->f, "%" PRId64 "\n", v);
}

/* --- counters ------------------------------------------------------------------------------------
 */

/* What @cpu counted in all pools of the row. False: nothing of anything. */
static bool sum_cpu(const struct prom_row *r, int cpu, struct counters *sum)
{
	bool any = false;

	memset(sum, 0, sizeof(*sum));
	for (; r; r = r->next) {
		for (int i = 0; r->cpus && i < PP_NR_COUNTERS; i++) {
			sum->n[i] += r->cpus[cpu].n[i];
			any |= r->cpus[cpu].n[i] != 0;
		}
	}
	return any;
}

/* A series for each CPU that counted anything: the others would be zeros by the hundred. */
static int put_cpus(struct sink *out, const struct prom_row *r, int counter)
{
	char more[64];
	int put = 0;

	if (!out->opts->per_cpu || !counter_known(r->cpus_known, (enum pp_counter)counter))
		return 0;
	for (int cpu = 0; cpu < out->m->now.nr_cpus; cpu++) {
		struct counters sum;

		if (!sum_cpu(r, cpu, &sum))
			continue;
		if (out->f)
			snprintf(more, sizeof(more), "cpu=\"%d\",%s", cpu, counter_label[counter]);
		put_uint(out, r, more, sum.n[counter]);
		put++;
	}
	return put;
}

static void put_counters(struct sink *out, const struct prom_row *r)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (strcmp(counter_metric[i], out->family->name) != 0 ||
		    !counter_known(r->known, (enum pp_counter)i))
			continue;
		if (!put_cpus(out, r, i))
			put_uint(out, r, counter_label[i], r->n.n[i]);
	}
}

/* --- what else a row has -------------------------------------------------------------------------
 */

static void put_held(struct sink *out, const struct prom_row *r)
{
	if (r->pages_known)
		put_uint(out, r, "", r->held);
}

static void put_released(struct sink *out, const struct prom_row *r)
{
	if (r->pages_known)
		put_uint(out, r, "", r->released);
}

static void put_inflight(struct sink *out, const struct prom_row *r)
{
	if (r->inflight_known)
		put_int(out, r, r->inflight);
}

static void put_inflight_bytes(struct sink *out, const struct prom_row *r)
{
	if (r->inflight_known)
		put_uint(out, r, "", r->bytes);
}

static void put_unaccounted(struct sink *out, const struct prom_row *r)
{
	if (r->audit_known)
		put_uint(out, r, "", r->unaccounted);
}

static void put_states(struct sink *out, const struct prom_row *r)
{
	char more[64];

	for (int i = 0; i < POOL_DEAD; i++) {
		snprintf(more, sizeof(more), "state=\"%s\"", pool_state_names[i]);
		put_uint(out, r, more, r->states[i]);
	}
}

/* Those that were destroyed: that buffers stay out is no fault then. */
static void put_of_providers(struct sink *out, const struct prom_row *r)
{
	put_uint(out, r, "state=\"draining\"", r->of_providers[POOL_DRAINING]);
	put_uint(out, r, "state=\"stuck\"", r->of_providers[POOL_STUCK]);
}

static void put_oldest(struct sink *out, const struct prom_row *r)
{
	if ((r->dated || !r->destroyed) && begin(out, r, ""))
		fprintf(out->f, "%.10g\n", r->oldest_s);
}

/* --- what is of no device ------------------------------------------------------------------------
 */

static void put_lost(struct sink *out, const struct prom_row *r)
{
	put_uint(out, r, "what=\"pools\"", out->m->now.lost_pools);
	put_uint(out, r, "what=\"events\"", out->m->now.lost_events);
}

static void put_omitted(struct sink *out, const struct prom_row *r)
{
	put_uint(out, r, "", out->omitted);
}

static void put_source(struct sink *out, const struct prom_row *r)
{
	const struct source_info *s = &out->m->now.source;
	char more[256];

	snprintf(more, sizeof(more), "counters=\"%s\",state=\"%s\",level=\"%s\"",
		 s->counters ? s->counters : "", s->state ? s->state : "",
		 s->level ? s->level : "");
	put_uint(out, r, more, 1);
}

static void put_build(struct sink *out, const struct prom_row *r)
{
	put_uint(out, r, "version=\"" VERSION "\"", 1);
}

static void put_time(struct sink *out, const struct prom_row *r)
{
	const struct timespec *ts = &out->m->now.time;

	if (ts->tv_sec && begin(out, r, ""))
		fprintf(out->f, "%lld.%03ld\n", (long long)ts->tv_sec, ts->tv_nsec / 1000000);
}

static const struct family families[] = {
	{"ppooltop_alloc_total", "counter",
	 "Pages allocated from the cache (fast), returned by a refill from the ring (refill), and "
	 "calls of the slow path, which fetches up to 64 pages of order 0 (slow) or one of a higher "
	 "order (slow_high_order).",
	 OF_ROW, put_counters},
	{"ppooltop_refill_failures_total", "counter",
	 "Refills that found the ring empty (empty), and pages dropped at a refill because of their "
	 "NUMA node (waive).",
	 OF_ROW, put_counters},
	{"ppooltop_recycle_total", "counter",
	 "Pages put back into the cache (cached) or into the ring (ring).", OF_ROW, put_counters},
	{"ppooltop_recycle_failures_total", "counter",
	 "Pages that found the cache full and went on to the ring (cache_full), puts that found the "
	 "ring full (ring_full), and pages freed because somebody else held them (released_refcnt).",
	 OF_ROW, put_counters},
	{"ppooltop_pages_held_total", "counter",
	 "Pages taken from the page allocator since the exporter began.", OF_ROW, put_held},
	{"ppooltop_pages_released_total", "counter",
	 "Pages given back to the page allocator since the exporter began.", OF_ROW, put_released},
	{"ppooltop_inflight_pages", "gauge",
	 "Pages taken from the page allocator and not given back, those in cache and ring included.",
	 OF_ROW, put_inflight},
	{"ppooltop_inflight_bytes", "gauge", "The same in bytes.", OF_ROW, put_inflight_bytes},
	{"ppooltop_audit_unaccounted_pages", "gauge",
	 "Pages by which the books of pools do not balance, of pools whose books are known.",
	 OF_ROW, put_unaccounted},
	{"ppooltop_pools", "gauge", "Page pools, by state.", OF_DEVICE, put_states},
	{"ppooltop_provider_pools", "gauge",
	 "Of the pools that were destroyed, those of a memory provider, whose user may keep buffers "
	 "for as long as it likes.",
	 OF_DEVICE, put_of_providers},
	{"ppooltop_oldest_destroyed_pool_seconds", "gauge",
	 "Time since the oldest pool that still has pages out was destroyed, 0 if there is none; of "
	 "those whose time is known.",
	 OF_DEVICE, put_oldest},
	{"ppooltop_lost_total", "counter",
	 "Pools that found no slot, and events that were missed: counters are too low by these.",
	 OF_ALL, put_lost},
	{"ppooltop_series_omitted", "gauge", "Series left out here because there are too many.",
	 OF_ALL, put_omitted},
	{"ppooltop_source_info", "gauge", "Where counters and states come from, and the level.",
	 OF_ALL, put_source},
	{"ppooltop_build_info", "gauge", "The version of ppooltop.", OF_ALL, put_build},
	{"ppooltop_last_update_timestamp_seconds", "gauge", "When this was read.", OF_ALL,
	 put_time},
};

#define NR_FAMILIES (sizeof(families) / sizeof(families[0]))

/* --- the text ------------------------------------------------------------------------------------
 */

/* What counts the series of @r in families of @scope. */
static void count(struct sink *counter, enum scope scope, const struct prom_row *r)
{
	for (size_t i = 0; i < NR_FAMILIES; i++) {
		counter->family = &families[i];
		if (families[i].scope == scope)
			families[i].put(counter, r);
	}
}

/* Show @r, if there is room for it. @scopes: bits 1 << OF_x, what it has series in. */
static void admit(struct sink *out, struct prom_row *r, unsigned int scopes, size_t *used)
{
	struct sink counter = {.m = out->m, .opts = out->opts};

	for (int scope = 0; scope < OF_ALL; scope++)
		if (scopes & (1u << scope))
			count(&counter, (enum scope)scope, r);
	r->shown = !out->omitted && *used + counter.series <= out->opts->max_series;
	if (r->shown)
		*used += counter.series;
	else
		out->omitted += counter.series;
}

/*
 * Whole rows are left out, from the first on that does not fit: devices that have no pool any more,
 * then those that came last. It is the same ones each time.
 */
static void guard(struct sink *out, struct prom_rows *rows, unsigned int scopes, size_t *used)
{
	for (int gone = 0; gone < 2; gone++)
		for (size_t i = 0; i < rows->nr; i++)
			if (!rows->list[i].merged && (rows->list[i].pools == 0) == gone)
				admit(out, &rows->list[i], scopes, used);
}

static void put_rows(struct sink *out, const struct prom_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (rows->list[i].shown)
			out->family->put(out, &rows->list[i]);
}

static void put_families(struct sink *out, const struct prom_rows *devices,
			 const struct prom_rows *pools)
{
	for (size_t i = 0; i < NR_FAMILIES; i++) {
		out->family = &families[i];
		out->begun = false;
		if (families[i].scope == OF_ALL)
			families[i].put(out, NULL);
		else if (families[i].scope == OF_ROW && out->opts->per_pool)
			put_rows(out, pools);
		else
			put_rows(out, devices);
	}
}

/* @pools: none unless they are wanted */
static void put_all(struct sink *out, struct prom_rows *devices, struct prom_rows *pools)
{
	const unsigned int of_device = 1u << OF_DEVICE, of_row = 1u << OF_ROW;
	struct sink counter = {.m = out->m, .opts = out->opts};
	size_t used;

	count(&counter, OF_ALL, NULL);
	used = counter.series;
	guard(out, devices, out->opts->per_pool ? of_device : of_device | of_row, &used);
	guard(out, pools, of_row, &used);
	put_families(out, devices, pools);
}

int view_prometheus(FILE *f, const struct model *m, const struct prometheus_opts *opts)
{
	struct sink out = {.f = f, .m = m, .opts = opts};
	struct prom_rows devices = {0}, pools = {0};
	int err;

	err = rows_of_devices(&devices, m, opts->ledger);
	if (!err && opts->per_pool)
		err = rows_of_pools(&pools, m, opts->ledger);
	if (!err) {
		put_all(&out, &devices, &pools);
		err = finish_output(f);
	}
	rows_free(&devices);
	rows_free(&pools);
	return err;
}
