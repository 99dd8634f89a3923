// SPDX-License-Identifier: GPL-2.0-or-later
/* Loading and attaching. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_priv.h"
#include "util.h"

#include "ppooltop.skel.h"

const char *const store_names[NR_STORE] = {
	[STORE_POOLS] = "pools",   [STORE_COUNTS] = "counts", [STORE_DEVICES] = "devices",
	[STORE_GLOBAL] = "global", [STORE_META] = "meta",
};

/* What perf_event_open() makes kprobes with; kernel/events/core.c. */
#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/type"

static struct bpf_program *hook_prog(struct bpf_source *src, int i)
{
	char name[64];

	hook_prog_name(src->plan.rung, &hooks[i], name, sizeof(name));
	return bpf_object__find_program_by_name(src->skel->obj, name);
}

/* sysfs has this file on PREEMPT_RT kernels only (kernel/ksysfs.c and the RT series). */
static bool kernel_is_rt(void)
{
	return access("/sys/kernel/realtime", F_OK) == 0;
}

/*
 * How page_pool_alloc_frag() counts differs: up to 6.12 each part of a page is "fast", on 7.2 only
 * pages are, and a page begun anew is "cached" as well. The kernels between were not looked at;
 * page_pool_put_netmem_bulk() (6.14) is the mark that BTF offers.
 */
static bool frag_counts_pages(const struct btf *btf)
{
	return btf__find_by_name_kind(btf, "page_pool_put_netmem_bulk", BTF_KIND_FUNC) > 0;
}

/* Which laws of the books a level leaves to be checked: what it derives obeys by itself. */
static uint32_t checkable_laws(const struct hooks_plan *plan)
{
	static const uint32_t laws[PP_NR_LEVELS] = {
		[PP_LEVEL_SLOW] = 1u << PP_LAW_HOLD,
		[PP_LEVEL_DERIVED] = 1u << PP_LAW_HOLD | 1u << PP_LAW_RING,
		[PP_LEVEL_FULL] = 1u << PP_LAW_HOLD | 1u << PP_LAW_RING | 1u << PP_LAW_CACHE,
	};

	return rung_has_levels(plan->rung) ? laws[plan->level] : 0;
}

static bool kernel_counts(const struct btf *btf)
{
	return btf__find_by_name_kind(btf, "page_pool_recycle_stats", BTF_KIND_STRUCT) > 0;
}

int run_once(int prog_fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (bpf_prog_test_run_opts(prog_fd, &opts))
		return -errno;
	return opts.retval ? -EAGAIN : 0;
}

/* The clock that is as coarse as the kernel's tick tells how long that is. */
static __u32 tick_ns(void)
{
	struct timespec tick = {0};

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (__u32)tick.tv_nsec;
}

static void set_constants(struct bpf_source *src)
{
	struct ppooltop_bpf *skel = src->skel;
	bool new_frags = frag_counts_pages(src->btf);

	skel->rodata->nr_cpus = (__u32)src->nr_cpus;
	skel->rodata->level = src->plan.level;
	skel->rodata->laws = checkable_laws(&src->plan);
	skel->rodata->kernel_stats = src->plan.rung == RUNG_KERNEL;
	skel->rodata->per_cpu_offset = ksyms_address(src->ksyms, "__per_cpu_offset");
	skel->rodata->page_pools = ksyms_address(src->ksyms, "page_pools");
	skel->rodata->preempt_rt = kernel_is_rt();
	skel->rodata->frag_share_is_fast = !new_frags;
	skel->rodata->frag_reuse_is_cached = new_frags;
	skel->rodata->tick_ns = tick_ns();
	skel->bss->global.nr_devices = PP_DEVICE_OTHERS + 1;
}

/* For tests: a hook that is not there though everybody thinks it is. */
static bool left_out(const struct bpf_source *src, int i)
{
	return src->without && !strcmp(hooks[i].prog, src->without);
}

