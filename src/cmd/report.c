// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"
#include "util.h"
#include "view.h"

static int report_one(const struct options *opts)
{
	struct recording r;
	int code = read_recording(&r, opts, opts->operands[0]);

	if (code < 0)
		code = written_code(view_report(stdout, &r));
	recording_free(&r);
	return code;
}

static int report_two(const struct options *opts)
{
	struct recording r[NR_SIDES];
	struct comparison c;
	int code = read_comparison(&c, r, opts, opts->operands);

	if (code < 0)
		code = written_code(view_report_pair(stdout, &c));
	comparison_free(&c);
	recording_free(&r[BEFORE]);
	recording_free(&r[AFTER]);
	return code;
}

int report_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	stop_on_signals();
	return opts.operands[1] ? report_two(&opts) : report_one(&opts);
}
