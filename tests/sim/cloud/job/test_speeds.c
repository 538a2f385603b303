/* Jobs that have their own speed on each kind of nodes: how long they run, what they keep, and what
 * policies expect of them. Worked out on paper, and checked after every event. */
#include "sim/base/units.h"
#include "sim/cloud/job/job.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { OLD, NEW, KINDS };

/* A cluster "c" of nodes with one GPU. New ones take half of a stated time, unless a job has its
 * own speed there. */
static void add_cluster(int32_t old, int32_t new)
{
    const int32_t nodes[] = {old, new};
    NodeKind *kinds = ARENA_ARRAY(arena, NodeKind, KINDS);
    for (int32_t k = 0; k < KINDS; k++)
        kinds[k] = (NodeKind){.name = k == OLD ? "old" : "new",
                              .vm_size = vm_size_of_gpus(arena, 1),
                              .target_nodes = nodes[k],
                              .speed_ppm = (k + 1) * PPM};
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = kinds[OLD].vm_size,
                          .kind_count = KINDS,
                          .kinds = kinds,
                          .target_nodes = old + new,
                          .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
}

/* Speeds in thousandths; 0: the kind's own. */
static const KindSpeeds *speeds(int32_t old, int32_t new)
{
    KindSpeeds *own = ARENA_NEW(arena, KindSpeeds);
    own->ppm[OLD] = old * 1000;
    own->ppm[NEW] = new * 1000;
    return own;
}

static JobSpec *add_job(const char *name, int64_t at_s, int32_t nodes, int64_t run_s,
                        const KindSpeeds *own)
{
    JobSpec *spec = gpu_job(arena, REQUEST_NODES, nodes, 0, run_s);
    spec->speeds = own;
    commands_create_job(&list, name, at_s * NS_PER_S, "c", spec);
    return spec;
}

static World *world_with(PolicyKind policy, KindChoice choice)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    scenario->policy = policy;
    scenario->placement = PLACEMENT_FIRST_FIT;
    scenario->kind_choice = choice;
    scenario->until_ns = 100000 * NS_PER_S;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    return world;
}

static const Job *job(const World *world, uint32_t id)
{
    return world_job(world, (JobId){id});
}

static int64_t started_s(const World *world, uint32_t id)
{
    return job(world, id)->started_ns / NS_PER_S;
}

static int64_t ended_s(const World *world, uint32_t id)
{
    return job(world, id)->ended_ns / NS_PER_S;
}

static int32_t kind_of(const World *world, uint32_t id)
{
    return world_node(world, job(world, id)->nodes[0])->kind;
}

START_TEST(a_job_runs_at_its_own_speed_or_at_that_of_the_kind)
{
    static const struct {
        int32_t kind, old, new; /* thousandths */
        int64_t ends_s;
    } rows[] = {
        {NEW, 0, 3000, 2400}, // 2 h on a kind with 3 are 40 min, whatever the kind's own speed
        {NEW, 500, 0, 3600},  // the kind's own: 2
        {OLD, 500, 3000, 14400}, {OLD, 0, 3000, 7200}, {NEW, 0, 7000, 1029}, // 1028.57 s
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        begin();
        add_cluster(1, 1);
        add_job("j", 0, 1, 7200, speeds(rows[r].old, rows[r].new))->kinds =
            kind_set_of(rows[r].kind);
        World *world = world_with(POLICY_SERVICE, KIND_CHOICE_BY_PLACEMENT);
        world_run(world);
        ck_assert_int_eq((job(world, 0)->ended_ns + NS_PER_S - 1) / NS_PER_S, rows[r].ends_s);
        end();
    }
}
END_TEST

START_TEST(work_is_kept_in_stated_time)
{
    // 50 s at 4 are 200 s of 900 s. The rest, 700 s at 0.5, takes 1400 s on the old node, which
    // comes at 60 s.
    add_cluster(0, 1);
    add_job("a", 0, 1, 900, speeds(500, 4000));
    JobSpec *urgent = add_job("urgent", 50, 1, 300, NULL);
    urgent->kinds = kind_set_of(NEW);
    urgent->priority = PRIORITY_HIGH;
    commands_resize(&list, "c", 60 * NS_PER_S, 1);
    list.items[list.count - 1].as.cluster_resize.kind = "old";
    World *world = world_with(POLICY_PRIORITY_PREEMPTIVE, KIND_CHOICE_BY_PLACEMENT);
    world_advance(world, 70 * NS_PER_S);
    ck_assert_int_eq(kind_of(world, 0), OLD);
    ck_assert_int_eq(job(world, 0)->carried_ns, 200 * NS_PER_S);
    world_run(world);
    ck_assert_int_eq(ended_s(world, 0), 60 + 1400);
    ck_assert_int_eq(ended_s(world, 1), 50 + 150);
}
END_TEST

