#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Attached collection on 7.2: against the kernel's own counters, while viewers die.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/tap" --kernel 7.2 --smp 2 --timeout 900 --check-dmesg -- '
stats=-S
. tests/vm/attach.sh
kind kernel full tracepoint
basics --source fentry
unwatched
two_viewers
killed_viewers 200 tracepoint kprobe
demo
detach_under_viewer
'
