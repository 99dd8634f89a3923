/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a pool, in words: a table of rules, of which the first that holds speaks. */
#ifndef PPOOLTOP_VERDICT_H
#define PPOOLTOP_VERDICT_H

#include "model.h"

enum severity {
	VERDICT_NONE,
	VERDICT_NOTE, /* nothing is wrong, but it is good to know */
	VERDICT_WARN,
	VERDICT_BAD,
};

struct verdict_rule {
	const char *code;
	enum severity severity;
	const char *advice; /* what to do, a sentence or more; NULL: nothing */
	bool (*holds)(const struct model *m, const struct model_pool *mp);
	/* a few words, with the figures they rest on */
	void (*say)(const struct model_pool *mp, char *text, size_t len);
};

/* Never NULL: the last rule holds for every pool, and says "-". */
const struct verdict_rule *verdict_find(const struct model *m, const struct model_pool *mp);

/* The graver the higher; 0: the rule that says "-". */
int verdict_rank(const struct verdict_rule *rule);

/* The words of the rule that holds for @mp. */
void verdict_print(const struct model *m, const struct model_pool *mp, char *text, size_t len);

/*
 * Are two pools so much the same that one line can stand for both? Destroyed at one time on one
 * device, with as many pages out: what a device leaves behind that had many queues.
 */
bool pools_alike(const struct pool *p, const struct pool *q);

#endif /* PPOOLTOP_VERDICT_H */
