#include "sim/study/statistics/distribution.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

#include "tests/support/suite.h"

/* Allowed relative difference from GSL. */
static const double tolerance = 3e-11;

/* GSL's quantiles lose digits in far tails: t(1e-12, 1) is 1 / (pi 1e-12), GSL's has 5 right
 * digits.
 */
static const double levels[] = {1e-4, 0.005, 0.025, 0.05, 0.1,  0.2,   0.3,  0.45,  0.49,    0.5,
                                0.55, 0.7,   0.8,   0.9,  0.95, 0.975, 0.99, 0.995, 1 - 1e-4};
static const double freedoms[] = {1,  1.5, 2,  2.7, 3,  4,   5,   7.31, 9,   10,      14.9,
                                  19, 29,  39, 59,  99, 199, 399, 999,  1e4, 99999.5, 1e6};
static const double shapes[] = {0.5, 1, 1.5, 2, 3, 5.5, 10, 30, 100, 1234.5, 1e4, 1e6};

static size_t bad; /* of the test that runs: libcheck gives each its own process */
static double worst;

static void compare(const char *what, double a, double b, double c, double got, double wanted)
{
    double error = wanted == 0 ? fabs(got) : fabs(got / wanted - 1);
    worst = fmax(worst, error);
    if (error <= tolerance)
        return;
    bad++;
    printf("%s(%.17g, %g, %g): %.17g, GSL %.17g (%.2g)\n", what, a, b, c, got, wanted, error);
}

static void check_all_agree(const char *what)
{
    printf("%s: largest relative difference from GSL %.2g\n", what, worst);
    ck_assert_int_eq((int)bad, 0);
}

#define EACH(i, array) for (size_t i = 0; i < sizeof array / sizeof array[0]; i++)

/* GSL's quantile, from the side on which it has no 1 - p. */
static double gsl_student(double p, double freedom)
{
    return p == 0.5  ? 0
           : p < 0.5 ? gsl_cdf_tdist_Pinv(p, freedom)
                     : gsl_cdf_tdist_Qinv(1 - p, freedom);
}

START_TEST(student_quantiles_agree_with_gsl)
{
    EACH(f, freedoms)
    EACH(p, levels)
    compare("student_quantile", levels[p], freedoms[f], 0, student_quantile(levels[p], freedoms[f]),
            gsl_student(levels[p], freedoms[f]));
    check_all_agree("student_quantile");
}
END_TEST

START_TEST(student_quantiles_are_exact_where_there_is_a_formula)
{
    // 1 degree of freedom: tan(pi (p - 1/2)) = -1 / tan(pi p); 2: (2p - 1) / sqrt(2 p (1 - p)).
    static const double tails[] = {1e-100, 1e-50, 1e-12, 1e-6, 1e-3, 0.05,
                                   0.2,    0.24,  0.26,  0.4,  0.499};
    EACH(p, tails)
    {
        double q = tails[p];
        compare("t, 1 degree", q, 1, 0, student_quantile(q, 1), -1 / tan(acos(-1) * q));
        compare("t, 2 degrees", q, 2, 0, student_quantile(q, 2),
                (2 * q - 1) / sqrt(2 * q * (1 - q)));
    }
    check_all_agree("student_quantile");
}
END_TEST

START_TEST(student_probabilities_agree_with_gsl)
{
    static const double ts[] = {-50, -6, -2.5, -1, -0.1, -1e-5, 0, 1e-3, 0.7, 1.96, 3, 12.7, 63.66};
    EACH(f, freedoms)
    EACH(t, ts)
    {
        double wanted = gsl_cdf_tdist_P(ts[t], freedoms[f]);
        if (wanted > 1e-50) // smaller ones have fewer right digits in GSL
            compare("student_probability", ts[t], freedoms[f], 0,
                    student_probability(ts[t], freedoms[f]), wanted);
    }
    check_all_agree("student_probability");
}
END_TEST

START_TEST(normal_probabilities_and_quantiles_agree_with_gsl)
{
    for (double z = -9; z <= 9; z += 0.125) {
        compare("normal_probability", z, 0, 0, normal_probability(z), gsl_cdf_ugaussian_P(z));
        compare("its complement", z, 0, 0, normal_probability(-z), gsl_cdf_ugaussian_Q(z));
    }
    EACH(p, levels)
    compare("normal_quantile", levels[p], 0, 0, normal_quantile(levels[p]),
            levels[p] == 0.5 ? 0 : gsl_cdf_ugaussian_Pinv(levels[p]));
    check_all_agree("normal");
}
END_TEST

