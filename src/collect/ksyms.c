// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ksyms.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Text, and initialised, read-only and zeroed data: local, global, weak */
#define KINDS "tTdDrRbBwWvV"

/* Not a module, but called one here (kernel/kallsyms.c); neither are [__builtin__ftrace] etc. */
#define BPF_MODULE	  "[bpf]"

#define MODULE_PAGE	  4096ULL
#define MODULE_SYMBOL_MAX 65536ULL
#define NAMES_MAX	  (UINT32_MAX / 2)

struct sym {
	uint64_t address;
	uint32_t name;	 /* offset in names; rises in the order of the file */
	uint16_t module; /* number of it, 0: the kernel itself */
	bool jit; /* made at run time: BPF program, trampoline, copy of a probed instruction */
	bool cut; /* the name had a suffix */
};

struct ksyms {
	bool loaded;
	uint64_t modules; /* modules_hash() when loaded */
	struct sym *syms; /* by address */
	size_t nr, cap;
	bool programs; /* BPF programs are among them */
	char *names;   /* one after the other, each with its end */
	size_t names_len, names_cap;
};

/* A line of kallsyms in its parts, which point into it. */
struct line {
	uint64_t address;
	const char *name;
	size_t name_len;
	const char *module; /* "" or "[veth]\n" */
};

/* "ffffffffc04a2880 t veth_enable_xdp\t[veth]"; false: nothing of use */
static bool parse_line(const char *s, struct line *l)
{
	char *end;

	/* strtoull() would take spaces and signs as well. */
	if (!isxdigit((unsigned char)*s))
		return false;
	errno = 0;
	l->address = strtoull(s, &end, 16);
	/* 0: hidden, or the offset of a per-CPU variable */
	if (errno || !l->address || end[0] != ' ' || !end[1] || end[2] != ' ' ||
	    !strchr(KINDS, end[1]))
		return false;
	l->name = end + 3;
	l->name_len = strcspn(l->name, " \t\n");
	l->module = l->name + l->name_len;
	l->module += strspn(l->module, " \t\n");
	/* Padding before a function, not a function: it only takes memory. */
	return l->name_len && strncmp(l->name, "__pfx_", 6) != 0 &&
	       strncmp(l->name, "__cfi_", 6) != 0;
}

/* @p with room for @need elements, or NULL: then @p is as it was. */
static void *grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 4096;

	while (want < need)
		want *= 2;
	if (want == *cap)
		return p;
	p = realloc(p, want * size);
	if (p)
		*cap = want;
	return p;
}

/* Room for one more symbol whose name has @len bytes */
static int make_room(struct ksyms *k, size_t len)
{
	void *p;

	if (len > NAMES_MAX || k->names_len > NAMES_MAX - len)
		return -EFBIG;
	p = grow(k->syms, &k->cap, k->nr + 1, sizeof(*k->syms));
	if (!p)
		return -ENOMEM;
	k->syms = p;
	p = grow(k->names, &k->names_cap, k->names_len + len, 1);
	if (!p)
		return -ENOMEM;
	k->names = p;
	return 0;
}

static bool is_jit(const char *module)
{
	return !strncmp(module, BPF_MODULE, strlen(BPF_MODULE)) ||
	       !strncmp(module, "[__builtin__", 12);
}

static int add(struct ksyms *k, const struct line *l, uint16_t module)
{
	const char *dot = memchr(l->name + 1, '.', l->name_len - 1);
	size_t len = dot ? (size_t)(dot - l->name) : l->name_len;
	int err = make_room(k, len + 1);

	if (err)
		return err;
	k->syms[k->nr++] = (struct sym){
		.address = l->address,
		.name = (uint32_t)k->names_len,
		.module = module,
		.jit = is_jit(l->module),
		.cut = dot != NULL,
	};
	k->programs |= !strncmp(l->module, BPF_MODULE, strlen(BPF_MODULE));
	memcpy(k->names + k->names_len, l->name, len);
	k->names_len += len;
	k->names[k->names_len++] = '\0';
	return 0;
}

