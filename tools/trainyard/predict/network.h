/* The output of `trainyard predict` for a network of images. */
#ifndef TOOLS_TRAINYARD_PREDICT_NETWORK_H
#define TOOLS_TRAINYARD_PREDICT_NETWORK_H

#include "sim/scenario/prediction.h"

/* Prints the prediction and its basis, as text or as JSON. */
void predict_network_print(Arena *arena, const Catalog *catalog, const Prediction *prediction,
                           bool is_json);

#endif
