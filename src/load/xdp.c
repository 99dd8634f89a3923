// SPDX-License-Identifier: GPL-2.0-or-later
/* The modes in which XDP alone decides what becomes of a live frame. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "priv.h"

#define CPUMAP_QUEUE 16384 /* the most that cpu_map_update_elem() takes, kernel/bpf/cpumap.c */

static int action_of(enum load_mode mode)
{
	switch (mode) {
	case LOAD_PASS:
		return XDP_PASS;
	case LOAD_TX:
	case LOAD_BULK:
		return XDP_TX;
	default:
		return XDP_DROP;
	}
}

static int load_sender(struct load_scene *scene)
{
	return load_scene_prog(scene, load_prog_action(scene->live.counts_fd, LOAD_COUNT_SENT,
						       action_of(scene->live.opts->mode), false));
}

/*
 * XDP_TX of a live frame is a redirect back to its device. A veth takes frames only while its
 * peer has NAPI running (veth_xdp_xmit(), drivers/net/veth.c), which the peer's program sees to;
 * without it all frames would be dropped with -ENXIO.
 */
static int tx_sink(struct load_scene *scene)
{
	if (!scene->pair[0].made)
		return 0; /* somebody's device: what its other end does is not ours to say */
	return load_scene_sink(scene, scene->pair[0].peer.ifindex, XDP_DROP);
}

static int run(const struct load_opts *opts, struct load_result *res,
	       int (*setup)(struct load_scene *scene))
{
	struct load_scene scene;
	int err;

	err = load_scene_open(&scene, opts, res);
	if (err)
		return err;
	err = setup(&scene);
	if (!err)
		err = load_scene_send(&scene);
	load_scene_close(&scene);
	return err;
}

static int live_setup(struct load_scene *scene)
{
	struct load_link dev;
	int err;

	err = load_scene_device(scene, 0, &dev);
	if (err)
		return err;
	load_scene_source(scene, &dev);
	err = load_sender(scene);
	if (!err && scene->live.opts->mode == LOAD_TX)
		err = tx_sink(scene);
	return err;
}

/* drop, pass, tx */
int load_run_live(const struct load_opts *opts, struct load_result *res)
{
	return run(opts, res, live_setup);
}

static int redirect_setup(struct load_scene *scene)
{
	struct load_link from, to;
	int err;

	err = load_scene_device(scene, 0, &from);
	if (!err)
		err = load_scene_device(scene, 1, &to);
	if (!err && scene->pair[1].made)
		err = load_scene_sink(scene, scene->pair[1].peer.ifindex, XDP_DROP);
	if (err)
		return err;
	load_scene_source(scene, &from);
	return load_scene_prog(
		scene, load_prog_redirect(scene->live.counts_fd, LOAD_COUNT_SENT, to.ifindex));
}

int load_run_redirect(const struct load_opts *opts, struct load_result *res)
{
	if (!opts->device[0] != !opts->device[1])
		return load_fail(res, -EINVAL, "redirect", "one device is not enough",
				 "name two of them, or none");
	return run(opts, res, redirect_setup);
}

/* The highest CPU that is online and not `other`; with one CPU that one. */
static int other_cpu(int other)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int from, to, best = 0;
	char sep;

	if (!file)
		return best;
	while (fscanf(file, "%d", &from) == 1) {
		to = from;
		if (fscanf(file, "%c", &sep) == 1 && sep == '-' &&
		    fscanf(file, "%d%c", &to, &sep) < 1)
			break;
		if (to != other)
			best = to;
		else if (to > from)
			best = to - 1;
	}
	fclose(file);
	return best;
}

