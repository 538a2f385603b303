/* trainyard report: writes the report of an earlier run, sweep or plan again. */
#include <stdio.h>

#include "reports/plan/report.h"
#include "reports/run/report.h"
#include "reports/study/report.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/report.h"
#include "sim/study/goal.h"
#include "tools/trainyard/verbs.h"

enum { NOT_GIVEN = -1 };

typedef struct {
    int64_t target_ns; /* NOT_GIVEN: the run's */
} ReportArguments;

#define OWNER ReportArguments
static const Field report_options[] = {
    OPTION_DURATION(0, "target", target_ns, "TIME",
                    "of a run: show the share of the jobs that waited at most TIME (wait_target of "
                    "the scenario, or 30m)"),
    {0},
};
#undef OWNER

static const OptionTable report_table = {
    .name = "report",
    .operands = "DIR",
    .summary = "Writes report.html and its plots from the files of a run, sweep or plan.",
    .details =
        "DIR is the folder of `trainyard run -o DIR`: its summary.json and trace.tsv are read. Or "
        "it is the folder of `trainyard sweep -o DIR` or `trainyard plan -o DIR`: its study.json "
        "and "
        "journals are read, also while it runs, and the page says what is missing.\n"
        "DIR/report.html needs no other file; DIR/plots has the same plots as SVG files.\n"
        "The program gnuplot draws them.",
    .example = "trainyard run scenarios/workloads/poisson/scenario.json -o out/poisson\n"
               "trainyard report out/poisson --target 20m\n"
               "trainyard sweep scenarios/studies/poisson-nodes/study.json -o out/nodes\n"
               "trainyard report out/nodes",
    .options = report_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FOLDERS,
};

static bool has_file(Arena *arena, const char *folder, const char *name)
{
    int64_t bytes;
    Status unused;
    return disk_files.size(disk_files.context, arena_printf(arena, "%s/%s", folder, name), &bytes,
                           &unused);
}

static int report_plan(Arena *arena, const char *folder)
{
    Problems problems = problems_create(arena);
    PlanOutcome outcome;
    PlanKnown known;
    Status no_plots = {0}, status = {0};
    if (!plan_outcome_read(arena, disk_files, folder, &outcome, &problems) ||
        !plan_known_read(arena, disk_files, folder, &outcome, &known, &problems))
        return report_problems(&problems);
    if (!plan_report_write(arena, folder, &known, &no_plots, &status))
        return report_status(&status);
    printf("%s/report.html\n", folder);
    return no_plots.code != STATUS_OK ? report_status(&no_plots) : EXIT_FINE;
}

static int report_sweep(Arena *arena, const char *folder, int64_t target_ns)
{
    Problems problems = problems_create(arena);
    StudyOutcome outcome;
    Status no_plots = {0}, status = {0};
    if (target_ns != NOT_GIVEN) {
        status_fail(&status, STATUS_BAD_INPUT, place_in("--target", 0, 0),
                    "%s is the folder of a sweep, which has a target for each metric", folder);
        status_hint(&status, "name the metric waited_within(TIME) in the study, or with --metric");
        return report_status(&status);
    }
    if (!study_outcome_read(arena, disk_files, folder, &outcome, &problems))
        return report_problems(&problems);
    const Goal *goal = outcome.findings.study->goal;
    if (goal != NULL && goal->is_planned)
        return report_plan(arena, folder);
    if (!study_report_write(arena, folder, &outcome, &no_plots, &status))
        return report_status(&status);
    printf("%s/report.html\n", folder);
    return no_plots.code != STATUS_OK ? report_status(&no_plots) : EXIT_FINE;
}

static int report_run(Arena *arena, const char *folder, int64_t target_ns)
{
    Status status = {0};
    if (target_ns == 0) {
        status_fail(&status, STATUS_BAD_INPUT, place_in("--target", 0, 0),
                    "is 0, expected a longer time");
        return report_status(&status);
    }
    if (!report_write(arena, folder, target_ns == NOT_GIVEN ? 0 : target_ns, &status))
        return report_status(&status);
    printf("%s/report.html\n", folder);
    return EXIT_FINE;
}

static int run_report(int argc, char **argv)
{
    Arena *arena = arena_create();
    Operands operands;
    ReportArguments arguments = {.target_ns = NOT_GIVEN};
    int exit_code;
    if (options_read(&report_table, arena, argc, argv, &arguments, &operands, &exit_code)) {
        const char *folder = operands.items[0];
        exit_code = has_file(arena, folder, "study.json")
                        ? report_sweep(arena, folder, arguments.target_ns)
                        : report_run(arena, folder, arguments.target_ns);
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_report = {.options = &report_table, .run = run_report};