static int load(struct bpf_source *src, bool *wanted)
{
	struct ppooltop_bpf *skel = src->skel;
	struct bpf_program *prog;
	int err;

	set_constants(src);
	src->plan.listed = skel->rodata->page_pools != 0;
	hooks_choose(src->btf, &src->plan, wanted);
	bpf_object__for_each_program(prog, skel->obj) bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(skel->progs.setup, true);
	bpf_program__set_autoload(skel->progs.refresh, true);
	bpf_program__set_autoload(skel->progs.walk, src->plan.listed);
	for (int i = 0; i < nr_hooks; i++) {
		if (wanted[i] && !left_out(src, i))
			bpf_program__set_autoload(hook_prog(src, i), true);
	}
	bpf_map__set_max_entries(skel->maps.counts, (__u32)src->nr_cpus * PP_MAX_POOLS);
	bpf_map__set_max_entries(skel->maps.cpus, (__u32)src->nr_cpus);
	err = ppooltop_bpf__load(skel);
	if (err)
		return err;
	src->refresh_fd = bpf_program__fd(skel->progs.refresh);
	if (src->plan.listed)
		src->walk_fd = bpf_program__fd(skel->progs.walk);
	return run_once(bpf_program__fd(skel->progs.setup));
}

int store_map(struct bpf_source *src, enum store_map what, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct bpf_map_info info = {0};
	__u32 info_len = sizeof(info);
	size_t len;
	void *p;

	if (bpf_obj_get_info_by_fd(fd, &info, &info_len))
		return -errno;
	len = (size_t)info.max_entries * ((info.value_size + 7) / 8 * 8);
	len = (len + page - 1) / page * page;
	p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	src->memory[what] = p;
	src->memory_len[what] = len;
	return 0;
}

/* What is attached, for whoever reads it later. */
static int describe(struct bpf_source *src)
{
	struct pp_meta meta = {
		.layout = PP_LAYOUT,
		.sizes = bpf_meta_sizes(),
		.version = VERSION,
		.nr_cpus = (__u32)src->nr_cpus,
		.rung = src->plan.rung,
		.level = src->plan.level,
		.nr_hooks = (__u32)nr_hooks,
		.listed = src->plan.listed,
		.creation = src->plan.creation,
	};
	__u32 key = 0;

	for (int i = 0; i < nr_hooks; i++)
		if (src->attached[i])
			meta.attached |= 1ull << i;
	return bpf_map_update_elem(bpf_map__fd(src->skel->maps.meta), &key, &meta, BPF_ANY) ? -errno
											    : 0;
}

static int map_memory(struct bpf_source *src)
{
	struct bpf_map *const maps[NR_STORE] = {
		[STORE_POOLS] = src->skel->maps.pools,	   [STORE_COUNTS] = src->skel->maps.counts,
		[STORE_DEVICES] = src->skel->maps.devices, [STORE_GLOBAL] = src->skel->maps.bss,
		[STORE_META] = src->skel->maps.meta,
	};
	int err = 0;

	for (int i = 0; i < NR_STORE && !err; i++)
		err = store_map(src, (enum store_map)i, bpf_map__fd(maps[i]));
	return err;
}

/*
 * Attach what was loaded. A hook that cannot be is left out: its counters are n/a. A rung that
 * would count but can count nothing is refused, so that the next one is tried.
 */
static int attach(struct bpf_source *src, const bool *wanted)
{
	int first_err = 0, nr = 0;

	for (int i = 0; i < nr_hooks; i++) {
		if (!wanted[i])
			continue;
		src->prog_fds[i] = -1;
		src->attached[i] = left_out(src, i);
		if (src->attached[i])
			continue;
		src->links[i] = bpf_program__attach(hook_prog(src, i));
		src->attached[i] = src->links[i] != NULL;
		src->prog_fds[i] = bpf_program__fd(hook_prog(src, i));
		nr += src->attached[i];
		if (!src->attached[i] && !first_err)
			first_err = -errno;
	}
	hooks_counters(src->btf, &src->plan, src->attached, &src->counters);
	if (src->plan.rung != RUNG_TRACEPOINT && !src->counters.known)
		return first_err ? first_err : -EOPNOTSUPP;
	/* Without fentry the creation of pools is not seen: so says the caller's next try. */
	if (src->plan.rung == RUNG_KERNEL && src->plan.creation && first_err)
		return first_err;
	return nr ? 0 : first_err;
}

struct bpf_source *bpf_source_new(void)
{
	struct bpf_source *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->refresh_fd = -1;
	src->walk_fd = -1;
	src->creators = calloc(PP_MAX_POOLS, sizeof(*src->creators));
	src->findings = calloc(PP_MAX_POOLS, sizeof(*src->findings));
	if (!src->creators || !src->findings || ksyms_open(&src->ksyms)) {
		bpf_source_close(src);
		return NULL;
	}
	return src;
}

