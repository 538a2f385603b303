#include "sim/study/expect/study_expect.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/output/explain/expect_check.h"
#include "sim/scenario/expect/bounds.h"
#include "sim/schema/bind.h"
#include "sim/study/point_estimate.h"
#include "sim/study/points.h"

/* --- Reading --- */

typedef struct {
    Arena *arena;
    const Study *study;
    Problems *problems;
} Reader;

static const char *one_line(Arena *arena, const Json *node)
{
    Text text = {0};
    json_print(&text, node, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

static void read_idle(const Reader *reader, const StudyExpectText *text, StudyExpectation *wanted)
{
    const Json *others[] = {text->metric.node, text->at,       text->equals,
                            text->between,     text->at_least, text->at_most};
    wanted->factor = study_factor_named(reader->arena, reader->study, text->idle.value,
                                        json_at(text->idle.node), reader->problems);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] != NULL) {
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(others[i]),
                         "\"idle\" does not go with \"%s\"", others[i]->key);
            return;
        }
}

/* Whether some point has the levels. */
static bool has_point(const Study *study, const int32_t *levels)
{
    for (int32_t point = 0; point < study->point_count; point++)
        if (study_point_has(study, point, levels))
            return true;
    return false;
}

static void read_metric(const Reader *reader, const StudyExpectText *text, StudyExpectation *wanted)
{
    const Study *study = reader->study;
    int32_t *levels = ARENA_ARRAY(reader->arena, int32_t, study->factor_count);
    const BoundsText limits = {.node = text->node,
                               .equals = text->equals,
                               .between = text->between,
                               .at_least = text->at_least,
                               .at_most = text->at_most};
    const Bounds bounds = bounds_read(&limits, text->metric.value, reader->problems);
    wanted->low = bounds.low;
    wanted->high = bounds.high;
    wanted->subject = (StudySubject)text->of.value;
    wanted->levels = levels;
    wanted->metric = study_find_metric(study, text->metric.value);
    if (wanted->metric < 0) {
        const char **names = ARENA_ARRAY(reader->arena, const char *, study->metric_count);
        for (int32_t i = 0; i < study->metric_count; i++)
            names[i] = study->metrics[i].name;
        bind_unknown_name(reader->problems, json_at(text->metric.node), "metric of this study",
                          text->metric.value, names, study->metric_count);
    }
    if (wanted->subject == STUDY_SUBJECT_DIFFERENCE && !study->has_baseline)
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->of.node),
                     "the study has no \"baseline\" to differ from");
    if (study_levels_read(reader->arena, study, text->at, "at", levels, reader->problems) &&
        !has_point(study, levels))
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->at),
                     "the study has no point with these levels");
}

static void read_one(const Reader *reader, const StudyExpectText *text, StudyExpectation *wanted)
{
    *wanted = (StudyExpectation){.at = text->node->at,
                                 .text = one_line(reader->arena, text->node),
                                 .factor = -1,
                                 .metric = -1};
    if (text->idle.value != NULL)
        read_idle(reader, text, wanted);
    else if (text->metric.value != NULL)
        read_metric(reader, text, wanted);
    else
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, text->node->at,
                                 "an expectation of a study needs \"metric\" or \"idle\""),
                    "as in {\"metric\": \"%s\", \"at_most\": 100}", reader->study->metrics[0].name);
}

bool study_expect_read(Arena *arena, const Study *study, StudyExpectations *out, Problems *problems)
{
    const Reader reader = {.arena = arena, .study = study, .problems = problems};
    const int32_t before = problems->count;
    StudyExpectation *items = ARENA_ARRAY(arena, StudyExpectation, study->expect.count);
    for (int32_t i = 0; i < study->expect.count; i++)
        read_one(&reader, study->expect.items[i], &items[i]);
    *out = (StudyExpectations){.count = study->expect.count, .items = items};
    return problems->count == before;
}

/* --- Answers --- */

