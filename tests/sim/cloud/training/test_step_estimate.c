#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cloud/training/step_estimate.h"
#include "sim/scenario/catalog/files.h"
#include "tests/support/suite.h"

/* --- Examples, worked out on paper --- */

/* At its peak: 1 TFLOP/s and 100 GB/s, of which 80 are reached. */
static const GpuModel fast = {.name = "fast",
                              .peak_flops = INT64_C(1000000000000),
                              .efficiency_ppm = 500000,
                              .memory_bytes_per_s = INT64_C(100000000000)};
static const GpuModel slow = {.name = "slow",
                              .peak_flops = INT64_C(500000000000),
                              .efficiency_ppm = 500000,
                              .memory_bytes_per_s = INT64_C(100000000000)};
/* 6 x 1 G operations a sample take 6 ms on `fast`; 3 x 4 x 40 MB move in 6 ms, too. */
static const NetworkLayer dense_layers[] = {
    {.name = "dense", .kind = NETWORK_LAYER_DENSE, .forward_macs = 1000000000},
    {.name = "relu", .kind = NETWORK_LAYER_ACTIVATION, .input_values = 40000000}};
static const NetworkModel dense = {.name = "dense", .layer_count = 2, .layers = dense_layers};
/* The same operations as a convolution whose algorithm needs 2.25 times fewer: 2.667 ms on `fast`.
 */
static const NetworkLayer short_layers[] = {{.name = "conv",
                                             .kind = NETWORK_LAYER_CONVOLUTION,
                                             .shape = "3x3/1 64>64 56x56",
                                             .forward_macs = 1000000000}};
static const NetworkModel convolution = {
    .name = "convolution", .layer_count = 1, .layers = short_layers};
static const Framework own = {.name = "own", .step_overhead_ns = 2 * NS_PER_MS};
static const Framework other = {.name = "other"};
static const ExchangeMethod ring = {.name = "ring"};

#define RATE(samples_per_s) INT64_C(1000000) * (samples_per_s)

static StepEstimate estimate_of(const Throughput *rows, int32_t count, const GpuModel *gpu,
                                const NetworkModel *network, int64_t batch)
{
    const Program program = {.kind = PROGRAM_TRAIN,
                             .network = network,
                             .framework = &own,
                             .exchange = &ring,
                             .batch_per_rank = batch,
                             .throughputs = {.count = count, .rows = rows}};
    return step_estimate(&program, gpu);
}

START_TEST(steps_between_and_beyond_measured_batches_are_on_a_line)
{
    // 32 samples in 40 ms, 64 in 72 ms: 8 ms and 1 ms a sample.
    const Throughput rows[] = {{&fast, &dense, &own, NULL, 32, RATE(800), true, "", ""},
                               {&fast, &dense, &own, NULL, 64, INT64_C(888888889), true, "", ""}};
    const struct {
        int64_t batch;
        int64_t ms;
    } table[] = {{16, 24}, {32, 40}, {48, 56}, {64, 72}, {128, 136}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        StepEstimate estimate = estimate_of(rows, 2, &fast, &dense, table[i].batch);
        ck_assert_int_eq(estimate.basis, STEP_BASIS_MEASURED);
        ck_assert_int_le(llabs(estimate.step_ns - table[i].ms * NS_PER_MS), NS_PER_US);
        ck_assert_int_eq(estimate.is_other_batch, table[i].batch != 32 && table[i].batch != 64);
    }
    // The first row alone does not show how much of the GPU small batches leave idle.
    ck_assert_int_eq(estimate_of(rows, 1, &fast, &dense, 64).step_ns, 80 * NS_PER_MS);
}
END_TEST

