/* How attempts begin, progress and end, at the pace of their nodes. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

static Arena *arena;
static CommandList list;
static Recording told;
static World *world;

static void begin(void)
{
    arena = arena_create();
    list = commands_begin(arena);
}

static void end(void)
{
    arena_destroy(arena);
}

static int64_t until_ns = INT64_MAX; /* the end of the runs of worlds created from now on */

static World *make(Fidelity fidelity)
{
    Scenario *scenario = scenario_of(&list, 1);
    scenario->until_ns = until_ns;
    scenario->fidelity = fidelity;
    told = recording_create(arena);
    world = world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_STEPS));
    world_check_always(world);
    return world;
}

static Job *the_job(void)
{
    return job_row(world->jobs, (JobId){0});
}

static JobSpec *sleeping(int64_t seconds, int32_t exit_code)
{
    return plain_job(arena, 2, plain_fixed_program(arena, seconds * NS_PER_S, exit_code));
}

static void submit(const JobSpec *spec)
{
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 0, "c", spec);
}

static void changes_with(const char *state, TraceCause cause)
{
    const TraceRecord *record = recording_find(&told, TRACE_JOB_STATE, state, 0);
    ck_assert_msg(record != NULL, "never %s", state);
    ck_assert_msg(record->cause == cause, "%s because of %s", state,
                  trace_cause_name(record->cause));
}

static void attempt_ends(const char *name, TraceCause cause)
{
    const TraceRecord *record = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
    ck_assert_ptr_nonnull(record);
    ck_assert_str_eq(record->name, name);
    ck_assert_int_eq(record->cause, cause);
}

/* --- Ends --- */

START_TEST(a_program_ends_only_with_its_exit)
{
    for (int32_t exit_code = 0; exit_code < 2; exit_code++) {
        list = commands_begin(arena);
        submit(sleeping(60, exit_code));
        world_run(make(FIDELITY_STEP));
        changes_with(exit_code ? "failed" : "succeeded", CAUSE_EXIT);
        attempt_ends(exit_code ? "failed" : "completed", CAUSE_EXIT);
        // 1 s of overhead and 60 s of work on two nodes.
        const TraceRecord *attempt = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
        ck_assert_int_eq(attempt->job_attempt.kept_ns, exit_code ? 0 : 120 * NS_PER_S);
        ck_assert_int_eq(attempt->job_attempt.startup_ns, exit_code ? 0 : 2 * NS_PER_S);
        ck_assert_int_eq(attempt->job_attempt.lost_ns, exit_code ? 122 * NS_PER_S : 0);
    }
}
END_TEST

START_TEST(a_preparation_that_takes_no_time_can_fail)
{
    JobSpec *spec = sleeping(60, 0);
    spec->has_preparation = true;
    spec->preparation_ns = constant(arena, 0);
    spec->preparation_exit_code = 3;
    submit(spec);
    world_run(make(FIDELITY_STEP));
    changes_with("failed", CAUSE_EXIT);
    ck_assert_str_eq(the_job()->error_code, "JobPreparationFailed");
    ck_assert_int_eq(the_job()->exit_code, 3);
}
END_TEST

START_TEST(a_missing_share_is_a_mount_failure)
{
    static const char *const nowhere[] = {"a/nowhere"};
    JobSpec *spec = sleeping(60, 0);
    spec->mount_count = 1;
    spec->mounts = nowhere;
    submit(spec);
    world_run(make(FIDELITY_STEP));
    changes_with("failed", CAUSE_MOUNT_FAILURE);
    attempt_ends("failed", CAUSE_MOUNT_FAILURE);
    ck_assert_ptr_nonnull(
        recording_find(&told, TRACE_JOB_ERROR,
                       "AZFMountError: Unable to mount Azure File (a/nowhere doesn't exist)", 0));
}
END_TEST

