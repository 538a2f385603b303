/* The recommended candidate from run to run: the objective, or, if it is the same in all runs, the
 * metric of the constraint that decides which run is the worst. Private to reports/plan. */
#ifndef REPORTS_PLAN_RISK_H
#define REPORTS_PLAN_RISK_H

#include "reports/plan/facts.h"
#include "sim/study/statistics/estimate.h"

typedef struct {
    int32_t metric;
    bool is_small_bad;    /* otherwise large values are */
    int32_t count;        /* of runs, over all weathers; 0: there are none, or all are the same */
    const double *sorted; /* [count] rising, in the metric's unit */
    Interval p95;         /* 95 % of the runs are at least so good; bounds at 95 % */
    double worst;
    int32_t worst_point, worst_replication; /* worst_run.h */
} Risk;

/* In the facts' arena. */
Risk risk_of(const PlanFacts *facts, int32_t candidate);

/* "cost (USD a week)": the metric with its unit. */
const char *risk_title(const PlanFacts *facts, const Risk *risk);

#endif
