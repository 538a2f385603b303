/* The time of the stages of a step on a measured device (sim/cloud/spec/catalog.h, DeviceTimes).
 * The time of a layer is that of its shape, or of its kind if the shape was not measured. Pure. */
#ifndef SIM_CLOUD_TRAINING_LAYER_RATES_H
#define SIM_CLOUD_TRAINING_LAYER_RATES_H

#include "sim/base/status.h"
#include "sim/cloud/spec/spec.h"

const char *step_precision_word(StepPrecision precision); /* "fp32" */

typedef struct {
    const GpuModel *device; /* with times */
    StepPrecision precision;
    int32_t ranks;        /* ranks that compute on the machine */
    int32_t ranks_on_one; /* ranks that take turns on the busiest device */
} LayerRates;

typedef enum { PASS_FORWARD, PASS_BACKWARD } LayerPass;

/* The time of all layers in one direction; the forward pass includes the loss. */
int64_t layer_rates_pass_ns(const LayerRates *rates, const NetworkModel *network, LayerPass pass,
                            int64_t batch);
/* The time of fetching and augmenting, which the trainer does before the forward pass. */
int64_t layer_rates_input_ns(const LayerRates *rates, int64_t batch);
int64_t layer_rates_update_ns(const LayerRates *rates, const NetworkModel *network);

/* The parameters of all tensors of a layer. */
int64_t layer_parameters(const NetworkLayer *layer);
/* The time of one layer by the formula of its kind, on a single rank. */
int64_t layer_rates_kind_ns(const KindTime *kind, const NetworkLayer *layer, int64_t batch);

/* Checks that all rates for `network` are known. If not, STATUS_BAD_INPUT at `at` names a missing
 * one. */
MUST_CHECK bool layer_rates_check(const LayerRates *rates, const NetworkModel *network, Place at,
                                  Status *status);

#endif
