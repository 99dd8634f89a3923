// SPDX-License-Identifier: GPL-2.0-or-later
/* Command lines: what is taken, what is refused and how that is said. */
#include "unit.h"

#include <getopt.h>
#include <unistd.h>

#include "cmd.h"
#include "util.h"

/* The program's own table is in main.o, with main(). */
const struct command commands[] = {
	{"top", "the default", "icsdPnCSLIOvVh", "", NULL},
	{"show", "a table", "icsdPnCSLIIvVh", "", NULL},
	{"dump", "a document", "icpdPnSLIvVh", "", NULL},
	{"export", "series", "icdPnTQCMSLIvVh", "", NULL},
	{"probe", "a list", "jpvVh", "", NULL},
	{"attach", "from now on", "SLvVh", "", NULL},
	{"detach", "until now", "vVh", "", NULL},
	{"one", "a file", "hZ", "FILE", NULL},
	{"more", "a file or two", "h", "FILE [FILE2]", NULL},
};
const int nr_commands = ARRAY_SIZE(commands);

#define MAX_ARGS 8

struct outcome {
	int code; /* of options_parse() */
	char out[8192];
	char err[1024];
};

static int divert(int fd, FILE *to)
{
	int old = dup(fd);

	assert_true(old >= 0);
	assert_true(dup2(fileno(to), fd) >= 0);
	return old;
}

static void restore(int fd, int old, FILE *from, char *text, size_t len)
{
	size_t n;

	assert_true(dup2(old, fd) >= 0);
	close(old);
	rewind(from);
	n = fread(text, 1, len - 1, from);
	text[n] = '\0';
	fclose(from);
}

/* @args: words, the first being the command; NULL ends. */
static void parse(struct options *o, struct outcome *r, const char *const *args)
{
	FILE *out = tmpfile(), *err = tmpfile();
	static char words[MAX_ARGS][64]; /* options keep pointers into it */
	char *argv[MAX_ARGS + 1] = {0};
	int argc = 0, old_out, old_err;

	assert_non_null(out);
	assert_non_null(err);
	for (; args[argc]; argc++) {
		assert_true(argc < MAX_ARGS);
		snprintf(words[argc], sizeof(words[argc]), "%s", args[argc]);
		argv[argc] = words[argc];
	}
	optind = 0; /* glibc: begin anew */
	fflush(stdout);
	fflush(stderr);
	old_out = divert(STDOUT_FILENO, out);
	old_err = divert(STDERR_FILENO, err);
	r->code = options_parse(o, argc, argv);
	fflush(stdout);
	fflush(stderr);
	restore(STDOUT_FILENO, old_out, out, r->out, sizeof(r->out));
	restore(STDERR_FILENO, old_err, err, r->err, sizeof(r->err));
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void defaults(void **state)
{
	struct outcome r;
	struct options o;

	(void)state;
	memset(&o, 0xa5, sizeof(o));
	parse(&o, &r, ARGS("show"));
	assert_int_equal(r.code, -1);
	assert_near(o.interval_s, 1);
	assert_int_equal(o.count, 0);
	assert_null(o.filter.device);
	assert_null(o.filter.netns);
	assert_int_equal(o.filter.id, 0);
	assert_null(o.sort);
	assert_null(o.source);
	assert_null(o.level);
	assert_null(o.input);
	assert_false(o.only_last);
	assert_int_equal(o.color, COLOR_AUTO);
	assert_false(o.per_cpu || o.json || o.pretty || o.verbose);
	assert_string_equal(r.out, "");
	assert_string_equal(r.err, "");
}

static void export_options(void **state)
{
	static const char *const wrong[] = {"9", "0", "-1", "x", "", "1000000001"};
	struct outcome r;
	struct options o;

	(void)state;
	parse(&o, &r, ARGS("export"));
	assert_int_equal(r.code, -1);
	assert_int_equal(o.max_series, 10000);
	assert_null(o.textfile);
	assert_false(o.interval_set || o.per_pool || o.per_cpu);
	parse(&o, &r,
	      ARGS("export", "--textfile", "a.prom", "--per-pool", "--max-series=10", "-i5"));
	assert_int_equal(r.code, -1);
	assert_string_equal(o.textfile, "a.prom");
	assert_true(o.interval_set && o.per_pool);
	assert_int_equal(o.max_series, 10);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		parse(&o, &r, ARGS("export", "--max-series", wrong[i]));
		assert_int_equal(r.code, EXIT_WANTING);
		assert_non_null(strstr(r.err, "--max-series wants a whole number, 10 or more"));
	}
	parse(&o, &r, ARGS("show", "--textfile", "a.prom"));
	assert_int_equal(r.code, EXIT_WANTING);
}

