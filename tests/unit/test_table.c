// SPDX-License-Identifier: GPL-2.0-or-later
/* The table: columns stay columns whatever is in them, and nothing in them reaches the terminal. */
#include "unit.h"

#include <locale.h>
#include <wchar.h>

#include "view.h"

#define MAX_LINES 64

struct printed {
	char *text;
	char *lines[MAX_LINES]; /* without header: titles first */
	int nr;
};

static void print(struct printed *p, const struct model *m, const struct table_opts *opts)
{
	size_t len = 0;
	FILE *f;
	char *line;

	memset(p, 0, sizeof(*p));
	f = open_memstream(&p->text, &len);
	assert_non_null(f);
	assert_int_equal(view_table(f, m, opts), 0);
	fclose(f);
	assert_int_equal(p->text[len - 1], '\n');
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)p->text[i] < 0x20 && p->text[i] != '\n')
			fail_msg("control byte %#x in the output", p->text[i]);
	line = strchr(p->text, '\n') + 1;
	while (*line) {
		assert_true(p->nr < MAX_LINES);
		p->lines[p->nr++] = line;
		line = strchr(line, '\n');
		*line++ = '\0';
	}
}

static int screen_width(const char *s)
{
	wchar_t wide[512];
	size_t n = mbstowcs(wide, s, ARRAY_SIZE(wide));

	assert_true(n < ARRAY_SIZE(wide));
	return wcswidth(wide, n);
}

/* The last column is aligned to the right: one cell that is too wide makes its line longer. */
static void check_aligned(const struct printed *p)
{
	for (int i = 1; i < p->nr; i++)
		if (screen_width(p->lines[i]) != screen_width(p->lines[0]))
			fail_msg("not aligned:\n%s\n%s", p->lines[0], p->lines[i]);
}

static void update(struct model *m, struct snapshot *s)
{
	assert_int_equal(model_update(m, s), 0);
}

/* A model of one snapshot with one pool for each name. */
static void model_of_names(struct model *m, const char *const *names, size_t nr)
{
	struct snapshot s;

	model_init(m);
	unit_snapshot(&s, 1);
	for (size_t i = 0; i < nr; i++) {
		struct pool *p = unit_pool(&s, 0x1000 + i, 2);

		p->queue = (int)i;
		snprintf(p->ifname, sizeof(p->ifname), "%s", names[i]);
	}
	update(m, &s);
}

static void names_of_many_bytes_are_aligned(void **state)
{
	static const char *const names[] = {
		"eth0",
		"",
		"a\"b,c}",
		"h\303\244user",
		"\360\237\230\200net",
		"\346\227\245\346\234\254",
		"\377\376bad",
		"\303",
	};
	struct table_opts opts = {0};
	struct printed p;
	struct model m;

	(void)state;
	model_of_names(&m, names, ARRAY_SIZE(names));
	print(&p, &m, &opts);
	assert_int_equal(p.nr, 1 + ARRAY_SIZE(names));
	check_aligned(&p);
	assert_non_null(strstr(p.lines[3], "a\"b,c}"));
	assert_non_null(strstr(p.lines[4], "h\303\244user "));
	assert_non_null(strstr(p.lines[5], "\360\237\230\200net"));
	free(p.text);
	model_free(&m);
}

/* The kernel takes any byte but '/', ':' and white space in a name; in its own, ip(8) too. */
static void control_bytes_stay_out(void **state)
{
	static const char *const names[] = {
		"\033[2J",
		"a\007\010b",
		"\177del",
		"\302\233\0632J" /* CSI as UTF-8 */,
		"\2332J" /* and as Latin-1 */,
	};
	static const char *const locales[] = {"C.UTF-8", "C"};
	struct table_opts opts = {0};
	struct printed p;
	struct model m;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(locales); k++) {
		if (!setlocale(LC_CTYPE, locales[k]))
			continue;
		model_of_names(&m, names, ARRAY_SIZE(names));
		snprintf(m.now.pools[0].netns_name, SNAP_NAMELEN, "x\033]0;title\007y");
		print(&p, &m, &opts);
		for (int i = 1; i < p.nr; i++) {
			assert_null(strchr(p.lines[i], '\177'));
			assert_null(strchr(p.lines[i], 0x9b));
		}
		assert_int_equal(p.nr, 1 + ARRAY_SIZE(names));
		assert_int_equal(strncmp(p.lines[1], "?[2J ", 5), 0);
		free(p.text);
		model_free(&m);
	}
	setlocale(LC_CTYPE, "C.UTF-8");
}