/* Makes scene->cpumap_fd with a program that drops on @cpu. */
static int make_cpumap(struct load_scene *scene, int cpu)
{
	uint32_t key = (uint32_t)cpu;
	struct bpf_cpumap_val value = {.qsize = CPUMAP_QUEUE};
	struct load_live *live = &scene->live;
	int err;

	live->res->other_cpu = cpu;
	scene->sink_fd = load_prog_action(live->counts_fd, LOAD_COUNT_RECEIVED, XDP_DROP, true);
	if (scene->sink_fd < 0)
		return load_fail(live->res, scene->sink_fd, "loading a cpumap program", NULL,
				 "see dmesg");
	value.bpf_prog.fd = scene->sink_fd;
	scene->cpumap_fd = bpf_map_create(BPF_MAP_TYPE_CPUMAP, "ppload_cpus", sizeof(key),
					  sizeof(value), key + 1, NULL);
	if (scene->cpumap_fd < 0)
		return load_fail(live->res, scene->cpumap_fd, "making a cpumap", NULL,
				 "use a kernel with CONFIG_BPF_SYSCALL");
	err = bpf_map_update_elem(scene->cpumap_fd, &key, &value, 0);
	return err ? load_fail(live->res, err, "starting a cpumap thread", NULL, "see dmesg") : 0;
}

static int cpumap_setup(struct load_scene *scene)
{
	int cpu = other_cpu(scene->live.opts->cpu), err;
	struct load_link dev;

	err = load_scene_device(scene, 0, &dev);
	if (!err)
		err = make_cpumap(scene, cpu);
	if (err)
		return err;
	load_scene_source(scene, &dev);
	return load_scene_prog(scene, load_prog_cpumap(scene->live.counts_fd, LOAD_COUNT_SENT,
						       scene->cpumap_fd, cpu));
}

/*
 * The program that drops runs in a kernel thread of the other CPU (cpu_map_kthread_run(),
 * kernel/bpf/cpumap.c), so that pages come back from a CPU that never allocates.
 */
int load_run_cpumap(const struct load_opts *opts, struct load_result *res)
{
	return run(opts, res, cpumap_setup);
}

/* Drivers whose transmit completion calls xdp_return_frame_bulk(), in 6.1 to 7.2. vmxnet3 (from
 * 6.6 on) comes first in importance: QEMU has it. */
static const char *const bulk_drivers[] = {
	"vmxnet3",     "mlx5_core",	 "ice",	 "ionic", "mvneta", "mvpp2", "netsec",
	"mtk_soc_eth", "lan966x-switch", "idpf", NULL,
};

static int bulk_find(struct load_scene *scene, struct load_link *dev)
{
	const char *name = scene->live.opts->device[0];
	struct load_result *res = scene->live.res;
	char found[IFNAMSIZ];
	int err;

	if (!name) {
		if (load_sysdev_find(bulk_drivers, NULL, found))
			return load_fail(res, -EOPNOTSUPP, "bulk",
					 "no NIC with a driver that does it",
					 "use a vmxnet3 (QEMU has one) on Linux 6.6 or later");
		name = found;
	}
	err = load_rtnl_get(&scene->rtnl, name, dev);
	return err ? load_fail(res, err, name, NULL, "see `ip link`") : 0;
}

static int bulk_send(struct load_scene *scene, struct load_link *dev)
{
	int err;

	load_set_device(scene->live.res, 0, dev->name);
	load_scene_source(scene, dev);
	err = load_sender(scene);
	/* A driver sets up its transmit side for XDP together with a program. */
	if (!err)
		err = load_scene_sink(scene, dev->ifindex, XDP_PASS);
	if (!err)
		err = load_carrier_wait(&scene->rtnl, scene->live.opts, dev, scene->live.res);
	if (!err)
		err = load_live_send(&scene->live);
	return err;
}

int load_run_bulk(const struct load_opts *opts, struct load_result *res)
{
	struct load_scene scene;
	struct load_link dev = {0};
	bool was_down;
	int err;

	err = load_scene_open(&scene, opts, res);
	if (err)
		return err;
	err = bulk_find(&scene, &dev);
	if (err)
		goto out;
	was_down = !(dev.flags & IFF_UP);
	if (was_down)
		err = load_rtnl_set_up(&scene.rtnl, dev.ifindex, true);
	if (!err)
		err = bulk_send(&scene, &dev);
	if (was_down)
		load_rtnl_set_up(&scene.rtnl, dev.ifindex, false);
out:
	load_scene_close(&scene);
	return err;
}
