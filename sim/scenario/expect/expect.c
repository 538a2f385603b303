#include "sim/scenario/expect/expect.h"

#include <math.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/name_table.h"
#include "sim/base/units.h"
#include "sim/scenario/command/condition_read.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/scenario/expect/bounds.h"

typedef struct {
    Arena *arena;
    const ScenarioText *scenario;
    const ScenarioCommands *commands;
    const NameTable *jobs, *clusters; /* that commands create, by name */
    Problems *problems;
} Reader;

/* --- Statistics --- */

/* Reads a percentage such as "95" or "99.9", above 0 and below 100, that ends at `end`. `*parts`
 * are parts of 10^9. */
static bool read_percent(const char *text, const char *end, int64_t *parts)
{
    int64_t value = 0, unit = 10000000; // of one percent
    bool has_point = false;
    if (text == end)
        return false;
    for (const char *c = text; c < end; c++) {
        if (*c == '.' && !has_point && c > text && c + 1 < end) {
            has_point = true;
            continue;
        }
        if (!ascii_is_digit(*c) || unit == 0 || value > 1000000000)
            return false;
        if (has_point)
            value += (*c - '0') * (unit /= 10);
        else
            value = value * 10 + (*c - '0') * unit;
    }
    *parts = value;
    return value > 0 && value < 1000000000;
}

static double read_statistic(const Reader *reader, const BoundText *statistic)
{
    int64_t parts = 0;
    const char *text = statistic->value;
    if (strcmp(text, "mean") == 0)
        return 0;
    if (text[0] == 'p' && read_percent(text + 1, text + strlen(text), &parts))
        return (double)parts / 1e9;
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(statistic->node),
                             "\"%s\" is not a statistic", text),
                "\"mean\", or a quantile such as \"p50\", \"p95\" or \"p99.9\"");
    return 0;
}

static double read_confidence(const Reader *reader, const BoundText *confidence)
{
    int64_t parts = 0;
    const char *text = confidence->value;
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '%' && read_percent(text, text + length - 1, &parts))
        return (double)parts / 1e9;
    status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(confidence->node),
                             "\"%s\" is not a confidence", text),
                "more than 0%% and less than 100%%, such as \"95%%\"");
    return 0;
}

/* The number n of runs of which the largest value exceeds the quantile with this confidence:
 * 1 - quantile^n >= confidence. With 1 - quantile, the smallest value is below the quantile. */
static int64_t seeds_needed(double quantile, double confidence)
{
    int64_t n = 0;
    for (double chance = 1; 1 - chance < confidence && n < INT32_MAX; n++)
        chance *= quantile;
    return n;
}

static void check_seeds(const Reader *reader, const ExpectText *text, const Expectation *e)
{
    if (e->quantile <= 0 || e->confidence <= 0)
        return; // a mean, or a refused value
    int64_t above = e->high < INFINITY ? seeds_needed(e->quantile, e->confidence) : 0;
    int64_t below = e->low > -INFINITY ? seeds_needed(1 - e->quantile, e->confidence) : 0;
    int64_t least = above > below ? above : below;
    if (e->seeds < least)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->seeds.node),
                                 "%d seeds are too few for a confident %s", (int)e->seeds,
                                 text->statistic.value),
                    "%lld are needed at a confidence of %s", (long long)least,
                    text->confidence.value);
}

static void read_statistics(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    expectation->kind = EXPECT_STATISTIC;
    expectation->seeds = (int32_t)text->seeds.value;
    expectation->quantile = read_statistic(reader, &text->statistic);
    expectation->confidence = read_confidence(reader, &text->confidence);
    if (text->equals != NULL)
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->equals),
                     "a statistic of several runs cannot be compared with \"equals\"");
    else
        check_seeds(reader, text, expectation);
}

/* --- States --- */

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

