// SPDX-License-Identifier: GPL-2.0-or-later
/* The live view's state: what events and models do to it. No terminal is near. */
#include "unit.h"

#include <locale.h>
#include <wchar.h>

#include "tui.h"
#include "verdict.h"

/* Two devices: eth0 with two pools that worked on both CPUs, eth1 with four that are left over. */
static void take(struct snapshot *s, double seconds, uint64_t n)
{
	unit_snapshot(s, seconds);
	s->time.tv_sec += (time_t)seconds;
	for (uint64_t i = 0; i < 2; i++) {
		struct pool *p = unit_pool(s, 0x1000 + i, 2);

		p->queue = (int)i;
		p->total.n[PP_FAST] = n * (i + 1);
		p->cpus[0].n[PP_FAST] = n * (i + 1) - n / 2;
		p->cpus[1].n[PP_FAST] = n / 2;
	}
	for (uint64_t i = 0; i < 4; i++) {
		struct pool *p = unit_pool(s, 0x2000 + i, 2);

		snprintf(p->ifname, sizeof(p->ifname), "eth1");
		p->ifindex = 3;
		p->state = POOL_STUCK;
		p->has |= POOL_HAS_DESTROYED;
		p->destroyed_s = 100 + seconds;
		p->inflight = i < 3 ? 1 : 7;
		free(p->cpus);
		p->cpus = NULL;
	}
}

struct fixture {
	struct tui t;
	struct model m;
	double seconds;
};

static void feed(struct fixture *f)
{
	struct snapshot s;

	f->seconds++;
	take(&s, f->seconds, 1000 * (uint64_t)f->seconds);
	assert_int_equal(model_update(&f->m, &s), 0);
	tui_update(&f->t, &f->m);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	model_init(&f->m);
	if (tui_init(&f->t, &glyphs_utf8, 1))
		return -1;
	tui_resize(&f->t, 40, 120);
	feed(f);
	feed(f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tui_free(&f->t);
	model_free(&f->m);
	free(f);
	return 0;
}

static void type(struct tui *t, const char *keys)
{
	for (; *keys; keys++)
		tui_key(t, *keys);
}

/* The names in the list, each after as many spaces as it is deep. */
static void check_list(struct tui *t, const char *want)
{
	char got[4096] = "", name[CELL];

	for (size_t i = 0; i < t->items.nr; i++) {
		struct row r;

		item_row(t, &t->items.list[i], &r);
		column_print(&columns[0], &r, name);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%*s%s|",
			 t->items.list[i].depth, "", name + strspn(name, " "));
	}
	assert_string_equal(got, want);
}

static void tree(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	check_list(t, "eth0| pool 1000| pool 1001|eth1| 3 pools| pool 2003|");
	tui_key(t, ' ');
	check_list(t, "eth0|eth1| 3 pools| pool 2003|");
	tui_key(t, '\n');
	tui_key(t, TUI_DOWN);
	tui_key(t, ' ');
	check_list(t, "eth0| pool 1000|  cpu 0|  cpu 1| pool 1001|eth1| 3 pools| pool 2003|");
	tui_key(t, '*');
	check_list(t, "eth0| pool 1000|  cpu 0|  cpu 1| pool 1001|  cpu 0|  cpu 1|eth1| 3 pools| "
		      "pool 2003|");
	tui_key(t, '*');
	type(t, "jjj ");
	check_list(t,
		   "eth0| pool 1000| pool 1001|eth1| 3 pools|  pool 2000|  pool 2001|  pool 2002| "
		   "pool 2003|");
}

static void groupings(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	tui_key(t, 't');
	check_list(t, "eth0|eth0|3 pools|eth1|");
	tui_key(t, 't');
	check_list(t, "cpu 0|cpu 1|");
	tui_key(t, ' ');
	check_list(t, "cpu 0| eth0| eth0|cpu 1|");
	tui_key(t, 't');
	check_list(t, "eth0| pool 1000| pool 1001|eth1| 3 pools| pool 2003|");
}

