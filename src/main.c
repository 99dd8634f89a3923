// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "util.h"

const struct command commands[] = {
	{"top", "live view (the default)", "icsdPnCSLIOvVh", "", top_main},
	{"show", "one table on stdout; -c N -i S repeats", "icsdPnCSLIIvVh", "", show_main},
	{"dump", "one JSON document; -c N makes JSON Lines", "icpdPnSLIvVh", "", dump_main},
	{"report", "a page of HTML about a recording, or two side by side", "cdPnVh",
	 "FILE [FILE2]", report_main},
	{"record", "snapshots to a file, after those that are in it", "icdPnSLIZvVh", "FILE",
	 record_main},
	{"replay", "a recording in the live view", "icsdPnCOvVh", "FILE", replay_main},
	{"export", "series for Prometheus; --textfile FILE -i S keeps a file up to date",
	 "icdPnTQCMSLIvVh", "", export_main},
	{"probe", "what this kernel offers, and what will be n/a and why", "jpvVh", "", probe_main},
	{"attach", "begin collection that goes on without a process", "SLvVh", "", attach_main},
	{"detach", "end what attach began", "vVh", "", detach_main},
	{"demo", "make page_pool traffic in private namespaces and show it", "icsCSLOvVh", "",
	 demo_main},
};

const int nr_commands = sizeof(commands) / sizeof(commands[0]);

/*
 * What is opened later must not become a closed standard stream. One that was closed can be neither
 * read nor written, as before.
 */
static void hold_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct command *c;

	hold_streams();
	/* Names are in the locale's characters; numbers keep their point everywhere. */
	setlocale(LC_CTYPE, "");
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		usage(stdout);
		return finish_output(stdout) ? EXIT_FAILED : EXIT_DONE;
	}
	if (argc < 2 || argv[1][0] == '-') {
		/* No command: options are top's. */
		argv[0] = (char *)commands[0].name;
		return commands[0].main(argc, argv);
	}
	c = find_command(argv[1]);
	if (!c) {
		complain("no command \"%s\"; see ppooltop --help", argv[1]);
		return EXIT_WANTING;
	}
	return c->main(argc - 1, argv + 1);
}
