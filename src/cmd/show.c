// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "view.h"

static int show(const struct model *m, void *arg)
{
	return view_table(stdout, m, arg);
}

int show_main(int argc, char **argv)
{
	struct table_opts table = {0};
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	table.sort = opts.sort;
	table.per_cpu = opts.per_cpu;
	if (!opts.count)
		opts.count = 1;
	return command_loop(&opts, show, &table);
}
