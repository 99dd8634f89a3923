// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of items, and those that are in vmlinux.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int items_find(const struct items *items, const char *name)
{
	for (int i = 0; i < items->n; i++)
		if (!strcmp(items->item[i].name, name))
			return i;
	return -1;
}

/* Adds a copy; one that is there already is left as it is. Returns its number. */
int items_add(struct items *items, const struct item *item)
{
	struct item *copy;
	int i = items_find(items, item->name);

	if (i >= 0)
		return i;
	if (items->n == items->size) {
		items->size = items->size ? 2 * items->size : 64;
		items->item = realloc(items->item, items->size * sizeof(*items->item));
		if (!items->item)
			die("out of memory");
	}
	copy = &items->item[items->n];
	*copy = *item;
	copy->name = strdup(item->name);
	copy->btf_name = strdup(item->btf_name);
	if (!copy->name || !copy->btf_name)
		die("out of memory");
	return items->n++;
}

/* A field is used, and so is all it is in. */
void items_use(struct items *items, int i)
{
	for (; i >= 0; i = items->item[i].parent)
		items->item[i].used = true;
}

static void add_fields(struct items *items, int parent, __u32 type);

static void add_field(struct items *items, int parent, const struct btf_member *m)
{
	const char *member = btf__name_by_offset(items->header, m->name_off);
	char name[MAX_NAME];
	struct item item = {
		.kind = ITEM_FIELD,
		.name = name,
		.btf_name = (char *)member,
		.parent = parent,
		.btf = items->header,
		.type = m->type,
	};

	if (!*member) { /* its fields count as the parent's */
		add_fields(items, parent, m->type);
		return;
	}
	snprintf(name, sizeof(name), "%s.%s", items->item[parent].name, member);
	add_fields(items, items_add(items, &item), m->type);
}

static void add_fields(struct items *items, int parent, __u32 type)
{
	const struct btf_type *t = bare_type(items->header, type);

	if (!btf_is_composite(t))
		return;
	for (int i = 0; i < btf_vlen(t); i++)
		add_field(items, parent, &btf_members(t)[i]);
}

/* A type with all its fields. */
int items_add_root(struct items *items, __u32 type)
{
	const struct btf_type *t = btf__type_by_id(items->header, type);
	char *flavour, btf_name[MAX_NAME];
	struct item item = {
		.kind = ITEM_TYPE,
		.name = (char *)type_name(items->header, t),
		.btf_name = btf_name,
		.parent = -1,
		.btf = items->header,
		.type = type,
	};
	int i;

	snprintf(btf_name, sizeof(btf_name), "%s", item.name);
	flavour = strstr(btf_name, "___");
	if (flavour)
		*flavour = 0;
	i = items_add(items, &item);
	add_fields(items, i, type);
	return i;
}

/* Mark what a field has inside itself: the types that CO-RE reaches by way of another. */
static void mark_embedded(const struct btf *btf, __u32 id, bool *embedded)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (is_modifier(t) || btf_is_typedef(t) || btf_is_array(t)) {
		embedded[id] = true;
		id = btf_is_array(t) ? btf_array(t)->type : t->type;
		t = btf__type_by_id(btf, id);
	}
	embedded[id] = true;
}

static bool is_root(const struct btf *btf, const struct btf_type *t)
{
	const struct btf_type *target;

	if (btf_is_composite(t) || btf_is_any_enum(t))
		return t->name_off;
	if (!btf_is_typedef(t))
		return false;
	target = btf__type_by_id(btf, t->type);
	return btf_is_composite(target) && !target->name_off;
}

/*
 * The types of vmlinux.h. CO-RE looks up by name only the type at the beginning of an access, so
 * page_pool.p.order is looked for in what page_pool.p is on the kernel, whatever its name. Types
 * that are only part of others are therefore no items of their own.
 */
void items_add_header(struct items *items, const char *file)
{
	const struct btf *btf = read_btf(file, NULL);
	__u32 n = btf__type_cnt(btf);
	bool *embedded = calloc(n, sizeof(*embedded));
	const struct btf_type *t;

	if (!embedded)
		die("out of memory");
	items->header = btf;
	for (__u32 id = 1; id < n; id++) {
		t = btf__type_by_id(btf, id);
		for (int i = 0; btf_is_composite(t) && i < btf_vlen(t); i++)
			mark_embedded(btf, btf_members(t)[i].type, embedded);
	}
	for (__u32 id = 1; id < n; id++)
		if (!embedded[id] && is_root(btf, btf__type_by_id(btf, id)))
			items_add_root(items, id);
	free(embedded);
}