static JobSpec *mounting(void)
{
    static const char *const mounts[] = {"a/s"};
    JobSpec *spec = sleeping(60, 0);
    spec->mount_count = 1;
    spec->mounts = mounts;
    return spec;
}

START_TEST(a_share_that_is_out_cannot_be_mounted_and_blocks_jobs_that_mounted_it)
{
    submit(mounting());
    for (int32_t is_late = 0; is_late < 2; is_late++) {
        make(FIDELITY_STEP);
        world_advance(world, (is_late ? 246 : 200) * NS_PER_S); // mounted at 245 s
        share_slows(world->storage, (ShareId){0}, 0, NS_PER_HOUR);
        world_run(world);
        if (is_late) {
            ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
            continue;
        }
        changes_with("failed", CAUSE_MOUNT_FAILURE);
        ck_assert_str_eq(the_job()->error_code, "AZFMountError");
        ck_assert_str_eq(the_job()->error_message,
                         "Unable to mount Azure File (a/s does not answer)");
        ck_assert_int_eq(the_job()->ended_ns, 245 * NS_PER_S);
    }
}
END_TEST

START_TEST(mounts_and_containers_fail_with_the_chances_of_the_scenario)
{
    static const ContainerImage image = {"ubuntu", 50000000};
    JobSpec *spec = mounting();
    spec->image = &image;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    enum { JOBS = 400 };
    for (int32_t j = 0; j < JOBS; j++)
        commands_create_job(&list, arena_printf(arena, "j%d", (int)j), 0, "c", spec);
    make(FIDELITY_JOB);
    Scenario *scenario = (Scenario *)world_scenario(world); // scenario_of made it for this test
    scenario->failures = (Failures){.rate_ppm = PPM, .mount_ppm = 100000, .container_ppm = 50000};
    world_run(world);
    int32_t mounts = 0, containers = 0;
    for (uint32_t j = 0; j < JOBS; j++) {
        const char *code = world_job(world, (JobId){j})->error_code;
        mounts += code && strcmp(code, "AZFMountError") == 0;
        containers += code && strcmp(code, "FailedStartingContainer") == 0;
    }
    // Two nodes: 1 - 0.9^2 = 0.19 of 400 fail to mount, 76 (spread 8); of the other 324 fail
    // 1 - 0.95^2 = 0.0975 to start a container, 32 (spread 5).
    ck_assert_int_ge(mounts, 76 - 24);
    ck_assert_int_le(mounts, 76 + 24);
    ck_assert_int_ge(containers, 32 - 16);
    ck_assert_int_le(containers, 32 + 16);
}
END_TEST

START_TEST(a_container_fault_prevents_one_start)
{
    static const ContainerImage image = {"tensorflow/tensorflow:1.8.0-gpu", 100000000};
    JobSpec *spec = sleeping(60, 0);
    spec->image = &image;
    submit(spec);
    commands_create_job(&list, "k", 0, "c", spec);
    make(FIDELITY_STEP);
    world_advance(world, 100 * NS_PER_S);
    job_fail_next_container(the_job());
    world_run(world);
    changes_with("failed", CAUSE_CONTAINER_FAILURE);
    attempt_ends("failed", CAUSE_CONTAINER_FAILURE);
    ck_assert_str_eq(the_job()->error_code, "FailedStartingContainer");
    ck_assert_str_eq(the_job()->error_message, "unable to start docker container (image "
                                               "tensorflow/tensorflow:1.8.0-gpu)");
    ck_assert_int_eq(the_job()->exit_code, -1);
    // Ready at 230 s, image pulled and unpacked in 2 s, container 10 s.
    ck_assert_int_eq(the_job()->ended_ns, 242 * NS_PER_S);
    ck_assert_int_eq(world_job(world, (JobId){1})->state, JOB_SUCCEEDED);
}
END_TEST

