// SPDX-License-Identifier: GPL-2.0-or-later
/* Where things go on a screen of any size. */
#include <string.h>

#include "tui_priv.h"

#define WIDE 110 /* columns: sums fit one line */

struct tui_layout tui_layout(const struct tui *t)
{
	struct tui_layout l = {.titles = -1, .bar = -1};
	int left = t->rows;

	/* A list is what the view is for: one line of it comes before all else. */
	if (left >= 3) {
		l.bar = t->rows - 1;
		left--;
	}
	if (left >= 3)
		l.status_rows = left >= 19 && t->cols < WIDE ? 3 : left >= 6 ? 2 : 1;
	left -= l.status_rows;
	/* Pages and menus are read, and want the room. */
	if (left >= (t->screen == TUI_LIST ? 15 : 45) && t->cols >= 40)
		l.chart_rows = left >= 40 ? 9 : left >= 28 ? 7 : 5;
	l.chart = l.status_rows;
	left -= l.chart_rows;
	l.body = l.chart + l.chart_rows;
	if (left >= 2) {
		l.titles = l.body++;
		left--;
	}
	l.body_rows = left;
	return l;
}

/* --- columns -------------------------------------------------------------------------------------
 */

static int width_of(const struct column *c)
{
	return c->width + (c == columns ? TUI_TREE : 0);
}

/* Is @c among those that are shown if it is left to us, down to @rank? */
static bool has_rank(const struct column *c, int rank)
{
	return c->rank && c->rank <= rank;
}

static int width_to_rank(int rank)
{
	int width = 0;

	for (int i = 0; i < nr_columns; i++)
		if (has_rank(&columns[i], rank))
			width += width_of(&columns[i]) + 1;
	return width - 1;
}

#define ALL_RANKS 9

/* Where nobody chose, what matters most, as far as there is room; who scrolls wants to see all. */
static int choose(const struct tui *t, const struct column **list)
{
	int rank = ALL_RANKS, nr = 0;

	if (t->config.nr_shown) {
		memcpy(list, t->config.shown, (size_t)t->config.nr_shown * sizeof(*list));
		return t->config.nr_shown;
	}
	while (!t->scroll && rank > 1 && width_to_rank(rank) > t->cols)
		rank--;
	for (int i = 0; i < nr_columns; i++)
		if (has_rank(&columns[i], rank))
			list[nr++] = &columns[i];
	return nr;
}

int tui_columns(const struct tui *t, struct tui_column *list)
{
	const struct column *chosen[CONFIG_COLUMNS];
	int nr = choose(t, chosen), n = 0, x = 0;

	for (int i = 0; i < nr && x < t->cols; i++) {
		/* The first, with the names, stays. */
		if (i && i <= t->scroll && i < nr - 1)
			continue;
		list[n] = (struct tui_column){chosen[i], x, width_of(chosen[i])};
		x += list[n++].width + 1;
	}
	/* Words get what is left. */
	if (n && list[n - 1].c->left && list[n - 1].x + list[n - 1].width < t->cols)
		list[n - 1].width = t->cols - list[n - 1].x;
	return n;
}

void tui_fix_columns(struct tui *t)
{
	if (t->config.nr_shown)
		return;
	t->config.nr_shown = choose(t, t->config.shown);
}

/* --- menus ---------------------------------------------------------------------------------------
 */

static bool is_shown(const struct config *c, const struct column *column)
{
	for (int i = 0; i < c->nr_shown; i++)
		if (c->shown[i] == column)
			return true;
	return false;
}

const struct column *tui_menu_column(const struct tui *t, int n)
{
	const struct config *c = &t->config;

	if (n < c->nr_shown)
		return c->shown[n];
	n -= c->nr_shown;
	for (int i = 0; i < nr_columns; i++)
		if (!is_shown(c, &columns[i]) && !n--)
			return &columns[i];
	return NULL;
}

int tui_menu_lines(const struct tui *t)
{
	/* The first of those to sort by is none. */
	return t->screen == TUI_SORT ? nr_columns + 1 : nr_columns;
}

void tui_menu_move(struct tui *t, int to)
{
	int rows = tui_layout(t).body_rows, lines = tui_menu_lines(t);

	t->menu = to < 0 ? 0 : to >= lines ? lines - 1 : to;
	if (t->menu < t->menu_top)
		t->menu_top = t->menu;
	if (rows && t->menu >= t->menu_top + rows)
		t->menu_top = t->menu - rows + 1;
}

/* --- the function bar ----------------------------------------------------------------------------
 */

int tui_buttons(const struct tui *t, struct tui_button *list)
{
	int n = 0, x = 0;

	for (int i = 0; i < tui_nr_bindings && n < TUI_BUTTONS; i++) {
		const struct tui_binding *b = &tui_bindings[i];
		int width;

		if (!b->name || !(b->screens & (1u << t->screen)))
			continue;
		width = (int)(strlen(b->bar) + 1 + strlen(b->name));
		if (x + width > t->cols)
			continue;
		list[n++] = (struct tui_button){b, x, width};
		x += width + 1;
	}
	return n;
}
