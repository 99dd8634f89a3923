#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cli.sh"
exec "$here/tap" --kernel 7.2 --smp 2 --nic virtio --timeout 400 --check-dmesg -- "best=kernel; $commands"
