/* Trainings that write a checkpoint when a node gets notice of preemption. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/tables.h"
#include "sim/model/bounded.h"
#include "tests/support/spot_fixture.h"
#include "tests/support/suite.h"

enum { EPOCHS = 3, EVERY = 1000, RANKS_WRITE = 4 };

/* Steps of 1 s. */
static const int64_t step_ns = NS_PER_S;
/* 400 MB in four files at 100 MB/s, after 13 rounds of 8 requests of 10 ms. */
static const int64_t write_ns = 4 * NS_PER_S + 13 * 10 * NS_PER_MS;
/* 230 s until the job runs, 1 s of host, 10 s of start. */
static const int64_t training_ns = 241 * NS_PER_S;

static Program *program_of(bool saves)
{
    static const QuantileKnot as_modelled = {0, PPM};
    TransformerTraining *planned = ARENA_NEW(arena, TransformerTraining);
    *planned = (TransformerTraining){.model = "small",
                                     .layout = "dp=2",
                                     .vm_size = plain_vm_size(),
                                     .gpus = NODES,
                                     .steps = EPOCHS * EVERY,
                                     .tokens_per_step = 4096,
                                     .start_ns = 10 * NS_PER_S,
                                     .compute_ns = step_ns};
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_TRAIN,
                         .name = "small",
                         .transformer = planned,
                         .step_jitter_ppm = {.count = 1, .knots = &as_modelled},
                         .batch_per_rank = 1,
                         .epochs = EPOCHS,
                         .steps_per_epoch = EVERY,
                         .checkpoint_bytes = 400000000,
                         .checkpoint_files = RANKS_WRITE,
                         .checkpoint_every = 1,
                         .checkpoint_place = PLACE_SHARE,
                         .checkpoint_share = "a/s",
                         .checkpoint_path = "state-{epoch}",
                         .resumes = true,
                         .saves_on_notice = saves};
    return program;
}

static void warn(World *world, int32_t node, int64_t at_ns, int64_t notice_ns)
{
    world_advance(world, at_ns);
    cluster_node_warned(world->clusters, node_row(world->clusters, job_of(world)->nodes[node]),
                        notice_ns, CAUSE_PREEMPTION);
}

START_TEST(a_health_check_gives_notice)
{
    // The node fails 1000 s after its allocation at 100 s; its signs are found at 950 s.
    FailureModel *model = ARENA_NEW(arena, FailureModel);
    *model = (FailureModel){.name = "model",
                            .between = {.quantiles = constant(arena, 1000 * NS_PER_S)},
                            .repair = {.quantiles = constant(arena, 500 * NS_PER_S)},
                            .recovery = RECOVERY_REBOOT};
    World *world = world_of(program_of(true), FIDELITY_STEP);
    Failures *failures = (Failures *)&world->scenario->failures;
    failures->rate_ppm = PPM;
    failures->nodes = model;
    failures->detected_ppm = PPM;
    failures->warning_ns = 150 * NS_PER_S;
    world_advance(world, 1150 * NS_PER_S);
    const TraceRecord *saved = recording_get(&recording, TRACE_JOB_SAVED, 0);
    ck_assert_int_eq(saved->since_ns, 950 * NS_PER_S);
    ck_assert_int_eq(saved->cause, CAUSE_HEALTH_CHECK);
    ck_assert_int_eq(recording_count(&recording, TRACE_JOB_STALLED, NULL), 1); // it fails anyway
}
END_TEST

/* 500.4 s after the begin of the second epoch, in its step 501. */
static const int64_t noticed_ns =
    241 * NS_PER_S + 1000 * NS_PER_S + write_ns + 500 * NS_PER_S + 400 * NS_PER_MS;

