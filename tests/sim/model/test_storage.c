#include "sim/base/units.h"
#include "sim/model/storage.h"
#include "tests/support/suite.h"

#define MIB (INT64_C(1) << 20)

/* A standard Azure Files share of 2018: 60 MiB/s, 1000 requests per second. */
static const StorageLimits standard = {
    .bytes_per_s = 60 * MIB, .requests_per_s = 1000, .request_bytes = MIB, .requests_in_flight = 4};

START_TEST(a_transfer_is_cut_into_requests)
{
    ck_assert_int_eq(storage_requests(standard, 0), 1); // an empty file is still asked for
    ck_assert_int_eq(storage_requests(standard, 1), 1);
    ck_assert_int_eq(storage_requests(standard, MIB), 1);
    ck_assert_int_eq(storage_requests(standard, MIB + 1), 2);
}
END_TEST

START_TEST(requests_wait_in_rounds)
{
    ck_assert_int_eq(storage_latency_ns(standard, 3 * NS_PER_MS, 4 * MIB), 3 * NS_PER_MS);
    ck_assert_int_eq(storage_latency_ns(standard, 3 * NS_PER_MS, 4 * MIB + 1), 6 * NS_PER_MS);
}
END_TEST

START_TEST(overlapping_requests_wait_once_and_limit_a_file)
{
    // A request of 1 MiB takes a share of 60 MiB/s 16.7 ms. Four in flight hide up to 66.7 ms; with
    // 100 ms a file has 40 requests per second, so 1.5 files reach the share's 60.
    StorageLimits overlapping = standard;
    overlapping.requests_overlap = true;
    ck_assert_int_eq(storage_latency_ns(overlapping, 3 * NS_PER_MS, 400 * MIB), 3 * NS_PER_MS);
    ck_assert_int_eq(storage_window_ppm(overlapping, 3 * NS_PER_MS), PPM);
    ck_assert_int_eq(storage_window_ppm(overlapping, 66 * NS_PER_MS), PPM);
    ck_assert_int_eq(storage_window_ppm(overlapping, 100 * NS_PER_MS), 1500000);
    ck_assert_int_eq(storage_window_ppm(standard, 100 * NS_PER_MS), PPM); // in rounds: it is added
    // Where 20 requests per second are the limit of the share, 200 ms hide four of them.
    overlapping.requests_per_s = 20;
    ck_assert_int_eq(storage_window_ppm(overlapping, 200 * NS_PER_MS), PPM);
    ck_assert_int_eq(storage_window_ppm(overlapping, 300 * NS_PER_MS), 1500000);
}
END_TEST

START_TEST(work_is_set_by_the_limit_reached_first)
{
    // 120 MiB at 60 MiB/s: 2 s; its 120 requests would take 0.12 s.
    ck_assert_int_eq(storage_work_ns(standard, 120 * MIB), 2 * NS_PER_S);
    // In requests of 4 KiB the same are 30,720 of them: 30.72 s.
    StorageLimits small = standard;
    small.request_bytes = 4096;
    ck_assert_int_eq(storage_work_ns(small, 120 * MIB), INT64_C(30720) * NS_PER_MS);
    ck_assert_int_eq(storage_work_ns(standard, 0), 0);
}
END_TEST

START_TEST(more_bytes_never_take_less_time)
{
    for (int64_t bytes = 0; bytes < 20 * MIB; bytes = bytes * 5 / 4 + 777) {
        ck_assert_int_le(storage_work_ns(standard, bytes), storage_work_ns(standard, bytes + 1));
        ck_assert_int_le(storage_latency_ns(standard, NS_PER_MS, bytes),
                         storage_latency_ns(standard, NS_PER_MS, bytes + 1));
        StorageLimits faster = standard;
        faster.bytes_per_s *= 2;
        ck_assert_int_ge(storage_work_ns(standard, bytes), storage_work_ns(faster, bytes));
    }
}
END_TEST

START_TEST(limits_grow_with_each_tib_and_round_down)
{
    const int64_t gib = INT64_C(1) << 30;
    ck_assert_int_eq(storage_grown(400, 1024, 0), 400);
    ck_assert_int_eq(storage_grown(400, 1024, 1), 400);
    ck_assert_int_eq(storage_grown(400, 1024, 100 * gib), 500);
    ck_assert_int_eq(storage_grown(400, 1024, 100 * gib - 1), 499);
    ck_assert_int_eq(storage_grown(400, 1024, 2048 * gib), 400 + 2048);
    ck_assert_int_eq(storage_grown(60 * MIB, 0, 2048 * gib), 60 * MIB);
    ck_assert(storage_grown(1, INT64_MAX / 2, INT64_MAX) == INT64_MAX);
}
END_TEST

START_TEST(a_number_of_files_reaches_the_limit_of_its_share)
{
    ck_assert_int_eq(storage_files_at_once_ppm(300 * MIB, 60 * MIB), 5000000);
    ck_assert_int_eq(storage_files_at_once_ppm(60 * MIB, 60 * MIB), 1000000);
    ck_assert_int_eq(storage_files_at_once_ppm(60 * MIB, 100 * MIB), 1000000);
    ck_assert_int_eq(storage_files_at_once_ppm(100, 30), 3333334); // rounded up
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("storage");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_transfer_is_cut_into_requests);
    tcase_add_test(tests, requests_wait_in_rounds);
    tcase_add_test(tests, overlapping_requests_wait_once_and_limit_a_file);
    tcase_add_test(tests, work_is_set_by_the_limit_reached_first);
    tcase_add_test(tests, more_bytes_never_take_less_time);
    tcase_add_test(tests, limits_grow_with_each_tib_and_round_down);
    tcase_add_test(tests, a_number_of_files_reaches_the_limit_of_its_share);
    suite_add_tcase(suite, tests);
    return suite;
}
