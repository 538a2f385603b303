#include "sim/model/transformer/shape.h"

#include <inttypes.h>

/* Keeps bytes of parameters, 18 times as many, within int64. */
#define OPERATIONS_MOST 1e18

AttentionWidths transformer_attention_widths(const TransformerShape *shape)
{
    const int64_t head = shape->head > 0 ? shape->head : shape->hidden / shape->heads;
    const int64_t value = shape->value > 0 ? shape->value : head;
    const TransformerLatents *latents = &shape->latents;
    return (AttentionWidths){
        .queries = shape->heads * head,
        .keys = shape->kv_heads * head,
        .values = shape->kv_heads * value,
        .output = shape->heads * value,
        .latents = latents->keys > 0 ? latents->queries + latents->keys + latents->rotary : 0,
    };
}

bool transformer_has_experts(const TransformerShape *shape)
{
    return shape->experts.count > 0;
}

/* Layers with experts among the first `count`. */
static int64_t first_with_experts(const TransformerExperts *experts, int64_t count)
{
    const int64_t dense = count < experts->dense_first ? count : experts->dense_first;
    return count / experts->every - dense / experts->every;
}

LayerCounts transformer_layers(const TransformerShape *shape, int64_t from, int64_t to)
{
    if (!transformer_has_experts(shape))
        return (LayerCounts){.of = {[BLOCK_DENSE] = to - from}};
    const int64_t with_experts =
        first_with_experts(&shape->experts, to) - first_with_experts(&shape->experts, from);
    return (LayerCounts){
        .of = {[BLOCK_DENSE] = to - from - with_experts, [BLOCK_EXPERTS] = with_experts}};
}

/* --- Checks --- */

static bool check_heads(const TransformerShape *shape, Place at, Status *status)
{
    if (shape->head == 0 && shape->hidden % shape->heads != 0) {
        status_fail(status, STATUS_BAD_INPUT, at, "%" PRId64 " heads do not divide hidden %" PRId64,
                    shape->heads, shape->hidden);
        return status_hint(status, "hidden is heads times the width of a head, or give head_width");
    }
    if (shape->heads % shape->kv_heads != 0) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "%" PRId64 " kv_heads do not divide %" PRId64 " heads", shape->kv_heads,
                    shape->heads);
        return status_hint(status, "each key head serves the same number of heads");
    }
    if (shape->latents.keys > 0 && shape->kv_heads != shape->heads) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "latent attention with %" PRId64 " kv_heads and %" PRId64 " heads",
                    shape->kv_heads, shape->heads);
        return status_hint(status, "each head has its own keys; leave kv_heads out");
    }
    return true;
}

bool transformer_experts_check(const TransformerShape *shape, Place at, Status *status)
{
    const TransformerExperts *experts = &shape->experts;
    if (!transformer_has_experts(shape))
        return true;
    if (experts->chosen > experts->count) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "a token takes %" PRId64 " of %" PRId64 " experts", experts->chosen,
                    experts->count);
        return status_hint(status, "per_token is at most count");
    }
    if (transformer_layers(shape, 0, shape->layers).of[BLOCK_EXPERTS] > 0)
        return true;
    status_fail(status, STATUS_BAD_INPUT, at, "none of %" PRId64 " layers has experts",
                shape->layers);
    return status_hint(status, "dense_first and every must leave some");
}

/* Parameters and operations of a token as a double, which does not overflow. */
static bool check_size(const TransformerShape *shape, Place at, Status *status)
{
    const TransformerExperts *experts = &shape->experts;
    const double h = (double)shape->hidden;
    const double widths = (double)experts->count * (double)experts->mlp +
                          (double)experts->shared * (double)experts->shared_mlp;
    const double of_each = 2 * h + 1; // router, biases
    const double experts_all =
        (3 * h + 2) * widths + h + of_each * ((double)experts->count + (double)experts->shared);
    const double with_experts = transformer_has_experts(shape) ? experts_all : 0;
    const double head = shape->head > 0 ? (double)shape->head : h / (double)shape->heads;
    const double value = shape->value > 0 ? (double)shape->value : head;
    const double width = (double)shape->heads * (head > value ? head : value);
    const double latents = (double)shape->latents.keys + (double)shape->latents.queries +
                           (double)shape->latents.rotary;
    const double layer = 4 * h * width + latents * (h + 3 * width) + 3 * h * (double)shape->mlp +
                         16 * (h + width) + 2 * (double)shape->mlp + with_experts;
    const double vocabulary = 2 * h * ((double)shape->vocabulary + (double)shape->positions);
    const double all = (double)shape->layers * (layer + 2 * width * (double)shape->sequence) +
                       vocabulary + (double)shape->other_parameters;
    if (6 * all < OPERATIONS_MOST)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "training this model on one token takes more than 1e18 operations");
}

bool transformer_shape_check(const TransformerShape *shape, Place at, Status *status)
{
    return check_heads(shape, at, status) && transformer_experts_check(shape, at, status) &&
           check_size(shape, at, status);
}

/* --- Counts --- */

