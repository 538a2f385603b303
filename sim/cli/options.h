/* The command line from one table: each row feeds parsing, --help, completion and the man page, so
 * that the four agree.
 *
 *     typedef struct { int64_t seed; bool is_json; } MyOptions;
 *     #define OWNER MyOptions // the struct of the rows that follow
 *     static const Field my_options[] = {
 *         OPTION_INTEGER('s', "seed", seed, "N", 0, 0, "start the random numbers at N"),
 *         OPTION_FLAG(0, "json", is_json, "print JSON"),
 *         {0}, // the end
 *     };
 *     #undef OWNER
 *     static const OptionTable my_table = {
 *         .name = "roll", .operands = "DICE...", .summary = "Rolls dice.",
 *         .example = "trainyard roll --seed 7 d6 d20", .options = my_options,
 *         .operand_count_min = 1, .operand_count_max = 9};
 *
 *     MyOptions options = {.seed = 1}; // a member keeps its default when its option is absent
 *     Operands operands;
 *     int exit_code;
 *     if (!options_read(&my_table, arena, argc, argv, &options, &operands, &exit_code))
 *         return exit_code;
 *
 * Options may precede or follow operands; "--" ends them. Every table has --help automatically. */
#ifndef SIM_CLI_OPTIONS_H
#define SIM_CLI_OPTIONS_H

#include "sim/base/text.h"
#include "sim/schema/field.h"

/* Rows: the letter of the short form or 0, the long name, the member of OWNER, what --help calls
 * the value, limits, and the help. The comment is the type of the member. */
#define OPTION_FLAG(short_form, key, member, text) /* bool: given, it becomes true */              \
    FIELD_ROW(FLAG, key, member, .letter = short_form, .doc = text)
#define OPTION_FLAG_OFF(short_form, key, member, text) /* bool: given, it becomes false */         \
    FIELD_ROW(FLAG_OFF, key, member, .letter = short_form, .doc = text)
#define OPTION_TEXT(short_form, key, member, value, text) /* const char *, borrowed from argv */   \
    FIELD_ROW(TEXT, key, member, .letter = short_form, .argument = value, .doc = text)
#define OPTION_TEXTS(short_form, key, member, value, text) /* OptionTexts */                       \
    FIELD_ROW(TEXTS, key, member, .letter = short_form, .argument = value, .doc = text)
#define OPTION_FILE(short_form, key, member, value, text) /* const char *, borrowed */             \
    FIELD_ROW(FILE, key, member, .letter = short_form, .argument = value, .doc = text)
#define OPTION_FOLDER(short_form, key, member, value, text) /* const char *, borrowed */           \
    FIELD_ROW(FOLDER, key, member, .letter = short_form, .argument = value, .doc = text)
#define OPTION_INTEGER(short_form, key, member, value, least, most, text) /* int64_t */            \
    FIELD_ROW(INTEGER, key, member, .letter = short_form, .argument = value, .minimum = least,     \
              .maximum = most, .doc = text)
#define OPTION_REAL(short_form, key, member, value, least, most, text) /* double */                \
    FIELD_ROW(REAL, key, member, .letter = short_form, .argument = value, .real_minimum = least,   \
              .real_maximum = most, .doc = text)
#define OPTION_DURATION(short_form, key, member, value, text) /* int64_t, nanoseconds */           \
    FIELD_ROW(DURATION, key, member, .letter = short_form, .argument = value, .doc = text)
#define OPTION_BYTES(short_form, key, member, value, text) /* int64_t */                           \
    FIELD_ROW(BYTES, key, member, .letter = short_form, .argument = value, .doc = text)
#define OPTION_CHOICE(short_form, key, member, value, words, text) /* int, index in `words` */     \
    FIELD_ROW(CHOICE, key, member, .letter = short_form, .argument = value, .choices = words,      \
              .doc = text)

typedef struct {
    const char **items; /* in the order given */
    int32_t count;
} OptionTexts;

/* The operands that the shell offers. */
typedef enum { OPERANDS_FILES, OPERANDS_FOLDERS, OPERANDS_WORDS } OperandKind;

typedef struct {
    const char *name;     /* the verb; NULL for the program itself */
    const char *operands; /* as in the usage line: "SCENARIO", "FILE...", or "" */
    const char *summary;  /* one sentence with its full stop */
    const char *details; /* more for --help, or NULL; lines that begin with a space are kept, others
                            are filled */
    const char *example; /* command lines, one a line */
    const Field *options;
    int32_t operand_count_min, operand_count_max;
    OperandKind operand_kind;
    const char *const *operand_words; /* OPERANDS_WORDS only: the words, ended by NULL */
    /* For a verb whose stdout a shell evaluates, else NULL: prints code that makes the evaluation
     * of a wrong command line fail. The shell does not evaluate `reason`. */
    void (*print_guard)(const char *reason, int argc, char **argv);
} OptionTable;

typedef struct {
    char **items; /* borrowed from argv, in the order given */
    int32_t count;
} Operands;

/* Parses the command line, prints --help and reports problems. True when the verb should continue.
 * False after --help was printed (exit code 0) or a problem was reported on stderr (exit code 2).
 * argv[0] is skipped. glibc's program_invocation_name becomes the verb, for messages
 * (sim/cli/report.h). */
MUST_CHECK bool options_read(const OptionTable *table, Arena *arena, int argc, char **argv,
                             void *values, Operands *operands, int *exit_code);

/* The same without printing. STATUS_BAD_INPUT, with a hint, for a command line that the table
 * does not allow. --help sets `*wants_help` and ends the checks. On failure some values may be
 * filled. Not for two threads at once: getopt keeps its position in globals. */
MUST_CHECK bool options_parse(const OptionTable *table, Arena *arena, int argc, char **argv,
                              void *values, Operands *operands, bool *wants_help, Status *status);

/* --color and --help, which every table has; ended by {0}. */
extern const Field common_options[];
/* Adds the help of an option, with the words to choose from. */
void options_description(const Field *option, Text *out);

/* The text of --help: usage, summary, options, example. Lines of at most 80 characters. */
void options_help(const OptionTable *table, Text *out);

#endif
