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
	[GROUP_ALLOC] = {"allocations", FEEDS(FAST), ON(RUNG_FENTRY), .all = true},
	[GROUP_REFILL] = {"refills of the cache", FEEDS_REFILL, ON(RUNG_FENTRY)},
	[GROUP_SLOW] = {"the slow path", FEEDS_ALLOC_SLOW, ON(RUNG_FENTRY)},
	[GROUP_FRAG] = {"fragments", FEEDS(FAST), ON(RUNG_FENTRY), .exported = true},
	[GROUP_PUT] = {"pages put back", FEEDS_RECYCLE, ON(RUNG_FENTRY)},
	[GROUP_BULK] = {"pages put back in bulk", FEEDS_RECYCLE, ON(RUNG_FENTRY), .exported = true},
	[GROUP_RELEASED] = {"pages released", FEEDS(WAIVE) | FEEDS(RING_FULL), ON(RUNG_FENTRY)},
	[GROUP_SCRUB] = {"cache and ring emptied at destroy", FEEDS(RING_FULL), ON(RUNG_FENTRY)},
	[GROUP_NID] = {"change of the NUMA node", 0, ON(RUNG_FENTRY)},
	[GROUP_CREATE] = {"creation", 0, ON(RUNG_FENTRY)},
	[GROUP_LIFE] = {"destruction", 0, ON(RUNG_FENTRY) | ON(RUNG_TRACEPOINT)},
	[GROUP_DEVICE] = {"the receive queue", 0, ON(RUNG_FENTRY) | ON(RUNG_TRACEPOINT)},
	[GROUP_HOLD] = {"pages held", 0, ON(RUNG_TRACEPOINT)},
};

/* Within a group, newest first: where an old name lives on as a wrapper, only the new one counts.
 */
const struct hook hooks[] = {
	{GROUP_ALLOC, HOOK_FENTRY, "page_pool_alloc_pages", "alloc_pages", .kernels = "5.15-"},
	{GROUP_ALLOC, HOOK_FENTRY, "page_pool_alloc_netmems", "alloc_netmems", .kernels = "6.14-"},
	{GROUP_ALLOC, HOOK_FENTRY, "page_pool_alloc_netmem", "alloc_netmem",
	 .kernels = "6.11-6.13"},
	{GROUP_REFILL, HOOK_FENTRY, "page_pool_refill_alloc_cache", "refill_enter",
	 .kernels = "5.15-"},
	{GROUP_REFILL, HOOK_FEXIT, "page_pool_refill_alloc_cache", "refill_exit",
	 .kernels = "5.15-"},
	{GROUP_SLOW, HOOK_FEXIT, "__page_pool_alloc_netmems_slow", "slow_netmems_exit",
	 .kernels = "7.2-"},
	{GROUP_SLOW, HOOK_FEXIT, "__page_pool_alloc_pages_slow", "slow_pages_exit",
	 .kernels = "5.15-6.12"},
	{GROUP_FRAG, HOOK_FENTRY, "page_pool_alloc_frag_netmem", "frag_netmem_enter",
	 .kernels = "6.11-"},
	{GROUP_FRAG, HOOK_FEXIT, "page_pool_alloc_frag_netmem", "frag_netmem_exit",
	 .kernels = "6.11-"},
	{GROUP_FRAG, HOOK_FENTRY, "page_pool_alloc_frag", "frag_page_enter",
	 .kernels = "5.15-6.10"},
	{GROUP_FRAG, HOOK_FEXIT, "page_pool_alloc_frag", "frag_page_exit", .kernels = "5.15-6.10"},
	{GROUP_PUT, HOOK_FENTRY, "page_pool_put_unrefed_netmem", "put_unrefed_netmem",
	 .kernels = "6.11-"},
	{GROUP_PUT, HOOK_FENTRY, "page_pool_put_unrefed_page", "put_unrefed_page",
	 .kernels = "6.8-6.10"},
	{GROUP_PUT, HOOK_FENTRY, "page_pool_put_defragged_page", "put_defragged_page",
	 .kernels = "5.18-6.7"},
	{GROUP_BULK, HOOK_FENTRY, "page_pool_put_netmem_bulk", "put_netmem_bulk_enter",
	 .kernels = "6.14-"},
	{GROUP_BULK, HOOK_FEXIT, "page_pool_put_netmem_bulk", "put_netmem_bulk_exit",
	 .kernels = "6.14-"},
	{GROUP_BULK, HOOK_FENTRY, "page_pool_put_page_bulk", "put_page_bulk_enter",
	 .kernels = "5.15-6.13"},
	{GROUP_BULK, HOOK_FEXIT, "page_pool_put_page_bulk", "put_page_bulk_exit",
	 .kernels = "5.15-6.13"},
	{GROUP_RELEASED, HOOK_TRACEPOINT, "page_pool_state_release", "release_netmem", 1,
	 ARG_INTEGER, "6.11-"},
	{GROUP_RELEASED, HOOK_TRACEPOINT, "page_pool_state_release", "release_page", 1, ARG_POINTER,
	 "5.15-6.10"},
	{GROUP_SCRUB, HOOK_FENTRY, "page_pool_release", "scrub_enter", .kernels = "5.15-"},
	{GROUP_NID, HOOK_TRACEPOINT, "page_pool_update_nid", "update_nid", .kernels = "5.15-"},
	{GROUP_CREATE, HOOK_FEXIT, "page_pool_create_percpu", "create_percpu_exit",
	 .kernels = "6.9-"},
	{GROUP_CREATE, HOOK_FEXIT, "page_pool_create", "create_exit", .kernels = "5.15-6.8"},
	{GROUP_LIFE, HOOK_TRACEPOINT, "page_pool_release", "pool_release", .kernels = "5.15-"},
	{GROUP_DEVICE, HOOK_TRACEPOINT, "mem_connect", "mem_connect", .kernels = "5.15-"},
	{GROUP_HOLD, HOOK_TRACEPOINT, "page_pool_state_hold", "hold", .kernels = "5.15-"},
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
		else if (strcmp(chosen[h->group], h->target))
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
	uint32_t known = rung == RUNG_FENTRY ? (1u << PP_NR_COUNTERS) - 1 : 0;
	bool wanted[sizeof(hooks) / sizeof(hooks[0])];

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
