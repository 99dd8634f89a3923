# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by fetch-kernel and build-kernel: the cache of kernels, and an apt of
# our own. They have set KERNELS, the names they know, and have
#
#	make_one NAME OUT	put a kernel in OUT; $work is for other files
#	current NAME		is the kernel in the cache, which is whole, still
#				what make_one would make?
#
# A cached kernel is a directory:
#	vmlinuz, config, release	the image, its .config, its uname -r
#	modules/<release>/		modules (less what no test can want)
#	SHA256SUMS, stamp		what must be there
#
# Packages come from the Debian mirror that this machine uses already, through
# apt, hence checked against the archive's signature; but with package lists
# and a cache of our own, so that nothing of the machine's apt changes.

set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

SUITES=(bookworm bookworm-updates bookworm-backports trixie forky sid)
SECURITY_SUITES=(bookworm-security)
ARCH=amd64
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

me=$(basename "$0")
cache=${PPOOLTOP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ppooltop}/kernels
work=
child=

say() {
	printf '%s\n' "$me: $*" >&2
}

die() {
	say "$*"
	exit 1
}

# Run a command that takes minutes: a signal ends it and us, now. It gets a
# process group, for a make that is told to end waits for all that it started.
patiently() {
	local status=0

	setsid setpriv --pdeathsig TERM "$@" &
	child=$!
	wait "$child" || status=$?
	child=
	return "$status"
}

cleanup() {
	if [ -n "$child" ]; then
		kill -KILL -- "-$child" "$child" 2>/dev/null || true
		wait "$child" 2>/dev/null || true
	fi
	# Should one of its processes write still, the next run removes it.
	[ -z "$work" ] || rm -rf "$work" 2>/dev/null || true
}

known() {
	local k

	for k in "${KERNELS[@]}"; do
		[ "$k" != "$1" ] || return 0
	done
	die "unknown kernel '$1' (known: ${KERNELS[*]})"
}

# What a kernel directory holds, in one line: cheap enough for every run, and
# tells a directory with files missing or cut short from a whole one.
fingerprint() {
	(cd "$1" && find . -type f ! -name stamp -printf '%s\n') |
		awk '{ n++; s += $1 } END { print n + 0, s + 0 }'
}

# Quick check, at each use.
intact() {
	local dir=$1

	[ -s "$dir/vmlinuz" ] && [ -s "$dir/stamp" ] &&
		[ "$(cat "$dir/stamp")" = "$(fingerprint "$dir")" ]
}

# Thorough check, when asked to fetch: reads every file.
verified() {
	intact "$1" && (cd "$1" && sha256sum --quiet --status -c SHA256SUMS)
}

#
# apt, with everything private.
#

# "main SITE" and "security SITE" lines: the mirrors that this machine uses.
# A machine whose lists were never fetched knows no label or codename, so go
# by the name of the release as its sources spell it.
mirrors() {
	# $(SITE) and the like are apt's own substitutions.
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(RELEASE) $(SITE)' \
		'Identifier: Packages' |
	awk '
		$1 ~ /^(bookworm|trixie|forky|sid|oldstable|stable|testing|unstable)$/ &&
			!main { main = $2 }
		$1 ~ /-security$/ && !security { security = $2 }
		END {
			if (main) print "main", main
			if (security) print "security", security
		}'
}

write_sources() {
	local signed='' main security list suite

	[ ! -e "$KEYRING" ] || signed=" signed-by=$KEYRING"
	list=$(mirrors)
	main=$(awk '$1 == "main" { print $2 }' <<<"$list")
	security=$(awk '$1 == "security" { print $2 }' <<<"$list")
	[ -n "$main" ] || die "apt's sources name no Debian mirror"

	for suite in "${SUITES[@]}"; do
		echo "deb [arch=$ARCH$signed] $main $suite main"
	done
	if [ -n "$security" ]; then
		for suite in "${SECURITY_SUITES[@]}"; do
			echo "deb [arch=$ARCH$signed] $security $suite main"
		done
	fi
}

