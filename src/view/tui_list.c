// SPDX-License-Identifier: GPL-2.0-or-later
/* The body: the list of devices, pools and CPUs, and the menus that take its place. */
#include <string.h>

#include "tui_draw.h"
#include "tui_priv.h"

/* @text in @width columns, on the column's side; what does not fit ends in a mark. */
static void fit(const struct glyphs *g, const struct column *c, int width, const char *text,
		char *cell, size_t len)
{
	int taken = text_width(text);

	if (taken > width) {
		size_t cut = text_fit(text, width - 1);

		snprintf(cell, len, "%.*s%s", (int)cut, text, width > 0 ? g->ellipsis : "");
	} else if (c->left) {
		snprintf(cell, len, "%s", text);
	} else {
		snprintf(cell, len, "%*s%s", width - taken, "", text);
	}
}

static void draw_titles(const struct tui *t, int y, const struct tui_column *list, int nr)
{
	term_put(y, 0, t->cols, STYLE_TITLE, "");
	for (int i = 0; i < nr; i++) {
		const struct column *c = list[i].c;
		bool sorts = c == t->config.sort;
		char text[CELL], cell[2 * CELL];

		/* Numbers fall and words rise, unless inverted. */
		snprintf(text, sizeof(text), "%s%s", c->title,
			 !sorts				     ? ""
			 : !!c->value == !t->config.inverted ? t->glyphs->falling
							     : t->glyphs->rising);
		fit(t->glyphs, c, list[i].width, text, cell, sizeof(cell));
		term_put(y, list[i].x, list[i].width, sorts ? STYLE_SORTED : STYLE_TITLE, cell);
	}
}

/* The tree before a name: as deep as the item is, and whether there is more below. */
static void put_name(const struct tui *t, const struct item *item, const char *name, char *cell,
		     size_t len)
{
	const char *fold = !item->foldable ? " "
			   : item->folded  ? t->glyphs->closed
					   : t->glyphs->open;

	snprintf(cell, len, "%*s%s %s", item->depth, "", fold, name + strspn(name, " "));
}

static void draw_item(const struct tui *t, int y, size_t n, const struct tui_column *list, int nr)
{
	const struct item *item = &t->items.list[n];
	bool selected = n == t->selected;
	struct row r;

	item_row(t, item, &r);
	if (selected)
		term_put(y, 0, t->cols, STYLE_SELECTED, "");
	for (int i = 0; i < nr; i++) {
		const struct column *c = list[i].c;
		char text[CELL], name[2 * CELL], cell[2 * CELL + 8];

		column_print(c, &r, text);
		if (c == columns)
			put_name(t, item, text, name, sizeof(name));
		fit(t->glyphs, c, list[i].width, c == columns ? name : text, cell, sizeof(cell));
		term_put(y, list[i].x, list[i].width,
			 selected ? STYLE_SELECTED : style_of_mark(column_mark(c, &r)), cell);
	}
}

void draw_list(const struct tui *t, const struct tui_layout *l)
{
	struct tui_column list[CONFIG_COLUMNS];
	int nr = tui_columns(t, list);

	if (l->titles >= 0)
		draw_titles(t, l->titles, list, nr);
	for (int i = 0; i < l->body_rows && t->top + (size_t)i < t->items.nr; i++)
		draw_item(t, l->body + i, t->top + (size_t)i, list, nr);
	if (!t->items.nr)
		term_put(l->body, 0, t->cols, STYLE_DIM,
			 t->filter[0] ? "no page_pool has that; Esc: all again"
				      : "no page_pool was seen");
}

/* --- menus ---------------------------------------------------------------------------------------
 */

static void draw_sort_line(const struct tui *t, int y, int n, enum style style)
{
	const struct column *c = n ? &columns[n - 1] : NULL;
	char text[2 * CELL];

	snprintf(text, sizeof(text), "%s %-9s %s", c == t->config.sort ? ">" : " ",
		 c ? c->title : "-", c ? c->help : "by network namespace, interface and queue");
	term_put(y, 0, t->cols, style, text);
}

static void draw_column_line(const struct tui *t, int y, int n, enum style style)
{
	const struct column *c = tui_menu_column(t, n);
	char text[2 * CELL];

	snprintf(text, sizeof(text), "[%c] %-9s %s", n < t->config.nr_shown ? 'x' : ' ', c->title,
		 c->help);
	term_put(y, 0, t->cols, style, text);
}

void draw_menu(const struct tui *t, const struct tui_layout *l)
{
	bool sort = t->screen == TUI_SORT;

	if (l->titles >= 0)
		term_put(l->titles, 0, t->cols, STYLE_TITLE,
			 sort ? "Sort by" : "Columns, in their order");
	for (int i = 0; i < l->body_rows && t->menu_top + i < tui_menu_lines(t); i++) {
		int n = t->menu_top + i;
		enum style style = n == t->menu ? STYLE_SELECTED : STYLE_NORMAL;

		if (sort)
			draw_sort_line(t, l->body + i, n, style);
		else
			draw_column_line(t, l->body + i, n, style);
	}
}