static int64_t attention_matrices(const TransformerShape *shape)
{
    const AttentionWidths widths = transformer_attention_widths(shape);
    const TransformerLatents *latents = &shape->latents;
    const int64_t h = shape->hidden, output = widths.output * h;
    if (latents->keys == 0)
        return h * (widths.queries + widths.keys + widths.values) + output;
    const int64_t queries =
        latents->queries > 0 ? latents->queries * (h + widths.queries) : h * widths.queries;
    const int64_t expanded = widths.keys - shape->heads * latents->rotary + widths.values;
    return queries + h * (latents->keys + latents->rotary) + latents->keys * expanded + output;
}

static int64_t mlp_matrices(const TransformerShape *shape, int64_t width)
{
    return (shape->is_gated ? 3 : 2) * shape->hidden * width;
}

static int64_t mlp_biases(const TransformerShape *shape, int64_t width)
{
    return shape->has_biases ? (shape->is_gated ? 2 : 1) * width + shape->hidden : 0;
}

/* Without routed experts. */
static int64_t layer_matrices(const TransformerShape *shape, BlockKind kind)
{
    const TransformerExperts *experts = &shape->experts;
    if (kind == BLOCK_DENSE)
        return attention_matrices(shape) + mlp_matrices(shape, shape->mlp);
    return attention_matrices(shape) + experts->count * shape->hidden +
           experts->shared * mlp_matrices(shape, experts->shared_mlp) +
           (experts->has_shared_gate ? shape->hidden : 0);
}

int64_t transformer_layer_matrix_parameters(const TransformerShape *shape, BlockKind kind)
{
    const TransformerExperts *experts = &shape->experts;
    return layer_matrices(shape, kind) +
           (kind == BLOCK_EXPERTS ? experts->chosen * mlp_matrices(shape, experts->mlp) : 0);
}

int64_t transformer_norm_parameters(const TransformerShape *shape)
{
    return shape->hidden * (shape->has_biases != shape->norms_differ ? 2 : 1);
}

/* Latents of attention have norms, but not the rotary part. */
static int64_t latent_norms(const TransformerShape *shape)
{
    return shape->latents.keys > 0 ? shape->latents.keys + shape->latents.queries : 0;
}

static int64_t layer_biases(const TransformerShape *shape, BlockKind kind)
{
    const AttentionWidths widths = transformer_attention_widths(shape);
    const TransformerExperts *experts = &shape->experts;
    const int64_t attention =
        shape->has_biases ? widths.queries + widths.keys + widths.values + shape->hidden : 0;
    if (kind == BLOCK_DENSE)
        return attention + mlp_biases(shape, shape->mlp);
    return attention + experts->shared * mlp_biases(shape, experts->shared_mlp) +
           (experts->has_router_bias ? experts->count : 0);
}

int64_t transformer_layer_parameters(const TransformerShape *shape, BlockKind kind)
{
    return layer_matrices(shape, kind) + 2 * transformer_norm_parameters(shape) +
           latent_norms(shape) + layer_biases(shape, kind);
}

int64_t transformer_expert_parameters(const TransformerShape *shape)
{
    const int64_t width = shape->experts.mlp;
    return transformer_has_experts(shape) ? mlp_matrices(shape, width) + mlp_biases(shape, width)
                                          : 0;
}

/* All parameters, with `experts` routed experts in each layer that has them. */
static int64_t parameters_with(const TransformerShape *shape, int64_t experts)
{
    const int64_t h = shape->hidden;
    const LayerCounts counts = transformer_layers(shape, 0, shape->layers);
    int64_t layers = 0;
    for (int kind = 0; kind < BLOCK_KIND_COUNT; kind++)
        layers += counts.of[kind] * transformer_layer_parameters(shape, (BlockKind)kind);
    const int64_t routed =
        counts.of[BLOCK_EXPERTS] * experts * transformer_expert_parameters(shape);
    const int64_t embeddings = shape->vocabulary * h * (shape->is_tied ? 1 : 2);
    return layers + routed + embeddings + shape->positions * h +
           transformer_norm_parameters(shape) + shape->other_parameters;
}

int64_t transformer_parameters(const TransformerShape *shape)
{
    return parameters_with(shape, shape->experts.count);
}

int64_t transformer_active_parameters(const TransformerShape *shape)
{
    return parameters_with(shape, shape->experts.chosen);
}

int64_t transformer_matrix_parameters(const TransformerShape *shape)
{
    const LayerCounts counts = transformer_layers(shape, 0, shape->layers);
    int64_t layers = 0;
    for (int kind = 0; kind < BLOCK_KIND_COUNT; kind++)
        layers += counts.of[kind] * transformer_layer_matrix_parameters(shape, (BlockKind)kind);
    return layers + shape->vocabulary * shape->hidden;
}

int64_t transformer_flops_per_token(const TransformerShape *shape, AttentionConvention convention)
{
    const bool is_half = convention == ATTENTION_AS_COMPUTED && shape->kind == TRANSFORMER_DECODER;
    const AttentionWidths widths = transformer_attention_widths(shape);
    return 6 * transformer_matrix_parameters(shape) +
           (is_half ? 3 : 6) * shape->layers * shape->sequence * (widths.queries + widths.output);
}
