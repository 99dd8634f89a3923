// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * audit: do the books balance at every refresh, and is it noticed when they do not?
 *
 *   audit [-s SOURCE] [-l LEVEL] [-i SECONDS] [-b SECONDS] [-t SECONDS] [-p] [-w PROG]
 *         COMMAND...
 *
 * Starts to count, runs the COMMANDs (each a shell command) side by side, and reads all pools every
 * -i seconds until they are done. Every audit that is known has to be zero. TAP on stdout.
 *
 *   -s NAME  count by this source (fentry)
 *   -l NAME  at this level (full)
 *   -i SECS  time between two readings (0.05)
 *   -b SECS  let the COMMANDs run for so long before starting to count: pools are met, not born,
 *            and at least one of them has to be audited in the end
 *   -t SECS  end the COMMANDs after that many seconds, however far they are
 *   -p       print what is found while it goes on, too
 *   -w PROG  leave out a BPF program: every pool that works has to show unaccounted pages no later
 *            than one reading after the one that showed it first
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect.h"
#include "snapshot.h"
#include "util.h"

#define MAX_COMMANDS 32
#define GRACE	     20 /* readings after the commands have ended, where all should be well */

/* A pool over all readings. */
struct seen {
	uint64_t address;
	uint32_t generation;
	bool created;
	unsigned int readings; /* that showed it alive, with pages taken */
	unsigned int known;    /* of them with an audit */
	unsigned int alarms;
	unsigned int first_alarm; /* the reading, from 1 on */
};

static struct seen *seen;
static size_t nr_seen;
static unsigned long audited, alarms, excused, readings;
static uint64_t lost; /* events, when the last reading began */
static int tests, failures;
static bool verbose;

static void check(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
	failures += !ok;
}

static _Noreturn void die(const char *what, int err)
{
	printf("Bail out! %s: %s\n", what, strerror(err));
	exit(1);
}

static pid_t start(const char *command)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork", errno);
	if (pid)
		return pid;
	setpgid(0, 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static struct seen *find(const struct pool *p)
{
	struct seen *s;

	for (size_t i = nr_seen; i-- > 0;)
		if (seen[i].address == p->address && seen[i].generation == p->generation)
			return &seen[i];
	s = reallocarray(seen, nr_seen + 1, sizeof(*seen));
	if (!s)
		die("memory", ENOMEM);
	seen = s;
	s += nr_seen++;
	*s = (struct seen){
		.address = p->address, .generation = p->generation, .created = p->created};
	return s;
}

static void print_pool(const struct pool *p, const char *what)
{
	printf("# reading %lu, %" PRIu64 " lost: %s: pool %" PRIx64 " id %u state %d %s%s, %" PRId64
	       " unaccounted of %" PRId64 " in flight, cache %u ring %u hold %u release %u:",
	       readings, lost, what, p->address, p->id, (int)p->state, p->ifname,
	       p->created ? "" : " (met)", p->audit.unaccounted, p->inflight, p->cache, p->ring,
	       p->hold, p->release);
	for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
		printf(" %" PRIu64, p->total.n[i]);
	printf("\n");
}

static void look_at(const struct pool *p)
{
	struct seen *s;

	/* A pool that is being emptied has no audit. */
	if (!(p->has & POOL_HAS_ADDRESS) || (p->has & POOL_HAS_DESTROYED) || !p->hold)
		return;
	s = find(p);
	s->readings++;
	if (!p->audit.known) {
		if (s->created && s->readings == s->known + 1)
			print_pool(p, "not audited");
		return;
	}
	s->known++;
	audited++;
	if (!p->audit.unaccounted)
		return;
	if (!s->alarms++)
		s->first_alarm = s->readings;
	/* Where the kernel skipped a program, pages are missing indeed. */
	if (lost)
		excused++;
	else
		alarms++;
	if (verbose || s->alarms == 1)
		print_pool(p, "alarm");
}

static void read_once(struct collect *c, struct snapshot *s)
{
	int err = collect_read(c, s);

	if (err)
		die("collect_read", -err);
	readings++;
	lost = s->lost_events;
	for (size_t i = 0; i < s->nr_pools; i++)
		look_at(&s->pools[i]);
}

/* Forget children that have ended; how many are left? */
static int reap(pid_t *pids, int nr, bool *ran)
{
	int left = 0, status;

	for (int i = 0; i < nr; i++) {
		if (pids[i] && waitpid(pids[i], &status, WNOHANG) == pids[i]) {
			*ran &= !status;
			pids[i] = 0;
		}
		left += pids[i] != 0;
	}
	return left;
}

static uint64_t recycled(const struct snapshot *s)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < s->nr_pools; i++)
		pages += s->pools[i].total.n[PP_CACHED] + s->pools[i].total.n[PP_RING];
	for (size_t i = 0; i < s->nr_past; i++)
		pages += s->past[i].total.n[PP_CACHED] + s->past[i].total.n[PP_RING];
	return pages;
}

