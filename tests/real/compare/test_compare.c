#include "real/compare/compare.h"
#include "real/compare/trace_pair.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "tests/real/compare/timelines.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static PredictedJob job;
static Rows ranks[2];

/* Two ranks on two cores compute for 10 ms (backward: 6.6 ms), sum for 2 ms and update for 1 ms. */
static void begin(void)
{
    static const QuantileKnot as_modelled[] = {{.probability_ppm = 0, .value = PPM}};
    static const NetworkModel network = {.name = "net", .gradient_bytes = 1000};
    static Program program;
    arena = arena_create();
    program = (Program){.kind = PROGRAM_TRAIN,
                        .network = &network,
                        .batch_per_rank = 8,
                        .epochs = 2,
                        .steps_per_epoch = 10};
    job = (PredictedJob){.job = "train",
                         .program = &program,
                         .plan = {.ranks = 2,
                                  .epochs = 2,
                                  .steps_per_epoch = 10,
                                  .compute_ns = 10 * NS_PER_MS,
                                  .exchange_ns = 2 * NS_PER_MS,
                                  .update_ns = NS_PER_MS,
                                  .jitter_ppm = {.count = 1, .knots = as_modelled}},
                         .backward_ns = 6600000};
    rows_begin(&ranks[0], 0, 2);
    rows_begin(&ranks[1], 1, 2);
}

/* A checkpoint of 3 ms after each of so many epochs. */
static void checkpoint_epochs(int64_t epochs, int64_t steps_per_epoch)
{
    Program *program = (Program *)job.program;
    job.plan.epochs = program->epochs = epochs;
    job.plan.steps_per_epoch = program->steps_per_epoch = steps_per_epoch;
    job.checkpoint_ns = 3 * NS_PER_MS;
    program->checkpoint_bytes = 1000;
    program->checkpoint_every = 1;
}

static void end(void)
{
    arena_destroy(arena);
}

/* `steps` equal steps: forward 3.4 ms, backward as given, then together all-reduce and update. */
static void measure(int64_t steps, int64_t backward_0_us, int64_t backward_1_us)
{
    const int64_t backward_us[] = {backward_0_us, backward_1_us};
    const int64_t slowest_us = backward_0_us > backward_1_us ? backward_0_us : backward_1_us;
    const int64_t step_us = 3400 + slowest_us + 2000 + 1000;
    for (int64_t step = 0; step < steps; step++) {
        for (int rank = 0; rank < 2; rank++) {
            const int64_t at = 100 + step * step_us, ready = at + 3400 + backward_us[rank];
            const int64_t summed = at + 3400 + slowest_us + 2000;
            rows_add(&ranks[rank], step, PHASE_FORWARD, at * 1000, (at + 3400) * 1000);
            rows_add(&ranks[rank], step, PHASE_BACKWARD, (at + 3400) * 1000, ready * 1000);
            rows_add(&ranks[rank], step, PHASE_ALLREDUCE, ready * 1000, summed * 1000);
            rows_add(&ranks[rank], step, PHASE_UPDATE, summed * 1000, (summed + 1000) * 1000);
        }
    }
}

static CompareJob compared(void)
{
    CompareJob result;
    TimelineFile *files = ARENA_ARRAY(arena, TimelineFile, 2);
    files[0] = ranks[0].file;
    files[1] = ranks[1].file;
    const MeasuredFiles run = {files, 2};
    ck_assert(compare_job(arena, &job, &run, 1, &result));
    return result;
}

static const CompareRow *row_find(const CompareJob *result, const char *what, int32_t rank)
{
    for (int32_t i = 0; i < result->row_count; i++)
        if (strcmp(result->rows[i].what, what) == 0 && result->rows[i].rank == rank)
            return &result->rows[i];
    return NULL;
}

START_TEST(an_exact_prediction_has_no_error)
{
    measure(20, 6600, 6600);
    const CompareJob result = compared();
    for (int32_t i = 0; i < result.row_count; i++)
        if (compare_row_has_error(&result.rows[i]) && result.rows[i].is_predicted)
            ck_assert_msg(compare_row_error(&result.rows[i]) < 1e-9 &&
                              compare_row_error(&result.rows[i]) > -1e-9,
                          "%s", result.rows[i].what);
    ck_assert_ptr_null(result.blame.part);
    const Comparison all = compare_sum_up((Tolerance){0.12, 0.05}, &result, 1);
    ck_assert(all.is_inside);
    ck_assert_int_eq(all.judged, 4); // step, throughput, epoch, training
    ck_assert_ptr_null(row_find(&result, "evaluation", -1));
}
END_TEST