static void check_all(const struct options *o, const struct outcome *r)
{
	assert_int_equal(r->code, -1);
	assert_near(o->interval_s, 0.25);
	assert_int_equal(o->count, 3);
	assert_string_equal(o->filter.device, "eth0");
	assert_int_equal(o->filter.id, 4294967295u);
	assert_string_equal(o->filter.netns, "blue");
}

static void short_and_long(void **state)
{
	struct outcome r;
	struct options o;

	(void)state;
	parse(&o, &r,
	      ARGS("show", "-i0.25", "-c3", "-deth0", "-P4294967295", "-nblue", "-sfast", "-Cv"));
	check_all(&o, &r);
	assert_string_equal(o.sort, "fast");
	assert_true(o.per_cpu && o.verbose);
	parse(&o, &r,
	      ARGS("show", "--interval=0.25", "--count=3", "--device=eth0", "--pool=4294967295",
		   "--netns=blue", "--sort=Recyc%", "--per-cpu"));
	check_all(&o, &r);
	assert_string_equal(o.sort, "Recyc%");
	assert_true(o.per_cpu);
	parse(&o, &r, ARGS("probe", "--json", "--pretty", "--verbose"));
	assert_int_equal(r.code, -1);
	assert_true(o.json && o.pretty && o.verbose);
	parse(&o, &r, ARGS("dump", "-p", "-c", "2"));
	assert_int_equal(r.code, -1);
	assert_true(o.pretty);
	assert_int_equal(o.count, 2);
}

static void check_taken(const char *const *args, const char *source, const char *level)
{
	struct outcome r;
	struct options o;

	parse(&o, &r, args);
	if (r.code != -1)
		fail_msg("%s %s: code %d: %s", args[0], args[1], r.code, r.err);
	if (source)
		assert_string_equal(o.source, source);
	else
		assert_null(o.source);
	if (level)
		assert_string_equal(o.level, level);
	else
		assert_null(o.level);
}

