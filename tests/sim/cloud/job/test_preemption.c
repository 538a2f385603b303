/* Jobs that the scheduler stops in favour of others: work that they keep, costs, accounts. */
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { ONE_S = 7, EIGHT_S = 30, MORE_S = 60, ATTEMPTS_MAX = 3 };

static void add_job(const char *name, int64_t at_s, int32_t nodes, int64_t run_s,
                    JobPriority priority)
{
    JobSpec *spec = plain_job(arena, nodes, plain_fixed_program(arena, run_s * NS_PER_S, 0));
    spec->expected_ns = run_s * NS_PER_S;
    spec->priority = priority;
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
}

/* A cluster of `nodes` nodes of `gpus` GPUs. */
static void add_cluster(int32_t nodes, int32_t gpus)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){
        .vm_size = vm_size_of_gpus(arena, gpus), .target_nodes = nodes, .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
}

/* The world of an ideal service, checked after every event. */
static World *begin_world(PolicyKind policy)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    scenario->service.attempts_max = ATTEMPTS_MAX;
    scenario->policy = policy;
    scenario->preemption_cost = (PreemptionCost){
        .one_ns = ONE_S * NS_PER_S, .eight_ns = EIGHT_S * NS_PER_S, .more_ns = MORE_S * NS_PER_S};
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    return world;
}

static int64_t end_s(const World *world, uint32_t job)
{
    ck_assert_int_eq(world_job(world, (JobId){job})->state, JOB_SUCCEEDED);
    return world_job(world, (JobId){job})->ended_ns / NS_PER_S;
}

/* Checks the n-th recorded attempt of all jobs: its parts, in node seconds, are all of its time. */
static void check_attempt(int32_t n, const char *name, int64_t kept_s, int64_t startup_s,
                          int64_t lost_s)
{
    const TraceRecord *record = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, n);
    ck_assert_ptr_nonnull(record);
    ck_assert_str_eq(record->name, name);
    ck_assert_int_eq(record->job_attempt.kept_ns, kept_s * NS_PER_S);
    ck_assert_int_eq(record->job_attempt.startup_ns, startup_s * NS_PER_S);
    ck_assert_int_eq(record->job_attempt.lost_ns, lost_s * NS_PER_S);
    ck_assert_int_eq(record->job_attempt.nodes * (record->at_ns - record->since_ns),
                     (kept_s + startup_s + lost_s) * NS_PER_S);
}

/* On one node of one GPU: "low" needs 1000 s, and at 100 s "urgent" needs 50 s. */
static World *low_and_urgent(void)
{
    add_cluster(1, 1);
    add_job("low", 0, 1, 1000, PRIORITY_LOW);
    add_job("urgent", 100, 1, 50, PRIORITY_HIGH);
    return begin_world(POLICY_PRIORITY_PREEMPTIVE);
}

START_TEST(a_stopped_job_keeps_its_work_and_pays_the_cost)
{
    // low runs 0-100, and from 150 on the 900 s that are left and 7 s of cost: until 1057.
    World *world = low_and_urgent();
    world_run(world);
    ck_assert_int_eq(end_s(world, 1), 150);
    ck_assert_int_eq(end_s(world, 0), 1057);
    ck_assert_int_eq(world_job(world, (JobId){0})->starts, 2);
    check_attempt(0, "preempted", 100, 0, 0);
    check_attempt(1, "completed", 50, 0, 0);
    check_attempt(2, "completed", 900, ONE_S, 0);
    const TraceRecord *stopped = recording_find(&recording, TRACE_JOB_ATTEMPT, "preempted", 0);
    ck_assert_int_eq(stopped->cause, CAUSE_PRECEDENCE);
    const TraceRecord *queued = recording_find(&recording, TRACE_JOB_STATE, "queued", 2);
    ck_assert_int_eq(queued->cause, CAUSE_PRECEDENCE);
    ck_assert_int_eq(queued->at_ns, 100 * NS_PER_S);
}
END_TEST

