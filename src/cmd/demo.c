// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic of our own, each load in a child process and a private network namespace: the kernel
 * takes everything back when the process is gone, however it went.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "load.h"
#include "util.h"

static const struct demo_load {
	enum load_mode mode;
	uint64_t pps;
} loads[] = {
	{LOAD_DROP, 200000},
	{LOAD_PASS, 50000},
	{LOAD_REDIRECT, 100000},
	{LOAD_VETH_XDP, 20000},
};

#define NR_LOADS (int)(sizeof(loads) / sizeof(loads[0]))

static void child(const struct demo_load *l)
{
	struct load_result res = {0};
	struct load_opts opts;
	int err;

	/* Not even SIGKILL of the parent leaves traffic behind. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	load_opts_init(&opts, l->mode);
	opts.count = LOAD_FOREVER;
	opts.pps = l->pps;
	opts.chunk = UINT32_MAX; /* one pool that lives, not many short ones */
	err = load_run(&opts, &res);
	if (err)
		complain("demo: %s: %s", load_modes[l->mode].name,
			 res.error[0] ? res.error : strerror(-err));
	_exit(err ? EXIT_FAILED : EXIT_DONE);
}

static void stop_loads(const pid_t *pids)
{
	for (int i = 0; i < NR_LOADS; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	for (int i = 0; i < NR_LOADS; i++)
		if (pids[i] > 0)
			while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
				;
}

/* How many children still work? Those that could not have said why. */
static int alive(const pid_t *pids)
{
	int n = 0;

	for (int i = 0; i < NR_LOADS; i++)
		n += pids[i] > 0 && waitpid(pids[i], NULL, WNOHANG) == 0;
	return n;
}

int demo_main(int argc, char **argv)
{
	pid_t pids[NR_LOADS] = {0};
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	if (geteuid() != 0) {
		complain("demo needs root: it makes network namespaces and runs XDP programs");
		return EXIT_WANTING;
	}
	for (int i = 0; i < NR_LOADS; i++) {
		pids[i] = fork();
		if (!pids[i])
			child(&loads[i]);
		if (pids[i] < 0)
			complain("demo: fork: %s", strerror(errno));
	}
	optind = 1;
	code = top_main(argc, argv);
	if (!code && !alive(pids)) {
		complain("demo: no traffic could be made");
		code = EXIT_FAILED;
	}
	stop_loads(pids);
	return code;
}
