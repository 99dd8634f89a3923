// SPDX-License-Identifier: GPL-2.0-only
/* Pools are created, and emptied when they are destroyed. */
#include "pool.bpf.h"

/*
 * Programs below are attached alternatively, as the kernel has the functions: see the table of
 * hooks in src/collect/hooks.c.
 */
static __always_inline void created(void *ctx, __u64 address)
{
	struct pp_pool *p;

	/* An error pointer: no pool came of it. */
	if (!armed || address >= (__u64)-4095 || !address)
		return;
	if (pool_add(address, 1) < 0)
		return;
	p = slot_pool(address);
	if (!p)
		return;
	/* A walk through the kernel's list may have come across it before: that was no use of it.
	 */
	p->created = 1;
	p->audit = PP_AUDIT_READY;
	bpf_get_stack(ctx, p->stack, sizeof(p->stack), 0);
	read_pool(p, (const void *)address);
}

#ifdef PP_KPROBE

SEC("kretprobe/page_pool_create")
int BPF_KRETPROBE(k_create_exit, unsigned long pool)
{
	created(ctx, pool);
	return 0;
}

SEC("kretprobe/page_pool_create_percpu")
int BPF_KRETPROBE(k_create_percpu_exit, unsigned long pool)
{
	created(ctx, pool);
	return 0;
}

#else

/* up to 6.8 */
SEC("fexit/page_pool_create")
int BPF_PROG(create_exit, const void *params, struct page_pool *pool)
{
	created(ctx, (__u64)pool);
	return 0;
}

/* 6.9 and later */
SEC("fexit/page_pool_create_percpu")
int BPF_PROG(create_percpu_exit, const void *params, int cpuid, struct page_pool *pool)
{
	created(ctx, (__u64)pool);
	return 0;
}

#endif

/* What could not be told of a put until now is told by the cache, which nobody touches any more. */
static __always_inline void settle_cpu(__u64 pool, __u32 cpu)
{
	struct cpu_state *s = bpf_map_lookup_elem(&cpus, &cpu);
	struct put_memo *m;
	struct pp_counts *c;

	if (!s)
		return;
	m = &s->ctx[1].put;
	if (m->pool != pool || m->kind != PUT_MAYBE_CACHED || !went_to_cache(m))
		return;
	m->kind = PUT_NONE;
	c = slot_counts(m->slot, cpu);
	if (!c)
		return;
	count(&c->n[PP_RING], -1, false);
	count(&c->n[PP_CACHED], 1, false);
}

/*
 * page_pool_release() empties cache and ring of a pool that is being destroyed: what was put into
 * them before is settled now, on every CPU (a put into the ring cannot be in doubt), what is in
 * them is noted for the books, and this CPU's last put is not "just put" any more.
 */
ENTRY(scrub_enter, page_pool_release, struct page_pool *pool)
{
	struct pp_pool *p = slot_pool((__u64)pool);
	struct here h;

	for (__u32 i = 0; i < nr_cpus && i < PP_MAX_CPUS; i++)
		settle_cpu((__u64)pool, i);
	if (p) {
		/* No more audit: emptying takes its time. */
		if (!p->destroyed_ns)
			p->destroyed_ns = bpf_ktime_get_ns();
		p->flushed_cache += READ(pool, alloc.count);
		p->flushed_ring += ring_pages(pool);
	}
	if (here_ctx(&h))
		h.ctx->put.kind = PUT_NONE;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
