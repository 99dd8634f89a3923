/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reading of every page_pool: what collect/ makes, and model/ and view/ read. Nothing here
 * says where it came from but `struct source_info`, and nobody below collect/ cares.
 */
#ifndef PPOOLTOP_SNAPSHOT_H
#define PPOOLTOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "counters.h"

#define SNAP_NAMELEN 256 /* NAME_MAX and its end */

struct counters {
	uint64_t n[PP_NR_SLOT_COUNTERS];
};

enum pool_state {
	POOL_LIVE,
	POOL_DRAINING,	 /* destroyed, pages still out */
	POOL_STUCK,	 /* destroyed, and no page comes back */
	POOL_SYSTEM,	 /* a per-CPU pool of the system */
	POOL_IMPOSSIBLE, /* more pages released than held */
	POOL_DEAD,	 /* gone; kept once more so that its last counts are not lost */
	POOL_NR_STATES,
};

/* What is known of a pool: everything else is shown as n/a or null. */
enum pool_has {
	POOL_HAS_ID = 1 << 0,
	POOL_HAS_ADDRESS = 1 << 1,
	POOL_HAS_PARAMS = 1 << 2,
	POOL_HAS_BOOKS = 1 << 3, /* hold, release, cache, ring */
	POOL_HAS_INFLIGHT = 1 << 4,
	POOL_HAS_CPUS = 1 << 5,	     /* counters per CPU */
	POOL_HAS_DESTROYED = 1 << 6, /* destroyed_s */
};

/* Do the books balance? See bpf/books.bpf.h for the laws. */
struct audit {
	bool known;	     /* false: destroyed, just met, or the source cannot tell */
	int64_t unaccounted; /* pages */
};

/* struct pool::flags has the kernel's PP_FLAG_* bits, such as the first, but for one of our own. */
#define POOL_FLAG_DMA_MAP (1u << 0)
#define POOL_FLAG_SYSTEM  (1u << 4)

#define NR_POOL_FLAGS	  5
#define NR_DMA_DIRS	  4

/* The words of the JSON document: "live", "dma_map" for bit 0, "bidirectional" for 0. */
extern const char *const pool_state_names[POOL_NR_STATES];
extern const char *const pool_flag_names[NR_POOL_FLAGS];
extern const char *const dma_dir_names[NR_DMA_DIRS];

struct pool {
	uint32_t has;		 /* enum pool_has */
	uint32_t counters_known; /* bit PP_x: total.n[PP_x] is known */
	uint32_t cpus_known;	 /* bit PP_x: cpus[].n[PP_x] is known */
	uint32_t counted_apart;	 /* bit PP_x: not known, but its device's past has it */
	uint64_t address;
	uint32_t generation; /* of the address: (address, generation) is one pool */
	uint32_t id;	     /* the kernel's, 6.8 and later */
	enum pool_state state;
	bool visible;	       /* netlink shows it */
	bool created;	       /* counted from its creation on */
	struct timespec since; /* CLOCK_REALTIME: counted since then; tv_sec 0: unknown */

	/* device; empty name, 0 and -1 where unknown */
	char ifname[16];
	int ifindex;
	uint32_t netns; /* inode number */
	char netns_name[SNAP_NAMELEN];
	char driver[SNAP_NAMELEN];
	char dev[32]; /* struct device the pages are mapped for */
	int queue;
	uint32_t napi_id;
	char creator[64]; /* the function that called page_pool_create(); empty: unknown */

	/* parameters as in struct page_pool_params */
	uint32_t order;
	uint32_t pool_size;
	uint32_t ring_size;
	int nid;
	uint32_t flags;
	uint32_t dma_dir;
	uint32_t max_len;
	uint32_t offset;
	bool provider;
	char provider_name[64]; /* the kernel's memory_provider_ops, or empty */

	int64_t inflight; /* pages; signed */
	uint64_t inflight_bytes;
	uint32_t hold;
	uint32_t release;
	uint32_t cache;
	uint32_t ring;
	/* the same when counting began */
	uint32_t base_cache;
	uint32_t base_ring;
	double destroyed_s; /* seconds since page_pool_destroy() */
	struct audit audit;

	struct counters total;
	struct counters elsewhere; /* part of total: counted on devices it was on before */
	struct counters *cpus;	   /* snapshot.nr_cpus entries, or NULL; owned by the snapshot */
};

/* What was counted on a device by pools that are gone, or are on another device now. */
struct past {
	char ifname[16];
	int ifindex;
	uint32_t netns;
	char netns_name[SNAP_NAMELEN];
	char driver[SNAP_NAMELEN];
	bool others; /* of devices too many to be told apart */
	uint64_t pools;
	uint32_t counters_known;
	struct counters total;
};

struct missing {
	char counter[32];
	char reason[128];
};

struct source_info {
	const char *counters; /* rung of the ladder the counters came from, or NULL: none */
	const char *state;    /* where pools and their state came from */
	const char *level;    /* "full", "derived" or "slow", or NULL */
	bool attached;	      /* collected by "ppooltop attach" */
	uint32_t derived;     /* bits PP_x: followed from the books, not counted */
	struct missing missing[PP_NR_COUNTERS];
	int nr_missing;
};

struct host_info {
	char name[65]; /* as uname(2) has it, or empty */
	char kernel[128];
	int cpus;
	long page_size;
};

struct snapshot {
	struct timespec time; /* CLOCK_REALTIME */
	uint64_t mono_ns;     /* CLOCK_MONOTONIC */
	struct host_info host;
	struct source_info source;
	uint64_t lost_pools;
	uint64_t lost_events;
	int nr_cpus;
	struct pool *pools;
	size_t nr_pools;
	size_t cap_pools;
	struct past *past;
	size_t nr_past;
	/* past has every device, also those it has nothing of, and what vanished without a word */
	bool whole_past;
};

/* "alloc.fast" and so on, as in the JSON */
extern const char *const counter_paths[PP_NR_COUNTERS];

/* An empty snapshot of @nr_cpus CPUs. */
void snapshot_init(struct snapshot *s, int nr_cpus);

/* Free what @s owns and make it empty. */
void snapshot_free(struct snapshot *s);

/*
 * A new, zeroed pool at the end of @s, with room for per-CPU counters if @cpus. Returns NULL when
 * memory is out. The pointer is good until the next call.
 */
struct pool *snapshot_add(struct snapshot *s, bool cpus);

/* Make @to, which must be empty, a copy of @from that owns its own. 0 or -ENOMEM. */
int snapshot_copy(struct snapshot *to, const struct snapshot *from);

/* Drop pools and past; the rest of @s stays. */
void snapshot_clear(struct snapshot *s);

/* A new, zeroed entry at the end of @s->past, or NULL; good until the next call. */
struct past *snapshot_add_past(struct snapshot *s);

/*
 * Pages in flight, as page_pool_inflight() has it (net/core/page_pool.c): the counts wrap, and
 * their distance is signed.
 */
int64_t snapshot_inflight(uint32_t hold, uint32_t release);

/* The pool with the kernel's @id, or NULL. */
struct pool *snapshot_find_id(struct snapshot *s, uint32_t id);

#endif /* PPOOLTOP_SNAPSHOT_H */
