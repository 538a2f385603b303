/* The facts that the page of a plan shows: the outcome, the estimates of the study below it, and
 * the words of the answer. */
#ifndef REPORTS_PLAN_FACTS_H
#define REPORTS_PLAN_FACTS_H

#include "reports/plan/report.h"
#include "reports/study/facts.h"
#include "sim/study/answer/answer.h"
#include "sim/study/answer/answer_words.h"
#include "sim/study/answer/front.h"
#include "sim/study/answer/winner_jobs.h"

enum { FRONTS_MAX = 3 };

typedef struct {
    Arena *arena;
    const PlanOutcome *outcome;
    const StudyFacts *study;
    Answer answer;
    const WinnerJobs *jobs;               /* NULL: unknown */
    const FollowOutcome *follow;          /* NULL: nothing has followed */
    bool has_worst;                       /* the report of the worst run */
    int32_t front_count;                  /* constraints with a front: the first ones */
    const FrontPoint *fronts[FRONTS_MAX]; /* [candidate] each */
} PlanFacts;

/* Lives in `arena`; borrows what `known` has. */
const PlanFacts *plan_facts(Arena *arena, const PlanKnown *known);

static inline const PlanCandidate *plan_candidate(const PlanFacts *facts, int32_t candidate)
{
    return &facts->outcome->candidates[candidate];
}

/* "2 nodes, size STANDARD_NC6". */
static inline const char *candidate_words(const PlanFacts *facts, int32_t candidate)
{
    return answer_candidate(facts->arena, facts->outcome, candidate);
}

/* "2, STANDARD_NC6": the levels alone, for drawings; "nodes, size": their factors. */
const char *candidate_levels(const PlanFacts *facts, int32_t candidate);
const char *choice_names(const PlanFacts *facts);
/* "91.7 ± 0.4 USD": the objective of `findings`. */
const char *objective_words(const PlanFacts *facts, const PlanFindings *findings);
/* The value of a check alone: "97.1 ± 0.4 %". */
const char *check_words(const PlanFacts *facts, const PlanCheck *check);
/* "recommended", "costs more": how a candidate ended, in a few words. */
const char *state_words(const PlanFacts *facts, int32_t candidate);
/* "cost (USD a week)": what the objective counts. */
const char *objective_title(const PlanFacts *facts);
/* "jobs of team that wait at most 30 min". */
const char *constraint_title(const PlanFacts *facts, int32_t constraint);
/* "recommended candidate" or "nearest miss": what the studies after the decision are about. */
const char *subject_words(const PlanFacts *facts);
/* "cost": the objective in words. */
const char *objective_noun(const PlanFacts *facts);
/* All candidates by how little their objective differs from that of the recommended candidate, or
 * of the nearest miss; those without an objective are last. [candidate_count of the grid] */
const int32_t *candidates_nearest_first(const PlanFacts *facts);
/* The candidates of DIR/why, as indices of its points, the recommended one first, then the next
 * best, then the others in the order of candidates_nearest_first. [points of follow's facts] */
const int32_t *why_order(const PlanFacts *facts);
/* "the recommended candidate, the next best, then ...": that order in words. */
const char *why_order_words(const PlanFacts *facts);
/* "413,003 USD", "7.25 h": an amount without an error. */
const char *amount_words(Arena *arena, double amount, const char *unit);
/* The runs of a candidate that the page states, and their first replication. */
typedef struct {
    int32_t first, count;
} RunRange;
RunRange stated_runs(const PlanFacts *facts, int32_t candidate);
/* The command that repeats a run: `trainyard run ... --seed N`. */
const char *command_words(const PlanFacts *facts, int32_t point, int32_t replication);

#endif
