/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What BPF writes and C reads, through memory-mapped array maps. Included on both sides, so only
 * the kernel's integer types are used; the includer brings them (vmlinux.h or linux/types.h).
 */
#ifndef PPOOLTOP_SLOTS_H
#define PPOOLTOP_SLOTS_H

#include "counters.h"

/*
 * Raised with every change of meaning below. Collection that was attached by another version is
 * read only if this and the sizes agree: struct pp_meta.
 */
#define PP_LAYOUT      3

#define PP_MAX_POOLS   4096  /* pools alive at once; more are counted as lost */
#define PP_MAX_LOST    16384 /* of those, how many are told apart */
#define PP_MAX_DEVICES 4096  /* devices whose pools died; more share one entry */
#define PP_MAX_CPUS    1024
#define PP_DEVNAMSIZ   32
#define PP_DRVNAMSIZ   24
#define PP_IFNAMSIZ    16 /* IFNAMSIZ, include/uapi/linux/if.h */
#define PP_STACK       8  /* return addresses kept of page_pool_create()'s callers */

/* How much is hooked: what is not is derived from the books, or n/a. */
enum pp_level {
	PP_LEVEL_SLOW,	  /* slow paths only */
	PP_LEVEL_DERIVED, /* slow paths and puts; allocations follow from the cache's books */
	PP_LEVEL_FULL,
	PP_NR_LEVELS,
};

/*
 * The counters of one pool on one CPU: entry slot * nr_cpus + cpu of the map "counts". Two cache
 * lines, written by that CPU only. @pool is the pool's address while it lives and 0 afterwards, so
 * that one load tells a writer whether the slot it remembers is still this pool's.
 */
struct pp_counts {
	__u64 pool;
	__u64 n[PP_NR_SLOT_COUNTERS];
};

_Static_assert(sizeof(struct pp_counts) == 128, "one slot is two cache lines");

enum pp_slot_state {
	PP_SLOT_FREE,
	PP_SLOT_USED,
	PP_SLOT_DEAD, /* the pool is freed by the kernel; the slot keeps its last counts until it is
			 reused */
};

/* Do the books balance? Each law: what went in less what came out is what is there. */
enum pp_law {
	PP_LAW_CACHE,
	PP_LAW_RING,
	PP_LAW_HOLD, /* pages held are pages fetched */
	PP_NR_LAWS,
};

enum pp_audit {
	PP_AUDIT_NONE, /* met, not created, while we watched: what it began with is not known yet */
	PP_AUDIT_ONCE, /* seen at rest: if it stays so, that is what it began with */
	PP_AUDIT_READY, /* pp_pool.unaccounted is valid */
};

/*
 * One pool: entry slot of the map "pools". (address, generation) is its identity: no two pools have
 * the same generation. It is odd while the slot is being filled in.
 */
struct pp_pool {
	__u64 address;
	__u32 generation;
	__u32 state;	    /* enum pp_slot_state */
	__u64 since_ns;	    /* CLOCK_MONOTONIC when created, or when first seen */
	__u64 destroyed_ns; /* when page_pool_destroy() was called, or 0 */
	__u64 changed_ns;   /* of the last page seen coming back after that, or 0 */
	__u32 created;	    /* 1: seen from its creation on, so that counts are its whole life */
	__u32 id;	    /* pool->user.id, 6.8 and later, else 0 */

	/* the device: pool->slow.netdev (6.8 and later), xdp:mem_connect, or what pool->p.dev is of
	 */
	__u64 netdev; /* struct net_device of mem_connect; may be gone */
	__u32 netns;  /* inode number, 0: unknown */
	__s32 ifindex;
	char ifname[PP_IFNAMSIZ];
	char dev[PP_DEVNAMSIZ]; /* name of params.dev: "0000:00:03.0", or a network interface's */
	char driver[PP_DRVNAMSIZ];
	__s32 queue;   /* -1: unknown */
	__u32 napi_id; /* 0: none */

