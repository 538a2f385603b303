/* `trainyard predict` for transformers. */
#ifndef TOOLS_TRAINYARD_PREDICT_TRANSFORMER_H
#define TOOLS_TRAINYARD_PREDICT_TRANSFORMER_H

#include "sim/scenario/catalog/read.h"
#include "sim/scenario/prediction.h"

typedef struct {
    const char *model; /* a name of "transformers", or a model file: *.json */
    const char *vm;
    const char *software; /* NULL: "megatron-core" */
    const char *layout;
    Wire wire;
    int64_t gpus;     /* 0: not given, one */
    int64_t sequence; /* tokens; 0: as the model has it */
    int64_t global_batch;
    const char *tokens; /* of the whole training: "1T"; NULL: not given */
    int64_t within_ns;  /* find the fewest nodes that train in this time; 0: not given */
    bool is_json;
} TransformerArguments;

/* Whether `model` is a transformer of the catalogue or a model file. */
bool predict_is_transformer(const Catalog *catalog, const char *model);
/* Predicts and prints; returns the exit code: 1 when the layout does not fit. */
int predict_transformer(Arena *arena, const Catalog *catalog,
                        const TransformerArguments *arguments);

#endif
