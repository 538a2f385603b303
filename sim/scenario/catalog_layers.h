/* A network of the catalogue: its layers, from JSON, and all that follows from them.
 *
 *     [
 *       {"name": "conv1", "kind": "convolution", "shape": "7x7/2 3>64 112x112",
 *        "macs": 118013952, "in": 150528, "out": 802816, "tensors": [9408]},
 *       {"name": "relu1", "kind": "activation", "shape": "64x112x112", "in": 802816, "out":
 * 802816},
 *       ...
 *
 * A layer without multiply-adds or parameters leaves "macs" or "tensors" out. sim/core/catalog.h
 * says what each of them is. */
#ifndef SIM_SCENARIO_CATALOG_LAYERS_H
#define SIM_SCENARIO_CATALOG_LAYERS_H

#include "sim/core/catalog.h"
#include "sim/json/json.h"

/* Fills in the layers of `network` and every number that follows from them: parameters and their
 * gradients of 4 bytes each, tensors, multiply-adds, and the operations of a training step. Lives
 * in `arena`, names are borrowed from `json`. False, with the place and what was expected in
 * `status`, when `json` is no list of layers or lists a network that computes or learns nothing. */
MUST_CHECK bool catalog_layers_read(Arena *arena, const Json *json, NetworkModel *network,
                                    Status *status);

/* "175 layers, 25,557,032 parameters in 161 tensors, 3.858 G multiply-adds". */
const char *catalog_layers_summary(Arena *arena, const NetworkModel *network);

#endif
