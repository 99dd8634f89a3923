// SPDX-License-Identifier: GPL-2.0-or-later
/* What keys do: one row each, of which the function bar and the help page are made. */
#include <stdlib.h>
#include <string.h>

#include "tui_priv.h"

#define IN(screen) (1u << (screen))
#define LIST	   IN(TUI_LIST)
#define DETAIL	   IN(TUI_DETAIL)
#define PAGES	   (DETAIL | IN(TUI_HELP))
#define MENUS	   (IN(TUI_SORT) | IN(TUI_COLUMNS))
#define EVERYWHERE (LIST | PAGES | MENUS)
#define FIGURES	   (LIST | DETAIL)

/* --- moving --------------------------------------------------------------------------------------
 */

#define FAR (1 << 24)

/* @by lines further, in whatever is on the screen. */
static void move(struct tui *t, long by)
{
	switch (t->screen) {
	case TUI_LIST:
		tui_select(t, (long)t->selected + by);
		break;
	case TUI_DETAIL:
	case TUI_HELP:
		/* How far there is to go is known when it is drawn, which corrects it. */
		by += t->page_top;
		t->page_top = by < 0 ? 0 : by > FAR ? FAR : (int)by;
		break;
	default:
		tui_menu_move(t, t->menu + (int)by);
		break;
	}
}

static void press_up(struct tui *t, int key)
{
	move(t, key == TUI_WHEEL_UP ? -3 : -1);
}

static void press_down(struct tui *t, int key)
{
	move(t, key == TUI_WHEEL_DOWN ? 3 : 1);
}

static long page(const struct tui *t)
{
	int rows = tui_layout(t).body_rows;

	return rows > 1 ? rows - 1 : 1;
}

static void press_page_up(struct tui *t, int key)
{
	(void)key;
	move(t, -page(t));
}

static void press_page_down(struct tui *t, int key)
{
	(void)key;
	move(t, page(t));
}

static void press_home(struct tui *t, int key)
{
	(void)key;
	move(t, -FAR);
}

static void press_end(struct tui *t, int key)
{
	(void)key;
	move(t, FAR);
}

static void scroll(struct tui *t, int by)
{
	t->scroll += by;
	if (t->scroll < 0)
		t->scroll = 0;
	if (t->scroll > nr_columns - 1)
		t->scroll = nr_columns - 1;
}

/* In time while paused, else in columns: what cannot move has no use for the other. */
static void press_sideways(struct tui *t, int key)
{
	int by = key == TUI_LEFT ? -1 : 1;

	if (t->paused)
		tui_seek(t, by);
	else
		scroll(t, by);
}

static void press_columns_sideways(struct tui *t, int key)
{
	scroll(t, key == TUI_SHIFT_LEFT || key == '[' ? -1 : 1);
}

/* A minute at once: at a second each. */
static void press_far_sideways(struct tui *t, int key)
{
	if (t->paused)
		tui_seek(t, key == '{' ? -60 : 60);
}

/* --- the list ------------------------------------------------------------------------------------
 */

static void press_fold(struct tui *t, int key)
{
	(void)key;
	if (t->selected >= t->items.nr || !t->items.list[t->selected].foldable)
		return;
	if (item_toggle(t, &t->items.list[t->selected]))
		tui_note(t, "memory is out");
	tui_rebuild(t);
}

static void press_fold_all(struct tui *t, int key)
{
	(void)key;
	t->cpus_open = !t->cpus_open;
	t->items.nr_toggled = 0;
	tui_rebuild(t);
}

static void press_enter(struct tui *t, int key)
{
	const struct model_pool *mp = tui_selected_pool(t);

	if (!mp) {
		press_fold(t, key);
		return;
	}
	t->detail = item_id_pool(mp->pool, ROW_POOL, -1);
	t->screen = TUI_DETAIL;
	t->page_top = 0;
}

static void press_search(struct tui *t, int key)
{
	(void)key;
	tui_ask(t, PROMPT_SEARCH, "");
}

static void press_search_next(struct tui *t, int key)
{
	(void)key;
	tui_find(t, t->selected + 1);
}

static void press_filter(struct tui *t, int key)
{
	(void)key;
	tui_ask(t, PROMPT_FILTER, t->filter);
}

/* Esc in the list takes the filter away. */
static void press_no_filter(struct tui *t, int key)
{
	(void)key;
	t->filter[0] = '\0';
	tui_rebuild(t);
}

static void press_group(struct tui *t, int key)
{
	(void)key;
	t->config.grouping = (t->config.grouping + 1) % GROUP_NR;
	t->config_changed = true;
	tui_rebuild(t);
	snprintf(t->note, sizeof(t->note), "grouped by %s", grouping_name(t->config.grouping));
}

/* --- order ---------------------------------------------------------------------------------------
 */

static void press_sort_menu(struct tui *t, int key)
{
	(void)key;
	t->screen = TUI_SORT;
	t->menu_top = 0;
	tui_menu_move(t, t->config.sort ? (int)(t->config.sort - columns) + 1 : 0);
}

