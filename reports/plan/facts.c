#include "reports/plan/facts.h"

#include <math.h>
#include <stdlib.h>

#include "reports/text/labels.h"
#include "sim/study/point_scenario.h"
#include "sim/study/statistics/words.h"

static void put_estimate(StudyFacts *study, int32_t point, int32_t metric,
                         const PlanEstimate *estimate)
{
    MetricEstimate *shown =
        &study->estimates[(size_t)point * (size_t)study->study->metric_count + (size_t)metric];
    shown->value = estimate->value;
    shown->low = estimate->low;
    shown->high = estimate->high;
    shown->note[0] = '\0';
}

/* The figures over factors show the estimates by which the plan decided, at its confidence, and not
 * those that a sweep has from the same runs: a page has one number for each quantity. */
static StudyFacts *facts_of_study(Arena *arena, const PlanOutcome *outcome)
{
    StudyFacts *study = study_facts(arena, &outcome->study);
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        const PlanFindings *findings = plan_findings(&outcome->candidates[i]);
        if (findings->run_count == 0)
            continue;
        if (outcome->grid->weather_count == 1)
            put_estimate(study, plan_point(outcome->grid, i, 0), outcome->goal->metric,
                         &findings->objective);
        for (int32_t c = 0; c < outcome->check_count; c++)
            if (findings->checks[c].weather >= 0)
                put_estimate(study, plan_point(outcome->grid, i, findings->checks[c].weather),
                             plan_constraint(outcome, &findings->checks[c])->metric,
                             &findings->checks[c].estimate);
    }
    return study;
}

const PlanFacts *plan_facts(Arena *arena, const PlanKnown *known)
{
    const PlanOutcome *outcome = known->outcome;
    PlanFacts *facts = ARENA_NEW(arena, PlanFacts);
    const int32_t constraints = outcome->goal->constraint_count;
    *facts = (PlanFacts){.arena = arena,
                         .outcome = outcome,
                         .study = facts_of_study(arena, outcome),
                         .jobs = known->jobs,
                         .follow = known->follow,
                         .has_worst = known->has_worst,
                         .answer = answer_of(arena, outcome),
                         .front_count = constraints < FRONTS_MAX ? constraints : FRONTS_MAX};
    for (int32_t c = 0; c < facts->front_count; c++)
        facts->fronts[c] = plan_front(arena, outcome, c);
    return facts;
}

static bool is_choice(const PlanFacts *facts, int32_t factor)
{
    bool is_axis = false;
    for (int32_t a = 0; a < facts->study->axis_count; a++)
        is_axis |= facts->study->axes[a].factor == factor;
    return is_axis && !goal_is_weather(facts->outcome->goal, factor);
}

const char *candidate_levels(const PlanFacts *facts, int32_t candidate)
{
    const Study *study = facts->outcome->grid->study;
    const int32_t point = plan_point(facts->outcome->grid, candidate, 0);
    Text list = {0};
    for (int32_t i = 0; i < study->factor_count; i++)
        if (is_choice(facts, i))
            text_printf(&list, "%s%s", list.length > 0 ? ", " : "",
                        point_level(study, point, i)->label);
    return text_move(facts->arena, &list);
}

const char *choice_names(const PlanFacts *facts)
{
    const Study *study = facts->outcome->grid->study;
    Text list = {0};
    for (int32_t i = 0; i < study->factor_count; i++)
        if (is_choice(facts, i))
            text_printf(&list, "%s%s", list.length > 0 ? ", " : "", study->factors[i]->name);
    return text_move(facts->arena, &list);
}

const char *objective_words(const PlanFacts *facts, const PlanFindings *findings)
{
    return answer_value(facts->arena, facts->outcome, facts->outcome->goal->metric,
                        &findings->objective, false);
}

const char *check_words(const PlanFacts *facts, const PlanCheck *check)
{
    return answer_value(facts->arena, facts->outcome,
                        facts->outcome->goal->constraints[check->constraint].metric,
                        &check->estimate, check->is_lower_bound);
}

static bool is_cost(const PlanFacts *facts)
{
    const StudyMetric *metric = &facts->outcome->grid->study->metrics[facts->outcome->goal->metric];
    return metric_words(facts->arena, metric->name).form == METRIC_IS_COST;
}

/* Whether all constraints are decided, and met. */
static bool meets_all(const PlanFacts *facts, const PlanFindings *findings)
{
    for (int32_t i = 0; i < facts->outcome->check_count; i++)
        if (!findings->checks[i].is_met)
            return false;
    return true;
}

/* The result of the test whether the candidate is sure; "" without one. */
static const char *sure_words(const PlanCandidate *about)
{
    switch (about->sure) {
    case SURE_YES:
        return ", meets the limits in other times, too";
    case SURE_NO:
        return ", may miss a limit in other times";
    case SURE_NOT_TESTED:
        break;
    }
    return "";
}

static const char *limits_words(const PlanFacts *facts, const PlanCandidate *about)
{
    return about->sure != SURE_NOT_TESTED        ? sure_words(about)
           : meets_all(facts, &about->screening) ? ""
                                                 : ", limits not decided";
}

