// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"

static void track_init(struct track *t, size_t points)
{
	memset(t, 0, sizeof(*t));
	timeline_init(&t->timeline, points);
}

void recording_init(struct recording *r)
{
	memset(r, 0, sizeof(*r));
	model_init(&r->m);
	track_init(&r->totals, TOTALS_POINTS);
}

void recording_free(struct recording *r)
{
	for (size_t i = 0; i < r->nr_devices; i++)
		timeline_free(&r->devices[i].timeline);
	for (size_t i = 0; i < r->nr_pools; i++)
		timeline_free(&r->pools[i].track.timeline);
	timeline_free(&r->totals.timeline);
	free(r->devices);
	free(r->pools);
	model_free(&r->m);
	recording_init(r);
}

/* --- adding --------------------------------------------------------------------------------------
 */

/* An interval of @t: what was counted is known if it was before and is now. */
static int extend(struct track *t, const struct counters *now, const struct counters *before,
		  uint32_t known, struct sample *sample)
{
	double interval_s = sample->to_s - sample->from_s;

	t->seconds += interval_s;
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		uint64_t from = before ? before->n[i] : 0;
		/* One that was put right can be a little lower than before. */
		uint64_t gained = now->n[i] > from ? now->n[i] - from : 0;

		sample->rate[i] = NAN;
		if (!counter_known(known, (enum pp_counter)i))
			continue;
		t->gained[i] += gained;
		t->known_s[i] += interval_s;
		sample->rate[i] = (double)gained / interval_s;
	}
	return timeline_add(&t->timeline, sample);
}

static int add_device(struct track *t, const struct model_device *d, const struct sample *times)
{
	struct sample sample = *times;

	sample.inflight = d->inflight_known ? (double)d->inflight : (double)NAN;
	return extend(t, &d->total, &d->before, d->counters_known & d->before_known, &sample);
}

static int add_pool(struct track *t, const struct model_pool *mp, const struct sample *times)
{
	const struct pool *p = mp->pool, *before = mp->before;
	uint32_t known = p->counters_known & (before ? before->counters_known : ~0u);
	struct sample sample = *times;

	sample.inflight = p->has & POOL_HAS_INFLIGHT ? (double)p->inflight : (double)NAN;
	return extend(t, &p->total, before ? &before->total : NULL, known, &sample);
}

/* The track of @p, which most likely is at @hint, or NULL. */
static struct pool_track *find_track(struct recording *r, const struct pool *p, size_t hint)
{
	for (size_t i = 0; i < r->nr_pools; i++) {
		struct pool_track *t = &r->pools[(hint + i) % r->nr_pools];

		if (model_same_pool(p, &t->pool))
			return t;
	}
	return NULL;
}

/* The pool that is gone for longest, already at the reading before this one, or NULL. */
static struct pool_track *oldest_gone(struct recording *r)
{
	struct pool_track *oldest = NULL;

	for (size_t i = 0; i < r->nr_pools; i++) {
		struct pool_track *t = &r->pools[i];

		if (t->seen_s < r->seconds && (!oldest || t->seen_s < oldest->seen_s))
			oldest = t;
	}
	return oldest;
}

static int room(struct recording *r)
{
	size_t cap = r->cap_pools ? 2 * r->cap_pools : 16;
	struct pool_track *pools;

	if (r->nr_pools < r->cap_pools)
		return 0;
	pools = realloc(r->pools, cap * sizeof(*pools));
	if (!pools)
		return -ENOMEM;
	r->pools = pools;
	r->cap_pools = cap;
	return 0;
}

/* A track for a pool that is new. 0 and NULL: there is no room for it. */
static int new_track(struct recording *r, struct pool_track **t)
{
	*t = NULL;
	if (r->nr_pools == RECORDING_POOLS) {
		r->left_out++;
		*t = oldest_gone(r);
		if (!*t)
			return 0;
		timeline_free(&(*t)->track.timeline);
	} else {
		if (room(r))
			return -ENOMEM;
		*t = &r->pools[r->nr_pools++];
	}
	memset(*t, 0, sizeof(**t));
	track_init(&(*t)->track, POOL_POINTS);
	return 0;
}

