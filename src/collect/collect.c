// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "bpf.h"
#include "collect.h"
#include "env.h"
#include "input.h"
#include "netns.h"
#include "slots.h"
#include "util.h"

struct collect {
	struct input *input;	/* in place of everything below; NULL: the kernel is read */
	struct bpf_source *bpf; /* NULL: netlink alone */
	struct netns_names names;
	bool unprivileged;
};

static const char netlink_name[] = "netlink";

/* The rung with this name; NR_RUNGS: netlink; -1: there is none. */
static int rung_named(const char *name)
{
	for (int i = 0; i < NR_RUNGS; i++)
		if (!strcmp(rung_names[i], name))
			return i;
	return strcmp(name, netlink_name) != 0 ? -1 : NR_RUNGS;
}

static int level_named(const char *name)
{
	for (int i = 0; i < PP_NR_LEVELS; i++)
		if (!strcmp(level_names[i], name))
			return i;
	return -1;
}

bool collect_is_source(const char *name)
{
	return rung_named(name) >= 0;
}

bool collect_is_level(const char *name)
{
	return level_named(name) >= 0;
}

static void note_refused(FILE *notes, enum rung rung, int err, const char *why)
{
	char lockdown[32];

	if (!notes)
		return;
	env_lockdown(lockdown, sizeof(lockdown));
	fprintf(notes, "ppooltop: no %s: %s%s%s%s%s\n", rung_names[rung], why, *why ? ": " : "",
		strerror(-err), lockdown[0] ? "; the kernel is locked down: " : "", lockdown);
}

/* What "attach" left, if it is what is asked for; a note says if it is not to be used. */
static void open_pinned(struct collect *c, const struct collect_opts *opts)
{
	char why[160];
	int err = bpf_source_open_pinned(&c->bpf, opts->keep_dead, why, sizeof(why));
	const struct hooks_plan *plan;

	if (err) {
		c->bpf = NULL;
		if (err != -ENOENT && opts->notes)
			fprintf(opts->notes, "ppooltop: not using what is attached: %s\n", why);
		return;
	}
	plan = bpf_source_plan(c->bpf);
	if ((!opts->source || !strcmp(opts->source, rung_names[plan->rung])) &&
	    (!opts->level || !rung_has_levels(plan->rung) ||
	     !strcmp(opts->level, level_names[plan->level])))
		return;
	bpf_source_close(c->bpf);
	c->bpf = NULL;
}

/*
 * A kernel without counters of its own is nothing to remark on; neither is a rung that a better one
 * below the missing one makes up for. So notes are kept until it is known what came of it.
 */
static int climb_down(struct collect *c, const struct collect_opts *opts, int from, int to)
{
	struct bpf_source_opts bpf_opts = {
		.level = (unsigned int)level_named(opts->level ? opts->level
							       : level_names[PP_LEVEL_FULL]),
		.without = opts->without,
		.keep_dead = opts->keep_dead,
	};
	int err = -ENOTSUP;

	for (int rung = from; rung < to && !c->bpf; rung++) {
		char why[160];

		bpf_opts.rung = (enum rung)rung;
		err = bpf_source_open(&c->bpf, &bpf_opts, why, sizeof(why));
		if (!err)
			break;
		c->bpf = NULL;
		if (rung != RUNG_KERNEL || opts->source)
			note_refused(opts->notes, (enum rung)rung, err, why);
	}
	return err;
}

static int open_input(struct collect **out, struct collect *c, const struct collect_opts *opts)
{
	int err = input_open(&c->input, opts->input, opts->notes);

	*out = err ? NULL : c;
	if (err)
		free(c);
	return err;
}

int collect_open(struct collect **out, const struct collect_opts *opts)
{
	struct collect *c = calloc(1, sizeof(*c));
	int only = opts->source ? rung_named(opts->source) : -1;

	if (!c)
		return -ENOMEM;
	if (opts->input)
		return open_input(out, c, opts);
	env_libbpf_print(opts->verbose);
	c->unprivileged = !env_may_trace();
	*out = c;
	if (only == NR_RUNGS) {
		c->unprivileged = false; /* it needs no privilege */
		return 0;
	}
	if (c->unprivileged && only < 0)
		return 0;
	if (!opts->fresh && !opts->without && !c->unprivileged)
		open_pinned(c, opts);
	if (!c->bpf && !c->unprivileged)
		climb_down(c, opts, only < 0 ? 0 : only, only < 0 ? NR_RUNGS : only + 1);
	if (c->bpf || only < 0)
		return 0;
	if (c->unprivileged && opts->notes)
		fprintf(opts->notes, "ppooltop: no %s: needs root, or CAP_BPF and CAP_PERFMON\n",
			opts->source);
	collect_close(c);
	*out = NULL;
	return -ENOTSUP;
}

