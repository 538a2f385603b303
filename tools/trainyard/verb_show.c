/* trainyard show: the command that repeats one run of a sweep. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/shell_code.h"
#include "sim/schema/value.h"
#include "sim/study/outcome.h"
#include "sim/study/study_json.h"
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
    .operands = "DIR POINT SEED",
    .summary = "Prints the command that repeats one run of a sweep.",
    .details = "DIR is the folder of the sweep, POINT and SEED are the columns of results.csv. The "
               "command names the scenario as the sweep did: relative to the folder in which the "
               "sweep was started.",
    .example = "trainyard show out/nodes 0 17\n"
               "trainyard show out/nodes 0 17 --run -o out/worst",
    .options = show_options,
    .operand_count_min = 3,
    .operand_count_max = 3,
};

/* The words of the command after "trainyard", ended by NULL. */
typedef struct {
    char **items;
    int32_t count;
} Words;

static void add_word(Arena *arena, Words *words, const char *word)
{
    words->items[words->count++] = arena_strdup(arena, word);
}

/* `measure` NULL: the study is not steady. */
static Words command_of(Arena *arena, const StudyPoint *point, const char *seed,
                        const char *measure, const ShowArguments *arguments)
{
    enum { FIXED = 9 };
    Words words = {.items = ARENA_ARRAY(arena, char *, point->option_count + FIXED)};
    add_word(arena, &words, "run");
    add_word(arena, &words, point->scenario_path);
    add_word(arena, &words, "--seed");
    add_word(arena, &words, seed);
    for (int32_t i = 0; i < point->option_count; i++)
        add_word(arena, &words, point->options[i]);
    if (measure != NULL) {
        add_word(arena, &words, "--set");
        add_word(arena, &words, measure);
    }
    if (arguments->output_folder != NULL) {
        add_word(arena, &words, "-o");
        add_word(arena, &words, arguments->output_folder);
    }
    return words;
}

/* "36000s", "0.5s" */
static void exact_seconds_print(Text *text, int64_t ns)
{
    text_printf(text, "%" PRId64, ns / NS_PER_S);
    if (ns % NS_PER_S != 0)
        text_printf(text, ".%09" PRId64, ns % NS_PER_S);
    text_add(text, "s");
}

static void print_command(const Words *words)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+%";
    Text line = {0};
    text_add(&line, "trainyard");
    for (int32_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];
        text_add(&line, " ");
        if (strspn(word, plain) == strlen(word))
            text_add(&line, word);
        else
            code_quote(word, CODE_SH, &line);
    }
    puts(text_string(&line));
    text_free(&line);
}

/* The number that an operand states; false with a status. */
static bool number_of(const char *text, const char *what, int64_t *number, Status *status)
{
    return whole_number_parse(text, INT64_C(1) << 53, number) ||
           status_fail(status, STATUS_BAD_INPUT, place_in("show", 0, 0),
                       "%s is \"%s\", expected a number as in results.csv", what, text);
}

/* Sets `*measure` to the option that makes a run that of a steady study; NULL: the study is not
 * steady. Its window was found by pilot runs, so a run of the point must be known. */
static bool find_measure(Arena *arena, const char *folder, int64_t point, const char **measure,
                         Problems *problems)
{
    StudyOutcome outcome;
    SteadyPlan plan;
    *measure = NULL;
    if (!study_outcome_read(arena, disk_files, folder, &outcome, problems))
        return false;
    if (outcome.findings.study->horizon.kind != HORIZON_STEADY)
        return true;
    const Results *results = outcome.findings.results;
    if (results->points[point].prefix == 0) {
        status_hint(problems_add(problems, STATUS_CONFLICT, place_in(folder, 0, 0),
                                 "no run of point %" PRId64 " has finished, so the length of its "
                                 "runs is not known",
                                 point),
                    "`trainyard sweep ... -o %s` continues the study", folder);
        return false;
    }
    results_plan(results, (int32_t)point, 0, &plan);
    const MeasureWindow window = steady_window(&plan);
    Text text = {0};
    text_add(&text, "/measure={\"from\": \"");
    exact_seconds_print(&text, window.from_ns);
    text_add(&text, "\", \"until\": \"");
    exact_seconds_print(&text, window.until_ns);
    text_add(&text, "\", \"steady\": true}");
    *measure = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return true;
}

static int show(Arena *arena, const Operands *operands, const ShowArguments *arguments)
{
    Problems problems = problems_create(arena);
    Status status = {0};
    int64_t point, seed;
    StudyPoint found;
    const Json *root = study_folder_load(arena, disk_files, operands->items[0], &problems);
    if (root == NULL)
        return report_problems(&problems);
    if (!number_of(operands->items[1], "the point", &point, &status) ||
        !number_of(operands->items[2], "the seed", &seed, &status) ||
        !study_json_point(arena, root, point, &found, &status))
        return report_status(&status);
    const char *measure;
    if (!find_measure(arena, operands->items[0], point, &measure, &problems))
        return report_problems(&problems);
    const Words words = command_of(arena, &found, operands->items[2], measure, arguments);
    if (arguments->runs)
        return verb_run.run(words.count, words.items);
    print_command(&words);
    return EXIT_FINE;
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