/* As the kernel does: of several at one address, the first is the one. */
static int by_address(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int read_lines(struct ksyms *k, FILE *f)
{
	char *text = NULL, last[64] = "";
	uint16_t module = 0;
	size_t size = 0;
	struct line l;
	int err = 0;

	while (!err && getline(&text, &size, f) >= 0) {
		if (!parse_line(text, &l))
			continue;
		/* Those of one module come together. */
		if (strncmp(l.module, last, sizeof(last) - 1) != 0) {
			snprintf(last, sizeof(last), "%s", l.module);
			module++;
		}
		err = add(k, &l, module);
	}
	if (!err && ferror(f))
		err = -EIO;
	free(text);
	if (!err && k->nr)
		qsort(k->syms, k->nr, sizeof(*k->syms), by_address);
	return err;
}

static void forget(struct ksyms *k)
{
	free(k->syms);
	free(k->names);
	memset(k, 0, sizeof(*k));
}

/* Which modules there are, and where: not how often each is in use, which changes all the time. */
static uint64_t modules_hash(void)
{
	FILE *f = fopen("/proc/modules", "re");
	uint64_t hash = 14695981039346656037ULL; /* FNV-1a */
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return 0;
	while (getline(&text, &size, f) >= 0) {
		char *save, *word = strtok_r(text, " ", &save);

		/* veth 45056 0 - Live 0xffffffffc04a0000 */
		for (int i = 0; word; i++, word = strtok_r(NULL, " ", &save))
			for (const char *c = word; *c && i != 2 && i != 3; c++)
				hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
	}
	free(text);
	fclose(f);
	return hash;
}

/* Whatever happens, it is tried once only; then there are no symbols. */
static void load(struct ksyms *k)
{
	FILE *f;
	int err;

	if (k->loaded)
		return;
	k->modules = modules_hash();
	f = fopen("/proc/kallsyms", "re");
	err = f ? read_lines(k, f) : -errno;
	if (f)
		fclose(f);
	if (err)
		forget(k);
	k->loaded = true;
}

int ksyms_open(struct ksyms **k)
{
	*k = calloc(1, sizeof(**k));
	return *k ? 0 : -ENOMEM;
}

int ksyms_parse(struct ksyms **out, FILE *f)
{
	struct ksyms *k;
	int err = ksyms_open(&k);

	if (err)
		return err;
	err = read_lines(k, f);
	if (err) {
		ksyms_close(k);
		return err;
	}
	k->loaded = true;
	*out = k;
	return 0;
}

void ksyms_close(struct ksyms *k)
{
	if (!k)
		return;
	forget(k);
	free(k);
}

void ksyms_refresh(struct ksyms *k)
{
	if (k->loaded && k->modules != modules_hash())
		forget(k);
}

bool ksyms_hidden(struct ksyms *k)
{
	load(k);
	return !k->nr;
}

/* How many symbols are at or below @address. */
static size_t count_below(const struct ksyms *k, uint64_t address)
{
	size_t low = 0, high = k->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->syms[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Where the last symbol before entry @next ends, at most: see ksyms_name(). */
static uint64_t end_of(const struct ksyms *k, size_t next)
{
	const struct sym *s = &k->syms[next - 1];
	bool last = next == k->nr || k->syms[next].module != s->module;

	if (last)
		return (s->address | (MODULE_PAGE - 1)) + 1;
	/* Its text and its data may be far from each other. */
	return s->module ? s->address + MODULE_SYMBOL_MAX : UINT64_MAX;
}

static const struct sym *find(struct ksyms *k, uint64_t address)
{
	const struct sym *s;
	size_t n;

	load(k);
	n = count_below(k, address);
	if (!n || address >= end_of(k, n))
		return NULL;
	s = &k->syms[n - 1];
	while (s > k->syms && s[-1].address == s->address)
		s--;
	return s;
}

const char *ksyms_name(struct ksyms *k, uint64_t address, uint64_t *offset)
{
	const struct sym *s = find(k, address);

	if (!s)
		return NULL;
	if (offset)
		*offset = address - s->address;
	return k->names + s->name;
}

uint64_t ksyms_address(struct ksyms *k, const char *name)
{
	const struct sym *found = NULL;

	load(k);
	for (size_t i = 0; i < k->nr; i++) {
		const struct sym *s = &k->syms[i];

		/* "foo.cold" is a part of foo and not where it begins. */
		if (!s->cut && (!found || s->name < found->name) &&
		    !strcmp(k->names + s->name, name))
			found = s;
	}
	return found ? found->address : 0;
}

static bool begins(const char *name, const char *const *prefixes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static bool is_page_pool(const char *name)
{
	static const char *const prefixes[] = {"page_pool_", "__page_pool_"};

	return begins(name, prefixes, ARRAY_SIZE(prefixes));
}

/*
 * What leads to a BPF program, and what that calls for the stack. Not all of "bpf_": the pools of
 * BPF_PROG_TEST_RUN are made by bpf_test_run_xdp_live().
 */
static bool is_machinery(const char *name)
{
	static const char *const prefixes[] = {
		"bpf_trampoline",
		"bpf_get_stack",
		"bpf_trace_run",
		"__bpf_prog_enter",
		"__bpf_prog_exit",
		/* kernel/trace/, kernel/kprobes.c, arch/x86/kernel/kprobes/ */
		"ftrace_",
		"arch_ftrace_",
		"kprobe_",
		"kretprobe_",
		"__kretprobe_",
		"rethook_",
		"arch_rethook_",
		"optimized_callback",
	};

	return begins(name, prefixes, ARRAY_SIZE(prefixes));
}

/*
 * How many addresses of a stack without page_pool's functions are a program and its trampoline.
 * Either may be in no table: replaced since, or the kernel keeps its programs to itself
 * (net.core.bpf_jit_harden).
 */
static int program_depth(struct ksyms *k, const uint64_t *stack, int n)
{
	const struct sym *first, *second;

	if (n < 2)
		return 0;
	first = find(k, stack[0] - 1);
	second = find(k, stack[1] - 1);
	if (!first)
		return !second && !k->programs ? 2 : 0;
	if (!first->jit || strncmp(k->names + first->name, "bpf_prog_", 9) != 0)
		return 0;
	return second ? 1 : 2;
}

/*
 * Where in a stack the callers of page_pool's functions begin. These are not there where a program
 * runs in their stead, by kretprobe and in some trampolines (fexit on 7.2).
 */
static int callers(struct ksyms *k, const uint64_t *stack, int n)
{
	for (int i = n; i > 0; i--) {
		const struct sym *s = find(k, stack[i - 1] - 1);

		if (s && is_page_pool(k->names + s->name))
			return i;
	}
	return program_depth(k, stack, n);
}

const char *ksyms_creator(struct ksyms *k, const uint64_t *stack, int n)
{
	int depth = 0;

	while (depth < n && stack[depth])
		depth++;
	for (int i = callers(k, stack, depth); i < depth; i++) {
		/* What is returned to may be the next function, if the call was the last thing. */
		const struct sym *s = find(k, stack[i] - 1);

		/* a module that is gone: the next one up is not the creator */
		if (!s)
			return NULL;
		if (!s->jit && !is_machinery(k->names + s->name))
			return k->names + s->name;
	}
	return NULL;
}
