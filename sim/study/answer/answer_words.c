#include "sim/study/answer/answer_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/study/point_estimate.h"
#include "sim/study/statistics/words.h"

/* --- Candidates and weathers --- */

/* Whether the factor has several levels among the points. */
static bool varies(const Study *study, int32_t factor)
{
    for (int32_t point = 1; point < study->point_count; point++)
        if (point_level(study, point, factor) != point_level(study, 0, factor))
            return true;
    return false;
}

/* "4 nodes", "1 node", "size STANDARD_NC6": a plural noun follows a whole number. */
static void add_level(Text *out, const char *name, const char *label)
{
    const size_t length = strlen(name);
    const bool is_whole = label[0] != '\0' && strspn(label, "0123456789") == strlen(label);
    const bool is_plural = length > 2 && name[length - 1] == 's' && name[length - 2] != 's' &&
                           strcspn(name, "_-.") == length;
    text_add(out, out->length > 0 ? ", " : "");
    if (is_whole && is_plural)
        text_printf(out, "%s %.*s", label, (int)(length - (strcmp(label, "1") == 0)), name);
    else
        text_printf(out, "%s %s", name, label);
}

/* The levels of a candidate; `other` NO_CANDIDATE, or the one from which they differ. */
static const char *candidate_levels(Arena *arena, const PlanOutcome *outcome, int32_t candidate,
                                    int32_t other)
{
    const Study *study = outcome->grid->study;
    const int32_t point = plan_point(outcome->grid, candidate, 0);
    Text out = {0};
    for (int32_t f = 0; f < study->factor_count; f++) {
        const Level *level = point_level(study, point, f);
        if (goal_is_weather(outcome->goal, f) || !varies(study, f))
            continue;
        if (other != NO_CANDIDATE &&
            level == point_level(study, plan_point(outcome->grid, other, 0), f))
            continue;
        add_level(&out, study->factors[f]->name, level->label);
    }
    return text_move(arena, &out);
}

const char *answer_candidate(Arena *arena, const PlanOutcome *outcome, int32_t candidate)
{
    const char *levels = candidate_levels(arena, outcome, candidate, NO_CANDIDATE);
    return levels[0] != '\0' ? levels : "the scenario unchanged";
}

const char *answer_candidate_change(Arena *arena, const PlanOutcome *outcome, int32_t candidate,
                                    int32_t other)
{
    const char *levels = candidate_levels(arena, outcome, candidate, other);
    return levels[0] != '\0' ? levels : "the same";
}

const char *answer_fixed(Arena *arena, const PlanOutcome *outcome)
{
    const Study *study = outcome->grid->study;
    Text out = {0};
    for (int32_t f = 0; f < study->factor_count && study->point_count > 1; f++)
        if (!goal_is_weather(outcome->goal, f) && !varies(study, f))
            add_level(&out, study->factors[f]->name, point_level(study, 0, f)->label);
    return text_move(arena, &out);
}

static bool is_choice(const PlanOutcome *outcome, int32_t factor)
{
    return !goal_is_weather(outcome->goal, factor) && varies(outcome->grid->study, factor);
}

int32_t answer_choice_count(const PlanOutcome *outcome)
{
    int32_t count = 0;
    for (int32_t f = 0; f < outcome->grid->study->factor_count; f++)
        count += is_choice(outcome, f);
    return count;
}

/* The value of a level that is a number or a time. */
static bool level_value(const Level *level, double *value)
{
    Status ignored = {0};
    int64_t ns;
    if (level->divisor > 0)
        *value = (double)level->number / (double)level->divisor;
    else if (duration_parse(level->label, (Place){0}, &ns, &ignored))
        *value = (double)ns;
    else
        return false;
    return true;
}

