// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exact: is every counter what it should be, to the unit?
 *
 *   exact [-a] [-s SOURCE] [-l LEVEL] [-b COMMAND] [-w PROG] [-t PROG] [-x CPU] [-W NAME] [-S] [-n]
 *	   [-m] [-L] [-D] [-E] COMMAND...
 *
 * Starts to count, runs the COMMANDs (each a shell command) side by side, and compares what was
 * counted, pool by pool and CPU by CPU, with what truth.bpf.c read from the kernel. Commands that
 * print the JSON of ppload are asked how many frames they sent; those that print nothing send none.
 * TAP on stdout.
 *
 *   -a       by what "ppooltop attach" has attached, from now on
 *   -s NAME  count by this source (fentry); several: by all of them at once
 *   -l NAME  at this level (full)
 *   -b CMD   run this before starting to count: pools are then met, not born
 *   -w PROG  leave out a BPF program      } faults made on purpose:
 *   -t PROG  attach a program twice       } the test has to fail
 *   -x CPU   leave out a CPU's counters   }
 *   -S       no kernel counters: that is a failure
 *   -n       compare with netlink too, as nlstats reads it
 *   -m       pools may be destroyed while pages are out: there need not be one at rest
 *   -L       events may be lost; then no counter may differ by more than were
 *   -D       puts are made direct late: cache_full may be too low
 *   -E       pools are destroyed while pages are put: at level slow, ring may be too low
 *   -W NAME  the load has to do what a witness in truth.bpf.c looks for
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <json-c/json.h>
#include <linux/types.h>

#include "../../src/collect/bpf.h"
#include "collect.h"
#include "counters.h"
#include "model.h"
#include "snapshot.h"
#include "slots.h"
#include "truth.h"
#include "view.h"

#include "ppooltop.skel.h"
#include "truth.skel.h"

#define MAX_COMMANDS 16
#define MAX_SOURCES  4

static const char *const names[] = {
#define PP_X(ID, side, key, ...) #key,
	PP_COUNTERS(PP_X)
#undef PP_X
};

struct options {
	struct collect_opts collect;
	const char *sources[MAX_SOURCES];
	int nr_sources;
	const char *before, *twice, *witness;
	int without_cpu; /* -1: none */
	bool need_stats, need_rest, may_lose, netlink;
};

static int tests, failures;

static void check(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
	failures += !ok;
}

static void die(const char *what, int err)
{
	printf("Bail out! %s: %s\n", what, strerror(err));
	exit(1);
}

/* --- commands ------------------------------------------------------------------------------------
 */

struct command {
	const char *text;
	pid_t pid;
	FILE *out;
	int status;
	uint64_t sent;
	bool live; /* live frames: one allocation each; or no frames at all */
};

static void start(struct command *c)
{
	int fds[2];

	if (pipe(fds))
		die("pipe", errno);
	c->pid = fork();
	if (c->pid < 0)
		die("fork", errno);
	if (!c->pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execl("/bin/sh", "sh", "-c", c->text, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	c->out = fdopen(fds[0], "r");
}

static void finish(struct command *c)
{
	static const char *const live[] = {"drop", "pass", "tx", "redirect", "cpumap"};
	struct json_object *o, *v;
	char text[4096];
	size_t n = fread(text, 1, sizeof(text) - 1, c->out);

	text[n] = '\0';
	fclose(c->out);
	waitpid(c->pid, &c->status, 0);
	printf("# %s: %s", c->text, n ? text : "(nothing)\n");
	c->live = !n;
	o = json_tokener_parse(text);
	if (!o)
		return;
	if (json_object_object_get_ex(o, "sent", &v))
		c->sent = json_object_get_uint64(v);
	if (json_object_object_get_ex(o, "mode", &v))
		for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
			c->live |= !strcmp(json_object_get_string(v), live[i]);
	json_object_put(o);
}

/* --- a fault on purpose: one program attached a second time, into the same maps ------------------
 */

/* Maps of the first are found by name among all there are. */
static void reuse_map(struct bpf_map *map)
{
	for (__u32 id = 0; !bpf_map_get_next_id(id, &id);) {
		struct bpf_map_info info = {0};
		__u32 len = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		bpf_obj_get_info_by_fd(fd, &info, &len);
		if (!strncmp(info.name, bpf_map__name(map), sizeof(info.name) - 1))
			bpf_map__reuse_fd(map, fd);
		close(fd);
	}
}

static struct ppooltop_bpf *attach_twice(const char *prog)
{
	struct ppooltop_bpf *again = ppooltop_bpf__open();
	struct bpf_program *p;
	struct bpf_map *map;

	if (!again)
		die("second skeleton", errno);
	bpf_object__for_each_map(map, again->obj)
	{
		reuse_map(map);
	}
	bpf_object__for_each_program(p, again->obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), prog));
	if (ppooltop_bpf__load(again))
		die("second load", errno);
	p = bpf_object__find_program_by_name(again->obj, prog);
	if (!p || !bpf_program__attach(p))
		die("second attach", errno);
	return again;
}

