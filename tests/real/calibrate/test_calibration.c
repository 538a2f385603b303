#include "real/calibrate/calibration.h"
#include "real/calibrate/calibration_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "real/calibrate/keras_layers.h"
#include "sim/base/units.h"
#include "sim/cloud/training/step_compute.h"
#include "sim/cloud/training/training.h"
#include "sim/scenario/catalog/read.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;

static void setup(void)
{
    arena = arena_create();
}

static void teardown(void)
{
    arena_destroy(arena);
}

/* --- A machine with known times --- */

/* The time of a layer in us. A layer with weights takes fixed + parameters (in millions) * p +
 * images * (millions of multiply-adds * m + millions of values * v). A pool depends on values
 * alone. A dropout depends on values after a dense layer and takes no time after a pool. bf16 takes
 * 0.6 of these times. Backward takes twice as long, except for the first layer, whose input needs
 * no gradient. */
static double layer_us(const NetworkLayer *layer, int64_t batch, const char *precision,
                       bool is_backward)
{
    double parameters = 0;
    for (int32_t i = 0; i < layer->tensor_count; i++)
        parameters += (double)layer->tensor_values[i] / 1e6;
    const double images = (double)batch;
    const double macs = (double)layer->forward_macs / 1e6;
    const double values = (double)(layer->input_values + layer->output_values) / 1e6;
    double us = 0;
    if (layer->kind == NETWORK_LAYER_CONVOLUTION)
        us = 12 + 100 * parameters + images * (20 * macs + 300 * values);
    else if (layer->kind == NETWORK_LAYER_DENSE)
        us = 5 + 250 * parameters + images * 30 * macs;
    else if (layer->kind == NETWORK_LAYER_POOLING)
        us = images * 400 * values;
    else if (layer->kind == NETWORK_LAYER_DROPOUT && strstr(layer->shape, "x1x1"))
        us = 1 + images * 600 * values;
    return us * (strcmp(precision, "bf16") == 0 ? 0.6 : 1) *
           (is_backward && strncmp(layer->shape, "3x3/1 3>", 8) != 0 ? 2 : 1);
}

static double input_us(int64_t batch)
{
    return 4 + 3 * (double)batch;
}

static double update_us(int64_t parameters)
{
    return 2 + 0.0004 * (double)parameters;
}

/* A sum over ranks takes 5 us plus its bytes at 2 GB/s, and half as much again for each further
 * rank. */
static double sum_us(int64_t bytes, int32_t ranks)
{
    return (5 + (double)bytes / 2000) * (1 + 0.5 * (ranks - 2));
}

static int64_t parameters_of(const NetworkLayer *layers, int32_t count)
{
    int64_t parameters = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < layers[i].tensor_count; j++)
            parameters += layers[i].tensor_values[j];
    return parameters;
}

/* A whole step of one rank alone. */
static double step_us(const NetworkLayer *layers, int32_t count, int64_t batch,
                      const char *precision)
{
    double us = input_us(batch) + 8 + update_us(parameters_of(layers, count));
    for (int32_t i = 0; i < count; i++)
        us += layer_us(&layers[i], batch, precision, false) +
              layer_us(&layers[i], batch, precision, true);
    return us;
}

/* --- Its measurements --- */

enum { ROUNDS = 5 };

/* One round in five is disturbed by other work, and the clock varies a little. */
static double disturbed(double us, int32_t round, int32_t number)
{
    const double wander = 1 + 0.002 * (round - 2);
    return us * wander * (round == number % ROUNDS ? 1.7 : 1);
}

static void add_stage(Text *text, const char *name, const char *pass, double us, double *sum)
{
    text_printf(text, "%s\"%s%s%s\": {\"us\": %.3f}", *sum > 0 ? ", " : "", name,
                pass[0] ? " " : "", pass, us);
    *sum += us;
}

/* Phases are medians of steps, which a burst does not change. The profile has means. */
static void add_phase(Text *text, const char *name, double us, double mean_over_median)
{
    text_printf(text, "\"%s\": {\"median\": %.6f, \"mean\": %.6f}, ", name, us / 1e3,
                us / 1e3 * mean_over_median);
}

