#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The units in contrib/systemd: well formed, and as confined as they can be.
cd "$(dirname "$0")/.." || exit 1
if ! command -v systemd-analyze >/dev/null; then
	echo '1..0 # SKIP no systemd-analyze'
	exit
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
ok() {
	n=$((n + 1))
	if "${@:2}" >"$tmp/said" 2>&1; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' "$tmp/said"; fi
}
# systemd-analyze wants the program to be there.
for unit in contrib/systemd/*; do
	sed "s,/usr/local/sbin/ppooltop,$PWD/${B:-build}/ppooltop," "$unit" >"$tmp/${unit##*/}"
done
# It says what it does not know, and exits 0 all the same.
silent() {
	local said
	said=$("$@" 2>&1) || return
	[ -z "$said" ] || { echo "$said"; return 1; }
}
ok 'nothing to complain about' silent systemd-analyze verify --man=no "$tmp"/*.service "$tmp"/*.timer
# 2.1 where this was written; 3 leaves room for what later versions come to look at.
for unit in "$tmp"/*.service; do
	ok "${unit##*/}: exposure below 3" systemd-analyze security --offline=true --threshold=30 "$unit"
done
# Words that the program takes: those of the units are tried, on a recording.
for unit in contrib/systemd/*export*.service; do
	read -ra words < <(sed -n 's/^ExecStart=[^ ]* //p' "$unit")
	words=("${words[@]/#\/var\/lib\/prometheus\/node-exporter/$tmp}")
	ok "${unit##*/}: its command line" "${B:-build}/ppooltop" "${words[@]}" --input tests/fixtures/screens.jsonl
	ok "${unit##*/}: its file" test -s "$tmp/ppooltop.prom"
	rm -f "$tmp/ppooltop.prom"
done
echo "1..$n"
