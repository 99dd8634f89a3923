// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames are differences of memory: each 64-bit word of a structure, exclusive-or the word that was
 * there before, as a number of words that are the same and the next that is not. Exclusive-or,
 * since padding may differ, and a carry out of it would reach what follows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"

#define GROUP	     60 /* frames from one whole frame to the next */
#define BYTES	     ((size_t)8 << 20)
#define BYTES_A_POOL ((size_t)12 << 10)
#define NOWHERE	     SIZE_MAX

struct frame {
	uint8_t *data;
	size_t len;
	bool whole;
	struct history_point point;
};

struct buffer {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

struct history {
	struct frame *frames;
	size_t nr, cap;
	uint64_t dropped;
	size_t bytes;	 /* in frames */
	size_t in_group; /* frames since the last whole one, that one included */
	size_t group_bytes;
	bool cpus;	      /* kept in this group */
	struct snapshot seen; /* the frame at number @at, as it was last looked at */
	size_t at;
};

/* --- words ---------------------------------------------------------------------------------------
 */

static void put_byte(struct buffer *b, uint8_t byte)
{
	if (b->len == b->cap && !b->failed) {
		size_t cap = b->cap ? 2 * b->cap : 4096;
		uint8_t *data = realloc(b->data, cap);

		b->failed = !data;
		if (data) {
			b->data = data;
			b->cap = cap;
		}
	}
	if (!b->failed)
		b->data[b->len++] = byte;
}

/* Seven bits a byte, the low ones first; the high bit says that more follow. */
static void put_number(struct buffer *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		put_byte(b, (uint8_t)(n | 0x80));
	put_byte(b, (uint8_t)n);
}

static uint64_t get_number(const uint8_t **data)
{
	uint64_t n = 0;

	for (int shift = 0;; shift += 7) {
		uint8_t byte = *(*data)++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
}

static uint64_t word(const void *words, size_t i)
{
	uint64_t w = 0;

	if (words)
		memcpy(&w, (const char *)words + i * sizeof(w), sizeof(w));
	return w;
}

/* @before NULL: nothing but zeros. */
static void put_words(struct buffer *b, const void *now, const void *before, size_t size)
{
	size_t nr = size / sizeof(uint64_t), same = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t changed = word(now, i) ^ word(before, i);

		if (!changed) {
			same++;
			continue;
		}
		put_number(b, same);
		put_number(b, changed);
		same = 0;
	}
	put_number(b, same);
}

/* @words has what was before, and then what is now. */
static void get_words(const uint8_t **data, void *words, size_t size)
{
	size_t nr = size / sizeof(uint64_t);

	for (size_t i = get_number(data); i < nr; i += 1 + get_number(data)) {
		uint64_t w = word(words, i) ^ get_number(data);

		memcpy((char *)words + i * sizeof(w), &w, sizeof(w));
	}
}

/* --- frames --------------------------------------------------------------------------------------
 */

/* All structures that are kept are made of whole words. */
_Static_assert(sizeof(struct snapshot) % 8 == 0 && sizeof(struct pool) % 8 == 0 &&
		       sizeof(struct past) % 8 == 0 && sizeof(struct counters) % 8 == 0,
	       "words");

static size_t cpus_size(const struct snapshot *s)
{
	return (size_t)s->nr_cpus * sizeof(struct counters);
}

/* @s without what it owns. */
static struct snapshot head_of(const struct snapshot *s)
{
	struct snapshot head = *s;

	head.pools = NULL;
	head.past = NULL;
	head.cap_pools = 0;
	return head;
}

static struct pool plain_of(const struct pool *p, bool cpus)
{
	struct pool plain = *p;