static void add_run(Text *text, const char *network, const char *precision, int64_t batch,
                    int32_t together, int32_t round, double factor)
{
    int32_t count;
    const NetworkLayer *layers = keras_layers(arena, keras_network_find(network), &count);
    const int32_t number = (int32_t)(batch + (int64_t)strlen(network) + 3 * together);
    const double burst = 1.3, slow = disturbed(factor, round, number);
    double sums[2] = {0, 0}, stages = 0;
    Text profile = {0};
    add_stage(&profile, "input", "", input_us(batch) * slow * burst, &stages);
    for (int32_t pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < count; i++) {
            const double us = slow * layer_us(&layers[i], batch, precision, pass == 1);
            sums[pass] += us;
            if (us > 0)
                add_stage(&profile, layers[i].name, pass == 1 ? "backward" : "forward", us * burst,
                          &stages);
        }
    add_stage(&profile, "loss", "", 8 * slow * burst, &stages);
    const double update = slow * update_us(parameters_of(layers, count));
    add_stage(&profile, "update", "", update * burst, &stages);
    text_printf(text,
                "%s{\"network\": \"%s\", \"precision\": \"%s\", \"batch_size\": %d, \"steps\": 10, "
                "\"gflops\": 50.0, \"round\": %d, \"together\": %d, \"took_ms\": 1000, "
                "\"step_ms\": {\"min\": %.3f, \"median\": %.3f, \"mean\": %.3f, \"p90\": %.3f}, "
                "\"phases_ms\": {",
                text->data[text->length - 1] == '}' ? ",\n" : "", network, precision, (int)batch,
                round, together, 90 * slow, 100 * slow, (together == 1 ? 100 : 102) * slow,
                (together == 1 ? 101 : 105) * slow);
    add_phase(text, "load", slow * (input_us(batch) - 2), burst);
    add_phase(text, "augment", slow * 2, burst);
    add_phase(text, "forward", sums[0] + 8 * slow, burst);
    add_phase(text, "backward", sums[1], burst);
    add_phase(text, "update", update, burst);
    text->length -= 2; // the last comma
    text_printf(text, "}, \"profile\": {\"step_us\": %.3f, \"stages\": {%s}}}", stages,
                text_string(&profile));
    text_free(&profile);
}

static void add_sums(Text *text, int32_t ranks, int32_t round)
{
    text_printf(text, "%s{\"round\": %d, \"ranks\": %d, \"comm\": \"mpi\", \"rows\": [",
                text->data[text->length - 1] == '}' ? ",\n" : "", round, ranks);
    for (int64_t bytes = 1024; bytes <= 64 << 20; bytes *= 2)
        text_printf(text, "%s{\"bytes\": %lld, \"time_us\": %.3f}", bytes > 1024 ? ", " : "",
                    (long long)bytes, disturbed(sum_us(bytes, ranks), round, ranks));
    text_add(text, "]}");
}

/* Two ranks side by side take 1.1 and 1.05 times as long. */
static const Json *measurements(const char *host, double speed)
{
    static const char *const networks[] = {"keras_cifar10_cnn", "probe_same", "probe_wide",
                                           "probe_valid"};
    static const char *const precisions[] = {"fp32", "bf16"};
    static const int64_t batches[] = {4, 12, 24, 48, 96, 160};
    Text text = {0};
    text_printf(
        &text,
        "{\"measurements\": 1, \"host\": \"%s\", \"processor\": \"a processor\", "
        "\"cores\": 2, \"gpus\": 0, \"memory_bytes\": 8000000000, \"date\": \"2026-01-02\", "
        "\"backend\": \"auto\", \"rounds\": 5,\n\"training\": [",
        host);
    for (int32_t round = 0; round < ROUNDS; round++)
        for (int32_t p = 0; p < 2; p++) {
            for (int32_t n = 0; n < 4; n++)
                for (int32_t b = 0; b < 6; b++)
                    add_run(&text, networks[n], precisions[p], batches[b], 1, round, speed);
            for (int32_t process = 0; process < 2; process++)
                add_run(&text, networks[0], precisions[p], 48, 2, round,
                        (process == 0 ? 1.05 : 1.1) * speed);
        }
    text_add(&text, "],\n\"allreduce\": [");
    for (int32_t round = 0; round < ROUNDS; round++) {
        add_sums(&text, 2, round);
        add_sums(&text, 4, round);
    }
    text_add(&text, "],\n\"disk\": [{\"round\": 0, \"bytes\": 10000000, \"write_ms\": 50.000}]}");
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, "m.json", text.data, text.length, JSON_STRICT, &problems);
    ck_assert_msg(root != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    text_free(&text);
    return root;
}

