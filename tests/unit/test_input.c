// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings: read back as they were written, whatever is in them, and anything else refused. */
#include "unit.h"

#include <errno.h>
#include <glob.h>
#include <sys/mman.h>
#include <unistd.h>

#include <json-c/json.h>
#include <zstd.h>

#include "collect.h"
#include "document.h"
#include "util.h"
#include "view.h"

typedef struct json_object json;

#define MAX_DOCS 64

/* What came of a recording: its documents, written again, and how it ended. */
struct outcome {
	int open; /* of collect_open() */
	int end;  /* of the last collect_read() */
	int docs;
	char *text;	 /* of all of them; to be freed */
	char notes[512]; /* what was said */
};

/* A file with these bytes that is gone with the test; its name until the next one. */
static const char *file_with(const void *bytes, size_t len)
{
	static char name[64];
	static int fd = -1;

	if (fd >= 0)
		close(fd);
	fd = memfd_create("input", 0);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return name;
}

/* As command_loop() does, each interval is handed to @see. */
static int read_all(struct collect *c, void (*see)(const struct model *m, void *arg), void *arg)
{
	struct snapshot s;
	struct model m;
	int err;

	model_init(&m);
	snapshot_init(&s, 0);
	for (int i = 0;; i++) {
		err = collect_read(c, &s);
		if (err)
			break;
		assert_int_equal(model_update(&m, &s), 0);
		if (i)
			see(&m, arg);
	}
	snapshot_free(&s);
	model_free(&m);
	return err;
}

static struct collect *open_file(const char *file, struct outcome *r)
{
	FILE *notes = fmemopen(r->notes, sizeof(r->notes), "w");
	struct collect_opts opts = {.input = file, .notes = notes};
	struct collect *c = NULL;

	assert_non_null(notes);
	setbuf(notes, NULL);
	r->open = collect_open(&c, &opts);
	if (r->open) {
		assert_null(c);
		fclose(notes);
		return NULL;
	}
	assert_true(collect_recorded(c));
	assert_false(collect_unprivileged(c));
	assert_null(collect_bpf(c));
	return c;
}

struct writer {
	FILE *f;
	int docs;
};

static void write_json(const struct model *m, void *arg)
{
	struct writer *w = arg;

	assert_int_equal(view_json(w->f, m, false), 0);
	w->docs++;
}

static void dump_file(const char *file, struct outcome *r)
{
	struct writer w = {0};
	struct collect *c;
	size_t len;

	memset(r, 0, sizeof(*r));
	w.f = open_memstream(&r->text, &len);
	assert_non_null(w.f);
	c = open_file(file, r);
	if (c)
		r->end = read_all(c, write_json, &w);
	collect_close(c);
	fclose(w.f);
	r->docs = w.docs;
}

static void dump_bytes(const void *bytes, size_t len, struct outcome *r)
{
	dump_file(file_with(bytes, len), r);
}

static void dump_text(const char *text, struct outcome *r)
{
	dump_bytes(text, strlen(text), r);
}

/* Points to where two texts part, for people to read. */
static void check_same(const char *is, const char *want, const char *what)
{
	size_t n = 0;

	while (is[n] && is[n] == want[n])
		n++;
	if (is[n] == want[n])
		return;
	n = n > 200 ? n - 200 : 0;
	fail_msg("%s: is\n%.300s\nnot\n%.300s", what, is + n, want + n);
}

/* What was read is what was written; @text is what dump writes. */
static void check_again(const char *text, const char *what)
{
	struct outcome r;

	dump_text(text, &r);
	if (r.open || r.end != -ENODATA || r.notes[0])
		fail_msg("%s: %d, %d: %s", what, r.open, r.end, r.notes);
	check_same(r.text, text, what);
	free(r.text);
}

/* --- what is written is read -------------------------------------------------------------------*/

struct dice {
	unsigned int seed;
};

static unsigned int roll(struct dice *d, unsigned int sides)
{
	return (unsigned int)rand_r(&d->seed) % sides;
}

#define WORLD_POOLS   12
#define WORLD_DEVICES 6 /* 0: none; the last: those too many to be told apart */

/* What a source could tell, from one reading to the next. */
struct world {
	struct dice dice;
	bool netlink; /* pools without address, which vanish without a word */
	int nr_pools;
	struct pool pools[WORLD_POOLS];
	struct counters cpus[WORLD_POOLS][UNIT_CPUS];
	bool taken[WORLD_POOLS];
	struct past past[WORLD_DEVICES];
	uint32_t generation;
};

static void world_name(struct world *w, char *name, size_t len)
{
	static const char *const names[] = {
		"", "eth0", "a\"b", "{c,d}\\", "\377x", "\303\244", "\360\237\230\200", "123"};

	snprintf(name, len, "%s", names[roll(&w->dice, ARRAY_SIZE(names))]);
}

static void world_move(struct world *w, struct pool *p, unsigned int device)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		w->past[p->ifindex].total.n[i] += p->total.n[i] - p->elsewhere.n[i];
		p->elsewhere.n[i] = p->total.n[i];
	}
	p->ifindex = (int)device;
	snprintf(p->ifname, sizeof(p->ifname), "%s", w->past[device].ifname);
	snprintf(p->netns_name, sizeof(p->netns_name), "%s", w->past[device].netns_name);
	p->netns = w->past[device].netns;
}

