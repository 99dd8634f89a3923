// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>
#include <linux/types.h>

#include "document.h"
#include "hooks.h"
#include "slots.h"

#define MAX_CPUS     8192	    /* the most that NR_CPUS may be, arch/x86/Kconfig */
#define MAX_INTERVAL 1e9	    /* seconds: more is no interval */
#define MAX_TIME     253402300799LL /* the end of 9999, the last year of RFC 3339 */

typedef struct json_object json;

/* The first thing that is wrong stays; what is read after it does not matter. */
struct reader {
	struct snapshot *s;
	double back_s;
	const char *list; /* which element of which list is read, or NULL */
	size_t index;
	char *why;
	size_t len;
	int err;
};

static void wrong(struct reader *r, const char *key, const char *wanted)
{
	char where[48] = "";

	if (r->err)
		return;
	r->err = -EBADMSG;
	if (r->list)
		snprintf(where, sizeof(where), "%s[%zu]: ", r->list, r->index);
	snprintf(r->why, r->len, "%s\"%s\" wants %s", where, key, wanted);
}

/* The value of @key, or NULL where it is not known or of the wrong type. */
static json *get(struct reader *r, json *o, const char *key, json_type type, const char *wanted)
{
	json *v = NULL;

	if (!o || !json_object_object_get_ex(o, key, &v) || !v)
		return NULL;
	if (json_object_is_type(v, type))
		return v;
	wrong(r, key, wanted);
	return NULL;
}

static json *get_object(struct reader *r, json *o, const char *key)
{
	return get(r, o, key, json_type_object, "an object");
}

static json *get_list(struct reader *r, json *o, const char *key)
{
	return get(r, o, key, json_type_array, "a list");
}

static size_t list_length(json *list)
{
	return list ? json_object_array_length(list) : 0;
}

/* Element @i of @list, which has the name @key, or NULL. */
static json *get_element(struct reader *r, json *list, const char *key, size_t i)
{
	json *o = json_object_array_get_idx(list, i);

	if (json_object_is_type(o, json_type_object))
		return o;
	wrong(r, key, "objects");
	return NULL;
}

/* Is it known? If not, *@v stays as it is. */
static bool get_int(struct reader *r, json *o, const char *key, int64_t min, int64_t max,
		    int64_t *v)
{
	json *n = get(r, o, key, json_type_int, "a whole number");
	int64_t value;

	if (!n)
		return false;
	value = json_object_get_int64(n);
	if (value < min || value > max) {
		wrong(r, key, "a number within its range");
		return false;
	}
	*v = value;
	return true;
}

static bool get_u64(struct reader *r, json *o, const char *key, uint64_t *v)
{
	json *n = get(r, o, key, json_type_int, "a whole number");

	if (!n)
		return false;
	if (json_object_get_int64(n) < 0) {
		wrong(r, key, "a number that is not negative");
		return false;
	}
	*v = json_object_get_uint64(n);
	return true;
}

static bool get_u32(struct reader *r, json *o, const char *key, uint32_t *v)
{
	int64_t value;

	if (!get_int(r, o, key, 0, UINT32_MAX, &value))
		return false;
	*v = (uint32_t)value;
	return true;
}

static bool get_plain_int(struct reader *r, json *o, const char *key, int *v)
{
	int64_t value;

	if (!get_int(r, o, key, INT_MIN, INT_MAX, &value))
		return false;
	*v = (int)value;
	return true;
}

/* A number of something the kernel counts in an int from 0 on. */
static bool get_index(struct reader *r, json *o, const char *key, int *v)
{
	int64_t value;

	if (!get_int(r, o, key, 0, INT_MAX, &value))
		return false;
	*v = (int)value;
	return true;
}

static double get_real(struct reader *r, json *o, const char *key)
{
	json *v = NULL;

	if (!o || !json_object_object_get_ex(o, key, &v) || !v)
		return NAN;
	if (json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int))
		return json_object_get_double(v);
	wrong(r, key, "a number");
	return NAN;
}

static bool get_bool(struct reader *r, json *o, const char *key)
{
	json *v = get(r, o, key, json_type_boolean, "true or false");

	return v && json_object_get_boolean(v);
}

