#include "sim/study/plan/plan_outcome.h"

#include <math.h>

#include "sim/study/point_estimate.h"
#include "sim/study/statistics/distribution.h"
#include "sim/study/statistics/estimate.h"
#include "sim/study/statistics/sample.h"

typedef struct {
    Arena *arena;
    const Rounds *rounds;
    const PlanNumbers *numbers;
    PlanOutcome *outcome;
} Maker;

static const struct {
    const char *name, *words;
} states[] = {
#define X(name, key, words) {key, words},
    CANDIDATE_STATES(X)
#undef X
};

const char *candidate_state_name(CandidateState state)
{
    return states[state].name;
}

const char *candidate_state_words(CandidateState state)
{
    return states[state].words;
}

/* --- Estimates --- */

static PlanEstimate estimate_of(const Maker *maker, const double *values, int32_t count,
                                const StudyMetric *metric, bool is_difference)
{
    const Estimate mean = estimate_mean(values, count, maker->outcome->goal->confidence);
    PlanEstimate estimate = {.value = mean.mean, .low = (double)NAN, .high = (double)NAN};
    estimate.run_count = count;
    if (isfinite(mean.half_width)) {
        estimate.low = mean.mean - mean.half_width;
        estimate.high = mean.mean + mean.half_width;
    }
    if (!is_difference)
        metric_interval_cut(metric->kind, &estimate.low, &estimate.high);
    return estimate;
}

static const StudyMetric *objective_metric(const Maker *maker)
{
    return &maker->outcome->grid->study->metrics[maker->outcome->goal->metric];
}

static const StudyMetric *check_metric(const Maker *maker, int32_t check)
{
    const PlanGrid *grid = maker->outcome->grid;
    return &grid->study->metrics[plan_check_constraint(grid, check)->metric];
}

/* The interval of a share that was 0 or 1 in every run, which has no variance: that of Clopper and
 * Pearson for so many independent jobs as the runs are worth. Runs of a share p vary by k p (1 - p)
 * (selection.h), so each is worth 1 / k jobs; without k, as many jobs as it has. */
static void bound_whole_share(const Maker *maker, int32_t candidate, int32_t check, int32_t first,
                              PlanEstimate *estimate)
{
    const SelectionData data = plan_data(maker->numbers);
    const double limit = rounds_problem(maker->rounds)->check_share[check];
    const bool is_whole = estimate->value == 1, is_nothing = estimate->value == 0;
    if (isnan(limit) || !(is_whole || is_nothing) || estimate->low < estimate->high)
        return;
    const double least =
        data.variance_least(data.source, candidate, check, first, estimate->run_count);
    const double of_jobs = limit > 0 && limit < 1 ? least / (limit * (1 - limit)) : 0;
    const double k = fmax(selection_spread(rounds_selection(maker->rounds), check), of_jobs);
    const double jobs = estimate->run_count / (k > 0 ? k : 1);
    const double bound = estimate_unseen(jobs, maker->outcome->goal->confidence);
    if (is_whole)
        estimate->low = 1 - bound;
    else
        estimate->high = bound;
}

static PlanCheck check_of(const Maker *maker, int32_t candidate, int32_t check, int32_t first,
                          int32_t count, double *values)
{
    const PlanGrid *grid = maker->outcome->grid;
    const GoalConstraint *constraint = plan_check_constraint(grid, check);
    plan_check_values(maker->numbers, candidate, check, first, count, values);
    PlanCheck found = {
        .constraint = (int32_t)(constraint - maker->outcome->goal->constraints),
        .weather = plan_check_weather(grid, check),
        .estimate = estimate_of(maker, values, count, check_metric(maker, check), false),
        .is_lower_bound =
            plan_check_is_lower_bound(maker->numbers, candidate, check, first, count)};
    bound_whole_share(maker, candidate, check, first, &found.estimate);
    found.margin = constraint->side == LIMIT_AT_LEAST ? found.estimate.value - constraint->limit
                                                      : constraint->limit - found.estimate.value;
    return found;
}

