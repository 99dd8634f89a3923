#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# virtio-net on 7.2 with four pairs of queues, while their number and the MTU change.
here=$(cd "$(dirname "$0")" && pwd)
[ -w /dev/net/tun ] || {
	echo "1..0 # SKIP QEMU's virtio-net has several queues on a tap device only: no /dev/net/tun for us"
	exit
}
# shellcheck disable=SC2016
exec "$here/tap" --kernel 7.2 --smp 4 --nic virtio,queues=4 --nic virtio --timeout 400 --check-dmesg -- '
cat >/tmp/lib.sh <<END
modprobe -r virtio_net; modprobe virtio_net
set -- \$(ls -d /sys/bus/virtio/drivers/virtio_net/*/net/* | sed "s,.*/,,")
a=\$1 b=\$2
change() {
	while sleep 0.1; do
		for queues in \$1; do ethtool -L \$a combined \$queues; sleep 0.05; done
		for mtu in 1400 9000 1500; do ip link set \$a mtu \$mtu; done
	done
}
END
load() { title=$1; shift; group "$title" exact -S -n -m "$@"; }
load "four queues, XDP" ". /tmp/lib.sh; ethtool -L \$a combined 4; ppload nic-xdp -d \$a -d \$b -w 8 -s 1400 -n 10000 &&
	ethtool -S \$a | grep \"rx[0-9]_xdp_packets\" >/tmp/queues"
expect "all of them were used" 0 sh -c "cat /tmp/queues; [ \$(grep -vc \": 0\$\" /tmp/queues) = 4 ]"
load "queues and MTU change" ". /tmp/lib.sh; change \"1 3 2 4\" & ppload nic-xdp -x none -d \$a -d \$b -w 8 -s 1000 -n 20000; kill \$!"
# With a program, the driver keeps the number of queues.
load "MTU change, XDP" ". /tmp/lib.sh; ethtool -L \$a combined 4; change & ppload nic-xdp -d \$a -d \$b -w 8 -s 1000 -n 20000; kill \$!"
load "queues and MTU change, TCP" ". /tmp/lib.sh; change \"1 3 2 4\" & ppload virtio -d \$a -d \$b -n 40M; kill \$!"
'
