/* The part of summary.json about jobs that are too many to be listed. */
#ifndef SIM_OUTPUT_SUMMARY_WORKLOADS_H
#define SIM_OUTPUT_SUMMARY_WORKLOADS_H

#include "sim/json/json.h"
#include "sim/output/summary/metrics.h"
#include "sim/output/summary/run_facts.h"

/* Whether the job belongs to a workload; `facts` may be NULL. */
bool is_workload_job(const RunFacts *facts, uint32_t job);

/* "workloads", where the scenario has any. */
void summary_set_workloads(Arena *arena, Json *summary, const RunFacts *facts,
                           const RunMetrics *run);
/* "queue_s" of all jobs. */
void summary_set_queue(Arena *arena, Json *summary, const RunMetrics *run);
/* A sentence for each workload of which a job failed or is not over. */
void summary_add_workload_problems(Arena *arena, Json *problems, const RunFacts *facts,
                                   const RunMetrics *run);

#endif
