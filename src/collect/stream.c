// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "stream.h"
#include "util.h"

#define ZSTD_BEGINS 0x28 /* of the magic number, which no JSON begins with */

struct stream {
	int fd;
	bool begun;
	bool between;	   /* two frames */
	ZSTD_DCtx *zstd;   /* NULL: as it is in the file */
	ZSTD_inBuffer raw; /* of buf, what was read and not yet decompressed */
	char buf[65536];
};

struct stream *stream_new(int fd)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (s) {
		s->fd = fd;
		s->raw.src = s->buf;
	}
	return s;
}

/* As stream_read(), of the file. */
static int read_raw(const struct stream *s, char *buf, size_t len, bool nowait)
{
	struct pollfd pfd = {.fd = s->fd, .events = POLLIN};
	ssize_t n = -1;

	/* read(2) goes on after a signal, poll(2) does not. */
	errno = EINTR;
	while (!stopped() && n < 0 && errno == EINTR) {
		int ready = poll(&pfd, 1, nowait ? 0 : -1);

		if (!ready)
			return -EAGAIN;
		if (ready > 0)
			n = read(s->fd, buf, len);
	}
	if (stopped())
		return 0;
	return n < 0 ? -errno : (int)n;
}

/* As stream_read(), into the buffer, which is empty. */
static int refill(struct stream *s, bool nowait)
{
	int n = read_raw(s, s->buf, sizeof(s->buf), nowait);

	s->raw.pos = 0;
	s->raw.size = n > 0 ? (size_t)n : 0;
	return n;
}

static int begin(struct stream *s, bool nowait)
{
	int n = refill(s, nowait);

	if (n <= 0)
		return n;
	s->begun = true;
	if (s->buf[0] != ZSTD_BEGINS)
		return n;
	s->zstd = ZSTD_createDCtx();
	return s->zstd ? n : -ENOMEM;
}

/* What was read first, to see what it is. */
static int take_raw(struct stream *s, char *buf, size_t len)
{
	size_t n = s->raw.size - s->raw.pos;

	if (n > len)
		n = len;
	memcpy(buf, s->buf + s->raw.pos, n);
	s->raw.pos += n;
	return (int)n;
}

/* Where the power failed, zeros may be in the place of what was to be written. */
static void skip_zeros(struct stream *s)
{
	while (s->raw.pos < s->raw.size && !s->buf[s->raw.pos])
		s->raw.pos++;
}

/* As ZSTD_decompressStream(), from one frame to the next. */
static size_t decompress(struct stream *s, ZSTD_outBuffer *out)
{
	size_t left, from;

	if (s->between)
		skip_zeros(s);
	from = s->raw.pos;
	/* Even with nothing to read there may be something to write. */
	left = ZSTD_decompressStream(s->zstd, out, &s->raw);
	s->between = !left || (s->between && s->raw.pos == from);
	return left;
}

int stream_read(struct stream *s, char *buf, size_t len, bool nowait, const char **why)
{
	ZSTD_outBuffer out = {buf, len, 0};
	int n = s->begun ? 1 : begin(s, nowait);

	if (n <= 0)
		return n;
	if (!s->zstd)
		return s->raw.pos < s->raw.size ? take_raw(s, buf, len)
						: read_raw(s, buf, len, nowait);
	while (!out.pos) {
		size_t left = decompress(s, &out);

		if (ZSTD_isError(left)) {
			*why = ZSTD_getErrorName(left);
			return -EBADMSG;
		}
		if (out.pos || s->raw.pos < s->raw.size)
			continue;
		n = refill(s, nowait);
		if (n <= 0)
			return n;
	}
	return (int)out.pos;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	ZSTD_freeDCtx(s->zstd);
	free(s);
}
