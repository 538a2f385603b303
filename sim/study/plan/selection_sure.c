/* Private to sim/study/plan: the best candidate that is sure to meet all checks in other times. */
#include <math.h>

#include "sim/study/plan/selection_state.h"
#include "sim/study/statistics/sample.h"

enum { TESTS_LEAST = 48 }; /* without a budget: a search with few runs looks as far, too */

/* --- Whether one is sure --- */

enum { SURE_ERRORS = 3 }; /* standard errors of a margin that decides before all replications */

static SureMargin sure_margin(const Selection *selection, int32_t candidate, int32_t check)
{
    const SelectionData *data = selection->data;
    return data->sure_margin(data->source, candidate, check, selection->problem->at_most,
                             selection->candidates[candidate].fresh_count);
}

/* Whether the candidate is sure, by margins that are `errors` of their errors from 0. */
static SureState sure_by(const Selection *selection, int32_t candidate, double errors)
{
    SureState state = SURE_YES;
    for (int32_t check = 0; check < selection->problem->check_count; check++) {
        const SureMargin own = sure_margin(selection, candidate, check);
        const double doubt = errors > 0 ? errors * own.error : 0;
        if (own.margin < -doubt)
            return SURE_NO;
        if (own.margin < doubt)
            state = SURE_NOT_TESTED;
    }
    return state;
}

/* --- Prices: objectives less that of the winner --- */

/* Whether the winner may miss no check in which the candidate is no better by their common seeds.
 */
static bool may_be_sure(const Selection *selection, int32_t candidate)
{
    for (int32_t check = 0; check < selection->problem->check_count; check++)
        if (sure_margin(selection, selection->winner, check).margin < 0 &&
            !(selection_difference(selection, SERIES_CHECK + check, candidate, 1,
                                   selection->winner) > 0))
            return false;
    return true;
}

/* A rung without runs: the least that the theorem allows. */
static double price_of_rung(const Selection *selection, int32_t candidate)
{
    int32_t rung;
    const SelectionLadder *ladder = selection_ladder_of(selection, candidate, &rung);
    const int32_t above = selection_rung_known_above(selection, ladder, rung);
    if (above < 0 || selection_rung_that_misses(selection, candidate) != SELECTION_NONE)
        return (double)INFINITY;
    return selection_difference(selection, SERIES_OBJECTIVE, ladder->candidates[above],
                                ladder->sizes[rung] / ladder->sizes[above], selection->winner);
}

static double price_before(const Selection *selection, int32_t candidate)
{
    switch (selection->candidates[candidate].state) {
    case SELECTION_IN_PLAY:
    case SELECTION_DORMANT:
    case SELECTION_BEATEN:
        return may_be_sure(selection, candidate)
                   ? selection_difference(selection, SERIES_OBJECTIVE, candidate, 1,
                                          selection->winner)
                   : (double)INFINITY;
    case SELECTION_ASLEEP:
        return price_of_rung(selection, candidate);
    case SELECTION_MISSES:
    case SELECTION_REFUTED:
    case SELECTION_EXCLUDED:
        break;
    }
    return (double)INFINITY;
}

static double price_by_fresh_seeds(const Selection *selection, int32_t candidate)
{
    const SelectionData *data = selection->data;
    const int32_t first = selection->problem->at_most;
    const int32_t count = selection->candidates[selection->winner].fresh_count;
    Arena *scratch = arena_create();
    double *own = ARENA_ARRAY(scratch, double, count), *other = ARENA_ARRAY(scratch, double, count);
    data->values(data->source, candidate, SERIES_OBJECTIVE, first, count, own);
    data->values(data->source, selection->winner, SERIES_OBJECTIVE, first, count, other);
    const double price = statistics_mean(own, count) - statistics_mean(other, count);
    arena_destroy(scratch);
    return price;
}

/* --- The search --- */

/* Whether the candidate is better than the best sure one so far. */
static bool is_better(const Selection *selection, int32_t candidate)
{
    const double best =
        selection->sure != SELECTION_NONE ? selection->prices[selection->sure] : (double)INFINITY;
    return selection->prices[candidate] < best;
}

/* The next in the order of objectives; SELECTION_NONE: no further test may change the answer. */
static int32_t next_to_test(const Selection *selection)
{
    int32_t next = SELECTION_NONE;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        if (selection->candidates[i].sure == SURE_NOT_TESTED && is_better(selection, i) &&
            (next == SELECTION_NONE || selection->prices[i] < selection->prices[next]))
            next = i;
    return next;
}

