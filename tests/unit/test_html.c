// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages: any text is valid and stays what it is, numbers are read as they are meant, charts fit. */
#include "unit.h"

#include <locale.h>

#include "html.h"

/* What @put writes. */
static char *written(void (*put)(FILE *f, const void *arg), const void *arg)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	put(f, arg);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void put_text(FILE *f, const void *arg)
{
	html_text(f, arg);
}

static void check_text(const char *s, const char *wanted)
{
	char *text = written(put_text, s);

	assert_string_equal(text, wanted);
	free(text);
}

static void markup_is_text(void **state)
{
	(void)state;
	check_text("", "");
	check_text("eth0", "eth0");
	check_text("<i>&amp;\"'", "&lt;i&gt;&amp;amp;&quot;&#39;");
	check_text("]]>", "]]&gt;");
	check_text("h\303\244user \360\237\230\200", "h\303\244user \360\237\230\200");
}

static void control_characters_have_pictures(void **state)
{
	(void)state;
	check_text("\a", "\342\220\207");
	check_text("a\033[1m", "a\342\220\233[1m");
	check_text("\t\n\r", "\342\220\211\342\220\212\342\220\215");
	check_text("\177", "\342\220\241");
}

static void what_is_no_character_is_replaced(void **state)
{
	(void)state;
	/* text_utf8() makes the byte 0x80 the character of that number, which is a control */
	check_text("\200", "\357\277\275");
	check_text("\377\376", "\303\277\303\276");
	check_text("\303", "\303\203");
	check_text("\357\277\276", "\357\277\275");	/* U+FFFE */
	check_text("\360\237\277\277", "\357\277\275"); /* U+1FFFF */
	check_text("\302\205", "\357\277\275");		/* U+0085, a line end to XML */
}

/* They would reach beyond the name. */
static void marks_of_direction_are_replaced(void **state)
{
	(void)state;
	check_text("\342\200\256abc", "\357\277\275abc"); /* U+202E */
	check_text("\342\201\246", "\357\277\275");	  /* U+2066 */
	check_text("\342\200\213", "\357\277\275");	  /* U+200B */
	check_text("\330\234", "\357\277\275");		  /* U+061C */
	check_text("\357\273\277", "\357\277\275");	  /* U+FEFF */
	check_text("\330\247", "\330\247");		  /* a letter */
}

/* Any bytes at all: nothing that XML takes for markup or has no place for. */
static void any_bytes(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		char name[16], *text;
		size_t len = 1 + (size_t)rand_r(&seed) % 15;

		for (size_t k = 0; k < len; k++)
			name[k] = (char)(1 + rand_r(&seed) % 255);
		name[len] = '\0';
		text = written(put_text, name);
		for (const char *c = text; *c; c++) {
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
			assert_true(*c != '<' && *c != '>' && *c != '"' && *c != '\'');
		}
		assert_int_not_equal(mbstowcs(NULL, text, 0), (size_t)-1);
		free(text);
	}
}

static void numbers(void **state)
{
	static const struct {
		uint64_t v;
		bool negative;
		const char *text;
	} wholes[] = {
		{0, false, "0"},
		{999, false, "999"},
		{1000, false, "1,000"},
		{51446, true, "-51,446"},
		{123456, false, "123,456"},
		{1234567, false, "1,234,567"},
		{UINT64_MAX, false, "18,446,744,073,709,551,615"},
	};
	char cell[CELL];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wholes); i++) {
		html_whole(wholes[i].v, wholes[i].negative, cell);
		assert_string_equal(cell, wholes[i].text);
	}
}

static void check_double(void (*print)(double, char *), double v, const char *wanted)
{
	char cell[CELL];

	print(v, cell);
	assert_string_equal(cell, wanted);
}

/* Three digits or more, and what is little is not nothing. */
static void rates(void **state)
{
	(void)state;
	check_double(html_rate, NAN, "n/a");
	check_double(html_rate, 0, "0");
	check_double(html_rate, 13794308.4, "13,794,308");
	check_double(html_rate, 999.6, "1,000");
	check_double(html_rate, 99.44, "99.4");
	check_double(html_rate, 9.944, "9.94");
	check_double(html_rate, 0.1, "0.10");
	check_double(html_rate, 0.0023, "0.002");
	check_double(html_rate, -500, "-500");
	check_double(html_rate, -0.5, "-0.50");
	check_double(html_rate, 1e30, "1e+30");
	check_double(html_pages, -9.3e18, "-9.3e+18");
	check_double(html_pages, NAN, "n/a");
	check_double(html_pages, -51446, "-51,446");
	check_double(html_pages, 0, "0");
}

