/* Studies without a file: the options of `trainyard sweep SCENARIO` as the tree of a study.
 *
 *     --vary nodes=1..16                       parameter nodes
 *     --vary load=/workloads/0/rate=6/h,12/h   a value of the scenario, called load
 *     --vary /workloads/0/jobs=30,60           the same, called jobs
 *     --baseline nodes=4 */
#ifndef SIM_STUDY_STUDY_OPTIONS_H
#define SIM_STUDY_STUDY_OPTIONS_H

#include <stdbool.h>

#include "sim/json/json.h"

typedef struct {
    const char *scenario;
    int32_t vary_count, metric_count, baseline_count;
    const char *const *vary;
    const char *const *metrics;
    const char *const *baseline;
    bool is_steady;         /* the long run; without metrics: the mean wait */
    int64_t seeds, at_most; /* 0: not given */
    const char *precision;  /* the largest half-width of every metric: "5%"; NULL: none, of a steady
                               study 5 % */
} StudyOptions;

/* The tree of a study file with these members; its places name the options. NULL with problems. */
Json *study_of_options(Arena *arena, const StudyOptions *options, Problems *problems);

#endif
