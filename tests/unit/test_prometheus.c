// SPDX-License-Identifier: GPL-2.0-or-later
/* Prometheus' text, made of models by hand; and what the check of such a text finds. */
#include "unit.h"

#include <errno.h>

#include "prometheus.h"

static const struct prometheus_opts by_device = {.max_series = 10000};
static const struct prometheus_opts by_pool = {.per_pool = true, .max_series = 10000};
static const struct prometheus_opts by_cpu = {.per_pool = true,
					      .per_cpu = true,
					      .max_series = 10000};

static void update(struct model *m, struct snapshot *s)
{
	assert_int_equal(model_update(m, s), 0);
}

/* The text of @m, which passes its check; to be freed. */
static char *text_of(const struct model *m, const struct prometheus_opts *opts)
{
	char *text = NULL, why[128];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(view_prometheus(f, m, opts), 0);
	fclose(f);
	if (prometheus_check(text, len, why, sizeof(why)))
		fail_msg("%s in: %s", why, text);
	return text;
}

/* What stands behind @series in its line, or NULL: there is none. */
static const char *value_of(const char *text, const char *series, char *value)
{
	size_t len = strlen(series);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, series, len) && line[len] == ' ') {
			snprintf(value, 64, "%.*s", (int)strcspn(line + len + 1, "\n"),
				 line + len + 1);
			return value;
		}
	}
	return NULL;
}

static void check_value(const char *text, const char *series, const char *want)
{
	char buf[64];
	const char *is = value_of(text, series, buf);

	if (!is || strcmp(is, want) != 0)
		fail_msg("%s is %s, not %s, in: %s", series, is ? is : "absent", want, text);
}

static void check_absent(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("%s is in: %s", part, text);
}

static size_t count(const char *text, const char *part)
{
	size_t nr = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		nr++;
	return nr;
}

/* Lines that are no comments. */
static size_t series_of(const char *text)
{
	return count(text, "\n") - count(text, "# HELP ") - count(text, "# TYPE ");
}

#define ETH0 "netns=\"4026531840\",device=\"eth0\""

static struct pool *counting_pool(struct snapshot *s, uint64_t address, uint64_t n)
{
	struct pool *p = unit_pool(s, address, 2);

	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		p->total.n[i] = n + (uint64_t)i;
		p->cpus[1].n[i] = n + (uint64_t)i;
	}
	return p;
}

/* The text of one snapshot, which is consumed. */
static char *text_of_snapshot(struct snapshot *s, const struct prometheus_opts *opts)
{
	struct model m;
	char *text;

	model_init(&m);
	update(&m, s);
	text = text_of(&m, opts);
	model_free(&m);
	return text;
}

