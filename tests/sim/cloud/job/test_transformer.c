/* Trainings of transformers in the world, against closed forms: the time without failures, and with
 * exponential failures the expected time and the best interval between checkpoints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/tables.h"
#include "sim/model/bounded.h"
#include "tests/support/suite.h"
#include "tests/support/world_fixture.h"

enum { NODES = 2, STEPS = 35, EVERY = 10 };

/* Steps of 1 s: 600 ms of compute, 100 of bubble, 250 of communication, 50 of the update. */
static const int64_t step_ns = NS_PER_S;

static Program *program_of(int64_t steps, int64_t every, int32_t nodes)
{
    static const QuantileKnot as_modelled = {0, PPM};
    TransformerTraining *planned = ARENA_NEW(arena, TransformerTraining);
    *planned = (TransformerTraining){.model = "small",
                                     .layout = "dp=2",
                                     .vm_size = plain_vm_size(),
                                     .gpus = nodes,
                                     .steps = steps,
                                     .tokens_per_step = 4096,
                                     .start_ns = 10 * NS_PER_S,
                                     .compute_ns = 600 * NS_PER_MS,
                                     .bubble_ns = 100 * NS_PER_MS,
                                     .exchange_ns = 250 * NS_PER_MS,
                                     .update_ns = 50 * NS_PER_MS};
    const int64_t epochs = divide_up(steps, every);
    Program *program = ARENA_NEW(arena, Program);
    *program = (Program){.kind = PROGRAM_TRAIN,
                         .name = "small",
                         .transformer = planned,
                         .step_jitter_ppm = {.count = 1, .knots = &as_modelled},
                         .batch_per_rank = 1,
                         .epochs = epochs,
                         .steps_per_epoch = every,
                         .missing_steps = epochs * every - steps,
                         .checkpoint_bytes = 400000000,
                         .checkpoint_files = 4,
                         .checkpoint_every = 1,
                         .checkpoint_place = PLACE_SHARE,
                         .checkpoint_share = "a/s",
                         .checkpoint_path = "state",
                         .resumes = true};
    return program;
}

/* 400 MB in four files at 100 MB/s, after 13 rounds of 8 requests of 10 ms. */
static const int64_t write_ns = 4 * NS_PER_S + 13 * 10 * NS_PER_MS;

static World *run_on(const VmSize *vm_size, Program *program, int32_t nodes, Fidelity fidelity,
                     TraceLevel level)
{
    JobSpec *spec = plain_job(arena, nodes, program);
    ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
    Status status = {0};
    ck_assert_msg(training_check(spec, vm_size, (Place){0}, &status), "%s", status.message);
    *cluster = *plain_cluster(arena, nodes);
    cluster->vm_size = vm_size;
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, cluster);
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, 1);
    scenario->fidelity = fidelity;
    recording = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, level));
    world_check_always(world);
    world_run(world);
    return world;
}

static World *run(Program *program, int32_t nodes, Fidelity fidelity, TraceLevel level)
{
    return run_on(plain_vm_size(), program, nodes, fidelity, level);
}

static const Job *job_of(World *world)
{
    return job_by_id(world->jobs, (JobId){0});
}

START_TEST(without_failures_the_time_is_that_of_steps_and_checkpoints)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int64_t every = 1; every <= STEPS + 1; every++) {
            const int64_t interval = every < STEPS ? every : STEPS;
            World *world = run(program_of(STEPS, interval, NODES), NODES, (Fidelity)fidelity,
                               TRACE_LEVEL_EPOCHS);
            const JobAttempt *attempt = job_of(world)->attempt;
            ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
            ck_assert_int_eq(attempt->trained_ns - attempt->training_ns,
                             STEPS * step_ns + divide_up(STEPS, interval) * write_ns);
            const TraceRecord *trained = recording_find(&recording, TRACE_JOB_TRAINED, NULL, 0);
            ck_assert_int_eq(trained->job_trained.steps, STEPS);
            ck_assert_int_eq(trained->job_trained.parts.wait_ns, STEPS * 100 * NS_PER_MS);
            ck_assert_int_eq(trained->job_trained.parts.compute_ns, STEPS * 600 * NS_PER_MS);
        }
}
END_TEST

