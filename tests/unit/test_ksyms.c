// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/kallsyms, well-formed and not, and who created a pool. The sanitizers watch the memory. */
#include "unit.h"

#include <errno.h>

#include "ksyms.h"

/* As on 7.2: the kernel in order, modules not, and what was made at run time last. */
static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A cpu_tlbstate\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 T page_pool_create_percpu\n"
	"ffffffff811000f0 t __pfx_page_pool_create\n"
	"ffffffff81100100 T page_pool_create\n"
	"ffffffff81100140 t page_pool_release.part.0\n"
	"ffffffff81100200 t bpf_test_run_xdp_live\n"
	"ffffffff81100400 t bpf_prog_test_run_xdp\n"
	"ffffffff81100600 t __sys_bpf\n"
	"ffffffff81200000 t xdp_setup.isra.0\n"
	"ffffffff81200100 t late.cold\n"
	"ffffffff81200200 T late\n"
	"ffffffff81200300 W weak\n"
	"ffffffff81200400 a absolute\n"
	"ffffffff81300000 D init_net\n"
	"ffffffff81300800 b buffer\n"
	"ffffffff81300ff0 B _end\n"
	"ffffffffc0002200 t veth_xdp\t[veth]\n"
	"ffffffffc0001000 t veth_open\t[veth]\n"
	"ffffffffc0001800 t __veth_napi_enable_range\t[veth]\n"
	"ffffffffc0100000 r __ksymtab_veth\t[veth]\n"
	"ffffffffc0003010 t mlx5e_open_rq.constprop.0\t[mlx5_core]\n"
	"ffffffffc0003210 t late\t[mlx5_core]\n"
	"ffffffffc0300000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0200000 t bpf_prog_4d7bfafe0a006792_create_percpu_exit\t[bpf]\n"
	"ffffffffc0200100 t bpf_trampoline_6442540663\t[bpf]\n";

static struct ksyms *parse(const char *text, size_t len)
{
	FILE *f = tmpfile();
	struct ksyms *k = NULL;

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	rewind(f);
	assert_int_equal(ksyms_parse(&k, f), 0);
	fclose(f);
	return k;
}

static int setup(void **state)
{
	*state = parse(kallsyms, sizeof(kallsyms) - 1);
	return 0;
}

static int teardown(void **state)
{
	ksyms_close(*state);
	return 0;
}

static void check_name(struct ksyms *k, uint64_t address, const char *name, uint64_t offset)
{
	uint64_t got = 12345;

	assert_non_null(ksyms_name(k, address, &got));
	assert_string_equal(ksyms_name(k, address, NULL), name);
	assert_true(got == offset);
}

static void names(void **state)
{
	struct ksyms *k = *state;

	assert_false(ksyms_hidden(k));
	check_name(k, 0xffffffff81100100, "page_pool_create", 0);
	check_name(k, 0xffffffff8110013f, "page_pool_create", 0x3f);
	check_name(k, 0xffffffff81100140, "page_pool_release", 0);
	check_name(k, 0xffffffff81200350, "weak", 0x50);
	/* no symbols of their own: padding, and what is no place */
	check_name(k, 0xffffffff811000ff, "page_pool_create_percpu", 0xfffff);
	check_name(k, 0xffffffff81200400, "weak", 0x100);
	/* data */
	check_name(k, 0xffffffff81300001, "init_net", 1);
	check_name(k, 0xffffffff81300900, "buffer", 0x100);
	/* modules, in whatever order */
	check_name(k, 0xffffffffc0001900, "__veth_napi_enable_range", 0x100);
	check_name(k, 0xffffffffc0002200, "veth_xdp", 0);
	check_name(k, 0xffffffffc0003020, "mlx5e_open_rq", 0x10);
}

static void first_of_several_at_one_address(void **state)
{
	check_name(*state, 0xffffffff81000000, "_stext", 0);
	check_name(*state, 0xffffffff81000080, "_stext", 0x80);
}