static void each_counter_is_there(void **state)
{
	struct snapshot s;
	char *text, want[24];

	(void)state;
	unit_snapshot(&s, 1);
	counting_pool(&s, 0x1000, UINT64_MAX - 100);
	text = text_of_snapshot(&s, &by_device);
#define PP_X(ID, side, key, kernel, metric, label, ...)                      \
	snprintf(want, sizeof(want), "%llu", UINT64_MAX - 100ULL + PP_##ID); \
	check_value(text, metric "{" ETH0 "," label "}", want);              \
	assert_int_equal(count(text, "# HELP " metric " "), 1);              \
	assert_int_equal(count(text, "# TYPE " metric " counter\n"), 1);
	PP_COUNTERS(PP_X)
#undef PP_X
	free(text);
}

static void without_device(void **state)
{
	struct snapshot s;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	s.lost_pools = 3;
	s.lost_events = 4;
	s.time = (struct timespec){1767323045, 678999999};
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_lost_total{what=\"pools\"}", "3");
	check_value(text, "ppooltop_lost_total{what=\"events\"}", "4");
	check_value(text, "ppooltop_series_omitted", "0");
	check_value(text, "ppooltop_build_info{version=\"" VERSION "\"}", "1");
	check_value(text, "ppooltop_last_update_timestamp_seconds", "1767323045.678");
	check_value(text,
		    "ppooltop_source_info{counters=\"fentry\",state=\"fentry\",level=\"full\"}",
		    "1");
	assert_int_equal(series_of(text), 6);
	free(text);
	unit_snapshot(&s, 1);
	s.source.counters = s.source.level = NULL;
	s.time.tv_sec = 0;
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_source_info{counters=\"\",state=\"fentry\",level=\"\"}", "1");
	check_absent(text, "last_update");
	free(text);
}

static void odd_names(void **state)
{
	static const struct {
		const char *ifname, *netns, *labels;
	} names[] = {
		{"a\"b", "c\\d", "netns=\"c\\\\d\",device=\"a\\\"b\""},
		{"{e},", "f\ng", "netns=\"f\\ng\",device=\"{e},\""},
		{"\xf0\x9f\x98\x80", "h\u00e4", "netns=\"h\u00e4\",device=\"\xf0\x9f\x98\x80\""},
		{"\xff\xfe", "\xed\xa0\x80",
		 "netns=\"\u00ed\u00a0\xc2\x80\",device=\"\u00ff\u00fe\""},
		{"x\x01\x7f\r", "\\", "netns=\"\\\\\",device=\"x\x01\x7f\r\""},
	};
	struct snapshot s;
	char *text, series[128];

	(void)state;
	unit_snapshot(&s, 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct pool *p = counting_pool(&s, 0x1000 * (i + 1), 100 * i);

		p->ifindex = (int)i + 2;
		snprintf(p->ifname, sizeof(p->ifname), "%s", names[i].ifname);
		snprintf(p->netns_name, sizeof(p->netns_name), "%s", names[i].netns);
	}
	text = text_of_snapshot(&s, &by_device);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char want[24];

		snprintf(series, sizeof(series), "ppooltop_alloc_total{%s,path=\"fast\"}",
			 names[i].labels);
		snprintf(want, sizeof(want), "%zu", 100 * i);
		check_value(text, series, want);
	}
	free(text);
}

/* What is the same name once it is UTF-8 must not be two series. */
static void names_that_become_one(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = counting_pool(&s, 0x1000, 1000);
	snprintf(p->ifname, sizeof(p->ifname), "\xff");
	p = counting_pool(&s, 0x2000, 30);
	snprintf(p->ifname, sizeof(p->ifname), "\u00ff");
	p->ifindex = 3;
	text = text_of_snapshot(&s, &by_device);
	check_value(text,
		    "ppooltop_alloc_total{netns=\"4026531840\",device=\"\u00ff\",path=\"fast\"}",
		    "1030");
	free(text);
}

static void two_pools_on_one_device(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = counting_pool(&s, 0x1000, 1000);
	p->inflight = 7;
	p->inflight_bytes = 28672;
	p = counting_pool(&s, 0x2000, 30);
	p->queue = 1;
	p->inflight = -2;
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_alloc_total{" ETH0 ",path=\"fast\"}", "1030");
	check_value(text, "ppooltop_inflight_pages{" ETH0 "}", "5");
	check_value(text, "ppooltop_inflight_bytes{" ETH0 "}", "28672");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"live\"}", "2");
	free(text);
}

/* The second device of that name has another ifindex; what the first counted is in its past. */
static void device_made_again(void **state)
{
	struct snapshot s;
	struct model m;
	struct past *past;
	struct pool *p;
	char *text;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	counting_pool(&s, 0x1000, 1000);
	update(&m, &s);
	unit_snapshot(&s, 2);
	past = snapshot_add_past(&s);
	snprintf(past->ifname, sizeof(past->ifname), "eth0");
	past->ifindex = 2;
	past->netns = 4026531840u;
	past->pools = 1;
	past->counters_known = ALL_COUNTERS;
	past->total.n[PP_FAST] = 1000;
	p = counting_pool(&s, 0x1000, 5);
	p->ifindex = 7;
	p->generation = 4;
	update(&m, &s);
	assert_int_equal(m.nr_devices, 2);
	text = text_of(&m, &by_device);
	check_value(text, "ppooltop_alloc_total{" ETH0 ",path=\"fast\"}", "1005");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"live\"}", "1");
	assert_int_equal(count(text, "ppooltop_inflight_pages{"), 1);
	free(text);
	model_free(&m);
}

