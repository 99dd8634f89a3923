// SPDX-License-Identifier: GPL-2.0-or-later
/* Collection that goes on without a process: pinned by one, read by any. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_priv.h"
#include "pin.h"

#include "ppooltop.skel.h"

/* The map that says what is attached is pinned last: with it, all is there. */
#define MARK store_names[STORE_META]

/* The skeleton's own variables are shared as well. */
__u32 bpf_meta_sizes(void)
{
	return PP_SIZES ^ (__u32)sizeof(struct ppooltop_bpf__bss) << 4;
}

/* What is pinned of hook @i: "link_..." or "prog_...". */
static void hook_pin_name(const struct hooks_plan *plan, const char *what, int i, char *name,
			  size_t len)
{
	char prog[64];

	hook_prog_name(plan->rung, &hooks[i], prog, sizeof(prog));
	snprintf(name, len, "%s_%s", what, prog);
}

static void explain(int err, char *why, size_t len)
{
	static const struct {
		int err;
		const char *text;
	} texts[] = {
		{-EMEDIUMTYPE, "/sys/fs/bpf is no bpffs; mount -t bpf bpf /sys/fs/bpf"},
		{-ENOENT, "nothing is attached"},
		{-ENOTDIR, PIN_DIR " is not a directory; remove it"},
		{-EPERM, PIN_DIR " belongs to somebody else, or others may write to it; remove it"},
		{-EBUSY, "another ppooltop attach or detach is at work"},
		{-EEXIST, "it is attached already; ppooltop detach ends it"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].err != err)
			continue;
		snprintf(why, len, "%s", texts[i].text);
		return;
	}
	snprintf(why, len, PIN_DIR ": %s", strerror(-err));
}

