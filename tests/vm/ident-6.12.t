#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of pools on 6.12, whose kernel has a list of them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ident.sh"
exec "$here/tap" --kernel 6.12 --smp 2 --timeout 300 --check-dmesg -- "
sources='fentry kprobe tracepoint'
$ident
$probes"