/* --- The catalogue --- */

static Json *fitted(const Json *root)
{
    Status status = {0};
    Json *catalogue = calibration_fit(arena, root, &status);
    ck_assert_msg(catalogue != NULL, "%s", status.message);
    return catalogue;
}

static const Json *read_back(const char *source, const char *text, size_t length)
{
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, source, text, length, JSON_WITH_COMMENTS, &problems);
    ck_assert_msg(root != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return root;
}

static const Json *printed(const Json *catalogue)
{
    Text text = {0};
    json_print(&text, catalogue, JSON_INDENTED);
    const Json *root =
        read_back("local.json", arena_strndup(arena, text.data, text.length), text.length);
    text_free(&text);
    return root;
}

static const Catalog *catalogue_of(const Json *catalogue)
{
    const Json *const roots[] = {shipped_catalog(arena), printed(catalogue)};
    Problems problems = problems_create(arena);
    const Catalog *catalog = catalog_read(arena, roots, 2, &problems);
    ck_assert_msg(catalog != NULL, "%s: %s", problems.items[0].at.source,
                  problems.items[0].message);
    return catalog;
}

/* Predicts a program on the machine for a network of the trainer. */
static StepPlan predicted(const Catalog *catalog, const char *name, StepPrecision precision,
                          int64_t batch, int32_t ranks)
{
    static const QuantileKnot as_modelled = {.value = PPM};
    NetworkModel network = {.name = name};
    network.layers = keras_layers(arena, keras_network_find(name), &network.layer_count);
    network.parameters = parameters_of(network.layers, network.layer_count);
    network.gradient_bytes = 4 * network.parameters;
    const DataSet images = {.name = "cifar10", .train_samples = 50000};
    Program program = {.kind = PROGRAM_TRAIN,
                       .name = name,
                       .network = &network,
                       .data_set = &images,
                       .framework = catalog_framework(catalog, "trainyard"),
                       .exchange = catalog_exchange(catalog, "trainyard-mpi"),
                       .step_jitter_ppm = {.count = 1, .knots = &as_modelled},
                       .precision = precision,
                       .batch_per_rank = batch,
                       .epochs = 1,
                       .steps_per_epoch = 1};
    const JobSpec spec = {.nodes = 1, .processes = ranks, .program = &program};
    const VmSize *local = catalog_vm_size(catalog, "local");
    Status status = {0};
    ck_assert(local != NULL && program.framework != NULL && program.exchange != NULL);
    ck_assert_msg(training_check(&spec, local, place_in("test", 0, 0), &status), "%s",
                  status.message);
    return step_plan(&program, local, rank_places_spread(1, ranks));
}

static void near(double found, double expected, double share, const char *what, int64_t batch)
{
    ck_assert_msg(fabs(found / expected - 1) <= share, "%s, batch %lld: %.1f instead of %.1f", what,
                  (long long)batch, found, expected);
}

static const int64_t judged[] = {8, 16, 32, 64, 128};

START_TEST(the_catalogue_predicts_batches_that_were_not_measured)
{
    const Catalog *catalog = catalogue_of(fitted(measurements("here", 1)));
    int32_t count;
    const NetworkLayer *layers =
        keras_layers(arena, keras_network_find("keras_cifar10_cnn"), &count);
    for (int32_t i = 0; i < 5; i++)
        for (int32_t p = 0; p < 2; p++) {
            const StepPlan plan =
                predicted(catalog, "keras_cifar10_cnn", p ? STEP_BF16 : STEP_FP32, judged[i], 1);
            near((double)(plan.compute_ns + plan.update_ns) / 1e3,
                 step_us(layers, count, judged[i], p ? "bf16" : "fp32"), 0.01, "a step", judged[i]);
        }
}
END_TEST

