#include "sim/scenario/scenario_expect.h"

#include <math.h>
#include <string.h>

#include "sim/base/units.h"

typedef struct {
    Arena *arena;
    const ScenarioCommands *commands;
    Problems *problems;
} Reader;

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* A bound of a metric: a number, or a quantity whose unit fits the metric's name. */
static double read_bound(const Reader *reader, const char *metric, const Json *node)
{
    Status status = {0};
    int64_t value = 0;
    if (node->kind == JSON_NUMBER)
        return node->number;
    if (node->kind != JSON_STRING) {
        problems_add(reader->problems, STATUS_BAD_INPUT, node->at,
                     "a bound of \"%s\" is no number and no quantity", metric);
        return 0;
    }
    bool is_time = ends_with(metric, "_s");
    bool is_size = ends_with(metric, "bytes");
    if (!is_time && !is_size)
        problems_add(reader->problems, STATUS_BAD_INPUT, node->at,
                     "metric \"%s\" is a plain number, not a duration or size", metric);
    else if (!(is_time ? duration_parse(node->text, node->at, &value, &status)
                       : bytes_parse(node->text, node->at, &value, &status)))
        problems_add_status(reader->problems, &status);
    return is_time ? (double)value / (double)NS_PER_S : (double)value;
}

static int32_t given(const Json *a, const Json *b, const Json *c)
{
    return (a != NULL) + (b != NULL) + (c != NULL);
}

static void read_metric(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    const char *metric = text->metric.value;
    bool has_bounds = text->at_least != NULL || text->at_most != NULL;
    expectation->kind = EXPECT_METRIC;
    expectation->subject = metric;
    expectation->low = -INFINITY;
    expectation->high = INFINITY;
    if (given(text->equals, text->between, has_bounds ? text->node : NULL) != 1) {
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "an expected metric needs one way to compare"),
                    "\"equals\", \"between\", or \"at_least\" and \"at_most\"");
        return;
    }
    if (text->equals != NULL && text->equals->kind == JSON_STRING && !ends_with(metric, "_s") &&
        !ends_with(metric, "bytes")) {
        expectation->equals = text->equals->text;
    } else if (text->equals != NULL) {
        expectation->low = expectation->high = read_bound(reader, metric, text->equals);
    } else if (text->between != NULL) {
        if (text->between->kind != JSON_ARRAY || text->between->count != 2) {
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->between),
                         "between needs two values in an array");
            return;
        }
        expectation->low = read_bound(reader, metric, text->between->first);
        expectation->high = read_bound(reader, metric, text->between->last);
    }
    if (text->at_least != NULL)
        expectation->low = read_bound(reader, metric, text->at_least);
    if (text->at_most != NULL)
        expectation->high = read_bound(reader, metric, text->at_most);
    if (expectation->low > expectation->high)
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "the smallest allowed value lies above the largest");
}

/* As summary.json writes them. */
static const char *const job_states[] = {"queued", "running", "terminating", "succeeded", "failed"};
static const char *const cluster_states[] = {"resizing", "steady", "deleting", "deleted"};

static void check_state(const Reader *reader, const BoundText *state, bool is_job)
{
    const char *const *names = is_job ? job_states : cluster_states;
    int32_t count = is_job ? (int32_t)(sizeof job_states / sizeof job_states[0])
                           : (int32_t)(sizeof cluster_states / sizeof cluster_states[0]);
    for (int32_t i = 0; i < count; i++)
        if (strcmp(names[i], state->value) == 0)
            return;
    Status *problem =
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(state->node),
                     "a %s is never \"%s\"", is_job ? "job" : "cluster", state->value);
    status_hint(problem, is_job ? "queued, running, terminating, succeeded or failed"
                                : "resizing, steady, deleting or deleted");
}

/* Somebody must create what is expected to be in a state. */
static void check_subject(const Reader *reader, const BoundText *subject, bool is_job)
{
    if (strchr(subject->value, '/') != NULL)
        return; // a path, as the summary writes names that stand for several things
    CommandKind creates = is_job ? COMMAND_JOB_CREATE : COMMAND_CLUSTER_CREATE;
    const char **names = ARENA_ARRAY(reader->arena, const char *, reader->commands->count);
    int32_t count = 0;
    for (int32_t i = 0; i < reader->commands->count; i++) {
        const Command *command = &reader->commands->items[i];
        if (command->kind != creates)
            continue;
        if (command->path.name == NULL || strchr(command->path.name, '/') != NULL)
            return; // a refused name may have meant this one
        if (strcmp(command->path.name, subject->value) == 0)
            return;
        names[count++] = command->path.name;
    }
    Status *problem =
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(subject->node),
                     "no command creates a %s \"%s\"", is_job ? "job" : "cluster", subject->value);
    const char *nearest = nearest_name(subject->value, names, count);
    if (nearest != NULL)
        status_hint(problem, "did you mean \"%s\"?", nearest);
}

static void read_state(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    bool is_job = text->job.value != NULL;
    const BoundText *subject = is_job ? &text->job : &text->cluster;
    expectation->kind = EXPECT_STATE;
    expectation->equals = text->state.value;
    expectation->subject =
        arena_printf(reader->arena, "%s.%s.state", is_job ? "jobs" : "clusters", subject->value);
    check_subject(reader, subject, is_job);
    if (text->state.value == NULL)
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "an expected %s needs \"state\", which is missing",
                     is_job ? "job" : "cluster");
    else
        check_state(reader, &text->state, is_job);
}

static void read_files(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    expectation->kind = EXPECT_FILES;
    expectation->subject = text->files.value;
    expectation->low = 1;
    expectation->high = INFINITY;
    if (text->count == NULL)
        return;
    if (!text->count->is_integer || text->count->integer < 0)
        problems_add(reader->problems, STATUS_BAD_INPUT, text->count->at,
                     "count is no number of files");
    expectation->low = expectation->high = text->count->number;
}

static const char *one_line(Arena *arena, const Json *node)
{
    Text text = {0};
    json_print(&text, node, JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

const Expectation *scenario_expect(Arena *arena, const BoundList *list,
                                   const ScenarioCommands *commands, Problems *problems)
{
    Reader reader = {.arena = arena, .commands = commands, .problems = problems};
    Expectation *expectations = ARENA_ARRAY(arena, Expectation, list->count);
    for (int32_t i = 0; i < list->count; i++) {
        const ExpectText *text = list->items[i];
        Expectation *expectation = &expectations[i];
        if (!bind_is_whole(&expect_type, text))
            continue;
        bool has_subject = text->job.value != NULL || text->cluster.value != NULL;
        expectation->at = json_at(text->node);
        expectation->text = one_line(arena, text->node);
        if ((text->job.value != NULL) + (text->cluster.value != NULL) +
                (text->metric.value != NULL) + (text->files.value != NULL) !=
            1)
            problems_add(problems, STATUS_BAD_INPUT, json_at(text->node),
                         "an expectation has exactly one of \"job\", \"cluster\", \"metric\" and "
                         "\"files\"");
        else if (has_subject)
            read_state(&reader, text, expectation);
        else if (text->metric.value != NULL)
            read_metric(&reader, text, expectation);
        else
            read_files(&reader, text, expectation);
    }
    return expectations;
}
