// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util.h"

static volatile sig_atomic_t stop;

void complain(const char *fmt, ...)
{
	char line[512];
	va_list ap;

	/* What stdout has so far comes first where both are one file. */
	fflush(stdout);
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "ppooltop: %s\n", line);
}

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

void stop_on_signals(void)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
	/*
	 * A write goes on, so that a document is whole; a wait ends all the same, since
	 * clock_nanosleep(2) is never restarted. The second signal kills.
	 */
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&ignore.sa_mask);
	for (unsigned int i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		/* nohup(1) and the like mean it. */
		if (!sigaction(stops[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(stops[i], &sa, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

bool stopped(void)
{
	return stop;
}

void sleep_until(uint64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_ns / 1000000000),
		.tv_nsec = (long)(deadline_ns % 1000000000),
	};

	while (!stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

int finish_output(FILE *f)
{
	if (ferror(f) || fflush(f))
		return errno ? -errno : -EIO;
	return 0;
}

int whole_open(struct whole *w)
{
	w->text = NULL;
	w->len = 0;
	w->f = open_memstream(&w->text, &w->len);
	return w->f ? 0 : -errno;
}

int whole_close(struct whole *w, FILE *to)
{
	int err = fclose(w->f) ? -ENOMEM : 0;

	if (!err) {
		fwrite(w->text, 1, w->len, to);
		err = finish_output(to);
	}
	free(w->text);
	return err;
}
