#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/engine/rng.h"
#include "sim/engine/sample.h"
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
    {&bent, HALF + HALF / 2, 600}, // halfway from 200 to 1000
    {&jumps, HALF / 2 - 1, 1},
    {&jumps, HALF / 2, 9},
    {&huge, HALF, INT64_MAX / 2},
};

START_TEST(a_sample_is_on_the_line_between_knots)
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

START_TEST(means_match_those_worked_out_on_paper)
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
    ck_assert_int_eq(quantiles_mean_excess(huge, 1, INT64_MIN), INT64_MAX); // not 3 * 2^62
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

/* --- Distributions --- */

static const struct {
    const char *name;
    Distribution distribution;
} families[] = {
    {"constant", {.quantiles = {1, (const QuantileKnot[]){{0, 42}}}}},
    {"line", {.quantiles = {2, (const QuantileKnot[]){{0, 0}, {PPM, 1000}}}}},
    {"exponential", {.kind = DISTRIBUTION_EXPONENTIAL, .scale = 264 * NS_PER_DAY}},
    {"falling hazard",
     {.kind = DISTRIBUTION_WEIBULL, .scale = 300 * NS_PER_HOUR, .shape_ppm = 750000}},
    {"rising hazard",
     {.kind = DISTRIBUTION_WEIBULL, .scale = 300 * NS_PER_HOUR, .shape_ppm = 3500000}},
    {"steep",
     {.kind = DISTRIBUTION_WEIBULL, .scale = NS_PER_DAY, .shape_ppm = DISTRIBUTION_SHAPE_MOST_PPM}},
    {"narrow",
     {.kind = DISTRIBUTION_LOGNORMAL,
      .scale = NS_PER_DAY,
      .shape_ppm = DISTRIBUTION_SHAPE_LEAST_PPM}},
    {"lognormal", {.kind = DISTRIBUTION_LOGNORMAL, .scale = 54 * NS_PER_MIN, .shape_ppm = 800000}},
    {"wide", {.kind = DISTRIBUTION_LOGNORMAL, .scale = NS_PER_DAY, .shape_ppm = 10000000}},
    {"nothing", {.kind = DISTRIBUTION_EXPONENTIAL, .scale = 0}},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

START_TEST(a_larger_word_never_gives_a_smaller_value)
{
    // Neighbours (with a distance of 2^16) at random and around the seams of the formulas, where an
    // error in the last place would show.
    static const double seams[] = {0.075, 0.925, 0.5, 0.632, 0.368, 1.39e-11, 0.293, 0.707};
    for (size_t f = 0; f < FAMILIES; f++)
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t word = rng_word(3, RNG_SHUFFLE, f, i);
            if (i % 4 == 0)
                word = (uint64_t)(seams[i / 4 % 8] * 0x1p64) + (i / 32 << 16);
            if (word >> 16 == UINT64_MAX >> 16)
                continue;
            int64_t value = distribution_at(families[f].distribution, word);
            int64_t next = distribution_at(families[f].distribution, word + 0x10000);
            ck_assert_msg(value >= 0 && next >= value, "%s at %" PRIx64 ": %" PRId64 " %" PRId64,
                          families[f].name, word, value, next);
        }
}
END_TEST

START_TEST(values_match_the_formulas)
{
    const Distribution exponential = families[2].distribution, weibull = families[3].distribution,
                       lognormal = families[7].distribution;
    // Half of all values are below ln 2 times the mean, scale (ln 2)^(1/k), and the median. The
    // word is half a step of 2^-48 above one half.
    ck_assert_int_le(
        llabs(distribution_at(exponential, HALF) - llround((double)exponential.scale * log(2))),
        100);
    ck_assert_int_le(llabs(distribution_at(weibull, HALF) -
                           llround((double)weibull.scale * pow(log(2), 1 / 0.75))),
                     10);
    ck_assert_int_le(llabs(distribution_at(lognormal, HALF) - lognormal.scale), 1);
    // The ends: 2^-49 from 0 and 1.
    ck_assert_int_eq(distribution_at(exponential, 0), llround((double)exponential.scale * 0x1p-49));
    ck_assert_int_eq(distribution_at(exponential, UINT64_MAX),
                     llround((double)exponential.scale * 49 * log(2)));
    // More than 292 years.
    ck_assert_int_eq(distribution_at(families[8].distribution, UINT64_MAX), INT64_MAX);
    ck_assert_int_eq(
        distribution_at((Distribution){.kind = DISTRIBUTION_EXPONENTIAL, .scale = INT64_MAX},
                        HALF + HALF / 2),
        INT64_MAX);
    ck_assert_int_eq(distribution_at(families[0].distribution, HALF), 42);
    ck_assert_int_eq(distribution_at(families[9].distribution, UINT64_MAX), 0);
}
END_TEST

