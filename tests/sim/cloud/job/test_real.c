/* Jobs of real execution: modelled up to their commands; commands report to the world how they end.
 */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/apply.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

/* With plain_service a job on the cluster of three nodes, created at 0, starts at 230 s; mounts
 * take 15 s, the host 1 s. */
enum { STARTED_S = 230, BEGUN_S = STARTED_S + 15 + 1 };

static Arena *arena;
static CommandList list;
static Recording told;
static World *world;

static void begin(void)
{
    arena = arena_create();
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 3));
}

static void end(void)
{
    arena_destroy(arena);
}

static JobSpec *job(int32_t nodes)
{
    static const char *const mounts[] = {"a/s"};
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_REAL, .name = "real"};
    JobSpec *spec = plain_job(arena, nodes, program);
    spec->mount_count = 1;
    spec->mounts = mounts;
    return spec;
}

static Command *ran(int64_t at_s, int32_t node, int64_t took_s, int32_t exit_code)
{
    Command *command = commands_add(&list, COMMAND_JOB_RAN, "j", at_s * NS_PER_S);
    command->as.job_ran.node = node;
    command->as.job_ran.took_ns = took_s * NS_PER_S;
    command->as.job_ran.exit_code = exit_code;
    return command;
}

static void make(const JobSpec *spec)
{
    commands_create_job(&list, "j", 0, "c", spec);
}

static const Job *run_to(int64_t s)
{
    if (!world) {
        told = recording_create(arena);
        world =
            world_create(arena, scenario_of(&list, 1), recording_sink(&told, TRACE_LEVEL_STEPS));
        world_check_always(world);
    }
    world_advance(world, s * NS_PER_S);
    return world_job(world, (JobId){0});
}

START_TEST(a_command_runs_until_its_end_is_reported)
{
    make(job(1));
    ran(5000, 0, 7000, 0);
    const Job *j = run_to(BEGUN_S - 1);
    ck_assert(!job_runs_outside(j, 0));
    run_to(BEGUN_S);
    ck_assert(job_runs_outside(j, 0));
    ck_assert_int_eq(job_outside_since_ns(j, 0), BEGUN_S * NS_PER_S);
    run_to(4999);
    ck_assert(job_runs_outside(j, 0));
    run_to(5001);
    ck_assert(!job_runs_outside(j, 0)); // its end has been reported
    ck_assert_int_eq(j->state, JOB_RUNNING);
    run_to(20000);
    ck_assert_int_eq(j->state, JOB_SUCCEEDED);
    ck_assert_int_eq(j->exit_code, 0);
    ck_assert_int_eq(j->ended_ns, (BEGUN_S + 7000) * NS_PER_S);
}
END_TEST

START_TEST(a_command_whose_end_was_reported_earlier_ends_at_once)
{
    make(job(1));
    ran(5000, 0, 10, 4);
    const Job *j = run_to(5000);
    ck_assert_int_eq(j->state, JOB_FAILED);
    ck_assert_int_eq(j->exit_code, 4);
    ck_assert_str_eq(j->error_message, "Job failed with non-zero exit code");
    ck_assert_int_eq(j->ended_ns, 5000 * NS_PER_S);
}
END_TEST

START_TEST(a_reported_reason_replaces_the_message_of_the_service)
{
    make(job(1));
    ran(5000, 0, 10, -1)->as.job_ran.reason = "The machine was sold";
    const Job *j = run_to(5000);
    ck_assert_int_eq(j->state, JOB_FAILED);
    ck_assert_int_eq(j->exit_code, -1);
    ck_assert_str_eq(j->error_code, "JobFailed");
    ck_assert_str_eq(j->error_message, "The machine was sold");
}
END_TEST

