// SPDX-License-Identifier: GPL-2.0-or-later
/* ppload: the traffic generators of src/load/ on a command line, with their result as JSON. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "load.h"

#define EXIT_USAGE 2

/* A signal handler has no other way. */
static atomic_bool stopped;

static void on_signal(int sig)
{
	(void)sig;
	atomic_store_explicit(&stopped, true, memory_order_relaxed);
}

static void usage(FILE *file)
{
	fputs("Usage: ppload MODE -n COUNT [OPTIONS]\n"
	      "Makes page_pool traffic, and prints what it did as one JSON object.\n\nModes:\n",
	      file);
	for (int i = 0; i < LOAD_NR_MODES; i++)
		fprintf(file, "  %-10s %s\n", load_modes[i].name, load_modes[i].help);
	fputs("\nOptions:\n"
	      "  -n COUNT    frames or packets to send; virtio: bytes; suffixes K, M, G (1024)\n"
	      "  -r RUNS     send COUNT that many times; live frames: each time from a new pool\n"
	      "  -b BATCH    live frames the kernel makes at a time, 1 to 256 (default 64)\n"
	      "  -s SIZE     UDP payload in bytes, 22 to 1472 (default 22); veth-xdp and churn: to\n"
	      "              8972, generic: to 65507\n"
	      "  -C CPU      generate on this CPU\n"
	      "  -R PPS      packets (virtio: bytes) a second; live frames then come from many\n"
	      "              pools, each for some 50 ms (default: as fast as possible)\n"
	      "  -t SECONDS  udp-hold, churn: keep the pages that long (default 5)\n"
	      "  -x ACTION   veth-xdp, generic, nic-xdp: the program's action: pass (default), drop,\n"
	      "              tx; nic-xdp: redirect (to a third device) and none; virtio: pass (default:\n"
	      "              none)\n"
	      "  -w READERS  the same: that many threads read, up to 8, from CPU 0 on (default: the\n"
	      "              sender reads)\n"
	      "  -p          the same: packets that are freed in plain process context (raw sockets)\n"
	      "  -j USEC     veth-xdp: let packets come by a timer, late by up to twice that\n"
	      "  -d DEVICE   use this device (redirect, virtio, nic-xdp: two of them) and not a veth\n"
	      "              pair in a private namespace\n"
	      "  -h          this help\n"
	      "Exit status: 0 all was sent, 1 it was not, 2 wrong usage, or a privilege or kernel\n"
	      "feature is missing.\n",
	      file);
}

/* Digits, then a suffix if allowed; nothing else. */
static bool parse_number(const char *text, bool suffix, uint64_t max, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	unsigned long long number;
	unsigned int shift = 0;
	const char *found;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return false;
	if (suffix && *end) {
		found = strchr(suffixes, *end++);
		if (!found)
			return false;
		shift = 10 * (unsigned int)(found - suffixes + 1);
	}
	if (*end || number > (UINT64_MAX >> shift) || number << shift > max)
		return false;
	*value = number << shift;
	return true;
}

static int bad(const char *what, const char *text, const char *todo)
{
	fprintf(stderr, "ppload: %s: not usable: \"%s\"; %s\n", what, text, todo);
	return -EINVAL;
}

static int number_option(int opt, const char *text, struct load_opts *opts)
{
	/* Below LOAD_FOREVER, which is not for people. */
	static const struct {
		char opt;
		bool suffix;
		uint64_t min, max;
		const char *todo;
	} rows[] = {
		{'n', true, 1, LOAD_FOREVER - 1, "use 1 or more, like 100000 or 64M"},
		{'r', false, 1, UINT_MAX, "use 1 or more"},
		{'b', false, 1, LOAD_BATCH_MAX, "use 1 to 256"},
		{'s', false, LOAD_SIZE_MIN, LOAD_SIZE_LO, "use 22 to 1472, or what ppload -h says"},
		{'j', false, 1, 1000000, "use 1 to 1000000"},
		{'w', false, 1, LOAD_MAX_READERS, "use 1 to 8"},
		{'C', false, 0, 65535, "use a CPU number, see lscpu"},
		{'R', true, 1, UINT64_MAX, "use 1 or more"},
		{'t', false, 0, 86400, "use seconds, 0 to 86400"},
	};
	char name[] = {'-', (char)opt, '\0'};
	uint64_t value = 0;
	size_t i = 0;

	while (rows[i].opt != opt)
		i++;
	if (!parse_number(text, rows[i].suffix, rows[i].max, &value) || value < rows[i].min)
		return bad(name, text, rows[i].todo);
	switch (opt) {
	case 'n':
		opts->count = value;
		break;
	case 'r':
		opts->runs = (unsigned int)value;
		break;
	case 'b':
		opts->batch = (unsigned int)value;
		break;
	case 's':
		opts->size = (unsigned int)value;
		break;
	case 'C':
		opts->cpu = (int)value;
		break;
	case 'R':
		opts->pps = value;
		break;
	case 'j':
		opts->jitter_us = (unsigned int)value;
		break;
	case 'w':
		opts->readers = (unsigned int)value;
		break;
	default:
		opts->hold_s = (unsigned int)value;
		break;
	}
	return 0;
}

static int add_device(struct load_opts *opts, const char *name)
{
	for (int i = 0; i < 3; i++) {
		if (!opts->device[i]) {
			opts->device[i] = name;
			return 0;
		}
	}
	return bad("-d", name, "give three devices at most");
}

