// SPDX-License-Identifier: GPL-2.0-or-later
/* The help page: made of the tables of keys and columns. */
#include "tui_draw.h"

static void add_keys(struct page *p)
{
	for (int i = 0; i < tui_nr_bindings; i++) {
		const struct tui_binding *b = &tui_bindings[i];

		if (!b->help)
			continue;
		page_line(p);
		page_add(p, STYLE_STRONG, "  %-11s", b->label);
		page_add(p, STYLE_NORMAL, "%s", b->help);
	}
	page_line(p);
	page_add(p, STYLE_STRONG, "  %-11s", "mouse");
	page_add(p, STYLE_NORMAL,
		 "a title sorts, a line is selected, then folded; the wheel moves");
}

static void add_columns(struct page *p)
{
	for (int i = 0; i < nr_columns; i++) {
		page_line(p);
		page_add(p, STYLE_STRONG, "  %-11s", columns[i].title);
		page_add(p, STYLE_NORMAL, "%s", columns[i].help);
	}
}

void page_help(struct page *p, const struct tui *t, int width)
{
	page_line(p);
	page_add(p, STYLE_TITLE, " ppooltop " VERSION " ");
	page_line(p);
	page_line(p);
	page_add(p, STYLE_STRONG, "Keys");
	add_keys(p);
	page_line(p);
	page_line(p);
	page_add(p, STYLE_STRONG, "Columns");
	add_columns(p);
	if (!t->nr_notes)
		return;
	page_line(p);
	page_line(p);
	page_add(p, STYLE_STRONG, "Notes");
	for (int i = 0; i < t->nr_notes; i++)
		page_wrap(p, STYLE_NORMAL, 2, width, t->notes[i]);
}
