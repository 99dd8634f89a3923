// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui_config.h"

static const char *const grouping_names[GROUP_NR] = {
	[GROUP_DEVICE] = "device",
	[GROUP_FLAT] = "pool",
	[GROUP_CPU] = "cpu",
};

const char *grouping_name(enum grouping g)
{
	return grouping_names[g];
}

void config_init(struct config *c)
{
	memset(c, 0, sizeof(*c));
}

/* --- settings, one row each ----------------------------------------------------------------------
 */

/* Words of a line are taken with strtok_r(); false: there is something wrong with @value. */
struct setting {
	const char *key;
	bool (*parse)(struct config *c, char *value);
	void (*print)(const struct config *c, FILE *f);
};

static bool is_among(const struct column *c, const struct column *const *list, int nr)
{
	for (int i = 0; i < nr; i++)
		if (list[i] == c)
			return true;
	return false;
}

static bool parse_columns(struct config *c, char *value)
{
	const struct column *list[CONFIG_COLUMNS] = {0};
	char *save = NULL;
	int nr = 0;

	for (char *word = strtok_r(value, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		const struct column *column = column_find(word);

		if (!column)
			return false;
		if (!is_among(column, list, nr))
			list[nr++] = column;
	}
	memcpy(c->shown, list, (size_t)nr * sizeof(list[0]));
	c->nr_shown = nr;
	return true;
}

static void print_columns(const struct config *c, FILE *f)
{
	for (int i = 0; i < c->nr_shown; i++)
		fprintf(f, " %s", c->shown[i]->title);
}

static bool parse_sort(struct config *c, char *value)
{
	const struct column *column = column_find(value);

	if (*value && !column)
		return false;
	c->sort = column;
	return true;
}

static void print_sort(const struct config *c, FILE *f)
{
	if (c->sort)
		fprintf(f, " %s", c->sort->title);
}

static bool parse_bool(bool *b, const char *value)
{
	bool yes = !strcasecmp(value, "yes");

	if (!yes && strcasecmp(value, "no") != 0)
		return false;
	*b = yes;
	return true;
}

static bool parse_inverted(struct config *c, char *value)
{
	return parse_bool(&c->inverted, value);
}

static void print_inverted(const struct config *c, FILE *f)
{
	fputs(c->inverted ? " yes" : " no", f);
}

static bool parse_counts(struct config *c, char *value)
{
	return parse_bool(&c->counts, value);
}

static void print_counts(const struct config *c, FILE *f)
{
	fputs(c->counts ? " yes" : " no", f);
}

static bool parse_grouping(struct config *c, char *value)
{
	for (int i = 0; i < GROUP_NR; i++) {
		if (!strcasecmp(value, grouping_names[i])) {
			c->grouping = (enum grouping)i;
			return true;
		}
	}
	return false;
}

static void print_grouping(const struct config *c, FILE *f)
{
	fprintf(f, " %s", grouping_names[c->grouping]);
}

static const struct setting settings[] = {
	{"columns", parse_columns, print_columns},    {"sort", parse_sort, print_sort},
	{"inverted", parse_inverted, print_inverted}, {"group", parse_grouping, print_grouping},
	{"counts", parse_counts, print_counts},
};

#define NR_SETTINGS (sizeof(settings) / sizeof(settings[0]))

/* --- the file ------------------------------------------------------------------------------------
 */

#define BLANKS " \t\r\n\v\f"

static char *trim(char *s)
{
	char *end;

	s += strspn(s, BLANKS);
	end = s + strlen(s);
	while (end > s && strchr(BLANKS, end[-1]))
		*--end = '\0';
	return s;
}

/* "key = value"; empty lines and those with # say nothing. */
static bool parse_line(struct config *c, char *line)
{
	char *key = trim(line), *equals;

	if (!*key || *key == '#')
		return true;
	equals = strchr(key, '=');
	if (!equals)
		return false;
	*equals = '\0';
	key = trim(key);
	for (size_t i = 0; i < NR_SETTINGS; i++)
		if (!strcasecmp(settings[i].key, key))
			return settings[i].parse(c, trim(equals + 1));
	return false;
}

void config_parse(struct config *c, FILE *f, const struct config_notes *notes)
{
	char *line = NULL, note[80];
	size_t size = 0;
	int nr = 0;

	while (getline(&line, &size, f) >= 0) {
		nr++;
		if (parse_line(c, line))
			continue;
		snprintf(note, sizeof(note), "toprc: line %d is not understood, and left out", nr);
		notes->note(notes->arg, note);
	}
	free(line);
}

int config_print(const struct config *c, FILE *f)
{
	fputs("# What ppooltop's live view remembers: see ppooltop(8).\n", f);
	for (size_t i = 0; i < NR_SETTINGS; i++) {
		fprintf(f, "%s =", settings[i].key);
		settings[i].print(c, f);
		fputc('\n', f);
	}
	return ferror(f) ? -EIO : 0;
}

static int print_path(char *path, size_t len, const char *dir, const char *below)
{
	int n = snprintf(path, len, "%s%s/ppooltop/toprc", dir, below);

	return n < 0 || (size_t)n >= len ? -ENAMETOOLONG : 0;
}

int config_path(char *path, size_t len)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	/* The specification has relative ones ignored. */
	if (dir && dir[0] == '/')
		return print_path(path, len, dir, "");
	if (home && home[0] == '/')
		return print_path(path, len, home, "/.config");
	return -ENOENT;
}

void config_load(struct config *c, const struct config_notes *notes)
{
	char path[PATH_MAX], note[80];
	FILE *f;

	if (config_path(path, sizeof(path)))
		return;
	f = fopen(path, "re");
	if (f) {
		config_parse(c, f, notes);
		fclose(f);
	} else if (errno != ENOENT) {
		snprintf(note, sizeof(note), "toprc: %s", strerror(errno));
		notes->note(notes->arg, note);
	}
}

/* The directories that @path is in. */
static int make_dirs(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int err;

		*slash = '\0';
		err = mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
		*slash = '/';
		if (err)
			return err;
	}
	return 0;
}

static int write_file(const struct config *c, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), err;
	FILE *f;

	if (fd < 0)
		return -errno;
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	err = config_print(c, f);
	if (!err && (fflush(f) || fsync(fd)))
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

int config_save(const struct config *c)
{
	char path[PATH_MAX], temporary[PATH_MAX + 16];
	int err;

	err = config_path(path, sizeof(path));
	if (!err)
		err = make_dirs(path);
	if (err)
		return err;
	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	err = write_file(c, temporary);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err && err != -EEXIST)
		unlink(temporary);
	return err;
}
