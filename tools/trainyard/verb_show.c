/* trainyard show: the command that repeats one run of a sweep, or who wins and who pays. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/cli/disk_files.h"
#include "sim/schema/value.h"
#include "sim/study/classes/class_words.h"
#include "sim/study/outcome.h"
#include "sim/study/point_scenario.h"
#include "tools/trainyard/verbs.h"

typedef struct {
    bool runs;
    const char *output_folder;
} ShowArguments;

#define OWNER ShowArguments
static const Field show_options[] = {
    OPTION_FLAG(0, "run", runs, "run the command instead of printing it"),
    OPTION_FOLDER('o', "output", output_folder, "RUN",
                  "write the files of the run to RUN (an option of the command)"),
    {0},
};
#undef OWNER

static const OptionTable show_table = {
    .name = "show",
    .operands = "DIR [POINT SEED]",
    .summary = "Prints the command that repeats one run of a sweep or a plan, or who wins and who "
               "pays.",
    .details =
        "DIR is the folder of the sweep, POINT and SEED are the columns of results.csv, or of "
        "fresh.csv of a plan. The "
        "command names the scenario as the sweep did: relative to the folder in which the "
        "sweep was started.\n"
        "\n"
        "DIR alone prints who wins and who pays: the differences of each class of jobs "
        "(workload, size, user, queue) at each level of a factor without order, such as the "
        "policy, to the baseline of the study.",
    .example = "trainyard show out/nodes 0 17\n"
               "trainyard show out/nodes 0 17 --run -o out/worst",
    .options = show_options,
    .operand_count_min = 1,
    .operand_count_max = 3,
};

/* The number that an operand states; false with a status. */
static bool number_of(const char *text, const char *what, int64_t *number, Status *status)
{
    return whole_number_parse(text, INT64_C(1) << 53, number) ||
           status_fail(status, STATUS_BAD_INPUT, place_in(what, 0, 0),
                       "is \"%s\", expected a number as in results.csv", text);
}

/* Adds the options of a steady study. The length of its runs was found by pilot runs, so a run of
 * the point must be known. */
static bool add_steady(Arena *arena, const char *folder, int64_t number, StudyPoint *point,
                       Problems *problems)
{
    StudyOutcome outcome;
    SteadyPlan plan;
    if (!study_outcome_read(arena, disk_files, folder, &outcome, problems))
        return false;
    const Results *results = outcome.findings.results;
    if (outcome.findings.study->horizon.kind != HORIZON_STEADY)
        return true;
    if (results->points[number].prefix > 0 && results_plan(results, (int32_t)number, 0, &plan)) {
        run_command_add_plan(arena, point, &plan);
        return true;
    }
    status_hint(problems_add(problems, STATUS_CONFLICT, place_in(folder, 0, 0),
                             "no run of point %" PRId64 " has finished, so the length of its runs "
                             "is not known",
                             number),
                "`trainyard sweep ... -o %s` continues the study", folder);
    return false;
}

/* Prints the tables of classes. Returns an exit code. */
static int show_classes(Arena *arena, const char *folder)
{
    Problems problems = problems_create(arena);
    StudyOutcome outcome;
    Text text = {0};
    if (!study_outcome_read(arena, disk_files, folder, &outcome, &problems))
        return report_problems(&problems);
    class_tables_print(&outcome.findings, &text);
    if (text.length == 0) {
        status_hint(
            problems_add(&problems, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                         "the study compares no classes of jobs"),
            "it needs a \"baseline\" that names a level of a factor such as the policy, and "
            "a metric of several classes, such as \"workloads.*.queue_s.mean\"");
        return report_problems(&problems);
    }
    fputs(text_string(&text), stdout);
    text_free(&text);
    return EXIT_FINE;
}

static int show_run(Arena *arena, const Operands *operands, const ShowArguments *arguments)
{
    Problems problems = problems_create(arena);
    Status status = {0};
    int64_t point, seed;
    StudyPoint found;
    const Json *root = study_folder_load(arena, disk_files, operands->items[0], &problems);
    if (root == NULL)
        return report_problems(&problems);
    if (!number_of(operands->items[1], "POINT", &point, &status) ||
        !number_of(operands->items[2], "SEED", &seed, &status) ||
        !study_json_point(arena, root, point, &found, &status))
        return report_status(&status);
    if (!add_steady(arena, operands->items[0], point, &found, &problems))
        return report_problems(&problems);
    const CommandWords words =
        run_command_words(arena, &found, operands->items[2], arguments->output_folder);
    if (arguments->runs)
        return verb_run.run(words.count, words.items);
    puts(run_command_text(arena, &words));
    return EXIT_FINE;
}

static int show(Arena *arena, const Operands *operands, const ShowArguments *arguments)
{
    Status status = {0};
    if (operands->count == 3)
        return show_run(arena, operands, arguments);
    if (operands->count == 1 && !arguments->runs && arguments->output_folder == NULL)
        return show_classes(arena, operands->items[0]);
    status_fail(&status, STATUS_BAD_INPUT, place_in("trainyard: show", 0, 0),
                "POINT and SEED are missing");
    status_hint(&status, "as in `trainyard show %s 0 17`", operands->items[0]);
    return report_status(&status);
}

static int run(int argc, char **argv)
{
    Arena *arena = arena_create();
    ShowArguments arguments = {0};
    Operands operands;
    int exit_code;
    if (options_read(&show_table, arena, argc, argv, &arguments, &operands, &exit_code))
        exit_code = show(arena, &operands, &arguments);
    arena_destroy(arena);
    return exit_code;
}

const Verb verb_show = {.options = &show_table, .run = run};