	/* parameters: struct page_pool_params */
	__u32 order;
	__u32 pool_size; /* as asked for, 0: the default */
	__u32 ring_size; /* as it is */
	__s32 nid;
	__u32 flags;
	__u32 dma_dir;
	__u32 max_len;
	__u32 offset;
	__u64 provider_ops; /* struct memory_provider_ops of pages that come from a provider */
	__u32 provider;	    /* 1: pages come from a memory provider */
	__u32 system;	    /* 1: one of the per-CPU pools of the system */

	/* state at the last refresh, or at death */
	__u32 hold;
	__u32 release;
	__u32 cache; /* pages in alloc.cache */
	__u32 ring;  /* pages in the ring */

	/* state when first seen: what the books start from */
	__u32 base_hold;
	__u32 base_cache;
	__u32 base_ring;

	__u32 audit;		 /* enum pp_audit */
	__s32 drift[PP_NR_LAWS]; /* by which the books were off to begin with */
	__u32 unaccounted;	 /* pages, at the last refresh */
	__u32 flushed_cache;	 /* pages page_pool_release() found in the cache */
	__u32 flushed_ring;	 /* ... and in the ring */
	/* PP_AUDIT_ONCE: how often drift was the same, since when nothing was counted, and the sum
	 * of all counters then
	 */
	__u32 rest_seen;
	__u64 rest_ns;
	__u64 rest_sum;

	/* of all CPUs, in the instant of cache and ring above */
	__u64 total[PP_NR_SLOT_COUNTERS];
	/* part of it that was counted on other devices, from which the pool moved here */
	__u64 moved[PP_NR_SLOT_COUNTERS];

	/* who called page_pool_create(): return addresses, innermost first, ended by 0 */
	__u64 stack[PP_STACK];
};

_Static_assert(sizeof(struct pp_pool) == 576, "same layout on both sides");

/*
 * What was counted on a device by pools that are gone, or are on another one now: entry of the map
 * "devices". The first two entries are PP_DEVICE_NONE and PP_DEVICE_OTHERS.
 */
struct pp_device {
	__u32 netns;
	__s32 ifindex;
	char ifname[PP_IFNAMSIZ];
	char driver[PP_DRVNAMSIZ];
	__u64 pools; /* that died here */
	__u64 n[PP_NR_SLOT_COUNTERS];
};

#define PP_DEVICE_NONE	 0 /* pools without a device */
#define PP_DEVICE_OTHERS 1 /* devices there was no entry left for */

/* Global numbers, in the BPF objects' .bss. */
struct pp_global {
	__u64 lost_pools; /* pools that no slot was free for */
	/* Deaths (and moves) worked into the devices, begun and done: a reader that finds them
	 * different, or changed, reads again.
	 */
	__u64 deaths_begun;
	__u64 deaths_done;
	/* The recycle counters that all system pools share, where the kernel keeps some */
	__u64 system_recycle[PP_NR_COUNTERS];
	__u32 nr_devices; /* entries of "devices" in use */
	__u32 generation; /* the last one given, even */
};

/* What collection is attached: entry 0 of the map "meta". Written once, by C. */
struct pp_meta {
	__u32 layout;	  /* PP_LAYOUT */
	__u32 sizes;	  /* PP_SIZES */
	char version[32]; /* of the program that attached it */
	__u32 nr_cpus;	  /* CPUs in a row of "counts" */
	__u32 rung;	  /* enum rung */
	__u32 level;	  /* enum pp_level */
	__u32 nr_hooks;	  /* in the table of hooks */
	__u32 listed;	  /* struct hooks_plan */
	__u32 creation;
	__u64 attached; /* bit i: hook i of that table */
};

#define PP_SIZES \
	(sizeof(struct pp_counts) ^ sizeof(struct pp_pool) << 8 ^ sizeof(struct pp_device) << 18)

#endif /* PPOOLTOP_SLOTS_H */
