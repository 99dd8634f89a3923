// SPDX-License-Identifier: GPL-2.0-only
/* For "ip link set dev NAME xdp object": a veth then copies what it gets into pages of a pool. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("xdp")
int pass(void *ctx)
{
	return 2; /* XDP_PASS */
}

char LICENSE[] SEC("license") = "GPL";
