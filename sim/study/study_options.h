/* The studies of `trainyard sweep` and `trainyard plan`: a study file that options change, or the
 * options alone for a scenario.
 *
 *     --vary nodes=1..16                       parameter nodes
 *     --vary load=/workloads/0/rate=6/h,12/h   a value of the scenario, called load
 *     --vary /workloads/0/jobs=30,60           the same, called jobs
 *     --param nodes=4                          the parameter has this value at every point
 *     --set /until=2d                          a value of the scenario, likewise
 *     --baseline nodes=4
 *     --slo 'waited_within(20m) >= 95%'        a constraint, with >= or <= */
#ifndef SIM_STUDY_STUDY_OPTIONS_H
#define SIM_STUDY_STUDY_OPTIONS_H

#include "sim/study/study.h"

typedef struct {
    const char *path; /* of a study or of a scenario */
    int32_t vary_count, param_count, set_count, metric_count, baseline_count;
    const char *const *vary;
    const char *const *params; /* fixed levels, as of `trainyard run`; this and the next one */
    const char *const *sets;
    const char *const *metrics;
    const char *const *baseline;
    bool is_steady;         /* the long run; without metrics: the mean wait */
    int64_t seeds, at_most; /* 0: not given */
    const char *precision;  /* the largest half-width of every metric: "5%"; NULL: none, of a steady
                               study 5 % */
    /* For a plan; NULL and 0: not given. */
    const char *minimise, *maximise, *confidence, *indifference;
    int32_t slo_count, weather_count;
    const char *const *slos;
    const char *const *weather;
    int64_t budget;
    struct StudyPolicy
        *policy; /* from outside, of all runs (policy/study_policy.h); NULL: the scenario's
                  */
} StudyOptions;

/* The study of the file `options->path`; NULL with problems.
 *
 * Of a study file, options replace the objective, the confidence, the indifference, the budget, the
 * weather, the baseline and the number of seeds. They add fixed levels, metrics and constraints; a
 * constraint replaces that of the same metric and side. Options that need a scenario are refused. A
 * scenario needs a factor, a metric, an objective or --steady. */
Study *study_read_with(Arena *arena, FileSource files, const char *verb,
                       const StudyOptions *options, Problems *problems);

/* The tree of a study of the scenario `options->path`; its places name the options, or `verb`. NULL
 * with problems. */
Json *study_of_options(Arena *arena, const char *verb, const StudyOptions *options,
                       Problems *problems);

#endif