static void world_birth(struct world *w, int k)
{
	struct pool *p = &w->pools[k];
	struct dice *d = &w->dice;

	memset(p, 0, sizeof(*p));
	memset(w->cpus[k], 0, sizeof(w->cpus[k]));
	w->taken[k] = true;
	w->generation += 2;
	p->has = roll(d, 2) ? ~0u : roll(d, POOL_HAS_DESTROYED);
	p->has &= ~(uint32_t)POOL_HAS_DESTROYED;
	p->has |= w->netlink ? POOL_HAS_ID : POOL_HAS_ADDRESS;
	if (w->netlink)
		p->has &= ~(uint32_t)POOL_HAS_ADDRESS;
	if (p->has & POOL_HAS_ADDRESS)
		p->address = 0xffff888000000000 + roll(d, 4) * 0x1000 + (unsigned int)k * 0x10000;
	if (p->has & POOL_HAS_ADDRESS)
		p->generation = w->generation;
	if (p->has & POOL_HAS_ID)
		p->id = w->generation;
	p->counters_known = ALL_COUNTERS;
	if (!w->netlink && !roll(d, 3))
		p->counters_known &= (uint32_t)roll(d, ALL_COUNTERS);
	p->cpus_known = p->counters_known;
	if (!roll(d, 8) && p->counters_known != ALL_COUNTERS)
		p->counted_apart = ALL_COUNTERS & ~p->counters_known;
	p->state = roll(d, 6) ? POOL_LIVE : POOL_SYSTEM;
	p->visible = roll(d, 2);
	if (roll(d, 3))
		p->since = (struct timespec){1767225600 + k, 5000000};
	snprintf(p->driver, sizeof(p->driver), "%s", roll(d, 2) ? "veth" : "");
	snprintf(p->dev, sizeof(p->dev), "%s", roll(d, 2) ? "0000:7d:00.0" : "");
	snprintf(p->creator, sizeof(p->creator), "%s", roll(d, 2) ? "mlx5e_alloc_rq" : "");
	p->queue = (int)roll(d, 4) - 1;
	p->napi_id = roll(d, 2) ? 8193 : 0;
	p->order = roll(d, 3);
	p->pool_size = roll(d, 2) ? 40000 : 0;
	p->ring_size = 1u << roll(d, 15);
	p->nid = (int)roll(d, 3) - 1;
	p->flags = roll(d, 32);
	p->dma_dir = roll(d, 6);
	p->max_len = roll(d, 4097);
	p->offset = roll(d, 257);
	p->provider = !roll(d, 4);
	if (p->provider && roll(d, 2))
		snprintf(p->provider_name, sizeof(p->provider_name), "dmabuf_devmem_ops");
	world_move(w, p, roll(d, WORLD_DEVICES - 1));
}

static void world_count(struct world *w, int k)
{
	struct pool *p = &w->pools[k];
	struct dice *d = &w->dice;

	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		uint64_t n = roll(d, 3) ? roll(d, 100000) : 0;

		if (!counter_known(p->counters_known, (enum pp_counter)i))
			continue;
		p->total.n[i] += n;
		if (p->has & POOL_HAS_CPUS)
			w->cpus[k][roll(d, UNIT_CPUS)].n[i] += n;
	}
	p->hold = roll(d, 2) ? 4294967295u : roll(d, 1000);
	p->release = roll(d, 5) ? p->hold - roll(d, 1000) : roll(d, 1000);
	p->inflight = snapshot_inflight(p->hold, p->release);
	p->inflight_bytes = (uint64_t)p->inflight * 4096;
	p->cache = roll(d, 129);
	p->ring = roll(d, 1000);
	p->audit.known = roll(d, 2);
	p->audit.unaccounted = p->audit.known ? (int64_t)roll(d, 3) - 1 : 0;
	if (p->has & POOL_HAS_DESTROYED)
		p->destroyed_s += roll(d, 1000000) / 997.0;
	if (p->has & POOL_HAS_DESTROYED)
		p->state = roll(d, 2) ? POOL_DRAINING : POOL_STUCK;
	if (p->inflight < 0)
		p->state = POOL_IMPOSSIBLE;
}

static void world_step(struct world *w)
{
	for (int k = 0; k < w->nr_pools; k++) {
		unsigned int dice = roll(&w->dice, 16);
		struct pool *p = &w->pools[k];

		if (!w->taken[k]) {
			if (dice > 8)
				world_birth(w, k);
			continue;
		}
		world_count(w, k);
		if (dice == 0 && !w->netlink) {
			world_move(w, p, roll(&w->dice, WORLD_DEVICES));
			w->past[p->ifindex].pools++;
		} else if (dice == 1) {
			p->has |= POOL_HAS_DESTROYED;
		} else if (dice == 2 && w->netlink) {
			w->taken[k] = false;
		} else if (dice == 3 && !w->netlink) {
			world_move(w, p, (unsigned int)p->ifindex);
			w->past[p->ifindex].pools++;
			w->taken[k] = false;
		}
		/* of those too many there are no pools any more */
		if (w->taken[k] && p->ifindex == WORLD_DEVICES - 1)
			w->taken[k] = false;
	}
}

static void world_read(const struct world *w, struct snapshot *s)
{
	for (int k = w->nr_pools - 1; k >= 0; k--) {
		struct counters *cpus;
		struct pool *p;

		if (!w->taken[k])
			continue;
		p = snapshot_add(s, true);
		assert_non_null(p);
		cpus = p->cpus;
		*p = w->pools[k];
		p->cpus = cpus;
		memcpy(cpus, w->cpus[k], sizeof(w->cpus[k]));
	}
	for (int i = 0; i < WORLD_DEVICES && !w->netlink; i++) {
		struct past *past = snapshot_add_past(s);

		assert_non_null(past);
		*past = w->past[i];
	}
}

