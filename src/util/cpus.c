// SPDX-License-Identifier: GPL-2.0-or-later
/* Which numbers processors have. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "util.h"

/* A decimal number at **@s, which is moved behind it; -EINVAL if there is none or it is too big. */
static int number(const char **s)
{
	unsigned long n;
	char *end;

	/* strtoul() would take spaces and signs as well. */
	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	errno = 0;
	n = strtoul(*s, &end, 10);
	if (errno || n >= INT_MAX)
		return -EINVAL;
	*s = end;
	return (int)n;
}

/* "3" or "0-3" at **@s: the last number. */
static int range(const char **s)
{
	int first = number(s), last;

	if (first < 0 || **s != '-')
		return first;
	(*s)++;
	last = number(s);
	return last < first ? -EINVAL : last;
}

int cpu_ids(const char *list)
{
	int highest = -1;

	for (;;) {
		int last = range(&list);

		if (last < 0)
			return last;
		if (last > highest)
			highest = last;
		if (*list != ',')
			break;
		list++;
	}
	if (*list == '\n')
		list++;
	return *list ? -EINVAL : highest + 1;
}

int possible_cpu_ids(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	char *line = NULL;
	size_t size = 0;
	int ret;

	if (!f)
		return -errno;
	ret = getline(&line, &size, f) < 0 ? -EINVAL : cpu_ids(line);
	free(line);
	fclose(f);
	return ret;
}
