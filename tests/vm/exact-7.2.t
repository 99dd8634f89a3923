#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 7.2, where the kernel keeps its own: equal to the unit.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/loads.sh"
exec "$here/tap" --kernel 7.2 --smp 4 --timeout 900 --check-dmesg -- "
stats=-S
needed='put_unrefed_netmem refill_exit slow_netmems_exit'
doubled='alloc_netmems put_unrefed_netmem'
$loads
group 'fragments (page_pool_alloc_frag_netmem)' exact -S 'ppload veth-xdp -n 50000'
group 'whole pages through veth' exact -S 'ppload veth-xdp -n 50000 -s 1472'
$faults
refute 'fails without release_netmem' exact -S -m -w release_netmem 'ppload cpumap -n 50000'
refute 'fails without frag_netmem_exit' exact -S -w frag_netmem_exit 'ppload veth-xdp -n 20000'"