START_TEST(the_parts_of_a_checkpoint_cross_the_links_of_their_nodes)
{
    // 400 MB in four files on two nodes: at 20 MB/s each link takes 10 s for its two files of 100
    // MB. The share would take 4 s. The latency is that of write_ns.
    VmSize narrow = *plain_vm_size();
    narrow.network_bytes_per_s = 20000000;
    const int64_t by_links_ns = 10 * NS_PER_S + (write_ns - 4 * NS_PER_S);
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        Program *program = program_of(STEPS, EVERY, NODES);
        TransformerTraining planned = *program->transformer;
        planned.vm_size = &narrow;
        program->transformer = &planned;
        World *world = run_on(&narrow, program, NODES, (Fidelity)fidelity, TRACE_LEVEL_EPOCHS);
        const JobAttempt *attempt = job_of(world)->attempt;
        ck_assert_int_eq(attempt->trained_ns - attempt->training_ns,
                         STEPS * step_ns + divide_up(STEPS, EVERY) * by_links_ns);
        const TraceRecord *record = recording_find(&recording, TRACE_LINK_FULL, "write", 3);
        ck_assert((record != NULL) == (fidelity != FIDELITY_JOB));
        if (record != NULL)
            ck_assert_int_eq(record->link_full.limited_ns, 10 * NS_PER_S);
    }
}
END_TEST

/* Checkpoints block for 1 s and are written during the next steps, in write_ns. */
static Program *program_behind(int64_t every)
{
    Program *program = program_of(STEPS, every, NODES);
    program->writes_behind = true;
    program->checkpoint_blocks_ns = NS_PER_S;
    return program;
}

START_TEST(checkpoints_behind_cost_what_blocks_and_what_the_next_one_waits)
{
    // Every 10 steps: three times 11 s, 5 steps, and the last one is awaited. Every step: a
    // checkpoint takes longer than the step, which waits for it.
    static const struct {
        int64_t every, waited_ns;
    } rows[] = {{10, 3 * NS_PER_S + write_ns},
                {35, write_ns},
                {1, 34 * NS_PER_S + 34 * (write_ns - step_ns) + write_ns}};
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            World *world =
                run(program_behind(rows[i].every), NODES, (Fidelity)fidelity, TRACE_LEVEL_EPOCHS);
            const JobAttempt *attempt = job_of(world)->attempt;
            const TraceRecord *account = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, 0);
            ck_assert_int_eq(attempt->trained_ns - attempt->training_ns,
                             STEPS * step_ns + rows[i].waited_ns);
            ck_assert_int_eq(account->job_attempt.checkpoint_ns, NODES * rows[i].waited_ns);
            ck_assert_int_eq(attempt_parts_ns(account),
                             NODES * (job_of(world)->ended_ns - job_of(world)->started_ns));
            if (fidelity != FIDELITY_JOB)
                ck_assert_int_eq(recording_count(&recording, TRACE_CHECKPOINT, NULL),
                                 divide_up(STEPS, rows[i].every));
        }
}
END_TEST

START_TEST(node_time_is_accounted_by_part)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        World *world =
            run(program_of(STEPS, EVERY, NODES), NODES, (Fidelity)fidelity, TRACE_LEVEL_JOBS);
        const Job *job = job_of(world);
        const TraceRecord *attempt = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, 0);
        ck_assert_int_eq(attempt_parts_ns(attempt), NODES * (job->ended_ns - job->started_ns));
        ck_assert_int_eq(attempt->job_attempt.kept_ns, NODES * STEPS * 650 * NS_PER_MS);
        ck_assert_int_eq(attempt->job_attempt.exchange_ns, NODES * STEPS * 250 * NS_PER_MS);
        ck_assert_int_eq(attempt->job_attempt.gang_ns, NODES * STEPS * 100 * NS_PER_MS);
        ck_assert_int_eq(attempt->job_attempt.checkpoint_ns, NODES * 4 * write_ns);
        ck_assert_int_eq(attempt->job_attempt.lost_ns, 0);
        ck_assert_int_eq(attempt->job_attempt.epochs_kept, 4);
    }
}
END_TEST

