/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sources made by BPF programs: one set of maps, attached as a rung of the ladder allows. */
#ifndef PPOOLTOP_COLLECT_BPF_H
#define PPOOLTOP_COLLECT_BPF_H

#include "hooks.h"
#include "snapshot.h"

struct bpf_source;

/* For tests. */
struct bpf_source_opts {
	const char *without; /* a program to leave out, or NULL */
	bool keep_dead;	     /* pools that are dead: in every snapshot, not just in the next */
};

/*
 * Load the programs of @rung and attach them.
 * Returns 0 or -errno; *@why then says in words what failed (static storage).
 */
int bpf_source_open(struct bpf_source **src, enum rung rung, const struct bpf_source_opts *opts,
		    const char **why);

/* Append every pool to the empty snapshot @s and fill in its source and losses. 0 or -errno. */
int bpf_source_read(struct bpf_source *src, struct snapshot *s);

/* The counters it knows: bits PP_x. */
uint32_t bpf_source_counters(const struct bpf_source *src);

enum rung bpf_source_rung(const struct bpf_source *src);

/* Is hook @i of the table attached? */
bool bpf_source_attached(const struct bpf_source *src, int i);

void bpf_source_close(struct bpf_source *src);

#endif /* PPOOLTOP_COLLECT_BPF_H */
