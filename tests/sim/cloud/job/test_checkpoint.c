/* Checkpoints of a training after so many steps, within its epochs. */
#include "sim/base/units.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "tests/support/spot_fixture.h"
#include "tests/support/suite.h"

enum { EPOCHS = 4, EVERY = 4 };

/* 230 s until the job runs, 1 s of host, 10 s of start, 1 s of download. */
static const int64_t training_ns = 242 * NS_PER_S;
/* 100 MB at 100 MB/s, after 13 rounds of 8 requests of 10 ms. */
static const int64_t write_ns = NS_PER_S + 13 * 10 * NS_PER_MS;

/* Four epochs of ten steps of exactly a second, without evaluations, and a checkpoint after every
 * fourth step. */
static Program *program_of(void)
{
    Program *program = steady_training_program(arena);
    program->evaluate_samples = 0;
    program->model_bytes = 0;
    program->checkpoint_bytes = 100000000;
    program->checkpoint_path = "c-{epoch}";
    program->checkpoint_every = 0;
    program->checkpoint_steps = EVERY;
    return program;
}

static Node *node_of_job(World *world)
{
    return node_row(world->clusters, job_of(world)->nodes[0]);
}

static void lose(World *world, int64_t at_ns)
{
    world_advance(world, at_ns);
    job_loses_nodes(world->jobs, job_of(world), node_of_job(world), DEALLOCATE_REQUEUE,
                    CAUSE_CRASH);
}

/* The n-th checkpoint (from 1) begins after 4 n steps and n - 1 checkpoints. */
static int64_t due_ns(int32_t n)
{
    return training_ns + n * EVERY * NS_PER_S + (n - 1) * write_ns;
}

START_TEST(steps_are_counted_over_all_epochs)
{
    // After steps 4 8 12 16 20 24 28 32 36 40, of which 20 and 40 end an epoch.
    static const struct {
        int32_t nth;
        TrainingPoint at;
    } within[] = {{1, {0, 4}}, {2, {0, 8}}, {3, {1, 2}}, {4, {1, 6}},
                  {6, {2, 4}}, {7, {2, 8}}, {8, {3, 2}}, {9, {3, 6}}};
    enum { WITHIN = sizeof within / sizeof within[0] };
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(), (Fidelity)fidelity);
        world_run(world);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
        ck_assert_int_eq(recording_get(&recording, TRACE_JOB_TRAINED, 0)->at_ns,
                         training_ns + 40 * NS_PER_S + 10 * write_ns);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.checkpoint_ns,
                         NODES * 10 * write_ns);
        const int64_t third_ns = job_epoch_times(job_of(world), 2).begin_ns;
        ck_assert_int_eq(third_ns, training_ns + 20 * NS_PER_S + 5 * write_ns);
        ck_assert_int_eq(job_epoch_times(job_of(world), 2).end_ns,
                         third_ns + 10 * NS_PER_S + 2 * write_ns);
        if (fidelity == FIDELITY_JOB)
            continue; // has no records of checkpoints
        ck_assert_int_eq(recording_count(&recording, TRACE_CHECKPOINT_WITHIN, NULL), WITHIN);
        for (int32_t i = 0; i < WITHIN; i++) {
            const TraceRecord *record = recording_get(&recording, TRACE_CHECKPOINT_WITHIN, i);
            const char *path = arena_printf(arena, "c-%d-step-%d", (int)within[i].at.epochs,
                                            (int)within[i].at.steps);
            ck_assert_int_eq(record->checkpoint_within.point.epochs, within[i].at.epochs);
            ck_assert_int_eq(record->checkpoint_within.point.steps, within[i].at.steps);
            ck_assert_str_eq(record->name, path);
            ck_assert_int_eq(record->since_ns, due_ns(within[i].nth));
            ck_assert_int_eq(record->at_ns, record->since_ns + write_ns);
            ck_assert_int_eq(recording_count(&recording, TRACE_FILE_WRITTEN, path), 1);
        }
        ck_assert_int_eq(recording_count(&recording, TRACE_CHECKPOINT, NULL), 2);
        ck_assert_int_eq(recording_get(&recording, TRACE_CHECKPOINT, 0)->since_ns, due_ns(5));
        ck_assert_int_eq(recording_get(&recording, TRACE_CHECKPOINT, 1)->since_ns, due_ns(10));
    }
}
END_TEST

