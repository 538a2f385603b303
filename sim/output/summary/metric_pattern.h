/* Several metrics by one pattern, in which `*` stands for any characters of one key or name:
 *
 *     workloads.*.queue_s.mean               of each workload
 *     workloads.day.sizes.*.queue_s.p95      of the jobs of each size
 *     workloads.*.waited_within(30m)         a function of the jobs of each workload
 */
#ifndef SIM_OUTPUT_SUMMARY_METRIC_PATTERN_H
#define SIM_OUTPUT_SUMMARY_METRIC_PATTERN_H

#include "sim/output/summary/metric.h"

bool metric_is_pattern(const char *name);

/* The names of all numbers that the pattern means, in the order of metric_list; `*count` is 0
 * when there is none. In `arena`. */
const char *const *metric_pattern_names(Arena *arena, const Scenario *scenario, const char *pattern,
                                        int32_t *count);

#endif
