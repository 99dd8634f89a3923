// SPDX-License-Identifier: GPL-2.0-or-later
/* Setting the scene for live frames: namespace, devices, programs. */
#include <errno.h>
#include <linux/bpf.h>
#include <sched.h>
#include <unistd.h>

#include "priv.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool wants_own_devices(const struct load_opts *opts)
{
	return !opts->device[0];
}

int load_scene_open(struct load_scene *scene, const struct load_opts *opts, struct load_result *res)
{
	int err;

	*scene = (struct load_scene){
		.live = {.opts = opts, .res = res, .counts_fd = -1, .prog_fd = -1},
		.ns = LOAD_NS_NONE,
		.sink_fd = -1,
		.link_fd = -1,
		.cpumap_fd = -1,
		.spare_fd = -1,
	};
	load_frame_init(&scene->live.frame, opts);

	scene->live.counts_fd = load_counts_create();
	if (scene->live.counts_fd < 0)
		return load_fail(res, scene->live.counts_fd, "making a BPF map", NULL,
				 "use a kernel with CONFIG_BPF_SYSCALL");
	/* BULK looks for a NIC here. */
	if (wants_own_devices(opts) && opts->mode != LOAD_BULK) {
		err = load_ns_enter(&scene->ns, res);
		if (err)
			goto err_close;
	}
	err = load_rtnl_open(&scene->rtnl);
	if (!err)
		return 0;
	load_fail(res, err, "opening rtnetlink", NULL, "see dmesg");

err_close:
	load_scene_close(scene);
	return err;
}

void load_scene_close(struct load_scene *scene)
{
	close_fd(&scene->link_fd);
	close_fd(&scene->spare_fd);
	load_pair_remove(&scene->spare, &scene->rtnl);
	for (int i = 0; i < 2; i++)
		load_pair_remove(&scene->pair[i], &scene->rtnl);
	load_rtnl_close(&scene->rtnl);
	load_ns_leave(&scene->ns);
	close_fd(&scene->live.prog_fd);
	close_fd(&scene->sink_fd);
	close_fd(&scene->cpumap_fd);
	close_fd(&scene->live.counts_fd);
}

int load_scene_device(struct load_scene *scene, int nr, struct load_link *link)
{
	static const char *const names[2][2] = {{"ppla0", "ppla1"}, {"pplb0", "pplb1"}};
	struct load_result *res = scene->live.res;
	const char *name = scene->live.opts->device[nr];
	int err;

	if (name) {
		err = load_rtnl_get(&scene->rtnl, name, link);
		if (err)
			return load_fail(res, err, name, NULL, "see `ip link` for the devices");
		if (!(link->flags & IFF_UP))
			return load_fail(res, -ENETDOWN, name, NULL, "set it up first");
	} else {
		err = load_pair_make(&scene->pair[nr], &scene->rtnl, names[nr], true, res);
		if (err)
			return err;
		*link = scene->pair[nr].near;
	}
	load_set_device(res, nr, link->name);
	return 0;
}

int load_scene_sink(struct load_scene *scene, int ifindex, int action)
{
	struct load_result *res = scene->live.res;

	scene->sink_fd =
		load_prog_action(scene->live.counts_fd, LOAD_COUNT_RECEIVED, action, false);
	if (scene->sink_fd < 0)
		return load_fail(res, scene->sink_fd, "loading an XDP program", NULL, "see dmesg");
	scene->link_fd = load_prog_attach(scene->sink_fd, ifindex, XDP_FLAGS_DRV_MODE);
	if (scene->link_fd < 0)
		return load_fail(res, scene->link_fd, "attaching an XDP program", NULL,
				 "use a device whose driver knows XDP and has no program yet");
	return 0;
}

int load_scene_prog(struct load_scene *scene, int fd)
{
	if (fd < 0)
		return load_fail(scene->live.res, fd, "loading an XDP program", NULL, "see dmesg");
	scene->live.prog_fd = fd;
	return 0;
}

void load_scene_source(struct load_scene *scene, const struct load_link *link)
{
	scene->live.ifindex = link->ifindex;
}

/*
 * bpf_prog_test_run() enters its program into the XDP dispatcher and takes it out again, waiting
 * for RCU each time (bpf_dispatcher_change_prog(), kernel/bpf/dispatcher.c): tens of
 * milliseconds. A program that is attached somewhere is there already. The veth for it stays
 * down, and so has no NAPI and no pools (veth_xdp_set(), drivers/net/veth.c). Without all this
 * the runs only take longer.
 */
static void keep_in_dispatcher(struct load_scene *scene)
{
	static const char *const names[2] = {"pplz0", "pplz1"};
	struct load_result ignored = {0};

	if (scene->ns.fd < 0 || !load_live_has_chunks(scene->live.opts))
		return;
	if (!load_pair_make(&scene->spare, &scene->rtnl, names, false, &ignored))
		scene->spare_fd = load_prog_attach(scene->live.prog_fd, scene->spare.near.ifindex,
						   XDP_FLAGS_DRV_MODE);
}

/*
 * A veth's ring holds 256 frames, and drops what is sent to it while ksoftirqd, which empties it
 * when softirqs get behind, waits for the CPU that the sender keeps busy. As SCHED_IDLE the
 * sender gives way at once, and nearly nothing is lost. Returns the policy to go back to.
 */
static int give_way(void)
{
	struct sched_param param = {0};
	int policy = sched_getscheduler(0);

	if (policy != SCHED_OTHER && policy != SCHED_BATCH)
		return -1; /* somebody knows better */
	return sched_setscheduler(0, SCHED_IDLE, &param) ? -1 : policy;
}

static void take_way(int policy)
{
	struct sched_param param = {0};

	if (policy >= 0)
		sched_setscheduler(0, policy, &param);
}

int load_scene_send(struct load_scene *scene)
{
	int err, policy = -1;

	keep_in_dispatcher(scene);
	/* With a rate there is time enough between the runs, and it has to be kept. */
	if (scene->link_fd >= 0 && !scene->live.opts->pps)
		policy = give_way();
	err = load_live_send(&scene->live);
	take_way(policy);
	if (scene->sink_fd >= 0)
		load_live_settle(&scene->live);
	return err;
}
