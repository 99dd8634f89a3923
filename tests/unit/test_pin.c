// SPDX-License-Identifier: GPL-2.0-or-later
/* The directory of pins, on an ordinary file system: made, locked, refused, emptied. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "pin.h"

#define MARK "global"

static char top[] = "/tmp/ppooltop-pin.XXXXXX";
static char path[sizeof(top) + 16];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	snprintf(path, sizeof(path), "%s/pins", top);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(top);
}

static struct pin_dir at(const char *where)
{
	return (struct pin_dir){.path = where, .fd = -1, .any_fs = true};
}

static void make_file(const char *name)
{
	const struct pin_dir d = at(path);
	char buf[256];
	int fd;

	assert_int_equal(pin_path(&d, name, buf, sizeof(buf)), 0);
	fd = open(buf, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* What every test ends with: the directory is gone. */
static void remove_locked(struct pin_dir *d)
{
	assert_int_equal(pin_clear(d, MARK, true), 0);
	pin_unlock(d);
	assert_int_equal(access(path, F_OK), -1);
}

static void made_and_removed(void **state)
{
	struct pin_dir d = at(path);
	struct stat st;

	(void)state;
	assert_int_equal(pin_lock(&d, false), -ENOENT);
	assert_int_equal(d.fd, -1);
	assert_int_equal(pin_lock(&d, true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	pin_unlock(&d);
	assert_int_equal(d.fd, -1);
	pin_unlock(&d);
	/* there is one already */
	assert_int_equal(pin_lock(&d, true), 0);
	pin_unlock(&d);
	assert_int_equal(pin_lock(&d, false), 0);
	remove_locked(&d);
}

static void one_at_a_time(void **state)
{
	struct pin_dir a = at(path), b = at(path);

	(void)state;
	assert_int_equal(pin_lock(&a, true), 0);
	assert_int_equal(pin_lock(&b, true), -EBUSY);
	assert_int_equal(pin_lock(&b, false), -EBUSY);
	pin_unlock(&a);
	assert_int_equal(pin_lock(&b, false), 0);
	remove_locked(&b);
}

/* What another process gets that locks, and ends. */
static int lock_elsewhere(void)
{
	int status;
	pid_t pid;

	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct pin_dir d = at(path);

		_exit(-pin_lock(&d, true));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

/* A lock does not outlive its process, and another process sees it. */
static void between_processes(void **state)
{
	struct pin_dir d = at(path);

	(void)state;
	assert_int_equal(lock_elsewhere(), 0);
	assert_int_equal(pin_lock(&d, false), 0);
	assert_int_equal(lock_elsewhere(), -EBUSY);
	remove_locked(&d);
}

/* Detached, but not yet unlocked, by one; attached by another: not in the directory that is gone.
 */
static void made_anew_while_locked(void **state)
{
	struct pin_dir a = at(path), b = at(path);
	struct stat st, now;

	(void)state;
	assert_int_equal(pin_lock(&a, true), 0);
	assert_int_equal(pin_clear(&a, MARK, true), 0);
	assert_int_equal(pin_lock(&b, false), -ENOENT);
	assert_int_equal(pin_lock(&b, true), 0);
	assert_int_equal(fstat(b.fd, &st), 0);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(st.st_ino, now.st_ino);
	pin_unlock(&a);
	remove_locked(&b);
}

/* What else is there is refused, and then removed. */
static void check_no_directory(struct pin_dir *d)
{
	assert_int_equal(pin_lock(d, true), -ENOTDIR);
	assert_int_equal(unlink(path), 0);
}

static void what_is_not_ours(void **state)
{
	struct pin_dir d = at(path);
	char other[64];

	(void)state;
	snprintf(other, sizeof(other), "%s/other", top);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(symlink(other, path), 0);
	check_no_directory(&d);
	assert_int_equal(rmdir(other), 0);
	assert_int_equal(symlink("nowhere", path), 0);
	check_no_directory(&d);
	assert_int_equal(close(creat(path, 0600)), 0);
	check_no_directory(&d);
	assert_int_equal(mkdir(path, 0700), 0);
	make_file(MARK);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(pin_lock(&d, true), -EPERM);
	assert_false(pin_exists(path, MARK));
	assert_int_equal(chmod(path, 0700), 0);
	assert_true(pin_exists(path, MARK));
	if (!geteuid()) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(pin_lock(&d, true), -EPERM);
		assert_false(pin_exists(path, MARK));
		assert_int_equal(chown(path, 0, 0), 0);
	}
	assert_int_equal(pin_lock(&d, true), 0);
	remove_locked(&d);
}

static void only_on_bpffs(void **state)
{
	static const struct {
		const char *path;
		int err;
	} rows[] = {
		{"/no/such/place", -EMEDIUMTYPE},
		{"relative", -EINVAL},
		{"/", -EINVAL},
		{"/tmp/", -EINVAL},
	};
	struct pin_dir d = {.path = path};

	(void)state;
	assert_int_equal(pin_lock(&d, true), -EMEDIUMTYPE);
	assert_int_equal(access(path, F_OK), -1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		d = at(rows[i].path);
		assert_int_equal(pin_lock(&d, true), rows[i].err);
	}
}

static void cleared(void **state)
{
	struct pin_dir d = at(path);
	char name[32];

	(void)state;
	assert_int_equal(pin_lock(&d, true), 0);
	assert_false(pin_exists(path, MARK));
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "link_%d", i);
		make_file(name);
	}
	make_file(MARK);
	make_file(".hidden");
	assert_true(pin_exists(path, MARK));
	assert_true(pin_exists(path, "link_7"));
	assert_int_equal(pin_clear(&d, MARK, false), 0);
	assert_false(pin_exists(path, MARK));
	assert_false(pin_exists(path, "link_7"));
	assert_int_equal(access(path, F_OK), 0);
	/* still locked, still of use */
	make_file(MARK);
	assert_int_equal(pin_clear(&d, MARK, true), 0);
	assert_int_equal(access(path, F_OK), -1);
	pin_unlock(&d);
}

