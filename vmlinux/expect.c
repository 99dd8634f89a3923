// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of exceptions, vmlinux/expect. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int kernels_find(const struct kernels *kernels, const char *name)
{
	for (int i = 0; i < kernels->n; i++)
		if (!strcmp(kernels->name[i], name))
			return i;
	return -1;
}

static unsigned int all_kernels(const struct kernels *kernels)
{
	return (1ULL << kernels->n) - 1;
}

static void read_kernels(char **save, struct kernels *kernels)
{
	char *word;

	while ((word = strtok_r(NULL, " \t\n", save))) {
		if (kernels->n == MAX_KERNELS)
			die("too many kernels");
		kernels->name[kernels->n] = strdup(word);
		if (!kernels->name[kernels->n++])
			die("out of memory");
	}
}

static unsigned int read_set(const char *where, char **save, const struct kernels *kernels)
{
	unsigned int set = 0;
	char *word;
	int k;

	while ((word = strtok_r(NULL, " \t\n", save))) {
		k = kernels_find(kernels, word);
		if (k < 0)
			problem("%s: kernel %s is not in the line of kernels", where, word);
		else
			set |= 1U << k;
	}
	return set;
}

/* Where there is no line, a field is expected where its structure is, and that everywhere. */
static void set_expected(struct items *items, const unsigned int *listed, const bool *is_listed,
			 const struct kernels *kernels)
{
	for (int i = 0; i < items->n; i++) {
		struct item *item = &items->item[i];
		unsigned int usual = all_kernels(kernels);

		if (item->parent >= 0)
			usual = items->item[item->parent].expected;
		item->expected = is_listed[i] ? listed[i] & usual : usual;
		if (is_listed[i] && listed[i] & ~usual)
			problem("expect: %s: on kernels that have no such structure", item->name);
		else if (is_listed[i] && listed[i] == usual)
			problem("expect: %s: goes without saying", item->name);
	}
}

static void read_line(char *line, const char *where, struct items *items, unsigned int *listed,
		      bool *is_listed, struct kernels *kernels)
{
	char *save, *name;
	int i;

	line[strcspn(line, "#")] = 0;
	name = strtok_r(line, " \t\n", &save);
	if (!name)
		return;
	if (!strcmp(name, "kernels")) {
		read_kernels(&save, kernels);
		return;
	}
	i = items_find(items, name);
	if (i < 0) {
		problem("%s: %s: no program uses it", where, name);
		return;
	}
	if (is_listed[i])
		problem("%s: %s: for the second time", where, name);
	is_listed[i] = true;
	listed[i] = read_set(where, &save, kernels);
}

/* Reads the table, and sets what is expected of each item. */
void expect_read(const char *file, struct items *items, struct kernels *kernels)
{
	unsigned int *listed = calloc(items->n + 1, sizeof(*listed));
	bool *is_listed = calloc(items->n + 1, sizeof(*is_listed));
	FILE *f = fopen(file, "r");
	char line[1024], where[64];

	if (!f)
		die("%s: %s", file, strerror(errno));
	if (!listed || !is_listed)
		die("out of memory");
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		snprintf(where, sizeof(where), "expect:%d", n);
		read_line(line, where, items, listed, is_listed, kernels);
	}
	fclose(f);
	set_expected(items, listed, is_listed, kernels);
	free(listed);
	free(is_listed);
}
