/* Jobs whose nodes fall silent or are taken away. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "tests/support/suite.h"
#include "tests/support/worlds.h"

enum { EPOCHS = 4, NODES = 2 };

static Arena *arena;
static Recording told;
static World *world;

static void begin(void)
{
    arena = arena_create();
    told = recording_create(arena);
}

static void end(void)
{
    arena_destroy(arena);
}

/* Ten steps of exactly one second an epoch: no exchange, no jitter, no evaluation. After each of
 * the four epochs a checkpoint of 100 MB is written to the share. */
static Program *steady_program(void)
{
    Program *program = steady_training_program(arena);
    program->evaluate_samples = 0;
    program->checkpoint_bytes = 100000000;
    program->checkpoint_path = "{segment}/checkpoint-{epoch}.h5";
    program->model_bytes = 0;
    return program;
}

/* Ready at 230 s; overhead 1 s, start 10 s and 1 s of download: training from 242 s on. */
static int64_t until_ns = INT64_MAX; /* the end of the runs of worlds created from now on */

static World *world_with(const JobSpec *spec, Fidelity fidelity)
{
    CommandList list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, NODES));
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->fidelity = fidelity;
    scenario->until_ns = until_ns;
    told = recording_create(arena);
    world = world_create(arena, scenario, recording_sink(&told, TRACE_LEVEL_EPOCHS));
    world_check_always(world);
    return world;
}

enum { TRAINS_S = 242 };

static Job *the_job(void)
{
    return job_row(world->jobs, (JobId){0});
}

static Node *node_of_job(int32_t n)
{
    return node_row(world->clusters, the_job()->nodes[n]);
}

static void stall(void)
{
    job_stalls(world->jobs, the_job(), node_of_job(1));
}

static void lose(TraceCause cause)
{
    job_loses_nodes(world->jobs, the_job(), node_of_job(1), DEALLOCATE_REQUEUE, cause);
}

/* The times to write a checkpoint and to read it. */
static void checkpoint_times(int64_t *write_ns, int64_t *read_ns)
{
    world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
    world_advance(world, (TRAINS_S + 25) * NS_PER_S);
    const TraceRecord *written = recording_find(&told, TRACE_CHECKPOINT, NULL, 0);
    *write_ns = written->at_ns - written->since_ns;
    lose(CAUSE_CRASH);
    world_run(world);
    const TraceRecord *read = recording_find(&told, TRACE_TRANSFER, "read", 0);
    *read_ns = read->at_ns - read->since_ns;
}

START_TEST(a_training_that_the_scheduler_stops_continues_from_its_checkpoint)
{
    int64_t write_ns, read_ns;
    checkpoint_times(&write_ns, &read_ns);
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_with(plain_job(arena, NODES, steady_program()), (Fidelity)fidelity);
        // Five seconds into epoch 3. All nodes are idle again, so it starts again at once.
        world_advance(world, TRAINS_S * NS_PER_S + 2 * (10 * NS_PER_S + write_ns) + 5 * NS_PER_S);
        job_is_preempted(world->jobs, the_job(), CAUSE_PRECEDENCE);
        ck_assert_int_eq(the_job()->state, JOB_QUEUED);
        ck_assert_ptr_null(the_job()->nodes);
        world_run(world);
        ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
        ck_assert_int_eq(the_job()->starts, 2);
        ck_assert_str_eq(recording_attempt(&told, 0)->name, "preempted");
        ck_assert_int_eq(recording_attempt(&told, 0)->cause, CAUSE_PRECEDENCE);
        ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.epochs_kept, 2);
        ck_assert_int_ge(recording_attempt(&told, 0)->job_attempt.lost_ns, NODES * 5 * NS_PER_S);
        ck_assert_str_eq(recording_attempt(&told, 1)->name, "completed");
    }
}
END_TEST