static int count_words(const char *line, const char *word)
{
	int n = 0;

	for (const char *s = line; (s = strstr(s, word)); s += strlen(word))
		n++;
	return n;
}

/* Eleven counters, the ratio, cache, ring, inflight and bytes: n/a, and no 0 among them. */
static void unknown_is_na(void **state)
{
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;
	struct pool *pool;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	pool = snapshot_add(&s, false);
	assert_non_null(pool);
	pool->has = POOL_HAS_ID;
	pool->id = 77;
	update(&m, &s);
	print(&p, &m, &opts);
	assert_int_equal(p.nr, 2);
	check_aligned(&p);
	assert_int_equal(count_words(p.lines[1], "n/a"), PP_NR_COUNTERS + 5);
	assert_null(strchr(p.lines[1], '0'));
	assert_non_null(strstr(p.lines[1], " 77 "));
	free(p.text);
	model_free(&m);
}

static void one_unknown_counter(void **state)
{
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	unit_pool(&s, 0x1000, 2)->counters_known &= ~(1u << PP_WAIVE);
	update(&m, &s);
	print(&p, &m, &opts);
	assert_int_equal(count_words(p.lines[1], "n/a"), 1);
	free(p.text);
	model_free(&m);
}

/* Nothing was allocated, or it is not known how much: "-" is no n/a. */
static void ratio_is_idle_or_unknown(void **state)
{
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;

	(void)state;
	for (int known = 0; known < 2; known++) {
		model_init(&m);
		unit_snapshot(&s, 1);
		if (!known)
			unit_pool(&s, 0x1000, 2)->counters_known &= ~(1u << PP_CACHED);
		else
			unit_pool(&s, 0x1000, 2);
		update(&m, &s);
		print(&p, &m, &opts);
		assert_int_equal(count_words(p.lines[1], "n/a"), known ? 0 : 2);
		free(p.text);
		model_free(&m);
	}
}

static void no_pools(void **state)
{
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	update(&m, &s);
	print(&p, &m, &opts);
	assert_int_equal(p.nr, 2);
	assert_string_equal(p.lines[1], "no page_pool was seen");
	free(p.text);
	model_free(&m);
}

/* One pool with this many in each counter, seen for the first time. */
static void check_counts(uint64_t n, const char *shown)
{
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;
	struct pool *pool;
	char cell[32];

	model_init(&m);
	unit_snapshot(&s, 1);
	pool = unit_pool(&s, 0x1000, 2);
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		pool->total.n[i] = n;
	update(&m, &s);
	print(&p, &m, &opts);
	snprintf(cell, sizeof(cell), " %s ", shown);
	if (shown[0])
		assert_non_null(strstr(p.lines[1], cell));
	check_aligned(&p);
	free(p.text);
	model_free(&m);
}

static void numbers_of_people(void **state)
{
	(void)state;
	check_counts(0, "0");
	check_counts(9999, "9999");
	check_counts(10000, "10.0K");
	check_counts(123456, "123.5K");
	check_counts(12345678, "12.3M");
}

/* Every number of pages a second there is fits its column: millions are common. */
static void every_number_fits(void **state)
{
	(void)state;
	for (uint64_t n = 1; n < UINT64_MAX / 3; n *= 3)
		check_counts(n, "");
	check_counts(1234567, "");
	check_counts(9999499, "");
	check_counts(999999, "");
	check_counts(UINT64_MAX, "");
}