START_TEST(on_notice_the_step_ends_and_a_checkpoint_is_written)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        warn(world, 1, noticed_ns, 30 * NS_PER_S);
        world_run(world);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
        const TraceRecord *saved = recording_get(&recording, TRACE_JOB_SAVED, 0);
        ck_assert_int_eq(saved->since_ns, noticed_ns + 600 * NS_PER_MS);
        ck_assert_int_eq(saved->at_ns, saved->since_ns + write_ns);
        ck_assert_int_eq(saved->job_saved.point.epochs, 1);
        ck_assert_int_eq(saved->job_saved.point.steps, 501);
        ck_assert_int_eq(saved->cause, CAUSE_PREEMPTION);
        ck_assert_str_eq(saved->name, "state-1-step-501");
        ck_assert_int_eq(recording_count(&recording, TRACE_FILE_WRITTEN, "state-1-step-501"),
                         fidelity != FIDELITY_JOB);
        // The node goes after 30 s. All steps up to the checkpoint are kept; the checkpoint is
        // written during steps at job fidelity.
        const TraceRecord *first = recording_attempt(&recording, 0);
        ck_assert_int_eq(first->at_ns, noticed_ns + 30 * NS_PER_S);
        ck_assert_int_eq(first->job_attempt.epochs_kept, 1);
        ck_assert_int_eq(first->job_attempt.kept_ns, NODES * 1501 * step_ns);
        ck_assert_int_eq(first->job_attempt.checkpoint_ns,
                         NODES * (fidelity == FIDELITY_JOB ? 1 : 2) * write_ns);
        const int64_t after_ns =
            first->at_ns - saved->since_ns - (fidelity == FIDELITY_JOB ? 0 : write_ns);
        ck_assert_int_eq(first->job_attempt.lost_ns, NODES * (11 * NS_PER_S + after_ns));
        // The next attempt reads the checkpoint and trains the other steps.
        const TraceRecord *resumed = recording_get(&recording, TRACE_JOB_RESUMED_WITHIN, 0);
        ck_assert_str_eq(resumed->name, "state-1-step-501");
        ck_assert_int_eq(resumed->job_resumed_within.point.epochs, 1);
        ck_assert_int_eq(resumed->job_resumed_within.point.steps, 501);
        const TraceRecord *trained = recording_get(&recording, TRACE_JOB_TRAINED, 0);
        ck_assert_int_eq(trained->job_trained.steps, EPOCHS * EVERY - 1501);
        ck_assert_int_eq(trained->at_ns - trained->since_ns, 1499 * step_ns + 2 * write_ns);
        ck_assert_int_eq(recording_attempt(&recording, 1)->job_attempt.kept_ns,
                         NODES * 1499 * step_ns);
        ck_assert_int_eq(recording_attempt(&recording, 1)->job_attempt.lost_ns, 0);
        ck_assert_int_eq(recording_attempt(&recording, 1)->job_attempt.epochs_kept, 2);
        if (fidelity == FIDELITY_JOB)
            continue; // records no epochs
        ck_assert_int_eq(recording_count(&recording, TRACE_EPOCH, NULL), EPOCHS);
        ck_assert_int_eq(recording_get(&recording, TRACE_EPOCH, 1)->epoch.steps, 499);
    }
}
END_TEST

/* The step ends 0.6 s after the notice. At the instant of its end, the node goes first. */
START_TEST(a_checkpoint_that_is_not_written_in_time_counts_for_nothing)
{
    const int64_t needed_ns = 600 * NS_PER_MS + write_ns;
    const struct {
        int64_t notice_ns;
        bool is_in_time;
    } rows[] = {{0, false},
                {600 * NS_PER_MS, false},
                {4 * NS_PER_S, false},
                {needed_ns, false},
                {needed_ns + 1, true}};
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            World *world = world_of(program_of(true), (Fidelity)fidelity);
            warn(world, 0, noticed_ns, rows[i].notice_ns);
            world_run(world);
            ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
            ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL),
                             rows[i].is_in_time);
            ck_assert_int_eq(recording_count(&recording, TRACE_JOB_RESUMED, NULL),
                             !rows[i].is_in_time);
            ck_assert_int_eq(recording_count(&recording, TRACE_JOB_RESUMED_WITHIN, NULL),
                             rows[i].is_in_time);
            ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.kept_ns,
                             NODES * (rows[i].is_in_time ? 1501 : 1000) * step_ns);
            ck_assert_int_eq(recording_count(&recording, TRACE_FILE_WRITTEN, "state-1-step-501"),
                             rows[i].is_in_time && fidelity != FIDELITY_JOB);
        }
}
END_TEST

START_TEST(a_job_that_does_not_save_loses_the_work_since_its_checkpoint)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(false), (Fidelity)fidelity);
        warn(world, 0, noticed_ns, 30 * NS_PER_S);
        world_run(world);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL), 0);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.kept_ns,
                         NODES * 1000 * step_ns);
    }
}
END_TEST

