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

/* --- What an expectation is about --- */

/* The member that says what the expectation is about, and its kind; NULL without one, or with a
 * problem for the second of two. */
static const Json *subject_of(const Reader *reader, const StudyExpectText *text,
                              StudyExpectKind *kind)
{
    const struct {
        StudyExpectKind kind;
        const Json *node;
    } subjects[] = {{STUDY_EXPECT_METRIC, text->metric.node},
                    {STUDY_EXPECT_IDLE, text->idle.node},
                    {STUDY_EXPECT_ANSWER, text->answer},
                    {STUDY_EXPECT_NEXT_BEST, text->next_best},
                    {STUDY_EXPECT_NEAREST_MISS, text->nearest_miss},
                    {STUDY_EXPECT_SURE, text->sure}};
    const Json *subject = NULL;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        if (subjects[i].node == NULL)
            continue;
        if (subject != NULL) {
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(subjects[i].node),
                         "\"%s\" does not go with \"%s\"", subjects[i].node->key, subject->key);
            return NULL;
        }
        subject = subjects[i].node;
        *kind = subjects[i].kind;
    }
    if (subject == NULL)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, text->node->at,
                                 "an expectation of a study needs \"metric\", \"idle\" or "
                                 "\"answer\""),
                    "as in {\"metric\": \"%s\", \"at_most\": 100}", reader->study->metrics[0].name);
    return subject;
}

/* Refuses the members of a metric's expectation next to `subject`. */
static void check_alone(const Reader *reader, const StudyExpectText *text, const Json *subject)
{
    const Json *others[] = {text->at,      text->of.node,  text->equals,
                            text->between, text->at_least, text->at_most};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] != NULL) {
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(others[i]),
                         "\"%s\" does not go with \"%s\"", subject->key, others[i]->key);
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

/* Weather is not chosen, so a candidate has no level of it. */
static void check_chosen(const Reader *reader, const Json *subject, const int32_t *levels)
{
    const Study *study = reader->study;
    for (int32_t i = 0; i < study->goal->weather_count; i++) {
        const char *name = study->factors[study->goal->weather[i]]->name;
        if (levels[study->goal->weather[i]] >= 0)
            problems_add(reader->problems, STATUS_BAD_INPUT, json_member(subject, name)->at,
                         "\"%s\" is weather: no candidate has a level of it", name);
    }
}

static void read_candidate(const Reader *reader, const Json *subject, StudyExpectation *wanted)
{
    const Study *study = reader->study;
    if (study->goal == NULL) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, subject->key_at,
                                 "the study has no objective, so there is no \"%s\"", subject->key),
                    "as in \"minimise\": \"cost_usd.total\"");
        return;
    }
    if (subject->kind == JSON_STRING && strcmp(subject->text, CANDIDATE_NONE) == 0)
        return;
    int32_t *levels = ARENA_ARRAY(reader->arena, int32_t, study->factor_count);
    wanted->levels = levels;
    if (subject->kind != JSON_OBJECT) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, subject->at,
                                 "\"%s\" is neither an object of levels nor \"" CANDIDATE_NONE "\"",
                                 subject->key),
                    "as in {\"nodes\": 4}");
        return;
    }
    if (!study_levels_read(reader->arena, study, subject, subject->key, levels, reader->problems))
        return;
    if (!has_point(study, levels))
        problems_add(reader->problems, STATUS_BAD_INPUT, subject->at,
                     "the study has no point with these levels");
    check_chosen(reader, subject, levels);
}

static void read_one(const Reader *reader, const StudyExpectText *text, StudyExpectation *wanted)
{
    *wanted =
        (StudyExpectation){.at = text->node->at, .text = json_text(reader->arena, text->node)};
    const Json *subject = subject_of(reader, text, &wanted->kind);
    if (subject == NULL)
        return;
    if (wanted->kind == STUDY_EXPECT_METRIC) {
        read_metric(reader, text, wanted);
        return;
    }
    check_alone(reader, text, subject);
    if (wanted->kind == STUDY_EXPECT_IDLE)
        wanted->factor = study_factor_named(reader->arena, reader->study, text->idle.value,
                                            json_at(text->idle.node), reader->problems);
    else
        read_candidate(reader, subject, wanted);
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

/* --- Answers of a plan --- */

bool study_expect_is_of_plan(const StudyExpectation *expectation)
{
    switch (expectation->kind) {
    case STUDY_EXPECT_METRIC:
    case STUDY_EXPECT_IDLE:
        return false;
    case STUDY_EXPECT_ANSWER:
    case STUDY_EXPECT_NEXT_BEST:
    case STUDY_EXPECT_NEAREST_MISS:
    case STUDY_EXPECT_SURE:
        break;
    }
    return true;
}

/* The candidate that the expectation is about; NO_CANDIDATE where the plan has no such one. */
static int32_t candidate_meant(const PlanOutcome *plan, StudyExpectKind kind)
{
    if (plan->verdict == PLAN_INFEASIBLE)
        return kind == STUDY_EXPECT_NEAREST_MISS ? plan->nearest_miss : NO_CANDIDATE;
    return kind == STUDY_EXPECT_ANSWER      ? plan->winner
           : kind == STUDY_EXPECT_NEXT_BEST ? plan->next_best
           : kind == STUDY_EXPECT_SURE      ? plan->sure
                                            : NO_CANDIDATE;
}

/* "nodes=4 priority=spot" */
static const char *levels_words(Arena *arena, const Study *study, const int32_t *levels)
{
    Text out = {0};
    if (levels == NULL)
        return "no candidate";
    for (int32_t f = 0; f < study->factor_count; f++)
        if (levels[f] >= 0)
            text_printf(&out, "%s%s=%s", out.length > 0 ? " " : "", study->factors[f]->name,
                        study->factors[f]->levels[levels[f]].label);
    return text_move(arena, &out);
}

static StudyAnswer plan_answer(Arena *arena, const PlanOutcome *plan,
                               const StudyExpectation *wanted)
{
    const Study *study = plan->grid->study;
    const int32_t found = candidate_meant(plan, wanted->kind);
    const bool is_found = found != NO_CANDIDATE;
    return (StudyAnswer){
        .holds =
            plan->verdict != PLAN_UNFINISHED &&
            (is_found ? wanted->levels != NULL &&
                            study_point_has(study, plan_point(plan->grid, found, 0), wanted->levels)
                      : wanted->levels == NULL),
        .expected = levels_words(arena, study, wanted->levels),
        .got = plan->verdict == PLAN_UNFINISHED ? "the plan has not finished"
               : is_found                       ? plan_candidate_name(arena, plan->grid, found)
                                                : "no candidate",
        .point = NO_POINT};
}

StudyAnswer study_expect_answer(Arena *arena, const StudyOutcome *outcome, const PlanOutcome *plan,
                                const StudyExpectation *expectation)
{
    if (study_expect_is_of_plan(expectation))
        return plan_answer(arena, plan, expectation);
    return expectation->kind == STUDY_EXPECT_IDLE ? idle_answer(arena, outcome, expectation)
                                                  : metric_answer(arena, outcome, expectation);
}
