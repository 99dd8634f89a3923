// SPDX-License-Identifier: GPL-2.0-or-later
/* The live view's state, and what models and events do to it. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "tui_priv.h"

int tui_init(struct tui *t, const struct glyphs *glyphs, double interval_s)
{
	memset(t, 0, sizeof(*t));
	config_init(&t->config);
	model_init(&t->then);
	t->glyphs = glyphs;
	t->interval_s = interval_s;
	t->rows = 24;
	t->cols = 80;
	t->history = history_new();
	return t->history ? 0 : -ENOMEM;
}

void tui_free(struct tui *t)
{
	items_free(&t->items);
	base_free(&t->base);
	model_free(&t->then);
	history_free(t->history);
	t->history = NULL;
}

void tui_keep(struct tui *t, const char *note)
{
	if (t->nr_notes == TUI_NOTES)
		memmove(t->notes[0], t->notes[1], sizeof(t->notes) - sizeof(t->notes[0]));
	else
		t->nr_notes++;
	snprintf(t->notes[t->nr_notes - 1], TUI_NOTE, "%s", note);
}

void tui_note(struct tui *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->note, sizeof(t->note), fmt, ap);
	va_end(ap);
	tui_keep(t, t->note);
}

struct row_opts tui_row_opts(const struct tui *t)
{
	return (struct row_opts){
		.counts = t->config.counts,
		.base = t->based ? &t->base : NULL,
		.glyphs = t->glyphs,
	};
}

/* --- the list ------------------------------------------------------------------------------------
 */

void tui_select(struct tui *t, long n)
{
	size_t rows = (size_t)tui_layout(t).body_rows;

	if (n >= (long)t->items.nr)
		n = (long)t->items.nr - 1;
	t->selected = n > 0 ? (size_t)n : 0;
	if (t->selected < t->items.nr)
		t->selected_id = item_id(t, &t->items.list[t->selected]);
	if (t->selected < t->top)
		t->top = t->selected;
	if (rows && t->selected >= t->top + rows)
		t->top = t->selected - rows + 1;
	if (t->items.nr <= rows)
		t->top = 0;
	else if (rows && t->top + rows > t->items.nr)
		t->top = t->items.nr - rows;
}

void tui_rebuild(struct tui *t)
{
	struct item_id id = t->selected_id;

	if (!t->m)
		return;
	if (items_build(t))
		tui_note(t, "memory is out");
	for (size_t i = 0; i < t->items.nr; i++) {
		struct item_id other = item_id(t, &t->items.list[i]);

		if (item_same(&id, &other)) {
			tui_select(t, (long)i);
			return;
		}
	}
	tui_select(t, (long)t->selected);
}

const struct model_pool *tui_selected_pool(const struct tui *t)
{
	const struct item *item;

	if (t->selected >= t->items.nr)
		return NULL;
	item = &t->items.list[t->selected];
	if (item->kind == ROW_DEVICE || item->kind == ROW_CPU_SUM)
		return NULL;
	return t->items.pools[item->pool];
}

const struct model_pool *tui_detail_pool(const struct tui *t)
{
	for (size_t i = 0; t->m && i < t->m->nr_pools; i++) {
		struct item_id id = item_id_pool(t->m->pools[i].pool, ROW_POOL, -1);

		if (item_same(&id, &t->detail))
			return &t->m->pools[i];
	}
	return NULL;
}

void tui_find(struct tui *t, size_t from)
{
	if (!t->search[0])
		return;
	for (size_t i = 0; i < t->items.nr; i++) {
		size_t n = (from + i) % t->items.nr;

		if (item_matches(t, &t->items.list[n], t->search)) {
			tui_select(t, (long)n);
			return;
		}
	}
	snprintf(t->note, sizeof(t->note), "nothing has \"%s\"", t->search);
}

void tui_set_sort(struct tui *t, const struct column *c)
{
	if (t->config.sort == c && c)
		t->config.inverted = !t->config.inverted;
	else
		t->config.inverted = false;
	t->config.sort = c;
	t->config_changed = true;
	tui_rebuild(t);
}

/* --- time ----------------------------------------------------------------------------------------
 */

/* The latest is the last of the history, which may have missed it for want of memory. */
static uint64_t last_frame(const struct tui *t)
{
	size_t nr = history_count(t->history);

	return history_dropped(t->history) + (nr ? nr - 1 : 0);
}

