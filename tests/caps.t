#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# With CAP_BPF and CAP_PERFMON, and nothing else of root's.
cd "$(dirname "$0")/.." || exit 1
ppooltop=${B:-build}/ppooltop

alone() {
	setpriv --no-new-privs --bounding-set -all,+bpf,+perfmon "$@"
}
if [ "$(id -u)" != 0 ] || ! alone true 2>/dev/null; then
	echo '1..0 # SKIP no root, or no setpriv that can drop capabilities'
	exit
fi
n=0
for source in kernel fentry kprobe tracepoint; do
	"$ppooltop" dump -i 0.05 --source $source >/dev/null 2>&1 || continue
	n=$((n + 1))
	if why=$(alone "$ppooltop" dump -i 0.05 --source $source -v 2>&1 >/dev/null); then
		echo "ok $n - $source"
	else
		echo "not ok $n - $source"
		sed 's/^/# /' <<<"$why"
	fi
done
if [ $n = 0 ]; then
	echo '1..0 # SKIP the kernel refuses BPF programs to root, too'
else
	echo "1..$n"
fi
