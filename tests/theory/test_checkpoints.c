/* A training job that writes checkpoints and starts again after failures of its node.
 *
 * Failures are exponential with mean M while the node works. After a failure the node is down for
 * R, then the job spends U on starting and reading its checkpoint. The time between two checkpoints
 * is a = work + write. A stretch x must complete without a failure, and starts again with U + x
 * after each failure. Its mean time is
 *
 *     (exp((U + x) / M) - 1) (M + R)
 *
 * if it begins with U, and (1 - exp(-x / M)) (M + R + the above) if it does not. The mean number of
 * failures is exp((U + x) / M) - 1, or (1 - exp(-x / M)) exp((U + x) / M). (J. T. Daly, "A higher
 * order estimate of the optimum checkpoint interval for restart dumps", FGCS 22, 2006, section 2,
 * with U lost again like work.) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/closed_forms.h"
#include "tests/support/suite.h"
#include "tests/support/theory.h"

enum { REPLICATIONS = 400 };

/* One file a minute: 6 GB at 100 MB/s. */
static const ShareTier tier = {.name = "ideal",
                               .read_bytes_per_s = 100000000,
                               .write_bytes_per_s = 100000000,
                               .requests_per_s = 1000000,
                               .request_bytes = INT64_C(1) << 40,
                               .requests_in_flight = 1};
/* A machine that writes checkpoints and fails; times in seconds. */
typedef struct {
    double write_s; /* of one checkpoint; reading it takes as long */
    double mtbf_s, repair_s, start_s;
} Machine;

static const Machine small = {.write_s = 60, .mtbf_s = 4 * 3600, .repair_s = 300, .start_s = 40};
static const int32_t work_steps = 192; // the whole job, for any number of checkpoints

typedef struct {
    double work_s; /* of one epoch, from its record */
    double total_s;
    double failures;
} Outcome;

static void hear(void *listener, const TraceRecord *record)
{
    Outcome *outcome = listener;
    if (record->kind == TRACE_EPOCH)
        outcome->work_s = (double)(record->at_ns - record->since_ns) / (double)NS_PER_S;
    if (record->kind != TRACE_JOB_STATE)
        return;
    if (strcmp(record->name, "running") == 0)
        outcome->failures++;
    if (strcmp(record->name, "succeeded") == 0) {
        outcome->total_s = (double)record->at_ns / (double)NS_PER_S;
        outcome->failures--; // the first start follows no failure
    }
}

static const Program *program_of(Arena *arena, const Machine *machine, double step_s,
                                 int32_t steps_per_epoch, int32_t epochs)
{
    Framework *framework = ARENA_NEW(arena, Framework);
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_training_program(arena);
    *framework = *program->framework;
    framework->start_ns = (int64_t)machine->start_s * NS_PER_S;
    framework->step_overhead_ns = (int64_t)(step_s * NS_PER_S);
    framework->input_cpu_ns_per_sample = 0;
    program->framework = framework;
    program->step_jitter_ppm = constant(arena, PPM);
    program->steps_per_epoch = steps_per_epoch;
    program->epochs = epochs;
    program->downloads_data = program->evaluates_at_end = false;
    program->evaluate_samples = program->model_bytes = 0;
    program->checkpoint_bytes = (int64_t)machine->write_s * tier.write_bytes_per_s;
    program->checkpoint_place = PLACE_SHARE;
    program->checkpoint_share = "a/ideal";
    program->checkpoint_every = 1;
    program->resumes = true;
    return program;
}

/* Runs a job of the program on one node that fails. */
static Outcome run_failing(Arena *arena, const Machine *machine, const Program *program,
                           uint64_t seed)
{
    const FailureModel model = {.name = "theory",
                                .between = exponential_of((int64_t)machine->mtbf_s * NS_PER_S),
                                .repair = constant_of(arena, (int64_t)machine->repair_s * NS_PER_S),
                                .recovery = RECOVERY_REBOOT,
                                .reason = "theory"};
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_SHARE_CREATE, "a/ideal", 0)->as.share_create.tier = &tier;
    commands_create_cluster(&list, "c", 0, plain_cluster(arena, 1));
    JobSpec *spec = plain_job(arena, 1, program);
    spec->max_wall_clock_ns = INT64_MAX;
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = idle_service(arena, 1);
    scenario->service.attempts_max = INT32_MAX;
    scenario->fidelity = FIDELITY_EPOCH;
    scenario->failures.rate_ppm = PPM;
    scenario->failures.nodes = &model;
    Outcome outcome = {0};
    world_run(world_create(
        arena, scenario,
        (TraceSink){.listener = &outcome, .level = TRACE_LEVEL_EPOCHS, .record = hear}));
    ck_assert_double_gt(outcome.total_s, 0);
    return outcome;
}

