// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the items in a kernel's BTF, as libbpf does for CO-RE (its relo_core.c). */
#include <stdio.h>
#include <string.h>

#include "check.h"

static const char *kind_name(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return "an integer";
	case BTF_KIND_PTR:
		return "a pointer";
	case BTF_KIND_ARRAY:
		return "an array";
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return "a structure";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return "an enum";
	case BTF_KIND_FUNC_PROTO:
		return "a function";
	default:
		return "something else";
	}
}

static void object(struct item *item, const char *there, const char *here)
{
	snprintf(item->why, sizeof(item->why), "%s there, %s in vmlinux.h", there, here);
}

static void compare_number(struct item *item, const char *unit, __u32 there, __u32 here)
{
	if (there != here)
		snprintf(item->why, sizeof(item->why), "%u %s there, %u in vmlinux.h", there, unit,
			 here);
}

static size_t essential_len(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour ? (size_t)(flavour - name) : strlen(name);
}

/* Two enums: of the same name, or one has none. */
static bool same_enum(struct item *item, const char *here, const char *there)
{
	size_t n = essential_len(here), m = essential_len(there);

	if (!n || !m || (n == m && !strncmp(here, there, n)))
		return true;
	object(item, there, here);
	return false;
}

static bool same_kind(const struct btf_type *a, const struct btf_type *b)
{
	return btf_kind(a) == btf_kind(b) || (btf_is_composite(a) && btf_is_composite(b)) ||
	       (btf_is_any_enum(a) && btf_is_any_enum(b));
}

/*
 * bpf_core_fields_are_compat(), with reasons. Where that does not mind a size we object all the
 * same: a plain access is adjusted to the kernel's size, but BPF_CORE_READ() is not.
 */
static bool compatible(struct item *item, __u32 here_id, const struct btf *kernel, __u32 there_id)
{
	const struct btf_type *here = bare_type(item->btf, here_id);
	const struct btf_type *there = bare_type(kernel, there_id);

	if (!same_kind(here, there)) {
		object(item, kind_name(there), kind_name(here));
		return false;
	}
	if (btf_is_array(here))
		return compatible(item, btf_array(here)->type, kernel, btf_array(there)->type);
	if (btf_is_any_enum(here) &&
	    !same_enum(item, type_name(item->btf, here), type_name(kernel, there)))
		return false;
	if (btf_is_any_enum(here) || btf_is_int(here))
		compare_number(item, "bytes", there->size, here->size);
	return true;
}

/* Two arrays: the kernel's must not be the shorter one. */
static void check_length(struct item *item, const struct btf *kernel, __u32 there_id)
{
	const struct btf_type *here = bare_type(item->btf, item->type);
	const struct btf_type *there = bare_type(kernel, there_id);

	if (btf_is_array(here) && btf_array(there)->nelems < btf_array(here)->nelems)
		compare_number(item, "elements", btf_array(there)->nelems, btf_array(here)->nelems);
}

/* The type of member @name, also if it is in an anonymous member; 0 if there is none. */
static __u32 find_member(const struct btf *btf, __u32 type, const char *name, bool *bits)
{
	const struct btf_type *t = bare_type(btf, type);
	const struct btf_member *m;
	__u32 found;

	if (!btf_is_composite(t))
		return 0;
	m = btf_members(t);
	for (int i = 0; i < btf_vlen(t); i++) {
		if (m[i].name_off) {
			*bits = btf_member_bitfield_size(t, i);
			if (!strcmp(btf__name_by_offset(btf, m[i].name_off), name))
				return m[i].type;
		} else {
			found = find_member(btf, m[i].type, name, bits);
			if (found)
				return found;
		}
	}
	return 0;
}

static void find_field(const struct btf *kernel, const struct items *items, struct item *item)
{
	bool bits = false;
	__u32 id = find_member(kernel, items->item[item->parent].target, item->btf_name, &bits);

	if (!id || !compatible(item, item->type, kernel, id))
		return;
	check_length(item, kernel, id);
	if (bits)
		object(item, "a bit field", "a whole field");
	item->target = id;
}

static __u32 find_named(const struct btf *kernel, const char *name, __u32 kind)
{
	int id = btf__find_by_name_kind(kernel, name, kind);

	return id > 0 ? id : 0;
}

static void find_symbol(const struct btf *kernel, struct item *item)
{
	const struct btf_type *here = btf__type_by_id(item->btf, item->type), *there;
	__u32 id = find_named(kernel, item->btf_name, btf_kind(here));

	if (!id)
		return;
	item->target = id;
	there = btf__type_by_id(kernel, id);
	if (btf_is_var(here)) {
		compatible(item, here->type, kernel, there->type);
		return;
	}
	compare_number(item, "parameters", btf_vlen(btf__type_by_id(kernel, there->type)),
		       btf_vlen(btf__type_by_id(item->btf, here->type)));
}

static void find_item(const struct btf *kernel, const struct items *items, struct item *item)
{
	char name[MAX_NAME];

	switch (item->kind) {
	case ITEM_TYPE:
		item->target = find_named(kernel, item->btf_name,
					  btf_kind(btf__type_by_id(item->btf, item->type)));
		break;
	case ITEM_FIELD:
		if (items->item[item->parent].target)
			find_field(kernel, items, item);
		break;
	case ITEM_SYMBOL:
		find_symbol(kernel, item);
		break;
	case ITEM_FUNCTION:
		item->target = find_named(kernel, item->btf_name, BTF_KIND_FUNC);
		break;
	case ITEM_TRACEPOINT:
		snprintf(name, sizeof(name), "btf_trace_%s", item->btf_name);
		item->target = find_named(kernel, name, BTF_KIND_TYPEDEF);
		break;
	default:
		break;
	}
}

/* Sets target and why of each item; parents come before their fields. */
void kernel_find(const struct btf *kernel, struct items *items)
{
	for (int i = 0; i < items->n; i++) {
		struct item *item = &items->item[i];

		item->target = 0;
		item->why[0] = 0;
		find_item(kernel, items, item);
	}
}
