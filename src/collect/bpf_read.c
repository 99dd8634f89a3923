// SPDX-License-Identifier: GPL-2.0-or-later
/* From the maps of the BPF programs to a snapshot. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_priv.h"
#include "util.h"

#include "ppooltop.skel.h"

#define DEATHS_TRIES   200 /* until no pool is being buried */
#define DEATHS_NS      500000
#define AUDIT_TRIES    4 /* refreshes before a difference is believed */
#define AUDIT_NS       2000000
#define BELIEVE_NS     500000000 /* two readings a second apart do, also if one is late */
#define BELIEVE_ALL_NS 60000000000
/* Pages a refill or a slow path has to count yet: 64 in the cache, 64 as held. */
#define IN_HAND	     128u
#define READER_TRIES 500 /* while another reader is at it */

static const struct pp_global *global(const struct bpf_source *src)
{
	const struct ppooltop_bpf__bss *bss = src->memory[STORE_GLOBAL];

	return &bss->global;
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
	if (raw->destroyed_ns) /* at the earliest flat since it was met */
		return seconds_since(s, raw->changed_ns ? raw->changed_ns : raw->since_ns) >=
				       STUCK_S
			       ? POOL_STUCK
			       : POOL_DRAINING;
	return raw->system ? POOL_SYSTEM : POOL_LIVE;
}

static void copy_name(char *to, size_t len, const char *from)
{
	snprintf(to, len, "%s", from ? from : "");
}

static void fill_device(struct pool *p, const struct pp_pool *raw)
{
	memcpy(p->ifname, raw->ifname, sizeof(p->ifname));
	p->ifname[sizeof(p->ifname) - 1] = '\0';
	memcpy(p->dev, raw->dev, sizeof(p->dev));
	p->dev[sizeof(p->dev) - 1] = '\0';
	snprintf(p->driver, sizeof(p->driver), "%.*s", PP_DRVNAMSIZ, raw->driver);
	p->ifindex = raw->ifindex;
	p->netns = raw->netns;
	p->queue = raw->queue;
	p->napi_id = raw->napi_id;
}

static void fill_params(struct pool *p, const struct pp_pool *raw)
{
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
}

/* An order read out of a pool that is just going away may be anything. */
static uint64_t bytes_of(int64_t pages, uint32_t order, const struct snapshot *s)
{
	return pages > 0 && order < 32 ? (uint64_t)pages * (uint64_t)s->host.page_size << order : 0;
}

void bpf_fill_books(struct pool *p, const struct pp_pool *raw, const struct snapshot *s,
		    bool audited)
{
	p->hold = raw->hold;
	p->release = raw->release;
	p->cache = raw->cache;
	p->ring = raw->ring;
	p->base_cache = raw->base_cache;
	p->base_ring = raw->base_ring;
	/* wrapping u32, and their signed distance: page_pool_inflight(), net/core/page_pool.c */
	p->inflight = snapshot_inflight(raw->hold, raw->release);
	p->inflight_bytes = bytes_of(p->inflight, raw->order, s);
	p->state = pool_state(s, raw, p->inflight);
	p->audit.known = audited && raw->audit == PP_AUDIT_READY && raw->state == PP_SLOT_USED &&
			 !raw->destroyed_ns;
	p->audit.unaccounted = raw->unaccounted;
	if (raw->destroyed_ns) {
		p->destroyed_s = seconds_since(s, raw->destroyed_ns);
		p->has |= POOL_HAS_DESTROYED;
	}
}

/*
 * Symbols are looked up once a pool, not once a refresh. A pool that is just being created has its
 * stack a little later than the rest.
 */
static void fill_symbols(struct bpf_source *src, struct pool *p, const struct pp_pool *raw,
			 uint32_t slot)
{
	struct creator *c = &src->creators[slot];

	if (c->generation != raw->generation) {
		c->generation = raw->stack[0] ? raw->generation : 0;
		copy_name(c->name, sizeof(c->name),
			  raw->stack[0] ? ksyms_creator(src->ksyms, (const uint64_t *)raw->stack,
							PP_STACK)
					: NULL);
	}
	copy_name(p->creator, sizeof(p->creator), c->name);
	if (raw->provider_ops)
		copy_name(p->provider_name, sizeof(p->provider_name),
			  ksyms_name(src->ksyms, raw->provider_ops, NULL));
}

