// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic of our own, each load in a child process and a private network namespace: the kernel
 * takes everything back when the process is gone, however it went.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "load.h"
#include "util.h"

static const enum load_mode loads[] = {
	LOAD_DROP,
	LOAD_PASS,
	LOAD_REDIRECT,
	LOAD_VETH_XDP,
};

/*
 * Frames of one live-frames run, that is, of one pool: the kernel stays in an RCU read section for
 * most of a run (net/bpf/test_run.c), so an endless one would hold up everybody else.
 */
#define RUN_FRAMES 100000

/* A rate that leaves the machine usable. */
#define VETH_PPS 20000

#define NR_LOADS (int)(sizeof(loads) / sizeof(loads[0]))

static pid_t pids[NR_LOADS];
static int gone;

/*
 * Our end of a pipe to each child: a byte says that somebody counts and the load may begin; the end
 * of file, that we are no more.
 */
static int strings[NR_LOADS];

static void start_loads(void)
{
	for (int i = 0; i < NR_LOADS; i++)
		if (pids[i] > 0 && write(strings[i], "", 1) != 1)
			complain("demo: %s: %s", load_modes[loads[i]].name, strerror(errno));
}

/*
 * Be killed by SIGIO when the other end of @fd is closed, even by SIGKILL. PR_SET_PDEATHSIG would
 * come only after the parent's BPF links are closed, for which the kernel waits until everybody has
 * left his RCU read section; and the loads are in one most of the time.
 */
static void die_with(int fd)
{
	struct pollfd end = {.fd = fd};

	signal(SIGIO, SIG_DFL);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, O_ASYNC);
	if (poll(&end, 1, 0) > 0 && (end.revents & POLLHUP))
		_exit(EXIT_FAILED);
}

static void child(enum load_mode mode, int string)
{
	struct load_result res = {0};
	struct load_opts opts;
	char go;
	int err;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (read(string, &go, 1) != 1)
		_exit(EXIT_FAILED);
	die_with(string);
	load_opts_init(&opts, mode);
	opts.count = LOAD_FOREVER;
	opts.pps = mode == LOAD_VETH_XDP ? VETH_PPS : 0;
	opts.chunk = RUN_FRAMES;
	err = load_run(&opts, &res);
	if (err)
		complain("demo: %s: %s", load_modes[mode].name,
			 res.error[0] ? res.error : strerror(-err));
	_exit(err ? EXIT_FAILED : EXIT_DONE);
}

/* Fork child @i. Our ends of the pipes made so far, its own included, are not for it. */
static void fork_load(int i)
{
	int fds[2];

	if (pipe(fds)) {
		complain("demo: pipe: %s", strerror(errno));
		return;
	}
	strings[i] = fds[1];
	pids[i] = fork();
	if (!pids[i]) {
		for (int k = 0; k <= i; k++)
			close(strings[k]);
		child(loads[i], fds[0]);
	}
	if (pids[i] < 0)
		complain("demo: fork: %s", strerror(errno));
	close(fds[0]);
}

/* Before counting ends: to detach a program, the kernel waits for the loads as well. */
static void stop_loads(void)
{
	/* Those that could not work have said why. */
	for (int i = 0; i < NR_LOADS; i++)
		gone += pids[i] <= 0 || waitpid(pids[i], NULL, WNOHANG) != 0;
	for (int i = 0; i < NR_LOADS; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	for (int i = 0; i < NR_LOADS; i++)
		while (pids[i] > 0 && waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
			;
}

int demo_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	if (geteuid() != 0) {
		complain("demo needs root: it makes network namespaces and runs XDP programs");
		return EXIT_WANTING;
	}
	for (int i = 0; i < NR_LOADS; i++)
		fork_load(i);
	opts.ready = start_loads;
	if (!opts.count && !isatty(STDOUT_FILENO))
		opts.count = 3;
	opts.done = stop_loads;
	code = top_run(&opts);
	if (!code && gone == NR_LOADS) {
		complain("demo: no traffic could be made");
		code = EXIT_FAILED;
	}
	return code;
}
