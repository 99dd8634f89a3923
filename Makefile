# SPDX-License-Identifier: GPL-2.0-or-later
#
# make help lists what can be made. V=1 shows the commands.

VERSION	:= 0.1.0

prefix	?= /usr/local
sbindir	?= $(prefix)/sbin
mandir	?= $(prefix)/share/man
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
LIBS	:= -lbpf -lelf -lz -lmnl -ljson-c -lcap -lm
BPFFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Wall -Wextra -Werror \
	    -Wno-unused-parameter -Ivmlinux -Iinclude

SRCS	:= $(sort $(wildcard src/*/*.c))
OBJS	:= $(SRCS:%.c=$(B)/%.o)
# What tests are linked with.
CORE	:= $(filter-out $(B)/src/cmd/%,$(OBJS))
BPFOBJS	:= $(patsubst bpf/%.bpf.c,$(B)/bpf/%.bpf.o,$(sort $(wildcard bpf/*.bpf.c)))
SKEL	:= $(B)/ppooltop.skel.h
UNITS	:= $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
VMTESTS	:= $(B)/tests/exact $(B)/tests/nlstats

.PHONY: all
all: $(B)/ppooltop $(B)/load/ppload $(VMTESTS)

.PHONY: help
help:
	@echo 'all            build (the default)'
	@echo 'deps           install what is missing to build and test'
	@echo 'demo           install what is missing, build, and show page_pools at work'
	@echo 'check          install what is missing, build, and run every test'
	@echo 'check-unit     the tests that need no kernel, with and without sanitizers'
	@echo 'check-style    clang-format, clang-tidy, cppcheck'
	@echo 'vmlinux-check  compare vmlinux/vmlinux.h with the BTF of the lab kernels'
	@echo 'lab            fetch the lab kernels and run the tests on them'
	@echo 'bench          what watching costs, in instructions'
	@echo 'install        into $$(DESTDIR)$$(prefix), now $(DESTDIR)$(prefix)'
	@echo 'clean          remove $(B)/'

# --- BPF -----------------------------------------------------------------------------------------

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.bpf.h) vmlinux/vmlinux.h include/slots.h \
		include/counters.h Makefile
	$(say) CLANG $@
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -c $< -o $@

$(B)/ppooltop.bpf.o: $(BPFOBJS)
	$(say) LINK $@
	$(Q)$(BPFTOOL) gen object $@ $^

$(SKEL): $(B)/ppooltop.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name ppooltop_bpf > $@.tmp
	$(Q)mv $@.tmp $@

# --- the program ---------------------------------------------------------------------------------

$(B)/%.o: %.c Makefile | $(SKEL)
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_) $(CFLAGS_) -MMD -MP -c $< -o $@

# The skeleton is made: whoever includes it is made again with it.
$(B)/src/collect/bpf.o: $(SKEL)

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

# --- tests ---------------------------------------------------------------------------------------

$(B)/truth.skel.h: tests/vm/truth.bpf.c tests/vm/truth.h vmlinux/vmlinux.h Makefile
	$(say) SKEL $@
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPFFLAGS) -c $< -o $(B)/truth.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $(B)/truth.bpf.o name truth_bpf > $@.tmp
	$(Q)mv $@.tmp $@

$(B)/tests/vm/exact.o: $(B)/truth.skel.h $(SKEL)

$(B)/tests/exact: $(B)/tests/vm/exact.o $(CORE)
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_) $(LDFLAGS) $^ -o $@ $(LIBS)

-include $(shell find $(B) -name '*.d' 2>/dev/null)

.PHONY: clean
clean:
	$(Q)rm -rf $(B) $(B)-asan
