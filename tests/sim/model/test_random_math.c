#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "sim/engine/rng.h"
#include "sim/model/random_math.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

/* The distance of `found` from `expected`, in units in the last place of `expected`. */
static double ulps(double found, double expected)
{
    if (found == expected)
        return 0;
    return fabs(found - expected) / (nextafter(fabs(expected), INFINITY) - fabs(expected));
}

/* Uniform in [0, 1). */
static double uniform(uint64_t draw)
{
    return (double)(rng_word(1, RNG_SHUFFLE, 2, draw) >> 11) * 0x1p-53;
}

#define CLOSE(found, expected, most, what)                                                         \
    ck_assert_msg(ulps((found), (expected)) <= (most), "%s: %.17g, expected %.17g (%.2f ulp)",     \
                  (what), (found), (expected), ulps((found), (expected)))

START_TEST(the_logarithm_agrees_with_the_c_library)
{
    for (uint64_t i = 0; i < (uint64_t)case_count(200000); i++) {
        // Every exponent, and closely spaced values around 1, where cancellation leaves few digits.
        double everywhere = ldexp(0.5 + uniform(2 * i) / 2, (int)(i % 2080) - 1060);
        double near_one = 0.5 + 1.5 * uniform(2 * i + 1);
        CLOSE(random_log(everywhere), log(everywhere), 1.5, "log everywhere");
        CLOSE(random_log(near_one), log(near_one), 1.5, "log near 1");
    }
    double x = 0x1p-53;
    while (x < 0.4) {
        CLOSE(random_log(1 + 2 * x), log(1 + 2 * x), 1.5, "log above 1");
        CLOSE(random_log(1 - x), log(1 - x), 1.5, "log below 1");
        x *= 1.5;
    }
    ck_assert(random_log(1) == 0);
}
END_TEST

START_TEST(the_exponential_agrees_with_the_c_library)
{
    for (uint64_t i = 0; i < (uint64_t)case_count(200000); i++) {
        double everywhere = 1417 * uniform(2 * i) - 707.5;
        double small = uniform(2 * i + 1) - 0.5;
        CLOSE(random_exp(everywhere), exp(everywhere), 1.5, "exp everywhere");
        CLOSE(random_exp(small), exp(small), 1.5, "exp of little");
    }
    ck_assert(random_exp(0) == 1);
    ck_assert(random_exp(-746) == 0);
    ck_assert(random_exp(-744) > 0 && random_exp(-744) < DBL_MIN);
    ck_assert(random_exp(-1e300) == 0);
    ck_assert(random_exp(710) == DBL_MAX);
    ck_assert(random_exp(1e300) == DBL_MAX);
}
END_TEST

START_TEST(normal_quantiles_lead_back_to_their_probabilities)
{
    for (uint64_t i = 0; i < (uint64_t)case_count(200000); i++) {
        // In the lower half, where erfc keeps its digits; down to 2^-49 every other time.
        double p = ldexp(0.5 + uniform(i) / 2, i % 2 == 0 ? 0 : -(int)(i % 48)) / 2;
        double z = random_normal(p);
        double density = exp(-z * z / 2) / sqrt(2 * acos(-1));
        double back = erfc(-z / sqrt(2)) / 2;
        // The resulting error of z, relative to z.
        double off = fabs(back - p) / density / fmax(fabs(z), 0.01);
        ck_assert_msg(off < 2e-15, "p %.17g: z %.17g is off by %g", p, z, off);
    }
}
END_TEST

