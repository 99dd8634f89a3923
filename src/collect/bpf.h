/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources made by BPF programs: one set of maps, filled as a rung of the ladder allows, by this
 * process or by programs that were attached before (bpf_pin.c).
 */
#ifndef PPOOLTOP_COLLECT_BPF_H
#define PPOOLTOP_COLLECT_BPF_H

#include "hooks.h"
#include "snapshot.h"

struct bpf_source;

struct bpf_source_opts {
	enum rung rung;
	unsigned int level; /* enum pp_level */
	/* for tests */
	const char *without; /* a program to leave out, unnoticed, or NULL */
	bool keep_dead;	     /* snapshots have pools that are dead, while their slot is free */
};

/*
 * Load programs and attach them.
 * Returns 0 or -errno; @why then says in words what failed.
 */
int bpf_source_open(struct bpf_source **src, const struct bpf_source_opts *opts, char *why,
		    size_t len);

/*
 * Use what "attach" left in bpffs. -ENOENT: nothing is attached; -EPROTO: by another version, see
 * @why. @keep_dead: as in struct bpf_source_opts.
 */
int bpf_source_open_pinned(struct bpf_source **src, bool keep_dead, char *why, size_t len);

/* Is something in the way of bpf_source_pin()? Asked before programs are loaded; as it returns. */
int bpf_source_may_pin(char *why, size_t len);

/*
 * Have the programs of @src, which this process opened, go on without it. -EEXIST: some are
 * attached already; -EBUSY: somebody is just doing that; else -errno, and @why.
 */
int bpf_source_pin(struct bpf_source *src, char *why, size_t len);

/* Undo bpf_source_pin(), also one that was cut short. -ENOENT: there was nothing. */
int bpf_source_unpin(char *why, size_t len);

/* Append every pool to the empty snapshot @s and fill in its source and losses. 0 or -errno. */
int bpf_source_read(struct bpf_source *src, struct snapshot *s);

/* The counters it knows. */
void bpf_source_counters(const struct bpf_source *src, struct hooks_counters *counters);

const struct hooks_plan *bpf_source_plan(const struct bpf_source *src);

/* Is it one that "attach" left? */
bool bpf_source_pinned(const struct bpf_source *src);

/* Is hook @i of the table attached? */
bool bpf_source_attached(const struct bpf_source *src, int i);

void bpf_source_close(struct bpf_source *src);

#endif /* PPOOLTOP_COLLECT_BPF_H */