static void check_quiet(bool met, const struct snapshot *s)
{
	unsigned int born = 0, met_known = 0;
	char text[240];
	bool all = true;

	for (size_t i = 0; i < nr_seen; i++) {
		born += seen[i].created;
		met_known += !seen[i].created && seen[i].known;
		if (seen[i].created && seen[i].known != seen[i].readings)
			all = false;
	}
	snprintf(text, sizeof(text),
		 "no alarm: %lu audits in %lu readings of %zu pools, %u of them born meanwhile, "
		 "%" PRIu64 " pages recycled; %lu alarms, and %lu after events were lost: %" PRIu64,
		 audited, readings, nr_seen, born, recycled(s), alarms, excused, s->lost_events);
	check(audited && !alarms && !s->lost_pools, text);
	check(all, "a pool seen from its birth is audited at every reading");
	if (!met)
		return;
	snprintf(text, sizeof(text), "%u pools that were met are audited in the end", met_known);
	check(met_known, text);
}

static void check_alarm(void)
{
	unsigned int late = 0, never = 0, short_lived = 0, found = 0;
	char text[160];

	for (size_t i = 0; i < nr_seen; i++) {
		/* Those that were there before are of other loads, and idle. */
		if (!seen[i].created)
			continue;
		if (seen[i].first_alarm && seen[i].first_alarm <= 2)
			found++;
		else if (seen[i].first_alarm)
			late++;
		else if (seen[i].readings > 1)
			never++;
		else
			short_lived++;
	}
	snprintf(text, sizeof(text),
		 "unaccounted pages within one refresh in %u pools; later in %u, never in %u, "
		 "%u were seen once only",
		 found, late, never, short_lived);
	check(found && !late && !never, text);
}

struct options {
	struct collect_opts collect;
	double interval, before, limit; /* seconds */
};

static bool parse(struct options *o, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "s:l:i:b:t:pw:")) != -1) {
		switch (opt) {
		case 's':
			o->collect.source = optarg;
			break;
		case 'l':
			o->collect.level = optarg;
			break;
		case 'i':
			o->interval = atof(optarg);
			break;
		case 'b':
			o->before = atof(optarg);
			break;
		case 't':
			o->limit = atof(optarg);
			break;
		case 'p':
			verbose = true;
			break;
		case 'w':
			o->collect.without = optarg;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Returns how many. */
static int start_all(pid_t *pids, char **commands)
{
	int nr = 0;

	for (; nr < MAX_COMMANDS && commands[nr]; nr++)
		pids[nr] = start(commands[nr]);
	return nr;
}

static void stop_all(const pid_t *pids, int nr)
{
	for (int i = 0; i < nr; i++)
		if (pids[i])
			kill(-pids[i], SIGTERM);
}

/* Reads until the commands are done, and then some. Did they all end well? */
static bool watch(const struct options *o, struct collect *c, struct snapshot *s, pid_t *pids,
		  int nr)
{
	uint64_t next = now_ns();
	uint64_t end = o->limit > 0 ? next + (uint64_t)(o->limit * 1e9) : UINT64_MAX;
	int after = 0;
	bool ran = true;

	while (after < (o->collect.without ? 1 : GRACE)) {
		read_once(c, s);
		if (now_ns() > end)
			stop_all(pids, nr);
		after += !reap(pids, nr, &ran);
		next += (uint64_t)(o->interval * 1e9);
		if (now_ns() > next)
			next = now_ns();
		sleep_until(next);
	}
	return ran;
}

int main(int argc, char **argv)
{
	struct options o = {
		.collect = {.notes = stderr, .source = "fentry", .fresh = true},
		.interval = 0.05,
	};
	pid_t pids[MAX_COMMANDS] = {0};
	struct snapshot s;
	struct collect *c;
	int nr = 0;
	bool ran;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!parse(&o, argc, argv))
		return 2;
	snapshot_init(&s, 0);
	if (o.before > 0)
		nr = start_all(pids, argv + optind);
	sleep_until(now_ns() + (uint64_t)(o.before * 1e9));
	if (collect_open(&c, &o.collect))
		die("collect_open", ENOTSUP);
	if (o.before <= 0)
		nr = start_all(pids, argv + optind);
	ran = watch(&o, c, &s, pids, nr);
	if (o.limit <= 0)
		check(ran, "the load ran");
	if (o.collect.without)
		check_alarm();
	else
		check_quiet(o.before > 0, &s);
	printf("1..%d\n", tests);
	free(seen);
	snapshot_free(&s);
	collect_close(c);
	return failures ? 1 : 0;
}
