// SPDX-License-Identifier: GPL-2.0-or-later
/* The document ppooltop/1, read back by json-c and by eye. */
#include "unit.h"

#include <errno.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "view.h"

typedef struct json_object json;

static char *text_of(const struct model *m, bool pretty)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(view_json(f, m, pretty), 0);
	fclose(f);
	assert_int_equal(strlen(text), len);
	return text;
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF */
static bool is_utf8(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		unsigned char low = 0x80, high = 0xbf;
		int more = *s < 0x80 ? 0 : *s < 0xc2 ? -1 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;

		if (more < 0 || *s > 0xf4)
			return false;
		if (*s == 0xe0)
			low = 0xa0;
		if (*s == 0xed)
			high = 0x9f;
		if (*s == 0xf0)
			low = 0x90;
		if (*s == 0xf4)
			high = 0x8f;
		for (s++; more; more--, s++, low = 0x80, high = 0xbf)
			if (*s < low || *s > high)
				return false;
	}
	return true;
}

static json *parse(const char *text)
{
	json_tokener *tok = json_tokener_new();
	json *doc;

	assert_non_null(tok);
	assert_true(is_utf8(text));
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	doc = json_tokener_parse_ex(tok, text, (int)strlen(text) + 1);
	if (!doc)
		fail_msg("%s in: %s", json_tokener_error_desc(json_tokener_get_error(tok)), text);
	json_tokener_free(tok);
	return doc;
}

/* The document of @m, which is freed. */
static json *document(struct model *m)
{
	char *text = text_of(m, false);
	json *doc = parse(text);

	free(text);
	model_free(m);
	return doc;
}

/* "pools.0.alloc.fast" below @o; the key has to exist. */
static json *at(json *o, const char *path)
{
	char copy[128], *word, *save;

	snprintf(copy, sizeof(copy), "%s", path);
	for (word = strtok_r(copy, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
		json *next = NULL;

		if (json_object_is_type(o, json_type_array)) {
			size_t i = strtoul(word, NULL, 10);

			assert_true(i < json_object_array_length(o));
			next = json_object_array_get_idx(o, i);
		} else if (!json_object_object_get_ex(o, word, &next)) {
			fail_msg("no %s in %s", word, path);
		}
		o = next;
	}
	return o;
}

static void check_text(json *doc, const char *path, const char *want)
{
	const char *is = json_object_get_string(at(doc, path));

	if (!json_object_is_type(at(doc, path), json_type_string) || strcmp(is, want) != 0)
		fail_msg("%s is %s, not %s", path, is ? is : "null", want);
}

static void check_int(json *doc, const char *path, int64_t want)
{
	if (!json_object_is_type(at(doc, path), json_type_int) ||
	    json_object_get_int64(at(doc, path)) != want)
		fail_msg("%s is %s, not %lld", path, json_object_get_string(at(doc, path)),
			 (long long)want);
}

static void check_bool(json *doc, const char *path, bool want)
{
	if (!json_object_is_type(at(doc, path), json_type_boolean) ||
	    json_object_get_boolean(at(doc, path)) != want)
		fail_msg("%s is %s, not %d", path, json_object_get_string(at(doc, path)), want);
}

static void check_null(json *doc, const char *path)
{
	if (at(doc, path))
		fail_msg("%s is %s, not null", path, json_object_get_string(at(doc, path)));
}

static void update(struct model *m, struct snapshot *s)
{
	assert_int_equal(model_update(m, s), 0);
}

/* Everything is known, and each number is another. */
static void fill(struct pool *p, uint64_t add)
{
	p->has |= POOL_HAS_ID | POOL_HAS_DESTROYED;
	p->id = 42;
	p->since = (struct timespec){1767225600, 5000000};
	snprintf(p->netns_name, sizeof(p->netns_name), "blue");
	snprintf(p->driver, sizeof(p->driver), "mlx5_core");
	p->queue = 5;
	p->napi_id = 8193;
	p->order = 1;
	p->pool_size = 40000;
	p->ring_size = 16384;
	p->nid = 0;
	p->flags = 3;
	p->dma_dir = 2;
	p->max_len = 4096;
	p->offset = 256;
	p->inflight = 6;
	p->inflight_bytes = 49152;
	p->hold = 4294967295u;
	p->release = 4294967289u;
	p->cache = 60;
	p->ring = 700;
	p->destroyed_s = 505602;
	p->provider = true;
	snprintf(p->provider_name, sizeof(p->provider_name), "dmabuf_devmem_ops");
	snprintf(p->creator, sizeof(p->creator), "mlx5e_alloc_rq");
	p->audit = (struct audit){.known = true, .unaccounted = 64};
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		p->total.n[i] = (uint64_t)(i + 1) * 1000 + add;
		p->cpus[1].n[i] = (uint64_t)(i + 1) * 1000 + add;
	}
}

