#include "sim/study/answer/answer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/study/answer/answer_words.h"
#include "sim/study/answer/reach.h"
#include "sim/study/sweep_progress.h"

static const PlanCandidate *candidate_of(const PlanOutcome *outcome, int32_t candidate)
{
    return &outcome->candidates[candidate];
}

/* --- Clauses --- */

/* ": 91.7 ± 0.4 USD a week, and 99.98 % of the jobs wait at most 30 min, where 95 % is asked". */
static void add_findings(Text *out, Arena *arena, const PlanOutcome *outcome, int32_t candidate)
{
    const Goal *goal = outcome->goal;
    const PlanFindings *findings = plan_findings(candidate_of(outcome, candidate));
    text_add(out, answer_objective(arena, outcome, &findings->objective));
    if (goal->weather_count > 0)
        text_printf(out, " on %s", answer_weather(arena, outcome, -1));
    for (int32_t c = 0; c < goal->constraint_count; c++)
        if (goal_limits_objective(goal, c))
            text_add(out, answer_limit(arena, outcome, c));
    for (int32_t c = 0; c < goal->constraint_count; c++) {
        if (goal_limits_objective(goal, c))
            continue;
        text_add(out, c == goal->constraint_count - 1 ? ", and " : ", ");
        text_add(out, answer_check(arena, outcome,
                                   &findings->checks[answer_tightest(outcome, findings, c)]));
    }
}

/* " (95 % confidence)"; with less, why. */
static void add_confidence(Text *out, const PlanOutcome *outcome)
{
    if (outcome->is_confident) {
        text_printf(out, " (%.4g %% confidence)", outcome->goal->confidence * 100);
        return;
    }
    text_printf(out, " (only %.2g %% confidence instead of %.4g %%: ", outcome->confidence * 100,
                outcome->goal->confidence * 100);
    text_add(out, outcome->goal->budget_runs > 0 && outcome->run_count >= outcome->goal->budget_runs
                      ? "the budget of runs is spent)"
                      : "candidates had the most runs allowed)");
}

/* Constraints that the fresh runs of the winner do not bear out. */
static void add_reservation(Text *out, Arena *arena, const PlanOutcome *outcome)
{
    const PlanFindings *fresh = &candidate_of(outcome, outcome->winner)->fresh;
    if (fresh->run_count == 0) {
        text_add(out, " No fresh runs have tested it yet, so these numbers are a little too good.");
        return;
    }
    for (int32_t i = 0; i < outcome->check_count; i++)
        if (fresh->checks[i].margin < 0) {
            text_add(out, " In the fresh runs it does not hold: ");
            text_add(out, answer_check(arena, outcome, &fresh->checks[i]));
            text_add(out, ".");
            return;
        }
}

/* --- A plan that found a candidate --- */

static const char *found_decision(Arena *arena, const PlanOutcome *outcome)
{
    Text out = {0};
    text_printf(&out, "%s %s: ", outcome->grid->candidate_count > 1 ? "Choose" : "Keep",
                answer_candidate(arena, outcome, outcome->winner));
    add_findings(&out, arena, outcome, outcome->winner);
    add_confidence(&out, outcome);
    text_add(&out, ".");
    add_reservation(&out, arena, outcome);
    return text_move(arena, &out);
}

static void add_space(Text *out)
{
    if (out->length > 0)
        text_add(out, " ");
}

/* "At the same demand and prices, a year costs about 4,596 ± 32 USD and 3 years about 13,788 ± 95
 * USD.", if periods follow one another. About, because a run may end a little later or earlier. */
static void add_years(Text *out, Arena *arena, const PlanOutcome *outcome)
{
    enum { MANY = 3 };
    const Study *study = outcome->grid->study;
    const PlanFindings *findings = plan_findings(candidate_of(outcome, outcome->winner));
    const MetricWords words = metric_words(arena, study->metrics[outcome->goal->metric].name);
    if (words.form != METRIC_IS_COST || !study->recurs || study->period_ns < NS_PER_HOUR ||
        study->horizon.kind == HORIZON_STEADY || isnan(findings->objective.value))
        return;
    const double periods = (double)NS_PER_YEAR / (double)study->period_ns;
    const PlanEstimate year = answer_estimate_times(&findings->objective, periods);
    const PlanEstimate years = answer_estimate_times(&findings->objective, MANY * periods);
    add_space(out);
    text_printf(out, "At the same demand and prices, a year costs about %s and %d years about %s.",
                answer_value(arena, outcome, outcome->goal->metric, &year, false), MANY,
                answer_value(arena, outcome, outcome->goal->metric, &years, false));
}