/* A recording as dump writes it: what the source tells, through the model. */
static char *record(unsigned int seed, bool netlink, int nr_pools)
{
	struct world w = {.dice = {seed}, .netlink = netlink, .nr_pools = nr_pools};
	char *text = NULL;
	double at = 10;
	struct model m;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	for (unsigned int i = 0; i < WORLD_DEVICES; i++) {
		struct past *past = &w.past[i];

		past->ifindex = (int)i;
		past->netns = i ? 4026531840u + i % 2 : 0;
		past->counters_known = ALL_COUNTERS;
		past->others = i == WORLD_DEVICES - 1;
		if (i)
			world_name(&w, past->ifname, sizeof(past->ifname));
		if (i % 2)
			snprintf(past->netns_name, sizeof(past->netns_name), "123");
	}
	model_init(&m);
	for (int i = 0; i < 12; i++) {
		struct snapshot s;

		at += i % 5 ? 1 + roll(&w.dice, 1000000) / 1e9 : 30.123456789;
		unit_snapshot(&s, at);
		s.time.tv_sec += (time_t)at;
		s.time.tv_nsec = (long)(fmod(at, 1) * 1e9);
		s.lost_pools = roll(&w.dice, 2);
		s.lost_events = roll(&w.dice, 2);
		s.source.attached = roll(&w.dice, 2);
		s.source.derived = roll(&w.dice, ALL_COUNTERS);
		s.source.nr_missing = (int)roll(&w.dice, 3);
		for (int k = 0; k < s.source.nr_missing; k++) {
			snprintf(s.source.missing[k].counter, 32, "%s", counter_paths[k * 3]);
			snprintf(s.source.missing[k].reason, 128, "no hook \"%d\"", k);
		}
		world_step(&w);
		world_read(&w, &s);
		assert_int_equal(model_update(&m, &s), 0);
		if (i)
			assert_int_equal(view_json(f, &m, false), 0);
	}
	model_free(&m);
	fclose(f);
	return text;
}

/* From the first document to the last, and from any other on: to the byte. */
static void recordings_are_read_as_written(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed < 40; seed++) {
		char *text = record(seed, seed % 2, WORLD_POOLS), *from = text;

		for (int i = 0; *from; i++) {
			char what[64];

			snprintf(what, sizeof(what), "seed %u, from document %d on", seed, i);
			check_again(from, what);
			from = strchr(from, '\n') + 1;
		}
		free(text);
	}
}

static void fixtures_are_read(void **state)
{
	glob_t files;

	(void)state;
	assert_int_equal(glob("tests/fixtures/*.jsonl", 0, NULL, &files), 0);
	assert_true(files.gl_pathc >= 13);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct outcome r;

		dump_file(files.gl_pathv[i], &r);
		if (r.open || r.end != -ENODATA || !r.docs || r.notes[0])
			fail_msg("%s: %d, %d: %s", files.gl_pathv[i], r.open, r.end, r.notes);
		check_again(r.text, files.gl_pathv[i]);
		free(r.text);
	}
	globfree(&files);
}

/* A name has 15 bytes; of bytes that are no UTF-8 each is two in a document. */
static void names_of_any_bytes(void **state)
{
	static const char *const names[] = {
		"\377\376\375\374\373\372\371\370\367\366\365\364\363\362\361",
		"fourteen-bytes\303", "\303\244\303\244\303\244\303\244\303\244\303\244\377\377",
		"\303\244\303\244\303\244\303\244\303\244\303\244\303\244", "\001\033[2J\177"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *text = NULL;
		struct snapshot s;
		struct model m;
		struct pool *p;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		assert_non_null(f);
		model_init(&m);
		unit_snapshot(&s, 1);
		p = unit_pool(&s, 0x1000, 2);
		snprintf(p->ifname, sizeof(p->ifname), "%s", names[i]);
		assert_int_equal(model_update(&m, &s), 0);
		assert_int_equal(view_json(f, &m, false), 0);
		model_free(&m);
		fclose(f);
		check_again(text, "name");
		free(text);
	}
}

static json *parse(const char *text)
{
	json *doc = json_tokener_parse(text);

	assert_non_null(doc);
	return doc;
}

/* Into a snapshot, which is to be freed. */
static void snapshot_of(const char *text, struct snapshot *s)
{
	char why[128] = "";
	json *doc = parse(text);

	snapshot_init(s, 0);
	if (document_read(doc, 0, s, why, sizeof(why)))
		fail_msg("%s: %s", why, text);
	json_object_put(doc);
}

#define POOL_DOC(pool) "{\"schema\":\"ppooltop/1\",\"pools\":[{" pool "}]}"

