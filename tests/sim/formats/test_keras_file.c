#include "sim/formats/keras_file.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/suite.h"

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static int64_t value_count(const KerasNetwork *network)
{
    KerasWeight weights[KERAS_WEIGHTS_MAX];
    int32_t count = keras_network_weights(network, weights);
    int64_t values = 0;
    for (int32_t i = 0; i < count; i++)
        values += weights[i].count;
    return values;
}

/* Different at every index, and in every file with another `first`. */
static float *numbers(Arena *arena, int64_t count, int32_t first)
{
    float *values = ARENA_ARRAY(arena, float, count);
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)(first + i) * 0x1p-20f;
    return values;
}

static Text written(const KerasFile *file)
{
    Text image = {0};
    Status status = {0};
    ck_assert_msg(keras_file_write(file, (ByteSink){&image, append}, &status), "%s",
                  status.message);
    return image;
}

START_TEST(the_file_of_every_network_is_read_back)
{
    for (int32_t i = 0; i < keras_network_count(); i++) {
        Arena *arena = arena_create();
        const KerasNetwork *network = keras_network_at(i);
        const int64_t weights = value_count(network), slots = weights * network->optimizer.slots;
        KerasAttribute attributes[] = {{"a_text", "some text", 0}, {"a_number", NULL, INT64_MIN}};
        const KerasFile file = {.network = network,
                                .version = KERAS_2_3_1,
                                .optimizer_settings = "\"lr\": 0.0004",
                                .iterations = 1563,
                                .weights = numbers(arena, weights, 1),
                                .slots = numbers(arena, slots, 5000),
                                .attributes = attributes,
                                .attribute_count = 2};
        Text image = written(&file);
        KerasAttribute found[] = {{"a_number", NULL, 0}, {"a_text", "", 0}};
        KerasParts parts = {.network = network,
                            .weights = ARENA_ARRAY(arena, float, weights),
                            .slots = ARENA_ARRAY(arena, float, slots),
                            .attributes = found,
                            .attribute_count = 2};
        Status status = {0};
        ck_assert_msg(keras_file_read(arena, "x.h5", image.data, image.length, &parts, &status),
                      "%s", status.message);
        ck_assert_mem_eq(parts.weights, file.weights, (size_t)weights * sizeof(float));
        ck_assert_mem_eq(parts.slots, file.slots, (size_t)slots * sizeof(float));
        ck_assert_int_eq(parts.iterations, 1563);
        ck_assert(found[0].integer == INT64_MIN);
        ck_assert_str_eq(found[1].text, "some text");
        text_free(&image);
        arena_destroy(arena);
    }
}
END_TEST

static KerasFile plain_file(Arena *arena, const char *network)
{
    const KerasNetwork *found = keras_network_find(network);
    return (KerasFile){.network = found,
                       .version = KERAS_2_2_4,
                       .optimizer_settings = "\"lr\": 0.0004",
                       .weights = numbers(arena, value_count(found), 1)};
}

/* Reads `file` as `network`, with an attribute `name` when that is not NULL. */
static Status read_as(const KerasFile *file, const char *network, bool wants_slots,
                      const KerasAttribute *attribute)
{
    Arena *arena = arena_create();
    Text image = written(file);
    const KerasNetwork *wanted = keras_network_find(network);
    const int64_t count = value_count(wanted);
    KerasAttribute wanted_attribute = attribute ? *attribute : (KerasAttribute){0};
    KerasParts parts = {
        .network = wanted,
        .weights = ARENA_ARRAY(arena, float, count),
        .slots = wants_slots ? ARENA_ARRAY(arena, float, count * wanted->optimizer.slots) : NULL,
        .attributes = &wanted_attribute,
        .attribute_count = attribute ? 1 : 0};
    Status status = {0};
    if (keras_file_read(arena, "x.h5", image.data, image.length, &parts, &status))
        ck_assert_int_eq(status.code, STATUS_OK);
    text_free(&image);
    arena_destroy(arena);
    return status;
}

