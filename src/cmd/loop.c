// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

static int read_model(struct collect *c, const struct options *opts, struct model *m)
{
	struct snapshot s;
	int err;

	snapshot_init(&s, 0);
	err = collect_read(c, &s);
	if (!err) {
		snapshot_filter(&s, &opts->filter);
		err = model_update(m, &s);
	}
	snapshot_free(&s);
	return err;
}

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

int command_loop(const struct options *opts, int (*view)(const struct model *m, void *arg),
		 void *arg)
{
	struct collect_opts copts = {.notes = stderr,
				     .verbose = opts->verbose,
				     .source = opts->source,
				     .level = opts->level,
				     .input = opts->input};
	int code = EXIT_DONE, err, written = 0;
	struct collect *c;
	struct model m;
	uint64_t next;

	stop_on_signals();
	model_init(&m);
	err = collect_open(&c, &copts);
	if (err == -ENOTSUP)
		return EXIT_WANTING; /* why was said */
	if (err) {
		complain("%s", strerror(-err));
		return EXIT_FAILED;
	}
	if (opts->ready)
		opts->ready();
	next = now_ns();
	err = read_model(c, opts, &m);
	for (long i = 0; !err && (!opts->count || i < opts->count); i++) {
		next += (uint64_t)(opts->interval_s * 1e9);
		if (!collect_recorded(c) || opts->paced)
			sleep_until(next);
		/* A stop ends the wait, not the work: what was measured so far is shown. */
		err = read_model(c, opts, &m);
		if (err)
			break;
		if (!opts->only_last)
			written = view(&m, arg);
		if (written || stopped())
			break;
		if (now_ns() > next + (uint64_t)(opts->interval_s * 1e9))
			next = now_ns(); /* was suspended: no burst to catch up */
	}
	if (err == -ENODATA)
		err = 0; /* the end of a recording */
	if (!err && opts->only_last)
		written = view(&m, arg);
	if (err) {
		code = explain_read(c, err);
	} else if (written && written != -EPIPE) { /* a reader that left has seen enough */
		complain("writing failed: %s", strerror(-written));
		code = EXIT_FAILED;
	} else if (collect_recorded(c)) {
		code = EXIT_DONE;
	} else if (collect_unprivileged(c)) {
		complain("counters need root, or CAP_BPF and CAP_PERFMON; this is what netlink "
			 "shows without");
		code = EXIT_WANTING;
	} else if (!collect_bpf(c) && !m.now.source.counters) {
		code = EXIT_WANTING; /* why was said when the sources were opened */
	}
	if (opts->done)
		opts->done();
	collect_close(c);
	model_free(&m);
	return code;
}