static void fill_pool(struct bpf_source *src, struct pool *p, const struct pp_pool *raw,
		      const struct snapshot *s, bool audited, uint32_t slot)
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
	fill_device(p, raw);
	fill_params(p, raw);
	bpf_fill_books(p, raw, s, audited);
	p->audit.unaccounted = src->findings[slot].generation == raw->generation
				       ? src->findings[slot].believed
				       : 0;
	fill_symbols(src, p, raw, slot);
}

/* What system pools count when they recycle, the kernel does not keep apart. */
#define RECYCLE_BITS                                                                  \
	(1u << PP_CACHED | 1u << PP_CACHE_FULL | 1u << PP_RING | 1u << PP_RING_FULL | \
	 1u << PP_RELEASED_REFCNT)

static void fill_counters(const struct bpf_source *src, struct pool *p, const struct pp_pool *raw,
			  const struct hooks_counters *known, uint32_t slot)
{
	const struct pp_counts *row = (const struct pp_counts *)src->memory[STORE_COUNTS] +
				      (size_t)slot * (size_t)src->nr_cpus;
	const struct ppooltop_bpf__bss *bss = src->memory[STORE_GLOBAL];

	p->counters_known = known->known;
	p->cpus_known = known->cpus;
	memcpy(p->total.n, raw->total, sizeof(raw->total));
	memcpy(p->elsewhere.n, raw->moved, sizeof(raw->moved));
	if (src->plan.rung == RUNG_KERNEL && raw->system) {
		p->counters_known &= ~RECYCLE_BITS;
		p->cpus_known &= ~RECYCLE_BITS;
		p->counted_apart = RECYCLE_BITS;
		return;
	}
	if (!p->cpus)
		return;
	for (int cpu = 0; cpu < src->nr_cpus; cpu++) {
		memcpy(p->cpus[cpu].n, row[cpu].n, sizeof(row[cpu].n));
		/* The CPU itself puts this right at its next event: see bpf/state.bpf.h. */
		if (bss->late_cached[cpu] == slot + 1) {
			p->cpus[cpu].n[PP_RING]--;
			p->cpus[cpu].n[PP_CACHED]++;
		}
	}
	p->has |= POOL_HAS_CPUS;
}

/* Copy slot @slot unless it is free or just changing hands. */
static bool copy_slot(const struct bpf_source *src, uint32_t slot, struct pp_pool *raw)
{
	const struct pp_pool *shared = store_pool(src, slot);
	const volatile __u32 *generation = &shared->generation;
	uint32_t before = *generation;

	if (before & 1 || shared->state == PP_SLOT_FREE ||
	    (shared->state == PP_SLOT_DEAD && !src->keep_dead))
		return false;
	atomic_thread_fence(memory_order_acquire);
	*raw = *shared;
	atomic_thread_fence(memory_order_acquire);
	return *generation == before && raw->state != PP_SLOT_FREE &&
	       (raw->state != PP_SLOT_DEAD || src->keep_dead);
}

static int copy_pools(struct bpf_source *src, struct snapshot *s,
		      const struct hooks_counters *known)
{
	for (uint32_t slot = 0; slot < PP_MAX_POOLS; slot++) {
		struct pp_pool raw;
		struct pool *p;

		if (!copy_slot(src, slot, &raw))
			continue;
		p = snapshot_add(s, known->cpus);
		if (!p)
			return -ENOMEM;
		fill_pool(src, p, &raw, s, known->audited, slot);
		if (known->known)
			fill_counters(src, p, &raw, known, slot);
		src->copied[s->nr_pools - 1] = slot;
	}
	return 0;
}

/*
 * What became of the pools since they were copied: one that died is in its device's past now, and
 * so is what was counted before a move that another reader saw.
 */