static Outcome train(const Machine *machine, double step_s, int32_t steps_per_epoch, int32_t epochs,
                     uint64_t seed)
{
    Arena *arena = arena_create();
    const Outcome outcome = run_failing(
        arena, machine, program_of(arena, machine, step_s, steps_per_epoch, epochs), seed);
    arena_destroy(arena);
    return outcome;
}

/* The results of the formulas at the top for a whole job with `epochs` checkpoints. */
static Outcome expected(const Machine *machine, double work_s, int32_t epochs)
{
    double mtbf_s = machine->mtbf_s;
    double a = work_s + machine->write_s;
    double first = exp((machine->start_s + a) / mtbf_s) - 1;
    // The last checkpoint is read as well.
    double again = exp((machine->start_s + machine->write_s + a) / mtbf_s) - 1;
    double fails = 1 - exp(-a / mtbf_s);
    double failures = first + (epochs - 1) * fails * (1 + again);
    return (Outcome){
        .work_s = work_s, .total_s = failures * (mtbf_s + machine->repair_s), .failures = failures};
}

/* Daly's interval of work between two checkpoints. */
static double daly_s(const Machine *machine)
{
    double ratio = machine->write_s / (2 * machine->mtbf_s);
    return sqrt(2 * machine->write_s * machine->mtbf_s) * (1 + sqrt(ratio) / 3 + ratio / 9) -
           machine->write_s;
}

START_TEST(daly_agrees_with_the_published_figures)
{
    // Cost 60 s, MTBF 4 h: Young sqrt(2 * 60 * 14400) = 1314.534; Daly 1314.534 * (1 + 0.045644 / 3
    // + 0.00208333 / 9) - 60 = 1274.838.
    ck_assert_double_eq_tol(daly_s(&small), 1274.838, 0.01);
}
END_TEST

START_TEST(a_job_with_checkpoints_takes_the_time_of_daly_s_formula)
{
    static const int32_t steps[] = {
        1, 4, 16}; // a quarter of Daly's interval, the interval, four times the interval
    static const char *const names[][2] = {
        {"checkpoints, 1/4 of Daly's interval: time", "    restarts"},
        {"checkpoints, Daly's interval: time", "    restarts"},
        {"checkpoints, 4 times Daly's interval: time", "    restarts"}};
    const int32_t count = theory_size(REPLICATIONS);
    double means[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        double total_s[REPLICATIONS], failures[REPLICATIONS], work_s = 0;
        for (uint64_t r = 0; r < (uint64_t)count; r++) {
            const Outcome outcome = train(&small, daly_s(&small) / 4, steps[i],
                                          work_steps / steps[i], theory_seed(4000 + r));
            total_s[r] = outcome.total_s;
            failures[r] = outcome.failures;
            work_s = outcome.work_s;
            means[i] += outcome.total_s / count;
        }
        ck_assert_double_eq_tol(work_s, steps[i] * daly_s(&small) / 4, 0.1 * steps[i]);
        const Outcome theory = expected(&small, work_s, work_steps / steps[i]);
        check_mean(names[i][0], total_s, count, theory.total_s, .02);
        check_mean(names[i][1], failures, count, theory.failures, .04);
    }
    ck_assert_double_lt(means[1], means[0]);
    ck_assert_double_lt(means[1], means[2]);
}
END_TEST