/* The names of the resources that commands of this kind create. */
static const NameTable *created(Arena *arena, const ScenarioCommands *commands, CommandKind kind)
{
    NameTable *names = name_table_create(arena);
    for (int32_t i = 0; i < commands->count; i++)
        if (commands->items[i].kind == kind && commands->items[i].path.name != NULL)
            name_table_set(names, commands->items[i].path.name, (uint32_t)i);
    return names;
}

/* Whether there are commands whose kind was refused. */
static bool has_refused_command(const ScenarioText *scenario)
{
    for (int32_t i = 0; i < scenario->commands.count; i++)
        if (scenario_command(scenario, i)->action.is_refused)
            return true;
    return scenario->commands.is_refused;
}

/* Refuses an expectation of a resource that no command creates. */
static void check_subject(const Reader *reader, const char *subject, Place at, bool is_job)
{
    if (strchr(subject, '/') != NULL)
        return; // a path: the summary names resources of equal names by their paths
    if (is_job && workload_makes(reader->scenario, subject))
        return;
    if (name_table_find(is_job ? reader->jobs : reader->clusters, subject, NULL))
        return;
    CommandKind creates = is_job ? COMMAND_JOB_CREATE : COMMAND_CLUSTER_CREATE;
    if (has_refused_command(reader->scenario))
        return; // a refused command may create it
    const char **names = ARENA_ARRAY(reader->arena, const char *, reader->commands->count);
    int32_t count = 0;
    for (int32_t i = 0; i < reader->commands->count; i++) {
        const Command *command = &reader->commands->items[i];
        if (command->kind != creates)
            continue;
        if (command->path.name == NULL || command->path.name[0] == '\0' ||
            strchr(command->path.name, '/') != NULL)
            return; // a refused name may have meant this one
        names[count++] = command->path.name;
    }
    Status *problem =
        problems_add(reader->problems, STATUS_BAD_INPUT, at, "no command creates a %s \"%s\"",
                     is_job ? "job" : "cluster", subject);
    const char *nearest = nearest_name(subject, names, count);
    if (nearest != NULL)
        status_hint(problem, "did you mean \"%s\"?", nearest);
}

/* --- Metrics: their names are checked against the tables of the summary, above this floor --- */

/* Whether the text is a quantity, if the metric is a number. Other metrics, such as a job's state,
 * may have a unit in the job's name alone: "jobs.train_s.state". */
static bool is_quantity(const char *metric, const Json *text)
{
    const char *dot = strrchr(metric, '.');
    return bounds_have_unit(metric) &&
           (ascii_is_digit(text->text[0]) || bounds_have_unit(dot != NULL ? dot + 1 : metric));
}

static void read_metric(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    const char *metric = text->metric.value;
    const Json *equals = text->equals;
    const bool is_text =
        equals != NULL && equals->kind == JSON_STRING && !is_quantity(metric, equals);
    expectation->kind = EXPECT_METRIC;
    expectation->subject = metric;
    expectation->metric_at = json_at(text->metric.node);
    expectation->low = -INFINITY;
    expectation->high = INFINITY;
    if (is_text && text->between == NULL && text->at_least == NULL && text->at_most == NULL) {
        expectation->equals = equals->text;
        return;
    }
    const BoundsText limits = {.node = text->node,
                               .equals = equals,
                               .between = text->between,
                               .at_least = text->at_least,
                               .at_most = text->at_most};
    const Bounds bounds = bounds_read(&limits, metric, reader->problems);
    expectation->low = bounds.low;
    expectation->high = bounds.high;
    expectation->has_share = bounds.has_share;
}