static void sources_and_levels(void **state)
{
	static const char *const sources[] = {"kernel", "fentry", "kprobe", "tracepoint",
					      "netlink"};
	static const char *const levels[] = {"slow", "derived", "full"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		check_taken(ARGS("show", "--source", sources[i]), sources[i], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		check_taken(ARGS("show", "--level", levels[i]), NULL, levels[i]);
	check_taken(ARGS("dump", "--source=kprobe", "--level=slow"), "kprobe", "slow");
	check_taken(ARGS("top", "--level=full", "-c1", "--source=netlink"), "netlink", "full");
	check_taken(ARGS("attach", "--source=fentry", "--level=derived"), "fentry", "derived");
	check_taken(ARGS("attach"), NULL, NULL);
	check_taken(ARGS("detach", "-v"), NULL, NULL);
}

static void limits(void **state)
{
	static const char *const good[][2] = {
		{"-i", "0.05"}, {"-i", "1000000"}, {"-i", "1e3"},	 {"-c", "1"},
		{"-P", "1"},	{"-P", "1000000"}, {"-c", "1000000000"},
	};
	struct outcome r;
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		parse(&o, &r, ARGS("show", good[i][0], good[i][1]));
		assert_int_equal(r.code, -1);
	}
}

/* Code 2, nothing on stdout, one line on stderr that names what was wrong. */
static void check_refused(const char *const *args, const char *named)
{
	struct outcome r;
	struct options o;
	size_t len;

	parse(&o, &r, args);
	len = strlen(r.err);
	if (r.code != EXIT_WANTING || r.out[0] || strncmp(r.err, "ppooltop: ", 10) != 0 ||
	    strchr(r.err, '\n') != r.err + len - 1 || !strstr(r.err, named))
		fail_msg("%s %s: code %d, want \"%s\": %s", args[0], args[1], r.code, named, r.err);
}

static void bad_values(void **state)
{
	static const char *const bad[][2] = {
		{"-i", "0"},
		{"-i", "0.049"},
		{"-i", "-1"},
		{"-i", "1000001"},
		{"-i", "nan"},
		{"-i", "inf"},
		{"-i", "1e999"},
		{"-i", "1s"},
		{"-i", "1 "},
		{"-i", "0,5"},
		{"-i", "one"},
		{"-i", ""},
		{"-c", "0"},
		{"-c", "-1"},
		{"-c", "1.5"},
		{"-c", "ten"},
		{"-c", "1000000001"},
		{"-c", "99999999999999999999"},
		{"-c", ""},
		{"-P", "0"},
		{"-P", "-7"},
		{"-P", "4294967296"},
		{"-P", "99999999999999999999"},
		{"-P", "0x10"},
		{"-P", "eth0"},
		{"-P", ""},
		{"-s", "speed"},
		{"-s", "fast "},
		{"-s", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char quoted[64];

		snprintf(quoted, sizeof(quoted), "\"%s\"", bad[i][1]);
		check_refused(ARGS("show", bad[i][0], bad[i][1]), quoted);
		check_refused(ARGS("show", bad[i][0], bad[i][1]), bad[i][0]);
	}
	check_refused(ARGS("show", "--interval=0"), "\"0\"");
	check_refused(ARGS("show", "--count=0"), "\"0\"");
	check_refused(ARGS("show", "--pool=0"), "\"0\"");
	check_refused(ARGS("show", "--sort=speed"), "\"speed\"");
}

static void colors(void **state)
{
	static const struct {
		const char *word;
		enum color color;
	} rows[] = {{"auto", COLOR_AUTO}, {"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}};
	struct outcome r;
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		parse(&o, &r, ARGS("top", "--color", rows[i].word));
		assert_int_equal(r.code, -1);
		assert_int_equal(o.color, rows[i].color);
	}
	check_refused(ARGS("top", "--color=red"), "\"red\"");
	check_refused(ARGS("top", "--color", ""), "--color");
	check_refused(ARGS("show", "--color=auto"), "no option \"--color=auto\"");
}

static void bad_sources_and_levels(void **state)
{
	static const char *const bad[] = {"", "Fentry", "fentry ", "fexit", "slo", "fulls", "bpf"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char quoted[64];

		snprintf(quoted, sizeof(quoted), "\"%s\"", bad[i]);
		check_refused(ARGS("show", "--source", bad[i]), quoted);
		check_refused(ARGS("show", "--source", bad[i]), "--source");
		check_refused(ARGS("attach", "--level", bad[i]), quoted);
		check_refused(ARGS("attach", "--level", bad[i]), "--level");
	}
	/* each is none of the other */
	check_refused(ARGS("dump", "--source=full"), "\"full\"");
	check_refused(ARGS("dump", "--level=fentry"), "\"fentry\"");
	/* where to read what there is */
	check_refused(ARGS("dump", "--source=bpf"), "ppooltop probe");
	check_refused(ARGS("dump", "--level=low"), "slow, derived or full");
}

static void input(void **state)
{
	static const char *const takers[] = {"top", "show", "dump"};
	struct outcome r;
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++) {
		parse(&o, &r, ARGS(takers[i], "--input", "a.jsonl", "-d", "eth0"));
		assert_int_equal(r.code, -1);
		assert_string_equal(o.input, "a.jsonl");
		parse(&o, &r, ARGS(takers[i], "--input=-"));
		assert_int_equal(r.code, -1);
		assert_string_equal(o.input, "-");
	}
	parse(&o, &r, ARGS("show", "--input", "a", "--input", "b"));
	assert_int_equal(r.code, -1);
	assert_string_equal(o.input, "a");
	assert_string_equal(o.input2, "b");
	parse(&o, &r, ARGS("show", "--input", "a"));
	assert_null(o.input2);
	check_refused(ARGS("show", "--input", "a", "--input", "b", "--input", "c"), "\"c\"");
	check_refused(ARGS("top", "--input", "a", "--input", "b"), "\"b\"");
	check_refused(ARGS("dump", "--input", "a", "--input", "b"), "\"b\"");
	check_refused(ARGS("probe", "--input", "a.jsonl"), "\"--input\"");
	check_refused(ARGS("attach", "--input", "a.jsonl"), "\"--input\"");
	/* it is what was recorded, in either order */
	check_refused(ARGS("show", "--input", "a", "--source", "fentry"), "--source");
	check_refused(ARGS("show", "--level", "full", "--input", "a"), "--level");
}

/* What stands for them in the table of commands is no letter to type. */
static void only_long(void **state)
{
	(void)state;
	check_refused(ARGS("show", "-S", "fentry"), "\"-S\"");
	check_refused(ARGS("show", "-L", "full"), "\"-L\"");
	check_refused(ARGS("show", "-Sfentry"), "\"-S");
	check_refused(ARGS("show", "-Lfull"), "\"-L");
	check_refused(ARGS("show", "-CS"), "S\"");
	check_refused(ARGS("show", "-I", "a.jsonl"), "\"-I\"");
	check_refused(ARGS("attach", "-S"), "\"-S\"");
	check_refused(ARGS("attach", "-L"), "\"-L\"");
}

static void missing_values(void **state)
{
	static const char *const names[] = {"-i",      "-c",	   "-s",	 "-d",
					    "-P",      "-n",	   "--interval", "--count",
					    "--sort",  "--device", "--pool",	 "--netns",
					    "--level", "--source", "--input"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char said[64];

		snprintf(said, sizeof(said), "a value is missing after \"%s\"", names[i]);
		check_refused(ARGS("show", names[i]), said);
	}
	check_refused(ARGS("show", "-Ci"), "a value is missing after");
}

static void unknown_options(void **state)
{
	(void)state;
	check_refused(ARGS("show", "-x"), "\"-x\"");
	check_refused(ARGS("show", "--colour"), "\"--colour\"");
	check_refused(ARGS("show", "--colour=red"), "--colour");
	check_refused(ARGS("show", "--c"), "\"--c\""); /* --count, but it is not said */
	check_refused(ARGS("show", "-v", "-x"), "\"-x\"");
	check_refused(ARGS("show", "-vx"), "x\"");
	check_refused(ARGS("show", "--per-cpu=1"), "--per-cpu");
	/* of another command */
	check_refused(ARGS("show", "-j"), "\"-j\"");
	check_refused(ARGS("show", "--json"), "\"--json\"");
	check_refused(ARGS("dump", "-C"), "\"-C\"");
	check_refused(ARGS("dump", "-s", "fast"), "\"-s\"");
	check_refused(ARGS("probe", "-i", "1"), "\"-i\"");
	check_refused(ARGS("probe", "--count", "1"), "\"--count\"");
	check_refused(ARGS("probe", "--source", "fentry"), "\"--source\"");
	check_refused(ARGS("attach", "-c", "1"), "\"-c\"");
	check_refused(ARGS("attach", "--device=eth0"), "--device");
	check_refused(ARGS("detach", "--level", "full"), "\"--level\"");
	check_refused(ARGS("detach", "-j"), "\"-j\"");
	/* which command's help to read */
	check_refused(ARGS("probe", "-i", "1"), "ppooltop probe --help");
}

/* getopt() moves on only at the end of a cluster of letters: the word before is not to blame. */
static void unknown_letter_in_a_cluster(void **state)
{
	(void)state;
	check_refused(ARGS("show", "-xv"), "x");
	check_refused(ARGS("show", "-xv"), "\"-x");
	check_refused(ARGS("show", "-C", "-xv"), "\"-x");
}

static void words_too_many(void **state)
{
	(void)state;
	check_refused(ARGS("show", "eth0"), "\"eth0\"");
	check_refused(ARGS("show", "eth0", "-c", "1"), "\"eth0\"");
	check_refused(ARGS("dump", "-c", "1", "--", "-p"), "\"-p\"");
	check_refused(ARGS("show", ""), "\"\"");
}

static void operands(void **state)
{
	struct outcome r;
	struct options o;

	(void)state;
	parse(&o, &r, ARGS("one", "file"));
	assert_int_equal(r.code, -1);
	assert_string_equal(o.operands[0], "file");
	assert_null(o.operands[1]);
	parse(&o, &r, ARGS("more", "file"));
	assert_int_equal(r.code, -1);
	assert_null(o.operands[1]);
	parse(&o, &r, ARGS("more", "file", "--", "-other"));
	assert_int_equal(r.code, -1);
	assert_string_equal(o.operands[0], "file");
	assert_string_equal(o.operands[1], "-other");
	parse(&o, &r, ARGS("show"));
	assert_null(o.operands[0]);
	check_refused(ARGS("one"), "one wants FILE;");
	check_refused(ARGS("more"), "more wants FILE [FILE2];");
	check_refused(ARGS("one", "file", "other"), "\"other\"");
	check_refused(ARGS("more", "1", "2", "3"), "\"3\"");
}

static void sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"1024", 1024},	    {"1K", 1024},	   {"64M", 64 << 20},
		{"3G", 3ULL << 30}, {"1024G", 1ULL << 40},
	};
	static const char *const bad[] = {"",
					  "0",
					  "1023",
					  "-1K",
					  "1.5M",
					  "K",
					  "1k",
					  "1T",
					  "1025G",
					  "1KB",
					  "9999999999999999999"};
	struct outcome r;
	struct options o;

	(void)state;
	parse(&o, &r, ARGS("one", "file"));
	assert_int_equal(o.max_bytes, 0);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		parse(&o, &r, ARGS("one", "--max-size", good[i].text, "file"));
		assert_int_equal(r.code, -1);
		assert_true(o.max_bytes == good[i].bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_refused(ARGS("one", "file", "--max-size", bad[i]), "--max-size wants");
}

