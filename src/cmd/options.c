// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "prometheus.h"
#include "util.h"
#include "view.h"

/* An option is a row of data; which command takes it stands in the table of commands. */
static const struct option_row {
	char letter; /* that the table of commands has for it */
	bool only_long;
	const char *name;
	const char *arg;
	const char *help;
} rows[] = {
	{'i', false, "interval", "SECONDS", "time between two readings, 0.05 or more (1)"},
	{'c', false, "count", "N", "stop after N intervals"},
	{'d', false, "device", "NAME", "pools of this network interface only"},
	{'P', false, "pool", "ID", "the pool with this id of the kernel only"},
	{'n', false, "netns", "NAME",
	 "pools of this network namespace (name or inode number) only"},
	{'s', false, "sort", "KEY", "sort by a column"},
	{'C', false, "per-cpu", NULL, "what each CPU counted, too"},
	{'j', false, "json", NULL, "JSON"},
	{'p', false, "pretty", NULL, "JSON over many lines"},
	{OPT_TEXTFILE, true, "textfile", "FILE", "into this file, which is replaced each time"},
	{OPT_PER_POOL, true, "per-pool", NULL, "for each pool, not for each device"},
	{OPT_MAX_SERIES, true, "max-series", "N", "at most so many series (10000)"},
	{OPT_SOURCE, true, "source", "NAME", "this source and no other: see ppooltop probe"},
	{OPT_LEVEL, true, "level", "LEVEL", "how much is hooked: full, derived or slow"},
	{OPT_INPUT, true, "input", "FILE", "a recording or documents of dump; - is stdin"},
	{OPT_MAX_SIZE, true, "max-size", "SIZE", "keep so much of a recording, K, M or G (256M)"},
	{OPT_COLOR, true, "color", "WHEN", "auto, always or never; NO_COLOR is never, too"},
	{'v', false, "verbose", NULL, "say why something could not be loaded, in libbpf's words"},
	{'V', false, "version", NULL, "print the version"},
	{'h', false, "help", NULL, "this"},
};

#define NR_ROWS (int)(sizeof(rows) / sizeof(rows[0]))

const struct command *find_command(const char *name)
{
	for (int i = 0; i < nr_commands; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void put_option(FILE *f, const struct option_row *r)
{
	char letter[] = {'-', r->letter, ',', '\0'};

	fprintf(f, "  %3s --%s%s%-*s%s\n", r->only_long ? "" : letter, r->name, r->arg ? " " : "",
		(int)(20 - strlen(r->name) - (r->arg ? 1 : 0)), r->arg ? r->arg : "", r->help);
}

static void command_usage(FILE *f, const struct command *c)
{
	fprintf(f, "usage: ppooltop %s [OPTIONS]%s%s\n%s\n\n", c->name, *c->operands ? " " : "",
		c->operands, c->help);
	for (int i = 0; i < NR_ROWS; i++)
		if (strchr(c->options, rows[i].letter))
			put_option(f, &rows[i]);
	if (strchr(c->options, 's')) {
		fputs("\ncolumns to sort by: ", f);
		view_table_titles(f);
		fputc('\n', f);
	}
}

void usage(FILE *f)
{
	fputs("usage: ppooltop [COMMAND] [OPTIONS]\nEvery page_pool of this machine, live and exactly.\n\n",
	      f);
	for (int i = 0; i < nr_commands; i++)
		fprintf(f, "  %-8s%s\n", commands[i].name, commands[i].help);
	fputc('\n', f);
	for (int i = 0; i < NR_ROWS; i++)
		put_option(f, &rows[i]);
	fputs("\nppooltop COMMAND --help says which a command takes; ppooltop(8) says it all.\n",
	      f);
}

/* A number and nothing else, within [min, max]. */
static bool parse_real(const char *s, double min, double max, double *v)
{
	char *end;

	errno = 0;
	*v = strtod(s, &end);
	return end != s && !*end && !errno && isfinite(*v) && *v >= min && *v <= max;
}

static bool parse_whole(const char *s, long min, long max, long *v)
{
	char *end;

	errno = 0;
	*v = strtol(s, &end, 10);
	return end != s && !*end && !errno && *v >= min && *v <= max;
}

/* Bytes, or with K, M or G after the number so many times 1024 of them; 1K to 1024G. */
static bool parse_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	long long n;
	char *end;

	errno = 0;
	n = strtoll(s, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (end == s || errno || n < 1 || n > 1LL << 40 || (*end && (!unit || end[1])))
		return false;
	for (int i = unit ? (int)(unit - units) : -1; i >= 0 && n <= 1LL << 40; i--)
		n *= 1024;
	*bytes = (uint64_t)n;
	return n >= 1024 && n <= 1LL << 40;
}

static bool parse_color(const char *s, enum color *color)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto",
		[COLOR_ALWAYS] = "always",
		[COLOR_NEVER] = "never",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(s, names[i])) {
			*color = (enum color)i;
			return true;
		}
	}
	return false;
}

/* As often as the command has it in its letters. */
static int set_input(struct options *o, const struct command *c, const char *arg)
{
	bool two = strchr(strchr(c->options, OPT_INPUT) + 1, OPT_INPUT);

	if (o->input2 || (o->input && !two)) {
		complain("%s reads %s, no --input \"%s\" beside; see ppooltop %s --help", c->name,
			 two ? "two recordings" : "one recording", arg, c->name);
		return EXIT_WANTING;
	}
	*(o->input ? &o->input2 : &o->input) = arg;
	return -1;
}

