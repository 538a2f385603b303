#include "trainer/compute/dropout.h"

#include <math.h>
#include <string.h>

#include "tests/support/suite.h"
#include "trainer/base/random.h"

enum { COUNT = 100000 };
static uint8_t one[COUNT], other[COUNT];

START_TEST(the_rate_of_dropped_values_is_the_layers)
{
    const int32_t rates[] = {1, 64, 128, 255};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        dropout_mask(7, 0, 3, 5, rates[i], COUNT, one);
        int32_t dropped = 0;
        for (int32_t k = 0; k < COUNT; k++)
            dropped += 1 - one[k];
        const double rate = rates[i] / 256.0;
        // Five standard deviations of a binomial.
        const double allowed = 5.0 * sqrt(rate * (1.0 - rate) / COUNT);
        ck_assert_double_eq_tol((double)dropped / COUNT, rate, allowed);
    }
}
END_TEST

START_TEST(a_rate_of_zero_drops_nothing)
{
    dropout_mask(7, 0, 3, 5, 0, COUNT, one);
    ck_assert_ptr_null(memchr(one, 0, COUNT));
}
END_TEST

START_TEST(each_value_is_dropped_by_its_own_byte)
{
    dropout_mask(9, 2, 11, 4, 64, 40, one);
    for (uint32_t i = 0; i < 40; i++) {
        RandomAddress at = {
            .use = RANDOM_DROPOUT, .rank = 2, .time = 11, .layer = 4, .block = i / 16};
        const uint32_t word = random_words(9, at).word[i % 16 / 4];
        ck_assert_int_eq(one[i], (word >> 8 * (i % 4) & 0xff) >= 64);
    }
}
END_TEST

START_TEST(a_shorter_batch_has_the_beginning_of_the_mask)
{
    dropout_mask(7, 0, 3, 5, 64, COUNT, one);
    for (int32_t count = 1; count < 40; count++) {
        memset(other, 9, sizeof other);
        dropout_mask(7, 0, 3, 5, 64, count, other);
        ck_assert_mem_eq(one, other, (size_t)count);
        ck_assert_int_eq(other[count], 9);
    }
}
END_TEST

START_TEST(seeds_ranks_steps_and_layers_have_different_masks)
{
    const struct {
        uint64_t seed;
        uint32_t rank;
        uint64_t step;
        uint32_t layer;
    } rows[] = {{8, 0, 3, 5}, {7, 1, 3, 5}, {7, 0, 4, 5}, {7, 0, 3, 6}, {7, 5, 3, 0}};
    dropout_mask(7, 0, 3, 5, 128, COUNT, one);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        dropout_mask(rows[i].seed, rows[i].rank, rows[i].step, rows[i].layer, 128, COUNT, other);
        int32_t equal = 0;
        for (int32_t k = 0; k < COUNT; k++)
            equal += one[k] == other[k];
        // Independent halves agree in half of the places: five standard deviations of 158.
        ck_assert_int_lt(equal, COUNT / 2 + 800);
        ck_assert_int_gt(equal, COUNT / 2 - 800);
    }
}
END_TEST

START_TEST(kept_values_are_scaled_so_that_the_mean_stays)
{
    ck_assert_float_eq(dropout_scale(&(NetLayer){.dropped_of_256 = 128}), 2.0f);
    ck_assert_float_eq_tol(dropout_scale(&(NetLayer){.dropped_of_256 = 64}), 4.0f / 3.0f, 1e-7f);
    ck_assert_float_eq(dropout_scale(&(NetLayer){.dropped_of_256 = 0}), 1.0f);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("dropout");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_rate_of_dropped_values_is_the_layers);
    tcase_add_test(tests, a_rate_of_zero_drops_nothing);
    tcase_add_test(tests, each_value_is_dropped_by_its_own_byte);
    tcase_add_test(tests, a_shorter_batch_has_the_beginning_of_the_mask);
    tcase_add_test(tests, seeds_ranks_steps_and_layers_have_different_masks);
    tcase_add_test(tests, kept_values_are_scaled_so_that_the_mean_stays);
    suite_add_tcase(suite, tests);
    return suite;
}
