#include "sim/formats/keras_network.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/invariant.h"

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
// 1,342,122 parameters. For judging predictions by a network that no calibration has seen.
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

#define LAYERS(table) .layer_count = sizeof(table) / sizeof((table)[0]), .layers = (table)

static const KerasNetwork networks[] = {
    {"keras_cifar10_cnn",
     32,
     32,
     3,
     LAYERS(cifar10_layers),
     {"RMSprop", 100, "\"rho\": 0.9, \"decay\": 1e-06, \"epsilon\": 1e-07", .slots = 1}},
    {"keras_cifar10_cnn_deep",
     32,
     32,
     3,
     LAYERS(cifar10_deep_layers),
     {"RMSprop", 100, "\"rho\": 0.9, \"decay\": 1e-06, \"epsilon\": 1e-07", .slots = 1}},
    {"keras_mnist_cnn",
     28,
     28,
     1,
     LAYERS(mnist_layers),
     {"Adadelta", 1000000, "\"rho\": 0.95, \"decay\": 0.0, \"epsilon\": 1e-07", .slots = 2}},
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

/* What flows between two layers: an image of channels, or after flattening 1 x 1 x values. */
typedef struct {
    int64_t height, width, channels;
} Activations;

static Activations layer_output(const KerasLayer *layer, Activations in)
{
    switch (layer->kind) {
    case LAYER_CONVOLUTION: {
        int64_t lost = strcmp(layer->padding, "same") == 0 ? 0 : layer->side - 1;
        return (Activations){in.height - lost, in.width - lost, layer->units};
    }
    case LAYER_POOLING: // an incomplete pool at the border is dropped
        return (Activations){in.height / layer->side, in.width / layer->side, in.channels};
    case LAYER_FLATTEN:
        return (Activations){1, 1, in.height * in.width * in.channels};
    case LAYER_DENSE:
        return (Activations){1, 1, layer->units};
    case LAYER_ACTIVATION:
    case LAYER_DROPOUT:
        break;
    }
    return in;
}

static KerasWeight convolution_kernel(const KerasLayer *layer, Activations in)
{
    int64_t area = (int64_t)layer->side * layer->side;
    return (KerasWeight){.layer = layer->name,
                         .role = "kernel",
                         .rank = 4,
                         .shape = {layer->side, layer->side, in.channels, layer->units},
                         .count = area * in.channels * layer->units,
                         .fan_sum = area * (in.channels + layer->units)};
}

static KerasWeight dense_kernel(const KerasLayer *layer, Activations in)
{
    return (KerasWeight){.layer = layer->name,
                         .role = "kernel",
                         .rank = 2,
                         .shape = {in.channels, layer->units},
                         .count = in.channels * layer->units,
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

int32_t keras_network_weights(const KerasNetwork *network, KerasWeight weights[KERAS_WEIGHTS_MAX])
{
    int32_t count = 0;
    Activations flow = {network->height, network->width, network->channels};
    for (int32_t i = 0; i < network->layer_count; i++) {
        const KerasLayer *layer = &network->layers[i];
        bool is_convolution = layer->kind == LAYER_CONVOLUTION;
        if (is_convolution || layer->kind == LAYER_DENSE) {
            invariant(count + 2 <= KERAS_WEIGHTS_MAX);
            weights[count++] =
                is_convolution ? convolution_kernel(layer, flow) : dense_kernel(layer, flow);
            weights[count++] = bias_of(layer);
        }
        flow = layer_output(layer, flow);
    }
    return count;
}

/* --- JSON --- */

/* What convolutions and dense layers have in common. */
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

void keras_training_config(const KerasNetwork *network, int32_t ranks, Text *json)
{
    const KerasOptimizer *optimizer = &network->optimizer;
    int64_t rate_micro = optimizer->learning_rate_micro * ranks;
    text_printf(json,
                "{\"optimizer_config\": {\"class_name\": \"%s\", \"config\": {\"lr\": %" PRId64
                ".%06" PRId64 ", %s}}, \"loss\": \"categorical_crossentropy\", "
                "\"metrics\": [\"accuracy\"], \"sample_weight_mode\": null, "
                "\"loss_weights\": null}",
                optimizer->class_name, rate_micro / 1000000, rate_micro % 1000000,
                optimizer->settings);
}
