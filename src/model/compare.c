// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

const char *const compare_sides[NR_SIDES] = {"before", "after"};

const struct figure compared[NR_FIGURES] = {
#define PP_X(ID, side, key, kernel, metric, label, title, help) [PP_##ID] = {#key, UNIT_RATE, help},
	PP_COUNTERS(PP_X)
#undef PP_X
		[FIGURE_RATIO] = {"recycled", UNIT_PART, "pages recycled per page allocated"},
	[FIGURE_INFLIGHT] = {"inflight", UNIT_COUNT, "pages out at the end"},
	[FIGURE_POOLS] = {"pools", UNIT_COUNT, "pools at the end"},
};

static bool same_netns(const struct model_device *d, const struct model_device *e)
{
	if (d->netns_name[0] || e->netns_name[0])
		return !strcmp(d->netns_name, e->netns_name);
	return d->netns == e->netns;
}

static bool goes_with(const struct model_device *d, const struct model_device *e, bool any_netns)
{
	return d->others == e->others && !strcmp(d->ifname, e->ifname) &&
	       (any_netns || same_netns(d, e));
}

static void set_side(struct pair *p, int side, const struct recording *r, size_t i)
{
	p->device[side] = &r->m.devices[i];
	p->track[side] = &r->devices[i];
}

/* Device @i of after finds its pair, if there is one that has none. */
static bool join(struct comparison *c, size_t i, bool any_netns)
{
	const struct model_device *d = &c->r[AFTER]->m.devices[i];

	for (size_t k = 0; k < c->r[BEFORE]->nr_devices; k++) {
		struct pair *p = &c->devices[k];

		if (p->device[AFTER] || !goes_with(p->device[BEFORE], d, any_netns))
			continue;
		set_side(p, AFTER, c->r[AFTER], i);
		return true;
	}
	return false;
}

int compare_recordings(struct comparison *c, const struct recording *before,
		       const struct recording *after)
{
	size_t most = before->nr_devices + after->nr_devices;
	bool *joined = calloc(after->nr_devices + 1, sizeof(*joined));

	memset(c, 0, sizeof(*c));
	c->r[BEFORE] = before;
	c->r[AFTER] = after;
	c->devices = calloc(most + 1, sizeof(*c->devices));
	if (!joined || !c->devices) {
		free(joined);
		comparison_free(c);
		return -ENOMEM;
	}
	for (int side = 0; side < NR_SIDES; side++) {
		c->totals.device[side] = &c->r[side]->m.totals;
		c->totals.track[side] = &c->r[side]->totals;
	}
	for (size_t i = 0; i < before->nr_devices; i++)
		set_side(&c->devices[c->nr_devices++], BEFORE, before, i);
	for (size_t i = 0; i < after->nr_devices; i++)
		joined[i] = join(c, i, false);
	for (size_t i = 0; i < after->nr_devices; i++)
		if (!joined[i] && !join(c, i, true))
			set_side(&c->devices[c->nr_devices++], AFTER, after, i);
	free(joined);
	return 0;
}

void comparison_free(struct comparison *c)
{
	free(c->devices);
	memset(c, 0, sizeof(*c));
}

bool pair_is_whole(const struct pair *p)
{
	return p->device[BEFORE] && p->device[AFTER];
}

const struct model_device *pair_device(const struct pair *p)
{
	return p->device[BEFORE] ? p->device[BEFORE] : p->device[AFTER];
}

static double value(const struct model_device *d, const struct track *t, int figure)
{
	double n[PP_NR_COUNTERS];

	if (!d)
		return NAN;
	if (figure == FIGURE_RATIO)
		return recycle_ratio(n, track_figures(t, &d->total, d->counters_known, n));
	if (figure == FIGURE_INFLIGHT)
		return d->inflight_known ? (double)d->inflight : (double)NAN;
	if (figure == FIGURE_POOLS)
		return d->pools;
	return track_rate(t, (enum pp_counter)figure);
}

void pair_difference(const struct pair *p, int figure, struct difference *d)
{
	bool part = compared[figure].unit == UNIT_PART;

	for (int side = 0; side < NR_SIDES; side++)
		d->value[side] = value(p->device[side], p->track[side], figure);
	d->by = d->value[AFTER] - d->value[BEFORE];
	d->part = part || d->value[BEFORE] == 0 ? (double)NAN : d->by / fabs(d->value[BEFORE]);
}
