// SPDX-License-Identifier: GPL-2.0-or-later
/* The live view's configuration: read whatever is in it, written whole or not at all. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui_config.h"

struct noted {
	int nr;
	char last[128];
};

static void note(void *arg, const char *text)
{
	struct noted *noted = arg;

	noted->nr++;
	snprintf(noted->last, sizeof(noted->last), "%s", text);
}

static void parse(struct config *c, struct noted *noted, const char *text, size_t len)
{
	const struct config_notes notes = {note, noted};
	FILE *f = fmemopen((void *)text, len, "r");

	assert_non_null(f);
	memset(noted, 0, sizeof(*noted));
	config_init(c);
	config_parse(c, f, &notes);
	fclose(f);
}

static void parse_text(struct config *c, struct noted *noted, const char *text)
{
	parse(c, noted, text, strlen(text));
}

static void settings(void **state)
{
	struct noted noted = {0};
	struct config c;

	(void)state;
	parse_text(&c, &noted,
		   "# a comment\n\n columns =  DEVICE\tq  alloc \nsort=RECYC%\ninverted = YES\n"
		   "group = cpu\ncounts = yes");
	assert_int_equal(noted.nr, 0);
	assert_int_equal(c.nr_shown, 3);
	assert_ptr_equal(c.shown[1], column_find("Q"));
	assert_ptr_equal(c.sort, column_find("RECYC%"));
	assert_true(c.inverted && c.counts);
	assert_int_equal(c.grouping, GROUP_CPU);
	parse_text(&c, &noted, "columns =\nsort =\ncolumns = Q Q Q\n");
	assert_int_equal(noted.nr, 0);
	assert_int_equal(c.nr_shown, 1);
	assert_null(c.sort);
}

/* What is wrong in a line is not believed, and the others are. */
static void lines_that_are_wrong(void **state)
{
	static const char *const wrong[] = {
		"columns = DEVICE NOSUCH",
		"sort = NOSUCH",
		"inverted = perhaps",
		"group = colour",
		"counts",
		"= yes",
		"nosuch = 1",
		"\001\002\377",
	};
	struct noted noted = {0};
	struct config c;
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(text, sizeof(text),
			 "inverted = yes\ncounts = yes\ngroup = pool\nsort = Q\n%s\ncolumns = Q\n",
			 wrong[i]);
		parse_text(&c, &noted, text);
		assert_int_equal(noted.nr, 1);
		assert_non_null(strstr(noted.last, "line 5"));
		assert_true(c.inverted && c.counts && c.nr_shown == 1 && c.sort);
		assert_int_equal(c.grouping, GROUP_FLAT);
	}
}

static void any_bytes(void **state)
{
	static char bytes[20000];
	struct noted noted = {0};
	struct config c;
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[i] =
				round % 2 ? (char)(seed >> 24) : "= \n#columnsQ"[(seed >> 24) % 12];
		}
		parse(&c, &noted, bytes, sizeof(bytes));
		assert_true(c.nr_shown <= CONFIG_COLUMNS);
	}
}

static void as_it_was(void **state)
{
	struct config c = {.inverted = true, .grouping = GROUP_CPU}, d;
	struct noted noted = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < nr_columns; i++)
		c.shown[c.nr_shown++] = &columns[nr_columns - 1 - i];
	c.sort = column_find("VERDICT");
	assert_int_equal(config_print(&c, f), 0);
	fclose(f);
	parse_text(&d, &noted, text);
	assert_int_equal(noted.nr, 0);
	assert_memory_equal(&c.shown, &d.shown, sizeof(c.shown[0]) * (size_t)nr_columns);
	assert_ptr_equal(c.sort, d.sort);
	assert_true(d.inverted && !d.counts && d.grouping == GROUP_CPU);
	free(text);
}

static void check_path(const char *xdg, const char *home, const char *want)
{
	char path[PATH_MAX];

	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	if (xdg)
		setenv("XDG_CONFIG_HOME", xdg, 1);
	if (home)
		setenv("HOME", home, 1);
	if (want) {
		assert_int_equal(config_path(path, sizeof(path)), 0);
		assert_string_equal(path, want);
	} else {
		assert_int_equal(config_path(path, sizeof(path)), -ENOENT);
	}
}

static void where_it_is(void **state)
{
	char path[8];

	(void)state;
	check_path("/c", "/h", "/c/ppooltop/toprc");
	check_path("", "/h", "/h/.config/ppooltop/toprc");
	check_path("relative", "/h", "/h/.config/ppooltop/toprc");
	check_path(NULL, "/h", "/h/.config/ppooltop/toprc");
	check_path(NULL, "h", NULL);
	check_path(NULL, NULL, NULL);
	setenv("XDG_CONFIG_HOME", "/c", 1);
	assert_int_equal(config_path(path, sizeof(path)), -ENAMETOOLONG);
}

static int files_in(const char *path)
{
	DIR *dir = opendir(path);
	int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 2;
}

/* Directories are made, the file is private, the old one goes, and nothing else stays. */
static void written(void **state)
{
	char dir[] = "/tmp/ppooltop-XXXXXX", path[PATH_MAX], command[PATH_MAX];
	struct noted noted = {0};
	const struct config_notes notes = {note, &noted};
	struct config c, d;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b", dir);
	setenv("XDG_CONFIG_HOME", path, 1);
	config_init(&c);
	config_init(&d);
	config_load(&d, &notes);
	assert_int_equal(noted.nr, 0); /* there is none: as usual */
	c.grouping = GROUP_FLAT;
	assert_int_equal(config_save(&c), 0);
	c.inverted = true;
	assert_int_equal(config_save(&c), 0);
	config_load(&d, &notes);
	assert_true(d.inverted && d.grouping == GROUP_FLAT);
	assert_int_equal(config_path(path, sizeof(path)), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	*strrchr(path, '/') = '\0';
	assert_int_equal(files_in(path), 1);
	/* a file where a directory should be */
	snprintf(command, sizeof(command), "%s/a/b/ppooltop/toprc", dir);
	setenv("XDG_CONFIG_HOME", command, 1);
	assert_int_equal(config_save(&c), -ENOTDIR);
	config_load(&d, &notes);
	assert_int_equal(noted.nr, 1);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),    cmocka_unit_test(lines_that_are_wrong),
		cmocka_unit_test(any_bytes),   cmocka_unit_test(as_it_was),
		cmocka_unit_test(where_it_is), cmocka_unit_test(written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
