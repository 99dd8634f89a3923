/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters, listed once. BPF slots, JSON, Prometheus, tables, the manual's check and the tests
 * are all made from these rows; a counter is added or renamed here and nowhere else.
 *
 * Meaning: net/core/page_pool.c, struct page_pool_alloc_stats and struct page_pool_recycle_stats in
 * include/net/page_pool/types.h (include/net/page_pool.h before 6.6).
 */
#ifndef PPOOLTOP_COUNTERS_H
#define PPOOLTOP_COUNTERS_H

/*
 * X(ID, side, key, kernel, metric, label, title, help)
 *   ID      suffix of the enum constant
 *   side    "alloc" or "recycle": the JSON object and the kernel structure it belongs to
 *   key     the kernel's field name, and the JSON key
 *   kernel  the name ethtool -S gives it
 *   metric  Prometheus metric name, with label
 *   title   column title
 *   help    one line for people
 */
#define PP_COUNTERS(X)                                                                            \
	X(FAST, alloc, fast, "rx_pp_alloc_fast", "ppooltop_alloc_total", "path=\"fast\"", "FAST", \
	  "pages taken from the pool's cache")                                                    \
	X(SLOW, alloc, slow, "rx_pp_alloc_slow", "ppooltop_alloc_total", "path=\"slow\"", "SLOW", \
	  "order-0 slow-path calls that got at least one page (each fetches up to 64)")           \
	X(SLOW_HIGH_ORDER, alloc, slow_high_order, "rx_pp_alloc_slow_ho", "ppooltop_alloc_total", \
	  "path=\"slow_high_order\"", "SLOWHO", "pages of order > 0 from the page allocator")     \
	X(EMPTY, alloc, empty, "rx_pp_alloc_empty", "ppooltop_refill_failures_total",             \
	  "reason=\"empty\"", "EMPTY", "refills that found the ring empty")                       \
	X(REFILL, alloc, refill, "rx_pp_alloc_refill", "ppooltop_alloc_total", "path=\"refill\"", \
	  "REFILL", "refills that returned a page (up to 64 moved to the cache)")                 \
	X(WAIVE, alloc, waive, "rx_pp_alloc_waive", "ppooltop_refill_failures_total",             \
	  "reason=\"waive\"", "WAIVE", "pages dropped at refill because of their NUMA node")      \
	X(CACHED, recycle, cached, "rx_pp_recycle_cached", "ppooltop_recycle_total",              \
	  "path=\"cached\"", "CACHED", "pages put into the pool's cache")                         \
	X(CACHE_FULL, recycle, cache_full, "rx_pp_recycle_cache_full",                            \
	  "ppooltop_recycle_failures_total", "reason=\"cache_full\"", "CFULL",                    \
	  "pages that found the cache full (and went on to the ring)")                            \
	X(RING, recycle, ring, "rx_pp_recycle_ring", "ppooltop_recycle_total", "path=\"ring\"",   \
	  "RING", "pages put into the pool's ring")                                               \
	X(RING_FULL, recycle, ring_full, "rx_pp_recycle_ring_full",                               \
	  "ppooltop_recycle_failures_total", "reason=\"ring_full\"", "RFULL",                     \
	  "times the ring was full and pages were freed")                                         \
	X(RELEASED_REFCNT, recycle, released_refcnt, "rx_pp_recycle_released_ref",                \
	  "ppooltop_recycle_failures_total", "reason=\"released_refcnt\"", "REFCNT",              \
	  "pages freed because somebody else still held them")

/*
 * What the books need beyond the kernel's eleven: pages moved where the kernel counts calls.
 * X(ID, key, help)
 */
#define PP_BOOKS(X)                                                                              \
	X(MOVED, moved, "pages a refill moved from the ring to the cache, the one returned too") \
	X(FETCHED, fetched, "order-0 pages the slow path got, the one returned too")             \
	X(FLUSHED, flushed, "pages thrown out of the cache by page_pool_update_nid()")           \
	X(SHARED, shared, "fragments counted as fast that took no page from the cache")

enum pp_counter {
#define PP_X(ID, ...) PP_##ID,
	PP_COUNTERS(PP_X)
#undef PP_X
		PP_NR_COUNTERS,
	PP_BOOKS_BASE = PP_NR_COUNTERS - 1,
#define PP_X(ID, ...) PP_##ID,
	PP_BOOKS(PP_X)
#undef PP_X
		PP_NR_SLOT_COUNTERS,
};

#endif /* PPOOLTOP_COUNTERS_H */