START_TEST(preparations_run_on_every_node_and_the_program_after_the_last)
{
    JobSpec *spec = job(2);
    spec->has_preparation = true;
    spec->preparation_command = "prepare";
    make(spec);
    ran(300, 2, 20, 0);
    ran(301, 1, 100, 0);
    ran(1000, 0, 5, 0);
    const Job *j = run_to(BEGUN_S);
    ck_assert(job_runs_outside(j, 1) && job_runs_outside(j, 2) && !job_runs_outside(j, 0));
    run_to(345);
    ck_assert(!job_runs_outside(j, 1) && !job_runs_outside(j, 2) && !job_runs_outside(j, 0));
    run_to(BEGUN_S + 100);
    ck_assert(job_runs_outside(j, 0));
    ck_assert_int_eq(job_outside_since_ns(j, 0), (BEGUN_S + 100) * NS_PER_S);
    run_to(1000);
    ck_assert_int_eq(j->state, JOB_SUCCEEDED);
}
END_TEST

START_TEST(a_preparation_that_fails_fails_the_job)
{
    JobSpec *spec = job(1);
    spec->has_preparation = true;
    spec->preparation_command = "prepare";
    make(spec);
    ran(300, 1, 100, 9);
    const Job *j = run_to(BEGUN_S + 100);
    ck_assert_int_eq(j->state, JOB_FAILED);
    ck_assert_int_eq(j->exit_code, 9);
    ck_assert_str_eq(j->error_code, "JobPreparationFailed");
}
END_TEST

START_TEST(the_time_limit_is_in_simulated_time)
{
    JobSpec *spec = job(1);
    spec->max_wall_clock_ns = 100 * NS_PER_S;
    make(spec);
    const Job *j = run_to(STARTED_S + 100);
    ck_assert_int_eq(j->state, JOB_FAILED);
    ck_assert_int_eq(j->ended_ns, (STARTED_S + 100) * NS_PER_S);
    ck_assert(!job_runs_outside(j, 0));
}
END_TEST

START_TEST(a_new_attempt_needs_a_new_report)
{
    make(job(1));
    ran(400, 0, 100000, 0);
    Command *crash = commands_add(&list, COMMAND_NODE_CRASH, "j", 500 * NS_PER_S);
    crash->path.experiment = "e";
    crash->as.fault.is_of_job = true;
    crash->as.fault.recovery = RECOVERY_REPLACE;
    crash->as.fault.duration_ns = NS_PER_S;
    const Job *j = run_to(450);
    ck_assert(!job_runs_outside(j, 0)); // already reported
    run_to(20000);
    ck_assert_int_eq(j->starts, 2);
    ck_assert(job_runs_outside(j, 0));
}
END_TEST

/* Crashes the job's node when the job reaches `step`. */
static void crash_after_step(int64_t step)
{
    Command *crash = commands_add(&list, COMMAND_NODE_CRASH, "j", 0);
    crash->trigger = (Trigger){.moment = MOMENT_JOB_STEP, .subject = "j", .ordinal = step};
    crash->path.experiment = "e";
    crash->as.fault.is_of_job = true;
    crash->as.fault.recovery = RECOVERY_REPLACE;
    crash->as.fault.duration_ns = NS_PER_S;
}

static Command *reached(int64_t at_s, int64_t step, int64_t took_s)
{
    Command *command = commands_add(&list, COMMAND_JOB_REACHED, "j", at_s * NS_PER_S);
    command->as.job_reached.step = step;
    command->as.job_reached.took_ns = took_s * NS_PER_S;
    return command;
}

START_TEST(a_step_is_reached_when_it_is_reported)
{
    make(job(1));
    crash_after_step(30);
    reached(BEGUN_S + 1, 29, 5);
    reached(BEGUN_S + 2, 30, 50);
    const Job *j = run_to(BEGUN_S + 49);
    ck_assert(job_runs_outside(j, 0));
    run_to(BEGUN_S + 50);
    ck_assert(job_is_stalled(j));
    ck_assert(!job_runs_outside(j, 0));
    run_to(20000);
    ck_assert_int_eq(j->starts, 2);
    ck_assert(job_runs_outside(j, 0)); // the fault strikes once
}
END_TEST

/* One node: the command begins at 246 s, writes a checkpoint at 296 s and is lost after step 30 at
 * 316 s. */