	plain.cpus = NULL;
	if (!cpus) {
		plain.has &= ~POOL_HAS_CPUS;
		plain.cpus_known = 0;
	}
	return plain;
}

/* @before: the same pool, or NULL. */
static void put_pool(struct buffer *b, const struct pool *p, const struct pool *before, bool cpus,
		     size_t size)
{
	struct pool now = plain_of(p, cpus), then;
	bool has = cpus && p->cpus;

	if (before)
		then = plain_of(before, cpus);
	put_words(b, &now, before ? &then : NULL, sizeof(now));
	put_byte(b, has);
	if (has)
		put_words(b, p->cpus, before ? before->cpus : NULL, size);
}

static void put_snapshot(struct buffer *b, const struct snapshot *s, const struct snapshot *before,
			 bool cpus)
{
	struct snapshot now = head_of(s), then;
	size_t hint = 0;

	if (before)
		then = head_of(before);
	put_words(b, &now, before ? &then : NULL, sizeof(now));
	for (size_t i = 0; i < s->nr_past; i++)
		put_words(b, &s->past[i], before && i < before->nr_past ? &before->past[i] : NULL,
			  sizeof(s->past[i]));
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pool *p = NULL;

		if (before)
			p = model_find_pool(before, &s->pools[i], hint);
		hint = p ? (size_t)(p - before->pools) + 1 : hint + 1;
		put_number(b, p ? (uint64_t)(p - before->pools) + 1 : 0);
		put_pool(b, &s->pools[i], p, cpus, cpus_size(s));
	}
}

static int get_pool(const uint8_t **data, struct pool *p, size_t size)
{
	struct counters *cpus = p->cpus;

	p->cpus = NULL;
	get_words(data, p, sizeof(*p));
	p->cpus = cpus;
	if (!*(*data)++) {
		free(p->cpus);
		p->cpus = NULL;
		return 0;
	}
	if (!p->cpus)
		p->cpus = calloc(1, size);
	if (!p->cpus)
		return -ENOMEM;
	get_words(data, p->cpus, size);
	return 0;
}

/* The pools of the next frame: those of @old, moved there, and new ones. */
static int get_pools(const uint8_t **data, struct snapshot *s, struct snapshot *old)
{
	for (size_t i = 0; i < s->nr_pools; i++) {
		uint64_t from = get_number(data);
		int err;

		if (from) {
			s->pools[i] = old->pools[from - 1];
			old->pools[from - 1].cpus = NULL;
		}
		err = get_pool(data, &s->pools[i], cpus_size(s));
		if (err)
			return err;
	}
	return 0;
}

/* Make @s, the frame before or empty, the frame that @data has. */
static int get_snapshot(const uint8_t *data, struct snapshot *s)
{
	struct snapshot old = *s, head = head_of(s);
	int err = -ENOMEM;

	get_words(&data, &head, sizeof(head));
	*s = head;
	s->cap_pools = s->nr_pools;
	s->past = calloc(s->nr_past + 1, sizeof(*s->past));
	s->pools = calloc(s->nr_pools + 1, sizeof(*s->pools));
	if (!s->past || !s->pools) {
		s->nr_pools = 0;
		goto out;
	}
	for (size_t i = 0; i < s->nr_past; i++) {
		if (i < old.nr_past)
			s->past[i] = old.past[i];
		get_words(&data, &s->past[i], sizeof(s->past[i]));
	}
	err = get_pools(&data, s, &old);
out:
	snapshot_clear(&old);
	return err;
}

/* --- the ring ------------------------------------------------------------------------------------
 */

struct history *history_new(void)
{
	struct history *h = calloc(1, sizeof(*h));

	if (h)
		h->at = NOWHERE;
	return h;
}

static void forget_seen(struct history *h)
{
	snapshot_free(&h->seen);
	snapshot_init(&h->seen, 0);
	h->at = NOWHERE;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	forget_seen(h);
	for (size_t i = 0; i < h->nr; i++)
		free(h->frames[i].data);
	free(h->frames);
	free(h);
}

size_t history_count(const struct history *h)
{
	return h->nr;
}

uint64_t history_dropped(const struct history *h)
{
	return h->dropped;
}

const struct history_point *history_point(const struct history *h, size_t n)
{
	return &h->frames[n].point;
}

size_t history_bytes(const struct history *h)
{
	return h->bytes + h->cap * sizeof(*h->frames);
}

/* The number of the second whole frame, or 0: what comes before can go. */
static size_t second_group(const struct history *h)
{
	for (size_t i = 1; i < h->nr; i++)
		if (h->frames[i].whole)
			return i;
	return 0;
}

static void drop(struct history *h, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		h->bytes -= h->frames[i].len;
		free(h->frames[i].data);
	}
	h->nr -= nr;
	h->dropped += nr;
	memmove(h->frames, h->frames + nr, h->nr * sizeof(*h->frames));
	if (h->at != NOWHERE && h->at < nr)
		forget_seen(h);
	else if (h->at != NOWHERE)
		h->at -= nr;
}

