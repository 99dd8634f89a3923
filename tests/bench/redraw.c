// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a refresh of the live view costs, without the reading of the kernel: tests/bench/top runs it
 * on a terminal. The recording's last two documents take turns; the median of some rounds is told,
 * in milliseconds of time and in instructions (where the machine lets them be counted).
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect.h"
#include "tui.h"
#include "tui_term.h"
#include "util.h"

#define ROUNDS 60

static int counter = -1; /* of instructions */

struct cost {
	double ms, instructions;
};

static struct cost since;

static double count(void)
{
	uint64_t n = 0;

	return counter >= 0 && read(counter, &n, sizeof(n)) == sizeof(n) ? (double)n : 0;
}

static void begin(void)
{
	since = (struct cost){(double)now_ns() / 1e6, count()};
}

static void end(struct cost *c)
{
	*c = (struct cost){(double)now_ns() / 1e6 - since.ms, count() - since.instructions};
}

static int by_time(const void *a, const void *b)
{
	const struct cost *c = a, *d = b;

	return (c->ms > d->ms) - (c->ms < d->ms);
}

static void tell(FILE *f, const char *what, struct cost *costs)
{
	qsort(costs, ROUNDS, sizeof(costs[0]), by_time);
	fprintf(f, "%-34s %8.2f ms", what, costs[ROUNDS / 2].ms);
	if (counter >= 0)
		fprintf(f, " %9.2f M instructions", costs[ROUNDS / 2].instructions / 1e6);
	fprintf(f, ", slowest %.2f ms\n", costs[ROUNDS - 1].ms);
}

static struct snapshot two[2];

static int read_two(const char *path)
{
	struct collect_opts opts = {.notes = stderr, .input = path};
	struct collect *c;
	int err;

	err = collect_open(&c, &opts);
	for (int i = 0; !err; i = !i)
		err = collect_read(c, &two[i]);
	/* The one that met the end is empty: the others are the last two. */
	return err;
}

static struct model m;
static struct tui t;

/* The next second, a little busier than the last. */
static void next_model(int round)
{
	const uint64_t mono_ns = m.now.mono_ns;
	struct snapshot s;

	if (snapshot_copy(&s, &two[0]))
		exit(EXIT_FAILED);
	s.mono_ns = mono_ns + 1000000000;
	for (size_t i = 0; i < s.nr_pools; i++) {
		for (int k = 0; k < PP_NR_COUNTERS; k++)
			s.pools[i].total.n[k] += (uint64_t)round * 1000 * (i % 7);
		for (int cpu = 0; s.pools[i].cpus && cpu < s.nr_cpus; cpu++)
			s.pools[i].cpus[cpu].n[PP_FAST] += (uint64_t)round * 10 * (i % 7);
	}
	if (model_update(&m, &s))
		exit(EXIT_FAILED);
}

static void measure(FILE *f, const char *name)
{
	struct cost update[ROUNDS], draw[ROUNDS], key[ROUNDS];
	static int round;
	char text[64];

	for (int i = 0; i < ROUNDS; i++) {
		next_model(++round);
		begin();
		tui_update(&t, &m);
		end(&update[i]);
		begin();
		tui_draw(&t);
		end(&draw[i]);
		begin();
		tui_key(&t, i % 2 ? TUI_UP : TUI_DOWN);
		tui_draw(&t);
		end(&key[i]);
	}
	snprintf(text, sizeof(text), "%s: list and history", name);
	tell(f, text, update);
	snprintf(text, sizeof(text), "%s: drawing", name);
	tell(f, text, draw);
	snprintf(text, sizeof(text), "%s: a key, and drawing", name);
	tell(f, text, key);
}

static void press(const char *keys)
{
	for (; *keys; keys++)
		tui_key(&t, *keys);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_INSTRUCTIONS,
				       .exclude_hv = 1};
	struct rusage usage;
	int rows, cols;
	FILE *f;

	if (argc != 3)
		return EXIT_WANTING;
	setlocale(LC_CTYPE, "");
	counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	stop_on_signals();
	read_two(argv[1]);
	if (!two[0].nr_pools)
		two[0] = two[1];
	model_init(&m);
	if (!two[0].nr_pools || tui_init(&t, glyphs_of_locale(), 1) || term_open(COLOR_AUTO))
		return EXIT_FAILED;
	term_size(&rows, &cols);
	tui_resize(&t, rows, cols);
	f = fopen(argv[2], "w");
	if (!f)
		return EXIT_FAILED;
	fprintf(f, "%zu pools, %d CPUs, a screen of %d x %d\n", two[0].nr_pools, two[0].nr_cpus,
		cols, rows);
	next_model(0);
	tui_update(&t, &m);
	measure(f, "by device");
	t.config.sort = column_find("ALLOC");
	measure(f, "by device, sorted");
	press("*");
	measure(f, "all CPUs of all pools, sorted");
	press("*tt");
	measure(f, "by CPU, sorted");
	t.config.sort = NULL;
	press("tjj\n");
	measure(f, "detail of a pool");
	term_close();
	getrusage(RUSAGE_SELF, &usage);
	fprintf(f, "history: %zu snapshots in %.1f MiB; resident at most %.1f MiB\n",
		history_count(t.history), (double)history_bytes(t.history) / (1 << 20),
		(double)usage.ru_maxrss / 1024);
	return fclose(f) ? EXIT_FAILED : EXIT_DONE;
}
