// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "html.h"

/* --- text ----------------------------------------------------------------------------------------
 */

#define REPLACEMENT "\357\277\275" /* U+FFFD */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The code point of the character at @s, which is valid, and its length. */
static uint32_t decode(const char *s, size_t *len)
{
	unsigned char c = (unsigned char)*s;
	uint32_t point;

	*len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	point = *len == 1 ? c : c & (0x7fu >> *len);
	for (size_t i = 1; i < *len; i++)
		point = point << 6 | ((unsigned char)s[i] & 0x3f);
	return point;
}

/* What XML has no place for, and marks that turn or join what follows, beyond the name's end. */
static bool is_unseen(uint32_t point)
{
	return (point >= 0x80 && point <= 0x9f) || (point >= 0x200b && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f) ||
	       point == 0xfeff || (point & 0xfffe) == 0xfffe || point == 0x61c || point == 0xad;
}

void html_text(FILE *f, const char *s)
{
	char clean[2 * PATH_MAX];
	size_t len;

	text_utf8(s, clean, sizeof(clean));
	for (const char *c = clean; *c; c += len) {
		uint32_t point = decode(c, &len);

		if (entity(*c))
			fputs(entity(*c), f);
		else if (point < 0x20 || point == 0x7f)
			/* its picture, U+2400 to U+2421 */
			fprintf(f, "\342\220%c", (int)(0x80 + (point == 0x7f ? 0x21 : point)));
		else if (is_unseen(point))
			fputs(REPLACEMENT, f);
		else
			fwrite(c, 1, len, f);
	}
}

/* --- numbers -------------------------------------------------------------------------------------
 */

void html_whole(uint64_t v, bool negative, char *cell)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, v);

	if (negative)
		*cell++ = '-';
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*cell++ = ',';
		*cell++ = digits[i];
	}
	*cell = '\0';
}

/* No machine counts that far, but a file may say so. */
#define HUGE_NUMBER 1e18

static void put_rounded(double v, char *cell)
{
	if (fabs(v) >= HUGE_NUMBER)
		snprintf(cell, CELL, "%.3g", v);
	else
		html_whole((uint64_t)llround(fabs(v)), v < 0, cell);
}

void html_rate(double v, char *cell)
{
	double size = fabs(v);

	if (isnan(v))
		strcpy(cell, "n/a");
	else if (size >= 99.5)
		put_rounded(v, cell);
	else if (size >= 9.95 || size == 0)
		snprintf(cell, CELL, "%.*f", size == 0 ? 0 : 1, v);
	else if (size >= 0.095)
		snprintf(cell, CELL, "%.2f", v);
	else
		snprintf(cell, CELL, "%.1g", v);
}

void html_part(double v, bool known, char *cell)
{
	if (isnan(v))
		strcpy(cell, known ? "-" : "n/a");
	else
		snprintf(cell, CELL, "%.1f%%", 100 * v);
}

void html_ratio(const struct track *t, const struct counters *total, uint32_t known, char *cell)
{
	double n[PP_NR_COUNTERS];

	known = track_figures(t, total, known, n);
	html_part(recycle_ratio(n, known), ratio_known(known), cell);
}

void html_pages(double v, char *cell)
{
	if (isnan(v))
		strcpy(cell, "n/a");
	else
		put_rounded(v, cell);
}

void html_inflight(bool known, int64_t pages, char *cell)
{
	if (known)
		html_whole(pages < 0 ? -(uint64_t)pages : (uint64_t)pages, pages < 0, cell);
	else
		strcpy(cell, "n/a");
}

void html_bytes(uint64_t bytes, char *cell)
{
	static const char units[] = "KMGTPE";
	double v = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(cell, CELL, "%" PRIu64 " bytes", bytes);
		return;
	}
	for (; v >= 1023.95 && units[i + 1]; i++)
		v /= 1024;
	snprintf(cell, CELL, "%.1f %ciB", v, units[i]);
}

/* --- times ---------------------------------------------------------------------------------------
 */

static void put_time(const struct timespec *ts, const char *format, char *cell)
{
	struct tm tm;

	if (!ts->tv_sec || !gmtime_r(&ts->tv_sec, &tm) || !strftime(cell, CELL, format, &tm))
		strcpy(cell, "n/a");
}

void html_time(const struct timespec *ts, char *cell)
{
	put_time(ts, "%Y-%m-%d %H:%M:%S", cell);
}

void html_clock(const struct timespec *ts, double span_s, char *cell)
{
	put_time(ts, span_s < 86400 ? "%H:%M:%S" : "%m-%d %H:%M", cell);
}

/* --- elements ------------------------------------------------------------------------------------
 */

void html_fact(FILE *f, const char *term, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(f, "<div><dt>%s</dt><dd>", term);
	html_text(f, text);
	fputs("</dd></div>\n", f);
}

void html_device(FILE *f, const struct model_device *d)
{
	html_text(f, d->others ? "(others)" : d->ifname[0] ? d->ifname : "no device");
}

void html_netns(FILE *f, uint32_t netns, const char *name)
{
	if (name[0])
		html_text(f, name);
	else if (netns)
		fprintf(f, "%" PRIu32, netns);
	else
		fputs("-", f);
}
