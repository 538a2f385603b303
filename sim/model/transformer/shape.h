/* A dense transformer: its shape, and the parameters and operations that follow from it.
 *
 *     matmul parameters of a layer   P = h (h + 2 kv d) + h^2 + (3 gated | 2) h f,  d = h / heads
 *     of the network                 N = L P + V h
 *
 * The head counts once, whether it shares the weights of the input embedding or not, because the
 * embedding is a look-up. A multiply-add is two operations.
 *
 *     operations of training on a token   6 N + 12 L h s   attention counted in full
 *                                         6 N +  6 L h s   causal attention, counted as computed
 *
 * Sources: Kaplan et al., Scaling laws for neural language models, arXiv:2001.08361; Korthikanti et
 * al., Reducing activation recomputation in large transformer models, arXiv:2205.05198.
 *
 * All counts are exact: transformer_shape_check() keeps them within int64. */
#ifndef SIM_MODEL_TRANSFORMER_SHAPE_H
#define SIM_MODEL_TRANSFORMER_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/status.h"

#define TRANSFORMER_KINDS(X)                                                                       \
    X(DECODER, "decoder") /* causal attention, trained on every token */                           \
    X(ENCODER, "encoder") /* attention in both directions */

typedef enum {
#define X(name, text) TRANSFORMER_##name,
    TRANSFORMER_KINDS(X)
#undef X
        TRANSFORMER_KIND_COUNT
} TransformerKind;

typedef struct {
    TransformerKind kind;
    int64_t layers;
    int64_t hidden;
    int64_t mlp;      /* width of the MLP */
    bool is_gated;    /* the MLP has three matrices (SwiGLU), otherwise two */
    int64_t heads;    /* divides `hidden` */
    int64_t kv_heads; /* of keys and values; divides `heads` */
    int64_t vocabulary;
    int64_t sequence;         /* the tokens of a sequence */
    bool is_tied;             /* the head has the weights of the input embedding */
    int64_t positions;        /* learned embeddings of positions; 0: rotary, ALiBi or none */
    bool has_biases;          /* of linear layers and norms (LayerNorm); otherwise RMSNorm */
    int64_t other_parameters; /* those that the members above do not imply */
} TransformerShape;

/* Fails with STATUS_BAD_INPUT at `at` when heads do not divide the hidden size or one another, or
 * when the counts below would not be exact in int64. The members must be > 0 and at most 2^31. */
MUST_CHECK bool transformer_shape_check(const TransformerShape *shape, Place at, Status *status);

/* Matmul parameters of a layer, without biases and norms. */
int64_t transformer_layer_matrix_parameters(const TransformerShape *shape);
/* All parameters of a layer. */
int64_t transformer_layer_parameters(const TransformerShape *shape);
/* All parameters, each once: with embeddings, and the head if it is not tied. */
int64_t transformer_parameters(const TransformerShape *shape);
/* N of the formulas above. */
int64_t transformer_matrix_parameters(const TransformerShape *shape);

typedef enum {
    ATTENTION_IN_FULL,     /* 12 L h s */
    ATTENTION_AS_COMPUTED, /* half of it for a decoder */
} AttentionConvention;

/* Operations of a forward and a backward pass for each token; recomputed ones do not count. */
int64_t transformer_flops_per_token(const TransformerShape *shape, AttentionConvention convention);

#endif
