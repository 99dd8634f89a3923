// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include <json-c/json.h>

#include "cmd.h"
#include "probe.h"
#include "util.h"

static void print_text(const struct probe *p)
{
	printf("kernel: %s, %d CPUs, %s, %s%s%s\n", p->host.kernel, p->host.cpus,
	       p->btf ? "BTF" : "no BTF", p->privileged ? "privileged" : "not privileged",
	       p->lockdown[0] ? ", lockdown=" : "", p->lockdown);
	puts("\nsources, best first");
	for (int i = 0; i < p->nr_sources; i++) {
		const struct probe_source *s = &p->sources[i];

		printf("  %-11s %-4s %s\n", s->name, s->usable ? "yes" : "no", s->reason);
	}
	puts("\nhooks");
	for (int i = 0; i < p->nr_hooks; i++) {
		const struct probe_hook *h = &p->hooks[i];

		printf("  %-10s  %-10s  %-30s  %-9s  %s\n", h->state, h->kind, h->target,
		       h->kernels, h->what);
	}
	puts("\ncounters");
	for (int i = 0; i < PP_NR_COUNTERS; i++) {
		const struct probe_counter *c = &p->counters[i];

		printf("  %-24s %s%s\n", c->key,
		       c->source ? c->source : "n/a: ", c->source ? "" : c->reason);
	}
}

static struct json_object *text(const char *s)
{
	return s && *s ? json_object_new_string(s) : NULL;
}

static struct json_object *new_source(const struct probe_source *s)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", text(s->name));
	json_object_object_add(o, "usable", json_object_new_boolean(s->usable));
	json_object_object_add(o, "reason", text(s->reason));
	return o;
}

static struct json_object *new_hook(const struct probe_hook *h)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "kind", text(h->kind));
	json_object_object_add(o, "target", text(h->target));
	json_object_object_add(o, "kernels", text(h->kernels));
	json_object_object_add(o, "sees", text(h->what));
	json_object_object_add(o, "state", text(h->state));
	return o;
}

static struct json_object *new_counter(const struct probe_counter *c)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "counter", text(c->key));
	json_object_object_add(o, "source", text(c->source));
	json_object_object_add(o, "reason", text(c->reason));
	return o;
}

static void print_json(const struct probe *p, bool pretty)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();

	json_object_object_add(o, "kernel", text(p->host.kernel));
	json_object_object_add(o, "cpus", json_object_new_int(p->host.cpus));
	json_object_object_add(o, "btf", json_object_new_boolean(p->btf));
	json_object_object_add(o, "privileged", json_object_new_boolean(p->privileged));
	json_object_object_add(o, "lockdown", text(p->lockdown));
	for (int i = 0; i < p->nr_sources; i++)
		json_object_array_add(list, new_source(&p->sources[i]));
	json_object_object_add(o, "sources", list);
	list = json_object_new_array();
	for (int i = 0; i < p->nr_hooks; i++)
		json_object_array_add(list, new_hook(&p->hooks[i]));
	json_object_object_add(o, "hooks", list);
	list = json_object_new_array();
	for (int i = 0; i < PP_NR_COUNTERS; i++)
		json_object_array_add(list, new_counter(&p->counters[i]));
	json_object_object_add(o, "counters", list);
	puts(json_object_to_json_string_ext(o, pretty ? JSON_C_TO_STRING_PRETTY |
								JSON_C_TO_STRING_SPACED
						      : JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

int probe_main(int argc, char **argv)
{
	struct options opts;
	struct probe p;
	int code;

	code = options_parse(&opts, argc, argv);
	if (code >= 0)
		return code;
	stop_on_signals();
	collect_probe(&p, opts.verbose);
	if (opts.json || opts.pretty)
		print_json(&p, opts.pretty);
	else
		print_text(&p);
	code = finish_output(stdout);
	return code && code != -EPIPE ? EXIT_FAILED : EXIT_DONE;
}