static void recheck_pools(struct bpf_source *src, struct snapshot *s,
			  const struct hooks_counters *known)
{
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pp_pool *shared = store_pool(src, src->copied[i]);
		struct pool *p = &s->pools[i];
		struct pp_pool raw;

		if (shared->generation == p->generation && shared->state != PP_SLOT_DEAD &&
		    (!known->known ||
		     !memcmp(shared->moved, p->elsewhere.n, sizeof(shared->moved))))
			continue;
		if (!copy_slot(src, src->copied[i], &raw) || raw.generation != p->generation) {
			p->state = POOL_DEAD;
			continue;
		}
		fill_pool(src, p, &raw, s, known->audited, src->copied[i]);
		if (known->known)
			fill_counters(src, p, &raw, known, src->copied[i]);
	}
}

static int copy_devices(const struct bpf_source *src, struct snapshot *s, uint32_t known)
{
	const struct pp_device *raw = src->memory[STORE_DEVICES];
	uint32_t nr = global(src)->nr_devices;

	for (uint32_t i = 0; known && i < nr && i < PP_MAX_DEVICES; i++) {
		struct past *d;

		if (i > PP_DEVICE_OTHERS && !raw[i].ifindex)
			continue; /* not filled in yet */
		d = snapshot_add_past(s);
		if (!d)
			return -ENOMEM;
		d->netns = raw[i].netns;
		d->ifindex = raw[i].ifindex;
		d->others = i == PP_DEVICE_OTHERS;
		snprintf(d->ifname, sizeof(d->ifname), "%.*s", PP_IFNAMSIZ - 1, raw[i].ifname);
		snprintf(d->driver, sizeof(d->driver), "%.*s", PP_DRVNAMSIZ, raw[i].driver);
		d->counters_known = known;
		d->pools = raw[i].pools;
		memcpy(d->total.n, raw[i].n, sizeof(raw[i].n));
		if (i == PP_DEVICE_NONE)
			for (int c = 0; c < PP_NR_COUNTERS; c++)
				d->total.n[c] += global(src)->system_recycle[c];
	}
	return 0;
}

static uint64_t program_misses(int prog_fd)
{
	struct bpf_prog_info info = {0};
	__u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &len) ? 0 : info.recursion_misses;
}

/* struct bpf_link_info of a kprobe or kretprobe, which linux/bpf.h has from 6.7 on in full */
struct kprobe_info {
	__u32 type, id, prog_id, pad;
	__u32 event, pad2;
	__u64 func_name;
	__u32 name_len, offset;
	__u64 addr, missed;
};

/* A kprobe that would interrupt another is passed over before its program is asked for. */
static uint64_t kprobe_misses(int link_fd)
{
	struct kprobe_info info = {0};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(link_fd, &info, &len) || info.type != BPF_LINK_TYPE_PERF_EVENT)
		return 0;
	return info.missed;
}

static uint64_t missed_events(const struct bpf_source *src)
{
	uint64_t missed = 0;

	for (int i = 0; i < nr_hooks; i++) {
		if (!src->attached[i])
			continue;
		missed += program_misses(src->prog_fds[i]);
		missed += kprobe_misses(src->links[i] ? bpf_link__fd(src->links[i])
						      : src->link_fds[i]);
	}
	return missed;
}

static void fill_source(const struct bpf_source *src, struct source_info *info,
			const struct hooks_counters *known)
{
	info->state = rung_names[src->plan.rung];
	info->counters = known->known ? rung_names[src->plan.rung] : NULL;
	info->level = known->known ? level_names[src->plan.level] : NULL;
	info->attached = bpf_source_pinned(src);
	info->derived = known->derived;
	info->nr_missing = 0;
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		struct missing *m;

		if (known->known & (1u << i))
			continue;
		m = &info->missing[info->nr_missing++];
		snprintf(m->counter, sizeof(m->counter), "%s", counter_paths[i]);
		hooks_reason(&src->plan, known, (enum pp_counter)i, m->reason, sizeof(m->reason));
	}
}

/* Look for pools that no event announced first, or whose event was missed. */
static int refresh(struct bpf_source *src)
{
	int err = src->walk_fd >= 0 ? run_once(src->walk_fd) : 0;

	if (err)
		return err;
	for (int i = 0; i < READER_TRIES; i++) {
		err = run_once(src->refresh_fd);
		if (err != -EAGAIN)
			break;
		sleep_until(now_ns() + AUDIT_NS);
	}
	return err;
}