START_TEST(a_program_can_be_made_to_exit)
{
    static const struct {
        int64_t at_s;
        int32_t exit_code;
        bool does;
        JobState state;
    } rows[] = {{100, 1, false, JOB_SUCCEEDED}, // still in the queue
                {230, 1, false, JOB_SUCCEEDED}, // starting
                {240, 137, true, JOB_FAILED},
                {240, 0, true, JOB_SUCCEEDED},
                {1000, 1, false, JOB_SUCCEEDED}}; // ended
    submit(sleeping(60, 0));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(FIDELITY_STEP);
        world_advance(world, rows[i].at_s * NS_PER_S);
        ck_assert(job_exits_now(world->jobs, the_job(), rows[i].exit_code) == rows[i].does);
        world_run(world);
        ck_assert_int_eq(the_job()->state, rows[i].state);
        ck_assert_int_eq(the_job()->exit_code, rows[i].does ? rows[i].exit_code : 0);
        ck_assert_int_eq(the_job()->ended_ns, (rows[i].does ? rows[i].at_s : 291) * NS_PER_S);
    }
}
END_TEST

START_TEST(a_stop_records_its_cause)
{
    static const struct {
        CommandKind kind;
        int64_t at_s;
        TraceCause cause;
        bool had_nodes;
    } rows[] = {{COMMAND_JOB_TERMINATE, 240, CAUSE_TERMINATION, true},
                {COMMAND_JOB_DELETE, 240, CAUSE_DELETION, true},
                {COMMAND_JOB_TERMINATE, 100, CAUSE_TERMINATION, false},
                {COMMAND_JOB_DELETE, 100, CAUSE_DELETION, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        list = commands_begin(arena);
        submit(sleeping(600, 0));
        commands_add(&list, rows[i].kind, "j", rows[i].at_s * NS_PER_S);
        world_run(make(FIDELITY_STEP));
        changes_with("failed", rows[i].cause);
        if (rows[i].had_nodes) {
            changes_with("terminating", rows[i].cause);
            attempt_ends("stopped", rows[i].cause);
        } else {
            ck_assert_int_eq(recording_count(&told, TRACE_JOB_ATTEMPT, NULL), 0);
        }
    }
}
END_TEST

START_TEST(a_time_limit_counts_from_the_last_start)
{
    JobSpec *spec = sleeping(600, 0);
    spec->max_wall_clock_ns = 100 * NS_PER_S;
    submit(spec);
    make(FIDELITY_STEP);
    world_advance(world, 300 * NS_PER_S);
    job_loses_nodes(world->jobs, the_job(), NULL, DEALLOCATE_REQUEUE, CAUSE_PREEMPTION);
    world_run(world);
    changes_with("failed", CAUSE_TIME_LIMIT);
    ck_assert_int_eq(the_job()->ended_ns, 400 * NS_PER_S);
}
END_TEST

START_TEST(a_job_runs_on_low_priority_nodes_for_a_limited_time)
{
    for (int32_t is_low = 0; is_low < 2; is_low++) {
        list = commands_begin(arena);
        ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
        *cluster = *plain_cluster(arena, 2);
        cluster->is_low_priority = is_low;
        commands_create_cluster(&list, "c", 0, cluster);
        commands_create_job(&list, "j", 0, "c", sleeping(600, 0));
        until_ns = 10000 * NS_PER_S;
        make(FIDELITY_STEP);
        Scenario *scenario = (Scenario *)world_scenario(world); // scenario_of made it for this test
        scenario->service.low_priority_run_max_ns = 500 * NS_PER_S;
        scenario->service.attempts_max = 2;
        world_run(world);
        if (!is_low) {
            ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
            continue;
        }
        const TraceRecord *queued = recording_find(&told, TRACE_JOB_STATE, "queued", 1);
        ck_assert_int_eq(queued->at_ns, 730 * NS_PER_S);
        ck_assert_int_eq(queued->cause, CAUSE_RUN_LENGTH);
        attempt_ends("lost", CAUSE_RUN_LENGTH);
        const TraceRecord *released = recording_find(&told, TRACE_NODE_STATE, "released", 0);
        ck_assert_ptr_nonnull(released);
        ck_assert_int_eq(released->at_ns, 730 * NS_PER_S);
        ck_assert_int_eq(released->cause, CAUSE_RUN_LENGTH);
    }
}
END_TEST

/* Why the run was abandoned; NULL: it was not. */
static const char *given_up(void)
{
    return recording_find(&told, TRACE_RUN_ENDED, NULL, 0)->name;
}

START_TEST(a_run_without_an_end_is_abandoned_if_a_job_never_makes_progress)
{
    for (int32_t has_end = 0; has_end < 2; has_end++) {
        list = commands_begin(arena);
        ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
        *cluster = *plain_cluster(arena, 2);
        cluster->is_low_priority = true;
        commands_create_cluster(&list, "c", 0, cluster);
        commands_create_job(&list, "j", 0, "c", sleeping(600, 0));
        until_ns = has_end ? 10 * NS_PER_DAY : INT64_MAX;
        make(FIDELITY_JOB);
        Scenario *scenario = (Scenario *)world_scenario(world); // scenario_of made it for this test
        scenario->service.low_priority_run_max_ns = 500 * NS_PER_S;
        world_run(world);
        if (has_end) {
            ck_assert_int_gt(the_job()->starts, LOST_ATTEMPTS_MAX);
            ck_assert_ptr_null(given_up());
        } else {
            ck_assert_int_eq(the_job()->state, JOB_QUEUED);
            ck_assert_int_eq(the_job()->starts, LOST_ATTEMPTS_MAX);
            ck_assert_str_eq(given_up(), "job j lost its nodes 1000 times in a row without having "
                                         "kept anything: it never ends");
        }
    }
}
END_TEST

START_TEST(a_run_reports_that_simulated_time_ended_before_its_jobs)
{
    // The cluster is ready at 230 s, and the job would end 100 s after the end of the 292 years.
    list = commands_begin(arena);
    JobSpec *spec = sleeping(INT64_MAX / NS_PER_S - 131, 0);
    spec->max_wall_clock_ns = INT64_MAX - 1;
    submit(spec);
    world_run(make(FIDELITY_JOB));
    ck_assert_int_eq(the_job()->state, JOB_RUNNING);
    ck_assert_ptr_nonnull(strstr(given_up(), "simulated time ends after 292 years"));
    list = commands_begin(arena);
    submit(sleeping(60, 0));
    world_run(make(FIDELITY_JOB));
    ck_assert_ptr_null(given_up());
}
END_TEST

/* --- Its entry in the service --- */

START_TEST(a_job_does_not_start_before_it_is_recorded)
{
    // The cluster is ready at 230 s; the job of 300 s could start at 302 s, but has its record at
    // 340 s only.
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 2));
    commands_create_job(&list, "j", 300 * NS_PER_S, "c", sleeping(60, 0));
    make(FIDELITY_STEP);
    ((Scenario *)world_scenario(world))->service.job_record_ns = constant(arena, 40 * NS_PER_S);
    world_run(world);
    ck_assert_int_eq(the_job()->recorded_ns, 340 * NS_PER_S);
    ck_assert_int_eq(the_job()->started_ns, 340 * NS_PER_S);
}
END_TEST

