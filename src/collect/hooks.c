// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <linux/types.h>

#include "counters.h"
#include "hooks.h"
#include "slots.h"

#define ON(rung)	 (1u << (rung))
#define FEEDS(ID)	 (1u << PP_##ID)
#define FEEDS_ALLOC_SLOW (FEEDS(SLOW) | FEEDS(SLOW_HIGH_ORDER))
#define FEEDS_REFILL	 (FEEDS(REFILL) | FEEDS(EMPTY) | FEEDS(WAIVE))
#define FEEDS_RECYCLE                                                         \
	(FEEDS(CACHED) | FEEDS(CACHE_FULL) | FEEDS(RING) | FEEDS(RING_FULL) | \
	 FEEDS(RELEASED_REFCNT))

/* The rungs that count by hooks on functions. */
#define COUNTING (ON(RUNG_FENTRY) | ON(RUNG_KPROBE))

const char *const rung_names[NR_RUNGS] = {
	[RUNG_KERNEL] = "kernel",
	[RUNG_FENTRY] = "fentry",
	[RUNG_KPROBE] = "kprobe",
	[RUNG_TRACEPOINT] = "tracepoint",
};

const char *const level_names[PP_NR_LEVELS] = {
	[PP_LEVEL_SLOW] = "slow",
	[PP_LEVEL_DERIVED] = "derived",
	[PP_LEVEL_FULL] = "full",
};

/* What a level gives up, and what it gets from the books instead: bpf/books.bpf.h, derive(). */
static const struct {
	uint32_t unknown;
	uint32_t derived;
} level_counters[PP_NR_LEVELS] = {
	[PP_LEVEL_SLOW] = {FEEDS(FAST) | (FEEDS_RECYCLE & ~FEEDS(RING)), FEEDS(RING)},
	[PP_LEVEL_DERIVED] = {0, FEEDS(FAST)},
	[PP_LEVEL_FULL] = {0, 0},
};

const struct group hook_groups[NR_GROUPS] = {
	[GROUP_ALLOC] = {.what = "allocations",
			 .feeds = FEEDS(FAST),
			 .rungs = COUNTING,
			 .books = true,
			 .levels = ON(PP_LEVEL_FULL),
			 .all = true},
	[GROUP_REFILL] = {.what = "refills of the cache",
			  .feeds = FEEDS_REFILL,
			  .rungs = COUNTING,
			  .books = true},
	[GROUP_SLOW] = {.what = "the slow path",
			.feeds = FEEDS_ALLOC_SLOW,
			.rungs = COUNTING,
			.books = true},
	[GROUP_FRAG] = {.what = "fragments",
			.feeds = FEEDS(FAST),
			.rungs = COUNTING,
			.books = true,
			.levels = ON(PP_LEVEL_DERIVED) | ON(PP_LEVEL_FULL),
			.exported = true},
	[GROUP_PUT] = {.what = "pages put back",
		       .feeds = FEEDS_RECYCLE,
		       .rungs = COUNTING,
		       .books = true,
		       .levels = ON(PP_LEVEL_DERIVED) | ON(PP_LEVEL_FULL)},
	[GROUP_BULK] = {.what = "pages put back in bulk",
			.feeds = FEEDS_RECYCLE,
			.rungs = COUNTING,
			.books = true,
			.levels = ON(PP_LEVEL_DERIVED) | ON(PP_LEVEL_FULL),
			.exported = true},
	[GROUP_RELEASED] = {.what = "pages released",
			    .feeds = FEEDS(WAIVE) | FEEDS(RING_FULL),
			    .rungs = COUNTING,
			    .books = true},
	[GROUP_SCRUB] = {.what = "cache and ring emptied at destroy",
			 .feeds = FEEDS(RING_FULL),
			 .rungs = COUNTING,
			 .books = true},
	[GROUP_NID] = {.what = "change of the NUMA node", .rungs = COUNTING, .books = true},
	[GROUP_CREATE] = {.what = "creation", .rungs = COUNTING | ON(RUNG_KERNEL)},
	[GROUP_LIFE] = {.what = "destruction",
			.rungs = COUNTING | ON(RUNG_KERNEL) | ON(RUNG_TRACEPOINT)},
	[GROUP_DEVICE] = {.what = "the receive queue",
			  .rungs = COUNTING | ON(RUNG_KERNEL) | ON(RUNG_TRACEPOINT)},
	[GROUP_HOLD] = {.what = "pages held", .rungs = ON(RUNG_KERNEL) | ON(RUNG_TRACEPOINT)},
};

/* Within a group, newest first: where an old name lives on as a wrapper, only the new one counts.
 */