size_t tui_frame(const struct tui *t)
{
	uint64_t dropped = history_dropped(t->history);

	return t->at > dropped ? (size_t)(t->at - dropped) : 0;
}

static void show_latest(struct tui *t)
{
	t->at = last_frame(t);
	t->m = t->live;
	tui_rebuild(t);
}

static void show_frame(struct tui *t, size_t frame)
{
	t->at = history_dropped(t->history) + frame;
	/* Lists point into the model that is about to go. */
	t->items.nr = 0;
	if (history_model(t->history, frame, &t->then)) {
		tui_note(t, "memory is out");
		show_latest(t);
		return;
	}
	t->m = &t->then;
	tui_rebuild(t);
}

void tui_seek(struct tui *t, long by)
{
	long frame = (long)tui_frame(t) + by, last = (long)history_count(t->history) - 1;

	if (!t->live || last < 0)
		return;
	if (frame > last && t->recorded && !t->ended) {
		t->next = true;
		frame = last;
	}
	if (frame >= last)
		show_latest(t);
	else
		show_frame(t, frame > 0 ? (size_t)frame : 0);
}

void tui_update(struct tui *t, const struct model *m)
{
	bool follow = !t->paused || !t->m || t->next;

	/* What is kept of the last list points into what the model has just freed. */
	if (t->m == m)
		t->items.nr = 0;
	t->live = m;
	if (history_push(t->history, m))
		tui_note(t, "memory is out: a snapshot is not kept");
	t->next = false;
	if (follow)
		show_latest(t);
	else if (t->m == m || t->at < history_dropped(t->history))
		show_frame(t, tui_frame(t));
}

void tui_resize(struct tui *t, int rows, int cols)
{
	t->rows = rows > 1 ? rows : 1;
	t->cols = cols > 1 ? cols : 1;
	tui_select(t, (long)t->selected);
}

/* --- one pool over time --------------------------------------------------------------------------
 */

static void add_sample(const struct pool *p, uint64_t mono_ns, void *arg)
{
	struct series *s = arg;
	double seconds = (double)(mono_ns - s->last_ns) / 1e9;
	static const struct pool nothing; /* is known of one that is not there */
	const struct pool *now = p ? p : &nothing;
	bool books = now->has & POOL_HAS_BOOKS;

	if (s->nr == TUI_SAMPLES) {
		for (int i = 0; i < PP_NR_COUNTERS; i++)
			memmove(s->rate[i], s->rate[i] + 1, sizeof(s->rate[i]) - sizeof(double));
		memmove(s->inflight, s->inflight + 1, sizeof(s->inflight) - sizeof(double));
		memmove(s->cache, s->cache + 1, sizeof(s->cache) - sizeof(double));
		memmove(s->ring, s->ring + 1, sizeof(s->ring) - sizeof(double));
		s->nr--;
	}
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		bool known = s->begun && counter_known(now->counters_known, (enum pp_counter)i);
		double more =
			known ? (double)(int64_t)(now->total.n[i] - s->last.n[i]) : (double)NAN;

		s->rate[i][s->nr] = more < 0 ? 0 : more / seconds;
	}
	s->inflight[s->nr] = now->has & POOL_HAS_INFLIGHT ? (double)now->inflight : (double)NAN;
	s->cache[s->nr] = books ? now->cache : (double)NAN;
	s->ring[s->nr++] = books ? now->ring : (double)NAN;
	s->begun = p;
	s->last_ns = mono_ns;
	s->last = now->total;
}

void tui_series(struct tui *t, const struct model_pool *mp)
{
	struct series *s = &t->series;
	const struct item_id id = item_id_pool(mp->pool, ROW_POOL, -1);
	size_t frame = tui_frame(t);

	if (item_same(&id, &s->of) && s->nr && s->end == t->at)
		return;
	if (item_same(&id, &s->of) && s->nr && s->end + 1 == t->at) {
		add_sample(mp->pool, t->m->now.mono_ns, s);
	} else {
		s->of = id;
		s->nr = 0;
		s->begun = false;
		if (history_pool(t->history, frame >= TUI_SAMPLES ? frame - TUI_SAMPLES : 0, frame,
				 mp->pool, add_sample, s))
			s->nr = 0;
	}
	s->end = t->at;
}

/* --- what is typed in ----------------------------------------------------------------------------
 */

