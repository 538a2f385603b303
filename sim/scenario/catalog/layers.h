/* A network of the catalogue: its layers, from JSON, and all that follows from them.
 *
 *     [
 *       "conv1 convolution 7x7/2 3>64 112x112, in 150528, out 802816, macs 118013952, tensors
 * 9408", "relu1 activation 64x112x112, in 802816, out 802816",
 *       ...
 *
 * Name, kind and shape; behind them in any order what it reads and writes, and, where it has any,
 * multiply-adds and the parameters of each tensor. sim/cloud/spec/catalog.h says what each of them
 * is. One text a layer, as a catalogue has thousands and is read at every start. */
#ifndef SIM_SCENARIO_CATALOG_LAYERS_H
#define SIM_SCENARIO_CATALOG_LAYERS_H

#include "sim/cloud/spec/catalog.h"
#include "sim/json/json.h"

/* Fills in the layers of `network` and every number that follows from them: parameters and their
 * gradients of 4 bytes each, tensors, multiply-adds, and the operations of a training step. Lives
 * in `arena`. False, with the place and what was expected in
 * `status`, when `json` is no list of layers or lists a network that computes or learns nothing. */
MUST_CHECK bool catalog_layers_read(Arena *arena, const Json *json, NetworkModel *network,
                                    Status *status);

/* "175 layers, 25,557,032 parameters in 161 tensors, 3.858 G multiply-adds". */
const char *catalog_layers_summary(Arena *arena, const NetworkModel *network);

#endif
