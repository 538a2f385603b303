#include <string.h>

#include "sim/engine/rng.h"
#include "sim/output/metrics/attribution.h"
#include "tests/support/suite.h"

static int64_t sum_of(const int64_t *part)
{
    int64_t sum = 0;
    for (int use = 0; use < USE_COUNT; use++)
        sum += part[use];
    return sum;
}

START_TEST(parts_are_proportional_and_the_largest_remainders_get_the_rest)
{
    // 10 over weights 1, 1, 1 and 3: 1.67 each and 5. Two are left: the first two of three equals.
    Wide weight[USE_COUNT] = {[USE_USEFUL] = 1, [USE_GANG] = 1, [USE_LOST] = 1, [USE_IDLE] = 3};
    int64_t part[USE_COUNT];
    attribution_divide(10, weight, part);
    ck_assert_int_eq(part[USE_USEFUL], 2);
    ck_assert_int_eq(part[USE_GANG], 2);
    ck_assert_int_eq(part[USE_LOST], 1);
    ck_assert_int_eq(part[USE_IDLE], 5);
    ck_assert_int_eq(sum_of(part), 10);
}
END_TEST

START_TEST(parts_without_weight_get_nothing)
{
    const Wide nothing[USE_COUNT] = {0}, one[USE_COUNT] = {[USE_LOST] = 7};
    int64_t part[USE_COUNT];
    attribution_divide(10, nothing, part);
    ck_assert_int_eq(part[USE_UNATTRIBUTED], 10);
    ck_assert_int_eq(sum_of(part), 10);
    attribution_divide(10, one, part);
    ck_assert_int_eq(part[USE_LOST], 10);
    attribution_divide(0, one, part);
    ck_assert_int_eq(sum_of(part), 0);
}
END_TEST

START_TEST(the_parts_add_up_for_any_weights)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        Wide weight[USE_COUNT], weights = 0;
        int64_t part[USE_COUNT];
        for (int use = 0; use < USE_COUNT; use++) {
            const uint64_t word = rng_word(seed, RNG_STEP, 0, (uint64_t)use);
            // Every second seed: weights beyond 64 bits.
            weight[use] = word % 3 == 0 ? 0 : (Wide)(word >> (1 + word % 60)) << seed % 2 * 32;
            weights += weight[use];
        }
        const int64_t amount = (int64_t)(rng_word(seed, RNG_STEP, 1, 0) >> (1 + seed % 60));
        attribution_divide(amount, weight, part);
        ck_assert_msg(sum_of(part) == amount, "seed %d", (int)seed);
        for (int use = 0; use < USE_COUNT; use++) {
            ck_assert_msg(part[use] >= 0, "seed %d", (int)seed);
            ck_assert_msg(weight[use] > 0 || part[use] == 0 ||
                              (use == USE_UNATTRIBUTED && weights == 0),
                          "seed %d: %s", (int)seed, node_use_name((NodeUse)use));
        }
    }
}
END_TEST

START_TEST(negative_weights_count_as_0)
{
    const Wide weight[USE_COUNT] = {[USE_USEFUL] = -5, [USE_IDLE] = 1, [USE_LOST] = 1};
    int64_t part[USE_COUNT];
    attribution_divide(10, weight, part);
    ck_assert_int_eq(part[USE_USEFUL], 0);
    ck_assert_int_eq(part[USE_IDLE], 5);
    ck_assert_int_eq(part[USE_LOST], 5);
}
END_TEST

START_TEST(a_use_has_a_job_or_none)
{
    static const NodeUse with_job[] = {USE_USEFUL,     USE_EXCHANGE, USE_INPUT,       USE_STARTUP,
                                       USE_CHECKPOINT, USE_LOST,     USE_UNATTRIBUTED};
    bool has_job[USE_COUNT] = {false};
    for (size_t i = 0; i < sizeof with_job / sizeof with_job[0]; i++)
        has_job[with_job[i]] = true;
    for (int use = 0; use < USE_COUNT; use++)
        ck_assert_msg(node_use_is_without_job((NodeUse)use) == !has_job[use], "%s",
                      node_use_name((NodeUse)use));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("attribution");
    TCase *tests = tcase_create("attribution");
    tcase_add_test(tests, parts_are_proportional_and_the_largest_remainders_get_the_rest);
    tcase_add_test(tests, parts_without_weight_get_nothing);
    tcase_add_test(tests, the_parts_add_up_for_any_weights);
    tcase_add_test(tests, negative_weights_count_as_0);
    tcase_add_test(tests, a_use_has_a_job_or_none);
    suite_add_tcase(suite, tests);
    return suite;
}
