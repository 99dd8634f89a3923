// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "view.h"

static int dump(const struct model *m, void *arg)
{
	const struct options *opts = arg;

	return view_json(stdout, m, opts->pretty);
}

int dump_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	if (!opts.count && !opts.input)
		opts.count = 1;
	return command_loop(&opts, dump, &opts);
}