START_TEST(means_of_distributions_match_the_formulas)
{
    ck_assert_int_eq(distribution_mean(families[0].distribution), 42);
    ck_assert_int_eq(distribution_mean(families[1].distribution), 500);
    ck_assert_int_eq(distribution_mean(families[2].distribution), 264 * NS_PER_DAY);
    // gamma(1 + 1 / 0.75) = 1.190639..., gamma(1 + 1 / 1) = 1.
    ck_assert_int_le(llabs(distribution_mean(families[3].distribution) -
                           llround(300 * 3600e9 * tgamma(1 + 1 / 0.75))),
                     1000);
    ck_assert_int_le(
        llabs(distribution_mean((Distribution){
                  .kind = DISTRIBUTION_WEIBULL, .scale = NS_PER_DAY, .shape_ppm = PPM}) -
              NS_PER_DAY),
        10);
    // median exp(0.8^2 / 2)
    ck_assert_int_le(
        llabs(distribution_mean(families[7].distribution) - llround(54 * 60e9 * exp(0.32))), 10);
    // exp(50) days
    ck_assert_int_eq(distribution_mean(families[8].distribution), INT64_MAX);
}
END_TEST

START_TEST(drawn_distributions_tend_to_their_means)
{
    enum { DRAWS = 100000 };
    for (size_t f = 0; f < 8; f++) {
        double sum = 0, squares = 0;
        double mean = (double)distribution_mean(families[f].distribution);
        for (uint64_t i = 0; i < DRAWS; i++) {
            uint64_t word = rng_word(5, RNG_NODE_FAILURE, f, i);
            double off = (double)distribution_at(families[f].distribution, word) - mean;
            sum += off;
            squares += off * off;
        }
        // Four standard errors; half a nanosecond more for rounding down.
        double error = sqrt(squares) / DRAWS;
        ck_assert_msg(fabs(sum / DRAWS) <= 4 * error + 0.5, "%s: %g off, standard error %g",
                      families[f].name, sum / DRAWS, error);
    }
}
END_TEST

START_TEST(the_right_fraction_of_draws_is_below_a_quantile)
{
    enum { DRAWS = 40000 };
    static const double quantiles[] = {0.001, 0.05, 0.5, 0.9, 0.999};
    for (size_t f = 1; f < 8; f++)
        for (size_t q = 0; q < 5; q++) {
            int64_t bound =
                distribution_at(families[f].distribution, (uint64_t)(quantiles[q] * 0x1p64));
            int32_t below = 0;
            for (uint64_t i = 0; i < DRAWS; i++)
                below += distribution_at(families[f].distribution,
                                         rng_word(9, RNG_NODE_LIFETIME, f, i)) < bound;
            double error = sqrt(DRAWS * quantiles[q] * (1 - quantiles[q]));
            // The line has only 1000 values: a thousandth more or less.
            double slack = f == 1 ? DRAWS / 1000.0 : 0;
            ck_assert_msg(fabs(below - DRAWS * quantiles[q]) <= 4 * error + slack,
                          "%s: %d below its quantile %g", families[f].name, below, quantiles[q]);
        }
}
END_TEST

START_TEST(a_value_above_a_bound_has_the_distribution_under_that_condition)
{
    enum { DRAWS = 20000 };
    for (size_t f = 1; f < 9; f++) { // P(X > b | X > a) = 0.25 / 0.7
        const Distribution distribution = families[f].distribution;
        const int64_t least = distribution_at(distribution, (uint64_t)(0.3 * 0x1p64));
        const int64_t bound = distribution_at(distribution, (uint64_t)(0.75 * 0x1p64));
        const double share = 0.25 / 0.7;
        int32_t above = 0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            const uint64_t word = rng_word(4, RNG_NODE_FAILURE, f, i);
            const int64_t value = distribution_above(distribution, word, least);
            ck_assert_int_gt(value, least);
            ck_assert_int_ge(distribution_above(distribution, UINT64_MAX, least), value);
            above += value > bound;
        }
        const double slack = f == 1 ? DRAWS / 700.0 : 0; // the line has only 1000 values
        ck_assert_msg(fabs(above - DRAWS * share) <= 4 * sqrt(DRAWS * share * (1 - share)) + slack,
                      "%s: %d of %d", families[f].name, above, DRAWS);
    }
}
END_TEST

START_TEST(a_bound_below_all_values_is_no_condition)
{
    for (size_t f = 0; f < FAMILIES; f++)
        for (uint64_t i = 0; i < 100; i++) {
            const uint64_t word = rng_word(6, RNG_NODE_FAILURE, f, i);
            ck_assert_int_eq(distribution_above(families[f].distribution, word, -1),
                             distribution_at(families[f].distribution, word));
        }
    ck_assert_int_eq(distribution_above(families[0].distribution, 7, 42), 42); // none is above
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sample");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_sample_is_on_the_line_between_knots);
    tcase_add_test(tests, samples_grow_with_the_word);
    tcase_add_test(tests, means_match_those_worked_out_on_paper);
    tcase_add_test(tests, the_excess_over_a_threshold_is_the_area_above_it);
    tcase_add_test(tests, drawn_means_tend_to_the_computed_ones);
    tcase_add_test(tests, a_larger_word_never_gives_a_smaller_value);
    tcase_add_test(tests, values_match_the_formulas);
    tcase_add_test(tests, means_of_distributions_match_the_formulas);
    tcase_add_test(tests, drawn_distributions_tend_to_their_means);
    tcase_add_test(tests, the_right_fraction_of_draws_is_below_a_quantile);
    tcase_add_test(tests, a_value_above_a_bound_has_the_distribution_under_that_condition);
    tcase_add_test(tests, a_bound_below_all_values_is_no_condition);
    suite_add_tcase(suite, tests);
    return suite;
}
