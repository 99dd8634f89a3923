/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands: a table, one file each, and the options they share. */
#ifndef PPOOLTOP_CMD_H
#define PPOOLTOP_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "collect.h"
#include "compare.h"
#include "model.h"
#include "view.h"

#define OPT_SOURCE     'S'
#define OPT_LEVEL      'L'
#define OPT_INPUT      'I'
#define OPT_COLOR      'O'
#define OPT_TEXTFILE   'T'
#define OPT_PER_POOL   'Q'
#define OPT_MAX_SERIES 'M'
#define OPT_MAX_SIZE   'Z'

struct command {
	const char *name;
	const char *help;
	/* letters of those it takes, OPT_x where they are only long; twice: may be given twice */
	const char *options;
	const char
		*operands; /* what it wants besides: words, in brackets if they may be left out */
	int (*main)(int argc, char **argv);
};

extern const struct command commands[];
extern const int nr_commands;

/* The row of that name, or NULL. */
const struct command *find_command(const char *name);

int top_main(int argc, char **argv);
int show_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int probe_main(int argc, char **argv);
int attach_main(int argc, char **argv);
int detach_main(int argc, char **argv);
int record_main(int argc, char **argv);
int replay_main(int argc, char **argv);
int export_main(int argc, char **argv);
int demo_main(int argc, char **argv);
int report_main(int argc, char **argv);

#define MAX_OPERANDS 2

struct options {
	const char *operands[MAX_OPERANDS]; /* NULL where there is none */
	double interval_s;
	bool interval_set; /* by -i */
	long count;	   /* 0: not given */
	struct filter filter;
	const char *sort;
	bool per_cpu;
	bool per_pool;
	const char *textfile; /* or NULL */
	long max_series;
	bool json;
	bool pretty;
	bool verbose;
	const char *source;  /* by name, or NULL: the best */
	const char *level;   /* by name, or NULL */
	const char *input;   /* a recording in place of the kernel, or NULL */
	const char *input2;  /* another one, to be compared with it, or NULL */
	bool only_last;	     /* of a recording: hand over its last interval and no other */
	const char *output;  /* the file that is written, or NULL: stdout */
	uint64_t max_bytes;  /* of a recording; 0: not given */
	enum color color;    /* of the live view */
	void (*ready)(void); /* called once counting has begun, or NULL */
	void (*done)(void);  /* called before counting ends, or NULL */
};

/*
 * Parse the options of the command argv[0]. Returns -1 to go on, or the code to exit with: help was
 * printed, or a mistake was complained about.
 */
int options_parse(struct options *o, int argc, char **argv);

/* Help for all commands. */
void usage(FILE *f);

/* What top and show do once their options are known; they return the code to exit with. */
int top_run(struct options *opts);
int show_run(struct options *opts);

/* Sources that are open, and what was read of them. */
struct session {
	const struct options *opts;
	struct collect *c;
	struct model m;
};

/* Open the sources @opts ask for. -1 to go on, or the code to exit with, and why was said. */
int session_open(struct session *s, const struct options *opts, FILE *notes);

/* The next model. 0 or -errno, as collect_read(). */
int session_read(struct session *s);

/*
 * The end: @err is what session_read() returned last, @written what writing did. Complains about
 * what went wrong and returns the code to exit with.
 */
int session_close(struct session *s, int err, int written);

/*
 * The loop that show and dump have in common: open the sources, read, wait, read and hand over each
 * interval's model to @view, opts->count times (0: until stopped, or to the end of a recording,
 * which is not waited for). Returns an exit code; what went wrong was complained about.
 */
int command_loop(const struct options *opts, int (*view)(const struct model *m, void *arg),
		 void *arg);

/*
 * Read all of @file, opts->count intervals if that is given, into @r, which recording_free() frees
 * in any case. -1 to go on, or the code to exit with, and why was said.
 */
int read_recording(struct recording *r, const struct options *opts, const char *file);

/* The same of two, and what they have in common. The recordings must outlive @c. */
int read_comparison(struct comparison *c, struct recording *r, const struct options *opts,
		    const char *const *files);

/* The code to exit with after writing to stdout; complains if @err says that it failed. */
int written_code(int err);

#endif /* PPOOLTOP_CMD_H */
