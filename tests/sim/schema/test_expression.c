#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/schema/expression.h"
#include "tests/support/suite.h"

static const ExpressionVariable variables[] = {
    {"ranks", 4, 1},         {"nodes", 2, 1},  {"gpus_per_node", 2, 1},
    {"samples", 50000, 1},   {"batch", 32, 1}, {"most", INT64_MAX, 1},
    {"least", INT64_MIN, 1}, {"debt", -7, 1},  {"half", 50, 100},
};
#define VARIABLE_COUNT (int32_t)(sizeof variables / sizeof variables[0])

// The formula is in line 3 of the file, and its first character is in column 11.
static Place formula_place(void)
{
    return place_in("scenario.json", 3, 11);
}

START_TEST(formulas_have_exact_values)
{
    static const struct {
        const char *text;
        int64_t numerator, denominator;
    } rows[] = {
        {"100", 100, 1},
        {"0.5", 1, 2},
        {"1.250", 5, 4},
        {"ceil(100/ranks)", 25, 1},
        {"ceil(100/3)", 34, 1}, // 33 1/3
        {"floor(100/3)", 33, 1},
        {"ceil(samples/batch)", 1563, 1},   // 1562.5
        {"ceil(100/(ranks*nodes))", 13, 1}, // 12.5
        {"samples/batch", 3125, 2},
        {"1/3+1/6", 1, 2},
        {"1/3*3", 1, 1}, // binary fractions would not give exactly 1
        {"2+3*4", 14, 1},
        {"(2+3)*4", 20, 1},
        {"2-3-4", -5, 1}, // from the left
        {"24/4/2", 3, 1},
        {"24/(4/2)", 12, 1},
        {"-2*-3", 6, 1},
        {"2--3", 5, 1},
        {"--2", 2, 1},
        {"floor(-1/2)", -1, 1},
        {"ceil(-1/2)", 0, 1},
        {"floor(-2)", -2, 1},
        {"debt/2", -7, 2},
        {"1/debt", -1, 7},
        {"min(3, 1/2, 7)", 1, 2},
        {"max(3, 1/2, 7)", 7, 1},
        {"max(2)", 2, 1},
        {"half", 1, 2},
        {"half*ranks", 2, 1},
        {"min(max(ranks,8),6)", 6, 1},
        {" 1 +  ( ranks ) ", 5, 1},
        {"most", INT64_MAX, 1},
        {"most/most", 1, 1}, // reduced before multiplying
        {"most*2/2", 0, 0},  // most*2 is too large
        {"most/2*2", INT64_MAX, 1},
        {"9223372036854775807", INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Status status = {0};
        Fraction value = {0, 0};
        bool has_value = expression_evaluate(rows[i].text, variables, VARIABLE_COUNT,
                                             formula_place(), &value, &status);
        ck_assert_msg(has_value == (rows[i].denominator != 0), "%s: %s", rows[i].text,
                      status.message);
        if (has_value)
            ck_assert_msg(
                value.numerator == rows[i].numerator && value.denominator == rows[i].denominator,
                "%s is %" PRId64 "/%" PRId64, rows[i].text, value.numerator, value.denominator);
    }
}
END_TEST

START_TEST(invalid_formulas_are_refused_at_the_position_of_the_mistake)
{
    static const struct {
        const char *text;
        int32_t column; // of the problem; the formula begins at 11
        const char *message;
    } rows[] = {
        {"", 11, "a number or a name is missing"},
        {"  ", 13, "a number or a name is missing"},
        {"100/", 15, "a number or a name is missing"},
        {"100/0", 14, "division by zero"},
        {"1/(ranks-4)", 12, "division by zero"},
        {"1/0*0", 12, "division by zero"},
        {"ceil(100/rank)", 20, "unknown name \"rank\""},
        {"Ranks", 11, "unknown name \"Ranks\""},
        {"ceil 3", 16, "\"(\" is missing"},
        {"ceil(3", 17, "\")\" is missing"},
        {"ceil(1,2)", 17, "\")\" is missing"},
        {"(1+2", 15, "\")\" is missing"},
        {"1+2)", 14, "an unexpected character"},
        {"1 2", 13, "an unexpected character"},
        {"2^3", 12, "an unexpected character"},
        {"1e3", 12, "an unexpected character"},
        {"+1", 11, "a number or a name is missing"},
        {"1.", 13, "a digit is missing after the point"},
        {"1.2.3", 14, "an unexpected character"},
        {".5", 11, "a number or a name is missing"},
        {"9223372036854775808", 11, "a number too large"},
        {"most+1", 15, "a number too large"},
        {"-most-1", 16, "a number too large"},
        {"most*most", 15, "a number too large"},
        {"1/most+1/(most-1)", 17, "a number too large"},
        {"least", 11, "a number too large"},
        {"min(1/most, 1/(most-1))", 11, "a number too large"},
        {"\xc3\xa9", 11, "a number or a name is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Status status = {0};
        Fraction value;
        ck_assert_msg(!expression_evaluate(rows[i].text, variables, VARIABLE_COUNT, formula_place(),
                                           &value, &status),
                      "%s has a value", rows[i].text);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(strstr(status.message, rows[i].message) != NULL, "%s: %s", rows[i].text,
                      status.message);
        ck_assert_str_eq(status.at.source, "scenario.json");
        ck_assert_int_eq(status.at.line, 3);
        ck_assert_msg(status.at.column == rows[i].column, "%s: column %d", rows[i].text,
                      (int)status.at.column);
    }
}
END_TEST

START_TEST(a_misspelt_name_gets_a_hint)
{
    Status status = {0};
    Fraction value;
    ck_assert(!expression_evaluate("100/rnaks", variables, VARIABLE_COUNT, formula_place(), &value,
                                   &status));
    ck_assert_str_eq(status.hint, "did you mean \"ranks\"?");
}
END_TEST

START_TEST(nesting_is_bounded)
{
    char text[2 * EXPRESSION_DEPTH_MAX + 4];
    for (int depth = EXPRESSION_DEPTH_MAX - 1; depth <= EXPRESSION_DEPTH_MAX; depth++) {
        // `depth` parentheses around one number; the number is one more level.
        memset(text, '(', (size_t)depth);
        text[depth] = '1';
        memset(text + depth + 1, ')', (size_t)depth);
        text[2 * depth + 1] = '\0';
        Status status = {0};
        Fraction value;
        bool has_value = expression_evaluate(text, NULL, 0, formula_place(), &value, &status);
        ck_assert_int_eq(has_value, depth < EXPRESSION_DEPTH_MAX);
    }
}
END_TEST

START_TEST(long_chains_do_not_count_as_nesting)
{
    char text[4001];
    for (int i = 0; i < 4000; i += 2)
        memcpy(text + i, "1+", 2);
    text[3999] = '\0'; // 1+1+...+1: 2000 ones
    Status status = {0};
    int64_t value;
    ck_assert(expression_evaluate_whole(text, NULL, 0, formula_place(), &value, &status));
    ck_assert_int_eq(value, 2000);
}
END_TEST

START_TEST(a_fraction_is_refused_where_a_whole_number_is_needed)
{
    Status status = {0};
    int64_t value;
    ck_assert(expression_evaluate_whole("samples/(batch*nodes)*2*nodes", variables, VARIABLE_COUNT,
                                        formula_place(), &value, &status));
    ck_assert_int_eq(value, 3125); // 50000 / 64 * 4
    ck_assert(!expression_evaluate_whole("samples/batch", variables, VARIABLE_COUNT,
                                         formula_place(), &value, &status));
    ck_assert_str_eq(status.message, "\"samples/batch\" is 3125/2, not a whole number");
    ck_assert_str_eq(status.hint, "use ceil(...) or floor(...)");
}
END_TEST

START_TEST(floor_and_ceil_agree_with_integer_division)
{
    for (int64_t a = -40; a <= 40; a++) {
        for (int64_t b = 1; b <= 13; b++) {
            const ExpressionVariable pair[] = {{"a", a, 1}, {"b", b, 1}};
            int64_t low, high;
            Status status = {0};
            ck_assert(
                expression_evaluate_whole("floor(a/b)", pair, 2, formula_place(), &low, &status));
            ck_assert(
                expression_evaluate_whole("ceil(a/b)", pair, 2, formula_place(), &high, &status));
            // low is the only whole number with low * b <= a < (low + 1) * b.
            ck_assert_msg(low * b <= a && a < (low + 1) * b, "floor(%d/%d)", (int)a, (int)b);
            ck_assert_int_eq(high, low + (low * b != a));
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("expression");
    TCase *cases = tcase_create("expression");
    tcase_add_test(cases, formulas_have_exact_values);
    tcase_add_test(cases, invalid_formulas_are_refused_at_the_position_of_the_mistake);
    tcase_add_test(cases, a_misspelt_name_gets_a_hint);
    tcase_add_test(cases, nesting_is_bounded);
    tcase_add_test(cases, long_chains_do_not_count_as_nesting);
    tcase_add_test(cases, a_fraction_is_refused_where_a_whole_number_is_needed);
    tcase_add_test(cases, floor_and_ceil_agree_with_integer_division);
    suite_add_tcase(suite, cases);
    return suite;
}
