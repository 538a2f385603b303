#include "real/compare/real_runs.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Status status;
static NetworkModel network;
static VmSize vm_size;
static Program program;
static PredictedJob job;

/* One rank on a processor is predicted to make two epochs of four steps. */
static void begin(void)
{
    static const QuantileKnot as_modelled[] = {{.probability_ppm = 0, .value = PPM}};
    arena = arena_create();
    folder = temporary_folder_create(arena);
    network = (NetworkModel){.name = "net", .gradient_bytes = 1000};
    vm_size = (VmSize){.name = "local"};
    program = (Program){.kind = PROGRAM_TRAIN,
                        .network = &network,
                        .batch_per_rank = 8,
                        .epochs = 2,
                        .steps_per_epoch = 4};
    job = (PredictedJob){.job = "train",
                         .program = &program,
                         .vm_size = &vm_size,
                         .succeeds = true,
                         .plan = {.ranks = 1,
                                  .epochs = 2,
                                  .steps_per_epoch = 4,
                                  .compute_ns = 10 * NS_PER_MS,
                                  .update_ns = NS_PER_MS,
                                  .jitter_ppm = {.count = 1, .knots = as_modelled}},
                         .backward_ns = 6600000};
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

/* --- Files of runs --- */

static const char *run_folder(int32_t run)
{
    return arena_printf(arena, "%s/run-%" PRId32, folder, run);
}

static void put(const char *place, const char *name, const char *text)
{
    ck_assert(folder_create(place, &status));
    ck_assert(file_write(arena_printf(arena, "%s/%s", place, name), text, strlen(text), &status));
}

/* The attempt of a run made the steps from `first` up to `done`; `done` 0: it has no timeline. */
static void put_attempt(int32_t run, int32_t attempt, const char *facts, int64_t first,
                        int64_t done)
{
    const char *place =
        arena_printf(arena, "%s/real/train/attempt-%" PRId32, run_folder(run), attempt);
    Text text = {0};
    put(place, "ranks.json", facts);
    text_add(&text, "# trainyard timeline 1\trank\t0\tranks\t1\n"
                    "phase\tstep\tbegin_ns\tend_ns\tbytes\trank\n");
    for (int64_t step = first; step < done; step++)
        text_printf(&text, "forward\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t0\t0\n", step,
                    step * 1000, step * 1000 + 900);
    if (done > 0)
        put(place, "timeline.rank0.tsv", text_string(&text));
    text_free(&text);
}

/* The ranks.json of a training that agrees with the prediction. */
static const char *facts_of(int32_t exit_code)
{
    return arena_printf(arena,
                        "{\"backend\": \"onednn\", \"precision\": \"fp32\", \"network\": \"net\", "
                        "\"ranks\": 1, \"batch\": 8, \"took_ns\": 5, \"exit_code\": %" PRId32 "}",
                        exit_code);
}

static bool compare_runs(int32_t count, CompareJob *compared)
{
    const char **folders = ARENA_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++)
        folders[i] = run_folder(i + 1);
    return real_runs_compare(arena, &job, folders, count, compared, &status);
}

static void ck_refused(const char *message)
{
    CompareJob compared;
    ck_assert(!compare_runs(1, &compared));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_str_eq(status.message, message);
}

/* --- Tests --- */

START_TEST(each_attempt_with_a_timeline_is_a_run)
{
    CompareJob compared;
    put_attempt(1, 1, facts_of(0), 0, 8);
    put_attempt(2, 1, facts_of(137), 0, 0);
    put_attempt(2, 2, facts_of(0), 0, 8);
    put(run_folder(2), "ran.json", "[{\"do\": \"job.reached\", \"name\": \"train\", \"step\": 3}]");
    ck_assert_msg(compare_runs(2, &compared), "%s", status.message);
    ck_assert_int_eq(compared.run_count, 2);
    ck_assert_int_eq(compared.recovery.attempts, 2); // the most of a run
    ck_assert_int_eq(compared.recovery.steps_lost, 3);
}
END_TEST

START_TEST(steps_that_two_attempts_have_made_are_lost)
{
    CompareJob compared;
    put_attempt(1, 1, facts_of(137), 0, 7);
    put_attempt(1, 2, facts_of(137), 4, 6); // from the checkpoint after an epoch
    put_attempt(1, 3, facts_of(0), 4, 8);
    ck_assert_msg(compare_runs(1, &compared), "%s", status.message);
    ck_assert_int_eq(compared.run_count, 3);
    ck_assert_int_eq(compared.recovery.attempts, 3);
    ck_assert_int_eq(compared.recovery.steps_lost, 3 + 2);
}
END_TEST

START_TEST(lost_steps_of_one_run_that_are_unknown_make_the_sum_unknown)
{
    CompareJob compared;
    put_attempt(1, 1, facts_of(137), 0, 0); // and nothing says where it was
    put_attempt(1, 2, facts_of(0), 0, 8);
    put_attempt(2, 1, facts_of(0), 0, 8);
    ck_assert_msg(compare_runs(2, &compared), "%s", status.message);
    ck_assert_int_eq(compared.recovery.steps_lost, -1);
}
END_TEST

START_TEST(a_training_that_ended_early_is_refused_unless_it_was_predicted)
{
    CompareJob compared;
    put_attempt(1, 1, facts_of(0), 0, 7);
    ck_refused("job \"train\" ended with exit code 0 after 7 of 8 steps, but is predicted to "
               "succeed");
    ck_assert_ptr_nonnull(strstr(status.hint, "fewer \"epochs\""));
    put_attempt(1, 1, facts_of(1), 0, 8);
    ck_refused("job \"train\" ended with exit code 1 after 8 of 8 steps, but is predicted to "
               "succeed");
    ck_assert_ptr_nonnull(strstr(status.hint, "stdouterr"));
    job.succeeds = false;
    ck_assert(compare_runs(1, &compared));
    job.succeeds = true;
    put_attempt(1, 1, facts_of(0), 0, 7);
    job.guesses_samples = true; // the number of steps is that of the catalogue
    ck_assert(compare_runs(1, &compared));
}
END_TEST

START_TEST(another_training_than_the_predicted_one_is_refused)
{
    put_attempt(1, 1, facts_of(0), 0, 8);
    job.plan.ranks = 2;
    ck_refused("has 1 rank, but job \"train\" has 2");
    job.plan.ranks = 1;
    program.batch_per_rank = 16;
    ck_refused("has a batch of 8, but job \"train\" has a batch of 16");
    program.batch_per_rank = 8;
    program.precision = STEP_BF16;
    ck_refused("has the precision \"fp32\", but job \"train\" has the precision \"bf16\"");
    program.precision = STEP_FP32;
    network.name = "deeper";
    ck_refused("trains the network \"net\", but job \"train\" trains \"deeper\"");
    network.name = "net";
    static const GpuModel gpu = {.name = "K80"};
    vm_size.gpu = &gpu;
    ck_refused("job \"train\" is predicted for GPUs, but it runs on processors");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("real_runs");
    TCase *tests = tcase_create("real_runs");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, each_attempt_with_a_timeline_is_a_run);
    tcase_add_test(tests, steps_that_two_attempts_have_made_are_lost);
    tcase_add_test(tests, lost_steps_of_one_run_that_are_unknown_make_the_sum_unknown);
    tcase_add_test(tests, a_training_that_ended_early_is_refused_unless_it_was_predicted);
    tcase_add_test(tests, another_training_than_the_predicted_one_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
