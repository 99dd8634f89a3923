#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Attached collection on 6.1: by kprobes; and attach and detach that die.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/tap" --kernel 6.1 --smp 2 --timeout 900 --check-dmesg -- '
stats=
. tests/vm/attach.sh
basics --source kprobe
unwatched
killed_viewers 20 tracepoint
gone
kind fentry slow tracepoint
group "killed" kill-attach 12 tracepoint
nothing_left "killed: nothing is left"
'
