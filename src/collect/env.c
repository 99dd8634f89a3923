// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "env.h"

static bool has_cap(cap_t caps, cap_value_t cap)
{
	cap_flag_value_t v = CAP_CLEAR;

	return !cap_get_flag(caps, cap, CAP_EFFECTIVE, &v) && v == CAP_SET;
}

bool env_may_trace(void)
{
	cap_t caps = cap_get_proc();
	bool may;

	if (!caps)
		return geteuid() == 0;
	may = has_cap(caps, CAP_SYS_ADMIN) ||
	      (has_cap(caps, CAP_BPF) && has_cap(caps, CAP_PERFMON));
	cap_free(caps);
	return may;
}

void env_lockdown(char *mode, size_t len)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "", *from, *to;

	mode[0] = '\0';
	if (!f)
		return;
	if (fgets(line, sizeof(line), f)) {
		from = strchr(line, '[');
		to = from ? strchr(from, ']') : NULL;
		if (to && strncmp(from + 1, "none", 4) != 0)
			snprintf(mode, len, "%.*s", (int)(to - from - 1), from + 1);
	}
	fclose(f);
}

void env_host(struct host_info *host)
{
	struct utsname u;

	host->name[0] = '\0';
	host->kernel[0] = '\0';
	if (!uname(&u)) {
		snprintf(host->name, sizeof(host->name), "%s", u.nodename);
		snprintf(host->kernel, sizeof(host->kernel), "%s", u.release);
	}
	host->cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	host->page_size = sysconf(_SC_PAGESIZE);
}

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int print_warnings(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, fmt, ap);
}

void env_libbpf_print(bool verbose)
{
	libbpf_set_print(verbose ? print_warnings : print_nothing);
}
