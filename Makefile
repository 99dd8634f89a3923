# SPDX-License-Identifier: GPL-2.0-or-later
#
# make help lists what can be made. V=1 shows the commands.

VERSION	:= 0.1.0

prefix	?= /usr/local
sbindir	?= $(prefix)/sbin
mandir	?= $(prefix)/share/man
datadir	?= $(prefix)/share
DESTDIR	?=

CC	?= gcc
CLANG	?= clang
BPFTOOL	?= $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool || echo bpftool)
CFLAGS	?= -O2 -g
B	?= build

ifeq ($(V),1)
Q	:=
say	= @:
else
Q	:= @
say	= @printf '  %-8s %s\n'
MAKEFLAGS += --no-print-directory
endif

ARCH	:= $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
WARN	:= -Wall -Wextra -Werror
CPPFLAGS_ := -D_GNU_SOURCE -DVERSION=\"$(VERSION)\" -Iinclude -I$(B) $(CPPFLAGS)
CFLAGS_	:= -std=gnu11 $(WARN) $(CFLAGS)
LIBS	:= -lbpf -lelf -lz -lmnl -ljson-c -lzstd -lcap -lncursesw -ltinfo -lm
BPFFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Wall -Wextra -Werror \
	    -Wno-unused-parameter -Ivmlinux -Iinclude

