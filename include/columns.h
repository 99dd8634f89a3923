/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns, one row of data each: the table of "show", the live view, its menus and its help,
 * and -s are all made from them.
 */
#ifndef PPOOLTOP_COLUMNS_H
#define PPOOLTOP_COLUMNS_H

#include "model.h"
#include "text.h"

enum row_kind {
	ROW_DEVICE, /* the sum of a device */
	ROW_GROUP,  /* pools that are alike, see pools_alike() */
	ROW_POOL,
	ROW_CPU,     /* one CPU's part of a pool, below the pool */
	ROW_CPU_SUM, /* one CPU's part of all pools */
	ROW_PART,    /* as ROW_CPU, below the CPU */
	ROW_NR_KINDS,
};

/* One line of a table, made by the functions below; pointers are into the model. */
struct row {
	enum row_kind kind;
	const struct model *m;
	const struct model_device *device;
	const struct model_pool *const *pools; /* nr of them; NULL for sums */
	unsigned int nr;
	int cpu;
	bool nested; /* below its device: not named by that again */
	const struct glyphs *glyphs;

	uint32_t known;		  /* bit PP_x: n[PP_x] is known */
	double n[PP_NR_COUNTERS]; /* per second, or counts where there is no rate */
	double ratio;
	bool inflight_known;
	int64_t inflight;
	uint64_t bytes;
};

/* Counts since then are what absolute figures are; a row is about the same pool, device or CPU. */
struct base {
	struct model_device *devices;
	size_t nr_devices;
	struct model_device totals;
	struct snapshot snap;
};

/* How figures are wanted. */
struct row_opts {
	bool counts;		 /* not per second */
	const struct base *base; /* subtracted from counts, or NULL */
	const struct glyphs *glyphs;
};

void row_device(struct row *r, const struct model *m, const struct model_device *d,
		const struct row_opts *opts);

/* @nr pools: one, or a group. They must outlive the row. */
void row_pools(struct row *r, const struct model *m, const struct model_pool *const *pools,
	       unsigned int nr, const struct row_opts *opts);

/* One CPU's part of a pool, named by the CPU or (ROW_PART) by the pool. */
void row_cpu(struct row *r, const struct model *m, const struct model_pool *const *pool, int cpu,
	     enum row_kind kind, const struct row_opts *opts);

/* One CPU's part of all pools. */
void row_cpu_sum(struct row *r, const struct model *m, int cpu, const struct row_opts *opts);

/* Take @m as the base. 0 or -ENOMEM; what @b held is freed. */
int base_take(struct base *b, const struct model *m);
void base_free(struct base *b);

/* How a cell is meant; the words say it too. */
enum mark {
	MARK_NONE,
	MARK_GOOD,
	MARK_WARN,
	MARK_BAD,
	MARK_DIM,
};

struct column {
	const char *title; /* and its name for -s and the configuration: one word */
	int width;	   /* at least */
	bool left;	   /* aligned to */
	bool table;	   /* "show" has it */
	int rank; /* the live view drops the highest first where the screen is narrow; 0: not
		     shown unless chosen */
	unsigned int rows; /* bits 1 << ROW_x: empty for others */
	const char *help;
	void (*print)(const struct row *r, char *cell); /* at most CELL bytes */
	double (*value)(const struct row *r);		/* sorts by it, NAN last; NULL: by text */
	enum mark (*mark)(const struct row *r);		/* NULL: none */
};

extern const struct column columns[];
extern const int nr_columns;

/* By title in any case, or NULL. */
const struct column *column_find(const char *title);

/* The text of @c for @r, empty where it has none. */
void column_print(const struct column *c, const struct row *r, char *cell);
enum mark column_mark(const struct column *c, const struct row *r);

/* What @c sorts @r by; NAN: nothing, or by its text. */
double column_value(const struct column *c, const struct row *r);

/* The order of two such values. */
int column_order(double v, double w, bool inverted);

/*
 * Numbers fall and words rise: below 0 if @r comes first. NAN and empty come last, whether
 * @inverted or not; 0: equal.
 */
int column_compare(const struct column *c, const struct row *r, const struct row *s, bool inverted);

#endif /* PPOOLTOP_COLUMNS_H */
