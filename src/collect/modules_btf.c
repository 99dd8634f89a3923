// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libbpf looks for a symbol that the kernel has not in the BTF of modules. Their list is
 * CAP_SYS_ADMIN's to read, and up to 1.2 libbpf gives up without, though the symbol is one of those
 * that may be missing: of two that tell whether a softirq runs, each kernel has one. So this takes
 * the place of libbpf's function of that name and shows no module to who may not see them.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf_version.h>

#if LIBBPF_MAJOR_VERSION == 1 && LIBBPF_MINOR_VERSION < 3
int bpf_btf_get_next_id(__u32 start_id, __u32 *next_id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = start_id;
	if (syscall(SYS_bpf, BPF_BTF_GET_NEXT_ID, &attr, sizeof(attr))) {
		if (errno == EPERM)
			errno = ENOENT;
		return -errno;
	}
	*next_id = attr.next_id;
	return 0;
}
#endif
