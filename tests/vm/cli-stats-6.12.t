#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cli.sh"
exec "$here/tap" --kernel stats-6.12 --smp 2 --timeout 400 --check-dmesg -- "best=kernel; $commands"
