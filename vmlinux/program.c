// SPDX-License-Identifier: GPL-2.0-or-later
/* What the programs use: fields and types by their CO-RE relocations, symbols, hooks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>
#include <bpf/libbpf.h>
#include <bpf/libbpf_legacy.h>

#include "check.h"

/* The beginning of .BTF.ext, and what comes before a section's relocations; see libbpf. */
struct ext_header {
	__u16 magic;
	__u8 version;
	__u8 flags;
	__u32 hdr_len;
	__u32 func_info_off;
	__u32 func_info_len;
	__u32 line_info_off;
	__u32 line_info_len;
	__u32 core_relo_off;
	__u32 core_relo_len;
};

struct ext_section {
	__u32 name_off;
	__u32 n;
};

/* The item of a type that a relocation begins with. */
static int root_item(struct items *items, const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, strip(btf, id, false));
	const char *name = type_name(btf, t);
	int i = items_find(items, name);

	if (i >= 0)
		return i;
	/* Only a part of others, till now. */
	i = btf__find_by_name_kind(items->header, name, btf_kind(t));
	if (i > 0)
		return items_add_root(items, i);
	problem("%s: used by a program, but not in vmlinux.h", name);
	return -1;
}

/* One step of an access: into member or array element @index. Returns the type there. */
static __u32 step(const struct btf *btf, __u32 id, int index, char *name, size_t size)
{
	const struct btf_type *t = bare_type(btf, id);
	const struct btf_member *m;
	size_t len = strlen(name);

	if (btf_is_array(t))
		return btf_array(t)->type;
	if (!btf_is_composite(t) || index >= btf_vlen(t))
		die("a relocation that makes no sense, after %s", name);
	m = &btf_members(t)[index];
	if (m->name_off)
		snprintf(name + len, size - len, ".%s", btf__name_by_offset(btf, m->name_off));
	return m->type;
}

/* @access: 0:1:2, element 0, therein member 1, therein member 2. */
static void use_field(struct items *items, int root, const struct btf *btf, __u32 id,
		      const char *access)
{
	char name[MAX_NAME];
	int i;

	snprintf(name, sizeof(name), "%s", items->item[root].name);
	while ((access = strchr(access, ':')))
		id = step(btf, id, atoi(++access), name, sizeof(name));
	i = items_find(items, name);
	if (i < 0)
		problem("%s: used by a program, but not in vmlinux.h", name);
	else
		items_use(items, i);
}

static void use_relocation(struct items *items, const struct btf *btf,
			   const struct bpf_core_relo *relo)
{
	int root;

	if (relo->kind == BPF_CORE_TYPE_ID_LOCAL)
		return;
	root = root_item(items, btf, relo->type_id);
	if (root < 0)
		return;
	if (relo->kind < BPF_CORE_TYPE_ID_LOCAL)
		use_field(items, root, btf, relo->type_id,
			  btf__name_by_offset(btf, relo->access_str_off));
	else
		items_use(items, root);
}

static void use_relocations(struct items *items, const struct btf *btf, const struct btf_ext *ext)
{
	__u32 size, record;
	const struct ext_header *h = btf_ext__get_raw_data(ext, &size);
	const struct ext_section *s;
	const char *p, *end;

	if (size < sizeof(*h) || h->hdr_len < sizeof(*h) || !h->core_relo_len)
		die("the programs have no relocations");
	p = (const char *)h + h->hdr_len + h->core_relo_off;
	end = p + h->core_relo_len;
	record = *(const __u32 *)p;
	p += sizeof(record);
	while (p < end) {
		s = (const struct ext_section *)p;
		p += sizeof(*s);
		for (__u32 i = 0; i < s->n; i++, p += record)
			use_relocation(items, btf, (const struct bpf_core_relo *)p);
	}
}

static void add_named(struct items *items, enum item_kind kind, const char *prefix,
		      const char *btf_name, const struct btf *btf, __u32 type)
{
	char name[MAX_NAME];
	struct item item = {
		.kind = kind,
		.name = name,
		.btf_name = (char *)btf_name,
		.parent = -1,
		.btf = btf,
		.type = type,
		.used = true,
	};

	snprintf(name, sizeof(name), "%s/%s", prefix, btf_name);
	items_add(items, &item);
}

/* Variables and functions of the kernel: extern ... __ksym. */
static void add_symbols(struct items *items, const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, ".ksyms", BTF_KIND_DATASEC);
	const struct btf_type *sec, *t;
	__u32 symbol;

	if (id <= 0)
		return;
	sec = btf__type_by_id(btf, id);
	for (int i = 0; i < btf_vlen(sec); i++) {
		symbol = btf_var_secinfos(sec)[i].type;
		t = btf__type_by_id(btf, symbol);
		add_named(items, ITEM_SYMBOL, "ksym", type_name(btf, t), btf, symbol);
	}
}

/* What a program is attached to, from SEC(). */
static void add_hook(struct items *items, const char *section)
{
	static const char *const on_functions[] = {"fentry", "fexit", "kprobe", "kretprobe"};
	const char *slash = strchr(section, '/');

	if (!slash)
		return;
	for (size_t i = 0; i < sizeof(on_functions) / sizeof(on_functions[0]); i++) {
		if (strlen(on_functions[i]) != (size_t)(slash - section) ||
		    strncmp(section, on_functions[i], slash - section) != 0)
			continue;
		add_named(items, ITEM_FUNCTION, "func", slash + 1, NULL, 0);
		return;
	}
	if (!strncmp(section, "tp_btf/", slash + 1 - section))
		add_named(items, ITEM_TRACEPOINT, "tp_btf", slash + 1, NULL, 0);
	else
		problem("%s: a kind of program that vmlinux/check does not know", section);
}

static void add_hooks(struct items *items, const char *file)
{
	struct bpf_object *object = bpf_object__open_file(file, NULL);
	struct bpf_program *prog;

	if (!object)
		die("%s: %s", file, strerror(errno));
	for (prog = bpf_object__next_program(object, NULL); prog;
	     prog = bpf_object__next_program(object, prog))
		add_hook(items, bpf_program__section_name(prog));
	bpf_object__close(object);
}

void items_add_program(struct items *items, const char *file)
{
	struct btf_ext *ext = NULL;
	const struct btf *btf = read_btf(file, &ext);

	if (!ext)
		die("%s: no .BTF.ext", file);
	use_relocations(items, btf, ext);
	btf_ext__free(ext);
	add_symbols(items, btf);
	add_hooks(items, file);
}