START_TEST(progress_in_a_checkpoint_is_not_lost_with_the_attempt)
{
    JobSpec *spec = job(1);
    Program *program = ARENA_NEW(arena, Program), *training = ARENA_NEW(arena, Program);
    *program = *spec->program;
    *training = *plain_training_program(arena);
    training->checkpoint_bytes = 1000;
    training->checkpoint_every = 1;
    training->resumes = true;
    training->checkpoint_place = PLACE_SHARE;
    training->checkpoint_share = "a/s";
    training->checkpoint_path = "checkpoint-{epoch}.h5";
    program->training = training;
    spec->program = program;
    make(spec);
    crash_after_step(30);
    reached(BEGUN_S + 1, 20, 50)->as.job_reached.kept = 2;
    reached(BEGUN_S + 2, 30, 70);
    const Job *j = run_to(20000);
    ck_assert_int_eq(j->starts, 2);
    ck_assert_int_eq(j->epochs_kept, 2);
    const TraceRecord *attempt = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
    ck_assert_int_eq(attempt->job_attempt.kept_ns, 50 * NS_PER_S);
    ck_assert_int_eq(attempt->job_attempt.lost_ns,
                     attempt->at_ns - attempt->since_ns - 50 * NS_PER_S);
    ck_assert_int_eq(attempt->job_attempt.epochs_kept, 2);
    const TraceRecord *resumed = recording_find(&told, TRACE_JOB_RESUMED, NULL, 0);
    ck_assert_str_eq(resumed->name, "checkpoint-2.h5");
}
END_TEST

/* As before, with checkpoints after 2 epochs and 5 steps of the third. */
START_TEST(progress_within_an_epoch_is_not_lost_with_the_attempt)
{
    JobSpec *spec = job(1);
    Program *program = ARENA_NEW(arena, Program), *training = ARENA_NEW(arena, Program);
    *program = *spec->program;
    *training = *plain_training_program(arena);
    training->checkpoint_bytes = 1000;
    training->checkpoint_every = 1;
    training->resumes = true;
    training->checkpoint_place = PLACE_SHARE;
    training->checkpoint_share = "a/s";
    training->checkpoint_path = "checkpoint-{epoch}.h5";
    program->training = training;
    spec->program = program;
    make(spec);
    crash_after_step(30);
    reached(BEGUN_S + 1, 3, 10)->as.job_reached.kept_steps = 3;
    reached(BEGUN_S + 2, 20, 40)->as.job_reached.kept = 2;
    Command *within = reached(BEGUN_S + 3, 25, 50);
    within->as.job_reached.kept = 2;
    within->as.job_reached.kept_steps = 5;
    Command *earlier = reached(BEGUN_S + 4, 19, 55); // changes nothing
    earlier->as.job_reached.kept = 1;
    earlier->as.job_reached.kept_steps = 9;
    reached(BEGUN_S + 5, 30, 70);
    const Job *j = run_to(20000);
    ck_assert_int_eq(j->starts, 2);
    ck_assert_int_eq(j->epochs_kept, 2);
    ck_assert_int_eq(j->attempt->kept_steps, 5);
    const TraceRecord *attempt = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
    ck_assert_int_eq(attempt->job_attempt.kept_ns, 50 * NS_PER_S);
    ck_assert_int_eq(attempt->job_attempt.epochs_kept, 2);
    const TraceRecord *resumed = recording_find(&told, TRACE_JOB_RESUMED_WITHIN, NULL, 0);
    ck_assert_str_eq(resumed->name, "checkpoint-2-step-5.h5");
    ck_assert_int_eq(resumed->job_resumed_within.point.epochs, 2);
    ck_assert_int_eq(resumed->job_resumed_within.point.steps, 5);
}
END_TEST

START_TEST(a_program_that_starts_from_the_beginning_keeps_nothing)
{
    make(job(1));
    reached(BEGUN_S + 1, 20, 50)->as.job_reached.kept = 2;
    ck_assert_int_eq(run_to(20000)->epochs_kept, 0);
}
END_TEST

START_TEST(a_later_step_includes_all_earlier_ones)
{
    make(job(1));
    crash_after_step(3);
    reached(BEGUN_S + 1, 30, 50);
    const Job *j = run_to(BEGUN_S + 50);
    ck_assert(job_is_stalled(j));
}
END_TEST

