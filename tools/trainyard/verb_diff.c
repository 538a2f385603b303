/* trainyard diff: the first difference between two runs. */
#include <stdio.h>

#include "sim/cli/files.h"
#include "sim/output/explain/run_diff.h"
#include "tools/trainyard/answer/answer.h"
#include "tools/trainyard/verbs.h"

static const size_t file_bytes_max = (size_t)4 << 30;

typedef struct {
    bool is_json;
} DiffArguments;

#define OWNER DiffArguments
static const Field diff_options[] = {
    OPTION_FLAG(0, "json", is_json, "print JSON (trainyard schema diff-answer)"),
    {0},
};
#undef OWNER

static const OptionTable diff_table = {
    .name = "diff",
    .operands = "A B",
    .summary = "Prints the first difference between two runs and a table of their metrics.",
    .details =
        "A and B are folders that `trainyard run -o` wrote, or trace.tsv files. For files, the "
        "metrics are computed from the trace. Exit code 0 when the runs are the same, 1 when "
        "they differ.",
    .example = "trainyard run scenarios/resize/scenario.json -o out/before\n"
               "trainyard run scenarios/resize/scenario.json --seed 2 -o out/after\n"
               "trainyard diff out/before out/after",
    .options = diff_options,
    .operand_count_min = 2,
    .operand_count_max = 2,
};

static bool trace_load(Arena *arena, const char *path, RecordedRun *run, Status *status)
{
    char *trace;
    if (!file_read(arena, path, file_bytes_max, &trace, &run->trace_length, status))
        return false;
    run->trace = trace;
    run->source = path;
    return true;
}

static bool run_load(Arena *arena, const char *path, RecordedRun *run, Problems *problems)
{
    Status status = {0};
    *run = (RecordedRun){0};
    const bool has_summary = folder_exists(path);
    const char *trace_path = has_summary ? arena_printf(arena, "%s/trace.tsv", path) : path;
    const char *summary_path = arena_printf(arena, "%s/summary.json", path);
    char *summary;
    size_t length;
    if (!trace_load(arena, trace_path, run, &status) ||
        (has_summary &&
         !file_read(arena, summary_path, file_bytes_max, &summary, &length, &status))) {
        if (has_summary && status.code == STATUS_NOT_FOUND)
            status_hint(&status, "a run's folder is written by `trainyard run SCENARIO -o DIR`");
        problems_add_status(problems, &status);
        return false;
    }
    if (has_summary)
        run->summary = json_parse(arena, summary_path, summary, length, JSON_STRICT, problems);
    return !has_summary || run->summary != NULL;
}

static void show(Arena *arena, const RunDiff *found, bool is_json, const Problems *problems)
{
    if (is_json) {
        DiffAnswer answer = {.diff = *found,
                             .has_difference = !found->has_same_records,
                             .problems = answer_problems(arena, problems)};
        answer.different = answer.diff.fingerprints.different;
        answer_show(arena, &diff_answer_type, &answer);
        return;
    }
    Text text = {0};
    run_diff_print(arena, found, &text);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

static int diff(Arena *arena, const Operands *operands, bool is_json)
{
    Problems problems = problems_create(arena);
    RecordedRun a, b;
    // Both are loaded even if the first fails, so that all problems are reported at once.
    const bool has_a = run_load(arena, operands->items[0], &a, &problems);
    const bool has_b = run_load(arena, operands->items[1], &b, &problems);
    RunDiff found;
    if (has_a && has_b && run_diff(arena, &a, &b, &found, &problems)) {
        show(arena, &found, is_json, &problems);
        return found.is_same ? EXIT_FINE : EXIT_NO;
    }
    return is_json ? answer_show_problems(arena, &problems) : report_problems(&problems);
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    DiffArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&diff_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = diff(arena, &operands, arguments.is_json);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_diff = {.options = &diff_table, .run = run};
