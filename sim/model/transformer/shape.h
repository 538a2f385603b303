/* A transformer, dense or a mixture of experts: its shape, and the parameters and operations that
 * follow from it.
 *
 *     matmul parameters of a layer   P = h (q + k + v) + o h + (3 gated | 2) h f
 *     of the network                 N = L P + V h
 *
 * q, k, v and o are the widths of queries, keys, values and of the output of all heads. In a plain
 * transformer q = o = h and k = v = kv h / heads. The head counts once, whether it shares the
 * weights of the input embedding or not, because the embedding is a look-up. A multiply-add is two
 * operations.
 *
 *     operations of training on a token   6 N + 6 L s (q + o)   attention counted in full
 *                                         6 N + 3 L s (q + o)   causal attention, as computed
 *
 * In a plain transformer 6 L s (q + o) = 12 L h s.
 *
 * A layer with experts has the router (h matmul parameters for each expert), the shared experts and
 * the routed ones in place of the MLP. N counts the routed experts that a token takes, so all
 * operations are those of active parameters. Nothing is counted for choosing and moving tokens.
 *
 * Multi-head latent attention computes keys and values, and queries if they are compressed, from
 * latents of a token:
 *
 *     h c_q + c_q q   or h q          queries
 *     h (c + r) + c (k - heads r + v) keys and values; r rotary values, which all heads share
 *
 * Sources: Kaplan et al., Scaling laws for neural language models, arXiv:2001.08361; Korthikanti et
 * al., Reducing activation recomputation in large transformer models, arXiv:2205.05198; Shazeer et
 * al., Outrageously large neural networks, arXiv:1701.06538; DeepSeek-AI, DeepSeek-V2,
 * arXiv:2405.04434, section 2.1.
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

/* The kinds of layers of a model. */
typedef enum {
    BLOCK_DENSE,   /* with an MLP */
    BLOCK_EXPERTS, /* with experts */
    BLOCK_KIND_COUNT
} BlockKind;

/* The experts of a layer that has them. */
typedef struct {
    int64_t count;        /* routed experts; 0: the model is dense, and no other member counts */
    int64_t chosen;       /* those that a token takes */
    int64_t mlp;          /* width of a routed expert */
    int64_t shared;       /* experts that every token takes */
    int64_t shared_mlp;   /* width of each of them */
    int64_t dense_first;  /* the first layers have none */
    int64_t every;        /* of the others, each whose number from 1 on is a multiple of it has */
    bool has_router_bias; /* a parameter for each routed expert */
    bool has_shared_gate; /* h parameters that weight the shared experts */
    int64_t
        imbalance_ppm; /* copies of tokens that the busiest of the ranks which divide the experts
                          takes, relative to the mean; 0: not stated, for shapes alone */
} TransformerExperts;

/* Widths of multi-head latent attention. */
typedef struct {
    int64_t keys;    /* of the latent of keys and values; 0: attention has no latents */
    int64_t queries; /* of the latent of queries; 0: they have none */
    int64_t rotary;  /* part of `head` whose keys all heads share */
} TransformerLatents;

typedef struct {
    TransformerKind kind;
    int64_t layers;
    int64_t hidden;
    int64_t mlp;      /* width of the MLP */
    bool is_gated;    /* the MLP has three matrices (SwiGLU), otherwise two */
    int64_t heads;    /* divides `hidden`, unless `head` is given */
    int64_t kv_heads; /* of keys and values; divides `heads` */
    int64_t head;     /* width of a head's queries and keys; 0: hidden / heads */
    int64_t value;    /* width of a head's values; 0: as its keys */
    TransformerLatents latents;
    TransformerExperts experts;
    int64_t vocabulary;
    int64_t sequence;         /* the tokens of a sequence */
    bool is_tied;             /* the head has the weights of the input embedding */
    int64_t positions;        /* learned embeddings of positions; 0: rotary, ALiBi or none */
    bool has_biases;          /* of linear layers and norms (LayerNorm); otherwise RMSNorm */
    bool norms_differ;        /* only norms have biases, or all but norms have */
    int64_t other_parameters; /* those that the members above do not imply */
} TransformerShape;

/* Fails with STATUS_BAD_INPUT at `at` when a token takes more experts than there are, or when no
 * layer has any. */
MUST_CHECK bool transformer_experts_check(const TransformerShape *shape, Place at, Status *status);
/* Fails with STATUS_BAD_INPUT at `at` when experts cannot be, when heads do not divide the hidden
 * size or one another, when latent attention has fewer key heads than heads, or when the counts
 * below would not be exact in int64. Widths and counts must be > 0, unless 0 has a meaning above,
 * and at most 2^31. */
MUST_CHECK bool transformer_shape_check(const TransformerShape *shape, Place at, Status *status);

/* Widths of all heads together, for one token. */
typedef struct {
    int64_t queries, keys, values;
    int64_t output;  /* of the heads: the input of the last matmul of attention */
    int64_t latents; /* of queries, keys and values; 0 without latent attention */
} AttentionWidths;

AttentionWidths transformer_attention_widths(const TransformerShape *shape);

bool transformer_has_experts(const TransformerShape *shape);
/* Layers by kind. */
typedef struct {
    int64_t of[BLOCK_KIND_COUNT];
} LayerCounts;

/* Those among the layers `from` to `to` - 1, counted from 0. */
LayerCounts transformer_layers(const TransformerShape *shape, int64_t from, int64_t to);

/* Matmul parameters of a layer that a token meets, without biases and norms. */
int64_t transformer_layer_matrix_parameters(const TransformerShape *shape, BlockKind kind);
/* All parameters of a layer but its routed experts. */
int64_t transformer_layer_parameters(const TransformerShape *shape, BlockKind kind);
/* Those of one norm of the residual stream. */
int64_t transformer_norm_parameters(const TransformerShape *shape);
/* All parameters of a routed expert; 0 in a dense model. */
int64_t transformer_expert_parameters(const TransformerShape *shape);
/* All parameters, each once: with embeddings, and the head if it is not tied. */
int64_t transformer_parameters(const TransformerShape *shape);
/* Those that a token meets: without the routed experts that it does not take. */
int64_t transformer_active_parameters(const TransformerShape *shape);
/* N of the formulas above. */
int64_t transformer_matrix_parameters(const TransformerShape *shape);

typedef enum {
    ATTENTION_IN_FULL,     /* 6 L s (q + o) */
    ATTENTION_AS_COMPUTED, /* half of it for a decoder */
} AttentionConvention;

/* Operations of a forward and a backward pass for each token; recomputed ones do not count. */
int64_t transformer_flops_per_token(const TransformerShape *shape, AttentionConvention convention);

#endif
