// SPDX-License-Identifier: GPL-2.0-or-later
/* Charts: areas and lines in steps, since a rate holds for the interval that it was measured over.
 */
#include <math.h>
#include <string.h>

#include "html.h"

#define WIDTH  480
#define HEIGHT 190
#define LEFT   48
#define RIGHT  472
#define TOP    20
#define BOTTOM 164

struct layer {
	enum pp_counter counter;
	const char *name;
	int color;
};

#define LAYERS 4

static const struct kind {
	const char *title, *unit;
	bool stack;		     /* of layers; or a line */
	struct layer layers[LAYERS]; /* one on the other, the first below */
} kinds[NR_CHARTS] = {
	[CHART_ALLOC] = {"Allocation by path",
			 "per second",
			 true,
			 {{PP_FAST, "fast", 1},
			  {PP_REFILL, "refill", 2},
			  {PP_SLOW, "slow", 3},
			  {PP_SLOW_HIGH_ORDER, "slow, high order", 4}}},
	[CHART_RECYCLE] = {"Recycling by outcome",
			   "per second",
			   true,
			   {{PP_CACHED, "cached", 1},
			    {PP_RING, "ring", 2},
			    {PP_RING_FULL, "lost: ring full", 5},
			    {PP_RELEASED_REFCNT, "lost: still held", 6}}},
	[CHART_RATIO] = {"Recycle ratio", "% of the pages allocated", false, {{0}}},
	[CHART_INFLIGHT] = {"Pages in flight", "pages", false, {{0}}},
};

/* --- values --------------------------------------------------------------------------------------
 */

/* Layers of a stack, and which of them were known at any time. */
struct stack {
	const struct kind *kind;
	bool known[LAYERS];
	int upto;
};

static struct stack stack_of(enum chart chart, const struct timeline *t)
{
	struct stack s = {.kind = &kinds[chart], .upto = LAYERS - 1};

	for (int i = 0; s.kind->stack && i < LAYERS; i++)
		for (size_t n = 0; n < t->nr; n++)
			s.known[i] =
				s.known[i] || !isnan(t->points[n].rate[s.kind->layers[i].counter]);
	return s;
}

/* The height of layer upto and those below it; NAN where one that is known at times is not. */
static double stacked(const struct point *p, const void *arg)
{
	const struct stack *s = arg;
	double sum = 0;

	for (int i = 0; i < LAYERS; i++) {
		double v = p->rate[s->kind->layers[i].counter];

		if (!s->known[i])
			continue;
		if (isnan(v))
			return NAN;
		sum += i <= s->upto ? v : 0;
	}
	return sum;
}

void html_chart_range(enum chart chart, const struct timeline *t, struct range *range)
{
	const struct stack s = stack_of(chart, t);

	if (chart == CHART_RATIO)
		range->high = 100;
	for (size_t i = 0; i < t->nr && chart != CHART_RATIO; i++) {
		const struct point *p = &t->points[i];
		double high = s.kind->stack ? stacked(p, &s) : p->most;
		double low = s.kind->stack ? 0 : p->least;

		range->high = fmax(range->high, high);
		range->low = fmin(range->low, low);
	}
}

/* Up to a number that people count by. */
static double nice(double v)
{
	static const double steps[] = {1, 2, 4, 6, 8, 10};
	double unit = pow(10, floor(log10(v)));

	if (!(v > 0))
		return 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (v <= steps[i] * unit * (1 + 1e-9))
			return steps[i] * unit;
	return 10 * unit;
}

/* --- the frame -----------------------------------------------------------------------------------
 */

struct frame {
	FILE *f;
	double span_s; /* of the horizontal axis */
	double low, high;
};

static double x_of(const struct frame *fr, double s)
{
	return LEFT + (RIGHT - LEFT) * s / fr->span_s;
}

static double y_of(const struct frame *fr, double v)
{
	return BOTTOM - (BOTTOM - TOP) * (v - fr->low) / (fr->high - fr->low);
}

static struct frame frame_of(FILE *f, const struct recording *r, const struct range *range)
{
	struct frame fr = {.f = f, .span_s = r->seconds};

	fr.low = range->low < 0 ? -nice(-range->low) : 0;
	fr.high = nice(range->high);
	if (fr.high <= fr.low)
		fr.high = fr.low + 1;
	return fr;
}

static void tick(const struct frame *fr, double v)
{
	const char *u = "\0KMGTPE";
	double shown = v, y = y_of(fr, v);

	while (fabs(shown) >= 1000 && u[1]) {
		shown /= 1000;
		u++;
	}
	fprintf(fr->f,
		"<path class=\"grid%s\" d=\"M%d %.4gH%d\"/><text class=\"y\" x=\"%d\" "
		"y=\"%.4g\">%.3g%.1s</text>\n",
		v == 0 ? " zero" : "", LEFT, y, RIGHT, LEFT - 5, y + 4, shown, u);
}

