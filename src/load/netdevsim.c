// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netdevsim: a driver without hardware, whose pools take and give one page at a time when asked to
 * through debugfs (nsim_pp_hold_write(), drivers/net/netdevsim/netdev.c, from 6.10 on). No packet
 * touches them. Both happen in process context.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "priv.h"

#define NEW_DEVICE "/sys/bus/netdevsim/new_device"
#define DEL_DEVICE "/sys/bus/netdevsim/del_device"
#define PP_HOLD	   "/sys/kernel/debug/netdevsim/netdevsim%u/ports/0/pp_hold"
#define QUEUES	   2U
#define FIRST_ID   50 /* ids of people's own devices are small */
#define LAST_ID	   60

struct nsim {
	struct load_result *res;
	struct load_ns ns;
	struct load_rtnl rtnl;
	struct load_link dev;
	unsigned int id;
	bool made;
	int hold_fd;
};

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The device appears in the namespace of who asks for it, and there it is the first one. */
static int make_device(struct nsim *s)
{
	char text[32];
	int err;

	s->id = FIRST_ID - 1;
	do {
		snprintf(text, sizeof(text), "%u 1 %u", ++s->id, QUEUES);
		err = write_text(NEW_DEVICE, text);
	} while (err == -EEXIST && s->id < LAST_ID);
	if (err)
		return load_fail(s->res, err == -ENOENT ? -EOPNOTSUPP : err, "netdevsim",
				 err == -ENOENT ? "not in this kernel, or not loaded" : NULL,
				 "load the module netdevsim");
	s->made = true;
	err = load_rtnl_get(&s->rtnl, "eth0", &s->dev);
	if (err)
		return load_fail(s->res, err, "the new netdevsim", NULL, "see dmesg");
	load_set_device(s->res, 0, s->dev.name);
	return 0;
}

static int open_hold(struct nsim *s)
{
	char path[sizeof(PP_HOLD) + 16];

	snprintf(path, sizeof(path), PP_HOLD, s->id);
	s->hold_fd = open(path, O_WRONLY | O_CLOEXEC);
	if (s->hold_fd < 0)
		return load_fail(s->res, -errno, path, NULL,
				 "mount debugfs, on Linux 6.10 or later");
	return 0;
}

static int take(struct nsim *s, bool hold)
{
	return pwrite(s->hold_fd, hold ? "1" : "0", 1, 0) < 0 ? -errno : 0;
}

/* The last page comes back after its pool was destroyed. */
static int run_once(struct nsim *s, const struct load_opts *opts)
{
	int err = load_rtnl_set_up(&s->rtnl, s->dev.ifindex, true);

	for (uint64_t i = 0; !err && i < opts->count && !load_stopped(opts); i++) {
		if (i)
			err = take(s, false);
		if (!err)
			err = take(s, true);
		if (!err)
			s->res->sent++;
	}
	if (!err)
		err = load_rtnl_set_up(&s->rtnl, s->dev.ifindex, false);
	if (!err)
		err = take(s, false);
	return err ? load_fail(s->res, err, "netdevsim", NULL, "see dmesg") : 0;
}

static void nsim_close(struct nsim *s)
{
	char text[16];

	if (s->hold_fd >= 0)
		close(s->hold_fd);
	snprintf(text, sizeof(text), "%u", s->id);
	if (s->made)
		write_text(DEL_DEVICE, text);
	load_rtnl_close(&s->rtnl);
	load_ns_leave(&s->ns);
}

int load_run_netdevsim(const struct load_opts *opts, struct load_result *res)
{
	struct nsim s = {.res = res, .ns = LOAD_NS_NONE, .hold_fd = -1};
	uint64_t start = load_now();
	int err;

	err = load_ns_enter(&s.ns, res);
	if (!err) {
		err = load_rtnl_open(&s.rtnl);
		if (err)
			load_fail(res, err, "opening rtnetlink", NULL, "see dmesg");
	}
	if (!err)
		err = make_device(&s);
	if (!err)
		err = open_hold(&s);
	for (unsigned int i = 0; !err && i < opts->runs && !load_stopped(opts); i++)
		err = run_once(&s, opts);
	res->seconds = (double)(load_now() - start) / (double)NSEC_PER_SEC;
	nsim_close(&s);
	return err;
}
