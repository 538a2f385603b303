/* The least memory that training needs on a GPU. Pure; from the layers of the catalogue.
 *
 * At 4 bytes a value, as fp32 and TF32 have them: the weights, and of the backward pass the largest
 * sum of
 *
 *     gradients      of the parameters of the layers that it has finished, which are held until
 *                    all ranks' are added up
 *     activations    that it still needs, of each image: the inputs of normalisations and the
 * outputs of activation functions. Convolutions and dense layers mostly read the latter, and
 *                    nothing is counted twice.
 *
 * Parts that differ from program to program are left out: the optimiser's state (momentum is as
 * large as the weights), images, the outputs of poolings, additions and concatenations, gradients
 * of activations, buffers of convolutions and of the exchange, the framework's and the driver's
 * own. So training that needs more than there is does not fit; training that needs less may not fit
 * either. */
#ifndef SIM_CLOUD_TRAINING_STEP_MEMORY_H
#define SIM_CLOUD_TRAINING_STEP_MEMORY_H

#include "sim/cloud/spec/catalog.h"

/* `batch` >= 1 images a step. For a network without layers: weights and gradients. */
int64_t step_memory_least_bytes(const NetworkModel *network, int64_t batch);

#endif
