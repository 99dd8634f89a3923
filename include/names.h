/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as outputs for machines have them: the same pool is the same name in each. */
#ifndef PPOOLTOP_NAMES_H
#define PPOOLTOP_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

#define NAME_UTF8_LEN (2 * SNAP_NAMELEN + 1) /* room for any name of a snapshot */
#define NETNS_LEN     SNAP_NAMELEN
#define POOL_KEY_LEN  48

/*
 * @s as UTF-8: a name may hold any byte but '/' and space (dev_valid_name()), and one that is no
 * UTF-8 is the character of its number. Returns the length; what does not fit @len is cut off,
 * between characters.
 */
size_t name_utf8(const char *s, char *to, size_t len);

bool name_is_utf8(const char *s, size_t len);

/* A network namespace: its name, or else its inode number; empty: unknown. At most NETNS_LEN. */
void name_netns(uint32_t inode, const char *name, char *to);

/* One string that is this pool and no other for as long as the machine runs. At most POOL_KEY_LEN.
 */
void name_pool(const struct pool *p, char *to);

#endif /* PPOOLTOP_NAMES_H */
