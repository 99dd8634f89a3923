// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util.h"
#include "verdict.h"

/* Pools of one device are destroyed one after the other, each after its queue was stopped. */
#define ONE_TIME_S 1

static bool is_impossible(const struct model *m, const struct model_pool *mp)
{
	(void)m;
	return mp->pool->state == POOL_IMPOSSIBLE;
}

static void say_impossible(const struct model_pool *mp, char *text, size_t len)
{
	snprintf(text, len, "impossible: %" PRIu32 " held, %" PRIu32 " released", mp->pool->hold,
		 mp->pool->release);
}

static bool is_off(const struct model *m, const struct model_pool *mp)
{
	(void)m;
	return mp->pool->audit.known && mp->pool->audit.unaccounted;
}

static void say_off(const struct model_pool *mp, char *text, size_t len)
{
	snprintf(text, len, "books off by %" PRId64, mp->pool->audit.unaccounted);
}

static bool is_destroyed(const struct pool *p)
{
	return p->state == POOL_DRAINING || p->state == POOL_STUCK;
}

/* Buffers a provider lent out may come back late: they are the user's, not the driver's. */
static bool provider_holds(const struct model *m, const struct model_pool *mp)
{
	(void)m;
	return is_destroyed(mp->pool) && mp->pool->provider && mp->pool->inflight > 0;
}

static void say_provider(const struct model_pool *mp, char *text, size_t len)
{
	snprintf(text, len, "provider holds %" PRId64, mp->pool->inflight);
}

static bool is_stuck(const struct model *m, const struct model_pool *mp)
{
	(void)m;
	return mp->pool->state == POOL_STUCK;
}

static void say_stuck(const struct model_pool *mp, char *text, size_t len)
{
	char age[AGE_LEN];

	age_text(mp->pool->destroyed_s, age, sizeof(age));
	if (mp->pool->has & POOL_HAS_DESTROYED)
		snprintf(text, len, "stuck for %s", age);
	else
		snprintf(text, len, "stuck");
}

/* The device may be gone while pages are mapped for it: worse than pages that are merely held. */
static bool is_stuck_mapped(const struct model *m, const struct model_pool *mp)
{
	return is_stuck(m, mp) && mp->pool->has & POOL_HAS_PARAMS &&
	       mp->pool->flags & POOL_FLAG_DMA_MAP;
}

static void say_stuck_mapped(const struct model_pool *mp, char *text, size_t len)
{
	char stuck[64];

	say_stuck(mp, stuck, sizeof(stuck));
	snprintf(text, len, "%s, DMA-mapped", stuck);
}

static bool is_draining(const struct model *m, const struct model_pool *mp)
{
	(void)m;
	return mp->pool->state == POOL_DRAINING;
}

static void say_draining(const struct model_pool *mp, char *text, size_t len)
{
	char left[AGE_LEN];

	age_text(mp->drain_left_s, left, sizeof(left));
	if (!(mp->drain_rate > 0))
		snprintf(text, len, "draining");
	else if (isnan(mp->drain_left_s))
		snprintf(text, len, "draining %.1f pages/s", mp->drain_rate);
	else
		snprintf(text, len, "draining %.1f pages/s, %s left", mp->drain_rate, left);
}

static bool always(const struct model *m, const struct model_pool *mp)
{
	(void)m;
	(void)mp;
	return true;
}

static void say_nothing(const struct model_pool *mp, char *text, size_t len)
{
	(void)mp;
	snprintf(text, len, "-");
}

/* The gravest first. */
static const struct verdict_rule rules[] = {
	{"impossible", VERDICT_BAD,
	 "More pages were released than the pool ever held: a driver gave back a page twice, or one "
	 "of another pool. The pool is left out of sums.",
	 is_impossible, say_impossible},
	{"books", VERDICT_BAD,
	 "What went into cache and ring, less what came out, is not what is in them: events were "
	 "missed, so this pool's counters are that much off. See EXACTNESS in ppooltop(8).",
	 is_off, say_off},
	{"provider", VERDICT_NOTE,
	 "The buffers are a memory provider's, and its user may keep them for as long as it likes.",
	 provider_holds, say_provider},
	{"stuck-mapped", VERDICT_WARN,
	 "The pool was destroyed and no page has come back for a minute. Somebody still holds "
	 "pages: packets in a socket that nobody reads, or a driver that lost them. They are mapped "
	 "for DMA, which has to end before their device may go.",
	 is_stuck_mapped, say_stuck_mapped},
	{"stuck", VERDICT_WARN,
	 "The pool was destroyed and no page has come back for a minute. Somebody still holds "
	 "pages: packets in a socket that nobody reads, or a driver that lost them.",
	 is_stuck, say_stuck},
	{"draining", VERDICT_NOTE,
	 "The pool was destroyed and its pages are coming back. It goes with the last one.",
	 is_draining, say_draining},
	{"none", VERDICT_NONE, NULL, always, say_nothing},
};

const struct verdict_rule *verdict_find(const struct model *m, const struct model_pool *mp)
{
	const struct verdict_rule *rule = rules;

	while (!rule->holds(m, mp))
		rule++;
	return rule;
}

int verdict_rank(const struct verdict_rule *rule)
{
	return (int)(rules + sizeof(rules) / sizeof(rules[0]) - 1 - rule);
}

void verdict_print(const struct model *m, const struct model_pool *mp, char *text, size_t len)
{
	verdict_find(m, mp)->say(mp, text, len);
}

bool pools_alike(const struct pool *p, const struct pool *q)
{
	return is_destroyed(p) && p->state == q->state && p->netns == q->netns &&
	       p->ifindex == q->ifindex && !strcmp(p->ifname, q->ifname) &&
	       p->provider == q->provider && p->inflight == q->inflight &&
	       (p->has & q->has & POOL_HAS_DESTROYED) &&
	       fabs(p->destroyed_s - q->destroyed_s) < ONE_TIME_S;
}