/* Ordinary things, each longer than "eth0", "live" and 1024. */
static void long_things_are_aligned(void **state)
{
	static const char *const names[] = {"eth0", "enp129s0f0np0", "fifteen-letters"};
	struct table_opts opts = {0};
	struct printed p;
	struct model m;

	(void)state;
	model_of_names(&m, names, ARRAY_SIZE(names));
	print(&p, &m, &opts);
	check_aligned(&p);
	free(p.text);
	m.now.pools[0].state = POOL_IMPOSSIBLE;
	print(&p, &m, &opts);
	check_aligned(&p);
	free(p.text);
	m.now.pools[0].state = POOL_LIVE;
	m.now.pools[0].ring = 16384;
	m.now.pools[0].ring_size = 16384;
	print(&p, &m, &opts);
	check_aligned(&p);
	free(p.text);
	model_free(&m);
}

/* Queues of pools in the order in which @sort puts them. */
static void check_order(const char *sort, const uint64_t *fast, size_t nr, const int *queues)
{
	struct table_opts opts = {.sort = sort};
	struct snapshot s;
	struct printed p;
	struct model m;

	model_init(&m);
	unit_snapshot(&s, 1);
	for (size_t i = 0; i < nr; i++) {
		struct pool *pool = unit_pool(&s, 0x1000 + i, 2);

		pool->queue = (int)i;
		pool->total.n[PP_FAST] = fast[i];
	}
	update(&m, &s);
	for (int round = 0; round < 3; round++) {
		print(&p, &m, &opts);
		assert_int_equal(p.nr, 1 + nr);
		for (size_t i = 0; i < nr; i++) {
			char device[32], netns[32];
			int queue;

			assert_int_equal(
				sscanf(p.lines[1 + i], "%31s %31s %d", device, netns, &queue), 3);
			assert_int_equal(queue, queues[i]);
		}
		free(p.text);
	}
	model_free(&m);
}

