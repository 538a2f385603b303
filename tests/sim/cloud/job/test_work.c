/* Programs that only take time and write checkpoints: examples on paper, and random losses. */
#include "sim/cloud/job/work.h"

#include <stdlib.h>

#include "sim/base/units.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"
#include "tests/support/world_fixture.h"

enum { WORK_S = 1000, EVERY_S = 300, TAKES_S = 10, RESTART_S = 20, NOTICE_S = 30 };

static const WorkCheckpoints usual = {.every_ns = EVERY_S * NS_PER_S,
                                      .takes_ns = TAKES_S * NS_PER_S,
                                      .restart_ns = RESTART_S * NS_PER_S,
                                      .jobs_ppm = PPM};

static Program *program_of(WorkCheckpoints work, bool saves_on_notice)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, WORK_S * NS_PER_S, 0);
    program->work = work;
    program->saves_on_notice = saves_on_notice;
    return program;
}

/* A low-priority cluster of an ideal service, whose nodes have one GPU and the speed `speed_ppm`.
 */
static void add_cluster(int32_t nodes, int64_t speed_ppm)
{
    NodeKind *kind = ARENA_NEW(arena, NodeKind);
    *kind = (NodeKind){.name = "one",
                       .vm_size = vm_size_of_gpus(arena, 1),
                       .is_low_priority = true,
                       .target_nodes = nodes,
                       .speed_ppm = speed_ppm};
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    *spec = (ClusterSpec){.vm_size = kind->vm_size,
                          .is_low_priority = true,
                          .kind_count = 1,
                          .kinds = kind,
                          .target_nodes = nodes,
                          .admin_user = "demo"};
    commands_create_cluster(&list, "c", 0, spec);
}

static World *world_of(int32_t nodes, int64_t speed_ppm, const Program *program)
{
    add_cluster(nodes, speed_ppm);
    JobSpec *spec = plain_job(arena, nodes, program);
    spec->max_wall_clock_ns = INT64_MAX;
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    recording = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    list = commands_begin(arena);
    return world;
}

static World *usual_world(bool saves_on_notice)
{
    return world_of(2, PPM, program_of(usual, saves_on_notice));
}

static Job *job_of(World *world)
{
    return job_row(world->jobs, (JobId){0});
}

static Node *node_of(World *world, int32_t node)
{
    return node_row(world->clusters, job_of(world)->nodes[node]);
}

/* One of the job's nodes is gone at that time. */
static void take(World *world, int64_t at_s)
{
    world_advance(world, at_s * NS_PER_S);
    cluster_node_preempted(world->clusters, node_of(world, 1));
}

static void warn(World *world, int64_t at_s, int64_t notice_s)
{
    world_advance(world, at_s * NS_PER_S);
    cluster_node_warned(world->clusters, node_of(world, 1), notice_s * NS_PER_S, CAUSE_PREEMPTION);
}

static int64_t end_s(World *world)
{
    world_run(world);
    ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
    return job_of(world)->ended_ns / NS_PER_S;
}

/* Checks the n-th attempt, in seconds of one node. */
static void check_attempt(int32_t n, const char *name, int64_t kept_s, int64_t startup_s,
                          int64_t checkpoint_s, int64_t lost_s)
{
    const TraceRecord *record = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, n);
    ck_assert_ptr_nonnull(record);
    const int64_t nodes = record->job_attempt.nodes;
    ck_assert_str_eq(record->name, name);
    ck_assert_int_eq(record->job_attempt.kept_ns, nodes * kept_s * NS_PER_S);
    ck_assert_int_eq(record->job_attempt.startup_ns, nodes * startup_s * NS_PER_S);
    ck_assert_int_eq(record->job_attempt.checkpoint_ns, nodes * checkpoint_s * NS_PER_S);
    ck_assert_int_eq(record->job_attempt.lost_ns, nodes * lost_s * NS_PER_S);
    ck_assert_int_eq(attempt_parts_ns(record), nodes * (record->at_ns - record->since_ns));
}