/* Estimates from `count` replications from `first` on. */
static PlanFindings findings_of(const Maker *maker, int32_t candidate, int32_t first, int32_t count)
{
    const int32_t check_count = maker->outcome->check_count;
    if (count == 0)
        return (PlanFindings){.objective = {(double)NAN, (double)NAN, (double)NAN, 0}};
    PlanCheck *checks = ARENA_ARRAY(maker->arena, PlanCheck, check_count + 1);
    Arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, double, count);
    plan_objective_values(maker->numbers, candidate, first, count, values);
    const PlanFindings findings = {
        .run_count = count,
        .objective = estimate_of(maker, values, count, objective_metric(maker), false),
        .checks = checks};
    for (int32_t check = 0; check < check_count; check++)
        checks[check] = check_of(maker, candidate, check, first, count, values);
    arena_destroy(scratch);
    return findings;
}

const PlanFindings *plan_findings(const PlanCandidate *candidate)
{
    return candidate->fresh.run_count > 0 ? &candidate->fresh : &candidate->screening;
}

/* --- Candidates --- */

static const HopelessPoint *hopeless_of(const PlanOutcome *outcome, int32_t candidate)
{
    for (int32_t i = 0; i < outcome->goal->hopeless_count; i++)
        if (outcome->grid->candidate_of[outcome->goal->hopeless[i].point] == candidate)
            return &outcome->goal->hopeless[i];
    return NULL;
}

static CandidateState state_of(const Maker *maker, int32_t candidate)
{
    const Selection *selection = rounds_selection(maker->rounds);
    const bool is_winner =
        selection_is_finished(selection) && candidate == selection_winner(selection);
    switch (selection_candidate(selection, candidate)->state) {
    case SELECTION_IN_PLAY:
    case SELECTION_DORMANT:
        return is_winner ? CANDIDATE_WINNER : CANDIDATE_UNDECIDED;
    case SELECTION_BEATEN:
        return selection_is_equal(selection, candidate) ? CANDIDATE_EQUAL : CANDIDATE_WORSE;
    case SELECTION_MISSES:
        return CANDIDATE_MISSES;
    case SELECTION_REFUTED:
        return CANDIDATE_MISSES_AGAIN;
    case SELECTION_ASLEEP:
        return !selection_is_finished(selection)                            ? CANDIDATE_UNDECIDED
               : selection_candidate(selection, candidate)->fresh_count > 0 ? CANDIDATE_WORSE
               : selection_rung_that_misses(selection, candidate) != SELECTION_NONE
                   ? CANDIDATE_MISSES_BY_ORDER
                   : CANDIDATE_WORSE_BY_ORDER;
    case SELECTION_EXCLUDED:
        break;
    }
    return hopeless_of(maker->outcome, candidate)->is_refused ? CANDIDATE_REFUSED
                                                              : CANDIDATE_UNSTABLE;
}

/* The check that is missed most, in units of indifference; unknown ones first. */
static int32_t most_missed(const Maker *maker, const PlanFindings *findings)
{
    int32_t most = 0;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < maker->outcome->check_count && findings->run_count > 0; i++) {
        const double unit = plan_constraint(maker->outcome, &findings->checks[i])->indifference;
        const double margin = findings->checks[i].margin;
        const double distance = isnan(margin) ? -(double)INFINITY
                                : unit > 0    ? margin / unit
                                              : margin;
        if (distance < least) {
            least = distance;
            most = i;
        }
    }
    return most;
}