static void full_model(struct model *m)
{
	struct snapshot s;

	model_init(m);
	for (uint64_t i = 0; i < 2; i++) {
		unit_snapshot(&s, 10 + 2 * (double)i);
		s.lost_pools = 3;
		s.lost_events = 4;
		s.source.attached = true;
		s.source.nr_missing = 1;
		snprintf(s.source.missing[0].counter, 32, "alloc.waive");
		snprintf(s.source.missing[0].reason, 128, "no hook");
		fill(unit_pool(&s, 0xffff888012345678, 6), 100 * i);
		update(m, &s);
	}
}

/* Design, section 5: these keys are there whatever is known. */
static const char *const document_keys[] = {
	"schema",
	"time",
	"interval_s",
	"host.name",
	"host.kernel",
	"host.cpus",
	"host.page_size",
	"source.counters",
	"source.state",
	"source.level",
	"source.attached",
	"source.each",
	"source.missing",
	"losses.pools",
	"losses.events",
	"pools",
	"devices",
	"totals.complete",
	"totals.pools",
	"totals.inflight.pages",
	"totals.inflight.bytes",
	"totals.recycle_ratio",
};

static const char *const pool_keys[] = {
	"key",
	"id",
	"address",
	"state",
	"visible",
	"since",
	"device.ifname",
	"device.ifindex",
	"device.netns",
	"device.netns_inode",
	"device.driver",
	"device.queue",
	"device.napi_id",
	"device.dev",
	"creator",
	"params.order",
	"params.ring_size",
	"params.pool_size",
	"params.nid",
	"params.flags",
	"params.dma_dir",
	"params.offset",
	"params.max_len",
	"params.provider",
	"inflight.pages",
	"inflight.bytes",
	"hold",
	"release",
	"cache.pages",
	"cache.capacity",
	"ring.pages",
	"ring.capacity",
	"destroyed_s",
	"recycle_ratio",
	"audit.ok",
	"audit.unaccounted",
	"cpus",
	"verdicts",
};

static const char *const device_keys[] = {
	"device.ifname",  "device.ifindex", "device.netns",  "device.netns_inode",
	"device.driver",  "others",	    "complete",	     "pools",
	"inflight.pages", "inflight.bytes", "recycle_ratio",
};

static const char *const counter_keys[] = {
	"alloc.fast",	"alloc.slow",	     "alloc.slow_high_order",	"alloc.empty",
	"alloc.refill", "alloc.waive",	     "recycle.cached",		"recycle.cache_full",
	"recycle.ring", "recycle.ring_full", "recycle.released_refcnt",
};

static void check_keys(json *o, const char *const *keys, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		at(o, keys[i]);
}

static void check_counter_keys(json *o, bool rate)
{
	check_keys(o, counter_keys, ARRAY_SIZE(counter_keys));
	if (rate)
		check_keys(at(o, "rate"), counter_keys, ARRAY_SIZE(counter_keys));
}