static void help(void **state)
{
	struct outcome r;
	struct options o;

	(void)state;
	for (int i = 0; i < nr_commands; i++) {
		const char *const flags[] = {"-h", "--help"};

		for (size_t k = 0; k < ARRAY_SIZE(flags); k++) {
			char begin[64];

			parse(&o, &r, ARGS(commands[i].name, flags[k]));
			assert_int_equal(r.code, EXIT_DONE);
			assert_string_equal(r.err, "");
			snprintf(begin, sizeof(begin), "usage: ppooltop %s ", commands[i].name);
			assert_int_equal(strncmp(r.out, begin, strlen(begin)), 0);
			assert_non_null(strstr(r.out, commands[i].help));
		}
	}
	parse(&o, &r, ARGS("show", "--help"));
	assert_non_null(strstr(r.out, "-i, --interval SECONDS"));
	assert_non_null(strstr(r.out, "RECYC%"));
	assert_null(strstr(r.out, "--json"));
	parse(&o, &r, ARGS("probe", "--help"));
	assert_non_null(strstr(r.out, "-j, --json"));
	assert_null(strstr(r.out, "--interval"));
	assert_null(strstr(r.out, "RECYC%"));
	parse(&o, &r, ARGS("attach", "--help"));
	assert_non_null(strstr(r.out, "      --source NAME"));
	assert_non_null(strstr(r.out, "      --level "));
	assert_null(strstr(r.out, "-S"));
	assert_null(strstr(r.out, "-L"));
	parse(&o, &r, ARGS("detach", "--help"));
	assert_null(strstr(r.out, "--source"));
}

