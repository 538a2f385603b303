/* The findings of the studies that follow a plan, read from its folder alone: why candidates
 * are good or bad, the headroom of the winner, the assumptions that would change the answer, the
 * prices and rates at which it changes, the closed form, and the quotas to ask for. A study that is
 * missing or has not finished is a state, not an error. */
#ifndef SIM_STUDY_FOLLOW_FOLLOW_OUTCOME_H
#define SIM_STUDY_FOLLOW_FOLLOW_OUTCOME_H

#include "sim/study/follow/break_even.h"
#include "sim/study/follow/facts.h"
#include "sim/study/follow/follow.h"
#include "sim/study/follow/growth.h"
#include "sim/study/follow/point_why.h"

/* The effect of one assumption: the cases of its low and its high end. */
typedef struct {
    const Assumption *assumption;
    const FollowCase *low, *high; /* NULL: DIR/assumptions lacks it */
    /* By how far the objective of the winner moves between the ends, with its unit; for sorting. */
    double swing;
} AssumptionEffect;

/* A price of a kind of node at which another candidate that meets the constraints costs as much as
 * the winner: of all candidates, the first one when the price rises, or when it falls. */
typedef struct {
    const char *price;     /* path in the catalogue */
    int64_t micro_usd_now; /* its value; 0: unknown */
    BreakEven break_even;  /* multiples of it: above 1, or below 1 */
    int32_t other;         /* the other candidate, in facts.points */
} PriceBreakEven;

/* Cores that the winner needs, of one family, priority and region. */
typedef struct {
    const char *family, *priority;
    int64_t peak_vcpus;  /* the most of all runs, each cluster at its own peak */
    int64_t asked_vcpus; /* rounded up to whole nodes, with one node for each cluster in reserve */
    int64_t quota_vcpus; /* today's; PLAIN_UNKNOWN: no limit */
    bool is_enough;
} QuotaRequest;

/* The part that one assumption explains when all change at once (DIR/sensitivity). */
typedef struct {
    const Assumption *assumption;
    double effect; /* MORRIS: mean size of the elementary effects; SALTELLI: total index */
    double other;  /* MORRIS: their deviation; SALTELLI: first index */
} SensitivityOfOne;

typedef struct {
    bool is_present; /* there is a follow.json */
    FollowFacts facts;
    bool has[FOLLOW_KIND_COUNT];
    StudyOutcome studies[FOLLOW_KIND_COUNT];
    const PointWhy *why; /* [facts.point_count]; NULL without DIR/why */
    FollowCases headroom, assumptions, preemption;
    int32_t effect_count;
    const AssumptionEffect *effects; /* the largest swing first */
    BreakingLoad breaking_load;
    int32_t breaking_constraint;                   /* of the goal; -1 */
    double growth_months, growth_low, growth_high; /* with facts.growth_ppm; INFINITY: never */
    int32_t stage_count;
    const GrowthStage *stages; /* DIR/growth */
    int32_t price_count;
    const PriceBreakEven *prices;
    BreakEven preemption_rate; /* a multiple of today's: where the next best becomes better */
    double preemption_misses;  /* the smallest simulated rate above 1 at which the winner misses a
                                  constraint; NAN: none */
    int32_t quota_count;
    const QuotaRequest *quotas;
    DesignKind sensitivity_design; /* DIR/sensitivity */
    int32_t sensitivity_count;
    const SensitivityOfOne *sensitivity; /* the largest effect first */
} FollowOutcome;

/* `plan` is the study of the plan in `folder`, with its goal. Lives in `arena`. False with
 * problems: a file that is there is not as the program writes it. */
MUST_CHECK bool follow_outcome_read(Arena *arena, FileSource files, const char *folder,
                                    const Study *plan, FollowOutcome *outcome, Problems *problems);

#endif