static void order(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	t->config.grouping = GROUP_FLAT;
	tui_key(t, 'I');
	check_list(t, "eth1|3 pools|eth0|eth0|");
	tui_key(t, 'I');
	tui_key(t, TUI_F0 + 6);
	assert_int_equal(t->screen, TUI_SORT);
	for (int i = 0; i <= column_find("INFLIGHT") - columns; i++)
		tui_key(t, 'j');
	tui_key(t, '\n');
	assert_ptr_equal(t->config.sort, column_find("INFLIGHT"));
	check_list(t, "eth1|3 pools|eth0|eth0|");
	assert_int_equal(t->items.list[0].nr, 1); /* of 7 pages */
	tui_key(t, 'I');
	check_list(t, "eth0|eth0|3 pools|eth1|");
	assert_true(t->config_changed);
	tui_key(t, '>');
	assert_ptr_equal(t->config.sort, column_find("VERDICT"));
	tui_key(t, '<');
	tui_key(t, '<');
	assert_ptr_equal(t->config.sort, column_find("RECYC%"));
}

/* What is selected stays so, wherever it goes; and when it goes for good, something near is. */
static void selection(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;

	type(t, "jj");
	assert_int_equal(tui_selected_pool(t)->pool->address, 0x1001);
	feed(f);
	assert_int_equal(tui_selected_pool(t)->pool->address, 0x1001);
	tui_key(t, 'I');
	assert_int_equal(tui_selected_pool(t)->pool->address, 0x1001);
	tui_key(t, TUI_END);
	assert_int_equal(t->selected, t->items.nr - 1);
	type(t, "\\nothing such");
	assert_int_equal(t->items.nr, 0);
	assert_null(tui_selected_pool(t));
	tui_key(t, TUI_ESC);
	assert_int_equal(t->items.nr, 6);
	assert_true(t->selected < t->items.nr);
}

static void filter(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	type(t, "\\ETH1");
	check_list(t, "eth1| 3 pools| pool 2003|");
	tui_key(t, TUI_BACKSPACE);
	assert_int_equal(t->items.nr, 6);
	type(t, "0\n");
	check_list(t, "eth0| pool 1000| pool 1001|");
	/* no key of the list while one types */
	assert_false(t->quit);
	type(t, "\\q");
	assert_false(t->quit);
	assert_string_equal(t->filter, "ETH0q");
	tui_key(t, TUI_ESC);
	tui_key(t, TUI_ESC);
	assert_string_equal(t->filter, "");
}

static void search(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	type(t, "/eth1");
	assert_int_equal(t->selected, 3);
	type(t, "\nn");
	assert_int_equal(t->selected, 4);
	type(t, "/nosuch");
	assert_non_null(strstr(t->note, "nosuch"));
	assert_int_equal(t->selected, 4);
	type(t, "\nq");
	assert_true(t->quit);
}

/* Characters of many bytes are rubbed out whole, and too many are not taken. */
static void typing(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	type(t, "\\a");
	tui_key(t, 0xe4);
	tui_key(t, 0x1f600);
	assert_string_equal(t->typed, "a\303\244\360\237\230\200");
	tui_key(t, TUI_BACKSPACE);
	tui_key(t, TUI_BACKSPACE);
	assert_string_equal(t->typed, "a");
	tui_key(t, 7);
	assert_string_equal(t->typed, "a");
	for (int i = 0; i < 1000; i++)
		tui_key(t, 0x1f600);
	assert_true(strlen(t->typed) < TUI_TEXT);
	for (int i = 0; i < 1000; i++)
		tui_key(t, TUI_BACKSPACE);
	assert_string_equal(t->typed, "");
}

static double shown(struct tui *t, size_t item, const char *title)
{
	struct row r;

	item_row(t, &t->items.list[item], &r);
	return column_find(title)->value(&r);
}

