/* The knowledge of a log of a few weeks about other weeks like its own.
 *
 * A run that draws its weeks from a log of as many weeks is a bootstrap sample of it (B. Efron,
 * R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6): the spread of single
 * runs, times sqrt(weeks / (weeks - 1)), is the standard error that the log itself leaves, however
 * many runs there are.
 *
 * The interval is that of one candidate alone. A plan names the best of several candidates whose
 * interval meets the limits (selection.h). With n of them that do not meet a limit in the long run,
 * the chance that it names one is at most n times (1 - confidence) / 2 (Bonferroni), and near
 * (1 - confidence) / 2 when all draw the same weeks: then the log flatters all of them or none. */
#ifndef SIM_STUDY_PLAN_LOG_REACH_H
#define SIM_STUDY_PLAN_LOG_REACH_H

#include "sim/study/plan/plan_numbers.h"
#include "sim/study/plan/selection.h"
#include "sim/study/statistics/estimate.h"

/* The knowledge of a log about the metric of a check. NAN: not known. */
typedef struct {
    Interval interval; /* of the mean in times like those of the log, at the goal's confidence */
    double jobs;       /* of a share: those of a run, which has as many as the log; INFINITY: of
                          another metric */
} LogReach;

/* By `count` replications of a candidate from `first` on. Not known if runs draw nothing from a
 * log, or are too few. A share has Wilson's interval with as many jobs as the spread of the runs is
 * worth, but no more than a run has. */
LogReach log_reach(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                   int32_t count);

/* The margin of the worse end of that interval to the limit of the check: below 0, a longer log
 * might show that the limit is missed. -INFINITY, without error: the mean is not known, or jobs
 * still wait and may exceed a largest value. NAN: the log says nothing about the metric. Its error
 * is that of the jackknife (B. Efron, C. Stein, Annals of Statistics 9, 1981), INFINITY for 2
 * replications. At least 2 replications. `numbers` are PlanNumbers: SelectionData has this
 * function. */
SureMargin log_margin(void *numbers, int32_t candidate, int32_t check, int32_t first,
                      int32_t count);

#endif
