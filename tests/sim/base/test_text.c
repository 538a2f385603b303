#include <string.h>

#include "sim/base/text.h"
#include "tests/support/suite.h"

START_TEST(a_fresh_text_is_empty)
{
    Text text = {0};
    ck_assert_str_eq(text_string(&text), "");
    text_free(&text);
}
END_TEST

START_TEST(appended_pieces_are_joined)
{
    Text text = {0};
    text_add(&text, "nodes ");
    text_append(&text, "idle and more", 4);
    text_printf(&text, " %d of %s", 3, "four");
    ck_assert_str_eq(text_string(&text), "nodes idle 3 of four");
    ck_assert_uint_eq(text.length, strlen("nodes idle 3 of four"));
    text_free(&text);
}
END_TEST

START_TEST(zero_bytes_are_kept)
{
    Text text = {0};
    text_append(&text, "a\0b", 3);
    ck_assert_uint_eq(text.length, 3);
    ck_assert_mem_eq(text_string(&text), "a\0b", 4);
    text_free(&text);
}
END_TEST

START_TEST(a_text_grows_by_any_step)
{
    for (int step = 1; step < 700; step += 23) {
        Text text = {0};
        for (int i = 0; i < 100; i++)
            text_printf(&text, "%0*d", step, i);
        ck_assert_uint_eq(text.length,
                          100 * (size_t)step + (step == 1 ? 90 : 0)); // 10..99 take two digits
        ck_assert_uint_eq(strlen(text_string(&text)), text.length);
        text_free(&text);
    }
}
END_TEST

START_TEST(a_cleared_text_keeps_its_memory_and_a_freed_one_starts_anew)
{
    Text text = {0};
    text_add(&text, "old");
    const char *memory = text.data;
    text_clear(&text);
    ck_assert_str_eq(text_string(&text), "");
    text_add(&text, "new");
    ck_assert_ptr_eq(text.data, memory);
    text_free(&text);
    ck_assert_ptr_null(text.data);
    text_add(&text, "again");
    ck_assert_str_eq(text_string(&text), "again");
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_fresh_text_is_empty);
    tcase_add_test(tests, appended_pieces_are_joined);
    tcase_add_test(tests, zero_bytes_are_kept);
    tcase_add_test(tests, a_text_grows_by_any_step);
    tcase_add_test(tests, a_cleared_text_keeps_its_memory_and_a_freed_one_starts_anew);
    suite_add_tcase(suite, tests);
    return suite;
}
