#include "trainer/compute/net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "trainer/base/random.h"
#include "trainer/data/dataset.h"

/* --- Conversion of Keras' layers --- */

static NetLayer *layer_add(Net *net, NetKind kind, const KerasLayer *layer, NetShape in)
{
    invariant(net->layer_count < NET_LAYERS_MAX);
    NetLayer *added = &net->layers[net->layer_count++];
    *added = (NetLayer){.kind = kind,
                        .name = layer->name,
                        .in = in,
                        .out = keras_layer_output(layer, in),
                        .side = layer->side,
                        .kernel_at = -1,
                        .bias_at = -1};
    return added;
}

/* Appends the layer's weights to the arena. */
static void add_weights(Net *net, NetLayer *layer, const KerasLayer *keras)
{
    KerasWeight weights[KERAS_LAYER_WEIGHTS_MAX];
    int32_t count = keras_layer_weights(keras, layer->in, weights);
    invariant(count == 2);
    layer->kernel_at = net->parameter_count;
    layer->kernel_count = weights[0].count;
    layer->bias_at = layer->kernel_at + layer->kernel_count;
    layer->bias_count = weights[1].count;
    layer->fan_sum = weights[0].fan_sum;
    net->parameter_count = layer->bias_at + layer->bias_count;
}

static void add_convolution(Net *net, const KerasLayer *keras, NetShape in)
{
    NetLayer *layer = layer_add(net, NET_CONVOLUTION, keras, in);
    invariant(keras->side % 2 == 1);
    // The rows that a kernel removes and the output still has were added as padding, half on each
    // side.
    layer->padding = (layer->out.height - in.height + layer->side - 1) / 2;
    add_weights(net, layer, keras);
}

static void add_dense(Net *net, const KerasLayer *keras, NetShape in)
{
    add_weights(net, layer_add(net, NET_DENSE, keras, in), keras);
}

static void add_dropout(Net *net, const KerasLayer *keras, NetShape in)
{
    double of_256 = strtod(keras->rate, NULL) * 256.0;
    NetLayer *layer = layer_add(net, NET_DROPOUT, keras, in);
    layer->dropped_of_256 = (int32_t)of_256;
    invariant((double)layer->dropped_of_256 == of_256); // the rates in the table are k / 256
}

/* ReLU becomes part of the layer before it; softmax belongs to the loss. */
static void add_activation(Net *net, const char *activation)
{
    if (strcmp(activation, "relu") != 0)
        return;
    NetLayer *before = &net->layers[net->layer_count - 1];
    invariant(net->layer_count > 0 && before->kernel_count > 0);
    before->has_relu = true;
}

static void add_layer(Net *net, const KerasLayer *keras, NetShape in)
{
    switch (keras->kind) {
    case LAYER_CONVOLUTION:
        add_convolution(net, keras, in);
        add_activation(net, keras->activation);
        break;
    case LAYER_DENSE:
        add_dense(net, keras, in);
        add_activation(net, keras->activation);
        break;
    case LAYER_ACTIVATION:
        add_activation(net, keras->activation);
        break;
    case LAYER_POOLING:
        layer_add(net, NET_POOL, keras, in);
        break;
    case LAYER_DROPOUT:
        add_dropout(net, keras, in);
        break;
    case LAYER_FLATTEN:
        break;
    }
}

static bool is_for_cifar(const KerasNetwork *keras)
{
    return keras->height == IMAGE_SIDE && keras->width == IMAGE_SIDE &&
           keras->channels == IMAGE_CHANNELS && strcmp(keras->optimizer.class_name, "RMSprop") == 0;
}

static bool fail_unknown(const char *name, Status *status)
{
    Text names = {0};
    for (int32_t i = 0; i < keras_network_count(); i++)
        if (is_for_cifar(keras_network_at(i)))
            text_printf(&names, "%s%s", names.length > 0 ? ", " : "", keras_network_at(i)->name);
    status_fail(status, STATUS_BAD_INPUT, place_in("trainyard: --network", 0, 0),
                "network \"%s\" cannot be trained here", name);
    status_hint(status, "networks that can be trained: %s", text_string(&names));
    text_free(&names);
    return false;
}

bool net_build(const char *name, Net *net, Status *status)
{
    const KerasNetwork *keras = keras_network_find(name);
    if (!keras || !is_for_cifar(keras))
        return fail_unknown(name, status);
    *net = (Net){.keras = keras, .input = {keras->height, keras->width, keras->channels}};
    NetShape flow = net->input;
    for (int32_t i = 0; i < keras->layer_count; i++) {
        add_layer(net, &keras->layers[i], flow);
        flow = keras_layer_output(&keras->layers[i], flow);
    }
    net->class_count = flow.channels;
    const NetLayer *last = &net->layers[net->layer_count - 1];
    invariant(last->kind == NET_DENSE && !last->has_relu && net->class_count == CLASS_COUNT);
    return true;
}

/* --- Weights --- */

void net_initial_weights(const Net *net, uint64_t seed, float *weights)
{
    memset(weights, 0, (size_t)net->parameter_count * sizeof *weights);
    for (int32_t i = 0; i < net->layer_count; i++) {
        const NetLayer *layer = &net->layers[i];
        if (layer->kernel_count == 0)
            continue;
        float limit = (float)sqrt(6.0 / (double)layer->fan_sum);
        RandomAddress at = {.use = RANDOM_WEIGHTS, .layer = (uint32_t)i};
        float *kernel = weights + layer->kernel_at;
        for (int64_t w = 0; w < layer->kernel_count; w += 4, at.block++) {
            PhiloxBlock words = random_words(seed, at);
            for (int32_t k = 0; k < 4 && w + k < layer->kernel_count; k++)
                kernel[w + k] = limit * (2.0f * random_unit(words.word[k]) - 1.0f);
        }
    }
}

/* --- Work --- */

static int64_t layer_macs(const NetLayer *layer)
{
    return layer->kernel_count * layer->out.height * layer->out.width;
}

int64_t net_forward_macs(const Net *net)
{
    int64_t macs = 0;
    for (int32_t i = 0; i < net->layer_count; i++)
        macs += layer_macs(&net->layers[i]);
    return macs;
}

int64_t net_backward_macs(const Net *net)
{
    return 2 * net_forward_macs(net) - layer_macs(&net->layers[0]);
}