/* What cannot be that long is cut, and not within a character. */
static void names_too_long_are_cut(void **state)
{
	static const struct {
		const char *name, *is;
	} cases[] = {
		{"0123456789abcdef", "0123456789abcde"},
		{"0123456789abcd\342\202\254", "0123456789abcd"},
		{"0123456789abc\342\202\254", "0123456789abc"},
		{"0123456789ab\342\202\254", "0123456789ab\342\202\254"},
		{"\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254",
		 "\342\202\254\342\202\254\342\202\254\342\202\254\342\202\254"},
		{"\360\237\230\200\360\237\230\200\360\237\230\200\360\237\230\200",
		 "\360\237\230\200\360\237\230\200\360\237\230\200"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot s;
		char text[256];

		snprintf(text, sizeof(text), POOL_DOC("\"device\":{\"ifname\":\"%s\"}"),
			 cases[i].name);
		snapshot_of(text, &s);
		assert_string_equal(s.pools[0].ifname, cases[i].is);
		snapshot_free(&s);
	}
}

/* --- what is not known
 * --------------------------------------------------------------------------*/

static void nothing_is_known_of_an_empty_pool(void **state)
{
	static const char *const docs[] = {
		POOL_DOC(""),
		/* the books are not whole */
		POOL_DOC("\"hold\":1,\"release\":2,\"cache\":{\"pages\":3}"),
		POOL_DOC("\"release\":2,\"cache\":{\"pages\":3},\"ring\":{\"pages\":4}"),
		POOL_DOC("\"params\":{\"ring_size\":1024},\"address\":null,\"key\":\"12.3\""),
		POOL_DOC("\"cpus\":[],\"audit\":{\"ok\":true},\"colour\":[{}],\"rate\":{}"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(docs); i++) {
		const struct pool *p;
		struct snapshot s;

		snapshot_of(docs[i], &s);
		assert_int_equal(s.nr_pools, 1);
		p = &s.pools[0];
		assert_int_equal(p->has, 0);
		assert_int_equal(p->counters_known, 0);
		assert_int_equal(p->cpus_known, 0);
		assert_int_equal(p->state, POOL_LIVE);
		assert_int_equal(p->queue, -1);
		assert_int_equal(p->nid, -1);
		assert_int_equal(p->generation, 0);
		assert_false(p->audit.known);
		assert_null(p->cpus);
		assert_null(s.source.counters);
		assert_false(s.whole_past);
		snapshot_free(&s);
	}
}

static void one_null_takes_no_other_along(void **state)
{
	const struct pool *p;
	struct snapshot s;

	(void)state;
	snapshot_of(
		POOL_DOC("\"id\":7,\"alloc\":{\"fast\":1,\"slow\":null},\"recycle\":{\"ring\":2},"
			 "\"cpus\":[{\"cpu\":3,\"alloc\":{\"fast\":1,\"slow\":1}},"
			 "{\"cpu\":1,\"alloc\":{\"fast\":0}}]"),
		&s);
	p = &s.pools[0];
	assert_int_equal(p->counters_known, 1u << PP_FAST | 1u << PP_RING);
	assert_int_equal(p->cpus_known, 1u << PP_FAST);
	assert_int_equal(p->has, POOL_HAS_ID | POOL_HAS_CPUS);
	assert_int_equal(s.nr_cpus, 4);
	assert_int_equal(p->cpus[3].n[PP_FAST], 1);
	snapshot_free(&s);
}

/* By name or by number; a number may be a name, and a name alone still is one namespace. */
static void namespaces(void **state)
{
	static const struct {
		const char *keys;
		uint32_t inode; /* 0: any but that */
		const char *name;
	} cases[] = {
		{"\"netns\":\"4026531840\"", 4026531840u, ""},
		{"\"netns\":\"4026531840\",\"netns_inode\":4026531840", 4026531840u, ""},
		{"\"netns\":\"123\",\"netns_inode\":4026531840", 4026531840u, "123"},
		{"\"netns\":\"blue\",\"netns_inode\":4026531840", 4026531840u, "blue"},
		{"\"netns\":null,\"netns_inode\":4026531840", 4026531840u, ""},
		{"\"netns\":\"blue\"", 0, "blue"},
		{"\"netns\":\"99999999999999999999\"", 0, "99999999999999999999"},
		{"\"netns\":\"-1\"", 0, "-1"},
	};
	struct snapshot s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256];

		snprintf(text, sizeof(text), POOL_DOC("\"device\":{%s}"), cases[i].keys);
		snapshot_of(text, &s);
		assert_string_equal(s.pools[0].netns_name, cases[i].name);
		if (cases[i].inode)
			assert_int_equal(s.pools[0].netns, cases[i].inode);
		else
			assert_int_not_equal(s.pools[0].netns, 0);
		snapshot_free(&s);
	}
	snapshot_of("{\"schema\":\"ppooltop/1\",\"pools\":[{\"device\":{\"netns\":\"a\"}},"
		    "{\"device\":{\"netns\":\"b\"}},{\"device\":{\"netns\":\"a\"}}]}",
		    &s);
	assert_int_equal(s.pools[0].netns, s.pools[2].netns);
	assert_int_not_equal(s.pools[0].netns, s.pools[1].netns);
	snapshot_free(&s);
}

/* Names of sources stay good when the recording is closed, also those nobody knows yet. */
static void names_of_sources(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_of("{\"schema\":\"ppooltop/1\",\"source\":{\"counters\":\"tracepoint+\","
		    "\"state\":\"netlink\",\"level\":\"derived\"}}",
		    &s);
	assert_string_equal(s.source.counters, "tracepoint+");
	assert_string_equal(s.source.state, "netlink");
	assert_string_equal(s.source.level, "derived");
	snapshot_free(&s);
	snapshot_of("{\"schema\":\"ppooltop/1\",\"source\":{\"counters\":\"oracle\"}}", &s);
	assert_string_equal(s.source.counters, "unknown");
	snapshot_free(&s);
}

/* --- time
 * ---------------------------------------------------------------------------------------*/

static void note_interval(const struct model *m, void *arg)
{
	double **next = arg;

	*(*next)++ = m->interval_s;
}

/* The intervals of documents with these members, as the model has them. */
static void check_intervals(const char *const *members, const double *want, size_t nr)
{
	double is[MAX_DOCS], *next = is;
	char text[4096] = "";
	struct outcome r = {0};
	struct collect *c;

	for (; *members; members++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "{\"schema\":\"ppooltop/1\",%s}\n", *members);
	c = open_file(file_with(text, strlen(text)), &r);
	assert_non_null(c);
	assert_int_equal(read_all(c, note_interval, &next), -ENODATA);
	collect_close(c);
	assert_int_equal(next - is, nr);
	for (size_t i = 0; i < nr; i++) {
		if (isnan(want[i]))
			assert_nan(is[i]);
		else
			assert_near(is[i], want[i]);
	}
}

#define DOCS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define INTERVALS(...) \
	((const double[]){__VA_ARGS__}), sizeof((const double[]){__VA_ARGS__}) / sizeof(double)
