#include "sim/study/plan/plan_numbers.h"

#include <math.h>
#include <stdlib.h>

/* --- Checks --- */

static int32_t checks_each(const PlanGrid *grid)
{
    return grid->study->goal->is_average_weather ? 1 : grid->weather_count;
}

int32_t plan_check_count(const PlanGrid *grid)
{
    return grid->study->goal->constraint_count * checks_each(grid);
}

const GoalConstraint *plan_check_constraint(const PlanGrid *grid, int32_t check)
{
    return &grid->study->goal->constraints[check / checks_each(grid)];
}

int32_t plan_check_weather(const PlanGrid *grid, int32_t check)
{
    return grid->study->goal->is_average_weather ? -1 : check % grid->weather_count;
}

/* --- Values of a point --- */

/* Whether a point of a steady study has runs that say nothing: its queue grows for ever, or its
 * runs are too short. */
static bool is_marked(const Results *results, int32_t point, int32_t replication)
{
    SteadyPlan plan;
    return results_plan(results, point, replication, &plan) && plan.mark != STEADY_GOOD;
}

/* The two sums whose ratio a metric is, in one run. */
static void parts_of(const Results *results, const StudyMetric *metric, int32_t index,
                     int32_t point, int32_t replication, double *above, double *below)
{
    if (metric->kind == MEASURE_RATIO) {
        *above = results_value(results, point, metric->part, replication);
        *below = results_value(results, point, metric->part + 1, replication);
        return;
    }
    const double share = results_value(results, point, index, replication);
    const double jobs = results_value(results, point, metric->part, replication);
    const bool has_jobs = !isnan(share) && jobs > 0;
    *above = has_jobs ? share * jobs : 0;
    *below = has_jobs ? jobs : 0;
}

static void ratio_values(const Results *results, int32_t index, int32_t point, int32_t first,
                         int32_t count, double *values)
{
    const StudyMetric *metric = &results->study->metrics[index];
    double above_sum = 0, below_sum = 0, above, below;
    for (int32_t r = 0; r < count; r++) {
        parts_of(results, metric, index, point, first + r, &above, &below);
        above_sum += above;
        below_sum += below;
    }
    const double ratio = below_sum != 0 ? above_sum / below_sum : (double)NAN;
    for (int32_t r = 0; r < count; r++) {
        parts_of(results, metric, index, point, first + r, &above, &below);
        values[r] = ratio + (above - ratio * below) * count / below_sum;
    }
}

static void point_values(const Results *results, int32_t index, int32_t point, int32_t first,
                         int32_t count, double *values)
{
    const MeasureKind kind = results->study->metrics[index].kind;
    if (is_marked(results, point, first)) {
        for (int32_t r = 0; r < count; r++)
            values[r] = (double)NAN;
    } else if (kind == MEASURE_SHARE || kind == MEASURE_RATIO) {
        ratio_values(results, index, point, first, count, values);
    } else {
        for (int32_t r = 0; r < count; r++)
            values[r] = results_value(results, point, index, first + r);
    }
}

/* --- Values of a candidate --- */

/* In weather `weather`, or the mean over all for -1. */
static void candidate_values(const PlanNumbers *numbers, int32_t index, int32_t candidate,
                             int32_t weather, int32_t first, int32_t count, double *values)
{
    const PlanGrid *grid = numbers->grid;
    if (weather >= 0 || grid->weather_count == 1) {
        point_values(numbers->results, index,
                     plan_point(grid, candidate, weather < 0 ? 0 : weather), first, count, values);
        return;
    }
    Arena *scratch = arena_create();
    double *own = ARENA_ARRAY(scratch, double, count);
    for (int32_t r = 0; r < count; r++)
        values[r] = 0;
    for (int32_t w = 0; w < grid->weather_count; w++) {
        point_values(numbers->results, index, plan_point(grid, candidate, w), first, count, own);
        for (int32_t r = 0; r < count; r++)
            values[r] += own[r] / grid->weather_count;
    }
    arena_destroy(scratch);
}

