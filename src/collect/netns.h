/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PPOOLTOP_COLLECT_NETNS_H
#define PPOOLTOP_COLLECT_NETNS_H

#include "snapshot.h"

/* Give the pools of @s the names of their network namespaces, where ip-netns(8) knows one. */
void netns_name_pools(struct snapshot *s);

#endif /* PPOOLTOP_COLLECT_NETNS_H */