static void drop_old(struct history *h, size_t limit)
{
	const uint64_t now = h->frames[h->nr - 1].point.mono_ns;
	size_t nr;

	while ((nr = second_group(h))) {
		bool old = now - h->frames[nr].point.mono_ns >= (uint64_t)HISTORY_S * 1000000000;

		if (!old && history_bytes(h) <= limit)
			return;
		drop(h, nr);
	}
}

static struct frame *new_frame(struct history *h)
{
	if (h->nr == h->cap) {
		size_t cap = h->cap ? 2 * h->cap : 64;
		struct frame *frames = realloc(h->frames, cap * sizeof(*frames));

		if (!frames)
			return NULL;
		h->frames = frames;
		h->cap = cap;
	}
	return memset(&h->frames[h->nr], 0, sizeof(*h->frames));
}

static void take_point(struct history_point *point, const struct model *m)
{
	const struct figures *f = &m->totals.figures;

	point->time = m->now.time;
	point->mono_ns = m->now.mono_ns;
	point->known = m->totals.counters_known;
	memcpy(point->rate, f->rate, sizeof(point->rate));
	point->recycle_ratio = f->recycle_ratio;
}

int history_push(struct history *h, const struct model *m)
{
	const size_t limit = BYTES + m->nr_pools * BYTES_A_POOL;
	struct frame *f = new_frame(h);
	const bool cpus = m->now.nr_pools * (size_t)m->now.nr_cpus <= HISTORY_CPUS;
	struct buffer b = {0};
	uint8_t *data;

	if (!f)
		return -ENOMEM;
	/* A group is what is dropped at a time: it has to be a small part of all. */
	f->whole = !h->in_group || h->in_group >= GROUP || h->group_bytes > limit / 8 ||
		   cpus != h->cpus || m->now.nr_cpus != m->before.nr_cpus;
	h->cpus = cpus;
	put_snapshot(&b, &m->now, f->whole ? NULL : &m->before, cpus);
	data = b.failed ? NULL : realloc(b.data, b.len);
	if (!data) {
		free(b.data);
		h->in_group = 0; /* the next cannot be the difference to this one */
		return -ENOMEM;
	}
	f->data = data;
	f->len = b.len;
	take_point(&f->point, m);
	h->nr++;
	h->bytes += b.len;
	h->group_bytes = b.len + (f->whole ? 0 : h->group_bytes);
	h->in_group = f->whole ? 1 : h->in_group + 1;
	drop_old(h, limit);
	return 0;
}

/* --- looking back --------------------------------------------------------------------------------
 */

/* Make h->seen frame number @n. */
static int look(struct history *h, size_t n)
{
	size_t from = n;

	while (!h->frames[from].whole && from != h->at)
		from--;
	if (from == h->at) {
		from++;
	} else {
		forget_seen(h);
	}
	for (; from <= n; from++) {
		int err;

		if (h->frames[from].whole)
			forget_seen(h);
		err = get_snapshot(h->frames[from].data, &h->seen);
		if (err) {
			forget_seen(h);
			return err;
		}
		h->at = from;
	}
	return 0;
}

static int update_to(struct history *h, size_t n, struct model *m)
{
	struct snapshot s;
	int err;

	err = look(h, n);
	if (!err)
		err = snapshot_copy(&s, &h->seen);
	if (err)
		return err;
	err = model_update(m, &s);
	snapshot_free(&s);
	return err;
}

int history_model(struct history *h, size_t n, struct model *m)
{
	size_t from = n;
	int err = 0;

	model_free(m);
	/* From some way back, for what takes longer than an interval to see: how fast pools drain.
	 */
	while (from && !(from < n && h->frames[from].whole))
		from--;
	if (n && from < n - 1)
		err = update_to(h, from, m);
	if (n && !err)
		err = update_to(h, n - 1, m);
	return err ? err : update_to(h, n, m);
}

int history_pool(struct history *h, size_t from, size_t to, const struct pool *p,
		 void (*each)(const struct pool *p, uint64_t mono_ns, void *arg), void *arg)
{
	size_t hint = 0;

	for (size_t n = from; n <= to; n++) {
		const struct pool *found;
		int err = look(h, n);

		if (err)
			return err;
		found = model_find_pool(&h->seen, p, hint);
		if (found)
			hint = (size_t)(found - h->seen.pools);
		each(found, h->seen.mono_ns, arg);
	}
	return 0;
}
