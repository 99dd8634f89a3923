// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of hooks against kernels made by hand: a BTF with just the functions they have. */
#include "unit.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/types.h>

#include "hooks.h"
#include "probe.h"
#include "slots.h"

#include "ppooltop.skel.h"

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

/* Most tests want just one, and what is newest. */
static int setup_new(void **state)
{
	static struct kernel k;

	make_kernel(&k, NETMEM_REFS, NULL);
	*state = &k;
	return 0;
}

static int teardown_new(void **state)
{
	btf__free(((struct kernel *)*state)->btf);
	return 0;
}

#define ON_NEW(test) cmocka_unit_test_setup_teardown(test, setup_new, teardown_new)

static int hook(const char *prog)
{
	for (int i = 0; i < nr_hooks; i++)
		if (!strcmp(hooks[i].prog, prog))
			return i;
	fail_msg("no hook %s", prog);
	return -1;
}

/* What there is to attach as a rule. */
static struct hooks_plan plan(enum rung rung, unsigned int level)
{
	return (struct hooks_plan){.rung = rung, .level = level, .creation = true};
}

/* The hooks chosen are just those of @progs, NULL at the end. */
static void check_chosen(const struct kernel *k, struct hooks_plan plan, const char *const *progs)
{
	bool wanted[MAX_HOOKS];
	int nr = 0;

	memset(wanted, 0xa5, sizeof(wanted));
	hooks_choose(k->btf, &plan, wanted);
	for (; progs[nr]; nr++)
		if (!wanted[hook(progs[nr])])
			fail_msg("%s was not chosen on %s", progs[nr], rung_names[plan.rung]);
	for (int i = 0; i < nr_hooks; i++)
		nr -= wanted[i];
	assert_int_equal(nr, 0);
}

/* The same by fentry and by kprobes. */
static void check_functions(enum netmem netmem, unsigned int level, const char *const *progs)
{
	struct kernel k;

	make_kernel(&k, netmem, NULL);
	check_chosen(&k, plan(RUNG_FENTRY, level), progs);
	check_chosen(&k, plan(RUNG_KPROBE, level), progs);
	btf__free(k.btf);
}

static void chooses_for_an_old_kernel(void **state)
{
	static const char *const progs[] = {
		"alloc_pages",	      "refill_enter",	"refill_exit",	      "slow_pages_exit",
		"frag_page_enter",    "frag_page_exit", "put_defragged_page", "put_page_bulk_enter",
		"put_page_bulk_exit", "release_page",	"scrub_enter",	      "update_nid",
		"create_exit",	      "pool_release",	"mem_connect",	      NULL};

	(void)state;
	check_functions(PAGE_POINTERS, PP_LEVEL_FULL, progs);
}

/* Of each group the newest, but every allocation, which the level below spares: the most frequent
 * event. */
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

	(void)state;
	check_functions(NETMEM_REFS, PP_LEVEL_FULL, progs);
	check_functions(NETMEM_REFS, PP_LEVEL_DERIVED, progs + 2);
}

static void chooses_slow_paths_alone(void **state)
{
	static const char *const progs[] = {
		"refill_enter", "refill_exit", "slow_pages_exit", "release_page", "scrub_enter",
		"update_nid",	"create_exit", "pool_release",	  "mem_connect",  NULL};

	(void)state;
	check_functions(PAGE_POINTERS, PP_LEVEL_SLOW, progs);
}

/* Where the kernel counts, nothing is hooked but the life of pools, at any level. */
static void chooses_for_what_the_kernel_counts(void **state)
{
	const struct kernel *k = *state;
	static const char *const progs[] = {"create_percpu_exit", "pool_release", "mem_connect",
					    "hold", NULL};
	static const char *const listed[] = {"create_percpu_exit", "pool_release", "mem_connect",
					     NULL};
	static const char *const no_functions[] = {"pool_release", "mem_connect", NULL};
	struct hooks_plan p;

	for (unsigned int level = 0; level < PP_NR_LEVELS; level++) {
		p = plan(RUNG_KERNEL, level);
		check_chosen(k, p, progs);
		p.listed = true;
		check_chosen(k, p, listed);
		p.creation = false;
		check_chosen(k, p, no_functions);
	}
}

/* A list of pools tells of no page: on this rung they are met by their pages all the same. */
static void chooses_tracepoints_alone(void **state)
{
	const struct kernel *k = *state;
	static const char *const progs[] = {"pool_release", "mem_connect", "hold", NULL};
	struct hooks_plan p;

	for (unsigned int level = 0; level < PP_NR_LEVELS; level++) {
		p = plan(RUNG_TRACEPOINT, level);
		check_chosen(k, p, progs);
		p.listed = true;
		check_chosen(k, p, progs);
	}
}

