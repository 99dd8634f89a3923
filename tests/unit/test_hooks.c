// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of hooks against kernels made by hand: a BTF with just the functions they have. */
#include "unit.h"

#include <bpf/btf.h>

#include "hooks.h"
#include "probe.h"

enum netmem { PAGE_POINTERS, NETMEM_REFS };

struct kernel {
	struct btf *btf;
	int int_id;	/* int */
	int page_ptr;	/* const struct page * */
	int netmem_ref; /* typedef of const unsigned long, to have all there is to skip */
	int proto;	/* void (*)(void) */
};

static int good(int id)
{
	assert_true(id > 0);
	return id;
}

static void kernel_init(struct kernel *k)
{
	struct btf *b = btf__new_empty();
	int page, ulong;

	assert_non_null(b);
	k->btf = b;
	k->int_id = good(btf__add_int(b, "int", 4, BTF_INT_SIGNED));
	page = good(btf__add_struct(b, "page", 64));
	k->page_ptr = good(btf__add_ptr(b, good(btf__add_const(b, page))));
	ulong = good(btf__add_int(b, "unsigned long", 8, 0));
	k->netmem_ref = good(btf__add_typedef(b, "netmem_ref", good(btf__add_const(b, ulong))));
	k->proto = good(btf__add_func_proto(b, 0));
}

static void add_function(struct kernel *k, const char *name)
{
	good(btf__add_func(k->btf, name, BTF_FUNC_STATIC, k->proto));
}

/* typedef void (*btf_trace_NAME)(void *, struct page_pool *, ARG2, int), or less of it */
static void add_tracepoint(struct kernel *k, const char *name, int arg2)
{
	char typedef_name[128];
	int ptr = good(btf__add_ptr(k->btf, 0));
	int proto = good(btf__add_func_proto(k->btf, 0));

	btf__add_func_param(k->btf, "__data", ptr);
	btf__add_func_param(k->btf, "pool", ptr);
	if (arg2) {
		btf__add_func_param(k->btf, "netmem", arg2);
		btf__add_func_param(k->btf, "release", k->int_id);
	}
	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	good(btf__add_typedef(k->btf, typedef_name, good(btf__add_ptr(k->btf, proto))));
}

static void add_tracepoints(struct kernel *k, enum netmem netmem)
{
	add_tracepoint(k, "page_pool_state_release",
		       netmem == NETMEM_REFS ? k->netmem_ref : k->page_ptr);
	add_tracepoint(k, "page_pool_state_hold",
		       netmem == NETMEM_REFS ? k->netmem_ref : k->page_ptr);
	add_tracepoint(k, "page_pool_update_nid", k->int_id);
	add_tracepoint(k, "page_pool_release", k->int_id);
	add_tracepoint(k, "mem_connect", k->page_ptr);
}

static const char *const functions_old[] = {
	"page_pool_alloc_pages",
	"page_pool_refill_alloc_cache",
	"__page_pool_alloc_pages_slow",
	"page_pool_alloc_frag",
	"page_pool_put_defragged_page",
	"page_pool_put_page_bulk",
	"page_pool_release",
	"page_pool_create",
};

/* Old names that live on as wrappers included. */
static const char *const functions_new[] = {
	"page_pool_alloc_pages",	"page_pool_alloc_netmems",
	"page_pool_refill_alloc_cache", "__page_pool_alloc_netmems_slow",
	"page_pool_alloc_frag_netmem",	"page_pool_alloc_frag",
	"page_pool_put_unrefed_netmem", "page_pool_put_unrefed_page",
	"page_pool_put_netmem_bulk",	"page_pool_release",
	"page_pool_create_percpu",	"page_pool_create",
};

static void make_kernel(struct kernel *k, enum netmem netmem, const char *without)
{
	const char *const *names = netmem == NETMEM_REFS ? functions_new : functions_old;
	size_t nr = netmem == NETMEM_REFS ? ARRAY_SIZE(functions_new) : ARRAY_SIZE(functions_old);

	kernel_init(k);
	for (size_t i = 0; i < nr; i++)
		if (!without || strcmp(names[i], without) != 0)
			add_function(k, names[i]);
	add_tracepoints(k, netmem);
}

static int hook(const char *prog)
{
	for (int i = 0; i < nr_hooks; i++)
		if (!strcmp(hooks[i].prog, prog))
			return i;
	fail_msg("no hook %s", prog);
	return -1;
}

