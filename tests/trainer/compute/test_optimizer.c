#include "trainer/compute/optimizer.h"

#include <math.h>

#include "tests/support/suite.h"

START_TEST(three_iterations_are_keras_formula)
{
    const RmsProp optimizer = rmsprop_of_keras(0.001);
    const float gradients[3][2] = {{0.5f, -2e-4f}, {-0.25f, 0.0f}, {0.125f, 3e-4f}};
    float accumulators[2] = {0.0f, 0.0f}, weights[2] = {1.0f, -0.5f};
    double a[2] = {0.0, 0.0}, p[2] = {1.0, -0.5};
    for (int32_t iteration = 0; iteration < 3; iteration++) {
        rmsprop_update(&optimizer, rmsprop_rate(&optimizer, iteration), 1.0f, 2,
                       gradients[iteration], accumulators, weights);
        for (int32_t i = 0; i < 2; i++) {
            const double g = (double)gradients[iteration][i];
            a[i] = 0.9 * a[i] + 0.1 * g * g;
            p[i] -= 0.001 / (1.0 + 1e-6 * iteration) * g / (sqrt(a[i]) + 1e-7);
            ck_assert_double_eq_tol((double)accumulators[i], a[i], 1e-6 * a[i]);
            ck_assert_double_eq_tol((double)weights[i], p[i], 2e-7);
        }
    }
    // On paper: the first step of any gradient is rate / sqrt(0.1) = 0.00316228, the second 0.001 *
    // 0.25 / sqrt(0.9 * 0.025 + 0.1 * 0.0625) = 0.00147442 the other way, the third 0.001 * 0.125 /
    // sqrt(0.9 * 0.02875 + 0.1 * 0.015625) = 0.00075463.
    ck_assert_double_eq_tol((double)weights[0], 1.0 - 0.00316228 + 0.00147442 - 0.00075463, 2e-7);
}
END_TEST

START_TEST(epsilon_is_added_outside_the_root)
{
    // With g^2 = 1e-16, sqrt(a) = 3.16e-9 is small compared with epsilon 1e-7: 1e-8 / 1.0316e-7 =
    // 0.09693. Inside the root it would be 1e-8 / 3.16e-4.
    const RmsProp optimizer = rmsprop_of_keras(1.0);
    const float gradient = 1e-8f;
    float accumulator = 0.0f, weight = 0.0f;
    rmsprop_update(&optimizer, 1.0f, 1.0f, 1, &gradient, &accumulator, &weight);
    ck_assert_float_eq_tol(weight, -0.0969347f, 1e-6f);
}
END_TEST

START_TEST(a_gradient_of_zero_moves_nothing_and_forgets)
{
    const RmsProp optimizer = rmsprop_of_keras(1.0);
    const float gradient = 0.0f;
    float accumulator = 4.0f, weight = 3.0f, untouched = 0.0f;
    rmsprop_update(&optimizer, 1.0f, 1.0f, 1, &gradient, &accumulator, &weight);
    ck_assert_float_eq(weight, 3.0f);
    ck_assert_float_eq_tol(accumulator, 3.6f, 1e-6f);
    rmsprop_update(&optimizer, 1.0f, 1.0f, 1, &gradient, &untouched, &weight);
    ck_assert_float_eq(weight, 3.0f); // 0 / (0 + epsilon)
}
END_TEST

START_TEST(the_rate_decays_with_the_iterations)
{
    const struct {
        int64_t iteration;
        double share;
    } rows[] = {{0, 1.0}, {1, 1.0 / 1.000001}, {1000000, 0.5}, {3000000, 0.25}};
    const RmsProp optimizer = rmsprop_of_keras(8e-4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_double_eq_tol((double)rmsprop_rate(&optimizer, rows[i].iteration),
                                8e-4 * rows[i].share, 8e-4 * 6e-8);
}
END_TEST

START_TEST(the_sum_over_four_ranks_times_a_quarter_is_their_mean)
{
    enum { COUNT = 1000 };
    const RmsProp optimizer = rmsprop_of_keras(4e-4);
    static float mean[COUNT], sum[COUNT], one[2][COUNT], other[2][COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        mean[i] = (float)(i - 500) / 37.0f;
        sum[i] = 4.0f * mean[i];
        one[0][i] = other[0][i] = (float)i * 1e-6f;
        one[1][i] = other[1][i] = (float)(i % 13) - 6.0f;
    }
    rmsprop_update(&optimizer, 4e-4f, 1.0f, COUNT, mean, one[0], one[1]);
    rmsprop_update(&optimizer, 4e-4f, 0.25f, COUNT, sum, other[0], other[1]);
    for (int32_t i = 0; i < COUNT; i++) {
        ck_assert_float_eq(one[0][i], other[0][i]);
        ck_assert_float_eq(one[1][i], other[1][i]);
    }
}
END_TEST

START_TEST(parts_of_an_arena_may_be_updated_in_any_order)
{
    enum { COUNT = 1003, CUT = 501 };
    const RmsProp optimizer = rmsprop_of_keras(1e-4);
    static float gradients[COUNT], whole[2][COUNT], parts[2][COUNT];
    for (int32_t i = 0; i < COUNT; i++)
        gradients[i] = (float)(i % 29 - 14) * 1e-3f;
    rmsprop_update(&optimizer, 1e-4f, 1.0f, COUNT, gradients, whole[0], whole[1]);
    rmsprop_update(&optimizer, 1e-4f, 1.0f, COUNT - CUT, gradients + CUT, parts[0] + CUT,
                   parts[1] + CUT);
    rmsprop_update(&optimizer, 1e-4f, 1.0f, CUT, gradients, parts[0], parts[1]);
    ck_assert_mem_eq(whole, parts, sizeof whole);
}
END_TEST

START_TEST(a_gradient_that_is_not_a_number_shows)
{
    const RmsProp optimizer = rmsprop_of_keras(1e-4);
    const float gradient = NAN;
    float accumulator = 0.0f, weight = 1.0f;
    ck_assert(!rmsprop_update(&optimizer, 1e-4f, 1.0f, 1, &gradient, &accumulator, &weight));
    ck_assert(isnan(weight) && isnan(accumulator));
}
END_TEST

START_TEST(one_weight_that_is_not_finite_is_detected_among_many)
{
    enum { COUNT = 1001 };
    const RmsProp optimizer = rmsprop_of_keras(1e-4);
    float gradients[COUNT] = {0}, accumulators[COUNT] = {0}, weights[COUNT] = {0};
    ck_assert(rmsprop_update(&optimizer, 1e-4f, 1.0f, COUNT, gradients, accumulators, weights));
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int32_t i = 0; i < COUNT; i++) {
        weights[i] = bad[i % 3];
        ck_assert_msg(
            !rmsprop_update(&optimizer, 1e-4f, 1.0f, COUNT, gradients, accumulators, weights),
            "weight %d", (int)i);
        weights[i] = 1.0f;
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("optimizer");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, three_iterations_are_keras_formula);
    tcase_add_test(tests, epsilon_is_added_outside_the_root);
    tcase_add_test(tests, a_gradient_of_zero_moves_nothing_and_forgets);
    tcase_add_test(tests, the_rate_decays_with_the_iterations);
    tcase_add_test(tests, the_sum_over_four_ranks_times_a_quarter_is_their_mean);
    tcase_add_test(tests, parts_of_an_arena_may_be_updated_in_any_order);
    tcase_add_test(tests, a_gradient_that_is_not_a_number_shows);
    tcase_add_test(tests, one_weight_that_is_not_finite_is_detected_among_many);
    suite_add_tcase(suite, tests);
    return suite;
}
