// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic of our own, each load in a child process and a private network namespace: the kernel
 * takes everything back when the process is gone, however it went.
 */
#include <errno.h>
#include <fcntl.h>
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

/* Children begin when the write end is closed: by then somebody counts, or we are dead. */
static int start_fds[2] = {-1, -1};

/* Its write end is open for as long as we live. */
static int life_fds[2] = {-1, -1};

static void start_loads(void)
{
	close(start_fds[1]);
}

static void child(enum load_mode mode)
{
	struct load_result res = {0};
	struct load_opts opts;
	char nothing;
	int err;

	/*
	 * Not even SIGKILL of the parent leaves traffic behind: SIGIO, when its end of the pipe is
	 * closed, kills us. PR_SET_PDEATHSIG would come only after the parent's BPF links are
	 * closed, for which the kernel waits until we leave our RCU read section.
	 */
	close(life_fds[1]);
	fcntl(life_fds[0], F_SETOWN, getpid());
	fcntl(life_fds[0], F_SETFL, O_ASYNC);
	signal(SIGIO, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	close(start_fds[1]);
	if (read(start_fds[0], &nothing, 1) < 0 || getppid() == 1)
		_exit(EXIT_FAILED);
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

/*
 * Before counting ends: to detach a program the kernel waits for everybody in an RCU read section,
 * and the loads are in one most of the time.
 */
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
	if (pipe(life_fds) || pipe(start_fds)) {
		complain("demo: pipe: %s", strerror(errno));
		return EXIT_FAILED;
	}
	for (int i = 0; i < NR_LOADS; i++) {
		pids[i] = fork();
		if (!pids[i])
			child(loads[i]);
		if (pids[i] < 0)
			complain("demo: fork: %s", strerror(errno));
	}
	close(life_fds[0]);
	close(start_fds[0]);
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
