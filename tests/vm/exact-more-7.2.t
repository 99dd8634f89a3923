#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every counter on 7.2 under more kinds of traffic.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/more-loads.sh"
exec "$here/tap" --kernel 7.2 --smp 4 --nic virtio --nic virtio --nic vmxnet3 --nic vmxnet3 --timeout 900 --check-dmesg -- "
lose=
$more_setup
$more_packets
$more_nics
$more_interrupts
$more_late
$more_mixed"