static void put_axes(const struct frame *fr, const struct recording *r, const char *unit)
{
	static const char *const anchors[] = {"", "m", "e"};

	tick(fr, fr->low);
	tick(fr, fr->high);
	if (fr->low < 0 && fr->high > 0)
		tick(fr, 0);
	else if (fr->high - fr->low > 1)
		tick(fr, (fr->low + fr->high) / 2);
	fprintf(fr->f, "<text x=\"%d\" y=\"12\">%s</text>\n", LEFT, unit);
	for (int i = 0; i < 3; i++) {
		double s = r->seconds * i / 2;
		struct timespec ts = recording_time(r, s);
		char cell[CELL];

		html_clock(&ts, r->seconds, cell);
		if (ts.tv_sec)
			strcat(cell, i == 2 ? " UTC" : "");
		else
			snprintf(cell, CELL, "%.4g s", s);
		fprintf(fr->f, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", anchors[i],
			LEFT + (RIGHT - LEFT) * i / 2, HEIGHT - 8, cell);
	}
}

/* --- steps ---------------------------------------------------------------------------------------
 */

/* One path in the making; what did not move is not said again. */
struct steps {
	const struct frame *fr;
	bool open;
	double x, y, base;
	bool area; /* closed down to base */
};

static void close_steps(struct steps *s)
{
	if (!s->open)
		return;
	fprintf(s->fr->f, "H%.4g", s->x);
	if (s->area)
		fprintf(s->fr->f, "V%.4gZ", s->base);
	s->open = false;
}

static void step(struct steps *s, double from_x, double to_x, double y)
{
	if (s->open && from_x > s->x + 0.1) /* nothing was seen in between */
		close_steps(s);
	if (!s->open && s->area)
		fprintf(s->fr->f, "M%.4g %.4gV%.4g", from_x, s->base, y);
	else if (!s->open)
		fprintf(s->fr->f, "M%.4g %.4g", from_x, y);
	else if (fabs(y - s->y) >= 0.05)
		fprintf(s->fr->f, "H%.4gV%.4g", from_x, y);
	else
		y = s->y;
	s->open = true;
	s->x = to_x;
	s->y = y;
}

/* A path through value(point), with gaps where it is NAN. */
static void put_path(const struct frame *fr, const struct timeline *t, const char *class, bool area,
		     double (*value)(const struct point *p, const void *arg), const void *arg)
{
	struct steps s = {.fr = fr, .area = area, .base = y_of(fr, 0)};

	fprintf(fr->f, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < t->nr; i++) {
		const struct point *p = &t->points[i];
		double v = value(p, arg);

		if (isnan(v))
			close_steps(&s);
		else
			step(&s, x_of(fr, p->from_s), x_of(fr, p->to_s), y_of(fr, v));
	}
	close_steps(&s);
	fputs("\"/>\n", fr->f);
}

/* The whole height first, so that what is lower covers it. */
static void put_stack(const struct frame *fr, enum chart chart, const struct timeline *t)
{
	struct stack s = stack_of(chart, t);
	char class[16];

	for (; s.upto >= 0; s.upto--) {
		if (!s.known[s.upto])
			continue;
		snprintf(class, sizeof(class), "a f%d", s.kind->layers[s.upto].color);
		put_path(fr, t, class, true, stacked, &s);
	}
}

static double ratio_value(const struct point *p, const void *arg)
{
	(void)arg;
	return 100 * point_ratio(p);
}

static double most_value(const struct point *p, const void *arg)
{
	(void)arg;
	return p->most;
}

static double least_value(const struct point *p, const void *arg)
{
	(void)arg;
	return p->least;
}

static void put_inflight(const struct frame *fr, const struct timeline *t)
{
	put_path(fr, t, "band f1", true, most_value, NULL);
	if (t->per > 1) /* else they are the same */
		put_path(fr, t, "line s2", false, least_value, NULL);
	put_path(fr, t, "line s1", false, most_value, NULL);
}

/* --- what it says --------------------------------------------------------------------------------
 */

static bool anything(enum chart chart, const struct timeline *t)
{
	const struct stack s = stack_of(chart, t);

	if (s.kind->stack)
		return s.known[0] || s.known[1] || s.known[2] || s.known[3];
	for (size_t i = 0; i < t->nr; i++)
		if (!isnan(chart == CHART_RATIO ? point_ratio(&t->points[i])
						: (double)t->points[i].most))
			return true;
	return false;
}

static double last_known(const struct timeline *t)
{
	double v = NAN;

	for (size_t i = 0; i < t->nr; i++)
		if (!isnan(t->points[i].most))
			v = t->points[i].most;
	return v;
}

