#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of pools on 7.2, whose kernel has a list of them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/ident.sh"
exec "$here/tap" --kernel 7.2 --smp 2 --nic virtio --timeout 300 --check-dmesg -- "
sources='kernel fentry kprobe tracepoint'
$ident
$nic
$probes"
