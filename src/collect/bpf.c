// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/types.h>

#include "bpf.h"
#include "slots.h"
#include "util.h"

#include "ppooltop.skel.h"

#define MAX_HOOKS 64

struct bpf_source {
	enum rung rung;
	struct ppooltop_bpf *skel;
	struct btf *btf;
	struct bpf_link *links[MAX_HOOKS];
	bool attached[MAX_HOOKS];
	int nr_cpus;
	/* memory-mapped maps: reading costs no system call */
	const struct pp_pool *pools;
	const struct pp_counts *counts;
	size_t pools_len;
	size_t counts_len;
	/* generation of the dead pool last reported in each slot: once is enough */
	uint32_t reported[PP_MAX_POOLS];
	bool keep_dead;
};

static struct bpf_program *hook_prog(struct bpf_source *src, int i)
{
	return bpf_object__find_program_by_name(src->skel->obj, hooks[i].prog);
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

static int run_once(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) ? -errno : 0;
}

static int load(struct bpf_source *src, const char *without, bool *wanted)
{
	struct ppooltop_bpf *skel = src->skel;
	struct bpf_program *prog;
	bool new_frags = frag_counts_pages(src->btf);

	hooks_choose(src->btf, src->rung, wanted);
	bpf_object__for_each_program(prog, skel->obj) bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(skel->progs.setup, true);
	bpf_program__set_autoload(skel->progs.refresh, true);
	for (int i = 0; i < nr_hooks; i++) {
		if (without && !strcmp(hooks[i].prog, without))
			wanted[i] = false;
		if (wanted[i])
			bpf_program__set_autoload(hook_prog(src, i), true);
	}
	skel->rodata->nr_cpus = (__u32)src->nr_cpus;
	skel->rodata->preempt_rt = kernel_is_rt();
	skel->rodata->frag_share_is_fast = !new_frags;
	skel->rodata->frag_reuse_is_cached = new_frags;
	bpf_map__set_max_entries(skel->maps.counts, (__u32)src->nr_cpus * PP_MAX_POOLS);
	bpf_map__set_max_entries(skel->maps.cpus, (__u32)src->nr_cpus);
	return ppooltop_bpf__load(skel);
}

static size_t map_bytes(const struct bpf_map *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t len = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);

	return (len + page - 1) / page * page;
}

static int map_memory(struct bpf_source *src)
{
	void *p;

	src->pools_len = map_bytes(src->skel->maps.pools);
	p = mmap(NULL, src->pools_len, PROT_READ, MAP_SHARED, bpf_map__fd(src->skel->maps.pools),
		 0);
	if (p == MAP_FAILED)
		return -errno;
	src->pools = p;
	src->counts_len = map_bytes(src->skel->maps.counts);
	p = mmap(NULL, src->counts_len, PROT_READ, MAP_SHARED, bpf_map__fd(src->skel->maps.counts),
		 0);
	if (p == MAP_FAILED)
		return -errno;
	src->counts = p;
	return 0;
}

/*
 * Attach what was loaded. A hook that cannot be is left out: its counters are n/a. A rung that
 * would count but can count nothing is refused, so that the next one is tried.
 */
static int attach(struct bpf_source *src, const bool *wanted)
{
	const struct group *why[PP_NR_COUNTERS];
	int first_err = 0, nr = 0;

	for (int i = 0; i < nr_hooks; i++) {
		if (!wanted[i])
			continue;
		src->links[i] = bpf_program__attach(hook_prog(src, i));
		src->attached[i] = src->links[i] != NULL;
		nr += src->attached[i];
		if (!src->attached[i] && !first_err)
			first_err = -errno;
	}
	if (src->rung == RUNG_FENTRY && !hooks_counters(src->btf, src->rung, src->attached, why))
		return first_err ? first_err : -EOPNOTSUPP;
	return nr ? 0 : first_err;
}

