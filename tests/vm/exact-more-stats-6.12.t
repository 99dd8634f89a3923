#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter under more kinds of traffic on a preemptible 6.12 that keeps its own. Sockets free
# there what they read in plain process context, where a softirq or another task may interrupt a BPF
# program: then events are lost, and said to be.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/more-loads.sh"
exec "$here/tap" --kernel stats-6.12 --smp 4 --nic vmxnet3 --nic vmxnet3 --timeout 900 --check-dmesg -- "
lose=-L
$more_setup
$more_packets
$more_nics
$more_netdevsim
$more_interrupts"
