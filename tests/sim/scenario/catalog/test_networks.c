/* The networks of the catalogue: their published totals, the values that follow from their layers,
 * and invalid lists of layers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/formats/keras_network.h"
#include "sim/scenario/catalog/layers.h"
#include "sim/scenario/catalog/read.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;
static Problems problems;

static void setup(void)
{
    arena = arena_create();
    problems = problems_create(arena);
}

static void teardown(void)
{
    arena_destroy(arena);
}

static const Catalog *shipped(void)
{
    const Json *root = shipped_catalog(arena);
    const Catalog *catalog = catalog_read(arena, &root, 1, &problems);
    ck_assert_msg(catalog != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return catalog;
}

static const NetworkModel *network_named(const Catalog *catalog, const char *name)
{
    const NetworkModel *network = catalog_network(catalog, name);
    ck_assert_msg(network != NULL, "%s", name);
    return network;
}

/* --- The shipped networks ----------------------------------------------------------------------
 */

/* Parameters, multiply-adds of one sample and tensors. Values that a source gives as "about" are
 * compared with a tolerance. */
START_TEST(totals_match_the_published_ones)
{
    static const struct {
        const char *name;
        int64_t parameters, parameters_off;
        double macs, macs_off;
        int32_t tensors;
    } rows[] = {
        // 896 + 9,248 + 18,496 + 36,928 + 1,180,160 + 5,130.
        {"keras_cifar10_cnn", 1250858, 0, 20741120, 0, 12},
        // 287,008 in six convolutions, 1,049,088 and 5,130.
        {"keras_cifar10_cnn_deep", 1341226, 0, 39687168, 0, 16},
        {"keras_mnist_cnn", 1199882, 0, 11992448, 0, 8},
        {"mnist_cnn", 1199882, 0, 11992448, 0, 8},
        {"tf_mnist_lenet", 1663370, 0, 12273152, 0, 8},
        {"horovod_tensorflow_mnist", 3274634, 0, 13883904, 0, 8},
        {"cntk_mnist_convnet", 98778, 0, 2604992, 0, 10},
        // 20 convolutions and normalisations of 2 tensors, and the dense layer's 2.
        {"resnet18_cifar", 11173962, 0, 0.5554e9, 0.0001e9, 62},
        // "1.7M" in table 4 of He et al. 2016.
        {"resnet164_cifar", 1700000, 5000, 0.2445e9, 0.0001e9, 494},
        // 53 convolutions, 53 x 2 of normalisation, 2 of the dense layer; "3.8 x 10^9" in table 1
        // of He et al. 2015, and 7.6 and 11.3 for the larger ones.
        {"resnet50", 25557032, 0, 3.858e9, 0.001e9, 161},
        {"resnet101", 44549160, 0, 7.57e9, 0.005e9, 314},
        {"resnet152", 60192808, 0, 11.282e9, 0.001e9, 467},
        // The weights of version 1, 25,503,912, and normalisation: 128 of the first convolution,
        // 4 x 64, 128, 256 and 512 in 3, 4, 6 and 3 blocks, a beta for each channel that comes into
        // a block, 13,120, and for each of the last 2,048.
        {"resnet50_v2", 25534312, 0, 3.858e9, 0.001e9, 138},
        {"resnet101_v2", 44509032, 0, 7.57e9, 0.005e9, 274},
        // "less than 25 million" and "5 billion" in Szegedy et al. 2015; 94 convolutions.
        {"inception3", 23800000, 50000, 5.7e9, 0.05e9, 190},
        // "138" million in table 2 of Simonyan and Zisserman.
        {"vgg16", 138357544, 0, 15.47e9, 0.005e9, 32},
        // 61,100,840 with 256 filters in the fourth convolution; here it has 384.
        {"alexnet", 61838248, 0, 0.839e9, 0.001e9, 16},
        // "3.4M" and "300M" in table 4 of Sandler et al.
        {"mobilenetv2", 3504872, 0, 300e6, 1e6, 158},
    };
    const Catalog *catalog = shipped();
    int32_t count;
    (void)catalog_names(catalog, CATALOG_NETWORKS, &count);
    ck_assert_int_eq(count, sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const NetworkModel *network = network_named(catalog, rows[i].name);
        int64_t off = network->parameters - rows[i].parameters;
        double macs_off = (double)network->forward_macs_per_sample - rows[i].macs;
        ck_assert_msg(off >= -rows[i].parameters_off && off <= rows[i].parameters_off,
                      "%s: %" PRId64 " parameters", rows[i].name, network->parameters);
        ck_assert_msg(macs_off >= -rows[i].macs_off && macs_off <= rows[i].macs_off,
                      "%s: %" PRId64 " multiply-adds", rows[i].name,
                      network->forward_macs_per_sample);
        ck_assert_msg(network->tensors == rows[i].tensors, "%s: %d tensors", rows[i].name,
                      (int)network->tensors);
        ck_assert_int_eq(network->gradient_bytes, 4 * network->parameters);
    }
}
END_TEST

