// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "view.h"

/* ECMA-48: cursor home, erase to the end of the screen */
#define REDRAW "\033[H\033[J"

static bool screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static int top(const struct model *m, void *arg)
{
	struct table_opts table = *(const struct table_opts *)arg;
	struct winsize ws = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) || !ws.ws_row)
		ws.ws_row = 24;
	table.rows = ws.ws_row - 1;
	fputs(REDRAW, stdout);
	return view_table(stdout, m, &table);
}

int top_run(struct options *opts)
{
	struct table_opts table = {.sort = opts->sort, .per_cpu = opts->per_cpu};

	if (!screen())
		return show_run(opts);
	opts->paced = true;
	return command_loop(opts, top, &table);
}

int top_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	return code >= 0 ? code : top_run(&opts);
}
