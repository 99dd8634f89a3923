/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a recording: as they are in the file, or what zstd made them of. */
#ifndef PPOOLTOP_COLLECT_STREAM_H
#define PPOOLTOP_COLLECT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

struct stream;

/* Read from @fd, which stays the caller's. NULL: no memory. */
struct stream *stream_new(int fd);

/*
 * Up to @len more bytes into @buf, as many as there are by now; with @nowait, -EAGAIN rather than
 * wait. Returns how many; 0 at the end, or when it is time to stop; or -errno, -EBADMSG: that is no
 * zstd, and *@why says what is wrong. What was cut off in the middle of a frame just ends there.
 */
int stream_read(struct stream *s, char *buf, size_t len, bool nowait, const char **why);

void stream_free(struct stream *s);

#endif /* PPOOLTOP_COLLECT_STREAM_H */
