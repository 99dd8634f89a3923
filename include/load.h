/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic that makes the kernel's page_pools work, without hardware.
 *
 * `ppload` (tests/load/) and `ppooltop demo` are thin shells around load_run(). There is no
 * global state: several threads or processes may each run a load of their own.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of load_modes[], in this order. */
enum load_mode {
	LOAD_DROP,     /* live frames, XDP_DROP */
	LOAD_PASS,     /* live frames, XDP_PASS: skbs that the stack drops */
	LOAD_TX,       /* live frames, XDP_TX: out of the device, dropped by the veth peer */
	LOAD_REDIRECT, /* live frames, bpf_redirect() to another device */
	LOAD_CPUMAP,   /* live frames, redirected to and dropped on another CPU */
	LOAD_BULK,     /* live frames, XDP_TX on a NIC that returns them in bulk */
	LOAD_UDP_HOLD, /* live frames, XDP_PASS to a socket nobody reads */
	LOAD_VETH_XDP, /* packets into a veth with an XDP program */
	LOAD_VIRTIO,   /* TCP between two NICs of this machine */
	LOAD_CHURN,    /* XDP attached to and detached from a veth, packets held by a socket */
	LOAD_GENERIC,  /* packets through generic XDP on the loopback */
	LOAD_NIC_XDP,  /* packets from one NIC of this machine to another with an XDP program */
	LOAD_NSIM,     /* single pages of a netdevsim */
	LOAD_NR_MODES,
};

#define LOAD_FOREVER	   UINT64_MAX /* count: until *stop */
#define LOAD_NO_CPU	   (-1)

#define LOAD_BATCH_DEFAULT 64
#define LOAD_BATCH_MAX	   256	/* TEST_XDP_MAX_BATCH, net/bpf/test_run.c */
#define LOAD_SIZE_MIN	   22	/* UDP payload of a 64-byte frame (without FCS) */
#define LOAD_SIZE_MAX	   1472 /* UDP payload that fills an MTU of 1500 */
#define LOAD_SIZE_JUMBO	   8972 /* ... of 9000 */
#define LOAD_SIZE_LO	   65507
#define LOAD_MAX_READERS   8

/* What an XDP program does with the packets it gets. */
enum load_action {
	LOAD_X_DEFAULT, /* pass; LOAD_VIRTIO: no program */
	LOAD_X_PASS,
	LOAD_X_DROP,
	LOAD_X_TX,
	LOAD_X_REDIRECT, /* LOAD_NIC_XDP: to device[2] */
	LOAD_X_NONE,	 /* LOAD_NIC_XDP: no program */
	LOAD_NR_ACTIONS,
};

/*
 * What to do. Zero is a good default for every member but count and cpu; load_opts_init() sets
 * those. The strings and *stop belong to the caller and must outlive load_run().
 */
struct load_opts {
	enum load_mode mode;
	uint64_t count;	       /* frames, packets, or bytes (LOAD_VIRTIO) in one run */
	unsigned int runs;     /* times to send count; 0 is 1 */
	unsigned int batch;    /* frames the kernel makes at a time; 0 is LOAD_BATCH_DEFAULT */
	unsigned int size;     /* UDP payload, bytes; 0 is LOAD_SIZE_MIN */
	int cpu;	       /* CPU for the calling thread, or LOAD_NO_CPU */
	const char *device[3]; /* NULL: make or find them */
	unsigned int hold_s;   /* LOAD_UDP_HOLD, LOAD_CHURN: seconds to keep the pages */
	unsigned int readers;  /* threads that read, on a CPU each; 0: the sender reads */
	enum load_action action;
	/*
	 * Packets of a protocol of their own, read from raw sockets: their skbs are freed in plain
	 * process context, where those of UDP may be freed with softirqs off (7.2), or elsewhere.
	 */
	bool raw;
	unsigned int jitter_us; /* LOAD_VETH_XDP: packets come when a timer says so */
	uint64_t pps;		/* frames, packets or bytes a second; 0 is as fast as possible */
	/*
	 * Live frames: the most frames in one bpf_prog_test_run(), that is, from one pool. 0 is
	 * automatic: about 50 ms worth where stop or pps is set, so that the stop is prompt and
	 * the rate even, else no limit. With a larger value a stop is still prompt where it comes
	 * with a signal to the generating thread, because the kernel then ends the run.
	 */
	uint32_t chunk;
	const atomic_bool *stop; /* may be NULL; looked at every 100 ms or more often */
};

