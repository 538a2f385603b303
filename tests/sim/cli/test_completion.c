#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/completion.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

static const char *const levels[] = {"jobs", "epochs", "steps", NULL};
static const char *const shells[] = {"bash", NULL};

static const Field run_options[] = {
    {.name = "output", .letter = 'o', .kind = VALUE_FOLDER, .argument = "DIR"},
    {.name = "events", .kind = VALUE_FILE, .argument = "FILE"},
    {.name = "seed", .letter = 's', .kind = VALUE_INTEGER, .argument = "N"},
    {.name = "trace", .letter = 't', .kind = VALUE_CHOICE, .argument = "LEVEL", .choices = levels},
    {.name = "rate", .kind = VALUE_REAL, .argument = "X"},
    {.name = "json", .kind = VALUE_FLAG},
    {.name = "no-json", .kind = VALUE_FLAG_OFF},
    {0},
};

static const OptionTable run_table = {
    .name = "run", .options = run_options, .operand_kind = OPERANDS_FILES};
static const OptionTable report_table = {.name = "report", .operand_kind = OPERANDS_FOLDERS};
static const OptionTable shell_table = {
    .name = "completion", .operand_kind = OPERANDS_WORDS, .operand_words = shells};
static const OptionTable *const tables[] = {&run_table, &report_table, &shell_table};

static Arena *arena;
static const char *folder;

/* A folder with the script, a file and a folder. */
static void make_folder(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    ck_assert_int_eq(chdir(folder), 0);
    Text script = {0};
    completion_bash(tables, COUNT_OF(tables), &script);
    Status status;
    ck_assert(folder_create("a folder", &status));
    ck_assert(file_write("a file", "", 0, &status));
    ck_assert(file_write("script", script.data, script.length, &status));
    text_free(&script);
}

static void remove_folder(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static const struct {
    const char *words; /* of the command line, quoted for bash; the last word is being completed */
    const char *offered; /* joined by '|', sorted */
} lines[] = {
    {"trainyard r", "report|run"},
    {"trainyard he", "help"},
    {"trainyard --v", "--version"},
    {"trainyard help comp", "completion"},
    {"trainyard run --", "--events|--help|--json|--no-json|--output|--rate|--seed|--trace"},
    {"trainyard run --s", "--seed"},
    {"trainyard run --trace ''", "epochs|jobs|steps"},
    {"trainyard run x -t e", "epochs"},
    {"trainyard run --seed ''", ""},
    {"trainyard run -s ''", ""},
    {"trainyard run --rate ''", ""},
    {"trainyard run --json a", "a file|a folder"},
    {"trainyard run --no-json a", "a file|a folder"},
    {"trainyard run a", "a file|a folder"},
    {"trainyard run -o a", "a folder"},
    {"trainyard run --events a", "a file|a folder"},
    {"trainyard report a", "a folder"},
    {"trainyard completion ''", "bash"},
    {"trainyard other a", "a file|a folder"}, // a separate program
};

START_TEST(bash_offers_the_entries_of_the_tables)
{
    // Programs named trainyard-… on PATH are verbs too, so PATH contains the system's folders only.
    ck_assert_int_eq(setenv("PATH", "/usr/bin:/bin", 1), 0);
    for (int32_t i = 0; i < COUNT_OF(lines); i++) {
        char command[1000];
        snprintf(command, sizeof command,
                 "bash -c \"set -u; source ./script; COMP_WORDS=(%s); "
                 "COMP_CWORD=\\$((\\${#COMP_WORDS[@]} - 1)); _trainyard; "
                 "printf '%%s\\n' \\\"\\${COMPREPLY[@]}\\\" | LC_ALL=C sort | paste -sd '|'\"",
                 lines[i].words);
        FILE *shell = popen(command, "r"); // NOLINT(cert-env33-c): the test is about bash
        ck_assert_ptr_nonnull(shell);
        char offered[200] = "";
        const size_t length = fread(offered, 1, sizeof offered - 1, shell);
        ck_assert_int_eq(pclose(shell), 0);
        ck_assert_uint_gt(length, 0);
        offered[length - 1] = '\0'; // the newline
        ck_assert_msg(strcmp(offered, lines[i].offered) == 0, "%s: \"%s\", expected \"%s\"",
                      lines[i].words, offered, lines[i].offered);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("completion");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, bash_offers_the_entries_of_the_tables);
    suite_add_tcase(suite, tests);
    return suite;
}