static void counts_and_base(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;

	assert_near(shown(t, 2, "FAST"), 2000); /* per second */
	tui_key(t, 'a');
	assert_near(shown(t, 2, "FAST"), 4000);
	assert_near(shown(t, 0, "FAST"), 6000);
	tui_key(t, 'r');
	assert_near(shown(t, 2, "FAST"), 0);
	feed(f);
	assert_near(shown(t, 2, "FAST"), 2000);
	assert_near(shown(t, 0, "FAST"), 3000);
	type(t, "jj ");
	assert_near(shown(t, 3, "FAST"), 1500); /* cpu 0 */
	tui_key(t, 'a');
	assert_near(shown(t, 2, "FAST"), 2000);
	assert_near(shown(t, 3, "FAST"), 1500);
}

static void intervals(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	tui_key(t, '+');
	assert_near(t->interval_s, 2);
	type(t, "---");
	assert_near(t->interval_s, 0.2);
	type(t, "-------");
	assert_near(t->interval_s, 0.1);
	type(t, "d7.5\n");
	assert_near(t->interval_s, 7.5);
	type(t, "d0.01\n");
	assert_near(t->interval_s, 7.5);
	assert_non_null(strstr(t->note, "0.01"));
	type(t, "dnan\n");
	type(t, "d\n");
	assert_near(t->interval_s, 7.5);
	for (int i = 0; i < 20; i++)
		tui_key(t, '+');
	assert_near(t->interval_s, 60);
}

/* Left and right move in time while paused; what comes meanwhile is kept, and is there later. */
static void pause(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;

	for (int i = 0; i < 10; i++)
		feed(f);
	assert_int_equal(t->m->now.mono_ns, 12000000000);
	tui_key(t, 'z');
	tui_key(t, TUI_LEFT);
	tui_key(t, TUI_LEFT);
	assert_int_equal(t->m->now.mono_ns, 10000000000);
	assert_near(shown(t, 2, "FAST"), 2000);
	feed(f);
	assert_int_equal(t->m->now.mono_ns, 10000000000);
	tui_key(t, TUI_RIGHT);
	assert_int_equal(t->m->now.mono_ns, 11000000000);
	tui_key(t, '{');
	assert_int_equal(t->m->now.mono_ns, 1000000000);
	tui_key(t, TUI_LEFT);
	assert_int_equal(t->m->now.mono_ns, 1000000000);
	tui_key(t, '}');
	assert_int_equal(t->m->now.mono_ns, 13000000000);
	tui_key(t, 'z');
	feed(f);
	assert_int_equal(t->m->now.mono_ns, 14000000000);
	/* not paused: columns */
	tui_key(t, TUI_RIGHT);
	assert_int_equal(t->scroll, 1);
}

/* The model of now changes under what is shown, unless it is put aside. */
static void pause_at_the_latest(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;

	tui_key(t, 'z');
	feed(f);
	assert_int_equal(t->m->now.mono_ns, 2000000000);
	check_list(t, "eth0| pool 1000| pool 1001|eth1| 3 pools| pool 2003|");
	assert_near(shown(t, 2, "FAST"), 2000);
}

static void recording(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;

	t->recorded = true;
	tui_key(t, 'z');
	tui_key(t, TUI_RIGHT);
	assert_true(t->next); /* asks for one more */
	feed(f);
	assert_false(t->next);
	assert_int_equal(t->m->now.mono_ns, 3000000000);
	t->ended = true;
	tui_key(t, TUI_RIGHT);
	assert_false(t->next);
}

static void detail(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;
	struct snapshot s;

	tui_key(t, TUI_DOWN);
	tui_key(t, '\n');
	assert_int_equal(t->screen, TUI_DETAIL);
	assert_int_equal(tui_detail_pool(t)->pool->address, 0x1000);
	tui_series(t, tui_detail_pool(t));
	feed(f);
	tui_series(t, tui_detail_pool(t));
	assert_int_equal(t->series.nr, 3);
	assert_nan(t->series.rate[PP_FAST][0]);
	assert_near(t->series.rate[PP_FAST][1], 1000);
	assert_near(t->series.rate[PP_FAST][2], 1000);
	/* the pool goes: no other takes its place */
	unit_snapshot(&s, 9);
	unit_pool(&s, 0x1001, 2);
	assert_int_equal(model_update(&f->m, &s), 0);
	tui_update(t, &f->m);
	assert_null(tui_detail_pool(t));
	tui_key(t, 'q');
	assert_int_equal(t->screen, TUI_LIST);
	assert_false(t->quit);
}

