# SPDX-License-Identifier: GPL-2.0-or-later
# Makes C of vmlinux.h that has a variable of each of its types, so that the compiler puts all of
# them into BTF: sed -nEf all.sed vmlinux.h
s/^((struct|union|enum) (\w+)) \{$/\1 all_\3;/p
s/^\} (\w+);$/\1 all_\1;/p