/* --- comparison ----------------------------------------------------------------------------------
 */

struct truths {
	struct truth *list;
	uint32_t nr;
};

/* All that died since the last call, and all that live. */
static void read_truths(struct truth_bpf *truth, struct truths *t)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);

	if (bpf_prog_test_run_opts(bpf_program__fd(truth->progs.truth_live), &run))
		die("truth_live", errno);
	t->nr = truth->bss->nr_truths;
	if (t->nr > TRUTH_MAX)
		die("truths", ENOSPC);
	t->list = calloc(t->nr + 1, sizeof(*t->list));
	for (uint32_t i = 0; i < t->nr; i++)
		bpf_map_lookup_elem(bpf_map__fd(truth->maps.truths), &i, &t->list[i]);
	truth->bss->nr_truths = 0;
}

/* The newest at this address but @later ones; where pools have ids there are none. */
static struct truth *find_truth(const struct truths *t, uint64_t address, uint32_t id,
				unsigned int later)
{
	for (uint32_t i = t->nr; i-- > 0;)
		if (t->list[i].address == address && t->list[i].id == id && !later--)
			return &t->list[i];
	return NULL;
}

/* How many pools came later and had the same address, where pools have no ids: before 6.8. */
static unsigned int later_ones(const struct snapshot *s, const struct pool *p)
{
	unsigned int later = 0;

	for (size_t i = 0; i < s->nr_pools; i++)
		later += s->pools[i].address == p->address && s->pools[i].id == p->id &&
			 s->pools[i].generation > p->generation;
	return later;
}

/* The kernel counts from a pool's creation, we from when we came. */
static void subtract(struct truths *now, const struct truths *base)
{
	for (uint32_t k = 0; k < now->nr; k++) {
		struct truth *t = &now->list[k];
		const struct truth *b = find_truth(base, t->address, t->id, 0);

		if (!b)
			continue;
		for (int i = 0; i < 6; i++)
			t->alloc[i] -= b->alloc[i];
		for (int cpu = 0; cpu < TRUTH_CPUS; cpu++)
			for (int i = 0; i < 5; i++)
				t->recycle[cpu][i] -= b->recycle[cpu][i];
	}
}

static struct pool *find_same(struct snapshot *s, const struct pool *b)
{
	for (size_t i = 0; i < s->nr_pools; i++)
		if (s->pools[i].address == b->address && s->pools[i].generation == b->generation)
			return &s->pools[i];
	return NULL;
}

static void subtract_pool(struct pool *p, const struct pool *b, int nr_cpus)
{
	p->created = false;
	p->base_cache = b->cache;
	p->base_ring = b->ring;
	for (int n = 0; n < PP_NR_SLOT_COUNTERS; n++) {
		p->total.n[n] -= b->total.n[n];
		for (int cpu = 0; p->cpus && cpu < nr_cpus; cpu++)
			p->cpus[cpu].n[n] -= b->cpus[cpu].n[n];
	}
}

/*
 * What is attached has counted before: from now on, pools have just been met, and those that were
 * dead are none.
 */
static void subtract_begun(struct snapshot *s, const struct snapshot *begun)
{
	for (size_t i = 0; i < begun->nr_pools; i++) {
		const struct pool *b = &begun->pools[i];
		struct pool *p = find_same(s, b);

		if (!p)
			continue;
		if (b->state != POOL_DEAD) {
			subtract_pool(p, b, s->nr_cpus);
			continue;
		}
		free(p->cpus);
		*p = s->pools[--s->nr_pools];
	}
}

/* What counters may differ by: the events that are said to be lost, where a test allows for that.
 */
static uint64_t allowed;

