// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the outputs for machines cost, without the reading of the kernel: the recording's last two
 * documents are made a model, which is written some times. The median is told, in milliseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "collect.h"
#include "prometheus.h"
#include "util.h"
#include "view.h"

#define ROUNDS 9

static struct model m;
static struct ledger ledger;

static int read_all(const char *path)
{
	struct collect_opts opts = {.notes = stderr, .input = path};
	struct snapshot s;
	struct collect *c;
	int err;

	model_init(&m);
	ledger_init(&ledger, true, true);
	snapshot_init(&s, 0);
	err = collect_open(&c, &opts);
	if (err)
		return err;
	while (!err) {
		err = collect_read(c, &s);
		if (!err)
			err = model_update(&m, &s);
		if (!err)
			err = ledger_update(&ledger, &m);
	}
	collect_close(c);
	return err;
}

static int by_value(const void *a, const void *b)
{
	const double *v = a, *w = b;

	return (*v > *w) - (*v < *w);
}

static const struct output {
	const char *name;
	bool json;
	struct prometheus_opts opts;
} outputs[] = {
	{"json", true, {0}},
	{"textfile, a series for each device", false, {&ledger, false, false, 1000000000}},
	{"textfile, for each pool", false, {&ledger, true, false, 1000000000}},
	{"textfile, for each CPU", false, {&ledger, true, true, 1000000000}},
	{"textfile, for each CPU, 10000 series", false, {&ledger, true, true, 10000}},
};

/* Of this process: others may be busy, too. */
static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Write it once, and check it; bytes that came of it. */
static size_t put(const struct output *o, double *view_ms, double *check_ms)
{
	char *text = NULL, why[80];
	size_t len = 0;
	double start = cpu_ms(), end;
	FILE *f = open_memstream(&text, &len);
	int err = o->json ? view_json(f, &m, false) : view_prometheus(f, &m, &o->opts);

	fclose(f);
	end = cpu_ms();
	*view_ms = end - start;
	if (!o->json && !err)
		err = prometheus_check(text, len, why, sizeof(why));
	*check_ms = cpu_ms() - end;
	if (err)
		exit(EXIT_FAILED);
	free(text);
	return len;
}

static void measure(const struct output *o)
{
	double view_ms[ROUNDS], check_ms[ROUNDS];
	size_t bytes = 0;

	for (int i = 0; i < ROUNDS; i++)
		bytes = put(o, &view_ms[i], &check_ms[i]);
	qsort(view_ms, ROUNDS, sizeof(view_ms[0]), by_value);
	qsort(check_ms, ROUNDS, sizeof(check_ms[0]), by_value);
	printf("%-38s %8.2f ms", o->name, view_ms[ROUNDS / 2]);
	if (!o->json)
		printf(", check %8.2f ms", check_ms[ROUNDS / 2]);
	printf(", %zu KiB\n", bytes / 1024);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return EXIT_WANTING;
	read_all(argv[1]);
	if (!m.nr_pools)
		return EXIT_FAILED;
	printf("%zu pools, %d CPUs\n", m.nr_pools, m.now.nr_cpus);
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		measure(&outputs[i]);
	return finish_output(stdout) ? EXIT_FAILED : EXIT_DONE;
}