SRCS	:= $(sort $(wildcard src/*/*.c))
OBJS	:= $(SRCS:%.c=$(B)/%.o)
# What tests are linked with.
CORE	:= $(filter-out $(B)/src/cmd/%,$(OBJS))
BPFSRCS	:= $(sort $(wildcard bpf/*.bpf.c))
# Programs on functions are compiled for fentry and for kprobes: bpf/hook.bpf.h.
HOOKSRCS := $(sort $(shell grep -lw ENTRY $(BPFSRCS)))
BPFOBJS	:= $(BPFSRCS:%.bpf.c=$(B)/%.bpf.o) $(HOOKSRCS:%.bpf.c=$(B)/%.kprobe.o)
SKEL	:= $(B)/ppooltop.skel.h
UNITS	:= $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
TTYTESTS := $(B)/tests/drive
VMTESTS	:= $(B)/tests/exact $(B)/tests/audit $(B)/tests/nlstats $(B)/tests/pass.bpf.o

.PHONY: all
all: $(B)/ppooltop $(B)/load/ppload $(VMTESTS) $(TTYTESTS)

.PHONY: help
help:
	@echo 'all            build (the default)'
	@echo 'deps           install what is missing to build and test'
	@echo 'demo           install what is missing, build, and show page_pools at work'
	@echo 'check          install what is missing, build, and run the tests'
	@echo 'check-unit     the tests that need no kernel, with and without sanitizers'
	@echo 'check-style    clang-format, clang-tidy, cppcheck'
	@echo 'vmlinux-check  compare vmlinux/vmlinux.h with the BTF of the lab kernels'
	@echo 'lab            the tests on the lab kernels, those that take long as well'
	@echo 'bench          what watching, drawing and exporting cost'
	@echo 'install        into $$(DESTDIR)$$(prefix), now $(DESTDIR)$(prefix)'
	@echo 'clean          remove $(B)/'

# What bpftool 7.1 makes leaks when memory is out; that is not ours to mend.
define skeleton
{ echo '/* NOLINTBEGIN */'; $(BPFTOOL) gen skeleton $(1) name $(2) && \
	echo '/* NOLINTEND */'; } > $@.tmp && mv $@.tmp $@
endef

# --- BPF -----------------------------------------------------------------------------------------

BPFDEPS	:= $(wildcard bpf/*.bpf.h) vmlinux/vmlinux.h include/slots.h include/counters.h Makefile

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(BPFDEPS)
	$(say) CLANG $@
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -c $< -o $@

$(B)/bpf/%.kprobe.o: bpf/%.bpf.c $(BPFDEPS)
	$(say) CLANG $@
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -DPP_KPROBE -c $< -o $@

$(B)/ppooltop.bpf.o: $(BPFOBJS)
	$(say) LINK $@
	$(Q)$(BPFTOOL) gen object $@ $^

$(SKEL): $(B)/ppooltop.bpf.o
	$(say) SKEL $@
	$(Q)$(call skeleton,$<,ppooltop_bpf)

# --- the program ---------------------------------------------------------------------------------

$(B)/%.o: %.c Makefile | $(SKEL)
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_) $(CFLAGS_) -MMD -MP -c $< -o $@

# The skeleton is made: whoever includes it is made again with it.
$(B)/src/collect/bpf.o $(B)/src/collect/bpf_read.o $(B)/src/collect/bpf_pin.o: $(SKEL)

$(B)/ppooltop: $(B)/src/main.o $(OBJS)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/load/ppload: $(B)/tests/load/ppload.o $(filter $(B)/src/load/%,$(OBJS))
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/tests/nlstats: $(B)/tests/vm/nlstats.o
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/tests/drive: $(B)/tests/tty/drive.o
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ -lutil

# --- tests ---------------------------------------------------------------------------------------

$(B)/truth.skel.h: tests/vm/truth.bpf.c tests/vm/truth.h vmlinux/vmlinux.h Makefile
	$(say) SKEL $@
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -c $< -o $(B)/truth.bpf.o
	$(Q)$(call skeleton,$(B)/truth.bpf.o,truth_bpf)

$(B)/tests/pass.bpf.o: tests/vm/pass.bpf.c vmlinux/vmlinux.h Makefile
	$(say) CLANG $@
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -c $< -o $@

$(B)/tests/vm/exact.o: $(B)/truth.skel.h $(SKEL)

$(B)/tests/exact: $(B)/tests/vm/exact.o $(CORE)
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/tests/redraw $(B)/tests/outputs: $(B)/tests/%: $(B)/tests/bench/%.o $(CORE)
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

$(B)/tests/audit: $(B)/tests/vm/audit.o $(CORE)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

$(UNITS:$(B)/unit/%=$(B)/tests/unit/%.o): CPPFLAGS_ += -Isrc/collect

$(B)/unit/test_options: $(B)/src/cmd/options.o

$(B)/unit/%: $(B)/tests/unit/%.o $(CORE)
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ -lcmocka $(LIBS)

.PHONY: units
units: $(UNITS)

# A recording of 1,000 pools on 64 CPUs, for measuring.
$(B)/big.jsonl: tests/fixtures/make
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)$< big >$@.tmp && mv $@.tmp $@

# The same tests, with every access and every overflow watched.
SANITIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

.PHONY: units-asan
units-asan:
	$(Q)$(MAKE) B=$(B)/asan CFLAGS="$(SANITIZE)" units $(B)/asan/ppooltop

# TAP from cmocka, so that prove reads programs and scripts alike.
PROVE	:= CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' --timer
ASAN_UNITS = $(UNITS:$(B)/%=$(B)/asan/%)

.PHONY: check-unit
check-unit: units units-asan
	$(Q)$(PROVE) $(UNITS) $(ASAN_UNITS)

CFILES	:= $(sort $(wildcard src/*.c src/*/*.[ch] include/*.h bpf/*.[ch] vmlinux/*.[ch] tests/*/*.[ch]))
TIDY	:= $(sort $(wildcard src/*.c src/*/*.c vmlinux/*.c tests/load/*.c tests/vm/exact.c tests/vm/audit.c \
		     tests/vm/nlstats.c tests/tty/*.c tests/bench/*.c tests/unit/*.c))

.PHONY: check-style
check-style: $(SKEL) $(B)/truth.skel.h
	$(say) FORMAT "$(words $(CFILES)) files"
	$(Q)clang-format --dry-run -Werror $(CFILES)
	$(say) TIDY "$(words $(TIDY)) files"
	$(Q)printf '%s\n' $(TIDY) | xargs -P 2 -n 8 sh -c \
		'clang-tidy --quiet "$$@" -- $(CPPFLAGS_) -Isrc/collect -std=gnu11 2>/dev/null' tidy
	$(say) CPPCHECK "src tests"
	$(Q)cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
		--enable=warning,performance,portability --suppress=missingIncludeSystem \
		--include=tests/cppcheck.h -D_GNU_SOURCE -DVERSION='""' -Iinclude -Isrc/collect $(TIDY)
	$(say) MAN man/ppooltop.8
	$(Q)! LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l man/ppooltop.8 \
		2>&1 >/dev/null | grep .

# --- vmlinux.h -----------------------------------------------------------------------------------

$(B)/vmlinux/check: $(wildcard vmlinux/*.c) vmlinux/check.h Makefile
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_) $(CFLAGS_) $(LDFLAGS) $(filter %.c,$^) -o $@ -lbpf -lelf -lz

# All types of vmlinux.h, used or not.
$(B)/vmlinux/all.bpf.o: vmlinux/vmlinux.h vmlinux/all.sed Makefile
	$(say) CLANG $@
	@mkdir -p $(@D)
	$(Q)sed -nEf vmlinux/all.sed $< | $(CLANG) $(BPFFLAGS) -include $< -x c -c - -o $@

.PHONY: vmlinux-check
vmlinux-check: $(B)/vmlinux/check $(B)/vmlinux/all.bpf.o $(B)/ppooltop.bpf.o
	$(Q)vmlinux/btf
	$(Q)$< vmlinux/expect $(B)/vmlinux/all.bpf.o $(B)/ppooltop.bpf.o \
		$$(tests/vm/fetch-kernel --list | sed 's,.*,&=build/btf/&.btf,')

# --- what people run -----------------------------------------------------------------------------

.PHONY: deps
deps:
	$(Q)contrib/deps build lab test

# Everything, in one run of prove, whose closing lines say how it went.
.PHONY: check
check: deps
	$(Q)$(MAKE) all units units-asan
	$(Q)$(MAKE) check-style
	$(Q)tests/vm/run --fetch
	$(Q)tests/prometheus/fetch >/dev/null
	$(Q)$(MAKE) vmlinux-check
	$(Q)$(PROVE) -j 2 $(UNITS) $(ASAN_UNITS) $(sort $(wildcard tests/*.t)) $(LAB_TESTS)

# The longest first: two run at a time. What shows little more, or takes longer
# still, is for "make lab".
LAB_TESTS := $(addprefix tests/vm/,exact-7.2.t exact-stats-6.12.t exact-more-7.2.t exact-6.12.t exact-6.1.t \
	     attach-6.12.t audit-7.2.t ident-7.2.t bounded-7.2.t selftest.t queues-7.2.t exact-more-stats-6.12.t \
	     churn-7.2.t top-7.2.t nics.t cli-7.2.t cli-6.12.t cli-6.1.t cli-stats-6.12.t lockdown.t)
LONG_TESTS := $(sort $(filter-out $(LAB_TESTS),$(wildcard tests/vm/*.t)))

.PHONY: lab
lab:
	$(Q)contrib/deps build lab test
	$(Q)$(MAKE) all
	$(Q)tests/vm/run --fetch
	$(Q)$(PROVE) -j 2 $(LAB_TESTS) $(LONG_TESTS)

.PHONY: demo
demo:
	$(Q)contrib/deps build
	$(Q)$(MAKE) all
	$(Q)B=$(B) tests/demo

.PHONY: bench
bench: all
	$(Q)tests/bench/top
	$(Q)tests/bench/outputs
	$(Q)tests/bench/cost

.PHONY: install
install: $(B)/ppooltop
	install -d $(DESTDIR)$(sbindir) $(DESTDIR)$(mandir)/man8 $(DESTDIR)$(datadir)/ppooltop
	install -m 755 $(B)/ppooltop $(DESTDIR)$(sbindir)/ppooltop
	install -m 644 man/ppooltop.8 $(DESTDIR)$(mandir)/man8/ppooltop.8
	install -m 644 contrib/prometheus/ppooltop.rules.yml contrib/grafana/ppooltop.json \
		$(DESTDIR)$(datadir)/ppooltop

-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: clean
clean:
	$(Q)rm -rf $(B)
