/* The means of training a transformer: GPUs with measured rates, links with measured times, and
 * software with fitted constants. All values are in the catalogue
 * (scenarios/catalog/transformers.json), each with its source; tools/transformer_fit.py fits those
 * of the software. */
#ifndef SIM_MODEL_TRANSFORMER_MACHINE_H
#define SIM_MODEL_TRANSFORMER_MACHINE_H

#include <stdbool.h>

#include "sim/model/curve.h"

typedef struct {
    const char *name; /* as in "gpus" of the catalogue */
    int64_t bf16_peak_flops;
    int64_t fp8_peak_flops; /* 0: it has no FP8 */
    /* The most that matmuls and attention reach, measured. */
    int64_t bf16_matmul_flops;
    int64_t fp8_matmul_flops;
    int64_t attention_flops; /* flash attention */
    int64_t memory_bytes_per_s;
    int64_t link_ranks;       /* GPUs of the measured all-reduce */
    MeasuredCurve all_reduce; /* its nanoseconds by bytes */
    int64_t
        gather_ppm; /* an all-gather or reduce-scatter, as a part of half an all-reduce's time */
} TransformerGpu;

/* Between nodes. */
typedef struct {
    const char *name;
    int64_t port_bytes_per_s; /* of each GPU, when the all-reduce was measured */
    int64_t ports;            /* ranks of a node in it */
    MeasuredCurve two_nodes;  /* nanoseconds of an all-reduce over two nodes by bytes */
    MeasuredCurve added;      /* nanoseconds that more nodes add to it, by nodes */
} TransformerFabric;

typedef struct {
    const char *name;
    int64_t matmul_ppm; /* share of the GPU's measured rate */
    int64_t fp8_matmul_ppm;
    int64_t matmul_half;      /* a matmul with one side of this length takes twice as long */
    int64_t attention_ppm;    /* share of the GPU's measured rate */
    int64_t element_ppm;      /* memory traffic between matmuls, 1: each value once for each use */
    int64_t layer_launch_ns;  /* the host queues the forward pass of a layer */
    int64_t overlap_loss_ppm; /* part of overlapped communication that still costs time */
    int64_t tensor_exposed_ppm; /* part of tensor-parallel communication that is not hidden */
    bool overlaps_gradients;    /* with the last backward pass */
    int64_t bucket_bytes;       /* gradients that are summed in one message */
    int64_t gradient_bytes;     /* of a parameter: 2 or 4 */
    int64_t optimizer_bytes;    /* memory traffic of an update, for each parameter of the rank */
    int64_t step_overhead_ns;
    int64_t selective_ppm;     /* share of a layer that recompute=selective performs again */
    bool has_flash_attention;  /* unless the layout says otherwise */
    int64_t memory_base_bytes; /* CUDA context, libraries, communication buffers */
    int64_t memory_ppm;        /* allocated for each byte in use: fragments, temporary buffers */
    int64_t error_ppm;         /* standard deviation of the logarithm of a step's time */
    int64_t memory_error_ppm;  /* the same of the memory */
} TransformerSoftware;

/* How tokens are moved to their experts and back. */
typedef struct {
    const char *name;
    int64_t imbalance_ppm;  /* unless the model says otherwise: TransformerExperts */
    int64_t all_to_all_ppm; /* time of an all-to-all, as a part of that of a gather that moves as
                               many bytes through each port */
    int64_t exposed_ppm;    /* part of the all-to-all that is not hidden */
    int64_t error_ppm;      /* of the step, as no training with experts was measured */
} TransformerRouting;

typedef struct {
    const TransformerGpu *gpu;
    const TransformerFabric *fabric; /* NULL: one node */
    const TransformerSoftware *software;
    const TransformerRouting *routing; /* NULL: a dense model */
    int64_t port_bytes_per_s;          /* one way, of each GPU, to other nodes */
    int64_t memory_bytes;              /* of a GPU */
} TransformerMachine;

/* The ranks of a group, and how many of them are on one node. */
typedef struct {
    int32_t ranks;
    int32_t on_node; /* 1 to `ranks` */
} RankGroup;

/* Seconds of an all-reduce of `bytes` over the group; 0 for one rank.
 *
 * Inside a node: the measured time, with the bytes in the ratio that each rank sends, (n-1)/n.
 * Between nodes: that of two nodes, with more bytes where the group uses fewer ports of a node,
 * because the other ports serve other groups; and what more nodes add, whatever the bytes. */
double group_all_reduce_s(const TransformerMachine *machine, RankGroup group, double bytes);
/* The same of an all-gather or a reduce-scatter of `bytes` in total. */
double group_gather_s(const TransformerMachine *machine, RankGroup group, double bytes);
/* Bytes that a rank exchanges in an all-to-all: with ranks on its node and with others. */
typedef struct {
    double within, between;
} AllToAllBytes;

/* Those of an all-to-all in which a rank has `bytes` in equal parts for or from all ranks of the
 * group, itself included. */
AllToAllBytes group_all_to_all_bytes(RankGroup group, double bytes);
/* Seconds of it: the longer of its times within nodes and between them, as no all-to-all was
 * measured. Between nodes a rank sends through its own port, where a gather divides its bytes among
 * the ports of a node. So an all-to-all takes as long as a gather that moves as many bytes through
 * each port. `machine` has a routing. */
double group_all_to_all_s(const TransformerMachine *machine, RankGroup group, double bytes);
/* Seconds of sending `bytes` from one rank to another one, on another node if `crosses`. */
double machine_send_s(const TransformerMachine *machine, bool crosses, double bytes);

#endif
