#include "trainer/compute/profile.h"

#include <stdlib.h>

#include "sim/base/text.h"
#include "sim/json/json.h"
#include "tests/support/small_training.h"
#include "tests/support/suite.h"

static Arena *arena;
static Net net;
static Profile *profile;

static void set_up(void)
{
    arena = arena_create();
    net = slim_net("keras_cifar10_cnn", 16);
    profile = profile_create(arena, &net);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

/* Adds steps of 100 ns and 200 ns, 150 ns on average. */
static void add_two_steps(void)
{
    profile_begin(profile, 7);
    profile_add(profile, PROFILE_INPUT, 1000, 1020);
    profile_add(profile, profile_forward(0), 1030, 1060);
    profile_add(profile, profile_backward(0), 1060, 1090);
    profile_add(profile, PROFILE_UPDATE, 1090, 1100);
    profile_end(profile);
    profile_begin(profile, 8);
    profile_add(profile, PROFILE_INPUT, 5000, 5040);
    profile_add(profile, profile_forward(0), 5040, 5050);
    profile_add(profile, PROFILE_LOSS, 5050, 5200);
    profile_end(profile);
}

START_TEST(stages_are_numbered_in_the_order_of_a_step)
{
    const char *const *names = profile_figures(profile)->names;
    Text order = {0};
    for (int32_t i = 0; i < PROFILE_STAGES; i++)
        if (names[i])
            text_printf(&order, "%s, ", names[i]);
    ck_assert_str_eq(
        text_string(&order),
        "input, conv2d_1 forward, conv2d_2 forward, max_pooling2d_1 forward, dropout_1 forward, "
        "conv2d_3 forward, conv2d_4 forward, max_pooling2d_2 forward, dropout_2 forward, "
        "dense_1 forward, dropout_3 forward, dense_2 forward, loss, dense_2 backward, "
        "dropout_3 backward, dense_1 backward, dropout_2 backward, max_pooling2d_2 backward, "
        "conv2d_4 backward, conv2d_3 backward, dropout_1 backward, max_pooling2d_1 backward, "
        "conv2d_2 backward, conv2d_1 backward, exchange, update, ");
    text_free(&order);
}
END_TEST

START_TEST(a_table_has_the_means_and_the_time_between_stages)
{
    Text text = {0};
    add_two_steps();
    profile_measured_by(profile, "GPU", "the GPU's clock");
    profile_print(profile, &text);
    // Of 300 ns: input 60, forward 40, loss 150, backward 30, update 10, rest 10.
    ck_assert_str_eq(text_string(&text), "Mean of 2 steps of rank 0, by the GPU's clock\n"
                                         "\n"
                                         "Stage                us      %\n"
                                         "-----------------  ----  -----\n"
                                         "input               0.0   20.0\n"
                                         "conv2d_1 forward    0.0   13.3\n"
                                         "loss                0.1   50.0\n"
                                         "conv2d_1 backward   0.0   10.0\n"
                                         "update              0.0    3.3\n"
                                         "rest                0.0    3.3\n"
                                         "step                0.1  100.0\n");
    text_free(&text);
}
END_TEST

START_TEST(the_shares_of_all_rows_add_up_to_100)
{
    int64_t us = 0, percent = 0;
    add_two_steps();
    const Json *json = profile_json(profile, arena);
    ck_assert_str_eq(json_member(json, "clock")->text, "processor");
    ck_assert_str_eq(json_member(json, "measured_by")->text, "the processor's clock");
    ck_assert_int_eq(json_member(json, "steps")->integer, 2);
    for (const Json *row = json_member(json, "stages")->first; row; row = row->next) {
        int64_t value;
        ck_assert(json_scaled(json_member(row, "us"), 3, &value));
        us += value;
        ck_assert(json_scaled(json_member(row, "percent"), 3, &value));
        percent += value;
    }
    ck_assert_int_eq(us, 150);
    ck_assert_int_le(llabs(percent - 100000), 3); // six rounded numbers
}
END_TEST

START_TEST(nothing_is_added_while_it_is_off)
{
    Text text = {0};
    int64_t clock_ns = profile_clock_ns(profile);
    ck_assert_int_eq(clock_ns, 0);
    profile_add(profile, PROFILE_INPUT, 1, 2);
    profile_note(profile, PROFILE_UPDATE, &clock_ns);
    profile_end(profile); // without profile_begin
    ck_assert_int_eq(clock_ns, 0);
    ck_assert_int_eq(profile_figures(profile)->steps, 0);
    profile_print(profile, &text);
    ck_assert_str_eq(text_string(&text), "No step was measured for the profile.\n");
    ck_assert_int_eq(json_member(profile_json(profile, arena), "steps")->integer, 0);
    add_two_steps();
    profile_end(profile);
    ck_assert_int_eq(profile_figures(profile)->steps, 2);
    ck_assert_int_eq(profile_figures(profile)->step_ns, 300);
    text_free(&text);
}
END_TEST

START_TEST(no_profile_costs_nothing)
{
    int64_t clock_ns = profile_clock_ns(NULL);
    profile_begin(NULL, 0);
    profile_measured_by(NULL, "", "");
    profile_note(NULL, PROFILE_INPUT, &clock_ns);
    profile_add(NULL, PROFILE_INPUT, 1, 2);
    profile_end(NULL);
    ck_assert(!profile_is_on(NULL));
    ck_assert_int_eq(clock_ns, 0);
}
END_TEST

START_TEST(a_step_without_stages_does_not_count)
{
    profile_begin(profile, 1);
    profile_end(profile);
    add_two_steps();
    profile_begin(profile, 9);
    profile_end(profile);
    ck_assert_int_eq(profile_figures(profile)->steps, 2);
    ck_assert_int_eq(profile_figures(profile)->step_ns, 300);
}
END_TEST

START_TEST(stages_that_would_overlap_are_cut_so_that_all_adds_up)
{
    const ProfileFigures *figures = profile_figures(profile);
    profile_begin(profile, 0);
    profile_add(profile, PROFILE_INPUT, 100, 200);
    profile_add(profile, profile_forward(0), 190, 250);
    profile_add(profile, PROFILE_LOSS, 230, 240);
    profile_end(profile);
    ck_assert_int_eq(figures->stages_ns[PROFILE_INPUT], 100);
    ck_assert_int_eq(figures->stages_ns[profile_forward(0)], 50);
    ck_assert_int_eq(figures->stages_ns[PROFILE_LOSS], 0);
    ck_assert_int_eq(figures->step_ns, 150);
}
END_TEST

START_TEST(stages_are_rows_of_a_timeline_if_there_is_one)
{
    Timeline *timeline = timeline_create(0, 1, 1000);
    profile_add_to(profile, timeline);
    add_two_steps();
    const TimelineFile file = timeline_view(timeline);
    ck_assert_int_eq(file.count, 7);
    const TimelineSpan *loss = &file.spans[6];
    ck_assert_int_eq(loss->stage, PROFILE_LOSS);
    ck_assert_int_eq(loss->step, 8);
    ck_assert_int_eq(loss->begin_ns, 4050);
    ck_assert_int_eq(loss->end_ns, 4200);
    ck_assert_str_eq(profile_drawn_as(profile).names[loss->stage], "loss");
    ck_assert_str_eq(profile_drawn_as(profile).clock, "processor");
    timeline_destroy(timeline);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("profile");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, stages_are_numbered_in_the_order_of_a_step);
    tcase_add_test(tests, a_table_has_the_means_and_the_time_between_stages);
    tcase_add_test(tests, the_shares_of_all_rows_add_up_to_100);
    tcase_add_test(tests, nothing_is_added_while_it_is_off);
    tcase_add_test(tests, no_profile_costs_nothing);
    tcase_add_test(tests, a_step_without_stages_does_not_count);
    tcase_add_test(tests, stages_that_would_overlap_are_cut_so_that_all_adds_up);
    tcase_add_test(tests, stages_are_rows_of_a_timeline_if_there_is_one);
    suite_add_tcase(suite, tests);
    return suite;
}