/* --- Moments --- */

static void when(Moment moment, int64_t ordinal, const char *shown)
{
    Command *command = commands_add(&list, COMMAND_FILE_UPLOAD, "a/s", 0);
    command->trigger = (Trigger){.moment = moment, .subject = "j", .ordinal = ordinal};
    command->as.file_upload.file = shown;
}

static int64_t came_at(const char *shown)
{
    const TraceRecord *record = recording_find(&told, TRACE_FILE_WRITTEN, shown, 0);
    ck_assert_msg(record != NULL, "%s never came", shown);
    return record->at_ns;
}

static Program *checkpointing(int64_t every)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->checkpoint_every = every;
    program->resumes = true;
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/s";
    return program;
}

START_TEST(epochs_and_checkpoints_are_moments_at_every_fidelity)
{
    submit(plain_job(arena, 2, checkpointing(2)));
    when(MOMENT_JOB_SUBMITTED, 0, "submitted");
    when(MOMENT_JOB_EPOCH, 1, "epoch-1");
    when(MOMENT_JOB_EPOCH, 3, "epoch-3");
    when(MOMENT_JOB_EPOCH, 4, "epoch-4");
    when(MOMENT_JOB_EPOCH, 5, "epoch-5");
    when(MOMENT_JOB_CHECKPOINT, 2, "checkpoint-2");
    when(MOMENT_JOB_CHECKPOINT, 3, "checkpoint-3");
    when(MOMENT_JOB_CHECKPOINT, 4, "checkpoint-4");
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_run(make((Fidelity)fidelity));
        ck_assert_int_eq(came_at("submitted"), 0);
        ck_assert_int_eq(came_at("epoch-1"), job_epoch_times(the_job(), 0).begin_ns);
        ck_assert_int_eq(came_at("epoch-3"), job_epoch_times(the_job(), 2).begin_ns);
        ck_assert_int_eq(came_at("epoch-4"), job_epoch_times(the_job(), 3).begin_ns);
        ck_assert_int_eq(came_at("checkpoint-2"), job_epoch_times(the_job(), 1).checkpointed_ns);
        ck_assert_int_eq(came_at("checkpoint-4"), job_epoch_times(the_job(), 3).checkpointed_ns);
        // There is no fifth epoch, and no checkpoint after the third epoch.
        ck_assert_int_eq(recording_count(&told, TRACE_COMMAND_SKIPPED, NULL), 2);
    }
}
END_TEST