static bool is_outermost(const Factor *factor, const Level *level)
{
    enum { FEW_LEVELS = 3 };
    double own, value;
    int32_t smaller = 0, larger = 0;
    if (factor->level_count < FEW_LEVELS || !level_value(level, &own))
        return false;
    for (int32_t i = 0; i < factor->level_count; i++) {
        if (!level_value(&factor->levels[i], &value))
            return false;
        smaller += value < own;
        larger += value > own;
    }
    return larger == 0 || (smaller == 0 && own > 1);
}

const char *answer_outermost(Arena *arena, const PlanOutcome *outcome, int32_t candidate)
{
    const Study *study = outcome->grid->study;
    const int32_t point = plan_point(outcome->grid, candidate, 0);
    Text out = {0};
    for (int32_t f = 0; f < study->factor_count; f++) {
        const Level *level = point_level(study, point, f);
        if (is_choice(outcome, f) && is_outermost(study->factors[f], level))
            add_level(&out, study->factors[f]->name, level->label);
    }
    return text_move(arena, &out);
}

bool answer_is_better(const PlanOutcome *outcome, int32_t candidate, int32_t other)
{
    const double own = plan_findings(&outcome->candidates[candidate])->objective.value;
    const double than = plan_findings(&outcome->candidates[other])->objective.value;
    return outcome->goal->is_maximised ? own > than : own < than;
}

const char *answer_weather(Arena *arena, const PlanOutcome *outcome, int32_t weather)
{
    const Study *study = outcome->grid->study;
    Text out = {0};
    for (int32_t i = 0; i < outcome->goal->weather_count; i++) {
        const int32_t factor = outcome->goal->weather[i];
        const char *name = study->factors[factor]->name;
        if (weather < 0)
            text_printf(&out, "%s%s", i > 0 ? ", " : "average over ", name);
        else
            add_level(&out, name,
                      point_level(study, plan_point(outcome->grid, 0, weather), factor)->label);
    }
    return text_move(arena, &out);
}

/* --- Values --- */

/* The largest value of a metric in `findings`; 0: they do not have it. */
static double largest_in(const PlanOutcome *outcome, const PlanFindings *findings, int32_t metric)
{
    double largest = 0;
    if (findings->run_count == 0)
        return 0;
    if (outcome->goal->metric == metric)
        largest = fmax(0, fabs(findings->objective.value)); // 0 for NAN
    for (int32_t i = 0; i < outcome->check_count; i++)
        if (outcome->goal->constraints[findings->checks[i].constraint].metric == metric)
            largest = fmax(largest, fabs(findings->checks[i].estimate.value));
    return largest;
}

MetricScale answer_scale(const PlanOutcome *outcome, int32_t metric)
{
    const char *unit = outcome->grid->study->metrics[metric].unit;
    double largest = 0;
    for (int32_t i = 0; i < outcome->goal->constraint_count; i++)
        if (outcome->goal->constraints[i].metric == metric &&
            outcome->goal->constraints[i].limit != 0)
            return metric_scale(unit, fabs(outcome->goal->constraints[i].limit));
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++)
        largest =
            fmax(largest, largest_in(outcome, plan_findings(&outcome->candidates[i]), metric));
    return metric_scale(unit, largest);
}

static void add_unit(Text *out, MetricScale scale)
{
    if (scale.unit[0] != '\0')
        text_printf(out, " %s", scale.unit);
}

static const char *estimate_text(Arena *arena, MetricScale scale, const PlanEstimate *estimate,
                                 bool is_lower_bound)
{
    const MetricEstimate printed = {
        .value = estimate->value, .low = estimate->low, .high = estimate->high};
    Text out = {0};
    if (isnan(estimate->value))
        return "unknown";
    text_add(&out, is_lower_bound ? "\xE2\x89\xA5 " : "");
    point_estimate_print(&printed, scale.factor, &out);
    add_unit(&out, scale);
    return text_move(arena, &out);
}

const char *answer_value(Arena *arena, const PlanOutcome *outcome, int32_t metric,
                         const PlanEstimate *estimate, bool is_lower_bound)
{
    return estimate_text(arena, answer_scale(outcome, metric), estimate, is_lower_bound);
}

