/* Private to sim/study/plan: the best candidate that is sure to meet all checks in other times. */
#include <math.h>

#include "sim/study/plan/selection_state.h"
#include "sim/study/statistics/sample.h"

enum { TESTS_LEAST = 16 }; /* without a budget: a search with few runs looks as far, too */

/* --- Whether one is sure --- */

static double sure_margin(const Selection *selection, int32_t candidate, int32_t check)
{
    const SelectionData *data = selection->data;
    return data->sure_margin(data->source, candidate, check, selection->problem->at_most,
                             selection->candidates[candidate].fresh_count);
}

static void test(Selection *selection, int32_t candidate)
{
    SelectionCandidate *own = &selection->candidates[candidate];
    own->sure = SURE_YES;
    for (int32_t check = 0; check < selection->problem->check_count; check++)
        if (sure_margin(selection, candidate, check) < 0)
            own->sure = SURE_NO;
}

/* --- Prices: objectives less that of the winner --- */

/* Whether the winner may miss no check in which the candidate is no better by their common seeds.
 */
static bool may_be_sure(const Selection *selection, int32_t candidate)
{
    for (int32_t check = 0; check < selection->problem->check_count; check++)
        if (sure_margin(selection, selection->winner, check) < 0 &&
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

/* Asks for the fresh runs that the candidate lacks, if they are left. */
static void ask_fresh(Selection *selection, int32_t candidate, int32_t wanted)
{
    const int32_t first = selection->problem->at_most;
    const int32_t has = selection->candidates[candidate].fresh_count;
    const int64_t runs = (int64_t)(wanted - has) * selection->problem->runs_each;
    selection->sure_is_cut = selection->run_count + runs > selection->sure_runs_end;
    if (!selection->sure_is_cut)
        selection->requests[selection->request_count++] =
            (SelectionRequest){candidate, first + has, first + wanted};
}

/* Tests a candidate by few runs, and one that is sure by them by as many as the winner has. False:
 * it needs more runs. */
static bool has_tested(Selection *selection, int32_t candidate)
{
    SelectionCandidate *own = &selection->candidates[candidate];
    const int32_t most = selection->candidates[selection->winner].fresh_count;
    const int32_t few = selection->problem->at_least < most ? selection->problem->at_least : most;
    if (own->fresh_count >= few)
        test(selection, candidate);
    if (own->sure == SURE_NO)
        return true;
    if (own->fresh_count < most) {
        ask_fresh(selection, candidate, own->sure == SURE_YES ? most : few);
        own->sure = SURE_NOT_TESTED;
        return false;
    }
    selection->prices[candidate] = price_by_fresh_seeds(selection, candidate);
    if (is_better(selection, candidate))
        selection->sure = candidate;
    return true;
}

void selection_judge_sure(Selection *selection)
{
    int32_t next = next_to_test(selection);
    while (next != SELECTION_NONE && has_tested(selection, next))
        next = next_to_test(selection);
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
    test(selection, winner);
    if (selection->candidates[winner].sure == SURE_YES) {
        selection->sure = winner;
        return;
    }
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        selection->prices[i] = price_before(selection, i);
    selection->sure_runs_end = runs_end_of(selection);
    selection->phase = PHASE_SURE;
    selection_judge_sure(selection);
}