static bool same(const struct pool *p, const char *name, int cpu, uint64_t ours, uint64_t theirs)
{
	if (ours == theirs)
		return true;
	printf("# pool %" PRIx64 " id %u", p->address, p->id);
	if (cpu >= 0)
		printf(" cpu %d", cpu);
	printf(": %s counted %" PRIu64 ", the kernel has %" PRIu64 "\n", name, ours, theirs);
	return ours - theirs <= allowed || theirs - ours <= allowed;
}

static bool known(uint32_t bits, int i)
{
	return bits & (1u << i);
}

/*
 * A put that an interrupt makes direct after our program looked: if the cache is full then, the
 * page goes into the ring as foretold, and nothing shows that the kernel counted cache_full before.
 */
static bool late_direct;

/*
 * At level slow, ring follows from what left it. Pages that are put while the kernel empties the
 * ring of a destroyed pool leave unseen: at most as many as it holds.
 */
static bool emptied;

static bool same_recycled(const struct pool *p, int i, int cpu, uint64_t ours, uint64_t theirs)
{
	bool ok = same(p, names[i], cpu, ours, theirs);

	return ok || (late_direct && i == PP_CACHE_FULL && ours < theirs) ||
	       (emptied && i == PP_RING && ours < theirs && theirs - ours <= p->ring_size);
}

static bool recycling_equals(const struct pool *p, const struct truth *t, int nr_cpus)
{
	bool ok = true;

	for (int i = 6; i < PP_NR_COUNTERS; i++) {
		uint64_t sum = 0;

		for (int cpu = 0; cpu < nr_cpus; cpu++) {
			uint64_t there = t->recycle[cpu][i - 6];

			sum += there;
			if (known(p->cpus_known, i))
				ok &= same_recycled(p, i, cpu, p->cpus[cpu].n[i], there);
		}
		if (known(p->counters_known, i))
			ok &= same_recycled(p, i, -1, p->total.n[i], sum);
	}
	return ok;
}

/*
 * The pools of the system count what they recycle into one object (pp_system_recycle_stats,
 * net/core/page_pool.c): only their sum can be compared.
 */
static struct {
	struct pool sum;
	struct counters cpus[TRUTH_CPUS];
	const struct truth *truth;
} sys;

static void add_system_pool(const struct pool *p, const struct truth *t, int nr_cpus)
{
	sys.truth = t;
	sys.sum.cpus = sys.cpus;
	sys.sum.counters_known = p->counters_known;
	sys.sum.cpus_known = p->cpus_known;
	for (int i = 6; i < PP_NR_COUNTERS; i++) {
		sys.sum.total.n[i] += p->total.n[i];
		for (int cpu = 0; cpu < nr_cpus; cpu++)
			sys.cpus[cpu].n[i] += p->cpus[cpu].n[i];
	}
}

/* Whatever is known has to be right. */
static bool equals_kernel(const struct pool *p, const struct truth *t, int nr_cpus)
{
	bool ok = true;

	for (int i = 0; i < 6; i++)
		if (known(p->counters_known, i))
			ok &= same(p, names[i], -1, p->total.n[i], t->alloc[i]);
	if (!t->system)
		return recycling_equals(p, t, nr_cpus) && ok;
	add_system_pool(p, t, nr_cpus);
	return ok;
}

/* A pool is at rest when every page in flight lies in its cache or ring. */
static bool at_rest(const struct truth *t)
{
	return t->inflight == (int32_t)(t->cache + t->ring);
}

static bool books_balance(const struct pool *p, const struct truth *t)
{
	const uint64_t *n = p->total.n;
	uint64_t ring = p->base_ring + n[PP_RING] - n[PP_MOVED] - n[PP_WAIVE];
	uint64_t cache = p->base_cache + n[PP_CACHED] + n[PP_FETCHED] + n[PP_MOVED] -
			 (n[PP_FAST] - n[PP_SHARED]) - n[PP_SLOW] - n[PP_REFILL] - n[PP_FLUSHED];
	bool ok;

	ok = same(p, "pages in the ring", -1, ring, t->ring);
	ok &= same(p, "pages in the cache", -1, cache, t->cache);
	return ok;
}

static uint64_t allocated(const struct pool *p)
{
	const uint64_t *n = p->total.n;

	return n[PP_FAST] + n[PP_SLOW] + n[PP_REFILL] + n[PP_SLOW_HIGH_ORDER];
}