START_TEST(normal_quantiles_are_symmetric_and_known)
{
    static const struct {
        double p, z;
    } rows[] = {
        // The examples of AS 241, and what every table has.
        {0.25, -0.6744897501960817},
        {0.001, -3.090232306167813},
        {1e-20, -9.262340089798408},
        {0.975, 1.959963984540054},
        {0.5, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(fabs(random_normal(rows[i].p) - rows[i].z) <= 4e-15, "%g: %.17g", rows[i].p,
                      random_normal(rows[i].p));
    for (int n = 1; n < 512; n++)
        ck_assert(random_normal(n / 1024.0) == -random_normal(1 - n / 1024.0));
}
END_TEST

START_TEST(normal_quantiles_rise_across_the_seams)
{
    static const double seams[] = {0.075, 0.925, 1.3887943864964021e-11, 1 - 0x1.0p-36};
    for (size_t i = 0; i < sizeof seams / sizeof seams[0]; i++)
        for (int n = -50; n < 50; n++)
            ck_assert(random_normal(seams[i] + n * 0x1p-48) <
                      random_normal(seams[i] + (n + 1) * 0x1p-48));
}
END_TEST

START_TEST(gamma_agrees_with_the_c_library)
{
    for (int n = 100; n <= 10000; n++) {
        double x = n / 100.0;
        double relative = fabs(random_gamma(x) / tgamma(x) - 1);
        ck_assert_msg(relative < (x < 20 ? 1e-13 : 1e-12), "%g: off by %g", x, relative);
    }
    // (n - 1)!
    ck_assert_double_eq_tol(random_gamma(6), 120, 1e-10);
    ck_assert_double_eq_tol(random_gamma(1.5), sqrt(acos(-1)) / 2, 1e-13);
}
END_TEST

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Every compiler and every processor must compute these bits. */
START_TEST(results_have_the_same_bits_everywhere)
{
    static const struct {
        double x;
        uint64_t log, exp, normal;
    } rows[] = {
        {0x1p-40, UINT64_C(0xc03bb9d3beb8c86b), UINT64_C(0x3ff0000000001000),
         UINT64_C(0xc01c30d8560989ab)},
        {0x1.0624dd2f1a9fcp-10, UINT64_C(0xc01ba18a998fffa0), UINT64_C(0x3ff0041919b7ee34),
         UINT64_C(0xc008b8cbb7204470)},
        {0x1.3333333333333p-4, UINT64_C(0xc004b8ddfddbf088), UINT64_C(0x3ff13f03738ed1ce),
         UINT64_C(0xbff7085226d3e523)},
        {0x1.3333333333333p-2, UINT64_C(0xbff34378fcbda721), UINT64_C(0x3ff599058c8c1a96),
         UINT64_C(0xbfe0c7e39582c5fa)},
        {0x1p-1, UINT64_C(0xbfe62e42fefa39ef), UINT64_C(0x3ffa61298e1e069c),
         UINT64_C(0x0000000000000000)},
        {0x1.6666666666666p-1, UINT64_C(0xbfd6d3c324e13f50), UINT64_C(0x40001c2a61268987),
         UINT64_C(0x3fe0c7e39582c5fa)},
        {0x1.ff7ced916872bp-1, UINT64_C(0xbf5064670d979b73), UINT64_C(0x4005b97a17d41193),
         UINT64_C(0x4008b8cbb7204470)},
    };
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_uint_eq(bits_of(random_log(rows[i].x)), rows[i].log);
        ck_assert_uint_eq(bits_of(random_exp(rows[i].x)), rows[i].exp);
        ck_assert_uint_eq(bits_of(random_normal(rows[i].x)), rows[i].normal);
    }
    for (uint64_t i = 0; i < 200000; i++) {
        double x = (double)(rng_word(7, RNG_SHUFFLE, 7, i) >> 12) * 0x1p-52 + 0x1p-53;
        sum = sum * 31 + bits_of(random_log(x));
        sum = sum * 31 + bits_of(random_exp(40 * x - 20));
        sum = sum * 31 + bits_of(random_normal(x));
        sum = sum * 31 + bits_of(random_gamma(1 + 19 * x));
    }
    ck_assert_uint_eq(sum, UINT64_C(0x92b005c80e29bfdf));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("random_math");
    TCase *tests = tcase_create("random_math");
    tcase_add_test(tests, the_logarithm_agrees_with_the_c_library);
    tcase_add_test(tests, the_exponential_agrees_with_the_c_library);
    tcase_add_test(tests, normal_quantiles_lead_back_to_their_probabilities);
    tcase_add_test(tests, normal_quantiles_are_symmetric_and_known);
    tcase_add_test(tests, normal_quantiles_rise_across_the_seams);
    tcase_add_test(tests, gamma_agrees_with_the_c_library);
    tcase_add_test(tests, results_have_the_same_bits_everywhere);
    suite_add_tcase(suite, tests);
    return suite;
}
