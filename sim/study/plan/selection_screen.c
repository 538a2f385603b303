/* Private to sim/study/plan: checks against their limits, objectives against each other. */
#include <math.h>
#include <stdlib.h>

#include "sim/study/plan/selection_state.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/sample.h"
#include "sim/study/statistics/screening.h"

/* The values of a series in the first `count` replications. In `arena`. */
static double *series_of(Arena *arena, const Selection *selection, int32_t candidate,
                         int32_t series, int32_t count)
{
    const SelectionData *data = selection->data;
    double *values = ARENA_ARRAY(arena, double, count);
    data->values(data->source, candidate, series, 0, count, values);
    return values;
}

double selection_mean(const Selection *selection, int32_t candidate, int32_t series)
{
    const int32_t count = selection->candidates[candidate].count;
    if (count == 0)
        return (double)NAN;
    Arena *scratch = arena_create();
    const double *values = series_of(scratch, selection, candidate, series, count);
    const double mean = statistics_mean(values, count);
    arena_destroy(scratch);
    return mean;
}

/* --- Checks --- */

static double share_of_check(const Selection *selection, int32_t check)
{
    const double *shares = selection->problem->check_share;
    return shares != NULL ? shares[check] : (double)NAN;
}

/* k of a check: the sum of the variances over that of p (1 - p), of candidates that seem to meet
 * it. Others are busier, and their jobs depend on each other more. */
static double spread_of(const Selection *selection, int32_t check, Arena *scratch)
{
    const double limit = share_of_check(selection, check);
    double variances = 0, products = 0;
    for (int32_t i = 0; i < selection->problem->candidate_count && !isnan(limit); i++) {
        const int32_t count = selection->candidates[i].count;
        if (count < 2)
            continue;
        const double *margins = series_of(scratch, selection, i, SERIES_CHECK + check, count);
        const double share = statistics_mean(margins, count) + limit;
        if (!(share >= limit) || !(share < 1))
            continue;
        variances += statistics_variance(margins, count);
        products += share * (1 - share);
    }
    return products > 0 ? variances / products : 0;
}

void selection_measure_spread(Selection *selection)
{
    Arena *scratch = arena_create();
    for (int32_t check = 0; check < selection->problem->check_count; check++)
        selection->spread[check] = spread_of(selection, check, scratch);
    arena_destroy(scratch);
}

/* Whether the margins are above their limit also with the variance of a candidate at the limit. */
static bool is_above_for_sure(const Selection *selection, const double *margins, int32_t count,
                              int32_t check)
{
    const double share = share_of_check(selection, check);
    const double variance = isnan(share) ? 0 : selection->spread[check] * share * (1 - share);
    return screening_side(margins, count, variance, selection->problem->check_indifference[check],
                          selection->check_error) == SCREENING_ABOVE;
}

static CheckState test_check(Selection *selection, int32_t candidate, int32_t check)
{
    const SelectionProblem *problem = selection->problem;
    const SelectionData *data = selection->data;
    const int32_t count = selection->candidates[candidate].count;
    Arena *scratch = arena_create();
    const double *margins = series_of(scratch, selection, candidate, SERIES_CHECK + check, count);
    const double mean = statistics_mean(margins, count);
    CheckState state = CHECK_OPEN;
    if (isnan(mean)) {
        state = CHECK_MISSED; // what is not known cannot be promised
    } else if (selection->is_forced || count >= problem->at_most) {
        state = mean >= 0 ? CHECK_MET : CHECK_MISSED;
        selection->candidates[candidate].check_doubt += screening_doubt(margins, count);
    } else {
        const ScreeningSide side = screening_side(
            margins, count, data->variance_least(data->source, candidate, check, 0, count),
            problem->check_indifference[check], selection->check_error);
        if (side == SCREENING_BELOW)
            state = CHECK_MISSED;
        else if (side == SCREENING_ABOVE && count >= problem->at_least &&
                 is_above_for_sure(selection, margins, count, check))
            state = CHECK_MET;
    }
    arena_destroy(scratch);
    return state;
}

void selection_test_checks(Selection *selection, int32_t candidate)
{
    SelectionCandidate *own = &selection->candidates[candidate];
    for (int32_t check = 0; check < selection->problem->check_count; check++) {
        if (own->checks[check] == CHECK_OPEN)
            own->checks[check] = test_check(selection, candidate, check);
        if (own->checks[check] == CHECK_MISSED)
            own->state = SELECTION_MISSES;
    }
    if (isnan(selection_mean(selection, candidate, SERIES_OBJECTIVE)))
        own->state = SELECTION_MISSES;
}

