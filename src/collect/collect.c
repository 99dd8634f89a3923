// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "bpf.h"
#include "collect.h"
#include "env.h"
#include "netns.h"
#include "util.h"

struct collect {
	struct bpf_source *bpf; /* NULL: netlink alone */
	bool unprivileged;
};

static void note_refused(FILE *notes, enum rung rung, int err, const char *why)
{
	char lockdown[32];

	if (!notes)
		return;
	env_lockdown(lockdown, sizeof(lockdown));
	fprintf(notes, "ppooltop: no %s: %s: %s%s%s\n", rung_names[rung], why, strerror(-err),
		lockdown[0] ? "; the kernel is locked down: " : "", lockdown);
}

int collect_open(struct collect **out, const struct collect_opts *opts)
{
	const struct bpf_source_opts bpf_opts = {opts->without, opts->keep_dead};
	struct collect *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	env_libbpf_print(opts->verbose);
	c->unprivileged = !env_may_trace();
	for (int rung = 0; rung < NR_RUNGS && !c->unprivileged && !c->bpf; rung++) {
		const char *why;
		int err = bpf_source_open(&c->bpf, (enum rung)rung, &bpf_opts, &why);

		if (err) {
			c->bpf = NULL;
			note_refused(opts->notes, (enum rung)rung, err, why);
		}
	}
	*out = c;
	return 0;
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

/* Pools that BPF has not met have done nothing since counting began: that is known, too. */
static void fill_idle(const struct collect *c, struct snapshot *s)
{
	for (size_t i = 0; i < s->nr_pools; i++)
		if (!(s->pools[i].has & POOL_HAS_ADDRESS))
			s->pools[i].counters_known = bpf_source_counters(c->bpf);
}

int collect_read(struct collect *c, struct snapshot *s)
{
	int nr_cpus = libbpf_num_possible_cpus();
	int err, shown;

	snapshot_free(s);
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
	netns_name_pools(s);
	return 0;
}

void collect_close(struct collect *c)
{
	if (!c)
		return;
	bpf_source_close(c->bpf);
	free(c);
}