static int set_action(struct load_opts *opts, const char *name)
{
	static const char *const names[LOAD_NR_ACTIONS] = {
		[LOAD_X_PASS] = "pass",		[LOAD_X_DROP] = "drop", [LOAD_X_TX] = "tx",
		[LOAD_X_REDIRECT] = "redirect", [LOAD_X_NONE] = "none",
	};

	for (int i = LOAD_X_PASS; i < LOAD_NR_ACTIONS; i++) {
		if (!strcmp(names[i], name)) {
			opts->action = (enum load_action)i;
			return 0;
		}
	}
	return bad("-x", name, "use pass, drop, tx, redirect or none");
}

/* 0, 1 for help, or -EINVAL after a message. */
static int parse_options(int argc, char **argv, struct load_opts *opts)
{
	char name[] = "-?";
	int opt, err = 0;

	while (!err && (opt = getopt(argc, argv, ":n:r:b:s:C:R:t:d:x:w:j:ph")) != -1) {
		name[1] = (char)optopt;
		if (opt == 'h')
			return 1;
		if (opt == '?')
			return bad("option", name, "see ppload -h");
		if (opt == ':')
			return bad(name, "", "give it a value");
		if (opt == 'd')
			err = add_device(opts, optarg);
		else if (opt == 'p')
			opts->raw = true;
		else if (opt == 'x')
			err = set_action(opts, optarg);
		else
			err = number_option(opt, optarg, opts);
	}
	if (!err && optind < argc)
		return bad("argument", argv[optind], "see ppload -h");
	if (!err && !opts->count) {
		fputs("ppload: -n COUNT is missing; see ppload -h\n", stderr);
		return -EINVAL;
	}
	return err;
}

static int parse(int argc, char **argv, struct load_opts *opts)
{
	int mode;

	if (argc >= 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		return 1;
	if (argc < 2) {
		fputs("ppload: no mode given; see ppload -h\n", stderr);
		return -EINVAL;
	}
	mode = load_mode_find(argv[1]);
	if (mode < 0)
		return bad("mode", argv[1], "see ppload -h");
	load_opts_init(opts, (enum load_mode)mode);
	return parse_options(argc - 1, argv + 1, opts);
}

static struct json_object *optional(bool known, int64_t value)
{
	return known ? json_object_new_int64(value) : NULL;
}

static struct json_object *devices_json(const struct load_result *res)
{
	struct json_object *array = json_object_new_array();

	for (int i = 0; i < 3 && res->device[i][0]; i++)
		json_object_array_add(array, json_object_new_string(res->device[i]));
	return array;
}

static int print_result(const struct load_opts *opts, const struct load_result *res)
{
	const struct load_mode_info *info = &load_modes[opts->mode];
	struct json_object *o = json_object_new_object();
	bool got = res->received >= 0;
	int ret;

	json_object_object_add(o, "mode", json_object_new_string(info->name));
	json_object_object_add(o, "requested", json_object_new_uint64(res->requested));
	json_object_object_add(o, "sent", json_object_new_uint64(res->sent));
	json_object_object_add(o, "received", optional(got, res->received));
	json_object_object_add(o, "lost", optional(got, (int64_t)res->sent - res->received));
	json_object_object_add(o, "queued", optional(res->queued >= 0, res->queued));
	json_object_object_add(o, "errors", json_object_new_uint64(res->errors));
	json_object_object_add(o, "batch", optional(info->live, opts->batch ?: LOAD_BATCH_DEFAULT));
	json_object_object_add(o, "runs", json_object_new_int64(opts->runs ?: 1));
	json_object_object_add(o, "test_runs", optional(info->live, (int64_t)res->test_runs));
	json_object_object_add(o, "size", optional(!info->bytes, opts->size ?: LOAD_SIZE_MIN));
	json_object_object_add(o, "cpu", optional(opts->cpu != LOAD_NO_CPU, opts->cpu));
	json_object_object_add(o, "other_cpu",
			       optional(res->other_cpu != LOAD_NO_CPU, res->other_cpu));
	json_object_object_add(o, "device", devices_json(res));
	json_object_object_add(o, "seconds", json_object_new_double(res->seconds));
	json_object_object_add(o, "error",
			       res->error[0] ? json_object_new_string(res->error) : NULL);
	ret = puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	return ret < 0 || fflush(stdout) ? -EIO : 0;
}

static int exit_status(int err, const struct load_result *res)
{
	switch (err) {
	case 0:
		return res->sent == res->requested ? EXIT_SUCCESS : EXIT_FAILURE;
	case -EPERM:
	case -EACCES:
	case -EINVAL:
	case -EOPNOTSUPP:
	case -ENOSYS:
	case -ENODEV:
		return EXIT_USAGE;
	default:
		return EXIT_FAILURE;
	}
}

static void catch_signals(void)
{
	/* No SA_RESTART: the kernel ends a run of live frames with EINTR. */
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int main(int argc, char **argv)
{
	struct load_result res;
	struct load_opts opts;
	int err;

	err = parse(argc, argv, &opts);
	if (err > 0)
		usage(stdout);
	if (err)
		return err > 0 ? EXIT_SUCCESS : EXIT_USAGE;
	json_c_set_serialization_double_format("%.6f", JSON_C_OPTION_GLOBAL);
	opts.stop = &stopped;
	/* Signals end a run, so that COUNT frames can come from one pool. */
	opts.chunk = opts.pps ? 0 : UINT32_MAX;
	catch_signals();

	err = load_run(&opts, &res);
	if (res.error[0])
		fprintf(stderr, "ppload: %s\n", res.error);
	else if (res.sent != res.requested)
		fprintf(stderr, "ppload: interrupted: %llu of %llu sent; run it again for all\n",
			(unsigned long long)res.sent, (unsigned long long)res.requested);
	if (print_result(&opts, &res)) {
		fputs("ppload: standard output: cannot be written; look at where it goes\n",
		      stderr);
		return EXIT_FAILURE;
	}
	return exit_status(err, &res);
}
