#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 7.2, where the kernel keeps its own: equal to the unit.
# veth-xdp with -m: an skb that a socket gave to another CPU (skb_attempt_defer_free(),
# net/core/skbuff.c) is freed there some time later, so that on a busy machine each pool of a veth is
# destroyed with pages out, and none at rest. Counters are compared when the last page is back.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/loads.sh"
exec "$here/tap" --kernel 7.2 --smp 4 --timeout 900 --check-dmesg -- "
ways='-skernel -skprobe -lderived -lslow'
stats=-S
needed='put_unrefed_netmem refill_exit slow_netmems_exit'
doubled='alloc_netmems put_unrefed_netmem'
$loads
$others
group 'fragments (page_pool_alloc_frag_netmem)' exact -S -m 'ppload veth-xdp -n 50000'
group 'whole pages through veth' exact -S -m 'ppload veth-xdp -n 50000 -s 1472'
group 'kernel, fentry and kprobe at once' exact -S -m -s kernel -s fentry -s kprobe 'ppload drop -n 50000 -r 3 -C 0' \
	'ppload pass -n 50000 -r 3 -C 1' 'ppload cpumap -n 50000 -C 2' 'ppload veth-xdp -n 20000'
$faults
refute 'fails without release_netmem' exact -S -m -w release_netmem 'ppload cpumap -n 50000'
refute 'fails without frag_netmem_exit' exact -S -m -w frag_netmem_exit 'ppload veth-xdp -n 20000'"
