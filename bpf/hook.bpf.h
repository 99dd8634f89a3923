/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One body for two kinds of hook. A file that uses ENTRY and EXIT is compiled twice: as it is, for
 * fentry and fexit, and with PP_KPROBE for kprobe and kretprobe, where programs are named k_NAME.
 *
 * The differences: a program on fentry reads the kernel's structures directly, one on a kprobe asks
 * a helper; and a kretprobe does not know the arguments of the call, so that what the program at
 * its entry kept has to do.
 */
#ifndef PPOOLTOP_HOOK_BPF_H
#define PPOOLTOP_HOOK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#ifdef PP_KPROBE

#define READ(ptr, field)       BPF_CORE_READ(ptr, field)
#define CAST(type, value)      ((type *)(value))
#define ENTRY(name, func, ...) SEC("kprobe/" #func) int BPF_KPROBE(k_##name, ##__VA_ARGS__)
#define ARG(i)		       ((__u64)ARG_##i)
#define ARG_0		       PT_REGS_PARM1(ctx)
#define ARG_1		       PT_REGS_PARM2(ctx)
#define ARG_2		       PT_REGS_PARM3(ctx)

#define EXIT(name, func, body, kept, ...)                 \
	SEC("kretprobe/" #func)                           \
	int BPF_KRETPROBE(k_##name, unsigned long ret)    \
	{                                                 \
		struct page_pool *pool = kept_pool(kept); \
                                                          \
		if (pool)                                 \
			body(ctx, pool, ret);             \
		return 0;                                 \
	}
#define EXIT_VOID EXIT

#else

/* 6.2 and later; only used where a page arrives as an integer (6.11 and later) */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

#define READ(ptr, field) ((ptr)->field)
#define CAST(type, value) \
	((type *)bpf_rdonly_cast((const void *)(value), bpf_core_type_id_kernel(type)))
#define ENTRY(name, func, ...) SEC("fentry/" #func) int BPF_PROG(name, ##__VA_ARGS__)
/* For what the verifier lets no program load, such as a void **. */
#define ARG(i)                                  \
	({                                      \
		__u64 arg = 0;                  \
                                                \
		bpf_get_func_arg(ctx, i, &arg); \
		arg;                            \
	})

/* The function's arguments are named so that the result is found after them. */
#define EXIT(name, func, body, kept, ...)          \
	SEC("fexit/" #func)                        \
	int BPF_PROG(name, __VA_ARGS__, __u64 ret) \
	{                                          \
		body(ctx, pool, ret);              \
		return 0;                          \
	}
#define EXIT_VOID(name, func, body, kept, ...) \
	SEC("fexit/" #func)                    \
	int BPF_PROG(name, __VA_ARGS__)        \
	{                                      \
		body(ctx, pool, 0);            \
		return 0;                      \
	}

#endif

#endif /* PPOOLTOP_HOOK_BPF_H */