START_TEST(a_checkpoint_under_way_serves_as_the_one_on_notice)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        warn(world, 0, training_ns + 1000 * step_ns + write_ns / 2, 10 * NS_PER_S);
        world_run(world);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL), 0);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.epochs_kept, 1);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.kept_ns,
                         NODES * 1000 * step_ns);
    }
}
END_TEST

/* The notice comes in the last step of an epoch: the checkpoint after it serves. */
START_TEST(a_checkpoint_that_is_due_serves_as_the_one_on_notice)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        warn(world, 0, training_ns + 1000 * step_ns - 1, write_ns + 2);
        world_run(world);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL), 0);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.epochs_kept, 1);
    }
}
END_TEST

/* A checkpoint blocks for 1 s and is written during the next steps: the one on notice follows it,
 * and all ranks wait for both. */
START_TEST(a_checkpoint_that_is_written_behind_ends_before_the_one_on_notice_begins)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        Program *program = program_of(true);
        program->writes_behind = true;
        program->checkpoint_blocks_ns = NS_PER_S;
        World *world = world_of(program, (Fidelity)fidelity);
        const int64_t begun_ns = training_ns + 1001 * NS_PER_S; // the second epoch
        warn(world, 0, begun_ns + NS_PER_S / 2, 20 * NS_PER_S);
        world_run(world);
        const TraceRecord *saved = recording_get(&recording, TRACE_JOB_SAVED, 0);
        ck_assert_int_eq(saved->job_saved.point.epochs, 1);
        ck_assert_int_eq(saved->job_saved.point.steps, 1);
        ck_assert_int_eq(saved->at_ns, begun_ns + 2 * write_ns);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
        if (fidelity != FIDELITY_JOB)
            ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.checkpoint_ns,
                             NODES * (NS_PER_S + 2 * write_ns - step_ns));
    }
}
END_TEST

/* Node 0 gets its notice 12 s after node 1, before that is gone. */
START_TEST(all_nodes_of_a_gang_save_at_each_notice)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        warn(world, 1, noticed_ns, 30 * NS_PER_S);
        warn(world, 0, noticed_ns + 12 * NS_PER_S, 30 * NS_PER_S);
        world_run(world);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL), 2);
        // 0.6 s, the first checkpoint, and at the notice the eighth step after it; at job
        // fidelity steps do not wait.
        const int64_t steps = fidelity == FIDELITY_JOB ? 513 : 501 + 8;
        ck_assert_int_eq(recording_get(&recording, TRACE_JOB_SAVED, 1)->job_saved.point.steps,
                         steps);
        ck_assert_int_eq(recording_attempt(&recording, 0)->at_ns, noticed_ns + 30 * NS_PER_S);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.kept_ns,
                         NODES * (1000 + steps) * step_ns);
        ck_assert_int_eq(
            recording_get(&recording, TRACE_JOB_RESUMED_WITHIN, 0)->job_resumed_within.point.steps,
            steps);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
    }
}
END_TEST

/* Three attempts: each continues where the one before saved. */
START_TEST(each_attempt_continues_within_the_epoch)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        int64_t steps = 0;
        for (int32_t loss = 0; loss < 3; loss++) {
            world_advance(world, noticed_ns - 600 * NS_PER_S + loss * 1000 * NS_PER_S);
            ck_assert_int_ne(job_of(world)->attempt->training_ns, INT64_MAX);
            warn(world, loss % NODES, world_now_ns(world), 30 * NS_PER_S);
        }
        world_run(world);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
        ck_assert_int_eq(job_of(world)->starts, 4);
        for (int32_t n = 0; n < 4; n++)
            steps += recording_attempt(&recording, n)->job_attempt.kept_ns / step_ns;
        ck_assert_int_eq(steps, NODES * EPOCHS * EVERY);
        for (int32_t n = 0; n < 3; n++)
            ck_assert_int_lt(recording_attempt(&recording, n)->job_attempt.lost_ns,
                             NODES * 60 * NS_PER_S);
    }
}
END_TEST

/* The file that another job reads has a fifth of the bandwidth next to the four that are written: 5
 * instead of 4 seconds. */