START_TEST(checkpoints_keep_work_at_the_speed_of_the_job)
{
    // At 3 the job works 100 s, writes for 10 s, and so on. At 250 s it loses its node: the two
    // checkpoints keep 2 x 100 s x 3 of its 1200 s. The next attempt reads them for 5 s, and does
    // the other 600 s in 100 + 10 + 100 s.
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, 1200 * NS_PER_S, 0);
    program->work = (WorkCheckpoints){.every_ns = 100 * NS_PER_S,
                                      .takes_ns = 10 * NS_PER_S,
                                      .restart_ns = 5 * NS_PER_S,
                                      .jobs_ppm = PPM};
    add_cluster(0, 1);
    JobSpec *spec = add_job("a", 0, 1, 1200, speeds(0, 3000));
    spec->program = program;
    World *world = world_with(POLICY_SERVICE, KIND_CHOICE_BY_PLACEMENT);
    world_advance(world, 250 * NS_PER_S);
    cluster_node_preempted(
        world->clusters, cluster_node_at(world->clusters, world_cluster(world, (ClusterId){0}), 0));
    ck_assert_int_eq(job(world, 0)->carried_ns, 600 * NS_PER_S);
    world_run(world);
    ck_assert_int_eq(job(world, 0)->ended_ns - job(world, 0)->started_ns, 215 * NS_PER_S);
}
END_TEST

START_TEST(a_time_limit_counts_on_the_clock)
{
    add_cluster(1, 0);
    add_job("fast", 0, 1, 600, speeds(2000, 0))->max_wall_clock_ns = 400 * NS_PER_S;
    add_job("slow", 0, 1, 300, speeds(500, 0))->max_wall_clock_ns = 400 * NS_PER_S;
    World *world = world_with(POLICY_SERVICE, KIND_CHOICE_BY_PLACEMENT);
    world_run(world);
    ck_assert_int_eq(job(world, 0)->state, JOB_SUCCEEDED);
    ck_assert_int_eq(ended_s(world, 0), 300);
    ck_assert_int_eq(job(world, 1)->state, JOB_FAILED);
    ck_assert_int_ge(ended_s(world, 1), 700);
}
END_TEST

/* Owners expect what their programs take. */
static void state_time(JobSpec *spec, int64_t expected_s)
{
    spec->expected_ns = expected_s * NS_PER_S;
}

START_TEST(backfill_expects_the_time_of_the_job_on_the_kind)
{
    // Two old nodes. a has one for 300 s, so b, which wants both, is reserved for 300 s. c takes
    // 600 s / 2 there and passes; d takes 200 s / 0.5 and does not.
    static const PolicyKind policies[] = {POLICY_BACKFILL, POLICY_CONSERVATIVE};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        begin();
        add_cluster(2, 0);
        state_time(add_job("a", 0, 1, 300, NULL), 300);
        state_time(add_job("b", 1, 2, 100, NULL), 100);
        state_time(add_job("d", 1, 1, 200, speeds(500, 0)), 200);
        state_time(add_job("c", 1, 1, 598, speeds(2000, 0)), 598);
        World *world = world_with(policies[p], KIND_CHOICE_BY_PLACEMENT);
        world_run(world);
        ck_assert_int_eq(started_s(world, 3), 1);
        ck_assert_int_eq(ended_s(world, 3), 300);
        ck_assert_int_eq(started_s(world, 1), 300);
        ck_assert_int_eq(started_s(world, 2), 400);
        end();
    }
}
END_TEST

START_TEST(shortest_compares_the_times_on_the_fastest_kinds_that_have_nodes)
{
    // The node is taken until 100 s. long: 900 s / 9 on a new node; middle: 300 s / 2; short: 100 s
    // at 0.5. Without new nodes: 900, 300 and 200 s.
    for (int32_t has_new = 0; has_new <= 1; has_new++) {
        begin();
        add_cluster(has_new ? 0 : 1, has_new);
        state_time(add_job("first", 0, 1, has_new ? 200 : 100, NULL), 100);
        state_time(add_job("long", 1, 1, 900, speeds(1000, 9000)), 900);
        state_time(add_job("middle", 1, 1, 300, NULL), 300);
        state_time(add_job("short", 1, 1, 100, speeds(500, 500)), 100);
        World *world = world_with(POLICY_SHORTEST, KIND_CHOICE_BY_PLACEMENT);
        world_run(world);
        ck_assert_int_eq(started_s(world, 1), has_new ? 100 : 100 + 200 + 300);
        ck_assert_int_eq(started_s(world, 2), has_new ? 200 : 100 + 200);
        ck_assert_int_eq(started_s(world, 3), has_new ? 350 : 100);
        end();
    }
}
END_TEST