/* --- How far it reaches --- */

/* "The limits are about the mean of all runs: in 3 of 20 runs one is missed." */
static void add_single_periods(Text *out, const PlanOutcome *outcome)
{
    const SinglePeriods periods = single_periods_of(outcome, outcome->winner);
    const bool is_one = outcome->goal->constraint_count == 1;
    if (periods.missed_count == 0)
        return;
    add_space(out);
    text_printf(out, "%s about the mean of all runs: in %" PRId32 " of %" PRId32 " runs %s missed.",
                is_one ? "The limit is" : "Limits are", periods.missed_count, periods.run_count,
                is_one ? "it is" : "at least one is");
}

/* The check whose interval of the log is worst for its limit; -1: there is none. */
static int32_t least_reach(const PlanOutcome *outcome, LogReach *reach, bool *holds)
{
    int32_t least = -1;
    double least_part = 0;
    for (int32_t i = 0; i < outcome->check_count; i++) {
        const PlanCheck *check = &plan_findings(candidate_of(outcome, outcome->winner))->checks[i];
        const GoalConstraint *limit = plan_constraint(outcome, check);
        const LogReach own = reach_of_log(outcome, outcome->winner, i);
        if (isnan(own.interval.low) || isnan(own.interval.high))
            continue;
        const double margin = limit->side == LIMIT_AT_LEAST ? own.interval.low - limit->limit
                                                            : limit->limit - own.interval.high;
        const double part = limit->limit != 0 ? margin / fabs(limit->limit) : margin;
        if (least >= 0 && part >= least_part)
            continue;
        least = i;
        least_part = part;
        *reach = own;
        *holds = margin >= 0;
    }
    return least;
}

/* "The log has 12 pieces of 7 d. As they differ, in the long run 94.6 to 99.4 % of the jobs wait at
 * most 30 min, so a longer log might show that the limit is missed." */
static void add_reach_of_log(Text *out, Arena *arena, const PlanOutcome *outcome)
{
    enum { FEW_JOBS = 100 };
    const Study *study = outcome->grid->study;
    LogReach reach;
    bool holds;
    const int32_t check = least_reach(outcome, &reach, &holds);
    if (check < 0)
        return;
    const PlanFindings *findings = plan_findings(candidate_of(outcome, outcome->winner));
    add_space(out);
    text_printf(out, "The log has %" PRId64 " pieces of ", study->piece_count);
    duration_print(out, study->piece_ns);
    if (reach.jobs < FEW_JOBS)
        text_printf(out, ", and only about %.0f such job%s", reach.jobs,
                    plural((int64_t)(reach.jobs + 0.5)));
    text_printf(out, ". As they differ, in the long run %s, so %s.",
                answer_reach(arena, outcome, &findings->checks[check], reach.interval.low,
                             reach.interval.high),
                !holds                      ? "a longer log might show that the limit is missed"
                : outcome->check_count == 1 ? "the limit holds in other times like these, too"
                                            : "the limits hold in other times like these, too");
}

/* "With 14 nodes the limit holds in other times like these, too: it costs 1,980 ± 40 USD a week,
 * 235 ± 12 USD more (13 %)." */
static void add_sure_candidate(Text *out, Arena *arena, const PlanOutcome *outcome)
{
    const PlanFindings *findings = plan_findings(candidate_of(outcome, outcome->sure));
    text_printf(out, "With %s the limit%s in other times like these, too: %s, %s.",
                answer_candidate_change(arena, outcome, outcome->sure, outcome->winner),
                outcome->check_count == 1 ? " holds" : "s hold",
                answer_objective(arena, outcome, &findings->objective),
                answer_objective_more(arena, outcome, &outcome->against_sure.objective));
}

