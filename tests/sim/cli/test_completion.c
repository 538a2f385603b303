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
static const char *const shells[] = {"bash", "zsh", NULL};

static const Field run_options[] = {
    {.name = "output", .letter = 'o', .kind = VALUE_FOLDER, .argument = "DIR"},
    {.name = "events", .kind = VALUE_FILE, .argument = "FILE"},
    {.name = "seed", .letter = 's', .kind = VALUE_INTEGER, .argument = "N"},
    {.name = "trace", .letter = 't', .kind = VALUE_CHOICE, .argument = "LEVEL", .choices = levels},
    {.name = "rate", .kind = VALUE_REAL, .argument = "X", .doc = "it's a: [rate]"},
    {.name = "param", .letter = 'p', .kind = VALUE_TEXTS, .argument = "NAME=VALUE"},
    {.name = "json", .kind = VALUE_FLAG},
    {.name = "no-json", .kind = VALUE_FLAG_OFF},
    {0},
};

static const OptionTable run_table = {.name = "run",
                                      .summary = "It's a: run.",
                                      .options = run_options,
                                      .operand_kind = OPERANDS_FILES};
static const OptionTable report_table = {.name = "report", .operand_kind = OPERANDS_FOLDERS};
static const OptionTable shell_table = {
    .name = "completion", .operand_kind = OPERANDS_WORDS, .operand_words = shells};
static const OptionTable *const tables[] = {&run_table, &report_table, &shell_table};

static Arena *arena;
static const char *folder;

/* A folder with a script for each shell, a file and a folder. */
static void make_folder(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    ck_assert_int_eq(chdir(folder), 0);
    Status status;
    ck_assert(folder_create("a folder", &status));
    ck_assert(file_write("a file", "", 0, &status));
#define X(name)                                                                                    \
    {                                                                                              \
        Text script = {0};                                                                         \
        completion_##name(tables, COUNT_OF(tables), &script);                                      \
        ck_assert(file_write("script." #name, script.data, script.length, &status));               \
        text_free(&script);                                                                        \
    }
    COMPLETION_SHELLS(X)
#undef X
}

static void remove_folder(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static const struct {
    const char *words;   /* of the command line; the last word is being completed */
    const char *offered; /* joined by '|', sorted */
} lines[] = {
    {"trainyard r", "report|run"},
    {"trainyard he", "help"},
    {"trainyard --v", "--version"},
    {"trainyard help comp", "completion"},
    {"trainyard run --",
     "--color|--events|--help|--json|--no-json|--output|--param|--rate|--seed|--trace"},
    {"trainyard run --see", "--seed"}, // for "--s" fish 4 also offers words that contain an s
    {"trainyard run --trace ", "epochs|jobs|steps"},
    {"trainyard run x -t e", "epochs"},
    {"trainyard run --seed ", ""},
    {"trainyard run -s ", ""},
    {"trainyard run --rate ", ""},
    {"trainyard run --param a=b --param ", ""},
    {"trainyard run --json a", "a file|a folder"},
    {"trainyard run --no-json a", "a file|a folder"},
    {"trainyard run a", "a file|a folder"},
    {"trainyard run -o a", "a folder"},
    {"trainyard run --events a", "a file|a folder"},
    {"trainyard report a", "a folder"},
    {"trainyard completion ", "bash|zsh"},
    {"trainyard other a", "a file|a folder"}, // a separate program
};

/* Runs `command`; in `output` what it prints. */
static void ask(const char *command, char *output, size_t room)
{
    FILE *shell = popen(command, "r"); // NOLINT(cert-env33-c): the test is about shells
    ck_assert_ptr_nonnull(shell);
    const size_t length = fread(output, 1, room - 1, shell);
    output[length] = '\0';
    ck_assert_msg(pclose(shell) == 0, "%s", command);
}

static bool has_shell(const char *name)
{
    char found[200];
    ask(arena_printf(arena, "command -v %s || :", name), found, sizeof found);
    if (found[0] == '\0')
        printf("skipped: no %s (package: %s)\n", name, name);
    return found[0] != '\0';
}

/* `answers` has a line for each of `lines`. */
static void check(const char *shell, char *answers)
{
    for (int32_t i = 0; i < COUNT_OF(lines); i++) {
        char *end = strchr(answers, '\n');
        ck_assert_msg(end != NULL, "%s: no answer to %s", shell, lines[i].words);
        *end = '\0';
        ck_assert_msg(strcmp(answers, lines[i].offered) == 0, "%s: %s: \"%s\", expected \"%s\"",
                      shell, lines[i].words, answers, lines[i].offered);
        answers = end + 1;
    }
}

/* Programs named trainyard-... on PATH are verbs too, so PATH contains the system's folders only.
 */
static void only_system_programs(void)
{
    ck_assert_int_eq(setenv("PATH", "/usr/bin:/bin", 1), 0);
}

/* All lines as arguments of one command. */
static const char *quoted_lines(void)
{
    Text all = {0};
    for (int32_t i = 0; i < COUNT_OF(lines); i++)
        text_printf(&all, " '%s'", lines[i].words);
    return text_move(arena, &all);
}

START_TEST(bash_offers_the_entries_of_the_tables)
{
    char answers[4000];
    only_system_programs();
    ask(arena_printf(
            arena,
            "bash -c 'set -u; source ./script.bash; for line; do read -ra COMP_WORDS <<<\"$line\"; "
            "[[ $line != *\" \" ]] || COMP_WORDS+=(\"\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
            "_trainyard; printf \"%%s\\n\" \"${COMPREPLY[@]}\" | LC_ALL=C sort | paste -sd \"|\"; "
            "done' bash%s",
            quoted_lines()),
        answers, sizeof answers);
    check("bash", answers);
}
END_TEST

START_TEST(zsh_offers_the_entries_of_the_tables)
{
    char answers[4000];
    only_system_programs();
    if (!has_shell("zsh"))
        return;
    ask(arena_printf(arena, "zsh -f " TRAINYARD_SOURCE_DIR "/tests/sim/cli/offers.zsh script.zsh%s",
                     quoted_lines()),
        answers, sizeof answers);
    check("zsh", answers);
}
END_TEST

START_TEST(fish_offers_the_entries_of_the_tables)
{
    char answers[4000];
    only_system_programs();
    if (!has_shell("fish"))
        return;
    ask(arena_printf(
            arena,
            "HOME=$PWD fish --no-config -c 'source script.fish; for line in $argv; "
            "complete -C $line | cut -f1 | sed s,/\\$,, | LC_ALL=C sort | paste -sd \"|\"; "
            "end'%s",
            quoted_lines()),
        answers, sizeof answers);
    check("fish", answers);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("completion");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, make_folder, remove_folder);
    tcase_add_test(tests, bash_offers_the_entries_of_the_tables);
    tcase_add_test(tests, zsh_offers_the_entries_of_the_tables);
    tcase_add_test(tests, fish_offers_the_entries_of_the_tables);
    suite_add_tcase(suite, tests);
    return suite;
}