static PlanCandidate candidate_of(const Maker *maker, int32_t candidate)
{
    const SelectionCandidate *own = selection_candidate(rounds_selection(maker->rounds), candidate);
    PlanCandidate found = {
        .state = state_of(maker, candidate),
        .screening = findings_of(maker, candidate, 0, own->count),
        .fresh = findings_of(maker, candidate, maker->outcome->fresh_first, own->fresh_count),
        .worse_than = NO_CANDIDATE,
        .sure = own->sure};
    for (int32_t i = 0; i < maker->outcome->check_count && own->count > 0; i++) {
        PlanCheck *check = (PlanCheck *)&found.screening.checks[i]; // made here
        check->is_met = own->checks[i] == CHECK_MET;
        check->is_missed = own->checks[i] == CHECK_MISSED;
    }
    if (found.state == CANDIDATE_WORSE || found.state == CANDIDATE_EQUAL)
        found.worse_than = own->other != SELECTION_NONE ? own->other : maker->outcome->winner;
    if (found.state == CANDIDATE_MISSES_BY_ORDER)
        found.worse_than = selection_rung_that_misses(rounds_selection(maker->rounds), candidate);
    if (found.state == CANDIDATE_WORSE_BY_ORDER)
        found.worse_than = maker->outcome->winner;
    found.missed_check =
        most_missed(maker, found.state == CANDIDATE_MISSES_AGAIN ? &found.fresh : &found.screening);
    const HopelessPoint *hopeless = hopeless_of(maker->outcome, candidate);
    found.reason = hopeless != NULL ? hopeless->reason : NULL;
    return found;
}

/* --- Comparisons on fresh seeds --- */

static PlanComparison compare(const Maker *maker, int32_t candidate)
{
    const PlanOutcome *outcome = maker->outcome;
    PlanComparison found = {.candidate = NO_CANDIDATE};
    if (candidate == NO_CANDIDATE || outcome->winner == NO_CANDIDATE ||
        candidate == outcome->winner)
        return found;
    const int32_t first = outcome->fresh_first;
    const int32_t own_count = outcome->candidates[candidate].fresh.run_count;
    const int32_t other_count = outcome->candidates[outcome->winner].fresh.run_count;
    const int32_t count = own_count < other_count ? own_count : other_count;
    if (count == 0)
        return found;
    found.candidate = candidate;
    found.checks = ARENA_ARRAY(maker->arena, PlanEstimate, outcome->check_count + 1);
    Arena *scratch = arena_create();
    double *own = ARENA_ARRAY(scratch, double, count), *other = ARENA_ARRAY(scratch, double, count);
    for (int32_t i = -1; i < outcome->check_count; i++) {
        if (i < 0) {
            plan_objective_values(maker->numbers, candidate, first, count, own);
            plan_objective_values(maker->numbers, outcome->winner, first, count, other);
        } else {
            plan_check_values(maker->numbers, candidate, i, first, count, own);
            plan_check_values(maker->numbers, outcome->winner, i, first, count, other);
        }
        for (int32_t r = 0; r < count; r++)
            own[r] -= other[r];
        const StudyMetric *metric = i < 0 ? objective_metric(maker) : check_metric(maker, i);
        *(i < 0 ? &found.objective : &found.checks[i]) =
            estimate_of(maker, own, count, metric, true);
    }
    arena_destroy(scratch);
    return found;
}

/* --- The runs of a full grid --- */

static double runs_for(const Maker *maker, const double *values, int32_t count, double half_width,
                       double confidence)
{
    const double z = normal_quantile(1 - (1 - confidence) / 2);
    (void)maker;
    return half_width > 0 ? z * z * statistics_variance(values, count) / (half_width * half_width)
                          : 0;
}

static double grid_runs(const Maker *maker)
{
    const PlanOutcome *outcome = maker->outcome;
    const Goal *goal = outcome->goal;
    const int32_t simulated = outcome->grid->candidate_count - (int32_t)outcome->unsimulated_count;
    const double confidence =
        1 - (1 - goal->confidence) / ((double)(simulated + 1) * (outcome->check_count + 1));
    double sum = 0;
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        const int32_t count = outcome->candidates[i].screening.run_count;
        double runs = outcome->grid->study->seeds.at_least;
        if (count < 2) {
            sum += runs;
            continue;
        }
        Arena *scratch = arena_create();
        double *values = ARENA_ARRAY(scratch, double, count);
        plan_objective_values(maker->numbers, i, 0, count, values);
        const double amount =
            goal->indifference_amount > 0
                ? goal->indifference_amount
                : goal->indifference_part * fabs(outcome->candidates[i].screening.objective.value);
        runs = fmax(runs, runs_for(maker, values, count, amount, confidence));
        for (int32_t c = 0; c < outcome->check_count; c++) {
            plan_check_values(maker->numbers, i, c, 0, count, values);
            runs = fmax(runs, runs_for(maker, values, count,
                                       plan_check_constraint(outcome->grid, c)->indifference,
                                       confidence));
        }
        arena_destroy(scratch);
        sum += ceil(runs);
    }
    return sum * outcome->grid->weather_count;
}

