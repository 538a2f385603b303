/* A plan from the study to the files of its folder: those of a sweep (sim/study/sweep.h), and
 *
 *     DIR/plan.json     the answer, and why each candidate lost
 *     DIR/plan.csv      a row for each candidate
 *     DIR/fresh.csv     a row a run with fresh seeds
 *
 * results.csv and points.csv have the runs by which candidates were chosen. */
#ifndef SIM_STUDY_ANSWER_PLAN_RUN_H
#define SIM_STUDY_ANSWER_PLAN_RUN_H

#include "sim/study/plan/plan_outcome.h"
#include "sim/study/sweep.h"

typedef struct {
    Sweep sweep;
    PlanOutcome outcome; /* not of a forecast */
} PlanRun;

/* Plans `study`, which has a goal; `options` as of a sweep, without a decider and a shard. With
 * `is_forecast` only a pilot of the sweep runs. Lives in `arena`. False with problems. */
MUST_CHECK bool plan_run(Arena *arena, const Study *study, FileSource files,
                         const SweepOptions *options, PlanRun *run, Problems *problems);

#endif
