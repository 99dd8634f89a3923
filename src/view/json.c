// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "json_cpus.h"
#include "names.h"
#include "text.h"
#include "util.h"
#include "view.h"

typedef struct json_object json;

/* json-c wants UTF-8. */
static json *new_string(const char *s)
{
	char out[2 * SNAP_NAMELEN + 1];

	if (!s || !s[0])
		return NULL;
	return json_object_new_string_len(out, (int)text_utf8(s, out, sizeof(out)));
}

/* The same of what is a string in any case. */
static json *new_text(const char *s)
{
	return s[0] ? new_string(s) : json_object_new_string("");
}

static json *new_int(bool known, int64_t v)
{
	return known ? json_object_new_int64(v) : NULL;
}

static json *new_uint(bool known, uint64_t v)
{
	return known ? json_object_new_uint64(v) : NULL;
}

static json *new_number(double v, const char *format)
{
	json *o;

	if (!isfinite(v))
		return NULL;
	/* json-c's own serializer puts a point whatever the locale says */
	o = json_object_new_double(v);
	json_object_set_serializer(o, json_object_double_to_json_string, (void *)format, NULL);
	return o;
}

static json *new_real(double v)
{
	return new_number(v, "%.10g");
}

/* To the nanosecond: rates that are computed again from a document are the same then. */
static json *new_interval(double s)
{
	return new_number(s, "%.15g");
}

static void add(json *o, const char *key, json *v)
{
	json_object_object_add(o, key, v);
}

static json *new_time(const struct timespec *ts)
{
	struct tm tm;
	char date[32], text[48];

	if (!ts->tv_sec || !gmtime_r(&ts->tv_sec, &tm))
		return NULL;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03ldZ", date, ts->tv_nsec / 1000000);
	return json_object_new_string(text);
}

