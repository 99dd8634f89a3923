/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PPOOLTOP_UTIL_H
#define PPOOLTOP_UTIL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes of the program. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_WANTING = 2, /* wrong usage, or the kernel or a privilege lacks what was asked for */
};

/* "ppooltop: MESSAGE" on stderr, one line. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * SIGINT, SIGTERM and SIGHUP end a wait and set a flag from now on; SIGPIPE is ignored, writers
 * see EPIPE. Call once.
 */
void stop_on_signals(void);
bool stopped(void);

/* Sleep until CLOCK_MONOTONIC @deadline_ns or a signal that stops. */
void sleep_until(uint64_t deadline_ns);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t now_ns(void);

/*
 * Flush @f and tell whether everything was written: 0, or -errno; -EPIPE for a reader that left.
 */
int finish_output(FILE *f);

#endif /* PPOOLTOP_UTIL_H */