START_TEST(a_new_attempt_continues_after_the_last_checkpoint)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(), (Fidelity)fidelity);
        // In step 15, after three checkpoints.
        lose(world, training_ns + 14500 * NS_PER_MS + 3 * write_ns);
        world_run(world);
        ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.epochs_kept, 1);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.kept_ns,
                         NODES * 12 * NS_PER_S);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.checkpoint_ns,
                         NODES * 3 * write_ns);
        const TraceRecord *resumed = recording_get(&recording, TRACE_JOB_RESUMED_WITHIN, 0);
        ck_assert_int_eq(resumed->job_resumed_within.point.epochs, 1);
        ck_assert_int_eq(resumed->job_resumed_within.point.steps, 2);
        const TraceRecord *trained = recording_get(&recording, TRACE_JOB_TRAINED, 0);
        ck_assert_int_eq(trained->job_trained.steps, 28);
        ck_assert_int_eq(trained->at_ns - trained->since_ns, 28 * NS_PER_S + 7 * write_ns);
        ck_assert_int_eq(recording_attempt(&recording, 1)->job_attempt.kept_ns,
                         NODES * 28 * NS_PER_S);
        ck_assert_int_eq(recording_attempt(&recording, 1)->job_attempt.checkpoint_ns,
                         NODES * 7 * write_ns);
    }
}
END_TEST

START_TEST(attempts_that_begin_and_end_within_one_epoch_keep_their_own_steps)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        Program *program = program_of();
        program->epochs = 1;
        program->steps_per_epoch = 40;
        World *world = world_of(program, (Fidelity)fidelity);
        world_advance(world, training_ns);
        for (int32_t n = 0; n < 3; n++) {
            while (job_of(world)->starts <= n || job_of(world)->attempt->training_ns == INT64_MAX)
                world_advance(world, world_now_ns(world) + NS_PER_S);
            // In step 11 of the attempt, after two checkpoints.
            lose(world, job_of(world)->attempt->training_ns + 10500 * NS_PER_MS + 2 * write_ns);
            const TraceRecord *record = recording_attempt(&recording, n);
            ck_assert_int_eq(record->job_attempt.kept_ns, NODES * 8 * NS_PER_S);
            ck_assert_int_eq(record->job_attempt.checkpoint_ns, NODES * 2 * write_ns);
        }
        world_run(world);
        ck_assert_int_eq(recording_attempt(&recording, 3)->job_attempt.kept_ns,
                         NODES * 16 * NS_PER_S);
    }
}
END_TEST

START_TEST(a_checkpoint_that_is_not_whole_counts_for_nothing)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world = world_of(program_of(), (Fidelity)fidelity);
        lose(world, due_ns(2) + write_ns - 1);
        world_run(world);
        const TraceRecord *resumed = recording_get(&recording, TRACE_JOB_RESUMED_WITHIN, 0);
        ck_assert_int_eq(resumed->job_resumed_within.point.epochs, 0);
        ck_assert_int_eq(resumed->job_resumed_within.point.steps, 4);
        ck_assert_int_eq(recording_attempt(&recording, 0)->job_attempt.kept_ns,
                         NODES * 4 * NS_PER_S);
    }
}
END_TEST

START_TEST(a_checkpoint_that_is_due_serves_as_the_one_on_notice)
{
    const struct {
        int64_t noticed_ns;
        int32_t saved; /* checkpoints on notice */
        int64_t steps; /* in the last checkpoint */
    } rows[] = {
        {due_ns(1) - 500 * NS_PER_MS, 0, 4},  {due_ns(1), 0, 4},
        {due_ns(1) + write_ns / 2, 0, 4},     {due_ns(1) + write_ns + NS_PER_MS, 1, 5},
        {due_ns(2) - 1500 * NS_PER_MS, 1, 7},
    };
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            Program *program = program_of();
            program->saves_on_notice = true;
            World *world = world_of(program, (Fidelity)fidelity);
            world_advance(world, rows[i].noticed_ns);
            cluster_node_warned(world->clusters, node_of_job(world), 2500 * NS_PER_MS,
                                CAUSE_PREEMPTION);
            world_run(world);
            ck_assert_int_eq(recording_count(&recording, TRACE_JOB_SAVED, NULL), rows[i].saved);
            ck_assert_int_eq(recording_get(&recording, TRACE_JOB_RESUMED_WITHIN, 0)
                                 ->job_resumed_within.point.steps,
                             rows[i].steps);
            ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
        }
}
END_TEST

START_TEST(awaited_steps_wait_for_the_checkpoints_before_them)
{
    static const struct {
        int64_t step, checkpoints;
    } rows[] = {{4, 0}, {5, 1}, {12, 2}, {20, 4}, {21, 5}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        for (int32_t i = 0; i < ROWS; i++) {
            Command *create = commands_add(&list, COMMAND_SHARE_CREATE,
                                           arena_printf(arena, "a/step-%d", (int)i), 0);
            create->as.share_create.tier = plain_tier();
            create->trigger =
                (Trigger){.moment = MOMENT_JOB_STEP, .subject = "j", .ordinal = rows[i].step};
        }
        world_run(world_of(program_of(), (Fidelity)fidelity));
        for (int32_t i = 0; i < ROWS; i++)
            ck_assert_int_eq(recording_find(&recording, TRACE_RESOURCE_CREATED,
                                            arena_printf(arena, "share a/step-%d", (int)i), 0)
                                 ->at_ns,
                             training_ns + rows[i].step * NS_PER_S +
                                 rows[i].checkpoints * write_ns);
    }
}
END_TEST

