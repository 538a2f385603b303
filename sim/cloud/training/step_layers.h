/* When the backward pass of a step makes its gradients, layer by layer. Pure; from the catalogue
 * alone. */
#ifndef SIM_CLOUD_TRAINING_STEP_LAYERS_H
#define SIM_CLOUD_TRAINING_STEP_LAYERS_H

#include "sim/cloud/training/step_compute.h"
#include "sim/model/exchange.h"

/* Fills `gradients` [tensors of the network], in the order in which they come ready. The step
 * begins at 0 and its backward pass ends with step_compute_ns.
 *
 * Layers share the time of the backward pass in proportion to the time of each on the device:
 * arithmetic at the device's rate against moving activations, whichever takes longer (roofline_ns),
 * twice as much as in the forward pass, and once for the first layer with arithmetic, whose input
 * needs no gradient. A layer's gradients are ready with its end.
 *
 * For a network without layers only the end is known: all of its gradients come then, equally
 * large. */
void step_gradients(const StepCompute *compute, Gradient *gradients);

#endif
