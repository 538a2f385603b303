/* Private to sim/study/plan: how many replications a round adds, and when fresh seeds are enough.
 */
#include <math.h>

#include "sim/study/plan/selection_state.h"
#include "sim/study/statistics/estimate.h"
#include "sim/study/statistics/ocba.h"
#include "sim/study/statistics/sample.h"

/* --- Without a budget: half as many again --- */

int32_t selection_longer(int32_t count, int32_t most)
{
    const int64_t next = (int64_t)count + count / 2;
    return next < most ? (int32_t)next : most;
}

static int32_t next_count(const SelectionProblem *problem, int32_t count)
{
    if (count >= problem->at_least)
        return selection_longer(count, problem->at_most);
    const int64_t next =
        2 * (int64_t)count < problem->at_least ? 2 * (int64_t)count : problem->at_least;
    return next < problem->at_most ? (int32_t)next : problem->at_most;
}

static void ask(Selection *selection, int32_t candidate, int32_t end)
{
    const int32_t first = selection->candidates[candidate].count;
    if (end > first)
        selection->requests[selection->request_count++] = (SelectionRequest){candidate, first, end};
}

/* The most replications that another candidate in play will have after this round. */
static int32_t most_of_others(const Selection *selection, int32_t candidate)
{
    const SelectionProblem *problem = selection->problem;
    int32_t most = 0;
    for (int32_t i = 0; i < problem->candidate_count; i++) {
        const SelectionCandidate *other = &selection->candidates[i];
        if (i == candidate || other->state != SELECTION_IN_PLAY)
            continue;
        const int32_t next = next_count(problem, other->count);
        most = next > most ? next : most;
    }
    return most;
}

/* One that meets all checks is only compared, by the replications that both have. */
static int32_t wanted_count(const Selection *selection, int32_t candidate)
{
    const int32_t next = next_count(selection->problem, selection->candidates[candidate].count);
    if (!selection_meets_all(selection, candidate))
        return next;
    const int32_t others = most_of_others(selection, candidate);
    return others < next ? others : next;
}

/* Requests for the candidates in play, or only for those that are needed. One without runs has its
 * request already. */
static void ask_each(Selection *selection, bool only_needed)
{
    for (int32_t i = 0; i < selection->problem->candidate_count; i++) {
        const SelectionCandidate *own = &selection->candidates[i];
        if (own->state == SELECTION_IN_PLAY && own->count > 0 &&
            (!only_needed || selection_is_needed(selection, i)))
            ask(selection, i, wanted_count(selection, i));
    }
}

static bool extend_by_rounds(Selection *selection)
{
    ask_each(selection, true);
    if (selection->request_count == 0)
        ask_each(selection, false);
    return selection->request_count > 0;
}

/* --- With a budget: OCBA --- */

/* Replications that the budget has left, apart from those of the fresh seeds: the winner, the next
 * best and the baseline. */
static int64_t left_of_budget(const Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    const int64_t all = problem->budget / problem->runs_each;
    const int64_t subjects = problem->baseline != SELECTION_NONE ? 3 : 2;
    const int64_t fresh = subjects * problem->at_least;
    return all - (fresh < all / 3 ? fresh : all / 3) - selection->run_count / problem->runs_each;
}

/* The mean over the standard deviation of a series of a candidate. */
static double signal_of(const double *values, int32_t count, double *deviation)
{
    *deviation = sqrt(statistics_variance(values, count));
    const double mean = statistics_mean(values, count);
    return *deviation > 0 ? mean / *deviation : mean * (double)INFINITY;
}

static double check_signal(const Selection *selection, int32_t candidate, Arena *scratch)
{
    const SelectionData *data = selection->data;
    const SelectionCandidate *own = &selection->candidates[candidate];
    double least = (double)INFINITY, unused;
    double *margins = ARENA_ARRAY(scratch, double, own->count);
    for (int32_t check = 0; check < selection->problem->check_count; check++) {
        if (own->checks[check] != CHECK_OPEN)
            continue;
        data->values(data->source, candidate, SERIES_CHECK + check, 0, own->count, margins);
        const double signal = signal_of(margins, own->count, &unused);
        least = isnan(signal) ? 0 : fmin(least, signal);
    }
    return least;
}

