/* Notices of the scheduler: jobs that are stopped for a queue with a grace period. Examples on
 * paper, and random worlds whose records are checked by rules that are written down here once more.
 */
#include "sim/cloud/job/job.h"
#include "sim/cloud/tables.h"
#include "sim/engine/rng.h"
#include "tests/support/queue_fixture.h"
#include "tests/support/suite.h"

static QueueSpec graceful(int64_t guaranteed, int64_t after_s, int64_t grace_s)
{
    QueueSpec spec = reclaiming(guaranteed, after_s);
    spec.grace_ns = grace_s * NS_PER_S;
    return spec;
}

/* How many notices were given, or withdrawn, until `at_s`; the job, or ID_NONE for all. */
static int32_t notices(uint32_t job, bool is_given, int64_t until_s)
{
    int32_t count = 0;
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        count += record->kind == TRACE_JOB_NOTICE && (job == ID_NONE || record->job.index == job) &&
                 (record->job_notice.grace_ns >= 0) == is_given &&
                 record->at_ns <= until_s * NS_PER_S;
    }
    return count;
}

static int32_t given(uint32_t job)
{
    return notices(job, true, INT32_MAX);
}

static int32_t withdrawn(uint32_t job)
{
    return notices(job, false, INT32_MAX);
}

static int64_t end_s(const World *world, uint32_t job)
{
    ck_assert_int_eq(world_job(world, (JobId){job})->state, JOB_SUCCEEDED);
    return world_job(world, (JobId){job})->ended_ns / NS_PER_S;
}

/* --- Reclaim --- */

START_TEST(jobs_run_on_for_the_grace_period_and_stop_together)
{
    // Four nodes of one GPU, all borrowed by b. a waits for two of its three from 10 s on. After 30
    // s the two newest of b get notice, and at 60 s they stop. They return when a has ended.
    const QueueSpec queues[] = {graceful(3, 30, 20), queue(1)};
    add_cluster(4, 1, queues, 2);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "b%d", (int)i), 1 + i, 1, 1, 1000);
    add_job("a", 10, 0, 2, 50);
    const World *world = run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(4, 0), 60);
    ck_assert_int_eq(given(2) + given(3), 2);
    ck_assert_int_eq(notices(ID_NONE, true, 39), 0);
    ck_assert_int_eq(withdrawn(ID_NONE), 0);
    ck_assert_int_eq(start_s(2, 1), 110);
    ck_assert_int_eq(end_s(world, 2), 3 + 1000 + 50); // it keeps the work of the grace period
    const TraceRecord *notice = recording_find(&recording, TRACE_JOB_NOTICE, "a", 0);
    ck_assert_int_eq(notice->at_ns, 40 * NS_PER_S);
    ck_assert_int_eq(notice->job_notice.grace_ns, 20 * NS_PER_S);
    ck_assert_int_eq(notice->cause, CAUSE_RECLAIM);
    ck_assert_int_eq(recording_find(&recording, TRACE_QUEUE_RECLAIMS, "a", 0)->since_ns,
                     10 * NS_PER_S);
}
END_TEST

