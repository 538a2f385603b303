/* Estimates the time of one step on one GPU from measurements of GPUs. The further the nearest
 * measurement is from the step, the larger is the error:
 *
 *     measured    this network, GPU and software; a batch between two measured ones is on the
 *                 line between them, one beyond is t(b) = t(b') (b + idle) / (b' + idle), where
 *                 `idle` is how many more samples the GPU could process in the same time
 *     software    the same with other software, times the ratio of both: the median over the
 *                 networks measured with both, on this GPU, else on others; 1 if there are none
 *     roofline    the sum over the layers, the larger of arithmetic at the GPU's peak and memory,
 *                 times the median of measured / computed over the GPU's other networks (with this
 *                 software, else with any, else over all GPUs), times the ratio of this network to
 *                 its peers on other GPUs, plus the framework's overhead
 *     stages      the stages of a step were measured on this device (layer_rates.h)
 *     constants   no row applies to this software, and the rows do not replace the numbers of the
 *                 catalogue: operations at the GPU's rate, and the overhead
 *
 * From rows that were measured with one process of an exchange, the modelled cost of the exchange
 * is subtracted: half a cycle through the host, and the hand-over (sim/cloud/spec/catalog.h). It is
 * added again for one process of the same exchange, which so takes its measured time.
 *
 * Each doubling or halving of the batch beyond the measured ones adds to the error. So do small
 * layers, which leave most of a GPU idle, unless several batches show how much.
 *
 * At least 95 % of the catalogue's rows stay within the error when each is estimated from those of
 * other software, networks or GPUs (sim/scenario/coverage.h). Pure. */
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
    int64_t step_ns;   /* forward, backward, update, without exchange; 0: STAGES, CONSTANTS */
    int64_t error_ppm; /* of step_ns, either way; 0: CONSTANTS, whose error is unknown */
    /* With an exchange: its cost for a single process, as measured at the nearest batch (gradients
     * do not depend on the batch), or else as modelled. */
    int64_t alone_ns;
    int64_t alone_error_ns; /* of alone_ns, either way; 0: included in error_ppm */
    int64_t alone_batch;    /* the batch at which alone_ns was measured; 0: it is modelled */
    const Throughput *row;  /* the nearest row used, of several alike the first; or NULL */
    int64_t held_ns;        /* the modelled cost of the exchange that was subtracted from `row` */
    int32_t row_count;      /* the number of rows used */
    int64_t factor_ppm;     /* SOFTWARE, ROOFLINE: the factor on the time; 0: unknown */
    bool is_of_gpu;         /* SOFTWARE, ROOFLINE: the factor was measured on this GPU */
    bool is_other_batch;    /* MEASURED, SOFTWARE: from measurements of other batches */
} StepEstimate;

/* The step of `program`, which trains, on one `gpu` that no other rank uses. */
StepEstimate step_estimate(const Program *program, const GpuModel *gpu);

#endif