/* The price of certainty, where the winner does not have it. */
static void add_sure(Text *out, Arena *arena, const PlanOutcome *outcome)
{
    const int32_t tested = outcome->sure_tested_count;
    const char *why = outcome->goal->budget_runs > 0 ? "the budget of runs is spent"
                                                     : "that would take too many runs";
    if (tested == 0 || outcome->sure == outcome->winner)
        return;
    add_space(out);
    if (outcome->sure != NO_CANDIDATE)
        add_sure_candidate(out, arena, outcome);
    else if (tested > 1)
        text_printf(out,
                    "None of the %" PRId32 " candidates that were tested for it is sure to "
                    "meet %s in other times.",
                    tested, outcome->check_count == 1 ? "the limit" : "the limits");
    else if (!outcome->sure_is_cut)
        text_add(out, "No other candidate is surer to meet it.");
    if (outcome->sure_is_cut)
        text_printf(out, "%s were not tested for it, because %s.",
                    outcome->sure != NO_CANDIDATE ? " Some better ones"
                    : tested > 1                  ? " Others"
                                                  : "Other candidates",
                    why);
}

static const char *remark_words(Arena *arena, const PlanOutcome *outcome)
{
    const char *fixed = answer_fixed(arena, outcome);
    Text out = {0};
    if (fixed[0] != '\0')
        text_printf(&out, "All candidates have %s.", fixed);
    add_years(&out, arena, outcome);
    return text_move(arena, &out);
}

/* Whether the winner has the best objective of all: no constraint keeps it from a better one. */
static bool is_best_of_all(const PlanOutcome *outcome)
{
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++)
        if (plan_findings(candidate_of(outcome, i))->run_count > 0 &&
            answer_is_better(outcome, i, outcome->winner))
            return false;
    return true;
}

/* "The answer is at the end of the range that was tried: spot 4, every 2h. Values beyond it may be
 * better." A single choice that the limits keep there, such as the most nodes, has no better
 * one beyond. */
static void add_end_of_levels(Text *out, Arena *arena, const PlanOutcome *outcome)
{
    const char *levels = answer_outermost(arena, outcome, outcome->winner);
    if (levels[0] == '\0' || (answer_choice_count(outcome) == 1 && !is_best_of_all(outcome)))
        return;
    add_space(out);
    text_printf(out,
                "The answer is at the end of the range that was tried: %s. Values beyond it may be "
                "better.",
                levels);
}

static const char *reach_words(Arena *arena, const PlanOutcome *outcome)
{
    Text out = {0};
    add_end_of_levels(&out, arena, outcome);
    add_single_periods(&out, outcome);
    add_reach_of_log(&out, arena, outcome);
    add_sure(&out, arena, outcome);
    if (trend_is_known(&outcome->grid->study->piece_trend)) {
        add_space(&out);
        reach_print_trend(&out, outcome->grid->study);
    }
    if (outcome->grid->study->replays) {
        add_space(&out);
        text_add(&out,
                 "Every run replays the same list of jobs, so the answer is about these jobs and "
                 "says nothing about other weeks; \"resample\" of the workload draws them anew for "
                 "each run.");
    }
    return text_move(arena, &out);
}

/* The gain of the next best in the constraints: "a further 0.3 ± 0.1 % of the jobs wait at most
 * 30 min". */
static bool add_gains(Text *out, Arena *arena, const PlanOutcome *outcome,
                      const PlanComparison *comparison)
{
    const PlanFindings *findings = plan_findings(candidate_of(outcome, comparison->candidate));
    int32_t gains = 0;
    for (int32_t i = 0; i < outcome->check_count; i++) {
        const PlanEstimate *difference = &comparison->checks[i];
        const bool is_known = goal_limits_objective(outcome->goal, findings->checks[i].constraint);
        if (is_known || !(difference->low > 0 || difference->high < 0) || gains > 0)
            continue; // one is enough for a sentence
        text_add(out, gains++ == 0 ? ", and " : ", ");
        text_add(out, answer_check_change(arena, outcome, &findings->checks[i], difference));
    }
    return gains > 0;
}

static const char *next_best_words(Arena *arena, const PlanOutcome *outcome)
{
    const PlanComparison *comparison = &outcome->against_next_best;
    const bool has_pairs = comparison->candidate == outcome->next_best;
    Text out = {0};
    text_printf(&out, "The next best, %s, ",
                answer_candidate_change(arena, outcome, outcome->next_best, outcome->winner));
    if (!has_pairs || isnan(comparison->objective.value)) {
        text_add(&out, "has not been compared with it on fresh seeds yet");
    } else {
        text_add(&out, answer_objective_change(arena, outcome, &comparison->objective));
        if (answer_is_tie(outcome, comparison) && comparison->objective.value != 0)
            text_add(&out, ", which counts as equal");
        if (!add_gains(&out, arena, outcome, comparison))
            text_add(&out, " and gains nothing that the constraints measure");
    }
    text_add(&out, ".");
    return text_move(arena, &out);
}