START_TEST(a_crash_in_epoch_3_costs_the_work_since_the_checkpoint)
{
    int64_t write_ns, read_ns;
    checkpoint_times(&write_ns, &read_ns);
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_with(plain_job(arena, NODES, steady_program()), (Fidelity)fidelity);
        // Five seconds into epoch 3 a node falls silent; a minute later the service notices.
        int64_t crash_ns = TRAINS_S * NS_PER_S + 2 * (10 * NS_PER_S + write_ns) + 5 * NS_PER_S;
        world_advance(world, crash_ns);
        stall();
        ck_assert(job_is_stalled(the_job()));
        ck_assert_int_eq(job_epochs_done(the_job(), world_now_ns(world)), 2);
        world_advance(world, crash_ns + NS_PER_MIN);
        ck_assert_int_eq(the_job()->state, JOB_RUNNING);
        ck_assert_int_eq(job_epochs_done(the_job(), world_now_ns(world)), 2);
        const Node *lost = node_of_job(1);
        lose(CAUSE_CRASH);
        ck_assert_int_eq(the_job()->state, JOB_QUEUED);
        ck_assert_ptr_null(the_job()->nodes);
        ck_assert_int_eq(job_epochs_done(the_job(), world_now_ns(world)), 2);
        world_run(world);
        ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
        ck_assert_int_eq(the_job()->starts, 2);

        const TraceRecord *first = recording_attempt(&told, 0),
                          *second = recording_attempt(&told, 1);
        ck_assert_str_eq(first->name, "lost");
        ck_assert_int_eq(first->cause, CAUSE_CRASH);
        ck_assert_uint_eq(first->node.index, lost->id.index);
        ck_assert_int_eq(first->job_attempt.nodes, NODES);
        // Two epochs of ten seconds on two nodes, and their checkpoints. The attempt loses 12 s of
        // start, the 5 s of epoch 3 and the minute of silence.
        ck_assert_int_eq(first->job_attempt.kept_ns, 40 * NS_PER_S);
        ck_assert_int_eq(first->job_attempt.checkpoint_ns, NODES * 2 * write_ns);
        ck_assert_int_eq(first->job_attempt.lost_ns, NODES * 77 * NS_PER_S);
        ck_assert_int_eq(first->job_attempt.epochs_kept, 2);
        const TraceRecord *queued = recording_find(&told, TRACE_JOB_STATE, "queued", 1);
        ck_assert_int_eq(queued->cause, CAUSE_CRASH);
        ck_assert_uint_eq(queued->node.index, lost->id.index);
        ck_assert_int_eq(queued->at_ns, crash_ns + NS_PER_MIN);
        const TraceRecord *stalled = recording_find(&told, TRACE_JOB_STALLED, NULL, 0);
        ck_assert_int_eq(stalled->at_ns, crash_ns);
        ck_assert_uint_eq(stalled->node.index, lost->id.index);

        // The job restarts at once on the same nodes: 12 s of start, reading the checkpoint, epochs
        // 3 and 4.
        const TraceRecord *resumed = recording_find(&told, TRACE_JOB_RESUMED, NULL, 0);
        ck_assert_int_eq(resumed->at_ns, crash_ns + 72 * NS_PER_S + read_ns);
        ck_assert_int_eq(resumed->job_resumed.epochs, 2);
        ck_assert_ptr_nonnull(strstr(resumed->name, "/checkpoint-2.h5"));
        ck_assert_str_eq(second->name, "completed");
        ck_assert_int_eq(second->cause, CAUSE_EXIT);
        ck_assert_int_eq(second->at_ns - resumed->at_ns, 2 * (10 * NS_PER_S + write_ns));
        ck_assert_int_eq(second->job_attempt.kept_ns, 40 * NS_PER_S);
        ck_assert_int_eq(second->job_attempt.startup_ns, NODES * (11 * NS_PER_S + read_ns));
        ck_assert_int_eq(second->job_attempt.input_ns, NODES * NS_PER_S);
        ck_assert_int_eq(second->job_attempt.checkpoint_ns, NODES * 2 * write_ns);
        ck_assert_int_eq(second->job_attempt.lost_ns, 0);
        ck_assert_int_eq(second->job_attempt.epochs_kept, 2);
        if (fidelity == FIDELITY_JOB)
            continue; // records no epochs
        ck_assert_int_eq(recording_count(&told, TRACE_EPOCH, NULL), EPOCHS);
        ck_assert_int_eq(recording_find(&told, TRACE_EPOCH, NULL, 2)->epoch.epoch, 3);
    }
}
END_TEST