/* Where a counter comes from: its path is one key here. */
static const char *source_of(json *doc, const char *counter)
{
	json *o = NULL;

	if (!json_object_object_get_ex(at(doc, "source.each"), counter, &o))
		fail_msg("no %s in source.each", counter);
	return json_object_get_string(o);
}

static void check_all_keys(json *doc)
{
	check_keys(doc, document_keys, ARRAY_SIZE(document_keys));
	check_keys(at(doc, "pools.0"), pool_keys, ARRAY_SIZE(pool_keys));
	check_counter_keys(at(doc, "pools.0"), true);
	check_keys(at(doc, "devices.0"), device_keys, ARRAY_SIZE(device_keys));
	check_counter_keys(at(doc, "devices.0"), true);
	check_counter_keys(at(doc, "totals"), true);
	for (size_t i = 0; i < ARRAY_SIZE(counter_keys); i++)
		source_of(doc, counter_keys[i]);
	assert_int_equal(json_object_object_length(at(doc, "source.each")),
			 ARRAY_SIZE(counter_keys));
}

static void every_key_is_there(void **state)
{
	struct model m;
	json *doc;

	(void)state;
	full_model(&m);
	doc = document(&m);
	check_all_keys(doc);
	check_keys(at(doc, "source.missing.0"), (const char *const[]){"counter", "reason"}, 2);
	check_counter_keys(at(doc, "pools.0.cpus.0"), false);
	json_object_put(doc);
}

static void values_are_right(void **state)
{
	struct model m;
	json *doc;

	(void)state;
	full_model(&m);
	doc = document(&m);
	check_text(doc, "schema", "ppooltop/1");
	check_text(doc, "time", "2026-01-02T03:04:05.678Z");
	assert_near(json_object_get_double(at(doc, "interval_s")), 2);
	check_text(doc, "host.name", "rx7");
	check_text(doc, "host.kernel", "6.1.0");
	check_int(doc, "host.page_size", 4096);
	check_text(doc, "source.counters", "fentry");
	check_text(doc, "source.state", "fentry");
	check_text(doc, "source.level", "full");
	check_bool(doc, "source.attached", true);
	check_text(doc, "source.missing.0.counter", "alloc.waive");
	check_int(doc, "losses.pools", 3);
	check_int(doc, "losses.events", 4);
	check_text(doc, "pools.0.key", "ffff888012345678.3");
	check_text(doc, "pools.0.address", "0xffff888012345678");
	check_int(doc, "pools.0.id", 42);
	check_text(doc, "pools.0.state", "live");
	check_text(doc, "pools.0.since", "2026-01-01T00:00:00.005Z");
	check_text(doc, "pools.0.device.ifname", "eth0");
	check_text(doc, "pools.0.device.netns", "blue");
	check_int(doc, "pools.0.device.netns_inode", 4026531840);
	check_int(doc, "devices.0.device.netns_inode", 4026531840);
	check_text(doc, "pools.0.device.driver", "mlx5_core");
	check_int(doc, "pools.0.device.queue", 5);
	check_int(doc, "pools.0.device.napi_id", 8193);
	/* scenario 5: what was asked for, and what is */
	check_int(doc, "pools.0.params.pool_size", 40000);
	check_int(doc, "pools.0.params.ring_size", 16384);
	check_int(doc, "pools.0.ring.capacity", 16384);
	check_text(doc, "pools.0.params.flags.0", "dma_map");
	check_text(doc, "pools.0.params.flags.1", "dma_sync_dev");
	check_text(doc, "pools.0.params.dma_dir", "from_device");
	check_text(doc, "pools.0.creator", "mlx5e_alloc_rq");
	check_text(doc, "pools.0.params.provider", "dmabuf_devmem_ops");
	check_bool(doc, "pools.0.audit.ok", false);
	check_int(doc, "pools.0.audit.unaccounted", 64);
	check_int(doc, "pools.0.inflight.pages", 6);
	check_int(doc, "pools.0.inflight.bytes", 49152);
	check_int(doc, "pools.0.hold", 4294967295);
	check_int(doc, "pools.0.release", 4294967289);
	/* scenario 11: days of it */
	assert_near(json_object_get_double(at(doc, "pools.0.destroyed_s")), 505602);
	for (size_t i = 0; i < ARRAY_SIZE(counter_keys); i++) {
		char path[64];

		check_int(at(doc, "pools.0"), counter_keys[i], 1000 * ((int64_t)i + 1) + 100);
		check_int(at(doc, "totals"), counter_keys[i], 1000 * ((int64_t)i + 1) + 100);
		snprintf(path, sizeof(path), "pools.0.rate.%s", counter_keys[i]);
		assert_near(json_object_get_double(at(doc, path)), 50);
	}
	/* only the CPU that counted */
	assert_int_equal(json_object_array_length(at(doc, "pools.0.cpus")), 1);
	check_int(doc, "pools.0.cpus.0.cpu", 1);
	check_int(doc, "devices.0.pools", 1);
	check_int(doc, "totals.inflight.bytes", 49152);
	json_object_put(doc);
}

