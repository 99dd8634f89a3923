#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What there is too much of, on 7.2. POOLS=100000 makes and unmakes so many.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/bounded.sh"
exec "$here/tap" --kernel 7.2 --smp 2 --timeout 900 --check-dmesg -- "
pools=${POOLS:-4000}
sources='fentry kernel'
stats=-S
$bounded
$crowded
$hotplug"