/* The programs chosen are just @progs, NULL at the end. */
static void check_chosen(const struct kernel *k, enum rung rung, const char *const *progs)
{
	bool wanted[PROBE_MAX_HOOKS];
	int nr = 0;

	memset(wanted, 0xa5, sizeof(wanted));
	hooks_choose(k->btf, rung, wanted);
	for (; progs[nr]; nr++)
		if (!wanted[hook(progs[nr])])
			fail_msg("%s was not chosen", progs[nr]);
	for (int i = 0; i < nr_hooks; i++)
		nr -= wanted[i];
	assert_int_equal(nr, 0);
}

static void chooses_for_an_old_kernel(void **state)
{
	static const char *const progs[] = {
		"alloc_pages",	      "refill_enter",	"refill_exit",	      "slow_pages_exit",
		"frag_page_enter",    "frag_page_exit", "put_defragged_page", "put_page_bulk_enter",
		"put_page_bulk_exit", "release_page",	"scrub_enter",	      "update_nid",
		"create_exit",	      "pool_release",	"mem_connect",	      NULL};
	struct kernel k;

	(void)state;
	make_kernel(&k, PAGE_POINTERS, NULL);
	check_chosen(&k, RUNG_FENTRY, progs);
	btf__free(k.btf);
}

/* Of each group the newest, but every allocation. */
static void chooses_for_a_new_kernel(void **state)
{
	static const char *const progs[] = {"alloc_pages",
					    "alloc_netmems",
					    "refill_enter",
					    "refill_exit",
					    "slow_netmems_exit",
					    "frag_netmem_enter",
					    "frag_netmem_exit",
					    "put_unrefed_netmem",
					    "put_netmem_bulk_enter",
					    "put_netmem_bulk_exit",
					    "release_netmem",
					    "scrub_enter",
					    "update_nid",
					    "create_percpu_exit",
					    "pool_release",
					    "mem_connect",
					    NULL};
	struct kernel k;

	(void)state;
	make_kernel(&k, NETMEM_REFS, NULL);
	check_chosen(&k, RUNG_FENTRY, progs);
	btf__free(k.btf);
}

static void chooses_tracepoints_alone(void **state)
{
	static const char *const progs[] = {"pool_release", "mem_connect", "hold", NULL};
	struct kernel k;

	(void)state;
	make_kernel(&k, NETMEM_REFS, NULL);
	check_chosen(&k, RUNG_TRACEPOINT, progs);
	btf__free(k.btf);
}

static void chooses_nothing_from_nothing(void **state)
{
	static const char *const none[] = {NULL};
	struct kernel k;

	(void)state;
	kernel_init(&k);
	check_chosen(&k, RUNG_FENTRY, none);
	check_chosen(&k, RUNG_TRACEPOINT, none);
	btf__free(k.btf);
}

/* A tracepoint kept its name while its argument became another: one program each. */
static void argument_decides(void **state)
{
	const struct hook *page = &hooks[hook("release_page")];
	const struct hook *netmem = &hooks[hook("release_netmem")];
	struct kernel k;

	(void)state;
	kernel_init(&k);
	assert_false(hook_exists(k.btf, page));
	assert_false(hook_exists(k.btf, netmem));
	add_tracepoint(&k, "page_pool_state_release", k.page_ptr);
	assert_true(hook_exists(k.btf, page));
	assert_false(hook_exists(k.btf, netmem));
	btf__free(k.btf);

	kernel_init(&k);
	add_tracepoint(&k, "page_pool_state_release", k.netmem_ref);
	assert_false(hook_exists(k.btf, page));
	assert_true(hook_exists(k.btf, netmem));
	btf__free(k.btf);

	/* neither: something yet to come */
	kernel_init(&k);
	add_tracepoint(&k, "page_pool_state_release", good(btf__add_struct(k.btf, "netmem", 8)));
	assert_false(hook_exists(k.btf, page));
	assert_false(hook_exists(k.btf, netmem));
	btf__free(k.btf);

	/* no such argument at all */
	kernel_init(&k);
	add_tracepoint(&k, "page_pool_state_release", 0);
	assert_false(hook_exists(k.btf, page));
	assert_false(hook_exists(k.btf, netmem));
	btf__free(k.btf);
}

