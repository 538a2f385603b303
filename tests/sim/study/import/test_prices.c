#include "sim/study/import/prices.h"

#include <string.h>

#include "tests/support/suite.h"

static Arena *arena;
static const int64_t most = INT64_C(1000000000000);

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

START_TEST(terms_are_added_to_the_price_of_an_hour)
{
    static const struct {
        const char *text;
        int64_t node, gpu; /* micro-USD */
    } rows[] = {
        {"27.20USD", 27200000, 0},
        {"3.40USD/gpu", 0, 3400000},
        {"310000USD/4y", 8847032, 0}, // 310,000 / (4 * 365 * 24) = 8.847032 USD
        {"8760USD/365d", 1000000, 0},
        {"9.2kW*0.12USD", 1104000, 0},
        {"310000USD/4y + 9.2kW*0.12USD", 9951032, 0},
        {"1USD+0.5USD/gpu+1kW*1USD", 2000000, 500000},
        {"0USD", 0, 0},
        {"1USD/2.5y", 46, 0}, // 45.66 millionths
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ImportPrice price;
        Status status;
        ck_assert_msg(import_price_parse(arena, rows[i].text, (Place){0}, most, &price, &status),
                      "%s", rows[i].text);
        ck_assert(price.is_known);
        ck_assert_msg(price.node_micro_usd_per_hour == rows[i].node, "%s", rows[i].text);
        ck_assert_msg(price.gpu_micro_usd_per_hour == rows[i].gpu, "%s", rows[i].text);
        ck_assert_msg((price.words != NULL) == (strpbrk(rows[i].text, "+*/") != NULL), "%s",
                      rows[i].text);
    }
}
END_TEST

START_TEST(other_texts_are_refused)
{
    static const char *const texts[] = {"",
                                        "5",
                                        "USD",
                                        "-1USD",
                                        "1USD+",
                                        "+1USD",
                                        "1USD/0y",
                                        "1USD/0s",
                                        "1USD/y",
                                        "1USD/4",
                                        "xkW*1USD",
                                        "1kW*",
                                        "1kW*1",
                                        "1USD/gpu/4y",
                                        "-1kW*1USD",
                                        "1EUR",
                                        "1USD/gpux",
                                        "1000001USD",
                                        "900000USD+900000USD",
                                        "1000001USD/gpu",
                                        "99999999999999999999USD/4y"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ImportPrice price;
        Status status = {0};
        ck_assert_msg(!import_price_parse(arena, texts[i], (Place){0}, most, &price, &status), "%s",
                      texts[i]);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("prices");
    TCase *tests = tcase_create("prices");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, terms_are_added_to_the_price_of_an_hour);
    tcase_add_test(tests, other_texts_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
