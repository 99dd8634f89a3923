// SPDX-License-Identifier: GPL-2.0-or-later
/* Private network namespaces: what lives in one cannot outlive the process. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "priv.h"

static int open_ns(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * MLD reports and router solicitations would be counted as packets of ours. Where there is no
 * IPv6 there is no such file, and no need for it.
 */
static void silence_ipv6(void)
{
	int fd = open("/proc/sys/net/ipv6/conf/default/disable_ipv6", O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return;
	n = write(fd, "1", 1);
	(void)n;
	close(fd);
}

int load_ns_enter(struct load_ns *ns, struct load_result *res)
{
	int err;

	*ns = LOAD_NS_NONE;
	ns->home = open_ns();
	if (ns->home < 0)
		return load_fail(res, ns->home, "/proc/thread-self/ns/net", NULL,
				 "mount /proc, on a kernel with CONFIG_NET_NS");
	if (unshare(CLONE_NEWNET)) {
		err = -errno;
		load_fail(res, err, "unshare(CLONE_NEWNET)",
			  err == -EINVAL ? "no network namespaces here" : NULL,
			  "use a kernel with CONFIG_NET_NS, or name devices");
		goto err_home;
	}
	ns->fd = open_ns();
	if (ns->fd < 0) {
		err = load_fail(res, ns->fd, "/proc/thread-self/ns/net", NULL, "mount /proc");
		load_ns_leave(ns);
		return err;
	}
	silence_ipv6();
	return 0;

err_home:
	close(ns->home);
	*ns = LOAD_NS_NONE;
	return err;
}

void load_ns_leave(struct load_ns *ns)
{
	if (ns->home >= 0) {
		setns(ns->home, CLONE_NEWNET);
		close(ns->home);
	}
	if (ns->fd >= 0)
		close(ns->fd);
	*ns = LOAD_NS_NONE;
}