/* --- On schedule --- */

START_TEST(a_program_stops_for_each_checkpoint_and_writes_none_at_the_end)
{
    World *world = usual_world(false); // at 300, 600 and 900 s of work
    ck_assert_int_eq(end_s(world), WORK_S + 3 * TAKES_S);
    check_attempt(0, "completed", WORK_S, 0, 3 * TAKES_S, 0);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_WORK_RESUMED, NULL), 0);
}
END_TEST

START_TEST(a_lost_attempt_keeps_the_work_in_its_last_checkpoint)
{
    // Written at 310 and 620 s. After 700 s the 400 s that are left need a restart and one more
    // checkpoint: 700 + 20 + 300 + 10 + 100.
    World *world = usual_world(false);
    take(world, 700);
    ck_assert_int_eq(end_s(world), 1130);
    check_attempt(0, "lost", 600, 0, 20, 80);
    check_attempt(1, "completed", 400, RESTART_S, TAKES_S, 0);
    const TraceRecord *resumed = recording_find(&recording, TRACE_JOB_WORK_RESUMED, NULL, 0);
    ck_assert_int_eq(resumed->at_ns, 700 * NS_PER_S);
    ck_assert_int_eq(resumed->job_work_resumed.work_ns, 600 * NS_PER_S);
}
END_TEST

START_TEST(a_loss_while_a_checkpoint_is_written_returns_to_the_one_before)
{
    static const int64_t lost_at_s[] = {611, 620}; // the last instant of writing is too early
    for (size_t i = 0; i < 2; i++) {
        World *world = usual_world(false);
        take(world, lost_at_s[i]);
        ck_assert_int_eq(end_s(world), lost_at_s[i] + RESTART_S + 700 + 2 * TAKES_S);
        check_attempt(0, "lost", 300, 0, TAKES_S, lost_at_s[i] - 310);
    }
}
END_TEST

START_TEST(without_a_checkpoint_so_far_the_program_begins_again_without_a_restart)
{
    World *world = usual_world(false);
    take(world, 200);
    ck_assert_int_eq(end_s(world), 200 + WORK_S + 3 * TAKES_S);
    check_attempt(0, "lost", 0, 0, 0, 200);
    check_attempt(1, "completed", WORK_S, 0, 3 * TAKES_S, 0);
}
END_TEST

START_TEST(a_restart_that_is_cut_off_is_paid_again)
{
    World *world = usual_world(false);
    take(world, 700);
    take(world, 710); // in the restart
    take(world, 730 + 100);
    ck_assert_int_eq(end_s(world), 730 + 100 + RESTART_S + 400 + TAKES_S);
    check_attempt(0, "lost", 600, 0, 20, 80);
    check_attempt(1, "lost", 0, 0, 0, 10);
    check_attempt(2, "lost", 0, 0, 0, 120);
    check_attempt(3, "completed", 400, RESTART_S, TAKES_S, 0);
}
END_TEST

START_TEST(what_is_done_after_a_node_fell_silent_is_lost)
{
    // The job stalls at 500 s, after one checkpoint; the one at 610 s is not written.
    for (int is_preempted = 0; is_preempted < 2; is_preempted++) {
        World *world = usual_world(false);
        world_advance(world, 500 * NS_PER_S);
        job_stalls(world->jobs, job_of(world), node_of(world, 1));
        world_advance(world, 800 * NS_PER_S);
        if (is_preempted)
            job_is_preempted(world->jobs, job_of(world), CAUSE_PRECEDENCE);
        else
            job_loses_nodes(world->jobs, job_of(world), node_of(world, 1), DEALLOCATE_REQUEUE,
                            CAUSE_CRASH);
        ck_assert_int_eq(end_s(world), 800 + RESTART_S + 700 + 2 * TAKES_S);
        check_attempt(0, is_preempted ? "preempted" : "lost", 300, 0, TAKES_S, 490);
    }
}
END_TEST

