/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbols, from /proc/kallsyms: names for addresses, and addresses for names. */
#ifndef PPOOLTOP_COLLECT_KSYMS_H
#define PPOOLTOP_COLLECT_KSYMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ksyms;

/*
 * Nothing is read before the first lookup: that is some 10 MB of text. On success *@k is set, to be
 * closed with ksyms_close(). Returns 0 or -ENOMEM.
 *
 * Lookups know nothing where the file cannot be read, where memory is out, and where the kernel
 * hides addresses (kptr_restrict, or no CAP_SYSLOG). A name without the suffix that a compiler gave
 * it ("foo.isra.0" is "foo") is returned; it is good until ksyms_refresh() or ksyms_close().
 */
int ksyms_open(struct ksyms **k);
void ksyms_close(struct ksyms *k);

/*
 * If modules have come or gone since symbols were read, have the next lookup read them again. To be
 * called before each round of lookups: it reads /proc/modules only.
 */
void ksyms_refresh(struct ksyms *k);

/* Are there no symbols to be had? */
bool ksyms_hidden(struct ksyms *k);

/*
 * The symbol that covers @address, and in *@offset (may be NULL) the bytes from there. NULL:
 * unknown. The file tells no sizes: a symbol goes on to the next one, but not past the page where
 * nothing of the same module follows, since that may be a module or program not in the table.
 */
const char *ksyms_name(struct ksyms *k, uint64_t address, uint64_t *offset);

/*
 * The address of the symbol with exactly this name, the kernel's own before a module's; 0: unknown.
 * Looks at every symbol.
 */
uint64_t ksyms_address(struct ksyms *k, const char *name);

/*
 * Who called for a page_pool, given the @n addresses of the call stack, innermost first, that
 * bpf_get_stack() gave at its creation, by fexit, kprobe or kretprobe: the first function that
 * belongs neither to page_pool nor to what runs the program. Eight addresses are enough; 0 ends
 * them early. NULL: unknown, as when the module is gone.
 */
const char *ksyms_creator(struct ksyms *k, const uint64_t *stack, int n);

/* What ksyms_open() and the first lookup do, with the given text. For tests. 0 or -errno. */
int ksyms_parse(struct ksyms **k, FILE *f);

#endif /* PPOOLTOP_COLLECT_KSYMS_H */