static uint32_t unaccounted(const struct bpf_source *src, uint32_t slot)
{
	const struct pp_pool *p = store_pool(src, slot);

	return p->state == PP_SLOT_USED && p->audit == PP_AUDIT_READY ? p->unaccounted : 0;
}

/* Is there a difference in the books that was not there at the last snapshot? */
static bool audit_worse(const struct bpf_source *src)
{
	for (uint32_t slot = 0; slot < PP_MAX_POOLS; slot++)
		if (unaccounted(src, slot) > src->findings[slot].pages)
			return true;
	return false;
}

/* Who may have a page in hand just now. */
struct hands {
	uint32_t tasks; /* that run or could run, this one too; 0: not looked yet */
	uint32_t cpus;
};

static void look_for_hands(struct hands *h)
{
	FILE *f;

	if (h->tasks)
		return;
	h->cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	f = fopen("/proc/loadavg", "re");
	if (!f || fscanf(f, "%*s %*s %*s %u/", &h->tasks) != 1 || !h->tasks)
		h->tasks = 1;
	if (f)
		fclose(f);
}

/*
 * A difference may be pages in the hands of somebody who was stopped in the middle of a put or a
 * refill: a task by another one, a CPU by its hypervisor. So what all hands together could hold is
 * not believed before it has been there for a while, and longer where it is no more than one page
 * for each task that waits: on a busy machine such a task may wait for long.
 */
static void judge(struct finding *f, uint32_t pages, uint32_t generation, struct hands *h)
{
	uint64_t age;

	look_for_hands(h);
	if (!pages || !f->pages || f->generation != generation) {
		f->generation = generation;
		f->since_ns = now_ns();
		f->least = pages;
	}
	f->pages = pages;
	f->least = pages < f->least ? pages : f->least;
	age = now_ns() - f->since_ns;
	if (pages > IN_HAND * (h->cpus + h->tasks))
		f->believed = pages;
	else if (age >= BELIEVE_NS && (f->least >= h->tasks || age >= BELIEVE_ALL_NS))
		f->believed = f->least;
	else
		f->believed = 0;
}

/*
 * Refresh until the differences in the books, if there are any, are no passing ones: a page can be
 * in the hands of a task that does not run just now.
 */
static int refresh_audited(struct bpf_source *src)
{
	struct hands hands = {0};
	int err = refresh(src);

	for (int i = 0; !err && i < AUDIT_TRIES && audit_worse(src); i++) {
		sleep_until(now_ns() + AUDIT_NS);
		err = refresh(src);
	}
	for (uint32_t slot = 0; slot < PP_MAX_POOLS; slot++) {
		uint32_t pages = unaccounted(src, slot);

		if (pages || src->findings[slot].pages)
			judge(&src->findings[slot], pages, store_pool(src, slot)->generation,
			      &hands);
	}
	return err;
}

/*
 * Pools, then devices. A pool that is being buried meanwhile would be counted twice or not at all:
 * all burials that were begun at the end have to be done at the beginning. Where many pools come
 * and go that is seldom so for long, hence only for as long as it takes to look at what changed.
 */
static int copy_all(struct bpf_source *src, struct snapshot *s, const struct hooks_counters *known)
{
	int err = copy_pools(src, s, known);

	for (int i = 0; !err && i < DEATHS_TRIES; i++) {
		uint64_t done = *(const volatile __u64 *)&global(src)->deaths_done;

		atomic_thread_fence(memory_order_acquire);
		recheck_pools(src, s, known);
		s->nr_past = 0;
		err = copy_devices(src, s, known->known);
		atomic_thread_fence(memory_order_acquire);
		if (*(const volatile __u64 *)&global(src)->deaths_begun == done)
			break;
		sleep_until(now_ns() + DEATHS_NS);
	}
	return err;
}

int bpf_source_read(struct bpf_source *src, struct snapshot *s)
{
	struct hooks_counters known;
	int err;

	bpf_source_counters(src, &known);
	ksyms_refresh(src->ksyms);
	err = refresh_audited(src);
	if (!err)
		err = copy_all(src, s, &known);
	s->lost_pools = global(src)->lost_pools;
	s->lost_events = missed_events(src);
	fill_source(src, &s->source, &known);
	return err;
}
