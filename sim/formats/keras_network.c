#include "sim/formats/keras_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/json/json.h"

/* --- The networks --- */

// keras-team/keras examples/cifar10_cnn.py: 1,250,858 parameters.
static const KerasLayer cifar10_layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 32, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_1", .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_2", .units = 32, .side = 3, .padding = "valid",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_2", .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_1", .side = 2},
    {LAYER_DROPOUT, "dropout_1", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_3", .units = 64, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_3", .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_4", .units = 64, .side = 3, .padding = "valid",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_4", .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_2", .side = 2},
    {LAYER_DROPOUT, "dropout_2", .rate = "0.25"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 512, .activation = "linear"},
    {LAYER_ACTIVATION, "activation_5", .activation = "relu"},
    {LAYER_DROPOUT, "dropout_3", .rate = "0.5"},
    {LAYER_DENSE, "dense_2", .units = 10, .activation = "linear"},
    {LAYER_ACTIVATION, "activation_6", .activation = "softmax"},
};

// The same style, two layers deeper: blocks of 32, 64 and 128 filters that keep their sides,
// 1,341,226 parameters. It tests predictions for a network that calibrations do not measure.
static const KerasLayer cifar10_deep_layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 32, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_1", .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_2", .units = 32, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_2", .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_1", .side = 2},
    {LAYER_DROPOUT, "dropout_1", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_3", .units = 64, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_3", .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_4", .units = 64, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_4", .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_2", .side = 2},
    {LAYER_DROPOUT, "dropout_2", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_5", .units = 128, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_5", .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_6", .units = 128, .side = 3, .padding = "same",
     .activation = "linear"},
    {LAYER_ACTIVATION, "activation_6", .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_3", .side = 2},
    {LAYER_DROPOUT, "dropout_3", .rate = "0.25"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 512, .activation = "linear"},
    {LAYER_ACTIVATION, "activation_7", .activation = "relu"},
    {LAYER_DROPOUT, "dropout_4", .rate = "0.5"},
    {LAYER_DENSE, "dense_2", .units = 10, .activation = "linear"},
    {LAYER_ACTIVATION, "activation_8", .activation = "softmax"},
};

// keras-team/keras examples/mnist_cnn.py: 1,199,882 parameters.
static const KerasLayer mnist_layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 32, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_2", .units = 64, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_1", .side = 2},
    {LAYER_DROPOUT, "dropout_1", .rate = "0.25"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 128, .activation = "relu"},
    {LAYER_DROPOUT, "dropout_2", .rate = "0.5"},
    {LAYER_DENSE, "dense_2", .units = 10, .activation = "softmax"},
};

