/* trainyard waits: recorded against simulated waits of the same jobs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/trace/waits_page.h"
#include "sim/base/ascii.h"
#include "sim/base/table.h"
#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/output/trace/tsv.h"
#include "sim/scenario/joblist/job_list_file.h"
#include "sim/study/waits/waits.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    const char *output;
    const char *workload;
} WaitsArguments;

#define OWNER WaitsArguments
static const Field waits_options[] = {
    OPTION_FILE('o', "output", output, "PAGE.html", "also write a page with plot and reasons"),
    OPTION_TEXT(0, "workload", workload, "NAME",
                "the workload of the run (the file name of LIST.csv without its end)"),
    {0},
};
#undef OWNER

static const OptionTable waits_table = {
    .name = "waits",
    .operands = "DIR LIST.csv",
    .summary = "Compares the waits that a log states with those of a run of the same jobs.",
    .details =
        "DIR is the folder of `trainyard run -o DIR`, whose trace.tsv is read. LIST.csv is the "
        "workload file of the run, with the column recorded_wait_s. The two waits are not "
        "expected to agree; the page lists the reasons.",
    .example = "trainyard import helios scenarios/traces/samples/helios.csv -o helios.csv "
               "--scenario helios.json --nodes 1\n"
               "trainyard run helios.json -o out/helios\n"
               "trainyard waits out/helios helios.csv -o waits.html",
    .options = waits_options,
    .operand_count_min = 2,
    .operand_count_max = 2,
};

/* The name that `trainyard import --scenario` gives to the workload of a list. */
static const char *workload_of(Arena *arena, const char *list)
{
    const char *slash = strrchr(list, '/');
    char *name = arena_strdup(arena, slash != NULL ? slash + 1 : list);
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".csv") == 0)
        name[length - 4] = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (!ascii_is_alphanumeric(*c) && *c != '-')
            *c = '_';
    return name;
}

static bool read_trace(Arena *arena, const char *folder, Waits *waits, Problems *problems)
{
    const char *path = arena_printf(arena, "%s/trace.tsv", folder);
    char *text;
    size_t length;
    TraceHeader header;
    Status status = {0};
    if (!file_read(arena, path, INT32_MAX, &text, &length, &status)) {
        status_hint(&status, "a run's folder is written by `trainyard run SCENARIO -o DIR`");
        problems_add_status(problems, &status);
        return false;
    }
    return trace_tsv_read(arena, path, text, length, &header, waits_listener(waits), problems);
}

static const char *seconds_text(Arena *arena, int64_t ns)
{
    return arena_printf(arena, "%" PRId64, ns / NS_PER_S);
}

static void print_table(Arena *arena, const WaitComparison *comparison)
{
    static const TableColumn columns[] = {
        {"Jobs of", TABLE_TEXT},         {"Jobs", TABLE_NUMBER},       {"Log mean s", TABLE_NUMBER},
        {"Log p95 s", TABLE_NUMBER},     {"Run mean s", TABLE_NUMBER}, {"Run p95 s", TABLE_NUMBER},
        {"Longer in run", TABLE_NUMBER}, {"Shorter", TABLE_NUMBER}};
    Table *table = table_create(arena, columns, sizeof columns / sizeof *columns);
    Text text = {0};
    for (int32_t i = 0; i < WAIT_CLASSES; i++) {
        const WaitClass *class = &comparison->classes[i];
        if (class->jobs == 0)
            continue;
        table_row(table,
                  (const char *const[]){
                      class->name, arena_printf(arena, "%" PRId64, class->jobs),
                      arena_printf(arena, "%" PRId64, (int64_t)(class->recorded.mean_s + 0.5)),
                      seconds_text(arena, class->recorded.p95_ns),
                      arena_printf(arena, "%" PRId64, (int64_t)(class->simulated.mean_s + 0.5)),
                      seconds_text(arena, class->simulated.p95_ns),
                      arena_printf(arena, "%" PRId64, class->longer),
                      arena_printf(arena, "%" PRId64, class->shorter)});
    }
    table_print(table, &text);
    if (comparison->classes[0].jobs > 0)
        printf("%s\n", text_string(&text));
    printf("%" PRId64 " job%s, %" PRId64 " without a recorded wait, %" PRId64
           " not started in the run.\n",
           comparison->jobs, plural(comparison->jobs), comparison->unrecorded,
           comparison->not_started);
    text_free(&text);
}

static void compare(Arena *arena, const WaitsArguments *arguments, char **operands,
                    Problems *problems)
{
    const char *folder = operands[0], *list_path = operands[1];
    JobList list;
    Status no_plots = {0}, status = {0};
    if (!job_list_read(arena, disk_files, list_path, &list, problems))
        return;
    Waits *waits = waits_create(arena, &list,
                                arguments->workload != NULL ? arguments->workload
                                                            : workload_of(arena, list_path));
    if (!read_trace(arena, folder, waits, problems))
        return;
    const WaitComparison *comparison = waits_compare(arena, waits);
    if (comparison->not_started == comparison->jobs) {
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                                 "no job of \"%s\" started in this run", list_path),
                    "is it a run of this list? --workload names the list's workload in the "
                    "scenario");
        return;
    }
    print_table(arena, comparison);
    const WaitsPage page = {.path = arguments->output, .list = list_path, .run = folder};
    if (page.path == NULL)
        return;
    if (waits_page_write(arena, &page, comparison, &no_plots, &status))
        page_warn_of_plots(page.path, &no_plots);
    else
        problems_add_status(problems, &status);
}

static int run_waits(int argc, char **argv)
{
    Arena *arena = arena_create();
    WaitsArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&waits_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        Problems problems = problems_create(arena);
        compare(arena, &arguments, operands.items, &problems);
        exit_code = report_problems(&problems);
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_waits = {.options = &waits_table, .run = run_waits};
