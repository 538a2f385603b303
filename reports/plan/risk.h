/* The objective of the recommended candidate from run to run: what a bad run costs. Private to
 * reports/plan. */
#ifndef REPORTS_PLAN_RISK_H
#define REPORTS_PLAN_RISK_H

#include "reports/plan/facts.h"
#include "sim/study/statistics/estimate.h"

typedef struct {
    int32_t count;        /* of runs, over all weathers; 0: there are none */
    const double *sorted; /* [count] from good to bad, in the metric's unit */
    Interval p95;         /* 95 % of runs are at most so bad; bounds at 95 % */
    double worst;
    int32_t worst_point, worst_replication; /* worst_run.h */
} Risk;

/* In the facts' arena. A large value is bad, a small one if the objective is maximised. */
Risk risk_of(const PlanFacts *facts, int32_t candidate);

#endif