/* The candidate with the smallest miss of a constraint. */
static int32_t closest_miss(const PlanOutcome *outcome)
{
    int32_t closest = NO_CANDIDATE;
    double best = 0;
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        const PlanCandidate *candidate = candidate_of(outcome, i);
        if (candidate->state != CANDIDATE_MISSES && candidate->state != CANDIDATE_MISSES_AGAIN)
            continue;
        const PlanFindings *findings = plan_findings(candidate);
        const double distance =
            answer_margin_part(outcome, &findings->checks[candidate->missed_check]);
        if (closest == NO_CANDIDATE || distance > best) {
            closest = i;
            best = distance;
        }
    }
    return closest;
}

/* "Only ..." of the check that a candidate misses most. */
static void add_miss(Text *out, Arena *arena, const PlanOutcome *outcome, int32_t candidate)
{
    const PlanCandidate *missing = candidate_of(outcome, candidate);
    const PlanFindings *findings = plan_findings(missing);
    const PlanCheck *missed = &findings->checks[missing->missed_check];
    text_add(out, answer_check(arena, outcome, missed));
    if (plan_constraint(outcome, missed)->metric == outcome->goal->metric)
        return; // the objective is known by now
    text_add(out, ", and ");
    text_add(out, answer_objective(arena, outcome, &findings->objective));
}

static const char *no_next_best_words(Arena *arena, const PlanOutcome *outcome)
{
    Text out = {0};
    if (outcome->grid->candidate_count == 1)
        return "There is no other candidate to compare it with.";
    text_add(&out, "No other candidate is known to meet the constraints");
    const int32_t closest = closest_miss(outcome);
    if (closest != NO_CANDIDATE) {
        text_printf(&out, "; the closest, %s, misses them: ",
                    answer_candidate_change(arena, outcome, closest, outcome->winner));
        add_miss(&out, arena, outcome, closest);
    }
    text_add(&out, ".");
    return text_move(arena, &out);
}

/* --- A plan without a candidate --- */

static int32_t count_of(const PlanOutcome *outcome, CandidateState state)
{
    int32_t count = 0;
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++)
        count += candidate_of(outcome, i)->state == state;
    return count;
}

/* The level as a number. False: it is a word, or the factor is weather. */
static bool level_number(const PlanOutcome *outcome, int32_t candidate, int32_t factor,
                         int64_t *number)
{
    const Study *study = outcome->grid->study;
    return !goal_is_weather(outcome->goal, factor) &&
           whole_number_parse(
               point_level(study, plan_point(outcome->grid, candidate, 0), factor)->label,
               INT64_MAX / 2, number);
}

/* The candidate that has the next smaller number of the factor, and is like `candidate` otherwise;
 * NO_CANDIDATE: there is none, or one has a larger number. */
static int32_t next_smaller(const PlanOutcome *outcome, int32_t candidate, int32_t factor)
{
    const Study *study = outcome->grid->study;
    int64_t own, number, best = -1;
    int32_t found = NO_CANDIDATE;
    if (!level_number(outcome, candidate, factor, &own))
        return NO_CANDIDATE;
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        bool is_like = level_number(outcome, i, factor, &number);
        if (is_like && number > own)
            return NO_CANDIDATE;
        for (int32_t f = 0; f < study->factor_count; f++)
            is_like &=
                f == factor || point_level(study, plan_point(outcome->grid, i, 0), f) ==
                                   point_level(study, plan_point(outcome->grid, candidate, 0), f);
        if (is_like && number < own && number > best) {
            found = i;
            best = number;
        }
    }
    return found;
}

/* Whether the candidate of fewer is further from each limit that `own` misses: more of nothing
 * mends a limit of the costs. */
static bool more_mends_all(const PlanOutcome *outcome, const PlanFindings *own,
                           const PlanFindings *fewer)
{
    if (own->run_count == 0 || fewer->run_count == 0)
        return false;
    for (int32_t i = 0; i < outcome->check_count; i++)
        if (own->checks[i].margin < 0 && !(fewer->checks[i].margin < own->checks[i].margin))
            return false;
    return true;
}

