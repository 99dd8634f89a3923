/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the kernel: sources, best first, each filling a struct snapshot. */
#ifndef PPOOLTOP_COLLECT_H
#define PPOOLTOP_COLLECT_H

#include <stdbool.h>
#include <stdio.h>

#include "snapshot.h"

struct collect;

struct collect_opts {
	FILE *notes;	    /* where notes about what is not to be had go, a line each, or NULL */
	bool verbose;	    /* libbpf's own messages to stderr */
	const char *source; /* a rung of the ladder by name, and no other; or NULL: the best */
	const char *level;  /* "slow", "derived", "full", or NULL: full */
	bool fresh;	    /* leave alone what is attached */
	const char *input;  /* a file of documents in place of the kernel, "-" is stdin; or NULL */
	/* for tests, see struct bpf_source_opts */
	const char *without;
	bool keep_dead;
};

/* Is @name the name of a source, or of a level? */
bool collect_is_source(const char *name);
bool collect_is_level(const char *name);

/*
 * Open the best source this kernel and user allow and start counting: what is attached, or the
 * rungs of the ladder down to netlink, which needs nothing. With opts->source that one or none.
 * With opts->input nothing of that: its documents are read, which needs no privilege.
 * On success *@c is set, to be closed with collect_close(). Returns 0; -ENOTSUP: the source or
 * input asked for is not to be had, opts->notes got the reason; or -errno.
 */
int collect_open(struct collect **c, const struct collect_opts *opts);

/* Is it a recording that is read? Then there is nothing to wait for between two readings. */
bool collect_recorded(const struct collect *c);

/* From now on collect_read() of a recording that comes by a pipe gives -EAGAIN rather than wait. */
void collect_nowait(struct collect *c);

/* Did collect_open() have to do with netlink for want of a privilege? */
bool collect_unprivileged(const struct collect *c);

/* The BPF source in use, or NULL; owned by @c. */
struct bpf_source *collect_bpf(const struct collect *c);

/*
 * Read everything now into @s, which must be initialised; what it held is freed. 0 or -errno;
 * -EOPNOTSUPP: neither BPF nor netlink can show a pool. Of a recording, the next document; the
 * first time what was before its first interval. -ENODATA: that was the last; -EBADMSG: the next
 * cannot be read, opts->notes got the reason.
 */
int collect_read(struct collect *c, struct snapshot *s);

void collect_close(struct collect *c);

/* Is something in the way of collect_attach()? As it returns, and before anything is loaded. */
int collect_may_attach(char *why, size_t len);

/*
 * Have collection go on when @c is closed, until collect_detach(), also from another process. What
 * is in the way is said in @why. 0, -EEXIST: it goes on already, or -errno.
 */
int collect_attach(struct collect *c, char *why, size_t len);

/* End what collect_attach() began. -ENOENT: there is nothing to end. */
int collect_detach(char *why, size_t len);

/* "fentry, level full", static storage. */
const char *collect_source_name(const struct collect *c);

/*
 * Netlink family "netdev" (6.8 and later; Documentation/netlink/specs/netdev.yaml): marks the pools
 * of @s that it shows as visible, adds what it knows of them, and appends those not yet in @s. The
 * caller's network namespace only. With @stats also the eleven counters, where the kernel has
 * CONFIG_PAGE_POOL_STATS, for pools whose counters are not known. Needs no privilege.
 * Returns the number of pools shown, or -errno; -EOPNOTSUPP: this kernel has no such family.
 */
int netlink_read(struct snapshot *s, bool stats);

#endif /* PPOOLTOP_COLLECT_H */