START_TEST(the_service_notices_a_crash_and_the_job_resumes_when_the_node_is_back)
{
    // The node crashes at 250 s, is noticed at 310 s, is repaired after ten minutes, at 850 s, and
    // is prepared again for 130 s. Meanwhile the cluster has one node too few.
    world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
    world_advance(world, 250 * NS_PER_S);
    Node *node = node_of_job(1);
    cluster_node_crashes(world->clusters, node,
                         (NodeFailure){.cause = CAUSE_CRASH,
                                       .reason = "GPU memory error",
                                       .recovery = RECOVERY_REBOOT,
                                       .repair_ns = 600 * NS_PER_S});
    world_advance(world, 309 * NS_PER_S);
    ck_assert(job_is_stalled(the_job()));
    world_run(world);
    ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
    ck_assert_int_eq(recording_attempt(&told, 0)->at_ns, 310 * NS_PER_S);
    ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.lost_ns,
                     NODES * 80 * NS_PER_S); // the attempt began at 230 s
    ck_assert_uint_eq(recording_attempt(&told, 0)->node.index, node->id.index);
    ck_assert_int_eq(recording_attempt(&told, 1)->since_ns, the_job()->started_ns);
    ck_assert_int_eq(the_job()->started_ns, 980 * NS_PER_S);
}
END_TEST

START_TEST(without_a_checkpoint_on_a_share_a_job_starts_from_the_beginning)
{
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int32_t is_local = 0; is_local < 2; is_local++) {
            Program *program = steady_program();
            program->checkpoint_place = is_local ? PLACE_LOCAL : PLACE_SHARE;
            program->resumes = is_local; // written to the share, but never read
            world_with(plain_job(arena, NODES, program), (Fidelity)fidelity);
            world_advance(world, (TRAINS_S + 30) * NS_PER_S);
            lose(CAUSE_PREEMPTION);
            ck_assert_int_eq(job_epochs_done(the_job(), world_now_ns(world)), 0);
            world_run(world);
            ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
            ck_assert_ptr_null(recording_find(&told, TRACE_JOB_RESUMED, NULL, 0));
            ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.lost_ns,
                             NODES * 42 * NS_PER_S);
            ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.epochs_kept, 0);
            ck_assert_int_eq(recording_attempt(&told, 1)->job_attempt.kept_ns,
                             NODES * EPOCHS * 10 * NS_PER_S);
            ck_assert_int_eq(recording_attempt(&told, 1)->job_attempt.epochs_kept, EPOCHS);
        }
}
END_TEST

START_TEST(an_incomplete_checkpoint_is_not_used)
{
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        world_with(plain_job(arena, NODES, steady_program()), (Fidelity)fidelity);
        world_advance(world,
                      (TRAINS_S + 10) * NS_PER_S + 1); // the first checkpoint is being written
        lose(CAUSE_CRASH);
        world_run(world);
        ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.epochs_kept, 0);
        ck_assert_int_eq(recording_attempt(&told, 1)->job_attempt.epochs_kept, EPOCHS);
    }
}
END_TEST

START_TEST(a_job_that_kept_all_epochs_only_writes_its_model)
{
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        Program *program = steady_program();
        program->model_bytes = INT64_C(10000000000); // minutes
        world_with(plain_job(arena, NODES, program), (Fidelity)fidelity);
        world_advance(world, (TRAINS_S + 60) * NS_PER_S);
        ck_assert_int_ne(the_job()->attempt->trained_ns, INT64_MAX);
        lose(CAUSE_CRASH);
        world_run(world);
        ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
        ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.epochs_kept, EPOCHS);
        ck_assert_int_eq(recording_attempt(&told, 1)->job_attempt.epochs_kept, 0);
        ck_assert_int_eq(recording_attempt(&told, 1)->job_attempt.checkpoint_ns, 0);
        ck_assert_int_eq(recording_find(&told, TRACE_JOB_TRAINED, NULL, 1)->job_trained.steps, 0);
    }
}
END_TEST

