/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live view. Its state (struct tui) is changed by events and models, and drawn from; what
 * changes it knows no terminal, and what draws changes nothing. The terminal is tui_term.c's.
 */
#ifndef PPOOLTOP_TUI_H
#define PPOOLTOP_TUI_H

#include <stdio.h>

#include "columns.h"
#include "history.h"
#include "tui_config.h"
#include "tui_items.h"

/* Keys are characters, or one of these. */
enum tui_key {
	TUI_ESC = 27,
	TUI_KEYS = 0x110000, /* beyond Unicode */
	TUI_UP,
	TUI_DOWN,
	TUI_LEFT,
	TUI_RIGHT,
	TUI_SHIFT_LEFT,
	TUI_SHIFT_RIGHT,
	TUI_PAGE_UP,
	TUI_PAGE_DOWN,
	TUI_HOME,
	TUI_END,
	TUI_BACKSPACE,
	TUI_WHEEL_UP,
	TUI_WHEEL_DOWN,
	TUI_F0, /* F1 is TUI_F0 + 1 */
	TUI_LAST = TUI_F0 + 12,
};

/* One thing at a time fills the screen's body. */
enum tui_screen {
	TUI_LIST,
	TUI_DETAIL,
	TUI_HELP,
	TUI_SORT,
	TUI_COLUMNS,
};

enum tui_prompt {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_INTERVAL,
};

#define TUI_TEXT    64	/* bytes of what is typed in, its end included */
#define TUI_NOTE    200 /* bytes of a note */
#define TUI_NOTES   32	/* so many are kept */
#define TUI_SAMPLES 256 /* of a pool over time */

/* A pool over time, the latest sample last. */
struct series {
	struct item_id of;
	uint64_t end; /* number of the last snapshot, from the beginning */
	int nr;
	bool begun; /* last and last_ns are of a sample */
	struct counters last;
	uint64_t last_ns;
	double rate[PP_NR_COUNTERS][TUI_SAMPLES];
	double inflight[TUI_SAMPLES], cache[TUI_SAMPLES], ring[TUI_SAMPLES];
};

struct tui {
	/* what the loop outside is asked for */
	bool quit;
	bool save; /* a snapshot to a file */
	bool next; /* the next snapshot of a recording, now */
	bool config_changed;
	double interval_s;

	/* what is shown */
	struct config config;
	const struct model *live; /* the latest; the loop owns it */
	const struct model *m;	  /* that is shown: the latest or then; NULL: none yet */
	struct model then;	  /* what is shown of the past */
	struct history *history;
	uint64_t at; /* number of the snapshot that is shown, from the beginning */
	bool paused;
	bool recorded; /* not the kernel */
	bool ended;    /* the recording */
	struct base base;
	bool based;
	struct items items;
	struct series series;

	/* how */
	const struct glyphs *glyphs;
	int rows, cols; /* of the terminal */
	enum tui_screen screen;
	size_t selected, top; /* items */
	struct item_id selected_id;
	struct item_id detail; /* the pool that TUI_DETAIL is about */
	int scroll;	       /* columns to the left of the screen */
	int page_top;	       /* of detail and help */
	int menu, menu_top;
	bool cpus_open;
	char filter[TUI_TEXT], search[TUI_TEXT];
	enum tui_prompt prompt;
	char typed[TUI_TEXT];
	char note[TUI_NOTE]; /* shown until the next key */
	char notes[TUI_NOTES][TUI_NOTE];
	int nr_notes;
};

/* 0 or -ENOMEM; to be freed with tui_free(). */
int tui_init(struct tui *t, const struct glyphs *glyphs, double interval_s);
void tui_free(struct tui *t);

/* @m is the latest now, and in the history; the same pointer each time. */
void tui_update(struct tui *t, const struct model *m);

void tui_resize(struct tui *t, int rows, int cols);

/* A key was pressed, or the left button at row @y and column @x. */
void tui_key(struct tui *t, int key);
void tui_click(struct tui *t, int y, int x);

/* Show a note until the next key, and keep it for the help page; or keep it only. */
void tui_note(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_keep(struct tui *t, const char *note);

/* All of it onto the terminal; page_top is put right where a page ends before. */
void tui_draw(struct tui *t);

/* How figures are wanted. */
struct row_opts tui_row_opts(const struct tui *t);

/* The pool of the selected item, or NULL. */
const struct model_pool *tui_selected_pool(const struct tui *t);

/* The pool that the detail is about, or NULL: it is not there (now). */
const struct model_pool *tui_detail_pool(const struct tui *t);

/* Fill t->series for @mp as of now. */
void tui_series(struct tui *t, const struct model_pool *mp);

/* --- keys ----------------------------------------------------------------------------------------
 */

struct tui_binding {
	int keys[4];
	unsigned int screens; /* bits 1 << TUI_x */
	const char *label;    /* "\\ F4" */
	const char *name;     /* in the function bar, or NULL */
	const char *bar;      /* its key there */
	const char *help;     /* on the help page, or NULL */
	void (*press)(struct tui *t, int key);
};

extern const struct tui_binding tui_bindings[];
extern const int tui_nr_bindings;

/* --- layout --------------------------------------------------------------------------------------
 */

/* Rows of the screen; 0 rows: there is no room for it. */
struct tui_layout {
	int status_rows;
	int chart, chart_rows; /* the legend above it included */
	int titles;	       /* row of the column titles, -1: none */
	int body, body_rows;
	int bar; /* row of the function bar, -1: none */
};

struct tui_layout tui_layout(const struct tui *t);

/* A column on the screen. */
struct tui_column {
	const struct column *c;
	int x, width;
};

#define TUI_TREE 4 /* columns that the tree takes before a name */

/* The columns that fit, into @list of nr_columns: how many. */
int tui_columns(const struct tui *t, struct tui_column *list);

/* What the function bar has: name, column and width of each button. Returns how many. */
struct tui_button {
	const struct tui_binding *binding;
	int x, width;
};
#define TUI_BUTTONS 24
int tui_buttons(const struct tui *t, struct tui_button *list);

#endif /* PPOOLTOP_TUI_H */