/* A sum is known if all its parts are, and what is not known is not 0. */
static void unknown_is_absent(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = counting_pool(&s, 0x1000, 1000);
	p->counters_known &= ~(1u << PP_FAST | 1u << PP_CACHED | 1u << PP_RING);
	p->has &= ~(uint32_t)POOL_HAS_INFLIGHT;
	p = counting_pool(&s, 0x2000, 30);
	p->ifindex = 3;
	p->counters_known &= ~(1u << PP_WAIVE | 1u << PP_CACHED | 1u << PP_RING);
	p->has &= ~(uint32_t)POOL_HAS_INFLIGHT;
	text = text_of_snapshot(&s, &by_device);
	check_absent(text, "\"fast\"");
	check_absent(text, "\"waive\"");
	check_absent(text, "ppooltop_recycle_total");
	check_absent(text, "inflight");
	check_absent(text, "audit");
	check_absent(text, "ppooltop_pages_");
	check_value(text, "ppooltop_alloc_total{" ETH0 ",path=\"slow\"}", "1032");
	free(text);
}

static void inflight_of_those_that_tell(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = unit_pool(&s, 0x1000, 2);
	p->has &= ~(uint32_t)POOL_HAS_INFLIGHT;
	p = unit_pool(&s, 0x2000, 2);
	p->ifindex = 3;
	p->inflight = 9;
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_inflight_pages{" ETH0 "}", "9");
	free(text);
}

static void states_and_ages(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2);
	for (int i = 0; i < 3; i++) {
		p = unit_pool(&s, 0x2000 + 0x1000 * (uint64_t)i, 2);
		p->state = i ? POOL_STUCK : POOL_DRAINING;
		p->has |= i < 2 ? POOL_HAS_DESTROYED : 0;
		p->destroyed_s = i < 2 ? 505602.5 - 100 * i : 1e9;
		p->has |= POOL_HAS_PARAMS;
		p->provider = i == 1;
	}
	p = unit_pool(&s, 0x7000, 2);
	p->state = POOL_STUCK;
	p->ifindex = 3;
	snprintf(p->ifname, sizeof(p->ifname), "eth1");
	p = unit_pool(&s, 0x8000, 2);
	p->state = POOL_SYSTEM;
	p->ifindex = 0;
	p->ifname[0] = '\0';
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"live\"}", "1");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"draining\"}", "1");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"stuck\"}", "2");
	check_value(text, "ppooltop_provider_pools{" ETH0 ",state=\"draining\"}", "0");
	check_value(text, "ppooltop_provider_pools{" ETH0 ",state=\"stuck\"}", "1");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"system\"}", "0");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"impossible\"}", "0");
	check_absent(text, "dead");
	check_value(text, "ppooltop_oldest_destroyed_pool_seconds{" ETH0 "}", "505602.5");
	check_absent(text, "oldest_destroyed_pool_seconds{netns=\"4026531840\",device=\"eth1\"}");
	check_value(text,
		    "ppooltop_oldest_destroyed_pool_seconds{netns=\"4026531840\",device=\"\"}",
		    "0");
	free(text);
}

static void audit_adds_up(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->audit = (struct audit){true, -64};
	unit_pool(&s, 0x2000, 2)->audit = (struct audit){true, 3};
	unit_pool(&s, 0x3000, 2)->audit = (struct audit){false, 1000};
	p = unit_pool(&s, 0x4000, 2);
	p->audit = (struct audit){true, 0};
	p->ifindex = 3;
	snprintf(p->ifname, sizeof(p->ifname), "eth1");
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_audit_unaccounted_pages{" ETH0 "}", "67");
	check_value(text, "ppooltop_audit_unaccounted_pages{netns=\"4026531840\",device=\"eth1\"}",
		    "0");
	free(text);
}

