#include <inttypes.h>

#include "sim/core/rng.h"
#include "sim/core/sample.h"
#include "tests/support/suite.h"

#define HALF (UINT64_C(1) << 63)

static const Quantiles constant = {1, (const QuantileKnot[]){{0, 42}}};
static const Quantiles line = {2, (const QuantileKnot[]){{0, 0}, {PPM, 1000}}};
static const Quantiles bent = {3, (const QuantileKnot[]){{0, 100}, {500000, 200}, {PPM, 1000}}};
static const Quantiles jumps = {4,
                                (const QuantileKnot[]){{0, 1}, {250000, 1}, {250000, 9}, {PPM, 9}}};
static const Quantiles huge = {2, (const QuantileKnot[]){{0, 0}, {PPM, INT64_MAX}}};

static const struct {
    const Quantiles *quantiles;
    uint64_t word;
    int64_t expected;
} rows[] = {
    {&constant, 0, 42},
    {&constant, UINT64_MAX, 42},
    {&line, 0, 0},
    {&line, HALF, 500},
    {&line, UINT64_MAX, 999}, // never quite 1: rounded down
    {&bent, 0, 100},
    {&bent, HALF / 2, 150},
    {&bent, HALF, 200},
    {&bent, HALF + HALF / 2, 600}, // half of the way from 200 to 1000
    {&jumps, HALF / 2 - 1, 1},
    {&jumps, HALF / 2, 9},
    {&huge, HALF, INT64_MAX / 2},
};

START_TEST(a_sample_lies_on_the_line_between_knots)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_msg(quantiles_at(*rows[i].quantiles, rows[i].word) == rows[i].expected,
                      "row %zu: %" PRId64, i, quantiles_at(*rows[i].quantiles, rows[i].word));
}
END_TEST

START_TEST(samples_grow_with_the_word)
{
    int64_t before = 0;
    for (uint64_t word = 0; word < 1000; word++) {
        int64_t value = quantiles_at(bent, word * (UINT64_MAX / 1000));
        ck_assert_int_ge(value, before);
        before = value;
    }
}
END_TEST

START_TEST(means_are_those_worked_out_on_paper)
{
    ck_assert_int_eq(quantiles_mean(constant), 42);
    ck_assert_int_eq(quantiles_mean(line), 500);
    // Half of the time 150 on average, half of the time 600.
    ck_assert_int_eq(quantiles_mean(bent), 375);
    // A quarter of 1, three quarters of 9.
    ck_assert_int_eq(quantiles_mean(jumps), 7);
    // The largest of n uniform numbers is n / (n + 1) on average.
    ck_assert_int_eq(quantiles_mean_of_max(line, 1), 500);
    ck_assert_int_eq(quantiles_mean_of_max(line, 3), 750);
    ck_assert_int_eq(quantiles_mean_of_max(line, 99), 990);
    ck_assert_int_eq(quantiles_mean_of_max(constant, 64), 42);
    // 1 only when both are: 1/16 of 1, 15/16 of 9.
    ck_assert_int_eq(quantiles_mean_of_max(jumps, 2), 9);
}
END_TEST

START_TEST(the_excess_over_a_threshold_is_the_area_above_it)
{
    // Uniform on 0..1000 above 600: the integral of (x - 600) / 1000 from 600 to 1000 is 80.
    ck_assert_int_eq(quantiles_mean_excess(line, 1, 600), 80);
    ck_assert_int_eq(quantiles_mean_excess(line, 1, 1000), 0);
    ck_assert_int_eq(quantiles_mean_excess(line, 1, -100), 600);
    ck_assert_int_eq(quantiles_mean_excess(constant, 5, 40), 2);
    ck_assert_int_eq(quantiles_mean_excess(constant, 5, 43), 0);
}
END_TEST

START_TEST(drawn_means_tend_to_the_computed_ones)
{
    // The values span 900, so 40,000 draws leave a standard error below 450 / 200 = 2.25; four of
    // them.
    enum { DRAWS = 40000 };
    static const int32_t sizes[] = {1, 2, 4, 16};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int64_t sum = 0;
        int64_t excess = 0;
        for (uint64_t draw = 0; draw < DRAWS; draw++) {
            int64_t largest = 0;
            for (int32_t j = 0; j < sizes[i]; j++) {
                uint64_t word = rng_word(1, RNG_STEP, (uint64_t)j, draw);
                int64_t value = quantiles_at(bent, word);
                largest = value > largest ? value : largest;
            }
            sum += largest;
            excess += largest > 300 ? largest - 300 : 0;
        }
        ck_assert_int_le(imaxabs(sum / DRAWS - quantiles_mean_of_max(bent, sizes[i])), 9);
        ck_assert_int_le(imaxabs(excess / DRAWS - quantiles_mean_excess(bent, sizes[i], 300)), 9);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sample");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_sample_lies_on_the_line_between_knots);
    tcase_add_test(tests, samples_grow_with_the_word);
    tcase_add_test(tests, means_are_those_worked_out_on_paper);
    tcase_add_test(tests, the_excess_over_a_threshold_is_the_area_above_it);
    tcase_add_test(tests, drawn_means_tend_to_the_computed_ones);
    suite_add_tcase(suite, tests);
    return suite;
}
