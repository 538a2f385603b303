/* The output of `trainyard predict` for a network of images. */
#ifndef TOOLS_TRAINYARD_PREDICT_NETWORK_H
#define TOOLS_TRAINYARD_PREDICT_NETWORK_H

#include "sim/scenario/prediction.h"
#include "sim/schema/field.h"

/* The JSON output, as `trainyard schema predict-answer` describes it. */
typedef struct {
    const char *model, *vm;
    int64_t gpus, nodes, batch;
    const char *framework;
    const char *collective, *network, *caveat; /* NULL: none */
    int64_t micro_images_per_s, step_ns;
    int64_t input_ns, compute_ns, exchange_ns, wait_ns; /* parts of the step */
    int64_t uncertainty_ppm;
    int64_t memory_least_bytes, memory_bytes;
    bool may_fit;
    int64_t batch_most;
    const char *const *basis;
    uint32_t basis_count;
} NetworkAnswer;

extern const ObjectType network_answer_type;

/* Prints the prediction and its basis, as text or as JSON. */
void predict_network_print(Arena *arena, const Catalog *catalog, const Prediction *prediction,
                           bool is_json);

#endif