START_TEST(a_job_that_ends_in_its_grace_period_gives_its_nodes_at_once)
{
    // b1 gets notice at 40 s for 20 s, and ends at 50 s.
    const QueueSpec queues[] = {graceful(1, 30, 20), queue(1)};
    add_cluster(2, 1, queues, 2);
    add_job("b0", 1, 1, 1, 1000);
    add_job("b1", 2, 1, 1, 48);
    add_job("a", 10, 0, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(given(1), 1);
    ck_assert_int_eq(withdrawn(ID_NONE), 0);
    ck_assert_int_eq(start_s(2, 0), 50);
    ck_assert_int_eq(reclaims(), 0);
}
END_TEST

START_TEST(a_notice_is_withdrawn_when_other_nodes_become_free)
{
    // b1 has notice until 60 s. At 50 s b0 ends, and a starts on its node.
    const QueueSpec queues[] = {graceful(1, 30, 20), queue(1)};
    add_cluster(2, 1, queues, 2);
    add_job("b0", 1, 1, 1, 49);
    add_job("b1", 2, 1, 1, 1000);
    add_job("a", 10, 0, 1, 50);
    const World *world = run_world(POLICY_SERVICE);
    ck_assert_int_eq(given(1), 1);
    ck_assert_int_eq(withdrawn(1), 1);
    ck_assert_int_eq(notices(1, false, 49), 0);
    ck_assert_int_eq(start_s(2, 0), 50);
    ck_assert_int_eq(end_s(world, 1), 1002);
    ck_assert_int_eq(reclaims(), 0);
}
END_TEST

START_TEST(a_notice_is_withdrawn_when_the_waiting_job_leaves)
{
    // a0 is terminated in the grace period. a1 comes later: its queue waits anew.
    const QueueSpec queues[] = {graceful(1, 30, 20), queue(0)};
    add_cluster(1, 1, queues, 2);
    add_job("b", 1, 1, 1, 1000);
    add_job("a0", 10, 0, 1, 50);
    commands_add(&list, COMMAND_JOB_TERMINATE, "a0", 50 * NS_PER_S);
    add_job("a1", 55, 0, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(withdrawn(0), 1);
    ck_assert_int_eq(notices(0, false, 50), 1);
    ck_assert_int_eq(given(0), 2);
    ck_assert_int_eq(start_s(2, 0), 55 + 30 + 20);
}
END_TEST

START_TEST(jobs_that_wait_together_do_not_wait_for_one_grace_period_after_the_other)
{
    // Three jobs of a wait at 40 s: three of b get notice. A fourth arrives at 45 s, beyond the
    // guarantee: no job gets notice for it.
    const QueueSpec queues[] = {graceful(3, 30, 20), queue(0)};
    add_cluster(4, 1, queues, 2);
    for (int32_t i = 0; i < 4; i++)
        add_job(arena_printf(arena, "b%d", (int)i), 1 + i, 1, 1, 1000);
    for (int32_t i = 0; i < 3; i++)
        add_job(arena_printf(arena, "a%d", (int)i), 10, 0, 1, 500);
    add_job("a3", 45, 0, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(notices(ID_NONE, true, 40), 3);
    ck_assert_int_eq(given(ID_NONE), 3);
    for (uint32_t job = 4; job < 7; job++)
        ck_assert_int_eq(start_s(job, 0), 60);
    ck_assert_int_eq(start_s(7, 0), 560);
}
END_TEST

START_TEST(a_job_that_arrives_in_a_grace_period_has_its_own)
{
    // a0 takes a GPU at 60 s. a1 arrives at 45 s, when the queue has waited long enough already:
    // its victim gets notice then.
    const QueueSpec queues[] = {graceful(2, 30, 20), queue(0)};
    add_cluster(2, 1, queues, 2);
    add_job("b0", 1, 1, 1, 1000);
    add_job("b1", 2, 1, 1, 1000);
    add_job("a0", 10, 0, 1, 500);
    add_job("a1", 45, 0, 1, 500);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(2, 0), 60);
    ck_assert_int_eq(start_s(3, 0), 65);
}
END_TEST

START_TEST(two_queues_give_notice_to_different_jobs)
{
    const QueueSpec queues[] = {graceful(1, 30, 20), graceful(1, 30, 40), queue(0)};
    add_cluster(2, 1, queues, 3);
    add_job("c0", 1, 2, 1, 1000);
    add_job("c1", 2, 2, 1, 1000);
    add_job("a", 10, 0, 1, 50);
    add_job("b", 10, 1, 1, 50);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(given(0), 1);
    ck_assert_int_eq(given(1), 1);
    ck_assert_int_eq(start_s(2, 0), 60);
    ck_assert_int_eq(start_s(3, 0), 80);
}
END_TEST

START_TEST(a_terminated_job_gives_its_nodes_when_it_has_ended)
{
    // b has notice until 60 s, and is terminated at 50 s; that takes no time in this world.
    const QueueSpec queues[] = {graceful(1, 30, 20), queue(0)};
    add_cluster(1, 1, queues, 2);
    add_job("b", 1, 1, 1, 1000);
    add_job("a", 10, 0, 1, 50);
    commands_add(&list, COMMAND_JOB_TERMINATE, "b", 50 * NS_PER_S);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(start_s(1, 0), 50);
    ck_assert_int_eq(reclaims(), 0);
}
END_TEST

START_TEST(a_change_of_guarantees_in_a_grace_period_decides_again)
{
    // b has notice until 60 s. At 50 s its queue is guaranteed the GPU, and at 55 s not any more:
    // then b gets notice again, for the whole grace period.
    const QueueSpec queues[] = {graceful(1, 30, 20), queue(0)};
    add_cluster(1, 1, queues, 2);
    add_job("b", 1, 1, 1, 1000);
    add_job("a", 10, 0, 1, 50);
    change_queue(50, 1, 1, -1);
    change_queue(55, 1, 0, -1);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(notices(0, false, 50), 1);
    ck_assert_int_eq(given(0), 2);
    ck_assert_int_eq(start_s(1, 0), 75);
}
END_TEST

START_TEST(a_queue_without_its_guarantee_withdraws_its_notices)
{
    const QueueSpec queues[] = {graceful(1, 30, 20), queue(0)};
    add_cluster(1, 1, queues, 2);
    add_job("b", 1, 1, 1, 100);
    add_job("a", 10, 0, 1, 50);
    change_queue(50, 0, 0, -1);
    run_world(POLICY_SERVICE);
    ck_assert_int_eq(notices(0, false, 50), 1);
    ck_assert_int_eq(start_s(1, 0), 101);
}
END_TEST

/* --- Policies that stop jobs --- */

START_TEST(a_policy_gives_notice_to_all_victims_at_once)
{
    // Two urgent GPUs from 10 s on: both routine jobs run until 30 s.
    const QueueSpec queues[] = {graceful(2, 0, 20)};
    add_cluster(2, 1, queues, 1);
    add_job("r0", 1, 0, 1, 1000)->priority = PRIORITY_LOW;
    add_job("r1", 2, 0, 1, 1000)->priority = PRIORITY_LOW;
    add_job("urgent", 10, 0, 2, 50)->priority = PRIORITY_HIGH;
    const World *world = run_world(POLICY_PRIORITY_PREEMPTIVE);
    ck_assert_int_eq(notices(ID_NONE, true, 10), 2);
    ck_assert_int_eq(recording_find(&recording, TRACE_JOB_NOTICE, "a", 0)->cause, CAUSE_PRECEDENCE);
    ck_assert_int_eq(start_s(2, 0), 30);
    ck_assert_int_eq(end_s(world, 0), 1 + 1000 + 50);
    ck_assert_int_eq(withdrawn(ID_NONE), 0);
}
END_TEST

START_TEST(a_policy_withdraws_a_notice_that_is_not_needed)
{
    // r1 has notice until 30 s; r0 ends at 21 s.
    const QueueSpec queues[] = {graceful(2, 0, 20)};
    add_cluster(2, 1, queues, 1);
    add_job("r0", 1, 0, 1, 20)->priority = PRIORITY_LOW;
    add_job("r1", 2, 0, 1, 1000)->priority = PRIORITY_LOW;
    add_job("urgent", 10, 0, 1, 50)->priority = PRIORITY_HIGH;
    const World *world = run_world(POLICY_PRIORITY_PREEMPTIVE);
    ck_assert_int_eq(start_s(2, 0), 21);
    ck_assert_int_eq(given(1), 1);
    ck_assert_int_eq(withdrawn(1), 1);
    ck_assert_int_eq(end_s(world, 1), 1002);
}
END_TEST

START_TEST(shortest_remaining_time_counts_the_work_of_the_grace_period)
{
    // long has 990 s left at 11 s, short needs 100: it starts at 31 s. At 131 s long continues,
    // with 970 s left.
    const QueueSpec queues[] = {graceful(1, 0, 20)};
    add_cluster(1, 1, queues, 1);
    add_job("long", 1, 0, 1, 1000);
    add_job("short", 11, 0, 1, 100);
    const World *world = run_world(POLICY_SRTF);
    ck_assert_int_eq(start_s(1, 0), 31);
    ck_assert_int_eq(end_s(world, 0), 131 + 970);
}
END_TEST

START_TEST(another_policy_withdraws_the_notices_of_the_last_one)
{
    const QueueSpec queues[] = {graceful(1, 0, 20)};
    add_cluster(1, 1, queues, 1);
    add_job("routine", 1, 0, 1, 100)->priority = PRIORITY_LOW;
    add_job("urgent", 10, 0, 1, 50)->priority = PRIORITY_HIGH;
    commands_add(&list, COMMAND_POLICY_CHANGE, "service", 20 * NS_PER_S)->as.fault.policy =
        POLICY_SERVICE;
    run_world(POLICY_PRIORITY_PREEMPTIVE);
    ck_assert_int_eq(notices(0, false, 20), 1);
    ck_assert_int_eq(start_s(1, 0), 101);
}
END_TEST

START_TEST(a_queue_waits_for_its_own_jobs_before_it_reclaims)
{
    // a may take the node of routine, its older job, or one that b has borrowed. The policy stops
    // the first, at 30 s; so b gets no notice.
    const QueueSpec queues[] = {graceful(2, 0, 20), queue(0)};
    add_cluster(2, 1, queues, 2);
    add_job("routine", 1, 0, 1, 1000)->priority = PRIORITY_LOW;
    add_job("b", 2, 1, 1, 1000);
    add_job("urgent", 10, 0, 1, 15)->priority = PRIORITY_HIGH;
    run_world(POLICY_PRIORITY_PREEMPTIVE);
    ck_assert_int_eq(notices(0, true, 10), 1);
    ck_assert_int_eq(notices(1, true, 29), 0);
    ck_assert_int_eq(start_s(2, 0), 30);
    // Now routine waits for the guarantee: b has notice until 50 s, but urgent ends at 45 s.
    ck_assert_int_eq(given(1), 1);
    ck_assert_int_eq(withdrawn(1), 1);
    ck_assert_int_eq(start_s(0, 1), 45);
}
END_TEST

/* --- At random --- */

enum { RANDOM_JOBS_MAX = 40 };

static void draw_queues(uint64_t seed, QueueSpec *queues)
{
    for (int32_t q = 0; q < QUEUES; q++) {
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 3, (uint64_t)q);
        queues[q] = queue((int64_t)(word % 5));
        queues[q].reclaims = queues[q].guaranteed > 0 && (word >> 20) % 4 > 0;
        queues[q].reclaim_after_ns = (int64_t)((word >> 24) % 3 * 20) * NS_PER_S;
        queues[q].grace_ns = (int64_t)((word >> 28) % 4 * 15) * NS_PER_S;
        queues[q].is_protected = (word >> 32) % 6 == 0;
    }
}

static int32_t draw_jobs(uint64_t seed, uint64_t gpus_most)
{
    const int32_t count = 5 + (int32_t)(rng_word(seed, RNG_IDENTITY, 1, 0) % (RANDOM_JOBS_MAX - 5));
    int64_t at_s = 1;
    for (int32_t i = 0; i < count; i++) {
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 2, (uint64_t)i);
        const char *name = arena_printf(arena, "j%d", (int)i);
        at_s += (int64_t)(word % 30);
        JobSpec *spec =
            add_job(name, at_s, (int32_t)((word >> 24) % QUEUES),
                    1 + (int32_t)((word >> 40) % gpus_most), 1 + (int64_t)(word >> 8) % 200);
        spec->priority = (JobPriority)((word >> 32) % PRIORITY_COUNT);
        if ((word >> 50) % 8 == 0)
            commands_add(&list, COMMAND_JOB_TERMINATE, name,
                         (at_s + (int64_t)(word >> 53) % 200) * NS_PER_S);
    }
    return count;
}