/* A kernel that lists its pools: no rung that counts hooks their pages to meet them. */
static void list_or_not_is_the_same_to_functions(void **state)
{
	const struct kernel *k = *state;
	bool with[MAX_HOOKS] = {0}, without[MAX_HOOKS] = {0};

	for (int rung = RUNG_FENTRY; rung <= RUNG_KPROBE; rung++) {
		struct hooks_plan p = plan((enum rung)rung, PP_LEVEL_FULL);

		hooks_choose(k->btf, &p, without);
		assert_false(without[hook("hold")]);
		p.listed = true;
		hooks_choose(k->btf, &p, with);
		assert_memory_equal(with, without, sizeof(with));
	}
}

static void chooses_nothing_from_nothing(void **state)
{
	static const char *const none[] = {NULL};
	struct kernel k;

	(void)state;
	kernel_init(&k);
	for (int rung = 0; rung < NR_RUNGS; rung++)
		check_chosen(&k, plan((enum rung)rung, PP_LEVEL_FULL), none);
	btf__free(k.btf);
}

static void check_exists(const struct kernel *k, const char *prog, bool exists)
{
	assert_int_equal(hook_exists(k->btf, &hooks[hook(prog)]), exists);
}

static void check_release(struct kernel *k, int arg2, bool page, bool netmem)
{
	add_tracepoint(k, "page_pool_state_release", arg2);
	check_exists(k, "release_page", page);
	check_exists(k, "release_netmem", netmem);
	btf__free(k->btf);
}

/* A tracepoint kept its name while its argument became another: one program each. */
static void argument_decides(void **state)
{
	struct kernel k;

	(void)state;
	kernel_init(&k);
	check_exists(&k, "release_page", false);
	check_exists(&k, "release_netmem", false);
	check_release(&k, k.page_ptr, true, false);
	kernel_init(&k);
	check_release(&k, k.netmem_ref, false, true);
	/* neither: something yet to come */
	kernel_init(&k);
	check_release(&k, good(btf__add_struct(k.btf, "netmem", 8)), false, false);
	/* no such argument at all */
	kernel_init(&k);
	check_release(&k, 0, false, false);
}

static void check_pool_release(const struct kernel *k, bool function, bool tracepoint)
{
	check_exists(k, "scrub_enter", function);
	check_exists(k, "pool_release", tracepoint);
	btf__free(k->btf);
}

/* A name of another kind is no hook. */
static void kind_decides(void **state)
{
	struct kernel k;

	(void)state;
	assert_string_equal(hooks[hook("pool_release")].target, hooks[hook("scrub_enter")].target);
	kernel_init(&k);
	add_function(&k, "page_pool_release");
	check_pool_release(&k, true, false);

	kernel_init(&k);
	add_tracepoint(&k, "page_pool_release", k.int_id);
	check_pool_release(&k, false, true);

	kernel_init(&k);
	good(btf__add_struct(k.btf, "page_pool_release", 8));
	good(btf__add_typedef(k.btf, "btf_trace_page_pool_release", k.int_id));
	check_pool_release(&k, false, false);
}

#define BIT(ID)	    (1u << PP_##ID)
#define REFILL_BITS (BIT(REFILL) | BIT(EMPTY) | BIT(WAIVE))
#define SLOW_BITS   (BIT(SLOW) | BIT(SLOW_HIGH_ORDER))
#define RECYCLE_BITS \
	(BIT(CACHED) | BIT(CACHE_FULL) | BIT(RING) | BIT(RING_FULL) | BIT(RELEASED_REFCNT))

/* What each group's absence costs at level full, said here a second time on purpose. */
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

/* What a level knows where all is attached, and what of it follows from the books. */
static const struct {
	uint32_t known;
	uint32_t derived;
} levels[PP_NR_LEVELS] = {
	[PP_LEVEL_SLOW] = {REFILL_BITS | SLOW_BITS | BIT(RING), BIT(RING)},
	[PP_LEVEL_DERIVED] = {ALL_COUNTERS, BIT(FAST)},
	[PP_LEVEL_FULL] = {ALL_COUNTERS, 0},
};

/* Without one of these the books do not balance. */
static bool keeps_books(enum hook_group group)
{
	return group < GROUP_CREATE;
}

/* Attach all that is chosen but the hooks of group @without, if any. */
static void attach(const struct kernel *k, struct hooks_plan plan, bool *attached, int without)
{
	memset(attached, 0, MAX_HOOKS * sizeof(*attached));
	hooks_choose(k->btf, &plan, attached);
	for (int i = 0; i < nr_hooks; i++)
		if ((int)hooks[i].group == without)
			attached[i] = false;
}