START_TEST(a_requeue_is_a_moment_with_a_number)
{
    submit(plain_job(arena, 2, checkpointing(1)));
    when(MOMENT_JOB_REQUEUED, 1, "once");
    when(MOMENT_JOB_REQUEUED, 2, "twice");
    when(MOMENT_JOB_REQUEUED, 3, "thrice");
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        make((Fidelity)fidelity);
        world_advance(world, 245 * NS_PER_S);
        job_loses_nodes(world->jobs, the_job(), NULL, DEALLOCATE_REQUEUE, CAUSE_CRASH);
        world_advance(world, 250 * NS_PER_S);
        job_loses_nodes(world->jobs, the_job(), NULL, DEALLOCATE_REQUEUE, CAUSE_CRASH);
        world_run(world);
        ck_assert_int_eq(came_at("once"), 245 * NS_PER_S);
        ck_assert_int_eq(came_at("twice"), 250 * NS_PER_S);
        ck_assert_int_eq(recording_count(&told, TRACE_COMMAND_SKIPPED, NULL), 1);
    }
}
END_TEST

START_TEST(an_epoch_is_a_moment_after_a_resume_too)
{
    Program *program = checkpointing(1);
    program->steps_per_epoch = 40;
    submit(plain_job(arena, 2, program));
    when(MOMENT_JOB_EPOCH, 4, "epoch-4");
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        make((Fidelity)fidelity);
        world_advance(world, 247 * NS_PER_S);
        ck_assert_int_gt(job_epochs_done(the_job(), world_now_ns(world)), 0);
        ck_assert_int_lt(job_epochs_done(the_job(), world_now_ns(world)), 3);
        job_loses_nodes(world->jobs, the_job(), NULL, DEALLOCATE_REQUEUE, CAUSE_CRASH);
        world_run(world);
        ck_assert_int_eq(came_at("epoch-4"), job_epoch_times(the_job(), 3).begin_ns);
    }
}
END_TEST

/* --- Pace --- */

