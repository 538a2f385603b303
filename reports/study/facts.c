#include "reports/study/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text/labels.h"
#include "sim/base/units.h"
#include "sim/study/goal.h"

/* --- Units --- */

static void choose_scales(StudyFacts *facts)
{
    const Study *study = facts->study;
    MetricScale *scales = ARENA_ARRAY(facts->arena, MetricScale, study->metric_count);
    for (int32_t m = 0; m < study->metric_count; m++) {
        double largest = 0;
        for (int32_t point = 0; point < study->point_count; point++)
            largest = fmax(largest, fabs(fact_estimate(facts, point, m)->value)); // ignores NAN
        scales[m] = metric_scale(study->metrics[m].unit, largest);
    }
    facts->scales = scales;
}

/* --- Axes --- */

/* Ways to read all labels of a factor as numbers. */
typedef bool LabelNumber(const char *label, const char *suffix, double *number);

static bool plain_number(const char *label, const char *suffix, double *number)
{
    char *end;
    *number = strtod(label, &end);
    return end != label && strcmp(end, suffix) == 0 && isfinite(*number);
}

static bool duration_number(const char *label, const char *suffix, double *number)
{
    int64_t ns;
    Status unused;
    (void)suffix;
    if (!duration_parse(label, place_in("", 0, 0), &ns, &unused))
        return false;
    *number = (double)ns / (double)NS_PER_S;
    return true;
}

static bool bytes_number(const char *label, const char *suffix, double *number)
{
    int64_t bytes;
    Status unused;
    (void)suffix;
    if (!bytes_parse(label, place_in("", 0, 0), &bytes, &unused))
        return false;
    *number = (double)bytes / (1 << 20);
    return true;
}

static bool read_labels(const Factor *factor, LabelNumber *read, const char *suffix, double *x)
{
    for (int32_t i = 0; i < factor->level_count; i++)
        if (!read(factor->levels[i].label, suffix, &x[i]))
            return false;
    return true;
}

static void scale_times(StudyAxis *axis, double *x)
{
    double largest = 0;
    for (int32_t i = 0; i < axis->level_count; i++)
        largest = fmax(largest, x[i]);
    const MetricScale scale = metric_scale("s", largest);
    for (int32_t i = 0; i < axis->level_count; i++)
        x[i] *= scale.factor;
    axis->unit = scale.unit;
}

/* Fills in the numbers of the levels, or their places if they are names. */
static void number_levels(const Factor *factor, StudyAxis *axis, double *x)
{
    const char *first = factor->levels[0].label;
    char *suffix;
    (void)strtod(first, &suffix);
    axis->unit = "";
    axis->is_of_numbers = true;
    if (read_labels(factor, duration_number, "", x)) {
        scale_times(axis, x);
    } else if (read_labels(factor, plain_number, suffix, x)) {
        axis->unit = suffix;
    } else if (read_labels(factor, bytes_number, "", x)) {
        axis->unit = "MiB";
    } else {
        axis->is_of_numbers = false;
        for (int32_t i = 0; i < axis->level_count; i++)
            x[i] = i;
    }
}

typedef struct {
    double x;
    int32_t level;
} PlacedLevel;

static int by_x(const void *left, const void *right)
{
    const PlacedLevel *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->level > b->level) - (a->level < b->level);
}

static const int32_t *order_of(Arena *arena, const double *x, int32_t count)
{
    PlacedLevel *placed = ARENA_ARRAY(arena, PlacedLevel, count);
    int32_t *order = ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++)
        placed[i] = (PlacedLevel){x[i], i};
    qsort(placed, (size_t)count, sizeof *placed, by_x);
    for (int32_t i = 0; i < count; i++)
        order[i] = placed[i].level;
    return order;
}

/* "nodes", or "nodes and minimum" of factors that change together. */
static const char *axis_name(Arena *arena, const Study *study, int32_t axis)
{
    const char *name = NULL;
    for (int32_t f = 0; f < study->factor_count; f++)
        if (study->design->axis_of[f] == axis)
            name = name == NULL ? study->factors[f]->name
                                : arena_printf(arena, "%s and %s", name, study->factors[f]->name);
    return name;
}

