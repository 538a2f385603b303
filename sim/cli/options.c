#define _GNU_SOURCE // program_invocation_name
#include "sim/cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/common_options.h"
#include "sim/cli/report.h"

// The answers of getopt_long for row i of the table: larger than every letter. The row after the
// last is --help.
enum { ANSWER_FIRST_ROW = 256, ANSWER_OPERAND = 1 };

/* One call of options_parse. */
typedef struct {
    const OptionTable *table;
    Arena *arena;
    const char *source;   /* "trainyard: run", at the start of every message */
    const Field *options; /* those of the table, then the common ones */
    int32_t option_count, own_count;
    CommonOptions *common;
    int argc;
    char **argv;
    void *values;
} Parse;

static const char *program_text(const OptionTable *table, Arena *arena, const char *separator)
{
    return table->name ? arena_printf(arena, "trainyard%s%s", separator, table->name) : "trainyard";
}

static int32_t option_count(const Field *options)
{
    int32_t count = 0;
    while (options && options[count].name)
        count++;
    return count;
}

static bool takes_argument(const Field *option)
{
    return option->kind != VALUE_FLAG && option->kind != VALUE_FLAG_OFF;
}

static Place place_of_command(const Parse *parse)
{
    return place_in(parse->source, 0, 0);
}

static bool hint_help(const Parse *parse, Status *status)
{
    return status_hint(status, "see \"%s --help\"", program_text(parse->table, parse->arena, " "));
}

/* --- The table in getopt's form --- */

/* "-:o:j": '-' returns operands in their order, whatever POSIXLY_CORRECT says; ':' distinguishes
 * a missing argument from an unknown option. */
static const char *getopt_letters(const Parse *parse)
{
    char *letters = arena_alloc(parse->arena, 3 + 2 * (size_t)parse->option_count);
    char *end = letters;
    *end++ = '-';
    *end++ = ':';
    for (int32_t i = 0; i < parse->option_count; i++) {
        const Field *option = &parse->options[i];
        if (option->letter)
            *end++ = option->letter;
        if (option->letter && takes_argument(option))
            *end++ = ':';
    }
    return letters;
}

static const struct option *getopt_names(const Parse *parse)
{
    struct option *names = ARENA_ARRAY(parse->arena, struct option, parse->option_count + 1);
    for (int32_t i = 0; i < parse->option_count; i++) {
        const Field *option = &parse->options[i];
        names[i].name = option->name;
        names[i].has_arg = takes_argument(option) ? required_argument : no_argument;
        names[i].val = ANSWER_FIRST_ROW + i;
    }
    return names;
}

/* The index of the row that getopt's answer means; -1 for no row. */
static int32_t row_of_answer(const Parse *parse, int answer)
{
    if (answer >= ANSWER_FIRST_ROW)
        return answer - ANSWER_FIRST_ROW;
    for (int32_t i = 0; i < parse->option_count; i++)
        if (parse->options[i].letter && parse->options[i].letter == answer)
            return i;
    return -1;
}

/* --- Errors of usage --- */

/* A hint for `typed`, a long option's name that is unknown or the beginning of several. */
static bool hint_option(const Parse *parse, const char *typed, Status *status)
{
    const char **names = ARENA_ARRAY(parse->arena, const char *, parse->option_count);
    const char *beginners[2] = {NULL, NULL};
    int32_t beginner_count = 0;
    for (int32_t i = 0; i < parse->option_count; i++) {
        names[i] = parse->options[i].name;
        if (strncmp(names[i], typed, strlen(typed)) == 0 && beginner_count < 2)
            beginners[beginner_count++] = names[i];
    }
    if (beginner_count == 2)
        return status_hint(status, "did you mean \"--%s\" or \"--%s\"?", beginners[0],
                           beginners[1]);
    const char *nearest = nearest_name(typed, names, parse->option_count);
    if (nearest)
        return status_hint(status, "did you mean \"--%s\"?", nearest);
    return hint_help(parse, status);
}

/* For '?': getopt leaves 0 in optopt for an unknown name, the row of a flag that was given an
 * argument, or an unknown letter. */
static bool fail_unknown(const Parse *parse, Status *status)
{
    const Place at = place_of_command(parse);
    if (optopt >= ANSWER_FIRST_ROW) {
        status_fail(status, STATUS_BAD_INPUT, at, "\"%s\": the option takes no value",
                    parse->argv[optind - 1]);
        return hint_help(parse, status);
    }
    if (optopt) {
        status_fail(status, STATUS_BAD_INPUT, at, "unknown option \"-%c\"", optopt);
        return hint_help(parse, status);
    }
    const char *name = parse->argv[optind - 1] + 2; // after the dashes
    const char *typed = arena_strndup(parse->arena, name, strcspn(name, "="));
    status_fail(status, STATUS_BAD_INPUT, at, "unknown option \"--%s\"", typed);
    return hint_option(parse, typed, status);
}

