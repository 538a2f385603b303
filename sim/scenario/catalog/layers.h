/* A network of the catalogue: its layers, from JSON, and the totals that follow from them.
 *
 *     [
 *       "conv1 convolution 7x7/2 3>64 112x112, in 150528, out 802816, macs 118013952,
 *        tensors 9408",
 *       "relu1 activation 64x112x112, in 802816, out 802816",
 *       ...
 *
 * (The first text is one line in the file.) A layer has a name, a kind and a shape, then in any
 * order the values that it reads and writes and, if it has any, multiply-adds and the parameters of
 * each tensor. sim/cloud/spec/catalog.h defines them. A layer is one text, because a catalogue has
 * thousands of layers and is read at every start. */
#ifndef SIM_SCENARIO_CATALOG_LAYERS_H
#define SIM_SCENARIO_CATALOG_LAYERS_H

#include "sim/cloud/spec/catalog.h"
#include "sim/json/json.h"

/* Fills in the layers of `network` and the totals that follow from them: parameters and their
 * gradients of 4 bytes each, tensors, multiply-adds, and the operations of training on one sample.
 * Layers live in `arena`. False, with the place and the expected form in `status`, when `json` is
 * not a list of layers, or when no layer has multiply-adds or none has parameters. */
MUST_CHECK bool catalog_layers_read(Arena *arena, const Json *json, NetworkModel *network,
                                    Status *status);

/* "175 layers, 25,557,032 parameters in 161 tensors, 3.858 G multiply-adds". */
const char *catalog_layers_summary(Arena *arena, const NetworkModel *network);

#endif
