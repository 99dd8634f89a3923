// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel itself counts, for tests to compare with: page-pool-get and page-pool-stats-get
 * of netlink family "netdev" as one JSON array. Shares no code with the program on purpose.
 *
 * Exit status: 0; 77 if the kernel has no such family or no statistics; 1 for trouble.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include <libmnl/libmnl.h>

/* include/uapi/linux/netdev.h, Linux 6.8 to 7.2 */
#define CMD_PAGE_POOL_GET	5
#define CMD_PAGE_POOL_STATS_GET 9

#define A_ID			1
#define A_IFINDEX		2
#define A_NAPI_ID		3
#define A_INFLIGHT		4

#define A_STATS_INFO		1
#define A_STATS_FIRST		8
#define NR_STATS		11
#define NR_ALLOC		6

/* In the order of the attributes from A_STATS_FIRST on */
static const char *const alloc_name[] = {"fast",  "slow",   "slow_high_order",
					 "empty", "refill", "waive"};
static const char *const recycle_name[] = {"cached", "cache_full", "ring", "ring_full",
					   "released_refcnt"};

struct row {
	uint64_t id;
	uint64_t ifindex;
	uint64_t napi_id;
	uint64_t inflight;
	uint64_t stat[NR_STATS];
	unsigned int seen; /* bit i: stat[i] */
};

static struct row *rows;
static size_t nr_rows;

static _Noreturn void fail(int status, const char *what, int err)
{
	fprintf(stderr, "nlstats: %s: %s\n", what, strerror(err));
	exit(status);
}

static uint64_t uint_of(const struct nlattr *a)
{
	switch (mnl_attr_get_payload_len(a)) {
	case 4:
		return mnl_attr_get_u32(a);
	case 8:
		return mnl_attr_get_u64(a);
	default:
		fail(1, "attribute of odd length", EBADMSG);
	}
}

static struct row *row_of(uint64_t id)
{
	for (size_t i = 0; i < nr_rows; i++) {
		if (rows[i].id == id)
			return &rows[i];
	}
	return NULL;
}

static struct row *row_new(uint64_t id)
{
	rows = realloc(rows, (nr_rows + 1) * sizeof(*rows));
	if (!rows)
		fail(1, "memory", ENOMEM);
	memset(&rows[nr_rows], 0, sizeof(*rows));
	rows[nr_rows].id = id;
	return &rows[nr_rows++];
}

static int pool_attr(const struct nlattr *a, void *data)
{
	struct row *r = data;

	switch (mnl_attr_get_type(a)) {
	case A_ID:
		r->id = uint_of(a);
		break;
	case A_IFINDEX:
		r->ifindex = uint_of(a);
		break;
	case A_NAPI_ID:
		r->napi_id = uint_of(a);
		break;
	case A_INFLIGHT:
		r->inflight = uint_of(a);
		break;
	}
	return MNL_CB_OK;
}

static int on_pool(const struct nlmsghdr *nlh, void *data)
{
	struct row r = {0}, *row;

	(void)data;
	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), pool_attr, &r);
	row = row_of(r.id);
	if (!row)
		row = row_new(r.id);
	*row = r;
	return MNL_CB_OK;
}

static int stats_attr(const struct nlattr *a, void *data)
{
	unsigned int type = mnl_attr_get_type(a);
	struct row *r = data;

	if (type == A_STATS_INFO) {
		mnl_attr_parse_nested(a, pool_attr, r);
	} else if (type >= A_STATS_FIRST && type < A_STATS_FIRST + NR_STATS) {
		r->stat[type - A_STATS_FIRST] = uint_of(a);
		r->seen |= 1U << (type - A_STATS_FIRST);
	}
	return MNL_CB_OK;
}

static int on_stats(const struct nlmsghdr *nlh, void *data)
{
	struct row r = {0}, *row;

	(void)data;
	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), stats_attr, &r);
	row = row_of(r.id);
	if (row) {
		memcpy(row->stat, r.stat, sizeof(r.stat));
		row->seen = r.seen;
	}
	return MNL_CB_OK;
}

