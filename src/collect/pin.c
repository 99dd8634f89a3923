// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "pin.h"

#define TRIES 5

/* The directory above, to be closed, and in *@name the last part of the path. */
static int open_parent(const struct pin_dir *d, const char **name)
{
	const char *slash = strrchr(d->path, '/');
	char parent[PATH_MAX];
	struct statfs fs;
	int fd;

	if (!slash || slash == d->path || !slash[1])
		return -EINVAL;
	if ((size_t)(slash - d->path) >= sizeof(parent))
		return -ENAMETOOLONG;
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - d->path), d->path);
	*name = slash + 1;
	fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EMEDIUMTYPE : -errno;
	if (!d->any_fs && (fstatfs(fd, &fs) || (unsigned long)fs.f_type != BPF_FS_MAGIC)) {
		close(fd);
		return -EMEDIUMTYPE;
	}
	return fd;
}

/* A bpffs is open to all like /tmp; nobody but root and the caller may have put something there. */
static int check_owner(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((st.st_uid && st.st_uid != geteuid()) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	return 0;
}

/* Who held the lock before us may have removed the directory. */
static int check_there(int parent, const char *name, int fd)
{
	struct stat st, now;

	if (fstat(fd, &st) || fstatat(parent, name, &now, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return st.st_dev == now.st_dev && st.st_ino == now.st_ino ? 0 : -ENOENT;
}

static int open_dir(int parent, const char *name, int how)
{
	int fd = openat(parent, name, how | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ELOOP ? -ENOTDIR : -errno;
	return fd;
}

static int open_locked(int parent, const char *name)
{
	int fd = open_dir(parent, name, O_RDONLY);
	int err;

	if (fd < 0)
		return fd;
	err = check_owner(fd);
	if (!err && flock(fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = check_there(parent, name, fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int pin_check(const struct pin_dir *d)
{
	const char *name;
	int parent = open_parent(d, &name);
	int fd, err;

	if (parent < 0)
		return parent;
	fd = open_dir(parent, name, O_PATH);
	close(parent);
	if (fd < 0)
		return fd;
	err = check_owner(fd);
	close(fd);
	return err;
}

int pin_lock(struct pin_dir *d, bool create)
{
	const char *name;
	int parent = open_parent(d, &name);
	int ret = -ENOENT;

	d->fd = -1;
	if (parent < 0)
		return parent;
	for (int i = 0; i < TRIES && ret == -ENOENT; i++) {
		if (create && mkdirat(parent, name, 0700) && errno != EEXIST) {
			ret = -errno;
			break;
		}
		ret = open_locked(parent, name);
		if (!create)
			break;
	}
	close(parent);
	if (ret < 0)
		return ret;
	d->fd = ret;
	return 0;
}

void pin_unlock(struct pin_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

int pin_path(const struct pin_dir *d, const char *name, char *buf, size_t len)
{
	int n = snprintf(buf, len, "%s/%s", d->path, name);

	return n < 0 || (size_t)n >= len ? -ENAMETOOLONG : 0;
}

/* Remove every entry once. Returns how many; the first error goes to *@err. */
static int clear_once(DIR *dir, int *err)
{
	struct dirent *entry;
	int nr = 0;

	rewinddir(dir);
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(dir), entry->d_name, 0))
			nr++;
		else if (!*err)
			*err = -errno;
	}
	return nr;
}

static int clear(int fd)
{
	/* not a duplicate: that would share the place in the listing */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	int err;

	if (!dir) {
		err = -errno;
		if (own >= 0)
			close(own);
		return err;
	}
	/* A listing may skip entries when others go. */
	do
		err = 0;
	while (clear_once(dir, &err));
	closedir(dir);
	return err;
}

int pin_clear(struct pin_dir *d, const char *mark, bool remove)
{
	int err = 0, ret;

	if (unlinkat(d->fd, mark, 0) && errno != ENOENT)
		err = -errno;
	ret = clear(d->fd);
	if (!err)
		err = ret;
	if (!err && remove && rmdir(d->path))
		err = -errno;
	return err;
}

bool pin_exists(const char *path, const char *name)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool there;

	if (fd < 0)
		return false;
	there = !check_owner(fd) && !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW);
	close(fd);
	return there;
}
