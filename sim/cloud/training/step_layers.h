/* When the gradients of a step become ready, layer by layer. Pure; based on the catalogue only. */
#ifndef SIM_CLOUD_TRAINING_STEP_LAYERS_H
#define SIM_CLOUD_TRAINING_STEP_LAYERS_H

#include "sim/cloud/training/step_compute.h"
#include "sim/model/exchange.h"

/* Fills `gradients` [tensors of the network], in the order in which they become ready. The step
 * begins at 0 and its backward pass ends at step_compute_ns.
 *
 * Each layer has a part of the backward pass in proportion to its time on the device: the larger of
 * arithmetic and moving activations (roofline_ns), twice the forward time. For the first layer with
 * arithmetic it is once the forward time, because its input needs no gradient. The gradients of a
 * layer are ready at its end.
 *
 * For a network without layers, all gradients have the same size and are ready at the end. */
void step_gradients(const StepCompute *compute, Gradient *gradients);

#endif