/* Just the counters of @missing are unknown of what the level offers, and @group is to blame. */
static void check_counters(const struct kernel *k, struct hooks_plan plan, const bool *attached,
			   uint32_t missing, enum hook_group group)
{
	uint32_t known = levels[plan.level].known & ~missing;
	uint32_t derived = levels[plan.level].derived & ~missing;
	struct hooks_counters c;

	memset(&c, 0xa5, sizeof(c));
	hooks_counters(k->btf, &plan, attached, &c);
	assert_int_equal(c.known, known);
	assert_int_equal(c.derived, derived);
	assert_int_equal(c.cpus, known & ~derived);
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		if (missing & levels[plan.level].known & (1u << i))
			assert_ptr_equal(c.why[i], &hook_groups[group]);
		else
			assert_null(c.why[i]);
	}
}

static bool audited(const struct kernel *k, struct hooks_plan plan, const bool *attached)
{
	struct hooks_counters c;

	hooks_counters(k->btf, &plan, attached, &c);
	return c.audited;
}

static void check_all_attached(enum netmem netmem, enum rung rung)
{
	bool attached[MAX_HOOKS];
	struct kernel k;

	make_kernel(&k, netmem, NULL);
	for (unsigned int level = 0; level < PP_NR_LEVELS; level++) {
		struct hooks_plan p = plan(rung, level);

		attach(&k, p, attached, -1);
		check_counters(&k, p, attached, 0, GROUP_ALLOC);
		assert_true(audited(&k, p, attached));
	}
	btf__free(k.btf);
}

static void all_attached_all_known(void **state)
{
	(void)state;
	check_all_attached(PAGE_POINTERS, RUNG_FENTRY);
	check_all_attached(PAGE_POINTERS, RUNG_KPROBE);
	check_all_attached(NETMEM_REFS, RUNG_FENTRY);
	check_all_attached(NETMEM_REFS, RUNG_KPROBE);
}

/* Does @group keep the books that there are at @level? */
static bool needed(unsigned int level, enum hook_group group)
{
	const uint32_t levels_of = hook_groups[group].levels;

	return keeps_books(group) && (!levels_of || levels_of & (1u << level));
}

/*
 * A group's counters, and with a group that keeps the books all that follows from them: they lack
 * an entry, and prove nothing.
 */
static void check_without(const struct kernel *k, unsigned int level, enum hook_group group)
{
	uint32_t cost = needed(level, group) ? costs[group] | levels[level].derived : 0;
	struct hooks_plan p = plan(RUNG_FENTRY, level);
	bool attached[MAX_HOOKS];

	attach(k, p, attached, (int)group);
	check_counters(k, p, attached, cost, group);
	assert_int_equal(audited(k, p, attached), !needed(level, group));
}

static void unattached_group_costs_its_counters(void **state)
{
	struct kernel old, new;

	(void)state;
	make_kernel(&old, PAGE_POINTERS, NULL);
	make_kernel(&new, NETMEM_REFS, NULL);
	for (unsigned int level = 0; level < PP_NR_LEVELS; level++) {
		for (int g = 0; g < NR_GROUPS; g++) {
			check_without(&old, level, (enum hook_group)g);
			check_without(&new, level, (enum hook_group)g);
		}
	}
	btf__free(old.btf);
	btf__free(new.btf);
}

/* One hook of several refused is as bad as all. */
static void half_a_group_costs_as_much(void **state)
{
	const struct kernel *k = *state;
	struct hooks_plan p = plan(RUNG_KPROBE, PP_LEVEL_FULL);
	bool attached[MAX_HOOKS], all[MAX_HOOKS];

	attach(k, p, all, -1);
	for (int i = 0; i < nr_hooks; i++) {
		if (!all[i])
			continue;
		memcpy(attached, all, sizeof(attached));
		attached[i] = false;
		check_counters(k, p, attached, costs[hooks[i].group], hooks[i].group);
	}
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
	struct hooks_plan p = plan(RUNG_FENTRY, PP_LEVEL_FULL);
	bool attached[MAX_HOOKS];
	struct kernel k;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_kernel(&k, PAGE_POINTERS, rows[i].name);
		attach(&k, p, attached, -1);
		check_counters(&k, p, attached, rows[i].missing, rows[i].group);
		assert_int_equal(audited(&k, p, attached), !rows[i].missing);
		btf__free(k.btf);
	}
}

