#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 6.12, which keeps none: frames sent, pages held, and what lies in cache and ring.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/loads.sh"
exec "$here/tap" --kernel 6.12 --smp 4 --nic vmxnet3 --nic vmxnet3 --timeout 900 --check-dmesg -- "
stats=
needed='alloc_pages put_unrefed_netmem refill_exit slow_pages_exit'
doubled='alloc_pages put_unrefed_netmem'
$loads
group 'fragments (page_pool_alloc_frag_netmem)' exact 'ppload veth-xdp -n 50000'
group 'whole pages through veth' exact 'ppload veth-xdp -n 50000 -s 1472'
group 'bulk (page_pool_put_page_bulk)' exact -m 'modprobe -r vmxnet3; modprobe vmxnet3; ppload bulk -n 100000'
$faults"
