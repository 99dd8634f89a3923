#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Attached collection on 6.12: what may be in the way, and levels.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/tap" --kernel 6.12 --smp 2 --timeout 900 --check-dmesg -- '
stats=
. tests/vm/attach.sh
not_root
no_bpffs
no_directory
two_attaches --source tracepoint
expect "attach" 0 ppooltop attach --source tracepoint
not_ours "true tracepoint "
other_version --source tracepoint
kind tracepoint full kprobe
kind fentry derived tracepoint
'
