// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of family "netdev", well-formed and not. The sanitizers watch for overreads. */
#include "unit.h"

#include <errno.h>

#include <linux/genetlink.h>

#include <libmnl/libmnl.h>

#include "netlink_parse.h"

struct message {
	_Alignas(struct nlmsghdr) char buf[1024];
	struct nlmsghdr *nlh;
};

static struct nlmsghdr *begin(struct message *m)
{
	memset(m, 0, sizeof(*m));
	m->nlh = mnl_nlmsg_put_header(m->buf);
	m->nlh->nlmsg_type = 30;
	mnl_nlmsg_put_extra_header(m->nlh, sizeof(struct genlmsghdr));
	return m->nlh;
}

/* Of pool 1. */
static struct nlmsghdr *begin_pool(struct message *m)
{
	struct nlmsghdr *n = begin(m);

	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_ID, 1);
	return n;
}

/* All that is said of the pool is one attribute. */
static struct nlmsghdr *begin_stats(struct message *m, uint16_t type, uint32_t value)
{
	struct nlmsghdr *n = begin(m);
	struct nlattr *info = mnl_attr_nest_start(n, NETDEV_A_PAGE_POOL_STATS_INFO);

	mnl_attr_put_u32(n, type, value);
	mnl_attr_nest_end(n, info);
	return n;
}

static struct nlmsghdr *pool_message(struct message *m)
{
	struct nlmsghdr *n = begin(m);

	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_ID, 7);
	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_IFINDEX, 3);
	mnl_attr_put_u64(n, NETDEV_A_PAGE_POOL_NAPI_ID, 8193);
	mnl_attr_put_u64(n, NETDEV_A_PAGE_POOL_INFLIGHT, 5);
	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_INFLIGHT_MEM, 20480);
	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_DETACH_TIME, 99);
	mnl_attr_put_u32(n, 77, 1); /* of a kernel yet to come */
	return n;
}

static struct nlmsghdr *stats_message(struct message *m)
{
	struct nlmsghdr *n = begin(m);
	struct nlattr *info = mnl_attr_nest_start(n, NETDEV_A_PAGE_POOL_STATS_INFO);

	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_ID, 9);
	mnl_attr_put_u32(n, NETDEV_A_PAGE_POOL_IFINDEX, 2);
	mnl_attr_nest_end(n, info);
	for (int i = NETDEV_A_PAGE_POOL_STATS_ALLOC_FAST;
	     i <= NETDEV_A_PAGE_POOL_STATS_RECYCLE_RELEASED_REFCNT; i++) {
		if (i & 1)
			mnl_attr_put_u32(n, (uint16_t)i, (uint32_t)i);
		else
			mnl_attr_put_u64(n, (uint16_t)i, (uint64_t)i + (1ULL << 40));
	}
	return n;
}

static struct nlmsghdr *family_message(struct message *m)
{
	struct nlmsghdr *n = begin(m);

	mnl_attr_put_strz(n, CTRL_ATTR_FAMILY_NAME, "netdev");
	mnl_attr_put_u16(n, CTRL_ATTR_FAMILY_ID, 33);
	return n;
}

static void pool_is_read(void **state)
{
	struct netlink_pool p;
	struct message m;

	(void)state;
	assert_int_equal(netlink_parse_pool(pool_message(&m), &p), 0);
	assert_int_equal(p.has, POOL_HAS_ID | POOL_HAS_INFLIGHT | POOL_HAS_DESTROYED);
	assert_int_equal(p.id, 7);
	assert_int_equal(p.ifindex, 3);
	assert_int_equal(p.napi_id, 8193);
	assert_int_equal(p.inflight, 5);
	assert_int_equal(p.inflight_bytes, 20480);
	assert_int_equal(p.detached, 99);
	assert_int_equal(p.counters_known, 0);
}

/* The device went away, no NAPI, not destroyed, nothing about pages: no more than the id. */
static void pool_with_id_alone(void **state)
{
	struct netlink_pool p;
	struct message m;

	(void)state;
	assert_int_equal(netlink_parse_pool(begin_pool(&m), &p), 0);
	assert_int_equal(p.has, POOL_HAS_ID);
	assert_int_equal(p.id, 1);
	assert_int_equal(p.ifindex, 0);
	assert_int_equal(p.napi_id, 0);
	/* pages without bytes are unknown */
	mnl_attr_put_u32(m.nlh, NETDEV_A_PAGE_POOL_INFLIGHT, 5);
	assert_int_equal(netlink_parse_pool(m.nlh, &p), 0);
	assert_int_equal(p.has, POOL_HAS_ID);
}

