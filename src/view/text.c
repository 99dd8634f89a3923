// SPDX-License-Identifier: GPL-2.0-or-later
#include <langinfo.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "text.h"

const struct glyphs glyphs_utf8 = {
	.utf8 = true,
	.bars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	.parts = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	.shades = {"█", "▓", "▒", "░"},
	.open = "▾",
	.closed = "▸",
	.rising = "▲",
	.falling = "▼",
	.ellipsis = "…",
	.none = "·",
};

const struct glyphs glyphs_ascii = {
	.bars = {" ", "_", "_", ".", ".", "-", "=", "+", "#"},
	.parts = {" ", " ", " ", " ", "-", "-", "-", "=", "#"},
	.shades = {"#", "=", "-", "."},
	.open = "-",
	.closed = "+",
	.rising = "^",
	.falling = "v",
	.ellipsis = "~",
	.none = " ",
};

const struct glyphs *glyphs_of_locale(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0 ? &glyphs_ascii : &glyphs_utf8;
}

/* Marks that change the direction or the joining of what follows: they would reach beyond a cell.
 */
static bool is_directive(wchar_t w)
{
	return (w >= 0x200b && w <= 0x200f) || (w >= 0x2028 && w <= 0x202e) ||
	       (w >= 0x2060 && w <= 0x206f) || w == 0xfeff;
}

/* The character at @s, and in @w what it is: its length, or 0 for what is none. */
static size_t next_char(const char *s, wchar_t *w)
{
	mbstate_t state;
	size_t n;

	memset(&state, 0, sizeof(state));
	n = mbrtowc(w, s, MB_LEN_MAX, &state);
	return n == (size_t)-1 || n == (size_t)-2 ? 0 : n;
}

void text_safe(const char *s, char *cell)
{
	size_t len = 0;

	while (*s && len < CELL - MB_LEN_MAX - 1) {
		wchar_t w;
		size_t n = next_char(s, &w);

		if (!n || !iswprint((wint_t)w) || is_directive(w)) {
			cell[len++] = '?';
			s += n ? n : 1;
			continue;
		}
		memcpy(cell + len, s, n);
		len += n;
		s += n;
	}
	cell[len] = '\0';
}

/* Bytes of the character at @s, or 0 if that is no UTF-8: RFC 3629, table of section 4. */
static size_t utf8_length(const char *s)
{
	unsigned char c = (unsigned char)*s, next;
	size_t len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;

	for (size_t i = 1; i < len; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	next = len > 1 ? (unsigned char)s[1] : 0;
	if (c > 0xf4 || (c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ||
	    (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f))
		return 0;
	return len;
}

size_t text_utf8(const char *s, char *out, size_t size)
{
	size_t n = 0;

	while (*s && n + 4 < size) {
		size_t len = utf8_length(s);

		if (!len) {
			out[n++] = (char)(0xc0 | (unsigned char)*s >> 6);
			out[n++] = (char)(0x80 | (*s++ & 0x3f));
			continue;
		}
		memcpy(out + n, s, len);
		n += len;
		s += len;
	}
	out[n] = '\0';
	return n;
}

bool text_is_utf8(const char *s, size_t len)
{
	for (const char *end = s + len; s < end;) {
		size_t bytes = (unsigned char)*s < 0x80 ? 1 : utf8_length(s);

		if (!bytes)
			return false;
		s += bytes;
	}
	return true;
}

void text_human(double v, double unit, char *cell)
{
	const char *u = "\0KMGTPE";

	while (fabs(v) >= (*u ? 999.95 : 9999.5) && u[1]) {
		v /= unit;
		u++;
	}
	if (*u)
		snprintf(cell, CELL, "%.1f%c", v, *u);
	else
		snprintf(cell, CELL, "%.0f", v);
}

size_t text_measure(const char *s, int width, int *taken)
{
	size_t len = 0;

	*taken = 0;
	while (s[len]) {
		wchar_t w;
		size_t n = next_char(s + len, &w);
		int columns = n ? wcwidth(w) : 1;

		if (columns < 0)
			columns = 1;
		if (*taken + columns > width)
			break;
		*taken += columns;
		len += n ? n : 1;
	}
	return len;
}

int text_width(const char *s)
{
	int taken;

	text_measure(s, INT_MAX, &taken);
	return taken;
}

size_t text_fit(const char *s, int width)
{
	int taken;

	return text_measure(s, width, &taken);
}

void text_bar(const struct glyphs *g, double part, int width, char *cell)
{
	int eighths = (int)lround(part * width * 8);

	if (eighths > width * 8)
		eighths = width * 8;
	*cell++ = '[';
	for (int i = 0; i < width; i++) {
		int left = eighths - 8 * i;
		const char *glyph = g->parts[left <= 0 ? 0 : left >= 8 ? 8 : left];

		cell = stpcpy(cell, glyph);
	}
	strcpy(cell, "]");
}

const char *text_spark(const struct glyphs *g, double v, double max)
{
	int eighths;

	if (isnan(v))
		return g->none;
	if (!(v > 0) || !(max > 0))
		return g->bars[0];
	eighths = (int)lround(8 * v / max);
	/* A little is not nothing. */
	return g->bars[eighths < 1 ? 1 : eighths > 8 ? 8 : eighths];
}