/* The column to the left or right of the one that sorts. */
static void press_sort_by(struct tui *t, int key)
{
	struct tui_column list[CONFIG_COLUMNS];
	int nr = tui_columns(t, list), by = key == '<' ? -1 : 1, at = key == '<' ? nr : -1;

	for (int i = 0; i < nr; i++)
		if (list[i].c == t->config.sort)
			at = i;
	if (at + by >= 0 && at + by < nr)
		tui_set_sort(t, list[at + by].c);
}

static void press_invert(struct tui *t, int key)
{
	(void)key;
	t->config.inverted = !t->config.inverted;
	t->config_changed = true;
	tui_rebuild(t);
}

/* --- figures -------------------------------------------------------------------------------------
 */

static void press_counts(struct tui *t, int key)
{
	(void)key;
	t->config.counts = !t->config.counts;
	t->config_changed = true;
	tui_rebuild(t);
}

static void press_base(struct tui *t, int key)
{
	(void)key;
	if (!t->m)
		return;
	if (base_take(&t->base, t->m)) {
		tui_note(t, "memory is out");
		base_free(&t->base);
	}
	t->based = t->base.devices;
	t->config.counts = true;
	tui_rebuild(t);
	snprintf(t->note, sizeof(t->note), "counts begin anew, here; a: per second");
}

/* --- time ----------------------------------------------------------------------------------------
 */

static const double intervals[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};

#define NR_INTERVALS (int)(sizeof(intervals) / sizeof(intervals[0]))

static void press_slower(struct tui *t, int key)
{
	(void)key;
	for (int i = 0; i < NR_INTERVALS; i++) {
		if (intervals[i] > t->interval_s * 1.001) {
			t->interval_s = intervals[i];
			break;
		}
	}
	snprintf(t->note, sizeof(t->note), "every %g s", t->interval_s);
}

static void press_faster(struct tui *t, int key)
{
	(void)key;
	for (int i = NR_INTERVALS - 1; i >= 0; i--) {
		if (intervals[i] < t->interval_s * 0.999) {
			t->interval_s = intervals[i];
			break;
		}
	}
	snprintf(t->note, sizeof(t->note), "every %g s", t->interval_s);
}

static void press_interval(struct tui *t, int key)
{
	(void)key;
	tui_ask(t, PROMPT_INTERVAL, "");
}

static void press_pause(struct tui *t, int key)
{
	(void)key;
	t->paused = !t->paused;
	if (!t->paused)
		tui_seek(t, (long)history_count(t->history));
	/* To go on is not to ask for one more. */
	t->next = false;
}

static void press_save(struct tui *t, int key)
{
	(void)key;
	t->save = t->m;
}

/* --- screens -------------------------------------------------------------------------------------
 */

static void press_help(struct tui *t, int key)
{
	(void)key;
	t->screen = TUI_HELP;
	t->page_top = 0;
}

static void press_columns(struct tui *t, int key)
{
	(void)key;
	tui_fix_columns(t);
	t->screen = TUI_COLUMNS;
	t->menu_top = 0;
	tui_menu_move(t, 0);
}

static void press_back(struct tui *t, int key)
{
	(void)key;
	t->screen = TUI_LIST;
	tui_rebuild(t);
}

static void press_quit(struct tui *t, int key)
{
	(void)key;
	t->quit = true;
}

/* --- menus ---------------------------------------------------------------------------------------
 */

static void press_choose(struct tui *t, int key)
{
	const struct column *c = t->menu ? &columns[t->menu - 1] : NULL;

	press_back(t, key);
	if (c != t->config.sort)
		tui_set_sort(t, c);
}

static void press_show_column(struct tui *t, int key)
{
	const struct column *c = tui_menu_column(t, t->menu);
	struct config *config = &t->config;

	(void)key;
	t->config_changed = true;
	if (t->menu >= config->nr_shown) {
		config->shown[config->nr_shown++] = c;
		return;
	}
	if (config->nr_shown == 1)
		return; /* none would mean: as many as fit */
	config->nr_shown--;
	memmove(config->shown + t->menu, config->shown + t->menu + 1,
		(size_t)(config->nr_shown - t->menu) * sizeof(config->shown[0]));
}

static void press_move_column(struct tui *t, int key)
{
	int to = t->menu + (key == '-' ? -1 : 1);
	struct config *config = &t->config;
	const struct column *c;

	if (t->menu >= config->nr_shown || to < 0 || to >= config->nr_shown)
		return;
	c = config->shown[to];
	config->shown[to] = config->shown[t->menu];
	config->shown[t->menu] = c;
	t->config_changed = true;
	tui_menu_move(t, to);
}

static void press_usual_columns(struct tui *t, int key)
{
	t->config.nr_shown = 0;
	t->config_changed = true;
	press_back(t, key);
}

/* --- the table -----------------------------------------------------------------------------------
 */

