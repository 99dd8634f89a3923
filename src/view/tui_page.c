// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tui_draw.h"

void page_line(struct page *p)
{
	struct page_line *lines = realloc(p->lines, ((size_t)p->nr + 1) * sizeof(*lines));

	if (!lines) {
		p->failed = true;
		return;
	}
	p->lines = lines;
	memset(&lines[p->nr++], 0, sizeof(*lines));
}

void page_add(struct page *p, enum style style, const char *fmt, ...)
{
	struct page_line *l = p->nr ? &p->lines[p->nr - 1] : NULL;
	char *more = NULL, *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&more, fmt, ap);
	va_end(ap);
	text = len < 0 || !l ? NULL : realloc(l->text, l->len + (size_t)len + 1);
	if (!text) {
		p->failed = true;
		goto out;
	}
	l->text = text;
	/* Where there is no room for another, it is part of the last. */
	if (l->nr < PAGE_SPANS && !(l->nr && l->spans[l->nr - 1].style == style))
		l->spans[l->nr++] = (struct span){style, l->len};
	memcpy(text + l->len, more, (size_t)len + 1);
	l->len += (size_t)len;
out:
	free(len < 0 ? NULL : more);
}

void page_wrap(struct page *p, enum style style, int indent, int width, const char *text)
{
	if (width < indent + 10)
		width = indent + 10;
	while (*text) {
		size_t len = text_fit(text, width - indent);

		if (text[len]) {
			size_t space = len;

			while (space && text[space] != ' ')
				space--;
			len = space ? space : len;
		}
		page_line(p);
		page_add(p, style, "%*s%.*s", indent, "", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
}

void page_free(struct page *p)
{
	for (int i = 0; i < p->nr; i++)
		free(p->lines[i].text);
	free(p->lines);
	memset(p, 0, sizeof(*p));
}
