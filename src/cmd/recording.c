// SPDX-License-Identifier: GPL-2.0-or-later
/* What show and report have in common: recordings as a whole, and two of them side by side. */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

static int read_one(struct session *s, struct recording *r)
{
	int err = session_read(s);

	return err ? err : recording_add(r, &s->m);
}

/* What was before the first interval, and then as many as are wanted. */
static int read_all(struct session *s, struct recording *r)
{
	const long most = s->opts->count;
	int err = read_one(s, r);

	for (long i = 0; !err && !stopped() && (!most || i < most); i++)
		err = read_one(s, r);
	return err;
}

int read_recording(struct recording *r, const struct options *opts, const char *file)
{
	struct options one = *opts;
	struct session s;
	int code, err;

	recording_init(r);
	one.input = file;
	code = session_open(&s, &one, stderr);
	if (code >= 0)
		return code;
	err = read_all(&s, r);
	if (!err || err == -ENODATA)
		recording_end(r, &s.m);
	r->file = strcmp(file, "-") != 0 ? file : "standard input";
	code = session_close(&s, err, 0);
	return code == EXIT_DONE ? -1 : code;
}

int read_comparison(struct comparison *c, struct recording *r, const struct options *opts,
		    const char *const *files)
{
	int code;

	recording_init(&r[AFTER]);
	memset(c, 0, sizeof(*c));
	for (int side = 0; side < NR_SIDES; side++) {
		code = read_recording(&r[side], opts, files[side]);
		if (code >= 0)
			return code;
	}
	if (!compare_recordings(c, &r[BEFORE], &r[AFTER]))
		return -1;
	complain("%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

int written_code(int err)
{
	if (!err || err == -EPIPE) /* a reader that left has seen enough */
		return EXIT_DONE;
	complain("writing failed: %s", strerror(-err));
	return EXIT_FAILED;
}
