// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "util.h"
#include "view.h"

static int show(const struct model *m, void *arg)
{
	return view_table(stdout, m, arg);
}

static int compare(const struct options *opts)
{
	const char *const files[NR_SIDES] = {opts->input, opts->input2};
	struct recording r[NR_SIDES];
	struct comparison c;
	int code;

	if (opts->per_cpu || opts->sort) {
		complain("show compares two recordings device by device: no %s beside them",
			 opts->sort ? "-s" : "-C");
		return EXIT_WANTING;
	}
	stop_on_signals();
	code = read_comparison(&c, r, opts, files);
	if (code < 0)
		code = written_code(view_comparison(stdout, &c));
	comparison_free(&c);
	recording_free(&r[BEFORE]);
	recording_free(&r[AFTER]);
	return code;
}

int show_run(struct options *opts)
{
	struct table_opts table = {.sort = opts->sort, .per_cpu = opts->per_cpu};

	if (opts->input2)
		return compare(opts);
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
