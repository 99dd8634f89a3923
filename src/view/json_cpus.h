/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PPOOLTOP_JSON_CPUS_H
#define PPOOLTOP_JSON_CPUS_H

#include <json-c/json.h>

#include "snapshot.h"

/*
 * The list of what each CPU counted in @p, which has to be there until the document is written.
 * CPUs that counted nothing are not in it: they would be zeros by the hundred.
 */
struct json_object *json_cpus(const struct pool *p, int nr_cpus);

#endif /* PPOOLTOP_JSON_CPUS_H */
