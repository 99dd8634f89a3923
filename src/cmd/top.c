// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "tui.h"
#include "tui_term.h"
#include "util.h"
#include "view.h"

struct top {
	struct session session;
	struct tui tui;
	uint64_t last, next; /* CLOCK_MONOTONIC of the last reading, and when the next is due */
	long read;	     /* models so far */
	int err;	     /* of reading */
};

#define NEVER UINT64_MAX

/* --- saving ---------------------------------------------------------------------------------- */

/* Open a file of that name for writing or, if there is one, of that name and a number. */
static int open_new(char *path, size_t len)
{
	size_t stem = strlen(path) - strlen(".jsonl");
	int fd = -1;

	for (int n = 2; fd < 0 && n < 1000; n++) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd < 0 && errno != EEXIST)
			break;
		if (fd < 0)
			snprintf(path + stem, len - stem, "-%d.jsonl", n);
	}
	return fd < 0 ? -errno : fd;
}

static int write_snapshot(const struct model *m, int fd)
{
	FILE *f = fdopen(fd, "w");
	int err;

	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	err = view_json(f, m, false);
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

/* Named by its time; what is there already stays as it is. */
static void save(struct tui *t)
{
	char path[64] = "ppooltop.jsonl";
	struct tm tm;
	int fd, err;

	t->save = false;
	if (gmtime_r(&t->m->now.time.tv_sec, &tm))
		strftime(path, sizeof(path) - 8, "ppooltop-%Y%m%dT%H%M%SZ.jsonl", &tm);
	fd = open_new(path, sizeof(path));
	err = fd < 0 ? fd : write_snapshot(t->m, fd);
	if (err && fd >= 0)
		unlink(path);
	if (err)
		tui_note(t, "not saved: %s: %s", path, strerror(-err));
	else
		tui_note(t, "saved: %s", path);
}

/* --- the loop -------------------------------------------------------------------------------- */

static uint64_t interval_ns(const struct top *top)
{
	return (uint64_t)(top->tui.interval_s * 1e9);
}

static void read_next(struct top *top)
{
	struct tui *t = &top->tui;
	uint64_t now = now_ns();

	top->err = session_read(&top->session);
	if (top->err == -EAGAIN) { /* a pipe: the next document is not there yet */
		top->err = 0;
		top->next = now + 50000000;
		return;
	}
	if (top->err == -ENODATA) {
		t->ended = true;
		t->next = false;
		top->next = NEVER;
		return;
	}
	if (top->err)
		return;
	tui_update(t, &top->session.m);
	top->read++;
	/* No drift; and no burst to catch up after a stop. */
	top->last = top->next + interval_ns(top) > now ? top->next : now;
	top->next = top->last + interval_ns(top);
}

/* A recording stands still while paused; the kernel does not. */
static bool is_due(const struct top *top)
{
	const struct tui *t = &top->tui;

	if (t->recorded && t->paused)
		return t->next && !t->ended;
	return now_ns() >= top->next;
}

static uint64_t deadline(const struct top *top)
{
	const struct tui *t = &top->tui;

	return t->recorded && t->paused && !(t->next && !t->ended) ? NEVER : top->next;
}

static void handle_events(struct tui *t)
{
	struct term_event e;

	while (!t->quit && term_event(&e)) {
		if (e.key)
			tui_key(t, e.key);
		else
			tui_click(t, e.y, e.x);
	}
}

static void handle_resize(struct tui *t)
{
	int rows, cols;

	term_size(&rows, &cols);
	tui_resize(t, rows, cols);
}

static void take_messages(struct tui *t)
{
	char line[TUI_NOTE];

	while (term_message(line, sizeof(line)))
		tui_note(t, "%s", line);
}

/* The first reading is where the first interval begins; a recording has no such. */
static bool is_counted_out(const struct top *top)
{
	const struct tui *t = &top->tui;

	return top->session.opts->count &&
	       (t->ended || top->read >= top->session.opts->count + !t->recorded);
}

/* Wait for what comes first, and do it. false: the end. */
static bool turn(struct top *top)
{
	struct tui *t = &top->tui;
	double interval_s = t->interval_s;
	unsigned int what = term_wait(deadline(top));

	if (what & TERM_GONE)
		return false;
	if (what & TERM_SUSPEND)
		term_suspend();
	if (what & TERM_RESIZED)
		handle_resize(t);
	if (what & TERM_INPUT)
		handle_events(t);
	if (interval_s != t->interval_s && !t->ended)
		top->next = top->last + interval_ns(top);
	if (t->quit || stopped())
		return false;
	if (is_due(top)) {
		read_next(top);
		what |= TERM_INPUT;
	}
	if (t->save)
		save(t);
	if (top->err && top->err != -ENODATA)
		return false;
	if (what) {
		take_messages(t);
		tui_draw(t);
	}
	return !is_counted_out(top);
}

static void run(struct top *top)
{
	handle_resize(&top->tui);
	/* What was before the first interval of a recording is no part of it. */
	if (top->tui.recorded)
		top->err = session_read(&top->session);
	top->next = now_ns();
	if (!top->err)
		read_next(top);
	if (!top->err)
		tui_draw(&top->tui);
	while ((!top->err || top->err == -ENODATA) && turn(top))
		;
}

/* --- before and after ------------------------------------------------------------------------ */

static void note(void *arg, const char *text)
{
	tui_note(arg, "%s", text);
}

/* Each line of @text is said now, where it can be read later, and is kept for the help page. */
static void tell(struct tui *t, char *text)
{
	char *save = NULL;

	fputs(text, stderr);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		tui_keep(t, line);
}

static int open_sources(struct top *top, struct options *opts)
{
	char *text = NULL;
	size_t len = 0;
	/* A recording has things to say later on as well, when this stream is closed. */
	FILE *notes = opts->input ? NULL : open_memstream(&text, &len);
	int code = session_open(&top->session, opts, notes ? notes : stderr);

	if (notes)
		fclose(notes);
	if (text)
		tell(&top->tui, text);
	free(text);
	return code;
}

static void configure(struct top *top, const struct options *opts)
{
	struct tui *t = &top->tui;
	const struct config_notes notes = {note, t};

	config_load(&t->config, &notes);
	if (opts->sort) {
		t->config.sort = column_find(opts->sort);
		t->config.inverted = false;
	}
	t->cpus_open = opts->per_cpu;
	t->recorded = opts->input;
	collect_nowait(top->session.c);
}

static void keep_config(const struct tui *t)
{
	int err = t->config_changed ? config_save(&t->config) : 0;

	if (err)
		complain("toprc was not written: %s", strerror(-err));
}

static int top_screen(struct top *top, struct options *opts)
{
	int code, err;

	stop_on_signals();
	code = open_sources(top, opts);
	if (code >= 0)
		return code;
	configure(top, opts);
	err = term_open(opts->color);
	if (err) {
		complain("the terminal cannot be used: %s", strerror(-err));
		session_close(&top->session, 0, 0);
		return EXIT_FAILED;
	}
	run(top);
	term_close();
	keep_config(&top->tui);
	return session_close(&top->session, top->err, 0);
}

int top_run(struct options *opts)
{
	struct top *top;
	char why[80];
	int code;

	if (!isatty(STDOUT_FILENO))
		return show_run(opts);
	if (!term_usable(why, sizeof(why))) {
		complain("%s, so this is what ppooltop show prints", why);
		return show_run(opts);
	}
	top = calloc(1, sizeof(*top));
	if (!top || tui_init(&top->tui, glyphs_of_locale(), opts->interval_s)) {
		free(top);
		complain("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	code = top_screen(top, opts);
	tui_free(&top->tui);
	free(top);
	return code;
}

int top_main(int argc, char **argv)
{
	struct options opts;
	int code;

	code = options_parse(&opts, argc, argv);
	return code >= 0 ? code : top_run(&opts);
}
