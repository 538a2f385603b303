/* trainyard explain: every value that a scenario runs with, and its origin. */
#include <stdio.h>
#include <string.h>

#include "sim/base/table.h"
#include "sim/cli/disk_files.h"
#include "sim/output/summary/metric.h"
#include "tools/trainyard/options/scenario_options.h"
#include "tools/trainyard/run_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    ScenarioChanges changes;
    bool lists_metrics;
} ExplainArguments;

#define OWNER ExplainArguments
static const Field explain_options[] = {
    OPTIONS_OF_CHANGES(changes),
    OPTION_FLAG(0, "metrics", lists_metrics,
                "list the metrics of the scenario's runs instead, with units"),
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

static void print_metrics(Arena *arena, const Scenario *scenario, Text *out)
{
    static const TableColumn columns[] = {
        {"Metric", TABLE_TEXT}, {"Unit", TABLE_TEXT}, {"Meaning", TABLE_TEXT}};
    Table *table = table_create(arena, columns, sizeof columns / sizeof columns[0]);
    const MetricList list = metric_list(arena, scenario);
    for (uint32_t i = 0; i < list.count; i++) {
        const MetricEntry *entry = &list.items[i];
        const char *const cells[] = {entry->name, unit_words(entry), entry->doc};
        table_row(table, cells);
    }
    table_print(table, out);
}

static int explain_scenario(int argc, char **argv)
{
    Arena *arena = arena_create();
    ExplainArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&explain_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        Problems problems = problems_create(arena);
        ScenarioOverrides overrides = scenario_overrides(&arguments.changes);
        overrides.explains = true;
        const ScenarioFile *file =
            scenario_read(arena, disk_files, scenario_operand(arena, operands.items[0], false),
                          overrides, &problems);
        exit_code = report_problems(&problems);
        if (file != NULL) {
            Text text = {0};
            if (arguments.lists_metrics)
                print_metrics(arena, &file->scenario, &text);
            else
                explanation_print(&text, &file->explanation);
            fputs(text_string(&text), stdout);
            text_free(&text);
        }
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_explain = {.options = &explain_table, .run = explain_scenario};
