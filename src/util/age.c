// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "util.h"

/* @n of @unit and what is left of it, as @rest of the next smaller unit; a rest of 0 is not said.
 */
static void put(char *text, size_t len, double n, const char *unit, double rest,
		const char *smaller)
{
	if (rest > 0)
		snprintf(text, len, "%.0f %s %.0f %s", n, unit, rest, smaller);
	else
		snprintf(text, len, "%.0f %s", n, unit);
}

void age_text(double seconds, char *text, size_t len)
{
	/* Rounded before it is taken apart: 59.6 min is 1 h, not 60 min. */
	double s = round(fmax(seconds, 0)), min = round(s / 60), h = round(s / 3600);

	if (isnan(seconds))
		snprintf(text, len, "n/a");
	else if (s < 60)
		put(text, len, s, "s", 0, "");
	else if (min < 60)
		put(text, len, min, "min", 0, "");
	else if (min < 24 * 60)
		put(text, len, floor(min / 60), "h", fmod(min, 60), "min");
	else
		put(text, len, floor(h / 24), "d", fmod(h, 24), "h");
}