START_TEST(srtf_compares_waiting_and_running_jobs_alike)
{
    // On a node at half the speed the job of 40 s, which takes 80 s, is not stopped for the one of
    // 60 s, which would take 120 s; a job of 30 s stops it at 10 s: 60 s against 70 s.
    add_cluster(1, 0);
    for (int32_t i = 0; i < 3; i++) {
        const int64_t run_s[] = {40, 60, 30}, at_s[] = {0, 1, 10};
        state_time(
            add_job(arena_printf(arena, "j%d", (int)i), at_s[i], 1, run_s[i], speeds(500, 0)),
            run_s[i]);
    }
    World *world = world_with(POLICY_SRTF, KIND_CHOICE_BY_PLACEMENT);
    world_run(world);
    ck_assert_int_eq(started_s(world, 2), 10);
    ck_assert_int_eq(ended_s(world, 2), 70);
    ck_assert_int_eq(ended_s(world, 0), 70 + 70);
    ck_assert_int_eq(ended_s(world, 1), 140 + 120);
    ck_assert_int_eq(job(world, 1)->starts, 1);
}
END_TEST

START_TEST(srtf_orders_running_jobs_by_their_time_on_the_fastest_kind)
{
    // slow runs on the old node for 100 s, which would be 10 s on a new one; fast runs on the new
    // node for 50 s. The urgent one of 20 s, which may run anywhere, stops fast: slow has less
    // left.
    add_cluster(1, 1);
    state_time(add_job("slow", 0, 1, 100, speeds(1000, 10000)), 100);
    state_time(add_job("fast", 0, 1, 100, NULL), 100);
    state_time(add_job("urgent", 1, 1, 20, speeds(1000, 1000)), 20);
    World *world = world_with(POLICY_SRTF, KIND_CHOICE_BY_PLACEMENT);
    world_advance(world, 2 * NS_PER_S);
    ck_assert_int_eq(kind_of(world, 0), OLD);
    ck_assert_int_eq(job(world, 1)->state, JOB_QUEUED);
    ck_assert_int_eq(kind_of(world, 2), NEW);
    world_run(world);
    ck_assert_int_eq(ended_s(world, 2), 21);
    ck_assert_int_eq(ended_s(world, 1), 21 + 49);
    ck_assert_int_eq(ended_s(world, 0), 100);
}
END_TEST

START_TEST(the_fastest_free_kind_is_taken_under_every_policy)
{
    // Placement takes the first node. With "fastest" the first job takes a new node, and the second
    // one, which is slow there, an old one. The third, which is as fast on both, takes the first.
    for (int p = 0; p < POLICY_COUNT; p++)
        for (int choice = 0; choice < KIND_CHOICE_COUNT; choice++) {
            begin();
            add_cluster(2, 2);
            state_time(add_job("a", 0, 1, 100, NULL), 100);
            state_time(add_job("b", 1, 1, 100, speeds(1000, 900)), 100);
            state_time(add_job("c", 2, 1, 300, speeds(1500, 1500)), 300);
            World *world = world_with((PolicyKind)p, (KindChoice)choice);
            world_advance(world, 3 * NS_PER_S);
            const bool is_fastest = choice == KIND_CHOICE_FASTEST;
            ck_assert_int_eq(kind_of(world, 0), is_fastest ? NEW : OLD);
            ck_assert_int_eq(kind_of(world, 1), OLD);
            ck_assert_int_eq(kind_of(world, 2), is_fastest ? OLD : NEW);
            end();
        }
}
END_TEST

START_TEST(the_fastest_kind_is_taken_among_those_on_which_the_job_fits)
{
    // The new node is taken until 50 s; the second job does not wait for it.
    add_cluster(1, 1);
    add_job("a", 0, 1, 100, NULL);
    add_job("b", 1, 1, 100, speeds(0, 100000));
    World *world = world_with(POLICY_SERVICE, KIND_CHOICE_FASTEST);
    world_run(world);
    ck_assert_int_eq(ended_s(world, 0), 50);
    ck_assert_int_eq(ended_s(world, 1), 101);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("speeds");
    TCase *tests = tcase_create("speeds");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, work_is_kept_in_stated_time);
    tcase_add_test(tests, checkpoints_keep_work_at_the_speed_of_the_job);
    tcase_add_test(tests, a_time_limit_counts_on_the_clock);
    tcase_add_test(tests, srtf_compares_waiting_and_running_jobs_alike);
    tcase_add_test(tests, srtf_orders_running_jobs_by_their_time_on_the_fastest_kind);
    tcase_add_test(tests, the_fastest_kind_is_taken_among_those_on_which_the_job_fits);
    suite_add_tcase(suite, tests);
    TCase *rows = tcase_create("rows");
    tcase_add_test(rows, a_job_runs_at_its_own_speed_or_at_that_of_the_kind);
    tcase_add_test(rows, backfill_expects_the_time_of_the_job_on_the_kind);
    tcase_add_test(rows, shortest_compares_the_times_on_the_fastest_kinds_that_have_nodes);
    tcase_add_test(rows, the_fastest_free_kind_is_taken_under_every_policy);
    suite_add_tcase(suite, rows);
    return suite;
}
