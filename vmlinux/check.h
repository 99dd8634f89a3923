/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to vmlinux/check: what bpf/ wants of a kernel, as a list of items. */
#ifndef PPOOLTOP_CHECK_H
#define PPOOLTOP_CHECK_H

#include <stdbool.h>
#include <linux/types.h>
#include <bpf/btf.h>

#define MAX_KERNELS 32
#define MAX_NAME    256

enum item_kind {
	ITEM_TYPE,	 /* page_pool */
	ITEM_FIELD,	 /* page_pool.p.order */
	ITEM_SYMBOL,	 /* ksym/__preempt_count */
	ITEM_FUNCTION,	 /* func/page_pool_destroy */
	ITEM_TRACEPOINT, /* tp_btf/page_pool_release */
	ITEM_KINDS,
};

struct item {
	enum item_kind kind;
	char *name;	       /* as in the table of exceptions */
	char *btf_name;	       /* as in the kernel's BTF */
	int parent;	       /* of a field: the item it is in; else -1 */
	const struct btf *btf; /* vmlinux.h or the programs: where `type` is from */
	__u32 type;	       /* 0: nothing known but the name */
	bool used;	       /* by a program */
	unsigned int expected; /* the kernels that should have it, as bits */
	unsigned int found;    /* those looked at that have it */

	/* on the kernel at hand */
	__u32 target;		/* its type there, 0: CO-RE does not find it */
	char why[3 * MAX_NAME]; /* what is wrong with it, if anything */
};

struct items {
	struct item *item;
	int n;
	int size;
	const struct btf *header;
};

/* The kernels the table of exceptions knows; a kernel's number is its bit. */
struct kernels {
	char *name[MAX_KERNELS];
	int n;
};

/* items.c */
int items_find(const struct items *items, const char *name);
void items_add_header(struct items *items, const char *file);
void items_use(struct items *items, int i);
int items_add_root(struct items *items, __u32 type);
int items_add(struct items *items, const struct item *item);

/* program.c */
void items_add_program(struct items *items, const char *file);

/* kernel.c */
void kernel_find(const struct btf *kernel, struct items *items);

/* expect.c */
void expect_read(const char *file, struct items *items, struct kernels *kernels);
int kernels_find(const struct kernels *kernels, const char *name);

/* check.c */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct btf *read_btf(const char *file, struct btf_ext **ext);

static inline const char *type_name(const struct btf *btf, const struct btf_type *t)
{
	return btf__name_by_offset(btf, t->name_off);
}

static inline bool is_modifier(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_kind(t) == BTF_KIND_TYPE_TAG;
}

/* Without const and such, and without typedefs too if asked. */
static inline __u32 strip(const struct btf *btf, __u32 id, bool typedefs)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (is_modifier(t) || (typedefs && btf_is_typedef(t))) {
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	return id;
}

static inline const struct btf_type *bare_type(const struct btf *btf, __u32 id)
{
	return btf__type_by_id(btf, strip(btf, id, true));
}

#endif /* PPOOLTOP_CHECK_H */