static void read_state(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    bool is_job = text->job.value != NULL;
    const BoundText *subject = is_job ? &text->job : &text->cluster;
    expectation->kind = EXPECT_STATE;
    expectation->is_job = is_job;
    expectation->name = subject->value;
    expectation->equals = text->state.value;
    expectation->exit_code = text->exit_code.node != NULL ? text->exit_code.value : -1;
    expectation->error = text->error.value;
    expectation->subject =
        arena_printf(reader->arena, "%s.%s.state", is_job ? "jobs" : "clusters", subject->value);
    check_subject(reader, subject->value, json_at(subject->node), is_job);
    if (!is_job && text->exit_code.node != NULL)
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->exit_code.node),
                     "a cluster has no exit code");
    if (text->state.value != NULL)
        check_state(reader, &text->state, is_job);
    else if (text->error.value == NULL && text->exit_code.node == NULL)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "an expected %s needs \"state\", which is missing",
                                 is_job ? "job" : "cluster"),
                    is_job ? "or \"exit_code\" or \"error\"" : "or \"error\"");
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
                     "count is not a number of files");
    expectation->low = expectation->high = text->count->number;
}

/* --- Conditions and moments --- */

static void read_condition(const Reader *reader, const BoundText *text, Expectation *expectation)
{
    Status status = {0};
    Place at = json_at(text->node);
    if (!condition_read(reader->arena, text->value, at, &expectation->condition, &status)) {
        problems_add_status(reader->problems, &status);
        return;
    }
    const char *noun = quantity_noun(expectation->condition.quantity);
    if (strcmp(noun, "share") != 0)
        check_subject(reader, expectation->condition.subject, at, strcmp(noun, "job") == 0);
    if (expectation->kind == EXPECT_ALWAYS && expectation->condition.for_ns > 0)
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, at,
                                 "a condition of \"always\" cannot have \"for\""),
                    "a condition of \"never\" can: negate the condition");
}

static Trigger read_moment(const Reader *reader, const char *text, Place at)
{
    Status status = {0};
    Trigger moment = {0};
    if (!trigger_read(reader->arena, text, at, &moment, &status)) {
        problems_add_status(reader->problems, &status);
        return moment;
    }
    check_subject(reader, moment.subject, at, moment_is_of_job(moment.moment));
    bool needs_epochs = moment.moment == MOMENT_JOB_EPOCH || moment.moment == MOMENT_JOB_CHECKPOINT;
    if (needs_epochs && reader->scenario->fidelity.value == (int64_t)FIDELITY_JOB)
        problems_add(reader->problems, STATUS_BAD_INPUT, at,
                     "at fidelity \"job\" the trace has no records of single epochs");
    if (moment_counts_steps(moment.moment))
        status_hint(problems_add(reader->problems, STATUS_BAD_INPUT, at,
                                 "an expectation cannot name a step"),
                    "name an epoch; only commands and faults can wait for a step");
    return moment;
}

static void read_moments(const Reader *reader, const Json *const *nodes, int32_t count,
                         Expectation *expectation)
{
    Trigger *moments = ARENA_ARRAY(reader->arena, Trigger, count);
    const char **texts = ARENA_ARRAY(reader->arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        if (nodes[i]->kind != JSON_STRING) {
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(nodes[i]),
                         "a moment is a string such as \"job train started\"");
            continue;
        }
        texts[i] = nodes[i]->text;
        moments[i] = read_moment(reader, texts[i], json_at(nodes[i]));
    }
    expectation->moment_count = count;
    expectation->moments = moments;
    expectation->moment_texts = texts;
}

static void read_eventually(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    expectation->kind = EXPECT_EVENTUALLY;
    expectation->within_ns = text->within.node != NULL ? text->within.value : INT64_MAX;
    read_condition(reader, &text->eventually, expectation);
    if (text->of.node != NULL)
        read_moments(reader, &text->of.node, 1, expectation);
}

static void read_before(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    expectation->kind = EXPECT_ORDER;
    expectation->last_may_be_absent = true;
    if (text->then.node == NULL) {
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "\"before\" needs \"then\", which is missing");
        return;
    }
    const Json *nodes[] = {text->before.node, text->then.node};
    read_moments(reader, nodes, 2, expectation);
}

