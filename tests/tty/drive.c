// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a program on a terminal of its own, does to it what people and terminals do, and looks at
 * what it leaves behind: see usage(). Exit 0: all was as it should be.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#define PATIENCE_S 30 /* of somebody on a slow machine */

static int master, slave;
static pid_t child;
static struct termios before;
static char *output; /* all there was */
static size_t output_len, output_cap;

static void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (child > 0)
		kill(child, SIGKILL);
	exit(1);
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int status; /* of the child, once it has ended */

static bool has_ended(void)
{
	if (child > 0 && waitpid(child, &status, WNOHANG) == child)
		child = 0;
	return !child;
}

/* --- the terminal ------------------------------------------------------------------------------
 */

/* Read what there is, for at most @ms if there is nothing. false: nothing came. */
static bool drain(int ms)
{
	struct pollfd fd = {.fd = master, .events = POLLIN};
	bool any = false;

	while (poll(&fd, 1, any ? 0 : ms) > 0) {
		ssize_t n;

		if (output_cap - output_len < 65537) {
			output_cap += 1 << 20;
			output = realloc(output, output_cap);
			if (!output)
				fail("memory is out");
		}
		n = read(master, output + output_len, 65536);
		if (n <= 0)
			return any;
		output_len += (size_t)n;
		output[output_len] = '\0';
		any = true;
	}
	return any;
}

/* What is typed to somebody who is gone is lost. */
static void type(const char *keys, size_t len)
{
	double end = now_s() + PATIENCE_S;

	while (len && !has_ended()) {
		ssize_t n = write(master, keys, len);

		if ((n < 0 && errno != EAGAIN) || now_s() > end)
			fail("the terminal took no keys: %s", strerror(errno));
		if (n > 0) {
			keys += n;
			len -= (size_t)n;
		}
		drain(n > 0 ? 0 : 10);
	}
}

static void resize(unsigned int rows, unsigned int cols)
{
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	ioctl(master, TIOCSWINSZ, &ws);
}

static void start(char **argv)
{
	struct winsize ws = {.ws_row = 24, .ws_col = 80};

	output_len = 0;
	if (openpty(&master, &slave, NULL, NULL, &ws))
		fail("no terminal: %s", strerror(errno));
	tcgetattr(slave, &before);
	fcntl(master, F_SETFL, O_NONBLOCK);
	fcntl(master, F_SETFD, FD_CLOEXEC);
	child = fork();
	if (child < 0)
		fail("fork: %s", strerror(errno));
	if (!child) {
		close(master);
		login_tty(slave);
		/* As at a login: what runs in the background has SIGINT ignored. */
		signal(SIGINT, SIG_DFL);
		execvp(argv[0], argv);
		_exit(127);
	}
}

/* Until @text was written, or the program has ended. */
static void wait_for(const char *text)
{
	double end = now_s() + PATIENCE_S;

	while (!output || !memmem(output, output_len, text, strlen(text))) {
		if (now_s() > end)
			fail("\"%s\" was not to be seen", text);
		if (has_ended()) {
			drain(0);
			fail("ended before \"%s\" was to be seen:\n%.*s", text, (int)output_len,
			     output ? output : "");
		}
		drain(50);
	}
}

/* --- what is done to it ------------------------------------------------------------------------
 */

static uint32_t seed = 1;

static unsigned int some(unsigned int below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static const char *const sequences[] = {
	"\033[A",    "\033[B",
	"\033[C",    "\033[D",
	"\033OA",    "\033OB",
	"\033OC",    "\033OD",
	"\033[5~",   "\033[6~",
	"\033[H",    "\033[F",
	"\033OP",    "\033OQ",
	"\033OR",    "\033OS",
	"\033[17~",  "\033",
	"\r",	     "\t",
	" ",	     "\177",
	"\033[1;2C", "\033[1;2D",
	"\303\244",  "\360\237\230\200",
	"\303",	     "\033[<",
};

/* Any key but those that end the program, or stop it or its output. */
static void random_key(void)
{
	char mouse[16], c;

	switch (some(8)) {
	case 0:
	case 1:
	case 2: {
		const char *s = sequences[some(sizeof(sequences) / sizeof(sequences[0]))];

		type(s, strlen(s));
		return;
	}
	case 3: {
		int n = snprintf(mouse, sizeof(mouse), "\033[M%c%c%c", " `ab"[some(4)],
				 33 + (int)some(90), 33 + (int)some(60));

		type(mouse, (size_t)n);
		return;
	}
	default:
		do
			c = (char)(32 + some(224));
		while (c == 'q');
		type(&c, 1);
		return;
	}
}

/* Until the program has read what was typed: it shall meet each event by itself. */
static void let_read(void)
{
	double end = now_s() + PATIENCE_S;
	int unread;

	do {
		/* It takes a moment from one end of a terminal to the other. */
		usleep(500);
		drain(0);
		if (now_s() > end)
			fail("it reads no keys any more");
	} while (!has_ended() && !ioctl(slave, FIONREAD, &unread) && unread);
}

/* A click may hit the button that quits: that is an end like any other. false: it was. */
static bool random_event(void)
{
	if (some(10))
		random_key();
	else
		resize(some(4) ? 1 + some(60) : 1 + some(3), some(4) ? 1 + some(200) : 1 + some(3));
	drain(0);
	let_read();
	if (!has_ended())
		return true;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail("ended by itself, status %#x", status);
	return false;
}

/* A key that is answered: all before it have been. */
static void settle(void)
{
	while (drain(200))
		;
}

/* --- what it leaves behind ---------------------------------------------------------------------
 */

static const char *last_of(const char *what)
{
	const char *last = NULL, *s = output;

	while (s && (s = memmem(s, (size_t)(output + output_len - s), what, strlen(what)))) {
		last = s;
		s += strlen(what);
	}
	return last;
}

static void check_pair(const char *on, const char *off, const char *what)
{
	const char *begun = last_of(on), *ended = last_of(off);

	if (begun && (!ended || ended < begun))
		fail("%s was not put back", what);
}

static void check_terminal(void)
{
	struct termios after;

	drain(100);
	if (tcgetattr(slave, &after))
		fail("tcgetattr: %s", strerror(errno));
	if (after.c_iflag != before.c_iflag || after.c_oflag != before.c_oflag ||
	    after.c_cflag != before.c_cflag || after.c_lflag != before.c_lflag ||
	    memcmp(after.c_cc, before.c_cc, sizeof(after.c_cc)) != 0)
		fail("the terminal's modes are not as before");
	check_pair("\033[?25l", "\033[?25h", "the cursor");
	check_pair("\033[?1049h", "\033[?1049l", "the screen");
	check_pair("1000h", "1000l", "the mouse");
}

struct end {
	const char *name;
	const char *keys; /* typed, or */
	int sig;	  /* sent, or */
	bool hangup;
	bool again; /* and again, which may end it sooner */
	int status; /* exit code, or 128 and the signal */
};

static const struct end ends[] = {
	{.name = "quit", .keys = "\033[21~"},
	{.name = "int", .keys = "\003"},
	{.name = "again", .sig = SIGTERM, .again = true},
	{.name = "term", .sig = SIGTERM},
	{.name = "hup", .sig = SIGHUP},
	{.name = "gone", .hangup = true},
	{.name = "segv", .sig = SIGSEGV, .status = 128 + SIGSEGV},
	{.name = "abort", .sig = SIGABRT, .status = 128 + SIGABRT},
	{.name = "core", .keys = "\034", .status = 128 + SIGQUIT},
	{.name = "itself"},
};

static const struct end *find_end(const char *name)
{
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(ends[i].name, name))
			return &ends[i];
	fail("no end is called %s", name);
}

