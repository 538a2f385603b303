#include <stdlib.h>
#include <string.h>

#include "sim/cli/options.h"
#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

typedef struct {
    bool is_json;
    const char *output;
    int64_t seed;
    int64_t until_ns;
    int64_t limit_bytes;
    double rate;
    bool has_colour;
    int trace;
    OptionTexts settings;
} Values;

static const char *const levels[] = {"jobs", "epochs", "steps", NULL};

#define OWNER Values
static const Field options[] = {
    OPTION_FOLDER('o', "output", output, "DIR",
                  "write the files of the run to DIR, which is made when it is not there yet"),
    OPTION_INTEGER(0, "seed", seed, "N", 1, 1000, "start the random numbers at N"),
    OPTION_TEXTS(0, "set", settings, "POINTER=VALUE", "change a value"),
    OPTION_DURATION('u', "until", until_ns, "TIME", "stop at TIME"),
    OPTION_BYTES(0, "limit", limit_bytes, "SIZE", "write at most SIZE"),
    OPTION_CHOICE(0, "trace", trace, "LEVEL", levels, "how much to record"),
    OPTION_REAL(0, "rate", rate, "X", 1e-6, 1000, "go at X"),
    OPTION_FLAG(0, "colour", has_colour, "print in colour"),
    OPTION_FLAG_OFF(0, "no-colour", has_colour, "print without"),
    OPTION_FLAG('j', "json", is_json, "print JSON"),
    {0},
};
#undef OWNER

static const OptionTable table = {
    .name = "run",
    .operands = "SCENARIO [MORE]",
    .summary = "Runs a scenario.",
    .example = "trainyard run one.json\ntrainyard run --json two.json",
    .options = options,
    .operand_count_min = 1,
    .operand_count_max = 2,
};

/* The result of parsing a command line. */
typedef struct {
    Arena *arena;
    Values values;
    Operands operands;
    bool wants_help;
    bool is_parsed;
    Status status;
} Outcome;

/* Parses `line`, the words after the verb, separated by single spaces. */
static Outcome parse(const char *line)
{
    enum { WORDS_MAX = 32 };
    Outcome outcome = {.arena = arena_create(),
                       .values = {.seed = 42, .trace = 1, .has_colour = true}};
    char **words = ARENA_ARRAY(outcome.arena, char *, WORDS_MAX);
    int count = 0;
    words[count++] = arena_strdup(outcome.arena, "run");
    for (const char *word = line; *word;) {
        const size_t length = strcspn(word, " ");
        words[count++] = arena_strndup(outcome.arena, word, length);
        word += length + (word[length] == ' ');
    }
    outcome.is_parsed = options_parse(&table, outcome.arena, count, words, &outcome.values,
                                      &outcome.operands, &outcome.wants_help, &outcome.status);
    return outcome;
}

START_TEST(each_kind_fills_its_field)
{
    Outcome got = parse("a.json --output out --seed 7 --set /x=1 --until 1h30m --limit 2KiB "
                        "--trace steps --json --set /y=2 --rate 2.5e-3 --no-colour");
    ck_assert_msg(got.is_parsed, "%s", got.status.message);
    ck_assert_str_eq(got.values.output, "out");
    ck_assert_int_eq(got.values.seed, 7);
    ck_assert_int_eq(got.values.until_ns, INT64_C(5400000000000));
    ck_assert_int_eq(got.values.limit_bytes, 2048);
    ck_assert_int_eq(got.values.trace, 2);
    ck_assert_double_eq(got.values.rate, 2.5e-3);
    ck_assert(!got.values.has_colour);
    ck_assert(got.values.is_json);
    ck_assert_int_eq(got.values.settings.count, 2);
    ck_assert_str_eq(got.values.settings.items[0], "/x=1");
    ck_assert_str_eq(got.values.settings.items[1], "/y=2");
    ck_assert_int_eq(got.operands.count, 1);
    ck_assert_str_eq(got.operands.items[0], "a.json");
    arena_destroy(got.arena);
}
END_TEST