static int family_attr(const struct nlattr *a, void *data)
{
	if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
		*(uint16_t *)data = mnl_attr_get_u16(a);
	return MNL_CB_OK;
}

static int on_family(const struct nlmsghdr *nlh, void *data)
{
	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), family_attr, data);
	return MNL_CB_STOP;
}

/* libmnl does not look at the error a dump ends with */
static int on_done(const struct nlmsghdr *nlh, void *data)
{
	const int *err = mnl_nlmsg_get_payload(nlh);

	(void)data;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err) || *err >= 0)
		return MNL_CB_STOP;
	errno = -*err;
	return MNL_CB_ERROR;
}

static int on_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);

	(void)data;
	errno = -e->error;
	return e->error ? MNL_CB_ERROR : MNL_CB_STOP;
}

static mnl_cb_t control[] = {[NLMSG_ERROR] = on_error, [NLMSG_DONE] = on_done};

/* 0 or errno */
static int ask(uint16_t type, uint8_t cmd, const char *family, mnl_cb_t cb, void *data)
{
	static _Alignas(struct nlmsghdr) char buf[32768];
	struct mnl_socket *sk = mnl_socket_open(NETLINK_GENERIC);
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	int err = 0, ret = MNL_CB_OK;

	if (!sk || mnl_socket_bind(sk, 0, MNL_SOCKET_AUTOPID) < 0)
		fail(1, "socket", errno);
	genl->cmd = cmd;
	genl->version = 1;
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | (family ? 0 : NLM_F_DUMP);
	if (family)
		mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, family);
	if (mnl_socket_sendto(sk, nlh, nlh->nlmsg_len) < 0)
		fail(1, "send", errno);
	while (ret == MNL_CB_OK) {
		ssize_t n = mnl_socket_recvfrom(sk, buf, sizeof(buf));

		if (n < 0)
			fail(1, "receive", errno);
		ret = mnl_cb_run2(buf, n, 0, 0, cb, data, control,
				  sizeof(control) / sizeof(control[0]));
	}
	if (ret < 0)
		err = errno;
	mnl_socket_close(sk);
	return err;
}

static void print_stats(const char *const *name, const uint64_t *stat, int nr)
{
	for (int i = 0; i < nr; i++)
		printf("%s\"%s\":%" PRIu64, i ? "," : "", name[i], stat[i]);
}

static void print_or_null(const char *name, uint64_t v)
{
	if (v)
		printf(",\"%s\":%" PRIu64, name, v);
	else
		printf(",\"%s\":null", name);
}

static void print_row(const struct row *r)
{
	printf("{\"id\":%" PRIu64, r->id);
	print_or_null("ifindex", r->ifindex);
	print_or_null("napi_id", r->napi_id);
	printf(",\"inflight\":%" PRId64 ",\"alloc\":{", (int64_t)r->inflight);
	print_stats(alloc_name, r->stat, NR_ALLOC);
	printf("},\"recycle\":{");
	print_stats(recycle_name, r->stat + NR_ALLOC, NR_STATS - NR_ALLOC);
	printf("}}");
}

/* Pools without all counters went away between the two dumps */
static void print_rows(void)
{
	const char *sep = "";

	printf("[");
	for (size_t i = 0; i < nr_rows; i++) {
		if (rows[i].seen != (1U << NR_STATS) - 1)
			continue;
		printf("%s", sep);
		print_row(&rows[i]);
		sep = ",\n ";
	}
	printf("]\n");
}

int main(void)
{
	uint16_t family = 0;
	int err;

	err = ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, "netdev", on_family, &family);
	if (err)
		fail(err == ENOENT ? 77 : 1, "no netlink family netdev", err);
	err = ask(family, CMD_PAGE_POOL_GET, NULL, on_pool, NULL);
	if (err)
		fail(err == EOPNOTSUPP ? 77 : 1, "no page-pool-get", err);
	err = ask(family, CMD_PAGE_POOL_STATS_GET, NULL, on_stats, NULL);
	if (err)
		fail(err == EOPNOTSUPP ? 77 : 1, "no page-pool-stats-get", err);
	print_rows();
	free(rows);
	return fflush(stdout) || ferror(stdout);
}