/* As netlink shows a pool to a user who may do nothing: an id, and that is all. */
static void unknown_is_null(void **state)
{
	static const char *const nulls[] = {
		"address",
		"since",
		"device.ifname",
		"device.ifindex",
		"device.netns",
		"device.driver",
		"device.netns_inode",
		"device.queue",
		"device.napi_id",
		"device.dev",
		"creator",
		"params.order",
		"params.ring_size",
		"params.pool_size",
		"params.nid",
		"params.dma_dir",
		"params.offset",
		"params.max_len",
		"params.provider",
		"inflight.pages",
		"inflight.bytes",
		"hold",
		"release",
		"cache.pages",
		"cache.capacity",
		"ring.pages",
		"ring.capacity",
		"destroyed_s",
		"recycle_ratio",
		"audit.ok",
		"audit.unaccounted",
	};
	struct snapshot s;
	struct model m;
	struct pool *p;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	s.source = (struct source_info){.state = "netlink"};
	p = snapshot_add(&s, false);
	assert_non_null(p);
	p->has = POOL_HAS_ID;
	p->id = 7;
	update(&m, &s);
	doc = document(&m);
	check_all_keys(doc);
	check_text(doc, "pools.0.key", "id7");
	check_int(doc, "pools.0.id", 7);
	for (size_t i = 0; i < ARRAY_SIZE(nulls); i++)
		check_null(at(doc, "pools.0"), nulls[i]);
	for (size_t i = 0; i < ARRAY_SIZE(counter_keys); i++) {
		check_null(at(doc, "pools.0"), counter_keys[i]);
		check_null(at(doc, "pools.0.rate"), counter_keys[i]);
		check_null(at(doc, "devices.0"), counter_keys[i]);
		check_null(at(doc, "totals"), counter_keys[i]);
		check_null(at(doc, "totals.rate"), counter_keys[i]);
	}
	check_null(doc, "source.counters");
	check_null(doc, "source.level");
	check_bool(doc, "source.attached", false);
	check_null(doc, "totals.inflight.pages");
	check_null(doc, "devices.0.inflight.bytes");
	json_object_put(doc);
}

/* One counter that is missing takes no other along. */
static void one_unknown_counter(void **state)
{
	struct snapshot s;
	struct model m;
	json *doc;

	(void)state;
	for (int missing = 0; missing < PP_NR_COUNTERS; missing++) {
		model_init(&m);
		unit_snapshot(&s, 1);
		unit_pool(&s, 0x1000, 2)->counters_known &= ~(1u << missing);
		update(&m, &s);
		doc = document(&m);
		for (int i = 0; i < PP_NR_COUNTERS; i++) {
			if (i == missing)
				check_null(at(doc, "pools.0"), counter_keys[i]);
			else
				check_int(at(doc, "pools.0"), counter_keys[i], 0);
		}
		json_object_put(doc);
	}
}

