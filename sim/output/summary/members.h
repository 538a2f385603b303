/* Members of the objects in summary.json. */
#ifndef SIM_OUTPUT_SUMMARY_MEMBERS_H
#define SIM_OUTPUT_SUMMARY_MEMBERS_H

#include "sim/json/json.h"
#include "sim/output/summary/attribution.h"
#include "sim/output/summary/wide.h"

/* Counted in ns, micro-dollars and millionths, written with the decimal point moved so far. */
enum { DECIMALS_S = 9, DECIMALS_MS = 6, DECIMALS_USD = 6, DECIMALS_RATIO = 6 };

void member_text(Arena *arena, Json *object, const char *key, const char *text); /* NULL: null */
void member_integer(Arena *arena, Json *object, const char *key, int64_t value);
void member_seconds(Arena *arena, Json *object, const char *key, Wide ns);
void member_usd(Arena *arena, Json *object, const char *key, int64_t micro_usd);
/* A moment, or null for METRIC_NEVER. */
void member_moment(Arena *arena, Json *object, const char *key, int64_t at_ns);
/* The time from one moment to a later one, or null where either has not come. */
void member_between(Arena *arena, Json *object, const char *key, int64_t from_ns, int64_t to_ns);
/* part / whole, or null where there is no whole. */
void member_share(Arena *arena, Json *object, const char *key, Wide part, Wide whole);
/* {"mean", "p50", "p95", "p99", "max"} of `count` times, or null where there are none. Times that
 * are METRIC_NEVER go on: they count as longer than all others, are told as "waiting": how many,
 * and what depends on their end is null. Sorts the times. */
void member_spread(Arena *arena, Json *object, const char *key, int64_t *times_ns, uint32_t count);
/* "attribution": both as USE_COUNT parts. */
void member_uses(Arena *arena, Json *object, const Wide *use_ns, const int64_t *use_micro_usd);

/* The part of an attempt's node time that brought the job on, of USE_OF_ATTEMPTS. */
Wide uses_forward_ns(const Wide *use_ns);
Wide uses_sum_ns(const Wide *use_ns); /* all of the attempts */

#endif