#define AT(time) "\"time\":\"2026-01-02T" time "Z\""
#define OVER(s)	 ",\"interval_s\":" #s

static void intervals(void **state)
{
	(void)state;
	/* to the nanosecond, where times have milliseconds */
	check_intervals(
		DOCS(AT("03:04:05.678") OVER(1.000123457), AT("03:04:06.678") OVER(1.000123458)),
		INTERVALS(1.000123457, 1.000123458));
	/* every other line of a recording */
	check_intervals(DOCS(AT("03:04:05") OVER(1.001), AT("03:04:07") OVER(1.001)),
			INTERVALS(1.001, 2));
	check_intervals(DOCS(AT("03:04:05.00") OVER(0.05), AT("03:04:05.10") OVER(0.05)),
			INTERVALS(0.05, 0.1));
	/* without intervals, or times, or both */
	check_intervals(DOCS(AT("03:04:05"), AT("03:04:06.5"), AT("23:04:06.5")),
			INTERVALS(NAN, 1.5, 72000));
	check_intervals(DOCS("\"interval_s\":2", "\"interval_s\":3"), INTERVALS(2, 3));
	check_intervals(DOCS("\"pools\":[]", "\"pools\":[]"), INTERVALS(NAN, NAN));
	/* the clock was put back; another recording, years later */
	check_intervals(DOCS(AT("03:04:05") OVER(1), AT("02:04:06") OVER(1)), INTERVALS(1, 1));
	check_intervals(
		DOCS("\"time\":\"1970-01-02T00:00:00Z\"", "\"time\":\"9999-12-31T23:59:59Z\""),
		INTERVALS(NAN, NAN));
	/* what is no interval */
	check_intervals(
		DOCS(AT("03:04:05") OVER(0), AT("03:04:06") OVER(-1), AT("03:04:08") OVER(1e300)),
		INTERVALS(NAN, 1, 2));
}

static void bad_times(void **state)
{
	static const char *const times[] = {"",
					    "yesterday",
					    "2026-01-02",
					    "2026-01-02T03:04:05",
					    "2026-13-02T03:04:05Z",
					    "2026-01-02T03:04:05.1.2Z",
					    "2026-01-02T03:04:05Z "};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct outcome r;
		char text[128];

		snprintf(text, sizeof(text), "{\"schema\":\"ppooltop/1\",\"time\":\"%s\"}",
			 times[i]);
		dump_text(text, &r);
		assert_int_equal(r.end, -EBADMSG);
		assert_non_null(strstr(r.notes, "line 1: \"time\" wants"));
		free(r.text);
	}
}

/* --- reports from the field
 * ---------------------------------------------------------------------*/

/* The model after the last document of a fixture; to be freed, @c to be closed then. */
static void replay(const char *name, int docs, struct model *m)
{
	struct outcome r = {0};
	struct collect *c;
	struct snapshot s;
	char file[96];

	snprintf(file, sizeof(file), "tests/fixtures/%s.jsonl", name);
	c = open_file(file, &r);
	assert_non_null(c);
	model_init(m);
	snapshot_init(&s, 0);
	for (int i = 0; i <= docs; i++) {
		assert_int_equal(collect_read(c, &s), 0);
		assert_int_equal(model_update(m, &s), 0);
	}
	collect_close(c);
}

static double percent(double ratio)
{
	return round(1000 * ratio) / 10;
}

/* Scenarios 1, 3 and 4 */
static void healthy_and_sick(void **state)
{
	static const double waived[] = {92.5, 95.1}, full[] = {94.4, 95.9};
	struct model m;

	(void)state;
	replay("numa-mismatch", 2, &m);
	assert_int_equal(m.nr_pools, 5);
	for (int i = 0; i < 5; i++) {
		const uint64_t *n = m.pools[i].pool->total.n;

		assert_int_equal(n[PP_SLOW], n[PP_EMPTY] + n[PP_WAIVE]);
		if (i >= 2)
			assert_in_range((int)percent(m.pools[i].figures.recycle_ratio), 49, 49);
		if (i >= 2)
			continue;
		assert_near(percent((double)n[PP_WAIVE] / (double)n[PP_SLOW]), waived[i]);
		assert_near(
			percent((double)n[PP_RING_FULL] / (double)(n[PP_RING_FULL] + n[PP_RING])),
			full[i]);
	}
	model_free(&m);

	replay("netlink-example", 1, &m);
	assert_int_equal(m.totals.pools, 10);
	assert_int_equal(m.totals.inflight, 41984);
	assert_int_equal(m.totals.inflight_bytes, 171966464);
	assert_int_equal(m.totals.total.n[PP_SLOW], 656);
	assert_int_equal(m.totals.total.n[PP_FAST], 397681);
	assert_int_equal(m.totals.total.n[PP_RING], 89652);
	assert_int_equal(m.totals.total.n[PP_CACHED], 270201);
	assert_near(percent(m.totals.figures.recycle_ratio), 90.3);
	model_free(&m);

	replay("mlx5-healthy", 1, &m);
	assert_near(percent(m.pools[0].figures.recycle_ratio), 98.9);
	assert_nan(m.pools[1].figures.recycle_ratio);
	model_free(&m);
}