const char *answer_value_alone(Arena *arena, const PlanOutcome *outcome, int32_t metric,
                               const PlanEstimate *estimate)
{
    const MetricScale scale = answer_scale(outcome, metric);
    const double error = (estimate->high - estimate->low) / 2 * scale.factor;
    Text out = {0};
    if (isnan(estimate->value))
        return "unknown";
    words_number(&out, estimate->value * scale.factor, isfinite(error) ? error : 0);
    add_unit(&out, scale);
    return text_move(arena, &out);
}

PlanEstimate answer_estimate_times(const PlanEstimate *estimate, double factor)
{
    PlanEstimate scaled = *estimate;
    scaled.value *= factor;
    scaled.low *= factor;
    scaled.high *= factor;
    return scaled;
}

const char *answer_interval(Arena *arena, const PlanOutcome *outcome, int32_t metric,
                            const PlanEstimate *estimate)
{
    const double factor = answer_scale(outcome, metric).factor;
    const double error = (estimate->high - estimate->low) / 2 * factor;
    Text out = {0};
    if (!isfinite(error) || error <= 0)
        return "";
    words_number(&out, estimate->low * factor, error);
    text_add(&out, " to ");
    words_number(&out, estimate->high * factor, error);
    return text_move(arena, &out);
}

const char *answer_period(Arena *arena, const PlanOutcome *outcome)
{
    static const struct {
        int64_t ns;
        const char *words;
    } periods[] = {{NS_PER_HOUR, "an hour"},
                   {NS_PER_DAY, "a day"},
                   {7 * NS_PER_DAY, "a week"},
                   {NS_PER_YEAR, "a year"}};
    const int64_t period_ns = outcome->grid->study->period_ns;
    Text out = {0};
    for (size_t i = 0; i < sizeof periods / sizeof periods[0]; i++)
        if (periods[i].ns == period_ns)
            return periods[i].words;
    if (period_ns == 30 * NS_PER_DAY || period_ns == 31 * NS_PER_DAY)
        return "a month"; // not 28 days, of which a year has thirteen
    if (period_ns <= 0 || outcome->grid->study->horizon.kind == HORIZON_STEADY)
        return "a run";
    text_add(&out, "in ");
    duration_print(&out, period_ns);
    return text_move(arena, &out);
}

static const StudyMetric *study_metric(const PlanOutcome *outcome, int32_t metric)
{
    return &outcome->grid->study->metrics[metric];
}

const char *answer_objective(Arena *arena, const PlanOutcome *outcome, const PlanEstimate *estimate)
{
    const int32_t metric = outcome->goal->metric;
    const MetricWords words = metric_words(arena, study_metric(outcome, metric)->name);
    const char *value = answer_value(arena, outcome, metric, estimate, false);
    switch (words.form) {
    case METRIC_IS_COST:
        return arena_printf(arena, "it costs %s %s", value, answer_period(arena, outcome));
    case METRIC_IS_SHARE:
        return arena_printf(arena, "%s of the %s %s", value, words.subject, words.predicate);
    case METRIC_IS_OTHER:
        break;
    }
    return arena_printf(arena, "the %s is %s", words.noun, value);
}

/* The estimate of a difference as a positive number. */
static PlanEstimate size_of(const PlanEstimate *difference)
{
    PlanEstimate size = *difference;
    if (difference->value < 0) {
        size.value = -difference->value;
        size.low = -difference->high;
        size.high = -difference->low;
    }
    return size;
}

/* " (2.9 %)" of the winner's value. */
static const char *part_of_value(Arena *arena, const PlanOutcome *outcome, double difference)
{
    const double value = plan_findings(&outcome->candidates[outcome->winner])->objective.value;
    if (!(fabs(value) > 0))
        return "";
    const double part = fabs(difference / value) * 100;
    return arena_printf(arena, part < 9.95 ? " (%.1f %%)" : " (%.0f %%)", part);
}