START_TEST(the_catalogue_predicts_a_network_that_was_not_measured)
{
    const Catalog *catalog = catalogue_of(fitted(measurements("here", 1)));
    int32_t count;
    const NetworkLayer *layers =
        keras_layers(arena, keras_network_find("keras_cifar10_cnn_deep"), &count);
    for (int32_t i = 0; i < 5; i++) {
        const StepPlan plan = predicted(catalog, "keras_cifar10_cnn_deep", STEP_FP32, judged[i], 1);
        near((double)(plan.compute_ns + plan.update_ns) / 1e3,
             step_us(layers, count, judged[i], "fp32"), 0.01, "a step", judged[i]);
    }
}
END_TEST

START_TEST(ranks_are_slowed_down_and_exchange_as_measured)
{
    const Catalog *catalog = catalogue_of(fitted(measurements("here", 1)));
    int32_t count;
    const NetworkLayer *layers =
        keras_layers(arena, keras_network_find("keras_cifar10_cnn"), &count);
    const StepPlan two = predicted(catalog, "keras_cifar10_cnn", STEP_FP32, 32, 2);
    near((double)(two.compute_ns + two.update_ns) / 1e3, 1.1 * step_us(layers, count, 32, "fp32"),
         0.01, "a step of two", 32);
    const int64_t bytes = 4 * parameters_of(layers, count);
    near((double)two.exchange_ns / 1e3, sum_us(bytes, 2), 0.01, "a sum", bytes);
    const StepPlan four = predicted(catalog, "keras_cifar10_cnn", STEP_FP32, 32, 4);
    near((double)four.exchange_ns / 1e3, sum_us(bytes, 4), 0.01, "a sum over four", bytes);
    near((double)four.compute_ns, 2 * (double)two.compute_ns, 0.001, "ranks that take turns", 32);
}
END_TEST

START_TEST(steps_scatter_as_those_of_ranks_side_by_side)
{
    const Catalog *catalog = catalogue_of(fitted(measurements("here", 1)));
    const Quantiles *jitter = catalog_jitter(catalog, "local");
    ck_assert(jitter != NULL);
    ck_assert_int_eq(quantiles_at(*jitter, 0), 900000);
    ck_assert_int_eq(quantiles_at(*jitter, UINT64_C(1) << 63), PPM);
    ck_assert_int_eq(jitter->knots[2].value, 1050000);
    near((double)quantiles_mean(*jitter), 1020000, 1e-5, "the mean", 0);
}
END_TEST

START_TEST(every_fitted_value_has_an_error_and_a_range)
{
    const Catalog *catalog = catalogue_of(fitted(measurements("here", 1)));
    const CatalogValue *value = catalog_value(
        catalog, "stage_times/local-core fp32 forward convolution 3x3/1 32>32 30x30/time");
    ck_assert(value != NULL);
    ck_assert_str_eq(value->range, "4 to 160 images in a batch");
    // The rounds vary by 0.2 %, which is 6 * 1.2533 * 1.4826 * 0.2 % / sqrt(5) = 1 %.
    ck_assert_str_eq(value->error, "2.0%");
    ck_assert_str_eq(value->date, "2026-01-02");
    value = catalog_value(catalog, "service/local_disk_rate");
    ck_assert_str_eq(value->value, "200000000B/s");
}
END_TEST

START_TEST(a_line_is_two_points_and_a_bend_keeps_all)
{
    const Json *catalogue = fitted(measurements("here", 1));
    const Json *sections = json_member(catalogue, "stage_times");
    const Json *line =
        json_member(json_member(json_member(sections, "local-core fp32 input"), "time"), "value");
    ck_assert_int_eq(line->count, 2);
    ck_assert_str_eq(line->first->key, "4");
    ck_assert_str_eq(line->last->key, "160");
    const Json *sum = json_find(catalogue, "/exchange_times/trainyard-mpi over 2 ranks/time/value");
    ck_assert_int_eq(sum->count, 2);
}
END_TEST

