/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this kernel and user allow: found by trying, never by version. */
#ifndef PPOOLTOP_PROBE_H
#define PPOOLTOP_PROBE_H

#include <stdbool.h>

#include "counters.h"
#include "snapshot.h"

#define PROBE_MAX_SOURCES 8
#define PROBE_MAX_HOOKS	  64

struct probe_source {
	const char *name;
	bool usable;
	char reason[256]; /* why not, or what it gives */
};

struct probe_hook {
	const char *kind;
	const char *target;
	const char *what;    /* what it sees */
	const char *kernels; /* where it is to be found */
	const char *state;   /* "attached", "not needed", "absent", "refused", "unknown" */
};

struct probe_counter {
	const char *key;    /* "alloc.fast" */
	const char *source; /* NULL: n/a */
	char reason[128];   /* why n/a */
};

struct probe {
	struct host_info host;
	bool btf;
	bool privileged;
	char lockdown[32]; /* empty: not locked down */
	struct probe_source sources[PROBE_MAX_SOURCES];
	int nr_sources;
	struct probe_hook hooks[PROBE_MAX_HOOKS];
	int nr_hooks;
	struct probe_counter counters[PP_NR_COUNTERS];
};

/* Try everything. @verbose: libbpf's own messages to stderr. Nothing stays attached. */
void collect_probe(struct probe *p, bool verbose);

#endif /* PPOOLTOP_PROBE_H */
