/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as outputs for machines have them: the same pool is the same name in each. */
#ifndef PPOOLTOP_NAMES_H
#define PPOOLTOP_NAMES_H

#include "snapshot.h"

#define NETNS_LEN    SNAP_NAMELEN
#define POOL_KEY_LEN 48

/* A network namespace: its name, or else its inode number; empty: unknown. At most NETNS_LEN. */
void name_netns(uint32_t inode, const char *name, char *to);

/* One string that is this pool and no other while collection runs. At most POOL_KEY_LEN. */
void name_pool(const struct pool *p, char *to);

#endif /* PPOOLTOP_NAMES_H */