static int try_open(struct bpf_source **out, const struct bpf_source_opts *opts, bool creation,
		    const char **what)
{
	bool wanted[MAX_HOOKS] = {0};
	struct bpf_source *src;
	int err;

	*what = "";
	src = bpf_source_new();
	if (!src)
		return -ENOMEM;
	src->plan = (struct hooks_plan){
		.rung = opts->rung,
		.level = rung_has_levels(opts->rung) ? opts->level : PP_LEVEL_FULL,
		.creation = creation,
	};
	src->keep_dead = opts->keep_dead;
	src->without = opts->without;
	err = possible_cpu_ids();
	if (err < 0)
		goto err_out;
	src->nr_cpus = err < PP_MAX_CPUS ? err : PP_MAX_CPUS;
	*what = "the kernel offers no BTF (CONFIG_DEBUG_INFO_BTF)";
	src->btf = btf__load_vmlinux_btf();
	err = -errno;
	if (!src->btf)
		goto err_out;
	*what = "the kernel keeps no counters (CONFIG_PAGE_POOL_STATS)";
	err = -EOPNOTSUPP;
	if (opts->rung == RUNG_KERNEL && !kernel_counts(src->btf))
		goto err_out;
	*what = "the kernel has no kprobes (CONFIG_KPROBE_EVENTS)";
	err = -EOPNOTSUPP;
	if (opts->rung == RUNG_KPROBE && access(KPROBE_PMU, F_OK))
		goto err_out;
	*what = "the BPF programs could not be opened";
	src->skel = ppooltop_bpf__open();
	err = -errno;
	if (!src->skel)
		goto err_out;
	*what = "the kernel refused to load the BPF programs";
	err = load(src, wanted);
	if (err)
		goto err_out;
	*what = "the addresses of the kernel's counters are hidden (kernel.kptr_restrict)";
	err = -EPERM;
	if (opts->rung == RUNG_KERNEL && !src->skel->rodata->per_cpu_offset)
		goto err_out;
	*what = "the BPF maps could not be set up";
	err = map_memory(src);
	if (err)
		goto err_out;
	*what = "the kernel refused to attach the BPF programs";
	err = attach(src, wanted);
	if (!err)
		err = describe(src);
	if (err)
		goto err_out;
	src->skel->bss->armed = true;
	*out = src;
	return 0;

err_out:
	bpf_source_close(src);
	return err;
}

int bpf_source_open(struct bpf_source **out, const struct bpf_source_opts *opts, char *why,
		    size_t len)
{
	const char *what;
	int err;

	err = try_open(out, opts, true, &what);
	/* The kernel's own counters need no hook on a function, unless for who made a pool. */
	if (err && opts->rung == RUNG_KERNEL)
		err = try_open(out, opts, false, &what);
	if (err)
		snprintf(why, len, "%s", what);
	return err;
}

void bpf_source_counters(const struct bpf_source *src, struct hooks_counters *counters)
{
	*counters = src->counters;
}

const struct hooks_plan *bpf_source_plan(const struct bpf_source *src)
{
	return &src->plan;
}

bool bpf_source_pinned(const struct bpf_source *src)
{
	return !src->skel;
}

bool bpf_source_attached(const struct bpf_source *src, int i)
{
	return src->attached[i];
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void bpf_source_close(struct bpf_source *src)
{
	if (!src)
		return;
	for (int i = 0; i < nr_hooks; i++) {
		bpf_link__destroy(src->links[i]);
		if (!src->skel && src->attached[i]) {
			close_fd(src->link_fds[i]);
			close_fd(src->prog_fds[i]);
		}
	}
	for (int i = 0; i < NR_STORE; i++)
		if (src->memory[i])
			munmap((void *)src->memory[i], src->memory_len[i]);
	if (src->skel) {
		ppooltop_bpf__destroy(src->skel);
	} else {
		close_fd(src->refresh_fd);
		close_fd(src->walk_fd);
	}
	btf__free(src->btf);
	ksyms_close(src->ksyms);
	free(src->creators);
	free(src->findings);
	free(src);
}
