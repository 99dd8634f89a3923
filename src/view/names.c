// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "names.h"

/* Bytes of the character that begins here, of @left there are; 0: it is no UTF-8 (RFC 3629). */
static size_t character(const char *s, size_t left)
{
	unsigned char c = (unsigned char)*s;
	size_t len = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
	unsigned char next = len > 1 && left > 1 ? (unsigned char)s[1] : 0;

	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	/* too long, a surrogate, or beyond Unicode */
	if (c > 0xf4 || (c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ||
	    (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f))
		return 0;
	return len;
}

bool name_is_utf8(const char *s, size_t len)
{
	while (len) {
		size_t bytes = character(s, len);

		if (!bytes)
			return false;
		s += bytes;
		len -= bytes;
	}
	return true;
}

size_t name_utf8(const char *s, char *to, size_t len)
{
	size_t n = 0;

	while (*s && n + 4 < len) {
		size_t bytes = character(s, SIZE_MAX); /* the end is no part of one */
		unsigned char c = (unsigned char)*s;

		if (bytes) {
			memcpy(to + n, s, bytes);
			n += bytes;
			s += bytes;
			continue;
		}
		to[n++] = (char)(0xc0 | c >> 6);
		to[n++] = (char)(0x80 | (c & 0x3f));
		s++;
	}
	to[n] = '\0';
	return n;
}

void name_netns(uint32_t inode, const char *name, char *to)
{
	to[0] = '\0';
	if (name[0])
		snprintf(to, NETNS_LEN, "%s", name);
	else if (inode)
		snprintf(to, NETNS_LEN, "%" PRIu32, inode);
}

void name_pool(const struct pool *p, char *to)
{
	if (p->has & POOL_HAS_ADDRESS)
		snprintf(to, POOL_KEY_LEN, "%" PRIx64 ".%" PRIu32, p->address, p->generation / 2);
	else
		snprintf(to, POOL_KEY_LEN, "id%" PRIu32, p->id);
}