/* What was done, filled in also when load_run() fails. */
struct load_result {
	uint64_t requested; /* count * runs; LOAD_FOREVER if so */
	/*
	 * Frames, packets or bytes really sent. For live frames this is exact whatever happened:
	 * the XDP program counts its own runs, and the kernel calls page_pool_alloc_pages() once
	 * for each (xdp_test_run_batch(), net/bpf/test_run.c); only an allocation that failed is
	 * a call more, and it ends the run with -ENOMEM.
	 */
	uint64_t sent;
	int64_t received;   /* what came out at the other end, -1: unknown */
	int64_t queued;	    /* modes that hold: packets that were in the socket; else -1 */
	uint64_t errors;    /* calls that failed: refused runs, full rings, lost connections */
	uint64_t test_runs; /* live frames: bpf_prog_test_run() calls, one pool each */
	double seconds;	    /* wall time of the traffic itself, holding included */
	int other_cpu;	    /* LOAD_CPUMAP: where the frames are dropped; else LOAD_NO_CPU */
	char device[3][16]; /* the devices used; empty: none */
	char error[240];    /* "what: why; what to do" after a failure, else empty */
};

/* A mode as users see it. */
struct load_mode_info {
	const char *name;
	const char *help;
	bool bytes;		  /* count is in bytes */
	bool live;		  /* live frames: batch and chunk mean something */
	unsigned int max_devices; /* how many of opts->device are looked at */
	unsigned int max_size;	  /* UDP payload, 0: LOAD_SIZE_MAX */
	unsigned int actions;	  /* bit LOAD_X_...: opts->action may be that */
	bool reads;		  /* opts->readers means something */
	int (*run)(const struct load_opts *opts, struct load_result *res);
};

extern const struct load_mode_info load_modes[LOAD_NR_MODES];

/* The mode called name, or -1. */
int load_mode_find(const char *name);

/* Sets defaults for a mode: count 0 (to be set), no CPU, 5 seconds of hold. */
void load_opts_init(struct load_opts *opts, enum load_mode mode);

/*
 * Generates the traffic from the calling thread (readers are others), and returns when all is sent,
 * *stop is set, or something failed. Needs CAP_NET_ADMIN, CAP_BPF and CAP_SYS_ADMIN.
 *
 * Where no device is given, the calling thread is in a private network namespace (unshare(2))
 * until it returns, with devices of its own: they go when load_run() returns and when the
 * process dies, by SIGKILL too. Other threads of the process stay where they are. The thread's
 * CPU affinity, scheduling policy (LOAD_TX and LOAD_REDIRECT without pps run as SCHED_IDLE) and
 * namespace are put back at the end.
 *
 * Pools besides the one of each run: a veth has one for each receive queue while a program is
 * attached (from 6.4 on), so LOAD_TX and LOAD_REDIRECT make an idle one; LOAD_BULK makes the
 * NIC create and fill those of its receive queues.
 *
 * LOAD_BULK, LOAD_VIRTIO and LOAD_NIC_XDP use devices of the machine. When killed, the latter two
 * leave the first NIC up, with an address that expires; the second one comes back by itself, down.
 * A killed LOAD_BULK leaves its NIC up, without the program, and a killed LOAD_NSIM its device.
 *
 * Returns 0 when all was sent or *stop ended it, or a negative errno with res->error set:
 * -EPERM (privilege), -EOPNOTSUPP (this kernel cannot), -EINVAL (options), -ENODEV (no such
 * device), -ENOMEM (a page could not be had) and what the system calls give.
 */
int load_run(const struct load_opts *opts, struct load_result *res);

#endif /* LOAD_H */
