/* trainyard explain: every value that a scenario runs with, and its origin. */
#include <stdio.h>
#include <string.h>

#include "sim/base/table.h"
#include "sim/cli/disk_files.h"
#include "sim/output/summary/metric.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    ScenarioChanges changes;
    bool lists_metrics;
    bool is_json;
} ExplainArguments;

#define OWNER ExplainArguments
static const Field explain_options[] = {
    OPTIONS_OF_CHANGES(changes),
    OPTION_FLAG(0, "metrics", lists_metrics,
                "list the metrics of the scenario's runs instead, with units"),
    OPTION_FLAG(0, "json", is_json, "print JSON (trainyard schema explain-answer)"),
    {0},
};
#undef OWNER

static const OptionTable explain_table = {
    .name = "explain",
    .operands = "SCENARIO",
    .summary = "Prints every value that a scenario runs with, and where it came from.",
    .details = "Prints one line per value: name = value  # origin. The origin is a place in a "
               "file, \"default\", or a catalogue entry with its source. A value without a "
               "published source is marked ASSUMED. The line of a parameter also has its range, "
               "its description and the places that use it.\n"
               "--metrics prints the names that \"expect\" and studies may use.",
    .example = "trainyard explain scenarios/cifar10-horovod/scenario.json | grep ASSUMED\n"
               "trainyard explain scenarios/workloads/poisson/scenario.json --metrics",
    .options = explain_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

static const char *unit_words(const MetricEntry *entry)
{
    if (entry->is_text)
        return "text";
    if (entry->unit == NULL)
        return "count";
    return strcmp(entry->unit, "1") == 0 ? "ratio" : entry->unit;
}

/* The metrics of a scenario's runs. */
static void list_metrics(Arena *arena, const Scenario *scenario, ExplainAnswer *answer)
{
    const MetricList list = metric_list(arena, scenario);
    answer->metrics = ARENA_ARRAY(arena, AnswerMetric, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        const MetricEntry *entry = &list.items[i];
        answer->metrics[answer->metric_count++] =
            (AnswerMetric){entry->name, unit_words(entry), entry->doc};
    }
}

static void list_values(Arena *arena, const Explanation *explanation, ExplainAnswer *answer)
{
    answer->values = ARENA_ARRAY(arena, AnswerValue, explanation->count);
    for (int32_t i = 0; i < explanation->count; i++) {
        const ExplainedValue *value = &explanation->values[i];
        answer->values[answer->value_count++] =
            (AnswerValue){.name = value->name,
                          .value = value->value,
                          .origin = value->origin,
                          .is_assumed = explained_is_assumed(value)};
    }
}

static void print_metrics(Arena *arena, const ExplainAnswer *answer, Text *out)
{
    static const TableColumn columns[] = {
        {"Metric", TABLE_TEXT}, {"Unit", TABLE_TEXT}, {"Meaning", TABLE_TEXT}};
    Table *table = table_create(arena, columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < answer->metric_count; i++) {
        const AnswerMetric *metric = &answer->metrics[i];
        const char *const cells[] = {metric->name, metric->unit, metric->doc};
        table_row(table, cells);
    }
    table_print(table, out);
}

static void print_text(Arena *arena, const ExplainAnswer *answer, const ScenarioFile *file)
{
    Text text = {0};
    if (answer->metrics != NULL)
        print_metrics(arena, answer, &text);
    else
        explanation_print(&text, &file->explanation);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

static int explain_file(Arena *arena, const char *path, const ExplainArguments *arguments)
{
    Problems problems = problems_create(arena);
    ScenarioOverrides overrides = scenario_overrides(&arguments->changes);
    overrides.explains = true;
    const ScenarioFile *file = scenario_read(arena, disk_files, path, overrides, &problems);
    ExplainAnswer answer = {0};
    if (file == NULL)
        return arguments->is_json ? answer_show_problems(arena, &problems)
                                  : report_problems(&problems);
    if (arguments->lists_metrics)
        list_metrics(arena, &file->scenario, &answer);
    else
        list_values(arena, &file->explanation, &answer);
    if (!arguments->is_json) {
        print_text(arena, &answer, file);
        return report_problems(&problems);
    }
    answer.problems = answer_problems(arena, &problems);
    answer_show(arena, &explain_answer_type, &answer);
    return exit_code_of_problems(&problems);
}

static int explain_scenario(int argc, char **argv)
{
    Arena *arena = arena_create();
    ExplainArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&explain_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code =
            explain_file(arena, scenario_operand(arena, operands.items[0], false), &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_explain = {.options = &explain_table, .run = explain_scenario};
