/* What training holds in the memory of a GPU at the least. Pure; from the layers of the catalogue.
 *
 * At 4 bytes a value, as fp32 and TF32 have them: the weights, and of the backward pass the largest
 * sum of
 *
 *     gradients      of the parameters of the layers that it is through with, which are held until
 *                    all ranks' are added up
 *     activations    that it still needs, of each image: what normalisations read and activation
 *                    functions put out. Convolutions and dense layers mostly read the latter, and
 *                    nothing is counted twice.
 *
 * Left out is what is not the same everywhere: the optimiser's state (momentum is as large as the
 * weights), images, what poolings, additions and concatenations put out, gradients of activations,
 * buffers of convolutions and of the exchange, the framework's and the driver's own. So training
 * that needs more than there is does not fit; training that needs less may not fit either. */
#ifndef SIM_CORE_STEP_MEMORY_H
#define SIM_CORE_STEP_MEMORY_H

#include "sim/cloud/spec/catalog.h"

/* `batch` >= 1 images a step. Of a network without layers weights and gradients. */
int64_t step_memory_least_bytes(const NetworkModel *network, int64_t batch);

#endif
