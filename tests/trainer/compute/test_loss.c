#include "trainer/compute/loss.h"

#include <math.h>

#include "tests/support/suite.h"

START_TEST(softmax_of_logarithms_gives_their_shares)
{
    // e^log(1), e^log(2), e^log(5) are 1, 2, 5 of 8.
    const float logits[3] = {0.0f, logf(2.0f), logf(5.0f)};
    float probabilities[3];
    softmax(logits, 1, 3, probabilities);
    ck_assert_float_eq_tol(probabilities[0], 0.125f, 1e-7f);
    ck_assert_float_eq_tol(probabilities[1], 0.25f, 1e-7f);
    ck_assert_float_eq_tol(probabilities[2], 0.625f, 1e-7f);
}
END_TEST

START_TEST(softmax_accepts_any_finite_logits_and_works_in_place)
{
    float values[6] = {1e38f, -1e38f, 0.0f, -3e38f, -3e38f, -3e38f};
    softmax(values, 2, 3, values);
    ck_assert_float_eq(values[0], 1.0f);
    ck_assert_float_eq(values[1], 0.0f);
    ck_assert_float_eq(values[2], 0.0f);
    for (int32_t c = 3; c < 6; c++)
        ck_assert_float_eq_tol(values[c], 1.0f / 3.0f, 1e-7f);
}
END_TEST

START_TEST(softmax_hides_no_nan)
{
    for (int32_t place = 0; place < 3; place++) {
        float values[3] = {1.0f, 2.0f, 3.0f};
        values[place] = NAN;
        softmax(values, 1, 3, values);
        for (int32_t c = 0; c < 3; c++)
            ck_assert(isnan(values[c]));
    }
    float values[2] = {INFINITY, 0.0f};
    softmax(values, 1, 2, values);
    ck_assert(isnan(values[0]));
}
END_TEST

START_TEST(the_loss_is_the_sum_of_minus_logarithms)
{
    const float probabilities[6] = {0.5f, 0.25f, 0.25f, 0.125f, 0.75f, 0.125f};
    const uint8_t labels[2] = {0, 2};
    Score score = score_of(probabilities, labels, 2, 3);
    // -log(1/2) - log(1/8) = 4 log 2
    ck_assert_double_eq_tol(score.loss_sum, 4.0 * log(2.0), 1e-15);
    ck_assert_int_eq(score.correct, 1);
    ck_assert_int_eq(score.images, 2);
    score_add(&score, score);
    ck_assert_double_eq_tol(score.loss_sum, 8.0 * log(2.0), 1e-15);
    ck_assert_int_eq(score.correct, 2);
    ck_assert_int_eq(score.images, 4);
}
END_TEST

START_TEST(the_first_of_equally_likely_classes_counts)
{
    const float probabilities[4] = {0.125f, 0.375f, 0.375f, 0.125f};
    ck_assert_int_eq(score_of(probabilities, (uint8_t[]){1}, 1, 4).correct, 1);
    ck_assert_int_eq(score_of(probabilities, (uint8_t[]){2}, 1, 4).correct, 0);
}
END_TEST

START_TEST(the_probability_is_clipped_at_both_ends_as_keras_does)
{
    const struct {
        double right, loss;
        bool is_clipped;
    } rows[] = {
        {0.0, 16.11809565095832, true}, // -log(1e-7)
        {1e-8, 16.11809565095832, true},
        {1e-7, 16.11809565095832, false},
        {1e-6, 13.815510557964274, false},
        {0.5, 0.6931471805599453, false},
        {1.0 - 1.1920928955078125e-7, 1.1920929665621e-7, false},   // two floats below 1
        {1.0 - 5.9604644775390625e-8, 1.0000000494736474e-7, true}, // one float below 1
        {1.0, 1.0000000494736474e-7, true},                         // -log(1 - 1e-7)
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_double_eq_tol(loss_of(rows[i].right), rows[i].loss, 1e-14);
        ck_assert_int_eq(loss_is_clipped(rows[i].right), rows[i].is_clipped);
    }
    ck_assert(isnan(loss_of((double)NAN)));
    ck_assert(!loss_is_clipped((double)NAN));
}
END_TEST

START_TEST(the_gradient_is_probability_minus_label_over_the_batch)
{
    const float probabilities[6] = {0.5f, 0.25f, 0.25f, 0.125f, 0.75f, 0.125f};
    float gradient[6];
    loss_gradient(probabilities, (uint8_t[]){0, 2}, 2, 3, gradient);
    const float expected[6] = {-0.25f, 0.125f, 0.125f, 0.0625f, 0.375f, -0.4375f};
    for (int32_t i = 0; i < 6; i++)
        ck_assert_float_eq(gradient[i], expected[i]);
}
END_TEST

START_TEST(a_clipped_image_has_no_gradient_and_leaves_the_others_theirs)
{
    const float probabilities[6] = {1.0f, 0.0f, 0.0f, 1.0f, 0.5f, 0.5f};
    float gradient[6];
    loss_gradient(probabilities, (uint8_t[]){0, 0, 1}, 3, 2, gradient);
    for (int32_t i = 0; i < 4; i++) // entirely right and entirely wrong
        ck_assert_float_eq(gradient[i], 0.0f);
    ck_assert_float_eq_tol(gradient[4], 0.5f / 3.0f, 1e-7f);
    ck_assert_float_eq_tol(gradient[5], -0.5f / 3.0f, 1e-7f);
}
END_TEST

START_TEST(a_nan_reaches_the_gradient)
{
    const float probabilities[2] = {NAN, NAN};
    float gradient[2];
    loss_gradient(probabilities, (uint8_t[]){0}, 1, 2, gradient);
    ck_assert(isnan(gradient[0]) && isnan(gradient[1]));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("loss");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, softmax_of_logarithms_gives_their_shares);
    tcase_add_test(tests, softmax_accepts_any_finite_logits_and_works_in_place);
    tcase_add_test(tests, softmax_hides_no_nan);
    tcase_add_test(tests, the_loss_is_the_sum_of_minus_logarithms);
    tcase_add_test(tests, the_first_of_equally_likely_classes_counts);
    tcase_add_test(tests, the_probability_is_clipped_at_both_ends_as_keras_does);
    tcase_add_test(tests, the_gradient_is_probability_minus_label_over_the_batch);
    tcase_add_test(tests, a_clipped_image_has_no_gradient_and_leaves_the_others_theirs);
    tcase_add_test(tests, a_nan_reaches_the_gradient);
    suite_add_tcase(suite, tests);
    return suite;
}
