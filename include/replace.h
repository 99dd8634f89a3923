/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is replaced again and again: whoever reads it sees one version of it, and all of it.
 */
#ifndef PPOOLTOP_REPLACE_H
#define PPOOLTOP_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <limits.h>

/*
 * The next version is written to ".NAME.new" beside the file, and renamed. Both are locked by who
 * writes them, so that of two who want the same file one is told. What somebody left behind who was
 * killed is used again.
 */
struct replace {
	const char *path; /* as it was given */
	char dir[PATH_MAX], name[NAME_MAX + 1], temporary[NAME_MAX + 1];
	int file;	  /* the version in place, if we wrote it, locked; else -1 */
	const char *what; /* in the last error: what could not be done to what */
};

/* 0; -EISDIR or -ENAMETOOLONG: there can be no such file. @path has to outlive @r. */
int replace_init(struct replace *r, const char *path);

/*
 * May the file be written? 0; -ELOOP: it is a symbolic link; -EINVAL: it is there and no regular
 * file; -EBUSY: somebody else writes it. Whatever else is in the way shows when it is written.
 */
int replace_allowed(struct replace *r);

/* Replace it by @len bytes, mode 0644: safe on disk as this returns. 0 or -errno as above. */
int replace_write(struct replace *r, const void *data, size_t len);

/* Remove the file if it is the one we wrote last. 0 or -errno. */
int replace_remove(struct replace *r);

/* The file stays. */
void replace_close(struct replace *r);

#endif /* PPOOLTOP_REPLACE_H */