/* An evaluation of 5 ms, a checkpoint of 3 ms, and the test of the saved model. */
START_TEST(a_training_ends_with_its_epochs_and_not_with_the_test_after_them)
{
    enum { STEP_US = 13000, END_US = 100 + 20 * STEP_US };
    job.plan.evaluate_ns = 5 * NS_PER_MS;
    checkpoint_epochs(1, 20);
    measure(20, 6600, 6600);
    for (int rank = 0; rank < 2; rank++) {
        rows_add(&ranks[rank], 19, PHASE_EVALUATE, END_US * 1000, (END_US + 5000) * 1000);
        rows_add(&ranks[rank], 19, PHASE_EVALUATE, (END_US + 9000) * 1000, (END_US + 99000) * 1000);
    }
    rows_add(&ranks[0], 19, PHASE_CHECKPOINT, (END_US + 5000) * 1000, (END_US + 8000) * 1000);
    const CompareJob result = compared();
    const CompareRow *training = row_find(&result, "training", -1);
    ck_assert_double_eq_tol(training->measured.median, 0.268, 1e-9); // 20 * 13 ms + 5 ms + 3 ms
    ck_assert_double_eq_tol(training->predicted, 0.268, 1e-9);
    ck_assert(training->is_judged);
}
END_TEST

/* The median of two consecutive epochs is half of their sum. */
START_TEST(a_predicted_epoch_is_the_median_of_those_that_steps_make_by_chance)
{
    static const QuantileKnot scattered[] = {{.probability_ppm = 0, .value = PPM},
                                             {.probability_ppm = PPM, .value = 2 * PPM}};
    job.plan.jitter_ppm = (Quantiles){.count = 2, .knots = scattered};
    measure(20, 6600, 6600);
    const CompareJob result = compared();
    int64_t first_ns;
    ck_assert(measured_epoch_ns(&result.predicted, 10, 0, &first_ns));
    ck_assert_double_eq_tol(row_find(&result, "epoch", -1)->predicted,
                            row_find(&result, "training", -1)->predicted / 2, 1e-9);
    ck_assert(row_find(&result, "epoch", -1)->predicted != compare_in_unit(first_ns, UNIT_S));
}
END_TEST

START_TEST(a_training_on_an_unknown_number_of_images_is_not_judged)
{
    job.guesses_samples = true;
    measure(20, 6600, 6600);
    const CompareJob result = compared();
    ck_assert(!row_find(&result, "training", -1)->is_judged);
    ck_assert(row_find(&result, "epoch", -1)->is_judged);
}
END_TEST

START_TEST(a_rank_that_is_slow_is_to_blame_and_the_other_waits)
{
    // Rank 1 takes 2 ms longer: the step is 15 ms and not 13.
    measure(20, 6600, 8600);
    const CompareJob result = compared();
    ck_assert_double_eq_tol(row_find(&result, "step", -1)->measured.median, 15, 1e-9);
    ck_assert_double_eq_tol(compare_row_error(row_find(&result, "step", -1)), 13.0 / 15 - 1, 1e-9);
    ck_assert_double_eq_tol(row_find(&result, "wait", 0)->measured.median, 2, 1e-9);
    ck_assert_double_eq_tol(row_find(&result, "wait", 1)->measured.median, 0, 1e-9);
    ck_assert_double_eq_tol(row_find(&result, "compute", 1)->measured.median, 12, 1e-9);
    ck_assert_str_eq(result.blame.part, "wait");
    ck_assert_double_eq_tol(result.blame.error_ms, -2, 1e-9);
    ck_assert_double_eq_tol(result.blame.share, 1, 1e-9);
    ck_assert(!compare_sum_up((Tolerance){0.12, 0.05}, &result, 1).is_inside);
    ck_assert(!compare_sum_up((Tolerance){0.5, 0.05}, &result, 1).is_inside); // the mean is 13.3 %
    ck_assert(compare_sum_up((Tolerance){0.16, 0.14}, &result, 1).is_inside);
}
END_TEST

START_TEST(the_backward_pass_is_to_blame_where_both_take_longer)
{
    measure(20, 8600, 8600);
    const CompareJob result = compared();
    ck_assert_str_eq(result.blame.part, "backward");
    ck_assert_str_eq(result.blame.words, "compute of the backward pass");
}
END_TEST

START_TEST(throughput_is_the_images_of_all_ranks)
{
    measure(20, 6600, 6600);
    const CompareJob result = compared();
    // 2 ranks of 8 images in 13 ms.
    const CompareRow *row = row_find(&result, "throughput", -1);
    ck_assert_double_eq_tol(row->predicted, 16 / 0.013, 1e-6);
    ck_assert_double_eq_tol(row->measured.median, 16 / 0.013, 1e-6);
}
END_TEST

START_TEST(a_run_that_was_cut_short_has_no_epoch)
{
    measure(9, 6600, 6600);
    const CompareJob result = compared();
    ck_assert_ptr_null(row_find(&result, "epoch", -1));
    ck_assert_ptr_null(row_find(&result, "training", -1));
    ck_assert_ptr_nonnull(row_find(&result, "step", -1));
}
END_TEST

START_TEST(without_a_common_step_there_is_nothing_to_compare)
{
    CompareJob result;
    rows_add(&ranks[0], 0, PHASE_FORWARD, 0, 1);
    rows_add(&ranks[1], 1, PHASE_FORWARD, 0, 1);
    const TimelineFile files[] = {ranks[0].file, ranks[1].file};
    const MeasuredFiles run = {files, 2};
    ck_assert(!compare_job(arena, &job, &run, 1, &result));
}
END_TEST