const char *state_words(const PlanFacts *facts, int32_t candidate)
{
    const PlanCandidate *about = plan_candidate(facts, candidate);
    switch (about->state) {
    case CANDIDATE_WINNER:
        return facts->outcome->verdict == PLAN_FOUND ? "recommended" : "best so far";
    case CANDIDATE_WORSE:
        return arena_printf(facts->arena, "%s%s", is_cost(facts) ? "costs more" : "is worse",
                            limits_words(facts, about));
    case CANDIDATE_EQUAL:
        return arena_printf(facts->arena, "as good, within the indifference%s", sure_words(about));
    case CANDIDATE_MISSES:
        return "misses a limit";
    case CANDIDATE_MISSES_AGAIN:
        return "misses a limit on fresh seeds";
    case CANDIDATE_MISSES_BY_ORDER:
        return "fewer nodes than one that misses a limit, not simulated";
    case CANDIDATE_WORSE_BY_ORDER:
        return is_cost(facts) ? "more nodes than needed and dearer, not simulated"
                              : "more nodes than needed, not simulated";
    case CANDIDATE_UNSTABLE:
        return "overloaded, not simulated";
    case CANDIDATE_REFUSED:
        return "not valid, not simulated";
    case CANDIDATE_UNDECIDED:
    case CANDIDATE_STATE_COUNT:
        break;
    }
    return "needs more runs";
}

const char *objective_title(const PlanFacts *facts)
{
    const int32_t metric = facts->outcome->goal->metric;
    const MetricWords words =
        metric_words(facts->arena, facts->outcome->grid->study->metrics[metric].name);
    const char *unit = answer_scale(facts->outcome, metric).unit;
    if (words.form == METRIC_IS_COST)
        unit =
            arena_printf(facts->arena, "%s %s", unit, answer_period(facts->arena, facts->outcome));
    return label_with_unit(facts->arena, words.noun, unit);
}

const char *constraint_title(const PlanFacts *facts, int32_t constraint)
{
    const int32_t metric = facts->outcome->goal->constraints[constraint].metric;
    return metric_words(facts->arena, facts->outcome->grid->study->metrics[metric].name).noun;
}

RunRange stated_runs(const PlanFacts *facts, int32_t candidate)
{
    const PlanCandidate *about = plan_candidate(facts, candidate);
    const bool is_fresh = about->fresh.run_count > 0;
    return (RunRange){is_fresh ? facts->outcome->fresh_first : 0, plan_findings(about)->run_count};
}

const char *command_words(const PlanFacts *facts, int32_t point, int32_t replication)
{
    const PlanOutcome *outcome = facts->outcome;
    const CommandWords words =
        run_command_of(facts->arena, outcome->grid->study, outcome->study.findings.results, point,
                       replication, NULL);
    return run_command_text(facts->arena, &words);
}

/* --- The order of rivals --- */

const char *subject_words(const PlanFacts *facts)
{
    return facts->outcome->winner != NO_CANDIDATE ? "recommended candidate" : "nearest miss";
}

typedef struct {
    int32_t index;
    double distance; /* of the objectives; INFINITY: unknown */
} Rival;

static int compare_rivals(const void *left, const void *right)
{
    const Rival *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* How far the objective of a candidate is from that of the subject; INFINITY: unknown. */
static double distance_of(const PlanFacts *facts, int32_t candidate)
{
    const PlanOutcome *outcome = facts->outcome;
    const int32_t subject =
        outcome->winner != NO_CANDIDATE ? outcome->winner : outcome->nearest_miss;
    if (subject == NO_CANDIDATE)
        return (double)INFINITY;
    const double distance = fabs(plan_findings(plan_candidate(facts, candidate))->objective.value -
                                 plan_findings(plan_candidate(facts, subject))->objective.value);
    return isnan(distance) ? (double)INFINITY : distance;
}

/* The indices of `candidates`, whose first `kept` stay in their places. */
static const int32_t *nearest_first(const PlanFacts *facts, const int32_t *candidates,
                                    int32_t count, int32_t kept)
{
    Rival *rivals = ARENA_ARRAY(facts->arena, Rival, count);
    int32_t *order = ARENA_ARRAY(facts->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        rivals[i] = (Rival){i, distance_of(facts, candidates[i])};
    if (count > kept)
        qsort(rivals + kept, (size_t)(count - kept), sizeof *rivals, compare_rivals);
    for (int32_t i = 0; i < count; i++)
        order[i] = rivals[i].index;
    return order;
}

const int32_t *candidates_nearest_first(const PlanFacts *facts)
{
    const int32_t count = facts->outcome->grid->candidate_count;
    int32_t *candidates = ARENA_ARRAY(facts->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        candidates[i] = i;
    return nearest_first(facts, candidates, count, 0);
}

const int32_t *why_order(const PlanFacts *facts)
{
    const FollowFacts *follow = &facts->follow->facts;
    const int32_t count = (int32_t)follow->point_count;
    int32_t *candidates = ARENA_ARRAY(facts->arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        candidates[i] = facts->outcome->grid->candidate_of[follow->points[i].point];
    return nearest_first(facts, candidates, count, 1 + follow->has_next_best);
}

const char *objective_noun(const PlanFacts *facts)
{
    const StudyMetric *metric = &facts->outcome->grid->study->metrics[facts->outcome->goal->metric];
    return metric_words(facts->arena, metric->name).noun;
}

const char *why_order_words(const PlanFacts *facts)
{
    return arena_printf(facts->arena, "the %s%s, then the others, the nearest to it in %s first",
                        subject_words(facts),
                        facts->follow->facts.has_next_best ? ", the next best" : "",
                        objective_noun(facts));
}

const char *amount_words(Arena *arena, double amount, const char *unit)
{
    Text text = {0};
    words_amount(&text, amount);
    text_printf(&text, "\xC2\xA0%s", unit);
    return text_move(arena, &text);
}
