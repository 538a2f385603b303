/* emu/files/range.h: one form of range. */
#include <check.h>

#include "emu/files/range.h"
#include "tests/support/suite.h"

START_TEST(a_range_has_a_first_byte_and_may_have_a_last)
{
    static const struct {
        const char *text;
        int64_t first, last;
    } rows[] = {{"bytes=0-0", 0, 0},
                {"bytes=0-", 0, INT64_MAX},
                {"bytes=512-1023", 512, 1023},
                {"bytes=9223372036854775807-9223372036854775807", INT64_MAX, INT64_MAX},
                {"bytes=007-08", 7, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FilesRange range;
        ck_assert_msg(files_range_parse(rows[i].text, &range), "%s", rows[i].text);
        ck_assert_int_eq(range.first, rows[i].first);
        ck_assert_int_eq(range.last, rows[i].last);
    }
}
END_TEST

START_TEST(no_other_form_is_a_range)
{
    static const char *const bad[] = {"",
                                      "bytes",
                                      "bytes=",
                                      "bytes=-",
                                      "bytes=-5",
                                      "bytes=5",
                                      "bytes=5-4",
                                      "bytes=0-1,3-4",
                                      "bytes= 0-1",
                                      "bytes=0-1 ",
                                      "Bytes=0-1",
                                      "lines=0-1",
                                      "bytes=a-b",
                                      "bytes=0x1-2",
                                      "bytes=+1-2",
                                      "bytes=9223372036854775808-",
                                      "bytes=0-99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FilesRange range;
        ck_assert_msg(!files_range_parse(bad[i], &range), "%s", bad[i]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_range");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_range_has_a_first_byte_and_may_have_a_last);
    tcase_add_test(tests, no_other_form_is_a_range);
    suite_add_tcase(suite, tests);
    return suite;
}