/* Scenarios 8 to 12: what is destroyed and still there */
static void pools_that_will_not_die(void **state)
{
	struct model m;

	(void)state;
	replay("unread-sockets", 2, &m);
	assert_int_equal(m.nr_pools, 12);
	for (int i = 0; i < 12; i++) {
		assert_int_equal(m.pools[i].pool->state, POOL_STUCK);
		assert_int_equal(m.pools[i].pool->inflight, 1);
		assert_near(m.pools[i].pool->destroyed_s, 3020);
		assert_near(m.pools[i].drain_rate, 0);
		assert_nan(m.pools[i].drain_left_s);
	}
	model_free(&m);

	replay("draining", 2, &m);
	assert_int_equal(m.pools[0].pool->state, POOL_DRAINING);
	assert_near(round(10 * m.pools[0].drain_rate) / 10, 3.4);
	assert_near(round(m.pools[0].drain_left_s / 60), 36);
	model_free(&m);

	replay("nine-pools", 2, &m);
	assert_int_equal(m.nr_pools, 9);
	assert_int_equal(m.totals.inflight, 36288);
	assert_near((double)m.totals.inflight_bytes / (1 << 20), 141.75);
	model_free(&m);

	replay("days", 2, &m);
	assert_near(m.pools[0].pool->destroyed_s, 505602);
	assert_int_equal(m.pools[0].pool->inflight, 6);
	model_free(&m);

	replay("xdp-detached", 2, &m);
	assert_int_equal(m.nr_pools, 20);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(m.pools[i].pool->id, i + 1);
	assert_int_equal(m.totals.inflight, 20);
	model_free(&m);
	replay("xdp-detached", 3, &m);
	assert_int_equal(m.nr_pools, 0);
	assert_int_equal(m.totals.inflight, 0);
	model_free(&m);
}

static void note_drain(const struct model *m, void *arg)
{
	*(double *)arg = m->pools[0].drain_rate;
}

/* What is made up to have been before the first document is no part of a trend. */
static void first_document_has_no_trend(void **state)
{
	static const char doc[] =
		"{\"schema\":\"ppooltop/1\",\"interval_s\":1,\"pools\":[{\"id\":1,"
		"\"state\":\"draining\",\"inflight\":{\"pages\":9}}]}";
	struct outcome r = {0};
	struct collect *c = open_file(file_with(doc, strlen(doc)), &r);
	double rate = 0;

	(void)state;
	assert_non_null(c);
	assert_int_equal(read_all(c, note_drain, &rate), -ENODATA);
	assert_nan(rate);
	collect_close(c);
}

/* Scenarios 5 and 13 to 16 */
static void odd_pools(void **state)
{
	struct model m;

	(void)state;
	replay("ring-clamped", 1, &m);
	assert_int_equal(m.pools[0].pool->pool_size, 40000);
	assert_int_equal(m.pools[0].pool->ring_size, 16384);
	model_free(&m);

	replay("device-gone", 2, &m);
	assert_int_equal(m.pools[0].pool->flags & 1, 1);
	assert_string_equal(m.pools[0].pool->dev, "0000:7d:00.0");
	assert_int_equal(m.pools[1].pool->flags & 1, 0);
	model_free(&m);

	replay("provider", 2, &m);
	assert_true(m.pools[0].pool->provider);
	assert_string_equal(m.pools[0].pool->provider_name, "io_uring_pp_zc_ops");
	assert_int_equal(m.pools[0].pool->inflight, 512);
	model_free(&m);

	replay("negative-inflight", 1, &m);
	for (int i = 0; i < 2; i++) {
		const struct pool *p = m.pools[i].pool;

		assert_int_equal(snapshot_inflight(p->hold, p->release), p->inflight);
	}
	assert_int_equal(m.pools[0].pool->inflight, -51446);
	assert_int_equal(m.pools[0].pool->state, POOL_IMPOSSIBLE);
	assert_int_equal(m.totals.inflight, 11);
	assert_int_equal(m.totals.inflight_bytes, 11 * 4096);
	model_free(&m);

	replay("odd-names", 2, &m);
	assert_int_equal(m.nr_devices, 9);
	assert_string_equal(m.devices[0].ifname, "a\"b");
	assert_string_equal(m.devices[4].ifname, "\360\237\230\200");
	assert_string_equal(m.devices[8].ifname, "lan0");
	assert_string_equal(m.devices[0].netns_name, "n \"0\", {x}");
	model_free(&m);
}

/* --- what is no recording
 * -----------------------------------------------------------------------*/

static void check_refused(const char *text, int open, const char *said)
{
	struct outcome r;

	dump_text(text, &r);
	if (open ? r.open != -ENOTSUP : r.open || r.end != -EBADMSG)
		fail_msg("%s: %d, %d", text, r.open, r.end);
	if (!strstr(r.notes, said) || strchr(r.notes, '\n') != r.notes + strlen(r.notes) - 1 ||
	    strncmp(r.notes, "ppooltop: /proc/self/fd/", 24) != 0)
		fail_msg("%s: said %s, not %s", text, r.notes, said);
	free(r.text);
}

static void no_documents(void **state)
{
	struct outcome r;

	(void)state;
	check_refused("", -ENOTSUP, "there is no whole document in it");
	check_refused(" \n\t\r\n", -ENOTSUP, "there is no whole document in it");
	check_refused("{\"schema\":\"ppooltop/1\"", -ENOTSUP, "there is no whole document in it");
	check_refused("\n\nDEVICE", -ENOTSUP, "line 3: no JSON");
	check_refused("{\"schema\":\n\"ppooltop/1\"\n,}", -ENOTSUP, "line 3: no JSON");
	check_refused("[]", 0, "line 1: this is no document");
	check_refused("null\n", -ENOTSUP, "line 1: this is no document");
	check_refused("\"ppooltop/1\"", 0, "line 1: this is no document");
	check_refused("{}", 0, "line 1: \"schema\" wants \"ppooltop/1\"");
	check_refused("\n{\n\"schema\":\"ppooltop/2\"}", 0, "line 2: \"schema\" wants");
	check_refused("{\"schema\":1}", 0, "\"schema\" wants");
	check_refused("{\"schema\":\"ppooltop/1\"}\n\n{\"schema\":\"ppooltop/1\",\n\"pools\":{}}",
		      0, "line 3: \"pools\" wants a list");
	check_refused("{\"schema\":\"ppooltop/1\"}\n]", 0, "line 2: no JSON");

	dump_file("/nonexistent/file", &r);
	assert_int_equal(r.open, -ENOTSUP);
	assert_string_equal(r.notes, "ppooltop: /nonexistent/file: No such file or directory\n");
	free(r.text);
	dump_file("/", &r);
	assert_int_equal(r.open, -ENOTSUP);
	assert_string_equal(r.notes, "ppooltop: /: Is a directory\n");
	free(r.text);
}

