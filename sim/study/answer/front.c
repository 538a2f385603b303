#include "sim/study/answer/front.h"

#include <math.h>
#include <stdlib.h>

#include "sim/study/statistics/bootstrap.h"

/* A value of many runs is the sum of `above` over the sum of `below`. */
typedef struct {
    double above, below;
} Terms;

static Terms terms_of(const PlanOutcome *outcome, int32_t metric, int32_t point, int32_t run)
{
    const StudyMetric *about = &outcome->grid->study->metrics[metric];
    const Results *results = outcome->study.findings.results;
    const double value = results_value(results, point, metric, run);
    if (about->kind == MEASURE_SHARE) {
        const double jobs = results_value(results, point, about->part, run);
        return (Terms){value * jobs, jobs};
    }
    if (about->kind == MEASURE_RATIO)
        return (Terms){results_value(results, point, about->part, run),
                       results_value(results, point, about->part + 1, run)};
    return (Terms){value, 1};
}

/* The value of a point in a resample: `weights` [run] says how often each run was drawn. A resample
 * may have none of the few runs of a point, which then has its own value. NAN without runs. */
static double value_of(const PlanOutcome *outcome, int32_t metric, int32_t point,
                       const int32_t *weights)
{
    const int32_t count = outcome->study.findings.used[point];
    Terms all = {0}, drawn = {0};
    for (int32_t run = 0; run < count; run++) {
        const Terms terms = terms_of(outcome, metric, point, run);
        if (isnan(terms.above) || isnan(terms.below))
            continue;
        all.above += terms.above;
        all.below += terms.below;
        drawn.above += weights[run] * terms.above;
        drawn.below += weights[run] * terms.below;
    }
    if (drawn.below > 0)
        return drawn.above / drawn.below;
    return all.below > 0 ? all.above / all.below : (double)NAN;
}

/* A candidate by numbers of which smaller ones are better. */
typedef struct {
    double cost, lack;
    int32_t candidate;
} Rank;

typedef struct {
    const PlanOutcome *outcome;
    const GoalConstraint *constraint;
    int32_t run_count; /* the most of a candidate */
    int32_t *weights;  /* [run_count] */
    Rank *ranks;       /* [candidate_count] */
} Front;

static FrontPoint point_of(const Front *front, int32_t candidate)
{
    const PlanGrid *grid = front->outcome->grid;
    const Goal *goal = front->outcome->goal;
    const bool wants_more = front->constraint->side == LIMIT_AT_LEAST;
    double objective = 0, sum = 0, worst = (double)NAN;
    for (int32_t w = 0; w < grid->weather_count; w++) {
        const int32_t at = plan_point(grid, candidate, w);
        const double value =
            value_of(front->outcome, front->constraint->metric, at, front->weights);
        objective += value_of(front->outcome, goal->metric, at, front->weights);
        sum += value;
        if (isnan(worst) || (wants_more ? value < worst : value > worst))
            worst = value;
    }
    return (FrontPoint){.objective = objective / grid->weather_count,
                        .constraint = isnan(sum)                 ? (double)NAN
                                      : goal->is_average_weather ? sum / grid->weather_count
                                                                 : worst};
}

static int by_cost(const void *left, const void *right)
{
    const Rank *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->lack != b->lack)
        return a->lack < b->lack ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* Sets front->ranks to the candidates with values, by rising cost; `values`, if not NULL, gets the
 * point of each candidate. Returns their number. */
static int32_t rank_all(const Front *front, FrontPoint *values)
{
    const bool is_maximised = front->outcome->goal->is_maximised;
    const bool wants_more = front->constraint->side == LIMIT_AT_LEAST;
    int32_t count = 0;
    for (int32_t i = 0; i < front->outcome->grid->candidate_count; i++) {
        const FrontPoint point = point_of(front, i);
        if (values != NULL)
            values[i] = point;
        if (isnan(point.objective) || isnan(point.constraint))
            continue;
        front->ranks[count++] = (Rank){is_maximised ? -point.objective : point.objective,
                                       wants_more ? -point.constraint : point.constraint, i};
    }
    qsort(front->ranks, (size_t)count, sizeof *front->ranks, by_cost);
    return count;
}

/* Moves the candidates on the front to the beginning; returns their number. A candidate is on it if
 * no place is at least as good in both and better in one. */
static int32_t keep_front(Rank *ranks, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        const Rank *last = kept > 0 ? &ranks[kept - 1] : NULL;
        if (last == NULL || ranks[i].lack < last->lack ||
            (ranks[i].lack == last->lack && ranks[i].cost == last->cost))
            ranks[kept++] = ranks[i];
    }
    return kept;
}

static void draw_weights(const Front *front, int32_t resample)
{
    for (int32_t i = 0; i < front->run_count; i++)
        front->weights[i] = 0;
    for (int32_t i = 0; i < front->run_count; i++)
        front->weights[bootstrap_run(front->outcome->grid->study->seeds.first, resample, i,
                                     front->run_count)]++;
}

static int32_t most_runs(const PlanOutcome *outcome)
{
    int32_t most = 0;
    for (int32_t point = 0; point < outcome->grid->study->point_count; point++)
        if (outcome->study.findings.used[point] > most)
            most = outcome->study.findings.used[point];
    return most;
}

const FrontPoint *plan_front(Arena *arena, const PlanOutcome *outcome, int32_t constraint)
{
    const int32_t count = outcome->grid->candidate_count;
    FrontPoint *points = ARENA_ARRAY(arena, FrontPoint, count);
    Front front = {.outcome = outcome,
                   .constraint = &outcome->goal->constraints[constraint],
                   .run_count = most_runs(outcome),
                   .ranks = ARENA_ARRAY(arena, Rank, count)};
    front.weights = ARENA_ARRAY(arena, int32_t, front.run_count + 1);
    for (int32_t i = 0; i < front.run_count; i++)
        front.weights[i] = 1;
    const int32_t kept = keep_front(front.ranks, rank_all(&front, points));
    for (int32_t i = 0; i < kept; i++)
        points[front.ranks[i].candidate].is_on_front = true;
    for (int32_t b = 0; b < FRONT_RESAMPLES && front.run_count > 0; b++) {
        draw_weights(&front, b);
        const int32_t found = keep_front(front.ranks, rank_all(&front, NULL));
        for (int32_t i = 0; i < found; i++)
            points[front.ranks[i].candidate].membership += 1;
    }
    for (int32_t i = 0; i < count; i++)
        points[i].membership /= FRONT_RESAMPLES;
    return points;
}
