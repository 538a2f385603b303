/* The step of a network that was not measured on a GPU, from its layers and from the GPU's other
 * networks: the basis "roofline" of step_estimate.h. */
#ifndef SIM_CLOUD_TRAINING_STEP_ROOFLINE_H
#define SIM_CLOUD_TRAINING_STEP_ROOFLINE_H

#include "sim/cloud/training/step_estimate.h"
#include "sim/cloud/training/step_rows.h"

StepEstimate step_from_layers(const Throughputs *all, Key key, int64_t batch);

#endif
