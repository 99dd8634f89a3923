// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares vmlinux.h, and the hooks and symbols of the programs, with the BTF of kernels.
 *
 *	check [-p] [-v] EXPECT HEADER.o PROGRAMS.o KERNEL=BTF...
 *
 *	-p	print what the hooks look like on each kernel
 *	-v	print each item and the kernels that have it, in the form of EXPECT
 *
 * HEADER.o has all types of vmlinux.h (see all.sed), PROGRAMS.o is the linked object of the
 * programs, BTF is a kernel's /sys/kernel/btf/vmlinux or its vmlinux. EXPECT says what is not on
 * every kernel. The exit status is 1 if anything is not as it should be.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "check.h"

static int problems;

static void say(const char *format, va_list args)
{
	fputs("vmlinux: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(1);
}

void problem(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	problems++;
}

struct btf *read_btf(const char *file, struct btf_ext **ext)
{
	struct btf *btf = btf__parse(file, ext);

	if (!btf)
		die("%s: %s", file, strerror(errno));
	return btf;
}

/* Is item @i a field that a program wants as a whole, for its place or its address? */
static bool used_whole(const struct items *items, int i)
{
	if (i < 0 || items->item[i].parent < 0 || !items->item[i].used)
		return false;
	for (int k = 0; k < items->n; k++)
		if (items->item[k].parent == i && items->item[k].used)
			return false;
	return true;
}

/*
 * Does a program use the same field of the same structure by another way? A structure may be in
 * several others, and be pointed to.
 */
static bool used_elsewhere(const struct items *items, const struct item *field)
{
	const struct btf_type *in;

	if (field->parent < 0)
		return false;
	in = bare_type(items->header, items->item[field->parent].type);
	for (int i = 0; i < items->n; i++) {
		const struct item *other = &items->item[i];

		if (other->kind == ITEM_FIELD && other->used &&
		    !strcmp(other->btf_name, field->btf_name) &&
		    bare_type(items->header, items->item[other->parent].type) == in)
			return true;
	}
	return false;
}

/* What is in vmlinux.h and nothing reads; of a structure nothing reads only that. */
static void check_used(const struct items *items)
{
	for (int i = 0; i < items->n; i++) {
		const struct item *item = &items->item[i];

		if (!item->used && !used_whole(items, item->parent) &&
		    (item->parent < 0 || items->item[item->parent].used) &&
		    !used_elsewhere(items, item))
			problem("%s: in vmlinux.h, but no program uses it", item->name);
	}
}

static void compare(const char *kernel, const struct item *item, bool expected)
{
	if (expected && !item->target)
		problem("%s: %s: %s", kernel, item->name, *item->why ? item->why : "missing");
	else if (!expected && item->target)
		problem("%s: %s: is there, vmlinux/expect says it is not", kernel, item->name);
	else if (expected && *item->why)
		problem("%s: %s: %s", kernel, item->name, item->why);
}

static const char *plural(int n)
{
	return n == 1 ? "" : "s";
}

static void summary(const char *kernel, const int *n)
{
	int hooks = n[ITEM_FUNCTION] + n[ITEM_TRACEPOINT];

	printf("vmlinux: %s: %d type%s, %d field%s, %d hook%s, %d symbol%s, as expected\n", kernel,
	       n[ITEM_TYPE], plural(n[ITEM_TYPE]), n[ITEM_FIELD], plural(n[ITEM_FIELD]), hooks,
	       plural(hooks), n[ITEM_SYMBOL], plural(n[ITEM_SYMBOL]));
}

static void print_text(void *ctx, const char *format, va_list args)
{
	(void)ctx;
	vprintf(format, args);
}

/* The prototype of a hook; a tracepoint's has a void * in front that programs do not see. */
static void print_hook(struct btf_dump *dump, const struct btf *kernel, const struct item *item)
{
	const struct btf_type *t = btf__type_by_id(kernel, item->target);
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = item->btf_name);
	__u32 id = t->type;

	if (item->kind == ITEM_TRACEPOINT) /* a pointer to the function */
		id = btf__type_by_id(kernel, id)->type;
	btf_dump__emit_type_decl(dump, id, &opts);
	puts(";");
}

static void print_hooks(const char *name, const struct btf *kernel, const struct items *items)
{
	struct btf_dump *dump = btf_dump__new(kernel, print_text, NULL, NULL);

	if (!dump)
		die("%s: %s", name, strerror(errno));
	printf("/* %s */\n", name);
	for (int i = 0; i < items->n; i++) {
		const struct item *item = &items->item[i];

		if (item->target && (item->kind == ITEM_FUNCTION || item->kind == ITEM_TRACEPOINT))
			print_hook(dump, kernel, item);
	}
	btf_dump__free(dump);
}

static void check_kernel(const char *name, int k, const struct btf *kernel, struct items *items)
{
	int before = problems, n[ITEM_KINDS] = {};

	kernel_find(kernel, items);
	for (int i = 0; i < items->n; i++) {
		struct item *item = &items->item[i];

		/* Of a structure that is not there nothing more need be said. */
		if (item->parent >= 0 && !items->item[item->parent].target)
			continue;
		compare(name, item, item->expected >> k & 1);
		n[item->kind] += !!item->target;
		item->found |= (unsigned int)!!item->target << k;
	}
	if (problems == before)
		summary(name, n);
}

static void check_argument(char *arg, struct items *items, const struct kernels *kernels,
			   bool prototypes)
{
	char *file = strchr(arg, '=');
	struct btf *btf;
	int k;

	if (!file)
		die("%s: not KERNEL=BTF", arg);
	*file++ = 0;
	k = kernels_find(kernels, arg);
	if (k < 0) {
		problem("%s: not in the line of kernels in vmlinux/expect", arg);
		return;
	}
	btf = read_btf(file, NULL);
	check_kernel(arg, k, btf, items);
	if (prototypes)
		print_hooks(arg, btf, items);
	btf__free(btf);
}

static void print_found(const struct items *items, const struct kernels *kernels)
{
	for (int i = 0; i < items->n; i++) {
		printf("%s", items->item[i].name);
		for (int k = 0; k < kernels->n; k++)
			if (items->item[i].found >> k & 1)
				printf(" %s", kernels->name[k]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	static struct kernels kernels;
	static struct items items;
	bool prototypes = false, verbose = false;
	int option;

	while ((option = getopt(argc, argv, "pv")) != -1) {
		prototypes |= option == 'p';
		verbose |= option == 'v';
		if (option == '?')
			return 2;
	}
	if (argc - optind < 4) {
		fputs("usage: check [-p] [-v] EXPECT HEADER.o PROGRAMS.o KERNEL=BTF...\n", stderr);
		return 2;
	}
	argv += optind;
	items_add_header(&items, argv[1]);
	items_add_program(&items, argv[2]);
	check_used(&items);
	expect_read(argv[0], &items, &kernels);
	for (argv += 3; *argv; argv++)
		check_argument(*argv, &items, &kernels, prototypes);
	if (verbose)
		print_found(&items, &kernels);
	return problems ? 1 : 0;
}
