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
 * SIGINT, SIGTERM and SIGHUP end a wait and set a flag from now on; SIGPIPE and SIGXFSZ are
 * ignored, writers see EPIPE and EFBIG. Call once.
 */
void stop_on_signals(void);
bool stopped(void);

/* Sleep until CLOCK_MONOTONIC @deadline_ns or a signal that stops. */
void sleep_until(uint64_t deadline_ns);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t now_ns(void);

/*
 * @seconds in words, in the two largest units and rounded: "45 s", "50 min", "2 h 5 min",
 * "5 d 20 h"; "n/a" if it is NAN. @len: AGE_LEN is enough for all that happens.
 */
#define AGE_LEN 32
void age_text(double seconds, char *text, size_t len);

/*
 * Flush @f and tell whether everything was written: 0, or -errno; -EPIPE for a reader that left.
 */
int finish_output(FILE *f);

/*
 * Output that is written whole or not at all: what is put into @f stays in memory until
 * whole_close() writes it to @to and frees it. Both return 0 or -errno.
 */
struct whole {
	FILE *f;
	char *text;
	size_t len;
};

int whole_open(struct whole *w);
int whole_close(struct whole *w, FILE *to);

/*
 * The highest number in a list of processors as the kernel writes it, "0-3,8,12-15", and one more:
 * what an array indexed by processor needs. Numbers may have gaps, so this is not how many there
 * are. -EINVAL: not such a list.
 */
int cpu_ids(const char *list);

/* The same of the processors that may ever be there. -errno: sysfs does not tell. */
int possible_cpu_ids(void);

#endif /* PPOOLTOP_UTIL_H */
