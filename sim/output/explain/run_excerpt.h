/* The records of a run around one instant: a few before and at it, a few after. */
#ifndef SIM_OUTPUT_RUN_EXCERPT_H
#define SIM_OUTPUT_RUN_EXCERPT_H

#include "sim/base/arena.h"
#include "sim/output/trace/row.h"

/* Selects records. Names are those of the scenario, without workspace. */
typedef struct {
    int64_t at_ns;       /* INT64_MAX: the last records */
    const char *cluster; /* only records of this cluster, job or share; NULL: of any */
    const char *job;
    const char *share; /* "account/share" */
} ExcerptFocus;

typedef struct RunExcerpt RunExcerpt;

RunExcerpt *run_excerpt_create(Arena *run, ExcerptFocus focus);
/* Join it before the run. */
TraceListener run_excerpt_listener(RunExcerpt *excerpt);
/* A line for each record, "612.5 s  node_state  gpu tvm-1_1 preparing was=5", `*count` of them,
 * in `arena`. The world must still exist. */
const char *const *run_excerpt_lines(const RunExcerpt *excerpt, Arena *arena, int32_t *count);

#endif
