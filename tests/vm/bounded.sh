# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by bounded-*.t: what there is too much of, and what comes and goes. Runs in the guest.

# shellcheck disable=SC2034,SC2016
bounded='
cat >/root/.jq <<END
def allocs: .alloc | .fast + .refill + .slow + .slow_high_order;
END
kernel_kib() { awk "/^(Slab|VmallocUsed|Percpu):/ { n += \$2 } END { print n }" /proc/meminfo; }
look() { document -i 0.1 >/tmp/doc; }
is() { expect "$1" 0 sh -c "jq -ne \"input | $2\" /tmp/doc || { jq -c \".losses, .totals, .devices\" /tmp/doc; false; }"; }

# Live frames from $1 pools, one after the other on each of two CPUs. A program that is preempted
# misses what the other does meanwhile, so each has its own CPU.
sent=0
churn() {
	ppload drop -n 8 -b 8 -r $(($1 / 2)) -C 0 >/tmp/sent.0 & a=$!
	ppload drop -n 8 -b 8 -r $(($1 / 2)) -C 1 >/tmp/sent.1 & b=$!
	wait $a && wait $b || echo "not ok - the load ran"
	sent=$((sent + $(jq -s "map(.sent) | add" /tmp/sent.0 /tmp/sent.1)))
}

for s in $sources; do
	ppooltop attach --source $s >/dev/null
	sent=0
	churn 200
	before=$(kernel_kib)
	since=$(cut -d. -f1 /proc/uptime)
	churn $pools
	echo "# $pools pools in $(($(cut -d. -f1 /proc/uptime) - since)) s"
	after=$(kernel_kib)
	look
	is "$s: totals of $pools dead pools are the $sent frames sent" "(.totals | allocs) == $sent"
	is "$s: so are the devices" "([.devices[] | allocs] | add) == $sent"
	is "$s: the dead are not listed" "all(.pools[]; .state == \\\"system\\\")"
	is "$s: nothing is lost" ".losses == {pools: 0, events: 0} and .totals.complete"
	# Free pages come and go on lists of their CPUs.
	expect "$s: memory was $before KiB, and is $after" 0 test $((after - before)) -le 2048
	ppooltop detach >/dev/null
done
'

# A veth that does GRO has a pool for each of its queues.
# shellcheck disable=SC2034,SC2016
crowded='
veth() {
	ip link add $1 numrxqueues $2 numtxqueues 1 type veth peer name p$1 numrxqueues 1 numtxqueues 1
	ip link set $1 up
	ethtool -K $1 gro on
}
cpus=$(nproc)
ppooltop attach --source fentry >/dev/null
for i in 1 2 3 4 5; do veth many$i 1000; done
look
is "of 5,000 pools and those of the system 4,096 are shown" "(.pools | length) == 4096"
is "the rest is lost, each once" ".losses.pools == 5000 + $cpus - 4096"
is "and sums are not complete" "(.totals.complete | not) and (.devices | all(.complete | not))"
look
is "which a look does not change" ".losses.pools == 5000 + $cpus - 4096"
ip link del many1
look
is "when there is room, they are met" "([.pools[] | select(.state == \\\"live\\\")] | length) == 4000"
for i in 2 3 4 5; do ip link del many$i; done
look
is "and all are gone" "[.pools[] | select(.state != \\\"system\\\")] == []"
ppooltop detach >/dev/null
'

# CPUs that go and come.
# shellcheck disable=SC2034,SC2016
hotplug='
cpu1() { echo $1 >/sys/devices/system/cpu/cpu1/online; }
flap() { for i in 1 2 3 4 5 6; do sleep 0.3; cpu1 0; sleep 0.3; cpu1 1; done; }
flap & flap=$!
group "a CPU goes and comes" exact $stats -m "ppload drop -n 300000 -C 0" "ppload redirect -n 200000 -r 2"
wait $flap
'