START_TEST(repeated_epochs_draw_new_jitter)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    world_with(plain_job(arena, NODES, program), FIDELITY_STEP);
    world_advance(world, (TRAINS_S + 2) * NS_PER_S);
    lose(CAUSE_CRASH);
    world_run(world);
    const TraceRecord *before = recording_find(&told, TRACE_EPOCH, NULL, 0);
    int32_t n = 1;
    const TraceRecord *again = recording_find(&told, TRACE_EPOCH, NULL, n);
    while (again != NULL && again->epoch.epoch != 1)
        again = recording_find(&told, TRACE_EPOCH, NULL, ++n);
    ck_assert_ptr_nonnull(again);
    ck_assert_int_ne(before->at_ns - before->since_ns, again->at_ns - again->since_ns);
    // The accuracy does not depend on the attempt.
    ck_assert_int_eq(before->epoch.train_accuracy_ppm, again->epoch.train_accuracy_ppm);
}
END_TEST

/* --- Ways to end --- */

static void failed_with(const char *code, TraceCause cause)
{
    ck_assert_int_eq(the_job()->state, JOB_FAILED);
    ck_assert_str_eq(the_job()->error_code, code);
    const TraceRecord *failed = recording_find(&told, TRACE_JOB_STATE, "failed", 0);
    ck_assert_int_eq(failed->cause, cause);
    ck_assert_int_eq(failed->job_state.exit_code, the_job()->exit_code);
    ck_assert_int_eq(world_cluster(world, (ClusterId){0})->node_count[NODE_IDLE], NODES);
}

static Scenario *changeable(void)
{
    // scenario_of created it in the arena of this test.
    return (Scenario *)world_scenario(world);
}

START_TEST(a_preemption_fails_jobs_if_the_scenario_says_so)
{
    static const TraceCause causes[] = {CAUSE_PREEMPTION, CAUSE_RUN_LENGTH, CAUSE_CRASH};
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
        changeable()->service.preemption_fails_jobs = true;
        world_advance(world, (TRAINS_S + 25) * NS_PER_S);
        lose(causes[i]);
        world_run(world);
        if (causes[i] == CAUSE_CRASH) {
            ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
            continue;
        }
        failed_with("PreemptionError", causes[i]);
        ck_assert_str_eq(the_job()->error_message, "Nodes of this job got pre-empted");
        ck_assert_str_eq(recording_attempt(&told, 0)->name, "lost");
        ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.epochs_kept,
                         2); // the files still exist
    }
}
END_TEST

START_TEST(a_job_fails_after_its_last_attempt)
{
    world_with(plain_job(arena, NODES, plain_fixed_program(arena, NS_PER_HOUR, 0)), FIDELITY_JOB);
    changeable()->service.attempts_max = 3;
    for (int32_t lost = 1; lost <= 3; lost++) {
        world_advance(world, 1000 * lost * NS_PER_S);
        ck_assert_int_eq(the_job()->starts, lost);
        lose(CAUSE_CRASH);
    }
    world_run(world);
    failed_with("InternalError", CAUSE_CRASH);
    ck_assert_str_eq(the_job()->error_message,
                     "Job lost its nodes in attempt 3 and is not tried again");
    ck_assert_int_eq(recording_count(&told, TRACE_JOB_ATTEMPT, "lost"), 3);
    for (int32_t n = 0; n < 3; n++)
        ck_assert_int_eq(
            recording_attempt(&told, n)->job_attempt.lost_ns,
            NODES * (recording_attempt(&told, n)->at_ns - recording_attempt(&told, n)->since_ns));
}
END_TEST

START_TEST(a_requeue_by_a_resize_does_not_count_as_a_failed_attempt)
{
    world_with(plain_job(arena, NODES, plain_fixed_program(arena, NS_PER_HOUR, 0)), FIDELITY_JOB);
    changeable()->service.attempts_max = 1;
    world_advance(world, 1000 * NS_PER_S);
    lose(CAUSE_SCALE_DOWN);
    world_run(world);
    ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
    ck_assert_int_eq(recording_find(&told, TRACE_JOB_STATE, "queued", 1)->cause, CAUSE_SCALE_DOWN);
}
END_TEST