static void wrong_values(void **state)
{
	static const struct {
		const char *pool, *said;
	} cases[] = {
		{"\"hold\":-1", "pools[0]: \"hold\" wants a number within its range"},
		{"\"hold\":4294967296", "\"hold\" wants"},
		{"\"hold\":1.5", "\"hold\" wants a whole number"},
		{"\"hold\":true", "\"hold\" wants"},
		{"\"alloc\":{\"fast\":-1}", "\"fast\" wants a number that is not negative"},
		{"\"alloc\":[]", "\"alloc\" wants an object"},
		{"\"state\":\"dying\"", "\"state\" wants live, draining"},
		{"\"state\":0", "\"state\" wants a string"},
		{"\"visible\":1", "\"visible\" wants true or false"},
		{"\"address\":\"here\"", "\"address\" wants"},
		{"\"address\":\"0x\"", "\"address\" wants"},
		{"\"address\":\"0x11111111111111111\"", "\"address\" wants"},
		{"\"destroyed_s\":\"long\"", "\"destroyed_s\" wants a number"},
		{"\"since\":5", "\"since\" wants a string"},
		{"\"params\":{\"order\":0,\"flags\":[1]}", "\"flags\" wants strings"},
		{"\"params\":{\"order\":0,\"provider\":1}", "\"provider\" wants a string"},
		{"\"cpus\":[1]", "\"cpus\" wants objects"},
		{"\"cpus\":[{}]", "\"cpu\" wants a number"},
		{"\"cpus\":[{\"cpu\":-1}]", "\"cpu\" wants"},
		{"\"cpus\":[{\"cpu\":8192}]", "\"cpu\" wants"},
		{"\"cpus\":{}", "\"cpus\" wants a list"},
		{"\"device\":{\"queue\":99999999999}", "\"queue\" wants"},
		{"\"device\":\"eth0\"", "\"device\" wants an object"},
		/* the second is the first that is wrong */
		{"\"id\":1},{\"id\":\"1\"},{\"id\":\"2\"", "pools[1]: \"id\" wants a whole number"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256];

		snprintf(text, sizeof(text), POOL_DOC("%s"), cases[i].pool);
		check_refused(text, 0, cases[i].said);
	}
	check_refused("{\"schema\":\"ppooltop/1\",\"pools\":[1]}", 0, "\"pools\" wants objects");
	check_refused("{\"schema\":\"ppooltop/1\",\"devices\":[{},1]}", 0,
		      "devices[1]: \"devices\" wants objects");
}

/* Has the first of these documents all that one can have? */
static bool has_all(const char *doc)
{
	static const char *const words[] = {
		"\"pools\":2,", "\"cpu\":1,",	   "\"reason\":",   "\"provider\":\"",
		"\"stuck\"",	"\"cached\":null", "\"flags\":[\"", "\"unaccounted\":1"};
	const char *end = strchr(doc, '\n');

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *at = strstr(doc, words[i]);

		if (!at || at > end)
			return false;
	}
	return true;
}

/* Two documents with all there is in them; to be freed. */
static char *full_text(void)
{
	for (unsigned int seed = 1;; seed++) {
		char *text = record(seed, false, 2), *from = text, *end;

		while (*from && !has_all(from))
			from = strchr(from, '\n') + 1;
		end = *from ? strchr(strchr(from, '\n') + 1, '\n') : NULL;
		if (end) {
			end[1] = '\0';
			memmove(text, from, strlen(from) + 1);
			return text;
		}
		free(text);
	}
}

/* A crash while writing: what is whole is read, and what is not is no error. */
static void cut_anywhere(void **state)
{
	char *text = full_text();
	size_t first = (size_t)(strchr(text, '\n') - text), len = strlen(text);

	(void)state;
	for (size_t n = 0; n < len; n++) {
		struct outcome r;

		dump_bytes(text, n, &r);
		if (n < first) {
			assert_int_equal(r.open, -ENOTSUP);
			assert_non_null(strstr(r.notes, "no whole document"));
		} else {
			assert_int_equal(r.open, 0);
			assert_int_equal(r.end, -ENODATA);
			assert_int_equal(r.docs, n < len - 1 ? 1 : 2);
			assert_int_equal(strncmp(r.text, text, first + 1), 0);
		}
		free(r.text);
	}
	free(text);
}

/*
 * Either it is read, or it is refused in one line. What is read twice is the same from then on; at
 * first something may drop out that contradicts the rest.
 */
static void check_any(const char *text)
{
	struct outcome r, again;

	dump_text(text, &r);
	if (!r.open && r.end == -ENODATA) {
		assert_string_equal(r.notes, "");
		dump_text(r.text, &again);
		check_again(again.text, "read again");
		free(again.text);
	} else {
		assert_true(r.open == -ENOTSUP || r.end == -EBADMSG);
		assert_ptr_equal(strchr(r.notes, '\n'), r.notes + strlen(r.notes) - 1);
	}
	free(r.text);
}

static const char *const others[] = {"null",
				     "\"x\"",
				     "\"\"",
				     "[]",
				     "{}",
				     "true",
				     "-1",
				     "0",
				     "1e300",
				     "[{}]",
				     "18446744073709551615"};

