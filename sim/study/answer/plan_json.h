/* plan.json, the answer of a plan for programs: one table writes it, reads an earlier one, and
 * describes it in `trainyard schema plan` and in scenarios/FORMAT.md. */
#ifndef SIM_STUDY_ANSWER_PLAN_JSON_H
#define SIM_STUDY_ANSWER_PLAN_JSON_H

#include "sim/schema/field.h"
#include "sim/study/plan/plan_outcome.h"

typedef struct {
    const char *factor, *level;
} PlanFileLevel;

/* A candidate that has a part in the answer. */
typedef struct {
    int64_t candidate; /* in PlanFile.candidates */
    PlanFileLevel *levels;
    uint32_t level_count;
    bool is_there; /* the file has it */
} PlanFileChoice;

typedef struct {
    const char *metric;
    const char *weather; /* NULL: the study has no weather */
    PlanEstimate estimate;
    double margin;
    bool is_met, is_decided;
} PlanFileCheck;

typedef struct {
    int64_t replication_count;
    PlanEstimate objective;
    PlanFileCheck *checks;
    uint32_t check_count;
    bool is_there;
} PlanFileFindings;

typedef struct {
    int64_t candidate;
    PlanFileLevel *levels;
    uint32_t level_count;
    CandidateState state;
    const char *reason;
    const Json *points; /* a list of integers */
    PlanFileFindings screening, fresh;
    bool is_sure, sure_was_tested;
} PlanFileCandidate;

typedef struct {
    PlanEstimate estimate;
} PlanFileDifference;

/* Another candidate minus the winner. */
typedef struct {
    PlanFileChoice other;
    PlanEstimate objective;
    PlanFileDifference *checks;
    uint32_t check_count;
    bool is_there;
} PlanFileComparison;

typedef struct {
    int64_t tested_count;
    bool is_complete;
    bool is_there;
} PlanFileSearch;

typedef struct {
    int64_t all, fresh, round_count, first_fresh_replication;
    int64_t first_fresh_seed; /* PLAIN_UNKNOWN: there is neither a winner nor a nearest miss */
    int64_t unsimulated_count, ordered_count;
    double full_grid, part_of_full_grid;
} PlanFileRuns;

/* A text that is NULL does not apply. */
typedef struct {
    int64_t version;
    const char *study, *description;
    PlanVerdict verdict;
    const char *decision, *alternative, *remark, *reach;
    double confidence;
    const char *maximised, *minimised; /* a metric; one of them is NULL */
    const char *const *constraints;
    uint32_t constraint_count;
    double confidence_wanted;
    PlanFileChoice best_so_far, winner, next_best, nearest_miss, baseline, sure;
    PlanFileSearch sure_search;
    PlanFileComparison against_next_best, against_baseline, against_sure;
    PlanFileRuns runs;
    PlanFileCandidate *candidates;
    uint32_t candidate_count;
} PlanFile;

extern const ObjectType plan_file_type;

Json *plan_json(Arena *arena, const PlanOutcome *outcome);

/* The winner as the file has it: not there unless the plan is finished and found one. In `arena`;
 * borrows the outcome. */
PlanFileChoice plan_winner(Arena *arena, const PlanOutcome *outcome);

#endif
