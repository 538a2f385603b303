/* A lower bound of the memory that training needs on a GPU. Pure; based on the layers of the
 * catalogue.
 *
 * At 4 bytes a value, as in fp32 and TF32: the weights, plus the largest sum during the backward
 * pass of
 *
 * - the gradients of the layers that it has finished, which are kept until the exchange, and
 * - the activations of each image that it still needs: the inputs of normalisations and the outputs
 *   of activation functions. Convolutions and dense layers mostly read the latter; no value is
 *   counted twice.
 *
 * Not included is memory that differs between programs: the optimiser's state (momentum is as large
 * as the weights), images, the outputs of poolings, additions and concatenations, gradients of
 * activations, buffers of convolutions and of the exchange, the framework and the driver. A
 * training that exceeds the memory does not fit; a training that does not exceed it may not fit
 * either. */
#ifndef SIM_CLOUD_TRAINING_STEP_MEMORY_H
#define SIM_CLOUD_TRAINING_STEP_MEMORY_H

#include "sim/cloud/spec/catalog.h"

/* `batch` >= 1 images a step. For a network without layers: weights and gradients. */
int64_t step_memory_least_bytes(const NetworkModel *network, int64_t batch);
/* The largest batch, up to `batch`, whose least memory is at most `bytes`. 0: one image does not
 * fit. */
int64_t step_memory_batch_most(const NetworkModel *network, int64_t batch, int64_t bytes);

#endif