START_TEST(missing_parts_are_named)
{
    Arena *arena = arena_create();
    static const char cifar[] = "keras_cifar10_cnn";
    KerasAttribute number = {"number", NULL, 7}, text = {"text", "seven", 0};
    KerasAttribute both[] = {number, text};
    KerasFile file = plain_file(arena, cifar);
    file.attributes = both;
    file.attribute_count = 2;
    ck_assert_int_eq(read_as(&file, cifar, false, NULL).code, STATUS_OK);
    ck_assert_int_eq(read_as(&file, cifar, false, &text).code, STATUS_OK);
    static const struct {
        const char *network;
        bool wants_slots;
        KerasAttribute attribute;
        const char *message;
    } rows[] = {
        {"keras_mnist_cnn",
         false,
         {0},
         "is of another network: \"padding\" of layer conv2d_1 is \"same\", expected \"valid\""},
        {cifar, true, {0}, "has no values under /optimizer_weights/RMSprop/iterations:0"},
        {cifar, false, {"missing", NULL, 0}, "has no attribute \"missing\""},
        {cifar, false, {"text", NULL, 0}, "attribute \"text\" is not a 64-bit integer"},
        {cifar, false, {"number", "", 0}, "attribute \"number\" is not a text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const KerasAttribute *attribute = rows[i].attribute.name ? &rows[i].attribute : NULL;
        Status status = read_as(&file, rows[i].network, rows[i].wants_slots, attribute);
        ck_assert_int_eq(status.code, i == 0 ? STATUS_CONFLICT : STATUS_BAD_INPUT);
        ck_assert_str_eq(status.message, rows[i].message);
        ck_assert_str_eq(status.at.source, "x.h5");
    }
    arena_destroy(arena);
}
END_TEST

START_TEST(the_same_layers_with_another_width_are_another_network)
{
    // The network of the table except for the width of its dense layer, which the file's JSON
    // states.
    Arena *arena = arena_create();
    const KerasNetwork *cifar = keras_network_find("keras_cifar10_cnn");
    KerasNetwork narrow = *cifar;
    KerasLayer *layers = ARENA_ARRAY(arena, KerasLayer, cifar->layer_count);
    memcpy(layers, cifar->layers, (size_t)cifar->layer_count * sizeof *layers);
    ck_assert_str_eq(layers[13].name, "dense_1");
    layers[13].units = 256;
    narrow.layers = layers;
    KerasFile file = plain_file(arena, "keras_cifar10_cnn");
    file.network = &narrow;
    ck_assert_str_eq(read_as(&file, cifar->name, false, NULL).message,
                     "is of another network: \"units\" of layer dense_1 is 256, expected 512");
    layers[13].units = 512;
    narrow.layer_count--;
    ck_assert_str_eq(read_as(&file, cifar->name, false, NULL).message,
                     "is of another network: it has 17 layers, expected 18");
    arena_destroy(arena);
}
END_TEST

START_TEST(the_header_shows_a_file_that_is_not_hdf5_or_is_cut)
{
    Arena *arena = arena_create();
    KerasFile file = plain_file(arena, "keras_cifar10_cnn");
    Text image = written(&file);
    Status status = {0};
    ck_assert(keras_file_check_header("x.h5", image.data, image.length, &status));
    ck_assert(!keras_file_check_header("x.h5", image.data, image.length - 1, &status));
    ck_assert_ptr_nonnull(strstr(status.message, "is cut short: it has "));
    ck_assert(!keras_file_check_header("x.h5", image.data, 30, &status));
    ck_assert_str_eq(status.message, "is cut short: it has 30 bytes");
    ck_assert(!keras_file_check_header("x.h5", image.data, 0, &status));
    ck_assert_str_eq(status.message, "is empty, expected an HDF5 file");
    ck_assert(!keras_file_check_header("x.h5", "no HDF5", 7, &status));
    ck_assert_str_eq(status.message, "is not an HDF5 file");
    text_free(&image);
    arena_destroy(arena);
}
END_TEST

START_TEST(numbers_are_the_shortest_that_read_back)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0.0004, "0.0004"},
                {0.00025, "0.00025"},
                {1e-6, "1e-06"},
                {0.9, "0.9"},
                {1e-4 * 3, "0.00030000000000000003"}, // as Python prints it
                {1.0 / 3.0, "0.3333333333333333"},
                {0.0, "0"},
                {-2.5, "-2.5"},
                {1e-4 * 8, "0.0008"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Text text = {0};
        keras_add_number(&text, rows[i].value);
        ck_assert_str_eq(text_string(&text), rows[i].text);
        ck_assert(strtod(text_string(&text), NULL) == rows[i].value);
        text_free(&text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("keras_file");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_file_of_every_network_is_read_back);
    tcase_add_test(tests, missing_parts_are_named);
    tcase_add_test(tests, the_same_layers_with_another_width_are_another_network);
    tcase_add_test(tests, the_header_shows_a_file_that_is_not_hdf5_or_is_cut);
    tcase_add_test(tests, numbers_are_the_shortest_that_read_back);
    suite_add_tcase(suite, tests);
    return suite;
}
