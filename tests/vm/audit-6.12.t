#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The audit on 6.12: sees a hook that is missing within one refresh, and nothing where none is.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/audit.sh"
exec "$here/tap" --kernel 6.12 --smp 4 --timeout 600 --check-dmesg -- "
kept='alloc_pages put_unrefed_netmem refill_exit slow_pages_exit'
released=release_netmem
long=1
load1='ppload veth-xdp -n 1G -s 1472'
load2='ppload generic -n 1G'
$audits"
