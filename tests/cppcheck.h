/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros of libbpf, for cppcheck, which does not read its headers. */
#define LIBBPF_OPTS(type, name, ...) struct type name = {.sz = sizeof(struct type), __VA_ARGS__}
#define bpf_object__for_each_program(pos, obj) while ((pos = bpf_object__next_program(obj, pos)))
#define bpf_object__for_each_map(pos, obj) while ((pos = bpf_object__next_map(obj, pos)))
