// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replace.h"

#define TRIES 8 /* somebody else replaces the file in the same moment */

/* What is open while the file is replaced; -1: not. */
struct work {
	int dir, temporary;
	int other;   /* the version in place, if it is not ours, locked */
	int current; /* the version in place: that, or ours; -1: there is none */
};

static int failed(struct replace *r, const char *what, int err)
{
	r->what = what;
	return err;
}

int replace_init(struct replace *r, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t dir = slash ? (size_t)(slash - path) : 0;

	memset(r, 0, sizeof(*r));
	r->path = path;
	r->file = -1;
	r->what = "name";
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	/* the longest is the temporary's */
	if (dir >= sizeof(r->dir) || strlen(name) + strlen("..new") >= sizeof(r->temporary))
		return -ENAMETOOLONG;
	if (slash)
		snprintf(r->dir, sizeof(r->dir), "%.*s", dir ? (int)dir : 1, path);
	else
		snprintf(r->dir, sizeof(r->dir), ".");
	snprintf(r->name, sizeof(r->name), "%s", name);
	snprintf(r->temporary, sizeof(r->temporary), ".%s.new", name);
	return 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is @fd (-1: nothing) what has the name @name? */
static bool is_named(int dir, const char *name, int fd)
{
	struct stat at, open;

	if (fstatat(dir, name, &at, AT_SYMLINK_NOFOLLOW))
		return fd < 0 && errno == ENOENT;
	return fd >= 0 && !fstat(fd, &open) && same_file(&at, &open);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void work_end(struct work *w)
{
	close_fd(&w->temporary);
	close_fd(&w->other);
	close_fd(&w->dir);
}

static int lock(int fd)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

/* What is in place has to be a regular file. */
static int look_at_file(struct replace *r, const struct work *w)
{
	struct stat st;

	if (fstatat(w->dir, r->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : failed(r, "look at it", -errno);
	if (S_ISLNK(st.st_mode))
		return failed(r, "replace it", -ELOOP);
	return S_ISREG(st.st_mode) ? 0 : failed(r, "replace it", -EINVAL);
}

/* The version in place, where it is not the one we wrote. */
static int lock_file(struct replace *r, struct work *w)
{
	int err = look_at_file(r, w);

	w->current = r->file;
	if (err || (r->file >= 0 && is_named(w->dir, r->name, r->file)))
		return err;
	w->current = w->other =
		openat(w->dir, r->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (w->other < 0)
		return errno == ENOENT ? 0 : failed(r, "open it", -errno);
	err = lock(w->other);
	return err ? failed(r, "lock it", err) : 0;
}

static int lock_temporary(struct replace *r, struct work *w)
{
	const int flags = O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	struct stat st;
	int err;

	w->temporary = openat(w->dir, r->temporary, flags, 0644);
	if (w->temporary < 0 && errno == ELOOP)
		return failed(r, "use its temporary", -EEXIST);
	if (w->temporary < 0)
		return failed(r, "create its temporary", -errno);
	err = lock(w->temporary);
	if (err)
		return failed(r, "lock its temporary", err);
	if (fstat(w->temporary, &st))
		return failed(r, "look at its temporary", -errno);
	if (!is_named(w->dir, r->temporary, w->temporary))
		return -EAGAIN;
	/* Not what a link to somewhere else leads to. */
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return failed(r, "use its temporary", -EEXIST);
	return 0;
}

/*
 * Only who has the lock of the temporary changes what is in place, and what is in place is locked
 * by who put it there. So both locks are needed, and after the second the first is looked at again.
 */
static int lock_both(struct replace *r, struct work *w)
{
	int err = -EAGAIN;

	for (int i = 0; err == -EAGAIN && i < TRIES; i++) {
		work_end(w);
		w->dir = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (w->dir < 0)
			return failed(r, "open its directory", -errno);
		err = lock_file(r, w);
		if (!err)
			err = lock_temporary(r, w);
		if (!err && !is_named(w->dir, r->name, w->current)) {
			unlinkat(w->dir, r->temporary, 0);
			err = -EAGAIN;
		}
	}
	return err == -EAGAIN ? failed(r, "lock it", -EBUSY) : err;
}

static int fill(struct replace *r, int fd, const char *data, size_t len)
{
	if (ftruncate(fd, 0))
		return failed(r, "empty its temporary", -errno);
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(r, "write it", -errno);
		data += n;
		len -= (size_t)n;
	}
	/* whatever the umask is, and who made it */
	if (fchmod(fd, 0644))
		return failed(r, "make it readable", -errno);
	return fsync(fd) ? failed(r, "write it", -errno) : 0;
}

/*
 * What is locked was opened to be read, and stays open until it is replaced in its turn: it must
 * not be in the way of who wants to make the file system read-only.
 */
static int write_temporary(struct replace *r, const struct work *w, const char *data, size_t len)
{
	int fd = openat(w->dir, r->temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;

	if (fd < 0)
		return failed(r, "write it", -errno);
	/* Nobody who wants the lock first would have put another one there. */
	err = is_named(w->dir, r->temporary, w->temporary) ? fill(r, fd, data, len)
							   : failed(r, "lock it", -EBUSY);
	if (close(fd) && !err)
		err = failed(r, "write it", -errno);
	return err;
}

/* The temporary becomes the file, which is ours then. */
static int put_in_place(struct replace *r, struct work *w)
{
	if (renameat(w->dir, r->temporary, w->dir, r->name))
		return failed(r, "put it in place", -errno);
	close_fd(&r->file);
	r->file = w->temporary;
	w->temporary = -1;
	/* Not every file system has this. */
	if (fsync(w->dir) && errno != EINVAL)
		return failed(r, "write its directory", -errno);
	return 0;
}

int replace_write(struct replace *r, const void *data, size_t len)
{
	struct work w = {-1, -1, -1, -1};
	int err;

	err = lock_both(r, &w);
	if (!err) {
		err = write_temporary(r, &w, data, len);
		if (!err)
			err = put_in_place(r, &w);
		if (err && w.temporary >= 0)
			unlinkat(w.dir, r->temporary, 0);
	}
	work_end(&w);
	return err;
}

int replace_allowed(struct replace *r)
{
	struct work w = {-1, -1, -1, -1};
	int err = 0;

	w.dir = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w.dir >= 0)
		err = lock_file(r, &w);
	work_end(&w);
	return err == -ELOOP || err == -EINVAL || err == -EBUSY ? err : 0;
}

int replace_remove(struct replace *r)
{
	int dir = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (dir < 0)
		return failed(r, "open its directory", -errno);
	if (r->file >= 0 && is_named(dir, r->name, r->file) && unlinkat(dir, r->name, 0))
		err = failed(r, "remove it", -errno);
	close(dir);
	return err;
}

void replace_close(struct replace *r)
{
	close_fd(&r->file);
}
