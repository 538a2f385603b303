#include <signal.h>

#include "sim/base/invariant.h"
#include "tests/support/suite.h"

START_TEST(a_true_invariant_has_no_effect)
{
    int evaluated = 0;
    invariant(++evaluated > 0);
    ck_assert_int_eq(evaluated, 1);
}
END_TEST

START_TEST(a_false_invariant_aborts)
{
    invariant(1 > 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("invariant");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_true_invariant_has_no_effect);
    tcase_add_test_raise_signal(tests, a_false_invariant_aborts, SIGABRT);
    suite_add_tcase(suite, tests);
    return suite;
}
