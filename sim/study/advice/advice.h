/* Advice about a scenario without a study: tries the obvious changes (changes.h) one at a time on
 * the same seeds, chooses those that improve the objective most and keep the constraints, and runs
 * these again with fresh seeds, because the best of many noisy changes look better than they are.
 * If the unchanged scenario does not keep the constraints, those that do so at least cost. */
#ifndef SIM_STUDY_ADVICE_ADVICE_H
#define SIM_STUDY_ADVICE_ADVICE_H

#include "sim/study/advice/changes.h"
#include "sim/study/goal.h"
#include "sim/study/point_estimate.h"
#include "sim/study/sweep.h"

typedef struct {
    const char *scenario;
    ScenarioOverrides overrides; /* of the unchanged scenario, and so of all changes */
    const char *minimise;        /* the objective; NULL: cost_usd.total */
    const char *maximise;        /* or this */
    int32_t slo_count;
    const char *const *slos; /* "waited_within(20m) >= 95%" */
    int64_t seeds;           /* of each change, and as many fresh ones; 0: SEEDS_AT_LEAST */
    SweepOptions sweep;      /* without a folder */
} AdviceOptions;

enum { ADVICE_MOST = 3 };

/* How a change ended. X(ENUM, words) */
#define ADVICE_STATES(X)                                                                           \
    X(CHOSEN, "improves")                                                                          \
    X(LESS, "improves less")                                                                       \
    X(NOTHING, "no certain difference")                                                            \
    X(WORSE, "is worse")                                                                           \
    X(MISSES, "misses a constraint")                                                               \
    X(UNCERTAIN, "may miss a constraint")                                                          \
    X(FAILS, "fewer jobs succeed")                                                                 \
    X(NOT_CONFIRMED, "no certain improvement with fresh seeds")

typedef enum {
#define X(name, words) ADVICE_##name,
    ADVICE_STATES(X)
#undef X
} AdviceState;

const char *advice_state_words(AdviceState state);

typedef struct {
    const Change *change;
    AdviceState state;
    int32_t constraint; /* MISSES, UNCERTAIN: index in Goal.constraints */
    /* [metric_count] of `study`, differences to the unchanged scenario; of fresh seeds if
     * `is_fresh`. */
    const MetricEstimate *estimates;
    bool is_fresh;
} AdvisedChange;

typedef struct {
    const Study *study; /* its goal and its metrics */
    ScenarioOverrides overrides;
    const Changes *changes;
    int32_t count;
    AdvisedChange *items;         /* [count] the best first */
    int32_t chosen_count;         /* the first of them are CHOSEN; at most ADVICE_MOST */
    const MetricEstimate *before; /* [metric_count] of the unchanged scenario, fresh if any is */
    AdviceState before_state;     /* CHOSEN: it keeps the constraints; MISSES or UNCERTAIN: that at
                                     `before_constraint`, and changes that keep all are advised */
    int32_t before_constraint;
    int64_t run_count;
    int32_t seed_count; /* of each change */
    RunnerEnd end;      /* other than RUNNER_FINISHED: nothing else is known */
    int signal;
} Advice;

/* Lives in `arena`. False with problems. */
MUST_CHECK bool advice_make(Arena *arena, FileSource files, const AdviceOptions *options,
                            Advice *advice, Problems *problems);

#endif
