// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tui.h"
#include "verdict.h"

/* --- which line is which -------------------------------------------------------------------------
 */

static const struct pool *pool_of(const struct tui *t, const struct item *item)
{
	return t->items.pools[item->pool]->pool;
}

struct item_id item_id_pool(const struct pool *p, enum row_kind kind, int cpu)
{
	struct item_id id;

	memset(&id, 0, sizeof(id));
	id.kind = kind;
	id.cpu = cpu;
	id.address = p->address;
	id.generation = p->generation;
	if (!(p->has & POOL_HAS_ADDRESS))
		id.id = p->id;
	return id;
}

static struct item_id device_id(const struct model_device *d)
{
	struct item_id id;

	memset(&id, 0, sizeof(id));
	id.kind = ROW_DEVICE;
	id.cpu = -1;
	id.netns = d->netns;
	id.ifindex = d->ifindex;
	id.id = d->others;
	if (!d->ifindex)
		memcpy(id.ifname, d->ifname, sizeof(id.ifname));
	return id;
}

struct item_id item_id(const struct tui *t, const struct item *item)
{
	if (item->kind == ROW_DEVICE)
		return device_id(&t->m->devices[item->device]);
	if (item->kind == ROW_CPU_SUM)
		return (struct item_id){.kind = ROW_CPU_SUM, .cpu = item->cpu};
	return item_id_pool(pool_of(t, item), item->kind, item->cpu);
}

bool item_same(const struct item_id *a, const struct item_id *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->netns == b->netns &&
	       a->ifindex == b->ifindex && !strncmp(a->ifname, b->ifname, sizeof(a->ifname)) &&
	       a->address == b->address && a->generation == b->generation && a->id == b->id;
}

void item_row(const struct tui *t, const struct item *item, struct row *r)
{
	const struct row_opts opts = tui_row_opts(t);
	const struct model_pool *const *pools = t->items.pools + item->pool;

	switch (item->kind) {
	case ROW_DEVICE:
		row_device(r, t->m, &t->m->devices[item->device], &opts);
		break;
	case ROW_CPU_SUM:
		*r = t->items.sums[item->cpu];
		break;
	case ROW_CPU:
	case ROW_PART:
		row_cpu(r, t->m, pools, item->cpu, item->kind, &opts);
		break;
	default:
		row_pools(r, t->m, pools, item->nr, &opts);
		break;
	}
	r->nested = item->depth && item->kind == ROW_POOL;
}

/* --- filter and order ----------------------------------------------------------------------------
 */

/* Columns with words in them. */
static const char *const searched[] = {"DEVICE", "NETNS", "DRIVER", "POOL", "STATE", "VERDICT"};

static bool row_matches(const struct row *r, const char *text)
{
	char cell[CELL];

	for (size_t i = 0; i < sizeof(searched) / sizeof(searched[0]); i++) {
		column_print(column_find(searched[i]), r, cell);
		if (strcasestr(cell, text))
			return true;
	}
	return false;
}

bool item_matches(const struct tui *t, const struct item *item, const char *text)
{
	struct item alone = *item;
	struct row r;

	item_row(t, item, &r);
	if (row_matches(&r, text))
		return true;
	if (item->kind != ROW_POOL && item->kind != ROW_GROUP)
		return false;
	/* By its device, which a pool below it does not name again. */
	alone.kind = ROW_POOL;
	alone.nr = 1;
	alone.depth = 0;
	item_row(t, &alone, &r);
	return row_matches(&r, text);
}

static bool pool_passes(const struct tui *t, const struct model_pool *mp)
{
	const struct row_opts opts = tui_row_opts(t);
	struct row r;

	if (!t->filter[0])
		return true;
	row_pools(&r, t->m, &mp, 1, &opts);
	return row_matches(&r, t->filter);
}

static const struct tui *sorted; /* whose items compare() is given */

static int compare(const void *a, const void *b)
{
	const struct column *c = sorted->config.sort;
	const bool inverted = sorted->config.inverted;
	const struct item *p = a, *q = b;
	struct row r, s;
	int order;

	if (c->value) {
		order = column_order(p->value, q->value, inverted);
	} else {
		item_row(sorted, p, &r);
		item_row(sorted, q, &s);
		order = column_compare(c, &r, &s, inverted);
	}
	return order ? order : (p->seq > q->seq) - (p->seq < q->seq);
}

/* Rows are made once for each item, not for each comparison. */
static void take_values(const struct tui *t, struct item *list, size_t nr)
{
	struct row r;

	for (size_t i = 0; t->config.sort->value && i < nr; i++) {
		item_row(t, &list[i], &r);
		list[i].value = column_value(t->config.sort, &r);
	}
}

/* Without a column, the order of before, which "inverted" turns round. */
static void sort_items(const struct tui *t, struct item *list, size_t nr)
{
	if (t->config.sort && nr) {
		sorted = t;
		take_values(t, list, nr);
		qsort(list, nr, sizeof(*list), compare);
		return;
	}
	for (size_t i = 0; t->config.inverted && i < nr / 2; i++) {
		struct item item = list[i];

		list[i] = list[nr - 1 - i];
		list[nr - 1 - i] = item;
	}
}

