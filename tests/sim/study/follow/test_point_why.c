#include "sim/study/follow/point_why.h"

#include "tests/support/suite.h"

START_TEST(each_wait_but_the_delay_of_the_service_belongs_to_a_limit_of_jobs)
{
    ck_assert_int_eq(bound_of_wait(WAIT_SERVICE), BOUND_COUNT);
    for (int cause = WAIT_SERVICE + 1; cause < WAIT_CAUSE_COUNT; cause++) {
        const Bound bound = bound_of_wait((WaitCause)cause);
        ck_assert_msg(bound < BOUND_COUNT && bound_is_of_jobs(bound), "%s",
                      wait_cause_name((WaitCause)cause));
    }
}
END_TEST

START_TEST(what_a_node_lacks_is_not_the_number_of_nodes)
{
    ck_assert_str_eq(bound_name(bound_of_wait(WAIT_CORES)), "cores");
    ck_assert_str_eq(bound_name(bound_of_wait(WAIT_MEMORY)), "memory");
    ck_assert_str_eq(bound_name(bound_of_wait(WAIT_NOTICE)), "precedence");
    ck_assert_str_eq(bound_name(bound_of_wait(WAIT_MAXIMUM)), "maximum");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("point_why");
    TCase *tests = tcase_create("point_why");
    tcase_add_test(tests, each_wait_but_the_delay_of_the_service_belongs_to_a_limit_of_jobs);
    tcase_add_test(tests, what_a_node_lacks_is_not_the_number_of_nodes);
    suite_add_tcase(suite, tests);
    return suite;
}
