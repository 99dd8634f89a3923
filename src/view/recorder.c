// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "recorder.h"
#include "view.h"

#define BEGINS "{\"schema\":\"ppooltop/"

struct recorder {
	char *path;
	char *old; /* path.old */
	uint64_t max_bytes;
	int fd;
	bool made; /* and empty, it goes again */
	off_t size;
	ZSTD_CCtx *zstd;
};

/* --- what is there already ------------------------------------------------------------------- */

/* Does what is compressed here begin as a document does? */
static bool is_ours(const void *frames, size_t len)
{
	char text[sizeof(BEGINS) - 1];
	ZSTD_inBuffer in = {frames, len, 0};
	ZSTD_outBuffer out = {text, sizeof(text), 0};
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	size_t left = 1;

	while (zstd && left && !ZSTD_isError(left) && out.pos < sizeof(text) && in.pos < len)
		left = ZSTD_decompressStream(zstd, &out, &in);
	ZSTD_freeDCtx(zstd);
	return out.pos == sizeof(text) && !memcmp(text, BEGINS, sizeof(text));
}

/* Where the power failed, zeros may be in the place of what was to be written. */
static bool are_zeros(const char *bytes, size_t len)
{
	while (len && !*bytes) {
		bytes++;
		len--;
	}
	return !len;
}

/* How many of these bytes are whole frames; -EBADMSG if what follows does not begin as one. */
static off_t whole_frames(const char *frames, size_t len)
{
	size_t pos = 0;

	if (!is_ours(frames, len))
		return -EBADMSG;
	while (pos < len) {
		size_t n = ZSTD_findFrameCompressedSize(frames + pos, len - pos);

		if (ZSTD_getErrorCode(n) == ZSTD_error_srcSize_wrong ||
		    are_zeros(frames + pos, len - pos))
			break;
		if (ZSTD_isError(n))
			return -EBADMSG;
		pos += n;
	}
	return (off_t)pos;
}

/* Cut off what is no whole frame, and go on from there. */
static int find_end(struct recorder *r)
{
	struct stat st;
	char *frames;

	if (fstat(r->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOTSUP;
	r->size = st.st_size;
	if (!st.st_size)
		return 0;
	frames = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, r->fd, 0);
	if (frames == MAP_FAILED)
		return -errno;
	r->size = whole_frames(frames, (size_t)st.st_size);
	munmap(frames, (size_t)st.st_size);
	if (r->size < 0)
		return (int)r->size;
	return ftruncate(r->fd, r->size) ? -errno : 0;
}

/* --- files ----------------------------------------------------------------------------------- */

/*
 * No link is followed: what is renamed later is the link, and what it points to may be another
 * user's. And a FIFO is refused rather than waited for.
 */
#define FLAGS (O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

static int open_file(struct recorder *r)
{
	int err;

	r->fd = open(r->path, FLAGS);
	r->made = r->fd < 0 && errno == ENOENT;
	if (r->made)
		r->fd = open(r->path, FLAGS | O_CREAT | O_EXCL, 0644);
	if (r->fd < 0)
		return -errno;
	err = flock(r->fd, LOCK_EX | LOCK_NB) ? -errno : find_end(r);
	if (err) {
		close(r->fd);
		r->fd = -1;
	}
	return err == -EWOULDBLOCK ? -EBUSY : err;
}

/* Will it be possible to rename the file to this? Better now than after days. */
static int check_old(const struct recorder *r)
{
	struct stat st;

	if (lstat(r->old, &st))
		return errno == ENOENT ? 0 : -errno;
	return S_ISDIR(st.st_mode) ? -ENOTEMPTY : 0;
}

/* Is it still our file that has the name? It may have been moved, and another one be there. */
static bool is_in_place(const struct recorder *r)
{
	struct stat named, ours;

	return !lstat(r->path, &named) && !fstat(r->fd, &ours) && named.st_dev == ours.st_dev &&
	       named.st_ino == ours.st_ino;
}

/* Begin a new file. If that fails, the one there is stays in use. */
static int rotate(struct recorder *r)
{
	int fd = r->fd, err;

	if (!is_in_place(r))
		return -ESTALE;
	if (rename(r->path, r->old))
		return -errno;
	err = open_file(r);
	if (err) {
		rename(r->old, r->path);
		r->fd = fd;
		return err;
	}
	close(fd);
	return 0;
}

int recorder_open(struct recorder **out, const char *path, uint64_t max_bytes)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (!r)
		return -ENOMEM;
	r->fd = -1;
	r->max_bytes = max_bytes;
	r->path = strdup(path);
	r->zstd = ZSTD_createCCtx();
	if (asprintf(&r->old, "%s.old", path) < 0)
		r->old = NULL;
	if (r->path && r->zstd && r->old) {
		/* What was damaged is told from what is whole. */
		ZSTD_CCtx_setParameter(r->zstd, ZSTD_c_checksumFlag, 1);
		err = check_old(r);
		if (!err)
			err = open_file(r);
	}
	if (err) {
		recorder_close(r);
		return err;
	}
	*out = r;
	return 0;
}

void recorder_close(struct recorder *r)
{
	if (r->path && r->fd >= 0 && r->made && !r->size)
		unlink(r->path);
	if (r->fd >= 0)
		close(r->fd);
	ZSTD_freeCCtx(r->zstd);
	free(r->path);
	free(r->old);
	free(r);
}

/* --- adding ---------------------------------------------------------------------------------- */

static int write_frame(struct recorder *r, const char *frame, size_t len)
{
	struct stat st;
	size_t done = 0;
	int err = 0;

	if (fstat(r->fd, &st))
		return -errno;
	if (!st.st_nlink)
		return -ENOENT;
	while (!err && done < len) {
		ssize_t n = write(r->fd, frame + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n && errno != EINTR)
			err = -errno;
	}
	if (!err && fdatasync(r->fd))
		err = -errno;
	if (!err)
		r->size += (off_t)len;
	else if (ftruncate(r->fd, r->size))
		return err; /* what is there of the frame is cut off when it is next opened */
	return err;
}

static int add_text(struct recorder *r, const char *text, size_t len)
{
	size_t room = ZSTD_compressBound(len), n;
	char *frame = malloc(room);
	int err = 0;

	if (!frame)
		return -ENOMEM;
	n = ZSTD_compress2(r->zstd, frame, room, text, len);
	if (ZSTD_isError(n))
		err = -ENOMEM; /* there is room for any result */
	else if (r->size && (uint64_t)r->size + n > r->max_bytes / 2)
		err = rotate(r);
	if (!err)
		err = write_frame(r, frame, n);
	free(frame);
	return err;
}

int recorder_add(struct recorder *r, const struct model *m)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int err;

	if (!f)
		return -ENOMEM;
	err = view_json(f, m, false);
	if (fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		err = add_text(r, text, len);
	free(text);
	return err;
}