START_TEST(a_checkpoint_on_notice_competes_with_other_transfers)
{
    for (int32_t competes = 0; competes < 2; competes++) {
        Program *reader = ARENA_NEW(arena, Program);
        *reader = *program_of(false);
        reader->data_share = "a/s";
        reader->data_bytes = INT64_C(200000000000);
        reader->downloads_data = false;
        TransformerTraining *planned = ARENA_NEW(arena, TransformerTraining);
        *planned = *reader->transformer;
        planned->gpus = 1;
        reader->transformer = planned;
        commands_create_cluster(&list, "other", 0, plain_cluster(arena, 1));
        if (competes)
            commands_create_job(&list, "reader", 0, "other", plain_job(arena, 1, reader));
        World *world = world_of(program_of(true), FIDELITY_STEP);
        world_advance(world, training_ns + 500 * NS_PER_S + 400 * NS_PER_MS);
        const Job *job = job_row(world->jobs, (JobId){(uint32_t)competes});
        cluster_node_warned(world->clusters, node_row(world->clusters, job->nodes[0]),
                            5500 * NS_PER_MS, CAUSE_PREEMPTION);
        world_advance(world, world_now_ns(world) + 7 * NS_PER_S);
        ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL), !competes);
    }
}
END_TEST

/* An epoch of ten steps of a second, an evaluation, and a checkpoint after every third. */
static Program *evaluated_program(void)
{
    Program *program = steady_training_program(arena);
    program->checkpoint_every = 3;
    program->saves_on_notice = true;
    return program;
}

START_TEST(an_evaluation_under_way_ends_before_the_checkpoint)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(evaluated_program(), (Fidelity)fidelity);
        // Training begins a second later, after the download. A second is a step of evaluation.
        warn(world, 0, training_ns + 11 * NS_PER_S + NS_PER_MS, 30 * NS_PER_S);
        const int64_t evaluated_ns = job_of(world)->attempt->training_ns + 10 * NS_PER_S +
                                     job_of(world)->attempt->training->plan.evaluate_ns;
        ck_assert_int_gt(evaluated_ns, world_now_ns(world));
        world_run(world);
        const TraceRecord *saved = recording_get(&recording, TRACE_JOB_SAVED, 0);
        ck_assert_int_eq(saved->since_ns, evaluated_ns);
        ck_assert_int_eq(saved->job_saved.point.epochs, 1);
        ck_assert_int_eq(saved->job_saved.point.steps, 0);
        ck_assert_str_eq(saved->name, "checkpoint-1.h5");
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
    }
}
END_TEST

/* A step that a user waits for is at its time after a checkpoint within the epoch, too; the
 * checkpoint on notice is awaited by its steps. */
START_TEST(awaited_steps_wait_for_the_checkpoint)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_EPOCH; fidelity++) {
        static const int64_t steps[] = {1501, 1502, 1510};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
            commands_add(&list, COMMAND_SHARE_CREATE, arena_printf(arena, "a/step-%d", (int)i), 0)
                ->trigger =
                (Trigger){.moment = MOMENT_JOB_STEP, .subject = "j", .ordinal = steps[i]};
        commands_add(&list, COMMAND_SHARE_CREATE, "a/saved", 0)->trigger =
            (Trigger){.moment = MOMENT_JOB_SAVED, .subject = "j", .ordinal = 1501};
        for (int32_t i = 0; i < list.count; i++)
            if (moment_counts_steps(list.items[i].trigger.moment))
                list.items[i].as.share_create.tier = plain_tier();
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        warn(world, 1, noticed_ns, 30 * NS_PER_S);
        world_run(world);
        const int64_t ended_ns = noticed_ns + 600 * NS_PER_MS;
        const int64_t expected_ns[] = {ended_ns, ended_ns + write_ns + step_ns,
                                       ended_ns + write_ns + 9 * step_ns};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            const TraceRecord *created =
                recording_find(&recording, TRACE_RESOURCE_CREATED,
                               arena_printf(arena, "share a/step-%d", (int)i), 0);
            ck_assert_ptr_nonnull(created);
            ck_assert_int_eq(created->at_ns, expected_ns[i]);
        }
        const TraceRecord *on_save =
            recording_find(&recording, TRACE_RESOURCE_CREATED, "share a/saved", 0);
        ck_assert_ptr_nonnull(on_save);
        ck_assert_int_eq(on_save->at_ns, ended_ns + write_ns);
    }
}
END_TEST