static void pages_to_the_last_digit(void **state)
{
	char cell[CELL];

	(void)state;
	html_inflight(true, INT64_MIN, cell);
	assert_string_equal(cell, "-9,223,372,036,854,775,808");
	html_inflight(true, 9007199254740993, cell); /* more than a double has */
	assert_string_equal(cell, "9,007,199,254,740,993");
	html_inflight(false, 1, cell);
	assert_string_equal(cell, "n/a");
}

static void parts_and_bytes(void **state)
{
	char cell[CELL];

	(void)state;
	html_part(0.4912, true, cell);
	assert_string_equal(cell, "49.1%");
	html_part(NAN, true, cell);
	assert_string_equal(cell, "-");
	html_part(NAN, false, cell);
	assert_string_equal(cell, "n/a");
	html_bytes(0, cell);
	assert_string_equal(cell, "0 bytes");
	html_bytes(1023, cell);
	assert_string_equal(cell, "1023 bytes");
	html_bytes(4096, cell);
	assert_string_equal(cell, "4.0 KiB");
	html_bytes(1048575, cell);
	assert_string_equal(cell, "1.0 MiB");
	html_bytes(148635648, cell);
	assert_string_equal(cell, "141.8 MiB");
	html_bytes(UINT64_MAX, cell);
	assert_string_equal(cell, "16.0 EiB");
}

static void times(void **state)
{
	struct timespec ts = {1767323045, 0}, none = {0};
	char cell[CELL];

	(void)state;
	html_time(&ts, cell);
	assert_string_equal(cell, "2026-01-02 03:04:05");
	html_clock(&ts, 3600, cell);
	assert_string_equal(cell, "03:04:05");
	html_clock(&ts, 86400, cell);
	assert_string_equal(cell, "01-02 03:04");
	html_time(&none, cell);
	assert_string_equal(cell, "n/a");
}

/* --- charts --------------------------------------------------------------------------------------
 */

struct drawn {
	enum chart chart;
	const struct recording *r;
	const struct track *t;
};

static void put_chart(FILE *f, const void *arg)
{
	const struct drawn *d = arg;
	struct html h = {.f = f};
	struct range range = {0, 0};

	html_chart_range(d->chart, &d->t->timeline, &range);
	html_chart(&h, d->chart, d->r, d->t, "e<0", &range);
}

static struct track track_of(const double *rates, const double *inflight, int nr, bool all)
{
	struct track t = {.seconds = nr};

	timeline_init(&t.timeline, 8);
	for (int k = 0; k < PP_NR_COUNTERS; k++)
		t.known_s[k] = isnan(rates[0]) ? 0 : nr;
	for (int i = 0; i < nr; i++) {
		struct sample s = {.from_s = i, .to_s = i + 1, .inflight = inflight[i]};

		for (int k = 0; k < PP_NR_COUNTERS; k++)
			s.rate[k] = all || k == PP_FAST ? rates[i] : (double)NAN;
		assert_int_equal(timeline_add(&t.timeline, &s), 0);
	}
	return t;
}

static char *chart_of(enum chart chart, const struct track *t)
{
	struct recording r;
	struct drawn d = {chart, &r, t};
	char *text;

	recording_init(&r);
	r.seconds = t->timeline.points[t->timeline.nr - 1].to_s;
	r.m.now.time.tv_sec = 1767323045;
	text = written(put_chart, &d);
	recording_free(&r);
	return text;
}