START_TEST(a_training_has_a_preparation_that_is_modelled)
{
    JobSpec *spec = job(1);
    Program *program = ARENA_NEW(arena, Program);
    *program = *spec->program;
    program->training = plain_training_program(arena);
    spec->program = program;
    spec->has_preparation = true;
    spec->preparation_command = "prepare";
    spec->preparation_ns = constant(arena, 20 * NS_PER_S);
    make(spec);
    const Job *j = run_to(BEGUN_S + 19);
    ck_assert(!job_runs_outside(j, 1) && !job_runs_outside(j, 0));
    run_to(BEGUN_S + 20);
    ck_assert(job_runs_outside(j, 0));
    ck_assert_int_eq(job_outside_since_ns(j, 0), (BEGUN_S + 20) * NS_PER_S);
}
END_TEST

START_TEST(the_results_of_a_training_are_kept)
{
    make(job(1));
    ck_assert_ptr_null(job_program_ran(run_to(BEGUN_S)));
    end();
    world = NULL;
    begin();
    make(job(1));
    ran(5000, 0, 7000, 0)->as.job_ran.training =
        (RealTraining){.epochs = 2, .steps = 40, .accuracy_ppm = 715000, .loss_micro = 812345};
    const Job *j = run_to(20000);
    ck_assert_int_eq(job_program_ran(j)->training.epochs, 2);
    ck_assert_int_eq(job_program_ran(j)->training.steps, 40);
    ck_assert_int_eq(job_program_ran(j)->training.accuracy_ppm, 715000);
    ck_assert_int_eq(job_program_ran(j)->training.loss_micro, 812345);
}
END_TEST

START_TEST(reports_about_a_job_that_does_not_run_are_refused)
{
    JobSpec *spec = job(1);
    make(spec);
    commands_add(&list, COMMAND_JOB_TERMINATE, "j", 400 * NS_PER_S);
    const struct {
        int64_t at_s;
        int32_t node;
        const char *why;
    } rows[] = {
        {10, 0, "is queued and its program is not running"},
        {STARTED_S + 1, 0, "is running and its program is not running"},
        {BEGUN_S, 1, "its preparation is not running"},
        {BEGUN_S, 2, "has 1 nodes, and no preparation on node 2"},
        {400, 0, "is terminating and its program is not running"},
    };
    const ResourcePath path = ran(0, 0, 0, 0)->path;
    list.count--;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Status status = {0};
        run_to(rows[i].at_s);
        const Command command = {
            .kind = COMMAND_JOB_RAN, .path = path, .as.job_ran = {.node = rows[i].node}};
        ck_assert_msg(!world_apply(world, &command, &status), "row %zu", i);
        ck_assert_msg(strstr(status.message, rows[i].why) != NULL, "%s", status.message);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_real");
    TCase *cases = tcase_create("real execution");
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, a_command_runs_until_its_end_is_reported);
    tcase_add_test(cases, a_command_whose_end_was_reported_earlier_ends_at_once);
    tcase_add_test(cases, a_reported_reason_replaces_the_message_of_the_service);
    tcase_add_test(cases, preparations_run_on_every_node_and_the_program_after_the_last);
    tcase_add_test(cases, a_preparation_that_fails_fails_the_job);
    tcase_add_test(cases, the_time_limit_is_in_simulated_time);
    tcase_add_test(cases, a_new_attempt_needs_a_new_report);
    tcase_add_test(cases, a_step_is_reached_when_it_is_reported);
    tcase_add_test(cases, progress_in_a_checkpoint_is_not_lost_with_the_attempt);
    tcase_add_test(cases, progress_within_an_epoch_is_not_lost_with_the_attempt);
    tcase_add_test(cases, a_program_that_starts_from_the_beginning_keeps_nothing);
    tcase_add_test(cases, a_later_step_includes_all_earlier_ones);
    tcase_add_test(cases, a_training_has_a_preparation_that_is_modelled);
    tcase_add_test(cases, the_results_of_a_training_are_kept);
    tcase_add_test(cases, reports_about_a_job_that_does_not_run_are_refused);
    suite_add_tcase(suite, cases);
    return suite;
}
