#include "sim/model/transformer/shape.h"

#include <inttypes.h>

/* Keeps bytes of parameters, 18 times as many, within int64. */
#define OPERATIONS_MOST 1e18

static int64_t kv_width(const TransformerShape *shape)
{
    return shape->hidden / shape->heads * shape->kv_heads;
}

bool transformer_shape_check(const TransformerShape *shape, Place at, Status *status)
{
    if (shape->hidden % shape->heads != 0) {
        status_fail(status, STATUS_BAD_INPUT, at, "%" PRId64 " heads do not divide hidden %" PRId64,
                    shape->heads, shape->hidden);
        return status_hint(status, "hidden is heads times the width of a head");
    }
    if (shape->heads % shape->kv_heads != 0) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "%" PRId64 " kv_heads do not divide %" PRId64 " heads", shape->kv_heads,
                    shape->heads);
        return status_hint(status, "each key head serves the same number of heads");
    }
    const double h = (double)shape->hidden;
    const double layer = 4 * h * h + 3 * h * (double)shape->mlp + 16 * h + 2 * (double)shape->mlp;
    const double vocabulary = 2 * h * ((double)shape->vocabulary + (double)shape->positions);
    const double all = (double)shape->layers * (layer + 2 * h * (double)shape->sequence) +
                       vocabulary + (double)shape->other_parameters;
    if (6 * all < OPERATIONS_MOST)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "training this model on one token takes more than 1e18 operations");
}

int64_t transformer_layer_matrix_parameters(const TransformerShape *shape)
{
    const int64_t h = shape->hidden;
    return h * (h + 2 * kv_width(shape)) + h * h + (shape->is_gated ? 3 : 2) * h * shape->mlp;
}

/* Two norms; with biases also those of the four or five linear layers. */
int64_t transformer_layer_parameters(const TransformerShape *shape)
{
    const int64_t h = shape->hidden;
    const int64_t norms = 2 * h * (shape->has_biases ? 2 : 1);
    const int64_t attention = h + 2 * kv_width(shape) + h;
    const int64_t mlp = (shape->is_gated ? 2 : 1) * shape->mlp + h;
    return transformer_layer_matrix_parameters(shape) + norms +
           (shape->has_biases ? attention + mlp : 0);
}

int64_t transformer_parameters(const TransformerShape *shape)
{
    const int64_t h = shape->hidden;
    const int64_t embeddings = shape->vocabulary * h * (shape->is_tied ? 1 : 2);
    const int64_t last_norm = h * (shape->has_biases ? 2 : 1);
    return shape->layers * transformer_layer_parameters(shape) + embeddings + shape->positions * h +
           last_norm + shape->other_parameters;
}

int64_t transformer_matrix_parameters(const TransformerShape *shape)
{
    return shape->layers * transformer_layer_matrix_parameters(shape) +
           shape->vocabulary * shape->hidden;
}

int64_t transformer_flops_per_token(const TransformerShape *shape, AttentionConvention convention)
{
    const bool is_half = convention == ATTENTION_AS_COMPUTED && shape->kind == TRANSFORMER_DECODER;
    return 6 * transformer_matrix_parameters(shape) +
           (is_half ? 6 : 12) * shape->layers * shape->hidden * shape->sequence;
}
