/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What truth.bpf.c tells exact.c. */
#ifndef TRUTH_H
#define TRUTH_H

#define TRUTH_MAX  8192
#define TRUTH_CPUS 8

/* One pool, as the kernel's own struct page_pool_stats and its fields have it. */
struct truth {
	__u64 address;
	__u32 id;
	__u32 scrubs; /* times page_pool_release() ran */
	/* at the first page_pool_release(), before anything was thrown out */
	__u32 cache;
	__u32 ring;
	__s32 inflight;
	__u32 stats; /* the kernel keeps counters */
	/* one of the per-CPU pools of the system: @recycle is what all of them share */
	__u32 system;
	__u32 pad;
	__u64 alloc[6];
	__u64 recycle[TRUTH_CPUS][5];
};

#endif /* TRUTH_H */
