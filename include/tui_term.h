/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: the only file that includes curses. However the program ends, it is put back. */
#ifndef PPOOLTOP_TUI_TERM_H
#define PPOOLTOP_TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"
#include "view.h"

/* How text is meant. What a style says is also said by words or characters. */
enum style {
	STYLE_NORMAL,
	STYLE_DIM,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_STRONG,
	STYLE_TITLE,
	STYLE_SORTED,
	STYLE_SELECTED,
	STYLE_BUTTON,
	/* of the chart */
	STYLE_FAST,
	STYLE_REFILL,
	STYLE_SLOW,
	STYLE_SLOW_HIGH_ORDER,
	STYLE_NR,
};

enum style style_of_mark(enum mark mark);

/* Is there a terminal that can be drawn on? false: @why says, "TERM is not set" say. */
bool term_usable(char *why, size_t len);

/* Take the terminal. 0 or -errno. Signals that stop have to be caught already. */
int term_open(enum color color);

/* Give it back; what was written on stderr meanwhile is written there now. May be called twice. */
void term_close(void);

void term_size(int *rows, int *cols);

void term_erase(void);

/* @text at row @y and column @x, cut or filled up with spaces to @width, and cut at the edge. */
void term_put(int y, int x, int width, enum style style, const char *text);

/* Bring what was put to the terminal, as soon as it takes it. */
void term_flush(void);

enum term_wait {
	TERM_INPUT = 1 << 0,
	TERM_RESIZED = 1 << 1,
	TERM_SUSPEND = 1 << 2, /* call term_suspend() */
	TERM_GONE = 1 << 3,
};

/* Wait until CLOCK_MONOTONIC @deadline_ns or something of the above, or a signal. */
unsigned int term_wait(uint64_t deadline_ns);

/* What was pressed: a key, or at @y and @x the button; false: nothing more. */
struct term_event {
	int key; /* 0: a click */
	int y, x;
};
bool term_event(struct term_event *e);

/* As Ctrl-Z is meant; returns when the program goes on. */
void term_suspend(void);

/* A line that was written on stderr and not yet asked for; false: none. */
bool term_message(char *line, size_t len);

#endif /* PPOOLTOP_TUI_TERM_H */
