/* The decision of a plan: which candidate has the smallest objective among those that meet all
 * checks, from as few runs as possible. It knows neither points nor files: it asks for
 * replications of candidates, looks at their numbers when all are known, and asks for more or ends.
 * So the same numbers lead to the same decisions, in whichever order they were made.
 *
 * Rounds. A candidate begins with `first_look` replications. At the end of a round
 *
 *   - each open check is tested against its limit (screening.h); a candidate that misses one is
 *     out, at any round; one that meets all needs `at_least` replications, because few runs may
 *     all be good days;
 *   - objectives are compared in pairs with common seeds (screening.h). A candidate that is worse
 *     than one that meets all checks is out. One that is worse than another whose checks are open
 *     is dormant: it gets no runs until the other misses a check (C. Healey, S. Andradottir,
 *     S.-H. Kim, "Efficient comparison of constrained systems using dormancy", European Journal of
 *     Operational Research 224, 2013);
 *   - candidates tie if their objectives may differ by chance alone, and surely differ by less
 *     than the indifference. The first of them is kept: candidates are numbered in the order of
 *     preference, in a grid by the levels of the factors as the study lists them. So the first is
 *     set aside for one after it only if that one is better beyond chance;
 *   - the others continue with half as many replications again: 5, 10, 20, 30, 45, ... One that
 *     meets all checks gets no more than another in play will have, because only pairs count.
 *
 * Shares of jobs. Jobs of one run have good and bad days together, so the few runs without a bad
 * day have a high share and a small variance at once, and t would believe them. A share p of jobs
 * that depend on each other has the variance k p (1 - p), where k hardly differs between
 * candidates. It is estimated from all that seem to meet the check, and a check is met only if it
 * were with k limit (1 - limit), the variance of a candidate at the limit: the score test of a
 * proportion (E. B. Wilson, JASA 22, 1927) with a design effect (L. Kish, "Survey Sampling", 1965,
 * section 8.2).
 *
 * Ladders. The highest rung and the middle one begin. The next is in the middle between the highest
 * that misses a check and the lowest that seems to meet all, until both are neighbours: a
 * bisection. The others sleep. Before a candidate is chosen, the rung above it has to run, too; and
 * each sleeping rung that may be cheaper, by the bound that the theorem puts on its objective. If a
 * rung misses a check above one that seems to meet all, the theorem does not hold, and all run.
 *
 * Half of the probability of error is for checks, half for comparisons, divided by Bonferroni: over
 * the candidates that must not be accepted wrongly, and the checks of the best one, which must not
 * be rejected.
 *
 * With a budget, the replications of a round are divided by OCBA (ocba.h) instead. When the
 * budget or the most replications of a candidate are used up, what is open is decided by the
 * estimates, and the confidence falls by the doubt in each.
 *
 * Fresh seeds. The chosen candidate, the next best and the baseline then run with seeds that took
 * no part in the choice, until the intervals of the chosen one are as narrow as the indifference,
 * or it has as many replications as the search took. If it misses a check there by more than the
 * indifference, it is out, and the search continues.
 *
 * Sure candidates. Replications that draw from a short log say less about other times than their
 * number suggests (log_reach.h): their margin for other times does not shrink with their number, it
 * only becomes better known. If the chosen candidate is not sure to meet all checks in other times,
 * the best one that is gets searched with the same fresh seeds. A candidate is tested by `at_least`
 * of them, and by half as many again while a margin is less than three standard errors from 0, up
 * to SELECTION_SURE_TIMES times `at_least`: then its sign decides. One that passes has at least as
 * many as the chosen one. That changes nothing about the choice. Candidates are tested in the order
 * of their objectives, a sleeping rung by the least that its theorem allows. Left out are those
 * that miss a check, and those that do no better than the chosen one in a check of which it is not
 * sure. The search ends with the budget; without one, with as many runs as the choice took, or
 * those of 48 tests. */
#ifndef SIM_STUDY_PLAN_SELECTION_H
#define SIM_STUDY_PLAN_SELECTION_H

#include <stdbool.h>

#include "sim/base/arena.h"

enum { SELECTION_NONE = -1, SELECTION_FIRST_LOOK = 5, SELECTION_SURE_TIMES = 5 };

/* Candidates of which a theorem says: one that meets a check lets all higher ones meet it, and the
 * objective, which is positive, does not rise faster than the size (monotone.h). */
typedef struct {
    int32_t count;
    const int32_t *candidates; /* [count] the rungs, from the lowest */
    const double *sizes;       /* [count] > 0, rising */
} SelectionLadder;