/* The legend, and the description for those who do not see it: @item is put around each entry. */
static void put_words(FILE *f, enum chart chart, const struct track *t, bool list)
{
	const char *open = list ? "<li>" : "", *close = list ? "</li>" : "; ";
	const struct kind *k = &kinds[chart];
	static const struct counters none;
	struct range range = {NAN, NAN};
	char cell[CELL], most[CELL];

	/* The topmost first, as they are drawn. */
	for (int i = LAYERS - 1; k->stack && i >= 0; i--) {
		html_rate(track_rate(t, k->layers[i].counter), cell);
		fputs(open, f);
		if (list)
			fprintf(f, "<i class=\"f%d\"></i>", k->layers[i].color);
		fprintf(f, "%s %s%s", k->layers[i].name, cell, close);
	}
	if (chart == CHART_RATIO) {
		html_ratio(t, &none, 0, cell);
		fprintf(f, "%s%s over all%s", open, cell, close);
	} else if (chart == CHART_INFLIGHT) {
		for (size_t i = 0; i < t->timeline.nr; i++) {
			range.low = fmin(range.low, t->timeline.points[i].least);
			range.high = fmax(range.high, t->timeline.points[i].most);
		}
		html_pages(range.low, cell);
		html_pages(range.high, most);
		if (isnan(range.high)) {
			fprintf(f, "%sn/a%s", open, close);
			return;
		}
		fprintf(f, "%sfrom %s to %s%s", open, cell, most, close);
		html_pages(last_known(&t->timeline), cell);
		fprintf(f, "%s%s at the end%s", open, cell, close);
		if (list && t->timeline.per > 1)
			fprintf(f, "<li><i class=\"f1\"></i>most</li><li><i class=\"f2\"></i>least"
				   "</li>");
	}
}

static void put_title(struct html *h, enum chart chart, const struct recording *r,
		      const struct track *t, const char *of)
{
	struct timespec from = recording_time(r, 0), to = recording_time(r, r->seconds);
	const struct kind *k = &kinds[chart];
	unsigned int n = ++h->charts;
	char begin[CELL], end[CELL];

	html_time(&from, begin);
	html_time(&to, end);
	fprintf(h->f, "<figure><figcaption>%s%s%s</figcaption>\n", k->title, h->side ? ", " : "",
		h->side ? h->side : "");
	fprintf(h->f,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"t%u s%u\">"
		"<title id=\"t%u\">%s of ",
		WIDTH, HEIGHT, n, n, n, k->title);
	html_text(h->f, of);
	fprintf(h->f, "%s%s, %s</title><desc id=\"s%u\">From %s to %s UTC. %s", h->side ? ", " : "",
		h->side ? h->side : "", k->unit, n, begin, end, k->stack ? "On average: " : "");
	put_words(h->f, chart, t, false);
	fputs("</desc>\n", h->f);
}

/* What is said in place of a course, or NULL. */
static const char *why_empty(enum chart chart, const struct track *t, const struct range *range)
{
	if (!anything(chart, &t->timeline))
		return chart == CHART_RATIO && track_alloc(t) == 0 ? "nothing was allocated"
								   : "n/a";
	return kinds[chart].stack && range->high == 0 ? "nothing" : NULL;
}

void html_chart(struct html *h, enum chart chart, const struct recording *r, const struct track *t,
		const char *of, const struct range *range)
{
	const struct frame fr = frame_of(h->f, r, range);
	const struct kind *k = &kinds[chart];
	const char *why = why_empty(chart, t, range);

	put_title(h, chart, r, t, of);
	put_axes(&fr, r, k->unit);
	if (why)
		fprintf(h->f, "<text class=\"m\" x=\"%d\" y=\"%d\">%s</text>\n", (LEFT + RIGHT) / 2,
			(TOP + BOTTOM) / 2 - 10, why);
	else if (k->stack)
		put_stack(&fr, chart, &t->timeline);
	else if (chart == CHART_RATIO)
		put_path(&fr, &t->timeline, "line s1", false, ratio_value, NULL);
	else
		put_inflight(&fr, &t->timeline);
	fputs("</svg>\n<ul class=\"key\">", h->f);
	put_words(h->f, chart, t, true);
	fputs("</ul></figure>\n", h->f);
}

void html_charts(struct html *h, const struct recording *r, const struct track *t, const char *of,
		 bool all)
{
	fputs("<div class=\"charts\">\n", h->f);
	for (int i = 0; i < NR_CHARTS; i++) {
		enum chart chart = (enum chart)i;
		struct range range = {0, 0};
		bool idle;

		html_chart_range(chart, &t->timeline, &range);
		idle = chart == CHART_RATIO ? !anything(chart, &t->timeline)
					    : range.low == 0 && range.high == 0;
		if (all || !idle)
			html_chart(h, chart, r, t, of, &range);
	}
	fputs("</div>\n", h->f);
}