static void read_order(const Reader *reader, const ExpectText *text, Expectation *expectation)
{
    expectation->kind = EXPECT_ORDER;
    if (text->order->kind != JSON_ARRAY || text->order->count < 2) {
        problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->order),
                     "an order is an array of two moments or more");
        return;
    }
    const Json **nodes = ARENA_ARRAY(reader->arena, const Json *, text->order->count);
    int32_t count = 0;
    for (const Json *item = text->order->first; item != NULL; item = item->next)
        nodes[count++] = item;
    read_moments(reader, nodes, count, expectation);
}

/* --- All of them --- */

/* The subjects of expectations, by the keys that name them. Each has further keys. */
#define SUBJECTS(X)                                                                                \
    X(JOB, job, "job")                                                                             \
    X(CLUSTER, cluster, "cluster")                                                                 \
    X(METRIC, metric, "metric")                                                                    \
    X(FILES, files, "files")                                                                       \
    X(ALWAYS, always, "always")                                                                    \
    X(NEVER, never, "never")                                                                       \
    X(SOMETIMES, sometimes, "sometimes")                                                           \
    X(EVENTUALLY, eventually, "eventually") X(BEFORE, before, "before")

typedef enum {
#define X(name, member, text) SUBJECT_##name,
    SUBJECTS(X)
#undef X
        SUBJECT_ORDER,
    SUBJECT_COUNT
} Subject;

static const char *const subject_keys[] = {
#define X(name, member, text) text,
    SUBJECTS(X)
#undef X
        "order"};
_Static_assert(sizeof subject_keys / sizeof subject_keys[0] == SUBJECT_COUNT, "one key each");

/* The subject, or SUBJECT_COUNT with a problem when there is none or more than one. */
static Subject find_subject(const Reader *reader, const ExpectText *text)
{
    const bool is_given[] = {
#define X(name, member, key) text->member.value != NULL,
        SUBJECTS(X)
#undef X
            text->order != NULL};
    Subject found = SUBJECT_COUNT;
    int32_t count = 0;
    for (int32_t s = 0; s < SUBJECT_COUNT; s++)
        if (is_given[s]) {
            found = (Subject)s;
            count++;
        }
    if (count == 1)
        return found;
    problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                 "an expectation has exactly one of \"job\", \"cluster\", \"metric\", "
                 "\"files\", \"always\", \"never\", \"sometimes\", \"eventually\", \"before\" "
                 "and \"order\"");
    return SUBJECT_COUNT;
}

/* A key that has no meaning for this subject is most likely a mistake. */
static void check_companions(const Reader *reader, const ExpectText *text, Subject subject)
{
    const struct {
        const char *key;
        const Json *node;
        Subject of;
        Subject or_of; /* another subject of the key, or the same one */
    } companions[] = {{"state", text->state.node, SUBJECT_JOB, SUBJECT_CLUSTER},
                      {"exit_code", text->exit_code.node, SUBJECT_JOB, SUBJECT_CLUSTER},
                      {"error", text->error.node, SUBJECT_JOB, SUBJECT_CLUSTER},
                      {"equals", text->equals, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"between", text->between, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"at_least", text->at_least, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"at_most", text->at_most, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"seeds", text->seeds.node, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"statistic", text->statistic.node, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"confidence", text->confidence.node, SUBJECT_METRIC, SUBJECT_METRIC},
                      {"count", text->count, SUBJECT_FILES, SUBJECT_FILES},
                      {"within", text->within.node, SUBJECT_EVENTUALLY, SUBJECT_EVENTUALLY},
                      {"of", text->of.node, SUBJECT_EVENTUALLY, SUBJECT_EVENTUALLY},
                      {"then", text->then.node, SUBJECT_BEFORE, SUBJECT_BEFORE}};
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++)
        if (companions[i].node != NULL && subject != companions[i].of &&
            subject != companions[i].or_of)
            status_hint(problems_add(reader->problems, STATUS_BAD_INPUT,
                                     json_at(companions[i].node), "\"%s\" does not apply to \"%s\"",
                                     companions[i].key, subject_keys[subject]),
                        "it applies to \"%s\"", subject_keys[companions[i].of]);
}

