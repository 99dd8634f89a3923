#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Pools that come and go on 6.1, with nobody watching.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/bounded.sh"
exec "$here/tap" --kernel 6.1 --smp 2 --timeout 900 --check-dmesg -- "
pools=${POOLS:-4000}
sources='fentry kprobe'
$bounded"