START_TEST(a_resize_with_the_terminate_option_ends_the_job)
{
    world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
    world_advance(world, (TRAINS_S + 25) * NS_PER_S);
    job_loses_nodes(world->jobs, the_job(), node_of_job(0), DEALLOCATE_TERMINATE, CAUSE_SCALE_DOWN);
    world_run(world);
    failed_with("JobTerminated", CAUSE_SCALE_DOWN);
    ck_assert_str_eq(recording_attempt(&told, 0)->name, "stopped");
}
END_TEST

START_TEST(a_stalled_job_still_meets_its_time_limit)
{
    JobSpec *spec = plain_job(arena, NODES, steady_program());
    spec->max_wall_clock_ns = 100 * NS_PER_S;
    world_with(spec, FIDELITY_STEP);
    world_advance(world, (TRAINS_S + 5) * NS_PER_S);
    stall();
    world_run(world);
    failed_with("JobTerminated", CAUSE_TIME_LIMIT);
    ck_assert_int_eq(the_job()->ended_ns, 330 * NS_PER_S); // it started at 230 s
    ck_assert_str_eq(recording_attempt(&told, 0)->name, "stopped");
    ck_assert_int_eq(recording_attempt(&told, 0)->job_attempt.lost_ns, NODES * 100 * NS_PER_S);
}
END_TEST

START_TEST(a_terminating_job_that_loses_its_nodes_counts_as_terminated)
{
    Status status = {0};
    world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
    world_advance(world, (TRAINS_S + 5) * NS_PER_S);
    stall();
    ck_assert(job_terminate(world->jobs, the_job(), &status));
    world_advance(world, (TRAINS_S + 6) * NS_PER_S);
    lose(CAUSE_CRASH);
    world_run(world);
    failed_with("JobTerminated", CAUSE_TERMINATION);
    ck_assert_int_eq(the_job()->ended_ns, (TRAINS_S + 6) * NS_PER_S);
    ck_assert_str_eq(recording_attempt(&told, 0)->name, "stopped");
    ck_assert_int_eq(recording_count(&told, TRACE_JOB_ATTEMPT, NULL), 1);
}
END_TEST

START_TEST(a_stalled_job_can_be_terminated_and_deleted)
{
    for (int32_t is_delete = 0; is_delete < 2; is_delete++) {
        Status status = {0};
        world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
        world_advance(world, (TRAINS_S + 5) * NS_PER_S);
        stall();
        ck_assert(is_delete ? job_delete(world->jobs, the_job(), &status)
                            : job_terminate(world->jobs, the_job(), &status));
        world_run(world);
        failed_with("JobTerminated", is_delete ? CAUSE_DELETION : CAUSE_TERMINATION);
        ck_assert_int_eq(the_job()->ended_ns, (TRAINS_S + (is_delete ? 9 : 10)) * NS_PER_S);
    }
}
END_TEST

START_TEST(a_job_can_be_stopped_while_requeued_or_resuming)
{
    for (int32_t resumes = 0; resumes < 2; resumes++)
        for (int32_t is_delete = 0; is_delete < 2; is_delete++) {
            Status status = {0};
            world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
            world_advance(world, (TRAINS_S + 25) * NS_PER_S);
            lose(CAUSE_CRASH);
            if (resumes) {
                world_advance(world, (TRAINS_S + 25 + 12) * NS_PER_S + NS_PER_MS);
                ck_assert_int_eq(the_job()->transfers.count,
                                 1); // the job is reading the checkpoint
            }
            ck_assert(is_delete ? job_delete(world->jobs, the_job(), &status)
                                : job_terminate(world->jobs, the_job(), &status));
            ck_assert_int_eq(the_job()->state, resumes     ? JOB_TERMINATING
                                               : is_delete ? JOB_FAILED
                                                           : JOB_QUEUED);
            world_run(world);
            failed_with("JobTerminated", is_delete ? CAUSE_DELETION : CAUSE_TERMINATION);
            ck_assert_int_eq(the_job()->transfers.count, 0);
            ck_assert_int_eq(recording_count(&told, TRACE_JOB_ATTEMPT, NULL), resumes ? 2 : 1);
        }
}
END_TEST

