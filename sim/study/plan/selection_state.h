/* The state of a selection. Private to selection*.c in sim/study/plan. */
#ifndef SIM_STUDY_PLAN_SELECTION_STATE_H
#define SIM_STUDY_PLAN_SELECTION_STATE_H

#include <stdbool.h>

#include "sim/study/plan/selection.h"

enum { SUBJECTS_MAX = 3 };

typedef enum { PHASE_SCREENING, PHASE_FRESH, PHASE_SURE, PHASE_FINISHED } SelectionPhase;

struct Selection {
    const SelectionProblem *problem;
    const SelectionData *data;
    SelectionPhase phase;
    SelectionCandidate *candidates;
    int32_t first_look;
    double check_error, pair_error; /* of one decision */
    double *spread;                 /* [check_count] k of a check on a share of jobs; otherwise 0 */
    bool is_forced;                 /* what is open is decided by estimates */
    int32_t round;
    int64_t run_count; /* of the rounds that have ended */
    int32_t winner;
    int32_t fresh_most; /* fresh replications of the first subject */
    int32_t subject_count;
    int32_t subjects[SUBJECTS_MAX]; /* of the fresh seeds, the first one is judged */
    int32_t sure;                   /* the best candidate that is; SELECTION_NONE */
    int64_t sure_runs_end;          /* of `run_count`, for the search for it */
    bool sure_is_cut;
    double *prices; /* [candidate_count] objective less the winner's; INFINITY: it cannot be sure */
    int32_t request_count;
    SelectionRequest *requests; /* [candidate_count + SUBJECTS_MAX] */
};

/* The mean of a series over the candidate's replications that took part in decisions. */
double selection_mean(const Selection *selection, int32_t candidate, int32_t series);
/* The mean of `part` times a series of a candidate less that of `other`, over the replications that
 * both have. */
double selection_difference(const Selection *selection, int32_t series, int32_t candidate,
                            double part, int32_t other);

/* Half as many replications again, at most `most`. */
int32_t selection_longer(int32_t count, int32_t most);

/* Estimates `spread` from all replications so far. */
void selection_measure_spread(Selection *selection);
/* Tests the open checks of a candidate in play, and sets its state if it misses one. */
void selection_test_checks(Selection *selection, int32_t candidate);
/* Compares all candidates that miss no check: sets which are in play, dormant and beaten. */
void selection_compare(Selection *selection);
bool selection_meets_all(const Selection *selection, int32_t candidate);
/* Whether the estimates of all checks meet them. */
bool selection_seems_to_meet(const Selection *selection, int32_t candidate);
/* The smallest margin of a candidate's checks in units of their indifference. Below 0: it misses.
 */
double selection_distance(const Selection *selection, int32_t candidate);

/* Whether the runs so far are above all limits, though perhaps too few to count. */
bool selection_seems_sure(const Selection *selection, int32_t candidate);
/* Whether `part` of the objective of `candidate` is surely worse than that of `winner`. */
bool selection_part_is_worse(const Selection *selection, int32_t candidate, double part,
                             int32_t winner);

/* The ladder of a candidate and its rung; NULL: it is in none. */
const SelectionLadder *selection_ladder_of(const Selection *selection, int32_t candidate,
                                           int32_t *rung);
/* The nearest rung above `rung` that has runs; -1: none has. */
int32_t selection_rung_known_above(const Selection *selection, const SelectionLadder *ladder,
                                   int32_t rung);
/* All rungs sleep. */
void selection_lay_ladders(Selection *selection);
/* Requests for the first rungs. */
void selection_begin_ladders(Selection *selection);
/* An upper bound of the rungs that a bisection runs. */
int32_t selection_ladder_tests(const SelectionLadder *ladder);
/* Adds requests for the rungs that are next; false: no rung is. */
bool selection_climb(Selection *selection);
/* Adds requests for the rungs that have to run before `winner` is chosen; false: all have run. */
bool selection_confirm(Selection *selection, int32_t winner);
/* Whether a candidate in play needs further runs: a rung does not while a lower one may do. */
bool selection_is_needed(const Selection *selection, int32_t candidate);

/* Adds requests for the candidates in play; false if none can have more replications. */
bool selection_extend(Selection *selection);

/* Whether the fresh seeds of the first subject are enough. */
bool selection_fresh_is_enough(const Selection *selection);
/* Whether the first subject misses a check on them by more than the indifference. */
bool selection_fresh_refutes(const Selection *selection);

/* Begins and continues the search for a sure candidate; finishes the selection without requests. */
void selection_begin_sure(Selection *selection);
void selection_judge_sure(Selection *selection);

#endif
