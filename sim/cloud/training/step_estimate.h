/* What one step takes on one GPU alone, from what was measured on GPUs: exactly where the very same
 * was measured, and else by the nearest thing that was, with an error that grows on the way:
 *
 *     measured    this network, GPU and software; a batch between two measured ones lies on the
 *                 line between them, one beyond is t(b) = t(b') (b + idle) / (b' + idle), where
 *                 `idle` is how many more samples the GPU could take in the same time
 *     software    the same with other software, times the ratio of both, which is the median over
 *                 what was measured with both: on this GPU, or else on others; or else it is 1
 *     roofline    the layers one by one, arithmetic at the GPU's peak against memory, times the
 *                 median of measured / computed over the GPU's other networks (with this software
 *                 if any was measured there; or else with any; or else over all GPUs), times what
 *                 this network takes above or below its peers on other GPUs, and the framework's
 *                 overhead
 *     stages      the stages of a step were measured on this very device:
 * sim/cloud/training/layer_rates.h constants   rows tell nothing of this software, and do not
 * replace what the catalogue states: operations at the GPU's rate, and the overhead
 *
 * Rows that were measured with one process of an exchange count without what that is modelled to
 * take: half a cycle through the host, and what is handed over (sim/cloud/spec/catalog.h). Of the
 * same exchange a process alone so takes what it was measured to.
 *
 * Each doubling of the batch beyond what was measured, up or down, adds to the error.
 *
 * The error is what at least 95 % of the catalogue's rows stay within when each is estimated from
 * those of other software, networks or GPUs (tests/sim/cloud/training/test_step_estimate.c). Pure.
 */
#ifndef SIM_CORE_STEP_ESTIMATE_H
#define SIM_CORE_STEP_ESTIMATE_H

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
    int64_t error_ppm; /* of step_ns, either way; 0: nobody has compared CONSTANTS with anything */
    /* Where there is an exchange: what one process of it adds, alone with itself, as measured at
     * the batch that is nearest to this one (gradients do not depend on it), or else as modelled.
     */
    int64_t alone_ns;
    int64_t alone_error_ns; /* either way, unless error_ppm of both together covers it */
    int64_t alone_batch;    /* 0: it is modelled */
    const Throughput *row;  /* the nearest it rests on, or NULL: of several alike the first */
    int64_t held_ns;        /* what was taken off it, as modelled: one process of its exchange */
    int32_t row_count;      /* how many it rests on */
    int64_t factor_ppm;  /* SOFTWARE, ROOFLINE: what was measured in the middle; 0: nothing was */
    bool is_of_gpu;      /* SOFTWARE, ROOFLINE: that was on this GPU */
    bool is_other_batch; /* MEASURED, SOFTWARE: at other sizes of batch */
} StepEstimate;

/* The step of `program`, which trains, on one `gpu` that no other rank uses. */
StepEstimate step_estimate(const Program *program, const GpuModel *gpu);

#endif