START_TEST(a_run_that_ends_records_attempts_under_way)
{
    for (int32_t stalls = 0; stalls < 2; stalls++) {
        until_ns = (TRAINS_S + 5) * NS_PER_S;
        world_with(plain_job(arena, NODES, steady_program()), FIDELITY_STEP);
        world_advance(world, (TRAINS_S + 3) * NS_PER_S);
        if (stalls)
            stall();
        world_run(world);
        const TraceRecord *unfinished = recording_attempt(&told, 0);
        ck_assert_str_eq(unfinished->name, "unfinished");
        // 12 s of start, 5 s of an epoch. A stalled attempt can never complete, so all of it is
        // lost.
        ck_assert_int_eq(stalls ? unfinished->job_attempt.lost_ns : unfinished->job_attempt.kept_ns,
                         NODES * (stalls ? 17 : 5) * NS_PER_S);
        ck_assert_int_eq(unfinished->job_attempt.startup_ns, stalls ? 0 : NODES * 11 * NS_PER_S);
        ck_assert_int_eq(unfinished->job_attempt.input_ns, stalls ? 0 : NODES * NS_PER_S);
    }
}
END_TEST

/* --- Properties --- */

START_TEST(a_job_can_lose_its_nodes_at_any_time)
{
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int64_t at_s = 231; at_s < 300; at_s++) {
            Arena *outer = arena;
            arena = arena_create();
            Program *program = steady_program();
            program->data_share = "a/s";
            program->data_bytes = 500000000;
            program->downloads_data = false;
            program->checkpoint_every = 1 + at_s % 3;
            world_with(plain_job(arena, NODES, program), (Fidelity)fidelity);
            int64_t epochs = 0;
            for (int32_t lost = 0; lost < 3; lost++) {
                world_advance(world, world_now_ns(world) + at_s * NS_PER_S * (lost == 0) +
                                         (at_s % 40) * NS_PER_S * (lost > 0));
                if (!job_is_active(the_job()))
                    continue;
                stall();
                world_advance(world, world_now_ns(world) + 60 * NS_PER_S);
                lose(CAUSE_CRASH);
            }
            world_run(world);
            ck_assert_int_eq(the_job()->state, JOB_SUCCEEDED);
            ck_assert_int_eq(recording_count(&told, TRACE_JOB_ATTEMPT, NULL), the_job()->starts);
            for (int32_t n = 0; n < the_job()->starts; n++)
                epochs += recording_attempt(&told, n)->job_attempt.epochs_kept;
            ck_assert_int_eq(epochs, EPOCHS);
            arena_destroy(arena);
            arena = outer;
        }
}
END_TEST

START_TEST(fidelities_agree_on_the_epochs_kept)
{
    // Step fidelity draws step times; the others use the mean. In the middle of an epoch they
    // agree.
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    program->epochs = 10;
    program->steps_per_epoch = 100;
    program->resumes = true;
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/s";
    program->checkpoint_every = 3;
    world_with(plain_job(arena, NODES, program), FIDELITY_EPOCH);
    world_run(world);
    int64_t middle_ns[10], kept[3][10], kept_ns[3][10];
    for (int32_t e = 0; e < 10; e++) {
        EpochTimes times = job_epoch_times(the_job(), e);
        middle_ns[e] = (times.begin_ns + times.end_ns) / 2;
    }
    for (int32_t fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int32_t e = 0; e < 10; e++) {
            world_with(plain_job(arena, NODES, program), (Fidelity)fidelity);
            world_advance(world, middle_ns[e]);
            lose(CAUSE_CRASH);
            kept[fidelity][e] = recording_attempt(&told, 0)->job_attempt.epochs_kept;
            kept_ns[fidelity][e] = recording_attempt(&told, 0)->job_attempt.kept_ns;
            ck_assert_int_eq(kept[fidelity][e], e / 3 * 3);
            // A step varies by a tenth, and the sum of hundreds of steps by less than a hundredth.
            ck_assert_int_le(llabs(kept_ns[fidelity][e] - kept_ns[0][e]), kept_ns[0][e] / 100);
        }
}
END_TEST