static bool fail_argument_missing(const Parse *parse, int32_t row, Status *status)
{
    const Field *option = &parse->options[row];
    status_fail(status, STATUS_BAD_INPUT, place_of_command(parse), "option \"--%s\" needs %s",
                option->name, option->argument);
    return hint_help(parse, status);
}

/* Whether `word` is "--NAME" of an option: as the value of another one, that was forgotten. */
static bool is_option_name(const Parse *parse, const char *word)
{
    if (strncmp(word, "--", 2) != 0)
        return false;
    for (int32_t i = 0; i < parse->option_count; i++)
        if (strcmp(parse->options[i].name, word + 2) == 0)
            return true;
    return false;
}

static bool check_operand_count(const Parse *parse, const Operands *operands, Status *status)
{
    const OptionTable *table = parse->table;
    if (operands->count >= table->operand_count_min && operands->count <= table->operand_count_max)
        return true;
    if (operands->count > table->operand_count_max)
        status_fail(status, STATUS_BAD_INPUT, place_of_command(parse), "unexpected operand \"%s\"",
                    operands->items[table->operand_count_max]);
    else if (operands->count > 0)
        status_fail(status, STATUS_BAD_INPUT, place_of_command(parse),
                    "expected %s, got only \"%s\"", table->operands, operands->items[0]);
    else
        status_fail(status, STATUS_BAD_INPUT, place_of_command(parse), "expected %s, got nothing",
                    table->operands);
    return hint_help(parse, status);
}

/* Operands that are words must be words of the table. */
static bool check_operand_words(const Parse *parse, const Operands *operands, Status *status)
{
    const OptionTable *table = parse->table;
    int32_t words = 0;
    if (table->operand_kind != OPERANDS_WORDS)
        return true;
    while (table->operand_words[words] != NULL)
        words++;
    for (int32_t i = 0; i < operands->count; i++) {
        int32_t w = 0;
        while (w < words && strcmp(operands->items[i], table->operand_words[w]) != 0)
            w++;
        if (w < words)
            continue;
        const char *nearest = nearest_name(operands->items[i], table->operand_words, words);
        Text list = {0};
        for (int32_t word = 0; word < words; word++)
            text_printf(&list, "%s%s", word > 0 ? "|" : "", table->operand_words[word]);
        status_fail(status, STATUS_BAD_INPUT, place_of_command(parse), "\"%s\" is not %s %s",
                    operands->items[i], words > 1 ? "one of" : "the word", text_string(&list));
        text_free(&list);
        return nearest != NULL ? status_hint(status, "did you mean \"%s\"?", nearest)
                               : hint_help(parse, status);
    }
    return true;
}

/* --- Values --- */

static bool integer_take(const Field *option, const char *argument, Place at, int64_t *field,
                         Status *status)
{
    const int64_t maximum = option->maximum ? option->maximum : INT64_MAX;
    int64_t value;
    if (whole_number_parse(argument, maximum, &value) && value >= option->minimum) {
        *field = value;
        return true;
    }
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "is \"%s\", expected a whole number from %" PRId64 " to %" PRId64, argument,
                       option->minimum, maximum);
}

static bool real_take(const Field *option, const char *argument, Place at, double *field,
                      Status *status)
{
    const bool has_maximum = option->real_maximum > 0;
    double value;
    if (real_parse(argument, &value) && value >= option->real_minimum &&
        (!has_maximum || value <= option->real_maximum)) {
        *field = value;
        return true;
    }
    if (has_maximum)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "is \"%s\", expected a number from %g to %g", argument,
                           option->real_minimum, option->real_maximum);
    return status_fail(status, STATUS_BAD_INPUT, at, "is \"%s\", expected a number from %g",
                       argument, option->real_minimum);
}

static bool choice_take(const Parse *parse, const Field *option, const char *argument, Place at,
                        int *field, Status *status)
{
    const int32_t index = word_list_find(option->choices, argument);
    if (index >= 0) {
        *field = index;
        return true;
    }
    Text list = {0};
    for (const char *const *word = option->choices; *word; word++)
        text_printf(&list, "%s%s", word > option->choices ? ", " : "", *word);
    status_fail(status, STATUS_BAD_INPUT, at, "is \"%s\", expected one of %s", argument,
                text_string(&list));
    text_free(&list);
    const char *nearest = nearest_name(argument, option->choices, word_list_count(option->choices));
    return nearest ? status_hint(status, "did you mean \"%s\"?", nearest)
                   : hint_help(parse, status);
}