START_TEST(the_same_measurements_make_the_same_bytes)
{
    Text once = {0}, again = {0};
    json_print(&once, fitted(measurements("here", 1)), JSON_INDENTED);
    json_print(&again, fitted(measurements("here", 1)), JSON_INDENTED);
    ck_assert_str_eq(text_string(&once), text_string(&again));
    text_free(&once);
    text_free(&again);
}
END_TEST

/* --- Repeating it --- */

START_TEST(equal_catalogues_have_no_moves)
{
    const Json *old = fitted(measurements("here", 1)), *new = fitted(measurements("here", 1.005));
    Status status = {0};
    int32_t count;
    const CalibrationMove *moves = calibration_compare(arena, old, old, &count, &status);
    ck_assert(moves != NULL);
    ck_assert_int_gt(count, 50);
    for (int32_t i = 0; i < count; i++)
        ck_assert_msg(moves[i].moved == 0, "%s", moves[i].path);
    moves = calibration_compare(arena, old, new, &count, &status);
    ck_assert(moves != NULL);
    for (int32_t i = 0; i < count; i++)
        ck_assert_msg(moves[i].moved <= moves[i].error, "%s: %f", moves[i].path, moves[i].moved);
}
END_TEST

START_TEST(a_slower_machine_is_detected)
{
    const Json *old = fitted(measurements("here", 1)), *new = fitted(measurements("here", 1.1));
    Status status = {0};
    int32_t count, moved = 0, kinds = 0;
    const CalibrationMove *moves = calibration_compare(arena, old, new, &count, &status);
    ck_assert(moves != NULL);
    for (int32_t i = 0; i < count; i++) {
        const bool is_far = moves[i].moved > moves[i].error;
        moved += is_far;
        kinds += is_far && strncmp(moves[i].path, "kind_times/", 11) == 0;
        ck_assert_msg(!is_far || strncmp(moves[i].path, "exchange_times", 14) != 0, "%s",
                      moves[i].path);
    }
    ck_assert_int_gt(moved, 40);
    ck_assert_int_ge(kinds, 6);
}
END_TEST

START_TEST(a_catalogue_without_calibration_is_refused)
{
    const Json *new = fitted(measurements("here", 1));
    Status status = {0};
    int32_t count;
    ck_assert(!calibration_compare(arena, json_object(arena), new, &count, &status));
    ck_assert_msg(strstr(status.message, "no value of this catalogue") != NULL, "%s",
                  status.message);
}
END_TEST

/* --- A GPU --- */

enum { OVERLAP_PERCENT = 77 };

/* Removes the phases, as for a GPU, whose steps take OVERLAP_PERCENT of the sum of their stages. */
static const Json *without_phases(const Json *root)
{
    Json *copy = json_copy(arena, root, NULL);
    Status status = {0};
    ck_assert(
        json_put_at(arena, copy, "/gpus", json_integer(arena, 2), place_in("test", 0, 0), &status));
    Json *list = json_member(copy, "training");
    for (Json *run = list->first; run; run = run->next) {
        const double step_us = json_find(run, "/profile/step_us")->number;
        char *step_ms = arena_printf(arena, "%.6f", step_us * OVERLAP_PERCENT / 100 / 1e3);
        json_put_object(arena, run, "phases_ms");
        Json *times = json_put_object(arena, run, "step_ms");
        static const char *const names[] = {"min", "median", "mean", "p90"};
        for (int32_t i = 0; i < 4; i++)
            json_put_decimal(arena, times, names[i], step_ms);
    }
    return copy;
}

START_TEST(stages_are_added_up_if_phases_are_unknown)
{
    const Json *catalogue = fitted(without_phases(measurements("here", 1)));
    const Json *sides = json_member(catalogue, "side_by_side");
    const Json *factor = json_find(sides, "/local-gpu fp32 backward/factor/value/2");
    ck_assert(factor != NULL);
    near(strtod(factor->text, NULL), 1.1, 0.005, "two ranks", 48);
    const Json *input = json_find(catalogue, "/stage_times/local-gpu fp32 input/time/value");
    ck_assert(input != NULL); // 0.77 * 1.3 * (4 + 3 * 4): bursts cannot be removed from a mean
    ck_assert_msg(strncmp(input->first->text, "16.01", 4) == 0, "%s", input->first->text);
}
END_TEST