static double cpu_s(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

/* End it that way, and wait. Prints how long that took. */
static void finish(const struct end *e, bool deaf)
{
	double begin = now_s();
	struct rusage usage;
	int code;

	if (e->keys)
		type(e->keys, strlen(e->keys));
	else if (e->sig)
		kill(child, e->sig);
	else if (e->hangup)
		close(master);
	while (!waitpid(child, &status, WNOHANG)) {
		if (now_s() > begin + PATIENCE_S)
			fail("%s: it did not end", e->name);
		if (e->again)
			kill(child, e->sig);
		if (e->again)
			drain(0);
		else if (deaf || e->hangup)
			usleep(10000);
		else
			drain(10);
	}
	child = 0;
	getrusage(RUSAGE_CHILDREN, &usage);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	printf("ended in %.2f s, %.2f s of CPU in all, code %d\n", now_s() - begin, cpu_s(&usage),
	       code);
	if (code != e->status && !(e->again && code == 128 + e->sig))
		fail("%s: code %d, not %d", e->name, code, e->status);
	if (!e->hangup)
		check_terminal();
}

/* Ctrl-Z gives the terminal back, and takes it again when a shell, which PROGRAM is then, says so.
 */
static void suspend(void)
{
	output_len = 0;
	type("\032", 1);
	wait_for("\033[?1049l");
	wait_for("\033[?25h");
	wait_for("\033[?1049h");
	wait_for("\033[?25l");
}

static int agains;

static void again(char **argv, const char *text)
{
	check_terminal();
	close(master);
	close(slave);
	start(argv);
	if (text)
		wait_for(text);
	agains++;
}

static void usage(void)
{
	fputs("usage: drive [OPTIONS] PROGRAM ARGUMENT...\n"
	      "  -w TEXT  wait until it has written that, before all else\n"
	      "  -n N     then N random keys and sizes (-s SEED)\n"
	      "  -z       then Ctrl-Z, after which a shell has to do fg\n"
	      "  -S       then Ctrl-S: its output stops\n"
	      "  -d       then read no more of what it writes\n"
	      "  -t S     then wait S seconds\n"
	      "  -e END   then end it: quit, int, again, term, hup, gone, segv, abort, core, or\n"
	      "           itself: wait until it does\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	bool stop = false, deaf = false, pause = false;
	const char *text = NULL;
	const struct end *e = &ends[0];
	double seconds = 0;
	long events = 0;
	int opt;

	/* Those of the program are its own. */
	while ((opt = getopt(argc, argv, "+w:n:s:zSdt:e:")) != -1) {
		switch (opt) {
		case 'w':
			text = optarg;
			break;
		case 'n':
			events = strtol(optarg, NULL, 10);
			break;
		case 's':
			seed = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'z':
			stop = true;
			break;
		case 'S':
			pause = true;
			break;
		case 'd':
			deaf = true;
			break;
		case 't':
			seconds = strtod(optarg, NULL);
			break;
		case 'e':
			e = find_end(optarg);
			break;
		default:
			usage();
		}
	}
	if (optind == argc)
		usage();
	signal(SIGPIPE, SIG_IGN);
	start(argv + optind);
	if (text)
		wait_for(text);
	for (long i = 0; i < events; i++)
		if (!random_event())
			again(argv + optind, text);
	settle();
	if (has_ended())
		again(argv + optind, text);
	if (events)
		printf("%ld events, %d of them ends\n", events, agains);
	if (stop)
		suspend();
	if (pause)
		type("\023", 1);
	for (double end = now_s() + seconds; now_s() < end;)
		deaf ? (void)usleep(10000) : (void)drain(10);
	finish(e, deaf);
	return 0;
}
