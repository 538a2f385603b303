#include "real/compare/measured.h"

#include "sim/base/philox.h"
#include "tests/real/compare/timelines.h"
#include "tests/support/suite.h"

static Arena *arena;
static Rows ranks[2];

static void begin(void)
{
    arena = arena_create();
    rows_begin(&ranks[0], 0, 2);
    rows_begin(&ranks[1], 1, 2);
}

static void end(void)
{
    arena_destroy(arena);
}

static MeasuredRun run_of(int32_t count)
{
    const TimelineFile files[] = {ranks[0].file, ranks[1].file};
    return measured_run(arena, files, count);
}

static void ck_spent(const MeasuredStep *step, Spent spent, int64_t expected_ns)
{
    ck_assert_msg(step->spent_ns[spent] == expected_ns, "%s took %lld ns, expected %lld",
                  spent_names[spent], (long long)step->spent_ns[spent], (long long)expected_ns);
}

START_TEST(each_phase_of_one_rank_is_its_own)
{
    rows_add(&ranks[0], 0, PHASE_LOAD, 100, 110);
    rows_add(&ranks[0], 0, PHASE_AUGMENT, 110, 115);
    rows_add(&ranks[0], 0, PHASE_FORWARD, 115, 150);
    rows_add(&ranks[0], 0, PHASE_BACKWARD, 150, 240);
    rows_add(&ranks[0], 0, PHASE_UPDATE, 245, 250);
    const MeasuredRun run = run_of(1);
    ck_assert_int_eq(run.step_count, 1);
    const MeasuredStep *step = &run.steps[0][0];
    ck_assert_int_eq(step->begin_ns, 100);
    ck_assert_int_eq(step->end_ns, 250);
    ck_spent(step, SPENT_LOAD, 10);
    ck_spent(step, SPENT_AUGMENT, 5);
    ck_spent(step, SPENT_FORWARD, 35);
    ck_spent(step, SPENT_BACKWARD, 90);
    ck_spent(step, SPENT_UPDATE, 5);
    ck_spent(step, SPENT_REST, 5); // 240 to 245
    ck_spent(step, SPENT_WAIT, 0);
    ck_spent(step, SPENT_EXCHANGE, 0);
}
END_TEST

START_TEST(a_rank_waits_until_the_slowest_has_its_gradients_and_exchanges_from_then_on)
{
    // Rank 0 is ready at 100 and asks; rank 1 is ready at 130, and only sees the sum.
    rows_add(&ranks[0], 7, PHASE_BACKWARD, 0, 100);
    rows_add(&ranks[0], 7, PHASE_NEGOTIATE, 100, 135);
    rows_add(&ranks[0], 7, PHASE_ALLREDUCE, 135, 180);
    rows_add(&ranks[1], 7, PHASE_BACKWARD, 0, 130);
    rows_add(&ranks[1], 7, PHASE_ALLREDUCE, 130, 180);
    const MeasuredRun run = run_of(2);
    ck_assert_int_eq(run.step_count, 1);
    ck_spent(&run.steps[0][0], SPENT_WAIT, 30);
    ck_spent(&run.steps[0][0], SPENT_EXCHANGE, 50);
    ck_spent(&run.steps[1][0], SPENT_WAIT, 0);
    ck_spent(&run.steps[1][0], SPENT_EXCHANGE, 50);
}
END_TEST

START_TEST(an_exchange_counts_only_outside_arithmetic)
{
    // Overlap: summed from 60 on, computed until 100; only 100 to 120 is the exchange's.
    rows_add(&ranks[0], 0, PHASE_FORWARD, 0, 50);
    rows_add(&ranks[0], 0, PHASE_ALLREDUCE, 60, 120);
    rows_add(&ranks[0], 0, PHASE_BACKWARD, 50, 100);
    const MeasuredRun run = run_of(1);
    ck_spent(&run.steps[0][0], SPENT_BACKWARD, 50);
    ck_spent(&run.steps[0][0], SPENT_EXCHANGE, 20);
    ck_spent(&run.steps[0][0], SPENT_WAIT, 0);
}
END_TEST

START_TEST(steps_that_a_rank_lacks_are_left_out)
{
    static const int64_t of_rank_0[] = {0, 1, 2, 3, 5, 8, 9},
                         of_rank_1[] = {1, 3, 4, 5, 6, 7, 9, 11};
    for (size_t i = 0; i < sizeof of_rank_0 / sizeof of_rank_0[0]; i++)
        rows_add(&ranks[0], of_rank_0[i], PHASE_FORWARD, 10 * of_rank_0[i], 10 * of_rank_0[i] + 4);
    for (size_t i = 0; i < sizeof of_rank_1 / sizeof of_rank_1[0]; i++)
        rows_add(&ranks[1], of_rank_1[i], PHASE_FORWARD, 10 * of_rank_1[i], 10 * of_rank_1[i] + 5);
    const MeasuredRun run = run_of(2);
    static const int64_t common[] = {1, 3, 5, 9};
    ck_assert_int_eq(run.step_count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(run.steps[0][i].step, common[i]);
        ck_assert_int_eq(run.steps[1][i].step, common[i]);
        ck_spent(&run.steps[1][i], SPENT_FORWARD, 5);
    }
}
END_TEST