START_TEST(beta_probabilities_agree_with_gsl)
{
    EACH(a, shapes)
    EACH(b, shapes)
    EACH(p, levels)
    {
        // Points spread over where the distribution is: its mean moved by standard deviations.
        double sum = shapes[a] + shapes[b], mean = shapes[a] / sum;
        double deviation = sqrt(mean * (1 - mean) / (sum + 1));
        double x = mean + deviation * gsl_cdf_ugaussian_Pinv(levels[p]);
        if (x <= 0 || x >= 1)
            continue;
        double wanted = gsl_cdf_beta_P(x, shapes[a], shapes[b]);
        // GSL's values are good to 1e-9 for shapes of a million: I_1/2(a, a) is not 1/2 there.
        if (wanted > 1e-5 && sum < 5000)
            compare("beta_probability", x, shapes[a], shapes[b],
                    beta_probability(x, shapes[a], shapes[b]), wanted);
    }
    check_all_agree("beta_probability");
}
END_TEST

START_TEST(beta_probabilities_are_symmetrical)
{
    EACH(a, shapes)
    {
        compare("half of", shapes[a], 0, 0, beta_probability(0.5, shapes[a], shapes[a]), 0.5);
        EACH(b, shapes)
        for (double x = 1.0 / 64; x < 1; x += 1.0 / 64)
            compare("the sum of both sides", x, shapes[a], shapes[b],
                    beta_probability(x, shapes[a], shapes[b]) +
                        beta_probability(1 - x, shapes[b], shapes[a]),
                    1);
    }
    check_all_agree("beta_probability");
}
END_TEST

/* The sum of all terms up to k over the sum of all terms, each from its neighbour, beginning at the
 * most likely one, as far as they count: no logarithm and no factorial. */
static double binomial_sum(int32_t k, int32_t n, double p)
{
    const long double least = 0x1p-120L; // of the most likely term
    int32_t mode = (int32_t)((n + 1) * p);
    long double odds = (long double)p / (1 - (long double)p), term = 1, all = 0, within = 0;
    for (int32_t i = mode; i <= n && term > least; i++) {
        all += term;
        within += i <= k ? term : 0;
        term *= odds * (n - i) / (i + 1);
    }
    term = 1;
    for (int32_t i = mode; i > 0 && term > least; i--) {
        term /= odds * (n - i + 1) / i;
        all += term;
        within += i - 1 <= k ? term : 0;
    }
    return (double)(within / all);
}

START_TEST(binomial_probabilities_are_sums_of_their_terms)
{
    static const int32_t trials[] = {1, 2, 10, 59, 400, 20000, 1000000};
    static const double chances[] = {0.001, 0.05, 0.5, 0.9, 0.95, 0.999};
    EACH(n, trials)
    EACH(p, chances)
    for (int32_t step = -20; step <= 20; step++) {
        double deviation = sqrt(trials[n] * chances[p] * (1 - chances[p]));
        int32_t k = (int32_t)(trials[n] * chances[p] + step / 4.0 * deviation);
        if (k < 0 || k >= trials[n])
            continue;
        compare("binomial_probability", k, trials[n], chances[p],
                binomial_probability(k, trials[n], chances[p]),
                binomial_sum(k, trials[n], chances[p]));
    }
    check_all_agree("binomial_probability");
}
END_TEST

START_TEST(the_edges_are_exact)
{
    ck_assert_double_eq(student_quantile(0.5, 3), 0);
    ck_assert_double_eq(student_probability(0, 3), 0.5);
    ck_assert_double_eq(student_quantile(0.25, 7), -student_quantile(0.75, 7));
    ck_assert_double_eq(beta_probability(0, 2, 3), 0);
    ck_assert_double_eq(beta_probability(1, 2, 3), 1);
    ck_assert_double_eq(binomial_probability(-1, 5, 0.3), 0);
    ck_assert_double_eq(binomial_probability(5, 5, 0.3), 1);
    ck_assert_double_eq(binomial_probability(2, 5, 0), 1);
    ck_assert_double_eq(binomial_probability(2, 5, 1), 0);
    ck_assert_double_eq(binomial_probability(0, 0, 0.3), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("distribution");
    TCase *tests = tcase_create("distribution");
    tcase_add_test(tests, student_quantiles_agree_with_gsl);
    tcase_add_test(tests, student_quantiles_are_exact_where_there_is_a_formula);
    tcase_add_test(tests, student_probabilities_agree_with_gsl);
    tcase_add_test(tests, normal_probabilities_and_quantiles_agree_with_gsl);
    tcase_add_test(tests, beta_probabilities_agree_with_gsl);
    tcase_add_test(tests, beta_probabilities_are_symmetrical);
    tcase_add_test(tests, binomial_probabilities_are_sums_of_their_terms);
    tcase_add_test(tests, the_edges_are_exact);
    suite_add_tcase(suite, tests);
    return suite;
}