START_TEST(the_last_steps_are_fewer_and_their_end_is_a_moment)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_EPOCH; fidelity++) {
        run(program_of(STEPS, EVERY, NODES), NODES, (Fidelity)fidelity, TRACE_LEVEL_EPOCHS);
        for (int32_t epoch = 0; epoch < 4; epoch++) {
            const TraceRecord *record = recording_find(&recording, TRACE_EPOCH, NULL, epoch);
            const int64_t steps = epoch < 3 ? EVERY : STEPS - 3 * EVERY;
            ck_assert_int_eq(record->epoch.steps, steps);
            ck_assert_int_eq(record->at_ns - record->since_ns, steps * step_ns);
        }
        ck_assert_ptr_null(recording_find(&recording, TRACE_EPOCH, NULL, 4));
    }
}
END_TEST

START_TEST(a_training_runs_as_it_is_planned_only)
{
    Status status = {0};
    JobSpec *spec = plain_job(arena, NODES, program_of(STEPS, EVERY, NODES));
    spec->processes = 1;
    ck_assert(!training_check(spec, plain_vm_size(), (Place){0}, &status));
    ck_assert_str_eq(status.message, "program \"small\" is planned for 2 GPUs, not for 1 ranks");
    spec->processes = NODES;
    ck_assert(!training_check(spec, vm_size_of_gpus(arena, 1), (Place){0}, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "is planned for nodes of Standard_NC6, not of"));
}
END_TEST

/* --- Failures --- */

/* One node fails at random, every `apart_s` seconds in the mean, and is repaired DOWN_S after the
 * failure. Until the first step it is prepared for 130 s, starts the command for 1 s and the
 * program for 10, and reads the checkpoint. */
enum { DOWN_S = 500, RESTART_S = 130 + 1 + 10, LONG_STEPS = 20000, SEEDS = 200 };

static double write_s(void)
{
    return (double)write_ns / 1e9;
}

/* A segment of `work_s` seconds and its checkpoint takes (1/r + D) e^(r R) (e^(r (w + c)) - 1) in
 * the mean, for failures of rate r, repairs of D without failures and restarts of R with failures:
 * Bougeret, Casanova, Rabie, Robert and Vivien, Checkpointing strategies for parallel jobs, SC
 * 2011.
 */
static double expected_segment_s(double work_s, double apart_s)
{
    const double restart_s = RESTART_S + write_s(); // reads are as fast as writes
    return (apart_s + DOWN_S) * exp(restart_s / apart_s) * expm1((work_s + write_s()) / apart_s);
}

static double expected_s(int64_t every, double apart_s)
{
    const int64_t whole = LONG_STEPS / every, rest = LONG_STEPS % every;
    return (double)whole * expected_segment_s((double)every, apart_s) +
           (rest > 0 ? expected_segment_s((double)rest, apart_s) : 0);
}

static double simulated_s(int64_t every, int64_t apart_s, uint64_t seed)
{
    Arena *outer = arena;
    arena = arena_create();
    list = commands_begin(arena);
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    JobSpec *spec = plain_job(arena, 1, program_of(LONG_STEPS, every, 1));
    spec->max_wall_clock_ns = INT64_MAX;
    commands_create_job(&list, "j", 0, "c", spec);
    const FailureModel model = {
        .name = "model",
        .between = {.kind = DISTRIBUTION_EXPONENTIAL, .scale = apart_s * NS_PER_S},
        .repair = {.quantiles = constant(arena, DOWN_S * NS_PER_S)},
        .recovery = RECOVERY_REBOOT,
        .reason = "GPU memory error"};
    Scenario *scenario = scenario_of(&list, seed);
    scenario->fidelity = FIDELITY_JOB;
    scenario->until_ns = 1000000 * NS_PER_S;
    scenario->failures.rate_ppm = PPM;
    scenario->failures.nodes = &model;
    recording = recording_create(arena);
    World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
    world_run(world);
    ck_assert_int_eq(job_of(world)->state, JOB_SUCCEEDED);
    const TraceRecord *first = recording_find(&recording, TRACE_JOB_TRAINING, NULL, 0);
    const TraceRecord *last = NULL;
    for (int32_t n = 0; recording_find(&recording, TRACE_JOB_TRAINED, NULL, n) != NULL; n++)
        last = recording_find(&recording, TRACE_JOB_TRAINED, NULL, n);
    const double took_s = (double)(last->at_ns - first->at_ns) / 1e9;
    arena_destroy(arena);
    arena = outer;
    return took_s;
}

