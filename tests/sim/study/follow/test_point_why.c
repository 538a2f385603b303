#include "sim/study/follow/point_why.h"

#include <math.h>

#include "sim/study/follow/follow_text.h"
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

/* A hundredth of the bill or of the jobs is worth a sentence, less is not. */
START_TEST(lost_work_and_jobs_that_do_not_end_are_named_from_a_hundredth_on)
{
    Arena *arena = arena_create();
    PointWhy why = {.run_count = 1, .node_usd = 1000, .jobs = 800, .failed = 3, .unfinished = 4};
    why.use_usd[USE_LOST] = 9;
    ck_assert_str_eq(follow_losses_words(arena, &why), "");
    why.unfinished = 5;
    ck_assert_str_eq(follow_losses_words(arena, &why),
                     "3 of the 800 jobs of a run failed, and 5 had not ended when it ended.");
    why.use_usd[USE_LOST] = 120;
    ck_assert_str_eq(follow_losses_words(arena, &why),
                     "120 USD (12 %) are for work that was lost and done again. 3 of the 800 jobs "
                     "of a run failed, and 5 had not ended when it ended.");
    why.failed = why.use_usd[USE_LOST] = NAN; // not known
    ck_assert_str_eq(follow_losses_words(arena, &why), "");
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("point_why");
    TCase *tests = tcase_create("point_why");
    tcase_add_test(tests, each_wait_but_the_delay_of_the_service_belongs_to_a_limit_of_jobs);
    tcase_add_test(tests, what_a_node_lacks_is_not_the_number_of_nodes);
    tcase_add_test(tests, lost_work_and_jobs_that_do_not_end_are_named_from_a_hundredth_on);
    suite_add_tcase(suite, tests);
    return suite;
}