/* "uint" is as long as its value needs: every field takes both lengths. */
static void uints_of_both_lengths(void **state)
{
	struct netlink_pool p;
	struct message m;

	(void)state;
	mnl_attr_put_u64(begin(&m), NETDEV_A_PAGE_POOL_ID, UINT32_MAX);
	mnl_attr_put_u64(m.nlh, NETDEV_A_PAGE_POOL_IFINDEX, INT32_MAX);
	mnl_attr_put_u32(m.nlh, NETDEV_A_PAGE_POOL_NAPI_ID, UINT32_MAX);
	mnl_attr_put_u64(m.nlh, NETDEV_A_PAGE_POOL_INFLIGHT, (uint64_t)-3);
	mnl_attr_put_u64(m.nlh, NETDEV_A_PAGE_POOL_INFLIGHT_MEM, UINT64_MAX);
	mnl_attr_put_u64(m.nlh, NETDEV_A_PAGE_POOL_DETACH_TIME, 1ULL << 33);
	assert_int_equal(netlink_parse_pool(m.nlh, &p), 0);
	assert_int_equal(p.id, UINT32_MAX);
	assert_int_equal(p.ifindex, INT32_MAX);
	assert_int_equal(p.napi_id, UINT32_MAX);
	assert_int_equal(p.inflight, -3);
	assert_true(p.inflight_bytes == UINT64_MAX);
	assert_true(p.detached == 1ULL << 33);
}

static void stats_are_read(void **state)
{
	struct netlink_pool p;
	struct message m;

	(void)state;
	assert_int_equal(netlink_parse_stats(stats_message(&m), &p), 0);
	assert_int_equal(p.has, POOL_HAS_ID);
	assert_int_equal(p.id, 9);
	assert_int_equal(p.ifindex, 2);
	assert_int_equal(p.counters_known, ALL_COUNTERS);
	/* attributes 8 to 18 are the counters in the order of the table */
	for (uint64_t i = 0; i < PP_NR_COUNTERS; i++)
		assert_true(p.n[i] == i + 8 + (i & 1 ? 0 : 1ULL << 40));
	assert_int_equal(p.n[PP_SLOW], NETDEV_A_PAGE_POOL_STATS_ALLOC_SLOW);
	assert_int_equal(p.n[PP_CACHE_FULL], NETDEV_A_PAGE_POOL_STATS_RECYCLE_CACHE_FULL);
}

static void missing_counter_is_unknown(void **state)
{
	struct netlink_pool p;
	struct message m;

	(void)state;
	begin_stats(&m, NETDEV_A_PAGE_POOL_ID, 9);
	mnl_attr_put_u32(m.nlh, NETDEV_A_PAGE_POOL_STATS_RECYCLE_RING, 4);
	assert_int_equal(netlink_parse_stats(m.nlh, &p), 0);
	assert_int_equal(p.counters_known, 1u << PP_RING);
	assert_int_equal(p.n[PP_RING], 4);
	assert_int_equal(p.ifindex, 0);
}

static void family_is_read(void **state)
{
	struct message m;
	uint16_t family;

	(void)state;
	assert_int_equal(netlink_parse_family(family_message(&m), &family), 0);
	assert_int_equal(family, 33);
}

static void check_refused(const struct nlmsghdr *nlh)
{
	struct netlink_pool p, same;
	uint16_t family = 0xabcd;

	memset(&p, 0xa5, sizeof(p));
	same = p;
	assert_int_equal(netlink_parse_pool(nlh, &p), -EBADMSG);
	assert_int_equal(netlink_parse_stats(nlh, &p), -EBADMSG);
	assert_int_equal(netlink_parse_family(nlh, &family), -EBADMSG);
	assert_memory_equal(&p, &same, sizeof(p));
	assert_int_equal(family, 0xabcd);
}

static void no_pool_is_refused(void **state)
{
	struct message m;

	(void)state;
	check_refused(begin(&m)); /* nothing in it */
	mnl_attr_put_u32(begin(&m), NETDEV_A_PAGE_POOL_ID, 0);
	check_refused(m.nlh);
	mnl_attr_put_u64(begin(&m), NETDEV_A_PAGE_POOL_ID, 1ULL << 32);
	check_refused(m.nlh);
	mnl_attr_put_u8(begin(&m), NETDEV_A_PAGE_POOL_ID, 1);
	check_refused(m.nlh);
	mnl_attr_put_strz(begin(&m), NETDEV_A_PAGE_POOL_ID, "seven");
	check_refused(m.nlh);
	mnl_attr_put_u32(begin(&m), NETDEV_A_PAGE_POOL_IFINDEX, 3); /* no id */
	check_refused(m.nlh);
}