/* "saved N" is the first checkpoint of N steps or more: within epochs and after them. */
START_TEST(checkpoints_are_moments_by_their_steps)
{
    static const struct {
        int64_t steps, saved_at; /* -1: there is none */
    } rows[] = {{1, 4}, {4, 4}, {5, 8}, {12, 12}, {13, 16}, {20, 20}, {21, 24}, {1000, -1}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        for (int32_t i = 0; i < ROWS; i++) {
            Command *create = commands_add(&list, COMMAND_SHARE_CREATE,
                                           arena_printf(arena, "a/saved-%d", (int)i), 0);
            create->as.share_create.tier = plain_tier();
            create->trigger =
                (Trigger){.moment = MOMENT_JOB_SAVED, .subject = "j", .ordinal = rows[i].steps};
        }
        world_run(world_of(program_of(), (Fidelity)fidelity));
        for (int32_t i = 0; i < ROWS; i++) {
            const TraceRecord *created =
                recording_find(&recording, TRACE_RESOURCE_CREATED,
                               arena_printf(arena, "share a/saved-%d", (int)i), 0);
            ck_assert_int_eq(created != NULL, rows[i].saved_at >= 0);
            if (created != NULL)
                ck_assert_int_eq(created->at_ns, training_ns + rows[i].saved_at * NS_PER_S +
                                                     rows[i].saved_at / 4 * write_ns);
        }
    }
}
END_TEST

/* One epoch of 40 steps with a checkpoint after every tenth is four epochs of ten steps, whenever
 * nodes are lost. */
START_TEST(an_epoch_with_checkpoints_is_as_several_epochs)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int64_t after_ms = 250; after_ms < 44000; after_ms += 1500) {
            int64_t kept_ns[2], ended_ns[2];
            for (int32_t whole = 0; whole < 2; whole++) {
                Program *program = program_of();
                program->checkpoint_steps = whole ? 10 : 0;
                program->checkpoint_every = 1;
                program->steps_per_epoch = whole ? 40 : 10;
                program->epochs = whole ? 1 : EPOCHS;
                World *world = world_of(program, (Fidelity)fidelity);
                lose(world, training_ns + after_ms * NS_PER_MS);
                world_run(world);
                kept_ns[whole] = recording_attempt(&recording, 0)->job_attempt.kept_ns;
                ended_ns[whole] = job_of(world)->ended_ns;
                ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
            }
            ck_assert_int_eq(kept_ns[0], kept_ns[1]);
            ck_assert_int_eq(ended_ns[0], ended_ns[1]);
        }
}
END_TEST

START_TEST(a_checkpoint_at_the_end_of_an_epoch_follows_its_evaluation)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        EpochTimes epochs[2];
        for (int32_t by_steps = 0; by_steps < 2; by_steps++) {
            Program *program = program_of();
            program->evaluate_samples = 100;
            program->checkpoint_every = 1;
            program->checkpoint_steps = by_steps ? 10 : 0;
            World *world = world_of(program, (Fidelity)fidelity);
            world_run(world);
            epochs[by_steps] = job_epoch_times(job_of(world), 2);
        }
        ck_assert_int_gt(epochs[0].evaluated_ns, epochs[0].end_ns);
        ck_assert_int_eq(epochs[0].checkpointed_ns, epochs[0].evaluated_ns + write_ns);
        ck_assert_int_eq(epochs[1].end_ns, epochs[0].end_ns);
        ck_assert_int_eq(epochs[1].evaluated_ns, epochs[0].evaluated_ns);
        ck_assert_int_eq(epochs[1].checkpointed_ns, epochs[0].checkpointed_ns);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job/checkpoint");
    TCase *tests = tcase_create("checkpoint");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, steps_are_counted_over_all_epochs);
    tcase_add_test(tests, a_new_attempt_continues_after_the_last_checkpoint);
    tcase_add_test(tests, attempts_that_begin_and_end_within_one_epoch_keep_their_own_steps);
    tcase_add_test(tests, a_checkpoint_that_is_not_whole_counts_for_nothing);
    tcase_add_test(tests, a_checkpoint_that_is_due_serves_as_the_one_on_notice);
    tcase_add_test(tests, awaited_steps_wait_for_the_checkpoints_before_them);
    tcase_add_test(tests, checkpoints_are_moments_by_their_steps);
    tcase_add_test(tests, an_epoch_with_checkpoints_is_as_several_epochs);
    tcase_add_test(tests, a_checkpoint_at_the_end_of_an_epoch_follows_its_evaluation);
    suite_add_tcase(suite, tests);
    return suite;
}
