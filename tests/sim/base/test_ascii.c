#include "sim/base/ascii.h"
#include "tests/support/suite.h"

START_TEST(names_are_the_same_in_large_and_small_letters_of_ascii_alone)
{
    ck_assert(ascii_same("", ""));
    ck_assert(ascii_same("Content-Type", "content-tYPE"));
    ck_assert(!ascii_same("nc6", "nc"));
    ck_assert(!ascii_same("nc", "nc6"));
    ck_assert(!ascii_same("@[`{", "`{@["));         // beside the letters
    ck_assert(!ascii_same("\xc3\x84", "\xc3\xa4")); // A and a with two dots, as UTF-8
}
END_TEST

START_TEST(starts_are_the_same_up_to_a_length_or_to_an_end_that_both_have)
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

START_TEST(digits_are_those_of_ascii)
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
    tcase_add_test(tests, names_are_the_same_in_large_and_small_letters_of_ascii_alone);
    tcase_add_test(tests, starts_are_the_same_up_to_a_length_or_to_an_end_that_both_have);
    tcase_add_test(tests, digits_are_those_of_ascii);
    suite_add_tcase(suite, tests);
    return suite;
}