/* The signal that excludes the candidate; for the best one, the signal that could. */
static OcbaCandidate look_at(const Selection *selection, int32_t candidate, int32_t best,
                             Arena *scratch)
{
    const SelectionData *data = selection->data;
    const int32_t own_count = selection->candidates[candidate].count;
    double *values = ARENA_ARRAY(scratch, double, own_count);
    data->values(data->source, candidate, SERIES_OBJECTIVE, 0, own_count, values);
    OcbaCandidate found = {.is_best = candidate == best};
    signal_of(values, own_count, &found.deviation);
    const double of_checks = check_signal(selection, candidate, scratch);
    found.signal = found.is_best ? of_checks : fmax(0, -of_checks);
    if (best == SELECTION_NONE || found.is_best)
        return found;
    const int32_t best_count = selection->candidates[best].count;
    const int32_t count = own_count < best_count ? own_count : best_count;
    double *of_best = ARENA_ARRAY(scratch, double, count);
    double unused;
    data->values(data->source, candidate, SERIES_OBJECTIVE, 0, count, values);
    data->values(data->source, best, SERIES_OBJECTIVE, 0, count, of_best);
    for (int32_t r = 0; r < count; r++)
        values[r] -= of_best[r];
    const double difference = signal_of(values, count, &unused);
    found.signal = fmax(found.signal, isnan(difference) ? 0 : fabs(difference));
    return found;
}

static int32_t fill_in_play(const Selection *selection, int32_t *in_play)
{
    int32_t count = 0;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++)
        if (selection->candidates[i].state == SELECTION_IN_PLAY)
            in_play[count++] = i;
    return count;
}

/* A quarter of the rest in each round, at least `at_least`: the shares improve as more is known. */
static bool extend_by_budget(Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    const int64_t left = left_of_budget(selection);
    if (left <= 0)
        return false;
    int64_t added = left / 4 > problem->at_least ? left / 4 : problem->at_least;
    added = added < left ? added : left;
    Arena *scratch = arena_create();
    int32_t *in_play = ARENA_ARRAY(scratch, int32_t, problem->candidate_count);
    const int32_t count = fill_in_play(selection, in_play);
    OcbaCandidate *looks = ARENA_ARRAY(scratch, OcbaCandidate, count);
    double *shares = ARENA_ARRAY(scratch, double, count);
    const int32_t best = selection_winner(selection);
    for (int32_t i = 0; i < count; i++)
        looks[i] = look_at(selection, in_play[i], best, scratch);
    ocba_shares(looks, count, shares);
    // Each share is one of the rest, so that the whole is given.
    double rest = 1;
    for (int32_t i = 0; i < count && added > 0; i++) {
        const int32_t own = selection->candidates[in_play[i]].count;
        int64_t more = rest > 0 ? (int64_t)((double)added * shares[i] / rest + 0.5) : added;
        more = more < added ? more : added;
        more = more < problem->at_most - own ? more : problem->at_most - own;
        rest -= shares[i];
        added -= more;
        ask(selection, in_play[i], own + (int32_t)more);
    }
    arena_destroy(scratch);
    return selection->request_count > 0;
}

bool selection_extend(Selection *selection)
{
    return selection->problem->budget > 0 ? extend_by_budget(selection)
                                          : extend_by_rounds(selection);
}

/* --- Fresh seeds --- */

static Estimate fresh_estimate(const Selection *selection, int32_t candidate, int32_t series)
{
    const SelectionData *data = selection->data;
    const int32_t count = selection->candidates[candidate].fresh_count;
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, count);
    data->values(data->source, candidate, series, selection->problem->at_most, count, values);
    const Estimate estimate = estimate_mean(values, count, selection->problem->confidence);
    arena_destroy(scratch);
    return estimate;
}

static bool is_narrow(const Estimate *estimate, double indifference)
{
    return indifference <= 0 || estimate->half_width <= indifference;
}

bool selection_fresh_is_enough(const Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    const int32_t first = selection->subjects[0];
    const SelectionCandidate *own = &selection->candidates[first];
    if (own->fresh_count >= selection->fresh_most || problem->budget > 0)
        return true;
    for (int32_t check = 0; check < problem->check_count; check++) {
        const Estimate margin = fresh_estimate(selection, first, SERIES_CHECK + check);
        if (!is_narrow(&margin, problem->check_indifference[check]))
            return false;
    }
    const Estimate objective = fresh_estimate(selection, first, SERIES_OBJECTIVE);
    return is_narrow(&objective, problem->objective_amount > 0
                                     ? problem->objective_amount
                                     : problem->objective_part * fabs(objective.mean));
}

bool selection_fresh_refutes(const Selection *selection)
{
    const SelectionProblem *problem = selection->problem;
    if (selection->candidates[selection->subjects[0]].fresh_count < 2)
        return false;
    for (int32_t check = 0; check < problem->check_count; check++) {
        const Estimate margin =
            fresh_estimate(selection, selection->subjects[0], SERIES_CHECK + check);
        if (isnan(margin.mean) || margin.mean < -problem->check_indifference[check])
            return true;
    }
    return false;
}
