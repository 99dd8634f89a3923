// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "bpf.h"
#include "collect.h"
#include "env.h"
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
	struct collect *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	env_libbpf_print(opts->verbose);
	c->unprivileged = !env_may_trace();
	for (int rung = 0; rung < NR_RUNGS && !c->unprivileged && !c->bpf; rung++) {
		const char *why;
		int err = bpf_source_open(&c->bpf, (enum rung)rung, opts->without, &why);

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

/* Without BPF: which counters netlink gave, and what is said of those it did not. */
static void fill_netlink_source(const struct collect *c, struct snapshot *s, int shown)
{
	struct source_info *info = &s->source;
	bool stats = false;

	for (size_t i = 0; i < s->nr_pools; i++)
		stats |= s->pools[i].counters_known != 0;
	info->state = shown >= 0 ? "netlink" : NULL;
	info->counters = stats ? "netlink" : NULL;
	info->nr_missing = 0;
	if (stats || (shown == 0 && !c->unprivileged))
		return;
	snprintf(info->missing[0].counter, sizeof(info->missing[0].counter), "all");
	snprintf(info->missing[0].reason, sizeof(info->missing[0].reason), "%s",
		 c->unprivileged ? "needs CAP_BPF and CAP_PERFMON, or root"
				 : "the kernel refuses BPF programs and shows no counters itself");
	info->nr_missing = 1;
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
	if (shown < 0 && shown != -EOPNOTSUPP && !c->bpf)
		return shown;
	if (!c->bpf) {
		if (shown == -EOPNOTSUPP)
			return shown;
		fill_netlink_source(c, s, shown);
	}
	return 0;
}

void collect_close(struct collect *c)
{
	if (!c)
		return;
	bpf_source_close(c->bpf);
	free(c);
}