START_TEST(the_scheduler_keeps_all_work_and_a_loss_returns_to_it)
{
    World *world = usual_world(false);
    world_advance(world, 700 * NS_PER_S);
    job_is_preempted(world->jobs, job_of(world),
                     CAUSE_PRECEDENCE); // 680 s, of which 80 s in no checkpoint
    take(world, 750);
    ck_assert_int_eq(end_s(world), 750 + 320 + TAKES_S);
    check_attempt(0, "preempted", 680, 0, 20, 0);
    check_attempt(1, "lost", 0, 0, 0, 50);
    check_attempt(2, "completed", 320, 0, TAKES_S, 0);
}
END_TEST

/* --- On notice --- */

START_TEST(on_notice_the_program_stops_and_all_its_work_is_kept)
{
    // 680 s of work at 700 s; written at 710 s, and the node goes at 730 s.
    World *world = usual_world(true);
    warn(world, 700, NOTICE_S);
    ck_assert_int_eq(end_s(world), 730 + RESTART_S + 300 + TAKES_S + 20);
    check_attempt(0, "lost", 680, 0, 3 * TAKES_S, 20);
    check_attempt(1, "completed", 320, RESTART_S, TAKES_S, 0);
    const TraceRecord *saved = recording_find(&recording, TRACE_JOB_WORK_SAVED, NULL, 0);
    ck_assert_int_eq(saved->since_ns, 700 * NS_PER_S);
    ck_assert_int_eq(saved->at_ns, 710 * NS_PER_S);
    ck_assert_int_eq(saved->job_work_saved.work_ns, 680 * NS_PER_S);
}
END_TEST

START_TEST(a_node_that_is_gone_before_leaves_the_older_checkpoint)
{
    static const int64_t notices_s[] = {TAKES_S - 1, TAKES_S}; // not at the same instant, either
    for (size_t i = 0; i < 2; i++) {
        World *world = usual_world(true);
        warn(world, 700, notices_s[i]);
        ck_assert_int_eq(end_s(world), 700 + notices_s[i] + RESTART_S + 400 + TAKES_S);
        check_attempt(0, "lost", 600, 0, 20, 80 + notices_s[i]);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_WORK_SAVED, NULL), 0);
    }
}
END_TEST

START_TEST(a_checkpoint_that_is_being_written_or_due_serves_as_well)
{
    static const int64_t noticed_s[] = {300, 305, 310};
    for (size_t i = 0; i < 3; i++) {
        World *world = usual_world(true);
        warn(world, noticed_s[i], NOTICE_S);
        ck_assert_int_eq(end_s(world), noticed_s[i] + NOTICE_S + RESTART_S + 700 + 2 * TAKES_S);
        check_attempt(0, "lost", 300, 0, TAKES_S, noticed_s[i] + NOTICE_S - 310);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_WORK_SAVED, NULL), 0);
    }
}
END_TEST

START_TEST(a_job_that_ends_within_the_notice_is_delayed_by_the_checkpoint)
{
    // 680 s at 700 s. The rhythm begins again at 710 s: 300, a checkpoint, 20.
    World *world = usual_world(true);
    warn(world, 700, 5000);
    ck_assert_int_eq(end_s(world), 710 + 300 + TAKES_S + 20);
    check_attempt(0, "completed", WORK_S, 0, 4 * TAKES_S, 0);
}
END_TEST

START_TEST(each_further_notice_saves_again_unless_one_is_being_written)
{
    World *world = usual_world(true);
    warn(world, 100, 5000);
    world_advance(world, 105 * NS_PER_S); // it is being written
    cluster_node_warned(world->clusters, node_of(world, 0), 150 * NS_PER_S, CAUSE_PREEMPTION);
    ck_assert_int_eq(end_s(world), 255 + RESTART_S + 900 + 2 * TAKES_S);
    check_attempt(0, "lost", 100, 0, TAKES_S, 145);
    world = world_of(3, PPM, program_of(usual, true));
    warn(world, 100, 5000);
    world_advance(world, 200 * NS_PER_S); // 190 s of work
    cluster_node_warned(world->clusters, node_of(world, 0), 50 * NS_PER_S, CAUSE_PREEMPTION);
    ck_assert_int_eq(end_s(world), 250 + RESTART_S + 810 + 2 * TAKES_S);
    check_attempt(0, "lost", 190, 0, 2 * TAKES_S, 40);
}
END_TEST

