#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 6.12 as build-kernel makes it: Debian's source, another compiler's inlining, and
# the kernel's own counters, to be equal to.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/loads.sh"
exec "$here/tap" --kernel stats-6.12 --smp 4 --nic vmxnet3 --nic vmxnet3 --timeout 900 --check-dmesg -- "
ways='-skernel -skprobe -lderived -lslow'
stats=-S
needed='put_unrefed_netmem refill_exit slow_pages_exit'
doubled=put_unrefed_netmem
$loads
$others
group 'fragments (page_pool_alloc_frag_netmem)' exact -S -m 'ppload veth-xdp -n 50000'
group 'whole pages through veth' exact -S -m 'ppload veth-xdp -n 50000 -s 1472'
group 'bulk (page_pool_put_page_bulk)' exact -S -m 'modprobe -r vmxnet3; modprobe vmxnet3; ppload bulk -n 100000'
$faults
# Which one it is that counts is for the compiler: gcc 12 lets alloc_pages call alloc_netmems, as on
# 7.2, and gcc 14 inlines that.
either() { pair -t alloc_pages; pair -t alloc_netmems; }
refute 'fails with alloc_pages or alloc_netmems counted twice' either
refute 'fails without frag_netmem_exit' exact -S -m -w frag_netmem_exit 'ppload veth-xdp -n 20000'"
