/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs: each makes one form of a model, and knows nothing of where it came from. */
#ifndef PPOOLTOP_VIEW_H
#define PPOOLTOP_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "compare.h"
#include "model.h"

/* The document ppooltop/1, on one line or, if @pretty, on many. 0 or -errno. */
int view_json(FILE *f, const struct model *m, bool pretty);

struct table_opts {
	const char *sort; /* title of a column, or NULL: by device and queue */
	bool per_cpu;	  /* a row for each CPU that counted, below its pool */
	int rows;	  /* at most so many lines, 0: all */
};

/* One line about host and source, one for each note, and the table of pools. 0 or -errno. */
int view_table(FILE *f, const struct model *m, const struct table_opts *opts);

/* Is @title the title of a column (in any case)? */
bool view_table_column(const char *title);

/* All titles, separated by spaces, for messages and --help. */
void view_table_titles(FILE *f);

/* A page of HTML that needs nothing else, about one recording or about two. 0 or -errno. */
int view_report(FILE *f, const struct recording *r);
int view_report_pair(FILE *f, const struct comparison *c);

/* The same comparison as text: two lines about the recordings, and a table. 0 or -errno. */
int view_comparison(FILE *f, const struct comparison *c);

/* Are colours wanted? AUTO: where the terminal has them and NO_COLOR is not set. */
enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

#endif /* PPOOLTOP_VIEW_H */
