// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "timeline.h"

void timeline_init(struct timeline *s, size_t max)
{
	memset(s, 0, sizeof(*s));
	s->max = max;
	s->per = 1;
}

void timeline_free(struct timeline *s)
{
	free(s->points);
	s->points = NULL;
	s->nr = s->cap = 0;
}

/* What is known of one alone stands for both. */
static float mean(float v, float v_s, float w, float w_s)
{
	if (isnan(v))
		return w;
	if (isnan(w))
		return v;
	return v + (w - v) * (w_s / (v_s + w_s));
}

/* @q follows @p. */
static void merge(struct point *p, const struct point *q)
{
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		p->rate[i] = mean(p->rate[i], p->seconds, q->rate[i], q->seconds);
	p->least = fminf(p->least, q->least); /* which take what is a number */
	p->most = fmaxf(p->most, q->most);
	p->seconds += q->seconds;
	p->to_s = q->to_s;
}

static void halve(struct timeline *s)
{
	for (size_t i = 0; i < s->nr / 2; i++) {
		struct point p = s->points[2 * i];

		merge(&p, &s->points[2 * i + 1]);
		s->points[i] = p;
	}
	s->nr /= 2;
	s->per *= 2;
}

static int grow(struct timeline *s)
{
	size_t cap = s->cap ? 2 * s->cap : 16;
	struct point *points;

	if (cap > s->max)
		cap = s->max;
	points = realloc(s->points, cap * sizeof(*points));
	if (!points)
		return -ENOMEM;
	s->points = points;
	s->cap = cap;
	return 0;
}

int timeline_add(struct timeline *s, const struct sample *sample)
{
	struct point p = {
		.from_s = (float)sample->from_s,
		.to_s = (float)sample->to_s,
		.seconds = (float)(sample->to_s - sample->from_s),
		.least = (float)sample->inflight,
		.most = (float)sample->inflight,
	};

	for (int i = 0; i < PP_NR_COUNTERS; i++)
		p.rate[i] = (float)sample->rate[i];
	if (s->nr && s->last < s->per) {
		merge(&s->points[s->nr - 1], &p);
		s->last++;
		return 0;
	}
	if (s->nr == s->max) /* all of them full */
		halve(s);
	if (s->nr == s->cap && grow(s))
		return -ENOMEM;
	s->points[s->nr++] = p;
	s->last = 1;
	return 0;
}

double point_ratio(const struct point *p)
{
	double n[PP_NR_COUNTERS];
	uint32_t known = 0;

	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		n[i] = p->rate[i];
		known |= (uint32_t)!isnan(n[i]) << i;
	}
	return recycle_ratio(n, known);
}
