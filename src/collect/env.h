/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about the machine and the user that sources ask for. */
#ifndef PPOOLTOP_COLLECT_ENV_H
#define PPOOLTOP_COLLECT_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

/* Loading tracing programs: CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN (kernel/bpf/syscall.c). */
bool env_may_trace(void);

/* "integrity", "confidentiality" or "" (security/lockdown/lockdown.c) */
void env_lockdown(char *mode, size_t len);

void env_host(struct host_info *host);

/* libbpf's messages: none, or warnings to stderr. */
void env_libbpf_print(bool verbose);

#endif /* PPOOLTOP_COLLECT_ENV_H */