/* What is not in the table may be in a module or program that came later: no wrong name then. */
static void unknown_addresses(void **state)
{
	static const uint64_t unknown[] = {
		0,
		1,
		0x1000,
		0xffffffff80ffffff,
		0xffffffff81301000, /* behind the kernel's end */
		0xffffffffc0000fff, /* before the first module */
		0xffffffffc0003000, /* behind the last page of veth's text */
		0xffffffffc0004000, /* behind mlx5_core */
		0xffffffffc0101000, /* behind veth's data */
		0xffffffffc01fffff,
		0xffffffffc0210000,
		0xffffffffc0301000,
		UINT64_MAX,
	};
	uint64_t offset;

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null(ksyms_name(*state, unknown[i], &offset));
	check_name(*state, 0xffffffffc0002fff, "veth_xdp", 0xdff);
	check_name(*state, 0xffffffffc0003fff, "late", 0xdef);
}

static void addresses(void **state)
{
	struct ksyms *k = *state;

	assert_true(ksyms_address(k, "page_pool_create") == 0xffffffff81100100);
	assert_true(ksyms_address(k, "init_net") == 0xffffffff81300000);
	assert_true(ksyms_address(k, "veth_xdp") == 0xffffffffc0002200);
	/* neither its cold part before it nor the module's */
	assert_true(ksyms_address(k, "late") == 0xffffffff81200200);
	assert_true(ksyms_address(k, "page_pool") == 0);
	assert_true(ksyms_address(k, "page_pool_create_percp") == 0);
	assert_true(ksyms_address(k, "xdp_setup") == 0);
	assert_true(ksyms_address(k, "absolute") == 0);
	assert_true(ksyms_address(k, "") == 0);
}

static void check_creator(struct ksyms *k, const uint64_t *stack, int n, const char *creator)
{
	const char *got = ksyms_creator(k, stack, n);

	if (!creator) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got, creator);
}

#define STACK(...)                          \
	(const uint64_t[]){__VA_ARGS__, 0}, \
		(int)(sizeof((const uint64_t[]){__VA_ARGS__, 0}) / sizeof(uint64_t))
#define PROG	 0xffffffffc0200050
#define TRAMP	 0xffffffffc0200160
#define PERCPU	 0xffffffff81000109
#define CREATE	 0xffffffff81100109
#define TEST_RUN 0xffffffff811002f0
#define VETH	 0xffffffffc0001900
#define XDP	 0xffffffff81200010
#define GONE	 0xffffffffc0900000 /* nothing there any more */
#define BEHIND	 0xffffffffc0200180 /* after the last program in the table */
#define JIT	 "ffffffffc0200000"

/* Stacks as seen on 6.1, 6.12 and 7.2. */
static void creators(void **state)
{
	struct ksyms *k = *state;

	/* fexit, fexit on 7.2, kprobe, kretprobe */
	check_creator(k, STACK(PROG, TRAMP, PERCPU, VETH, XDP), "__veth_napi_enable_range");
	check_creator(k, STACK(PROG, TRAMP, VETH, XDP), "__veth_napi_enable_range");
	check_creator(k, STACK(CREATE, VETH, XDP), "__veth_napi_enable_range");
	check_creator(k, STACK(VETH, XDP), "__veth_napi_enable_range");
	/* BPF's own code can be the creator */
	check_creator(k, STACK(PROG, TRAMP, PERCPU, TEST_RUN, XDP), "bpf_test_run_xdp_live");
	check_creator(k, STACK(PROG, TRAMP, TEST_RUN, XDP), "bpf_test_run_xdp_live");
	check_creator(k, STACK(TEST_RUN, XDP), "bpf_test_run_xdp_live");
	check_creator(k, STACK(CREATE, 0xffffffffc0003100), "mlx5e_open_rq");
}