int bpf_source_open(struct bpf_source **out, enum rung rung, const struct bpf_source_opts *opts,
		    const char **why)
{
	bool wanted[MAX_HOOKS] = {0};
	struct bpf_source *src;
	int err;

	src = calloc(1, sizeof(*src));
	if (!src)
		return -ENOMEM;
	src->rung = rung;
	src->nr_cpus = libbpf_num_possible_cpus();
	*why = "the kernel offers no BTF (CONFIG_DEBUG_INFO_BTF)";
	src->btf = btf__load_vmlinux_btf();
	if (!src->btf) {
		err = -errno;
		goto err_out;
	}
	*why = "the BPF programs could not be opened";
	src->skel = ppooltop_bpf__open();
	if (!src->skel) {
		err = -errno;
		goto err_out;
	}
	*why = "the kernel refused to load the BPF programs";
	src->keep_dead = opts->keep_dead;
	err = load(src, opts->without, wanted);
	if (err)
		goto err_out;
	*why = "the BPF maps could not be set up";
	err = run_once(src->skel->progs.setup);
	if (err)
		goto err_out;
	err = map_memory(src);
	if (err)
		goto err_out;
	*why = "the kernel refused to attach the BPF programs";
	err = attach(src, wanted);
	if (err)
		goto err_out;
	src->skel->bss->armed = true;
	*out = src;
	return 0;

err_out:
	bpf_source_close(src);
	return err;
}

static struct timespec since_realtime(const struct snapshot *s, uint64_t mono_ns)
{
	uint64_t now = (uint64_t)s->time.tv_sec * 1000000000 + (uint64_t)s->time.tv_nsec;
	uint64_t then = now - (s->mono_ns - mono_ns);

	return (struct timespec){(time_t)(then / 1000000000), (long)(then % 1000000000)};
}

static double seconds_since(const struct snapshot *s, uint64_t mono_ns)
{
	return s->mono_ns > mono_ns ? (double)(s->mono_ns - mono_ns) / 1e9 : 0;
}

/* A destroyed pool is stuck when nothing came back for as long as the kernel waits to complain. */
#define STUCK_S 60 /* DEFER_WARN_INTERVAL, net/core/page_pool.c */

static enum pool_state pool_state(const struct snapshot *s, const struct pp_pool *raw,
				  int64_t inflight)
{
	if (raw->state == PP_SLOT_DEAD)
		return POOL_DEAD;
	if (inflight < 0)
		return POOL_IMPOSSIBLE;
	if (raw->state == PP_SLOT_DRAINING)
		return seconds_since(s, raw->changed_ns) >= STUCK_S ? POOL_STUCK : POOL_DRAINING;
	return raw->system ? POOL_SYSTEM : POOL_LIVE;
}

static void fill_pool(struct pool *p, const struct pp_pool *raw, const struct snapshot *s)
{
	p->has = POOL_HAS_ADDRESS | POOL_HAS_PARAMS | POOL_HAS_BOOKS | POOL_HAS_INFLIGHT;
	p->address = raw->address;
	p->generation = raw->generation;
	if (raw->id) {
		p->id = raw->id;
		p->has |= POOL_HAS_ID;
	}
	p->created = raw->created;
	p->since = since_realtime(s, raw->since_ns);
	memcpy(p->ifname, raw->ifname, sizeof(p->ifname));
	p->ifname[sizeof(p->ifname) - 1] = '\0';
	memcpy(p->dev, raw->dev, sizeof(p->dev));
	p->dev[sizeof(p->dev) - 1] = '\0';
	p->ifindex = raw->ifindex;
	p->netns = raw->netns;
	p->queue = raw->queue;
	p->napi_id = raw->napi_id;
	p->order = raw->order;
	p->pool_size = raw->pool_size;
	p->ring_size = raw->ring_size;
	p->nid = raw->nid;
	/* Bit 2 was PP_FLAG_PAGE_FRAG before it became PP_FLAG_SYSTEM_POOL (6.9). */
	p->flags = raw->system ? (raw->flags & ~4u) | POOL_FLAG_SYSTEM : raw->flags;
	p->dma_dir = raw->dma_dir;
	p->max_len = raw->max_len;
	p->offset = raw->offset;
	p->provider = raw->provider;
	p->hold = raw->hold;
	p->release = raw->release;
	p->cache = raw->cache;
	p->ring = raw->ring;
	p->base_cache = raw->base_cache;
	p->base_ring = raw->base_ring;
	/* wrapping u32, and their signed distance: page_pool_inflight(), net/core/page_pool.c */
	p->inflight = (int32_t)(raw->hold - raw->release);
	p->inflight_bytes = p->inflight > 0 ? ((uint64_t)p->inflight * (uint64_t)s->host.page_size)
						      << p->order
					    : 0;
	p->state = pool_state(s, raw, p->inflight);
	if (raw->destroyed_ns) {
		p->destroyed_s = seconds_since(s, raw->destroyed_ns);
		p->has |= POOL_HAS_DESTROYED;
	}
}