/* "No candidate has more than 14 nodes, and 13 miss the limit by more: a plan of more may find one
 * that meets it." of the nearest miss; "" where more of nothing helps. */
static const char *way_out(Arena *arena, const PlanOutcome *outcome)
{
    const PlanFindings *own = plan_findings(candidate_of(outcome, outcome->nearest_miss));
    const Study *study = outcome->grid->study;
    for (int32_t f = 0; f < study->factor_count && outcome->check_count > 0; f++) {
        const int32_t smaller = next_smaller(outcome, outcome->nearest_miss, f);
        if (smaller == NO_CANDIDATE)
            continue;
        if (!more_mends_all(outcome, own, plan_findings(candidate_of(outcome, smaller))))
            continue;
        return arena_printf(
            arena,
            "No candidate has more %s than it, and fewer miss the limit by more: a plan with more "
            "may find one that meets it.",
            study->factors[f]->name);
    }
    return "";
}

static Answer infeasible_answer(Arena *arena, const PlanOutcome *outcome)
{
    Text decision = {0}, alternative = {0};
    const int32_t count = outcome->grid->candidate_count;
    if (count == 1)
        text_printf(&decision, "The only candidate, %s, does not meet the constraints",
                    answer_candidate(arena, outcome, 0));
    else
        text_printf(&decision, "None of the %" PRId32 " candidates meets the constraints", count);
    if (outcome->nearest_miss != NO_CANDIDATE)
        add_confidence(&decision, outcome);
    text_add(&decision, ".");
    if (outcome->nearest_miss != NO_CANDIDATE) {
        text_printf(&alternative, "The nearest, %s, misses them: ",
                    answer_candidate(arena, outcome, outcome->nearest_miss));
        add_miss(&alternative, arena, outcome, outcome->nearest_miss);
        text_add(&alternative, ".");
    } else {
        text_printf(&alternative,
                    "None was simulated: more work arrives than the nodes can do (%" PRId32
                    "), or the scenario is not valid there (%" PRId32 ").",
                    count_of(outcome, CANDIDATE_UNSTABLE), count_of(outcome, CANDIDATE_REFUSED));
    }
    return (Answer){text_move(arena, &decision), text_move(arena, &alternative),
                    outcome->nearest_miss != NO_CANDIDATE ? way_out(arena, outcome) : "", ""};
}

static Answer unfinished_answer(Arena *arena, const PlanOutcome *outcome)
{
    Text decision = {0}, alternative = {0};
    const int32_t open = count_of(outcome, CANDIDATE_UNDECIDED);
    text_add(&decision, "There is no decision yet: ");
    if (outcome->seeks_sure)
        text_add(&decision, "the search for a candidate that is sure in other times has not ended");
    else if (open > 0)
        text_printf(&decision, "%" PRId32 " of %" PRId32 " candidates need more runs", open,
                    outcome->grid->candidate_count);
    else
        text_add(&decision, "the choice has not been tested with fresh seeds");
    if (outcome->round_count == 0)
        text_add(&decision, "; no round of runs is complete.");
    else {
        text_add(&decision, " after ");
        thousands_print(&decision, outcome->run_count);
        text_printf(&decision, " runs in %" PRId32 " complete round%s.", outcome->round_count,
                    plural(outcome->round_count));
    }
    if (outcome->winner != NO_CANDIDATE) {
        text_printf(&alternative,
                    "So far the best is %s: ", answer_candidate(arena, outcome, outcome->winner));
        add_findings(&alternative, arena, outcome, outcome->winner);
        text_add(&alternative, ". ");
    }
    text_add(&alternative, "The same command continues the plan.");
    return (Answer){text_move(arena, &decision), text_move(arena, &alternative), "", ""};
}

Answer answer_of(Arena *arena, const PlanOutcome *outcome)
{
    switch (outcome->verdict) {
    case PLAN_FOUND:
        return (Answer){found_decision(arena, outcome),
                        outcome->next_best != NO_CANDIDATE ? next_best_words(arena, outcome)
                                                           : no_next_best_words(arena, outcome),
                        remark_words(arena, outcome), reach_words(arena, outcome)};
    case PLAN_INFEASIBLE:
        return infeasible_answer(arena, outcome);
    case PLAN_UNFINISHED:
        return unfinished_answer(arena, outcome);
    }
    return (Answer){"", "", "", ""};
}
