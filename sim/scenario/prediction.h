/* The time of training a network on a number of GPUs, from the catalogue alone. It is the
 * simulator's plan of a step (sim/cloud/training/training.h), for a job that only performs steps on
 * images that are already on the node.
 *
 * Uncertainty: about 19 of 20 measurements should be within `uncertainty_ppm` of the images per
 * second, or, from 100 % on, within a factor of 1 + the uncertainty. It combines the
 * uncertainties of the parts of the step (as independent errors):
 *
 *     compute     the error of its estimate (sim/cloud/training/step_estimate.h)
 *     exchange    half of its time: rates of links, copies and additions are known only roughly;
 *                 more for software that was not measured (extra_error in the catalogue)
 *     contention  over InfiniBand on more than two nodes: the time that the exchange takes longer
 *                 if static routes meet (rdma_contended), times 1 - 2 / nodes
 *     wait        all of it: how unevenly steps take their time is an assumption
 *     the step    5 % on several GPUs: the assumed difference between equal runs
 *     rings       NCCL over Ethernet on GPUs whose equal runs differ more (rings_spread) */
#ifndef SIM_SCENARIO_PREDICTION_H
#define SIM_SCENARIO_PREDICTION_H

#include "sim/cloud/training/step_estimate.h"
#include "sim/cloud/training/training.h"
#include "sim/scenario/catalog/read.h"
#include "sim/scenario/catalog/wire.h"

#define COLLECTIVES(X)                                                                             \
    X(MPI_HOST, "mpi-host") /* MPI adds up in the memory of the host */                            \
    X(NCCL, "nccl")

typedef enum {
    COLLECTIVE_ANY = -1, /* the first of the collectives below that the software has */
#define X(name, text) COLLECTIVE_##name,
    COLLECTIVES(X)
#undef X
        COLLECTIVE_COUNT
} Collective;

typedef struct {
    const char *network;
    const char *vm_size;
    const char *stack; /* "tf1.8-horovod0.13.2" */
    Collective collective;
    Wire wire;     /* between nodes, and inside a node if its ranks connect through the adapter */
    int32_t gpus;  /* one rank on each; all GPUs of a node are used before the next node */
    int64_t batch; /* of each rank */
} PredictionRequest;

typedef struct {
    const NetworkModel *network;
    const VmSize *vm_size;
    const SoftwareStack *stack;
    Collective collective;          /* COLLECTIVE_ANY: one GPU, and software without an exchange */
    const ExchangeMethod *exchange; /* NULL for COLLECTIVE_ANY */
    Wire wire;                      /* WIRE_ANY: one node */
    bool loops_back;                /* ranks of a node talk through its InfiniBand adapter */
    bool is_forced;                 /* InfiniBand was requested, but this software did not use it */
    int32_t gpus;
    int32_t nodes;
    int64_t batch;
    StepParts parts; /* mean of a step */
    int64_t step_ns;
    int64_t micro_images_per_s;
    int64_t uncertainty_ppm;
    StepEstimate estimate; /* of one GPU's step */
    /* For each GPU (sim/cloud/training/step_memory.h). A training that does not fit is predicted
     * as if the GPU had more memory. */
    int64_t memory_least_bytes;
    bool may_fit;       /* the least memory fits into the GPU's; the training may still need more */
    int64_t batch_most; /* the largest batch, up to this one, that may fit; 0: none */
} Prediction;

/* STATUS_BAD_INPUT, with the nearest name or all names as a hint, when the request has a name that
 * is not in the catalogue, or names that cannot be combined. */
MUST_CHECK bool prediction_make(const Catalog *catalog, PredictionRequest request,
                                Prediction *prediction, Status *status);

/* Whether the uncertainty includes that static routes of InfiniBand may meet. */
bool prediction_may_contend(const Prediction *prediction);
/* How far equal runs of the prediction's rings differ, as a part of images per second; 0: as runs
 * of other GPUs. */
int64_t prediction_rings_spread_ppm(const Prediction *prediction);

/* "mpi-host"; NULL for COLLECTIVE_ANY */
const char *collective_name(Collective collective);
/* "ib-fdr"; NULL for WIRE_ANY */
const char *wire_name(Wire wire);

#endif