START_TEST(repeated_measurements_count_by_their_median_and_spread)
{
    const Throughput rows[] = {{&fast, &dense, &own, NULL, 100, RATE(1000), true, "", ""},
                               {&fast, &dense, &own, NULL, 100, RATE(800), true, "", ""},
                               {&fast, &dense, &own, NULL, 100, RATE(1250), true, "", ""}};
    StepEstimate estimate = estimate_of(rows, 3, &fast, &dense, 100);
    ck_assert_int_eq(estimate.step_ns, 100 * NS_PER_MS); // of 80, 100 and 125 ms
    ck_assert_int_eq(estimate.error_ppm, 250000);
    ck_assert_int_eq(estimate.row_count, 3);
}
END_TEST

START_TEST(one_process_of_an_exchange_adds_the_measured_time)
{
    const Throughput rows[] = {{&fast, &dense, &own, &ring, 64, RATE(800), true, "", ""},
                               {&fast, &dense, &own, NULL, 64, RATE(1000), true, "", ""}};
    StepEstimate estimate = estimate_of(rows, 2, &fast, &dense, 64);
    ck_assert_int_eq(estimate.step_ns, 64 * NS_PER_MS);
    ck_assert_int_eq(estimate.alone_ns, 16 * NS_PER_MS);
}
END_TEST

START_TEST(the_time_of_one_process_of_an_exchange_is_modelled_if_not_measured)
{
    // Half a cycle of 5 ms and 7 ms handed over; 1 ms a tensor, of which `two` has two.
    static const ExchangeMethod host = {
        .name = "host", .via_host = true, .cycle_ns = 5 * NS_PER_MS, .hand_over_ns = 7 * NS_PER_MS};
    static const ExchangeMethod device = {
        .name = "device", .cycle_ns = 5 * NS_PER_MS, .tensor_ns = NS_PER_MS};
    NetworkModel two = dense;
    two.tensors = 2;
    const Throughput with[] = {{&fast, &two, &own, &device, 64, RATE(800), true, "", ""}};
    const Throughput without[] = {{&fast, &two, &own, NULL, 64, RATE(800), true, "", ""}};
    Program program = {.network = &two,
                       .framework = &own,
                       .exchange = &host,
                       .batch_per_rank = 64,
                       .throughputs = {.count = 1, .rows = without}};
    StepEstimate estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.step_ns, 80 * NS_PER_MS);
    ck_assert_int_eq(estimate.alone_ns, 9500 * NS_PER_US);
    ck_assert_int_eq(estimate.alone_batch, 0);
    ck_assert_int_eq(estimate.alone_error_ns, 4750 * NS_PER_US);
    const int64_t error_ppm = estimate.error_ppm;
    // Rows with a process of another exchange contain the 2 ms of that exchange.
    program.throughputs.rows = with;
    estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.step_ns, 78 * NS_PER_MS);
    ck_assert_int_eq(estimate.held_ns, 2 * NS_PER_MS);
    ck_assert_int_eq(estimate.alone_ns, 9500 * NS_PER_US);
    ck_assert_int_eq(estimate.error_ppm, error_ppm + 12821); // 1 of 78 ms
    // With the same exchange the 2 ms are added again, which gives the measured step.
    program.exchange = &device;
    estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.step_ns + estimate.alone_ns, 80 * NS_PER_MS);
    ck_assert_int_eq(estimate.alone_error_ns, 0);
    ck_assert_int_eq(estimate.error_ppm, error_ppm);
    // An exchange that needs peers adds nothing to a single process, and rows contain none of it.
    ExchangeMethod peers = device;
    peers.needs_peers = true;
    const Throughput with_peers[] = {{&fast, &two, &own, &peers, 64, RATE(800), true, "", ""}};
    program.throughputs.rows = with_peers;
    program.exchange = &peers;
    estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.step_ns, 80 * NS_PER_MS);
    ck_assert_int_eq(estimate.alone_ns, 0);
    ck_assert_int_eq(estimate.held_ns, 0);
    program.throughputs.rows = with;
    // A program without an exchange adds no time.
    program.exchange = NULL;
    estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.alone_ns, 0);
}
END_TEST

