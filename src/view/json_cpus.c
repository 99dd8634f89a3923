// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nearly all of a large document is counts per CPU, a million of them on a large machine. Objects
 * for each would take ten times as long as writing the numbers, so json-c is told how to write the
 * list, in the form that it gives to the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "json_cpus.h"
#include "model.h"

#define INDENT 2 /* of JSON_C_TO_STRING_PRETTY */

struct list {
	const struct pool *pool;
	int nr_cpus;
};

/* Where it is written to, and how. */
struct writer {
	struct printbuf *pb;
	int level; /* 0: the list itself */
	bool pretty;
};

static const struct member {
	const char *side; /* the object it is in */
	const char *key;  /* quoted */
} members[PP_NR_COUNTERS] = {
#define PP_X(ID, side, key, ...) [PP_##ID] = {#side, "\"" #key "\""},
	PP_COUNTERS(PP_X)
#undef PP_X
};

static void put(struct writer *w, const char *text)
{
	printbuf_memappend(w->pb, text, (int)strlen(text));
}

static void put_uint(struct writer *w, uint64_t v)
{
	char text[24], *digit = text + sizeof(text);

	do
		*--digit = (char)('0' + v % 10);
	while (v /= 10);
	printbuf_memappend(w->pb, digit, (int)(text + sizeof(text) - digit));
}

/* To the next line, where there are lines. */
static void put_line(struct writer *w)
{
	if (!w->pretty)
		return;
	put(w, "\n");
	printbuf_memset(w->pb, -1, ' ', w->level * INDENT);
}

static void open_in(struct writer *w, const char *bracket)
{
	put(w, bracket);
	w->level++;
}

static void close_out(struct writer *w, const char *bracket)
{
	w->level--;
	put_line(w);
	put(w, bracket);
}

static void put_key(struct writer *w, bool first, const char *key)
{
	if (!first)
		put(w, ",");
	put_line(w);
	put(w, key);
	put(w, w->pretty ? ": " : ":");
}

static void put_side(struct writer *w, const char *side, const struct counters *n, uint32_t known)
{
	bool first = true;

	open_in(w, "{");
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (strcmp(members[i].side, side) != 0)
			continue;
		put_key(w, first, members[i].key);
		first = false;
		if (counter_known(known, (enum pp_counter)i))
			put_uint(w, n->n[i]);
		else
			put(w, "null");
	}
	close_out(w, "}");
}

static void put_cpu(struct writer *w, int cpu, const struct counters *n, uint32_t known)
{
	open_in(w, "{");
	put_key(w, true, "\"cpu\"");
	put_uint(w, (uint64_t)cpu);
	put_key(w, false, "\"alloc\"");
	put_side(w, "alloc", n, known);
	put_key(w, false, "\"recycle\"");
	put_side(w, "recycle", n, known);
	close_out(w, "}");
}

/* What json-c calls to write the list. */
static int put_list(struct json_object *o, struct printbuf *pb, int level, int flags)
{
	const struct list *list = json_object_get_userdata(o);
	struct writer w = {pb, level, flags & JSON_C_TO_STRING_PRETTY};
	const struct pool *p = list->pool;
	bool first = true;

	open_in(&w, "[");
	for (int cpu = 0; (p->has & POOL_HAS_CPUS) && cpu < list->nr_cpus; cpu++) {
		if (!counted_anything(&p->cpus[cpu]))
			continue;
		if (!first)
			put(&w, ",");
		first = false;
		put_line(&w);
		put_cpu(&w, cpu, &p->cpus[cpu], p->cpus_known);
	}
	close_out(&w, "]");
	return 0;
}

struct json_object *json_cpus(const struct pool *p, int nr_cpus)
{
	struct json_object *o = json_object_new_array();
	struct list *list = malloc(sizeof(*list));

	if (!o || !list) {
		free(list);
		return o;
	}
	*list = (struct list){p, nr_cpus};
	json_object_set_serializer(o, put_list, list, json_object_free_userdata);
	return o;
}
