/* trainyard show: the command that repeats one run of a sweep. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static Words command_of(Arena *arena, const StudyPoint *point, const char *seed,
                        const ShowArguments *arguments)
{
    enum { FIXED = 7 };
    Words words = {.items = ARENA_ARRAY(arena, char *, point->option_count + FIXED)};
    add_word(arena, &words, "run");
    add_word(arena, &words, point->scenario_path);
    add_word(arena, &words, "--seed");
    add_word(arena, &words, seed);
    for (int32_t i = 0; i < point->option_count; i++)
        add_word(arena, &words, point->options[i]);
    if (arguments->output_folder != NULL) {
        add_word(arena, &words, "-o");
        add_word(arena, &words, arguments->output_folder);
    }
    return words;
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

/* The number that the operand `what` states; false with a status. */
static bool number_of(const char *text, const char *what, int64_t *number, Status *status)
{
    return whole_number_parse(text, INT64_C(1) << 53, number) ||
           status_fail(status, STATUS_BAD_INPUT, place_in(what, 0, 0),
                       "is \"%s\", expected a number as in results.csv", text);
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
    if (!number_of(operands->items[1], "POINT", &point, &status) ||
        !number_of(operands->items[2], "SEED", &seed, &status) ||
        !study_json_point(arena, root, point, &found, &status))
        return report_status(&status);
    const Words words = command_of(arena, &found, operands->items[2], arguments);
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