START_TEST(a_prediction_is_a_timeline_that_folds_back_to_its_plan)
{
    job.input_ns = 400000;
    job.plan.evaluate_ns = 5 * NS_PER_MS;
    checkpoint_epochs(2, 10);
    const TimelineFile *files = predicted_timeline(arena, &job, 20);
    const MeasuredRun run = measured_run(arena, files, 2);
    ck_assert_int_eq(run.step_count, 20);
    const MeasuredStep *step = &run.steps[1][19];
    ck_assert_int_eq(step->spent_ns[SPENT_LOAD], 400000);
    ck_assert_int_eq(step->spent_ns[SPENT_FORWARD], 3000000);
    ck_assert_int_eq(step->spent_ns[SPENT_BACKWARD], 6600000);
    ck_assert_int_eq(step->spent_ns[SPENT_EXCHANGE], 2000000);
    ck_assert_int_eq(step->spent_ns[SPENT_UPDATE], 1000000);
    ck_assert_int_eq(step->spent_ns[SPENT_REST], 0);
    ck_assert_int_eq(run.evaluate_count, 2);
    ck_assert_int_eq(run.checkpoint_count, 2);
    // 20 steps of 13 ms, two evaluations of 5 and checkpoints of 3: all ranks continue together.
    ck_assert_int_eq(run.ended_ns, (20 * 13 + 2 * 5 + 2 * 3) * NS_PER_MS);
    ck_assert_int_eq(run.steps[1][10].begin_ns, (10 * 13 + 5 + 3) * NS_PER_MS);
}
END_TEST

START_TEST(both_timelines_begin_their_first_step_at_0)
{
    Status status;
    char *text;
    size_t length;
    measure(20, 6600, 6600);
    const CompareJob result = compared();
    const Comparison all = compare_sum_up((Tolerance){0.12, 0.05}, &result, 1);
    const char *folder = temporary_folder_create(arena);
    const char *path = arena_printf(arena, "%s/trace.json", folder);
    ck_assert_msg(compare_timeline_write(&all, path, &status), "%s", status.message);
    ck_assert(file_read(arena, path, 1 << 24, &text, &length, &status));
    temporary_folder_remove(folder);
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, "trace", text, length, JSON_STRICT, &problems);
    ck_assert_ptr_nonnull(root);
    int firsts = 0;
    for (const Json *event = json_member(root, "traceEvents")->first; event; event = event->next) {
        const Json *name = json_member(event, "name");
        if (name && strcmp(name->text, "step 0") == 0) {
            ck_assert_double_eq_tol(json_member(event, "ts")->number, 0, 1e-9);
            firsts++;
        }
    }
    ck_assert_int_eq(firsts, 4); // two ranks, predicted and measured
    ck_assert_ptr_nonnull(strstr(text, "predicted rank 1"));
    ck_assert_ptr_nonnull(strstr(text, "measured rank 1"));
}
END_TEST

START_TEST(the_mean_is_over_jobs_whose_steps_have_an_error)
{
    // 10 ms for what took 8 and for what took 10: off by 25 and 0 %. The third took no time.
    const CompareRow rows[] = {
        {.what = "step",
         .is_predicted = true,
         .predicted = 10,
         .measured = {.runs = 1, .median = 8}},
        {.what = "step",
         .is_predicted = true,
         .predicted = 10,
         .measured = {.runs = 1, .median = 10}},
        {.what = "step", .is_predicted = true, .predicted = 10, .measured = {.runs = 1}},
    };
    CompareJob jobs[3];
    for (int32_t i = 0; i < 3; i++)
        jobs[i] = (CompareJob){.rows = &rows[i], .row_count = 1};
    ck_assert_double_eq_tol(compare_sum_up((Tolerance){0}, jobs, 3).mean_error, 0.125, 1e-12);
    ck_assert_double_eq(compare_sum_up((Tolerance){0}, &jobs[2], 1).mean_error, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tests = tcase_create("compare");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, an_exact_prediction_has_no_error);
    tcase_add_test(tests, a_training_ends_with_its_epochs_and_not_with_the_test_after_them);
    tcase_add_test(tests, a_predicted_epoch_is_the_median_of_those_that_steps_make_by_chance);
    tcase_add_test(tests, a_training_on_an_unknown_number_of_images_is_not_judged);
    tcase_add_test(tests, a_rank_that_is_slow_is_to_blame_and_the_other_waits);
    tcase_add_test(tests, the_backward_pass_is_to_blame_where_both_take_longer);
    tcase_add_test(tests, throughput_is_the_images_of_all_ranks);
    tcase_add_test(tests, a_run_that_was_cut_short_has_no_epoch);
    tcase_add_test(tests, without_a_common_step_there_is_nothing_to_compare);
    tcase_add_test(tests, a_prediction_is_a_timeline_that_folds_back_to_its_plan);
    tcase_add_test(tests, both_timelines_begin_their_first_step_at_0);
    tcase_add_test(tests, the_mean_is_over_jobs_whose_steps_have_an_error);
    suite_add_tcase(suite, tests);
    return suite;
}