START_TEST(an_option_that_is_not_given_keeps_its_default)
{
    Outcome got = parse("a.json");
    ck_assert(got.is_parsed);
    ck_assert_int_eq(got.values.seed, 42);
    ck_assert_int_eq(got.values.trace, 1);
    ck_assert(got.values.has_colour);
    ck_assert_ptr_null(got.values.output);
    ck_assert_int_eq(got.values.settings.count, 0);
    ck_assert(!got.values.is_json);
    arena_destroy(got.arena);
}
END_TEST

static const struct {
    const char *line;
    const char *output;
    bool is_json;
    const char *operands; /* joined by spaces */
} spellings[] = {
    {"-o out a", "out", false, "a"},
    {"-oout a", "out", false, "a"},
    {"--output=out a", "out", false, "a"},
    {"a b --json", NULL, true, "a b"},
    {"a -jo out b", "out", true, "a b"},
    {"--out out a", "out", false, "a"}, // a prefix of one name only
    {"-j -- --json -o", NULL, true, "--json -o"},
    {"a -", NULL, false, "a -"},
};

static void check_spellings(void)
{
    for (int32_t i = 0; i < COUNT_OF(spellings); i++) {
        Outcome got = parse(spellings[i].line);
        ck_assert_msg(got.is_parsed, "%s: %s", spellings[i].line, got.status.message);
        ck_assert_pstr_eq(got.values.output, spellings[i].output);
        ck_assert_int_eq(got.values.is_json, spellings[i].is_json);
        Text operands = {0};
        for (int32_t j = 0; j < got.operands.count; j++)
            text_printf(&operands, "%s%s", j > 0 ? " " : "", got.operands.items[j]);
        ck_assert_str_eq(text_string(&operands), spellings[i].operands);
        text_free(&operands);
        arena_destroy(got.arena);
    }
}

START_TEST(options_may_precede_and_follow_operands_in_any_spelling)
{
    check_spellings();
}
END_TEST

START_TEST(the_environment_does_not_change_how_a_line_is_parsed)
{
    // With POSIXLY_CORRECT, getopt would stop at the first operand.
    ck_assert_int_eq(setenv("POSIXLY_CORRECT", "1", 1), 0);
    check_spellings();
}
END_TEST

static const struct {
    const char *line;
    const char *source, *message, *hint;
} mistakes[] = {
    {"a --sed 5", "trainyard: run", "unknown option \"--sed\"", "did you mean \"--seed\"?"},
    {"a --sed=5", "trainyard: run", "unknown option \"--sed\"", "did you mean \"--seed\"?"},
    {"a --hepl", "trainyard: run", "unknown option \"--hepl\"", "did you mean \"--help\"?"},
    {"a --se 5", "trainyard: run", "unknown option \"--se\"",
     "did you mean \"--seed\" or \"--set\"?"},
    {"a --verbose", "trainyard: run", "unknown option \"--verbose\"",
     "see \"trainyard run --help\""},
    {"a -x", "trainyard: run", "unknown option \"-x\"", "see \"trainyard run --help\""},
    {"a -jx", "trainyard: run", "unknown option \"-x\"", "see \"trainyard run --help\""},
    {"a --seed", "trainyard: run", "option \"--seed\" needs N", "see \"trainyard run --help\""},
    {"a -o", "trainyard: run", "option \"--output\" needs DIR", "see \"trainyard run --help\""},
    {"a --output --seed 3", "trainyard: run", "option \"--output\" needs DIR",
     "see \"trainyard run --help\""},
    {"a --json=1", "trainyard: run", "\"--json=1\": the option takes no value",
     "see \"trainyard run --help\""},
    {"--output= a", "trainyard: run: --output", "is \"\", expected a path", ""},
    {"", "trainyard: run", "expected SCENARIO [MORE], got nothing", "see \"trainyard run --help\""},
    {"a b c d", "trainyard: run", "unexpected operand \"c\"", "see \"trainyard run --help\""},
    {"a --seed x", "trainyard: run: --seed", "is \"x\", expected a whole number from 1 to 1000",
     ""},
    {"a --seed 0", "trainyard: run: --seed", "is \"0\", expected a whole number from 1 to 1000",
     ""},
    {"a --seed 1001", "trainyard: run: --seed",
     "is \"1001\", expected a whole number from 1 to 1000", ""},
    {"a --seed 18446744073709551617", "trainyard: run: --seed",
     "is \"18446744073709551617\", expected a whole number from 1 to 1000", ""},
    {"a --seed -1", "trainyard: run: --seed", "is \"-1\", expected a whole number from 1 to 1000",
     ""},
    {"a --seed=", "trainyard: run: --seed", "is \"\", expected a whole number from 1 to 1000", ""},
    {"a --rate x", "trainyard: run: --rate", "is \"x\", expected a number from 1e-06 to 1000", ""},
    {"a --rate 1001", "trainyard: run: --rate", "is \"1001\", expected a number from 1e-06 to 1000",
     ""},
    {"a --rate 0", "trainyard: run: --rate", "is \"0\", expected a number from 1e-06 to 1000", ""},
    {"a --no-colour=1", "trainyard: run", "\"--no-colour=1\": the option takes no value",
     "see \"trainyard run --help\""},
    {"a --trace step", "trainyard: run: --trace",
     "is \"step\", expected one of jobs, epochs, steps", "did you mean \"steps\"?"},
    {"a --until 90", "trainyard: run: --until", "duration \"90\" has no unit",
     "durations look like \"90s\", \"1h30m\" or \"2.5ms\""},
    {"a --limit 5XB", "trainyard: run: --limit", "size \"5XB\": unknown unit \"XB\"",
     "sizes look like \"16GiB\", \"1.5MB\" or \"5003432\""},
};

