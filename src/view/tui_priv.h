/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the live view's state share among themselves. */
#ifndef PPOOLTOP_TUI_PRIV_H
#define PPOOLTOP_TUI_PRIV_H

#include "tui.h"

/* Items, filters or figures changed: make the list anew; the selected line stays selected. */
void tui_rebuild(struct tui *t);

/* Select item number @n, or the nearest there is, and have it on the screen. */
void tui_select(struct tui *t, long n);

/* The number in the history that is shown. */
size_t tui_frame(const struct tui *t);

/* Show another number of the history, @by further on; with a recording also what comes next. */
void tui_seek(struct tui *t, long by);

void tui_set_sort(struct tui *t, const struct column *c);

/* Begin to type. */
void tui_ask(struct tui *t, enum tui_prompt prompt, const char *text);

/* The next line that contains what was searched for, from @from on and around. */
void tui_find(struct tui *t, size_t from);

/* The columns as they are on the screen now become those of the configuration. */
void tui_fix_columns(struct tui *t);

/* Lines of the menu in hand. */
int tui_menu_lines(const struct tui *t);
void tui_menu_move(struct tui *t, int to);

/* Column number @n of the menu of columns: those shown first, in their order. */
const struct column *tui_menu_column(const struct tui *t, int n);

#endif /* PPOOLTOP_TUI_PRIV_H */