/* Without the newest name the older one serves. */
static void older_name_serves(void **state)
{
	struct hooks_plan p = plan(RUNG_FENTRY, PP_LEVEL_FULL);
	bool attached[MAX_HOOKS];
	struct kernel k;

	(void)state;
	make_kernel(&k, NETMEM_REFS, "page_pool_put_unrefed_netmem");
	attach(&k, p, attached, -1);
	assert_false(attached[hook("put_unrefed_netmem")]);
	assert_true(attached[hook("put_unrefed_page")]);
	check_counters(&k, p, attached, 0, GROUP_PUT);
	btf__free(k.btf);
}

/* Whatever is attached: allocations it counts per pool, recycling per CPU. */
static void kernel_counts_everything(void **state)
{
	const struct kernel *k = *state;
	bool attached[MAX_HOOKS] = {0};
	struct hooks_counters c;
	struct hooks_plan p;

	for (unsigned int level = 0; level < PP_NR_LEVELS; level++) {
		p = plan(RUNG_KERNEL, level);
		hooks_counters(k->btf, &p, attached, &c);
		assert_int_equal(c.known, ALL_COUNTERS);
		assert_int_equal(c.cpus, RECYCLE_BITS);
		assert_int_equal(c.derived, 0);
		/* it counts calls where the books want pages */
		assert_false(c.audited);
	}
}

static void tracepoints_count_nothing(void **state)
{
	const struct kernel *k = *state;
	struct hooks_plan p = plan(RUNG_TRACEPOINT, PP_LEVEL_FULL);
	bool attached[MAX_HOOKS];
	struct hooks_counters c;

	attach(k, p, attached, -1);
	hooks_counters(k->btf, &p, attached, &c);
	assert_int_equal(c.known, 0);
	assert_int_equal(c.cpus, 0);
	assert_int_equal(c.derived, 0);
	assert_false(c.audited);
}

static void check_reason(const struct kernel *k, struct hooks_plan plan, int without,
			 enum pp_counter i, const char *said)
{
	bool attached[MAX_HOOKS];
	struct hooks_counters c;
	char text[128];

	attach(k, plan, attached, without);
	hooks_counters(k->btf, &plan, attached, &c);
	assert_false(c.known & (1u << i));
	hooks_reason(&plan, &c, i, text, sizeof(text));
	if (!strstr(text, said))
		fail_msg("\"%s\" does not say \"%s\"", text, said);
}

static void reasons(void **state)
{
	const struct kernel *k = *state;

	check_reason(k, plan(RUNG_TRACEPOINT, PP_LEVEL_FULL), -1, PP_FAST, "fentry");
	check_reason(k, plan(RUNG_FENTRY, PP_LEVEL_SLOW), -1, PP_FAST, "level slow");
	check_reason(k, plan(RUNG_KPROBE, PP_LEVEL_SLOW), -1, PP_RING_FULL, "level slow");
	check_reason(k, plan(RUNG_FENTRY, PP_LEVEL_FULL), GROUP_PUT, PP_CACHED, "pages put back");
	check_reason(k, plan(RUNG_KPROBE, PP_LEVEL_FULL), GROUP_SCRUB, PP_RING_FULL,
		     "cache and ring emptied");
	/* no hook of its own, but it follows from what this one sees */
	check_reason(k, plan(RUNG_FENTRY, PP_LEVEL_DERIVED), GROUP_REFILL, PP_FAST, "refills");
	check_reason(k, plan(RUNG_FENTRY, PP_LEVEL_DERIVED), GROUP_NID, PP_FAST, "NUMA");
	/* the level comes before a hook that is missing */
	check_reason(k, plan(RUNG_FENTRY, PP_LEVEL_SLOW), GROUP_RELEASED, PP_RING_FULL,
		     "level slow");
}

static void check_name(enum rung rung, const char *prog, const char *kind, const char *name)
{
	const struct hook *h = &hooks[hook(prog)];
	char is[64];

	hook_prog_name(rung, h, is, sizeof(is));
	assert_string_equal(is, name);
	assert_string_equal(hook_kind_name(rung, h->kind), kind);
}

/* bpf/hook.bpf.h compiles programs on functions twice, and tracepoints once. */
static void programs_have_names(void **state)
{
	(void)state;
	check_name(RUNG_FENTRY, "refill_enter", "fentry", "refill_enter");
	check_name(RUNG_FENTRY, "refill_exit", "fexit", "refill_exit");
	check_name(RUNG_KPROBE, "refill_enter", "kprobe", "k_refill_enter");
	check_name(RUNG_KPROBE, "refill_exit", "kretprobe", "k_refill_exit");
	check_name(RUNG_KERNEL, "create_exit", "fexit", "create_exit");
	for (int rung = 0; rung < NR_RUNGS; rung++)
		check_name((enum rung)rung, "mem_connect", "tracepoint", "mem_connect");
}

