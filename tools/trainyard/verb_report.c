/* trainyard report: writes the report of an earlier run again. */
#include <stdio.h>

#include "reports/run/report.h"
#include "tools/trainyard/verbs.h"

static const Field report_options[] = {{0}};

static const OptionTable report_table = {
    .name = "report",
    .operands = "DIR",
    .summary = "Writes report.html and its plots from a run's files.",
    .details =
        "DIR is the folder of `trainyard run -o DIR`: its summary.json and trace.tsv are read.\n"
        "DIR/report.html needs no other file; DIR/plots has the same plots as SVG files.\n"
        "The program gnuplot draws them.",
    .example = "trainyard run scenarios/cifar10-horovod/scenario.json -o out/cifar10\n"
               "trainyard report out/cifar10",
    .options = report_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
    .operand_kind = OPERANDS_FOLDERS,
};

static int run_report(int argc, char **argv)
{
    Arena *arena = arena_create();
    Operands operands;
    int exit_code = EXIT_FINE;
    if (options_read(&report_table, arena, argc, argv, NULL, &operands, &exit_code)) {
        Status status = {0};
        if (report_write(arena, operands.items[0], &status))
            printf("%s/report.html\n", operands.items[0]);
        else
            exit_code = report_status(&status);
    }
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_report = {.options = &report_table, .run = run_report};