bool selection_seems_sure(const Selection *selection, int32_t candidate)
{
    const SelectionProblem *problem = selection->problem;
    const SelectionData *data = selection->data;
    const SelectionCandidate *own = &selection->candidates[candidate];
    bool is_sure = own->count >= 2 && own->state != SELECTION_MISSES &&
                   own->state != SELECTION_REFUTED && own->state != SELECTION_EXCLUDED;
    for (int32_t check = 0; is_sure && check < problem->check_count; check++) {
        Arena *scratch = arena_create();
        const double *margins =
            series_of(scratch, selection, candidate, SERIES_CHECK + check, own->count);
        is_sure =
            own->checks[check] == CHECK_MET ||
            screening_side(margins, own->count,
                           data->variance_least(data->source, candidate, check, 0, own->count),
                           problem->check_indifference[check],
                           selection->check_error) == SCREENING_ABOVE;
        arena_destroy(scratch);
    }
    return is_sure;
}

bool selection_meets_all(const Selection *selection, int32_t candidate)
{
    const SelectionCandidate *own = &selection->candidates[candidate];
    for (int32_t check = 0; check < selection->problem->check_count; check++)
        if (own->checks[check] != CHECK_MET)
            return false;
    return own->count >= selection->problem->at_least || selection->is_forced;
}

double selection_distance(const Selection *selection, int32_t candidate)
{
    double least = (double)INFINITY;
    for (int32_t check = 0; check < selection->problem->check_count; check++) {
        const double margin = selection_mean(selection, candidate, SERIES_CHECK + check);
        const double unit = selection->problem->check_indifference[check];
        const double distance = unit > 0 ? margin / unit : margin;
        least = isnan(distance) ? -(double)INFINITY : fmin(least, distance);
    }
    return least;
}

bool selection_seems_to_meet(const Selection *selection, int32_t candidate)
{
    return selection->candidates[candidate].count > 0 &&
           selection_distance(selection, candidate) >= 0;
}

/* --- Objectives --- */

/* Differences of both objectives up to this do not matter. */
static double pair_indifference(const SelectionProblem *problem, double mean, double other_mean)
{
    return problem->objective_amount > 0
               ? problem->objective_amount
               : problem->objective_part * fmin(fabs(mean), fabs(other_mean));
}

/* Differences of objectives in the replications that two candidates share. */
typedef struct {
    double *values; /* [count] */
    int32_t count;
    double mean, indifference;
} PairDifferences;

/* The replications that both have. */
static int32_t common_count(const Selection *selection, int32_t candidate, int32_t other)
{
    const int32_t own = selection->candidates[candidate].count;
    const int32_t others = selection->candidates[other].count;
    return own < others ? own : others;
}

static PairDifferences pair_of(Arena *arena, const Selection *selection, int32_t candidate,
                               int32_t other)
{
    const int32_t count = common_count(selection, candidate, other);
    double *values = series_of(arena, selection, candidate, SERIES_OBJECTIVE, count);
    const double *others = series_of(arena, selection, other, SERIES_OBJECTIVE, count);
    const double mean = statistics_mean(values, count);
    const double other_mean = statistics_mean(others, count);
    for (int32_t r = 0; r < count; r++)
        values[r] -= others[r];
    return (PairDifferences){values, count, statistics_mean(values, count),
                             pair_indifference(selection->problem, mean, other_mean)};
}

double selection_difference(const Selection *selection, int32_t series, int32_t candidate,
                            double part, int32_t other)
{
    Arena *scratch = arena_create();
    const int32_t count = common_count(selection, candidate, other);
    double *values = series_of(scratch, selection, candidate, series, count);
    const double *others = series_of(scratch, selection, other, series, count);
    for (int32_t r = 0; r < count; r++)
        values[r] = part * values[r] - others[r];
    const double mean = statistics_mean(values, count);
    arena_destroy(scratch);
    return mean;
}

bool selection_is_equal(const Selection *selection, int32_t candidate)
{
    const int32_t winner = selection_winner(selection);
    if (winner == SELECTION_NONE)
        return false;
    Arena *scratch = arena_create();
    const PairDifferences pair = pair_of(scratch, selection, candidate, winner);
    const bool is_equal = fabs(pair.mean) <= pair.indifference;
    arena_destroy(scratch);
    return is_equal;
}

/* Whether the difference may be chance, also when each look is a chance. */
static bool may_be_chance(const Selection *selection, const PairDifferences *pair)
{
    const double variance = statistics_variance(pair->values, pair->count);
    return fabs(pair->mean) * pair->count <=
           screening_boundary(pair->count, variance, 0, selection->pair_error);
}

