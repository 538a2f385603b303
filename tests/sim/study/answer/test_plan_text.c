#include "sim/study/answer/plan_text.h"

#include <string.h>

#include "tests/support/plan_fixture.h"
#include "tests/support/suite.h"

static const char doubt[] =
    "A better value may be of a worse candidate: candidates are compared by "
    "the seeds that both have.\n";

/* The text of a plan whose second candidate costs `cost`, and is worse than the third. */
static const char *text_of(double cost)
{
    MadeStudy made = three_nodes();
    made.cost[1] = cost;
    const StudyOutcome *study = made_outcome(&made);
    PlanRun run = {
        .sweep = {.study = study->findings.study, .findings = study->findings, .thread_count = 1},
        .outcome = *made_plan(arena, study, study->findings.study->goal)};
    PlanCandidate *candidates = ARENA_ARRAY(arena, PlanCandidate, 3);
    memcpy(candidates, run.outcome.candidates, 3 * sizeof *candidates);
    candidates[1].state = CANDIDATE_WORSE;
    candidates[2].state = CANDIDATE_WINNER;
    run.outcome.candidates = candidates;
    run.outcome.winner = 2;
    run.outcome.next_best = 1;
    Text out = {0};
    plan_text_result(&run, &out);
    return text_move(arena, &out);
}

START_TEST(a_row_that_looks_better_than_the_recommendation_is_explained)
{
    ck_assert_ptr_nonnull(strstr(text_of(1), doubt));
    ck_assert_ptr_null(strstr(text_of(1000), doubt));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_text");
    TCase *tests = tcase_create("table");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_row_that_looks_better_than_the_recommendation_is_explained);
    suite_add_tcase(suite, tests);
    return suite;
}