static int count(const char *text, const char *what)
{
	int n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* The steps of the path of class @class: "M48 164V92H154.V20H260V164Z". */
static void check_path(const char *text, const char *class, const char *wanted)
{
	char start[64];
	const char *path;

	snprintf(start, sizeof(start), "<path class=\"%s\" d=\"", class);
	path = strstr(text, start);
	assert_non_null(path);
	path += strlen(start);
	if (strncmp(path, wanted, strlen(wanted)) != 0 || path[strlen(wanted)] != '"')
		fail_msg("%s is %.80s, not %s", class, path, wanted);
}

/* From 48 to 472 in four seconds, from 164 up to 20 for what is most. */
static void a_stack_is_in_steps(void **state)
{
	static const double rates[] = {50, 100, 100, 0}, pages[] = {1, 1, 1, 1};
	struct track t = track_of(rates, pages, 4, false);
	char *text = chart_of(CHART_ALLOC, &t);

	(void)state;
	/* what is not known at any time is no layer */
	assert_int_equal(count(text, "class=\"a f"), 1);
	check_path(text, "a f1", "M48 164V92H154V20H366V164H472V164Z");
	assert_int_equal(count(text, ">100</text>"), 1);
	assert_non_null(strstr(text, "Allocation by path of e&lt;0, per second</title>"));
	assert_non_null(strstr(text, "03:04:05 UTC</text>"));
	free(text);
	timeline_free(&t.timeline);
}

static void layers_lie_on_each_other(void **state)
{
	static const double rates[] = {25, 25}, pages[] = {1, 1};
	struct track t = track_of(rates, pages, 2, true);
	char *text = chart_of(CHART_RECYCLE, &t);
	const char *top = strstr(text, "a f6"), *bottom = strstr(text, "a f1");

	(void)state;
	check_path(text, "a f6", "M48 164V20H472V164Z");
	check_path(text, "a f5", "M48 164V56H472V164Z");
	check_path(text, "a f2", "M48 164V92H472V164Z");
	check_path(text, "a f1", "M48 164V128H472V164Z");
	assert_true(top && bottom && top < bottom); /* what is drawn later covers */
	free(text);
	timeline_free(&t.timeline);
}

static void what_is_not_known_is_a_gap(void **state)
{
	static const double rates[] = {100, NAN, 100, 100}, pages[] = {8, 8, NAN, 8};
	struct track t = track_of(rates, pages, 4, true);
	char *text = chart_of(CHART_ALLOC, &t);

	(void)state;
	check_path(text, "a f1", "M48 164V128H154V164ZM260 164V128H472V164Z");
	free(text);
	text = chart_of(CHART_INFLIGHT, &t);
	check_path(text, "line s1", "M48 20H260M366 20H472");
	free(text);
	text = chart_of(CHART_RATIO, &t);
	/* two of four paths come back */
	check_path(text, "line s1", "M48 92H154M260 92H472");
	free(text);
	timeline_free(&t.timeline);
}

/* What is below it cannot be told from it then. */
static void one_layer_that_is_not_known_is_a_gap_in_all(void **state)
{
	static const double rates[] = {25, 25}, pages[] = {1, 1};
	struct track t = track_of(rates, pages, 2, true);
	char *text;

	(void)state;
	t.timeline.points[1].rate[PP_SLOW] = NAN;
	text = chart_of(CHART_ALLOC, &t);
	check_path(text, "a f4", "M48 164V20H260V164Z");
	check_path(text, "a f1", "M48 164V128H260V164Z");
	free(text);
	timeline_free(&t.timeline);
}

static void nothing_known_is_said(void **state)
{
	static const double rates[] = {NAN, NAN}, pages[] = {NAN, NAN}, zeros[] = {0, 0};
	struct track t = track_of(rates, pages, 2, true);

	(void)state;
	for (int i = 0; i < NR_CHARTS; i++) {
		char *text = chart_of((enum chart)i, &t);

		assert_non_null(strstr(text, ">n/a</text>"));
		assert_int_equal(count(text, "class=\"a") + count(text, "class=\"line"), 0);
		free(text);
	}
	timeline_free(&t.timeline);
	t = track_of(zeros, zeros, 2, true);
	for (int i = 0; i < CHART_INFLIGHT; i++) {
		char *text = chart_of((enum chart)i, &t);

		assert_non_null(strstr(text, ">nothing"));
		assert_null(strstr(text, ">n/a</text>"));
		free(text);
	}
	timeline_free(&t.timeline);
}

static void less_than_nothing_is_below_the_axis(void **state)
{
	static const double rates[] = {0, 0}, pages[] = {-51446, -51446};
	struct track t = track_of(rates, pages, 2, true);
	char *text = chart_of(CHART_INFLIGHT, &t);

	(void)state;
	assert_non_null(strstr(text, ">-60K</text>"));
	assert_non_null(strstr(text, ">0</text>"));
	check_path(text, "line s1", "M48 143.5H472");
	check_path(text, "band f1", "M48 20V143.5H472V20Z");
	free(text);
	timeline_free(&t.timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_is_text),
		cmocka_unit_test(control_characters_have_pictures),
		cmocka_unit_test(what_is_no_character_is_replaced),
		cmocka_unit_test(marks_of_direction_are_replaced),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(numbers),
		cmocka_unit_test(rates),
		cmocka_unit_test(pages_to_the_last_digit),
		cmocka_unit_test(parts_and_bytes),
		cmocka_unit_test(times),
		cmocka_unit_test(a_stack_is_in_steps),
		cmocka_unit_test(layers_lie_on_each_other),
		cmocka_unit_test(what_is_not_known_is_a_gap),
		cmocka_unit_test(one_layer_that_is_not_known_is_a_gap_in_all),
		cmocka_unit_test(nothing_known_is_said),
		cmocka_unit_test(less_than_nothing_is_below_the_axis),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
