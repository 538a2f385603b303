#include "sim/study/design/sobol.h"

#include <stdbool.h>
#include <string.h>

#include "tests/support/suite.h"

START_TEST(the_first_points_are_known)
{
    // Dimensions 1 and 2 on paper, in units of 1/8 (van der Corput, and x + 1 with m = 1, 3, 5...).
    static const uint32_t wanted[8][2] = {{0, 0}, {4, 4}, {2, 6}, {6, 2},
                                          {1, 5}, {5, 1}, {3, 3}, {7, 7}};
    for (uint32_t i = 0; i < 8; i++)
        for (int32_t d = 0; d < 2; d++)
            ck_assert_uint_eq(sobol_word(i, d) >> 29, wanted[i][d]);
    ck_assert_uint_eq(sobol_word(UINT32_MAX, 0), UINT32_MAX);
}
END_TEST

START_TEST(each_dimension_is_stratified)
{
    enum { BITS = 12, POINTS = 1 << BITS };
    static uint8_t used[POINTS];
    for (int32_t d = 0; d < SOBOL_DIMENSIONS; d++)
        for (uint32_t block = 0; block < 2; block++) {
            memset(used, 0, sizeof used);
            for (uint32_t i = 0; i < POINTS; i++)
                used[sobol_word(block * POINTS + i, d) >> (32 - BITS)]++;
            for (int32_t s = 0; s < POINTS; s++)
                ck_assert_msg(used[s] == 1, "dimension %d, stratum %d", (int)d, (int)s);
        }
}
END_TEST

/* Whether the first 2^bits points have one in each box of 2^-split by 2^-(bits - split). */
static bool is_net(int32_t left, int32_t right, int32_t bits, int32_t split)
{
    uint8_t used[1 << 10] = {0};
    for (uint32_t i = 0; i < UINT32_C(1) << bits; i++) {
        uint64_t x = (uint64_t)sobol_word(i, left) << split >> 32;
        uint64_t y = (uint64_t)sobol_word(i, right) << (bits - split) >> 32;
        if (used[x << (bits - split) | y]++)
            return false;
    }
    return true;
}

START_TEST(the_first_two_dimensions_are_a_perfect_net)
{
    // (0, m, 2)-net in base 2: every elementary box has one point.
    for (int32_t bits = 1; bits <= 10; bits++)
        for (int32_t split = 0; split <= bits; split++)
            ck_assert(is_net(0, 1, bits, split));
}
END_TEST

START_TEST(pairs_of_dimensions_fill_squares)
{
    // Sobol's property A' for the first 16 points: one in each of the 4 x 4 squares. The initial
    // numbers were chosen so that many pairs have it; 16 random points have it with a chance of
    // 1e-6.
    int32_t full = 0, pairs = 0;
    for (int32_t right = 1; right < SOBOL_DIMENSIONS; right++)
        for (int32_t left = 0; left < right; left++, pairs++)
            full += is_net(left, right, 4, 2);
    ck_assert_int_eq(pairs, 780);
    ck_assert_int_ge(full, 300);
}
END_TEST

/* Sums over the unit square that a good sequence gets right to 1e-3 with 4096 points; random points
 * have errors of 5e-3. */
START_TEST(products_of_coordinates_integrate_well)
{
    for (int32_t right = 1; right < SOBOL_DIMENSIONS; right++) {
        double sum = 0;
        for (uint32_t i = 0; i < 4096; i++)
            sum +=
                (sobol_word(i, right - 1) + .5) * 0x1p-32 * ((sobol_word(i, right) + .5) * 0x1p-32);
        ck_assert_msg(sum / 4096 > .249 && sum / 4096 < .251, "dimension %d: %g", (int)right,
                      sum / 4096);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sobol");
    TCase *tests = tcase_create("sobol");
    tcase_add_test(tests, the_first_points_are_known);
    tcase_add_test(tests, each_dimension_is_stratified);
    tcase_add_test(tests, the_first_two_dimensions_are_a_perfect_net);
    tcase_add_test(tests, pairs_of_dimensions_fill_squares);
    tcase_add_test(tests, products_of_coordinates_integrate_well);
    suite_add_tcase(suite, tests);
    return suite;
}