/* Guarantees and limits that change at random; some changes are refused. */
static void draw_changes(uint64_t seed)
{
    for (uint64_t i = 0; i < rng_word(seed, RNG_IDENTITY, 4, 0) % 6; i++) {
        const uint64_t word = rng_word(seed, RNG_IDENTITY, 5, i);
        change_queue(1 + (int64_t)(word % 800), (int32_t)((word >> 20) % QUEUES),
                     (int64_t)((word >> 24) % 7) - 1,
                     (word >> 32) % 2 == 0 ? -1 : 5 + (int64_t)((word >> 34) % 8));
    }
    // All jobs may start at last.
    for (int32_t q = 0; q < QUEUES; q++)
        change_queue(5000, q, -1, 12);
}

/* The notice of a job, as records show it. */
typedef struct {
    int64_t since_ns; /* INT64_MAX: none */
    int64_t grace_ns;
    TraceCause cause;
} Notice;

/* A job that is stopped had notice for the grace period, in this attempt and without a break. */
static void check_stop(const TraceRecord *record, Notice notice, const QueueSpec *queues,
                       const char *reclaimer, uint64_t seed)
{
    const bool is_reclaim = record->cause == CAUSE_RECLAIM;
    int32_t queue_index = 0;
    while (is_reclaim && strcmp(queue_names[queue_index], reclaimer) != 0)
        queue_index++;
    if (is_reclaim && queues[queue_index].grace_ns == 0)
        return;
    if (!is_reclaim && notice.since_ns == INT64_MAX)
        return; // its queue has no grace period, which the caller has checked
    const int64_t had_ns = record->at_ns - notice.since_ns;
    ck_assert_msg(notice.since_ns != INT64_MAX && notice.cause == record->cause &&
                      had_ns >= notice.grace_ns && (is_reclaim || had_ns == notice.grace_ns),
                  "seed %d, job %d", (int)seed, (int)record->job.index);
}