/* alloc{} and recycle{} into @o, each counter by @value. */
#define ADD_COUNTERS(o, value)                                                               \
	do {                                                                                 \
		json *alloc = json_object_new_object(), *recycle = json_object_new_object(); \
		PP_COUNTERS(ADD_COUNTER_##value)                                             \
		add(o, "alloc", alloc);                                                      \
		add(o, "recycle", recycle);                                                  \
	} while (0)
#define ADD_COUNTER_total(ID, side, key, ...) \
	add(side, #key, new_uint(counter_known(known, PP_##ID), n->n[PP_##ID]));
#define ADD_COUNTER_rate(ID, side, key, ...) add(side, #key, new_real(f->rate[PP_##ID]));

static void add_totals(json *o, const struct counters *n, uint32_t known)
{
	ADD_COUNTERS(o, total);
}

static void add_figures(json *o, const struct figures *f)
{
	json *rate = json_object_new_object();

	ADD_COUNTERS(rate, rate);
	add(o, "rate", rate);
	add(o, "recycle_ratio", new_real(f->recycle_ratio));
}

static json *new_inflight(bool known, int64_t pages, uint64_t bytes)
{
	json *o = json_object_new_object();

	add(o, "pages", new_int(known, pages));
	add(o, "bytes", new_uint(known, bytes));
	return o;
}

static json *new_fill(bool known, uint32_t pages, bool cap_known, uint32_t capacity)
{
	json *o = json_object_new_object();

	add(o, "pages", new_uint(known, pages));
	add(o, "capacity", new_uint(cap_known, capacity));
	return o;
}

static json *new_netns(uint32_t inode, const char *name)
{
	char text[NETNS_LEN];

	name_netns(inode, name, text);
	return new_string(text);
}

static json *new_device(const struct pool *p)
{
	json *o = json_object_new_object();

	add(o, "ifname", new_string(p->ifname));
	add(o, "ifindex", new_int(p->ifindex > 0, p->ifindex));
	add(o, "netns", new_netns(p->netns, p->netns_name));
	add(o, "netns_inode", new_uint(p->netns, p->netns));
	add(o, "driver", new_string(p->driver));
	add(o, "queue", new_int(p->queue >= 0, p->queue));
	add(o, "napi_id", new_uint(p->napi_id, p->napi_id));
	add(o, "dev", new_string(p->dev));
	return o;
}

/* false, or the name of its operations, or true where that is not known */
static json *new_provider(const struct pool *p)
{
	return p->provider_name[0] ? new_string(p->provider_name)
				   : json_object_new_boolean(p->provider);
}

static json *new_params(const struct pool *p)
{
	bool known = p->has & POOL_HAS_PARAMS;
	json *o = json_object_new_object(), *flags = json_object_new_array();

	for (unsigned int i = 0; i < NR_POOL_FLAGS; i++)
		if (known && (p->flags & (1u << i)))
			json_object_array_add(flags, new_string(pool_flag_names[i]));
	add(o, "order", new_uint(known, p->order));
	add(o, "ring_size", new_uint(known, p->ring_size));
	add(o, "pool_size", new_uint(known, p->pool_size));
	add(o, "nid", new_int(known, p->nid));
	add(o, "flags", flags);
	add(o, "dma_dir",
	    known && p->dma_dir < NR_DMA_DIRS ? new_string(dma_dir_names[p->dma_dir]) : NULL);
	add(o, "offset", new_uint(known, p->offset));
	add(o, "max_len", new_uint(known, p->max_len));
	add(o, "provider", known ? new_provider(p) : NULL);
	return o;
}

static json *new_audit(const struct audit *a)
{
	json *o = json_object_new_object();

	add(o, "ok", a->known ? json_object_new_boolean(!a->unaccounted) : NULL);
	add(o, "unaccounted", new_int(a->known, a->unaccounted));
	return o;
}

static json *new_key(const struct pool *p)
{
	char key[POOL_KEY_LEN];

	name_pool(p, key);
	return new_string(key);
}

static json *new_address(const struct pool *p)
{
	char text[24];

	if (!(p->has & POOL_HAS_ADDRESS))
		return NULL;
	snprintf(text, sizeof(text), "0x%" PRIx64, p->address);
	return new_string(text);
}

static json *new_pool(const struct model_pool *mp, const struct snapshot *s)
{
	const struct pool *p = mp->pool;
	bool books = p->has & POOL_HAS_BOOKS, params = p->has & POOL_HAS_PARAMS;
	json *o = json_object_new_object();

	add(o, "key", new_key(p));
	add(o, "id", new_uint(p->has & POOL_HAS_ID, p->id));
	add(o, "address", new_address(p));
	add(o, "state", new_string(pool_state_names[p->state]));
	add(o, "visible", json_object_new_boolean(p->visible));
	add(o, "since", new_time(&p->since));
	add(o, "device", new_device(p));
	add(o, "creator", new_string(p->creator));
	add(o, "params", new_params(p));
	add(o, "inflight",
	    new_inflight(p->has & POOL_HAS_INFLIGHT, p->inflight, p->inflight_bytes));
	add(o, "hold", new_uint(books, p->hold));
	add(o, "release", new_uint(books, p->release));
	add(o, "cache", new_fill(books, p->cache, books, 128)); /* PP_ALLOC_CACHE_SIZE */
	add(o, "ring", new_fill(books, p->ring, params, p->ring_size));
	add(o, "destroyed_s", new_real(p->has & POOL_HAS_DESTROYED ? p->destroyed_s : (double)NAN));
	add_totals(o, &p->total, p->counters_known);
	add_figures(o, &mp->figures);
	add(o, "audit", new_audit(&p->audit));
	add(o, "cpus", json_cpus(p, s->nr_cpus));
	add(o, "verdicts", json_object_new_array());
	return o;
}

/* Is there a row for devices too many to be told apart? It has a part of any device's sums. */
static bool has_others(const struct model *m)
{
	for (size_t i = 0; i < m->nr_devices; i++)
		if (m->devices[i].others)
			return true;
	return false;
}

/* @complete: no pool is missing from the sums, as far as is known */
static void add_sums(json *o, const struct model_device *d, bool complete)
{
	add(o, "complete", json_object_new_boolean(complete));
	add(o, "pools", json_object_new_int64(d->pools));
	add(o, "inflight", new_inflight(d->inflight_known, d->inflight, d->inflight_bytes));
	add_totals(o, &d->total, d->counters_known);
	add_figures(o, &d->figures);
}

static json *new_sum_device(const struct model_device *d, bool complete)
{
	json *o = json_object_new_object(), *dev = json_object_new_object();

	add(dev, "ifname", new_string(d->ifname));
	add(dev, "ifindex", new_int(d->ifindex > 0, d->ifindex));
	add(dev, "netns", new_netns(d->netns, d->netns_name));
	add(dev, "netns_inode", new_uint(d->netns, d->netns));
	add(dev, "driver", new_string(d->driver));
	add(o, "device", dev);
	add(o, "others", json_object_new_boolean(d->others));
	add_sums(o, d, complete);
	return o;
}

/* Where a counter comes from: the rung, "derived" from the books, or nowhere. */
static const char *counter_source(const struct source_info *info, enum pp_counter i)
{
	for (int k = 0; k < info->nr_missing; k++)
		if (!strcmp(info->missing[k].counter, counter_paths[i]) ||
		    !strcmp(info->missing[k].counter, "all"))
			return NULL;
	return info->derived & (1u << i) ? "derived" : info->counters;
}

static json *new_source(const struct source_info *info)
{
	json *o = json_object_new_object(), *missing = json_object_new_array();
	json *each = json_object_new_object();

	for (int i = 0; i < PP_NR_COUNTERS; i++)
		add(each, counter_paths[i], new_string(counter_source(info, (enum pp_counter)i)));
	for (int i = 0; i < info->nr_missing; i++) {
		json *m = json_object_new_object();

		add(m, "counter", new_text(info->missing[i].counter));
		add(m, "reason", new_text(info->missing[i].reason));
		json_object_array_add(missing, m);
	}
	add(o, "counters", new_string(info->counters));
	add(o, "state", new_string(info->state));
	add(o, "level", new_string(info->level));
	add(o, "attached", json_object_new_boolean(info->attached));
	add(o, "each", each);
	add(o, "missing", missing);
	return o;
}

static json *new_document(const struct model *m)
{
	json *o = json_object_new_object(), *host = json_object_new_object();
	json *losses = json_object_new_object(), *totals = json_object_new_object();
	json *pools = json_object_new_array(), *devices = json_object_new_array();
	bool complete = !m->now.lost_pools, apart = !has_others(m);

	add(host, "name", new_string(m->now.host.name));
	add(host, "kernel", new_string(m->now.host.kernel));
	add(host, "cpus", json_object_new_int(m->now.host.cpus));
	add(host, "page_size", json_object_new_int64(m->now.host.page_size));
	add(losses, "pools", json_object_new_uint64(m->now.lost_pools));
	add(losses, "events", json_object_new_uint64(m->now.lost_events));
	for (size_t i = 0; i < m->nr_pools; i++)
		json_object_array_add(pools, new_pool(&m->pools[i], &m->now));
	for (size_t i = 0; i < m->nr_devices; i++)
		json_object_array_add(devices, new_sum_device(&m->devices[i], complete && apart));
	add_sums(totals, &m->totals, complete);

	add(o, "schema", new_string("ppooltop/1"));
	add(o, "time", new_time(&m->now.time));
	add(o, "interval_s", new_interval(m->interval_s));
	add(o, "host", host);
	add(o, "source", new_source(&m->now.source));
	add(o, "losses", losses);
	add(o, "pools", pools);
	add(o, "devices", devices);
	add(o, "totals", totals);
	return o;
}

int view_json(FILE *f, const struct model *m, bool pretty)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
	json *doc = new_document(m);
	const char *text;
	int err = -ENOMEM;

	flags |=
		pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN;
	text = json_object_to_json_string_ext(doc, flags);
	/* In one go: whoever reads gets a whole document or none. */
	if (text) {
		fputs(text, f);
		fputc('\n', f);
		err = finish_output(f);
	}
	json_object_put(doc);
	return err;
}