/* Pools without a device, and devices too many to be told apart. */
static void without_a_name(void **state)
{
	struct snapshot s;
	struct past *past;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = counting_pool(&s, 0x1000, 1000);
	p->ifname[0] = '\0';
	p->ifindex = 0;
	p->netns = 0;
	past = snapshot_add_past(&s);
	past->others = true;
	past->pools = 1;
	past->counters_known = ALL_COUNTERS;
	past->total.n[PP_FAST] = 30;
	text = text_of_snapshot(&s, &by_device);
	check_value(text, "ppooltop_alloc_total{netns=\"\",device=\"\",path=\"fast\"}", "1030");
	free(text);
}

static void for_each_pool(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = counting_pool(&s, 0x1000, 1000);
	p->inflight = 7;
	p->audit = (struct audit){true, -1};
	p = counting_pool(&s, 0x2000, 30);
	p->queue = -1;
	p->has = POOL_HAS_ID;
	p->id = 12;
	text = text_of_snapshot(&s, &by_pool);
#define POOL1 ETH0 ",pool=\"1000.1\",queue=\"0\""
#define POOL2 ETH0 ",pool=\"id12\",queue=\"\""
	check_value(text, "ppooltop_alloc_total{" POOL1 ",path=\"fast\"}", "1000");
	check_value(text, "ppooltop_alloc_total{" POOL2 ",path=\"fast\"}", "30");
	check_value(text, "ppooltop_inflight_pages{" POOL1 "}", "7");
	check_absent(text, "ppooltop_inflight_pages{" POOL2 "}");
	check_value(text, "ppooltop_audit_unaccounted_pages{" POOL1 "}", "1");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"live\"}", "2");
	check_value(text, "ppooltop_oldest_destroyed_pool_seconds{" ETH0 "}", "0");
	check_absent(text, ETH0 ",path");
	check_absent(text, "cpu=");
	free(text);
}

/* Two that cannot be told apart, as a recording by hand may have them. */
static void pools_without_an_id(void **state)
{
	struct snapshot s;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	counting_pool(&s, 0, 1000)->has = POOL_HAS_CPUS;
	counting_pool(&s, 0, 30)->has = POOL_HAS_CPUS;
	text = text_of_snapshot(&s, &by_pool);
	check_value(text, "ppooltop_alloc_total{" ETH0 ",pool=\"id0\",queue=\"0\",path=\"fast\"}",
		    "1030");
	free(text);
	unit_snapshot(&s, 1);
	counting_pool(&s, 0, 1000)->has = POOL_HAS_CPUS;
	counting_pool(&s, 0, 30)->has = POOL_HAS_CPUS;
	counting_pool(&s, 0, 4)->has = POOL_HAS_CPUS;
	text = text_of_snapshot(&s, &by_cpu);
	check_value(text,
		    "ppooltop_alloc_total{" ETH0
		    ",pool=\"id0\",queue=\"0\",cpu=\"1\",path=\"fast\"}",
		    "1034");
	free(text);
}

static void for_each_cpu(void **state)
{
	struct snapshot s;
	struct pool *p;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	p = counting_pool(&s, 0x1000, 1000);
	p->cpus_known &= ~(1u << PP_SLOW);
	unit_pool(&s, 0x2000, 2); /* idle */
	text = text_of_snapshot(&s, &by_cpu);
	check_value(text, "ppooltop_alloc_total{" POOL1 ",cpu=\"1\",path=\"fast\"}", "1000");
	check_absent(text, "cpu=\"0\"");
	check_absent(text, POOL1 ",path=\"fast\"");
	check_value(text, "ppooltop_alloc_total{" POOL1 ",path=\"slow\"}", "1001");
	check_value(text,
		    "ppooltop_alloc_total{" ETH0 ",pool=\"2000.1\",queue=\"0\",path=\"fast\"}",
		    "0");
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"live\"}", "2");
	free(text);
}