static void numbers_fall_and_equals_stay(void **state)
{
	static const uint64_t fast[] = {5, 9, 5, 700, 5, 9, 5, 5, 5, 5, 5, 5};
	static const int by_fast[] = {3, 1, 5, 0, 2, 4, 6, 7, 8, 9, 10, 11};
	static const int by_model[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

	(void)state;
	check_order("FAST", fast, ARRAY_SIZE(fast), by_fast);
	check_order("fast", fast, ARRAY_SIZE(fast), by_fast);
	check_order(NULL, fast, ARRAY_SIZE(fast), by_model);
	check_order("DEVICE", fast, ARRAY_SIZE(fast), by_model); /* all the same */
	check_order("RECYC%", fast, ARRAY_SIZE(fast), by_model); /* unknown, all */
}

/* Queue 10 does not come between 1 and 2, whichever way the numbers go. */
static void queues_sort_as_numbers(void **state)
{
	struct table_opts opts = {.sort = "Q"};
	struct snapshot s;
	struct printed p;
	struct model m;
	int last = -1, steps[2] = {0};

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	for (int i = 0; i < 12; i++)
		unit_pool(&s, 0x1000 + (uint64_t)i, 2)->queue = i;
	update(&m, &s);
	print(&p, &m, &opts);
	for (int i = 1; i < p.nr; i++) {
		char device[32], netns[32];
		int queue;

		assert_int_equal(sscanf(p.lines[i], "%31s %31s %d", device, netns, &queue), 3);
		if (last >= 0)
			steps[queue > last]++;
		last = queue;
	}
	assert_true(!steps[0] || !steps[1]);
	free(p.text);
	model_free(&m);
}

/* Two pools on two CPUs, of which the second counted nothing. */
static void model_per_cpu(struct model *m)
{
	struct snapshot s;

	model_init(m);
	unit_snapshot(&s, 1);
	for (uint64_t i = 0; i < 2; i++) {
		struct pool *p = unit_pool(&s, 0x1000 + i, 2);

		p->queue = (int)i;
		p->total.n[PP_FAST] = 10;
		p->cpus[0].n[PP_FAST] = 10;
	}
	update(m, &s);
}

static void cpus_below_their_pool(void **state)
{
	struct table_opts opts = {.per_cpu = true};
	struct printed p;
	struct model m;

	(void)state;
	model_per_cpu(&m);
	print(&p, &m, &opts);
	check_aligned(&p);
	assert_int_equal(strncmp(p.lines[1], "eth0 ", 5), 0);
	assert_int_equal(strncmp(p.lines[2], " cpu 0 ", 7), 0);
	assert_non_null(strstr(p.lines[2], " 10 "));
	free(p.text);
	model_free(&m);
}

/* What a CPU's own part is not known of is n/a, whatever is known of the pool. */
static void cpus_know_less(void **state)
{
	struct table_opts opts = {.per_cpu = true};
	struct snapshot s;
	struct printed p;
	struct model m;
	struct pool *pool;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	pool = unit_pool(&s, 0x1000, 2);
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		pool->total.n[i] = 3;
	pool->cpus[1].n[PP_RING] = 3;
	for (int i = 0; i < PP_CACHED; i++)
		pool->cpus_known &= ~(1u << i);
	update(&m, &s);
	print(&p, &m, &opts);
	assert_int_equal(p.nr, 3);
	check_aligned(&p);
	assert_int_equal(count_words(p.lines[1], "n/a"), 0);
	assert_int_equal(count_words(p.lines[2], "n/a"), PP_CACHED);
	assert_int_equal(count_words(p.lines[2], " 3 "), 1);
	free(p.text);
	model_free(&m);
}

/* view.h: "a row for each CPU that counted" */
static void idle_cpus_have_no_row(void **state)
{
	struct table_opts opts = {.per_cpu = true};
	struct printed p;
	struct model m;

	(void)state;
	model_per_cpu(&m);
	print(&p, &m, &opts);
	assert_int_equal(p.nr, 1 + 2 * 2);
	free(p.text);
	model_free(&m);
}

/* view.h: "at most so many lines"; the first is the header, which print() took off */
static void check_rows(bool per_cpu, int most)
{
	struct printed p;
	struct model m;

	model_per_cpu(&m);
	for (int rows = 2; rows <= most; rows++) {
		struct table_opts opts = {.per_cpu = per_cpu, .rows = rows};

		print(&p, &m, &opts);
		assert_true(1 + p.nr <= rows);
		if (!per_cpu)
			assert_int_equal(1 + p.nr, rows);
		free(p.text);
	}
	model_free(&m);
}

static void screen_is_not_overrun(void **state)
{
	(void)state;
	check_rows(false, 4);
}

static void screen_is_not_overrun_by_cpus(void **state)
{
	(void)state;
	check_rows(true, 8);
}

static void dead_disk_is_told(void **state)
{
	struct table_opts opts = {0};
	FILE *f = fopen("/dev/full", "w");
	struct model m;

	(void)state;
	if (!f)
		skip();
	model_per_cpu(&m);
	assert_true(view_table(f, &m, &opts) < 0);
	fclose(f);
	model_free(&m);
}

/* The first line, with the given source and loss, @seconds after another or, if 0, alone. */
static void check_header(const struct source_info *source, uint64_t lost, double seconds,
			 const char *want)
{
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;

	model_init(&m);
	for (int i = seconds > 0 ? 0 : 1; i < 2; i++) {
		unit_snapshot(&s, 1 + i * seconds);
		s.source = *source;
		s.lost_pools = lost;
		s.lost_events = 5;
		update(&m, &s);
	}
	print(&p, &m, &opts);
	*strchr(p.text, '\n') = '\0';
	assert_string_equal(p.text, want);
	free(p.text);
	model_free(&m);
}

static void header_says_where_it_comes_from(void **state)
{
	struct source_info source = {.counters = "fentry", .state = "fentry", .level = "full"};

	(void)state;
	check_header(&source, 0, 0,
		     "ppooltop: kernel 6.1.0, 2 CPUs; counters from fentry/full, counts; "
		     "lost: 0 pools, 5 events");
	check_header(&source, 0, 2.5,
		     "ppooltop: kernel 6.1.0, 2 CPUs; counters from fentry/full, "
		     "per second over 2.5 s; lost: 0 pools, 5 events");
	/* pools that are not in the sums */
	check_header(&source, 3, 0,
		     "ppooltop: kernel 6.1.0, 2 CPUs; counters from fentry/full, counts; "
		     "lost: 3 pools, 5 events; sums are incomplete");
	source.counters = "kprobe";
	source.level = "slow";
	source.attached = true;
	check_header(
		&source, 0, 0,
		"ppooltop: kernel 6.1.0, 2 CPUs; counters from kprobe/slow (attached), counts; "
		"lost: 0 pools, 5 events");
	source = (struct source_info){.counters = "netlink", .state = "tracepoint"};
	check_header(&source, 0, 0,
		     "ppooltop: kernel 6.1.0, 2 CPUs; counters from netlink, counts; "
		     "lost: 0 pools, 5 events");
	source.counters = NULL;
	check_header(&source, 0, 0,
		     "ppooltop: kernel 6.1.0, 2 CPUs; counters from nowhere (n/a), counts; "
		     "lost: 0 pools, 5 events");
}

/* AUDIT: not known, in order, and how many pages are missing. */
static void audits(void **state)
{
	static const struct {
		struct audit audit;
		const char *cell;
	} rows[] = {
		{{.known = false}, " -"},
		{{.known = false, .unaccounted = 7}, " -"},
		{{.known = true}, " ok"},
		{{.known = true, .unaccounted = 64}, " 64"},
	};
	struct table_opts opts = {0};
	struct snapshot s;
	struct printed p;
	struct model m;

	(void)state;
	model_init(&m);
	unit_snapshot(&s, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		unit_pool(&s, 0x1000 + i, 2)->audit = rows[i].audit;
	update(&m, &s);
	print(&p, &m, &opts);
	check_aligned(&p);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *line = p.lines[1 + i];

		assert_string_equal(line + strlen(line) - strlen(rows[i].cell), rows[i].cell);
	}
	free(p.text);
	model_free(&m);
}

static void columns_have_names(void **state)
{
	char titles[1024], *word, *save;
	FILE *f = fmemopen(titles, sizeof(titles), "w");
	int nr = 0;

	(void)state;
	assert_non_null(f);
	view_table_titles(f);
	fclose(f);
	for (word = strtok_r(titles, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(view_table_column(word));
		nr++;
	}
	assert_true(nr > PP_NR_COUNTERS);
#define PP_X(ID, side, key, kernel, metric, label, title, help) \
	assert_true(view_table_column(title));
	PP_COUNTERS(PP_X)
#undef PP_X
	assert_true(view_table_column("Recyc%"));
	assert_false(view_table_column(""));
	assert_false(view_table_column("FAS"));
	assert_false(view_table_column("FASTER"));
	assert_false(view_table_column(" FAST"));
}

static void states_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < POOL_NR_STATES; i++)
		assert_non_null(pool_state_names[i]);
	assert_string_equal(pool_state_names[POOL_STUCK], "stuck");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_many_bytes_are_aligned),
		cmocka_unit_test(control_bytes_stay_out),
		cmocka_unit_test(unknown_is_na),
		cmocka_unit_test(one_unknown_counter),
		cmocka_unit_test(ratio_is_idle_or_unknown),
		cmocka_unit_test(no_pools),
		cmocka_unit_test(numbers_of_people),
		cmocka_unit_test(every_number_fits),
		cmocka_unit_test(long_things_are_aligned),
		cmocka_unit_test(numbers_fall_and_equals_stay),
		cmocka_unit_test(queues_sort_as_numbers),
		cmocka_unit_test(cpus_below_their_pool),
		cmocka_unit_test(cpus_know_less),
		cmocka_unit_test(idle_cpus_have_no_row),
		cmocka_unit_test(screen_is_not_overrun),
		cmocka_unit_test(screen_is_not_overrun_by_cpus),
		cmocka_unit_test(dead_disk_is_told),
		cmocka_unit_test(header_says_where_it_comes_from),
		cmocka_unit_test(audits),
		cmocka_unit_test(columns_have_names),
		cmocka_unit_test(states_have_names),
	};

	/* as in main(); glibc has it built in or beside it since 2.35 */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "en_US.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
