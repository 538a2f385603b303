#include "sim/model/transformer/schedule.h"
#include "tests/support/suite.h"

enum { STAGES = 64 };

static double forward_s[STAGES], backward_s[STAGES];

/* All stages take 1 s forward and 2 s backward, divided by the chunks. */
static PipelineSchedule equal(int32_t ranks, int32_t chunks, int64_t micro_batches)
{
    for (int i = 0; i < STAGES; i++) {
        forward_s[i] = 1.0 / chunks;
        backward_s[i] = 2.0 / chunks;
    }
    return (PipelineSchedule){.ranks = ranks,
                              .chunks = chunks,
                              .micro_batches = micro_batches,
                              .forward_s = forward_s,
                              .backward_s = backward_s};
}

START_TEST(equal_stages_have_the_published_bubble)
{
    // (m + (p - 1) / v) x (forward + backward): Narayanan et al., SC'21, section 2.2.
    static const struct {
        int32_t ranks, chunks;
        int64_t micro_batches;
    } cases[] = {{1, 1, 5},  {2, 1, 2},  {4, 1, 1},   {4, 1, 4},   {4, 1, 7}, {4, 2, 8},
                 {4, 4, 16}, {8, 3, 16}, {8, 1, 500}, {4, 2, 400}, {8, 2, 8}, {3, 1, 1001}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const PipelineSchedule schedule =
            equal(cases[i].ranks, cases[i].chunks, cases[i].micro_batches);
        const double expected_s =
            3 * ((double)cases[i].micro_batches + (cases[i].ranks - 1.0) / cases[i].chunks);
        ck_assert_double_eq_tol(schedule_time_s(&schedule), expected_s, 1e-9);
        ck_assert_double_eq_tol(schedule_least_s(&schedule), expected_s, 1e-9);
    }
}
END_TEST

START_TEST(the_slowest_stage_sets_the_pace)
{
    // Three stages of 3 s and a last one of 6: the last one is never idle after the first 3 forward
    // passes, and the others empty the pipeline after it.
    PipelineSchedule schedule = equal(4, 1, 10);
    forward_s[3] = 2;
    backward_s[3] = 4;
    ck_assert_double_eq_tol(schedule_time_s(&schedule), 3 * 1 + 10 * 6 + 3 * 2, 1e-9);
    ck_assert_double_eq_tol(schedule_busiest_s(&schedule), 60, 1e-9);
}
END_TEST

START_TEST(sending_delays_plain_1f1b)
{
    // Two ranks, one micro batch: forward, send, forward, backward, send, backward.
    PipelineSchedule schedule = equal(2, 1, 1);
    schedule.send_s = 0.5;
    ck_assert_double_eq_tol(schedule_time_s(&schedule), 1 + 0.5 + 1 + 2 + 0.5 + 2, 1e-9);
    // The first rank has two micro batches under way: every second one waits for both messages.
    schedule.micro_batches = 8;
    const double eight_s = schedule_time_s(&schedule);
    schedule.micro_batches = 10;
    ck_assert_double_eq_tol(schedule_time_s(&schedule) - eight_s, 2 * 3 + 2 * 0.5, 1e-9);
    // The same when the period is added, not executed.
    schedule.micro_batches = 1008;
    ck_assert_double_eq_tol(schedule_time_s(&schedule) - eight_s, 500 * 7, 1e-6);
}
END_TEST

/* A number from 0 to 1. */
static double random_share(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24);
}

START_TEST(no_schedule_is_shorter_than_its_bound)
{
    uint32_t state = 7;
    for (int run = 0; run < 500; run++) {
        const int32_t ranks = 1 + (int32_t)(8 * random_share(&state));
        const int32_t chunks = ranks == 1 ? 1 : 1 + (int32_t)(4 * random_share(&state));
        const int64_t micro_batches = ranks * (1 + (int64_t)(9 * random_share(&state)));
        PipelineSchedule schedule = equal(ranks, chunks, micro_batches);
        schedule.send_s = 0.2 * random_share(&state);
        for (int i = 0; i < ranks * chunks; i++) {
            forward_s[i] = 0.5 + random_share(&state);
            backward_s[i] = 1 + random_share(&state);
        }
        const double time_s = schedule_time_s(&schedule);
        ck_assert_double_ge(time_s + 1e-9, schedule_least_s(&schedule));
        ck_assert_double_ge(time_s + 1e-9, schedule_busiest_s(&schedule));
        // A longer message never makes it shorter.
        schedule.send_s += 0.1;
        ck_assert_double_ge(schedule_time_s(&schedule) + 1e-9, time_s);
    }
}
END_TEST

START_TEST(ranks_hold_the_micro_batches_between_forward_and_backward)
{
    ck_assert_double_eq(schedule_in_flight(4, 1, 16, 0), 4);
    ck_assert_double_eq(schedule_in_flight(4, 1, 16, 3), 1);
    ck_assert_double_eq(schedule_in_flight(4, 1, 2, 0), 2);
    // Interleaved: 2 x 3 + 1 x 4 passes of half the layers before the first backward pass, and one.
    ck_assert_double_eq(schedule_in_flight(4, 2, 16, 0), 5.5);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/schedule");
    TCase *schedules = tcase_create("schedules");
    tcase_add_test(schedules, equal_stages_have_the_published_bubble);
    tcase_add_test(schedules, the_slowest_stage_sets_the_pace);
    tcase_add_test(schedules, sending_delays_plain_1f1b);
    tcase_add_test(schedules, no_schedule_is_shorter_than_its_bound);
    tcase_add_test(schedules, ranks_hold_the_micro_batches_between_forward_and_backward);
    suite_add_tcase(suite, schedules);
    return suite;
}
