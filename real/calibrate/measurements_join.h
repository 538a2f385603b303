/* Measurements of one machine in several sittings, as one. */
#ifndef REAL_MEASUREMENTS_JOIN_H
#define REAL_MEASUREMENTS_JOIN_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* Whether the measurements `old` are of the machine and backend of `facts`, and whole; else
 * STATUS_BAD_INPUT in `old`. */
MUST_CHECK bool measurements_fit(const Json *old, const Json *facts, Status *status);
/* `new` as further rounds of `old`, which fit; a copy. */
Json *measurements_join(Arena *arena, const Json *old, const Json *new);

#endif
