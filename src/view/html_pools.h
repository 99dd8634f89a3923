/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pools of a page: which are on it, and which of them with charts. */
#ifndef PPOOLTOP_HTML_POOLS_H
#define PPOOLTOP_HTML_POOLS_H

#include "html.h"

#define TABLED_POOLS  1000 /* have their figures on the page */
#define CHARTED_POOLS 40   /* and charts */

struct listed {
	const struct pool_track *t;
	struct model_pool mp; /* of one that is gone, what was seen last */
	bool gone;
	size_t index;  /* in the list of the last document, or of those that are gone */
	size_t device; /* of the model's */
	double busy;   /* pages allocated or put back, or counts of that */
	int rank;      /* of its verdict; 0: nothing is wrong */
	bool repeated; /* another one is like it, and stands before it */
	bool tabled, charted;
};

struct pools {
	struct listed *list;
	size_t nr;
	size_t nr_tabled, nr_charted;
};

/* 0 or -ENOMEM. In the order of the model, those that are gone at the end. */
int html_pools_take(struct pools *p, const struct recording *r);
void html_pools_free(struct pools *p);

/* Is pool @index of the model among those on the page? */
bool html_pool_is_there(const struct pools *p, size_t index);

/* The table of those of device @device, and then each by itself. */
void html_pools(struct html *h, const struct recording *r, const struct pools *p, size_t device);

#endif /* PPOOLTOP_HTML_POOLS_H */
