/* Runs the studies that follow a plan, into subfolders of its folder. */
#ifndef SIM_STUDY_FOLLOW_FOLLOW_RUN_H
#define SIM_STUDY_FOLLOW_FOLLOW_RUN_H

#include "sim/study/follow/facts.h"
#include "sim/study/follow/follow.h"
#include "sim/study/sweep.h"

/* X(ENUM, name in study files, words) */
#define SENSITIVITIES(X)                                                                           \
    X(NONE, "none", "no assumption is varied")                                                     \
    X(ONE_AT_A_TIME, "one-at-a-time", "each assumption alone, at both ends of its range")          \
    X(MORRIS, "morris", "and elementary effects of all of them, 20 trajectories")                  \
    X(SOBOL, "sobol", "and Sobol' indices of all of them, 64 base points")

typedef enum {
#define X(name, text, words) SENSITIVITY_##name,
    SENSITIVITIES(X)
#undef X
} Sensitivity;

enum { MORRIS_TRAJECTORIES = 20, SOBOL_BASE_POINTS = 64, FOLLOW_SEEDS_MOST = 20 };

typedef struct {
    const Study *study;  /* with its scenario and a goal */
    int32_t winner;      /* points of the study, in the weather that is hardest for the winner */
    int32_t next_best;   /* NO_POINT: no other meets the constraints */
    int32_t point_count; /* points whose reasons are looked for, in addition to these */
    const int32_t *points;
    int32_t larger_count; /* with growth_ppm: candidates with more of something than the winner */
    const int32_t *larger;
    uint64_t first_seed; /* of runs that took no part in the choice */
    int32_t seeds;       /* of DIR/headroom; the other studies have FOLLOW_SEEDS_MOST at most */
    Sensitivity sensitivity;
    int64_t growth_ppm; /* of the load in a month; 0: not asked for */
} FollowQuestion;

/* The runs of all these studies. */
typedef struct {
    RunnerEnd end;     /* RUNNER_FINISHED, or that of the study that was interrupted */
    int signal;        /* RUNNER_SIGNALLED */
    int64_t run_count; /* those that were made now ... */
    int64_t took_ns;   /* ... and their time on this machine */
} FollowRuns;

/* Runs all studies that apply, and writes DIR/follow.json. A subfolder of another question is
 * replaced; one of the same question is continued. `options` are those of the plan's sweep; runs
 * are on threads of this process. False with problems. */
MUST_CHECK bool follow_run(Arena *arena, const FollowQuestion *question, FileSource files,
                           const SweepOptions *options, FollowRuns *runs, Problems *problems);

#endif
