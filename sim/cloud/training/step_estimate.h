/* The time of one step on one GPU, from measurements of GPUs: exact where the same was measured,
 * else from the nearest measurement, with an error that grows on the way:
 *
 *     measured    this network, GPU and software; a batch between two measured ones is on the
 *                 line between them, one beyond is t(b) = t(b') (b + idle) / (b' + idle), where
 *                 `idle` is how many more samples the GPU could take in the same time
 *     software    the same with other software, times the ratio of both: the median over the
 *                 networks measured with both, on this GPU or else on others; or else it is 1
 *     roofline    the layers one by one, arithmetic at the GPU's peak against memory, times the
 *                 median of measured / computed over the GPU's other networks (with this software
 *                 if any was measured there; or else with any; or else over all GPUs), times the
 *                 ratio of this network to its peers on other GPUs, and the framework's overhead
 *     stages      the stages of a step were measured on this device (layer_rates.h)
 *     constants   no row applies to this software, and the rows do not replace the numbers of the
 *                 catalogue: operations at the GPU's rate, and the overhead
 *
 * Rows that were measured with one process of an exchange count without its modelled cost: half a
 * cycle through the host, and the hand-over (sim/cloud/spec/catalog.h). So one process of the same
 * exchange takes its measured time.
 *
 * Each doubling of the batch beyond the measured ones, up or down, adds to the error.
 *
 * At least 95 % of the catalogue's rows stay within the error when each is estimated from those of
 * other software, networks or GPUs (tests/sim/cloud/training/test_step_estimate.c). Pure. */
#ifndef SIM_CLOUD_TRAINING_STEP_ESTIMATE_H
#define SIM_CLOUD_TRAINING_STEP_ESTIMATE_H

#include "sim/cloud/spec/spec.h"

typedef enum {
    STEP_BASIS_MEASURED,
    STEP_BASIS_SOFTWARE,
    STEP_BASIS_ROOFLINE,
    STEP_BASIS_STAGES,
    STEP_BASIS_CONSTANTS
} StepBasis;

typedef struct {
    StepBasis basis;
    int64_t step_ns; /* forward, backward, update, without exchange; 0: STAGES, CONSTANTS */
    int64_t
        error_ppm; /* of step_ns, either way; 0: CONSTANTS were never compared with measurements */
    /* With an exchange: its cost for one process without others, as measured at the nearest batch
     * (gradients do not depend on it), or else as modelled. */
    int64_t alone_ns;
    int64_t alone_error_ns; /* either way, unless error_ppm of both together covers it */
    int64_t alone_batch;    /* 0: it is modelled */
    const Throughput *row;  /* the nearest it rests on, or NULL: of several alike the first */
    int64_t held_ns;        /* the modelled cost that was subtracted: one process of its exchange */
    int32_t row_count;      /* how many it rests on */
    int64_t factor_ppm;  /* SOFTWARE, ROOFLINE: the median of the measurements; 0: there are none */
    bool is_of_gpu;      /* SOFTWARE, ROOFLINE: that was on this GPU */
    bool is_other_batch; /* MEASURED, SOFTWARE: at other sizes of batch */
} StepEstimate;

/* The step of `program`, which trains, on one `gpu` that no other rank uses. */
StepEstimate step_estimate(const Program *program, const GpuModel *gpu);

#endif
