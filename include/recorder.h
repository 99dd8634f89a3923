/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording: documents as view_json() makes them, a line each, every one compressed by itself as
 * a frame of zstd. So zstd(1) reads it too, two of them one after the other are one recording, and
 * what a crash leaves is whole up to the last frame.
 */
#ifndef PPOOLTOP_RECORDER_H
#define PPOOLTOP_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct recorder;

/*
 * Go on at the end of @path, which is made if it is not there. What a crash left of a frame is cut
 * off; a file that is no recording is left alone. When @path and the one before it, which is kept
 * as @path.old, would together have more than @max_bytes, @path is renamed to that and a new one
 * begins. On success *@r is set, to be closed with recorder_close(). Returns 0; -EBUSY: another
 * process writes to it; -EBADMSG: it is no recording; -EISDIR, -ELOOP: it is no plain file;
 * -ENOTEMPTY: @path.old is a directory; or another -errno.
 */
int recorder_open(struct recorder **r, const char *path, uint64_t max_bytes);

/*
 * Add @m, and have it on the disk. 0; -ENOENT: the file was removed; -ESTALE: it has to be renamed,
 * and is not under its name any more; or -errno, and the recording is as it was before.
 */
int recorder_add(struct recorder *r, const struct model *m);

void recorder_close(struct recorder *r);

#endif /* PPOOLTOP_RECORDER_H */
