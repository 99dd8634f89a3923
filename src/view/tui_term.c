// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "text.h"
#include "tui.h"
#include "tui_term.h"
#include "util.h"

/* After all else: term.h has macros for everything, "columns" among them. */
#include <curses.h>
#include <term.h>

static struct {
	bool open;
	SCREEN *screen;
	WINDOW *keys; /* a pad: to read keys from anything else would draw first, and block */
	FILE *in;
	int in_fd, out_fd;
	struct termios saved;
	sigset_t mask;	   /* as it was */
	bool waiting;	   /* for the terminal to take more */
	char restore[256]; /* what puts it back, for whoever cannot call curses any more */
	size_t restore_len;
	int stderr_fd;	/* the real one, or -1: it was left alone */
	int message_fd; /* what stands in for it */
	off_t messages; /* bytes that were asked for */
} term = {.stderr_fd = -1, .message_fd = -1};

static volatile sig_atomic_t resized, suspended, stalled;

/* --- colours -------------------------------------------------------------------------------------
 */

/* Of the eight that every terminal with colours has; attributes say it where there are none. */
static const struct {
	short color; /* -1: the usual */
	attr_t attr;
} styles[STYLE_NR] = {
	[STYLE_NORMAL] = {-1, A_NORMAL},
	[STYLE_DIM] = {-1, A_DIM},
	[STYLE_GOOD] = {COLOR_GREEN, A_NORMAL},
	[STYLE_WARN] = {COLOR_YELLOW, A_NORMAL},
	[STYLE_BAD] = {COLOR_RED, A_BOLD},
	[STYLE_STRONG] = {-1, A_BOLD},
	[STYLE_TITLE] = {-1, A_REVERSE},
	[STYLE_SORTED] = {-1, A_REVERSE | A_BOLD},
	[STYLE_SELECTED] = {-1, A_REVERSE},
	[STYLE_BUTTON] = {-1, A_REVERSE},
	[STYLE_FAST] = {COLOR_GREEN, A_NORMAL},
	[STYLE_REFILL] = {COLOR_CYAN, A_NORMAL},
	[STYLE_SLOW] = {COLOR_YELLOW, A_NORMAL},
	[STYLE_SLOW_HIGH_ORDER] = {COLOR_MAGENTA, A_NORMAL},
};

enum style style_of_mark(enum mark mark)
{
	static const enum style of[] = {
		[MARK_NONE] = STYLE_NORMAL, [MARK_GOOD] = STYLE_GOOD, [MARK_WARN] = STYLE_WARN,
		[MARK_BAD] = STYLE_BAD,	    [MARK_DIM] = STYLE_DIM,
	};

	return of[mark];
}

/* https://no-color.org: set and not empty */
static bool wants_color(enum color color)
{
	const char *no = getenv("NO_COLOR");

	return color == COLOR_ALWAYS || (color == COLOR_AUTO && !(no && *no));
}

static bool colored;

static void open_colors(enum color color)
{
	colored = wants_color(color) && has_colors() && start_color() != ERR;
	if (!colored)
		return;
	use_default_colors();
	for (int i = 0; i < STYLE_NR; i++)
		if (styles[i].color >= 0)
			init_pair((short)(i + 1), styles[i].color, -1);
}

static void set_style(enum style style)
{
	short pair = colored && styles[style].color >= 0 ? (short)(style + 1) : 0;

	attr_set(styles[style].attr, pair, NULL);
}

/* --- signals -------------------------------------------------------------------------------------
 */

static void on_resize(int sig)
{
	(void)sig;
	resized = 1;
}

static void on_suspend(int sig)
{
	(void)sig;
	suspended = 1;
}

/*
 * The terminal has not taken what is being written for so long that waiting on would stop all else:
 * drop it, and draw all anew once it takes something again.
 */
static void on_stall(int sig)
{
	int saved = errno;

	(void)sig;
	stalled = 1;
	tcflush(term.out_fd, TCOFLUSH);
	/* What Ctrl-S has stopped goes on only after it was stopped once more. */
	tcflow(term.out_fd, TCOOFF);
	tcflow(term.out_fd, TCOON);
	errno = saved;
}

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

