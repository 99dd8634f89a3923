// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic of our own, each load in a child process and a private network namespace: the kernel
 * takes everything back when the process is gone, however it went.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
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

/* Our end of a pipe to each child: a byte says that somebody counts and the load may begin. */
static int strings[NR_LOADS];

static void start_loads(void)
{
	for (int i = 0; i < NR_LOADS; i++)
		if (pids[i] > 0 && write(strings[i], "", 1) != 1)
			complain("demo: %s: %s", load_modes[loads[i]].name, strerror(errno));
}

/*
 * Held by us for as long as we live, in memory shared with the children: a robust mutex is the one
 * thing the kernel gives up first when a process dies (mm_release(), kernel/fork.c). The end of a
 * pipe and PR_SET_PDEATHSIG come only after our BPF links are closed, for which the kernel waits
 * until everybody has left his RCU read section; and the loads are in one most of the time.
 */
static pthread_mutex_t *life;

static int make_life(void)
{
	pthread_mutexattr_t attr;

	life = mmap(NULL, sizeof(*life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (life == MAP_FAILED)
		return -errno;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(life, &attr);
	pthread_mutexattr_destroy(&attr);
	return -pthread_mutex_lock(life);
}

/* A thread of each child: whoever gets the mutex has survived its owner, and must not. */
static void *die_with_parent(void *unused)
{
	(void)unused;
	pthread_mutex_lock(life);
	kill(getpid(), SIGKILL);
	return NULL;
}

/*
 * What the loads complain about, which must not be written on the live view: a file without a name,
 * or -1 where it is written at once.
 */
static int said = -1;

static void child(enum load_mode mode, int string)
{
	struct load_result res = {0};
	struct load_opts opts;
	pthread_t watch;
	char go;
	int err;

	/* Ctrl-C is for the parent, who ends the view first and the loads then. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	if (said >= 0)
		dup2(said, STDERR_FILENO);
	if (read(string, &go, 1) != 1)
		_exit(EXIT_FAILED);
	if (pthread_create(&watch, NULL, die_with_parent, NULL))
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

static void print_said(void)
{
	char text[512];
	ssize_t n;

	for (off_t at = 0; said >= 0 && (n = pread(said, text, sizeof(text), at)) > 0; at += n)
		fwrite(text, 1, (size_t)n, stderr);
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
	code = make_life();
	if (code) {
		complain("demo: %s", strerror(-code));
		return EXIT_FAILED;
	}
	if (isatty(STDOUT_FILENO))
		said = memfd_create("said", MFD_CLOEXEC);
	for (int i = 0; i < NR_LOADS; i++)
		fork_load(i);
	opts.ready = start_loads;
	if (!opts.count && !isatty(STDOUT_FILENO))
		opts.count = 3;
	opts.done = stop_loads;
	code = top_run(&opts);
	print_said();
	if (!code && gone == NR_LOADS) {
		complain("demo: no traffic could be made");
		code = EXIT_FAILED;
	}
	return code;
}