const struct hook hooks[] = {
	{.group = GROUP_ALLOC,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_alloc_pages",
	 .prog = "alloc_pages",
	 .kernels = "5.15-"},
	{.group = GROUP_ALLOC,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_alloc_netmems",
	 .prog = "alloc_netmems",
	 .kernels = "6.14-"},
	{.group = GROUP_ALLOC,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_alloc_netmem",
	 .prog = "alloc_netmem",
	 .kernels = "6.11-6.13"},
	{.group = GROUP_REFILL,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_refill_alloc_cache",
	 .prog = "refill_enter",
	 .kernels = "5.15-"},
	{.group = GROUP_REFILL,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_refill_alloc_cache",
	 .prog = "refill_exit",
	 .kernels = "5.15-"},
	{.group = GROUP_SLOW,
	 .kind = HOOK_EXIT,
	 .target = "__page_pool_alloc_netmems_slow",
	 .prog = "slow_netmems_exit",
	 .kernels = "7.2-"},
	{.group = GROUP_SLOW,
	 .kind = HOOK_EXIT,
	 .target = "__page_pool_alloc_pages_slow",
	 .prog = "slow_pages_exit",
	 .kernels = "5.15-6.12"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_alloc_frag_netmem",
	 .prog = "frag_netmem_enter",
	 .kernels = "6.11-"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_alloc_frag_netmem",
	 .prog = "frag_netmem_exit",
	 .kernels = "6.11-"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_alloc_frag",
	 .prog = "frag_page_enter",
	 .kernels = "5.15-6.10"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_alloc_frag",
	 .prog = "frag_page_exit",
	 .kernels = "5.15-6.10"},
	{.group = GROUP_PUT,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_put_unrefed_netmem",
	 .prog = "put_unrefed_netmem",
	 .kernels = "6.11-"},
	{.group = GROUP_PUT,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_put_unrefed_page",
	 .prog = "put_unrefed_page",
	 .kernels = "6.8-6.10"},
	{.group = GROUP_PUT,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_put_defragged_page",
	 .prog = "put_defragged_page",
	 .kernels = "5.18-6.7"},
	{.group = GROUP_BULK,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_put_netmem_bulk",
	 .prog = "put_netmem_bulk_enter",
	 .kernels = "6.14-"},
	{.group = GROUP_BULK,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_put_netmem_bulk",
	 .prog = "put_netmem_bulk_exit",
	 .kernels = "6.14-"},
	{.group = GROUP_BULK,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_put_page_bulk",
	 .prog = "put_page_bulk_enter",
	 .kernels = "5.15-6.13"},
	{.group = GROUP_BULK,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_put_page_bulk",
	 .prog = "put_page_bulk_exit",
	 .kernels = "5.15-6.13"},
	{.group = GROUP_RELEASED,
	 .kind = HOOK_TRACEPOINT,
	 .target = "page_pool_state_release",
	 .prog = "release_netmem",
	 .arg = 1,
	 .arg_kind = ARG_INTEGER,
	 .kernels = "6.11-"},
	{.group = GROUP_RELEASED,
	 .kind = HOOK_TRACEPOINT,
	 .target = "page_pool_state_release",
	 .prog = "release_page",
	 .arg = 1,
	 .arg_kind = ARG_POINTER,
	 .kernels = "5.15-6.10"},
	{.group = GROUP_SCRUB,
	 .kind = HOOK_ENTRY,
	 .target = "page_pool_release",
	 .prog = "scrub_enter",
	 .kernels = "5.15-"},
	{.group = GROUP_NID,
	 .kind = HOOK_TRACEPOINT,
	 .target = "page_pool_update_nid",
	 .prog = "update_nid",
	 .kernels = "5.15-"},
	{.group = GROUP_CREATE,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_create_percpu",
	 .prog = "create_percpu_exit",
	 .kernels = "6.9-"},
	{.group = GROUP_CREATE,
	 .kind = HOOK_EXIT,
	 .target = "page_pool_create",
	 .prog = "create_exit",
	 .kernels = "5.15-6.8"},
	{.group = GROUP_LIFE,
	 .kind = HOOK_TRACEPOINT,
	 .target = "page_pool_release",
	 .prog = "pool_release",
	 .kernels = "5.15-"},
	{.group = GROUP_DEVICE,
	 .kind = HOOK_TRACEPOINT,
	 .target = "mem_connect",
	 .prog = "mem_connect",
	 .kernels = "5.15-"},
	{.group = GROUP_HOLD,
	 .kind = HOOK_TRACEPOINT,
	 .target = "page_pool_state_hold",
	 .prog = "hold",
	 .kernels = "5.15-"},
};

const int nr_hooks = sizeof(hooks) / sizeof(hooks[0]);

bool rung_has_levels(enum rung rung)
{
	return ON(rung) & COUNTING;
}

const char *hook_kind_name(enum rung rung, enum hook_kind kind)
{
	if (kind == HOOK_TRACEPOINT)
		return "tracepoint";
	if (rung == RUNG_KPROBE)
		return kind == HOOK_ENTRY ? "kprobe" : "kretprobe";
	return kind == HOOK_ENTRY ? "fentry" : "fexit";
}

