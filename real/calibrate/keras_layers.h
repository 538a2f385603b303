/* Converts the layers of a Keras network to the catalogue's description (NetworkLayer in
 * sim/cloud/spec/catalog.h, made by tools/networks.py). Kind and shape identify a layer in both. */
#ifndef REAL_KERAS_LAYERS_H
#define REAL_KERAS_LAYERS_H

#include "sim/cloud/spec/catalog.h"
#include "sim/formats/keras_network.h"

/* Returns the `*count` layers in the order of the forward pass, in `arena`. An activation that is
 * part of a layer follows it as a separate layer. */
const NetworkLayer *keras_layers(Arena *arena, const KerasNetwork *network, int32_t *count);

#endif