/* Every option a command takes is in its help, with a line of its own. */
static void help_is_complete(void **state)
{
	/* those without a letter */
	static const char *const longs[128] = {
		[OPT_SOURCE] = "source",     [OPT_LEVEL] = "level",
		[OPT_INPUT] = "input",	     [OPT_COLOR] = "color",
		[OPT_MAX_SIZE] = "max-size", [OPT_TEXTFILE] = "textfile",
		[OPT_PER_POOL] = "per-pool", [OPT_MAX_SERIES] = "max-series",
	};
	struct outcome r;
	struct options o;

	(void)state;
	for (int i = 0; i < nr_commands; i++) {
		parse(&o, &r, ARGS(commands[i].name, "-h"));
		for (const char *c = commands[i].options; *c; c++) {
			char line[32];

			if (longs[(int)*c])
				snprintf(line, sizeof(line), "\n      --%s ", longs[(int)*c]);
			else
				snprintf(line, sizeof(line), "\n  -%c, ", *c);
			assert_non_null(strstr(r.out, line));
		}
	}
}

static void usage_lists_commands(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	usage(f);
	fclose(f);
	for (int i = 0; i < nr_commands; i++)
		assert_non_null(strstr(text, commands[i].help));
	assert_non_null(strstr(text, "-V, --version"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(export_options),
		cmocka_unit_test(short_and_long),
		cmocka_unit_test(sources_and_levels),
		cmocka_unit_test(limits),
		cmocka_unit_test(bad_values),
		cmocka_unit_test(bad_sources_and_levels),
		cmocka_unit_test(colors),
		cmocka_unit_test(input),
		cmocka_unit_test(only_long),
		cmocka_unit_test(missing_values),
		cmocka_unit_test(unknown_options),
		cmocka_unit_test(unknown_letter_in_a_cluster),
		cmocka_unit_test(words_too_many),
		cmocka_unit_test(operands),
		cmocka_unit_test(sizes),
		cmocka_unit_test(help),
		cmocka_unit_test(help_is_complete),
		cmocka_unit_test(usage_lists_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