static bool varies(const Study *study, int32_t factor)
{
    const int32_t *levels = study->levels + factor;
    for (int32_t point = 1; point < study->point_count; point++)
        if (levels[(size_t)point * (size_t)study->factor_count] != levels[0])
            return true;
    return false;
}

static int by_use(const void *left, const void *right)
{
    const StudyAxis *a = left, *b = right;
    if (a->is_of_numbers != b->is_of_numbers)
        return a->is_of_numbers ? -1 : 1;
    if (a->level_count != b->level_count)
        return a->level_count > b->level_count ? -1 : 1;
    return (a->factor > b->factor) - (a->factor < b->factor);
}

/* Whether levels are spread over so many magnitudes that on a linear axis most would be in one
 * place: 1, 3, 10, 30, 100, 300. `x` are numbers, in the order `order`. */
static bool are_magnitudes(const double *x, const int32_t *order, int32_t count)
{
    enum { LEVELS_LEAST = 4, RATIO_LEAST = 100 };
    const double low = x[order[0]], middle = x[order[count / 2]], high = x[order[count - 1]];
    return count >= LEVELS_LEAST && low > 0 && high >= RATIO_LEAST * low &&
           middle - low < (high - low) / 4;
}

static void find_axes(StudyFacts *facts)
{
    const Study *study = facts->study;
    StudyAxis *axes = ARENA_ARRAY(facts->arena, StudyAxis, study->factor_count + 1);
    int32_t next = 0; // axes are numbered in the order of their first factors
    for (int32_t f = 0; f < study->factor_count; f++) {
        if (study->design->axis_of[f] != next)
            continue;
        const char *name = axis_name(facts->arena, study, next++);
        if (!varies(study, f))
            continue;
        const Factor *factor = study->factors[f];
        double *x = ARENA_ARRAY(facts->arena, double, factor->level_count);
        StudyAxis *axis = &axes[facts->axis_count++];
        *axis = (StudyAxis){.name = name, .factor = f, .level_count = factor->level_count, .x = x};
        number_levels(factor, axis, x);
        axis->order = order_of(facts->arena, x, factor->level_count);
        axis->is_log = axis->is_of_numbers &&
                       (factor->is_log || are_magnitudes(x, axis->order, factor->level_count));
    }
    qsort(axes, (size_t)facts->axis_count, sizeof *axes, by_use);
    facts->axes = axes;
}

const char *axis_label(const StudyFacts *facts, const StudyAxis *axis, int32_t level)
{
    return facts->study->factors[axis->factor]->levels[level].label;
}

/* --- Estimates --- */

static void estimate_points(StudyFacts *facts)
{
    const Study *study = facts->study;
    const StudyFindings *findings = &facts->outcome->findings;
    MetricEstimate *estimates = ARENA_ARRAY(
        facts->arena, MetricEstimate, (size_t)study->point_count * (size_t)study->metric_count);
    facts->estimates = estimates;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t baseline = study->has_baseline ? study->compared_with[point] : NO_POINT;
        facts->used_count += findings->used[point];
        for (int32_t m = 0; m < study->metric_count; m++) {
            *estimates =
                metric_estimate(findings->results, m, point, findings->used[point], baseline,
                                baseline != NO_POINT ? findings->used[baseline] : 0);
            facts->bound_count += estimates++->lower_bound_count;
        }
    }
}

static void find_extremes(StudyFacts *facts)
{
    const StudyFindings *findings = &facts->outcome->findings;
    facts->lowest = facts->highest = NO_POINT;
    for (int32_t point = 0; point < facts->study->point_count; point++) {
        const double value = fact_estimate(facts, point, 0)->value;
        if (isnan(value))
            continue;
        if (facts->lowest == NO_POINT || value < fact_estimate(facts, facts->lowest, 0)->value)
            facts->lowest = point;
        if (facts->highest == NO_POINT || value > fact_estimate(facts, facts->highest, 0)->value)
            facts->highest = point;
    }
    for (int32_t point = 0; facts->lowest != NO_POINT && point < facts->study->point_count;
         point++) {
        if (point == facts->lowest)
            continue;
        const MetricEstimate pair =
            metric_estimate(findings->results, 0, point, findings->used[point], facts->lowest,
                            findings->used[facts->lowest]);
        facts->not_compared += isnan(pair.difference);
        facts->like_lowest +=
            !isnan(pair.difference) && fabs(pair.difference) <= pair.difference_half_width;
    }
}

