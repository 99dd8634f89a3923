// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * XDP live frames: bpf_prog_test_run() makes a page_pool, takes a page out of it for each frame,
 * and does with the frame what the program says, as if a driver had received it
 * (bpf_test_run_xdp_live(), net/bpf/test_run.c, from 5.18 on).
 */
#include <errno.h>
#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "priv.h"

#define FIRST_CHUNK 4096
#define CHUNK_NS    (50 * NSEC_PER_MSEC)
#define SETTLE_NS   (1000 * NSEC_PER_MSEC)

struct sender {
	struct load_live *live;
	struct load_pace pace;
	unsigned char data[LOAD_HEADERS + LOAD_SIZE_MAX];
	uint32_t data_len;
	uint64_t chunk; /* the most in one run */
	bool adapt;	/* so many that they take CHUNK_NS */
};

/* By the kernel's own measure, because setting up a run can take longer than all its frames. */
static void adapt_chunk(struct sender *s, uint32_t ns_per_frame)
{
	uint64_t chunk;

	if (!s->adapt || !ns_per_frame)
		return;
	chunk = CHUNK_NS / ns_per_frame;
	s->chunk = chunk > s->live->opts->batch ? chunk : s->live->opts->batch;
}

static int test_run(struct sender *s, uint32_t frames)
{
	struct load_live *live = s->live;
	struct xdp_md ctx = {
		.data_end = s->data_len,
		.ingress_ifindex = (uint32_t)live->ifindex,
	};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = s->data, .data_size_in = s->data_len,
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = (int)frames,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = live->opts->batch);
	int err;

	live->res->test_runs++;
	err = bpf_prog_test_run_opts(live->prog_fd, &run);
	if (!err)
		adapt_chunk(s, run.duration);
	return err;
}

/* What the kernel did, as the program counted it: no return value tells after an interruption. */
static int update_sent(struct load_live *live)
{
	struct load_counts counts;
	int err = load_counts_read(live->counts_fd, &counts);

	if (!err)
		live->res->sent = counts.sent;
	return err;
}

static int explain_run(struct load_result *res, int err)
{
	if (err == -EINVAL && !res->sent)
		return load_fail(res, -EOPNOTSUPP, "live frames", "refused by this kernel",
				 "use 5.18 or later, with CONFIG_NET and BPF");
	if (err == -ENOMEM)
		return load_fail(res, err, "live frames", "the kernel had no page",
				 "free memory, or send fewer at a time");
	return load_fail(res, err, "bpf_prog_test_run", NULL, "see dmesg");
}

bool load_live_has_chunks(const struct load_opts *opts)
{
	if (opts->runs > 1 || opts->pps || (opts->stop && !opts->chunk))
		return true;
	return opts->count > (opts->chunk ? opts->chunk : UINT32_MAX);
}

static void set_chunk(struct sender *s)
{
	const struct load_opts *opts = s->live->opts;

	s->adapt = !opts->chunk && opts->stop;
	s->chunk = opts->chunk ? opts->chunk : s->adapt ? FIRST_CHUNK : UINT32_MAX;
}

static int send_chunk(struct sender *s, uint64_t left)
{
	struct load_result *res = s->live->res;
	/* A run cannot be slowed down from inside, so that a rate means several runs. */
	uint64_t frames = load_pace_quantum(&s->pace, res->sent, left < s->chunk ? left : s->chunk);
	int err, err2;

	err = test_run(s, (uint32_t)frames);
	err2 = update_sent(s->live);
	/* A signal; whether to go on is for the caller's stop flag to say. */
	if (err == -EINTR)
		err = 0;
	if (err || err2) {
		res->errors++;
		return explain_run(res, err ? err : err2);
	}
	load_pace_wait(&s->pace, res->sent);
	return 0;
}

/* Up to `count` more frames. */
static int send_count(struct sender *s, uint64_t count)
{
	struct load_live *live = s->live;
	uint64_t start = live->res->sent, done = 0;
	int err;

	while (done < count && !load_stopped(live->opts)) {
		err = send_chunk(s, count - done);
		if (err)
			return err;
		done = live->res->sent - start;
	}
	return 0;
}

int load_live_send(struct load_live *live)
{
	struct sender s = {.live = live};
	int err = 0;

	s.data_len = (uint32_t)load_frame_build(s.data, &live->frame);
	set_chunk(&s);
	load_pace_start(&s.pace, live->opts);
	for (unsigned int i = 0; !err && i < live->opts->runs; i++)
		err = send_count(&s, live->opts->count);
	live->res->seconds = (double)(load_now() - s.pace.start) / (double)NSEC_PER_SEC;
	return err;
}

void load_live_settle(struct load_live *live)
{
	uint64_t last = 0, since = load_now();
	struct load_counts counts;

	while (!load_counts_read(live->counts_fd, &counts)) {
		live->res->received = (int64_t)counts.received;
		if (counts.received >= live->res->sent)
			return;
		if (counts.received != last) {
			last = counts.received;
			since = load_now();
		}
		if (load_now() - since > SETTLE_NS)
			return;
		load_sleep(NSEC_PER_MSEC);
	}
}