/* Each counter says where it comes from: some are derived, some are missing. */
static void each_counter_has_its_source(void **state)
{
	struct snapshot s;
	struct model m;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	s.source.counters = "kprobe";
	s.source.derived = 1u << PP_FAST;
	s.source.nr_missing = 1;
	snprintf(s.source.missing[0].counter, 32, "recycle.ring");
	update(&m, &s);
	doc = document(&m);
	for (size_t i = 0; i < ARRAY_SIZE(counter_keys); i++) {
		const char *is = source_of(doc, counter_keys[i]);

		if (i == PP_FAST)
			assert_string_equal(is, "derived");
		else if (i == PP_RING)
			assert_null(is);
		else
			assert_string_equal(is, "kprobe");
	}
	json_object_put(doc);

	/* no source at all: one entry speaks of all of them */
	model_init(&m);
	unit_snapshot(&s, 1);
	s.source = (struct source_info){.state = "netlink", .nr_missing = 1};
	snprintf(s.source.missing[0].counter, 32, "all");
	update(&m, &s);
	doc = document(&m);
	for (size_t i = 0; i < ARRAY_SIZE(counter_keys); i++)
		assert_null(source_of(doc, counter_keys[i]));
	check_text(doc, "source.missing.0.counter", "all");
	json_object_put(doc);
}

/* No provider, one without a name, and one with: false, true, and the name. */
static void providers(void **state)
{
	struct snapshot s;
	struct model m;
	struct pool *p;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2);
	unit_pool(&s, 0x2000, 2)->provider = true;
	p = unit_pool(&s, 0x3000, 2);
	p->provider = true;
	snprintf(p->provider_name, sizeof(p->provider_name), "io_uring_pp_zc_ops");
	update(&m, &s);
	doc = document(&m);
	check_bool(doc, "pools.0.params.provider", false);
	check_bool(doc, "pools.1.params.provider", true);
	check_text(doc, "pools.2.params.provider", "io_uring_pp_zc_ops");
	/* nobody saw who made them */
	check_null(doc, "pools.0.creator");
	json_object_put(doc);
}

static void audits(void **state)
{
	struct snapshot s;
	struct model m;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2);
	unit_pool(&s, 0x2000, 2)->audit.known = true;
	unit_pool(&s, 0x3000, 2)->audit = (struct audit){.known = true, .unaccounted = 1};
	/* a leftover says nothing */
	unit_pool(&s, 0x4000, 2)->audit = (struct audit){.known = false, .unaccounted = 9};
	update(&m, &s);
	doc = document(&m);
	check_null(doc, "pools.0.audit.ok");
	check_null(doc, "pools.0.audit.unaccounted");
	check_bool(doc, "pools.1.audit.ok", true);
	check_int(doc, "pools.1.audit.unaccounted", 0);
	check_bool(doc, "pools.2.audit.ok", false);
	check_int(doc, "pools.2.audit.unaccounted", 1);
	check_null(doc, "pools.3.audit.ok");
	check_null(doc, "pools.3.audit.unaccounted");
	json_object_put(doc);
}

/* The kernel counts recycling per CPU, and allocations per pool. */
static void cpus_know_less(void **state)
{
	struct snapshot s;
	struct model m;
	struct pool *p;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	p->total.n[PP_FAST] = 11;
	p->total.n[PP_RING] = 12;
	p->cpus[1].n[PP_RING] = 12;
	p->cpus_known = 0;
	for (int i = PP_CACHED; i < PP_NR_COUNTERS; i++)
		p->cpus_known |= 1u << i;
	update(&m, &s);
	doc = document(&m);
	check_int(doc, "pools.0.alloc.fast", 11);
	assert_int_equal(json_object_array_length(at(doc, "pools.0.cpus")), 1);
	check_counter_keys(at(doc, "pools.0.cpus.0"), false);
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (i < PP_CACHED)
			check_null(at(doc, "pools.0.cpus.0"), counter_keys[i]);
		else
			check_int(at(doc, "pools.0.cpus.0"), counter_keys[i],
				  i == PP_RING ? 12 : 0);
	}
	json_object_put(doc);
}

