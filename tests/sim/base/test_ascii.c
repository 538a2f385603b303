#include "sim/base/ascii.h"
#include "tests/support/suite.h"

START_TEST(letter_case_is_ignored_for_ascii_letters_only)
{
    ck_assert(ascii_same("", ""));
    ck_assert(ascii_same("Content-Type", "content-tYPE"));
    ck_assert(!ascii_same("nc6", "nc"));
    ck_assert(!ascii_same("nc", "nc6"));
    ck_assert(!ascii_same("@[`{", "`{@["));         // the neighbours of the letters
    ck_assert(!ascii_same("\xc3\x84", "\xc3\xa4")); // A and a with two dots, as UTF-8
}
END_TEST

START_TEST(comparison_stops_at_the_length_or_at_a_common_end)
{
    ck_assert(ascii_same_start("HTTPS://x", "https://y", 8));
    ck_assert(!ascii_same_start("HTTPS://x", "https://y", 9));
    ck_assert(ascii_same_start("a", "b", 0));
    ck_assert(ascii_same_start("Ab", "aB", 9));
    ck_assert(!ascii_same_start("Ab", "aBc", 3));
    ck_assert(!ascii_same_start("Abc", "aB", 3));
    ck_assert(ascii_same_start("Ab", "aBc", 2));
}
END_TEST

START_TEST(only_ascii_digits_are_digits)
{
    for (int c = -128; c < 128; c++)
        ck_assert_int_eq(ascii_is_digit((char)c), c >= 48 && c <= 57);
    ck_assert_int_eq(ascii_hex_value('f'), 15);
    ck_assert_int_eq(ascii_hex_value('A'), 10);
    ck_assert_int_eq(ascii_hex_value('g'), -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ascii");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, letter_case_is_ignored_for_ascii_letters_only);
    tcase_add_test(tests, comparison_stops_at_the_length_or_at_a_common_end);
    tcase_add_test(tests, only_ascii_digits_are_digits);
    suite_add_tcase(suite, tests);
    return suite;
}
