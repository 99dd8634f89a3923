#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Network cards on 7.2: virtio-net under TCP, compared with netlink as well; vmxnet3's bulk puts.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/tap" --kernel 7.2 --smp 4 --nic virtio --nic virtio --nic vmxnet3 --nic vmxnet3 --timeout 900 --check-dmesg -- '
modprobe -r vmxnet3
group "virtio-net, 1 GB by TCP" exact -S -n -m "modprobe -r virtio_net; modprobe virtio_net; ppload virtio -n 1G"
group "virtio-net, pools that are met" exact -S -m -b "modprobe -r virtio_net; modprobe virtio_net; ppload virtio -n 1M" "ppload virtio -n 100M"
modprobe -r virtio_net
group "bulk (page_pool_put_netmem_bulk)" exact -S -m "modprobe vmxnet3; ppload bulk -n 100000"
'