# A mirror that stands still for a while, or on purpose, is good enough for test
# kernels: its lists are signed all the same, only not of this week.
#
# The machine's own apt configuration is read for how to reach the mirror
# (proxies and such) and for nothing else: its hooks, for one, would delete
# files from its own cache.
write_config() {
	local apt=$1

	apt-config dump | grep -E '^Acquire::' |
		grep -Ev '^Acquire::(IndexTargets|Languages)' || true
	cat <<-CONF
	Dir::Etc::main "/dev/null";
	Dir::Etc::parts "/dev/null";
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	Dir::State "$apt/state";
	Dir::State::lists "$apt/lists";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt/cache";
	Dir::Log "$apt/log";
	APT::Architecture "$ARCH";
	APT::Architectures { "$ARCH"; };
	APT::Sandbox::User "root";
	Acquire::Check-Valid-Until "false";
	Acquire::Languages "none";
	Acquire::Retries "3";
	CONF
}

setup_apt() {
	local apt=$work/apt

	[ ! -d "$apt" ] || return 0
	mkdir -p "$apt"/{lists,cache/archives,log,state}/partial
	: >"$apt/status"
	write_sources >"$apt/sources.list"
	write_config "$apt" >"$apt/apt.conf"
	export APT_CONFIG=$apt/apt.conf

	say "reading the package lists"
	# A suite that this mirror has not got is no reason to stop: what
	# counts is whether the kernel turns up in the others.
	patiently apt-get -qq update >"$apt/update.log" 2>&1 || true
	[ -n "$(find "$apt/lists" -maxdepth 1 -name '*Packages*' -print -quit)" ] || {
		cat "$apt/update.log" >&2
		die "no package lists from the mirror"
	}
}

# download DIR PACKAGE...: as NAME=VERSION, or NAME for the newest.
download() {
	local dir=$1 log=$work/download.log

	shift
	mkdir -p "$dir"
	patiently env -C "$dir" apt-get -qq download "$@" >"$log" 2>&1 || {
		cat "$log" >&2
		die "cannot download $*"
	}
}

#
# One kernel.
#

# depmod wants lib/modules under a root of its own.
index_modules() {
	local out=$1 release=$2 base=$1/depmod

	mkdir -p "$base/lib"
	ln -s ../../modules "$base/lib/modules"
	depmod -b "$base" "$release"
	rm -r "$base"
}

# The fingerprint leaves the stamp itself out.
seal() {
	local out=$1

	(cd "$out" && find vmlinuz release config modules -type f -print0 |
		sort -z | xargs -0 sha256sum >SHA256SUMS)
	chmod -R go+rX "$out"
	fingerprint "$out" >"$out/stamp"
}

obtain_one() {
	local name=$1 out=$work/out

	mkdir "$out"
	make_one "$name" "$out"
	seal "$out"
	# Data before the name, or a power cut leaves empty files with good
	# names.
	sync -f "$out"
	rm -rf "${cache:?}/$name"
	mv "$out" "$cache/$name"
}

obtain() {
	local name dir

	for name; do
		known "$name"
	done
	mkdir -p "$cache"
	exec 9>"$cache/.lock.$me"
	flock -n 9 || {
		say "waiting for another $me"
		flock 9
	}
	# With the lock held, a work directory in the cache is a dead one's.
	rm -rf "$cache/.$me".*
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	work=$(mktemp -d "$cache/.$me.XXXXXX")

	for name; do
		dir=$cache/$name
		if ! verified "$dir"; then
			[ ! -e "$dir" ] || say "$name: damaged, once more"
		elif current "$name"; then
			continue
		else
			say "$name: not up to date, once more"
		fi
		obtain_one "$name"
	done
}

main() {
	case ${1:---help} in
	--list)
		printf '%s\n' "${KERNELS[@]}"
		;;
	--dir)
		known "$2"
		printf '%s\n' "$cache/$2"
		;;
	--check)
		known "$2"
		intact "$cache/$2" && current "$2"
		;;
	--all)
		obtain "${KERNELS[@]}"
		;;
	-*)
		sed -n '4,/^$/s/^#[[:space:]]\{0,1\}//p' "$0"
		[ "$1" = --help ]
		;;
	*)
		obtain "$@"
		;;
	esac
}