/* 6 operations a multiply-add, less 2 for the first layer's input gradient. */
START_TEST(training_leaves_out_the_gradient_of_the_images)
{
    static const struct {
        const char *name;
        int64_t flops;
    } rows[] = {
        {"keras_cifar10_cnn", 6 * 20741120 - 2 * 884736},
        {"keras_mnist_cnn", 6 * 11992448 - 2 * 194688},
        {"tf_mnist_lenet", 6 * 12273152 - 2 * 627200},
        {"horovod_tensorflow_mnist", 6 * 13883904 - 2 * 627200},
        {"cntk_mnist_convnet", 6 * 2604992 - 2 * 627200},
        // 7 x 7 x 3 weights at 112 x 112 places of 64 channels.
        {"resnet50", 6 * INT64_C(3857973248) - INT64_C(2) * 7 * 7 * 3 * 64 * 112 * 112},
    };
    const Catalog *catalog = shipped();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_int_eq(network_named(catalog, rows[i].name)->training_flops_per_sample,
                         rows[i].flops);
}
END_TEST

START_TEST(layers_have_the_order_of_the_forward_pass)
{
    const NetworkModel *network = network_named(shipped(), "resnet50");
    const NetworkLayer *layer = network->layers;
    ck_assert_int_eq(network->layer_count, 175);
    ck_assert_str_eq(layer->name, "conv1");
    ck_assert_int_eq(layer->kind, NETWORK_LAYER_CONVOLUTION);
    ck_assert_str_eq(layer->shape, "7x7/2 3>64 112x112");
    ck_assert_int_eq(layer->forward_macs, 118013952);
    ck_assert_int_eq(layer->input_values, 3 * 224 * 224);
    ck_assert_int_eq(layer->output_values, 64 * 112 * 112);
    ck_assert_int_eq(layer->tensor_count, 1);
    ck_assert_int_eq(layer->tensor_values[0], 9408);
    layer++; // gamma and beta
    ck_assert_int_eq(layer->kind, NETWORK_LAYER_NORMALIZATION);
    ck_assert_int_eq(layer->tensor_count, 2);
    ck_assert_int_eq(layer->tensor_values[1], 64);
    layer++;
    ck_assert_int_eq(layer->kind, NETWORK_LAYER_ACTIVATION);
    ck_assert_str_eq(layer->shape, "64x112x112");
    ck_assert_int_eq(layer->forward_macs, 0);
    ck_assert_int_eq(layer->tensor_count, 0);
    layer++;
    ck_assert_int_eq(layer->kind, NETWORK_LAYER_POOLING);
    ck_assert_str_eq(layer->shape, "3x3/2 64>64 56x56");
    layer = &network->layers[network->layer_count - 2];
    ck_assert_int_eq(layer->kind, NETWORK_LAYER_DENSE);
    ck_assert_str_eq(layer->shape, "2048>1000");
    ck_assert_int_eq(layer->tensor_values[0], 1000); // the gradient of the bias is ready first
    ck_assert_int_eq(layer->tensor_values[1], 2048000);
    ck_assert_int_eq(layer[1].kind, NETWORK_LAYER_SOFTMAX);
}
END_TEST

/* Weights, multiply-adds and outputs that follow from a shape. */
typedef struct {
    int64_t weights, macs, outputs;
} ShapeFacts;

/* The numbers in `shape`, which is `form` with N for each of them. */
static void numbers_of(const char *shape, const char *form, int64_t *numbers)
{
    const char *at = shape;
    for (; *form != '\0'; form++) {
        char *end = (char *)at + 1;
        if (*form == 'N')
            *numbers++ = strtoll(at, &end, 10);
        ck_assert_msg(end > at && (*form == 'N' || *form == *at), "%s", shape);
        at = end;
    }
    ck_assert_msg(*at == '\0', "%s", shape);
}

static ShapeFacts facts_of_window(const NetworkLayer *layer)
{
    int64_t n[7]; // kernel, stride, channels in and out, height and width
    numbers_of(layer->shape, "NxN/N N>N NxN", n);
    ck_assert_int_ge(n[2], 1);
    if (layer->kind != NETWORK_LAYER_CONVOLUTION)
        ck_assert_int_eq(n[3], n[4]);
    int64_t weights = layer->kind == NETWORK_LAYER_CONVOLUTION ? n[0] * n[1] * n[3] * n[4]
                      : layer->kind == NETWORK_LAYER_DEPTHWISE ? n[0] * n[1] * n[4]
                                                               : 0;
    return (ShapeFacts){weights, weights * n[5] * n[6], n[4] * n[5] * n[6]};
}

