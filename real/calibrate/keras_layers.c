#include "real/calibrate/keras_layers.h"

#include <string.h>

#include "sim/base/arena.h"

static int64_t values_of(KerasShape shape)
{
    return (int64_t)shape.height * shape.width * shape.channels;
}

/* "64x15x15" */
static const char *flow_text(Arena *arena, KerasShape at)
{
    return arena_printf(arena, "%dx%dx%d", at.channels, at.height, at.width);
}

/* "3x3/1 32>64 15x15" */
static const char *window_text(Arena *arena, int32_t side, int32_t stride, KerasShape in,
                               KerasShape out)
{
    return arena_printf(arena, "%dx%d/%d %d>%d %dx%d", side, side, stride, in.channels,
                        out.channels, out.height, out.width);
}

static NetworkLayer plain_layer(Arena *arena, const char *name, NetworkLayerKind kind,
                                KerasShape at)
{
    return (NetworkLayer){.name = name,
                          .kind = kind,
                          .shape = flow_text(arena, at),
                          .input_values = values_of(at),
                          .output_values = values_of(at)};
}

static NetworkLayer activation(Arena *arena, const char *name, const char *function, KerasShape at)
{
    return plain_layer(
        arena, name,
        strcmp(function, "softmax") == 0 ? NETWORK_LAYER_SOFTMAX : NETWORK_LAYER_ACTIVATION, at);
}

/* The bias is first, because its gradient is ready first. */
static void add_tensors(Arena *arena, const KerasLayer *keras, KerasShape in, NetworkLayer *layer)
{
    KerasWeight weights[KERAS_LAYER_WEIGHTS_MAX];
    layer->tensor_count = keras_layer_weights(keras, in, weights);
    int64_t *values = ARENA_ARRAY(arena, int64_t, layer->tensor_count);
    for (int32_t i = 0; i < layer->tensor_count; i++)
        values[i] = weights[layer->tensor_count - 1 - i].count;
    layer->tensor_values = values;
}

static NetworkLayer product(Arena *arena, const KerasLayer *keras, KerasShape in, KerasShape out)
{
    const bool is_dense = keras->kind == LAYER_DENSE;
    NetworkLayer layer = {
        .name = keras->name,
        .kind = is_dense ? NETWORK_LAYER_DENSE : NETWORK_LAYER_CONVOLUTION,
        .shape = is_dense ? arena_printf(arena, "%lld>%d", (long long)values_of(in), keras->units)
                          : window_text(arena, keras->side, 1, in, out),
        .input_values = values_of(in),
        .output_values = values_of(out)};
    add_tensors(arena, keras, in, &layer);
    layer.forward_macs =
        layer.tensor_values[layer.tensor_count - 1] * (int64_t)out.height * out.width;
    return layer;
}

static NetworkLayer pooling(Arena *arena, const KerasLayer *keras, KerasShape in, KerasShape out)
{
    return (NetworkLayer){.name = keras->name,
                          .kind = NETWORK_LAYER_POOLING,
                          .shape = window_text(arena, keras->side, keras->side, in, out),
                          .input_values = values_of(in),
                          .output_values = values_of(out)};
}

/* Writes the catalogue's layers of `keras` and returns their number: 0, 1, or 2 with an activation.
 */
static int32_t add_layer(Arena *arena, const KerasLayer *keras, KerasShape in, NetworkLayer *layers)
{
    const KerasShape out = keras_layer_output(keras, in);
    switch (keras->kind) {
    case LAYER_CONVOLUTION:
    case LAYER_DENSE:
        layers[0] = product(arena, keras, in, out);
        if (strcmp(keras->activation, "linear") == 0)
            return 1;
        layers[1] = activation(arena, arena_printf(arena, "%s/%s", keras->name, keras->activation),
                               keras->activation, out);
        return 2;
    case LAYER_ACTIVATION:
        layers[0] = activation(arena, keras->name, keras->activation, out);
        return 1;
    case LAYER_POOLING:
        layers[0] = pooling(arena, keras, in, out);
        return 1;
    case LAYER_DROPOUT:
        layers[0] = plain_layer(arena, keras->name, NETWORK_LAYER_DROPOUT, out);
        return 1;
    case LAYER_FLATTEN:
        break;
    }
    return 0;
}

const NetworkLayer *keras_layers(Arena *arena, const KerasNetwork *network, int32_t *count)
{
    NetworkLayer *layers = ARENA_ARRAY(arena, NetworkLayer, 2 * network->layer_count);
    KerasShape flow = {network->height, network->width, network->channels};
    *count = 0;
    for (int32_t i = 0; i < network->layer_count; i++) {
        *count += add_layer(arena, &network->layers[i], flow, &layers[*count]);
        flow = keras_layer_output(&network->layers[i], flow);
    }
    return layers;
}
