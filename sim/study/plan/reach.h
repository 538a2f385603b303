/* How far an answer reaches: what a single period may do while the mean of many meets a limit, and
 * what a log of a few weeks says about other weeks.
 *
 * The interval of an estimate is about chance between runs, and shrinks with their number. A run
 * that draws its weeks from a log of as many weeks is a bootstrap sample of it (B. Efron, R. J.
 * Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6): the spread of single runs,
 * times sqrt(weeks / (weeks - 1)), is the standard error that the log itself leaves, however many
 * runs there are. */
#ifndef SIM_STUDY_PLAN_REACH_H
#define SIM_STUDY_PLAN_REACH_H

#include "sim/study/plan/plan_outcome.h"

/* The runs of a candidate's findings in which a limit is missed. Runs in which a metric of a limit
 * is unknown, or is only a lower bound that may exceed it, are not counted. */
typedef struct {
    int32_t run_count, missed_count; /* in all weathers */
} SinglePeriods;

SinglePeriods single_periods_of(const PlanOutcome *outcome, int32_t candidate);

/* The knowledge of a log about the metric of a check. NAN: not known. */
typedef struct {
    PlanEstimate
        interval; /* of the mean in times like those of the log, at the goal's confidence */
    double jobs;  /* of a share: those of a run, which has as many as the log; INFINITY: of
                     another metric */
} LogReach;

/* Not known if runs draw nothing from a log, or are too few. A share has Wilson's interval with as
 * many jobs as the spread of the runs is worth, but no more than a run has. */
LogReach reach_of_log(const PlanOutcome *outcome, int32_t candidate, int32_t check);

#endif