/* Each value below @o in turn by each of others[], with the document @doc checked each time. */
static void replace_each(json *doc, json *o)
{
	if (json_object_is_type(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++) {
			json *old = json_object_get(json_object_array_get_idx(o, i));

			for (size_t k = 0; k < ARRAY_SIZE(others); k++) {
				json_object_array_put_idx(o, i, json_tokener_parse(others[k]));
				check_any(json_object_to_json_string_ext(doc, 0));
			}
			json_object_array_put_idx(o, i, old);
			replace_each(doc, old);
		}
	} else if (json_object_is_type(o, json_type_object)) {
		json_object_object_foreach(o, key, value)
		{
			json *old = json_object_get(value);

			for (size_t k = 0; k < ARRAY_SIZE(others); k++) {
				json_object_object_add(o, key, json_tokener_parse(others[k]));
				check_any(json_object_to_json_string_ext(doc, 0));
			}
			json_object_object_add(o, key, old);
			replace_each(doc, old);
		}
	}
}

static void any_value_anywhere(void **state)
{
	char *text = full_text();
	json *doc;

	(void)state;
	*strchr(text, '\n') = '\0';
	doc = parse(text);
	replace_each(doc, doc);
	json_object_put(doc);
	free(text);
}

static void any_bytes_anywhere(void **state)
{
	static const char bytes[] = "{}[]\",:0-e\\nt \n\377\001";
	char *text = full_text();
	size_t len = strlen(text);
	struct dice d = {1};

	(void)state;
	for (int i = 0; i < 2000; i++) {
		size_t at = roll(&d, (unsigned int)len);
		char old = text[at];
		struct outcome r;

		text[at] = bytes[roll(&d, sizeof(bytes))]; /* also the end of the string */
		dump_bytes(text, len, &r);
		free(r.text);
		text[at] = old;
	}
	free(text);
}

/* Parts of a document that come one by one, as from a pipe; lines of all lengths. */
static void buffers_of_any_size(void **state)
{
	char *text = full_text(), *spaced;
	size_t first = (size_t)(strchr(text, '\n') - text) + 1, len = strlen(text);
	struct outcome r;

	(void)state;
	/* the second document begins and ends at each place within a buffer */
	for (size_t pad = 65536 - first - len; pad < 65536 + 3 - first; pad += 997) {
		spaced = malloc(len + pad + 1);
		assert_non_null(spaced);
		memcpy(spaced, text, first);
		memset(spaced + first, ' ', pad);
		strcpy(spaced + first + pad, text + first);
		dump_text(spaced, &r);
		check_same(r.text, text, "spaced");
		free(r.text);
		free(spaced);
	}
	free(text);
}

/* The documents of @text, each a frame by itself, as record writes them; to be freed. */
static char *compressed(const char *text, size_t *len)
{
	char *frames = malloc(ZSTD_compressBound(strlen(text)) + 4096);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	const char *end;

	assert_non_null(frames);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	for (*len = 0; *text; text = end) {
		end = strchr(text, '\n') + 1;
		*len += ZSTD_compress2(zstd, frames + *len, 65536, text, (size_t)(end - text));
	}
	ZSTD_freeCCtx(zstd);
	return frames;
}

/* Is what was read the beginning of @text, and whole lines of it? */
static void check_begins(const struct outcome *r, const char *text)
{
	size_t n = strlen(r->text);

	assert_memory_equal(r->text, text, n);
	assert_true(!n || r->text[n - 1] == '\n');
}

static void compressed_and_cut(void **state)
{
	char *text = full_text(), *frames;
	struct outcome r;
	size_t len;

	(void)state;
	frames = compressed(text, &len);
	dump_bytes(frames, len, &r);
	assert_int_equal(r.end, -ENODATA);
	check_same(r.text, text, "compressed");
	free(r.text);
	for (size_t cut = 1; cut < len; cut++) {
		dump_bytes(frames, cut, &r);
		assert_true(r.open == -ENOTSUP || r.end == -ENODATA);
		check_begins(&r, text);
		free(r.text);
	}
	free(frames);
	free(text);
}

/* A checksum tells; and nothing else breaks. */
static void compressed_and_damaged(void **state)
{
	char *text = full_text(), *frames;
	struct outcome r;
	size_t len, damaged = 0;

	(void)state;
	frames = compressed(text, &len);
	for (size_t i = 0; i < len; i++) {
		frames[i] ^= (char)(1 << i % 8);
		dump_bytes(frames, len, &r);
		check_begins(&r, text);
		assert_true(r.open || r.end != -EBADMSG || strstr(r.notes, "line "));
		damaged += !r.open && strlen(r.text) < strlen(text);
		free(r.text);
		frames[i] ^= (char)(1 << i % 8);
	}
	/* not in the first document; and zstd leaves a few bits unused */
	assert_true(damaged > len / 2);
	free(frames);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_are_read_as_written),
		cmocka_unit_test(fixtures_are_read),
		cmocka_unit_test(names_of_any_bytes),
		cmocka_unit_test(names_too_long_are_cut),
		cmocka_unit_test(nothing_is_known_of_an_empty_pool),
		cmocka_unit_test(one_null_takes_no_other_along),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(names_of_sources),
		cmocka_unit_test(intervals),
		cmocka_unit_test(bad_times),
		cmocka_unit_test(healthy_and_sick),
		cmocka_unit_test(pools_that_will_not_die),
		cmocka_unit_test(first_document_has_no_trend),
		cmocka_unit_test(odd_pools),
		cmocka_unit_test(no_documents),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(any_value_anywhere),
		cmocka_unit_test(any_bytes_anywhere),
		cmocka_unit_test(buffers_of_any_size),
		cmocka_unit_test(compressed_and_cut),
		cmocka_unit_test(compressed_and_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