START_TEST(checkpoints_may_be_written_on_notice_only)
{
    const WorkCheckpoints only = {.takes_ns = TAKES_S * NS_PER_S, .jobs_ppm = PPM};
    World *world = world_of(1, PPM, program_of(only, true));
    world_advance(world, 700 * NS_PER_S);
    cluster_node_warned(world->clusters, node_of(world, 0), NOTICE_S * NS_PER_S, CAUSE_PREEMPTION);
    ck_assert_int_eq(end_s(world), 730 + 300);
    check_attempt(0, "lost", 700, 0, TAKES_S, 20);
}
END_TEST

/* --- Which jobs, and how fast --- */

START_TEST(checkpoints_are_written_in_time_on_the_nodes)
{
    // Twice as fast: 300 s on the node are 600 s of stated work, and the job takes 500 s.
    World *world = world_of(2, 2 * PPM, program_of(usual, false));
    take(world, 350);
    ck_assert_int_eq(end_s(world), 350 + RESTART_S + 200);
    check_attempt(0, "lost", 300, 0, TAKES_S, 40);
    ck_assert_int_eq(job_of(world)->carried_ns, 600 * NS_PER_S);
}
END_TEST

/* How many of 1000 jobs of a share of the jobs write checkpoints; sets their bits. */
static int32_t writers(int64_t jobs_ppm, bool *writes)
{
    enum { JOBS = 1000 };
    WorkCheckpoints some = usual;
    some.jobs_ppm = jobs_ppm;
    const Program *program = program_of(some, false);
    int32_t count = 0;
    list = commands_begin(arena);
    add_cluster(JOBS, PPM);
    for (int32_t j = 0; j < JOBS; j++)
        commands_create_job(&list, arena_printf(arena, "j%d", j), 0, "c",
                            plain_job(arena, 1, program));
    Scenario *scenario = scenario_of(&list, 1);
    scenario->service = ideal_service(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_run(world);
    for (int32_t j = 0; j < JOBS; j++) {
        writes[j] = job_row(world->jobs, (JobId){(uint32_t)j})->ended_ns > WORK_S * NS_PER_S;
        count += writes[j];
    }
    return count;
}

START_TEST(those_of_a_smaller_share_of_jobs_are_among_those_of_a_larger_one)
{
    bool few[1000], many[1000];
    ck_assert_int_eq(writers(0, few), 0);
    ck_assert_int_eq(writers(PPM, few), 1000);
    // Binomial: four standard deviations are 58 and 63.
    ck_assert_int_le(abs(writers(3 * PPM / 10, few) - 300), 58);
    ck_assert_int_le(abs(writers(PPM / 2, many) - 500), 63);
    for (int32_t j = 0; j < 1000; j++)
        ck_assert(many[j] || !few[j]);
}
END_TEST

/* --- Random losses --- */

/* A job on a random number of nodes or GPUs that are taken away by chance; its work is drawn. */
static int32_t check_random(uint64_t seed)
{
    begin();
    const FailureModel model = {
        .name = "taken",
        .between = exponential_of((int64_t)(500 + theory_word(seed, 0) % 3000) * NS_PER_S),
        .reason = "taken"};
    const int32_t nodes = 1 + (int32_t)(theory_word(seed, 1) % 4);
    const WorkCheckpoints work = {.every_ns = (int64_t)(theory_word(seed, 2) % 400) * NS_PER_S,
                                  .takes_ns = (int64_t)(theory_word(seed, 3) % 30) * NS_PER_S,
                                  .restart_ns = (int64_t)(theory_word(seed, 4) % 50) * NS_PER_S,
                                  .jobs_ppm = PPM};
    Program *program = program_of(work, theory_word(seed, 5) % 3 > 0);
    program->duration = exponential_of(2000 * NS_PER_S);
    add_cluster(nodes, PPM);
    JobSpec *spec = plain_job(arena, nodes, program);
    spec->max_wall_clock_ns = INT64_MAX;
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = ideal_service(arena);
    scenario->service.preemption_notice_ns = (int64_t)(theory_word(seed, 6) % 60) * NS_PER_S;
    scenario->service.attempts_max = INT32_MAX;
    scenario->failures.rate_ppm = PPM;
    scenario->failures.preemption = &model;
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_check_always(world);
    world_run(world);
    const Job *job = job_of(world);
    int64_t kept_ns = 0;
    for (int32_t n = 0; n < job->starts; n++) {
        const TraceRecord *record = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, n);
        ck_assert_int_eq(attempt_parts_ns(record),
                         record->job_attempt.nodes * (record->at_ns - record->since_ns));
        kept_ns += record->job_attempt.kept_ns;
    }
    // The draw of the first attempt is that of all, if there are checkpoints.
    const bool writes = work.every_ns > 0 || program->saves_on_notice;
    const int64_t work_ns =
        engine_sample(world->engine, program->duration, RNG_NODE_STAGE, job->address,
                      writes ? 1 : (uint64_t)job->starts & 0xffff);
    const int32_t starts = job->state == JOB_SUCCEEDED ? job->starts : 0;
    if (starts > 0)
        ck_assert_msg(kept_ns == nodes * work_ns, "seed %d: %lld of %lld ns in %d attempts",
                      (int)seed, (long long)kept_ns, (long long)work_ns, (int)job->starts);
    end();
    return starts; // 0: it never ends
}

