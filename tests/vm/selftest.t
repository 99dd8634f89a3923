#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test lab's own test (TAP). On an idle machine about a minute, the first
# time with the fetching of kernels on top. Kernels that are built are looked at
# where they have been built: "run --fetch" does that.

set -u

here=$(cd "$(dirname "$0")" && pwd)
run=$here/run
kernels=$("$here/fetch-kernel" --list)
for kernel in $("$here/build-kernel" --list); do
	! "$here/build-kernel" --check "$kernel" || kernels+=" $kernel"
done
n=0
failed=0
idle=
slowest=1	# seconds that a boot has taken, rounded up

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ppooltop-selftest.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

#
# TAP.
#

ok() {
	n=$((n + 1))
	echo "ok $n - $1"
}

not_ok() {
	n=$((n + 1))
	failed=$((failed + 1))
	echo "not ok $n - $1"
}

is() {
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		printf '%s\n' "got:  $1" "want: $2" | sed 's/^/# /'
	fi
}

# has FILE REGEX NAME
has() {
	if grep -qE -- "$2" "$1"; then
		ok "$3"
	else
		not_ok "$3"
		tail -n 20 "$1" | tr -d '\0' | sed 's/^/#	/'
	fi
}

sum() {
	sha256sum <"$1" | cut -d' ' -f1
}

# fact FILE NAME: a value that guest_facts has printed.
fact() {
	sed -n "s/^$2=//p" "$1"
}

# Seconds, of which bash gives microseconds, as a difference with one decimal.
since() {
	awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'
}

#
# Each kernel, one after the other.
#

odd_args=('a  b' "it's" '"q"' $'two\nlines' '' '$HOME `id`' '\n\\' '*' $'\x81\xff')

# Runs in the guest: what it finds goes to stderr, as NAME=VALUE, and a large
# binary file to stdout.
guest_facts='
	echo start >&2
	exec 3>&1 1>&2
	uname -r | sed "s/^/release=/"
	[ -p /dev/stdin ] || [ -t 0 ] || echo stdin=null
	[ -p /dev/fd/3 ] && [ -p /dev/fd/2 ] && echo pipes=yes
	id -u | sed "s/^/uid=/"
	setpriv --reuid=nobody --regid=nogroup --clear-groups id -un |
		sed "s/^/nobody=/"
	hostname | sed "s/^/host=/"
	pwd | sed "s/^/cwd=/"
	nproc | sed "s/^/cpus=/"
	echo nodes=$(cat /sys/devices/system/node/node*/cpulist)
	[ -s /sys/kernel/btf/vmlinux ] && echo btf=yes
	modprobe veth && ip link add v0 type veth peer name v1 && echo veth=yes
	env ip -V | grep -q iproute2 && echo ip=real
	ip netns add far
	ip link set eth1 netns far
	ip addr add 10.9.0.1/24 dev eth0
	ip link set eth0 up
	ip -n far addr add 10.9.0.2/24 dev eth1
	ip -n far link set eth1 up
	ping -c 2 -W 5 10.9.0.2 >/dev/null && echo ping=yes
	ethtool -i eth0 | sed -n "s/^driver: /nic=/p"
	printf "arg=<%s>\n" "$@"
	cat /usr/bin/busybox >&3
	sleep 100 &
	exit 7
'

busybox=$(PATH=$PATH:/usr/sbin:/sbin type -P busybox)
printf 'arg=<%s>\n' "${odd_args[@]}" >"$tmp/args"