/* A name of another kind is no hook. */
static void kind_decides(void **state)
{
	const struct hook *release = &hooks[hook("pool_release")];
	const struct hook *scrub = &hooks[hook("scrub_enter")];
	struct kernel k;

	(void)state;
	assert_string_equal(release->target, scrub->target);
	kernel_init(&k);
	add_function(&k, "page_pool_release");
	assert_true(hook_exists(k.btf, scrub));
	assert_false(hook_exists(k.btf, release));
	btf__free(k.btf);

	kernel_init(&k);
	add_tracepoint(&k, "page_pool_release", k.int_id);
	assert_false(hook_exists(k.btf, scrub));
	assert_true(hook_exists(k.btf, release));
	btf__free(k.btf);

	kernel_init(&k);
	good(btf__add_struct(k.btf, "page_pool_release", 8));
	good(btf__add_typedef(k.btf, "btf_trace_page_pool_release", k.int_id));
	assert_false(hook_exists(k.btf, scrub));
	assert_false(hook_exists(k.btf, release));
	btf__free(k.btf);
}

/* Attach all that is chosen but the hooks of @group, if any. */
static void attach(const struct kernel *k, bool *attached, int without)
{
	memset(attached, 0, PROBE_MAX_HOOKS * sizeof(*attached));
	hooks_choose(k->btf, RUNG_FENTRY, attached);
	for (int i = 0; i < nr_hooks; i++)
		if ((int)hooks[i].group == without)
			attached[i] = false;
}

/* Just the counters of @missing are unknown, and @group is to blame. */
static void check_counters(const struct kernel *k, const bool *attached, uint32_t missing,
			   enum hook_group group)
{
	const struct group *why[PP_NR_COUNTERS] = {0};
	uint32_t known = hooks_counters(k->btf, RUNG_FENTRY, attached, why);

	assert_int_equal(known, ALL_COUNTERS & ~missing);
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (missing & (1u << i))
			assert_ptr_equal(why[i], &hook_groups[group]);
		else
			assert_null(why[i]);
	}
}

static void all_attached_all_known(void **state)
{
	bool attached[PROBE_MAX_HOOKS];
	struct kernel k;

	(void)state;
	for (int netmem = PAGE_POINTERS; netmem <= NETMEM_REFS; netmem++) {
		make_kernel(&k, (enum netmem)netmem, NULL);
		attach(&k, attached, -1);
		check_counters(&k, attached, 0, GROUP_ALLOC);
		btf__free(k.btf);
	}
}

#define BIT(ID)	    (1u << PP_##ID)
#define REFILL_BITS (BIT(REFILL) | BIT(EMPTY) | BIT(WAIVE))
#define SLOW_BITS   (BIT(SLOW) | BIT(SLOW_HIGH_ORDER))
#define RECYCLE_BITS \
	(BIT(CACHED) | BIT(CACHE_FULL) | BIT(RING) | BIT(RING_FULL) | BIT(RELEASED_REFCNT))

/* What each group's absence costs, said here a second time on purpose. */
static const uint32_t costs[NR_GROUPS] = {
	[GROUP_ALLOC] = BIT(FAST),
	[GROUP_REFILL] = REFILL_BITS,
	[GROUP_SLOW] = SLOW_BITS,
	[GROUP_FRAG] = BIT(FAST),
	[GROUP_PUT] = RECYCLE_BITS,
	[GROUP_BULK] = RECYCLE_BITS,
	[GROUP_RELEASED] = BIT(WAIVE) | BIT(RING_FULL),
	[GROUP_SCRUB] = BIT(RING_FULL),
};

static void unattached_group_costs_its_counters(void **state)
{
	bool attached[PROBE_MAX_HOOKS];
	struct kernel k;

	(void)state;
	for (int netmem = PAGE_POINTERS; netmem <= NETMEM_REFS; netmem++) {
		make_kernel(&k, (enum netmem)netmem, NULL);
		for (int g = 0; g < NR_GROUPS; g++) {
			attach(&k, attached, g);
			check_counters(&k, attached, costs[g], (enum hook_group)g);
		}
		btf__free(k.btf);
	}
}

/* One hook of several refused is as bad as all. */
static void half_a_group_costs_as_much(void **state)
{
	bool attached[PROBE_MAX_HOOKS], all[PROBE_MAX_HOOKS];
	struct kernel k;

	(void)state;
	make_kernel(&k, NETMEM_REFS, NULL);
	attach(&k, all, -1);
	for (int i = 0; i < nr_hooks; i++) {
		if (!all[i])
			continue;
		memcpy(attached, all, sizeof(attached));
		attached[i] = false;
		check_counters(&k, attached, costs[hooks[i].group], hooks[i].group);
	}
	btf__free(k.btf);
}