START_TEST(jobs_pass_one_that_waits_for_a_repair)
{
    // Four nodes: "long" runs on one until 5000 s, "wide" waits for all four, and "small" of 9000 s
    // would delay it. At 100 s an idle node breaks; the service notices it at 160 s, and it is
    // repaired at 1100 s. It is not known when "wide" can start, so "small" starts at 160 s; under
    // the service's policy no job overtakes.
    static const PolicyKind policies[] = {POLICY_BACKFILL, POLICY_CONSERVATIVE, POLICY_SERVICE};
    static const int64_t starts_s[] = {160, 160, 5000 + 50};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        CommandList list = commands_begin(arena);
        ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
        *spec = (ClusterSpec){
            .vm_size = vm_size_of_gpus(arena, 1), .target_nodes = 4, .admin_user = "demo"};
        commands_create_cluster(&list, "c", 0, spec);
        commands_create_job(&list, "long", 0, "c", gpu_job(arena, REQUEST_NODES, 1, 0, 5000));
        commands_create_job(&list, "wide", 10 * NS_PER_S, "c",
                            gpu_job(arena, REQUEST_NODES, 4, 0, 50));
        commands_create_job(&list, "small", 20 * NS_PER_S, "c",
                            gpu_job(arena, REQUEST_NODES, 1, 0, 9000));
        Command *crash = commands_add(&list, COMMAND_NODE_CRASH, "c", 100 * NS_PER_S);
        crash->as.fault.node = 3;
        crash->as.fault.recovery = RECOVERY_REBOOT;
        crash->as.fault.duration_ns = 1000 * NS_PER_S;
        world = ideal_world(&list, policies[i], PLACEMENT_CONSOLIDATE, &told);
        world_run(world);
        ck_assert_int_eq(job_row(world->jobs, (JobId){2})->started_ns, starts_s[i] * NS_PER_S);
        ck_assert_int_eq(job_row(world->jobs, (JobId){1})->state, JOB_SUCCEEDED);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_loss");
    TCase *tests = tcase_create("losses");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_crash_in_epoch_3_costs_the_work_since_the_checkpoint);
    tcase_add_test(tests, a_training_that_the_scheduler_stops_continues_from_its_checkpoint);
    tcase_add_test(tests, the_service_notices_a_crash_and_the_job_resumes_when_the_node_is_back);
    tcase_add_test(tests, jobs_pass_one_that_waits_for_a_repair);
    tcase_add_test(tests, without_a_checkpoint_on_a_share_a_job_starts_from_the_beginning);
    tcase_add_test(tests, an_incomplete_checkpoint_is_not_used);
    tcase_add_test(tests, a_job_that_kept_all_epochs_only_writes_its_model);
    tcase_add_test(tests, repeated_epochs_draw_new_jitter);
    tcase_add_test(tests, a_preemption_fails_jobs_if_the_scenario_says_so);
    tcase_add_test(tests, a_job_fails_after_its_last_attempt);
    tcase_add_test(tests, a_requeue_by_a_resize_does_not_count_as_a_failed_attempt);
    tcase_add_test(tests, a_resize_with_the_terminate_option_ends_the_job);
    tcase_add_test(tests, a_stalled_job_still_meets_its_time_limit);
    tcase_add_test(tests, a_terminating_job_that_loses_its_nodes_counts_as_terminated);
    tcase_add_test(tests, a_stalled_job_can_be_terminated_and_deleted);
    tcase_add_test(tests, a_job_can_be_stopped_while_requeued_or_resuming);
    tcase_add_test(tests, a_run_that_ends_records_attempts_under_way);
    tcase_add_test(tests, a_job_can_lose_its_nodes_at_any_time);
    tcase_add_test(tests, fidelities_agree_on_the_epochs_kept);
    suite_add_tcase(suite, tests);
    return suite;
}
