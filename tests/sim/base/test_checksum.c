#include "sim/base/checksum.h"

#include <string.h>

#include "tests/support/suite.h"

START_TEST(checksums_follow_the_formula)
{
    // Values of the formula in the header, computed with integers of Python.
    static const struct {
        const char *text;
        uint64_t expected;
    } rows[] = {{"", UINT64_C(0xf8bb92c91b3f5cc0)},
                {"a", UINT64_C(0xeb9a3d4fb2ec2c36)},
                {"12345678", UINT64_C(0x9dbd4fd77a37d540)},
                {"123456789", UINT64_C(0x4e8bc8e5c97de134)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_uint_eq(checksum(rows[i].text, strlen(rows[i].text)), rows[i].expected);
}
END_TEST

START_TEST(wide_checksums_follow_the_formula)
{
    static const struct {
        const char *text;
        uint64_t expected;
    } rows[] = {{"", UINT64_C(0x583a5f94919c0d96)},
                {"123456789", UINT64_C(0x865c78d1cca8c631)},
                {"The quick brown fox jumps over the lazy dog, and over 2 more.",
                 UINT64_C(0x0b446db364e01194)}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_uint_eq(checksum_wide(rows[i].text, strlen(rows[i].text)), rows[i].expected);
}
END_TEST

START_TEST(each_bit_changes_the_wide_checksum)
{
    char bytes[100];
    memset(bytes, 'x', sizeof bytes);
    const uint64_t before = checksum_wide(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        ck_assert_uint_ne(checksum_wide(bytes, sizeof bytes), before);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    ck_assert_uint_eq(checksum_wide(bytes, sizeof bytes), before);
}
END_TEST

START_TEST(zeros_at_the_end_and_every_byte_count)
{
    char bytes[40] = {0};
    for (size_t length = 1; length < sizeof bytes; length++) {
        ck_assert_uint_ne(checksum(bytes, length), checksum(bytes, length - 1));
        const uint64_t before = checksum(bytes, sizeof bytes);
        bytes[length] = 1;
        ck_assert_uint_ne(checksum(bytes, sizeof bytes), before);
        bytes[length] = 0;
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tests = tcase_create("checksum");
    tcase_add_test(tests, checksums_follow_the_formula);
    tcase_add_test(tests, wide_checksums_follow_the_formula);
    tcase_add_test(tests, each_bit_changes_the_wide_checksum);
    tcase_add_test(tests, zeros_at_the_end_and_every_byte_count);
    suite_add_tcase(suite, tests);
    return suite;
}
