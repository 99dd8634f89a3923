// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "view.h"

static int show(const struct model *m, void *arg)
{
	return view_table(stdout, m, arg);
}

int show_run(struct options *opts)
{
	struct table_opts table = {.sort = opts->sort, .per_cpu = opts->per_cpu};

	if (!opts->count && opts->input)
		opts->only_last = true;
	else if (!opts->count)
		opts->count = 1;
	return command_loop(opts, show, &table);
}

int show_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	return code >= 0 ? code : show_run(&opts);
}