START_TEST(the_time_of_one_process_of_an_exchange_does_not_depend_on_the_batch)
{
    // 16 ms at batch 64, 24 ms at 128; without it 1 ms a sample.
    const Throughput rows[] = {{&fast, &dense, &own, &ring, 64, RATE(800), true, "", ""},
                               {&fast, &dense, &own, NULL, 64, RATE(1000), true, "", ""},
                               {&fast, &dense, &own, &ring, 128, INT64_C(842105263), true, "", ""},
                               {&fast, &dense, &own, NULL, 128, RATE(1000), true, "", ""}};
    static const struct {
        int64_t batch, measured_at, ms;
    } table[] = {{1, 64, 16},   {64, 64, 16},   {96, 64, 16},
                 {97, 128, 24}, {128, 128, 24}, {1024, 128, 24}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        StepEstimate estimate = estimate_of(rows, 4, &fast, &dense, table[i].batch);
        ck_assert_int_le(llabs(estimate.alone_ns - table[i].ms * NS_PER_MS), NS_PER_US);
        ck_assert_int_eq(estimate.alone_batch, table[i].measured_at);
        ck_assert_int_eq(estimate.step_ns, table[i].batch * NS_PER_MS);
    }
}
END_TEST

START_TEST(a_row_of_other_software_is_scaled_by_measurements_of_both)
{
    // On `slow` our software takes 1.25 times as long for the convolution, on `fast` 1.6 times.
    const Throughput rows[] = {{&slow, &convolution, &own, NULL, 64, RATE(400), true, "", ""},
                               {&slow, &convolution, &other, NULL, 64, RATE(500), true, "", ""},
                               {&fast, &dense, &other, NULL, 64, RATE(1000), true, "", ""},
                               {&fast, &convolution, &other, NULL, 64, RATE(800), true, "", ""},
                               {&fast, &convolution, &own, NULL, 64, RATE(500), true, "", ""}};
    StepEstimate estimate = estimate_of(rows, 3, &fast, &dense, 64);
    ck_assert_int_eq(estimate.basis, STEP_BASIS_SOFTWARE);
    ck_assert_int_eq(estimate.step_ns, 80 * NS_PER_MS);
    ck_assert(!estimate.is_of_gpu);
    int64_t other_gpu_error_ppm = estimate.error_ppm;
    estimate = estimate_of(rows, 5, &fast, &dense, 64);
    ck_assert_int_eq(estimate.step_ns, 64 * NS_PER_MS * 8 / 5);
    ck_assert(estimate.is_of_gpu);
    ck_assert_int_lt(estimate.error_ppm, other_gpu_error_ppm);
    // Both were never measured on the same GPU: the estimate is the same, but far less certain.
    estimate = estimate_of((Throughput[]){rows[0], rows[2]}, 2, &fast, &dense, 64);
    ck_assert_int_eq(estimate.basis, STEP_BASIS_SOFTWARE);
    ck_assert_int_eq(estimate.step_ns, 64 * NS_PER_MS);
    ck_assert_int_gt(estimate.error_ppm, other_gpu_error_ppm);
}
END_TEST

START_TEST(a_network_that_was_never_measured_is_estimated_from_its_layers)
{
    // Ten samples of the convolution: 26.667 ms on `fast`, measured to take twice that and the
    // overhead. The other network: 10 x (6 + 6) ms, twice, and the overhead.
    const Throughput rows[] = {
        {&fast, &convolution, &own, NULL, 10, INT64_C(180722892), true, "", ""}};
    StepEstimate estimate = estimate_of(rows, 1, &fast, &dense, 10);
    ck_assert_int_eq(estimate.basis, STEP_BASIS_ROOFLINE);
    ck_assert(estimate.is_of_gpu);
    ck_assert_int_le(llabs(estimate.factor_ppm - 2000000), 20);
    ck_assert_int_le(llabs(estimate.step_ns - 242 * NS_PER_MS), 2 * NS_PER_US);
    int64_t own_error_ppm = estimate.error_ppm;
    // On another GPU, of half the peak and the same memory: 10 x (12 + 6) ms.
    estimate = estimate_of(rows, 1, &slow, &dense, 10);
    ck_assert(!estimate.is_of_gpu);
    ck_assert_int_le(llabs(estimate.step_ns - 362 * NS_PER_MS), 3 * NS_PER_US);
    ck_assert_int_gt(estimate.error_ppm, own_error_ppm);
}
END_TEST

