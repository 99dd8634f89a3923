#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
here=$(cd "$(dirname "$0")" && pwd)
. "$here/churn.sh"
exec "$here/tap" --kernel 6.12 --smp 2 --timeout 300 --check-dmesg -- "$commands"
