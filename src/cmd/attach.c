// SPDX-License-Identifier: GPL-2.0-or-later
/* Collection that lives on in bpffs without a process: begun by attach, ended by detach. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

static int finish(int err, const char *why)
{
	if (!err)
		return finish_output(stdout) ? EXIT_FAILED : EXIT_DONE;
	complain("%s", why);
	return err == -ENOMEM || err == -EIO ? EXIT_FAILED : EXIT_WANTING;
}

int attach_main(int argc, char **argv)
{
	struct collect_opts copts = {.notes = stderr, .fresh = true};
	struct options opts;
	struct collect *c;
	char why[256];
	int code, err;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	copts.verbose = opts.verbose;
	copts.source = opts.source;
	copts.level = opts.level;
	err = collect_may_attach(why, sizeof(why));
	if (err)
		return finish(err, why);
	err = collect_open(&c, &copts);
	if (err == -ENOTSUP)
		return EXIT_WANTING; /* why was said */
	if (err) {
		complain("%s", strerror(-err));
		return EXIT_FAILED;
	}
	err = collect_attach(c, why, sizeof(why));
	if (!err)
		printf("attached: %s; every command uses it now, ppooltop detach ends it\n",
		       collect_source_name(c));
	collect_close(c);
	return finish(err, why);
}

int detach_main(int argc, char **argv)
{
	struct options opts;
	char why[256];
	int code, err;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	err = collect_detach(why, sizeof(why));
	if (!err)
		puts("detached");
	return finish(err, why);
}