/* Whether the difference may be chance, also after enough runs, and is surely within the
 * indifference. */
static bool is_tie(const Selection *selection, const PairDifferences *pair)
{
    const double variance = statistics_variance(pair->values, pair->count);
    if (variance > 0 && pair->count < selection->problem->at_least)
        return false;
    const double reach =
        student_quantile(1 - selection->pair_error, pair->count - 1) * sqrt(variance / pair->count);
    return fabs(pair->mean) + reach <= pair->indifference && may_be_chance(selection, pair);
}

/* Whether `candidate` is worse than `other`, or ties with it and comes after it. False also while
 * more runs are needed. */
static bool is_worse(Selection *selection, int32_t candidate, int32_t other)
{
    SelectionCandidate *own = &selection->candidates[candidate];
    Arena *scratch = arena_create();
    const PairDifferences pair = pair_of(scratch, selection, candidate, other);
    const bool is_after = other < candidate;
    bool is_so = pair.mean > 0 || (pair.mean == 0 && is_after);
    double doubt = 0;
    if (is_tie(selection, &pair))
        is_so = is_after;
    else if (selection->is_forced || pair.count >= selection->problem->at_most)
        doubt = screening_doubt(pair.values, pair.count);
    else
        is_so = screening_side(pair.values, pair.count, 0, pair.indifference,
                               selection->pair_error) == SCREENING_ABOVE &&
                (is_after || !may_be_chance(selection, &pair));
    if (is_so)
        own->pair_doubt = doubt;
    arena_destroy(scratch);
    return is_so;
}

bool selection_part_is_worse(const Selection *selection, int32_t candidate, double part,
                             int32_t winner)
{
    Arena *scratch = arena_create();
    PairDifferences pair = pair_of(scratch, selection, candidate, winner);
    const double *others = series_of(scratch, selection, winner, SERIES_OBJECTIVE, pair.count);
    // part x own - other = part x (own - other) - (1 - part) x other
    for (int32_t r = 0; r < pair.count; r++)
        pair.values[r] = part * pair.values[r] - (1 - part) * others[r];
    // Student's bound: such differences are large, and the triangle is wide for few runs.
    const bool is_worse =
        statistics_mean(pair.values, pair.count) > 0 &&
        screening_side(pair.values, pair.count, 0, 0, selection->pair_error) == SCREENING_ABOVE;
    arena_destroy(scratch);
    return is_worse;
}

typedef struct {
    int32_t candidate;
    double mean;
} Ranked;

static int by_mean(const void *left, const void *right)
{
    const Ranked *a = left, *b = right;
    if (a->mean != b->mean)
        return a->mean < b->mean ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* The candidates that miss no check, the smallest objective first: those first in the list are most
 * likely to beat others. */
static int32_t rank_candidates(const Selection *selection, Ranked *ranked)
{
    int32_t count = 0;
    for (int32_t i = 0; i < selection->problem->candidate_count; i++) {
        const SelectionState state = selection->candidates[i].state;
        if (state == SELECTION_IN_PLAY || state == SELECTION_DORMANT || state == SELECTION_BEATEN)
            ranked[count++] = (Ranked){i, selection_mean(selection, i, SERIES_OBJECTIVE)};
    }
    qsort(ranked, (size_t)count, sizeof *ranked, by_mean);
    return count;
}

/* A candidate that was set aside can set aside no other, so one always remains. */
void selection_compare(Selection *selection)
{
    Arena *scratch = arena_create();
    Ranked *ranked = ARENA_ARRAY(scratch, Ranked, selection->problem->candidate_count + 1);
    const int32_t count = rank_candidates(selection, ranked);
    for (int32_t i = 0; i < count; i++) {
        selection->candidates[ranked[i].candidate].state = SELECTION_IN_PLAY;
        selection->candidates[ranked[i].candidate].pair_doubt = 0;
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        SelectionCandidate *own = &selection->candidates[ranked[i].candidate];
        for (int32_t j = 0; j < count && own->state != SELECTION_BEATEN; j++) {
            const int32_t other = ranked[j].candidate;
            if (j == i || selection->candidates[other].state != SELECTION_IN_PLAY)
                continue;
            const bool is_beaten = selection_meets_all(selection, other);
            if ((own->state == SELECTION_DORMANT && !is_beaten) ||
                !is_worse(selection, ranked[i].candidate, other))
                continue;
            own->state = is_beaten ? SELECTION_BEATEN : SELECTION_DORMANT;
            own->other = other;
        }
    }
    arena_destroy(scratch);
}