static void read_one(const Reader *reader, const ExpectText *text, Subject subject,
                     Expectation *expectation)
{
    switch (subject) {
    case SUBJECT_JOB:
    case SUBJECT_CLUSTER:
        read_state(reader, text, expectation);
        return;
    case SUBJECT_METRIC:
        read_metric(reader, text, expectation);
        if (text->seeds.node != NULL)
            read_statistics(reader, text, expectation);
        else if (text->statistic.node != NULL || text->confidence.node != NULL)
            problems_add(reader->problems, STATUS_BAD_INPUT, json_at(text->node),
                         "a statistic needs \"seeds\", which is missing");
        return;
    case SUBJECT_FILES:
        read_files(reader, text, expectation);
        return;
    case SUBJECT_ALWAYS:
        expectation->kind = EXPECT_ALWAYS;
        read_condition(reader, &text->always, expectation);
        return;
    case SUBJECT_NEVER:
        expectation->kind = EXPECT_NEVER;
        read_condition(reader, &text->never, expectation);
        return;
    case SUBJECT_SOMETIMES:
        expectation->kind = EXPECT_SOMETIMES;
        read_condition(reader, &text->sometimes, expectation);
        return;
    case SUBJECT_EVENTUALLY:
        read_eventually(reader, text, expectation);
        return;
    case SUBJECT_BEFORE:
        read_before(reader, text, expectation);
        return;
    case SUBJECT_ORDER:
        read_order(reader, text, expectation);
        return;
    case SUBJECT_COUNT:
        break;
    }
}

static void value_words(Text *text, const Json *value, const char *between)
{
    if (value->kind == JSON_ARRAY) {
        for (const Json *item = value->first; item != NULL; item = item->next) {
            text_add(text, item == value->first ? "" : between);
            value_words(text, item, between);
        }
    } else if (value->kind == JSON_STRING) {
        text_add(text, value->text);
    } else {
        json_print(text, value, JSON_COMPACT);
    }
}

/* "jobs.train.run_s between 45m and 75m", "job train, state failed, exit code 3" */
static const char *words_of(Arena *arena, const Json *node)
{
    Text text = {0};
    bool is_first = true, ends_subject = false;
    for (const Json *member = node->first; member != NULL; member = member->next) {
        const bool is_metric = strcmp(member->key, "metric") == 0;
        text_add(&text, is_first ? "" : ends_subject ? " " : ", ");
        for (const char *c = member->key; *c != '\0' && !is_metric; c++)
            text_append(&text, *c == '_' ? " " : c, 1);
        text_add(&text, is_metric ? "" : " ");
        value_words(&text, member, strcmp(member->key, "between") == 0 ? " and " : ", ");
        ends_subject = is_first && is_metric;
        is_first = false;
    }
    return text_move(arena, &text);
}

const Expectation *scenario_expect(Arena *arena, const ScenarioText *scenario,
                                   const ScenarioCommands *commands, Problems *problems)
{
    const Reader reader = {.arena = arena,
                           .scenario = scenario,
                           .commands = commands,
                           .jobs = created(arena, commands, COMMAND_JOB_CREATE),
                           .clusters = created(arena, commands, COMMAND_CLUSTER_CREATE),
                           .problems = problems};
    const BoundList *list = &scenario->expect;
    Expectation *expectations = ARENA_ARRAY(arena, Expectation, list->count);
    for (int32_t i = 0; i < list->count; i++) {
        const ExpectText *text = list->items[i];
        if (!bind_is_whole(&expect_type, text))
            continue;
        expectations[i].at = json_at(text->node);
        expectations[i].text = words_of(arena, text->node);
        Subject subject = find_subject(&reader, text);
        if (subject == SUBJECT_COUNT)
            continue;
        check_companions(&reader, text, subject);
        read_one(&reader, text, subject, &expectations[i]);
    }
    return expectations;
}