static void skip_cpu(struct pool *p, int cpu)
{
	for (int i = 0; cpu >= 0 && i < PP_NR_SLOT_COUNTERS; i++) {
		p->total.n[i] -= p->cpus[cpu].n[i];
		p->cpus[cpu].n[i] = 0;
	}
}

static void print_sum(const struct snapshot *s)
{
	struct counters sum = {0};

	for (size_t k = 0; k < s->nr_pools; k++)
		for (int i = 0; i < PP_NR_SLOT_COUNTERS; i++)
			sum.n[i] += s->pools[k].total.n[i];
	printf("# in all:");
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		printf(" %s %" PRIu64, names[i], sum.n[i]);
	printf("\n");
}

/* What all pools come to. */
struct tally {
	unsigned int compared, rested, unknown, idle;
	bool equal, balance, gone, allocs_known;
	uint64_t allocs;
};

static void compare_pool(struct tally *y, const struct snapshot *s, struct pool *p,
			 const struct truths *now, const struct truths *base, int without_cpu)
{
	const struct truth *t = find_truth(now, p->address, p->id, later_ones(s, p));
	uint64_t held;

	if (p->has & POOL_HAS_ADDRESS)
		y->allocs_known &= known(p->counters_known, PP_FAST);
	/*
	 * Older than the test, and nothing was allocated from it while the truth looked: netlink
	 * alone knows it, or it waits for its last pages.
	 */
	if (!(p->has & POOL_HAS_ADDRESS) ||
	    (!p->created && !find_truth(base, p->address, p->id, 0))) {
		y->idle++;
		return;
	}
	skip_cpu(p, without_cpu);
	y->allocs += allocated(p);
	held = (uint64_t)(p->hold - p->release);
	if (p->state == POOL_DEAD)
		y->gone &= same(p, "pages still held at the end", -1, held, 0);
	else
		y->gone &= same(p, "inflight", -1, (uint64_t)p->inflight, held);
	if (!t) {
		/* the truth knows a pool by the first page it takes */
		y->idle += !p->hold;
		y->unknown += !!p->hold;
		return;
	}
	if (t->stats) {
		y->equal &= equals_kernel(p, t, s->nr_cpus);
		y->compared++;
	}
	if (at_rest(t) && p->cpus_known == (1u << PP_NR_COUNTERS) - 1) {
		y->balance &= books_balance(p, t);
		y->rested++;
	}
}

static void compare(struct snapshot *s, const struct truths *now, const struct truths *base,
		    const struct options *o, const struct command *commands, int nr_commands)
{
	struct tally y = {.equal = true, .balance = true, .gone = true, .allocs_known = true};
	bool lost = s->lost_events && !o->may_lose, live_only = true;
	uint64_t sent = 0;
	char text[160];

	allowed = o->may_lose ? s->lost_events : 0;
	for (size_t i = 0; i < s->nr_pools; i++)
		compare_pool(&y, s, &s->pools[i], now, base, o->without_cpu);
	for (int i = 0; i < nr_commands; i++) {
		live_only &= commands[i].live;
		sent += commands[i].sent;
	}
	if (sys.truth)
		y.equal &= recycling_equals(&sys.sum, sys.truth, s->nr_cpus);
	print_sum(s);
	snprintf(text, sizeof(text),
		 "%zu pools were seen, and all known to the truth, lost %" PRIu64
		 " pools and %" PRIu64 " events",
		 s->nr_pools, s->lost_pools, s->lost_events);
	check(s->nr_pools && !y.unknown && !s->lost_pools && !lost, text);
	if (y.compared || o->need_stats) {
		snprintf(
			text, sizeof(text),
			"eleven counters of %u pools equal the kernel's, recycling on every CPU too%s",
			y.compared, allowed ? ", but for what was lost" : "");
		check(y.compared && y.compared + y.idle == s->nr_pools && y.equal, text);
	}
	if (live_only && y.allocs_known) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " allocations counted, %" PRIu64 " frames sent", y.allocs,
			 sent);
		check(sent && y.allocs == sent, text);
	}
	check(y.gone, "hold less release is what is in flight, and nothing in pools that are gone");
	snprintf(text, sizeof(text),
		 "cache and ring hold what went in less what came out, in %u pools at rest",
		 y.rested);
	check((y.rested || !o->need_rest) && y.balance, text);
}