static void check_program(const struct ppooltop_bpf *skel, enum rung rung, const struct hook *h)
{
	const char *kind = h->kind == HOOK_TRACEPOINT ? "tp_btf" : hook_kind_name(rung, h->kind);
	char name[64], section[128];
	struct bpf_program *prog;

	hook_prog_name(rung, h, name, sizeof(name));
	prog = bpf_object__find_program_by_name(skel->obj, name);
	if (!prog)
		fail_msg("no program %s", name);
	snprintf(section, sizeof(section), "%s/%s", kind, h->target);
	assert_string_equal(bpf_program__section_name(prog), section);
}

/* Every program there may be to attach is in the object, of the kind it is attached as. */
static void programs_are_there(void **state)
{
	struct ppooltop_bpf *skel = ppooltop_bpf__open();

	(void)state;
	assert_non_null(skel);
	for (int i = 0; i < nr_hooks; i++) {
		check_program(skel, RUNG_FENTRY, &hooks[i]);
		check_program(skel, RUNG_KPROBE, &hooks[i]);
	}
	ppooltop_bpf__destroy(skel);
}

/* The tables themselves: what their readers take for granted. */
static void hooks_are_sound(void **state)
{
	(void)state;
	assert_true(nr_hooks <= MAX_HOOKS);
	assert_true(nr_hooks <= PROBE_MAX_HOOKS);
	for (int i = 0; i < nr_hooks; i++) {
		assert_non_null(hooks[i].target);
		assert_non_null(hooks[i].kernels);
		/* each program once, and all hooks of a group together */
		for (int k = 0; k < i; k++)
			assert_string_not_equal(hooks[k].prog, hooks[i].prog);
		if (i)
			assert_true(hooks[i].group >= hooks[i - 1].group);
		/* functions are not to be had on the rung of tracepoints */
		if (hooks[i].kind != HOOK_TRACEPOINT)
			assert_false(hook_groups[hooks[i].group].rungs & (1u << RUNG_TRACEPOINT));
	}
}

static bool has_hooks(enum hook_group group)
{
	for (int i = 0; i < nr_hooks; i++)
		if (hooks[i].group == group)
			return true;
	return false;
}

static void groups_are_sound(void **state)
{
	uint32_t fed = 0;

	(void)state;
	for (int g = 0; g < NR_GROUPS; g++) {
		const struct group *group = &hook_groups[g];

		assert_true(has_hooks((enum hook_group)g));
		assert_non_null(group->what);
		/* kprobes do what fentry does */
		assert_int_equal(group->rungs >> RUNG_FENTRY & 1, group->rungs >> RUNG_KPROBE & 1);
		/* what keeps books is hooked where there are books; what counts keeps them */
		assert_int_equal(group->books, keeps_books((enum hook_group)g));
		assert_true(group->books || !group->feeds);
		/* nothing is hooked at a level that is not at the next, which costs more */
		if (group->levels)
			assert_true(group->levels & (1u << PP_LEVEL_FULL));
		fed |= group->feeds;
	}
	assert_int_equal(fed, ALL_COUNTERS);
}

static void all_have_names(void **state)
{
	(void)state;
	for (int r = 0; r < NR_RUNGS; r++)
		assert_non_null(rung_names[r]);
	for (int l = 0; l < PP_NR_LEVELS; l++)
		assert_non_null(level_names[l]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_for_an_old_kernel),
		cmocka_unit_test(chooses_for_a_new_kernel),
		cmocka_unit_test(chooses_slow_paths_alone),
		ON_NEW(chooses_for_what_the_kernel_counts),
		ON_NEW(chooses_tracepoints_alone),
		ON_NEW(list_or_not_is_the_same_to_functions),
		cmocka_unit_test(chooses_nothing_from_nothing),
		cmocka_unit_test(argument_decides),
		cmocka_unit_test(kind_decides),
		cmocka_unit_test(all_attached_all_known),
		cmocka_unit_test(unattached_group_costs_its_counters),
		ON_NEW(half_a_group_costs_as_much),
		cmocka_unit_test(absent_function),
		cmocka_unit_test(older_name_serves),
		ON_NEW(kernel_counts_everything),
		ON_NEW(tracepoints_count_nothing),
		ON_NEW(reasons),
		cmocka_unit_test(programs_have_names),
		cmocka_unit_test(programs_are_there),
		cmocka_unit_test(hooks_are_sound),
		cmocka_unit_test(groups_are_sound),
		cmocka_unit_test(all_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
