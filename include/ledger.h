/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running totals for a reader that takes a lower number for a restart: counters that never step
 * back, and the pages held and released, which the kernel counts in 32 bits, in 64.
 */
#ifndef PPOOLTOP_LEDGER_H
#define PPOOLTOP_LEDGER_H

#include "model.h"

struct ledger_entry {
	struct counters n;
	uint64_t held, released; /* pages, since the ledger began */
	bool pages_known;
	struct counters *cpus; /* a pool's, snapshot.nr_cpus entries, or NULL */
};

struct ledger {
	bool per_pool, per_cpu;
	bool begun;
	struct ledger_entry *devices; /* as the model's devices */
	size_t nr_devices;
	struct ledger_entry *pools; /* as the pools of the model's snapshot, if per_pool */
	size_t nr_pools;
};

/* Pools have entries only if @per_pool, and these CPUs only if @per_cpu. */
void ledger_init(struct ledger *l, bool per_pool, bool per_cpu);
void ledger_free(struct ledger *l);

/* @m has a new snapshot; each has to be told. 0 or -ENOMEM, and the ledger is of no use then. */
int ledger_update(struct ledger *l, const struct model *m);

/* The entry of a pool of the model, or NULL: there are none. */
const struct ledger_entry *ledger_pool(const struct ledger *l, const struct model *m,
				       const struct model_pool *mp);

#endif /* PPOOLTOP_LEDGER_H */