/* Somebody else traces page_pool_create(), which calls page_pool_create_percpu(). */
static void creators_among_tracers(void **state)
{
	struct ksyms *k = *state;

	check_creator(k, STACK(PROG, TRAMP, PERCPU, TRAMP, CREATE, VETH),
		      "__veth_napi_enable_range");
	check_creator(k, STACK(PROG, TRAMP, PERCPU, GONE, CREATE, VETH),
		      "__veth_napi_enable_range");
	check_creator(k, STACK(PROG, TRAMP, TRAMP, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(PERCPU, TRAMP, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(TRAMP, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(PROG, 0xffffffffc0300010, CREATE, 0xffffffffc0300010, VETH),
		      "__veth_napi_enable_range");
}

/* Programs and trampolines that are not in the table: replaced, or attached after it was read. */
static void creators_after_unknown_programs(void **state)
{
	struct ksyms *k = *state;

	check_creator(k, STACK(GONE, GONE, PERCPU, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(PROG, GONE, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(BEHIND, TRAMP, VETH), "__veth_napi_enable_range");
}

/* net.core.bpf_jit_harden: none of them is in it. */
static void creators_after_hidden_programs(void **state)
{
	struct ksyms *k = parse(kallsyms, (size_t)(strstr(kallsyms, JIT) - kallsyms));

	(void)state;
	check_creator(k, STACK(PROG, TRAMP, PERCPU, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(PROG, TRAMP, VETH), "__veth_napi_enable_range");
	check_creator(k, STACK(VETH, XDP), "__veth_napi_enable_range");
	/* a module that is gone, and somebody's trampoline */
	check_creator(k, STACK(PROG, TRAMP, GONE, XDP), NULL);
	check_creator(k, STACK(GONE, XDP, TEST_RUN), NULL);
	check_creator(k, STACK(PROG, TRAMP), NULL);
	check_creator(k, STACK(PROG), NULL);
	ksyms_close(k);
}

/* A module that is gone: who called it is not the creator. */
static void creators_gone(void **state)
{
	struct ksyms *k = *state;

	check_creator(k, STACK(PROG, TRAMP, PERCPU, GONE, XDP), NULL);
	check_creator(k, STACK(PROG, TRAMP, GONE, XDP), NULL);
	check_creator(k, STACK(CREATE, GONE, XDP), NULL);
	check_creator(k, STACK(GONE, XDP), NULL);
}

/* The caller's last instruction is the call: what is returned to is the next function. */
static void call_at_the_end(void **state)
{
	check_creator(*state, STACK(CREATE, 0xffffffff81100400), "bpf_test_run_xdp_live");
}

static void no_creator(void **state)
{
	struct ksyms *k = *state;

	check_creator(k, NULL, 0, NULL);
	check_creator(k, NULL, -14, NULL); /* bpf_get_stack() failed */
	check_creator(k, STACK(PROG, TRAMP, CREATE), NULL);
	check_creator(k, STACK(0xffffffffc0900000, 1, UINT64_MAX), NULL);
	/* 0 ends it, and n does */
	check_creator(k, (const uint64_t[]){CREATE, 0, VETH}, 3, NULL);
	check_creator(k, (const uint64_t[]){CREATE, VETH}, 1, NULL);
}

#define PARSE(text) parse(text, sizeof(text) - 1)

static void odd_lines(void **state)
{
	struct ksyms *k = PARSE("\n"
				"nonsense\n"
				"ffffffff81000000\n"
				"ffffffff81000000 \n"
				"ffffffff81000000 T\n"
				"ffffffff81000000 T \n"
				"ffffffff81000000 T \t[mod]\n"
				"ffffffff81000000 TT two_letters\n"
				"ffffffff81000000  T two_spaces\n"
				" ffffffff81000000 T space_first\n"
				"-1 T minus\n"
				"fffffffff81000000 T too_long\n"
				"ffffffff81000000 U undefined\n"
				"ffffffff81000000 \0 end\n"
				"ffffffff81001000 T .dot\n"
				"ffffffff81001100 T .\n"
				"ffffffff81001200 T cut\0short\n"
				"ffffffff81001300 T cr\r\n"
				"ffffffff81001400 T no_newline");

	(void)state;
	assert_null(ksyms_name(k, 0xffffffff81000000, NULL));
	assert_null(ksyms_name(k, UINT64_MAX, NULL));
	check_name(k, 0xffffffff81001000, ".dot", 0);
	check_name(k, 0xffffffff81001100, ".", 0);
	check_name(k, 0xffffffff81001200, "cut", 0);
	check_name(k, 0xffffffff81001400, "no_newline", 0);
	ksyms_close(k);
}

static void long_names(void **state)
{
	char *text = malloc(200000), name[100001];
	struct ksyms *k;

	(void)state;
	assert_non_null(text);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, 200000, "ffffffff81000000 T %s\nffffffff81000010 T y\n", name);
	k = parse(text, strlen(text));
	check_name(k, 0xffffffff81000001, name, 1);
	check_name(k, 0xffffffff81000011, "y", 1);
	ksyms_close(k);
	free(text);
}

static void many_symbols(void **state)
{
	FILE *f = tmpfile();
	struct ksyms *k;
	char name[32];

	(void)state;
	assert_non_null(f);
	for (unsigned long i = 100000; i; i--)
		fprintf(f, "%016lx t sym%lu.suffix\t[m%d]\n", 0xffffffff80000000 + i * 16, i,
			i > 50000);
	rewind(f);
	assert_int_equal(ksyms_parse(&k, f), 0);
	for (unsigned long i = 1; i <= 100000; i += 33) {
		snprintf(name, sizeof(name), "sym%lu", i);
		check_name(k, 0xffffffff80000000 + i * 16 + 15, name, 15);
	}
	ksyms_close(k);
	fclose(f);
}

/* kptr_restrict, or no CAP_SYSLOG: all zero. */
static void hidden(void **state)
{
	struct ksyms *k = PARSE("0000000000000000 T _text\n"
				"0000000000000000 t veth_xdp\t[veth]\n");

	(void)state;
	assert_true(ksyms_hidden(k));
	assert_null(ksyms_name(k, 0, NULL));
	assert_null(ksyms_name(k, 0xffffffff81000000, NULL));
	assert_true(ksyms_address(k, "_text") == 0);
	check_creator(k, STACK(CREATE, VETH), NULL);
	ksyms_close(k);
	k = PARSE("");
	assert_true(ksyms_hidden(k));
	ksyms_close(k);
}

static void unreadable(void **state)
{
	FILE *f = fopen("/", "re");
	struct ksyms *k = NULL;

	(void)state;
	assert_non_null(f);
	assert_true(ksyms_parse(&k, f) < 0);
	assert_null(k);
	fclose(f);
}

/* Whatever this machine shows. */
static void of_this_machine(void **state)
{
	struct ksyms *k;
	uint64_t address;

	(void)state;
	assert_int_equal(ksyms_open(&k), 0);
	ksyms_refresh(k); /* nothing read yet */
	address = ksyms_address(k, "_stext");
	if (address)
		assert_non_null(ksyms_name(k, address, NULL));
	ksyms_refresh(k);
	assert_true(ksyms_hidden(k) || ksyms_address(k, "_stext") == address);
	ksyms_close(k);
	ksyms_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(first_of_several_at_one_address),
		cmocka_unit_test(unknown_addresses),
		cmocka_unit_test(addresses),
		cmocka_unit_test(creators),
		cmocka_unit_test(creators_among_tracers),
		cmocka_unit_test(creators_after_unknown_programs),
		cmocka_unit_test(creators_after_hidden_programs),
		cmocka_unit_test(creators_gone),
		cmocka_unit_test(call_at_the_end),
		cmocka_unit_test(no_creator),
		cmocka_unit_test(odd_lines),
		cmocka_unit_test(long_names),
		cmocka_unit_test(many_symbols),
		cmocka_unit_test(hidden),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(of_this_machine),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