static int pin_fd(const struct pin_dir *d, int fd, const char *name)
{
	char path[128];
	int err = pin_path(d, name, path, sizeof(path));

	if (err)
		return err;
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

static int pin_hook(const struct bpf_source *src, const struct pin_dir *d, int i)
{
	char name[80];
	int err;

	hook_pin_name(&src->plan, "prog", i, name, sizeof(name));
	err = pin_fd(d, src->prog_fds[i], name);
	if (err)
		return err;
	hook_pin_name(&src->plan, "link", i, name, sizeof(name));
	return pin_fd(d, bpf_link__fd(src->links[i]), name);
}

static int pin_all(struct bpf_source *src, const struct pin_dir *d)
{
	const int map_fds[NR_STORE] = {
		[STORE_POOLS] = bpf_map__fd(src->skel->maps.pools),
		[STORE_COUNTS] = bpf_map__fd(src->skel->maps.counts),
		[STORE_DEVICES] = bpf_map__fd(src->skel->maps.devices),
		[STORE_GLOBAL] = bpf_map__fd(src->skel->maps.bss),
		[STORE_META] = bpf_map__fd(src->skel->maps.meta),
	};
	int err = 0;

	for (int i = 0; i < STORE_META && !err; i++)
		err = pin_fd(d, map_fds[i], store_names[i]);
	if (!err)
		err = pin_fd(d, src->refresh_fd, "refresh");
	if (!err && src->walk_fd >= 0)
		err = pin_fd(d, src->walk_fd, "walk");
	for (int i = 0; i < nr_hooks && !err; i++)
		if (src->attached[i])
			err = pin_hook(src, d, i);
	return err ? err : pin_fd(d, map_fds[STORE_META], MARK);
}

int bpf_source_may_pin(char *why, size_t len)
{
	const struct pin_dir d = {.path = PIN_DIR};
	int err = pin_check(&d);

	if (err == -ENOENT)
		return 0;
	if (!err && pin_exists(d.path, MARK))
		err = -EEXIST;
	if (err)
		explain(err, why, len);
	return err;
}

int bpf_source_pin(struct bpf_source *src, char *why, size_t len)
{
	struct pin_dir d = {.path = PIN_DIR};
	int err = pin_lock(&d, true);

	if (err)
		goto out;
	err = -EEXIST;
	if (pin_exists(d.path, MARK))
		goto unlock;
	/* What an attach or a detach that was killed has left. */
	err = pin_clear(&d, MARK, false);
	if (err)
		goto unlock;
	err = pin_all(src, &d);
	if (err) {
		pin_clear(&d, MARK, true);
		goto unlock;
	}
	/* Not ours to end any more: libbpf would switch kprobes off. */
	for (int i = 0; i < nr_hooks; i++)
		if (src->links[i])
			bpf_link__disconnect(src->links[i]);
unlock:
	pin_unlock(&d);
out:
	if (err)
		explain(err, why, len);
	return err;
}

int bpf_source_unpin(char *why, size_t len)
{
	struct pin_dir d = {.path = PIN_DIR};
	int err = pin_lock(&d, false);

	if (!err) {
		err = pin_clear(&d, MARK, true);
		pin_unlock(&d);
	}
	if (err)
		explain(err, why, len);
	return err;
}

/* The object pinned as @name, or -errno. */
static int get(const char *name)
{
	const struct pin_dir d = {.path = PIN_DIR};
	char path[128];
	int fd, err = pin_path(&d, name, path, sizeof(path));

	if (err)
		return err;
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

static int map_pinned(struct bpf_source *src, enum store_map what)
{
	int fd = get(store_names[what]), err;

	if (fd < 0)
		return fd;
	err = store_map(src, what, fd);
	close(fd);
	return err;
}

static int use_meta(struct bpf_source *src, char *why, size_t len)
{
	const struct pp_meta *meta;
	int err = map_pinned(src, STORE_META);

	if (err)
		return err;
	meta = src->memory[STORE_META];
	if (src->memory_len[STORE_META] < sizeof(*meta) || meta->layout != PP_LAYOUT ||
	    meta->sizes != bpf_meta_sizes() || meta->nr_hooks != (__u32)nr_hooks ||
	    meta->rung >= NR_RUNGS || meta->level >= PP_NR_LEVELS ||
	    strncmp(meta->version, VERSION, sizeof(meta->version)) != 0) {
		snprintf(why, len,
			 "it is of another version (this is %s); ppooltop detach, then attach",
			 VERSION);
		return -EPROTO;
	}
	src->plan = (struct hooks_plan){.rung = meta->rung,
					.level = meta->level,
					.listed = meta->listed,
					.creation = meta->creation};
	src->nr_cpus = (int)meta->nr_cpus;
	return 0;
}

/*
 * The program of hook @i, for what it missed, and its link: a detach meanwhile must not leave us
 * with counters that stand still.
 */
static int use_hook(struct bpf_source *src, int i)
{
	char name[80];
	int prog, link;

	hook_pin_name(&src->plan, "prog", i, name, sizeof(name));
	prog = get(name);
	if (prog < 0)
		return prog;
	hook_pin_name(&src->plan, "link", i, name, sizeof(name));
	link = get(name);
	if (link < 0) {
		close(prog);
		return link;
	}
	src->prog_fds[i] = prog;
	src->link_fds[i] = link;
	src->attached[i] = true;
	return 0;
}

static int use_hooks(struct bpf_source *src)
{
	const struct pp_meta *meta = src->memory[STORE_META];
	int err = 0;

	for (int i = 0; i < nr_hooks && !err; i++)
		if (meta->attached & 1ull << i)
			err = use_hook(src, i);
	return err;
}

/* The number of the map that is the mark, by which one collection is told from the next; or 0. */
static __u32 mark_id(void)
{
	struct bpf_map_info info = {0};
	__u32 len = sizeof(info);
	int fd = get(MARK);

	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		info.id = 0;
	close(fd);
	return info.id;
}

static int use_prog(const char *name, int *fd)
{
	*fd = get(name);
	return *fd < 0 ? *fd : 0;
}

static int use_pins(struct bpf_source *src, char *why, size_t len)
{
	int err = use_meta(src, why, len);

	for (int i = 0; i < STORE_META && !err; i++)
		err = map_pinned(src, (enum store_map)i);
	if (!err)
		err = use_prog("refresh", &src->refresh_fd);
	if (!err && src->plan.listed)
		err = use_prog("walk", &src->walk_fd);
	if (!err)
		err = use_hooks(src);
	return err;
}

/* All of one collection or nothing: it may end, and the next begin, while we are at it. */
static int use_one(struct bpf_source *src, char *why, size_t len)
{
	__u32 id = mark_id();
	int err;

	src->btf = btf__load_vmlinux_btf();
	if (!src->btf)
		return -errno;
	err = use_pins(src, why, len);
	if (mark_id() != id)
		return -ENOENT;
	if (err == -ENOENT) {
		snprintf(why, len, "a part of it is missing; ppooltop detach, then attach");
		return -EPROTO;
	}
	return err;
}

int bpf_source_open_pinned(struct bpf_source **out, bool keep_dead, char *why, size_t len)
{
	const struct pin_dir d = {.path = PIN_DIR};
	struct bpf_source *src;
	int err = pin_check(&d);

	/* What others could have put there is not to be believed, but to be told of. */
	if (err == -EPERM || err == -ENOTDIR) {
		explain(err, why, len);
		return err;
	}
	if (err || !pin_exists(d.path, MARK))
		return -ENOENT;
	src = bpf_source_new();
	if (!src)
		return -ENOMEM;
	src->keep_dead = keep_dead;
	why[0] = '\0';
	err = use_one(src, why, len);
	if (!err) {
		hooks_counters(src->btf, &src->plan, src->attached, &src->counters);
		*out = src;
		return 0;
	}
	bpf_source_close(src);
	if (!why[0])
		explain(err, why, len);
	return err;
}
