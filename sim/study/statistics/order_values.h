/* The times of a run's jobs from a few of them: order statistics at known ranks.
 *
 * A study keeps a few numbers of each run, not the times of all jobs. Between two ranks that are
 * known, times are taken as equally spaced, so the share of jobs below a limit is wrong by less
 * than the ranks' distance. Runs with few jobs have all ranks around the quantile, and are exact
 * there. */
#ifndef SIM_STUDY_STATISTICS_ORDER_VALUES_H
#define SIM_STUDY_STATISTICS_ORDER_VALUES_H

#include "sim/study/statistics/pooled.h"

/* Some times of a run in rising order. */
typedef struct {
    int64_t jobs;         /* >= 1: of the run */
    int32_t count;        /* of known times */
    const int64_t *ranks; /* [count], from 1, rising; equal ranks have equal times; the first is 1,
                             the last is `jobs` */
    const double *times;  /* [count] */
} OrderedTimes;

/* About one value for each `jobs_a_value` >= 1 jobs of the run, at equally spaced ranks up to the
 * last, as a run of pooled.h. Lives in `arena`. */
RunValues order_values(Arena *arena, const OrderedTimes *run, int64_t jobs_a_value);
/* About one of each `values_a_value` >= 1 of `count` sorted values. Lives in `arena`. */
RunValues thinned_values(Arena *arena, const double *sorted, int64_t count, int64_t values_a_value);

#endif