StudyFacts *study_facts(Arena *arena, const StudyOutcome *outcome)
{
    StudyFacts *facts = ARENA_NEW(arena, StudyFacts);
    *facts = (StudyFacts){.arena = arena, .outcome = outcome, .study = outcome->findings.study};
    estimate_points(facts);
    choose_scales(facts);
    find_axes(facts);
    find_extremes(facts);
    return facts;
}

/* The smallest number of runs of the points at a level; 0 if there is no such point. */
static int32_t runs_at_level(const StudyFacts *facts, const StudyAxis *axis, int32_t level)
{
    int32_t least = INT32_MAX;
    for (int32_t point = 0; point < facts->study->point_count; point++)
        if (axis_level(facts, axis, point) == level && facts->outcome->findings.used[point] < least)
            least = facts->outcome->findings.used[point];
    return least < INT32_MAX ? least : 0;
}

/* Whether all points at a level have an interval, or one with a lower bound only. */
static bool level_has_intervals(const StudyFacts *facts, const StudyAxis *axis, int32_t level,
                                int32_t metric)
{
    for (int32_t point = 0; point < facts->study->point_count; point++)
        if (axis_level(facts, axis, point) == level &&
            isnan(fact_estimate(facts, point, metric)->low))
            return false;
    return true;
}

Estimate fact_level_mean(const StudyFacts *facts, const StudyAxis *axis, int32_t level,
                         int32_t metric)
{
    const Results *results = facts->outcome->findings.results;
    const int32_t runs = runs_at_level(facts, axis, level);
    double *means = ARENA_ARRAY(facts->arena, double, runs + 1);
    int32_t count = 0;
    for (int32_t r = 0; r < runs; r++) {
        double sum = 0;
        int32_t points = 0;
        for (int32_t point = 0; point < facts->study->point_count; point++)
            if (axis_level(facts, axis, point) == level) {
                sum += results_value(results, point, metric, r);
                points++;
            }
        means[count] = sum / points;
        count += !isnan(sum);
    }
    if (count == 0)
        return (Estimate){.mean = (double)NAN, .half_width = (double)NAN};
    Estimate mean = estimate_mean(means, count, STUDY_CONFIDENCE);
    if (!level_has_intervals(facts, axis, level, metric))
        mean.half_width = (double)NAN;
    return mean;
}

double fact_limit(const StudyFacts *facts, int32_t metric)
{
    const Goal *goal = facts->study->goal;
    for (int32_t i = 0; goal != NULL && i < goal->constraint_count; i++)
        if (goal->constraints[i].metric == metric)
            return goal->constraints[i].limit;
    return (double)NAN;
}

/* --- Words --- */

const char *fact_metric_words(const StudyFacts *facts, int32_t metric)
{
    return metric_words(facts->arena, facts->study->metrics[metric].name).noun;
}

const char *fact_metric_title(const StudyFacts *facts, int32_t metric)
{
    return label_with_unit(facts->arena, fact_metric_words(facts, metric),
                           facts->scales[metric].unit);
}

static void unit_print(Text *out, const StudyFacts *facts, int32_t metric, double mean)
{
    if (facts->scales[metric].unit[0] != '\0' && !isnan(mean))
        text_printf(out, "\xC2\xA0%s", facts->scales[metric].unit);
}

void fact_number_print(Text *out, const StudyFacts *facts, int32_t metric, double mean,
                       double half_width)
{
    point_number_print(mean, half_width, facts->scales[metric].factor, out);
    unit_print(out, facts, metric, mean);
}

static void scaled_estimate_print(Text *out, MetricEstimate estimate, MetricScale scale)
{
    if (estimate.lower_bound_count > 0)
        text_add(out, "\xE2\x89\xA5\xC2\xA0"); // at least
    estimate.lower_bound_count = 0;            // the sign is there
    point_estimate_print(&estimate, scale.factor, out);
    if (scale.unit[0] != '\0' && !isnan(estimate.value))
        text_printf(out, "\xC2\xA0%s", scale.unit);
}

void fact_estimate_print(Text *out, const StudyFacts *facts, int32_t point, int32_t metric)
{
    scaled_estimate_print(out, *fact_estimate(facts, point, metric), facts->scales[metric]);
}