/* Never more, whole rows, those that came last; what is missing is told. */
static void series_guard(void **state)
{
	const struct prometheus_opts *const all[] = {&by_device, &by_pool, &by_cpu};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(all); k++) {
		size_t full = 0;

		for (size_t max = 10000; max >= PROMETHEUS_MIN_SERIES; max--) {
			struct prometheus_opts opts = *all[k];
			struct snapshot s;
			char *text, value[64];
			size_t omitted;

			unit_snapshot(&s, 1);
			for (int i = 0; i < 4; i++) {
				struct pool *p = counting_pool(&s, 0x1000 * ((uint64_t)i + 1), 9);

				p->ifindex = 2 + i / 2;
				snprintf(p->ifname, sizeof(p->ifname), "eth%d", i / 2);
			}
			opts.max_series = max;
			text = text_of_snapshot(&s, &opts);
			assert_non_null(value_of(text, "ppooltop_series_omitted", value));
			omitted = strtoul(value, NULL, 10);
			if (!full)
				full = series_of(text);
			assert_true(series_of(text) <= max);
			assert_int_equal(series_of(text) + omitted, full);
			assert_int_equal(omitted == 0, full <= max);
			/* both or none of what a device has */
			assert_int_equal(count(text, "\"eth0\",state=\"live\""),
					 count(text, "seconds{" ETH0 "}"));
			if (strstr(text, "\"eth1\""))
				assert_non_null(strstr(text, "\"eth0\""));
			free(text);
			if (max > full + 3)
				max = full + 3;
		}
	}
}

/* What comes after a row that is left out is left out, too, though there were room for it. */
static void guard_takes_the_last(void **state)
{
	struct prometheus_opts opts = by_device;
	struct snapshot s;
	char *text;

	(void)state;
	unit_snapshot(&s, 1);
	for (int i = 0; i < 3; i++) {
		struct pool *p = unit_pool(&s, 0x1000 * ((uint64_t)i + 1), 2);

		p->ifindex = 2 + i;
		snprintf(p->ifname, sizeof(p->ifname), "eth%d", i);
		p->counters_known = i == 1 ? ALL_COUNTERS : 0;
	}
	opts.max_series = 6 + 10 + 10;
	text = text_of_snapshot(&s, &opts);
	assert_non_null(strstr(text, "\"eth0\""));
	check_absent(text, "eth1");
	check_absent(text, "eth2");
	check_value(text, "ppooltop_series_omitted", "31");
	free(text);
}

/* Devices come and go for months; those that are there now matter more. */
static void guard_prefers_the_living(void **state)
{
	struct prometheus_opts opts = by_device;
	struct snapshot s;
	struct model m;
	char *text;

	(void)state;
	model_init(&m);
	for (int i = 0; i < 2; i++) {
		struct pool *p;

		unit_snapshot(&s, 1 + i);
		p = unit_pool(&s, 0x1000 * ((uint64_t)i + 1), 2);
		p->ifindex = 2 + i;
		snprintf(p->ifname, sizeof(p->ifname), "eth%d", i);
		update(&m, &s);
	}
	opts.max_series = 6 + 21;
	text = text_of(&m, &opts);
	assert_non_null(strstr(text, "\"eth1\""));
	check_absent(text, "eth0");
	check_value(text, "ppooltop_series_omitted", "21");
	opts.max_series = 6 + 2 * 21;
	free(text);
	text = text_of(&m, &opts);
	check_value(text, "ppooltop_pools{" ETH0 ",state=\"live\"}", "0");
	free(text);
	model_free(&m);
}

/* Two devices of one name, of which one has a pool that keeps no books. */
static void pages_of_one_unknown(void **state)
{
	struct prometheus_opts opts = by_device;
	struct ledger ledger;
	struct snapshot s;
	struct model m;
	struct pool *p;
	char *text;

	(void)state;
	model_init(&m);
	ledger_init(&ledger, false, false);
	opts.ledger = &ledger;
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2);
	p = unit_pool(&s, 0x2000, 2);
	p->ifindex = 3;
	p->has &= ~(uint32_t)POOL_HAS_BOOKS;
	update(&m, &s);
	assert_int_equal(ledger_update(&ledger, &m), 0);
	text = text_of(&m, &opts);
	check_absent(text, "ppooltop_pages_");
	free(text);
	ledger_free(&ledger);
	model_free(&m);
}

