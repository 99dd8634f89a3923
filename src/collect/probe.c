// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <linux/types.h>

#include "bpf.h"
#include "collect.h"
#include "env.h"
#include "probe.h"
#include "slots.h"

/* What the best rung that works gave. */
struct best {
	bool found;
	struct hooks_plan plan;
	struct hooks_counters counters;
	bool attached[MAX_HOOKS];
};

static void probe_rung(struct probe *p, enum rung rung, struct best *best)
{
	struct probe_source *ps = &p->sources[p->nr_sources++];
	const struct bpf_source_opts opts = {.rung = rung, .level = PP_LEVEL_FULL};
	struct bpf_source *src;
	char why[120];
	int err;

	ps->name = rung_names[rung];
	if (!p->privileged) {
		snprintf(ps->reason, sizeof(ps->reason), "needs root, or CAP_BPF and CAP_PERFMON");
		return;
	}
	err = bpf_source_open(&src, &opts, why, sizeof(why));
	if (err) {
		snprintf(ps->reason, sizeof(ps->reason), "%s: %s%s%s", why, strerror(-err),
			 p->lockdown[0] ? "; lockdown=" : "", p->lockdown);
		return;
	}
	ps->usable = true;
	if (!best->found) {
		best->found = true;
		best->plan = *bpf_source_plan(src);
		bpf_source_counters(src, &best->counters);
		for (int i = 0; i < nr_hooks; i++)
			best->attached[i] = bpf_source_attached(src, i);
	}
	bpf_source_close(src);
}

static void probe_netlink(struct probe *p)
{
	struct probe_source *ps = &p->sources[p->nr_sources++];
	struct snapshot s;
	bool stats = false;
	int nr;

	snapshot_init(&s, 1);
	ps->name = "netlink";
	nr = netlink_read(&s, true);
	for (size_t i = 0; i < s.nr_pools; i++)
		stats |= s.pools[i].counters_known != 0;
	ps->usable = nr >= 0;
	if (nr >= 0)
		snprintf(ps->reason, sizeof(ps->reason), "%d pools visible in this namespace%s", nr,
			 stats ? ", with the kernel's counters" : "");
	else
		snprintf(ps->reason, sizeof(ps->reason), "%s",
			 nr == -EOPNOTSUPP ? "the kernel has no netlink family for page pools (6.8)"
					   : strerror(-nr));
	snapshot_free(&s);
}

static const char *hook_state(const struct btf *btf, const struct best *best, const bool *wanted,
			      int i)
{
	if (!btf)
		return "unknown";
	if (!hook_exists(btf, &hooks[i]))
		return "absent";
	if (best->found && best->attached[i])
		return "attached";
	/* Wanted by the best rung there could be, but not by, or not on, the one there is. */
	return wanted[i] ? "refused" : "not needed";
}

/* Where no rung works, the hooks are those that fentry would have. */
static void probe_hooks(struct probe *p, const struct btf *btf, const struct best *best)
{
	static const struct hooks_plan ideal = {
		.rung = RUNG_FENTRY, .level = PP_LEVEL_FULL, .creation = true};
	const struct hooks_plan *plan = best->found ? &best->plan : &ideal;
	bool wanted[MAX_HOOKS] = {0};

	if (btf)
		hooks_choose(btf, plan->rung == RUNG_TRACEPOINT ? &ideal : plan, wanted);
	for (int i = 0; i < nr_hooks; i++) {
		const struct group *g = &hook_groups[hooks[i].group];

		p->hooks[p->nr_hooks++] = (struct probe_hook){
			.kind = hook_kind_name(plan->rung, hooks[i].kind),
			.target = hooks[i].target,
			.what = g->what,
			.kernels = hooks[i].kernels,
			.state = hook_state(btf, best, wanted, i),
		};
	}
}

static void probe_counters(struct probe *p, const struct best *best)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		struct probe_counter *c = &p->counters[i];

		c->key = counter_paths[i];
		if (best->found && best->counters.known & (1u << i))
			c->source = rung_names[best->plan.rung];
		else if (best->found)
			hooks_reason(&best->plan, &best->counters, (enum pp_counter)i, c->reason,
				     sizeof(c->reason));
		else
			snprintf(c->reason, sizeof(c->reason), "no source works, see above");
	}
}

void collect_probe(struct probe *p, bool verbose)
{
	struct best best = {0};
	struct btf *btf;

	memset(p, 0, sizeof(*p));
	env_libbpf_print(verbose);
	env_host(&p->host);
	env_lockdown(p->lockdown, sizeof(p->lockdown));
	p->privileged = env_may_trace();
	btf = btf__load_vmlinux_btf();
	p->btf = btf != NULL;
	for (int rung = 0; rung < NR_RUNGS; rung++)
		probe_rung(p, (enum rung)rung, &best);
	probe_netlink(p);
	probe_hooks(p, btf, &best);
	probe_counters(p, &best);
	btf__free(btf);
}