#define F(n) (TUI_F0 + (n))

const struct tui_binding tui_bindings[] = {
	{{'h', '?', F(1)}, LIST | DETAIL | MENUS, "h ? F1", "Help", "F1", "this page", press_help},
	{{'q', F(10)}, LIST, "q F10", "Quit", "F10", "quit", press_quit},
	{{F(2), 'C'}, LIST, "F2 C", "Columns", "F2", "choose and order the columns", press_columns},
	{{'/', F(3)},
	 LIST,
	 "/ F3",
	 "Search",
	 "F3",
	 "go to a line that has this text",
	 press_search},
	{{'n'}, LIST, "n", NULL, NULL, "the next such line", press_search_next},
	{{'\\', F(4)},
	 LIST,
	 "\\ F4",
	 "Filter",
	 "F4",
	 "only pools that have this text; Esc: all again",
	 press_filter},
	{{TUI_ESC}, LIST, "Esc", NULL, NULL, "no filter", press_no_filter},
	{{F(6)}, LIST, "F6", "Sort", "F6", "choose the column to sort by", press_sort_menu},
	{{'<', '>'},
	 LIST,
	 "< >",
	 NULL,
	 NULL,
	 "sort by the column to the left or right",
	 press_sort_by},
	{{'I'}, LIST, "I", "Invert", "I", "turn the order round", press_invert},
	{{'t'}, LIST, "t", "Group", "t", "lines by device, flat, or by CPU", press_group},
	{{'\n'},
	 LIST,
	 "Enter",
	 "Detail",
	 "Enter",
	 "all about the pool; of a device or CPU: fold",
	 press_enter},
	{{' '}, LIST, "Space", NULL, NULL, "fold or unfold", press_fold},
	{{'*'}, LIST, "*", NULL, NULL, "fold or unfold the CPUs of all pools", press_fold_all},
	{{TUI_UP, 'k', TUI_WHEEL_UP}, EVERYWHERE, "Up k", NULL, NULL, "up", press_up},
	{{TUI_DOWN, 'j', TUI_WHEEL_DOWN}, EVERYWHERE, "Down j", NULL, NULL, "down", press_down},
	{{TUI_PAGE_UP}, EVERYWHERE, "PgUp", NULL, NULL, "a page up", press_page_up},
	{{TUI_PAGE_DOWN}, EVERYWHERE, "PgDn", NULL, NULL, "a page down", press_page_down},
	{{TUI_HOME, 'g'}, EVERYWHERE, "Home g", NULL, NULL, "to the first", press_home},
	{{TUI_END, 'G'}, EVERYWHERE, "End G", NULL, NULL, "to the last", press_end},
	{{TUI_LEFT, TUI_RIGHT},
	 FIGURES,
	 "Left Right",
	 NULL,
	 NULL,
	 "columns; while paused: back and on in time",
	 press_sideways},
	{{TUI_SHIFT_LEFT, TUI_SHIFT_RIGHT, '[', ']'},
	 LIST,
	 "[ ]",
	 NULL,
	 NULL,
	 "columns, also while paused",
	 press_columns_sideways},
	{{'{', '}'},
	 FIGURES,
	 "{ }",
	 NULL,
	 NULL,
	 "while paused: 60 readings back and on",
	 press_far_sideways},
	{{'z'}, FIGURES, "z", "Pause", "z", "stand still, and look back", press_pause},
	{{'a'}, FIGURES, "a", "Counts", "a", "counts or per second", press_counts},
	{{'r'}, FIGURES, "r", "Reset", "r", "counts begin anew here", press_base},
	{{'+', '='}, FIGURES, "+", NULL, NULL, "a longer interval", press_slower},
	{{'-'}, FIGURES, "-", NULL, NULL, "a shorter interval", press_faster},
	{{'d'}, FIGURES, "d", "Delay", "d", "type in the interval, in seconds", press_interval},
	{{'s'},
	 FIGURES,
	 "s",
	 "Save",
	 "s",
	 "save what is shown as JSON, in the current directory",
	 press_save},
	{{'q', TUI_ESC, '\n'}, PAGES, "q Esc", "Back", "Esc", NULL, press_back},
	{{'\n'}, IN(TUI_SORT), "Enter", "Choose", "Enter", NULL, press_choose},
	{{' ', '\n'}, IN(TUI_COLUMNS), "Space", "Show", "Space", NULL, press_show_column},
	{{'-', '+'}, IN(TUI_COLUMNS), "- +", "Move", "- +", NULL, press_move_column},
	{{'u'}, IN(TUI_COLUMNS), "u", "Usual", "u", NULL, press_usual_columns},
	{{'q', TUI_ESC}, MENUS, "q Esc", "Back", "Esc", NULL, press_back},
	{{F(10)}, PAGES | MENUS, "F10", "Quit", "F10", NULL, press_quit},
};

const int tui_nr_bindings = sizeof(tui_bindings) / sizeof(tui_bindings[0]);