static int set_option(struct options *o, const struct command *c, int letter, const char *arg)
{
	long n;

	switch (letter) {
	case 'i':
		o->interval_set = true;
		if (parse_real(arg, 0.05, 1e6, &o->interval_s))
			return -1;
		complain("-i wants seconds, from 0.05 to 1000000, not \"%s\"", arg);
		return EXIT_WANTING;
	case 'c':
		if (parse_whole(arg, 1, 1000000000, &o->count))
			return -1;
		complain("-c wants a whole number, 1 or more, not \"%s\"", arg);
		return EXIT_WANTING;
	case 'P':
		if (parse_whole(arg, 1, 0xffffffffL, &n)) {
			o->filter.id = (uint32_t)n;
			return -1;
		}
		complain("-P wants the kernel's id of a pool, not \"%s\"", arg);
		return EXIT_WANTING;
	case 's':
		if (view_table_column(arg)) {
			o->sort = arg;
			return -1;
		}
		complain("-s: no column \"%s\"; ppooltop %s --help lists them", arg, c->name);
		return EXIT_WANTING;
	case OPT_SOURCE:
		o->source = arg;
		if (collect_is_source(arg))
			return -1;
		complain("--source: no source \"%s\"; ppooltop probe lists them", arg);
		return EXIT_WANTING;
	case OPT_LEVEL:
		o->level = arg;
		if (collect_is_level(arg))
			return -1;
		complain("--level wants slow, derived or full, not \"%s\"", arg);
		return EXIT_WANTING;
	case OPT_COLOR:
		if (parse_color(arg, &o->color))
			return -1;
		complain("--color wants auto, always or never, not \"%s\"", arg);
		return EXIT_WANTING;
	case OPT_MAX_SIZE:
		if (parse_size(arg, &o->max_bytes))
			return -1;
		complain("--max-size wants bytes, or a number with K, M or G, from 1K on, not "
			 "\"%s\"",
			 arg);
		return EXIT_WANTING;
	case OPT_MAX_SERIES:
		if (parse_whole(arg, PROMETHEUS_MIN_SERIES, 1000000000, &o->max_series))
			return -1;
		complain("--max-series wants a whole number, %d or more, not \"%s\"",
			 PROMETHEUS_MIN_SERIES, arg);
		return EXIT_WANTING;
	case OPT_TEXTFILE:
		o->textfile = arg;
		return -1;
	case OPT_PER_POOL:
		o->per_pool = true;
		return -1;
	case OPT_INPUT:
		return set_input(o, c, arg);
	case 'd':
		o->filter.device = arg;
		return -1;
	case 'n':
		o->filter.netns = arg;
		return -1;
	case 'C':
		o->per_cpu = true;
		return -1;
	case 'j':
		o->json = true;
		return -1;
	case 'p':
		o->pretty = true;
		return -1;
	case 'v':
		o->verbose = true;
		return -1;
	case 'V':
		puts("ppooltop " VERSION);
		return finish_output(stdout) ? EXIT_FAILED : EXIT_DONE;
	default:
		command_usage(stdout, c);
		return finish_output(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
}

static int take_operands(struct options *o, const struct command *c, int argc, char **argv)
{
	int least = 0, most = 0;

	for (const char *word = c->operands; *word; word++) {
		if (word > c->operands && word[-1] != ' ')
			continue;
		most++;
		least += *word != '[';
	}
	if (argc < least) {
		complain("%s wants %s; see ppooltop %s --help", c->name, c->operands, c->name);
		return EXIT_WANTING;
	}
	if (argc > most) {
		complain("%s takes no \"%s\"; see ppooltop %s --help", c->name, argv[most],
			 c->name);
		return EXIT_WANTING;
	}
	for (int i = 0; i < argc; i++)
		o->operands[i] = argv[i];
	return -1;
}

int options_parse(struct options *o, int argc, char **argv)
{
	const struct command *c = find_command(argv[0]);
	struct option longs[NR_ROWS + 1] = {0};
	/* The first colon: tell a missing value from an unknown option. */
	char shorts[2 * NR_ROWS + 2] = ":", *end = shorts + 1;
	int letter, code, nr = 0;

	memset(o, 0, sizeof(*o));
	o->interval_s = 1;
	o->max_series = 10000;
	for (int i = 0; i < NR_ROWS; i++) {
		if (!strchr(c->options, rows[i].letter))
			continue;
		longs[nr++] =
			(struct option){rows[i].name, rows[i].arg ? required_argument : no_argument,
					NULL, rows[i].letter};
		if (rows[i].only_long)
			continue;
		*end++ = rows[i].letter;
		if (rows[i].arg)
			*end++ = ':';
	}
	opterr = 0;
	while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (letter == '?' || letter == ':') {
			char name[3] = {'-', (char)optopt, 0};
			const char *word = argv[optind - 1];

			/* Inside a cluster, as in -Cx, getopt has not moved on to the next word. */
			if (letter == '?' && optopt && strncmp(word, "--", 2) != 0)
				word = name;
			complain("%s: %s \"%s\"; see ppooltop %s --help", c->name,
				 letter == ':' ? "a value is missing after" : "no option", word,
				 c->name);
			return EXIT_WANTING;
		}
		code = set_option(o, c, letter, optarg);
		if (code >= 0)
			return code;
	}
	if (o->input && (o->source || o->level)) {
		complain("--input is a recording, which has its source: no %s beside it",
			 o->source ? "--source" : "--level");
		return EXIT_WANTING;
	}
	return take_operands(o, c, argc - optind, argv + optind);
}