/* What was said on stderr meanwhile, to where it was meant to go. */
static void release_messages(void)
{
	char data[512];
	ssize_t n;

	if (term.stderr_fd < 0)
		return;
	dup2(term.stderr_fd, STDERR_FILENO);
	for (off_t at = 0; (n = pread(term.message_fd, data, sizeof(data), at)) > 0; at += n)
		write_all(STDERR_FILENO, data, (size_t)n);
}

/* Nothing here but what a signal handler may do; the signal is raised again after it. */
static void on_crash(int sig)
{
	write_all(term.out_fd, term.restore, term.restore_len);
	tcsetattr(term.in_fd, TCSANOW, &term.saved);
	release_messages();
	raise(sig);
}

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT, SIGSYS, SIGTRAP};

#define NR_CRASHES (sizeof(crashes) / sizeof(crashes[0]))

/* Wait for these only in ppoll(), so that none comes between a look at its flag and the wait. */
static const int held_back[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP};

static void handle(int sig, void (*handler)(int sig), int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction stops_before[sizeof(stops) / sizeof(stops[0])];

static bool is_caught(const struct sigaction *sa)
{
	return sa->sa_handler != SIG_IGN && sa->sa_handler != SIG_DFL;
}

/*
 * The second signal is to kill, but not before the terminal was put back. That it is held back is
 * not enough: between the handler's reset and the signal's being blocked for it, another CPU can
 * send one that kills (complete_signal() in kernel/signal.c).
 */
static void open_stops(void)
{
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct sigaction sa;

		if (sigaction(stops[i], NULL, &stops_before[i]) || !is_caught(&stops_before[i]))
			continue;
		sa = stops_before[i];
		sa.sa_flags &= ~(int)SA_RESETHAND;
		sigaction(stops[i], &sa, NULL);
	}
}

static void close_stops(void)
{
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		if (!is_caught(&stops_before[i]))
			continue;
		if (stopped())
			signal(stops[i], SIG_DFL);
		else
			sigaction(stops[i], &stops_before[i], NULL);
	}
}

static void open_signals(void)
{
	static char stack[16384]; /* for a crash by overflow of the usual one */
	const stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(held_back) / sizeof(held_back[0]); i++)
		sigaddset(&set, held_back[i]);
	sigprocmask(SIG_BLOCK, &set, &term.mask);
	open_stops();
	handle(SIGWINCH, on_resize, 0);
	handle(SIGTSTP, on_suspend, 0);
	handle(SIGALRM, on_stall, 0);
	sigaltstack(&ss, NULL);
	for (size_t i = 0; i < NR_CRASHES; i++)
		handle(crashes[i], on_crash, (int)(SA_RESETHAND | SA_NODEFER) | SA_ONSTACK);
}