START_TEST(a_notice_during_the_start_saves_after_the_first_step)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(true), (Fidelity)fidelity);
        warn(world, 0, training_ns - NS_PER_S, 30 * NS_PER_S);
        world_run(world);
        ck_assert_int_eq(recording_get(&recording, TRACE_JOB_SAVED, 0)->job_saved.point.steps, 1);
        ck_assert_int_eq(recording_get(&recording, TRACE_JOB_SAVED, 0)->since_ns,
                         training_ns + step_ns);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
    }
}
END_TEST

/* --- Properties --- */

/* The steps that are kept of a training whose node is gone at `at_ns` + `notice_ns`. */
static int64_t steps_kept(bool saves, Fidelity fidelity, int64_t at_ns, int64_t notice_ns)
{
    Arena *outer = arena;
    arena = arena_create();
    list = commands_begin(arena);
    Program *program = program_of(saves);
    program->writes_behind = at_ns % 3 == 0;
    program->checkpoint_blocks_ns = NS_PER_S;
    program->steps_per_epoch = 50;
    World *world = world_of(program, fidelity);
    warn(world, (int32_t)(at_ns % NODES), at_ns, notice_ns);
    world_run(world);
    ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
    int64_t kept_ns = 0;
    for (int32_t n = 0; n < job_of(world)->starts; n++) {
        const JobAttempt *last = job_of(world)->attempt;
        kept_ns += recording_attempt(&recording, n)->job_attempt.kept_ns;
        ck_assert_int_ge(recording_attempt(&recording, n)->job_attempt.lost_ns, 0);
        ck_assert_int_ne(last->trained_ns, INT64_MAX);
    }
    // All work is done once, and no more of it than there was time.
    ck_assert_int_eq(kept_ns, NODES * EPOCHS * 50 * step_ns);
    const int64_t first_ns =
        job_of(world)->starts > 1 ? recording_attempt(&recording, 0)->job_attempt.kept_ns : kept_ns;
    ck_assert_int_le(first_ns, NODES * (recording_attempt(&recording, 0)->at_ns - training_ns));
    arena_destroy(arena);
    arena = outer;
    list = commands_begin(arena);
    return first_ns / NODES / step_ns;
}

START_TEST(of_the_work_before_the_notice_no_more_is_lost_than_without_saving)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int32_t i = 0; i < 60; i++) {
            const int64_t at_ns = training_ns + i * 2718281828LL % (150 * NS_PER_S);
            const int64_t notice_ns = i * 1414213562LL % (12 * NS_PER_S);
            const int64_t before = (at_ns - training_ns) / step_ns; // at most
            const int64_t without = steps_kept(false, (Fidelity)fidelity, at_ns, notice_ns);
            const int64_t with = steps_kept(true, (Fidelity)fidelity, at_ns, notice_ns);
            ck_assert_msg(with >= (without < before ? without : before) || with >= without,
                          "fidelity %d, notice %d: %d steps, %d without saving", fidelity, (int)i,
                          (int)with, (int)without);
            // The same run again.
            ck_assert_int_eq(steps_kept(true, (Fidelity)fidelity, at_ns, notice_ns), with);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job/notice");
    TCase *tests = tcase_create("notice");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_health_check_gives_notice);
    tcase_add_test(tests, on_notice_the_step_ends_and_a_checkpoint_is_written);
    tcase_add_test(tests, a_checkpoint_that_is_not_written_in_time_counts_for_nothing);
    tcase_add_test(tests, a_job_that_does_not_save_loses_the_work_since_its_checkpoint);
    tcase_add_test(tests, a_checkpoint_under_way_serves_as_the_one_on_notice);
    tcase_add_test(tests, a_checkpoint_that_is_due_serves_as_the_one_on_notice);
    tcase_add_test(tests, a_checkpoint_that_is_written_behind_ends_before_the_one_on_notice_begins);
    tcase_add_test(tests, all_nodes_of_a_gang_save_at_each_notice);
    tcase_add_test(tests, each_attempt_continues_within_the_epoch);
    tcase_add_test(tests, a_checkpoint_on_notice_competes_with_other_transfers);
    tcase_add_test(tests, an_evaluation_under_way_ends_before_the_checkpoint);
    tcase_add_test(tests, awaited_steps_wait_for_the_checkpoint);
    tcase_add_test(tests, a_notice_during_the_start_saves_after_the_first_step);
    tcase_add_test(tests, of_the_work_before_the_notice_no_more_is_lost_than_without_saving);
    suite_add_tcase(suite, tests);
    return suite;
}
