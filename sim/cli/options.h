/* The command line from one table: each row feeds parsing, --help and completion, so that the three
 * cannot drift apart.
 *
 *     typedef struct { int64_t seed; bool is_json; } MyOptions;
 *     static const Option my_options[] = {
 *         {.name = "seed", .letter = 's', .kind = OPTION_INTEGER, .argument = "N",
 *          .help = "start the random numbers at N", .offset = offsetof(MyOptions, seed)},
 *         {.name = "json", .kind = OPTION_FLAG, .help = "print JSON",
 *          .offset = offsetof(MyOptions, is_json)},
 *         {0}, // the end
 *     };
 *     static const OptionTable my_table = {
 *         .name = "roll", .operands = "DICE...", .summary = "Rolls dice.",
 *         .example = "trainyard roll --seed 7 d6 d20", .options = my_options,
 *         .operand_count_min = 1, .operand_count_max = 9};
 *
 *     MyOptions options = {.seed = 1}; // a field keeps its default when its option is not given
 *     Operands operands;
 *     int exit_code;
 *     if (!options_read(&my_table, arena, argc, argv, &options, &operands, &exit_code))
 *         return exit_code;
 *
 * Options stand before or after operands; "--" ends them. Every table has --help by itself. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include <stddef.h>

#include "sim/base/status.h"
#include "sim/base/text.h"

/* What an option takes, and the type of the field that it fills. */
typedef enum {
    OPTION_FLAG,     /* nothing; bool, becomes true */
    OPTION_FLAG_OFF, /* nothing; bool, becomes false: "--no-colour" beside "--colour" */
    OPTION_TEXT,     /* any text; const char *, borrowed from argv */
    OPTION_TEXTS,    /* any text, as often as given; OptionTexts */
    OPTION_FILE,     /* a path; const char *, borrowed */
    OPTION_FOLDER,   /* a path; const char *, borrowed */
    OPTION_INTEGER,  /* a whole number, 0 or more; int64_t */
    OPTION_REAL,     /* "0.0001", "1e-4", without a sign; double */
    OPTION_DURATION, /* "90s", sim/base/units.h; int64_t nanoseconds */
    OPTION_SIZE,     /* "16GiB"; int64_t bytes */
    OPTION_CHOICE,   /* one of `choices`; int, its index */
} OptionKind;

typedef struct {
    const char **items; /* in the order given */
    int32_t count;
} OptionTexts;

typedef struct {
    const char *name; /* long, without dashes; NULL ends the table */
    char letter;      /* short, or 0 */
    OptionKind kind;
    const char *argument;              /* how --help calls what it takes: "FILE"; NULL for a flag */
    const char *help;                  /* lower case, no full stop */
    size_t offset;                     /* of its field in the struct of values */
    const char *const *choices;        /* OPTION_CHOICE only: the words, ended by NULL */
    int64_t minimum, maximum;          /* OPTION_INTEGER only; maximum 0 means no limit */
    double real_minimum, real_maximum; /* OPTION_REAL only; maximum 0 means no limit */
} Option;

/* What the shell may offer as an operand. */
typedef enum { OPERANDS_FILES, OPERANDS_FOLDERS, OPERANDS_WORDS } OperandKind;

typedef struct {
    const char *name;     /* the verb; NULL for the program itself */
    const char *operands; /* as in the usage line: "SCENARIO", "FILE...", or "" */
    const char *summary;  /* one sentence with its full stop */
    const char *details;  /* more for --help, or NULL; lines that begin with a space stay as they
                             are, others are filled */
    const char *example;  /* command lines, one a line */
    const Option *options;
    int32_t operand_count_min, operand_count_max;
    OperandKind operand_kind;
    const char *const *operand_words; /* OPERANDS_WORDS only: what there is, ended by NULL */
    /* For a verb whose stdout a shell evaluates, else NULL: prints code that makes the evaluation
     * fail. `text` is the reason, or the help; the shell does not evaluate it. */
    void (*print_guard)(const char *text, int argc, char **argv);
} OptionTable;

typedef struct {
    char **items; /* borrowed from argv, in the order given */
    int32_t count;
} Operands;

/* Everything a verb needs: true when it should go on. False after --help was printed (exit code 0)
 * or a problem reported on stderr (exit code 2). argv[0] is skipped. A table with `print_guard`
 * prints its help through that unless stdout is a terminal. */
MUST_CHECK bool options_read(const OptionTable *table, Arena *arena, int argc, char **argv,
                             void *values, Operands *operands, int *exit_code);

/* The same without printing. STATUS_BAD_INPUT, with a hint, for what the table does not allow.
 * `*wants_help` is set, and nothing checked after it, when --help was met. Values may be filled
 * half on failure. Not for two threads at once: getopt keeps its place in globals. */
MUST_CHECK bool options_parse(const OptionTable *table, Arena *arena, int argc, char **argv,
                              void *values, Operands *operands, bool *wants_help, Status *status);

/* The text of --help: usage, summary, options, example. Lines of at most 80 characters. */
void options_help(const OptionTable *table, Text *out);

#endif