/* Daly's equation 20 has no repair time, and a restart that reads the checkpoint. */
START_TEST(the_cost_of_checkpoints_is_flat_around_the_optimum)
{
    static const struct {
        const char *point;
        Machine machine;
    } rows[] = {
        {"write=60s MTBF=86400s restart=120s", {60, 86400, 0, 60}},
        {"write=300s MTBF=28800s restart=300s", {300, 28800, 0, 0}},
        {"write=30s MTBF=7200s restart=60s", {30, 7200, 0, 30}},
        {"write=600s MTBF=28800s restart=600s", {600, 28800, 0, 0}},
    };
    static const struct {
        const char *metric;
        double factor; /* of the best interval */
        int32_t epochs;
    } costs[] = {{"time per second of work, half of best", .5, 400},
                 {"time per second of work, best", 1, 200},
                 {"time per second of work, twice best", 2, 100}};
    // Half and twice the best interval cost 0.9 % more, or 3 standard errors of 0.3 %.
    const double error_most = .003;
    const int32_t count = theory_size(REPLICATIONS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double best_s = closed_form("checkpoints", rows[i].point, "best interval s");
        const double daly = closed_form("checkpoints", rows[i].point, "Daly interval s");
        ck_assert_double_eq_tol(daly_s(&rows[i].machine), daly, 1e-6 * daly);
        printf("checkpoints, %s\n", rows[i].point);
        for (size_t c = 0; c < sizeof costs / sizeof costs[0]; c++) {
            double cost[REPLICATIONS];
            for (uint64_t r = 0; r < (uint64_t)count; r++)
                cost[r] = train(&rows[i].machine, best_s * costs[c].factor, 1, costs[c].epochs,
                                theory_seed(4500 + 1000 * i + r))
                              .total_s /
                          (best_s * costs[c].factor * costs[c].epochs);
            check_mean(costs[c].metric, cost, count,
                       closed_form("checkpoints", rows[i].point, costs[c].metric), error_most);
        }
    }
}
END_TEST

/* --- Programs that only take time --- */

/* Such a program writes no checkpoint after its last work, and an attempt needs the restart only if
 * it continues from one. */
static const Machine plain = {.write_s = 60, .mtbf_s = 4 * 3600, .repair_s = 300, .start_s = 100};

static const Program *timed_program(Arena *arena, const Machine *machine, double work_s,
                                    double every_s)
{
    Program *program = ARENA_NEW(arena, Program);
    *program = *plain_fixed_program(arena, (int64_t)work_s * NS_PER_S, 0);
    program->work = (WorkCheckpoints){.every_ns = (int64_t)every_s * NS_PER_S,
                                      .takes_ns = (int64_t)machine->write_s * NS_PER_S,
                                      .restart_ns = (int64_t)machine->start_s * NS_PER_S,
                                      .jobs_ppm = PPM};
    return program;
}

/* The mean number of failures in a stretch that must complete; its mean time is this times the
 * mean time between two starts. `first`: it begins with nothing to continue from. */
static double failures_in(const Machine *machine, double stretch_s, bool first)
{
    const double again = exp((machine->start_s + stretch_s) / machine->mtbf_s) - 1;
    const double fails = 1 - exp(-stretch_s / machine->mtbf_s);
    return first ? exp(stretch_s / machine->mtbf_s) - 1 : fails * (1 + again);
}

START_TEST(a_program_that_only_takes_time_has_daly_s_times)
{
    enum { WORK_S = 48 * 1280 };
    static const struct {
        const char *time, *restarts;
        int32_t every_s;
    } rows[] = {{"timed program, 1/4 of Daly's interval: time", "    restarts", 320},
                {"timed program, Daly's interval: time", "    restarts", 1280},
                {"timed program, 4 times Daly's interval: time", "    restarts", 5120}};
    const int32_t count = theory_size(REPLICATIONS);
    double means[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        const double every_s = rows[i].every_s;
        double total_s[REPLICATIONS], failures[REPLICATIONS];
        for (uint64_t r = 0; r < (uint64_t)count; r++) {
            Arena *arena = arena_create();
            const Outcome outcome =
                run_failing(arena, &plain, timed_program(arena, &plain, WORK_S, every_s),
                            theory_seed(12000 + r));
            arena_destroy(arena);
            total_s[r] = outcome.total_s;
            failures[r] = outcome.failures;
            means[i] += outcome.total_s / count;
        }
        const double stretch_s = every_s + plain.write_s, stretches = WORK_S / every_s;
        const double theory = failures_in(&plain, stretch_s, true) +
                              (stretches - 2) * failures_in(&plain, stretch_s, false) +
                              failures_in(&plain, every_s, false);
        check_mean(rows[i].time, total_s, count, theory * (plain.mtbf_s + plain.repair_s), .02);
        check_mean(rows[i].restarts, failures, count, theory, .04);
    }
    ck_assert_double_lt(means[1], means[0]);
    ck_assert_double_lt(means[1], means[2]);
}
END_TEST

/* --- Preemption with notice --- */

