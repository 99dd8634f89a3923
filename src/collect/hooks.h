/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of hooks: each place in the kernel where a BPF program may be attached, on which
 * kernels it is to be found, and what is lost without it. Loading, fallback and `probe` all work
 * from it.
 */
#ifndef PPOOLTOP_HOOKS_H
#define PPOOLTOP_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"

struct btf;

/* Rungs of the ladder that BPF programs make, best first. */
enum rung {
	RUNG_KERNEL,	 /* reads what the kernel counts */
	RUNG_FENTRY,	 /* counts at functions */
	RUNG_KPROBE,	 /* the same where fentry is refused or missing */
	RUNG_TRACEPOINT, /* counts nothing: pools, and pages held and released */
	NR_RUNGS,
};

extern const char *const rung_names[NR_RUNGS];
extern const char *const level_names[]; /* by enum pp_level, include/slots.h */

/* Only hooks on functions can be more or fewer. */
bool rung_has_levels(enum rung rung);

enum hook_kind { HOOK_ENTRY, HOOK_EXIT, HOOK_TRACEPOINT };

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
	uint32_t levels;  /* bits PP_LEVEL_x; 0: all */
	bool books;	  /* without it the books do not balance */
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

#define MAX_HOOKS 64

/* What is to be attached. */
struct hooks_plan {
	enum rung rung;
	unsigned int level; /* enum pp_level */
	bool listed;   /* the kernel's list of pools can be read: no event is needed to meet them */
	bool creation; /* hook the creation of pools, too, where the rung does without */
};

/* "fentry", "kretprobe", "tracepoint": what a hook is on @rung */
const char *hook_kind_name(enum rung rung, enum hook_kind kind);

/* The name of the hook's program on @rung, in @name. */
void hook_prog_name(enum rung rung, const struct hook *h, char *name, size_t len);

/* Does the kernel with this BTF have the hook's target, with the argument the program expects? */
bool hook_exists(const struct btf *btf, const struct hook *h);

/* Set @wanted[i] for each hook to be attached by @plan. @wanted has nr_hooks entries. */
void hooks_choose(const struct btf *btf, const struct hooks_plan *plan, bool *wanted);

/* What is known of the counters: bits PP_x. */
struct hooks_counters {
	uint32_t known;	  /* of a pool */
	uint32_t cpus;	  /* of a pool on one CPU */
	uint32_t derived; /* not counted, but following from the books */
	bool audited;	  /* the books are complete: what they have can be held against a pool */
	const struct group *why[PP_NR_COUNTERS]; /* whose absence is to blame; NULL: the plan */
};

/* Counters that are known by @plan if just the hooks with @attached[i] are there. */
void hooks_counters(const struct btf *btf, const struct hooks_plan *plan, const bool *attached,
		    struct hooks_counters *counters);

/* Why counter @i is not known, in words. */
void hooks_reason(const struct hooks_plan *plan, const struct hooks_counters *counters,
		  enum pp_counter i, char *text, size_t len);

#endif /* PPOOLTOP_HOOKS_H */
