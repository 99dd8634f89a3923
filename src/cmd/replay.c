// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd.h"

int replay_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	opts.input = opts.operands[0];
	return top_run(&opts);
}
