#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cloud/training/step_memory.h"
#include "sim/scenario/catalog/files.h"
#include "tests/support/suite.h"

/* Convolution, normalisation and activation of 1,000 values, then a large dense layer. */
static const int64_t few[] = {50}, both[] = {10, 10}, many[] = {1000, 9000};
static const NetworkLayer layers[] = {
    {.kind = NETWORK_LAYER_CONVOLUTION,
     .input_values = 300,
     .output_values = 1000,
     .tensor_count = 1,
     .tensor_values = few},
    {.kind = NETWORK_LAYER_NORMALIZATION,
     .input_values = 1000,
     .output_values = 1000,
     .tensor_count = 2,
     .tensor_values = both},
    {.kind = NETWORK_LAYER_ACTIVATION, .input_values = 1000, .output_values = 1000},
    {.kind = NETWORK_LAYER_DENSE,
     .input_values = 1000,
     .output_values = 9,
     .tensor_count = 2,
     .tensor_values = many},
    {.kind = NETWORK_LAYER_SOFTMAX, .input_values = 9, .output_values = 9}};
static const NetworkModel network = {.layer_count = 5, .layers = layers, .parameters = 10070};

START_TEST(weights_gradients_and_activations_are_in_memory)
{
    // Of 10 images 20,000 values when the dense layer's 10,000 gradients are made; 10,070 weights.
    ck_assert_int_eq(step_memory_least_bytes(&network, 10), INT64_C(4) * (10070 + 20000 + 10000));
    // Of one image the activations of the first layers are less than the gradients of all.
    NetworkModel small = network;
    small.layer_count = 1;
    ck_assert_int_eq(step_memory_least_bytes(&small, 1), INT64_C(4) * (10070 + 10070));
}
END_TEST

START_TEST(the_largest_batch_that_fits_is_found)
{
    // 10 images need 160,280 bytes.
    ck_assert_int_eq(step_memory_batch_most(&network, 100, 160280), 10);
    ck_assert_int_eq(step_memory_batch_most(&network, 100, 160279), 9);
    ck_assert_int_eq(step_memory_batch_most(&network, 10, 160280), 10);
    ck_assert_int_eq(step_memory_batch_most(&network, 7, 160280), 7);
    ck_assert_int_eq(step_memory_batch_most(&network, 100, 1000), 0);
}
END_TEST

START_TEST(the_output_of_an_activation_is_in_memory_once)
{
    const NetworkLayer twice[] = {layers[2], layers[1]};
    const NetworkModel shared = {.layer_count = 2, .layers = twice, .parameters = 20};
    ck_assert_int_eq(step_memory_least_bytes(&shared, 7), INT64_C(4) * (20 + 7000 + 20));
}
END_TEST

START_TEST(a_network_without_layers_needs_memory_for_weights_and_gradients)
{
    const NetworkModel plain = {.parameters = 1000};
    ck_assert_int_eq(step_memory_least_bytes(&plain, 64), 8000);
}
END_TEST

START_TEST(no_batch_is_too_large_to_be_counted)
{
    ck_assert_int_eq(step_memory_least_bytes(&network, INT64_MAX), INT64_MAX);
}
END_TEST

START_TEST(every_measured_batch_may_fit)
{
    static const char folder[] = TRAINYARD_SOURCE_DIR "/scenarios/catalog";
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    const CatalogFile files[] = {{disk_files, arena_printf(arena, "%s/azure-2018.json", folder)},
                                 {disk_files, arena_printf(arena, "%s/throughput.json", folder)}};
    const Catalog *catalog = catalog_files_read(arena, files, 2, &problems);
    ck_assert(catalog != NULL);
    const Throughputs rows = catalog_throughputs(catalog);
    int64_t fullest_ppm = 0;
    for (int32_t i = 0; i < rows.count; i++) {
        const Throughput *row = &rows.rows[i];
        const int64_t needs = step_memory_least_bytes(row->network, row->batch);
        ck_assert_msg(needs <= row->gpu->memory_bytes, "%s at batch %d on %s", row->network->name,
                      (int)row->batch, row->gpu->name);
        const int64_t ppm = mul_div(needs, PPM, row->gpu->memory_bytes);
        fullest_ppm = ppm > fullest_ppm ? ppm : fullest_ppm;
    }
    // A bound far above every measurement would never warn.
    ck_assert_int_ge(fullest_ppm, 700000);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("step_memory");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, weights_gradients_and_activations_are_in_memory);
    tcase_add_test(tests, the_largest_batch_that_fits_is_found);
    tcase_add_test(tests, the_output_of_an_activation_is_in_memory_once);
    tcase_add_test(tests, a_network_without_layers_needs_memory_for_weights_and_gradients);
    tcase_add_test(tests, no_batch_is_too_large_to_be_counted);
    tcase_add_test(tests, every_measured_batch_may_fit);
    suite_add_tcase(suite, tests);
    return suite;
}
