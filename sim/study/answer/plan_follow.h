/* The studies after the answer of a plan: those of sim/study/follow about its winner, its next
 * best and why the others lost. */
#ifndef SIM_STUDY_ANSWER_PLAN_FOLLOW_H
#define SIM_STUDY_ANSWER_PLAN_FOLLOW_H

#include "sim/study/follow/follow_run.h"
#include "sim/study/plan/plan_outcome.h"

typedef struct {
    Sensitivity sensitivity;
    int64_t growth_ppm; /* of the load in a month; 0: not asked for */
} FollowOptions;

/* Runs what follows `outcome`, whose study `study` has its scenario, into the plan's folder.
 * Without a winner the nearest miss takes its place. Does nothing for an unfinished plan, and for
 * one without a folder. As follow_run. */
MUST_CHECK bool plan_follow(Arena *arena, const Study *study, const PlanOutcome *outcome,
                            const FollowOptions *follow, FileSource files,
                            const SweepOptions *options, FollowRuns *runs, Problems *problems);

#endif