static void books_of_the_ledger(void **state)
{
	struct prometheus_opts opts = by_device;
	struct ledger ledger;
	struct snapshot s;
	struct model m;
	char *text;

	(void)state;
	model_init(&m);
	ledger_init(&ledger, false, false);
	opts.ledger = &ledger;
	for (int i = 0; i < 2; i++) {
		struct pool *p;

		unit_snapshot(&s, 1 + i);
		p = counting_pool(&s, 0x1000, i ? 999 : 1000); /* put right, 1 lower */
		p->hold = i ? 2 : UINT32_MAX;
		p->release = UINT32_MAX - 5 + (uint32_t)i;
		update(&m, &s);
		assert_int_equal(ledger_update(&ledger, &m), 0);
	}
	text = text_of(&m, &opts);
	check_value(text, "ppooltop_alloc_total{" ETH0 ",path=\"fast\"}", "1000");
	check_value(text, "ppooltop_pages_held_total{" ETH0 "}", "3");
	check_value(text, "ppooltop_pages_released_total{" ETH0 "}", "1");
	free(text);
	text = text_of(&m, &by_device);
	check_absent(text, "ppooltop_pages_");
	free(text);
	ledger_free(&ledger);
	model_free(&m);
}

static void write_errors(void **state)
{
	FILE *f = fopen("/dev/full", "we");
	struct model m;

	(void)state;
	model_init(&m);
	assert_non_null(f);
	assert_int_equal(view_prometheus(f, &m, &by_device), -ENOSPC);
	fclose(f);
	model_free(&m);
}

/* --- the check -----------------------------------------------------------------------------------
 */

#define HEAD "# HELP a A.\n# TYPE a counter\n"

static const char *check(const char *text, char *why, size_t len)
{
	int err = prometheus_check(text, strlen(text), why, len);

	if (!err)
		return NULL;
	assert_int_equal(err, -EBADMSG);
	return why;
}

static void check_passes(void **state)
{
	static const char *const good[] = {
		"",
		"\n# a remark\n",
		HEAD,
		HEAD "a 1\n",
		HEAD
		"a{} 1\na{b=\"\\\\\\\"\\n\"} -1.5e+9\na{b=\"c\",d=\"\"} NaN\na{b=\"d\"} +Inf\n",
		HEAD "a{b=\"c\"} .5\na{b=\"d\"} 5.\n",
		HEAD "a{b=\"\xf0\x9f\x98\x80,} 3\"} 1\n",
		HEAD "a 1\n# HELP a:b B.\n# TYPE a:b gauge\na:b{c=\"x\"} 1\na:b{d=\"x\"} 1\n",
	};
	char why[80];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (check(good[i], why, sizeof(why)))
			fail_msg("%s in: %s", why, good[i]);
}

