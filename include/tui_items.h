/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the live view's body, as a list: what is folded or filtered out is not in it. */
#ifndef PPOOLTOP_TUI_ITEMS_H
#define PPOOLTOP_TUI_ITEMS_H

#include "columns.h"

struct tui;

/* A line, and the same line in another model. */
struct item_id {
	enum row_kind kind;
	int cpu;
	uint32_t netns;
	int ifindex;
	char ifname[16];
	uint64_t address;
	uint32_t generation;
	uint32_t id;
};

struct item {
	enum row_kind kind;
	int depth;
	bool foldable, folded;
	size_t device; /* of the model's devices */
	size_t pool;   /* of items.pools */
	unsigned int nr;
	int cpu;
	double value; /* of the column that sorts */
	size_t seq;   /* order among equals */
};

struct items {
	struct item *list;
	size_t nr, cap;
	const struct model_pool **pools; /* those of a group in a row */
	size_t nr_pools;
	struct row *sums; /* of CPUs, where these come first */
	int nr_sums;
	struct item_id *toggled; /* folded or unfolded against what is usual */
	size_t nr_toggled;
};

/* Make the list for t->m. 0 or -ENOMEM, and the list is empty. */
int items_build(struct tui *t);
void items_free(struct items *items);

struct item_id item_id(const struct tui *t, const struct item *item);
struct item_id item_id_pool(const struct pool *p, enum row_kind kind, int cpu);
bool item_same(const struct item_id *a, const struct item_id *b);

/* The row for @item, good until the next items_build(). */
void item_row(const struct tui *t, const struct item *item, struct row *r);

/* Does anything in the line of @item contain @text, in any case? */
bool item_matches(const struct tui *t, const struct item *item, const char *text);

/* Fold or unfold. 0 or -ENOMEM. */
int item_toggle(struct tui *t, const struct item *item);

#endif /* PPOOLTOP_TUI_ITEMS_H */