static void close_signals(void)
{
	for (size_t i = 0; i < NR_CRASHES; i++)
		signal(crashes[i], SIG_DFL);
	close_stops();
	signal(SIGALRM, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	signal(SIGWINCH, SIG_DFL);
	sigprocmask(SIG_SETMASK, &term.mask, NULL);
}

#define STALL_US 500000

static void watch(bool on)
{
	struct itimerval timer = {
		.it_value.tv_usec = on ? STALL_US : 0,
		.it_interval.tv_usec = on ? 200000 : 0,
	};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- stderr --------------------------------------------------------------------------------------
 */

/* Whoever complains must not do it on the screen. */
static void open_messages(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	term.message_fd = memfd_create("messages", MFD_CLOEXEC);
	term.stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	term.messages = 0;
	if (term.message_fd >= 0 && term.stderr_fd >= 0) {
		dup2(term.message_fd, STDERR_FILENO);
		return;
	}
	if (term.stderr_fd >= 0)
		close(term.stderr_fd);
	term.stderr_fd = -1;
}

static void close_messages(void)
{
	fflush(stderr);
	release_messages();
	if (term.stderr_fd >= 0)
		close(term.stderr_fd);
	if (term.message_fd >= 0)
		close(term.message_fd);
	term.stderr_fd = -1;
	term.message_fd = -1;
}

bool term_message(char *line, size_t len)
{
	char data[512], *end;
	ssize_t n;

	if (term.stderr_fd < 0)
		return false;
	n = pread(term.message_fd, data, sizeof(data) - 1, term.messages);
	if (n <= 0)
		return false;
	data[n] = '\0';
	end = strchr(data, '\n');
	if (end)
		*end = '\0';
	snprintf(line, len, "%s", data);
	term.messages += end ? end + 1 - data : n;
	return true;
}

/* --- open and close ------------------------------------------------------------------------------
 */

bool term_usable(char *why, size_t len)
{
	const char *name = getenv("TERM");
	bool usable;
	int err;

	if (!name || !*name) {
		snprintf(why, len, "TERM is not set");
		return false;
	}
	if (!strcmp(name, "dumb")) {
		snprintf(why, len, "TERM is dumb");
		return false;
	}
	usable = setupterm(NULL, STDOUT_FILENO, &err) == OK && cursor_address && clear_screen;
	if (!usable)
		snprintf(why, len, "TERM is \"%.40s\", which cannot be drawn on", name);
	if (cur_term)
		del_curterm(cur_term);
	return usable;
}

/* A capability without its padding, which is for terminals made of metal. */
static void add_restore(const char *capability)
{
	while (capability && *capability && term.restore_len < sizeof(term.restore)) {
		const char *end = capability[0] == '$' && capability[1] == '<'
					  ? strchr(capability, '>')
					  : NULL;

		if (end)
			capability = end + 1;
		else
			term.restore[term.restore_len++] = *capability++;
	}
}

static void open_restore(void)
{
	term.restore_len = 0;
	add_restore("\033[?1006l\033[?1000l"); /* the mouse */
	add_restore(exit_attribute_mode);
	add_restore(orig_pair);
	add_restore(keypad_local);
	add_restore(cursor_normal);
	add_restore(exit_ca_mode);
}

static int open_input(void)
{
	term.in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	if (!term.in)
		return -errno;
	term.in_fd = fileno(term.in);
	term.out_fd = STDOUT_FILENO;
	return tcgetattr(term.in_fd, &term.saved) ? -errno : 0;
}

static void close_input(void)
{
	if (term.in && term.in != stdin)
		fclose(term.in);
	term.in = NULL;
}

int term_open(enum color color)
{
	static bool registered;
	int err;

	err = open_input();
	if (err) {
		close_input();
		return err;
	}
	fflush(stdout);
	/* Before curses, which leaves alone what is handled already. */
	open_signals();
	term.screen = newterm(NULL, stdout, term.in);
	term.keys = term.screen ? newpad(1, 1) : NULL;
	if (!term.keys) {
		if (term.screen)
			endwin();
		close_signals();
		close_input();
		return -ENOTTY;
	}
	term.open = true;
	open_restore();
	open_messages();
	if (!registered && !atexit(term_close))
		registered = true;
	cbreak();
	noecho();
	nonl();
	keypad(term.keys, TRUE);
	nodelay(term.keys, TRUE);
	set_escdelay(25);
	curs_set(0);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	open_colors(color);
	return 0;
}

void term_close(void)
{
	if (!term.open)
		return;
	term.open = false;
	watch(true);
	endwin();
	watch(false);
	delwin(term.keys);
	delscreen(term.screen);
	close_messages();
	close_signals();
	close_input();
}

void term_suspend(void)
{
	sigset_t set;

	suspended = 0;
	watch(true);
	endwin();
	watch(false);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL); /* here it stops */
	sigprocmask(SIG_BLOCK, &set, NULL);
	handle(SIGTSTP, on_suspend, 0);
	resized = 1; /* who knows */
	stalled = 1;
}

/* --- drawing -------------------------------------------------------------------------------------
 */

void term_size(int *rows, int *cols)
{
	getmaxyx(stdscr, *rows, *cols);
}

void term_erase(void)
{
	set_style(STYLE_NORMAL);
	erase();
}

void term_put(int y, int x, int width, enum style style, const char *text)
{
	int rows, cols, taken;
	size_t len;

	term_size(&rows, &cols);
	if (y < 0 || y >= rows || x < 0 || x >= cols)
		return;
	if (width > cols - x)
		width = cols - x;
	len = text_measure(text, width, &taken);
	set_style(style);
	mvaddnstr(y, x, text, (int)len);
	if (taken < width)
		mvhline(y, x + taken, ' ', width - taken);
}

static bool takes_more(void)
{
	struct pollfd fd = {.fd = term.out_fd, .events = POLLOUT};

	return poll(&fd, 1, 0) == 1 && fd.revents & POLLOUT;
}

void term_flush(void)
{
	term.waiting = !takes_more();
	if (term.waiting)
		return;
	if (stalled)
		clearok(curscr, TRUE);
	stalled = 0;
	wnoutrefresh(stdscr);
	watch(true);
	doupdate();
	watch(false);
	term.waiting = stalled;
}

/* --- input ---------------------------------------------------------------------------------------
 */

static void resize(void)
{
	struct winsize ws = {0};

	resized = 0;
	if (!ioctl(term.out_fd, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col)
		resizeterm(ws.ws_row, ws.ws_col);
	clearok(curscr, TRUE);
}

unsigned int term_wait(uint64_t deadline_ns)
{
	struct pollfd fds[] = {{.fd = term.in_fd, .events = POLLIN},
			       {.fd = term.waiting ? term.out_fd : -1, .events = POLLOUT}};
	uint64_t now = now_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec ts = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
	unsigned int what = 0;

	if (!stopped() && !resized && !suspended && ppoll(fds, 2, &ts, &term.mask) > 0) {
		/* A terminal that is gone has input, too: its end, again and again. */
		if (fds[0].revents & ~POLLIN)
			what |= TERM_GONE;
		else if (fds[0].revents)
			what |= TERM_INPUT;
		if (fds[1].revents & (POLLERR | POLLHUP))
			what |= TERM_GONE;
		else if (fds[1].revents)
			term_flush();
	}
	if (suspended)
		what |= TERM_SUSPEND;
	if (resized) {
		resize();
		what |= TERM_RESIZED;
	}
	return what;
}

static const struct {
	int curses, ours;
} keys[] = {
	{KEY_UP, TUI_UP},	  {KEY_DOWN, TUI_DOWN},		  {KEY_LEFT, TUI_LEFT},
	{KEY_RIGHT, TUI_RIGHT},	  {KEY_SLEFT, TUI_SHIFT_LEFT},	  {KEY_SRIGHT, TUI_SHIFT_RIGHT},
	{KEY_PPAGE, TUI_PAGE_UP}, {KEY_NPAGE, TUI_PAGE_DOWN},	  {KEY_HOME, TUI_HOME},
	{KEY_END, TUI_END},	  {KEY_BACKSPACE, TUI_BACKSPACE}, {KEY_ENTER, '\n'},
};

static int key_of(int key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == key)
			return keys[i].ours;
	if (key > KEY_F(0) && key <= KEY_F(12))
		return TUI_F0 + key - KEY_F(0);
	return 0;
}

static bool mouse_event(struct term_event *e)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return false;
	e->y = m.y;
	e->x = m.x;
	if (m.bstate & BUTTON4_PRESSED)
		e->key = TUI_WHEEL_UP;
	else if (m.bstate & BUTTON5_PRESSED)
		e->key = TUI_WHEEL_DOWN;
	return m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED);
}