static int add_pools(struct recording *r, const struct model *m, const struct sample *times,
		     double now_s)
{
	size_t hint = 0;

	for (size_t i = 0; i < m->nr_pools; i++) {
		const struct model_pool *mp = &m->pools[i];
		struct pool_track *t = find_track(r, mp->pool, hint);
		int err = t ? 0 : new_track(r, &t);

		if (err)
			return err;
		if (!t)
			continue;
		hint = (size_t)(t - r->pools) + 1;
		t->pool = *mp->pool;
		t->pool.cpus = NULL;
		t->seen_s = now_s;
		err = times ? add_pool(&t->track, mp, times) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int add_devices(struct recording *r, const struct model *m, const struct sample *times)
{
	struct track *devices = realloc(r->devices, (m->nr_devices + 1) * sizeof(*devices));
	int err = 0;

	if (!devices)
		return -ENOMEM;
	r->devices = devices;
	while (r->nr_devices < m->nr_devices)
		track_init(&r->devices[r->nr_devices++], DEVICE_POINTS);
	for (size_t i = 0; !err && times && i < r->nr_devices; i++)
		err = add_device(&r->devices[i], &m->devices[i], times);
	return err;
}

static bool same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_origin(const struct snapshot *a, const struct snapshot *b)
{
	return !strcmp(a->host.name, b->host.name) && !strcmp(a->host.kernel, b->host.kernel) &&
	       same_word(a->source.counters, b->source.counters) &&
	       same_word(a->source.level, b->source.level);
}

int recording_add(struct recording *r, const struct model *m)
{
	double now_s, interval_s = m->interval_s;
	struct sample times;
	bool over_time;
	int err;

	if (!m->now.mono_ns) /* nothing was read yet */
		return 0;
	if (!r->from_ns)
		r->from_ns = m->now.mono_ns;
	else
		r->mixed = r->mixed || !same_origin(&m->now, &m->before);
	now_s = (double)(m->now.mono_ns - r->from_ns) / 1e9;
	/* Not so where the clock stands: these are two recordings in one file. */
	over_time = interval_s > 0;
	times = (struct sample){.from_s = now_s - interval_s, .to_s = now_s};
	r->intervals += over_time;
	err = add_devices(r, m, over_time ? &times : NULL);
	if (!err && over_time)
		err = add_device(&r->totals, &m->totals, &times);
	if (!err)
		err = add_pools(r, m, over_time ? &times : NULL, now_s);
	r->seconds = now_s;
	return err;
}

void recording_end(struct recording *r, struct model *m)
{
	size_t hint = 0;

	r->m = *m;
	model_init(m);
	for (size_t i = 0; i < r->m.nr_pools; i++) {
		struct pool_track *t = find_track(r, r->m.pools[i].pool, hint);

		if (!t)
			continue;
		t->mp = &r->m.pools[i];
		hint = (size_t)(t - r->pools) + 1;
	}
}

/* --- asking --------------------------------------------------------------------------------------
 */

struct timespec recording_time(const struct recording *r, double s)
{
	const double back_s = r->seconds - s, whole_s = floor(back_s);
	struct timespec ts = r->m.now.time;

	if (!ts.tv_sec)
		return (struct timespec){0};
	ts.tv_sec -= (time_t)whole_s;
	ts.tv_nsec -= lround((back_s - whole_s) * 1e9);
	if (ts.tv_nsec < 0) {
		ts.tv_nsec += 1000000000;
		ts.tv_sec--;
	}
	return ts;
}

bool track_is_whole(const struct track *t, enum pp_counter i)
{
	return t->seconds > 0 && t->known_s[i] >= t->seconds;
}

double track_rate(const struct track *t, enum pp_counter i)
{
	return t->known_s[i] > 0 ? (double)t->gained[i] / t->known_s[i] : (double)NAN;
}

uint32_t track_figures(const struct track *t, const struct counters *total, uint32_t known,
		       double *n)
{
	bool over_time = t->seconds > 0;

	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		n[i] = over_time ? track_rate(t, (enum pp_counter)i) : (double)total->n[i];
		if (over_time)
			known = (known & ~(1u << i)) | (uint32_t)!isnan(n[i]) << i;
	}
	return known;
}

double track_alloc(const struct track *t)
{
	return track_rate(t, PP_FAST) + track_rate(t, PP_REFILL) + track_rate(t, PP_SLOW) +
	       track_rate(t, PP_SLOW_HIGH_ORDER);
}