/* A low-priority node whose lifetime is exponential with mean M, and a notice of N before it is
 * gone. Its job takes U to start, which includes reading a checkpoint, and works in steps of s.
 *
 * Without a checkpoint on notice, the work since the last one is lost: X seconds of a stretch a =
 * work + write, given that the node is gone within it: M - a / (exp(a / M) - 1) in the mean, if
 * the job starts for at least N. With one, the step under way ends after s / 2 in the mean, and the
 * time from the end of the checkpoint until the node is gone is lost: N - s / 2 - write.
 *
 * A job of W seconds of work then has K = (W - (N - write)) / M such losses, because it ends within
 * the notice if so little is left. Each adds N - s / 2 and a start. A start is itself cut off with
 * 1 - exp(-U / M), and then costs its lifetime, M - U / (exp(U / M) - 1) in the mean, and N:
 *
 *     W + first start + K (N - s / 2 + U) + (K + 1) (exp(U / M) - 1) (M - U / (exp(U / M) - 1) + N)
 */
static const Machine spot = {.write_s = 60, .mtbf_s = 4 * 3600, .repair_s = 0, .start_s = 100};
static const double notice_s = 120, spot_step_s = 10;

typedef struct {
    double total_s, losses, lost_s; /* lost_s: the sum of all losses of attempts that trained */
    double training_s, noticed_s, kept_s;
    double work_s; /* of an epoch without a checkpoint in it, from its record */
} SpotOutcome;

static void hear_spot(void *listener, const TraceRecord *record)
{
    SpotOutcome *outcome = listener;
    const double at_s = (double)record->at_ns / (double)NS_PER_S;
    if (record->kind == TRACE_EPOCH)
        outcome->work_s = (double)(record->at_ns - record->since_ns) / (double)NS_PER_S;
    if (record->kind == TRACE_NODE_NOTICE)
        outcome->noticed_s = at_s;
    if (record->kind == TRACE_JOB_TRAINING)
        outcome->training_s = outcome->kept_s = at_s;
    if (record->kind == TRACE_CHECKPOINT || record->kind == TRACE_JOB_SAVED)
        outcome->kept_s = at_s;
    if (record->kind == TRACE_JOB_STATE && strcmp(record->name, "succeeded") == 0)
        outcome->total_s = at_s;
    if (record->kind != TRACE_JOB_ATTEMPT || strcmp(record->name, "lost") != 0)
        return;
    // Without the first stretch of an attempt, in which the notice may precede the training.
    const double since_s = (double)record->since_ns / (double)NS_PER_S;
    if (outcome->training_s > since_s && outcome->noticed_s > outcome->training_s) {
        outcome->losses++;
        outcome->lost_s += at_s - outcome->kept_s;
    }
}

/* Runs a job of the program on one low-priority node at a time. */
static SpotOutcome run_spot(Arena *arena, const Program *program, uint64_t seed)
{
    const FailureModel model = {.name = "theory",
                                .between = exponential_of((int64_t)spot.mtbf_s * NS_PER_S),
                                .reason = "theory"};
    CommandList list = commands_begin(arena);
    commands_add(&list, COMMAND_SHARE_CREATE, "a/ideal", 0)->as.share_create.tier = &tier;
    ClusterSpec *cluster = ARENA_NEW(arena, ClusterSpec);
    *cluster = *plain_cluster(arena, 1);
    cluster->is_low_priority = true;
    commands_create_cluster(&list, "c", 0, cluster);
    JobSpec *spec = plain_job(arena, 1, program);
    spec->max_wall_clock_ns = INT64_MAX;
    commands_create_job(&list, "j", 0, "c", spec);
    Scenario *scenario = scenario_of(&list, seed);
    scenario->service = idle_service(arena, 1);
    scenario->service.preemption_notice_ns = (int64_t)notice_s * NS_PER_S;
    scenario->service.low_priority_run_max_ns = INT64_MAX;
    scenario->service.attempts_max = INT32_MAX;
    scenario->fidelity = FIDELITY_EPOCH;
    scenario->failures.rate_ppm = PPM;
    scenario->failures.preemption = &model;
    SpotOutcome outcome = {0};
    world_run(world_create(
        arena, scenario,
        (TraceSink){.listener = &outcome, .level = TRACE_LEVEL_EPOCHS, .record = hear_spot}));
    ck_assert_double_gt(outcome.total_s, 0);
    return outcome;
}