static void set_speed(int32_t node, int64_t speed_ppm)
{
    node_row(world->clusters, the_job()->attempt->nodes[node])->speed_ppm = speed_ppm;
}

static int64_t epoch_ns(int64_t epoch)
{
    EpochTimes times = job_epoch_times(the_job(), epoch);
    return times.end_ns - times.begin_ns;
}

/* One second of compute a step without jitter, and 20 ms of exchange. */
static Program *second_steps(void)
{
    static const QuantileKnot as_modelled = {0, PPM};
    Program *program = checkpointing(100);
    Framework *framework = ARENA_NEW(arena, Framework);
    NetworkModel *network = ARENA_NEW(arena, NetworkModel);
    ExchangeMethod *exchange = ARENA_NEW(arena, ExchangeMethod);
    *framework = (Framework){.name = "steady",
                             .start_ns = 10 * NS_PER_S,
                             .step_overhead_ns = NS_PER_S,
                             .input_parallelism_ppm = PPM};
    *network = (NetworkModel){.name = "small", .gradient_bytes = 1, .tensors = 1};
    *exchange = *program->exchange;
    exchange->via_host = false;
    exchange->cycle_ns = 40 * NS_PER_MS;
    program->network = network;
    program->framework = framework;
    program->exchange = exchange;
    program->step_jitter_ppm = (Quantiles){.count = 1, .knots = &as_modelled};
    program->evaluate_samples = 0;
    program->evaluates_at_end = false;
    return program;
}

/* The steps are equal, ten an epoch, so the n-th ends after n / 10 of its epoch. */
static int64_t step_end_ns(int64_t step)
{
    const int64_t epoch = (step - 1) / 10, in_epoch = (step - 1) % 10 + 1;
    return job_epoch_times(the_job(), epoch).begin_ns + epoch_ns(epoch) * in_epoch / 10;
}

START_TEST(steps_are_moments_at_every_fidelity)
{
    static const int64_t steps[] = {1, 10, 15, 16, 31, 40};
    submit(plain_job(arena, 2, second_steps()));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        when(MOMENT_JOB_STEP, steps[i], arena_printf(arena, "step-%d", (int)steps[i]));
    when(MOMENT_JOB_STEP, 41, "step-41");
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_run(make((Fidelity)fidelity));
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            ck_assert_int_eq(came_at(arena_printf(arena, "step-%d", (int)steps[i])),
                             step_end_ns(steps[i]));
        ck_assert_int_eq(recording_count(&told, TRACE_COMMAND_SKIPPED, NULL),
                         1); // the last step is the 40th
    }
}
END_TEST

START_TEST(a_step_is_a_moment_once_and_after_a_resume_too)
{
    Program *program = second_steps();
    program->checkpoint_every = 1;
    submit(plain_job(arena, 2, program));
    when(MOMENT_JOB_STEP, 12, "step-12");
    when(MOMENT_JOB_STEP, 27, "step-27");
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        make((Fidelity)fidelity);
        while (world_run_instant(world) && !recording_find(&told, TRACE_FILE_WRITTEN, "step-12", 0))
            continue;
        const int64_t first_ns = came_at("step-12");
        job_loses_nodes(world->jobs, the_job(), NULL, DEALLOCATE_REQUEUE, CAUSE_CRASH);
        world_run(world);
        ck_assert_int_eq(came_at("step-12"), first_ns);
        ck_assert_int_eq(recording_count(&told, TRACE_FILE_WRITTEN, "step-12"), 1);
        ck_assert_int_eq(the_job()->starts, 2);
        ck_assert_int_eq(came_at("step-27"), step_end_ns(27));
    }
}
END_TEST