check_kernel() {
	local k=$1 out=$tmp/out.$1 err=$tmp/err.$1 start pid status
	local took='' release

	release=$(cat "$("$run" --dir "$k")/release")
	start=$EPOCHREALTIME
	"$run" --kernel "$k" --smp 4 --numa 2 --nic virtio --nic virtio \
		-- sh -c "$guest_facts" facts "${odd_args[@]}" \
		>"$out" 2>"$err" </dev/zero &
	pid=$!
	while [ -z "$took" ]; do
		sleep 0.1
		if [ -s "$err" ] || ! kill -0 $pid 2>/dev/null; then
			took=$(since "$start")
		fi
	done
	wait $pid
	status=$?

	is "$status" 7 "$k: exit status"
	is "$(sum "$out")" "$(sum "$busybox")" "$k: stdout, and nothing else"
	is "$(head -n 1 "$err")" start "$k: stderr, and nothing else"
	is "$(fact "$err" release)" "$release" "$k: release"
	is "$(fact "$err" stdin)$(fact "$err" pipes)" nullyes \
		"$k: stdin is empty, stdout and stderr are pipes"
	is "$(fact "$err" uid) $(fact "$err" nobody)" '0 nobody' "$k: users"
	is "$(fact "$err" host) $(fact "$err" cwd)" 'lab /ppooltop' \
		"$k: host name, directory"
	is "$(fact "$err" cpus)" 4 "$k: --smp"
	is "$(fact "$err" nodes)" '0-1 2-3' "$k: --numa"
	is "$(fact "$err" nic)$(fact "$err" ping)" virtio_netyes "$k: --nic"
	is "$(fact "$err" veth)" yes "$k: modprobe veth"
	is "$(fact "$err" btf)" yes "$k: kernel BTF"
	is "$(fact "$err" ip)" real "$k: ip is not busybox's"
	grep -a -A 1 '^arg=' "$err" | grep -av '^--$' >"$tmp/args.$k"
	is "$(sum "$tmp/args.$k")" "$(sum "$tmp/args")" "$k: arguments"

	[ "${took%.*}" -lt "$slowest" ] || slowest=$((${took%.*} + 1))
	echo "# $k: the command started after $took s"
	if [ -z "$idle" ]; then
		ok "$k: boots in 10 s # SKIP the machine is busy"
	elif awk -v t="$took" 'BEGIN { exit !(t < 10) }'; then
		ok "$k: boots in 10 s"
	else
		not_ok "$k: boots in 10 s"
	fi
}

#
# Everything else, two at a time.
#

# start NAME ARG...: leaves $tmp/NAME.{out,err,status}.
start() {
	local name=$1

	shift
	{
		"$run" "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
		echo $? >"$tmp/$name.status"
	} &
}

status_is() {
	is "$(cat "$tmp/$1.status")" "$2" "$3"
}

check_side_by_side() {
	start zero -- sh -c 'sleep 1; echo zero'
	start icount --icount --kernel 7.2 --append lab.word=1 -- sh -c '
		nproc; cat /proc/cmdline; sleep 30; cat /proc/uptime'
	wait
	status_is zero 0 'exit status 0'
	is "$(cat "$tmp/zero.out")" zero 'side by side: one'
	status_is icount 0 '--icount'
	is "$(sed -n 1p "$tmp/icount.out")" 1 'side by side: other'
	has "$tmp/icount.out" 'lab\.word=1' '--append'
}

check_failures() {
	# Enough to boot in, even if the machine is getting busier.
	local limit=$((slowest * 2 + 5))

	start timeout --timeout "$limit" -- sh -c 'echo before; sleep 1000'
	start panic --append rdinit=/none -- true
	check_cleanup
	wait
	status_is timeout 124 'timeout: exit status'
	is "$(cat "$tmp/timeout.out")" before 'timeout: output up to then'
	has "$tmp/timeout.err" "time is up: $limit s" 'timeout: says so'
	status_is panic 125 'boot failure: exit status'
	has "$tmp/panic.err" 'Kernel panic' 'boot failure: console shown'

	echo rubbish >"$tmp/kernel"
	"$run" --kernel "$tmp/kernel" -- true 2>"$tmp/rubbish.err"
	is $? 125 'not a kernel: exit status'
	has "$tmp/rubbish.err" 'did not boot' 'not a kernel: says so'
}

