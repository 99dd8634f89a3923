// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "recorder.h"
#include "util.h"

/* A day of a dozen pools, a reading a second. */
#define MAX_BYTES (256ULL << 20)

static int explain_open(const char *path, int err)
{
	if (err == -EBUSY) {
		complain("%s: another ppooltop records into it", path);
		return EXIT_FAILED;
	}
	if (err == -EBADMSG)
		complain("%s: is there, and is no recording: it is left as it is", path);
	else if (err == -ELOOP || err == -ENOTSUP || err == -EISDIR || err == -ENXIO)
		complain("%s: is no plain file", path);
	else if (err == -ENOTEMPTY)
		complain("%s.old: is a directory, and %s is to become it", path, path);
	else
		complain("%s: %s", path, strerror(-err));
	return EXIT_WANTING;
}

static int record(const struct model *m, void *arg)
{
	return recorder_add(arg, m);
}

int record_main(int argc, char **argv)
{
	struct recorder *r;
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	opts.output = opts.operands[0];
	code = recorder_open(&r, opts.output, opts.max_bytes ? opts.max_bytes : MAX_BYTES);
	if (code)
		return explain_open(opts.output, code);
	code = command_loop(&opts, record, r);
	recorder_close(r);
	return code;
}