void plan_objective_values(const PlanNumbers *numbers, int32_t candidate, int32_t first,
                           int32_t count, double *values)
{
    candidate_values(numbers, numbers->grid->study->goal->metric, candidate, -1, first, count,
                     values);
}

void plan_check_values(const PlanNumbers *numbers, int32_t candidate, int32_t check, int32_t first,
                       int32_t count, double *values)
{
    candidate_values(numbers, plan_check_constraint(numbers->grid, check)->metric, candidate,
                     plan_check_weather(numbers->grid, check), first, count, values);
}

bool plan_check_is_lower_bound(const PlanNumbers *numbers, int32_t candidate, int32_t check,
                               int32_t first, int32_t count)
{
    const PlanGrid *grid = numbers->grid;
    const int32_t metric = plan_check_constraint(grid, check)->metric;
    const int32_t weather = plan_check_weather(grid, check);
    for (int32_t w = weather < 0 ? 0 : weather;
         w < (weather < 0 ? grid->weather_count : weather + 1); w++)
        for (int32_t r = 0; r < count; r++) {
            const RunRecord record = results_record(numbers->results, grid->study,
                                                    plan_point(grid, candidate, w), first + r);
            if (record.flags[metric] & RUN_VALUE_IS_LOWER_BOUND)
                return true;
        }
    return false;
}

/* --- The selection --- */

static void series_values(void *source, int32_t candidate, int32_t series, int32_t first,
                          int32_t count, double *values)
{
    const PlanNumbers *numbers = source;
    if (series == SERIES_OBJECTIVE) {
        plan_objective_values(numbers, candidate, first, count, values);
        for (int32_t r = 0; numbers->grid->study->goal->is_maximised && r < count; r++)
            values[r] = -values[r];
        return;
    }
    const int32_t check = series - SERIES_CHECK;
    const GoalConstraint *constraint = plan_check_constraint(numbers->grid, check);
    plan_check_values(numbers, candidate, check, first, count, values);
    const bool is_most = constraint->side == LIMIT_AT_MOST;
    // What is only a lower bound may be above any limit.
    const bool is_unknown =
        is_most && plan_check_is_lower_bound(numbers, candidate, check, first, count);
    for (int32_t r = 0; r < count; r++)
        values[r] = is_unknown ? (double)NAN
                    : is_most  ? constraint->limit - values[r]
                               : values[r] - constraint->limit;
}

/* Shares of jobs that depend on each other vary at least as those of independent jobs at the
 * limit. */
static double variance_least(void *source, int32_t candidate, int32_t check, int32_t first,
                             int32_t count)
{
    const PlanNumbers *numbers = source;
    const PlanGrid *grid = numbers->grid;
    const GoalConstraint *constraint = plan_check_constraint(grid, check);
    const StudyMetric *metric = &grid->study->metrics[constraint->metric];
    const int32_t weather = plan_check_weather(grid, check);
    double jobs = 0;
    if (metric->kind != MEASURE_SHARE)
        return 0;
    for (int32_t w = 0; w < grid->weather_count; w++)
        for (int32_t r = 0; (weather < 0 || w == weather) && r < count; r++) {
            const double own = results_value(numbers->results, plan_point(grid, candidate, w),
                                             metric->part, first + r);
            jobs += own > 0 ? own : 0;
        }
    return jobs > 0 ? constraint->limit * (1 - constraint->limit) * count / jobs : 0;
}

SelectionData plan_data(const PlanNumbers *numbers)
{
    return (SelectionData){(void *)numbers, series_values, variance_least, NULL};
}

/* The baseline as a candidate: its levels are named for all factors that are not weather. */
static int32_t baseline_of(const PlanGrid *grid)
{
    const Study *study = grid->study;
    if (!study->has_baseline)
        return NO_CANDIDATE;
    for (int32_t candidate = 0; candidate < grid->candidate_count; candidate++) {
        const int32_t point = plan_point(grid, candidate, 0);
        bool is_same = true;
        for (int32_t f = 0; f < study->factor_count; f++)
            is_same &=
                goal_is_weather(study->goal, f) ||
                (study->baseline[f] >= 0 &&
                 point_level(study, point, f) == &study->factors[f]->levels[study->baseline[f]]);
        if (is_same)
            return candidate;
    }
    return NO_CANDIDATE;
}

