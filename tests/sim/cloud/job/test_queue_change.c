/* Queues whose guarantee or limit changes during a run: examples on paper. */
#include "sim/cloud/job/job.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/suite.h"

static QueueSpec limited(int64_t guaranteed, int64_t most)
{
    QueueSpec spec = queue(guaranteed);
    spec.most = most;
    return spec;
}

static int32_t changes(void)
{
    return recording_count(&recording, TRACE_QUEUE_CHANGED, NULL);
}

static int32_t refusals(void)
{
    return recording_count(&recording, TRACE_COMMAND_REFUSED, NULL);
}

START_TEST(a_higher_limit_starts_jobs_at_once)
{
    const QueueSpec queues[] = {limited(0, 1)};
    add_cluster(4, 1, queues, 1);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 1, 0, 1, 1000);
    change_queue(100, 0, -1, 3);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(0, 0), 1);
    ck_assert_int_eq(start_s(1, 0), 100);
    ck_assert_int_eq(start_s(2, 0), 100);
    ck_assert_int_eq(start_s(3, 0), 1001);
    const TraceRecord *record = recording_find(&recording, TRACE_QUEUE_CHANGED, "a", 0);
    ck_assert_int_eq(record->queue_changed.gpus, 0);
    ck_assert_int_eq(record->queue_changed.gpus_max, 3);
}
END_TEST

START_TEST(a_lower_limit_stops_no_job_and_starts_none_until_there_is_room_below_it)
{
    // Three GPUs are in use at 100 s, when the limit falls to two. The jobs end at 201, 301 and 401
    // s: at 301 s one is in use, and the next job starts.
    const QueueSpec queues[] = {limited(0, 3)};
    add_cluster(4, 1, queues, 1);
    for (int32_t i = 0; i < 3; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 1, 0, 1, 200 + 100 * i);
    add_job("next", 2, 0, 1, 50);
    change_queue(100, 0, -1, 2);
    run_world(POLICY_SERVICE);
    for (uint32_t job = 0; job < 3; job++)
        ck_assert_int_eq(start_s(job, 1), -1);
    ck_assert_int_eq(start_s(3, 0), 301);
}
END_TEST

START_TEST(a_limit_of_zero_closes_a_queue)
{
    const QueueSpec queues[] = {queue(0), queue(0)};
    add_cluster(1, 1, queues, 2);
    change_queue(0, 0, -1, 0); // before the first job of the cluster
    add_job("a", 1, 0, 1, 50);
    add_job("b", 2, 1, 1, 50);
    change_queue(1000, 0, -1, INT32_MAX);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 2);
    ck_assert_int_eq(start_s(0, 0), 1000);
}
END_TEST

START_TEST(a_lower_limit_and_reclaim_take_gpus_back_by_the_guarantee)
{
    // b has four GPUs, two of them guaranteed. At 100 s its limit is two, which stops no job. a
    // waits from 200 s on and reclaims two GPUs; of b those that are covered stay.
    const QueueSpec queues[] = {reclaiming(2, 30), queue(2)};
    add_cluster(4, 1, queues, 2);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "b%d", (int)i), 1 + i, 1, 1, 1000);
    change_queue(100, 1, -1, 2);
    add_job("a0", 200, 0, 1, 50);
    add_job("a1", 200, 0, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(4, 0), 230);
    ck_assert_int_eq(start_s(5, 0), 230);
    ck_assert_int_eq(start_s(0, 1), -1);
    ck_assert_int_eq(start_s(1, 1), -1);
    // a ends at 280 s, but b may have two only: b2 and b3 return at 1001 and 1002 s.
    ck_assert_int_eq(start_s(2, 1), 1001);
    ck_assert_int_eq(start_s(3, 1), 1002);
}
END_TEST

START_TEST(a_queue_waits_for_its_guarantee_from_the_time_it_has_one)
{
    const QueueSpec queues[] = {reclaiming(0, 30), queue(0)};
    add_cluster(1, 1, queues, 2);
    add_job("b", 1, 1, 1, 1000);
    add_job("a", 10, 0, 1, 50);
    change_queue(100, 0, 1, -1);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 130);
    ck_assert_int_eq(recording_find(&recording, TRACE_QUEUE_RECLAIMS, "a", 0)->since_ns,
                     100 * NS_PER_S);
}
END_TEST

START_TEST(a_lower_guarantee_makes_jobs_borrow)
{
    // b is guaranteed its GPU until 100 s. a has waited since 10 s for its own, so that b, which
    // borrows from then on, stops at once.
    const QueueSpec queues[] = {reclaiming(1, 30), queue(1)};
    add_cluster(1, 1, queues, 2);
    add_job("b", 1, 1, 1, 1000);
    add_job("a", 10, 0, 1, 50);
    change_queue(100, 1, 0, -1);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 100);
}
END_TEST

START_TEST(of_two_changes_at_one_instant_the_last_counts)
{
    const QueueSpec queues[] = {limited(0, 1)};
    add_cluster(4, 1, queues, 1);
    for (int32_t i = 0; i < 3; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 1, 0, 1, 1000);
    change_queue(100, 0, -1, 3);
    change_queue(100, 0, -1, 2);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 100);
    ck_assert_int_eq(start_s(2, 0), 1001);
    ck_assert_int_eq(changes(), 2);
}
END_TEST

START_TEST(a_limit_below_the_guarantee_is_refused_and_changes_nothing)
{
    const QueueSpec queues[] = {limited(2, 2)};
    add_cluster(4, 1, queues, 1);
    for (int32_t i = 0; i < 3; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 1, 0, 1, 1000);
    change_queue(100, 0, -1, 1);
    change_queue(200, 0, 3, -1);
    change_queue(300, 0, 3, 3);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(refusals(), 2);
    ck_assert_int_eq(changes(), 1);
    ck_assert_int_eq(start_s(1, 0), 1);
    ck_assert_int_eq(start_s(2, 0), 300);
}
END_TEST

START_TEST(a_change_of_an_unknown_queue_is_refused)
{
    const QueueSpec queues[] = {queue(0)};
    add_cluster(1, 1, queues, 1);
    change_queue(100, 2, 1, -1);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(refusals(), 1);
    ck_assert_int_eq(changes(), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queue_change");
    TCase *tests = tcase_create("queue_change");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_higher_limit_starts_jobs_at_once);
    tcase_add_test(tests, a_lower_limit_stops_no_job_and_starts_none_until_there_is_room_below_it);
    tcase_add_test(tests, a_limit_of_zero_closes_a_queue);
    tcase_add_test(tests, a_lower_limit_and_reclaim_take_gpus_back_by_the_guarantee);
    tcase_add_test(tests, a_queue_waits_for_its_guarantee_from_the_time_it_has_one);
    tcase_add_test(tests, a_lower_guarantee_makes_jobs_borrow);
    tcase_add_test(tests, of_two_changes_at_one_instant_the_last_counts);
    tcase_add_test(tests, a_limit_below_the_guarantee_is_refused_and_changes_nothing);
    tcase_add_test(tests, a_change_of_an_unknown_queue_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
