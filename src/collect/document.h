/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A document ppooltop/1 back into the snapshot it was made of: what view/json.c does, undone. */
#ifndef PPOOLTOP_COLLECT_DOCUMENT_H
#define PPOOLTOP_COLLECT_DOCUMENT_H

#include <stddef.h>

#include "snapshot.h"

struct json_object;

/*
 * Fill @s, which must be empty, from @doc. With @back_s > 0 counters are as they were so many
 * seconds before, by the document's rates, and what is in flight is not known. mono_ns is left to
 * the caller. Keys that are not known are passed over; null, or no such key: not known.
 * Returns 0; -EBADMSG: @why says what is wrong with it; or -ENOMEM.
 */
int document_read(struct json_object *doc, double back_s, struct snapshot *s, char *why,
		  size_t len);

/* The seconds @doc says its rates are over, or NAN. */
double document_interval(struct json_object *doc);

#endif /* PPOOLTOP_COLLECT_DOCUMENT_H */
