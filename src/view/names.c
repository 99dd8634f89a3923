// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "names.h"

void name_netns(uint32_t inode, const char *name, char *to)
{
	to[0] = '\0';
	if (name[0])
		snprintf(to, NETNS_LEN, "%s", name);
	else if (inode)
		snprintf(to, NETNS_LEN, "%" PRIu32, inode);
}

void name_pool(const struct pool *p, char *to)
{
	if (p->has & POOL_HAS_ADDRESS)
		snprintf(to, POOL_KEY_LEN, "%" PRIx64 ".%" PRIu32, p->address, p->generation / 2);
	else
		snprintf(to, POOL_KEY_LEN, "id%" PRIu32, p->id);
}
