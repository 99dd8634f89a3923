// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of modes, and what is common to running any of them. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "priv.h"

#define OWN_ACTIONS (1 << LOAD_X_PASS | 1 << LOAD_X_DROP | 1 << LOAD_X_TX)

const struct load_mode_info load_modes[LOAD_NR_MODES] = {
	[LOAD_DROP] = {"drop", "live frames, dropped by XDP: the shortest way of a page",
		       .live = true, .max_devices = 1, .run = load_run_live},
	[LOAD_PASS] = {"pass", "live frames that become skbs, dropped by the stack", .live = true,
		       .max_devices = 1, .run = load_run_live},
	[LOAD_TX] = {"tx", "live frames sent out of their own device, dropped by XDP on its peer",
		     .live = true, .max_devices = 1, .run = load_run_live},
	[LOAD_REDIRECT] = {"redirect", "live frames from the first device, out of the second one",
			   .live = true, .max_devices = 2, .run = load_run_redirect},
	[LOAD_CPUMAP] = {"cpumap", "live frames dropped on another CPU", .live = true,
			 .max_devices = 1, .run = load_run_cpumap},
	[LOAD_BULK] = {"bulk", "live frames sent by a NIC that returns them in bulk (vmxnet3, ...)",
		       .live = true, .max_devices = 1, .run = load_run_bulk},
	[LOAD_UDP_HOLD] = {"udp-hold", "live frames kept for a while by a socket nobody reads",
			   .live = true, .max_devices = 0, .run = load_run_hold},
	[LOAD_VETH_XDP] = {"veth-xdp", "packets into a veth device with an XDP program",
			   .max_size = LOAD_SIZE_JUMBO, .actions = OWN_ACTIONS, .reads = true,
			   .run = load_run_veth},
	[LOAD_VIRTIO] = {"virtio", "bytes by TCP, from the second to the first of two joined NICs",
			 .bytes = true, .max_devices = 2, .actions = 1 << LOAD_X_PASS,
			 .run = load_run_tcp},
	[LOAD_CHURN] = {"churn", "an XDP program comes and goes, a socket holds the packets",
			.max_size = LOAD_SIZE_JUMBO, .run = load_run_churn},
	[LOAD_GENERIC] = {"generic", "packets through generic XDP on the loopback",
			  .max_size = LOAD_SIZE_LO, .actions = OWN_ACTIONS, .reads = true,
			  .run = load_run_generic},
	[LOAD_NIC_XDP] = {"nic-xdp", "packets to the first of two joined NICs, with an XDP program",
			  .max_devices = 3,
			  .actions = OWN_ACTIONS | 1 << LOAD_X_REDIRECT | 1 << LOAD_X_NONE,
			  .reads = true, .run = load_run_nic},
	[LOAD_NSIM] = {"netdevsim", "pages of a simulated device's pool, one at a time",
		       .run = load_run_netdevsim},
};

int load_mode_find(const char *name)
{
	for (int i = 0; i < LOAD_NR_MODES; i++) {
		if (!strcmp(load_modes[i].name, name))
			return i;
	}
	return -1;
}

void load_opts_init(struct load_opts *opts, enum load_mode mode)
{
	*opts = (struct load_opts){.mode = mode, .cpu = LOAD_NO_CPU, .hold_s = 5};
}

int load_fail(struct load_result *res, int err, const char *what, const char *why, const char *todo)
{
	char buf[128];

	if (!why)
		why = strerror_r(-err, buf, sizeof(buf));
	if (err == -EPERM || err == -EACCES)
		todo = "run it as root (CAP_NET_ADMIN, CAP_BPF and CAP_SYS_ADMIN)";
	if (!res->error[0])
		snprintf(res->error, sizeof(res->error), "%s: %s; %s", what, why, todo);
	return err;
}

bool load_stopped(const struct load_opts *opts)
{
	return opts->stop && atomic_load_explicit(opts->stop, memory_order_relaxed);
}