void tui_ask(struct tui *t, enum tui_prompt prompt, const char *text)
{
	t->prompt = prompt;
	snprintf(t->typed, sizeof(t->typed), "%s", text);
}

static void set_interval(struct tui *t, const char *text)
{
	char *end;
	double s = strtod(text, &end);

	if (end == text || *end || !isfinite(s) || s < 0.05 || s > 1e6)
		tui_note(t, "an interval is in seconds, 0.05 or more, not \"%s\"", text);
	else
		t->interval_s = s;
}

static void typed_changed(struct tui *t)
{
	if (t->prompt == PROMPT_SEARCH) {
		strcpy(t->search, t->typed);
		tui_find(t, t->selected);
	} else if (t->prompt == PROMPT_FILTER) {
		strcpy(t->filter, t->typed);
		tui_rebuild(t);
	}
}

/* Take the last character off, all of its bytes. */
static void rub_out(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void append(struct tui *t, int key)
{
	char bytes[MB_LEN_MAX + 1] = "";
	mbstate_t state;
	size_t n, len = strlen(t->typed);

	memset(&state, 0, sizeof(state));
	n = wcrtomb(bytes, (wchar_t)key, &state);
	if (n == (size_t)-1 || !iswprint((wint_t)key) || len + n >= sizeof(t->typed))
		return;
	memcpy(t->typed + len, bytes, n);
	t->typed[len + n] = '\0';
}

/* A key while something is typed in. */
static void type(struct tui *t, int key)
{
	enum tui_prompt prompt = t->prompt;

	switch (key) {
	case TUI_ESC:
		t->typed[0] = '\0';
		if (prompt != PROMPT_INTERVAL)
			typed_changed(t);
		t->note[0] = '\0';
		t->prompt = PROMPT_NONE;
		return;
	case '\n':
		t->prompt = PROMPT_NONE;
		if (prompt == PROMPT_INTERVAL)
			set_interval(t, t->typed);
		return;
	case TUI_BACKSPACE:
		rub_out(t->typed);
		break;
	case TUI_F0 + 10:
		t->quit = true;
		return;
	default:
		if (key >= TUI_KEYS)
			return;
		append(t, key);
		break;
	}
	typed_changed(t);
}

/* --- events --------------------------------------------------------------------------------------
 */

void tui_key(struct tui *t, int key)
{
	t->note[0] = '\0';
	if (t->prompt) {
		type(t, key);
		return;
	}
	for (int i = 0; i < tui_nr_bindings; i++) {
		const struct tui_binding *b = &tui_bindings[i];

		if (!(b->screens & (1u << t->screen)))
			continue;
		for (size_t k = 0; k < sizeof(b->keys) / sizeof(b->keys[0]) && b->keys[k]; k++) {
			if (b->keys[k] == key) {
				b->press(t, key);
				return;
			}
		}
	}
}

static void click_button(struct tui *t, int x)
{
	struct tui_button list[TUI_BUTTONS];
	int nr = tui_buttons(t, list);

	for (int i = 0; i < nr; i++)
		if (x >= list[i].x && x < list[i].x + list[i].width)
			list[i].binding->press(t, list[i].binding->keys[0]);
}

static void click_title(struct tui *t, int x)
{
	struct tui_column list[CONFIG_COLUMNS];
	int nr = tui_columns(t, list);

	for (int i = 0; i < nr; i++)
		if (x >= list[i].x && x <= list[i].x + list[i].width)
			tui_set_sort(t, list[i].c);
}

/* A row: the first click selects it, the next folds it. */
static void click_line(struct tui *t, int line)
{
	size_t n = t->top + (size_t)line;

	if (t->screen == TUI_SORT || t->screen == TUI_COLUMNS) {
		tui_menu_move(t, t->menu_top + line);
		return;
	}
	if (t->screen != TUI_LIST || n >= t->items.nr)
		return;
	if (n == t->selected)
		tui_key(t, ' ');
	else
		tui_select(t, (long)n);
}

void tui_click(struct tui *t, int y, int x)
{
	struct tui_layout l = tui_layout(t);

	t->note[0] = '\0';
	if (t->prompt)
		return;
	if (y == l.bar)
		click_button(t, x);
	else if (y == l.titles && t->screen == TUI_LIST)
		click_title(t, x);
	else if (y >= l.body && y < l.body + l.body_rows)
		click_line(t, y - l.body);
}
