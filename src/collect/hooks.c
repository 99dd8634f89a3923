// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "counters.h"
#include "hooks.h"

#define ON(rung)	 (1u << (rung))
#define FEEDS(ID)	 (1u << PP_##ID)
#define FEEDS_ALLOC_SLOW (FEEDS(SLOW) | FEEDS(SLOW_HIGH_ORDER))
#define FEEDS_REFILL	 (FEEDS(REFILL) | FEEDS(EMPTY) | FEEDS(WAIVE))
#define FEEDS_RECYCLE                                                         \
	(FEEDS(CACHED) | FEEDS(CACHE_FULL) | FEEDS(RING) | FEEDS(RING_FULL) | \
	 FEEDS(RELEASED_REFCNT))

const char *const rung_names[NR_RUNGS] = {
	[RUNG_FENTRY] = "fentry",
	[RUNG_TRACEPOINT] = "tracepoint",
};

const struct group hook_groups[NR_GROUPS] = {
	[GROUP_ALLOC] = {.what = "allocations",
			 .feeds = FEEDS(FAST),
			 .rungs = ON(RUNG_FENTRY),
			 .all = true},
	[GROUP_REFILL] = {.what = "refills of the cache",
			  .feeds = FEEDS_REFILL,
			  .rungs = ON(RUNG_FENTRY)},
	[GROUP_SLOW] = {.what = "the slow path",
			.feeds = FEEDS_ALLOC_SLOW,
			.rungs = ON(RUNG_FENTRY)},
	[GROUP_FRAG] = {.what = "fragments",
			.feeds = FEEDS(FAST),
			.rungs = ON(RUNG_FENTRY),
			.exported = true},
	[GROUP_PUT] = {.what = "pages put back", .feeds = FEEDS_RECYCLE, .rungs = ON(RUNG_FENTRY)},
	[GROUP_BULK] = {.what = "pages put back in bulk",
			.feeds = FEEDS_RECYCLE,
			.rungs = ON(RUNG_FENTRY),
			.exported = true},
	[GROUP_RELEASED] = {.what = "pages released",
			    .feeds = FEEDS(WAIVE) | FEEDS(RING_FULL),
			    .rungs = ON(RUNG_FENTRY)},
	[GROUP_SCRUB] = {.what = "cache and ring emptied at destroy",
			 .feeds = FEEDS(RING_FULL),
			 .rungs = ON(RUNG_FENTRY)},
	[GROUP_NID] = {.what = "change of the NUMA node", .feeds = 0, .rungs = ON(RUNG_FENTRY)},
	[GROUP_CREATE] = {.what = "creation", .feeds = 0, .rungs = ON(RUNG_FENTRY)},
	[GROUP_LIFE] = {.what = "destruction",
			.feeds = 0,
			.rungs = ON(RUNG_FENTRY) | ON(RUNG_TRACEPOINT)},
	[GROUP_DEVICE] = {.what = "the receive queue",
			  .feeds = 0,
			  .rungs = ON(RUNG_FENTRY) | ON(RUNG_TRACEPOINT)},
	[GROUP_HOLD] = {.what = "pages held", .feeds = 0, .rungs = ON(RUNG_TRACEPOINT)},
};

/* Within a group, newest first: where an old name lives on as a wrapper, only the new one counts.
 */
