/* Text in the format that Prometheus scrapes (version 0.0.4 of the text format): families of
 * samples, each family once, its HELP and TYPE before its samples.
 *
 *     # HELP trainyard_nodes Nodes of all clusters, by state.
 *     # TYPE trainyard_nodes gauge
 *     trainyard_nodes{state="idle"} 4
 *
 * Values are exact decimals: no locale, no rounding. */
#ifndef EMU_EXPOSITION_H
#define EMU_EXPOSITION_H

#include "sim/base/text.h"

#define EXPOSITION_TYPE "text/plain; version=0.0.4; charset=utf-8"

typedef struct {
    const char *name, *value;
} Label;

/* Begins a family. `type`: "counter", "gauge", "histogram". `help` is one line. */
void exposition_family(Text *out, const char *name, const char *type, const char *help);
/* One sample of the family; `suffix` is added to its name ("", "_bucket", "_sum", "_count").
 * `decimals` is the number of digits of `value` after the point: 1500 with 3 is 1.5. */
void exposition_sample(Text *out, const char *name, const char *suffix, const Label *labels,
                       int32_t label_count, int64_t value, int32_t decimals);
/* The same value as text, for the limits of a histogram. */
void exposition_number(Text *out, int64_t value, int32_t decimals);

#endif