const char *answer_objective_change(Arena *arena, const PlanOutcome *outcome,
                                    const PlanEstimate *difference)
{
    const int32_t metric = outcome->goal->metric;
    const MetricWords words = metric_words(arena, study_metric(outcome, metric)->name);
    const PlanEstimate size = size_of(difference);
    const bool is_less = difference->value < 0;
    const char *value = answer_value(arena, outcome, metric, &size, false);
    const char *part = part_of_value(arena, outcome, difference->value);
    if (!(fabs(difference->value) > 0))
        return words.form == METRIC_IS_COST ? "costs the same"
                                            : arena_printf(arena, "has the same %s", words.noun);
    if (words.form == METRIC_IS_COST)
        return arena_printf(arena, "costs %s %s %s%s", value, is_less ? "less" : "more",
                            answer_period(arena, outcome), part);
    return arena_printf(arena, "%s the %s%s by %s%s", is_less ? "lowers" : "raises",
                        words.form == METRIC_IS_SHARE ? "share of " : "", words.noun, value,
                        words.form == METRIC_IS_SHARE ? "" : part);
}

const char *answer_objective_more(Arena *arena, const PlanOutcome *outcome,
                                  const PlanEstimate *difference)
{
    const PlanEstimate size = size_of(difference);
    if (!(fabs(difference->value) > 0))
        return "the same";
    return arena_printf(
        arena, "%s %s%s", answer_value(arena, outcome, outcome->goal->metric, &size, false),
        difference->value < 0 ? "less" : "more", part_of_value(arena, outcome, difference->value));
}

/* --- Constraints --- */

/* "95 %", "20 min": a limit in the metric's scale. */
static const char *limit_text(Arena *arena, const PlanOutcome *outcome,
                              const GoalConstraint *constraint)
{
    return metric_value_words(arena, constraint->limit, answer_scale(outcome, constraint->metric));
}

const char *answer_constraint(Arena *arena, const PlanOutcome *outcome, int32_t index)
{
    const GoalConstraint *constraint = &outcome->goal->constraints[index];
    const StudyMetric *metric = study_metric(outcome, constraint->metric);
    return metric_limit_words(arena, metric->name, metric->unit, constraint->side == LIMIT_AT_LEAST,
                              constraint->limit);
}

/* "99.91" from 0.9991, and "99.998" from 0.99998: what is left to 100 keeps its digits. */
static const char *percent_below_all(Arena *arena, double share)
{
    Text out = {0};
    words_number(&out, share * 100, 100 - share * 100);
    return text_move(arena, &out);
}

/* "97 % of the jobs wait at most 30 min", "the mean wait is 12 min". */
static const char *check_statement(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check)
{
    const int32_t metric = plan_constraint(outcome, check)->metric;
    const MetricWords words = metric_words(arena, study_metric(outcome, metric)->name);
    const PlanEstimate *estimate = &check->estimate;
    const char *value = arena_printf(arena, "%s%s", check->is_lower_bound ? "at least " : "",
                                     answer_value(arena, outcome, metric, estimate, false));
    if (words.form != METRIC_IS_SHARE)
        return arena_printf(arena, "the %s is %s", words.noun, value);
    if (estimate->value >= 1 && !(estimate->low < 1)) // runs without a variance have no interval
        return arena_printf(arena, "all of the %s in %" PRId32 " runs %s", words.subject,
                            estimate->run_count, words.predicate);
    if (estimate->value >= 1)
        return arena_printf(arena, "all of the %s in %" PRId32 " runs (at least %s %%) %s",
                            words.subject, estimate->run_count,
                            percent_below_all(arena, estimate->low), words.predicate);
    return arena_printf(arena, "%s of the %s %s", value, words.subject, words.predicate);
}