static void text_take(const Parse *parse, const char *argument, OptionTexts *field)
{
    if (!field->items)
        field->items =
            ARENA_ARRAY(parse->arena, const char *, parse->argc); // enough for every argument
    field->items[field->count++] = argument;
}

static bool option_take(const Parse *parse, int32_t row, const char *argument, Status *status)
{
    const Field *option = &parse->options[row];
    void *values = row < parse->own_count ? parse->values : parse->common;
    void *field = (char *)values + option->offset;
    const Place at =
        place_in(arena_printf(parse->arena, "%s: --%s", parse->source, option->name), 0, 0);
    if ((option->kind == VALUE_FILE || option->kind == VALUE_FOLDER) && *argument == '\0')
        // Most likely a variable that is not set; "" + "/file" would be the root.
        return status_fail(status, STATUS_BAD_INPUT, at, "is \"\", expected a path");
    if (!takes_argument(option))
        *(bool *)field = option->kind == VALUE_FLAG;
    else if (option->kind == VALUE_TEXT || option->kind == VALUE_FILE ||
             option->kind == VALUE_FOLDER)
        *(const char **)field = argument;
    else if (option->kind == VALUE_TEXTS)
        text_take(parse, argument, field);
    else if (option->kind == VALUE_INTEGER)
        return integer_take(option, argument, at, field, status);
    else if (option->kind == VALUE_REAL)
        return real_take(option, argument, at, field, status);
    else if (option->kind == VALUE_CHOICE)
        return choice_take(parse, option, argument, at, field, status);
    else
        return value_parse(option->kind, argument, at, field, status);
    return true;
}

/* --- Parsing --- */

/* The options of the table, then the common ones. */
static const Field *all_options(const OptionTable *table, Arena *arena, int32_t *count)
{
    const int32_t own = option_count(table->options), common = option_count(common_options);
    Field *options = ARENA_ARRAY(arena, Field, own + common);
    if (own > 0)
        memcpy(options, table->options, (size_t)own * sizeof *options);
    memcpy(options + own, common_options, (size_t)common * sizeof *options);
    *count = own + common;
    return options;
}

bool options_parse(const OptionTable *table, Arena *arena, int argc, char **argv, void *values,
                   Operands *operands, bool *wants_help, Status *status)
{
    CommonOptions common = {0};
    Parse parse = {
        .table = table,
        .arena = arena,
        .source = program_text(table, arena, ": "),
        .own_count = option_count(table->options),
        .common = &common,
        .argc = argc,
        .argv = argv,
        .values = values,
    };
    parse.options = all_options(table, arena, &parse.option_count);
    const char *letters = getopt_letters(&parse);
    const struct option *names = getopt_names(&parse);
    *operands = (Operands){.items = ARENA_ARRAY(arena, char *, argc)};
    *wants_help = false;
    opterr = 0; // the messages are ours
    optind = 0; // a fresh start; 1 would continue inside a group of letters
    for (int answer; (answer = getopt_long(argc, argv, letters, names, NULL)) != -1;) {
        if (answer == '?')
            return fail_unknown(&parse, status);
        if (answer == ':')
            return fail_argument_missing(&parse, row_of_answer(&parse, optopt), status);
        if (answer == ANSWER_OPERAND) {
            operands->items[operands->count++] = optarg;
            continue;
        }
        if (optarg && optarg == argv[optind - 1] && is_option_name(&parse, optarg))
            return fail_argument_missing(&parse, row_of_answer(&parse, answer), status);
        if (!option_take(&parse, row_of_answer(&parse, answer), optarg, status))
            return false;
        *wants_help = common.wants_help;
        if (*wants_help)
            return true;
        terminal_colour_choose((TerminalColour)common.colour);
    }
    while (optind < argc) // after "--"
        operands->items[operands->count++] = argv[optind++];
    return check_operand_count(&parse, operands, status) &&
           check_operand_words(&parse, operands, status);
}

bool options_read(const OptionTable *table, Arena *arena, int argc, char **argv, void *values,
                  Operands *operands, int *exit_code)
{
    program_invocation_name = (char *)table->name;
    bool wants_help;
    Status status;
    if (!options_parse(table, arena, argc, argv, values, operands, &wants_help, &status)) {
        if (table->print_guard)
            table->print_guard("its command line is wrong", argc, argv);
        *exit_code = report_status(&status);
        return false;
    }
    if (wants_help) {
        Text help = {0};
        options_help(table, &help);
        fputs(text_string(&help), stdout);
        text_free(&help);
        *exit_code = EXIT_FINE;
        return false;
    }
    return true;
}