/* The string, owned by @o, or NULL. */
static const char *get_string(struct reader *r, json *o, const char *key)
{
	json *v = get(r, o, key, json_type_string, "a string");

	return v ? json_object_get_string(v) : NULL;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * A byte of a name that was no UTF-8 is the two bytes of the character with its number in a
 * document: a name that does not fit for that is made of bytes again. One that still does not is
 * cut, between characters.
 */
static void copy_text(char *to, size_t len, const char *from)
{
	bool fits = strlen(from) < len;
	size_t n = 0;

	for (; *from && n + 1 < len; from++) {
		if (!fits && ((unsigned char)from[0] & 0xfe) == 0xc2 && is_continuation(from[1])) {
			to[n++] = (char)((unsigned char)from[0] << 6 | (from[1] & 0x3f));
			from++;
		} else {
			to[n++] = *from;
		}
	}
	if (is_continuation(*from))
		while (n && is_continuation(to[--n]))
			;
	to[n] = '\0';
}

static void get_text(struct reader *r, json *o, const char *key, char *to, size_t len)
{
	const char *text = get_string(r, o, key);

	if (text)
		copy_text(to, len, text);
}

/* RFC 3339 in UTC, "2026-01-02T03:04:05.678Z", of years that a document can have. */
static bool parse_time(const char *text, struct timespec *ts)
{
	long unit = 100000000;
	struct tm tm = {0};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!end)
		return false;
	ts->tv_nsec = 0;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10)
			ts->tv_nsec += (*end - '0') * unit;
	ts->tv_sec = timegm(&tm);
	return !strcmp(end, "Z") && ts->tv_sec >= 0 && ts->tv_sec <= MAX_TIME;
}

static void get_time(struct reader *r, json *o, const char *key, struct timespec *ts)
{
	const char *text = get_string(r, o, key);

	if (text && !parse_time(text, ts))
		wrong(r, key, "a time as 2026-01-02T03:04:05.678Z");
}

/*
 * What @rate says was counted since then is taken back; there was not less than nothing. Returns
 * the bits PP_x of those that have a rate: the others were not known then.
 */
static uint32_t go_back(struct reader *r, json *rate, struct counters *n)
{
	json *alloc = get_object(r, rate, "alloc"), *recycle = get_object(r, rate, "recycle");
	double since[PP_NR_COUNTERS];
	uint32_t known = 0;

#define PP_X(ID, side, key, ...) since[PP_##ID] = get_real(r, side, #key) * r->back_s;
	PP_COUNTERS(PP_X)
#undef PP_X
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (since[i] >= (double)n->n[i])
			n->n[i] = 0;
		else if (since[i] > 0)
			n->n[i] -= (uint64_t)llround(since[i]);
		known |= isnan(since[i]) ? 0 : 1u << i;
	}
	return known;
}