const char *answer_reach(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check,
                         double low, double high)
{
    const PlanEstimate reach = {.low = low, .high = high};
    const int32_t metric = plan_constraint(outcome, check)->metric;
    const MetricWords words = metric_words(arena, study_metric(outcome, metric)->name);
    const char *unit = answer_scale(outcome, metric).unit;
    const char *value =
        arena_printf(arena, "%s%s%s", answer_interval(arena, outcome, metric, &reach),
                     unit[0] != '\0' ? " " : "", unit);
    if (words.form != METRIC_IS_SHARE)
        return arena_printf(arena, "the %s is %s", words.noun, value);
    return arena_printf(arena, "%s of the %s %s", value, words.subject, words.predicate);
}

const char *answer_limit(Arena *arena, const PlanOutcome *outcome, int32_t index)
{
    const GoalConstraint *constraint = &outcome->goal->constraints[index];
    return arena_printf(arena, ", where %s%s is asked",
                        constraint->side == LIMIT_AT_MOST ? "at most " : "",
                        limit_text(arena, outcome, constraint));
}

const char *answer_check(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check)
{
    const char *weather = answer_weather(arena, outcome, check->weather);
    const char *before = weather[0] == '\0' ? "" : check->weather < 0 ? "on " : "at ";
    return arena_printf(arena, "%s%s%s%s%s", before, weather, weather[0] != '\0' ? ", " : "",
                        check_statement(arena, outcome, check),
                        answer_limit(arena, outcome, check->constraint));
}

const char *answer_check_change(Arena *arena, const PlanOutcome *outcome, const PlanCheck *check,
                                const PlanEstimate *difference)
{
    const int32_t metric = outcome->goal->constraints[check->constraint].metric;
    const MetricWords words = metric_words(arena, study_metric(outcome, metric)->name);
    const PlanEstimate size = size_of(difference);
    const bool is_less = difference->value < 0;
    const char *value = answer_value(arena, outcome, metric, &size, false);
    if (words.form == METRIC_IS_SHARE) // of all jobs, not of those that do
        return arena_printf(arena,
                            is_less ? "%s of the %s no longer %s" : "a further %s of the %s %s",
                            value, words.subject, words.predicate);
    return arena_printf(arena, "the %s is %s %s", words.noun, value, is_less ? "less" : "more");
}

int32_t answer_tightest(const PlanOutcome *outcome, const PlanFindings *findings,
                        int32_t constraint)
{
    int32_t tightest = -1;
    for (int32_t i = 0; i < outcome->check_count; i++) {
        const double margin = findings->checks[i].margin;
        if (findings->checks[i].constraint == constraint &&
            (tightest < 0 || isnan(margin) || margin < findings->checks[tightest].margin))
            tightest = i;
    }
    return tightest;
}

double answer_margin_part(const PlanOutcome *outcome, const PlanCheck *check)
{
    const double limit = fabs(plan_constraint(outcome, check)->limit);
    return check->margin / (limit > 0 ? limit : 1);
}

double answer_indifference(const PlanOutcome *outcome)
{
    const Goal *goal = outcome->goal;
    const double value = plan_findings(&outcome->candidates[outcome->winner])->objective.value;
    return goal->indifference_part > 0 ? goal->indifference_part * fabs(value)
                                       : goal->indifference_amount;
}

bool answer_is_tie(const PlanOutcome *outcome, const PlanComparison *comparison)
{
    const PlanEstimate *difference = &comparison->objective;
    const double limit = answer_indifference(outcome);
    return difference->low >= -limit && difference->high <= limit;
}

const char *answer_grid_runs(Arena *arena, const PlanOutcome *outcome)
{
    const double runs = outcome->grid_run_count, many = 1e6;
    double unit = 1;
    Text out = {0};
    if (!(runs >= 1))
        return "";
    if (runs > many)
        return "a full grid needs more than a million";
    while (runs / unit >= 100)
        unit *= 10;
    text_add(&out, "a full grid needs about ");
    thousands_print(&out, (int64_t)(floor(runs / unit + 0.5) * unit));
    return text_move(arena, &out);
}
