/* The Keras Sequential networks that we can save: one table from network to layers, which feeds the
 * weights' shapes and the JSON descriptions. */
#ifndef SIM_FORMATS_KERAS_NETWORK_H
#define SIM_FORMATS_KERAS_NETWORK_H

#include "sim/base/status.h"
#include "sim/base/text.h"

typedef enum {
    LAYER_CONVOLUTION,
    LAYER_ACTIVATION,
    LAYER_POOLING,
    LAYER_DROPOUT,
    LAYER_FLATTEN,
    LAYER_DENSE,
} LayerKind;

typedef struct {
    LayerKind kind;
    const char *name;       /* as Keras numbers them: "conv2d_1" */
    int32_t units;          /* filters of a convolution, outputs of a dense layer */
    int32_t side;           /* of a convolution's kernel or of a pool */
    const char *padding;    /* of a convolution: "same" or "valid" */
    const char *activation; /* of a convolution, an activation or a dense layer */
    const char *rate;       /* of a dropout */
} KerasLayer;

typedef struct {
    const char *class_name;      /* "RMSprop" */
    int64_t learning_rate_micro; /* of one rank, millionths */
    const char *settings;        /* the rest of its configuration, JSON members */
    int32_t slots;               /* variables kept per weight */
} KerasOptimizer;

typedef struct {
    const char *name;
    int32_t height, width, channels; /* of an input */
    int32_t layer_count;
    const KerasLayer *layers;
    KerasOptimizer optimizer;
} KerasNetwork;

/* The data between two layers, for one image: [height][width][channels], or 1 x 1 x values after
 * the image has been flattened. */
typedef struct {
    int32_t height, width, channels;
} KerasShape;

/* One tensor of weights: a kernel or the bias that follows it. */
typedef struct {
    const char *layer;
    const char *role; /* "kernel" or "bias" */
    int32_t rank;
    int64_t shape[4];
    int64_t count;   /* the product of the shape */
    int64_t fan_sum; /* inputs plus outputs of a unit, for Glorot's limit; 0 for a bias */
} KerasWeight;

enum { KERAS_WEIGHTS_MAX = 32, KERAS_LAYER_WEIGHTS_MAX = 2 };

/* The table, in its order: 0 to count - 1. Networks called probe_... are for calibration: their
 * layers cover a range of shapes, and their results are not used. */
int32_t keras_network_count(void);
const KerasNetwork *keras_network_at(int32_t index);
/* NULL when the network is not in the table. */
const KerasNetwork *keras_network_find(const char *name);
/* The output of a layer for the input `in`; an incomplete pool at the border is dropped. */
KerasShape keras_layer_output(const KerasLayer *layer, KerasShape in);
/* The tensors of one layer: kernel and bias, or none; returns how many. */
int32_t keras_layer_weights(const KerasLayer *layer, KerasShape in,
                            KerasWeight weights[KERAS_LAYER_WEIGHTS_MAX]);
/* The network's tensors in the order of its layers; returns how many. */
int32_t keras_network_weights(const KerasNetwork *network, KerasWeight weights[KERAS_WEIGHTS_MAX]);
/* The JSON that Keras keeps in `model_config` and `training_config`. `optimizer_settings` are the
 * members of the optimizer's configuration: "\"lr\": 0.0004, \"rho\": 0.9". */
void keras_model_config(const KerasNetwork *network, Text *json);
void keras_training_config(const KerasNetwork *network, const char *optimizer_settings, Text *json);
/* Adds the shortest decimal number that reads back as exactly `value`, which is finite:
 * "0.0004", "1e-06", as Python prints it but without ".0" after a whole number. */
void keras_add_number(Text *json, double value);
/* Whether two names of layers are the same but for their numbers: "conv2d" and "conv2d_1". */
bool keras_name_is_alike(const char *name, const char *other);
/* Whether the text of a `model_config` describes this network: the same layers in the same
 * order, with the same names but for their numbers, and the same settings that decide what they
 * compute. STATUS_BAD_INPUT with the first difference. */
MUST_CHECK bool keras_check_model_config(const KerasNetwork *network, const char *source,
                                         const char *json, size_t length, Status *status);

#endif