/* Sums lack pools that found no slot. */
static void lost_pools_are_missing_from_sums(void **state)
{
	struct snapshot s;
	struct model m;
	json *doc;

	(void)state;
	for (uint64_t lost = 0; lost < 2; lost++) {
		model_init(&m);
		unit_snapshot(&s, 1);
		s.lost_pools = lost;
		s.lost_events = 1 - lost;
		unit_pool(&s, 0x1000, 2);
		update(&m, &s);
		doc = document(&m);
		check_bool(doc, "totals.complete", !lost);
		check_bool(doc, "devices.0.complete", !lost);
		check_bool(doc, "devices.0.others", false);
		json_object_put(doc);
	}
}

/* Nothing is missing in all, but of no one device it is known whether it has a part in that row. */
static void others_are_missing_from_devices(void **state)
{
	struct snapshot s;
	struct past *past;
	struct model m;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 1;
	past = snapshot_add_past(&s);
	assert_non_null(past);
	past->others = true;
	past->pools = 3;
	past->counters_known = ALL_COUNTERS;
	past->total.n[PP_FAST] = 41;
	snprintf(past->ifname, sizeof(past->ifname), "eth4094");
	update(&m, &s);
	doc = document(&m);
	check_bool(doc, "totals.complete", true);
	check_int(doc, "totals.alloc.fast", 42);
	assert_int_equal(json_object_array_length(at(doc, "devices")), 2);
	check_bool(doc, "devices.0.others", false);
	check_bool(doc, "devices.0.complete", false);
	check_text(doc, "devices.0.device.ifname", "eth0");
	check_bool(doc, "devices.1.others", true);
	check_bool(doc, "devices.1.complete", false);
	check_null(doc, "devices.1.device.ifname");
	check_int(doc, "devices.1.pools", 0);
	check_int(doc, "devices.1.alloc.fast", 41);
	json_object_put(doc);
}

static void first_snapshot_has_no_interval(void **state)
{
	struct snapshot s;
	struct model m;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->total.n[PP_FAST] = 4;
	update(&m, &s);
	doc = document(&m);
	check_null(doc, "interval_s");
	check_null(doc, "pools.0.rate.alloc.fast");
	check_int(doc, "pools.0.alloc.fast", 4);
	check_null(doc, "pools.0.audit.ok");
	json_object_put(doc);
}

/* Who divides counts by it finds the rates again. */
static void interval_to_the_nanosecond(void **state)
{
	static const struct {
		double s;
		const char *text;
	} cases[] = {
		{1, "1.0"}, {1.000123457, "1.000123457"}, {86400.123456789, "86400.123456789"}};
	struct model m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char want[64], *text;

		full_model(&m);
		m.interval_s = cases[i].s;
		text = text_of(&m, false);
		snprintf(want, sizeof(want), "\"interval_s\":%s,", cases[i].text);
		assert_non_null(strstr(text, want));
		free(text);
		model_free(&m);
	}
}

static void counters_are_whole(void **state)
{
	static const uint64_t values[] = {UINT64_MAX, UINT64_MAX - 1, (uint64_t)INT64_MAX + 1,
					  INT64_MAX, (1ULL << 53) + 1};
	struct snapshot s;
	struct model m;
	struct pool *p;
	json *doc;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
		char digits[32], *text;

		model_init(&m);
		unit_snapshot(&s, 1);
		p = unit_pool(&s, 0x1000, 2);
		for (int i = 0; i < PP_NR_COUNTERS; i++)
			p->total.n[i] = values[k];
		p->inflight_bytes = values[k];
		text = NULL;
		update(&m, &s);
		text = text_of(&m, false);
		snprintf(digits, sizeof(digits), ":%llu", (unsigned long long)values[k]);
		assert_non_null(strstr(text, digits));
		free(text);
		doc = document(&m);
		for (size_t i = 0; i < ARRAY_SIZE(counter_keys); i++)
			assert_true(json_object_get_uint64(
					    at(at(doc, "pools.0"), counter_keys[i])) == values[k]);
		assert_true(json_object_get_uint64(at(doc, "totals.inflight.bytes")) == values[k]);
		json_object_put(doc);
	}
}