check_terminal() {
	start dmesg --check-dmesg -- sh -c '
		echo "<4>WARNING: selftest" >/dev/kmsg; echo done'
	TERM=xterm script -qec "stty rows 33 cols 77; stty -g; '$run' --tty \
		--kernel 6.1 -- sh -c '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] &&
			echo terminal; stty size; tput smcup | od -An -tx1; exit 9'
		echo status \$?; stty -g" /dev/null >"$tmp/tty.out" </dev/null
	wait
	tr -d '\r' <"$tmp/tty.out" >"$tmp/tty"
	has "$tmp/tty" '^terminal' '--tty: a terminal'
	has "$tmp/tty" '^33 77' '--tty: its size'
	has "$tmp/tty" '^ 1b 5b 3f 31 30 34 39 68' '--tty: its type'
	has "$tmp/tty" '^status 9' '--tty: exit status'
	is "$(sed -n 1p "$tmp/tty")" "$(sed -n '$p' "$tmp/tty")" \
		'--tty: terminal restored'
	status_is dmesg 126 '--check-dmesg: exit status'
	has "$tmp/dmesg.err" 'WARNING: selftest' '--check-dmesg: lines shown'
}

check_cleanup() {
	local pid i

	mkdir "$tmp/empty"
	TMPDIR=$tmp/empty "$run" -- sleep 1000 2>/dev/null &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[ -z "$(find "$tmp/empty" -name control)" ] || break
		sleep 0.1
	done
	kill $pid
	wait $pid
	is $? 143 'SIGTERM: exit status'
	is "$(ls "$tmp/empty")" '' 'SIGTERM: nothing left behind'
}

check_cache() {
	local from

	from=$("$here/fetch-kernel" --dir 6.12)
	mkdir -p "$tmp/cache/kernels"
	cp -r "$from" "$tmp/cache/kernels/"
	PPOOLTOP_CACHE=$tmp/cache "$here/fetch-kernel" --check 6.12
	is $? 0 'cache: whole'
	truncate -s -1 "$(find "$tmp/cache/kernels" -name 'veth.ko*')"
	PPOOLTOP_CACHE=$tmp/cache "$here/fetch-kernel" --check 6.12
	is $? 1 'cache: damage is noticed'

	has_built || return 0
	# As if it had been built from another configuration.
	from=$("$run" --dir stats-6.12)
	cp -r "$from" "$tmp/cache/kernels/"
	PPOOLTOP_CACHE=$tmp/cache "$here/build-kernel" --check stats-6.12
	is $? 0 'cache: built, whole and up to date'
	tr '0-9a-f' '1-9a-f0' <"$from/key" >"$tmp/cache/kernels/stats-6.12/key"
	PPOOLTOP_CACHE=$tmp/cache "$here/build-kernel" --check stats-6.12
	is $? 1 'cache: built, another configuration is noticed'
}

has_built() {
	[[ " $(echo $kernels) " == *" stats-6.12 "* ]]
}

# What tests with a kernel of their own are there for.
check_built() {
	has_built || return 0
	start built --kernel stats-6.12 --append lockdown=confidentiality -- sh -c '
		cat /sys/kernel/security/lockdown
		uname -r
		modprobe vmxnet3 && modprobe -r vmxnet3 && echo vmxnet3
		modprobe netdevsim
		echo "1 1" >/sys/bus/netdevsim/new_device
		ls /sys/kernel/debug/netdevsim/netdevsim1/ports/0/pp_hold
		grep -x CONFIG_PAGE_POOL_STATS=y /boot/config-*'
	wait
	status_is built 0 'stats-6.12: exit status'
	has "$tmp/built.out" '\[confidentiality\]' 'stats-6.12: locked down'
	has "$tmp/built.out" '-stats$' 'stats-6.12: its name'
	has "$tmp/built.out" '^vmxnet3$' 'stats-6.12: signed modules come and go'
	has "$tmp/built.out" 'pp_hold$' 'stats-6.12: netdevsim'
	has "$tmp/built.out" '^CONFIG_PAGE_POOL_STATS=y' 'stats-6.12: the counters'
}

"$here/fetch-kernel" --all || {
	echo 'Bail out! no kernels'
	exit 1
}
# The first run makes parts of the initramfs, which is not booting.
"$run" --kernel "$tmp/nothing" -- true 2>/dev/null
is $? 2 'no such kernel: exit status'
awk '{ exit !($1 < 1.5) }' /proc/loadavg && idle=1

for kernel in $kernels; do
	check_kernel "$kernel"
done
check_side_by_side
check_failures
check_terminal
check_built
check_cache
echo "1..$n"
[ "$failed" -eq 0 ]