START_TEST(a_job_that_is_stopped_while_it_pays_still_owes_the_rest)
{
    // low runs 150-153 and has paid 3 of 7 s. From 163 on it pays 4 + 7 s and works 900 s.
    add_job("again", 153, 1, 10, PRIORITY_HIGH);
    World *world = low_and_urgent();
    world_run(world);
    ck_assert_int_eq(end_s(world, 0), 163 + 11 + 900);
    check_attempt(2, "preempted", 0, 3, 0);
    check_attempt(4, "completed", 900, 11, 0);
}
END_TEST

START_TEST(the_cost_depends_on_the_gpus)
{
    // The node has 2, 8 or 16 GPUs, or none.
    static const struct {
        int32_t nodes, gpus, cost_s;
    } rows[] = {{1, 0, ONE_S},   {2, 0, EIGHT_S}, {1, 2, EIGHT_S},
                {1, 8, EIGHT_S}, {1, 16, MORE_S}, {3, 4, MORE_S}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        list = commands_begin(arena);
        add_cluster(rows[i].nodes, rows[i].gpus);
        add_job("low", 0, rows[i].nodes, 1000, PRIORITY_LOW);
        add_job("urgent", 100, rows[i].nodes, 50, PRIORITY_HIGH);
        World *world = begin_world(POLICY_PRIORITY_PREEMPTIVE);
        world_run(world);
        ck_assert_int_eq(end_s(world, 0), 1050 + rows[i].cost_s);
    }
}
END_TEST

START_TEST(a_loss_returns_to_the_last_preemption)
{
    // The node is replaced at once: low works again from 200 on, 7 s and 900 s.
    World *world = low_and_urgent();
    world_advance(world, 200 * NS_PER_S);
    cluster_node_preempted(
        world->clusters, cluster_node_at(world->clusters, world_cluster(world, (ClusterId){0}), 0));
    world_run(world);
    ck_assert_int_eq(end_s(world, 0), 1107);
    check_attempt(2, "lost", 0, 0, 50);
}
END_TEST

START_TEST(preemptions_do_not_count_as_lost_attempts)
{
    enum { PREEMPTIONS = 5 };
    add_cluster(1, 1);
    add_job("low", 0, 1, 1000, PRIORITY_LOW);
    World *world = begin_world(POLICY_SERVICE);
    Job *job = NULL;
    for (int32_t i = 0; i < PREEMPTIONS; i++) {
        world_advance(world, (10 + i) * NS_PER_S);
        job = job_row(world->jobs, (JobId){0});
        job_is_preempted(world->jobs, job, CAUSE_PRECEDENCE);
    }
    world_advance(world, 20 * NS_PER_S);
    ck_assert_int_eq(job->starts, PREEMPTIONS + 1);
    ck_assert_int_eq(job->preemptions, PREEMPTIONS);
    for (int32_t loss = 1; job->state == JOB_RUNNING; loss++) {
        ck_assert_int_le(loss, ATTEMPTS_MAX);
        job_loses_nodes(world->jobs, job, NULL, DEALLOCATE_REQUEUE, CAUSE_CRASH);
        const bool is_last = loss == ATTEMPTS_MAX;
        ck_assert_int_eq(job->state, is_last ? JOB_FAILED : JOB_QUEUED);
        world_advance(world, (20 + loss) * NS_PER_S);
    }
}
END_TEST

START_TEST(a_job_on_a_silent_node_keeps_nothing)
{
    World *world = low_and_urgent();
    Job *job = NULL;
    world_advance(world, 50 * NS_PER_S);
    job = job_row(world->jobs, (JobId){0});
    job_stalls(world->jobs, job, node_by_id(world->clusters, job->nodes[0]));
    world_advance(world, 100 * NS_PER_S);
    check_attempt(0, "preempted", 0, 0, 100);
    ck_assert_int_eq(job->carried_ns, 0);
    world_run(world);
    ck_assert_int_eq(end_s(world, 0), 150 + 1000 + ONE_S);
}
END_TEST

