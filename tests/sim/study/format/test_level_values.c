#include "sim/study/format/level_values.h"

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

static const Json *value(const char *text)
{
    Problems problems = problems_create(arena);
    const Json *json = json_parse(arena, "test", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(json != NULL, "%s", text);
    return json;
}

static const struct {
    const char *own, *factor, *product; /* NULL: refused */
} products[] = {
    {"4", "1.5", "6"},
    {"\"6/h\"", "1.25", "7.5/h"},
    {"\"12m\"", "0.5", "6m"},
    {"0.1", "3", "0.3"}, // exact: in binary it is 0.30000000000000004
    {"\"28.571/day\"", "1.001", "28.599571/day"},
    {"\"1h30m\"", "2", NULL}, // two numbers
    {"\"fast\"", "2", NULL},
    {"true", "2", NULL},
    {"\"200/7d\"", "2", NULL},
    {"1e9", "2", NULL},
};

START_TEST(multiples_are_exact)
{
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        const Json *product = value_times(arena, value(products[i].own), value(products[i].factor));
        ck_assert_msg((product == NULL) == (products[i].product == NULL), "%s x %s",
                      products[i].own, products[i].factor);
        if (product != NULL)
            ck_assert_str_eq(product->text, products[i].product);
    }
}
END_TEST

static const struct {
    const char *ends;
    Spacing spacing;
    const char *low, *middle, *high; /* NULL: refused */
} spans[] = {
    {"[1, 9]", SPACING_LINEAR, "1", "5", "9"},
    {"[1, 9]", SPACING_LOG, "1", "3", "9"},
    {"[0.5, 1]", SPACING_LINEAR, "0.5", "0.75", "1"},
    {"[\"5m\", \"80m\"]", SPACING_LOG, "300s", "1200s", "4800s"},
    {"[\"1s\", \"2s\"]", SPACING_LINEAR, "1s", "1.5s", "2s"},
    {"[\"1KiB\", \"3KiB\"]", SPACING_LINEAR, "1024B", "2048B", "3072B"},
    {"[9, 1]", SPACING_LINEAR, NULL, NULL, NULL},
    {"[0, 1]", SPACING_LOG, NULL, NULL, NULL},
    {"[1, \"5m\"]", SPACING_LINEAR, NULL, NULL, NULL},
    {"[1, 2, 3]", SPACING_LINEAR, NULL, NULL, NULL},
};

START_TEST(spans_have_the_unit_of_their_ends)
{
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        ValueSpan span;
        Status status;
        const bool is_read =
            value_span_read(value(spans[i].ends), spans[i].spacing, &span, &status);
        ck_assert_msg(is_read == (spans[i].low != NULL), "%s", spans[i].ends);
        const char *const wanted[] = {spans[i].low, spans[i].middle, spans[i].high};
        for (int k = 0; is_read && k < 3; k++) {
            const double at = value_span_at(&span, k / 2.0);
            ck_assert_str_eq(value_span_json(arena, &span, at)->text, wanted[k]);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("level_values");
    TCase *tests = tcase_create("level_values");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, multiples_are_exact);
    tcase_add_test(tests, spans_have_the_unit_of_their_ends);
    suite_add_tcase(suite, tests);
    return suite;
}