/* The mean over seeds, which must be that of theory within 3.5 standard errors of less than 1 %. */
static double mean_s(int64_t every, int64_t apart_s)
{
    double sum = 0, squares = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const double took_s = simulated_s(every, apart_s, seed);
        sum += took_s;
        squares += took_s * took_s;
    }
    const double mean = sum / SEEDS, theory = expected_s(every, (double)apart_s);
    const double error_s = sqrt((squares / SEEDS - mean * mean) / (SEEDS - 1));
    ck_assert_msg(fabs(mean - theory) < 3.5 * error_s,
                  "every %lld: %.0f instead of %.0f, standard error %.0f", (long long)every, mean,
                  theory, error_s);
    ck_assert_double_lt(error_s / mean, 0.01);
    return mean;
}

/* Daly, A higher order estimate of the optimum checkpoint interval, FGCS 22 (2006), eq. 37. */
static double best_interval_s(double apart_s)
{
    const double c = write_s(), ratio = c / (2 * apart_s);
    return sqrt(2 * c * apart_s) * (1 + sqrt(ratio) / 3 + ratio / 9) - c;
}

START_TEST(the_expected_time_and_the_best_interval_are_those_of_theory)
{
    // Intervals from a quarter of the best one to four times it.
    enum { APART_S = 3000, INTERVALS = 9, MIDDLE = INTERVALS / 2 };
    double means[INTERVALS];
    int least = 0;
    for (int i = 0; i < INTERVALS; i++) {
        const double every = best_interval_s(APART_S) * pow(2, (i - MIDDLE) / 2.0);
        means[i] = mean_s((int64_t)(every + 0.5), APART_S);
        least = means[i] < means[least] ? i : least;
    }
    // The curve is flat at its minimum: a factor of sqrt(2) costs 0.6 %.
    ck_assert_int_le(abs(least - MIDDLE), 1);
    ck_assert_double_lt(means[MIDDLE], means[0]);
    ck_assert_double_lt(means[MIDDLE], means[INTERVALS - 1]);
    ck_assert_double_lt(means[MIDDLE] / means[least], 1.01);
}
END_TEST

START_TEST(the_share_of_time_that_trains_is_the_published_one)
{
    // E[ETTR] of Kokolis et al., Revisiting reliability, HPCA 2025, for rare failures.
    enum { APART_S = 30000 };
    const double every = floor(best_interval_s(APART_S));
    const double ettr =
        (1 - (DOWN_S + RESTART_S + write_s() + every / 2) / APART_S) / (1 + write_s() / every);
    ck_assert_double_eq_tol(LONG_STEPS / mean_s((int64_t)every, APART_S) / ettr, 1, 0.01);
}
END_TEST

START_TEST(work_since_the_last_checkpoint_is_lost_and_no_other)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++) {
        JobSpec *spec = plain_job(arena, NODES, program_of(STEPS, EVERY, NODES));
        list = commands_begin(arena);
        commands_create_cluster(&list, "c", 0, plain_cluster(arena, NODES));
        commands_create_job(&list, "j", 0, "c", spec);
        Scenario *scenario = scenario_of(&list, 1);
        scenario->fidelity = (Fidelity)fidelity;
        recording = recording_create(arena);
        World *world = world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
        world_check_always(world);
        // Training begins at 241 s: 230 s until the job runs, 1 s of host, 10 s of start. At 275 s,
        // two epochs are kept, and 34 - 28.26 s are lost with the start.
        world_advance(world, 275 * NS_PER_S);
        job_loses_nodes(world->jobs, job_row(world->jobs, (JobId){0}), NULL, DEALLOCATE_REQUEUE,
                        CAUSE_CRASH);
        world_run(world);
        const TraceRecord *first = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, 0);
        ck_assert_int_eq(first->job_attempt.epochs_kept, 2);
        ck_assert_int_eq(first->job_attempt.checkpoint_ns, NODES * 2 * write_ns);
        ck_assert_int_eq(first->job_attempt.lost_ns,
                         NODES * (45 * NS_PER_S - 20 * step_ns - 2 * write_ns));
        const TraceRecord *second = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, 1);
        ck_assert_int_eq(second->job_attempt.epochs_kept, 2);
        ck_assert_int_eq(second->job_attempt.lost_ns, 0);
        ck_assert_int_eq(second->at_ns - second->since_ns,
                         11 * NS_PER_S + write_ns + 15 * step_ns + 2 * write_ns);
    }
}
END_TEST

