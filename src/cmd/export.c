// SPDX-License-Identifier: GPL-2.0-or-later
/* Series for Prometheus: once, or again and again into a file that node_exporter reads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "prometheus.h"
#include "replace.h"
#include "util.h"

#define KINDS 16 /* of errors that are told apart */

struct exporter {
	const struct options *opts;
	struct session session;
	struct ledger ledger;
	bool once;
	bool only_last; /* of a recording */
	struct replace file;
	bool failed; /* to write what was read last */
	long texts;  /* on stdout */
	struct kind {
		const char *what;
		int err;
	} said[KINDS]; /* since it worked last */
	int nr_said;
};

static void complain_file(const struct replace *r, int err)
{
	if (err == -EBUSY)
		complain("%s: another ppooltop export writes it", r->path);
	else if (err == -ELOOP)
		complain("%s: it is a symbolic link; name the file itself", r->path);
	else if (err == -EINVAL)
		complain("%s: it is there and no regular file", r->path);
	else if (err == -EISDIR)
		complain("%s: that is the name of a directory", r->path);
	else
		complain("%s: cannot %s: %s", r->path, r->what, strerror(-err));
}

/* Once for each kind of error, and once when it is over: it is tried again and again. */
static void tell(struct exporter *e, int err)
{
	if (!err) {
		if (e->nr_said)
			complain("%s: it is written again", e->file.path);
		e->nr_said = 0;
		return;
	}
	for (int i = 0; i < e->nr_said; i++)
		if (e->said[i].err == err && e->said[i].what == e->file.what)
			return;
	if (e->nr_said < KINDS)
		e->said[e->nr_said++] = (struct kind){e->file.what, err};
	complain_file(&e->file, err);
}

static int put_stdout(struct exporter *e, const char *text, size_t len)
{
	if (e->texts++)
		fputc('\n', stdout);
	fwrite(text, 1, len, stdout);
	return finish_output(stdout);
}

/* The model as text, to be freed by the caller, and checked: *@text is NULL if that failed. */
static int make_text(struct exporter *e, char **text, size_t *len)
{
	const struct prometheus_opts opts = {
		.ledger = e->once ? NULL : &e->ledger,
		.per_pool = e->opts->per_pool || e->opts->per_cpu,
		.per_cpu = e->opts->per_cpu,
		.max_series = (size_t)e->opts->max_series,
	};
	char why[128];
	FILE *f = open_memstream(text, len);
	int err = f ? view_prometheus(f, &e->session.m, &opts) : -ENOMEM;

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		err = prometheus_check(*text, *len, why, sizeof(why));
	if (err == -EBADMSG)
		complain("what was to be written would not be read: %s", why);
	return err;
}

/* Write what was read. What is wrong is said; -errno: there is no use in going on. */
static int put(struct exporter *e)
{
	char *text = NULL;
	size_t len = 0;
	int err = make_text(e, &text, &len);

	if (!err && e->opts->textfile) {
		err = replace_write(&e->file, text, len);
		e->failed = err;
		tell(e, err);
		err = 0;
	} else if (!err) {
		err = put_stdout(e, text, len);
	}
	free(text);
	return err;
}

static int next_reading(struct exporter *e)
{
	int err = session_read(&e->session);

	return err || e->once ? err : ledger_update(&e->ledger, &e->session.m);
}

/*
 * What is attached has counted long before the first reading. And a file is there from the start
 * on, so that its counters are seen to begin.
 */
static bool put_at_once(const struct exporter *e)
{
	if (collect_recorded(e->session.c))
		return false;
	return e->once ? e->session.m.now.source.attached : e->opts->textfile != NULL;
}

static bool wants_more(const struct exporter *e, long rounds)
{
	if (e->once)
		return e->only_last || (!rounds && !put_at_once(e));
	return !e->opts->count || rounds < e->opts->count;
}

/* Returns what reading came to; *@written: what writing did, where that ended it. */
static int export_loop(struct exporter *e, int *written)
{
	const uint64_t interval = (uint64_t)(e->opts->interval_s * 1e9);
	uint64_t next = now_ns();
	int err = next_reading(e);

	if (!err && put_at_once(e))
		*written = put(e);
	for (long i = 0; !err && !*written && wants_more(e, i); i++) {
		next += interval;
		if (!collect_recorded(e->session.c))
			sleep_until(next);
		/* What was to be measured once is shown as far as it was. */
		if (stopped() && !e->once)
			break;
		err = next_reading(e);
		if (!err && !e->only_last)
			*written = put(e);
		if (now_ns() > next + interval)
			next = now_ns(); /* it took too long: no burst to catch up */
	}
	if (err == -ENODATA && e->only_last)
		*written = put(e);
	return err;
}

/* Numbers that nobody brings up to date any more must not look as if they were. */
static void end_file(struct exporter *e, int err)
{
	bool stale = !e->once && (stopped() || (err && err != -ENODATA));

	if (e->opts->textfile && stale) {
		int removed = replace_remove(&e->file);

		if (removed)
			complain_file(&e->file, removed);
	}
	replace_close(&e->file);
}

static int open_file(struct exporter *e)
{
	int err = replace_init(&e->file, e->opts->textfile);

	if (!err)
		err = replace_allowed(&e->file);
	if (!err)
		return -1;
	complain_file(&e->file, err);
	return err == -EBUSY ? EXIT_FAILED : EXIT_WANTING;
}

int export_main(int argc, char **argv)
{
	struct exporter e = {0};
	struct options opts;
	int code, err, written = 0;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	e.opts = &opts;
	e.once = !opts.interval_set && !opts.count;
	e.only_last = e.once && opts.input;
	code = opts.textfile ? open_file(&e) : -1;
	if (code >= 0)
		return code;
	stop_on_signals();
	code = session_open(&e.session, &opts, stderr);
	if (code >= 0)
		return code;
	ledger_init(&e.ledger, opts.per_pool || opts.per_cpu, opts.per_cpu);
	err = export_loop(&e, &written);
	end_file(&e, err);
	ledger_free(&e.ledger);
	code = session_close(&e.session, err, written);
	/* Who stops it while it cannot write does not care. */
	return e.failed && (e.once || !stopped()) ? EXIT_FAILED : code;
}