static void check_finds(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"a 1\n", "line 1: a series without HELP and TYPE"},
		{HEAD "a 1", "line 3: the end is missing"},
		{HEAD "a\n", "line 3: no value"},
		{HEAD "a{b=\"c\"}\n", "line 3: no value"},
		{HEAD "a  1\n", "line 3: a value that is no number"},
		{HEAD "a x\n", "line 3: a value that is no number"},
		{HEAD "a 1e\n", "line 3: a value that is no number"},
		{HEAD "a 1,5\n", "line 3: something behind the value"},
		{HEAD "a 1 1767323045678\n", "line 3: something behind the value"},
		{HEAD "a{b=c} 1\n", "line 3: a label without a quoted value"},
		{HEAD "a{b} 1\n", "line 3: a label without a value"},
		{HEAD "a{b=\"c} 1\n", "line 3: a quote that is not closed"},
		{HEAD "a{b=\"c\"d\"} 1\n", "line 3: no comma between labels"},
		{HEAD "a{b=\"c\nd\"} 1\n", "line 3: a quote that is not closed"},
		{HEAD "a{b=\"\\x\"} 1\n", "line 3: an escape that is none"},
		{HEAD "a{b=\"\\", "line 3: the end is missing"},
		{HEAD "a{b=\"\xff\"} 1\n", "line 3: a value that is no UTF-8"},
		{HEAD "a{b=\"\xc3\"} 1\n", "line 3: a value that is no UTF-8"},
		{HEAD "a{b:c=\"d\"} 1\n", "line 3: a label without a value"},
		{HEAD "a{1=\"d\"} 1\n", "line 3: a name is missing"},
		{HEAD "a{b=\"c\",b=\"d\"} 1\n", "line 3: a label twice"},
		{HEAD "1a 1\n", "line 3: a name is missing"},
		{HEAD "a 1\na 2\n", "line 4: a series twice"},
		{HEAD "a{b=\"c\",d=\"e\"} 1\na 2\na{d=\"e\",b=\"c\"} 1\n",
		 "line 5: a series twice"},
		{HEAD "a{b=\"\"} 1\na 2\n", "line 4: a series twice"},
		{HEAD HEAD, "line 3: HELP or TYPE twice"},
		{HEAD "a 1\n# HELP a A.\n", "line 4: HELP or TYPE twice"},
		{"# TYPE a counter\n# HELP b B.\n# TYPE b gauge\n# HELP a A.\n",
		 "line 4: a family in two pieces"},
		{HEAD "# HELP b B.\n# TYPE b gauge\nb 1\na 2\n", "line 6: a family in two pieces"},
		{"# HELP a A.\na 1\n", "line 2: a series without HELP and TYPE"},
		{"# TYPE a number\n", "line 1: a type that is none"},
		{"# TYPE a counter,\n", "line 1: something behind the type"},
		{"# TYPE a\n", "line 1: HELP or TYPE of nothing"},
	};
	char why[80];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *is = check(bad[i].text, why, sizeof(why));

		if (!is || strcmp(is, bad[i].why) != 0)
			fail_msg("%s, not %s, of: %s", is ? is : "nothing", bad[i].why,
				 bad[i].text);
	}
}

/* No end, anywhere, may be read past: for the sanitizers. */
static void check_of_parts(void **state)
{
	static const char text[] = HEAD "a{b=\"\\n\xc3\xa4\",c=\"d\"} -1.5e+3\na NaN\n";
	char why[80];

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		char *part = malloc(len + 1);

		assert_non_null(part);
		memcpy(part, text, len);
		part[len] = '\0';
		assert_int_equal(prometheus_check(part, len, why, sizeof(why)) == 0,
				 !len || text[len - 1] == '\n');
		free(part);
	}
}

/* More than one table's worth, and the last is the first again. */
static void check_of_many(void **state)
{
	char *text = NULL, why[80];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	fputs(HEAD, f);
	for (int i = 0; i < 5000; i++)
		fprintf(f, "a{b=\"%d\"} 1\n", i);
	fflush(f);
	assert_int_equal(prometheus_check(text, len, why, sizeof(why)), 0);
	fputs("a{b=\"0\"} 1\n", f);
	fclose(f);
	assert_int_equal(prometheus_check(text, len, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "line 5003: a series twice");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_counter_is_there),
		cmocka_unit_test(without_device),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(names_that_become_one),
		cmocka_unit_test(two_pools_on_one_device),
		cmocka_unit_test(device_made_again),
		cmocka_unit_test(unknown_is_absent),
		cmocka_unit_test(inflight_of_those_that_tell),
		cmocka_unit_test(states_and_ages),
		cmocka_unit_test(audit_adds_up),
		cmocka_unit_test(without_a_name),
		cmocka_unit_test(for_each_pool),
		cmocka_unit_test(pools_without_an_id),
		cmocka_unit_test(for_each_cpu),
		cmocka_unit_test(series_guard),
		cmocka_unit_test(guard_takes_the_last),
		cmocka_unit_test(guard_prefers_the_living),
		cmocka_unit_test(pages_of_one_unknown),
		cmocka_unit_test(books_of_the_ledger),
		cmocka_unit_test(write_errors),
		cmocka_unit_test(check_passes),
		cmocka_unit_test(check_finds),
		cmocka_unit_test(check_of_parts),
		cmocka_unit_test(check_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
