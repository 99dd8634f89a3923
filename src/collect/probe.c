// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf.h"
#include "collect.h"
#include "env.h"
#include "probe.h"

static const char *const counter_keys[] = {
#define PP_X(ID, side, key, ...) #side "." #key,
	PP_COUNTERS(PP_X)
#undef PP_X
};

/* What the best rung that works gave. */
struct best {
	enum rung rung;
	bool found;
	bool attached[PROBE_MAX_HOOKS];
};

static void probe_rung(struct probe *p, enum rung rung, struct best *best)
{
	struct probe_source *ps = &p->sources[p->nr_sources++];
	const struct bpf_source_opts opts = {0};
	struct bpf_source *src;
	const char *why;
	int err;

	ps->name = rung_names[rung];
	if (!p->privileged) {
		snprintf(ps->reason, sizeof(ps->reason), "needs root, or CAP_BPF and CAP_PERFMON");
		return;
	}
	err = bpf_source_open(&src, rung, &opts, &why);
	if (err) {
		snprintf(ps->reason, sizeof(ps->reason), "%s: %s%s%s", why, strerror(-err),
			 p->lockdown[0] ? "; lockdown=" : "", p->lockdown);
		return;
	}
	ps->usable = true;
	if (!best->found) {
		best->found = true;
		best->rung = rung;
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

static void probe_hooks(struct probe *p, const struct btf *btf, const struct best *best)
{
	bool wanted[PROBE_MAX_HOOKS] = {0};

	if (btf)
		hooks_choose(btf, RUNG_FENTRY, wanted);
	for (int i = 0; i < nr_hooks; i++) {
		const struct group *g = &hook_groups[hooks[i].group];

		p->hooks[p->nr_hooks++] = (struct probe_hook){
			.kind = hook_kind_name(hooks[i].kind),
			.target = hooks[i].target,
			.what = g->what,
			.kernels = hooks[i].kernels,
			.state = hook_state(btf, best, wanted, i),
		};
	}
}

static void probe_counters(struct probe *p, const struct btf *btf, const struct best *best)
{
	const struct group *why[PP_NR_COUNTERS] = {0};
	uint32_t known = 0;

	if (btf && best->found)
		known = hooks_counters(btf, best->rung, best->attached, why);
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		struct probe_counter *c = &p->counters[i];

		c->key = counter_keys[i];
		if (known & (1u << i))
			c->source = rung_names[best->rung];
		else if (why[i])
			snprintf(c->reason, sizeof(c->reason), "no hook for %s", why[i]->what);
		else
			snprintf(c->reason, sizeof(c->reason), "needs fentry, see above");
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
	probe_counters(p, btf, &best);
	btf__free(btf);
}