/* --- folding -------------------------------------------------------------------------------------
 */

static size_t find_toggled(const struct items *items, const struct item_id *id)
{
	size_t i = 0;

	while (i < items->nr_toggled && !item_same(&items->toggled[i], id))
		i++;
	return i;
}

int item_toggle(struct tui *t, const struct item *item)
{
	struct items *items = &t->items;
	struct item_id id = item_id(t, item), *toggled;
	size_t i = find_toggled(items, &id);

	if (i < items->nr_toggled) {
		items->toggled[i] = items->toggled[--items->nr_toggled];
		return 0;
	}
	toggled = realloc(items->toggled, (i + 1) * sizeof(*toggled));
	if (!toggled)
		return -ENOMEM;
	toggled[i] = id;
	items->toggled = toggled;
	items->nr_toggled++;
	return 0;
}

static bool is_folded(const struct tui *t, const struct item *item)
{
	bool usual = item->kind == ROW_GROUP || (item->kind != ROW_DEVICE && !t->cpus_open);
	struct item_id id;

	if (!t->items.nr_toggled)
		return usual;
	id = item_id(t, item);
	return usual != (find_toggled(&t->items, &id) < t->items.nr_toggled);
}

/* --- the list ------------------------------------------------------------------------------------
 */

struct list {
	struct item *items;
	size_t nr, cap;
	bool failed;
};

static struct item *add(struct list *l, enum row_kind kind, int depth)
{
	static struct item nowhere;
	struct item *item;

	if (l->nr == l->cap && !l->failed) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct item *items = realloc(l->items, cap * sizeof(*items));

		l->failed = !items;
		if (items) {
			l->items = items;
			l->cap = cap;
		}
	}
	item = l->failed ? &nowhere : &l->items[l->nr];
	memset(item, 0, sizeof(*item));
	item->kind = kind;
	item->depth = depth;
	item->cpu = -1;
	item->nr = 1;
	item->seq = l->failed ? 0 : l->nr++;
	return item;
}

static bool pool_counted(const struct pool *p, int cpu)
{
	return p->cpus && counted_anything(&p->cpus[cpu]);
}

static void add_cpus(const struct tui *t, struct list *l, const struct item *pool)
{
	size_t from = l->nr;

	for (int cpu = 0; cpu < t->m->now.nr_cpus; cpu++) {
		struct item *item;

		if (!pool_counted(pool_of(t, pool), cpu))
			continue;
		item = add(l, ROW_CPU, pool->depth + 1);
		item->pool = pool->pool;
		item->device = pool->device;
		item->cpu = cpu;
	}
	if (!l->failed)
		sort_items(t, l->items + from, l->nr - from);
}

static void add_pool(const struct tui *t, struct list *l, struct item pool)
{
	pool.foldable = pool_of(t, &pool)->cpus;
	pool.folded = !pool.foldable || is_folded(t, &pool);
	*add(l, pool.kind, pool.depth) = pool;
	if (!pool.folded)
		add_cpus(t, l, &pool);
}

static void add_group(const struct tui *t, struct list *l, struct item group)
{
	group.foldable = true;
	group.folded = is_folded(t, &group);
	*add(l, group.kind, group.depth) = group;
	for (unsigned int i = 0; !group.folded && i < group.nr; i++) {
		struct item pool = group;

		pool.kind = ROW_POOL;
		pool.nr = 1;
		pool.depth++;
		pool.pool += i;
		add_pool(t, l, pool);
	}
}

/* Is there another pool that one line can stand for, at or after @i of the model's? */
static size_t next_alike(const struct model *m, const struct model_pool *mp, size_t i,
			 const bool *done)
{
	for (; i < m->nr_pools; i++)
		if (!done[i] && pools_alike(mp->pool, m->pools[i].pool))
			return i;
	return m->nr_pools;
}

/* Pools that pass the filter, those of a group in a row, each group an item of @l. */
static int gather(struct tui *t, struct list *l)
{
	const struct model *m = t->m;
	struct items *items = &t->items;
	bool *done = calloc(m->nr_pools + 1, sizeof(*done));

	free(items->pools);
	items->nr_pools = 0;
	items->pools = calloc(m->nr_pools + 1, sizeof(*items->pools));
	if (!done || !items->pools) {
		free(done);
		return -ENOMEM;
	}
	for (size_t i = 0; i < m->nr_pools; i++)
		done[i] = !pool_passes(t, &m->pools[i]);
	for (size_t i = 0; i < m->nr_pools; i++) {
		struct item *item;

		if (done[i])
			continue;
		item = add(l, ROW_POOL, 0);
		item->pool = items->nr_pools;
		item->device = m->pools[i].device;
		items->pools[items->nr_pools++] = &m->pools[i];
		for (size_t k = next_alike(m, &m->pools[i], i + 1, done); k < m->nr_pools;
		     k = next_alike(m, &m->pools[i], k + 1, done)) {
			done[k] = true;
			item->kind = ROW_GROUP;
			item->nr++;
			items->pools[items->nr_pools++] = &m->pools[k];
		}
	}
	free(done);
	return l->failed ? -ENOMEM : 0;
}

