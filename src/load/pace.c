// SPDX-License-Identifier: GPL-2.0-or-later
/* Time: keeping to a rate, and noticing a stop in time. */
#include <time.h>

#include "priv.h"

/* Half of the 100 ms that load.h promises. */
#define SLICE (50 * NSEC_PER_MSEC)

uint64_t load_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

void load_sleep(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / NSEC_PER_SEC),
		.tv_nsec = (long)(ns % NSEC_PER_SEC),
	};

	/* A signal may end it early: all callers loop, or do not mind. */
	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

void load_hold(const struct load_opts *opts)
{
	uint64_t now, end = load_now() + opts->hold_s * NSEC_PER_SEC;

	while (!load_stopped(opts) && (now = load_now()) < end)
		load_sleep(end - now < SLICE ? end - now : SLICE);
}

void load_pace_start(struct load_pace *pace, const struct load_opts *opts)
{
	pace->opts = opts;
	pace->start = load_now();
}

/* When `sent` is due. Split, so that neither product overflows. */
static uint64_t due(const struct load_pace *pace, uint64_t sent)
{
	uint64_t pps = pace->opts->pps;
	uint64_t part = (uint64_t)((double)(sent % pps) / (double)pps * (double)NSEC_PER_SEC);

	return pace->start + sent / pps * NSEC_PER_SEC + part;
}

void load_pace_wait(const struct load_pace *pace, uint64_t sent)
{
	uint64_t now, when;

	if (!pace->opts->pps)
		return;
	when = due(pace, sent);
	while (!load_stopped(pace->opts) && (now = load_now()) < when)
		load_sleep(when - now < SLICE ? when - now : SLICE);
}

/* How many should have been sent by now. */
static uint64_t due_now(const struct load_pace *pace)
{
	return (uint64_t)((double)(load_now() - pace->start) / (double)NSEC_PER_SEC *
			  (double)pace->opts->pps);
}

uint64_t load_pace_quantum(const struct load_pace *pace, uint64_t sent, uint64_t max)
{
	uint64_t n, behind, due;

	if (!pace->opts->pps)
		return max;
	n = pace->opts->pps / (NSEC_PER_SEC / SLICE);
	if (!n)
		n = 1;
	/* A call that takes longer than a slice is made up for, but not by a burst of any size. */
	due = due_now(pace);
	behind = due > sent ? due - sent : 0;
	if (behind > n)
		n = behind < pace->opts->pps ? behind : pace->opts->pps;
	return n < max ? n : max;
}
