/* A network as the backends compute it: the layers of a Keras network (sim/formats/keras_network.h)
 * with their shapes and with the place of every weight in one contiguous arena.
 *
 * Activations are NHWC floats, [batch][height][width][channels]. The arena holds kernel, bias,
 * kernel, bias, ... in layer order, in Keras' own layouts: a convolution's kernel is HWIO
 * [side][side][in][out], a dense kernel [in][out], and flattening keeps the order H, W, C. So
 * saving a model is a copy, and the gradients of all layers are one piece for the exchange between
 * ranks.
 *
 * Activations of Keras are folded: ReLU belongs to the layer before it, softmax to the loss;
 * flatten is no layer here. */
#ifndef TRAINER_NET_H
#define TRAINER_NET_H

#include "sim/base/status.h"
#include "sim/formats/keras_network.h"

typedef enum { NET_CONVOLUTION, NET_POOL, NET_DROPOUT, NET_DENSE } NetKind;

typedef KerasShape NetShape;

typedef struct {
    NetKind kind;
    const char *name; /* as Keras has it: "conv2d_1" */
    NetShape in, out; /* of one image; a dense layer's are {1, 1, values} */
    int32_t
        side; /* of a convolution's kernel or a pool; both step as Keras has it: by 1, by side */
    int32_t padding;            /* zeros on each side of a convolution's input: 0 or side / 2 */
    bool has_relu;              /* its output is max(0, x) */
    int32_t dropped_of_256;     /* dropout: a value is dropped when its random byte is below */
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
        layers[NET_LAYERS_MAX]; /* the last is dense, without ReLU: its output are the logits */
    int64_t parameter_count;    /* floats in the arena: 1,250,858 of keras_cifar10_cnn */
} Net;

/* STATUS_BAD_INPUT, naming those that there are, for a network that is not in the table or that
 * cannot be trained here (its optimizer is not RMSprop, its input not that of CIFAR-10). */
MUST_CHECK bool net_build(const char *name, Net *net, Status *status);

/* Values of one image between layers. */
static inline int64_t net_size(NetShape shape)
{
    return (int64_t)shape.height * shape.width * shape.channels;
}

/* The initial weights into an arena of `parameter_count` floats: Glorot-uniform kernels (within
 * sqrt(6 / (fan_in + fan_out)); Glorot and Bengio, AISTATS 2010), zero biases. A function of the
 * seed alone, the same bits on every machine. */
void net_initial_weights(const Net *net, uint64_t seed, float *weights);

/* Multiply-adds of one image: forward, and backward (weights' gradients of every layer, and inputs'
 * of every layer but the first). A training step of n images takes 2 * n * (forward + backward)
 * floating-point operations: 3.926e9 with 32 images of keras_cifar10_cnn. */
int64_t net_forward_macs(const Net *net);
int64_t net_backward_macs(const Net *net);

#endif