/* Follows the notices of all jobs. Returns how many jobs were stopped after one. */
static int32_t check_notices(const QueueSpec *queues, const World *world, uint64_t seed)
{
    Notice notice[RANDOM_JOBS_MAX];
    const char *reclaimer = NULL;
    int32_t stopped = 0;
    for (int32_t i = 0; i < RANDOM_JOBS_MAX; i++)
        notice[i] = (Notice){INT64_MAX, 0, CAUSE_NONE};
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind == TRACE_QUEUE_RECLAIMS)
            reclaimer = record->name;
        if (record->kind == TRACE_JOB_NOTICE) {
            Notice *of = &notice[record->job.index];
            const bool is_given = record->job_notice.grace_ns >= 0;
            ck_assert_msg(is_given == (of->since_ns == INT64_MAX), "seed %d", (int)seed);
            ck_assert(!is_given ||
                      record->job_notice.grace_ns == queues[record->job_notice.queue].grace_ns);
            *of = is_given ? (Notice){record->at_ns, record->job_notice.grace_ns, record->cause}
                           : (Notice){INT64_MAX, 0, CAUSE_NONE};
        }
        if (record->kind != TRACE_JOB_ATTEMPT)
            continue;
        Notice *of = &notice[record->job.index];
        const Job *job = world_job(world, record->job);
        if (record->cause == CAUSE_PRECEDENCE)
            ck_assert_msg(of->since_ns != INT64_MAX || queues[job->queue].grace_ns == 0, "seed %d",
                          (int)seed);
        if (strcmp(record->name, "preempted") == 0) {
            check_stop(record, *of, queues, reclaimer, seed);
            stopped += of->since_ns != INT64_MAX;
        }
        *of = (Notice){INT64_MAX, 0, CAUSE_NONE};
    }
    return stopped;
}

