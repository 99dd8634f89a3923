// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The XDP programs, as instructions: a traffic generator that needs no BPF compiler. Each counts
 * its runs first, which is how exact numbers are had of what the kernel only does.
 */
#include <errno.h>
#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "priv.h"

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MOV_IMM(reg, value) INSN(BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, value)
#define CALL(helper)	    INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define EXIT()		    INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* Two instructions' worth each: r = address of a map, or of a byte in its only value. */
#define LD_MAP(reg, fd) \
	INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, fd), INSN(0, 0, 0, 0, 0)
#define LD_VALUE(reg, fd, off) \
	INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_VALUE, 0, fd), INSN(0, 0, 0, 0, off)
/* Atomic: the receiving side may run on several CPUs. */
#define COUNT(fd, off)                                                  \
	LD_VALUE(BPF_REG_1, fd, (int32_t)(off)), MOV_IMM(BPF_REG_2, 1), \
		INSN(BPF_STX | BPF_DW | BPF_ATOMIC, BPF_REG_1, BPF_REG_2, 0, BPF_ADD)

#define LEN(insns) (sizeof(insns) / sizeof((insns)[0]))

int load_counts_create(void)
{
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "ppload_counts", sizeof(uint32_t),
			      sizeof(struct load_counts), 1, NULL);
}

int load_counts_read(int map_fd, struct load_counts *counts)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(map_fd, &zero, counts);
}

static int load_prog(const struct bpf_insn *insns, size_t len, bool in_cpumap, unsigned int flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = flags,
		    .expected_attach_type = in_cpumap ? BPF_XDP_CPUMAP : 0);

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "ppload", "GPL", insns, len, &opts);
}

static int load_action(int map_fd, size_t offset, int action, bool in_cpumap, unsigned int flags)
{
	const struct bpf_insn insns[] = {
		COUNT(map_fd, offset),
		MOV_IMM(BPF_REG_0, action),
		EXIT(),
	};

	return load_prog(insns, LEN(insns), in_cpumap, flags);
}

int load_prog_action(int map_fd, size_t offset, int action, bool in_cpumap)
{
	return load_action(map_fd, offset, action, in_cpumap, 0);
}

int load_prog_flags(int map_fd, size_t offset, int action, unsigned int flags)
{
	return load_action(map_fd, offset, action, false, flags);
}

int load_prog_redirect(int map_fd, size_t offset, int ifindex)
{
	const struct bpf_insn insns[] = {
		COUNT(map_fd, offset),
		MOV_IMM(BPF_REG_1, ifindex),
		MOV_IMM(BPF_REG_2, 0),
		CALL(BPF_FUNC_redirect),
		EXIT(),
	};

	return load_prog(insns, LEN(insns), false, 0);
}

int load_prog_cpumap(int map_fd, size_t offset, int cpumap_fd, int cpu)
{
	const struct bpf_insn insns[] = {
		COUNT(map_fd, offset), LD_MAP(BPF_REG_1, cpumap_fd), MOV_IMM(BPF_REG_2, cpu),
		MOV_IMM(BPF_REG_3, 0), CALL(BPF_FUNC_redirect_map),  EXIT(),
	};

	return load_prog(insns, LEN(insns), false, 0);
}

int load_prog_attach(int prog_fd, int ifindex, unsigned int xdp_flags)
{
	/* A link and not a netlink attach: it cannot be left behind on somebody's device. */
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = xdp_flags);

	return bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);
}