START_TEST(the_useful_time_of_a_job_is_its_duration)
{
    int32_t ended = 0, starts = 0;
    end(); // each job has its own fixture
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        const int32_t own = check_random(seed);
        ended += own > 0;
        starts += own;
    }
    ck_assert_int_gt(ended, 950);
    ck_assert_int_gt(starts, 2 * ended);
    begin();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("work");
    TCase *tests = tcase_create("work");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_program_stops_for_each_checkpoint_and_writes_none_at_the_end);
    tcase_add_test(tests, a_lost_attempt_keeps_the_work_in_its_last_checkpoint);
    tcase_add_test(tests, a_loss_while_a_checkpoint_is_written_returns_to_the_one_before);
    tcase_add_test(tests, without_a_checkpoint_so_far_the_program_begins_again_without_a_restart);
    tcase_add_test(tests, a_restart_that_is_cut_off_is_paid_again);
    tcase_add_test(tests, what_is_done_after_a_node_fell_silent_is_lost);
    tcase_add_test(tests, the_scheduler_keeps_all_work_and_a_loss_returns_to_it);
    tcase_add_test(tests, on_notice_the_program_stops_and_all_its_work_is_kept);
    tcase_add_test(tests, a_node_that_is_gone_before_leaves_the_older_checkpoint);
    tcase_add_test(tests, a_checkpoint_that_is_being_written_or_due_serves_as_well);
    tcase_add_test(tests, a_job_that_ends_within_the_notice_is_delayed_by_the_checkpoint);
    tcase_add_test(tests, each_further_notice_saves_again_unless_one_is_being_written);
    tcase_add_test(tests, checkpoints_may_be_written_on_notice_only);
    tcase_add_test(tests, checkpoints_are_written_in_time_on_the_nodes);
    tcase_add_test(tests, those_of_a_smaller_share_of_jobs_are_among_those_of_a_larger_one);
    tcase_add_test(tests, the_useful_time_of_a_job_is_its_duration);
    suite_add_tcase(suite, tests);
    return suite;
}
