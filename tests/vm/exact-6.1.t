#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 6.1, which keeps none. No device that QEMU has uses bulk puts or fragments there.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/loads.sh"
exec "$here/tap" --kernel 6.1 --smp 4 --timeout 900 --check-dmesg -- "
ways='-skprobe -lderived -lslow'
stats=
needed='alloc_pages put_defragged_page refill_exit slow_pages_exit'
doubled='alloc_pages put_defragged_page'
$loads
$others
$faults"
