// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "util.h"

static int explain_read(const struct collect *c, int err)
{
	if (err == -EOPNOTSUPP && collect_unprivileged(c)) {
		complain("needs root, or CAP_BPF and CAP_PERFMON; "
			 "this kernel shows nothing about page_pools without them");
		return EXIT_WANTING;
	}
	if (err == -EOPNOTSUPP) {
		complain("this kernel lets nothing be seen of page_pools; ppooltop probe says why");
		return EXIT_WANTING;
	}
	if (err == -EBADMSG)
		return EXIT_WANTING; /* why was said */
	complain("reading failed: %s", strerror(-err));
	return EXIT_FAILED;
}

/*
 * Is the recording that is read the file that is written? What is added to it would be read in its
 * turn, without end, and what replaces it would be its end.
 */
static bool writes_input(const struct options *opts)
{
	const char *file = opts->textfile ? opts->textfile : opts->output;
	bool is_stdin = !strcmp(opts->input, "-");
	struct stat in, out;

	if (is_stdin ? fstat(STDIN_FILENO, &in) : stat(opts->input, &in))
		return false;
	if (file ? stat(file, &out) : fstat(STDOUT_FILENO, &out))
		return false;
	return S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

int session_open(struct session *s, const struct options *opts, FILE *notes)
{
	struct collect_opts copts = {.notes = notes,
				     .verbose = opts->verbose,
				     .source = opts->source,
				     .level = opts->level,
				     .input = opts->input};
	int err;

	memset(s, 0, sizeof(*s));
	s->opts = opts;
	model_init(&s->m);
	if (opts->input && writes_input(opts)) {
		complain("%s: it is what is read, and would be written",
			 strcmp(opts->input, "-") != 0 ? opts->input : "standard input");
		return EXIT_WANTING;
	}
	err = collect_open(&s->c, &copts);
	if (err == -ENOTSUP)
		return EXIT_WANTING; /* why was said */
	if (err) {
		complain("%s", strerror(-err));
		return EXIT_FAILED;
	}
	if (opts->ready)
		opts->ready();
	return -1;
}

int session_read(struct session *s)
{
	struct snapshot snap;
	int err;

	snapshot_init(&snap, 0);
	err = collect_read(s->c, &snap);
	if (!err) {
		snapshot_filter(&snap, &s->opts->filter);
		err = model_update(&s->m, &snap);
	}
	snapshot_free(&snap);
	return err;
}

/* What there is to say at the end, where all went well. */
static int explain_end(const struct session *s)
{
	if (collect_recorded(s->c))
		return EXIT_DONE;
	if (collect_unprivileged(s->c)) {
		complain("counters need root, or CAP_BPF and CAP_PERFMON; this is what netlink "
			 "shows without");
		return EXIT_WANTING;
	}
	/* Why was said when the sources were opened. */
	return !collect_bpf(s->c) && !s->m.now.source.counters ? EXIT_WANTING : EXIT_DONE;
}

int session_close(struct session *s, int err, int written)
{
	int code;

	if (err && err != -ENODATA) {
		code = explain_read(s->c, err);
	} else if (written && written != -EPIPE) { /* a reader that left has seen enough */
		complain("%s: %s", s->opts->output ? s->opts->output : "writing failed",
			 strerror(-written));
		code = EXIT_FAILED;
	} else {
		code = explain_end(s);
	}
	if (s->opts->done)
		s->opts->done();
	collect_close(s->c);
	model_free(&s->m);
	return code;
}

int command_loop(const struct options *opts, int (*view)(const struct model *m, void *arg),
		 void *arg)
{
	int code, err, written = 0;
	struct session s;
	uint64_t next;

	stop_on_signals();
	code = session_open(&s, opts, stderr);
	if (code >= 0)
		return code;
	next = now_ns();
	err = session_read(&s);
	for (long i = 0; !err && (!opts->count || i < opts->count); i++) {
		next += (uint64_t)(opts->interval_s * 1e9);
		if (!collect_recorded(s.c))
			sleep_until(next);
		/* A stop ends the wait, not the work: what was measured so far is shown. */
		err = session_read(&s);
		if (err)
			break;
		if (!opts->only_last)
			written = view(&s.m, arg);
		if (written || stopped())
			break;
		if (now_ns() > next + (uint64_t)(opts->interval_s * 1e9))
			next = now_ns(); /* was suspended: no burst to catch up */
	}
	if ((!err || err == -ENODATA) && opts->only_last)
		written = view(&s.m, arg);
	return session_close(&s, err, written);
}
