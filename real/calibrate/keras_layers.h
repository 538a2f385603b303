/* The layers of a Keras network as the catalogue describes layers (NetworkLayer in
 * sim/cloud/spec/catalog.h, made by tools/networks.py): by kind and shape they find each other. */
#ifndef REAL_KERAS_LAYERS_H
#define REAL_KERAS_LAYERS_H

#include "sim/cloud/spec/catalog.h"
#include "sim/formats/keras_network.h"

/* In the order of the forward pass, with an activation that is part of a layer behind it; `*count`
 * of them, in `arena`. */
const NetworkLayer *keras_layers(Arena *arena, const KerasNetwork *network, int32_t *count);

#endif
