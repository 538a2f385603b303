/* The run of a candidate that went worst: the one to look at before an answer is signed. */
#ifndef SIM_STUDY_ANSWER_WORST_RUN_H
#define SIM_STUDY_ANSWER_WORST_RUN_H

#include "sim/study/plan/plan_outcome.h"

/* The folder of its files in that of a plan, as `trainyard run -o` writes them. */
#define WORST_RUN_FOLDER "worst"

typedef struct {
    int32_t point; /* NO_POINT: no run has a known objective */
    int32_t replication;
    double objective;   /* of this run, in the metric's unit */
    int32_t constraint; /* that it misses most, or meets by least; -1: there are none */
} WorstRun;

/* The run with the worst objective in any weather, from the fresh seeds if there are any. Among
 * equal objectives it is the run that misses a constraint most, or meets it by least, as a part of
 * its limit; then the first one. */
WorstRun worst_run_of(const PlanOutcome *outcome, int32_t candidate);

#endif