const char *fact_own_estimate(const StudyFacts *facts, int32_t point, int32_t metric)
{
    const MetricEstimate *estimate = fact_estimate(facts, point, metric);
    Text out = {0};
    scaled_estimate_print(&out, *estimate,
                          metric_scale(facts->study->metrics[metric].unit, fabs(estimate->value)));
    return text_move(facts->arena, &out);
}

const char *fact_noted_estimate(const StudyFacts *facts, int32_t point, int32_t metric)
{
    const char *note = fact_estimate(facts, point, metric)->note;
    Text text = {0};
    fact_estimate_print(&text, facts, point, metric);
    if (note[0] != '\0')
        text_printf(&text, " (%s)", note);
    return text_move(facts->arena, &text);
}

const char *fact_point_name(const StudyFacts *facts, int32_t point)
{
    return facts->study->factor_count > 0 ? point_name(facts->arena, facts->study, point)
                                          : "the scenario";
}

/* Adds `item` to a list with commas. */
static void list_add(Text *list, const char *item)
{
    text_printf(list, "%s%s", list->length > 0 ? ", " : "", item);
}

static bool is_axis(const StudyFacts *facts, int32_t factor)
{
    for (int32_t i = 0; i < facts->axis_count; i++)
        if (facts->axes[i].factor == factor)
            return true;
    return false;
}

static const char *level_at(const StudyFacts *facts, int32_t point, int32_t factor)
{
    return point_level(facts->study, point, factor)->label;
}

/* The words at the start of both names that are the same, in bytes: 9 of "Standard_NC6" and
 * "Standard_NC12", 0 of numbers. */
static int32_t shared_start(const char *a, const char *b, int32_t most)
{
    int32_t shared = 0;
    for (int32_t i = 0; i < most && a[i] == b[i] && a[i] != '\0'; i++)
        if (i > 0 && strchr("_-/", a[i]) != NULL)
            shared = i + 1;
    return shared;
}

PointLabels fact_labels(const StudyFacts *facts, const int32_t *points, int32_t count)
{
    const int32_t factor_count = facts->study->factor_count;
    PointLabels labels = {facts, ARENA_ARRAY(facts->arena, int32_t, factor_count)};
    for (int32_t f = 0; f < factor_count; f++) {
        const char *first = count > 0 ? level_at(facts, points[0], f) : "";
        int32_t shared = count > 1 ? (int32_t)strlen(first) : 0;
        bool varies = count == 1;
        for (int32_t i = 1; i < count; i++) {
            const char *level = level_at(facts, points[i], f);
            varies |= strcmp(level, first) != 0;
            shared = shared_start(first, level, shared);
        }
        labels.starts[f] = varies && is_axis(facts, f) ? shared : -1;
    }
    return labels;
}

static int32_t varying_count(const PointLabels *labels)
{
    int32_t count = 0;
    for (int32_t f = 0; f < labels->facts->study->factor_count; f++)
        count += labels->starts[f] >= 0;
    return count;
}

static const char *levels_of(const PointLabels *labels, int32_t point, bool has_names)
{
    const StudyFacts *facts = labels->facts;
    Text list = {0};
    for (int32_t f = 0; f < facts->study->factor_count; f++) {
        if (labels->starts[f] < 0)
            continue;
        const char *label = level_at(facts, point, f) + labels->starts[f];
        const bool is_number = label[strspn(label, "0123456789.")] == '\0';
        list_add(&list, has_names && is_number ? arena_printf(facts->arena, "%s %s",
                                                              facts->study->factors[f]->name, label)
                                               : label);
    }
    return text_move(facts->arena, &list);
}

const char *fact_point_levels(const PointLabels *labels, int32_t point)
{
    return levels_of(labels, point, false);
}

const char *fact_point_words(const PointLabels *labels, int32_t point)
{
    return levels_of(labels, point, varying_count(labels) > 1);
}

const char *fact_factor_names(const PointLabels *labels)
{
    Text list = {0};
    for (int32_t f = 0; f < labels->facts->study->factor_count; f++)
        if (labels->starts[f] >= 0)
            list_add(&list, labels->facts->study->factors[f]->name);
    return text_move(labels->facts->arena, &list);
}