START_TEST(a_mistake_is_reported_with_a_correction)
{
    for (int32_t i = 0; i < COUNT_OF(mistakes); i++) {
        Outcome got = parse(mistakes[i].line);
        ck_assert_msg(!got.is_parsed, "%s", mistakes[i].line);
        ck_assert_int_eq(got.status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(got.status.at.source, mistakes[i].source);
        ck_assert_str_eq(got.status.message, mistakes[i].message);
        ck_assert_str_eq(got.status.hint, mistakes[i].hint);
        arena_destroy(got.arena);
    }
}
END_TEST

START_TEST(real_numbers_have_the_syntax_of_json)
{
    static const struct {
        const char *text;
        double value; /* 0: refused */
    } numbers[] = {
        {"1", 1},         {"0.5", 0.5},  {"1e-4", 1e-4}, {"1E+2", 100}, {"0.10", 0.1},
        {"12.5e1", 125},  {"", 0},       {".5", 0},      {"5.", 0},     {"1e", 0},
        {"1e+", 0},       {"-1", 0},     {"+1", 0},      {"0x10", 0},   {"inf", 0},
        {"nan", 0},       {"1,5", 0},    {"1 ", 0},      {"1e999", 0},  {"1e-999", 0},
        {"0.0000009", 0}, {"1000.1", 0}, {"1000", 1000},
    };
    for (int32_t i = 0; i < COUNT_OF(numbers); i++) {
        Arena *arena = arena_create();
        char *words[] = {arena_strdup(arena, "run"), arena_strdup(arena, "a"),
                         arena_printf(arena, "--rate=%s", numbers[i].text)};
        Values values = {0};
        Operands operands;
        bool wants_help;
        Status status;
        const bool is_read = options_parse(&table, arena, COUNT_OF(words), words, &values,
                                           &operands, &wants_help, &status);
        ck_assert_msg(is_read == (numbers[i].value > 0), "\"%s\"", numbers[i].text);
        ck_assert_double_eq(values.rate, numbers[i].value);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(the_last_of_a_flag_and_its_opposite_counts)
{
    Outcome got = parse("a --no-colour --colour");
    ck_assert(got.is_parsed && got.values.has_colour);
    arena_destroy(got.arena);
    got = parse("a --colour --no-colour");
    ck_assert(got.is_parsed && !got.values.has_colour);
    arena_destroy(got.arena);
}
END_TEST

START_TEST(help_takes_precedence_over_mistakes_after_it)
{
    static const char *const lines[] = {"--help", "-h", "a b c --help",
                                        "--seed 5 --help --nonsense"};
    for (int32_t i = 0; i < COUNT_OF(lines); i++) {
        Outcome got = parse(lines[i]);
        ck_assert(got.is_parsed);
        ck_assert(got.wants_help);
        arena_destroy(got.arena);
    }
}
END_TEST

START_TEST(help_shows_every_row_of_the_table)
{
    Text help = {0};
    options_help(&table, &help);
    ck_assert_str_eq(
        text_string(&help),
        "Usage: trainyard run [OPTION]... SCENARIO [MORE]\n"
        "\n"
        "Runs a scenario.\n"
        "\n"
        "Options:\n"
        "  -o, --output DIR         write the files of the run to DIR, which is made when\n"
        "                           it is not there yet\n"
        "      --seed N             start the random numbers at N\n"
        "      --set POINTER=VALUE  change a value\n"
        "  -u, --until TIME         stop at TIME\n"
        "      --limit SIZE         write at most SIZE\n"
        "      --trace LEVEL        how much to record: jobs, epochs or steps\n"
        "      --rate X             go at X\n"
        "      --colour             print in colour\n"
        "      --no-colour          print without\n"
        "  -j, --json               print JSON\n"
        "      --color WHEN         colour messages: auto, always or never\n"
        "  -h, --help               print this text and stop\n"
        "\n"
        "Example:\n"
        "  trainyard run one.json\n"
        "  trainyard run --json two.json\n");
    text_free(&help);
}
END_TEST

START_TEST(help_gives_a_wide_option_a_separate_line)
{
    static const Field wide[] = {{.name = "an-option-with-a-long-name",
                                  .kind = VALUE_TEXT,
                                  .argument = "WORD",
                                  .doc = "help"},
                                 {0}};
    const OptionTable wide_table = {
        .operands = "", .summary = "Short.", .example = "trainyard", .options = wide};
    Text help = {0};
    options_help(&wide_table, &help);
    ck_assert_str_eq(text_string(&help),
                     "Usage: trainyard [OPTION]...\n"
                     "\n"
                     "Short.\n"
                     "\n"
                     "Options:\n"
                     "      --an-option-with-a-long-name WORD\n"
                     "                    help\n"
                     "      --color WHEN  colour messages: auto, always or never\n"
                     "  -h, --help        print this text and stop\n"
                     "\n"
                     "Example:\n"
                     "  trainyard\n");
    text_free(&help);
}
END_TEST

START_TEST(help_wraps_paragraphs_but_not_lists)
{
    static const Field none[] = {{0}};
    const OptionTable detailed = {
        .name = "say",
        .operands = "",
        .summary = "Short.",
        .details = "A paragraph that is longer than a line of a terminal may be, which has room "
                   "for 80.\n"
                   "Another.\n"
                   "  a list   keeps its columns, however long its lines are: they stay exactly as "
                   "written",
        .example = "trainyard say",
        .options = none};
    Text help = {0};
    options_help(&detailed, &help);
    ck_assert_str_eq(
        text_string(&help),
        "Usage: trainyard say [OPTION]...\n"
        "\n"
        "Short.\n"
        "\n"
        "A paragraph that is longer than a line of a terminal may be, which has room for\n"
        "80.\n"
        "Another.\n"
        "  a list   keeps its columns, however long its lines are: they stay exactly as "
        "written\n"
        "\n"
        "Options:\n"
        "      --color WHEN  colour messages: auto, always or never\n"
        "  -h, --help        print this text and stop\n"
        "\n"
        "Example:\n"
        "  trainyard say\n");
    text_free(&help);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, each_kind_fills_its_field);
    tcase_add_test(tests, an_option_that_is_not_given_keeps_its_default);
    tcase_add_test(tests, options_may_precede_and_follow_operands_in_any_spelling);
    tcase_add_test(tests, the_environment_does_not_change_how_a_line_is_parsed);
    tcase_add_test(tests, a_mistake_is_reported_with_a_correction);
    tcase_add_test(tests, real_numbers_have_the_syntax_of_json);
    tcase_add_test(tests, the_last_of_a_flag_and_its_opposite_counts);
    tcase_add_test(tests, help_takes_precedence_over_mistakes_after_it);
    tcase_add_test(tests, help_shows_every_row_of_the_table);
    tcase_add_test(tests, help_gives_a_wide_option_a_separate_line);
    tcase_add_test(tests, help_wraps_paragraphs_but_not_lists);
    suite_add_tcase(suite, tests);
    return suite;
}