/* Filled at once, or one by one: the same samples. */
static void series_either_way(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;
	static struct series one_by_one;

	for (int i = 0; i < TUI_SAMPLES + 50; i++) {
		feed(f);
		tui_series(t, &t->m->pools[0]);
	}
	one_by_one = t->series;
	t->series.nr = 0;
	tui_series(t, &t->m->pools[0]);
	assert_int_equal(t->series.nr, TUI_SAMPLES);
	assert_int_equal(one_by_one.nr, TUI_SAMPLES);
	for (int i = 1; i < TUI_SAMPLES; i++)
		assert_near(t->series.rate[PP_FAST][i], one_by_one.rate[PP_FAST][i]);
}

static void columns_menu(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;
	const struct column *second;
	int nr;

	tui_key(t, TUI_F0 + 2);
	assert_int_equal(t->screen, TUI_COLUMNS);
	nr = t->config.nr_shown;
	second = t->config.shown[1];
	type(t, "j-");
	assert_ptr_equal(t->config.shown[0], second);
	type(t, " ");
	assert_int_equal(t->config.nr_shown, nr - 1);
	tui_key(t, TUI_END);
	type(t, " ");
	assert_int_equal(t->config.nr_shown, nr);
	tui_key(t, TUI_HOME);
	for (int i = 0; i < 2 * nr_columns; i++) {
		tui_key(t, ' ');
		assert_true(t->config.nr_shown >= 1); /* never none */
	}
	tui_key(t, 'u');
	assert_int_equal(t->config.nr_shown, 0);
	assert_int_equal(t->screen, TUI_LIST);
}

/* On a screen of any size, nothing lies on anything else, or beyond the edge. */
static void layouts(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;
	struct tui_button buttons[TUI_BUTTONS];
	struct tui_column list[CONFIG_COLUMNS];

	for (int screen = TUI_LIST; screen <= TUI_COLUMNS; screen++) {
		for (int rows = 0; rows < 80; rows++) {
			struct tui_layout l;

			t->screen = (enum tui_screen)screen;
			tui_resize(t, rows, 1 + rows * 5 / 2);
			l = tui_layout(t);
			assert_true(l.body_rows >= 1);
			assert_int_equal(l.chart, l.status_rows);
			assert_int_equal(l.body, l.chart + l.chart_rows + (l.titles >= 0));
			assert_int_equal(l.body + l.body_rows + (l.bar >= 0), t->rows);
		}
	}
	t->screen = TUI_LIST;
	for (int cols = 1; cols < 300; cols++) {
		int nr;

		tui_resize(t, 24, cols);
		nr = tui_buttons(t, buttons);
		for (int i = 0; i < nr; i++) {
			assert_true(buttons[i].x + buttons[i].width <= cols);
			assert_true(!i || buttons[i].x >= buttons[i - 1].x + buttons[i - 1].width);
		}
		assert_true(nr >= 2 || cols < 15); /* Help and Quit, if anything */
		for (t->scroll = 0; t->scroll < nr_columns; t->scroll++) {
			nr = tui_columns(t, list);
			assert_true(nr >= 1);
			assert_ptr_equal(list[0].c, &columns[0]);
			for (int i = 1; i < nr; i++)
				assert_int_equal(list[i].x, list[i - 1].x + list[i - 1].width + 1);
			/* from 80 columns on what is left out was left out on purpose */
			if (!t->scroll && cols >= 80)
				assert_true(list[nr - 1].x + list[nr - 1].width <= cols);
		}
		t->scroll = 0;
	}
}

