/* The stages of a step on a device that was measured (sim/cloud/spec/catalog.h, DeviceTimes): each
 * layer as long as its shape took, or as its kind takes where that shape was not measured. Pure. */
#ifndef SIM_CLOUD_TRAINING_LAYER_RATES_H
#define SIM_CLOUD_TRAINING_LAYER_RATES_H

#include "sim/base/status.h"
#include "sim/cloud/spec/spec.h"

const char *step_precision_word(StepPrecision precision); /* "fp32" */

typedef struct {
    const GpuModel *device; /* with times */
    StepPrecision precision;
    int32_t ranks;        /* that compute on the machine */
    int32_t ranks_on_one; /* ... and take turns on the busiest device */
} LayerRates;

typedef enum { PASS_FORWARD, PASS_BACKWARD } LayerPass;

/* All layers in one direction; the loss belongs to the forward pass. */
int64_t layer_rates_pass_ns(const LayerRates *rates, const NetworkModel *network, LayerPass pass,
                            int64_t batch);
/* Fetching and augmenting, which the trainer does before the forward pass. */
int64_t layer_rates_input_ns(const LayerRates *rates, int64_t batch);
int64_t layer_rates_update_ns(const LayerRates *rates, const NetworkModel *network);

/* One layer by the formula of its kind, on a rank alone. */
int64_t layer_rates_kind_ns(const KindTime *kind, const NetworkLayer *layer, int64_t batch);

/* Whether all of these rates are known; else STATUS_BAD_INPUT at `at`, naming the missing one. */
MUST_CHECK bool layer_rates_check(const LayerRates *rates, const NetworkModel *network, Place at,
                                  Status *status);

#endif