/* Checks are met by margins whose mean is at least 0. */
typedef struct {
    int32_t candidate_count, check_count;
    const bool *is_excluded;          /* [candidate_count] never runs; NULL: none */
    const double *check_indifference; /* [check_count] >= 0, in the margins' units */
    const double *check_share; /* [check_count] the least share of jobs that a check asks for; NAN:
                                  it is about something else. NULL: all are */
    double objective_part, objective_amount; /* the indifference: one of both is 0 */
    double confidence;
    int32_t at_least, at_most; /* replications; at_least >= 2 */
    int64_t budget;            /* runs; 0: none */
    int32_t runs_each;         /* runs of a replication of a candidate: one for each weather */
    int32_t ladder_count; /* not used with a budget; a candidate is in one of them or in none */
    const SelectionLadder *ladders;
    int32_t baseline; /* also runs with fresh seeds; SELECTION_NONE */
} SelectionProblem;

/* The margin of a check that is sure in other times than those of the log; NAN: the log says
 * nothing about it. */
typedef struct {
    double margin, error; /* the standard error that so few replications leave in it */
} SureMargin;

/* What to read of a candidate's replications: its objective (smaller is better) or the margin of a
 * check. Values are numbers whose mean over the replications is the estimate; NAN: unknown. */
enum { SERIES_OBJECTIVE = 0, SERIES_CHECK = 1 };
typedef struct {
    void *source;
    void (*values)(void *source, int32_t candidate, int32_t series, int32_t first, int32_t count,
                   double *values);
    /* The least variance that the margins of a check may be thought to have. */
    double (*variance_least)(void *source, int32_t candidate, int32_t check, int32_t first,
                             int32_t count);
    /* By at least 2 replications. NULL: they draw from no log, and no sure candidate is searched.
     */
    SureMargin (*sure_margin)(void *source, int32_t candidate, int32_t check, int32_t first,
                              int32_t count);
} SelectionData;

typedef enum {
    SELECTION_IN_PLAY,
    SELECTION_DORMANT, /* worse than `other`, whose checks are open */
    SELECTION_BEATEN,  /* worse than `other`, which meets all checks */
    SELECTION_MISSES,  /* a check */
    SELECTION_REFUTED, /* was chosen; misses a check on fresh seeds */
    SELECTION_EXCLUDED,
    SELECTION_ASLEEP, /* a rung of a ladder that has not been needed */
} SelectionState;

typedef enum { CHECK_OPEN, CHECK_MET, CHECK_MISSED } CheckState;

/* Whether a candidate is sure to meet all checks in other times. */
typedef enum { SURE_NOT_TESTED, SURE_YES, SURE_NO } SureState;

typedef struct {
    SelectionState state;
    int32_t count; /* replications 0 to count - 1 took part in decisions */
    int32_t other; /* DORMANT, BEATEN */
    CheckState *checks;
    double check_doubt, pair_doubt; /* that decisions by estimates are wrong */
    int32_t fresh_count;            /* replications from at_most on */
    SureState sure;                 /* by all fresh replications */
} SelectionCandidate;

/* Replications `first` to `end` - 1 of the candidate. */
typedef struct {
    int32_t candidate, first, end;
} SelectionRequest;

typedef struct Selection Selection;

/* Borrows `problem` and `data`. Lives in `arena`. */
Selection *selection_create(Arena *arena, const SelectionProblem *problem,
                            const SelectionData *data);

/* The replications of the present round; the number of requests, 0 at the end. */
int32_t selection_requests(const Selection *selection, const SelectionRequest **requests);
/* Ends a round, all replications of which are known. */
void selection_decide(Selection *selection);

bool selection_is_finished(const Selection *selection);
const SelectionCandidate *selection_candidate(const Selection *selection, int32_t candidate);
/* The chosen candidate, during the search the one that is best so far; SELECTION_NONE. */
int32_t selection_winner(const Selection *selection);
/* Whether the candidate is worse than the winner by at most the indifference, in the replications
 * that both have. False without a winner. */
bool selection_is_equal(const Selection *selection, int32_t candidate);
/* The best candidate but the winner that seems to meet all checks; SELECTION_NONE. */
int32_t selection_next_best(const Selection *selection);
/* When no candidate is left: the one that misses its checks by least, in units of indifference; of
 * equal ones the one with the best objective. */
int32_t selection_nearest_miss(const Selection *selection);
/* The best candidate that is sure to meet all checks in other times, which may be the winner;
 * during the search for it the best so far. SELECTION_NONE. */
int32_t selection_sure(const Selection *selection);
/* Whether the choice is made, and that search continues. */
bool selection_seeks_sure(const Selection *selection);
/* Whether that search ended for want of runs, so that there may be a better one. */
bool selection_sure_is_cut(const Selection *selection);
int32_t selection_in_play_count(const Selection *selection);
int32_t selection_round(const Selection *selection);
/* That the choice is right; `confidence` of the problem, less what was decided by estimates. */
double selection_confidence(const Selection *selection);
/* k of a check on a share of jobs: a share p of a run varies by k p (1 - p). 0: unknown. */
double selection_spread(const Selection *selection, int32_t check);
/* A candidate that sleeps: the rung above it that misses a check, so that it must miss it, too;
 * SELECTION_NONE: it is worse than the winner. */
int32_t selection_rung_that_misses(const Selection *selection, int32_t candidate);
/* All runs of the rounds so far. */
int64_t selection_run_count(const Selection *selection);

#endif