void load_set_device(struct load_result *res, int nr, const char *name)
{
	snprintf(res->device[nr], sizeof(res->device[nr]), "%s", name);
}

static int set_requested(const struct load_opts *opts, struct load_result *res)
{
	if (opts->count == LOAD_FOREVER) {
		res->requested = LOAD_FOREVER;
		return 0;
	}
	if (__builtin_mul_overflow(opts->count, opts->runs, &res->requested))
		return load_fail(res, -EINVAL, "count times runs", "more than 64 bits hold",
				 "ask for fewer");
	return 0;
}

static int check_opts(const struct load_opts *opts, struct load_result *res)
{
	const struct load_mode_info *mode = &load_modes[opts->mode];

	/* The kernel would make one frame out of 0 (bpf_test_run_xdp_live()). */
	if (!opts->count)
		return load_fail(res, -EINVAL, "count", "nothing to send", "give at least 1");
	if (opts->batch > LOAD_BATCH_MAX)
		return load_fail(res, -EINVAL, "batch", "the kernel takes 256 frames at most",
				 "use 1 to 256");
	if (opts->size < LOAD_SIZE_MIN || opts->size > (mode->max_size ?: LOAD_SIZE_MAX))
		return load_fail(res, -EINVAL, "size", "no such payload fits a frame of this mode",
				 "use 22 to 1472 bytes");
	if (opts->readers > (mode->reads ? LOAD_MAX_READERS : 0))
		return load_fail(res, -EINVAL, "readers", "this mode takes not that many",
				 "leave it out");
	if (opts->jitter_us && opts->mode != LOAD_VETH_XDP)
		return load_fail(res, -EINVAL, "jitter", "not in this mode", "leave it out");
	if (opts->raw && !mode->reads)
		return load_fail(res, -EINVAL, "raw", "not in this mode", "leave it out");
	if (opts->action && !(mode->actions & 1U << opts->action))
		return load_fail(res, -EINVAL, "action", "not one of this mode", "leave it out");
	for (unsigned int i = mode->max_devices; i < 3; i++) {
		if (opts->device[i])
			return load_fail(res, -EINVAL, opts->device[i],
					 "this mode takes no such device", "leave it out");
	}
	return set_requested(opts, res);
}

static int pin_thread(int cpu, cpu_set_t *old, struct load_result *res)
{
	cpu_set_t set;
	int err;

	if (cpu == LOAD_NO_CPU)
		return 0;
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return load_fail(res, -EINVAL, "CPU", "no such number", "see lscpu");
	if (sched_getaffinity(0, sizeof(*old), old))
		return load_fail(res, -errno, "sched_getaffinity", NULL, "choose no CPU");
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return 0;
	err = -errno;
	return load_fail(res, err, "CPU", err == -EINVAL ? "not online, or not for us" : NULL,
			 "see lscpu for the CPUs there are");
}

int load_run(const struct load_opts *opts, struct load_result *res)
{
	struct load_opts o = *opts;
	cpu_set_t affinity;
	int err;

	*res = (struct load_result){.received = -1, .queued = -1, .other_cpu = LOAD_NO_CPU};
	o.runs = o.runs ?: 1;
	o.batch = o.batch ?: LOAD_BATCH_DEFAULT;
	o.size = o.size ?: LOAD_SIZE_MIN;

	if ((unsigned int)opts->mode >= LOAD_NR_MODES)
		return load_fail(res, -EINVAL, "mode", "no such mode", "see load_modes[]");
	err = check_opts(&o, res);
	if (err)
		return err;
	err = pin_thread(o.cpu, &affinity, res);
	if (err)
		return err;
	err = load_modes[o.mode].run(&o, res);
	if (o.cpu != LOAD_NO_CPU)
		sched_setaffinity(0, sizeof(affinity), &affinity);
	if (err && !res->error[0])
		load_fail(res, err, load_modes[o.mode].name, NULL, "see dmesg");
	return err;
}
