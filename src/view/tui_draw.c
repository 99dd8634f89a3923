// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "tui_draw.h"
#include "tui_priv.h"

/* --- the last line -------------------------------------------------------------------------------
 */

static void draw_prompt(const struct tui *t, int y)
{
	static const char *const labels[] = {
		[PROMPT_SEARCH] = "Search: ",
		[PROMPT_FILTER] = "Filter: ",
		[PROMPT_INTERVAL] = "Seconds from one reading to the next: ",
	};
	char text[TUI_TEXT + TUI_NOTE + 64];

	snprintf(text, sizeof(text), "%s%s_%s%s", labels[t->prompt], t->typed,
		 t->note[0] ? "   " : "", t->note);
	term_put(y, 0, t->cols, STYLE_STRONG, text);
}

static void draw_buttons(const struct tui *t, int y)
{
	struct tui_button list[TUI_BUTTONS];
	int nr = tui_buttons(t, list);

	for (int i = 0; i < nr; i++) {
		const struct tui_binding *b = list[i].binding;
		int key = (int)strlen(b->bar);

		term_put(y, list[i].x, key, STYLE_STRONG, b->bar);
		term_put(y, list[i].x + key, list[i].width - key, STYLE_BUTTON, b->name);
	}
}

static void draw_bar(const struct tui *t, int y)
{
	if (t->prompt)
		draw_prompt(t, y);
	else if (t->note[0])
		term_put(y, 0, t->cols, STYLE_STRONG, t->note);
	else
		draw_buttons(t, y);
}

/* --- pages ---------------------------------------------------------------------------------------
 */

static void draw_line(int y, const struct page_line *line, int cols)
{
	int x = 0;

	for (int i = 0; i < line->nr && x < cols; i++) {
		size_t from = line->spans[i].at;
		size_t to = i + 1 < line->nr ? line->spans[i + 1].at : line->len;
		char text[1024];
		int width;

		snprintf(text, sizeof(text), "%.*s", (int)(to - from), line->text + from);
		width = text_width(text);
		term_put(y, x, width, line->spans[i].style, text);
		x += width;
	}
}

static void draw_page(struct tui *t, const struct tui_layout *l, struct page *p)
{
	int y = l->titles >= 0 ? l->titles : l->body, rows = l->body + l->body_rows - y;
	int far = p->nr - rows;

	if (t->page_top > far)
		t->page_top = far > 0 ? far : 0;
	for (int i = 0; i < rows && t->page_top + i < p->nr; i++)
		draw_line(y + i, &p->lines[t->page_top + i], t->cols);
	page_free(p);
}

/* --- all -----------------------------------------------------------------------------------------
 */

static void draw_body(struct tui *t, const struct tui_layout *l)
{
	const struct model_pool *mp = tui_detail_pool(t);
	struct page page = {0};

	switch (t->screen) {
	case TUI_HELP:
		page_help(&page, t, t->cols);
		draw_page(t, l, &page);
		break;
	case TUI_DETAIL:
		if (mp) {
			page_detail(&page, t, mp, t->cols);
			draw_page(t, l, &page);
		} else {
			term_put(l->body, 0, t->cols, STYLE_DIM,
				 "this pool is not there (any more)");
		}
		break;
	case TUI_SORT:
	case TUI_COLUMNS:
		draw_menu(t, l);
		break;
	default:
		draw_list(t, l);
		break;
	}
}

void tui_draw(struct tui *t)
{
	struct tui_layout l = tui_layout(t);

	term_erase();
	if (t->m) {
		draw_status(t, &l);
		draw_charts(t, &l);
		draw_body(t, &l);
	}
	if (l.bar >= 0)
		draw_bar(t, l.bar);
	term_flush();
}
