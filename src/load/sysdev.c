// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding devices with hardware behind them. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "priv.h"

#define SYS_NET "/sys/class/net"

static bool is_ethernet(const char *name)
{
	char path[sizeof(SYS_NET) + NAME_MAX + 8];
	int type = -1;
	FILE *file;

	snprintf(path, sizeof(path), SYS_NET "/%s/type", name);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type == ARPHRD_ETHER;
}

static bool has_driver(const char *name, const char *const *drivers)
{
	char path[sizeof(SYS_NET) + NAME_MAX + 16], target[512];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), SYS_NET "/%s/device/driver", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	for (; drivers && *drivers; drivers++) {
		if (!strcmp(*drivers, base))
			return true;
	}
	return !drivers;
}

int load_sysdev_find(const char *const *drivers, const char *skip, char name[IFNAMSIZ])
{
	struct dirent **entries;
	int n = scandir(SYS_NET, &entries, NULL, alphasort);
	int err = -ENODEV;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		const char *entry = entries[i]->d_name;

		if (err && strlen(entry) < IFNAMSIZ && entry[0] != '.' &&
		    (!skip || strcmp(entry, skip) != 0) && is_ethernet(entry) &&
		    has_driver(entry, drivers)) {
			strcpy(name, entry);
			err = 0;
		}
		free(entries[i]);
	}
	free(entries);
	return err;
}