/* Scenario 15: signed, and not in the sums */
static void impossible_pool(void **state)
{
	struct snapshot s;
	struct model m;
	struct pool *p;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	p->state = POOL_IMPOSSIBLE;
	p->inflight = -51446;
	update(&m, &s);
	doc = document(&m);
	check_text(doc, "pools.0.state", "impossible");
	check_int(doc, "pools.0.inflight.pages", -51446);
	json_object_put(doc);
}

/* The document of a pool with this name; what the name became. */
static void check_name(const char *name, const char *want)
{
	struct snapshot s;
	struct model m;
	struct pool *p;
	json *doc;

	model_init(&m);
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	snprintf(p->ifname, sizeof(p->ifname), "%s", name);
	snprintf(p->netns_name, sizeof(p->netns_name), "%s", name);
	snprintf(p->driver, sizeof(p->driver), "%s", name);
	update(&m, &s);
	doc = document(&m);
	if (want) {
		check_text(doc, "pools.0.device.ifname", want);
		check_text(doc, "pools.0.device.netns", want);
		check_text(doc, "pools.0.device.driver", want);
		check_text(doc, "devices.0.device.ifname", want);
	}
	json_object_put(doc);
}

static void names_stay_as_they_are(void **state)
{
	static const char *const names[] = {
		"a\"b",		"a,b",		"{a}",		 "[a]",
		"a\\b",		"</script>",	"h\303\244user", "\360\237\230\200",
		"\342\202\254", "\001\037\177", "\033[2J",	 "\364\217\277\277",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_name(names[i], names[i]);
}

/* Bytes that are no UTF-8 become the characters of that number. */
static void odd_bytes_become_characters(void **state)
{
	(void)state;
	check_name("\377\376", "\303\277\303\276");
	check_name("a\200b", "a\302\200b");
	check_name("\300\257", "\303\200\302\257");
	check_name("\303", "\303\203"); /* cut short */
	check_name("\342\202", "\303\242\302\202");
	check_name("\360\237\230x", "\303\260\302\237\302\230x");
	check_name("\365\200\200\200", "\303\265\302\200\302\200\302\200");
	/* 15 bytes, of which the last begins a character */
	check_name("fourteen-bytes\303", "fourteen-bytes\303\203");
}

/* What has the form of UTF-8, but is none: parse() and readers in Python or Rust refuse it. */
static void forbidden_forms_of_utf8(void **state)
{
	static const char *const names[] = {
		"\340\200\200",	    /* overlong */
		"\340\237\277",	    /* overlong */
		"\360\200\200\200", /* overlong */
		"\360\217\277\277", /* overlong */
		"\355\240\200",	    /* a surrogate */
		"\364\220\200\200", /* beyond U+10FFFF */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_name(names[i], NULL);
}

static void any_bytes_at_all(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 300; i++) {
		char name[16];
		size_t len = 1 + (size_t)rand_r(&seed) % 15;

		for (size_t k = 0; k < len; k++)
			name[k] = (char)(1 + rand_r(&seed) % 255);
		name[len] = '\0';
		check_name(name, NULL);
	}
}

static void one_line_or_many(void **state)
{
	struct model m;
	char *text;
	json *one, *many;

	(void)state;
	full_model(&m);
	text = text_of(&m, false);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	one = parse(text);
	free(text);
	text = text_of(&m, true);
	assert_ptr_not_equal(strchr(text, '\n'), text + strlen(text) - 1);
	many = parse(text);
	free(text);
	assert_true(json_object_equal(one, many));
	json_object_put(one);
	json_object_put(many);
	model_free(&m);
}

static void empty_machine(void **state)
{
	struct snapshot s;
	struct model m;
	json *doc;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	update(&m, &s);
	doc = document(&m);
	check_keys(doc, document_keys, ARRAY_SIZE(document_keys));
	assert_int_equal(json_object_array_length(at(doc, "pools")), 0);
	assert_int_equal(json_object_array_length(at(doc, "devices")), 0);
	check_int(doc, "totals.pools", 0);
	json_object_put(doc);
}

static void dead_disk_is_told(void **state)
{
	FILE *f = fopen("/dev/full", "w");
	struct model m;

	(void)state;
	if (!f)
		skip();
	full_model(&m);
	assert_int_equal(view_json(f, &m, false), -ENOSPC);
	fclose(f);
	model_free(&m);
}

/* LC_NUMERIC of a locale with a decimal comma, as localedef(1) makes it: few machines have one. */
static const unsigned char comma[] = {
	0x14, 0x11, 0x03, 0x20, 6, 0, 0, 0,    0x20, 0, 0,   0,	   0x22, 0,   0,   0,	0x23,
	0,    0,    0,	  0x24, 0, 0, 0, 0x28, 0,    0, 0,   0x2c, 0,	 0,   0,   ',', 0,
	0,    0,    ',',  0,	0, 0, 0, 0,    0,    0, 'U', 'T',  'F',	 '-', '8', 0,
};

static bool decimal_comma(void)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "comma"};
	char dir[] = "/tmp/ppooltop-locale-XXXXXX", sub[64], file[80];
	bool found = false;
	FILE *f;

	if (!mkdtemp(dir))
		return false;
	snprintf(sub, sizeof(sub), "%s/comma", dir);
	snprintf(file, sizeof(file), "%s/LC_NUMERIC", sub);
	mkdir(sub, 0700);
	f = fopen(file, "w");
	if (f) {
		fwrite(comma, sizeof(comma), 1, f);
		fclose(f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++) {
		if (!strcmp(names[i], "comma"))
			setenv("LOCPATH", dir, 1);
		found = setlocale(LC_NUMERIC, names[i]) &&
			!strcmp(localeconv()->decimal_point, ",");
	}
	unsetenv("LOCPATH");
	unlink(file);
	rmdir(sub);
	rmdir(dir);
	return found;
}

