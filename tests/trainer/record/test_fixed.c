#include "trainer/record/fixed.h"

#include "tests/support/suite.h"

START_TEST(a_number_has_just_so_many_decimals)
{
    static const struct {
        double value;
        int32_t decimals;
        const char *expected;
    } rows[] = {
        {0, 3, "0.000"},
        {0.0625, 3, "0.063"},
        {1.9996, 3, "2.000"},
        {12.345678, 6, "12.345678"},
        {0.0001, 9, "0.000100000"},
        {99999999999.5, 1, "99999999999.5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Arena *arena = arena_create();
        Text text = {0}, json = {0};
        fixed_print(&text, rows[i].value, rows[i].decimals);
        json_print(&json, fixed_json(arena, rows[i].value, rows[i].decimals), JSON_COMPACT);
        ck_assert_str_eq(text_string(&text), rows[i].expected);
        ck_assert_str_eq(text_string(&json), rows[i].expected);
        text_free(&text);
        text_free(&json);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fixed");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_number_has_just_so_many_decimals);
    suite_add_tcase(suite, tests);
    return suite;
}