/* A byte, and those before it, as a character. What is none is passed over. */
static bool whole_character(int *c)
{
	static mbstate_t state;
	char byte = (char)*c;
	wchar_t wc;
	size_t n = mbrtowc(&wc, &byte, 1, &state);

	if (n == (size_t)-1) { /* does it begin another? */
		memset(&state, 0, sizeof(state));
		n = mbrtowc(&wc, &byte, 1, &state);
	}
	if (n == (size_t)-1)
		memset(&state, 0, sizeof(state));
	if (n > 1)
		return false;
	*c = (int)wc;
	return true;
}

bool term_event(struct term_event *e)
{
	int c;

	/* wget_wch() would drop up to MB_LEN_MAX keys after a byte that begins no character. */
	while ((c = wgetch(term.keys)) != ERR) {
		bool code = c > UCHAR_MAX;

		memset(e, 0, sizeof(*e));
		if (!code && !whole_character(&c))
			continue;
		if (code && c == KEY_MOUSE) {
			if (mouse_event(e))
				return true;
			continue;
		}
		if (code)
			e->key = key_of(c);
		else if (c == '\r')
			e->key = '\n';
		else if (c == 127 || c == '\b')
			e->key = TUI_BACKSPACE;
		else
			e->key = c;
		if (e->key)
			return true;
	}
	return false;
}