/* main() sets the user's locale; a number in JSON has a point in all of them. */
static void decimal_point_everywhere(void **state)
{
	struct model m;
	char *text;
	json *doc;

	(void)state;
	if (!decimal_comma()) {
		setlocale(LC_NUMERIC, "C");
		skip();
	}
	full_model(&m);
	m.interval_s = 2.5;
	text = text_of(&m, false);
	model_free(&m);
	setlocale(LC_NUMERIC, "C");
	doc = parse(text);
	free(text);
	assert_near(json_object_get_double(at(doc, "interval_s")), 2.5);
	json_object_put(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_there),
		cmocka_unit_test(values_are_right),
		cmocka_unit_test(unknown_is_null),
		cmocka_unit_test(one_unknown_counter),
		cmocka_unit_test(each_counter_has_its_source),
		cmocka_unit_test(providers),
		cmocka_unit_test(audits),
		cmocka_unit_test(cpus_know_less),
		cmocka_unit_test(lost_pools_are_missing_from_sums),
		cmocka_unit_test(others_are_missing_from_devices),
		cmocka_unit_test(first_snapshot_has_no_interval),
		cmocka_unit_test(interval_to_the_nanosecond),
		cmocka_unit_test(counters_are_whole),
		cmocka_unit_test(impossible_pool),
		cmocka_unit_test(names_stay_as_they_are),
		cmocka_unit_test(odd_bytes_become_characters),
		cmocka_unit_test(forbidden_forms_of_utf8),
		cmocka_unit_test(any_bytes_at_all),
		cmocka_unit_test(one_line_or_many),
		cmocka_unit_test(empty_machine),
		cmocka_unit_test(dead_disk_is_told),
		cmocka_unit_test(decimal_point_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
