#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The audit on 6.1: sees a hook that is missing within one refresh, and nothing where none is. No
# driver of the lab has a pool here, so that there is none that lives long enough to be met: live
# frames have one for each run, and a run without pauses would keep programs from being attached.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/audit.sh"
exec "$here/tap" --kernel 6.1 --smp 4 --timeout 600 --check-dmesg -- "
kept='alloc_pages put_defragged_page refill_exit slow_pages_exit'
released=release_page
long=
load1='ppload drop -n 1G -R 3K'
load2='ppload pass -n 1G -R 3K'
$audits"