START_TEST(a_row_that_does_not_calibrate_applies_to_itself_only)
{
    const Throughput rows[] = {{&fast, &convolution, &own, NULL, 10, RATE(1), false, "", ""}};
    ck_assert_int_eq(estimate_of(rows, 1, &fast, &convolution, 10).step_ns, 10 * NS_PER_S);
    const Program program = {.network = &dense,
                             .framework = &own,
                             .batch_per_rank = 10,
                             .throughputs = {.count = 1, .rows = rows, .replaces_constants = true}};
    const StepEstimate estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.factor_ppm, PPM);
    ck_assert_int_le(llabs(estimate.step_ns - 122 * NS_PER_MS), NS_PER_US);
}
END_TEST

START_TEST(unmeasured_software_keeps_its_stated_constants)
{
    const Throughput rows[] = {{&fast, &dense, &other, NULL, 64, RATE(1000), true, "", ""}};
    ck_assert_int_eq(estimate_of(rows, 0, &fast, &dense, 64).basis, STEP_BASIS_CONSTANTS);
    ck_assert_int_eq(estimate_of(rows, 1, &fast, &dense, 64).basis, STEP_BASIS_CONSTANTS);
    // A row that does not calibrate applies to its own network and changes no other estimate.
    const Throughput odd[] = {rows[0],
                              {&fast, &convolution, &own, NULL, 64, RATE(100), false, "", ""}};
    ck_assert_int_eq(estimate_of(odd, 2, &fast, &dense, 64).basis, STEP_BASIS_CONSTANTS);
    StepEstimate estimate = estimate_of(odd, 2, &fast, &convolution, 64);
    ck_assert_int_eq(estimate.basis, STEP_BASIS_MEASURED);
    ck_assert_int_eq(estimate.step_ns, 640 * NS_PER_MS);
}
END_TEST

START_TEST(rows_may_replace_the_constants_of_unmeasured_software)
{
    const Throughput rows[] = {{&fast, &dense, &other, NULL, 64, RATE(1000), true, "", ""},
                               {&fast, &convolution, &other, NULL, 64, RATE(4000), true, "", ""}};
    Program program = {.network = &dense,
                       .framework = &own,
                       .exchange = &ring,
                       .batch_per_rank = 64,
                       .throughputs = {.count = 2, .rows = rows, .replaces_constants = true}};
    // As fast as the other software, but uncertain.
    StepEstimate estimate = step_estimate(&program, &fast);
    ck_assert_int_eq(estimate.basis, STEP_BASIS_SOFTWARE);
    ck_assert_int_eq(estimate.step_ns, 64 * NS_PER_MS);
    ck_assert_int_eq(estimate.error_ppm, 250000);
    // On another GPU: from the layers of a network that was measured, but with other software.
    estimate = step_estimate(&program, &slow);
    ck_assert_int_eq(estimate.basis, STEP_BASIS_ROOFLINE);
    const int64_t unknown_ppm = estimate.error_ppm;
    program.framework = &other;
    ck_assert_int_eq(step_estimate(&program, &slow).error_ppm, unknown_ppm - 220000);
}
END_TEST

/* --- The catalogue's own rows --- */

