/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of hooks: each place in the kernel where a BPF program may be attached, on which
 * kernels it is to be found, and what is lost without it. Loading, fallback and `probe` all work
 * from it.
 */
#ifndef PPOOLTOP_HOOKS_H
#define PPOOLTOP_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct btf;

/* Rungs of the ladder that BPF programs make. */
enum rung {
	RUNG_FENTRY,
	RUNG_TRACEPOINT,
	NR_RUNGS,
};

extern const char *const rung_names[NR_RUNGS];

enum hook_kind { HOOK_FENTRY, HOOK_FEXIT, HOOK_TRACEPOINT };

enum hook_group {
	GROUP_ALLOC,
	GROUP_REFILL,
	GROUP_SLOW,
	GROUP_FRAG,
	GROUP_PUT,
	GROUP_BULK,
	GROUP_RELEASED,
	GROUP_SCRUB,
	GROUP_NID,
	GROUP_CREATE,
	GROUP_LIFE,
	GROUP_DEVICE,
	GROUP_HOLD,
	NR_GROUPS,
};

struct group {
	const char *what; /* for people: what the group sees */
	uint32_t feeds;	  /* bits PP_x of counters that are not to be had without it */
	uint32_t rungs;	  /* bits RUNG_x */
	bool all;	  /* attach every hook there is; else those of the first target there is */
	bool exported;	  /* functions no compiler may remove: if absent, so is what they do */
};

extern const struct group hook_groups[NR_GROUPS];

enum arg_kind { ARG_ANY, ARG_POINTER, ARG_INTEGER };

struct hook {
	enum hook_group group;
	enum hook_kind kind;
	const char *target; /* function or tracepoint of the kernel */
	const char *prog;   /* program of bpf/ */
	int arg;	    /* argument whose type differs between kernels, and what it must be */
	enum arg_kind arg_kind;
	const char *kernels;
};

extern const struct hook hooks[];
extern const int nr_hooks;

/* "fentry", "fexit", "tracepoint" */
const char *hook_kind_name(enum hook_kind kind);

/* Does the kernel with this BTF have the hook's target, with the argument the program expects? */
bool hook_exists(const struct btf *btf, const struct hook *h);

/* Set @wanted[i] for each hook to be attached on @rung. @wanted has nr_hooks entries. */
void hooks_choose(const struct btf *btf, enum rung rung, bool *wanted);

/*
 * Counters that are known on @rung if just the hooks with @attached[i] are there: bits PP_x. For
 * each that is not, @why[PP_x] points to the group whose absence is to blame; no group is to blame
 * where the rung as such does not count.
 */
uint32_t hooks_counters(const struct btf *btf, enum rung rung, const bool *attached,
			const struct group *why[]);

#endif /* PPOOLTOP_HOOKS_H */
