# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of exactness on kernels that keep counters of their own: loads that take
# more than live frames. They run in the guest, which has two vmxnet3 NICs. With lose=-L in it,
# events may be lost in all of them.

# What the loads share; each is a shell of its own.
# shellcheck disable=SC2034,SC2016
more_setup='
cat >/tmp/lib.sh <<END
nics() { ls -d /sys/bus/\$1/drivers/\$2/*/net/* | sed "s,.*/,,"; }
vmxnet3() { set -- \$(nics pci vmxnet3); v0=\$1 v1=\$2; }
virtio() { set -- \$(nics virtio virtio_net); w0=\$1 w1=\$2; }
# Interrupts to the CPUs of a mask: those there are, and those of devices that come up.
interrupt() { for i in /proc/irq/default_smp_affinity /proc/irq/*/smp_affinity; do echo \$1 >\$i; done 2>/dev/null; }
# Until a program is attached to a device.
attached() { until ip -d link show \$1 | grep -q prog/xdp; do :; done; }
vmxnet3
END
modprobe -r vmxnet3; modprobe vmxnet3
. /tmp/lib.sh
load() { title=$1; shift; group "$title" exact -S -m $lose "$@"; }
'

# Packets of sockets: whole pages and parts of pages, read by who sent them and by others. A socket
# may give an skb to the CPU it came from to be freed; later on it is freed where it was read.
# shellcheck disable=SC2034,SC2016
more_packets='
load "veth, jumbo frames" "ppload veth-xdp -n 5000 -s 8000"
load "veth, jumbo frames that XDP drops" "ppload veth-xdp -n 2000 -s 8000 -x drop"
load "veth, pages that somebody else holds" "ppload veth-xdp -n 20000 -x tx" "ppload veth-xdp -n 5000 -s 1472 -x tx"
load "generic XDP, counters that the kernel keeps for all CPUs together" -s kernel "ppload generic -n 1000 -s 3000 -C 0" \
	"ppload generic -n 1000 -C 1"
load "generic XDP on lo, each CPU its pool" "ppload generic -n 10000 -s 3000 -C 0" "ppload generic -n 10000 -C 1" \
	"ppload generic -n 3000 -s 40000 -x drop -C 2" "ppload generic -n 10000 -s 1400 -C 3"
sysctl -q -w net.core.skb_defer_max=0
load "parts of a page, freed by four CPUs" -W shared "ppload veth-xdp -n 20000 -w 4"
load "generic XDP, read on four CPUs" -W shared "ppload generic -n 20000 -w 4 -C 1" "ppload generic -n 5000 -s 3000 -w 4 -C 2"
'

# shellcheck disable=SC2034,SC2016
more_nics='
load "vmxnet3 with XDP" ". /tmp/lib.sh; ppload nic-xdp -d \$v0 -d \$v1 -n 10000 -w 2 &&
	ppload nic-xdp -d \$v0 -d \$v1 -n 10000 -x drop && ppload nic-xdp -d \$v0 -d \$v1 -n 10000 -x tx -s 1400"
load "vmxnet3 with XDP, TCP" ". /tmp/lib.sh; ppload virtio -d \$v0 -d \$v1 -x pass -n 20M"
'

# Plain process context, which softirqs interrupt: those of a timer, of hardware, and of what wakes
# the loopback. A BPF program that is interrupted is not entered again, so that the puts of a whole
# poll can be missed; what is missing must not be more than is said to be lost.
# shellcheck disable=SC2034,SC2016
more_interrupts='
modprobe -q sch_netem
load "puts interrupted by a timer" -L -W nested "ppload veth-xdp -x drop -s 1472 -n 40000 -j 200 -C 1" \
	"ppload veth-xdp -p -s 1472 -n 40000 -C 1"
interrupt 2
load "puts interrupted by a NIC" -L ". /tmp/lib.sh; ppload nic-xdp -d \$v0 -d \$v1 -x drop -n 30000 -C 2" \
	"ppload veth-xdp -p -s 1472 -n 30000 -C 1"
interrupt f
load "the same by kprobes" -s kprobe -L -W nested "ppload veth-xdp -x drop -s 1472 -n 40000 -j 200 -C 1" \
	"ppload veth-xdp -p -s 1472 -n 40000 -C 1"
load "generic XDP, puts in process context" -L "ppload generic -n 10000 -p -C 1" "ppload generic -n 10000 -s 3000 -p -w 2 -C 2"
'

# A driver without hardware: pages taken and given in process context, the last one given when its
# pool is destroyed already.
# shellcheck disable=SC2034,SC2016
more_netdevsim='
load "netdevsim" "modprobe netdevsim; ppload netdevsim -n 5000 -r 4"
'

# 7.2: an interrupt schedules the NAPI of a virtio-net that is just being given a page, which makes
# the put direct after all.
# shellcheck disable=SC2034,SC2016
more_late='
load "puts that an interrupt makes direct" -D -W lingered ". /tmp/lib.sh; modprobe -r virtio_net; modprobe virtio_net; virtio
	ppload nic-xdp -d \$w0 -d \$w1 -w 8 -s 1400 -n 4000"
'

# 7.2: bulk puts may mix pools, here of the live frames and of a virtio-net, whose own pages can go
# to its cache when it is polled on the same CPU.
# shellcheck disable=SC2034,SC2016
more_mixed='
interrupt 4
ip link set $v0 up
load "bulk puts that mix pools" -W mixed ". /tmp/lib.sh; modprobe -r virtio_net; modprobe virtio_net; virtio
	ppload nic-xdp -d \$w0 -d \$w1 -x redirect -d \$v0 -n 30000 -C 1" \
	". /tmp/lib.sh; attached \$v0; ppload redirect -d lo -d \$v0 -b 10 -n 100000 -C 2"
ip link set $v0 down
interrupt f
'
