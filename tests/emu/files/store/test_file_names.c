/* emu/files/store/file_names.h: which names there may be on a share, and which are the same. */
#include "emu/files/store/file_names.h"

#include <check.h>
#include <string.h>

#include "tests/support/suite.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static bool is_path(const char *path)
{
    FileName *names;
    int32_t count;
    return file_path_split(arena, path, &names, &count);
}

START_TEST(a_path_is_split_and_its_names_folded)
{
    FileName *names;
    int32_t count;
    ck_assert(file_path_split(arena, "Cifar//logs../St\xc3\xa4nde.TXT", &names, &count));
    ck_assert_int_eq(count, 3);
    ck_assert_str_eq(names[0].name, "Cifar");
    ck_assert_str_eq(names[1].name, "logs..");
    ck_assert_str_eq(names[2].folded, "ST\xc3\x84NDE.TXT");
    ck_assert(file_path_split(arena, "", &names, &count));
    ck_assert_int_eq(count, 0);
}
END_TEST

START_TEST(dots_at_the_ends_of_names_are_dropped_but_lead_nowhere)
{
    static const char *const rows[][2] = {
        {"a.", "a"},        {"a../b.c./d", "a/b.c/d"},
        {".a", ".a"},       {"a//b.", "a//b"},
        {"a/./b", "a/./b"}, // dots alone stay, and are refused
        {"..", ".."},       {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_str_eq(file_path_without_dots(arena, rows[i][0]), rows[i][1]);
}
END_TEST

START_TEST(names_that_differ_in_case_alone_are_the_same)
{
    static const char *const pairs[][2] = {
        {"a.txt", "A.TXT"},           {"\xc3\xbc", "\xc3\x9c"}, // u umlaut
        {"\xce\xa3", "\xcf\x83"},                               // Greek sigma
        {"\xd0\xb6", "\xd0\x96"},                               // Cyrillic zhe
        {"\xc9\x90", "\xe2\xb1\xaf"},                           // the upper case has a byte more
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        ck_assert_str_eq(file_name_fold(arena, pairs[i][0]), file_name_fold(arena, pairs[i][1]));
    // Character by character: a sharp s is not two of them.
    ck_assert_str_ne(file_name_fold(arena, "\xc3\x9f"), file_name_fold(arena, "ss"));
}
END_TEST

START_TEST(invalid_utf_8_stays_unchanged)
{
    ck_assert_str_eq(file_name_fold(arena, "a\xff\xc3"), "A\xff\xc3");
}
END_TEST

START_TEST(names_that_the_service_refuses_are_refused)
{
    static const char *const bad[] = {
        ".",
        "..",
        "...",
        "a/..",
        "../a",
        "a/./b",
        "a\"b",
        "a\\b",
        "a:b",
        "a|b",
        "a<b",
        "a>b",
        "a*b",
        "a?b",
        "a\nb",
        "\x7f",
        "a\xc2\x81z", // a control character of two bytes
        "nul",
        "CON",
        "a/aux",
        "com1",
        "LPT9",
        "clock$",
        "nul.",
        "com1..",
        "\xff",
        "\xc3",
        "\xed\xa0\x80",     // no UTF-8; a surrogate
        "\xc0\xae\xc0\xae", // overlong dots
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!is_path(bad[i]), "%s", bad[i]);
    static const char *const good[] = {"a",
                                       ".a",
                                       "..a",
                                       "a b",
                                       "com0",
                                       "com10",
                                       "com1.txt",
                                       "nul1",
                                       "\xf0\x9f\x9a\x82",
                                       "%2e%2e",
                                       "~",
                                       "$MFT",
                                       "{}",
                                       "\xef\xbf\xbf",
                                       "a."};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(is_path(good[i]), "%s", good[i]);
}
END_TEST

static const char *repeated(const char *text, int count)
{
    char *all = arena_alloc(arena, strlen(text) * (size_t)count + 1);
    for (int i = 0; i < count; i++)
        memcpy(all + strlen(text) * (size_t)i, text, strlen(text));
    return all;
}

START_TEST(names_and_paths_are_as_long_as_ntfs_counts)
{
    ck_assert(is_path(repeated("a", 255)));
    ck_assert(!is_path(repeated("a", 256)));
    ck_assert(is_path(repeated("\xc3\xbc", 255)));
    ck_assert(is_path(repeated("\xf0\x9f\x9a\x82", 127))); // two units each
    ck_assert(!is_path(repeated("\xf0\x9f\x9a\x82", 128)));
    ck_assert(is_path(repeated("a/", 250)));
    ck_assert(!is_path(repeated("a/", 251)));
    // 2,048 characters, slashes between names included: 8 * 228 + 224 = 2,048.
    const char *part = arena_printf(arena, "%s/", repeated("a", 227));
    ck_assert(is_path(arena_printf(arena, "%s%s", repeated(part, 8), repeated("a", 224))));
    ck_assert(!is_path(arena_printf(arena, "%s%s", repeated(part, 8), repeated("a", 225))));
}
END_TEST

START_TEST(shares_have_small_letters_digits_and_single_hyphens)
{
    static const char *const good[] = {"abc", "a-b", "0-9", "batchaishare"};
    static const char *const bad[] = {"",     "ab",  "Abc", "-ab", "ab-",
                                      "a--b", "a_b", "a.b", "a/b", "\xc3\xbczz"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(share_name_is_valid(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!share_name_is_valid(bad[i]), "%s", bad[i]);
    ck_assert(share_name_is_valid(repeated("a", 63)));
    ck_assert(!share_name_is_valid(repeated("a", 64)));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_names");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_path_is_split_and_its_names_folded);
    tcase_add_test(tests, dots_at_the_ends_of_names_are_dropped_but_lead_nowhere);
    tcase_add_test(tests, names_that_differ_in_case_alone_are_the_same);
    tcase_add_test(tests, invalid_utf_8_stays_unchanged);
    tcase_add_test(tests, names_that_the_service_refuses_are_refused);
    tcase_add_test(tests, names_and_paths_are_as_long_as_ntfs_counts);
    tcase_add_test(tests, shares_have_small_letters_digits_and_single_hyphens);
    suite_add_tcase(suite, tests);
    return suite;
}
