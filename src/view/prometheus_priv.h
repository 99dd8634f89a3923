/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the Prometheus view. */
#ifndef PPOOLTOP_PROMETHEUS_PRIV_H
#define PPOOLTOP_PROMETHEUS_PRIV_H

#include "prometheus.h"

/* All that have the same labels: mostly one device, or one pool. */
struct prom_row {
	char *labels; /* netns="a",device="b" and so on, escaped; owned */
	bool merged;  /* into another row, which has it in its chain of CPUs */
	bool shown;   /* not left out */
	size_t order; /* before it is merged: the row's place */
	unsigned int pools, with_inflight;
	unsigned int states[POOL_NR_STATES];
	unsigned int of_providers[POOL_NR_STATES]; /* part of it: with a memory provider */
	unsigned int destroyed, dated;		   /* pools; of these, those whose time is known */
	double oldest_s;
	uint32_t known;
	struct counters n;
	bool pages_known;
	uint64_t held, released;
	bool inflight_known;
	int64_t inflight;
	uint64_t bytes;
	bool audit_known;
	uint64_t unaccounted;
	/* per CPU */
	uint32_t cpus_known;
	const struct counters *cpus; /* in the model or the ledger */
	struct prom_row *next;	     /* with the same labels */
};

struct prom_rows {
	struct prom_row *list;
	size_t nr;
};

/* The model's devices, and its pools, as rows. 0 or -ENOMEM; to be freed with rows_free(). */
int rows_of_devices(struct prom_rows *rows, const struct model *m, const struct ledger *l);
int rows_of_pools(struct prom_rows *rows, const struct model *m, const struct ledger *l);
void rows_free(struct prom_rows *rows);

#endif /* PPOOLTOP_PROMETHEUS_PRIV_H */