static SpotOutcome train_spot(bool saves, int32_t steps_per_epoch, int32_t epochs, uint64_t seed)
{
    Arena *arena = arena_create();
    Program *program = ARENA_NEW(arena, Program);
    *program = *program_of(arena, &spot, spot_step_s, steps_per_epoch, epochs);
    program->saves_on_notice = saves;
    program->checkpoint_every = saves ? epochs + 1 : 1; // on notice only, or never on notice
    const SpotOutcome outcome = run_spot(arena, program, seed);
    arena_destroy(arena);
    return outcome;
}

START_TEST(a_checkpoint_on_notice_leaves_the_rest_of_the_notice_as_lost_work)
{
    enum { STEPS = 360, EPOCHS = 80 };
    const double mtbf_s = spot.mtbf_s;
    double epoch_s = 0;
    const double start_s = spot.start_s + spot.write_s;
    const int32_t count = theory_size(REPLICATIONS);
    double lost_s[2][REPLICATIONS], total_s[REPLICATIONS];
    for (int32_t saves = 0; saves < 2; saves++)
        for (int32_t r = 0; r < count; r++) {
            const SpotOutcome outcome =
                train_spot(saves, STEPS, EPOCHS, theory_seed(9000 + (uint64_t)r));
            ck_assert_double_gt(outcome.losses, 0);
            lost_s[saves][r] = outcome.lost_s / outcome.losses;
            epoch_s = saves ? epoch_s : outcome.work_s;
            total_s[r] = outcome.total_s; // in the end with checkpoints on notice
        }
    ck_assert_double_eq_tol(epoch_s, STEPS * spot_step_s, 0.1 * STEPS);
    const double work_s = EPOCHS * epoch_s, stretch_s = epoch_s + spot.write_s;
    const double losses = (work_s - (notice_s - spot.write_s)) / mtbf_s;
    const double cut = exp(start_s / mtbf_s) - 1;
    const double theory_s = work_s + spot.start_s +
                            losses * (notice_s - spot_step_s / 2 + start_s) +
                            (losses + 1) * cut * (mtbf_s - start_s / cut + notice_s);
    check_mean("preemption, checkpoint every hour: lost each time", lost_s[0], count,
               mtbf_s - stretch_s / (exp(stretch_s / mtbf_s) - 1), .02);
    check_mean("preemption, checkpoint on notice: lost each time", lost_s[1], count,
               notice_s - spot_step_s / 2 - spot.write_s, .02);
    check_mean("preemption, checkpoint on notice: time", total_s, count, theory_s, .02);
}
END_TEST

/* A program that only takes time stops at once, so s is 0, and its first attempt has no start. Each
 * loss takes the whole notice. */
START_TEST(a_timed_program_that_writes_on_notice_only_loses_the_notices)
{
    enum { WORK_S = 80 * 3600 };
    const int32_t count = theory_size(REPLICATIONS);
    double total_s[REPLICATIONS];
    for (int32_t r = 0; r < count; r++) {
        Arena *arena = arena_create();
        Program *program = ARENA_NEW(arena, Program);
        *program = *timed_program(arena, &spot, WORK_S, 0);
        program->saves_on_notice = true;
        total_s[r] = run_spot(arena, program, theory_seed(15000 + (uint64_t)r)).total_s;
        arena_destroy(arena);
    }
    const double losses = (WORK_S - (notice_s - spot.write_s)) / spot.mtbf_s;
    const double cut = exp(spot.start_s / spot.mtbf_s) - 1;
    check_mean("preemption, timed program, checkpoint on notice: time", total_s, count,
               WORK_S + losses * (notice_s + spot.start_s +
                                  cut * (spot.mtbf_s - spot.start_s / cut + notice_s)),
               .02);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checkpoints");
    TCase *tests = tcase_create("checkpoints");
    tcase_add_test(tests, daly_agrees_with_the_published_figures);
    tcase_add_test(tests, a_job_with_checkpoints_takes_the_time_of_daly_s_formula);
    tcase_add_test(tests, the_cost_of_checkpoints_is_flat_around_the_optimum);
    tcase_add_test(tests, a_program_that_only_takes_time_has_daly_s_times);
    tcase_add_test(tests, a_checkpoint_on_notice_leaves_the_rest_of_the_notice_as_lost_work);
    tcase_add_test(tests, a_timed_program_that_writes_on_notice_only_loses_the_notices);
    suite_add_tcase(suite, tests);
    return suite;
}
