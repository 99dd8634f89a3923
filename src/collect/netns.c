// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "netns.h"

/* ip-netns(8): a name is a file here, bind-mounted from the namespace. */
#define NETNS_DIR "/run/netns"

void netns_name_pools(struct snapshot *s)
{
	DIR *dir = opendir(NETNS_DIR);
	struct dirent *entry;
	struct stat st;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || fstatat(dirfd(dir), entry->d_name, &st, 0))
			continue;
		for (size_t i = 0; i < s->nr_pools; i++)
			if (s->pools[i].netns == st.st_ino)
				snprintf(s->pools[i].netns_name, sizeof(s->pools[i].netns_name),
					 "%s", entry->d_name);
	}
	closedir(dir);
}
