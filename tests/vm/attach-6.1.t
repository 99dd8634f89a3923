#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Attached collection on 6.1: kprobes, levels, and attach and detach that die.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/tap" --kernel 6.1 --smp 2 --timeout 600 --check-dmesg -- '
stats=
. tests/vm/attach.sh
basics --source kprobe
unwatched
gone
kind fentry slow kprobe
kind fentry derived tracepoint
kind tracepoint full fentry
group "killed" kill-attach 12 tracepoint
nothing_left "killed: nothing is left"
'