static ShapeFacts facts_of_dense(const NetworkLayer *layer)
{
    int64_t n[2];
    numbers_of(layer->shape, "N>N", n);
    ck_assert_int_eq(layer->input_values, n[0]);
    return (ShapeFacts){n[0] * n[1], n[0] * n[1], n[1]};
}

static ShapeFacts facts_of(const NetworkLayer *layer)
{
    int64_t n[3];
    switch (layer->kind) {
    case NETWORK_LAYER_CONVOLUTION:
    case NETWORK_LAYER_DEPTHWISE:
    case NETWORK_LAYER_POOLING:
        return facts_of_window(layer);
    case NETWORK_LAYER_DENSE:
        return facts_of_dense(layer);
    case NETWORK_LAYER_NORMALIZATION:
    case NETWORK_LAYER_ACTIVATION:
    case NETWORK_LAYER_DROPOUT:
    case NETWORK_LAYER_ADDITION:
    case NETWORK_LAYER_CONCATENATION:
    case NETWORK_LAYER_SOFTMAX:
    case NETWORK_LAYER_KIND_COUNT:
        break;
    }
    numbers_of(layer->shape, "NxNxN", n);
    int64_t inputs = layer->kind == NETWORK_LAYER_ADDITION ? 2 : 1;
    ck_assert_int_eq(layer->input_values, inputs * layer->output_values);
    return (ShapeFacts){0, 0, n[0] * n[1] * n[2]};
}

START_TEST(every_layer_matches_its_shape)
{
    const Catalog *catalog = shipped();
    int32_t count;
    const char *const *names = catalog_names(catalog, CATALOG_NETWORKS, &count);
    for (int32_t i = 0; i < count; i++) {
        const NetworkModel *network = network_named(catalog, names[i]);
        for (int32_t j = 0; j < network->layer_count; j++) {
            const NetworkLayer *layer = &network->layers[j];
            ShapeFacts facts = facts_of(layer);
            ck_assert_msg(layer->forward_macs == facts.macs, "%s/%s", names[i], layer->name);
            ck_assert_msg(layer->output_values == facts.outputs, "%s/%s", names[i], layer->name);
            ck_assert_msg((layer->tensor_count > 0) ==
                              (facts.weights > 0 || layer->kind == NETWORK_LAYER_NORMALIZATION),
                          "%s/%s", names[i], layer->name);
            if (facts.weights > 0)
                ck_assert_msg(layer->tensor_values[layer->tensor_count - 1] == facts.weights,
                              "%s/%s", names[i], layer->name);
        }
    }
}
END_TEST

static bool same_cost(const NetworkLayer *a, const NetworkLayer *b)
{
    return a->forward_macs == b->forward_macs && a->input_values == b->input_values &&
           a->output_values == b->output_values;
}

START_TEST(names_are_unique_and_equal_shapes_cost_the_same)
{
    const Catalog *catalog = shipped();
    int32_t count;
    const char *const *names = catalog_names(catalog, CATALOG_NETWORKS, &count);
    for (int32_t i = 0; i < count; i++) {
        const NetworkModel *network = network_named(catalog, names[i]);
        for (int32_t j = 0; j < network->layer_count; j++)
            for (int32_t k = 0; k < j; k++) {
                const NetworkLayer *a = &network->layers[j], *b = &network->layers[k];
                ck_assert_msg(strcmp(a->name, b->name) != 0, "%s/%s", names[i], a->name);
                if (a->kind == b->kind && strcmp(a->shape, b->shape) == 0)
                    ck_assert_msg(same_cost(a, b), "%s/%s", names[i], a->name);
            }
    }
}
END_TEST