bool collect_recorded(const struct collect *c)
{
	return c->input;
}

bool collect_unprivileged(const struct collect *c)
{
	return c->unprivileged;
}

struct bpf_source *collect_bpf(const struct collect *c)
{
	return c->bpf;
}

/* Where BPF counts nothing: did netlink, and if not, why is there nothing? */
static void fill_netlink_source(const struct collect *c, struct snapshot *s)
{
	struct source_info *info = &s->source;

	for (size_t i = 0; i < s->nr_pools; i++)
		if (s->pools[i].counters_known)
			info->counters = "netlink";
	if (info->counters)
		info->nr_missing = 0;
	if (c->bpf || info->counters)
		return;
	info->state = "netlink";
	snprintf(info->missing[0].counter, sizeof(info->missing[0].counter), "all");
	snprintf(info->missing[0].reason, sizeof(info->missing[0].reason), "%s",
		 c->unprivileged ? "needs CAP_BPF and CAP_PERFMON, or root"
				 : "the kernel refuses BPF programs and shows no counters itself");
	info->nr_missing = 1;
}

/*
 * Pools that BPF has not met have done nothing since hooks began to count: that is known, too.
 * Where every pool is met, in the kernel's list, those are just being born or have no slot.
 */
static void fill_idle(const struct collect *c, struct snapshot *s)
{
	struct hooks_counters counters;

	bpf_source_counters(c->bpf, &counters);
	if (bpf_source_plan(c->bpf)->listed)
		return;
	for (size_t i = 0; i < s->nr_pools; i++)
		if (!(s->pools[i].has & POOL_HAS_ADDRESS))
			s->pools[i].counters_known = counters.known;
}

void collect_nowait(struct collect *c)
{
	if (c->input)
		input_nowait(c->input);
}

int collect_read(struct collect *c, struct snapshot *s)
{
	int nr_cpus = possible_cpu_ids();
	int err, shown;

	snapshot_free(s);
	if (c->input)
		return input_read(c->input, s);
	snapshot_init(s, nr_cpus > 0 ? nr_cpus : 1);
	clock_gettime(CLOCK_REALTIME, &s->time);
	s->mono_ns = now_ns();
	env_host(&s->host);
	if (c->bpf) {
		err = bpf_source_read(c->bpf, s);
		if (err)
			return err;
	}
	/* Where BPF counts nothing, the kernel's own counters are asked for. */
	shown = netlink_read(s, !s->source.counters);
	/* With BPF the namespace's list is a bonus: most pools are not in it anyway. */
	if (shown < 0 && !c->bpf)
		return shown;
	if (!s->source.counters)
		fill_netlink_source(c, s);
	else
		fill_idle(c, s);
	netns_learn(&c->names);
	netns_name_pools(&c->names, s);
	return 0;
}

void collect_close(struct collect *c)
{
	if (!c)
		return;
	input_close(c->input);
	bpf_source_close(c->bpf);
	netns_forget(&c->names);
	free(c);
}

static bool may_attach(bool unprivileged, char *why, size_t len)
{
	if (!unprivileged)
		return true;
	snprintf(why, len, "needs root, or CAP_BPF and CAP_PERFMON, and write access to %s",
		 "/sys/fs/bpf");
	return false;
}

int collect_may_attach(char *why, size_t len)
{
	if (!may_attach(!env_may_trace(), why, len))
		return -EPERM;
	return bpf_source_may_pin(why, len);
}

int collect_attach(struct collect *c, char *why, size_t len)
{
	if (!may_attach(c->unprivileged, why, len))
		return -EPERM;
	if (!c->bpf) {
		snprintf(why, len, "without BPF programs there is nothing to attach");
		return -EOPNOTSUPP;
	}
	return bpf_source_pin(c->bpf, why, len);
}

int collect_detach(char *why, size_t len)
{
	if (!may_attach(!env_may_trace(), why, len))
		return -EPERM;
	return bpf_source_unpin(why, len);
}

const char *collect_source_name(const struct collect *c)
{
	static char name[64];
	const struct hooks_plan *plan;

	if (c->input)
		return "a recording";
	if (!c->bpf)
		return netlink_name;
	plan = bpf_source_plan(c->bpf);
	snprintf(name, sizeof(name), "%s, level %s", rung_names[plan->rung],
		 level_names[plan->level]);
	return name;
}