/* Training begins at 241 s. The checkpoint after 10 steps is written from 252 s to 256.13 s. */
START_TEST(a_checkpoint_behind_counts_once_it_is_written)
{
    for (int fidelity = FIDELITY_STEP; fidelity <= FIDELITY_JOB; fidelity++)
        for (int64_t lost_s = 255; lost_s <= 269; lost_s++) {
            JobSpec *spec = plain_job(arena, NODES, program_behind(EVERY));
            list = commands_begin(arena);
            commands_create_cluster(&list, "c", 0, plain_cluster(arena, NODES));
            commands_create_job(&list, "j", 0, "c", spec);
            Scenario *scenario = scenario_of(&list, 1);
            scenario->fidelity = (Fidelity)fidelity;
            recording = recording_create(arena);
            World *world =
                world_create(arena, scenario, recording_sink(&recording, TRACE_LEVEL_JOBS));
            world_check_always(world);
            world_advance(world, lost_s * NS_PER_S);
            job_loses_nodes(world->jobs, job_row(world->jobs, (JobId){0}), NULL, DEALLOCATE_REQUEUE,
                            CAUSE_CRASH);
            world_run(world);
            // The second one is written from 263 s to 267.13 s.
            const int64_t kept = lost_s < 257 ? 0 : lost_s < 268 ? 1 : 2;
            const TraceRecord *first = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, 0);
            ck_assert_int_eq(first->job_attempt.epochs_kept, kept);
            ck_assert_int_eq(first->job_attempt.checkpoint_ns, NODES * kept * NS_PER_S);
            ck_assert_int_eq(first->job_attempt.lost_ns,
                             NODES * ((lost_s - 230) * NS_PER_S - kept * 11 * NS_PER_S));
            const TraceRecord *second = recording_find(&recording, TRACE_JOB_ATTEMPT, NULL, 1);
            ck_assert_int_eq(second->job_attempt.epochs_kept, 4 - kept);
            ck_assert_int_eq(second->at_ns - second->since_ns,
                             11 * NS_PER_S + (kept > 0 ? write_ns : 0) +
                                 (STEPS - kept * EVERY) * step_ns + (3 - kept) * NS_PER_S +
                                 write_ns);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job/transformer");
    TCase *examples = tcase_create("examples");
    tcase_add_checked_fixture(examples, begin, end);
    tcase_add_test(examples, without_failures_the_time_is_that_of_steps_and_checkpoints);
    tcase_add_test(examples, the_parts_of_a_checkpoint_cross_the_links_of_their_nodes);
    tcase_add_test(examples, checkpoints_behind_cost_what_blocks_and_what_the_next_one_waits);
    tcase_add_test(examples, a_checkpoint_behind_counts_once_it_is_written);
    tcase_add_test(examples, node_time_is_accounted_by_part);
    tcase_add_test(examples, the_last_steps_are_fewer_and_their_end_is_a_moment);
    tcase_add_test(examples, a_training_runs_as_it_is_planned_only);
    tcase_add_test(examples, work_since_the_last_checkpoint_is_lost_and_no_other);
    suite_add_tcase(suite, examples);
    TCase *theory = tcase_create("theory");
    tcase_add_checked_fixture(theory, begin, end);
    tcase_add_test(theory, the_expected_time_and_the_best_interval_are_those_of_theory);
    tcase_add_test(theory, the_share_of_time_that_trains_is_the_published_one);
    suite_add_tcase(suite, theory);
    return suite;
}