START_TEST(the_slowest_node_sets_the_pace_and_the_others_wait)
{
    submit(plain_job(arena, 2, second_steps()));
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_run(make((Fidelity)fidelity));
        int64_t healthy_ns = epoch_ns(0);
        const TraceRecord *healthy = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
        int64_t work_ns = healthy->job_attempt.kept_ns,
                exchange_ns = healthy->job_attempt.exchange_ns;
        make((Fidelity)fidelity);
        world_advance(world, 235 * NS_PER_S);
        set_speed(1, 500000); // half speed: two seconds of compute a step, ten steps an epoch
        world_run(world);
        ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
        for (int64_t e = 0; e < 4; e++)
            ck_assert_int_eq(epoch_ns(e) - healthy_ns, 10 * NS_PER_S);
        const TraceRecord *attempt = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
        // The slow node needs one second more a step, and the other node waits for it.
        ck_assert_int_eq(attempt->job_attempt.kept_ns - work_ns, 40 * NS_PER_S);
        ck_assert_int_eq(attempt->job_attempt.gang_ns - healthy->job_attempt.gang_ns,
                         40 * NS_PER_S);
        ck_assert_int_eq(attempt->job_attempt.exchange_ns, exchange_ns);
        if (fidelity != FIDELITY_STEP)
            continue;
        const TraceRecord *fast = recording_find(&told, TRACE_STEP, NULL, 0);
        const TraceRecord *slow = recording_find(&told, TRACE_STEP, NULL, 1);
        ck_assert_int_eq(fast->step.parts.compute_ns, NS_PER_S); // compute and wait
        ck_assert_int_eq(fast->step.parts.wait_ns, NS_PER_S);
        ck_assert_int_eq(slow->step.parts.compute_ns, 2 * NS_PER_S);
        ck_assert_int_eq(slow->step.parts.wait_ns, 0);
    }
}
END_TEST

START_TEST(a_change_of_speed_counts_from_the_next_step_epoch_or_attempt)
{
    submit(plain_job(arena, 2, second_steps()));
    int64_t longer_ns[3][4];
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_run(make((Fidelity)fidelity));
        int64_t healthy_ns = epoch_ns(0);
        make((Fidelity)fidelity);
        // The node is slow from the fourth step of the first epoch until the second step of the
        // third.
        world_advance(world, 242 * NS_PER_S + 3500 * NS_PER_MS);
        set_speed(0, 500000);
        world_advance(world, world_now_ns(world) + 30 * NS_PER_S);
        set_speed(0, PPM);
        world_run(world);
        for (int64_t e = 0; e < 4; e++)
            longer_ns[fidelity][e] = (epoch_ns(e) - healthy_ns) / NS_PER_S;
    }
    // A step takes 1.02 s, a slow one 2.02 s. The fourth ends at 4.08 s, six slow ones end the
    // first epoch at 16.2 s, and nine more begin before 33.5 s. Epochs of 10.2 s: the second begins
    // at 10.2 s and takes 20.2 s, so the third still begins before 33.5 s.
    static const int64_t expected_s[3][4] = {{6, 9, 0, 0}, {0, 10, 10, 0}, {0, 0, 0, 0}};
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int64_t e = 0; e < 4; e++)
            ck_assert_msg(longer_ns[fidelity][e] == expected_s[fidelity][e],
                          "fidelity %d, epoch %d: %d s longer", (int)fidelity, (int)e,
                          (int)longer_ns[fidelity][e]);
    // The logs have the recorded ends of the steps in slow epochs, and draw the other ends.
    make(FIDELITY_STEP);
    world_advance(world, 242 * NS_PER_S + 3500 * NS_PER_MS);
    set_speed(0, 500000);
    world_advance(world, world_now_ns(world) + 5 * NS_PER_S);
    const int64_t *ends_ns = job_step_ends(the_job(), 0);
    ck_assert_ptr_nonnull(ends_ns);
    int64_t step_ns = ends_ns[0] - job_epoch_times(the_job(), 0).begin_ns;
    ck_assert_int_eq(ends_ns[3] - ends_ns[2], step_ns);
    ck_assert_int_eq(ends_ns[4] - ends_ns[3], step_ns + NS_PER_S);
    ck_assert_int_eq(ends_ns[9], INT64_MAX);
    world_run(world);
    ck_assert_int_eq(job_step_ends(the_job(), 0)[9], job_epoch_times(the_job(), 0).end_ns);
}
END_TEST

