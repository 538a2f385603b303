#include "sim/base/units.h"
#include "sim/model/compute.h"
#include "tests/support/suite.h"

START_TEST(time_is_operations_over_the_reached_rate)
{
    // 3.926 GFLOP at 28 % of 4.37 TFLOP/s: 3926 / 1223.6 ms = 3.2085... ms, rounded up.
    ComputeRate k80 = {INT64_C(4370000000000), 280000};
    ck_assert_int_eq(compute_ns(k80, INT64_C(3926000000)), 3208565);
    ck_assert_int_eq(compute_ns(k80, 0), 0);
    // A second's worth is a second; one operation more rounds up.
    ck_assert_int_eq(compute_ns((ComputeRate){1000, 500000}, 500), NS_PER_S);
    ck_assert_int_eq(compute_ns((ComputeRate){NS_PER_S * 10, 1000000}, 11), 2);
}
END_TEST

START_TEST(arithmetic_or_memory_sets_the_pace)
{
    // 1 TFLOP/s reached: 2 GFLOP take 2 ms; 300 MB at 100 GB/s take 3 ms.
    ComputeRate rate = {INT64_C(2000000000000), 500000};
    const int64_t flops = INT64_C(2000000000), slow = INT64_C(100000000000);
    ck_assert_int_eq(roofline_ns(rate, flops, slow, 300000000), 3 * NS_PER_MS);
    ck_assert_int_eq(roofline_ns(rate, flops, 2 * slow, 300000000), 2 * NS_PER_MS);
    ck_assert_int_eq(roofline_ns(rate, flops, 0, 300000000), 2 * NS_PER_MS);
}
END_TEST

START_TEST(the_fullest_place_sets_the_pace)
{
    ck_assert_int_eq(busiest_share(4, 4), 1);
    ck_assert_int_eq(busiest_share(5, 4), 2);
    ck_assert_int_eq(busiest_share(2, 4), 1);
    ck_assert_int_eq(busiest_share(8, 1), 8);
}
END_TEST

START_TEST(input_is_bound_by_workers_and_by_processors)
{
    // 32 samples of 2 ms: 64 ms on one worker, 40 ms on 1.6.
    InputPipeline pipeline = {2 * NS_PER_MS, 1000000, 1, 6};
    ck_assert_int_eq(input_batch_ns(pipeline, 32), 64 * NS_PER_MS);
    pipeline.parallelism_ppm = 1600000;
    ck_assert_int_eq(input_batch_ns(pipeline, 32), 40 * NS_PER_MS);
    // Six ranks of 1.6 workers want 9.6 processors of 6: 64 ms * 6 / 6.
    pipeline.ranks_on_node = 6;
    ck_assert_int_eq(input_batch_ns(pipeline, 32), 64 * NS_PER_MS);
}
END_TEST

START_TEST(more_work_is_never_faster_and_more_power_never_slower)
{
    for (int64_t i = 1; i < 200; i++) {
        ComputeRate rate = {1000000 * i * i, 5000 * i};
        ComputeRate faster = {rate.peak_flops + i, rate.efficiency_ppm};
        ComputeRate better = {rate.peak_flops, rate.efficiency_ppm + i};
        int64_t flops = i * i * i * 1000;
        ck_assert_int_ge(compute_ns(rate, flops + i), compute_ns(rate, flops));
        ck_assert_int_le(compute_ns(faster, flops), compute_ns(rate, flops));
        ck_assert_int_le(compute_ns(better, flops), compute_ns(rate, flops));
        InputPipeline pipeline = {1000 * i, 300000 + 10000 * i, (int32_t)(i % 8 + 1), 6};
        ck_assert_int_ge(input_batch_ns(pipeline, i + 1), input_batch_ns(pipeline, i));
        InputPipeline crowded = pipeline;
        crowded.ranks_on_node++;
        ck_assert_int_ge(input_batch_ns(crowded, i), input_batch_ns(pipeline, i));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("compute");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, time_is_operations_over_the_reached_rate);
    tcase_add_test(tests, arithmetic_or_memory_sets_the_pace);
    tcase_add_test(tests, the_fullest_place_sets_the_pace);
    tcase_add_test(tests, input_is_bound_by_workers_and_by_processors);
    tcase_add_test(tests, more_work_is_never_faster_and_more_power_never_slower);
    suite_add_tcase(suite, tests);
    return suite;
}
