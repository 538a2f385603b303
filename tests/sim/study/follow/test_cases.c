#include "sim/study/follow/cases.h"

#include <math.h>

#include "tests/support/suite.h"

START_TEST(a_limit_is_judged_by_the_ends_of_the_interval)
{
    static const struct {
        LimitSide side;
        double low, high;
        LimitVerdict verdict;
    } rows[] = {
        {LIMIT_AT_LEAST, .91, .95, LIMIT_HOLDS},
        {LIMIT_AT_LEAST, .9, .9, LIMIT_HOLDS},
        {LIMIT_AT_LEAST, .85, .95, LIMIT_OPEN},
        {LIMIT_AT_LEAST, .7, .8, LIMIT_MISSED},
        {LIMIT_AT_MOST, .7, .8, LIMIT_HOLDS},
        {LIMIT_AT_MOST, .85, .95, LIMIT_OPEN},
        {LIMIT_AT_MOST, .91, .95, LIMIT_MISSED},
        {LIMIT_AT_LEAST, .91, (double)NAN, LIMIT_UNKNOWN},
        {LIMIT_AT_LEAST, (double)NAN, (double)NAN, LIMIT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const GoalConstraint constraint = {.side = rows[i].side, .limit = .9};
        ck_assert_msg(limit_verdict(&constraint, rows[i].low, rows[i].high) == rows[i].verdict,
                      "row %d", (int)i);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cases");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_limit_is_judged_by_the_ends_of_the_interval);
    suite_add_tcase(suite, tests);
    return suite;
}
