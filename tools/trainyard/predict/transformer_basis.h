/* The sources of a transformer's prediction, as lines below its figures. */
#ifndef TOOLS_TRAINYARD_PREDICT_TRANSFORMER_BASIS_H
#define TOOLS_TRAINYARD_PREDICT_TRANSFORMER_BASIS_H

#include "sim/scenario/transformer/prediction.h"

enum { TRANSFORMER_BASIS_MOST = 16 };

typedef struct {
    int32_t count;
    const char *lines[TRANSFORMER_BASIS_MOST]; /* "measured: ..."; in the arena */
} TransformerBasis;

/* `has_costs`: prices are among the figures. */
TransformerBasis transformer_basis(Arena *arena, const Catalog *catalog,
                                   const TransformerPrediction *prediction, bool has_costs);

#endif