START_TEST(an_epoch_is_from_its_first_step_to_its_last_where_it_has_all)
{
    for (int64_t step = 0; step < 7; step++)
        rows_add(&ranks[0], step, PHASE_FORWARD, 100 * step, 100 * step + 60);
    rows_add(&ranks[0], 2, PHASE_EVALUATE, 260, 290);
    rows_add(&ranks[0], 2, PHASE_CHECKPOINT, 290, 299);
    const MeasuredRun run = run_of(1);
    int64_t took_ns = 0;
    ck_assert(measured_epoch_ns(&run, 3, 0, &took_ns));
    ck_assert_int_eq(took_ns, 260);
    ck_assert(measured_epoch_ns(&run, 3, 1, &took_ns));
    ck_assert_int_eq(took_ns, 260);
    ck_assert(!measured_epoch_ns(&run, 3, 2, &took_ns)); // step 8 is not there
    ck_assert_int_eq(run.evaluate_count, 1);
    ck_assert_int_eq(run.evaluate_ns[0], 30);
    ck_assert_int_eq(run.checkpoint_ns[0], 9);
    ck_assert_int_eq(run.ended_ns, 660);
    ck_assert_int_eq(run.steps[0][2].end_ns,
                     260); // an evaluation does not belong to the step before it
}
END_TEST

START_TEST(a_run_ends_with_its_last_epoch_and_not_with_the_test_after_it)
{
    for (int64_t step = 0; step < 6; step++)
        rows_add(&ranks[0], step, PHASE_FORWARD, 100 * step, 100 * step + 60);
    rows_add(&ranks[0], 2, PHASE_EVALUATE, 260, 290);
    rows_add(&ranks[0], 5, PHASE_EVALUATE, 560, 590);
    rows_add(&ranks[0], 5, PHASE_CHECKPOINT, 590, 599);
    ck_assert_int_eq(run_of(1).ended_ns, 599);
    rows_add(&ranks[0], 5, PHASE_EVALUATE, 700, 900);
    ck_assert_int_eq(run_of(1).ended_ns, 599);
}
END_TEST

START_TEST(empty_timelines_give_a_run_without_steps)
{
    const MeasuredRun run = run_of(2);
    ck_assert_int_eq(run.step_count, 0);
    ck_assert_int_eq(run.began_ns, 0);
    ck_assert_int_eq(run.ended_ns, 0);
}
END_TEST

/* For random rows, the sum of a step's parts is the step. */
START_TEST(parts_add_up_to_the_step)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        rows_begin(&ranks[0], 0, 2);
        rows_begin(&ranks[1], 1, 2);
        for (uint32_t i = 0; i < 60; i++) {
            const PhiloxBlock luck = philox(seed, (PhiloxBlock){{i}});
            const int64_t begin_ns = luck.word[0] % 100;
            rows_add(&ranks[i % 2], luck.word[1] % 4, (Phase)(luck.word[2] % PHASE_COUNT), begin_ns,
                     begin_ns + luck.word[3] % 40);
        }
        const MeasuredRun run = run_of(2);
        for (int32_t rank = 0; rank < 2; rank++) {
            for (int64_t i = 0; i < run.step_count; i++) {
                const MeasuredStep *step = &run.steps[rank][i];
                int64_t sum_ns = 0;
                for (int32_t spent = 0; spent < SPENT_COUNT; spent++) {
                    ck_assert_msg(step->spent_ns[spent] >= 0, "seed %d", (int)seed);
                    sum_ns += step->spent_ns[spent];
                }
                ck_assert_msg(sum_ns == step->end_ns - step->begin_ns, "seed %d", (int)seed);
            }
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("measured");
    TCase *tests = tcase_create("measured");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, each_phase_of_one_rank_is_its_own);
    tcase_add_test(tests,
                   a_rank_waits_until_the_slowest_has_its_gradients_and_exchanges_from_then_on);
    tcase_add_test(tests, an_exchange_counts_only_outside_arithmetic);
    tcase_add_test(tests, steps_that_a_rank_lacks_are_left_out);
    tcase_add_test(tests, an_epoch_is_from_its_first_step_to_its_last_where_it_has_all);
    tcase_add_test(tests, a_run_ends_with_its_last_epoch_and_not_with_the_test_after_it);
    tcase_add_test(tests, empty_timelines_give_a_run_without_steps);
    tcase_add_test(tests, parts_add_up_to_the_step);
    suite_add_tcase(suite, tests);
    return suite;
}
