/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text: names made safe, numbers made short, widths in screen columns. */
#ifndef PPOOLTOP_TEXT_H
#define PPOOLTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define CELL 128 /* bytes of a cell's text, its end included */

/* @s as it may go to a terminal: what is no printable character becomes '?'. At most CELL bytes. */
void text_safe(const char *s, char *cell);

/*
 * @s as UTF-8, at most @size bytes with its end: a name may hold any byte but '/' and space
 * (dev_valid_name()), and a byte that is part of no character becomes the character of that number.
 * Control characters stay. Returns the length.
 */
size_t text_utf8(const char *s, char *out, size_t size);

/* Are the @len bytes of @s UTF-8? What follows them must be no part of a character. */
bool text_is_utf8(const char *s, size_t len);

/* Four digits or less before the unit: 9999, 10.0K, 12.3M */
void text_human(double v, double unit, char *cell);

/* Screen columns that @s takes. */
int text_width(const char *s);

/* As much of @s as fits @width columns: its bytes, and in *@taken its columns. */
size_t text_measure(const char *s, int width, int *taken);

/* The same without its columns. */
size_t text_fit(const char *s, int width);

/* Characters to draw with, by what the locale can show. */
struct glyphs {
	bool utf8;
	const char *bars[9];   /* a column filled from below, by eighths */
	const char *parts[9];  /* a row filled from the left, by eighths */
	const char *shades[4]; /* full to light, told apart without colour */
	const char *open, *closed, *rising, *falling, *ellipsis, *none;
};

extern const struct glyphs glyphs_utf8, glyphs_ascii;

/* Those for LC_CTYPE as it is now. */
const struct glyphs *glyphs_of_locale(void);

/* @part (0 to 1) of @width columns filled, framed: "[###   ]". At most 30. */
void text_bar(const struct glyphs *g, double part, int width, char *cell);

/* The bar for @v of @max, "" to full, one column wide; NAN is glyphs.none. */
const char *text_spark(const struct glyphs *g, double v, double max);

#endif /* PPOOLTOP_TEXT_H */