static Throughputs shipped_rows(Arena *arena)
{
    static const char folder[] = TRAINYARD_SOURCE_DIR "/scenarios/catalog";
    Problems problems = problems_create(arena);
    const CatalogFile files[] = {{disk_files, arena_printf(arena, "%s/azure-2018.json", folder)},
                                 {disk_files, arena_printf(arena, "%s/throughput.json", folder)}};
    const Catalog *catalog = catalog_files_read(arena, files, 2, &problems);
    ck_assert_msg(catalog != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return catalog_throughputs(catalog);
}

static double step_of(const Throughput *row, Throughputs rows, StepEstimate *estimate)
{
    const Program program = {.kind = PROGRAM_TRAIN,
                             .network = row->network,
                             .framework = row->framework,
                             .exchange = row->exchange,
                             .batch_per_rank = row->batch,
                             .throughputs = rows};
    *estimate = step_estimate(&program, row->gpu);
    return (double)(estimate->step_ns + (row->exchange != NULL ? estimate->alone_ns : 0));
}

/* The relative error of an estimate, compared with the measured step. */
static double error_of(const Throughput *row, double step_ns)
{
    double measured_ns = (double)row->batch * 1e15 / (double)row->micro_samples_per_s;
    return fabs(step_ns / measured_ns - 1);
}

static bool is_repeated(Throughputs rows, const Throughput *row)
{
    int32_t count = 0;
    for (int32_t i = 0; i < rows.count; i++) {
        const Throughput *at = &rows.rows[i];
        count += at->gpu == row->gpu && at->network == row->network &&
                 at->framework == row->framework && at->exchange == row->exchange &&
                 at->batch == row->batch;
    }
    return count > 1;
}

/* The largest error of a number of rows. */
typedef struct {
    int32_t count;
    double most;
} Distances;

/* As stated in scenarios/SOURCES.md: a combination measured once is met within 0.3 %; the largest
 * error is where Horovod with one process was measured to be faster than without Horovod. A
 * combination measured several times on different machines is met at its median; single rows differ
 * from it by up to 2.7 %. */
START_TEST(every_row_of_the_catalogue_is_met)
{
    Arena *arena = arena_create();
    Throughputs rows = shipped_rows(arena);
    Distances once = {0}, repeated = {0};
    for (int32_t i = 0; i < rows.count; i++) {
        const Throughput *row = &rows.rows[i];
        StepEstimate estimate;
        double error = error_of(row, step_of(row, rows, &estimate));
        ck_assert_int_eq(estimate.basis, STEP_BASIS_MEASURED);
        Distances *distances = is_repeated(rows, row) ? &repeated : &once;
        distances->count++;
        distances->most = error > distances->most ? error : distances->most;
    }
    printf("%d rows measured once: at most %.2f %% off; %d of several: %.2f %%\n", (int)once.count,
           100 * once.most, (int)repeated.count, 100 * repeated.most);
    ck_assert_int_eq(once.count, 126);
    ck_assert_int_eq(repeated.count, 23);
    ck_assert_double_le(once.most, 0.003);
    ck_assert_double_le(repeated.most, 0.027);
    ck_assert_double_ge(repeated.most, 0.026);
    arena_destroy(arena);
}
END_TEST

/* Whether two rows measure the same combination, at any batch. */
static bool is_same_combination(const Throughput *a, const Throughput *b)
{
    return a->gpu == b->gpu && a->network == b->network && a->framework == b->framework &&
           a->exchange == b->exchange;
}

/* Starts at a measured batch and goes up or down. */
static void check_widens(const Throughput *row, Throughputs rows, bool is_upwards)
{
    Throughput at = *row;
    StepEstimate estimate;
    step_of(&at, rows, &estimate);
    int64_t before_ppm = estimate.error_ppm;
    while (is_upwards ? at.batch < 65536 : at.batch > 1) {
        at.batch = is_upwards ? at.batch + at.batch / 3 + 1 : at.batch - at.batch / 3 - 1;
        at.batch = at.batch < 1 ? 1 : at.batch;
        step_of(&at, rows, &estimate);
        ck_assert_msg(estimate.error_ppm > before_ppm, "%s %s batch %ld", row->gpu->name,
                      row->network->name, (long)at.batch);
        before_ppm = estimate.error_ppm;
    }
}

START_TEST(the_error_grows_with_the_distance_from_measured_batches)
{
    Arena *arena = arena_create();
    const Throughputs rows = shipped_rows(arena);
    for (int32_t i = 0; i < rows.count; i++) {
        const Throughput *row = &rows.rows[i];
        bool is_least = true, is_most = true;
        for (int32_t j = 0; j < rows.count; j++) {
            if (!is_same_combination(row, &rows.rows[j]))
                continue;
            is_least = is_least && row->batch <= rows.rows[j].batch;
            is_most = is_most && row->batch >= rows.rows[j].batch;
        }
        if (is_least)
            check_widens(row, rows, false);
        if (is_most)
            check_widens(row, rows, true);
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(an_estimate_from_layers_is_less_certain_at_unmeasured_batches)
{
    const Throughput rows[] = {{&fast, &convolution, &own, NULL, 32, RATE(100), true, "", ""},
                               {&fast, &convolution, &own, NULL, 64, RATE(100), true, "", ""}};
    const int64_t within_ppm = estimate_of(rows, 2, &fast, &dense, 48).error_ppm;
    ck_assert_int_eq(estimate_of(rows, 2, &fast, &dense, 64).error_ppm, within_ppm);
    ck_assert_int_eq(estimate_of(rows, 2, &fast, &dense, 96).error_ppm, within_ppm + 75000);
    ck_assert_int_eq(estimate_of(rows, 2, &fast, &dense, 8).error_ppm, within_ppm + 300000);
}
END_TEST

START_TEST(larger_batches_take_longer_and_train_more_images)
{
    Arena *arena = arena_create();
    Throughputs rows = shipped_rows(arena);
    for (int32_t i = 0; i < rows.count; i++) {
        const Throughput *row = &rows.rows[i];
        if (!row->calibrates) // the measurements include noise of the input pipeline
            continue;
        Throughput at = *row;
        double before_ns = 0, rate_before = 0;
        for (at.batch = 1; at.batch <= 1024; at.batch += at.batch / 8 + 1) {
            StepEstimate estimate;
            step_of(&at, rows, &estimate);
            double rate = (double)at.batch / (double)estimate.step_ns;
            ck_assert(before_ns <= (double)estimate.step_ns);
            ck_assert(rate_before <= rate * 1.0001);
            before_ns = (double)estimate.step_ns;
            rate_before = rate;
        }
    }
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("step_estimate");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, steps_between_and_beyond_measured_batches_are_on_a_line);
    tcase_add_test(tests, repeated_measurements_count_by_their_median_and_spread);
    tcase_add_test(tests, one_process_of_an_exchange_adds_the_measured_time);
    tcase_add_test(tests, the_time_of_one_process_of_an_exchange_is_modelled_if_not_measured);
    tcase_add_test(tests, the_time_of_one_process_of_an_exchange_does_not_depend_on_the_batch);
    tcase_add_test(tests, a_row_of_other_software_is_scaled_by_measurements_of_both);
    tcase_add_test(tests, a_network_that_was_never_measured_is_estimated_from_its_layers);
    tcase_add_test(tests, a_row_that_does_not_calibrate_applies_to_itself_only);
    tcase_add_test(tests, unmeasured_software_keeps_its_stated_constants);
    tcase_add_test(tests, rows_may_replace_the_constants_of_unmeasured_software);
    tcase_add_test(tests, every_row_of_the_catalogue_is_met);
    tcase_add_test(tests, the_error_grows_with_the_distance_from_measured_batches);
    tcase_add_test(tests, an_estimate_from_layers_is_less_certain_at_unmeasured_batches);
    tcase_add_test(tests, larger_batches_take_longer_and_train_more_images);
    suite_add_tcase(suite, tests);
    return suite;
}