/* Networks of real training programs have a second description, for their files. */
START_TEST(keras_networks_have_the_tensors_that_are_trained)
{
    const Catalog *catalog = shipped();
    for (int32_t i = 0; i < keras_network_count(); i++) {
        const KerasNetwork *keras = keras_network_at(i);
        if (strncmp(keras->name, "probe_", strlen("probe_")) == 0)
            continue; // only for calibration: no program trains it
        const NetworkModel *network = network_named(catalog, keras->name);
        KerasWeight weights[KERAS_WEIGHTS_MAX];
        int32_t count = keras_network_weights(keras, weights);
        int32_t at = 0;
        ck_assert_int_eq(network->tensors, count);
        for (int32_t j = 0; j < network->layer_count; j++) {
            const NetworkLayer *layer = &network->layers[j];
            if (layer->tensor_count == 0)
                continue;
            // Kernel and bias there, bias and kernel here.
            ck_assert_int_eq(layer->tensor_count, 2);
            ck_assert_str_eq(layer->name, weights[at].layer);
            ck_assert_int_eq(layer->tensor_values[1], weights[at].count);
            ck_assert_int_eq(layer->tensor_values[0], weights[at + 1].count);
            at += 2;
        }
        ck_assert_int_eq(at, count);
    }
}
END_TEST

START_TEST(explanations_contain_totals_and_not_the_list)
{
    static const struct {
        const char *path, *value;
    } rows[] = {
        {"networks/resnet50/layers",
         "175 layers, 25,557,032 parameters in 161 tensors, 3.858 G multiply-adds"},
        {"networks/keras_cifar10_cnn/layers",
         "17 layers, 1,250,858 parameters in 12 tensors, 20.741 M multiply-adds"},
    };
    const Catalog *catalog = shipped();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const CatalogValue *value = catalog_value(catalog, rows[i].path);
        ck_assert_ptr_nonnull(value);
        ck_assert_str_eq(value->value, rows[i].value);
        ck_assert_str_eq(value->at.source, "networks.json");
    }
}
END_TEST

/* --- Reading -----------------------------------------------------------------------------------
 */