/* --- Malformed measurements --- */

static void refused(const Json *measured, const char *pointer, Json *value, const char *message)
{
    Json *root = json_copy(arena, measured, NULL);
    Status status = {0};
    ck_assert(json_put_at(arena, root, pointer, value, place_in("test", 0, 0), &status));
    ck_assert_msg(!calibration_fit(arena, root, &status), "%s", pointer);
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_msg(strstr(status.message, message) != NULL, "%s: %s", pointer, status.message);
}

/* A GPU may compute a pool with the product before it in small batches, and alone in large ones. */
START_TEST(a_layer_may_take_no_time_at_some_sizes_only)
{
    const Json *root = measurements("here", 1);
    static const char *const pass[] = {"forward", "backward"};
    for (Json *run = json_member(root, "training")->first; run; run = run->next)
        for (int32_t i = 0; i < 2; i++)
            if (json_member(run, "batch_size")->integer == 4)
                json_set(arena, (Json *)json_find(run, "/profile/stages"),
                         arena_printf(arena, "max_pooling2d_1 %s", pass[i]), json_null(arena));
    const Json *catalogue = fitted(root);
    const Json *kind = json_find(catalogue, "/kind_times/local-core fp32 forward pooling/fixed");
    ck_assert_ptr_nonnull(kind);
    ck_assert_ptr_nonnull(strstr(json_member(kind, "note")->text, "some or all"));
}
END_TEST

START_TEST(broken_measurements_are_refused_by_name)
{
    const Json *measured = measurements("here", 1);
    refused(measured, "/measurements", json_integer(arena, 2), "start with \"measurements\": 1");
    refused(measured, "/host", json_null(arena), "measurements lack \"host\"");
    refused(measured, "/cores", json_integer(arena, 0), "measurements lack \"cores\"");
    refused(measured, "/training", json_null(arena), "no list \"training\"");
    refused(measured, "/training", json_array(arena), "no training was measured");
    refused(measured, "/training/0/network", json_string(arena, "vgg"), "unknown network \"vgg\"");
    refused(measured, "/training/2/profile", json_null(arena), "no object \"/profile/stages\"");
    refused(measured, "/training/3/batch_size", json_string(arena, "4"), "no count \"batch_size\"");
    refused(measured, "/training/4/step_ms", json_null(arena), "no number \"/step_ms/min\"");
    refused(measured, "/training/25/batch_size", json_integer(arena, 12), // the second of two
            "2 ranks ran side by side, but only 1 are listed");
    refused(measured, "/allreduce/0/rows/2/time_us", json_null(arena), "no number \"/time_us\"");
    refused(measured, "/disk", json_array(arena), "or the disk");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("calibration");
    TCase *tests = tcase_create("calibration");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_catalogue_predicts_batches_that_were_not_measured);
    tcase_add_test(tests, the_catalogue_predicts_a_network_that_was_not_measured);
    tcase_add_test(tests, ranks_are_slowed_down_and_exchange_as_measured);
    tcase_add_test(tests, steps_scatter_as_those_of_ranks_side_by_side);
    tcase_add_test(tests, every_fitted_value_has_an_error_and_a_range);
    tcase_add_test(tests, a_line_is_two_points_and_a_bend_keeps_all);
    tcase_add_test(tests, the_same_measurements_make_the_same_bytes);
    tcase_add_test(tests, equal_catalogues_have_no_moves);
    tcase_add_test(tests, a_slower_machine_is_detected);
    tcase_add_test(tests, a_catalogue_without_calibration_is_refused);
    tcase_add_test(tests, stages_are_added_up_if_phases_are_unknown);
    tcase_add_test(tests, a_layer_may_take_no_time_at_some_sizes_only);
    tcase_add_test(tests, broken_measurements_are_refused_by_name);
    suite_add_tcase(suite, tests);
    return suite;
}