START_TEST(the_newest_jobs_of_lower_priority_give_way_and_no_more_than_needed)
{
    // Three nodes: a and b start at 0, c at 10. d needs two nodes at 20: c is newest, then b. a
    // stays. d ends at 120, and b and c work on.
    add_cluster(3, 1);
    add_job("a", 0, 1, 500, PRIORITY_LOW);
    add_job("b", 0, 1, 500, PRIORITY_LOW);
    add_job("c", 10, 1, 500, PRIORITY_LOW);
    add_job("d", 20, 2, 100, PRIORITY_HIGH);
    World *world = begin_world(POLICY_PRIORITY_PREEMPTIVE);
    world_run(world);
    ck_assert_int_eq(end_s(world, 0), 500);
    ck_assert_int_eq(end_s(world, 1), 500 + 100 + ONE_S);
    ck_assert_int_eq(end_s(world, 2), 510 + 100 + ONE_S);
    ck_assert_int_eq(end_s(world, 3), 120);
}
END_TEST

START_TEST(a_job_that_is_being_terminated_is_not_stopped)
{
    // low is being terminated from 95 on; urgent starts when it has ended, and not before.
    add_cluster(1, 1);
    commands_add(&list, COMMAND_JOB_TERMINATE, "low", 95 * NS_PER_S);
    add_job("low", 0, 1, 1000, PRIORITY_LOW);
    add_job("urgent", 100, 1, 50, PRIORITY_HIGH);
    World *world = begin_world(POLICY_PRIORITY_PREEMPTIVE);
    world_run(world);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_ATTEMPT, "preempted"), 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_ATTEMPT, "stopped"), 1);
    const Job *low = world_job(world, (JobId){0}), *urgent = world_job(world, (JobId){1});
    ck_assert_int_eq(urgent->started_ns,
                     low->ended_ns > 100 * NS_PER_S ? low->ended_ns : 100 * NS_PER_S);
}
END_TEST

START_TEST(the_job_with_the_least_time_left_runs)
{
    // One node. a needs 100 s. b comes at 10 with 50 s, less than the 90 s left: a stops. c comes
    // at 55 with 6 s; b has 5 s left and continues until 60. c runs 60-66, and a 66-163 with its
    // cost.
    add_cluster(1, 1);
    add_job("a", 0, 1, 100, PRIORITY_HIGH);
    add_job("b", 10, 1, 50, PRIORITY_LOW);
    add_job("c", 55, 1, 6, PRIORITY_LOW);
    World *world = begin_world(POLICY_SRTF);
    world_run(world);
    ck_assert_int_eq(end_s(world, 1), 60);
    ck_assert_int_eq(end_s(world, 2), 66);
    ck_assert_int_eq(end_s(world, 0), 66 + 90 + ONE_S);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("preemption");
    TCase *tests = tcase_create("preemption");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_stopped_job_keeps_its_work_and_pays_the_cost);
    tcase_add_test(tests, a_job_that_is_stopped_while_it_pays_still_owes_the_rest);
    tcase_add_test(tests, the_cost_depends_on_the_gpus);
    tcase_add_test(tests, a_loss_returns_to_the_last_preemption);
    tcase_add_test(tests, preemptions_do_not_count_as_lost_attempts);
    tcase_add_test(tests, a_job_on_a_silent_node_keeps_nothing);
    tcase_add_test(tests, the_newest_jobs_of_lower_priority_give_way_and_no_more_than_needed);
    tcase_add_test(tests, a_job_that_is_being_terminated_is_not_stopped);
    tcase_add_test(tests, the_job_with_the_least_time_left_runs);
    suite_add_tcase(suite, tests);
    return suite;
}
