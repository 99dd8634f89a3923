#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 6.12, which keeps none: frames sent, pages held, and what lies in cache and ring.
# veth-xdp with -m: on a busy machine the last skbs are freed late, by another CPU, so that each pool
# of a veth is destroyed with pages out, and none at rest.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/loads.sh"
exec "$here/tap" --kernel 6.12 --smp 4 --nic vmxnet3 --nic vmxnet3 --timeout 900 --check-dmesg -- "
ways='-skprobe -lderived -lslow'
stats=
needed='alloc_pages put_unrefed_netmem refill_exit slow_pages_exit'
doubled='alloc_pages put_unrefed_netmem'
$loads
$others
group 'fragments (page_pool_alloc_frag_netmem)' exact -m 'ppload veth-xdp -n 50000'
group 'whole pages through veth' exact -m 'ppload veth-xdp -n 50000 -s 1472'
group 'bulk (page_pool_put_page_bulk)' exact -m 'modprobe -r vmxnet3; modprobe vmxnet3; ppload bulk -n 100000'
$faults"