static uint64_t member(struct json_object *o, const char *side, const char *key)
{
	struct json_object *v = NULL, *w = NULL;

	if (!json_object_object_get_ex(o, side, &v) || !json_object_object_get_ex(v, key, &w))
		return UINT64_MAX;
	return json_object_get_uint64(w);
}

/* How many pools of the list are @p? Their counters have to be the same. */
static unsigned int compare_listed(const struct pool *p, struct json_object *list, bool *equal)
{
	size_t nr = list ? json_object_array_length(list) : 0;
	struct json_object *o, *id;
	unsigned int found = 0;

	for (size_t k = 0; k < nr; k++) {
		int n = 0;

		o = json_object_array_get_idx(list, k);
		if (!json_object_object_get_ex(o, "id", &id) || json_object_get_uint64(id) != p->id)
			continue;
		found++;
#define PP_X(ID, side, key, ...) \
	*equal &= same(p, #key, -1, p->total.n[n++], member(o, #side, #key));
		PP_COUNTERS(PP_X)
#undef PP_X
	}
	return found;
}

/* The same counters by another way: netlink, read by a program that shares no code with us. */
static void compare_netlink(const struct snapshot *s)
{
	unsigned int compared = 0, born = 0;
	struct json_object *list;
	char text[65536];
	bool equal = true;
	FILE *f;

	f = popen("nlstats", "r");
	if (!f)
		die("nlstats", errno);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	pclose(f);
	list = json_tokener_parse(text);
	for (size_t i = 0; i < s->nr_pools; i++) {
		const struct pool *p = &s->pools[i];

		if (!p->created)
			continue;
		born += p->visible;
		compared += compare_listed(p, list, &equal);
	}
	json_object_put(list);
	snprintf(text, sizeof(text), "eleven counters of %u pools equal what netlink shows",
		 compared);
	check(compared && compared == born && equal, text);
}

/*
 * An skb that a socket gave to the CPU it came from (skb_attempt_defer_free(), net/core/skbuff.c)
 * is freed when that CPU next receives something, whenever that may be.
 */
static void let_cpus_receive(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, len) ||
	    getsockname(fd, (struct sockaddr *)&to, &len))
		die("loopback", errno);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		sendto(fd, "", 1, 0, (struct sockaddr *)&to, len);
		recv(fd, (char[1]){0}, 1, 0); /* it may be ksoftirqd that receives, later */
	}
	sched_setaffinity(0, sizeof(all), &all);
	close(fd);
}

/*
 * Will more come back to @p though the load is done? To a pool that is destroyed, which the kernel
 * looks at once a second; to one of the system's from a socket that was closed with unread skbs in
 * it, which are freed after an RCU grace period: sk_destruct(), net/core/sock.c.
 */
static bool expects_pages(const struct pool *p)
{
	return p->state == POOL_DRAINING ||
	       (p->state == POOL_SYSTEM && p->inflight != (int64_t)p->cache + p->ring);
}

static void wait_for_pages(struct collect *c, struct snapshot *s)
{
	bool wait = true;

	for (int i = 0; wait && i < 100; i++) {
		let_cpus_receive();
		if (collect_read(c, s))
			die("collect_read", errno);
		wait = false;
		for (size_t k = 0; k < s->nr_pools; k++)
			wait |= expects_pages(&s->pools[k]);
		if (wait)
			usleep(100000);
	}
}

static void load_truth(struct truth_bpf *truth, const char *witness)
{
	struct bpf_program *p;

	truth->rodata->truth_cpus = (__u32)libbpf_num_possible_cpus();
	bpf_object__for_each_program(p, truth->obj)
	{
		const char *name = bpf_program__name(p);

		/* witness_NAME, and witness_NAME_exit if there is one */
		if (!strncmp(name, "witness_", 8))
			bpf_program__set_autoload(
				p, witness && !strncmp(name + 8, witness, strlen(witness)));
	}
	if (truth_bpf__load(truth) || truth_bpf__attach(truth))
		die("truth", errno);
}

static void ask_witness(const struct truth_bpf *truth, const char *witness)
{
	char text[80];

	snprintf(text, sizeof(text), "the load did it: %s %" PRIu64 " times", witness,
		 (uint64_t)truth->bss->witnessed);
	check(truth->bss->witnessed, text);
}

/* Start to count; with what is attached, @begun is what it has counted so far. */
static struct collect *begin(const struct collect_opts *opts, struct snapshot *begun)
{
	struct collect *c;

