// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A reader of the text format 0.0.4 that is stricter than most: what it passes, node_exporter and
 * Prometheus take. A file that they refuse would take all other files' series with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prometheus.h"
#include "text.h"

#define MAX_LABELS   32
#define MAX_FAMILIES 256

/* A piece of the text. */
struct span {
	const char *at;
	size_t len;
};

struct series {
	struct span name;
	struct span labels[MAX_LABELS][2]; /* names and values as they are written, by name */
	int nr;
};

/* A series that was read, and where its line begins and ends. */
struct seen {
	uint64_t hash;
	struct span line;
};

struct check {
	const char *at, *end;		    /* what is not read yet of the line */
	struct span families[MAX_FAMILIES]; /* in the order of the text: the last is being read */
	size_t nr_families;
	bool helped, typed, sampled; /* the last */
	struct seen *seen;
	size_t nr_seen, cap_seen;
	bool no_memory;
	const char *wrong;
};

static bool fail(struct check *c, const char *wrong)
{
	if (!c->wrong)
		c->wrong = wrong;
	return false;
}

static bool same(const struct span *a, const struct span *b)
{
	return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

/* --- words ---------------------------------------------------------------------------------------
 */

static bool take(struct check *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
		return false;
	c->at += len;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A name of a metric or, without colons, of a label. */
static bool take_name(struct check *c, bool colons, struct span *name)
{
	name->at = c->at;
	while (c->at < c->end && (is_letter(*c->at) || (colons && *c->at == ':') ||
				  (c->at > name->at && is_digit(*c->at))))
		c->at++;
	name->len = (size_t)(c->at - name->at);
	return name->len || fail(c, "a name is missing");
}

/* What is between quotes. */
static bool take_value(struct check *c, struct span *value)
{
	if (!take(c, "\""))
		return fail(c, "a label without a quoted value");
	value->at = c->at;
	while (c->at < c->end && *c->at != '"') {
		if (*c->at++ != '\\')
			continue;
		if (!take(c, "\\") && !take(c, "\"") && !take(c, "n"))
			return fail(c, "an escape that is none");
	}
	value->len = (size_t)(c->at - value->at);
	if (!take(c, "\""))
		return fail(c, "a quote that is not closed");
	return text_is_utf8(value->at, value->len) || fail(c, "a value that is no UTF-8");
}

static size_t skip_digits(struct check *c)
{
	const char *from = c->at;

	while (c->at < c->end && is_digit(*c->at))
		c->at++;
	return (size_t)(c->at - from);
}

/* A number to the end of the line, and no time behind it: node_exporter refuses files with those.
 */
static bool take_number(struct check *c)
{
	size_t digits;

	if (take(c, "NaN") || take(c, "+Inf") || take(c, "-Inf"))
		return c->at == c->end || fail(c, "something behind the value");
	if (!take(c, "-"))
		take(c, "+");
	digits = skip_digits(c);
	if (take(c, "."))
		digits += skip_digits(c);
	if (!digits)
		return fail(c, "a value that is no number");
	if (take(c, "e") || take(c, "E")) {
		if (!take(c, "-"))
			take(c, "+");
		if (!skip_digits(c))
			return fail(c, "a value that is no number");
	}
	return c->at == c->end || fail(c, "something behind the value");
}

/* --- series --------------------------------------------------------------------------------------
 */

/* Labels are in order of their names; an empty one is as good as none. */
static bool add_label(struct check *c, struct series *s, const struct span *name,
		      const struct span *value)
{
	int at = s->nr;

	if (s->nr == MAX_LABELS)
		return fail(c, "too many labels");
	for (int i = 0; i < s->nr; i++)
		if (same(&s->labels[i][0], name))
			return fail(c, "a label twice");
	for (; at > 0; at--) {
		const struct span *before = &s->labels[at - 1][0];
		size_t len = before->len < name->len ? before->len : name->len;
		int order = memcmp(before->at, name->at, len);

		if (order < 0 || (!order && before->len < name->len))
			break;
		memcpy(s->labels[at], s->labels[at - 1], sizeof(s->labels[at]));
	}
	s->labels[at][0] = *name;
	s->labels[at][1] = *value;
	s->nr++;
	return true;
}

static void drop_empty(struct series *s)
{
	int kept = 0;

	for (int i = 0; i < s->nr; i++) {
		if (!s->labels[i][1].len)
			continue;
		memmove(s->labels[kept++], s->labels[i], sizeof(s->labels[i]));
	}
	s->nr = kept;
}

/* Name and labels, up to the space before the value. */
static bool take_series(struct check *c, struct series *s)
{
	struct span name, value;

	s->nr = 0;
	if (!take_name(c, true, &s->name))
		return false;
	if (take(c, "{")) {
		while (!take(c, "}")) {
			if (s->nr && !take(c, ","))
				return fail(c, "no comma between labels");
			if (!take_name(c, false, &name))
				return false;
			if (!take(c, "="))
				return fail(c, "a label without a value");
			if (!take_value(c, &value) || !add_label(c, s, &name, &value))
				return false;
		}
	}
	drop_empty(s);
	return take(c, " ") || fail(c, "no value");
}

static bool same_series(const struct series *s, const struct series *t)
{
	if (s->nr != t->nr || !same(&s->name, &t->name))
		return false;
	for (int i = 0; i < s->nr; i++)
		if (!same(&s->labels[i][0], &t->labels[i][0]) ||
		    !same(&s->labels[i][1], &t->labels[i][1]))
			return false;
	return true;
}

/* FNV-1a */
static uint64_t hash(uint64_t h, const struct span *s)
{
	for (size_t i = 0; i < s->len; i++)
		h = (h ^ (unsigned char)s->at[i]) * 0x100000001b3;
	return (h ^ 0xff) * 0x100000001b3;
}

#define HASH_START 0xcbf29ce484222325

static uint64_t hash_series(const struct series *s)
{
	uint64_t h = hash(HASH_START, &s->name);

	for (int i = 0; i < s->nr; i++)
		h = hash(hash(h, &s->labels[i][0]), &s->labels[i][1]);
	return h;
}

static bool remember(struct check *c, uint64_t hash, const struct span *line)
{
	if (c->nr_seen == c->cap_seen) {
		size_t cap = c->cap_seen ? 2 * c->cap_seen : 1024;
		struct seen *seen = realloc(c->seen, cap * sizeof(*seen));

		if (!seen) {
			c->no_memory = true;
			return false;
		}
		c->seen = seen;
		c->cap_seen = cap;
	}
	c->seen[c->nr_seen++] = (struct seen){hash, *line};
	return true;
}

static int by_hash(const void *a, const void *b)
{
	const struct seen *s = a, *t = b;

	if (s->hash != t->hash)
		return s->hash > t->hash ? 1 : -1;
	return (s->line.at > t->line.at) - (s->line.at < t->line.at);
}

static bool same_lines(const struct seen *a, const struct seen *b)
{
	struct check c = {.at = a->line.at, .end = a->line.at + a->line.len};
	struct series s, t;

	take_series(&c, &s);
	c.at = b->line.at;
	c.end = b->line.at + b->line.len;
	take_series(&c, &t);
	return same_series(&s, &t);
}

/* The line of a series that was there before, or NULL. */
static const char *find_twice(struct check *c)
{
	if (c->nr_seen)
		qsort(c->seen, c->nr_seen, sizeof(*c->seen), by_hash);
	for (size_t i = 1; i < c->nr_seen; i++)
		for (size_t k = i; k && c->seen[k - 1].hash == c->seen[i].hash; k--)
			if (same_lines(&c->seen[k - 1], &c->seen[i]))
				return c->seen[i].line.at;
	return NULL;
}

/* --- lines ---------------------------------------------------------------------------------------
 */

/* The line is about the family @name: the one that is being read, or a new one. */
static bool enter_family(struct check *c, const struct span *name)
{
	if (c->nr_families && same(&c->families[c->nr_families - 1], name))
		return true;
	for (size_t i = 0; i < c->nr_families; i++)
		if (same(&c->families[i], name))
			return fail(c, "a family in two pieces");
	if (c->nr_families == MAX_FAMILIES)
		return fail(c, "too many families");
	c->families[c->nr_families++] = *name;
	c->helped = c->typed = c->sampled = false;
	return true;
}

/* HELP or TYPE, which are there once and before the series. */
static bool take_header(struct check *c, bool *once)
{
	struct span name;

	if (!take_name(c, true, &name) || !enter_family(c, &name))
		return false;
	if (*once || c->sampled)
		return fail(c, *once ? "HELP or TYPE twice" : "HELP or TYPE behind a series");
	*once = true;
	return take(c, " ") || fail(c, "HELP or TYPE of nothing");
}

static bool take_type(struct check *c)
{
	if (!take_header(c, &c->typed))
		return false;
	if (!take(c, "counter") && !take(c, "gauge") && !take(c, "untyped"))
		return fail(c, "a type that is none");
	return c->at == c->end || fail(c, "something behind the type");
}

static bool take_sample(struct check *c)
{
	const struct span line = {c->at, (size_t)(c->end - c->at)};
	struct series s;

	if (!take_series(c, &s) || !enter_family(c, &s.name))
		return false;
	if (!c->typed || !c->helped)
		return fail(c, "a series without HELP and TYPE");
	c->sampled = true;
	return take_number(c) && remember(c, hash_series(&s), &line);
}

static bool take_line(struct check *c)
{
	if (c->at == c->end)
		return true;
	if (take(c, "# HELP "))
		return take_header(c, &c->helped);
	if (take(c, "# TYPE "))
		return take_type(c);
	return take(c, "#") || take_sample(c);
}

/* All lines; NULL, or the line that is wrong. */
static const char *take_lines(struct check *c, const char *text, size_t len)
{
	const char *line = text, *end = text + len;

	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		c->at = line;
		c->end = newline ? newline : end;
		if (!newline)
			fail(c, "the end is missing");
		if (!newline || !take_line(c))
			return line;
		line = newline + 1;
	}
	return NULL;
}

static size_t line_number(const char *text, const char *line)
{
	size_t nr = 1;

	for (; text < line; text++)
		nr += *text == '\n';
	return nr;
}

int prometheus_check(const char *text, size_t len, char *why, size_t why_len)
{
	struct check c = {0};
	const char *line = take_lines(&c, text, len);

	if (!line) {
		line = find_twice(&c);
		if (line)
			fail(&c, "a series twice");
	}
	free(c.seen);
	if (c.no_memory)
		return -ENOMEM;
	if (!line)
		return 0;
	snprintf(why, why_len, "line %zu: %s", line_number(text, line), c.wrong);
	return -EBADMSG;
}
