#include <string.h>

#include "sim/base/status.h"
#include "tests/support/suite.h"

#define COUNT_OF(items) ((int32_t)(sizeof(items) / sizeof((items)[0])))

START_TEST(a_failure_has_a_code_a_place_a_message_and_a_hint)
{
    Status status = {0};
    ck_assert(
        !status_fail(&status, STATUS_BAD_INPUT, place_in("spot.json", 6, 15), "nodes is %d", -3));
    ck_assert(!status_hint(&status, "at least %d", 0));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.at.source, "spot.json");
    ck_assert_int_eq(status.at.line, 6);
    ck_assert_int_eq(status.at.column, 15);
    ck_assert_str_eq(status.message, "nodes is -3");
    ck_assert_str_eq(status.hint, "at least 0");
}
END_TEST

START_TEST(a_second_failure_replaces_the_first_and_may_quote_it)
{
    Status status;
    status_fail(&status, STATUS_NOT_FOUND, place_in("a", 1, 1), "no node 7");
    status_hint(&status, "there are 4");
    status_fail(&status, STATUS_CONFLICT, place_in("b", 2, 2), "job x: %s", status.message);
    ck_assert_str_eq(status.message, "job x: no node 7");
    ck_assert_str_eq(status.hint, "");
    ck_assert_int_eq(status.code, STATUS_CONFLICT);
}
END_TEST

START_TEST(a_long_message_is_cut_at_a_whole_character)
{
    // 400 bytes hold 399 and the NUL, and "..." leaves 396 for the text. With i letters before
    // two-byte characters, a cut at 396 would split a character whenever i is odd.
    for (size_t i = 0; i < 8; i++) {
        char words[1000] = "";
        memset(words, 'a', i);
        for (size_t j = 0; j < 300; j++)
            memcpy(words + i + 2 * j, "é", 3);
        Status status;
        status_fail(&status, STATUS_BAD_INPUT, place_in("x", 0, 0), "%s", words);
        const size_t kept = i % 2 == 0 ? 396 : 395;
        ck_assert_uint_eq(strlen(status.message), kept + 3);
        ck_assert_mem_eq(status.message, words, kept);
        ck_assert_str_eq(status.message + kept, "...");
    }
}
END_TEST

START_TEST(a_message_that_just_fits_is_not_cut)
{
    char words[400];
    memset(words, 'w', 399);
    words[399] = '\0';
    Status status;
    status_fail(&status, STATUS_BAD_INPUT, place_in("x", 0, 0), "%s", words);
    ck_assert_str_eq(status.message, words);
}
END_TEST

START_TEST(problems_keep_the_first_hundred_and_count_the_rest)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    ck_assert_int_eq(problems.count, 0);
    for (int i = 0; i < 250; i++) {
        Status *problem =
            problems_add(&problems, STATUS_BAD_INPUT, place_in("f", i + 1, 1), "no. %d", i);
        ck_assert_ptr_nonnull(problem);
        status_hint(problem, "hint %d", i);
    }
    ck_assert_int_eq(problems.count, 250);
    ck_assert_int_eq(problems.kept, PROBLEMS_KEPT);
    ck_assert_str_eq(problems.items[0].message, "no. 0");
    ck_assert_str_eq(problems.items[PROBLEMS_KEPT - 1].message, "no. 99");
    ck_assert_str_eq(problems.items[PROBLEMS_KEPT - 1].hint, "hint 99");
    arena_destroy(arena);
}
END_TEST

START_TEST(a_status_joins_the_problems)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Status status;
    status_fail(&status, STATUS_MACHINE, place_in("disk", 0, 0), "full");
    problems_add_status(&problems, &status);
    ck_assert_int_eq(problems.kept, 1);
    ck_assert_int_eq(problems.items[0].code, STATUS_MACHINE);
    ck_assert_str_eq(problems.items[0].message, "full");
    arena_destroy(arena);
}
END_TEST

START_TEST(merged_problems_are_kept_once_and_all_counted)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Problems more = problems_create(arena);
    problems_add(&problems, STATUS_BAD_INPUT, place_in("a", 1, 1), "wrong");
    problems_add(&more, STATUS_BAD_INPUT, place_in("a", 1, 1), "wrong"); // already in the list
    problems_add(&more, STATUS_BAD_INPUT, place_in("b", 1, 1), "wrong");
    problems_add(&more, STATUS_BAD_INPUT, place_in("a", 1, 2), "wrong");
    problems_add(&more, STATUS_BAD_INPUT, place_in("a", 1, 1), "wronger");
    problems_add(&more, STATUS_BAD_INPUT, place_in(NULL, 0, 0), "wrong");
    status_hint(&more.items[4], "mend it");
    problems_merge(&problems, &more);
    ck_assert_int_eq(problems.count, 5);
    ck_assert_str_eq(problems.items[4].hint, "mend it");
    // 150 more, of which 100 are kept: 5 + 150 are counted.
    Problems many = problems_create(arena);
    for (int i = 0; i < 150; i++)
        problems_add(&many, STATUS_BAD_INPUT, place_in("c", i + 1, 1), "wrong");
    problems_merge(&problems, &many);
    ck_assert_int_eq(problems.count, 155);
    ck_assert_int_eq(problems.kept, PROBLEMS_KEPT);
    arena_destroy(arena);
}
END_TEST

