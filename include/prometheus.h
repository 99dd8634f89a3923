/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prometheus' text format 0.0.4, as its node_exporter reads it from a file. */
#ifndef PPOOLTOP_PROMETHEUS_H
#define PPOOLTOP_PROMETHEUS_H

#include <stdio.h>

#include "ledger.h"

struct prometheus_opts {
	const struct ledger *ledger; /* up to date with the model; or NULL: of a single reading */
	bool per_pool;		     /* series for each pool, not for each device */
	bool per_cpu;		     /* and for each of its CPUs */
	size_t max_series;	     /* at most so many; those left out are counted in one */
};

#define PROMETHEUS_MIN_SERIES 10 /* those that are of no device, and some room */

/*
 * The model as series. Devices of one name (one that was made again has another ifindex) are one
 * row: there is never a series twice. What is not known is left out. 0 or -errno.
 */
int view_prometheus(FILE *f, const struct model *m, const struct prometheus_opts *opts);

/*
 * Is @text what a reader takes: are its lines well formed, is each family in one piece and no
 * series there twice? 0; -EBADMSG, and @why has the line and what is wrong; or -ENOMEM.
 */
int prometheus_check(const char *text, size_t len, char *why, size_t why_len);

#endif /* PPOOLTOP_PROMETHEUS_H */