static void take_sure(Selection *selection, int32_t candidate)
{
    selection->prices[candidate] = price_by_fresh_seeds(selection, candidate);
    if (is_better(selection, candidate))
        selection->sure = candidate;
}

/* Asks for fresh runs of the candidate; false: the search has too few left. */
static bool ask_fresh(Selection *selection, int32_t candidate, int32_t wanted)
{
    const int32_t first = selection->problem->at_most;
    const int32_t has = selection->candidates[candidate].fresh_count;
    const int64_t runs = (int64_t)(wanted - has) * selection->problem->runs_each;
    selection->sure_is_cut = selection->run_count + runs > selection->sure_runs_end;
    if (!selection->sure_is_cut)
        selection->requests[selection->request_count++] =
            (SelectionRequest){candidate, first + has, first + wanted};
    return !selection->sure_is_cut;
}

/* The fresh replications that the candidate needs before it is judged; those that it has: none. */
static int32_t wanted_of(const Selection *selection, int32_t candidate, SureState state)
{
    const SelectionProblem *problem = selection->problem;
    const int32_t has = selection->candidates[candidate].fresh_count;
    const int32_t of_winner = selection->candidates[selection->winner].fresh_count;
    const int32_t most = SELECTION_SURE_TIMES * problem->at_least;
    if (has < problem->at_least && has < of_winner)
        return problem->at_least < of_winner ? problem->at_least : of_winner;
    if (state == SURE_NOT_TESTED && has < most)
        return selection_longer(has, most);
    return state == SURE_NO || has >= of_winner ? has : of_winner;
}

/* False: it waits for more runs, or the search has too few left. The winner is judged by those that
 * it has. */
static bool has_tested(Selection *selection, int32_t candidate)
{
    SelectionCandidate *own = &selection->candidates[candidate];
    const bool is_winner = candidate == selection->winner;
    const SureState state =
        own->fresh_count >= 2 ? sure_by(selection, candidate, SURE_ERRORS) : SURE_NOT_TESTED;
    const int32_t wanted = wanted_of(selection, candidate, state);
    if (wanted > own->fresh_count && (ask_fresh(selection, candidate, wanted) || !is_winner))
        return false;
    own->sure = state != SURE_NOT_TESTED ? state : sure_by(selection, candidate, 0);
    return true;
}

/* False: the winner waits for more runs. */
static bool has_judged_winner(Selection *selection)
{
    const int32_t winner = selection->winner;
    if (selection->candidates[winner].sure != SURE_NOT_TESTED)
        return true;
    if (!has_tested(selection, winner))
        return false;
    selection->sure_is_cut = false;
    const bool is_sure = selection->candidates[winner].sure == SURE_YES;
    selection->sure = is_sure ? winner : SELECTION_NONE;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        selection->prices[i] = is_sure ? (double)INFINITY : price_before(selection, i);
    return true;
}

void selection_judge_sure(Selection *selection)
{
    if (!has_judged_winner(selection))
        return;
    int32_t next = next_to_test(selection);
    while (next != SELECTION_NONE && has_tested(selection, next)) {
        if (selection->candidates[next].sure == SURE_YES)
            take_sure(selection, next);
        next = next_to_test(selection);
    }
    if (selection->request_count == 0)
        selection->phase = PHASE_FINISHED;
}

/* The `run_count` that ends the search: twice the present one, or enough for TESTS_LEAST tests. */
static int64_t runs_end_of(const Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    const int64_t tests = (int64_t)TESTS_LEAST * problem->at_least * problem->runs_each;
    if (problem->budget > 0)
        return problem->budget;
    return selection->run_count + (tests > selection->run_count ? tests : selection->run_count);
}

void selection_begin_sure(Selection *selection)
{
    const int32_t winner = selection->winner;
    selection->phase = PHASE_FINISHED;
    if (selection->data->sure_margin == NULL || winner == SELECTION_NONE ||
        selection->problem->check_count == 0 || selection->candidates[winner].fresh_count < 2)
        return;
    selection->sure_runs_end = runs_end_of(selection);
    selection->phase = PHASE_SURE;
    selection_judge_sure(selection);
}