/* A key does one thing in one place, has help where the list has it, and no two share it. */
static void bindings(void **state)
{
	(void)state;
	for (int i = 0; i < tui_nr_bindings; i++) {
		const struct tui_binding *b = &tui_bindings[i];

		assert_true(b->keys[0] && b->label && b->press && b->screens);
		assert_int_equal(!b->name, !b->bar);
		assert_true(b->help || !(b->screens & (1u << TUI_LIST)));
		for (int k = 0; k < 4 && b->keys[k]; k++)
			for (int j = 0; j < i; j++)
				for (int l = 0; l < 4; l++)
					assert_false(tui_bindings[j].keys[l] == b->keys[k] &&
						     tui_bindings[j].screens & b->screens);
	}
}

static void clicks(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;
	struct tui_layout l = tui_layout(t);
	struct tui_button buttons[TUI_BUTTONS];
	struct tui_column list[CONFIG_COLUMNS];
	int nr = tui_columns(t, list);

	tui_click(t, l.body + 2, 3);
	assert_int_equal(t->selected, 2);
	tui_click(t, l.body + 2, 3);
	assert_int_equal(t->items.nr, 8); /* its CPUs */
	tui_click(t, l.body + l.body_rows - 1, 3);
	assert_int_equal(t->selected, 2);
	tui_click(t, l.titles, list[nr - 1].x);
	assert_ptr_equal(t->config.sort, list[nr - 1].c);
	tui_click(t, 0, 0);
	nr = tui_buttons(t, buttons);
	for (int i = 0; i < nr; i++)
		if (!strcmp(buttons[i].binding->name, "Quit"))
			tui_click(t, l.bar, buttons[i].x);
	assert_true(t->quit);
}

static void notes(void **state)
{
	struct tui *t = &((struct fixture *)*state)->t;

	for (int i = 0; i < 3 * TUI_NOTES; i++)
		tui_note(t, "note %d", i);
	assert_int_equal(t->nr_notes, TUI_NOTES);
	assert_string_equal(t->notes[TUI_NOTES - 1], t->note);
	assert_string_equal(t->notes[0], "note 64");
	tui_key(t, 'x');
	assert_string_equal(t->note, "");
}

static void nothing_yet(void **state)
{
	struct tui *t = calloc(1, sizeof(*t));

	(void)state;
	assert_non_null(t);
	assert_int_equal(tui_init(t, &glyphs_ascii, 1), 0);
	for (int key = 1; key < 128; key++)
		tui_key(t, key);
	for (int key = TUI_KEYS; key <= TUI_LAST; key++)
		tui_key(t, key);
	for (int y = 0; y < 24; y++)
		tui_click(t, y, 3);
	assert_false(t->save);
	tui_free(t);
	free(t);
}

static uint32_t seed = 1;

static int some(int below)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 8) % (uint32_t)below);
}

/* Whatever comes in whatever order: what is selected is there, and what is shown is of the model.
 */
static void anything(void **state)
{
	struct fixture *f = *state;
	struct tui *t = &f->t;

	for (int i = 0; i < 20000; i++) {
		switch (some(8)) {
		case 0:
			feed(f);
			break;
		case 1:
			tui_resize(t, some(60), some(200));
			break;
		case 2:
			tui_click(t, some(60), some(200));
			break;
		case 3:
		case 4:
			tui_key(t, TUI_KEYS + some(TUI_LAST - TUI_KEYS + 1));
			break;
		default:
			tui_key(t, some(200));
			break;
		}
		assert_true(t->selected < t->items.nr || !t->items.nr);
		assert_true(t->top <= t->selected);
		assert_true(t->m == t->live || t->m == &t->then);
		for (size_t k = 0; k < t->items.nr; k++) {
			struct row r;

			item_row(t, &t->items.list[k], &r);
		}
	}
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(tree),	 T(groupings),
		T(order),	 T(selection),
		T(filter),	 T(search),
		T(typing),	 T(counts_and_base),
		T(intervals),	 T(pause),
		T(recording),	 T(pause_at_the_latest),
		T(detail),	 T(series_either_way),
		T(columns_menu), T(layouts),
		T(bindings),	 T(clicks),
		T(notes),	 T(nothing_yet),
		T(anything),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		setlocale(LC_CTYPE, "en_US.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
