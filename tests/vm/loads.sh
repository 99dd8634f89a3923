# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the tests of exactness: what is the same on every kernel. LOADS runs in the guest.

# 2,000,000 frames of each kind from two CPUs at once, several pools each; then all kinds together.
# The counters of each pool and CPU have to be right to the unit.
# shellcheck disable=SC2034,SC2016
loads='
for mode in drop pass tx redirect; do
	group "$mode" exact $stats "ppload $mode -n 500000 -r 2 -C 0" "ppload $mode -n 500000 -r 2 -C 1"
done
group "all kinds" exact $stats "ppload drop -n 100000 -r 3 -C 0" "ppload pass -n 100000 -r 3 -C 1" \
	"ppload tx -n 100000 -C 2" "ppload redirect -n 100000 -C 3"
group "full rings, another CPU" exact $stats -m "ppload cpumap -n 200000 -C 0" "ppload cpumap -n 200000 -C 1"
group "held by a socket" exact $stats -m "ppload udp-hold -n 300 -t 2"
'

# The other ways to the same numbers: sources, and levels that derive what they do not count.
# shellcheck disable=SC2034,SC2016
others='
for how in $ways; do
	group "all kinds, by $how" exact $stats -m $how "ppload drop -n 50000 -r 3 -C 0" \
		"ppload pass -n 50000 -r 3 -C 1" "ppload tx -n 50000 -C 2" "ppload redirect -n 50000 -C 3"
	bound=
	[ $how != -lslow ] || bound=-E
	group "full rings, by $how" exact $stats -m $bound $how "ppload cpumap -n 50000 -C 0" "ppload cpumap -n 50000 -C 1"
done
'

# The test has to see a fault: a hook gone, one counted twice, one CPU left out.
# shellcheck disable=SC2034,SC2016
faults='
pair() { exact $stats "$@" "ppload drop -n 20000 -C 0" "ppload redirect -n 20000 -C 1"; }
for prog in $needed; do
	refute "fails without $prog" pair -w $prog
done
for prog in $doubled; do
	refute "fails with $prog counted twice" pair -t $prog
done
refute "fails without the slot of a CPU" pair -x 1
group "and is right again after that" pair
'
