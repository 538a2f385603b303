/* Joins measurements of one machine from several sittings. */
#ifndef REAL_MEASUREMENTS_JOIN_H
#define REAL_MEASUREMENTS_JOIN_H

#include "sim/base/status.h"
#include "sim/json/json.h"

/* Checks that the measurements `old` are complete and have the machine and backend of `facts`.
 * Otherwise fails with STATUS_BAD_INPUT and a place in `old`. */
MUST_CHECK bool measurements_fit(const Json *old, const Json *facts, Status *status);
/* Returns a copy of `old` with the rounds of `new` added. measurements_fit must have accepted
 * `old`. */
Json *measurements_join(Arena *arena, const Json *old, const Json *new);

#endif
