#include "sim/model/learning.h"
#include "tests/support/suite.h"

START_TEST(the_curve_goes_through_its_points)
{
    // The Keras example: 75 % after 25 epochs, 79 % after 50.
    LearningPoint after_25 = {25000, 750000};
    LearningPoint after_50 = {50000, 790000};
    ck_assert_int_eq(learning_accuracy_ppm(after_25, after_50, 25000), 750000);
    ck_assert_int_eq(learning_accuracy_ppm(after_25, after_50, 50000), 790000);
}
END_TEST

START_TEST(it_is_linear_in_the_inverse_of_one_plus_the_root)
{
    // u is 1 at 0, 1/2 at 1 and 1/4 at 9 epochs: 10 % and 60 % give 85 %, and 110 % cut to 100 %
    // at the far end.
    LearningPoint start = {0, 100000};
    LearningPoint first = {1000, 600000};
    ck_assert_int_eq(learning_accuracy_ppm(start, first, 9000), 850000);
    ck_assert_int_eq(learning_accuracy_ppm(start, first, INT64_C(1) << 60), 1000000);
    // Backwards from 60 % at 1 and 85 % at 9: 10 % at 0.
    LearningPoint ninth = {9000, 850000};
    ck_assert_int_eq(learning_accuracy_ppm(first, ninth, 0), 100000);
}
END_TEST

START_TEST(accuracy_never_falls_with_epochs)
{
    LearningPoint low = {1000, 470000};
    LearningPoint high = {25000, 750000};
    int64_t before = 0;
    for (int64_t epochs_milli = 0; epochs_milli < 200000; epochs_milli += 37) {
        int64_t accuracy = learning_accuracy_ppm(low, high, epochs_milli);
        ck_assert_int_ge(accuracy, before);
        before = accuracy;
    }
}
END_TEST

START_TEST(loss_falls_linearly_from_chance_to_perfect_accuracy)
{
    LossLine ten_classes = {
        .chance_ppm = 100000, .at_chance_micro = 2302585, .final_micro = 100000};
    ck_assert_int_eq(learning_loss_micro(ten_classes, 100000), 2302585);
    ck_assert_int_eq(learning_loss_micro(ten_classes, 1000000), 100000);
    // 0.1 + 2.202585 * 0.25 / 0.9 = 0.711829
    ck_assert_int_eq(learning_loss_micro(ten_classes, 750000), 711829);
    ck_assert_int_gt(learning_loss_micro(ten_classes, 50000), 2302585); // worse than a guess
}
END_TEST

START_TEST(each_doubling_of_ranks_costs_the_same)
{
    ck_assert_int_eq(learning_ranks_loss_ppm(1, 8000), 0);
    ck_assert_int_eq(learning_ranks_loss_ppm(2, 8000), 8000);
    ck_assert_int_eq(learning_ranks_loss_ppm(3, 8000), 12000);
    ck_assert_int_eq(learning_ranks_loss_ppm(4, 8000), 16000);
    ck_assert_int_eq(learning_ranks_loss_ppm(1 << 10, 8000), 80000);
    for (int32_t ranks = 1; ranks < 5000; ranks++)
        ck_assert_int_le(learning_ranks_loss_ppm(ranks, 8000),
                         learning_ranks_loss_ppm(ranks + 1, 8000));
}
END_TEST

START_TEST(the_spread_of_hits_is_the_root_of_their_variance)
{
    // sqrt(32 * 0.1 * 0.9) = 1.697; sqrt(10000 * 0.5 * 0.5) = 50.
    ck_assert_int_eq(learning_hits_spread_milli(32, 100000), 1697);
    ck_assert_int_eq(learning_hits_spread_milli(10000, 500000), 50000);
    ck_assert_int_eq(learning_hits_spread_milli(10000, 1000000), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("learning");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_curve_goes_through_its_points);
    tcase_add_test(tests, it_is_linear_in_the_inverse_of_one_plus_the_root);
    tcase_add_test(tests, accuracy_never_falls_with_epochs);
    tcase_add_test(tests, loss_falls_linearly_from_chance_to_perfect_accuracy);
    tcase_add_test(tests, each_doubling_of_ranks_costs_the_same);
    tcase_add_test(tests, the_spread_of_hits_is_the_root_of_their_variance);
    suite_add_tcase(suite, tests);
    return suite;
}