START_TEST(nodes_without_a_rank_wait_for_the_others)
{
    JobSpec *spec = plain_job(arena, 2, second_steps());
    spec->processes = 1;
    submit(spec);
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_run(make((Fidelity)fidelity));
        const TraceRecord *attempt = recording_find(&told, TRACE_JOB_ATTEMPT, NULL, 0);
        ck_assert_int_eq(attempt->job_attempt.gang_ns, 40 * NS_PER_S); // gang: 40 steps of 1 s
    }
}
END_TEST

/* --- Names --- */

START_TEST(placeholders_in_paths_are_replaced)
{
    submit(sleeping(60, 0));
    world_run(make(FIDELITY_STEP));
    const Scenario *scenario = world_scenario(world);
    const char *segment = job_output_segment(scenario, the_job(), arena);
    ck_assert_ptr_nonnull(strstr(
        segment, "00000000-0000-0000-0000-000000000000/g/workspaces/w/experiments/e/jobs/j/"));
    ck_assert_str_eq(segment, job_output_segment(scenario, the_job(), arena));
    const struct {
        const char *pattern;
        const char *filled;
    } rows[] = {
        {"model.h5", "model.h5"},
        {"", ""},
        {"{epoch}", "12"},
        {"a-{epoch}/{epoch}.h5", "a-12/12.h5"},
        {"{segment}/{epoch", arena_printf(arena, "%s/{epoch", segment)},
        {"x/{segment}/y-{epoch}", arena_printf(arena, "x/%s/y-12", segment)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_str_eq(job_fill_in(scenario, the_job(), rows[i].pattern, 12, arena),
                         rows[i].filled);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job");
    TCase *tests = tcase_create("jobs");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_program_ends_only_with_its_exit);
    tcase_add_test(tests, a_preparation_that_takes_no_time_can_fail);
    tcase_add_test(tests, a_missing_share_is_a_mount_failure);
    tcase_add_test(tests, a_share_that_is_out_cannot_be_mounted_and_blocks_jobs_that_mounted_it);
    tcase_add_test(tests, mounts_and_containers_fail_with_the_chances_of_the_scenario);
    tcase_add_test(tests, a_container_fault_prevents_one_start);
    tcase_add_test(tests, a_program_can_be_made_to_exit);
    tcase_add_test(tests, a_stop_records_its_cause);
    tcase_add_test(tests, a_time_limit_counts_from_the_last_start);
    tcase_add_test(tests, a_job_runs_on_low_priority_nodes_for_a_limited_time);
    tcase_add_test(tests, a_run_without_an_end_is_abandoned_if_a_job_never_makes_progress);
    tcase_add_test(tests, a_run_reports_that_simulated_time_ended_before_its_jobs);
    tcase_add_test(tests, a_job_does_not_start_before_it_is_recorded);
    tcase_add_test(tests, epochs_and_checkpoints_are_moments_at_every_fidelity);
    tcase_add_test(tests, a_requeue_is_a_moment_with_a_number);
    tcase_add_test(tests, an_epoch_is_a_moment_after_a_resume_too);
    tcase_add_test(tests, steps_are_moments_at_every_fidelity);
    tcase_add_test(tests, a_step_is_a_moment_once_and_after_a_resume_too);
    tcase_add_test(tests, the_slowest_node_sets_the_pace_and_the_others_wait);
    tcase_add_test(tests, a_change_of_speed_counts_from_the_next_step_epoch_or_attempt);
    tcase_add_test(tests, nodes_without_a_rank_wait_for_the_others);
    tcase_add_test(tests, placeholders_in_paths_are_replaced);
    suite_add_tcase(suite, tests);
    return suite;
}
