// SPDX-License-Identifier: GPL-2.0-or-later
/* A file that is replaced, by one and by many at once. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replace.h"

static char dir[32], path[64];

/* What somebody else does in the moment before the temporary is opened, or is locked. */
static void (*before_open)(void), (*before_lock)(void);

static void happen(void (**what)(void))
{
	void (*now)(void) = *what;

	*what = NULL;
	if (now)
		now();
}

/* In place of the C library's. */
int openat(int at, const char *name, int flags, ...)
{
	if (!strcmp(name, ".file.new"))
		happen(&before_open);
	return (int)syscall(SYS_openat, at, name, flags, 0644);
}

int flock(int fd, int operation)
{
	happen(&before_lock);
	return (int)syscall(SYS_flock, fd, operation);
}

static int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/replace.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

/* Only what the tests made is there: no temporary. */
static int end(void **state)
{
	(void)state;
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
	return 0;
}

static size_t read_file(char *text, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, len) : 0;

	if (fd >= 0)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

static void check_file(const char *want)
{
	char text[64] = "";

	assert_int_equal(read_file(text, sizeof(text) - 1), strlen(want));
	assert_string_equal(text, want);
}

static void names(void **state)
{
	static const struct {
		const char *path, *dir, *name;
		int err;
	} all[] = {
		{"file", ".", "file", 0},
		{"/file", "/", "file", 0},
		{"a//b/c.prom", "a//b", "c.prom", 0},
		{"", NULL, NULL, -EISDIR},
		{"a/", NULL, NULL, -EISDIR},
		{"..", NULL, NULL, -EISDIR},
		{"a/.", NULL, NULL, -EISDIR},
	};
	struct replace r;
	char name[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		assert_int_equal(replace_init(&r, all[i].path), all[i].err);
		if (all[i].err)
			continue;
		assert_string_equal(r.dir, all[i].dir);
		assert_string_equal(r.name, all[i].name);
	}
	memset(name, 'x', sizeof(name));
	name[250] = '\0';
	assert_int_equal(replace_init(&r, name), 0);
	assert_int_equal(strlen(r.temporary), 255);
	name[250] = 'x';
	name[251] = '\0';
	assert_int_equal(replace_init(&r, name), -ENAMETOOLONG);
}

static void one_at_a_time(void **state)
{
	struct replace r, s;

	(void)state;
	assert_int_equal(replace_init(&r, path), 0);
	assert_int_equal(replace_init(&s, path), 0);
	assert_int_equal(replace_allowed(&r), 0);
	assert_int_equal(replace_write(&r, "first", 5), 0);
	check_file("first");
	assert_int_equal(replace_write(&r, "2nd", 3), 0);
	check_file("2nd");
	assert_int_equal(replace_allowed(&s), -EBUSY);
	assert_int_equal(replace_write(&s, "other", 5), -EBUSY);
	assert_int_equal(replace_remove(&s), 0);
	check_file("2nd");
	replace_close(&r);
	assert_int_equal(replace_write(&s, "other", 5), 0);
	check_file("other");
	assert_int_equal(replace_write(&r, "first", 5), -EBUSY);
	assert_int_equal(replace_remove(&r), 0);
	check_file("other");
	assert_int_equal(replace_remove(&s), 0);
	replace_close(&s);
	assert_int_equal(access(path, F_OK), -1);
}

static void left_over(void **state)
{
	struct replace r;
	char temporary[80];
	FILE *f;

	(void)state;
	snprintf(temporary, sizeof(temporary), "%s/.file.new", dir);
	f = fopen(temporary, "we");
	assert_non_null(f);
	fputs("more than what will be in it", f);
	fclose(f);
	assert_int_equal(replace_init(&r, path), 0);
	assert_int_equal(replace_write(&r, "short", 5), 0);
	check_file("short");
	replace_close(&r);
}

static struct replace other;

static void other_writes(void)
{
	assert_int_equal(replace_init(&other, path), 0);
	assert_int_equal(replace_write(&other, "other", 5), 0);
}

static void other_writes_once(void)
{
	other_writes();
	replace_close(&other);
}

/* As when another has given up. */
static void temporary_goes(void)
{
	char temporary[80];

	snprintf(temporary, sizeof(temporary), "%s/.file.new", dir);
	assert_int_equal(unlink(temporary), 0);
}

/* There was no file when it was looked for; now there is one, and it is another's. */
static void other_was_first(void **state)
{
	struct replace r;

	(void)state;
	assert_int_equal(replace_init(&r, path), 0);
	before_open = other_writes;
	assert_int_equal(replace_write(&r, "mine", 4), -EBUSY);
	check_file("other");
	replace_close(&other);
	replace_close(&r);
}

/* What was opened to be the temporary is the file by now, or nothing. */
static void temporary_is_another(void **state)
{
	struct replace r;

	(void)state;
	assert_int_equal(replace_init(&r, path), 0);
	before_lock = other_writes_once;
	assert_int_equal(replace_write(&r, "mine", 4), 0);
	check_file("mine");
	assert_int_equal(replace_remove(&r), 0);
	replace_close(&r);
	before_lock = temporary_goes;
	assert_int_equal(replace_write(&r, "again", 5), 0);
	check_file("again");
	replace_close(&r);
}

/* Whoever has written the file has it alone, until he lets go of it. */
#define WRITERS 6
#define ROUNDS	300
#define LETTERS 20000

/* 'A' + @i, many times. */
static bool write_letters(struct replace *r, int i)
{
	static char text[LETTERS];
	struct stat now, mine;
	int err;

	memset(text, 'A' + i, sizeof(text));
	err = replace_write(r, text, sizeof(text));
	if (err == -EBUSY)
		return true;
	if (err) {
		print_error("%s: %s\n", r->what, strerror(-err));
		return false;
	}
	for (int k = 0; k < 20; k++) {
		usleep(10);
		if (stat(path, &now) || fstat(r->file, &mine) || now.st_ino != mine.st_ino) {
			print_error("the file is not there, or another's\n");
			return false;
		}
	}
	return true;
}

static void writer(int i)
{
	bool good = true;

	for (int k = 0; good && k < ROUNDS; k++) {
		struct replace r;

		replace_init(&r, path);
		good = write_letters(&r, i);
		if (k % 2 && replace_remove(&r))
			good = false;
		replace_close(&r);
	}
	_exit(good ? 0 : 1);
}

static void many_at_once(void **state)
{
	static char text[LETTERS + 1];
	int left = WRITERS, status;

	(void)state;
	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			writer(i);
	while (left) {
		size_t len = read_file(text, sizeof(text));

		if (len) {
			assert_int_equal(len, LETTERS);
			assert_int_equal(memcmp(text, text + 1, LETTERS - 1), 0);
		}
		if (waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			left--;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test_setup_teardown(one_at_a_time, begin, end),
		cmocka_unit_test_setup_teardown(left_over, begin, end),
		cmocka_unit_test_setup_teardown(other_was_first, begin, end),
		cmocka_unit_test_setup_teardown(temporary_is_another, begin, end),
		cmocka_unit_test_setup_teardown(many_at_once, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