const struct hook hooks[] = {
	{.group = GROUP_ALLOC,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_alloc_pages",
	 .prog = "alloc_pages",
	 .kernels = "5.15-"},
	{.group = GROUP_ALLOC,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_alloc_netmems",
	 .prog = "alloc_netmems",
	 .kernels = "6.14-"},
	{.group = GROUP_ALLOC,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_alloc_netmem",
	 .prog = "alloc_netmem",
	 .kernels = "6.11-6.13"},
	{.group = GROUP_REFILL,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_refill_alloc_cache",
	 .prog = "refill_enter",
	 .kernels = "5.15-"},
	{.group = GROUP_REFILL,
	 .kind = HOOK_FEXIT,
	 .target = "page_pool_refill_alloc_cache",
	 .prog = "refill_exit",
	 .kernels = "5.15-"},
	{.group = GROUP_SLOW,
	 .kind = HOOK_FEXIT,
	 .target = "__page_pool_alloc_netmems_slow",
	 .prog = "slow_netmems_exit",
	 .kernels = "7.2-"},
	{.group = GROUP_SLOW,
	 .kind = HOOK_FEXIT,
	 .target = "__page_pool_alloc_pages_slow",
	 .prog = "slow_pages_exit",
	 .kernels = "5.15-6.12"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_alloc_frag_netmem",
	 .prog = "frag_netmem_enter",
	 .kernels = "6.11-"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_FEXIT,
	 .target = "page_pool_alloc_frag_netmem",
	 .prog = "frag_netmem_exit",
	 .kernels = "6.11-"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_alloc_frag",
	 .prog = "frag_page_enter",
	 .kernels = "5.15-6.10"},
	{.group = GROUP_FRAG,
	 .kind = HOOK_FEXIT,
	 .target = "page_pool_alloc_frag",
	 .prog = "frag_page_exit",
	 .kernels = "5.15-6.10"},
	{.group = GROUP_PUT,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_put_unrefed_netmem",
	 .prog = "put_unrefed_netmem",
	 .kernels = "6.11-"},
	{.group = GROUP_PUT,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_put_unrefed_page",
	 .prog = "put_unrefed_page",
	 .kernels = "6.8-6.10"},
	{.group = GROUP_PUT,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_put_defragged_page",
	 .prog = "put_defragged_page",
	 .kernels = "5.18-6.7"},
	{.group = GROUP_BULK,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_put_netmem_bulk",
	 .prog = "put_netmem_bulk_enter",
	 .kernels = "6.14-"},
	{.group = GROUP_BULK,
	 .kind = HOOK_FEXIT,
	 .target = "page_pool_put_netmem_bulk",
	 .prog = "put_netmem_bulk_exit",
	 .kernels = "6.14-"},
	{.group = GROUP_BULK,
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_put_page_bulk",
	 .prog = "put_page_bulk_enter",
	 .kernels = "5.15-6.13"},
	{.group = GROUP_BULK,
	 .kind = HOOK_FEXIT,
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
	 .kind = HOOK_FENTRY,
	 .target = "page_pool_release",
	 .prog = "scrub_enter",
	 .kernels = "5.15-"},
	{.group = GROUP_NID,
	 .kind = HOOK_TRACEPOINT,
	 .target = "page_pool_update_nid",
	 .prog = "update_nid",
	 .kernels = "5.15-"},
	{.group = GROUP_CREATE,
	 .kind = HOOK_FEXIT,
	 .target = "page_pool_create_percpu",
	 .prog = "create_percpu_exit",
	 .kernels = "6.9-"},
	{.group = GROUP_CREATE,
	 .kind = HOOK_FEXIT,
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

const char *hook_kind_name(enum hook_kind kind)
{
	static const char *const names[] = {
		[HOOK_FENTRY] = "fentry",
		[HOOK_FEXIT] = "fexit",
		[HOOK_TRACEPOINT] = "tracepoint",
	};

	return names[kind];
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

void hooks_choose(const struct btf *btf, enum rung rung, bool *wanted)
{
	const char *chosen[NR_GROUPS] = {0};

	for (int i = 0; i < nr_hooks; i++) {
		const struct hook *h = &hooks[i];
		const struct group *g = &hook_groups[h->group];

		wanted[i] = (g->rungs & ON(rung)) && hook_exists(btf, h);
		if (!wanted[i] || g->all)
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

uint32_t hooks_counters(const struct btf *btf, enum rung rung, const bool *attached,
			const struct group *why[])
{
	uint32_t known = (1u << PP_NR_COUNTERS) - 1;
	bool wanted[sizeof(hooks) / sizeof(hooks[0])];

	if (rung != RUNG_FENTRY)
		return 0;
	hooks_choose(btf, rung, wanted);
	for (int g = 0; g < NR_GROUPS; g++) {
		const struct group *group = &hook_groups[g];

		if ((group->rungs & ON(rung)) &&
		    group_complete((enum hook_group)g, wanted, attached))
			continue;
		for (int i = 0; i < PP_NR_COUNTERS; i++) {
			if (!(group->feeds & (1u << i)))
				continue;
			known &= ~(1u << i);
			why[i] = group;
		}
	}
	return known;
}