/* Bits PP_x of those that are known */
static uint32_t get_counts(struct reader *r, json *o, struct counters *n)
{
	json *alloc = get_object(r, o, "alloc"), *recycle = get_object(r, o, "recycle");
	uint32_t known = 0;

#define PP_X(ID, side, key, ...)                    \
	if (get_u64(r, side, #key, &n->n[PP_##ID])) \
		known |= 1u << PP_##ID;
	PP_COUNTERS(PP_X)
#undef PP_X
	return known;
}

/* The same of @o with rates, as it was then if that is asked for. */
static uint32_t get_counters(struct reader *r, json *o, struct counters *n)
{
	uint32_t known = get_counts(r, o, n);

	return r->back_s > 0 ? known & go_back(r, get_object(r, o, "rate"), n) : known;
}

/* A number for a namespace of which only the name is known (FNV-1a) */
static uint32_t number_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ? hash : 1;
}

/* "netns" is the name or, where there is none, the inode number. */
static void get_netns(struct reader *r, json *o, uint32_t *inode, char *name, size_t len)
{
	bool known = get_u32(r, o, "netns_inode", inode) && *inode;
	const char *text = get_string(r, o, "netns");
	unsigned long number;
	char *end;

	if (!text || !*text)
		return;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (!*end && !errno && number <= UINT32_MAX && *text != '+' && *text != '-' &&
	    (!known || number == *inode)) {
		*inode = (uint32_t)number;
		return;
	}
	copy_text(name, len, text);
	if (!known)
		*inode = number_of(text);
}

static void get_device(struct reader *r, json *o, struct pool *p)
{
	get_text(r, o, "ifname", p->ifname, sizeof(p->ifname));
	get_index(r, o, "ifindex", &p->ifindex);
	get_netns(r, o, &p->netns, p->netns_name, sizeof(p->netns_name));
	get_text(r, o, "driver", p->driver, sizeof(p->driver));
	get_index(r, o, "queue", &p->queue);
	get_u32(r, o, "napi_id", &p->napi_id);
	get_text(r, o, "dev", p->dev, sizeof(p->dev));
}

/* The place of @word in @words, or -1 */
static int word_index(const char *const *words, int nr, const char *word)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static void get_flags(struct reader *r, json *params, struct pool *p)
{
	json *list = get_list(r, params, "flags");

	for (size_t i = 0; i < list_length(list); i++) {
		json *o = json_object_array_get_idx(list, i);
		int bit;

		if (!json_object_is_type(o, json_type_string)) {
			wrong(r, "flags", "strings");
			return;
		}
		bit = word_index(pool_flag_names, NR_POOL_FLAGS, json_object_get_string(o));
		if (bit >= 0)
			p->flags |= 1u << bit;
	}
}

/* false, true, or the name of its operations */
static void get_provider(struct reader *r, json *params, struct pool *p)
{
	json *v = NULL;

	json_object_object_get_ex(params, "provider", &v);
	if (!v)
		return;
	if (json_object_is_type(v, json_type_boolean)) {
		p->provider = json_object_get_boolean(v);
		return;
	}
	get_text(r, params, "provider", p->provider_name, sizeof(p->provider_name));
	p->provider = true;
}

static void get_params(struct reader *r, json *params, struct pool *p)
{
	const char *dma_dir = get_string(r, params, "dma_dir");
	int dir = dma_dir ? word_index(dma_dir_names, NR_DMA_DIRS, dma_dir) : -1;

	if (!params || !get_u32(r, params, "order", &p->order))
		return;
	p->has |= POOL_HAS_PARAMS;
	get_u32(r, params, "ring_size", &p->ring_size);
	get_u32(r, params, "pool_size", &p->pool_size);
	get_plain_int(r, params, "nid", &p->nid);
	p->dma_dir = dir >= 0 ? (uint32_t)dir : NR_DMA_DIRS;
	get_u32(r, params, "offset", &p->offset);
	get_u32(r, params, "max_len", &p->max_len);
	get_flags(r, params, p);
	get_provider(r, params, p);
}

static void get_books(struct reader *r, json *o, struct pool *p)
{
	json *inflight = get_object(r, o, "inflight");

	if (get_int(r, inflight, "pages", INT64_MIN, INT64_MAX, &p->inflight))
		p->has |= POOL_HAS_INFLIGHT;
	get_u64(r, inflight, "bytes", &p->inflight_bytes);
	if (get_u32(r, o, "hold", &p->hold) && get_u32(r, o, "release", &p->release) &&
	    get_u32(r, get_object(r, o, "cache"), "pages", &p->cache) &&
	    get_u32(r, get_object(r, o, "ring"), "pages", &p->ring))
		p->has |= POOL_HAS_BOOKS;
}

static void get_audit(struct reader *r, json *audit, struct pool *p)
{
	p->audit.known =
		get_int(r, audit, "unaccounted", INT64_MIN, INT64_MAX, &p->audit.unaccounted);
}

static void get_state(struct reader *r, json *o, struct pool *p)
{
	const char *name = get_string(r, o, "state");

	for (int i = 0; name && i < POOL_NR_STATES; i++) {
		if (strcmp(name, pool_state_names[i]) != 0)
			continue;
		p->state = (enum pool_state)i;
		return;
	}
	if (name)
		wrong(r, "state", "live, draining, stuck, system, impossible or dead");
}

/* "0xffff888012345678", and the generation from the key "ffff888012345678.3" */
static void get_address(struct reader *r, json *o, struct pool *p)
{
	const char *address = get_string(r, o, "address"), *key = get_string(r, o, "key");
	char *end;

	if (!address)
		return;
	errno = 0;
	p->address = strtoull(address, &end, 16);
	if (strncmp(address, "0x", 2) != 0 || !address[2] || *end || errno) {
		wrong(r, "address", "a string of hexadecimal digits after 0x");
		return;
	}
	p->has |= POOL_HAS_ADDRESS;
	key = key ? strchr(key, '.') : NULL;
	if (key)
		p->generation = 2 * (uint32_t)strtoul(key + 1, NULL, 10);
}

static void get_cpus(struct reader *r, json *list, struct pool *p)
{
	p->cpus_known = ~0u;
	for (size_t i = 0; i < list_length(list) && !r->err; i++) {
		json *o = json_object_array_get_idx(list, i);
		int64_t cpu;

		/* max_cpus() made sure that it is one, and below nr_cpus */
		if (get_int(r, o, "cpu", 0, r->s->nr_cpus - 1, &cpu))
			p->cpus_known &= get_counts(r, o, &p->cpus[cpu]);
	}
	p->has |= POOL_HAS_CPUS;
}

static int get_pool(struct reader *r, json *o)
{
	json *cpus = get_list(r, o, "cpus");
	struct pool *p = snapshot_add(r->s, list_length(cpus) > 0);
	double destroyed_s;

	if (!p)
		return -ENOMEM;
	get_address(r, o, p);
	if (get_u32(r, o, "id", &p->id) && p->id) /* the kernel's begin at 1 */
		p->has |= POOL_HAS_ID;
	get_state(r, o, p);
	p->visible = get_bool(r, o, "visible");
	get_time(r, o, "since", &p->since);
	get_device(r, get_object(r, o, "device"), p);
	get_text(r, o, "creator", p->creator, sizeof(p->creator));
	get_params(r, get_object(r, o, "params"), p);
	get_books(r, o, p);
	destroyed_s = get_real(r, o, "destroyed_s");
	if (destroyed_s < 0)
		wrong(r, "destroyed_s", "a number that is not negative");
	if (isfinite(destroyed_s)) {
		p->destroyed_s = destroyed_s;
		p->has |= POOL_HAS_DESTROYED;
	}
	get_audit(r, get_object(r, o, "audit"), p);
	p->counters_known = get_counters(r, o, &p->total);
	if (p->cpus)
		get_cpus(r, cpus, p);
	if (r->back_s > 0)
		p->has &= ~(uint32_t)POOL_HAS_INFLIGHT;
	return r->err;
}

/* What an array indexed by the CPUs of @pool needs: one more than the highest */
static int max_cpus(struct reader *r, json *pool)
{
	json *list = get_list(r, pool, "cpus");
	int64_t cpu, nr = 0;

	for (size_t i = 0; i < list_length(list); i++) {
		json *o = get_element(r, list, "cpus", i);

		if (o && !get_int(r, o, "cpu", 0, MAX_CPUS - 1, &cpu))
			wrong(r, "cpu", "a number");
		else if (o && cpu >= nr)
			nr = cpu + 1;
	}
	return (int)nr;
}

static int get_pools(struct reader *r, json *list)
{
	size_t nr = list_length(list);

	r->list = "pools";
	r->s->nr_cpus = 1;
	for (r->index = 0; r->index < nr && !r->err; r->index++) {
		json *o = get_element(r, list, "pools", r->index);
		int cpus = max_cpus(r, o);

		if (cpus > r->s->nr_cpus)
			r->s->nr_cpus = cpus;
	}
	for (r->index = 0; r->index < nr && !r->err; r->index++) {
		int err = get_pool(r, json_object_array_get_idx(list, r->index));

		if (err)
			return err;
	}
	r->list = NULL;
	return r->err;
}

/* Do counts of @p belong to the device of @past? As find_device() of the model sees it. */
static bool is_on(const struct pool *p, const struct past *past)
{
	return !past->others && p->state != POOL_DEAD && p->netns == past->netns &&
	       p->ifindex == past->ifindex && (p->ifindex || !strcmp(p->ifname, past->ifname));
}

/*
 * A document has what a device counted in all. What its pools did not count was counted by pools
 * that are gone. If they counted more than that, they did so on other devices before: then this is
 * less than nothing, and wraps, and the model's sum wraps back. A sum is known if all its parts
 * are: what a pool does not know of its own is part of it elsewhere.
 */
static void settle(struct snapshot *s, struct past *past)
{
	for (size_t i = 0; i < s->nr_pools; i++) {
		struct pool *p = &s->pools[i];

		if (!is_on(p, past))
			continue;
		for (int k = 0; k < PP_NR_COUNTERS; k++)
			if (past->counters_known & (1u << k))
				past->total.n[k] -= p->total.n[k];
		p->counted_apart = past->counters_known & ~p->counters_known;
	}
}

static int get_devices(struct reader *r, json *list)
{
	r->list = "devices";
	for (r->index = 0; r->index < list_length(list) && !r->err; r->index++) {
		json *o = get_element(r, list, "devices", r->index);
		json *device = get_object(r, o, "device");
		struct past *past = snapshot_add_past(r->s);

		if (!past)
			return -ENOMEM;
		get_text(r, device, "ifname", past->ifname, sizeof(past->ifname));
		get_index(r, device, "ifindex", &past->ifindex);
		get_netns(r, device, &past->netns, past->netns_name, sizeof(past->netns_name));
		get_text(r, device, "driver", past->driver, sizeof(past->driver));
		past->others = get_bool(r, o, "others");
		past->pools = 1; /* a device is in a document because there was one */
		past->counters_known = get_counters(r, o, &past->total);
		settle(r->s, past);
	}
	r->list = NULL;
	return r->err;
}

/* The name that is this word, for ever: what a snapshot has is not to be freed. */
static const char *source_name(const char *word)
{
	static const char *const names[] = {"netlink", "tracepoint+"};
	int i;

	if (!word)
		return NULL;
	i = word_index(rung_names, NR_RUNGS, word);
	if (i >= 0)
		return rung_names[i];
	i = word_index(names, sizeof(names) / sizeof(names[0]), word);
	return i >= 0 ? names[i] : "unknown";
}

static const char *get_level(struct reader *r, json *o)
{
	const char *word = get_string(r, o, "level");
	int i = word ? word_index(level_names, PP_NR_LEVELS, word) : -1;

	if (word && i < 0)
		wrong(r, "level", "full, derived or slow");
	return i >= 0 ? level_names[i] : NULL;
}

static void get_missing(struct reader *r, json *list, struct source_info *info)
{
	for (size_t i = 0; i < list_length(list) && i < PP_NR_COUNTERS; i++) {
		json *o = get_element(r, list, "missing", i);
		struct missing *m = &info->missing[info->nr_missing++];

		get_text(r, o, "counter", m->counter, sizeof(m->counter));
		get_text(r, o, "reason", m->reason, sizeof(m->reason));
	}
}

static void get_source(struct reader *r, json *o)
{
	struct source_info *info = &r->s->source;
	json *each = get_object(r, o, "each");

	info->counters = source_name(get_string(r, o, "counters"));
	info->state = source_name(get_string(r, o, "state"));
	info->level = get_level(r, o);
	info->attached = get_bool(r, o, "attached");
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		const char *from = get_string(r, each, counter_paths[i]);

		if (from && !strcmp(from, "derived"))
			info->derived |= 1u << i;
	}
	get_missing(r, get_list(r, o, "missing"), info);
}

