#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands on every kernel: documents, tables, what is said without root, and what is left behind.
here=$(cd "$(dirname "$0")" && pwd)

# shellcheck disable=SC2016
commands='
busy() { ppload drop -n 200000 -r 1000 -C 0 >/dev/null 2>&1 & load=$!; sleep 1; }
idle() { kill $load; wait $load; } 2>/dev/null

busy
expect "dump is one JSON document" 0 sh -c "ppooltop dump >/tmp/doc && jq -e . /tmp/doc >/dev/null && [ \$(wc -l </tmp/doc) = 1 ]"
expect "with the keys of the schema" 0 jq -e "
	([keys[]] == ([\"schema\", \"time\", \"interval_s\", \"host\", \"source\", \"losses\", \"pools\", \"devices\", \"totals\"] | sort))
	and .schema == \"ppooltop/1\" and .source.counters == \"fentry\"
	and (.pools[0] | .alloc.fast > 0 and .recycle.ring > 0 and .rate.alloc.fast > 0 and .recycle_ratio > 0.5
		and .inflight.pages > 0 and (.cpus | length) > 0 and .audit.ok != false)" /tmp/doc
expect "dump -c 3 is three lines" 0 sh -c "[ \$(ppooltop dump -c 3 -i 0.1 | jq -c .schema | wc -l) = 3 ]"
expect "dump -p is the same, pretty" 0 sh -c "ppooltop dump -p | jq -e .pools[0].key"
expect "show is a table without escape codes" 0 sh -c "ppooltop show >/tmp/out 2>&1 && grep -q ^DEVICE /tmp/out && ! grep -q \$(printf \"\\033\") /tmp/out"
expect "top into a pipe is show" 0 sh -c "ppooltop | grep ^DEVICE"
expect "show -C has a row for the CPU that counts, and no other" 0 sh -c "[ \$(ppooltop show -C | grep -c \"^ cpu\") = 1 ]"
expect "show into head: no complaint" 0 sh -c "ppooltop show -c 5 -i 0.05 2>/tmp/err | head -n 1 && ! [ -s /tmp/err ]"
expect "a full disk is a failure" 1 sh -c "ppooltop dump >/dev/full"
grep -q "writing failed" /tmp/err && echo "ok - and says so" || echo "not ok - and says so"
idle

expect "probe" 0 sh -c "ppooltop probe | grep -q \"fentry  *yes\""
expect "probe -j: every counter has its source" 0 sh -c "ppooltop probe -j | jq -e \"[.counters[].source] == [range(11) | \\\"fentry\\\"]\""
expect "demo shows traffic" 0 sh -c "ppooltop demo -c 1 >/tmp/out && [ \$(grep -c live /tmp/out) -ge 2 ]"
expect "and leaves no device" 0 sh -c "[ \$(ls /sys/class/net | grep -vc \"^eth\") = 1 ]"
ppooltop demo -c 1000 >/dev/null 2>&1 & demo=$!
sleep 5; kill -9 $demo; sleep 2
expect "killed, it leaves no process" 1 pgrep ppooltop
expect "nothing stays attached" 0 sh -c "[ -z \"\$(bpftool prog show 2>/dev/null | grep -E \"alloc_netmems|put_|refill|pool_release\")\" ]"

expect "wrong command" 2 ppooltop nonsense
expect "wrong option" 2 ppooltop show --nonsense
expect "wrong number" 2 ppooltop show -c 0
expect "version" 0 ppooltop --version
expect "help" 0 ppooltop show --help

nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"
expect "not root: exit 2" 2 $nobody ppooltop show
expect "with one line that says what is missing" 0 sh -c "[ \$(wc -l </tmp/err) = 1 ] && grep -q CAP_BPF /tmp/err"
expect "not root: probe says what it needs" 0 sh -c "$nobody ppooltop probe | grep -q \"fentry  *no  *needs root\""

# What a machine that refuses fentry is left with (seen: EPERM; here ftrace is switched off).
sysctl -q kernel.ftrace_enabled=0
ppload udp-hold -n 200 -t 20 >/dev/null 2>&1 & sleep 3
expect "without fentry: dump from tracepoints" 0 sh -c "ppooltop dump >/tmp/doc 2>/tmp/why"
expect "counters are null, each with a reason" 0 jq -e ".source.counters == null and .source.state == \"tracepoint\" and (.source.missing | length) == 11" /tmp/doc
expect "one line says why" 0 sh -c "[ \$(wc -l </tmp/why) = 1 ] && grep -q \"no fentry\" /tmp/why"
expect "show says n/a" 0 sh -c "ppooltop show 2>/dev/null | grep -v ^ppooltop | grep -q n/a"
sysctl -q kernel.ftrace_enabled=1
'

n=0
status=0
for kernel in 7.2 6.12 6.1; do
	out=$("$here/tap" --kernel "$kernel" --smp 2 --nic virtio --timeout 300 --check-dmesg -- "$commands") || status=1
	count=$(grep -cE '^(not )?ok ' <<<"$out")
	awk -v n="$n" -v k="$kernel" '/^1\.\./ { next }
		/^(ok|not ok) / { sub(/(ok) [0-9]+ - /, "ok " ++n " - " k ": ") } { print }' <<<"$out"
	n=$((n + count))
done
echo "1..$n"
exit $status
