/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the live view on the terminal, each by a file of its own. */
#ifndef PPOOLTOP_TUI_DRAW_H
#define PPOOLTOP_TUI_DRAW_H

#include "tui.h"
#include "tui_term.h"

void draw_status(const struct tui *t, const struct tui_layout *l);
void draw_charts(const struct tui *t, const struct tui_layout *l);
void draw_list(const struct tui *t, const struct tui_layout *l);
void draw_menu(const struct tui *t, const struct tui_layout *l);

/* --- pages: text in lines of spans, that can be scrolled -----------------------------------------
 */

#define PAGE_SPANS 72

struct span {
	enum style style;
	size_t at; /* in the line's text; up to the next one's */
};

struct page_line {
	char *text;
	size_t len;
	struct span spans[PAGE_SPANS];
	int nr;
};

struct page {
	struct page_line *lines;
	int nr;
	bool failed; /* memory is out: what is there is shown */
};

/* A new line, and more at its end. */
void page_line(struct page *p);
void page_add(struct page *p, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* @text in lines of at most @width columns, each after @indent spaces, broken at spaces. */
void page_wrap(struct page *p, enum style style, int indent, int width, const char *text);
void page_free(struct page *p);

void page_detail(struct page *p, struct tui *t, const struct model_pool *mp, int width);
void page_help(struct page *p, const struct tui *t, int width);

#endif /* PPOOLTOP_TUI_DRAW_H */
