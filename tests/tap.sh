# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests/*.t: where things are, and a line of TAP for each command that has to succeed.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
ppooltop=$(readlink -f "${B:-build}/ppooltop")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# ok TITLE COMMAND...: if it fails, what it said follows, and what is in $tmp/err
ok() {
	n=$((n + 1))
	if "${@:2}" >"$tmp/said" 2>&1; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		head -n 20 "$tmp/said" "$tmp/err" 2>/dev/null | cut -c 1-200 | sed 's/^/# /'
	fi
}

# skip TITLE REASON
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