/* --- The whole --- */

static void count_candidates(PlanOutcome *outcome)
{
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        const PlanCandidate *own = &outcome->candidates[i];
        outcome->unsimulated_count += own->reason != NULL;
        outcome->ordered_count +=
            own->state == CANDIDATE_MISSES_BY_ORDER || own->state == CANDIDATE_WORSE_BY_ORDER;
        outcome->fresh_count += (int64_t)own->fresh.run_count * outcome->grid->weather_count;
        outcome->sure_tested_count += own->sure != SURE_NOT_TESTED;
    }
}

PlanOutcome plan_outcome_of(Arena *arena, const StudyOutcome *study, const Rounds *rounds)
{
    const Selection *selection = rounds_selection(rounds);
    const PlanNumbers *numbers = rounds_numbers(rounds);
    const PlanGrid *grid = numbers->grid;
    PlanOutcome outcome = {.study = *study,
                           .grid = grid,
                           .goal = grid->study->goal,
                           .check_count = plan_check_count(grid),
                           .candidates = ARENA_ARRAY(arena, PlanCandidate, grid->candidate_count),
                           .winner = selection_winner(selection),
                           .next_best = selection_next_best(selection),
                           .nearest_miss = NO_CANDIDATE,
                           .baseline = rounds_problem(rounds)->baseline,
                           .sure = selection_is_finished(selection) ? selection_sure(selection)
                                                                    : NO_CANDIDATE,
                           .seeks_sure = selection_seeks_sure(selection),
                           .sure_is_cut = selection_sure_is_cut(selection),
                           .confidence = selection_confidence(selection),
                           .round_count = selection_round(selection) - 1,
                           .fresh_first = rounds_problem(rounds)->at_most,
                           .run_count = selection_run_count(selection)};
    const Maker maker = {arena, rounds, numbers, &outcome};
    outcome.verdict = !selection_is_finished(selection) ? PLAN_UNFINISHED
                      : outcome.winner != NO_CANDIDATE  ? PLAN_FOUND
                                                        : PLAN_INFEASIBLE;
    outcome.is_confident =
        outcome.verdict != PLAN_UNFINISHED && outcome.confidence > outcome.goal->confidence - 1e-9;
    if (outcome.verdict == PLAN_INFEASIBLE)
        outcome.nearest_miss = selection_nearest_miss(selection);
    for (int32_t i = 0; i < grid->candidate_count; i++)
        outcome.candidates[i] = candidate_of(&maker, i);
    count_candidates(&outcome);
    outcome.against_next_best = compare(&maker, outcome.next_best);
    outcome.against_baseline = compare(&maker, outcome.baseline);
    outcome.against_sure = compare(&maker, outcome.sure);
    outcome.grid_run_count = grid_runs(&maker);
    outcome.study.findings.used = rounds_used(arena, rounds);
    return outcome;
}

bool plan_outcome_read(Arena *arena, FileSource files, const char *folder, PlanOutcome *outcome,
                       Problems *problems)
{
    StudyOutcome study;
    if (!study_outcome_read(arena, files, folder, &study, problems))
        return false;
    const PlanGrid *grid = plan_grid_create(arena, study.findings.study, problems);
    if (grid == NULL)
        return false;
    *outcome = plan_outcome_of(arena, &study, rounds_create(arena, grid, study.findings.results));
    return true;
}