static void fill_counters(struct bpf_source *src, struct pool *p, uint32_t slot)
{
	const struct pp_counts *row = src->counts + (size_t)slot * (size_t)src->nr_cpus;

	for (int cpu = 0; cpu < src->nr_cpus; cpu++) {
		memcpy(p->cpus[cpu].n, row[cpu].n, sizeof(row[cpu].n));
		/* The CPU itself puts this right at its next event: see bpf/state.bpf.h. */
		if (cpu < PP_MAX_CPUS && src->skel->bss->late_cached[cpu] == slot + 1) {
			p->cpus[cpu].n[PP_RING]--;
			p->cpus[cpu].n[PP_CACHED]++;
		}
		for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
			p->total.n[i] += p->cpus[cpu].n[i];
	}
	p->has |= POOL_HAS_CPUS;
}

/* Copy slot @slot unless it is free or just changing hands. */
static bool copy_slot(struct bpf_source *src, uint32_t slot, struct pp_pool *raw)
{
	const struct pp_pool *shared = &src->pools[slot];
	const volatile __u32 *generation = &shared->generation;
	uint32_t before = *generation;

	if (before & 1 || shared->state == PP_SLOT_FREE)
		return false;
	atomic_thread_fence(memory_order_acquire);
	*raw = *shared;
	atomic_thread_fence(memory_order_acquire);
	return *generation == before && raw->state != PP_SLOT_FREE;
}

static uint64_t recursion_misses(struct bpf_source *src)
{
	uint64_t missed = 0;

	for (int i = 0; i < nr_hooks; i++) {
		struct bpf_prog_info info = {0};
		__u32 len = sizeof(info);

		if (!src->attached[i])
			continue;
		if (!bpf_obj_get_info_by_fd(bpf_program__fd(hook_prog(src, i)), &info, &len))
			missed += info.recursion_misses;
	}
	return missed;
}

static void fill_source(struct bpf_source *src, struct source_info *info, uint32_t known,
			const struct group *const *why)
{
	static const char *const keys[] = {
#define PP_X(ID, side, key, ...) #side "." #key,
		PP_COUNTERS(PP_X)
#undef PP_X
	};

	info->state = rung_names[src->rung];
	info->counters = known ? rung_names[src->rung] : NULL;
	info->level = known ? "full" : NULL;
	info->nr_missing = 0;
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		struct missing *m;

		if (known & (1u << i))
			continue;
		m = &info->missing[info->nr_missing++];
		snprintf(m->counter, sizeof(m->counter), "%s", keys[i]);
		if (why[i])
			snprintf(m->reason, sizeof(m->reason), "no hook for %s", why[i]->what);
		else
			snprintf(m->reason, sizeof(m->reason), "needs fentry, which is refused");
	}
}

int bpf_source_read(struct bpf_source *src, struct snapshot *s)
{
	const struct group *why[PP_NR_COUNTERS] = {0};
	uint32_t known = hooks_counters(src->btf, src->rung, src->attached, why);
	int err;

	err = run_once(src->skel->progs.refresh);
	if (err)
		return err;
	for (uint32_t slot = 0; slot < PP_MAX_POOLS; slot++) {
		struct pp_pool raw;
		struct pool *p;

		if (!copy_slot(src, slot, &raw))
			continue;
		if (raw.state == PP_SLOT_DEAD && src->reported[slot] == raw.generation)
			continue;
		p = snapshot_add(s, known);
		if (!p)
			return -ENOMEM;
		fill_pool(p, &raw, s);
		p->counters_known = known;
		if (known)
			fill_counters(src, p, slot);
		if (raw.state == PP_SLOT_DEAD && !src->keep_dead)
			src->reported[slot] = raw.generation;
	}
	s->lost_pools = src->skel->bss->global.lost_pools;
	s->lost_events = recursion_misses(src);
	fill_source(src, &s->source, known, why);
	return 0;
}

uint32_t bpf_source_counters(const struct bpf_source *src)
{
	const struct group *why[PP_NR_COUNTERS];

	return hooks_counters(src->btf, src->rung, src->attached, why);
}

enum rung bpf_source_rung(const struct bpf_source *src)
{
	return src->rung;
}

bool bpf_source_attached(const struct bpf_source *src, int i)
{
	return src->attached[i];
}

void bpf_source_close(struct bpf_source *src)
{
	if (!src)
		return;
	for (int i = 0; i < nr_hooks; i++)
		bpf_link__destroy(src->links[i]);
	if (src->counts)
		munmap((void *)src->counts, src->counts_len);
	if (src->pools)
		munmap((void *)src->pools, src->pools_len);
	ppooltop_bpf__destroy(src->skel);
	btf__free(src->btf);
	free(src);
}