// For calibration alone (real/calibrate/calibration.h): the shapes surround those of the networks
// above, so that shapes between them can be predicted. Widths of layers are powers of two, as in
// most networks: libraries are slower with other widths.
static const KerasLayer probe_same_layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 16, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_2", .units = 64, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_1", .side = 2},
    {LAYER_DROPOUT, "dropout_1", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_3", .units = 32, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_4", .units = 32, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_2", .side = 2},
    {LAYER_DROPOUT, "dropout_2", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_5", .units = 64, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_6", .units = 64, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_3", .side = 2},
    {LAYER_DROPOUT, "dropout_3", .rate = "0.25"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 256, .activation = "relu"},
    {LAYER_DROPOUT, "dropout_4", .rate = "0.5"},
    {LAYER_DENSE, "dense_2", .units = 10, .activation = "softmax"},
};
static const KerasLayer probe_wide_layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 64, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_1", .side = 2},
    {LAYER_DROPOUT, "dropout_1", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_2", .units = 128, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_3", .units = 32, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_2", .side = 2},
    {LAYER_DROPOUT, "dropout_2", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_4", .units = 128, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_5", .units = 256, .side = 3, .padding = "same",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_3", .side = 2},
    {LAYER_DROPOUT, "dropout_3", .rate = "0.25"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 384, .activation = "relu"},
    {LAYER_DROPOUT, "dropout_4", .rate = "0.5"},
    {LAYER_DENSE, "dense_2", .units = 10, .activation = "softmax"},
};
static const KerasLayer probe_valid_layers[] = {
    {LAYER_CONVOLUTION, "conv2d_1", .units = 32, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_2", .units = 64, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_1", .side = 2},
    {LAYER_DROPOUT, "dropout_1", .rate = "0.25"},
    {LAYER_CONVOLUTION, "conv2d_3", .units = 64, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_CONVOLUTION, "conv2d_4", .units = 128, .side = 3, .padding = "valid",
     .activation = "relu"},
    {LAYER_POOLING, "max_pooling2d_2", .side = 2},
    {LAYER_DROPOUT, "dropout_2", .rate = "0.25"},
    {LAYER_FLATTEN, .name = "flatten_1"},
    {LAYER_DENSE, "dense_1", .units = 768, .activation = "relu"},
    {LAYER_DROPOUT, "dropout_3", .rate = "0.5"},
    {LAYER_DENSE, "dense_2", .units = 10, .activation = "softmax"},
};

#define LAYERS(table) .layer_count = sizeof(table) / sizeof((table)[0]), .layers = (table)

#define MNIST(name)                                                                                \
    {                                                                                              \
        name, 28, 28, 1, LAYERS(mnist_layers),                                                     \
        {                                                                                          \
            "Adadelta", 1000000, "\"rho\": 0.95, \"decay\": 0.0, \"epsilon\": 1e-07", .slots = 2   \
        }                                                                                          \
    }

#define CIFAR(name, layers)                                                                        \
    {                                                                                              \
        name, 32, 32, 3, LAYERS(layers),                                                           \
        {                                                                                          \
            "RMSprop", 100, "\"rho\": 0.9, \"decay\": 1e-06, \"epsilon\": 1e-07", .slots = 1       \
        }                                                                                          \
    }

static const KerasNetwork networks[] = {
    CIFAR("keras_cifar10_cnn", cifar10_layers),
    CIFAR("keras_cifar10_cnn_deep", cifar10_deep_layers),
    CIFAR("probe_same", probe_same_layers),
    CIFAR("probe_wide", probe_wide_layers),
    CIFAR("probe_valid", probe_valid_layers),
    MNIST("keras_mnist_cnn"),
    MNIST("mnist_cnn"), // as its script is called
};

int32_t keras_network_count(void)
{
    return sizeof networks / sizeof networks[0];
}

const KerasNetwork *keras_network_at(int32_t index)
{
    return &networks[index];
}

const KerasNetwork *keras_network_find(const char *name)
{
    for (int32_t i = 0; i < keras_network_count(); i++)
        if (strcmp(networks[i].name, name) == 0)
            return &networks[i];
    return NULL;
}

/* --- Shapes --- */

KerasShape keras_layer_output(const KerasLayer *layer, KerasShape in)
{
    switch (layer->kind) {
    case LAYER_CONVOLUTION: {
        int32_t lost = strcmp(layer->padding, "same") == 0 ? 0 : layer->side - 1;
        return (KerasShape){in.height - lost, in.width - lost, layer->units};
    }
    case LAYER_POOLING:
        return (KerasShape){in.height / layer->side, in.width / layer->side, in.channels};
    case LAYER_FLATTEN:
        return (KerasShape){1, 1, in.height * in.width * in.channels};
    case LAYER_DENSE:
        return (KerasShape){1, 1, layer->units};
    case LAYER_ACTIVATION:
    case LAYER_DROPOUT:
        break;
    }
    return in;
}

static KerasWeight convolution_kernel(const KerasLayer *layer, KerasShape in)
{
    int64_t area = (int64_t)layer->side * layer->side;
    return (KerasWeight){.layer = layer->name,
                         .role = "kernel",
                         .rank = 4,
                         .shape = {layer->side, layer->side, in.channels, layer->units},
                         .count = area * in.channels * layer->units,
                         .fan_sum = area * (in.channels + layer->units)};
}

static KerasWeight dense_kernel(const KerasLayer *layer, KerasShape in)
{
    return (KerasWeight){.layer = layer->name,
                         .role = "kernel",
                         .rank = 2,
                         .shape = {in.channels, layer->units},
                         .count = (int64_t)in.channels * layer->units,
                         .fan_sum = in.channels + layer->units};
}

static KerasWeight bias_of(const KerasLayer *layer)
{
    return (KerasWeight){.layer = layer->name,
                         .role = "bias",
                         .rank = 1,
                         .shape = {layer->units},
                         .count = layer->units};
}

int32_t keras_layer_weights(const KerasLayer *layer, KerasShape in,
                            KerasWeight weights[KERAS_LAYER_WEIGHTS_MAX])
{
    bool is_convolution = layer->kind == LAYER_CONVOLUTION;
    if (!is_convolution && layer->kind != LAYER_DENSE)
        return 0;
    weights[0] = is_convolution ? convolution_kernel(layer, in) : dense_kernel(layer, in);
    weights[1] = bias_of(layer);
    return 2;
}

int32_t keras_network_weights(const KerasNetwork *network, KerasWeight weights[KERAS_WEIGHTS_MAX])
{
    int32_t count = 0;
    KerasShape flow = {network->height, network->width, network->channels};
    for (int32_t i = 0; i < network->layer_count; i++) {
        const KerasLayer *layer = &network->layers[i];
        invariant(count + KERAS_LAYER_WEIGHTS_MAX <= KERAS_WEIGHTS_MAX);
        count += keras_layer_weights(layer, flow, &weights[count]);
        flow = keras_layer_output(layer, flow);
    }
    return count;
}

/* --- JSON --- */

/* The settings that convolutions and dense layers have in common. */
static const char initializers[] =
    "\"use_bias\": true, \"kernel_initializer\": {\"class_name\": \"VarianceScaling\", "
    "\"config\": {\"scale\": 1.0, \"mode\": \"fan_avg\", \"distribution\": \"uniform\", "
    "\"seed\": null}}, \"bias_initializer\": {\"class_name\": \"Zeros\", \"config\": {}}, "
    "\"kernel_regularizer\": null, \"bias_regularizer\": null, \"activity_regularizer\": null, "
    "\"kernel_constraint\": null, \"bias_constraint\": null";

static const char *const class_names[] = {
    [LAYER_CONVOLUTION] = "Conv2D",   [LAYER_ACTIVATION] = "Activation",
    [LAYER_POOLING] = "MaxPooling2D", [LAYER_DROPOUT] = "Dropout",
    [LAYER_FLATTEN] = "Flatten",      [LAYER_DENSE] = "Dense",
};

static void layer_settings(const KerasLayer *layer, Text *json)
{
    int side = (int)layer->side;
    switch (layer->kind) {
    case LAYER_CONVOLUTION:
        text_printf(json,
                    "\"filters\": %d, \"kernel_size\": [%d, %d], \"strides\": [1, 1], "
                    "\"padding\": \"%s\", \"data_format\": \"channels_last\", "
                    "\"dilation_rate\": [1, 1], \"activation\": \"%s\", %s",
                    (int)layer->units, side, side, layer->padding, layer->activation, initializers);
        break;
    case LAYER_ACTIVATION:
        text_printf(json, "\"activation\": \"%s\"", layer->activation);
        break;
    case LAYER_POOLING:
        text_printf(json,
                    "\"pool_size\": [%d, %d], \"padding\": \"valid\", \"strides\": [%d, %d], "
                    "\"data_format\": \"channels_last\"",
                    side, side, side, side);
        break;
    case LAYER_DROPOUT:
        text_printf(json, "\"rate\": %s, \"noise_shape\": null, \"seed\": null", layer->rate);
        break;
    case LAYER_FLATTEN:
        text_add(json, "\"data_format\": \"channels_last\"");
        break;
    case LAYER_DENSE:
        text_printf(json, "\"units\": %d, \"activation\": \"%s\", %s", (int)layer->units,
                    layer->activation, initializers);
        break;
    }
}

void keras_model_config(const KerasNetwork *network, Text *json)
{
    text_add(json, "{\"class_name\": \"Sequential\", \"config\": {\"name\": \"sequential_1\", "
                   "\"layers\": [");
    for (int32_t i = 0; i < network->layer_count; i++) {
        const KerasLayer *layer = &network->layers[i];
        text_printf(json,
                    "%s{\"class_name\": \"%s\", \"config\": {\"name\": \"%s\", "
                    "\"trainable\": true, ",
                    i > 0 ? ", " : "", class_names[layer->kind], layer->name);
        if (i == 0)
            text_printf(json, "\"batch_input_shape\": [null, %d, %d, %d], \"dtype\": \"float32\", ",
                        (int)network->height, (int)network->width, (int)network->channels);
        layer_settings(layer, json);
        text_add(json, "}}");
    }
    text_add(json, "]}}");
}

void keras_training_config(const KerasNetwork *network, const char *optimizer_settings, Text *json)
{
    text_printf(json,
                "{\"optimizer_config\": {\"class_name\": \"%s\", \"config\": {%s}}, "
                "\"loss\": \"categorical_crossentropy\", "
                "\"metrics\": [\"accuracy\"], \"sample_weight_mode\": null, "
                "\"loss_weights\": null}",
                network->optimizer.class_name, optimizer_settings);
}

void keras_add_number(Text *json, double value)
{
    enum { DIGITS_MAX = 17 }; // enough to distinguish any two doubles
    char text[32];
    int digits = 1;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (strtod(text, NULL) != value && digits++ < DIGITS_MAX);
    text_add(json, text);
}

/* --- The JSON in a file --- */

/* Settings of a layer that decide what it computes from its weights; dropout's rate does not. */
static const char *const deciding[] = {
    "filters",   "kernel_size", "strides",  "padding",     "dilation_rate",    "activation",
    "pool_size", "units",       "use_bias", "data_format", "batch_input_shape"};

static const char *member_text(const Json *object, const char *key)
{
    const Json *member = json_member(object, key);
    return member && member->kind == JSON_STRING ? member->text : "";
}

/* A setting that is missing from the file is not compared: the version of Keras that wrote the file
 * did not have it, and computes as the expected setting does. */
/* The length of a name without its number. */
static size_t base_length(const char *name)
{
    const char *number = strrchr(name, '_');
    const bool has_number = number != NULL && number[1] != '\0' &&
                            strspn(number + 1, "0123456789") == strlen(number + 1);
    return has_number ? (size_t)(number - name) : strlen(name);
}

bool keras_name_is_alike(const char *name, const char *other)
{
    const size_t length = base_length(name);
    return length == base_length(other) && memcmp(name, other, length) == 0;
}

static bool check_layer(Arena *arena, const char *source, const Json *expected, const Json *found,
                        Status *status)
{
    const Json *config = json_member(expected, "config");
    const char *name = member_text(config, "name");
    const Json *found_config = json_member(found, "config");
    const char *found_name = member_text(found_config, "name");
    if (!keras_name_is_alike(name, found_name) ||
        strcmp(member_text(expected, "class_name"), member_text(found, "class_name")) != 0)
        return status_fail(status, STATUS_CONFLICT, place_in(source, 0, 0),
                           "is of another network: layer \"%s\" (%s) where \"%s\" (%s) is expected",
                           found_name, member_text(found, "class_name"), name,
                           member_text(expected, "class_name"));
    for (size_t i = 0; i < sizeof deciding / sizeof deciding[0]; i++) {
        const Json *right = json_member(config, deciding[i]);
        const Json *other = json_member(found_config, deciding[i]);
        if (right && other && !json_is_same(right, other))
            return status_fail(status, STATUS_CONFLICT, place_in(source, 0, 0),
                               "is of another network: \"%s\" of layer %s is %s, expected %s",
                               deciding[i], name, json_text(arena, other), json_text(arena, right));
    }
    return true;
}

static bool check_layers(Arena *arena, const char *source, const Json *expected, const Json *found,
                         Status *status)
{
    const Json *right = expected->first, *other = found->first;
    // Keras of TensorFlow 2 lists the input as a separate layer.
    if (other && strcmp(member_text(other, "class_name"), "InputLayer") == 0)
        other = other->next;
    for (; right && other; right = right->next, other = other->next)
        if (!check_layer(arena, source, right, other, status))
            return false;
    if (right || other)
        return status_fail(status, STATUS_CONFLICT, place_in(source, 0, 0),
                           "is of another network: it has %d layers, expected %d", found->count,
                           expected->count);
    return true;
}

bool keras_check_model_config(const KerasNetwork *network, const char *source, const char *json,
                              size_t length, Status *status)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Text ours = {0};
    keras_model_config(network, &ours);
    const Json *right = json_parse(arena, "ours", ours.data, ours.length, JSON_STRICT, &problems);
    const Json *found = json_parse(arena, source, json, length, JSON_STRICT, &problems);
    const Json *layers = json_find(found, "/config/layers");
    bool is_right;
    if (problems.count > 0)
        is_right = status_fail(status, STATUS_BAD_INPUT, place_in(source, 0, 0),
                               "its model_config is not JSON: %s", problems.items[0].message);
    else if (strcmp(member_text(found, "class_name"), "Sequential") != 0 || !layers ||
             layers->kind != JSON_ARRAY)
        is_right = status_fail(status, STATUS_BAD_INPUT, place_in(source, 0, 0),
                               "its model_config is not that of a Sequential model");
    else
        is_right = check_layers(arena, source, json_find(right, "/config/layers"), layers, status);
    text_free(&ours);
    arena_destroy(arena);
    return is_right;
}
