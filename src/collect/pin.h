/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of bpffs that holds what collects without a process: pinned maps, links and
 * programs. One of them, the mark, is pinned last and removed first: without it the rest is what an
 * attach or a detach that died has left.
 */
#ifndef PPOOLTOP_COLLECT_PIN_H
#define PPOOLTOP_COLLECT_PIN_H

#include <stdbool.h>
#include <stddef.h>

#define PIN_DIR "/sys/fs/bpf/ppooltop"

struct pin_dir {
	const char *path; /* absolute, no '/' at its end; the caller's, good until pin_unlock() */
	int fd;		  /* of the directory, while it is locked */
	bool any_fs;	  /* for tests: it need not be a bpffs */
};

/*
 * Open @d->path and lock it against others, until pin_unlock() or the end of the process. @create:
 * make it if need be, with mode 0700. Returns 0 or
 *   -EMEDIUMTYPE  there is no bpffs: not mounted, or not in this kernel
 *   -ENOENT       there is no such directory, and @create is not set
 *   -ENOTDIR      a symbolic link, or anything else that is no directory
 *   -EPERM        somebody else's: neither root's nor the caller's, or others may write to it
 *   -EBUSY        locked by another process
 * and what system calls give, -EACCES above all.
 */
int pin_lock(struct pin_dir *d, bool create);
void pin_unlock(struct pin_dir *d);

/* Is the directory there, and to be trusted? Returns what pin_lock() does, but takes no lock. */
int pin_check(const struct pin_dir *d);

/* The path of @name in the directory; -ENAMETOOLONG: not in @len bytes. Needs no lock. */
int pin_path(const struct pin_dir *d, const char *name, char *buf, size_t len);

/*
 * Remove all from the locked directory, @mark before anything else, and with @remove the directory
 * itself. Goes on where something cannot be removed; 0, or the first -errno.
 */
int pin_clear(struct pin_dir *d, const char *mark, bool remove);

/*
 * Is there @name in the directory @path? False too if the caller may not look, or if pin_lock()
 * would refuse the directory as somebody else's.
 */
bool pin_exists(const char *path, const char *name);

#endif /* PPOOLTOP_COLLECT_PIN_H */
