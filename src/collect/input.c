// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "document.h"
#include "input.h"
#include "stream.h"
#include "util.h"

#define FIRST_NS 1000000000ULL /* the clock of a recording starts here: 0 would be no reading */

struct input {
	int fd;
	struct stream *stream;
	const char *name; /* for messages */
	FILE *notes;
	json_tokener *tok;
	char buf[65536];
	size_t len, pos;
	long line;	 /* where pos is */
	bool nowait;	 /* -EAGAIN rather than wait for more */
	bool within;	 /* a document that began, but is not all there yet */
	long began;	 /* where the document begins that is read */
	bool has_before; /* what was before the first document was handed out */
	struct json_object *first;
	struct timespec time; /* of the last document */
	uint64_t mono_ns;
};

static int refuse(struct input *in, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct input *in, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (in->notes)
		fprintf(in->notes, "ppooltop: %s: %s\n", in->name, text);
	return -EBADMSG;
}

/* More bytes, as many as there are by now. 1; 0 at the end or when it is time to stop; -EBADMSG */
static int fill(struct input *in)
{
	const char *why = NULL;
	int n = stream_read(in->stream, in->buf, sizeof(in->buf), in->nowait, &why);

	if (n == -EAGAIN || n == -ENOMEM)
		return n;
	if (why)
		return refuse(in, "line %ld: damaged: %s", in->line, why);
	if (n < 0)
		return refuse(in, "%s", strerror(-n));
	in->len = (size_t)n;
	in->pos = 0;
	return n > 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void advance(struct input *in, size_t n)
{
	for (size_t end = in->pos + n; in->pos < end; in->pos++)
		if (in->buf[in->pos] == '\n')
			in->line++;
}

/* To where the next document begins; as fill(). */
static int skip_space(struct input *in)
{
	int more = 1;

	while (more > 0) {
		while (in->pos < in->len && is_space(in->buf[in->pos]))
			advance(in, 1);
		if (in->pos < in->len)
			break;
		more = fill(in);
	}
	return more;
}

/*
 * The next document, whole, to be put by the caller. -ENODATA: there is none; one that ends before
 * its time was being written when the recording ended.
 */
static int next_document(struct input *in, struct json_object **doc)
{
	enum json_tokener_error err = json_tokener_continue;
	int more = in->within ? fill(in) : skip_space(in);

	*doc = NULL;
	if (!in->within) {
		in->began = in->line;
		json_tokener_reset(in->tok);
	}
	in->within = in->within || more > 0;
	while (more > 0) {
		*doc = json_tokener_parse_ex(in->tok, in->buf + in->pos, (int)(in->len - in->pos));
		err = json_tokener_get_error(in->tok);
		advance(in, json_tokener_get_parse_end(in->tok));
		if (err != json_tokener_continue)
			break;
		more = fill(in);
	}
	in->within = in->within && more == -EAGAIN;
	if (more < 0)
		return more;
	if (!more)
		return -ENODATA;
	if (err != json_tokener_success)
		return refuse(in, "line %ld: no JSON: %s", in->line, json_tokener_error_desc(err));
	if (!*doc)
		return refuse(in, "line %ld: this is no document of ppooltop dump", in->began);
	return 0;
}

static int open_first(struct input *in, const char *file)
{
	int err;

	in->fd = strcmp(file, "-") != 0 ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0)
		return refuse(in, "%s", strerror(errno));
	in->stream = stream_new(in->fd);
	if (!in->stream)
		return -ENOMEM;
	err = next_document(in, &in->first);
	if (err == -ENODATA)
		return refuse(in, "there is no whole document in it; ppooltop dump writes them");
	return err;
}

int input_open(struct input **out, const char *file, FILE *notes)
{
	struct input *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return -ENOMEM;
	in->fd = -1;
	in->name = strcmp(file, "-") != 0 ? file : "standard input";
	in->notes = notes;
	in->line = 1;
	in->tok = json_tokener_new();
	if (!in->tok) {
		input_close(in);
		return -ENOMEM;
	}
	json_tokener_set_flags(in->tok, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
	err = open_first(in, file);
	if (err) {
		input_close(in);
		return err == -EBADMSG ? -ENOTSUP : err;
	}
	*out = in;
	return 0;
}

static int read_document(struct input *in, struct json_object *doc, double back_s,
			 struct snapshot *s)
{
	char why[128];
	int err = document_read(doc, back_s, s, why, sizeof(why));

	if (err == -EBADMSG)
		return refuse(in, "line %ld: %s", in->began, why);
	return err;
}

static int read_before(struct input *in, struct snapshot *s)
{
	double interval_s = document_interval(in->first);
	int err = read_document(in, in->first, isnan(interval_s) ? 0 : interval_s, s);

	if (err)
		return err;
	in->has_before = true;
	in->mono_ns = FIRST_NS;
	if (isnan(interval_s))
		snapshot_clear(s);
	else
		s->mono_ns = FIRST_NS;
	return 0;
}

/*
 * Nanoseconds from the last document to this one. interval_s is more exact than the times, but not
 * of these two documents if some between them were left out.
 */
static uint64_t step(const struct input *in, const struct snapshot *s, double interval_s)
{
	double between = (double)(s->time.tv_sec - in->time.tv_sec) +
			 (double)(s->time.tv_nsec - in->time.tv_nsec) / 1e9;

	if (!in->time.tv_sec || !s->time.tv_sec || !(between > 0))
		between = interval_s;
	if (fabs(between - interval_s) <= fmax(0.02, 0.01 * interval_s))
		between = interval_s;
	/* more than years: two recordings in one file, or no time at all */
	return between > 0 && between < 1e9 ? (uint64_t)llround(between * 1e9) : 0;
}

int input_read(struct input *in, struct snapshot *s)
{
	struct json_object *doc = in->first;
	int err;

	if (!in->has_before)
		return read_before(in, s);
	in->first = NULL;
	if (!doc) {
		err = next_document(in, &doc);
		if (err)
			return err;
	}
	err = read_document(in, doc, 0, s);
	if (!err) {
		in->mono_ns += step(in, s, document_interval(doc));
		s->mono_ns = in->mono_ns;
		in->time = s->time;
	}
	json_object_put(doc);
	return err;
}

void input_nowait(struct input *in)
{
	in->nowait = true;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	stream_free(in->stream);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	if (in->tok)
		json_tokener_free(in->tok);
	json_object_put(in->first);
	free(in);
}