START_TEST(random_jobs_have_notice_before_they_are_stopped)
{
    int32_t stopped = 0;
    for (uint64_t seed = 0; seed < 70 * POLICY_COUNT; seed++) {
        QueueSpec queues[QUEUES];
        begin();
        draw_queues(seed, queues);
        add_cluster(seed % 2 == 0 ? 8 : 3, seed % 2 == 0 ? 1 : 4, queues, QUEUES);
        const int32_t count = draw_jobs(seed, 5);
        draw_changes(seed);
        const World *world = run_world((PolicyKind)(seed % POLICY_COUNT));
        stopped += check_notices(queues, world, seed);
        for (int32_t i = 0; i < count; i++)
            ck_assert_msg(job_is_completed(world_job(world, (JobId){(uint32_t)i})),
                          "seed %d, job %d", (int)seed, (int)i);
        end();
    }
    ck_assert_int_gt(stopped, 200);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("grace");
    TCase *tests = tcase_create("grace");
    TCase *random = tcase_create("random");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, jobs_run_on_for_the_grace_period_and_stop_together);
    tcase_add_test(tests, a_job_that_ends_in_its_grace_period_gives_its_nodes_at_once);
    tcase_add_test(tests, a_notice_is_withdrawn_when_other_nodes_become_free);
    tcase_add_test(tests, a_notice_is_withdrawn_when_the_waiting_job_leaves);
    tcase_add_test(tests, jobs_that_wait_together_do_not_wait_for_one_grace_period_after_the_other);
    tcase_add_test(tests, a_job_that_arrives_in_a_grace_period_has_its_own);
    tcase_add_test(tests, two_queues_give_notice_to_different_jobs);
    tcase_add_test(tests, a_terminated_job_gives_its_nodes_when_it_has_ended);
    tcase_add_test(tests, a_change_of_guarantees_in_a_grace_period_decides_again);
    tcase_add_test(tests, a_queue_without_its_guarantee_withdraws_its_notices);
    tcase_add_test(tests, a_policy_gives_notice_to_all_victims_at_once);
    tcase_add_test(tests, a_policy_withdraws_a_notice_that_is_not_needed);
    tcase_add_test(tests, shortest_remaining_time_counts_the_work_of_the_grace_period);
    tcase_add_test(tests, another_policy_withdraws_the_notices_of_the_last_one);
    tcase_add_test(tests, a_queue_waits_for_its_own_jobs_before_it_reclaims);
    suite_add_tcase(suite, tests);
    tcase_add_test(random, random_jobs_have_notice_before_they_are_stopped);
    suite_add_tcase(suite, random);
    return suite;
}