typedef struct {
    int32_t candidate, nodes;
} Rung;

static int by_nodes(const void *left, const void *right)
{
    const Rung *a = left, *b = right;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* The candidates of ladder `number`, those that are refused left out: their nodes are unknown. */
static SelectionLadder ladder_of(Arena *arena, const PlanGrid *grid, int32_t number)
{
    const Goal *goal = grid->study->goal;
    Rung *rungs = ARENA_ARRAY(arena, Rung, grid->candidate_count);
    int32_t count = 0;
    for (int32_t c = 0; c < grid->candidate_count; c++) {
        const int32_t point = plan_point(grid, c, 0);
        if (goal->ladder[point] == number)
            rungs[count++] = (Rung){c, goal->nodes[point]};
    }
    qsort(rungs, (size_t)count, sizeof *rungs, by_nodes);
    int32_t *candidates = ARENA_ARRAY(arena, int32_t, count + 1);
    double *sizes = ARENA_ARRAY(arena, double, count + 1);
    for (int32_t i = 0; i < count; i++) {
        candidates[i] = rungs[i].candidate;
        sizes[i] = rungs[i].nodes;
    }
    return (SelectionLadder){count, candidates, sizes};
}

static const SelectionLadder *ladders_of(Arena *arena, const PlanGrid *grid)
{
    const Goal *goal = grid->study->goal;
    SelectionLadder *ladders = ARENA_ARRAY(arena, SelectionLadder, goal->ladder_count + 1);
    for (int32_t l = 0; l < goal->ladder_count; l++)
        ladders[l] = ladder_of(arena, grid, l);
    return ladders;
}

/* The least share of good jobs that a check asks for, where it is about a share of jobs. */
static double least_share(const PlanGrid *grid, int32_t check)
{
    const GoalConstraint *constraint = plan_check_constraint(grid, check);
    if (grid->study->metrics[constraint->metric].kind != MEASURE_SHARE)
        return (double)NAN;
    return constraint->side == LIMIT_AT_LEAST ? constraint->limit : 1 - constraint->limit;
}

const SelectionProblem *plan_problem(Arena *arena, const PlanGrid *grid)
{
    const Goal *goal = grid->study->goal;
    SelectionProblem *problem = ARENA_NEW(arena, SelectionProblem);
    const int32_t checks = plan_check_count(grid);
    double *indifference = ARENA_ARRAY(arena, double, checks + 1);
    double *share = ARENA_ARRAY(arena, double, checks + 1);
    bool *is_excluded = ARENA_ARRAY(arena, bool, grid->candidate_count);
    for (int32_t i = 0; i < checks; i++) {
        indifference[i] = plan_check_constraint(grid, i)->indifference;
        share[i] = least_share(grid, i);
    }
    for (int32_t i = 0; i < goal->hopeless_count; i++)
        is_excluded[grid->candidate_of[goal->hopeless[i].point]] = true;
    *problem = (SelectionProblem){.candidate_count = grid->candidate_count,
                                  .check_count = checks,
                                  .is_excluded = is_excluded,
                                  .check_indifference = indifference,
                                  .check_share = share,
                                  .objective_part = goal->indifference_part,
                                  .objective_amount = goal->indifference_amount,
                                  .confidence = goal->confidence,
                                  .at_least = grid->study->seeds.at_least,
                                  .at_most = goal->at_most,
                                  .budget = goal->budget_runs,
                                  .runs_each = grid->weather_count,
                                  .ladder_count = goal->ladder_count,
                                  .ladders = ladders_of(arena, grid),
                                  .baseline = baseline_of(grid)};
    return problem;
}