/* A directory inside is not ours to empty: the mark goes, and all else that can. */
static void cleared_but_for(void **state)
{
	struct pin_dir d = at(path);
	char sub[64];

	(void)state;
	snprintf(sub, sizeof(sub), "%s/sub", path);
	assert_int_equal(pin_lock(&d, true), 0);
	make_file("a");
	assert_int_equal(mkdir(sub, 0700), 0);
	make_file("z");
	make_file(MARK);
	assert_int_equal(pin_clear(&d, MARK, true), -EISDIR);
	assert_false(pin_exists(path, MARK));
	assert_false(pin_exists(path, "a"));
	assert_false(pin_exists(path, "z"));
	assert_true(pin_exists(path, "sub"));
	assert_int_equal(rmdir(sub), 0);
	remove_locked(&d);
}

static void pin_map(const struct pin_dir *d, const char *name)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, 4, 1, NULL);
	char buf[256];

	assert_true(fd >= 0);
	assert_int_equal(pin_path(d, name, buf, sizeof(buf)), 0);
	assert_int_equal(bpf_obj_pin(fd, buf), 0);
	close(fd);
}

/* The real thing, where this machine has one: in the lab, above all. */
static void on_bpffs(void **state)
{
	struct pin_dir d = {.path = path}, other = {.path = path};
	char name[32];

	(void)state;
	snprintf(path, sizeof(path), "/sys/fs/bpf/unit%d", (int)getpid());
	if (geteuid() || pin_lock(&d, true))
		return; /* prove takes cmocka's skip() for a failure */
	assert_int_equal(pin_lock(&other, true), -EBUSY);
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "map_%d", i);
		pin_map(&d, name);
	}
	assert_false(pin_exists(path, MARK));
	pin_map(&d, MARK);
	assert_true(pin_exists(path, MARK));
	assert_int_equal(pin_clear(&d, MARK, false), 0);
	assert_false(pin_exists(path, MARK));
	assert_false(pin_exists(path, "map_199"));
	pin_map(&d, MARK);
	assert_int_equal(pin_clear(&d, MARK, true), 0);
	assert_int_equal(pin_lock(&other, false), -ENOENT);
	assert_int_equal(pin_lock(&other, true), 0);
	pin_unlock(&d);
	remove_locked(&other);
}

static void paths(void **state)
{
	const struct pin_dir d = at("/a/b");
	char buf[8];

	(void)state;
	assert_int_equal(pin_path(&d, "cd", buf, 8), 0);
	assert_string_equal(buf, "/a/b/cd");
	assert_int_equal(pin_path(&d, "cde", buf, 8), -ENAMETOOLONG);
	assert_int_equal(pin_path(&d, "cd", buf, 0), -ENAMETOOLONG);
	assert_false(pin_exists("/no/such/place", MARK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_and_removed),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(between_processes),
		cmocka_unit_test(made_anew_while_locked),
		cmocka_unit_test(what_is_not_ours),
		cmocka_unit_test(only_on_bpffs),
		cmocka_unit_test(cleared),
		cmocka_unit_test(cleared_but_for),
		cmocka_unit_test(paths),
		cmocka_unit_test(on_bpffs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