	if (collect_open(&c, opts) || !collect_bpf(c))
		die("collect_open", ENOTSUP);
	if (!opts->fresh && !bpf_source_pinned(collect_bpf(c)))
		die("what is attached", ENOENT);
	if (!opts->fresh && collect_read(c, begun))
		die("collect_read", EIO);
	return c;
}

/* What dump makes of it is compared with the schema when the guest is gone. Empties @s. */
static void keep_document(struct snapshot *s)
{
	FILE *f = fopen("/run/documents", "a");
	struct model m;

	model_init(&m);
	if (!f || model_update(&m, s) || view_json(f, &m, false) || fclose(f))
		die("/run/documents", errno);
	model_free(&m);
}

static bool parse(struct options *o, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "ab:w:t:x:s:l:W:SnmLDE")) != -1) {
		switch (opt) {
		case 'a':
			o->collect.fresh = false;
			break;
		case 's':
			if (o->nr_sources == MAX_SOURCES)
				return false;
			o->sources[o->nr_sources++] = optarg;
			break;
		case 'l':
			o->collect.level = optarg;
			break;
		case 'b':
			o->before = optarg;
			break;
		case 'w':
			o->collect.without = optarg;
			break;
		case 't':
			o->twice = optarg;
			break;
		case 'x':
			o->without_cpu = atoi(optarg);
			break;
		case 'W':
			o->witness = optarg;
			break;
		case 'S':
			o->need_stats = true;
			break;
		case 'n':
			o->netlink = true;
			break;
		case 'm':
			o->need_rest = false;
			break;
		case 'L':
			o->may_lose = true;
			break;
		case 'D':
			late_direct = true;
			break;
		case 'E':
			emptied = true;
			break;
		default:
			return false;
		}
	}
	if (!o->nr_sources)
		o->sources[o->nr_sources++] = "fentry";
	return true;
}

/* Side by side, until all are done. Returns how many. */
static int run(struct command *commands, char **texts)
{
	bool ran = true;
	int nr = 0;

	for (; nr < MAX_COMMANDS && texts[nr]; nr++) {
		commands[nr].text = texts[nr];
		start(&commands[nr]);
	}
	for (int i = 0; i < nr; i++) {
		finish(&commands[i]);
		ran &= commands[i].status == 0;
	}
	check(ran, "the load ran");
	return nr;
}

int main(int argc, char **argv)
{
	struct options o = {
		.collect = {.notes = stderr, .fresh = true, .keep_dead = true},
		.without_cpu = -1,
		.need_rest = true,
	};
	struct command commands[MAX_COMMANDS] = {0}, before = {0};
	struct collect *collects[MAX_SOURCES];
	struct snapshot s[MAX_SOURCES], begun;
	struct ppooltop_bpf *again = NULL;
	struct truths base, now;
	struct truth_bpf *truth;
	int nr_commands;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!parse(&o, argc, argv))
		return 2;
	snapshot_init(&begun, 0);
	truth = truth_bpf__open();
	if (!truth)
		die("truth", errno);
	load_truth(truth, o.witness);
	if (o.before) {
		before.text = o.before;
		start(&before);
		finish(&before);
	}
	read_truths(truth, &base);
	for (int i = 0; i < o.nr_sources; i++) {
		o.collect.source = o.collect.fresh ? o.sources[i] : NULL;
		collects[i] = begin(&o.collect, &begun);
	}
	if (o.twice)
		again = attach_twice(o.twice);

	nr_commands = run(commands, argv + optind);
	if (o.witness)
		ask_witness(truth, o.witness);
	for (int i = 0; i < o.nr_sources; i++) {
		snapshot_init(&s[i], 0);
		wait_for_pages(collects[i], &s[i]);
	}
	read_truths(truth, &now);
	subtract(&now, &base);
	for (int i = 0; i < o.nr_sources; i++) {
		printf("# %s\n", collect_source_name(collects[i]));
		subtract_begun(&s[i], &begun);
		compare(&s[i], &now, &base, &o, commands, nr_commands);
		if (o.netlink)
			compare_netlink(&s[i]);
		keep_document(&s[i]);
		collect_close(collects[i]);
	}
	free(now.list);
	printf("1..%d\n", tests);
	free(base.list);
	snapshot_free(&begun);
	ppooltop_bpf__destroy(again);
	truth_bpf__destroy(truth);
	return failures ? 1 : 0;
}
