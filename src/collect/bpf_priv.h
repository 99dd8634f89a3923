/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by bpf*.c alone. */
#ifndef PPOOLTOP_COLLECT_BPF_PRIV_H
#define PPOOLTOP_COLLECT_BPF_PRIV_H

#include <bpf/btf.h>
#include <linux/types.h>

#include "bpf.h"
#include "ksyms.h"
#include "slots.h"

/* Maps that are read through memory: reading costs no system call. */
enum store_map { STORE_POOLS, STORE_COUNTS, STORE_DEVICES, STORE_GLOBAL, STORE_META, NR_STORE };

/* A pool's creator, resolved once. */
struct creator {
	uint32_t generation;
	char name[64];
};

/* What the audit of a pool found, and since when. */
struct finding {
	uint32_t generation;
	uint32_t pages;	   /* at the last refresh */
	uint32_t least;	   /* since since_ns */
	uint32_t believed; /* of them, see bpf_read.c */
	uint64_t since_ns;
};

struct bpf_source {
	struct hooks_plan plan;
	struct ppooltop_bpf *skel; /* NULL: pinned */
	struct btf *btf;
	struct bpf_link *links[MAX_HOOKS];
	bool attached[MAX_HOOKS];
	int prog_fds[MAX_HOOKS];	/* of attached hooks; owned where pinned */
	int link_fds[MAX_HOOKS];	/* the same, where pinned only */
	int refresh_fd, walk_fd;	/* owned where pinned; walk_fd -1: no list of pools */
	struct hooks_counters counters; /* that it knows; finding out costs a search of the BTF */
	int nr_cpus;
	const char *without;
	bool keep_dead;
	const void *memory[NR_STORE];
	size_t memory_len[NR_STORE];
	struct ksyms *ksyms;
	struct creator *creators;      /* by slot */
	struct finding *findings;      /* by slot */
	uint32_t copied[PP_MAX_POOLS]; /* slots of its pools, in their order */
};

/* Their names, in the BPF object and in bpffs. */
extern const char *const store_names[NR_STORE];

/* Map @map into memory as @what. @fd stays the caller's. 0 or -errno. */
int store_map(struct bpf_source *src, enum store_map what, int fd);

static inline const struct pp_pool *store_pool(const struct bpf_source *src, uint32_t slot)
{
	return (const struct pp_pool *)src->memory[STORE_POOLS] + slot;
}

/* What @raw says of pages, state and audit, into @p. @audited: of struct hooks_counters. */
void bpf_fill_books(struct pool *p, const struct pp_pool *raw, const struct snapshot *s,
		    bool audited);

/* struct pp_meta::sizes of this program. */
__u32 bpf_meta_sizes(void);

/* A source with nothing open yet, or NULL. */
struct bpf_source *bpf_source_new(void);

/* Run a program of the reader's once. 0; -EAGAIN: another reader is just at it; or -errno. */
int run_once(int prog_fd);

#endif /* PPOOLTOP_COLLECT_BPF_PRIV_H */