/* Each by the parser that is to know better. */
static void malformed_is_refused(void **state)
{
	struct netlink_pool p;
	struct message m;
	uint16_t family;

	(void)state;
	mnl_attr_put_u64(begin_pool(&m), NETDEV_A_PAGE_POOL_IFINDEX, 1ULL << 31);
	assert_int_equal(netlink_parse_pool(m.nlh, &p), -EBADMSG);
	mnl_attr_put_u64(begin_pool(&m), NETDEV_A_PAGE_POOL_NAPI_ID, 1ULL << 32);
	assert_int_equal(netlink_parse_pool(m.nlh, &p), -EBADMSG);
	mnl_attr_put_u16(begin_pool(&m), NETDEV_A_PAGE_POOL_INFLIGHT, 1);
	assert_int_equal(netlink_parse_pool(m.nlh, &p), -EBADMSG);

	/* counters of no pool, of a pool without id, of 2 bytes */
	mnl_attr_put_u32(begin(&m), NETDEV_A_PAGE_POOL_STATS_ALLOC_FAST, 1);
	assert_int_equal(netlink_parse_stats(m.nlh, &p), -EBADMSG);
	begin_stats(&m, NETDEV_A_PAGE_POOL_IFINDEX, 1);
	assert_int_equal(netlink_parse_stats(m.nlh, &p), -EBADMSG);
	begin_stats(&m, NETDEV_A_PAGE_POOL_ID, 1);
	mnl_attr_put_u16(m.nlh, NETDEV_A_PAGE_POOL_STATS_ALLOC_FAST, 1);
	assert_int_equal(netlink_parse_stats(m.nlh, &p), -EBADMSG);

	mnl_attr_put_u32(begin(&m), CTRL_ATTR_FAMILY_ID, 33);
	assert_int_equal(netlink_parse_family(m.nlh, &family), -EBADMSG);
}

/* One that is longer than its message, and one that is shorter than its own header. */
static void attribute_of_wrong_length_is_refused(void **state)
{
	static const uint16_t lengths[] = {2000, 3};
	struct nlattr *first;
	struct message m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		first = mnl_nlmsg_get_payload_offset(pool_message(&m), sizeof(struct genlmsghdr));
		first->nla_len = lengths[i];
		check_refused(m.nlh);
	}
}

/* Each parser on a copy of just @len bytes, @changes of them at random. */
static void try(const struct nlmsghdr *nlh, size_t len, int changes, unsigned int *seed)
{
	char *copy = malloc(len);
	struct netlink_pool p;
	uint16_t family;
	int err;

	assert_non_null(copy);
	memcpy(copy, nlh, len);
	((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)len;
	for (; changes && len > NLMSG_HDRLEN; changes--)
		copy[NLMSG_HDRLEN + (size_t)rand_r(seed) % (len - NLMSG_HDRLEN)] =
			(char)rand_r(seed);
	err = netlink_parse_pool((struct nlmsghdr *)copy, &p);
	assert_true(!err || err == -EBADMSG);
	if (!err)
		assert_true(p.id && (p.has & POOL_HAS_ID) && p.ifindex >= 0);
	err = netlink_parse_stats((struct nlmsghdr *)copy, &p);
	assert_true(!err || err == -EBADMSG);
	if (!err)
		assert_true(p.id && !(p.counters_known & ~ALL_COUNTERS));
	err = netlink_parse_family((struct nlmsghdr *)copy, &family);
	assert_true(!err || err == -EBADMSG);
	free(copy);
}

static void cut_and_garbled(void **state)
{
	static struct nlmsghdr *(*const make[])(struct message *) = {pool_message, stats_message,
								     family_message};
	unsigned int seed = 1;
	struct message m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(make); i++) {
		const struct nlmsghdr *n = make[i](&m);

		for (size_t len = NLMSG_HDRLEN; len <= n->nlmsg_len; len++)
			try(n, len, 0, &seed);
		for (int k = 0; k < 20000; k++) {
			size_t len = NLMSG_HDRLEN +
				     (size_t)rand_r(&seed) % (n->nlmsg_len - NLMSG_HDRLEN + 1);

			try(n, len, 1 + rand_r(&seed) % 4, &seed);
		}
	}
}

/* Cut in the middle of an attribute is an error, not an end: half a pool is no pool. */
static void cut_in_an_attribute(void **state)
{
	struct netlink_pool p;
	struct message m;

	(void)state;
	pool_message(&m);
	for (uint32_t cut = 1; cut < 8; cut++) {
		m.nlh->nlmsg_len--;
		assert_int_equal(netlink_parse_pool(m.nlh, &p), -EBADMSG);
	}
	m.nlh->nlmsg_len--;
	assert_int_equal(netlink_parse_pool(m.nlh, &p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_is_read),
		cmocka_unit_test(pool_with_id_alone),
		cmocka_unit_test(uints_of_both_lengths),
		cmocka_unit_test(stats_are_read),
		cmocka_unit_test(missing_counter_is_unknown),
		cmocka_unit_test(family_is_read),
		cmocka_unit_test(no_pool_is_refused),
		cmocka_unit_test(malformed_is_refused),
		cmocka_unit_test(attribute_of_wrong_length_is_refused),
		cmocka_unit_test(cut_and_garbled),
		cmocka_unit_test(cut_in_an_attribute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