static const char *const keys[] = {"seed",         "start",         "storage", "nodes",
                                   "Standard_NC6", "Standard_NC12", "to"};

static const struct {
    const char *typed;
    const char *meant; /* NULL: no guess */
    const char *why;
} guesses[] = {
    {"seed", "seed", "already a name"},
    {"sed", "seed", "one letter missing: 1 of 4 / 3 = 1"},
    {"seeed", "seed", "one letter too many"},
    {"seet", "seed", "one letter wrong"},
    {"sede", "seed", "two neighbours swapped count once"},
    {"SEED", "seed", "letter case does not count"},
    {"STANDARD_NC6", "Standard_NC6", "letter case does not count"},
    {"standard_nc_6", "Standard_NC6", "1 of 13 / 3 = 4"},
    {"standard_nc13", "Standard_NC12", "NC12 is 1 away, NC6 2"},
    {"stroage", "storage", "swapped"},
    {"NC6", "Standard_NC6", "the end of a name"},
    {"nc12", "Standard_NC12", "letter case does not count"},
    {"dard_NC6", "Standard_NC6", "4 of 12 / 3 = 4"},
    {"C6", NULL, "an end, but not the whole part after a '_'"},
    {"seed of all", "seed", "a name followed by more words"},
    {"seeds of all", NULL, "the first word is not a name"},
    {"sdee", NULL, "2 edits, and 4 / 3 = 1"},
    {"ot", NULL, "1 edit, and 2 / 3 = 0"},
    {"", NULL, "nothing typed"},
    {"colour", NULL, "no name is similar"},
};

START_TEST(a_typing_error_gets_the_nearest_name)
{
    for (int32_t i = 0; i < COUNT_OF(guesses); i++) {
        const char *guess = nearest_name(guesses[i].typed, keys, COUNT_OF(keys));
        if (guesses[i].meant)
            ck_assert_msg(guess && strcmp(guess, guesses[i].meant) == 0, "%s: got %s (%s)",
                          guesses[i].typed, guess ? guess : "none", guesses[i].why);
        else
            ck_assert_msg(!guess, "%s: got %s (%s)", guesses[i].typed, guess, guesses[i].why);
    }
}
END_TEST

START_TEST(the_first_of_equally_near_names_wins)
{
    static const char *const twins[] = {"node1", "node2"};
    ck_assert_str_eq(nearest_name("node3", twins, 2), "node1");
}
END_TEST

START_TEST(names_of_any_length_are_compared_safely)
{
    char name[200] = "";
    for (size_t length = 0; length < sizeof name - 1; length++) {
        const char *const names[] = {name};
        const char *guess = nearest_name(name, names, 1);
        if (length <= 64)
            ck_assert_ptr_eq(guess, name);
        else
            ck_assert_ptr_null(guess);
        name[length] = (char)('a' + length % 26);
    }
}
END_TEST

START_TEST(the_hint_is_the_nearest_name_or_all_names)
{
    static const char *const pair[] = {"resnet50", "vgg16"};
    Status status = {0};
    ck_assert(!status_fail(&status, STATUS_BAD_INPUT, place_in("a", 1, 1), "unknown"));
    ck_assert(!status_hint_names(&status, "resnet5", pair, 2));
    ck_assert_str_eq(status.hint, "did you mean \"resnet50\"?");
    ck_assert(!status_hint_names(&status, "?", pair, 2));
    ck_assert_str_eq(status.hint, "known: resnet50, vgg16");
    // A list of very many names is cut after a whole name.
    const char *many[90];
    for (int32_t i = 0; i < COUNT_OF(many); i++)
        many[i] = "name";
    ck_assert(!status_hint_names(&status, "?", many, COUNT_OF(many)));
    const size_t length = strlen(status.hint);
    ck_assert_uint_lt(length, sizeof status.hint - 1);
    ck_assert_str_eq(status.hint + length - strlen("name, ..."), "name, ...");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("status");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_failure_has_a_code_a_place_a_message_and_a_hint);
    tcase_add_test(tests, a_second_failure_replaces_the_first_and_may_quote_it);
    tcase_add_test(tests, a_long_message_is_cut_at_a_whole_character);
    tcase_add_test(tests, a_message_that_just_fits_is_not_cut);
    tcase_add_test(tests, problems_keep_the_first_hundred_and_count_the_rest);
    tcase_add_test(tests, a_status_joins_the_problems);
    tcase_add_test(tests, merged_problems_are_kept_once_and_all_counted);
    tcase_add_test(tests, a_typing_error_gets_the_nearest_name);
    tcase_add_test(tests, the_first_of_equally_near_names_wins);
    tcase_add_test(tests, names_of_any_length_are_compared_safely);
    tcase_add_test(tests, the_hint_is_the_nearest_name_or_all_names);
    suite_add_tcase(suite, tests);
    return suite;
}