/* A static function that was inlined takes its counters along; one that is exported was not. */
static void absent_function(void **state)
{
	static const struct {
		const char *name;
		enum hook_group group;
		uint32_t missing;
	} rows[] = {
		{"page_pool_refill_alloc_cache", GROUP_REFILL, REFILL_BITS},
		{"__page_pool_alloc_pages_slow", GROUP_SLOW, SLOW_BITS},
		{"page_pool_put_defragged_page", GROUP_PUT, RECYCLE_BITS},
		{"page_pool_release", GROUP_SCRUB, BIT(RING_FULL)},
		{"page_pool_alloc_pages", GROUP_ALLOC, BIT(FAST)},
		{"page_pool_alloc_frag", GROUP_FRAG, 0},
		{"page_pool_put_page_bulk", GROUP_BULK, 0},
		{"page_pool_create", GROUP_CREATE, 0},
	};
	bool attached[PROBE_MAX_HOOKS];
	struct kernel k;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_kernel(&k, PAGE_POINTERS, rows[i].name);
		attach(&k, attached, -1);
		check_counters(&k, attached, rows[i].missing, rows[i].group);
		btf__free(k.btf);
	}
}

/* Without the newest name the older one serves. */
static void older_name_serves(void **state)
{
	bool wanted[PROBE_MAX_HOOKS], attached[PROBE_MAX_HOOKS];
	struct kernel k;

	(void)state;
	make_kernel(&k, NETMEM_REFS, "page_pool_put_unrefed_netmem");
	hooks_choose(k.btf, RUNG_FENTRY, wanted);
	assert_false(wanted[hook("put_unrefed_netmem")]);
	assert_true(wanted[hook("put_unrefed_page")]);
	attach(&k, attached, -1);
	check_counters(&k, attached, 0, GROUP_PUT);
	btf__free(k.btf);
}

static void tracepoints_count_nothing(void **state)
{
	const struct group *why[PP_NR_COUNTERS] = {0};
	bool attached[PROBE_MAX_HOOKS] = {0};
	struct kernel k;

	(void)state;
	make_kernel(&k, NETMEM_REFS, NULL);
	hooks_choose(k.btf, RUNG_TRACEPOINT, attached);
	assert_int_equal(hooks_counters(k.btf, RUNG_TRACEPOINT, attached, why), 0);
	btf__free(k.btf);
}

/* The table itself: what its readers take for granted. */
static void table_is_sound(void **state)
{
	uint32_t fed = 0;

	(void)state;
	assert_true(nr_hooks <= PROBE_MAX_HOOKS);
	for (int i = 0; i < nr_hooks; i++) {
		assert_non_null(hooks[i].target);
		assert_non_null(hooks[i].kernels);
		assert_non_null(hook_kind_name(hooks[i].kind));
		/* each program once, and all hooks of a group together */
		for (int k = 0; k < i; k++)
			assert_string_not_equal(hooks[k].prog, hooks[i].prog);
		if (i)
			assert_true(hooks[i].group >= hooks[i - 1].group);
		/* fentry and fexit are not to be had on the rung of tracepoints */
		if (hooks[i].kind != HOOK_TRACEPOINT)
			assert_int_equal(hook_groups[hooks[i].group].rungs, 1u << RUNG_FENTRY);
	}
	for (int g = 0; g < NR_GROUPS; g++) {
		bool any = false;

		for (int i = 0; i < nr_hooks; i++)
			any |= (int)hooks[i].group == g;
		assert_true(any);
		assert_non_null(hook_groups[g].what);
		fed |= hook_groups[g].feeds;
	}
	assert_int_equal(fed, ALL_COUNTERS);
	for (int r = 0; r < NR_RUNGS; r++)
		assert_non_null(rung_names[r]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_for_an_old_kernel),
		cmocka_unit_test(chooses_for_a_new_kernel),
		cmocka_unit_test(chooses_tracepoints_alone),
		cmocka_unit_test(chooses_nothing_from_nothing),
		cmocka_unit_test(argument_decides),
		cmocka_unit_test(kind_decides),
		cmocka_unit_test(all_attached_all_known),
		cmocka_unit_test(unattached_group_costs_its_counters),
		cmocka_unit_test(half_a_group_costs_as_much),
		cmocka_unit_test(absent_function),
		cmocka_unit_test(older_name_serves),
		cmocka_unit_test(tracepoints_count_nothing),
		cmocka_unit_test(table_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