static void get_head(struct reader *r, json *doc)
{
	json *host = get_object(r, doc, "host"), *losses = get_object(r, doc, "losses");
	const char *schema = get_string(r, doc, "schema");
	struct snapshot *s = r->s;
	int64_t page_size;

	if (!schema || strcmp(schema, "ppooltop/1") != 0)
		wrong(r, "schema", "\"ppooltop/1\"");
	get_time(r, doc, "time", &s->time);
	get_real(r, doc, "interval_s"); /* for document_interval(), which does not complain */
	get_text(r, host, "name", s->host.name, sizeof(s->host.name));
	get_text(r, host, "kernel", s->host.kernel, sizeof(s->host.kernel));
	get_index(r, host, "cpus", &s->host.cpus);
	if (get_int(r, host, "page_size", 0, LONG_MAX, &page_size))
		s->host.page_size = (long)page_size;
	get_u64(r, losses, "pools", &s->lost_pools);
	get_u64(r, losses, "events", &s->lost_events);
	get_source(r, get_object(r, doc, "source"));
}

int document_read(struct json_object *doc, double back_s, struct snapshot *s, char *why, size_t len)
{
	struct reader r = {.s = s, .back_s = back_s, .why = why, .len = len};
	json *devices;
	int err;

	if (!json_object_is_type(doc, json_type_object)) {
		snprintf(why, len, "this is no document of ppooltop dump");
		return -EBADMSG;
	}
	get_head(&r, doc);
	devices = get_list(&r, doc, "devices");
	s->whole_past = devices;
	err = r.err ? r.err : get_pools(&r, get_list(&r, doc, "pools"));
	return err ? err : get_devices(&r, devices);
}

double document_interval(struct json_object *doc)
{
	struct reader r = {0};
	double s =
		get_real(&r, json_object_is_type(doc, json_type_object) ? doc : NULL, "interval_s");

	return s > 0 && s <= MAX_INTERVAL ? s : (double)NAN;
}