typedef struct {
    double value, low, high;
    bool is_lower_bound;
    const char *words;
} Finding;

static const char *copy_of(Arena *arena, Text *text)
{
    const char *copy = arena_strdup(arena, text_string(text));
    text_free(text);
    return copy;
}

static Finding value_of(Arena *arena, const MetricEstimate *estimate)
{
    Text words = {0};
    Finding found = {.value = estimate->value,
                     .low = estimate->low,
                     .high = estimate->high,
                     .is_lower_bound = estimate->lower_bound_count > 0};
    if (estimate->minimum == estimate->maximum)
        found.low = found.high = estimate->value;
    point_estimate_print(estimate, 1, &words);
    if (isnan(found.low) && estimate->note[0] != '\0')
        text_printf(&words, " without an interval: %s", estimate->note);
    found.words = copy_of(arena, &words);
    return found;
}

static Finding difference_of(Arena *arena, const MetricEstimate *estimate)
{
    Text words = {0};
    point_number_print(estimate->difference, estimate->difference_half_width, 1, &words);
    return (Finding){.value = estimate->difference,
                     .low = estimate->difference - estimate->difference_half_width,
                     .high = estimate->difference + estimate->difference_half_width,
                     .is_lower_bound = estimate->lower_bound_count > 0,
                     .words = copy_of(arena, &words)};
}

static bool is_within(const Finding *found, double low, double high)
{
    if (found->is_lower_bound)
        return isinf(high) && found->value >= low;
    return (isinf(low) || found->low >= low) && (isinf(high) || found->high <= high);
}

/* The first point with the levels at which the limits are not kept. */
static StudyAnswer metric_answer(Arena *arena, const StudyOutcome *outcome,
                                 const StudyExpectation *wanted)
{
    const StudyFindings *findings = &outcome->findings;
    const Study *study = findings->study;
    StudyAnswer answer = {.holds = true,
                          .expected = expect_range_words(arena, wanted->low, wanted->high),
                          .got = "no difference is known",
                          .point = NO_POINT};
    int32_t checked = 0;
    for (int32_t point = 0; point < study->point_count; point++) {
        const int32_t baseline = study->has_baseline ? study->compared_with[point] : NO_POINT;
        if (!study_point_has(study, point, wanted->levels) ||
            (wanted->subject == STUDY_SUBJECT_DIFFERENCE && baseline == NO_POINT))
            continue;
        const MetricEstimate estimate =
            metric_estimate(findings->results, wanted->metric, point, findings->used[point],
                            baseline, baseline != NO_POINT ? findings->used[baseline] : 0);
        const Finding found = wanted->subject == STUDY_SUBJECT_DIFFERENCE
                                  ? difference_of(arena, &estimate)
                                  : value_of(arena, &estimate);
        checked++;
        if (is_within(&found, wanted->low, wanted->high))
            continue;
        answer.holds = false;
        answer.got = arena_printf(arena, "%s at %s", found.words, point_name(arena, study, point));
        answer.point = point;
        return answer;
    }
    answer.holds = checked > 0;
    return answer;
}

static StudyAnswer idle_answer(Arena *arena, const StudyOutcome *outcome,
                               const StudyExpectation *wanted)
{
    const Study *study = outcome->findings.study;
    StudyAnswer answer = {.expected = "levels that change nothing",
                          .got = arena_printf(arena, "each level of %s changes something",
                                              study->factors[wanted->factor]->name),
                          .point = NO_POINT};
    for (int32_t i = 0; i < outcome->idle_count; i++)
        answer.holds |= outcome->idle[i].factor == wanted->factor;
    return answer;
}

StudyAnswer study_expect_answer(Arena *arena, const StudyOutcome *outcome,
                                const StudyExpectation *expectation)
{
    return expectation->factor >= 0 ? idle_answer(arena, outcome, expectation)
                                    : metric_answer(arena, outcome, expectation);
}