static const Json *parse(const char *text)
{
    const Json *json = json_parse(arena, "layers", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(json != NULL, "%s", text);
    return json;
}

START_TEST(a_layer_without_weights_needs_no_list_of_them)
{
    NetworkModel network = {.name = "small"};
    Status status = {0};
    ck_assert(catalog_layers_read(arena,
                                  parse("[\"p pooling 2x2/2 1>1 1x1, in 4, out 1\","
                                        " \"d dense 1>1, macs 1, tensors 1 1, in 1, out 1\"]"),
                                  &network, &status));
    ck_assert_str_eq(network.name, "small");
    ck_assert_int_eq(network.layer_count, 2);
    ck_assert_int_eq(network.parameters, 2);
    ck_assert_int_eq(network.gradient_bytes, 8);
    ck_assert_int_eq(network.forward_macs_per_sample, 1);
    ck_assert_int_eq(network.training_flops_per_sample, 4); // forward and gradient of the weight
    ck_assert_int_eq(network.tensors, 2);
    ck_assert_str_eq(catalog_layers_summary(arena, &network),
                     "2 layers, 2 parameters in 2 tensors, 1 multiply-adds");
}
END_TEST

START_TEST(a_later_list_replaces_an_earlier_one)
{
#define DENSE(macs, tensors) "\"d dense 1>1, in 1, out 1, macs " macs ", tensors " tensors "\""
    NetworkModel network = {.name = "small"};
    Status status = {0};
    ck_assert(catalog_layers_read(arena, parse("[" DENSE("5", "7") "]"), &network, &status));
    ck_assert(catalog_layers_read(arena, parse("[" DENSE("3", "2") "]"), &network, &status));
    ck_assert_int_eq(network.layer_count, 1);
    ck_assert_int_eq(network.parameters, 2);
    ck_assert_int_eq(network.forward_macs_per_sample, 3);
    ck_assert_int_eq(network.tensors, 1);
}
END_TEST

START_TEST(invalid_lists_of_layers_are_refused_at_their_position)
{
#define SHAPED(amounts) "[\"l dense 1>1" amounts "\"]"
#define WRONG_IN "expected a whole number", "1 to 1000000000000000000"
#define WRONG_MACS "expected a whole number", "0 to 166666666666666666"
#define WRONG_TENSOR "expected a whole number", "1 to 250000000000000000"
#define NO_HEAD "expected a layer's name, its kind and its shape", ""
    static const struct {
        const char *text, *message, *hint;
        int32_t column;
    } rows[] = {
        {"{}", "expected a list of layers, found an object", "networks.json", 1},
        {" 25557032", "expected a list of layers, found a number", "networks.json", 2},
        {"[]", "0 layers, expected 1 to 1000000", "networks.json", 1},
        {"[5]", "a layer must be a text, not a number", "networks.json", 2},
        {"[\"\"]", NO_HEAD, 3},
        {"[\"l\"]", NO_HEAD, 3},
        {"[\"l dense\"]", NO_HEAD, 3},
        {"[\"l dense \"]", NO_HEAD, 3},
        {"[\" dense 1>1\"]", NO_HEAD, 3},
        {"[\"l densely 1>1\"]", "\"densely\": expected a kind of layer", "did you mean \"dense\"?",
         5},
        {"[\"l  1>1\"]", "\"\": expected a kind of layer", "", 5},
        {SHAPED(""), "this layer lacks \"in\"", "", 2},
        {SHAPED(", in 1"), "this layer lacks \"out\"", "", 2},
        {SHAPED(", out 1, macs 5"), "this layer lacks \"in\"", "", 2},
        {SHAPED(","), "\"\": expected in, out, macs or tensors", "", 15},
        {SHAPED(", colour 5"), "\"colour\": expected in, out, macs or tensors", "", 16},
        {SHAPED(", mac 5"), "\"mac\": expected", "did you mean \"macs\"?", 16},
        {SHAPED(", in"), "\"in\": expected a number after it", "", 16},
        {SHAPED(", in "), WRONG_IN, 19},
        {SHAPED(", in 0"), WRONG_IN, 19},
        {SHAPED(", in x"), WRONG_IN, 19},
        {SHAPED(", in 1 "), WRONG_IN, 19},
        {SHAPED(", in 1 2"), WRONG_IN, 19},
        {SHAPED(", in 1, out 1.5"), WRONG_IN, 26},
        {SHAPED(", in 1, in 1"), "a second \"in\"", "", 22},
        {SHAPED(", macs -1"), WRONG_MACS, 21},
        {SHAPED(", macs 200000000000000000"), WRONG_MACS, 21},
        {SHAPED(", tensors a"), WRONG_TENSOR, 24},
        {SHAPED(", tensors 5 0"), WRONG_TENSOR, 26},
        {SHAPED(", tensors 5  5"), WRONG_TENSOR, 26},
        {SHAPED(", in 1, out 1, macs 1"), "no layer has \"tensors\"", "", 1},
        {"[" DENSE("0", "1") "]", "no layer has \"macs\"", "", 1},
        {"[" DENSE("1", "250000000000000000 1") "]", "more than 250000000000000000 parameters", "",
         2},
        {"[" DENSE("160000000000000000", "1") "," DENSE("10000000000000000", "1") "]",
         "more than 166666666666666666 multiply-adds", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        NetworkModel network = {.name = "wrong"};
        Status status = {0};
        ck_assert_msg(!catalog_layers_read(arena, parse(rows[i].text), &network, &status), "%s",
                      rows[i].text);
        ck_assert_msg(strstr(status.message, rows[i].message) != NULL, "%s\n  says %s",
                      rows[i].text, status.message);
        ck_assert_msg(rows[i].hint[0] != '\0' ? strstr(status.hint, rows[i].hint) != NULL
                                              : status.hint[0] == '\0',
                      "%s\n  hints %s", rows[i].text, status.hint);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        if (rows[i].column > 0)
            ck_assert_msg(status.at.column == rows[i].column, "%s\n  at %d", rows[i].text,
                          (int)status.at.column);
    }
}
END_TEST

START_TEST(more_tensors_than_fit_are_refused)
{
    // 1,000,000 in one layer are allowed, one more in the next is not.
    Text text = {0};
    text_add(&text, "[\"l dense 1>1, in 1, out 1, macs 1, tensors 1");
    for (int32_t i = 1; i < 1000000; i++)
        text_add(&text, " 1");
    text_add(&text, "\"," DENSE("1", "1") "]");
    NetworkModel network = {.name = "wide"};
    Status status = {0};
    ck_assert(!catalog_layers_read(arena, parse(text_string(&text)), &network, &status));
    ck_assert_str_eq(status.message, "up to this layer there are more than 1000000 tensors");
    text_free(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("networks");
    TCase *test = tcase_create("networks");
    tcase_add_checked_fixture(test, setup, teardown);
    tcase_add_test(test, totals_match_the_published_ones);
    tcase_add_test(test, training_leaves_out_the_gradient_of_the_images);
    tcase_add_test(test, layers_have_the_order_of_the_forward_pass);
    tcase_add_test(test, every_layer_matches_its_shape);
    tcase_add_test(test, names_are_unique_and_equal_shapes_cost_the_same);
    tcase_add_test(test, keras_networks_have_the_tensors_that_are_trained);
    tcase_add_test(test, explanations_contain_totals_and_not_the_list);
    tcase_add_test(test, a_layer_without_weights_needs_no_list_of_them);
    tcase_add_test(test, a_later_list_replaces_an_earlier_one);
    tcase_add_test(test, invalid_lists_of_layers_are_refused_at_their_position);
    tcase_add_test(test, more_tensors_than_fit_are_refused);
    suite_add_tcase(suite, test);
    return suite;
}
