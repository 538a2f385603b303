/* The network that backends compute: the layers of a Keras network (sim/formats/keras_network.h)
 * with their shapes and the position of every weight in one contiguous arena.
 *
 * Activations are NHWC floats, [batch][height][width][channels]. The arena holds kernel, bias,
 * kernel, bias, ... in layer order, in Keras' layouts: a convolution's kernel is HWIO
 * [side][side][in][out], a dense kernel [in][out], and flattening keeps the order H, W, C. Saving a
 * model is therefore a copy, and ranks exchange the gradients of all layers as one array.
 *
 * Keras' activation layers are merged: ReLU is part of the layer before it, softmax part of the
 * loss. Flatten is not a layer here. */
#ifndef TRAINER_NET_H
#define TRAINER_NET_H

#include "sim/base/status.h"
#include "sim/formats/keras_network.h"

typedef enum { NET_CONVOLUTION, NET_POOL, NET_DROPOUT, NET_DENSE } NetKind;

typedef KerasShape NetShape;

typedef struct {
    NetKind kind;
    const char *name;           /* Keras' name: "conv2d_1" */
    NetShape in, out;           /* of one image; a dense layer's are {1, 1, values} */
    int32_t side;               /* of a convolution's kernel (step 1) or a pool (step `side`) */
    int32_t padding;            /* zeros on each side of a convolution's input: 0 or side / 2 */
    bool has_relu;              /* its output is max(0, x) */
    int32_t dropped_of_256;     /* dropout: a value is dropped if its random byte is below */
    int64_t kernel_at, bias_at; /* places in the arena, in floats */
    int64_t kernel_count, bias_count;
    int64_t fan_sum; /* inputs plus outputs of a unit, for Glorot's limit */
} NetLayer;

enum { NET_LAYERS_MAX = 32 };

typedef struct {
    const KerasNetwork *keras;
    NetShape input;
    int32_t class_count;
    int32_t layer_count;
    NetLayer
        layers[NET_LAYERS_MAX]; /* the last is dense, without ReLU: its outputs are the logits */
    int64_t parameter_count;    /* floats in the arena: 1,250,858 for keras_cifar10_cnn */
} Net;

/* Fails with STATUS_BAD_INPUT if the network is unknown, its optimizer is not RMSprop, or its input
 * is not that of CIFAR-10. The hint lists the networks that can be trained. */
MUST_CHECK bool net_build(const char *name, Net *net, Status *status);

/* The number of values in a shape. */
static inline int64_t net_size(NetShape shape)
{
    return (int64_t)shape.height * shape.width * shape.channels;
}

/* Writes the initial weights to an arena of `parameter_count` floats: Glorot-uniform kernels
 * (within sqrt(6 / (fan_in + fan_out)); Glorot and Bengio, AISTATS 2010), zero biases. They depend
 * only on the seed: the same bits on every machine. */
void net_initial_weights(const Net *net, uint64_t seed, float *weights);

/* Multiply-adds of one image: forward, and backward (weights' gradients of every layer, and
 * inputs' of every layer except the first). A training step of n images takes 2 * n * (forward +
 * backward) floating-point operations: 3.926e9 with 32 images of keras_cifar10_cnn. */
int64_t net_forward_macs(const Net *net);
int64_t net_backward_macs(const Net *net);

#endif
