/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the live view remembers from one run to the next. */
#ifndef PPOOLTOP_TUI_CONFIG_H
#define PPOOLTOP_TUI_CONFIG_H

#include <stdio.h>

#include "columns.h"

#define CONFIG_COLUMNS 40

enum grouping {
	GROUP_DEVICE, /* device, pools, CPUs */
	GROUP_FLAT,   /* pools, CPUs */
	GROUP_CPU,    /* CPU, pools */
	GROUP_NR,
};

struct config {
	const struct column *shown[CONFIG_COLUMNS];
	int nr_shown;		   /* 0: as many as fit */
	const struct column *sort; /* NULL: by device and queue */
	bool inverted;
	enum grouping grouping;
	bool counts; /* absolute, not per second */
};

/* Is told about each line that is not understood. */
struct config_notes {
	void (*note)(void *arg, const char *text);
	void *arg;
};

void config_init(struct config *c);

/* Lines that are not understood are left out, with a note. */
void config_parse(struct config *c, FILE *f, const struct config_notes *notes);

/* 0 or -errno. */
int config_print(const struct config *c, FILE *f);

/*
 * Where the configuration is: ppooltop/toprc below XDG_CONFIG_HOME, or ~/.config. 0, or -ENOENT:
 * the environment does not say.
 */
int config_path(char *path, size_t len);

/* No file: nothing changes. Another reason not to read it is a note. */
void config_load(struct config *c, const struct config_notes *notes);

/* A new file in place of the old one, whole or not at all; directories are made. 0 or -errno. */
int config_save(const struct config *c);

const char *grouping_name(enum grouping g);

#endif /* PPOOLTOP_TUI_CONFIG_H */
