// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "netns.h"

/* ip-netns(8): a name is a file here, bind-mounted from the namespace. */
#define NETNS_DIR "/run/netns"

static void learn(struct netns_names *names, uint32_t inode, const char *name)
{
	struct netns_name *n = NULL;

	for (size_t i = 0; i < names->nr && !n; i++)
		if (names->list[i].inode == inode)
			n = &names->list[i];
	if (!n) {
		n = realloc(names->list, (names->nr + 1) * sizeof(*n));
		if (!n)
			return;
		names->list = n;
		n += names->nr++;
		n->inode = inode;
	}
	snprintf(n->name, sizeof(n->name), "%s", name);
}

void netns_learn(struct netns_names *names)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;
	struct stat st;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !fstatat(dirfd(dir), entry->d_name, &st, 0))
			learn(names, (uint32_t)st.st_ino, entry->d_name);
	closedir(dir);
}

static void name(const struct netns_names *names, uint32_t inode, char *to, size_t len)
{
	for (size_t i = 0; inode && i < names->nr; i++)
		if (names->list[i].inode == inode)
			snprintf(to, len, "%s", names->list[i].name);
}

void netns_name_pools(const struct netns_names *names, struct snapshot *s)
{
	for (size_t i = 0; i < s->nr_pools; i++)
		name(names, s->pools[i].netns, s->pools[i].netns_name,
		     sizeof(s->pools[i].netns_name));
	for (size_t i = 0; i < s->nr_past; i++)
		name(names, s->past[i].netns, s->past[i].netns_name, sizeof(s->past[i].netns_name));
}

void netns_forget(struct netns_names *names)
{
	free(names->list);
	memset(names, 0, sizeof(*names));
}
