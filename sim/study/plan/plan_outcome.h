/* The answer of a plan: the state of each candidate, the winner and the next best, with estimates
 * and the runs that they cost. It is made from the folder of a plan alone, so `plan`, `report` and
 * `plan --check` say the same. plan.json and plan.csv are printed from it.
 *
 * Estimates of the winner, the next best and the baseline are made from fresh seeds, which took no
 * part in the choice: the best of many noisy candidates looks better than it is. */
#ifndef SIM_STUDY_PLAN_PLAN_OUTCOME_H
#define SIM_STUDY_PLAN_PLAN_OUTCOME_H

#include "sim/study/outcome.h"
#include "sim/study/plan/rounds.h"

/* How a candidate ended. X(ENUM, name in plan.json, words) */
#define CANDIDATE_STATES(X)                                                                        \
    X(WINNER, "winner", "is recommended")                                                          \
    X(WORSE, "worse", "meets the constraints or may meet them, and has a worse objective")         \
    X(EQUAL, "equal",                                                                              \
      "meets the constraints or may meet them, and has as good an objective as another one")       \
    X(MISSES, "misses", "misses a constraint")                                                     \
    X(MISSES_AGAIN, "misses_on_fresh_seeds", "was chosen, and misses a constraint on fresh seeds") \
    X(UNSTABLE, "unstable", "was not simulated: more work arrives than the nodes can do")          \
    X(MISSES_BY_ORDER, "misses_by_order",                                                          \
      "was not simulated: a candidate with more nodes misses a constraint")                        \
    X(WORSE_BY_ORDER, "worse_by_order",                                                            \
      "was not simulated: it has more nodes than the recommendation, and a worse objective")       \
    X(REFUSED, "refused", "was not simulated: the scenario is not valid there")                    \
    X(UNDECIDED, "undecided", "needs more runs")

typedef enum {
#define X(name, key, words) CANDIDATE_##name,
    CANDIDATE_STATES(X)
#undef X
        CANDIDATE_STATE_COUNT
} CandidateState;

/* "winner", ... */
const char *candidate_state_name(CandidateState state);
/* "is recommended", ... */
const char *candidate_state_words(CandidateState state);

/* Numbers are NAN when they are not known. */
typedef struct {
    double value;
    double low, high; /* two-sided, at the goal's confidence */
    int32_t run_count;
} PlanEstimate;

/* A constraint in one weather, or in the mean over all (`weather` -1). */
typedef struct {
    int32_t constraint; /* in Goal.constraints */
    int32_t weather;
    PlanEstimate estimate;
    double margin; /* of the value to the limit, in the metric's unit; below 0: it is missed */
    bool is_missed, is_met; /* decided; neither: undecided */
    bool is_lower_bound;    /* jobs still waited at the end of a run */
} PlanCheck;

/* The estimates of a candidate. */
typedef struct {
    int32_t run_count;       /* in each weather; 0: none, and nothing is known */
    PlanEstimate objective;  /* mean over the weathers */
    const PlanCheck *checks; /* [check_count] by constraint, then weather */
} PlanFindings;

typedef struct {
    CandidateState state;
    PlanFindings screening; /* of the seeds by which it was chosen or rejected */
    PlanFindings fresh;     /* of fresh seeds; run_count 0 for most candidates */
    int32_t worse_than;     /* WORSE, EQUAL, WORSE_BY_ORDER: the candidate that beats it;
                               MISSES_BY_ORDER: the one that misses */
    int32_t missed_check;   /* MISSES, MISSES_AGAIN: index of the check that is missed most */
    const char *reason;     /* UNSTABLE, REFUSED: why; otherwise NULL */
    SureState sure;         /* whether it meets all constraints in other times, too */
} PlanCandidate;

typedef enum {
    PLAN_FOUND,
    PLAN_INFEASIBLE, /* no candidate meets the constraints */
    PLAN_UNFINISHED, /* it was interrupted: the same command continues it */
} PlanVerdict;

/* Candidate minus winner on the same fresh seeds, with a 95 % interval. */
typedef struct {
    int32_t candidate; /* NO_CANDIDATE: nothing is compared */
    PlanEstimate objective;
    PlanEstimate *checks; /* [check_count]; NULL without a candidate */
} PlanComparison;

typedef struct {
    StudyOutcome study; /* whose points have the runs of the plan; `used` by screening seeds */
    const PlanGrid *grid;
    const Goal *goal;
    PlanVerdict verdict;
    int32_t check_count;       /* of each candidate: constraints times weathers */
    PlanCandidate *candidates; /* [grid->candidate_count] */
    int32_t winner;            /* PLAN_FOUND; PLAN_UNFINISHED: the best so far, or NO_CANDIDATE */
    int32_t next_best;         /* the best of the others that meets the constraints; NO_CANDIDATE */
    int32_t nearest_miss;      /* PLAN_INFEASIBLE: the one that misses least; NO_CANDIDATE */
    int32_t baseline;          /* of the study; NO_CANDIDATE */
    /* PLAN_FOUND, and runs draw from a log: the best candidate whose intervals of the log
     * (log_reach.h) meet all constraints, which may be the winner; NO_CANDIDATE: none was found. */
    int32_t sure;
    int32_t sure_tested_count; /* candidates tested for that, the winner too; 0: not asked */
    bool seeks_sure;           /* PLAN_UNFINISHED: the choice is made, and that search continues */
    bool sure_is_cut;          /* runs were missing to test the others, which may be better */
    PlanComparison against_next_best, against_baseline, against_sure;
    /* The probability that the choice is right, as far as the runs show: goal->confidence when
     * every decision was made, less when the budget or the most runs of a point ended it. */
    double confidence;
    bool is_confident; /* confidence is what was asked for */
    int32_t round_count;
    int32_t fresh_first;       /* first replication of the fresh seeds (study_seed) */
    int64_t run_count;         /* all runs that the plan used, fresh ones too */
    int64_t fresh_count;       /* of them */
    int64_t unsimulated_count; /* candidates that were not simulated, because they are hopeless */
    int64_t ordered_count;     /* and because a theorem orders them (monotone.h) */
    /* Runs that a full grid needs for the same: every point until the half-widths of its objective
     * and constraints are at most the indifference, at the same confidence for all together, and
     * at least seeds.at_least each. A forecast from the variances that were seen. */
    double grid_run_count;
} PlanOutcome;

/* The outcome of rounds so far, whose study and results `study` has too. Lives in `arena`. */
PlanOutcome plan_outcome_of(Arena *arena, const StudyOutcome *study, const Rounds *rounds);

/* The outcome of the plan in `folder`, so far: while it runs, too. Lives in `arena`. False with
 * problems, also if the study in the folder has no goal. */
MUST_CHECK bool plan_outcome_read(Arena *arena, FileSource files, const char *folder,
                                  PlanOutcome *outcome, Problems *problems);

/* The findings that count most: of fresh seeds if there are any, otherwise of the screening. */
const PlanFindings *plan_findings(const PlanCandidate *candidate);

/* The constraint and the limit of a check. */
static inline const GoalConstraint *plan_constraint(const PlanOutcome *outcome,
                                                    const PlanCheck *check)
{
    return &outcome->goal->constraints[check->constraint];
}

#endif
