/* Initializers of two published transformers. */
#ifndef TESTS_SUPPORT_TRANSFORMER_SHAPES_H
#define TESTS_SUPPORT_TRANSFORMER_SHAPES_H

#include "sim/base/units.h"
#include "sim/model/transformer/shape.h"

#define LLAMA3_8B_SHAPE                                                                            \
    {                                                                                              \
        .layers = 32, .hidden = 4096, .mlp = 14336, .is_gated = true, .heads = 32, .kv_heads = 8,  \
        .vocabulary = 128256, .sequence = 8192                                                     \
    }

/* With balanced experts. */
#define MIXTRAL_8X7B_SHAPE                                                                         \
    {                                                                                              \
        .layers = 32, .hidden = 4096, .mlp = 14336, .is_gated = true, .heads = 32, .kv_heads = 8,  \
        .vocabulary = 32000, .sequence = 4096, .experts = {                                        \
            .count = 8,                                                                            \
            .chosen = 2,                                                                           \
            .mlp = 14336,                                                                          \
            .every = 1,                                                                            \
            .imbalance_ppm = PPM                                                                   \
        }                                                                                          \
    }

#endif