static void add_line(const struct tui *t, struct list *l, const struct item *item, int depth)
{
	struct item line = *item;

	line.depth = depth;
	if (line.kind == ROW_GROUP)
		add_group(t, l, line);
	else
		add_pool(t, l, line);
}

static void build_flat(const struct tui *t, struct list *l, const struct list *pools)
{
	for (size_t i = 0; i < pools->nr; i++)
		add_line(t, l, &pools->items[i], 0);
}

/* A device without pools has a line if it counted something, and no filter asks for less. */
static bool has_line(const struct tui *t, const struct model_device *d)
{
	if (t->filter[0])
		return false;
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		if (d->total.n[i])
			return true;
	return d->others;
}

static void build_device(const struct tui *t, struct list *l, struct item device,
			 const struct list *pools)
{
	size_t at = l->nr;

	*add(l, ROW_DEVICE, 0) = device;
	for (size_t i = 0; i < pools->nr && !l->failed; i++) {
		if (pools->items[i].device != device.device)
			continue;
		l->items[at].foldable = true;
		l->items[at].folded = is_folded(t, &device);
		if (l->items[at].folded)
			return;
		add_line(t, l, &pools->items[i], 1);
	}
	if (!l->failed && !l->items[at].foldable && !has_line(t, &t->m->devices[device.device]))
		l->nr--;
}

static int build_tree(const struct tui *t, struct list *l, const struct list *pools)
{
	struct list devices = {0};

	for (size_t i = 0; i < t->m->nr_devices; i++)
		add(&devices, ROW_DEVICE, 0)->device = i;
	if (!devices.failed)
		sort_items(t, devices.items, devices.nr);
	for (size_t i = 0; i < devices.nr; i++)
		build_device(t, l, devices.items[i], pools);
	free(devices.items);
	return devices.failed ? -ENOMEM : 0;
}

static void build_cpu(const struct tui *t, struct list *l, struct item cpu,
		      const struct list *pools)
{
	size_t from;

	cpu.foldable = true;
	cpu.folded = is_folded(t, &cpu);
	*add(l, ROW_CPU_SUM, 0) = cpu;
	from = l->nr;
	for (size_t i = 0; !cpu.folded && i < pools->nr; i++) {
		struct item *item;

		if (!pool_counted(pool_of(t, &pools->items[i]), cpu.cpu))
			continue;
		item = add(l, ROW_PART, 1);
		item->pool = pools->items[i].pool;
		item->device = pools->items[i].device;
		item->cpu = cpu.cpu;
	}
	if (!l->failed)
		sort_items(t, l->items + from, l->nr - from);
}

static bool cpu_counted(const struct model *m, int cpu)
{
	for (size_t i = 0; i < m->nr_pools; i++)
		if (pool_counted(m->pools[i].pool, cpu))
			return true;
	return false;
}

static int build_cpus(struct tui *t, struct list *l, const struct list *pools)
{
	const struct row_opts opts = tui_row_opts(t);
	const int nr = t->m->now.nr_cpus;
	struct list cpus = {0};

	t->items.sums = calloc((size_t)nr + 1, sizeof(*t->items.sums));
	if (!t->items.sums)
		return -ENOMEM;
	for (int cpu = 0; cpu < nr; cpu++) {
		if (!cpu_counted(t->m, cpu))
			continue;
		row_cpu_sum(&t->items.sums[cpu], t->m, cpu, &opts);
		add(&cpus, ROW_CPU_SUM, 0)->cpu = cpu;
	}
	if (!cpus.failed)
		sort_items(t, cpus.items, cpus.nr);
	for (size_t i = 0; i < cpus.nr; i++)
		build_cpu(t, l, cpus.items[i], pools);
	free(cpus.items);
	return cpus.failed ? -ENOMEM : 0;
}

int items_build(struct tui *t)
{
	struct items *items = &t->items;
	struct list pools = {0}, lines = {.items = items->list, .cap = items->cap};
	int err;

	free(items->sums);
	items->sums = NULL;
	err = gather(t, &pools);
	if (!err) {
		sort_items(t, pools.items, pools.nr);
		if (t->config.grouping == GROUP_DEVICE)
			err = build_tree(t, &lines, &pools);
		else if (t->config.grouping == GROUP_CPU)
			err = build_cpus(t, &lines, &pools);
		else
			build_flat(t, &lines, &pools);
	}
	free(pools.items);
	items->list = lines.items;
	items->cap = lines.cap;
	items->nr = err || lines.failed ? 0 : lines.nr;
	return items->nr || !lines.failed ? err : -ENOMEM;
}

void items_free(struct items *items)
{
	free(items->list);
	free(items->pools);
	free(items->sums);
	free(items->toggled);
	memset(items, 0, sizeof(*items));
}
