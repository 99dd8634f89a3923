/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording in place of the kernel: documents, as "ppooltop dump -c N" writes them. */
#ifndef PPOOLTOP_COLLECT_INPUT_H
#define PPOOLTOP_COLLECT_INPUT_H

#include <stdio.h>

#include "snapshot.h"

struct input;

/*
 * Open @file, "-" is stdin, and read its first document. What is wrong is said to @notes, if that
 * is not NULL, in one line. On success *@in is set, to be closed with input_close(). Returns 0,
 * -ENOTSUP: there is no document to be had from it, or -ENOMEM.
 */
int input_open(struct input **in, const char *file, FILE *notes);

/*
 * Read the next document into @s, which must be empty. First comes what was before the first
 * interval, as it does when the kernel is read: by the rates of the first document, or nothing if
 * it has no interval. Returns 0; -ENODATA: that was all; -EBADMSG: the next is no such document,
 * which was said to notes; or -ENOMEM.
 */
int input_read(struct input *in, struct snapshot *s);

/* From now on input_read() gives -EAGAIN where a pipe has no whole document yet. */
void input_nowait(struct input *in);

void input_close(struct input *in);

#endif /* PPOOLTOP_COLLECT_INPUT_H */