/* bpf/hook.bpf.h compiles each program on a function twice. */
void hook_prog_name(enum rung rung, const struct hook *h, char *name, size_t len)
{
	bool kprobe = rung == RUNG_KPROBE && h->kind != HOOK_TRACEPOINT;

	snprintf(name, len, "%s%s", kprobe ? "k_" : "", h->prog);
}

static const struct btf_type *skip_mods(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The prototype of a hook's target, or NULL. A tracepoint's has void * before its arguments. */
static const struct btf_type *target_proto(const struct btf *btf, const struct hook *h)
{
	const struct btf_type *t;
	char name[128];
	int id;

	if (h->kind == HOOK_TRACEPOINT) {
		snprintf(name, sizeof(name), "btf_trace_%s", h->target);
		id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
		if (id < 0)
			return NULL;
		t = skip_mods(btf, (uint32_t)id);
		if (!t || !btf_is_ptr(t))
			return NULL;
		t = skip_mods(btf, t->type);
		return t && btf_is_func_proto(t) ? t : NULL;
	}
	id = btf__find_by_name_kind(btf, h->target, BTF_KIND_FUNC);
	return id < 0 ? NULL : skip_mods(btf, btf__type_by_id(btf, (uint32_t)id)->type);
}

bool hook_exists(const struct btf *btf, const struct hook *h)
{
	const struct btf_type *proto = target_proto(btf, h), *t;
	int arg = h->arg + (h->kind == HOOK_TRACEPOINT);

	if (!proto)
		return false;
	if (h->arg_kind == ARG_ANY)
		return true;
	if (arg >= btf_vlen(proto))
		return false;
	t = skip_mods(btf, btf_params(proto)[arg].type);
	return t && (h->arg_kind == ARG_POINTER ? btf_is_ptr(t) : btf_is_int(t));
}

static bool planned(const struct hooks_plan *plan, enum hook_group group)
{
	const struct group *g = &hook_groups[group];

	if (!(g->rungs & ON(plan->rung)) || (g->levels && !(g->levels & ON(plan->level))))
		return false;
	if (group == GROUP_CREATE)
		return plan->creation;
	/* Where pools can be listed, no event is needed to meet them. */
	return group != GROUP_HOLD || plan->rung == RUNG_TRACEPOINT || !plan->listed;
}

void hooks_choose(const struct btf *btf, const struct hooks_plan *plan, bool *wanted)
{
	const char *chosen[NR_GROUPS] = {0};

	for (int i = 0; i < nr_hooks; i++) {
		const struct hook *h = &hooks[i];

		wanted[i] = planned(plan, h->group) && hook_exists(btf, h);
		if (!wanted[i] || hook_groups[h->group].all)
			continue;
		if (!chosen[h->group])
			chosen[h->group] = h->target;
		else if (strcmp(chosen[h->group], h->target) != 0)
			wanted[i] = false;
	}
}

/* Is a group complete: every hook that was to be chosen is attached, and there is one? */
static bool group_complete(enum hook_group group, const bool *wanted, const bool *attached)
{
	bool any = false;

	for (int i = 0; i < nr_hooks; i++) {
		if (hooks[i].group != group || !wanted[i])
			continue;
		if (!attached[i])
			return false;
		any = true;
	}
	return any || hook_groups[group].exported;
}

/* What a group would have fed is not known, nor what follows from the books that it keeps. */
static void blame(struct hooks_counters *c, const struct group *group)
{
	uint32_t unknown = group->feeds;

	if (group->books) {
		unknown |= c->derived;
		c->audited = false;
	}
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		if (unknown & c->known & (1u << i))
			c->why[i] = group;
	c->known &= ~unknown;
}

void hooks_counters(const struct btf *btf, const struct hooks_plan *plan, const bool *attached,
		    struct hooks_counters *c)
{
	const uint32_t all = (1u << PP_NR_COUNTERS) - 1;
	bool wanted[sizeof(hooks) / sizeof(hooks[0])];

	memset(c, 0, sizeof(*c));
	if (plan->rung == RUNG_KERNEL) {
		c->known = all;
		c->cpus = FEEDS_RECYCLE;
	}
	if (!(ON(plan->rung) & COUNTING))
		return;
	c->known = all & ~level_counters[plan->level].unknown;
	c->derived = level_counters[plan->level].derived;
	c->audited = true;
	hooks_choose(btf, plan, wanted);
	for (int g = 0; g < NR_GROUPS; g++)
		if (planned(plan, (enum hook_group)g) &&
		    !group_complete((enum hook_group)g, wanted, attached))
			blame(c, &hook_groups[g]);
	c->derived &= c->known;
	c->cpus = c->known & ~c->derived;
}

void hooks_reason(const struct hooks_plan *plan, const struct hooks_counters *c, enum pp_counter i,
		  char *text, size_t len)
{
	if (c->why[i])
		snprintf(text, len, "no hook for %s", c->why[i]->what);
	else if (plan->rung == RUNG_TRACEPOINT)
		snprintf(text, len, "needs fentry or kprobes, which are refused or not asked for");
	else
		snprintf(text, len, "not counted at level %s", level_names[plan->level]);
}
