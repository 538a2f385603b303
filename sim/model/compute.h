/* The time of arithmetic and input preparation on one node.
 *
 * A processor reaches a share of its peak on real layers; that share is calibrated from published
 * one-GPU throughput (scenarios/catalog, "gpus"). Times round up. */
#ifndef SIM_MODEL_COMPUTE_H
#define SIM_MODEL_COMPUTE_H

#include <stdint.h>

typedef struct {
    int64_t peak_flops;     /* operations per second */
    int64_t efficiency_ppm; /* reached share of the peak */
} ComputeRate;

/* `flops` >= 0 at the reached rate:  t = flops / (peak * efficiency). */
int64_t compute_ns(ComputeRate rate, int64_t flops);

/* The larger of compute_ns and the time to move `bytes` between memory and processor.
 * `bytes_per_s` 0: memory takes no time. Source: Williams, Waterman and Patterson, "Roofline: an
 * insightful visual performance model", CACM 52(4), 2009. */
int64_t roofline_ns(ComputeRate rate, int64_t flops, int64_t bytes_per_s, int64_t bytes);

/* The number of workers at the busiest place, when `workers` are spread evenly over `places`. */
int32_t busiest_share(int32_t workers, int32_t places);

/* The preparation of batches on the CPU (read, decode, augment). Every rank on the node has
 * `parallelism_ppm` effective workers (about one, because of Python's interpreter lock). Together
 * they cannot use more than the node's processors. */
typedef struct {
    int64_t cpu_ns_per_sample;
    int64_t parallelism_ppm; /* of one rank; 1,000,000 is one worker */
    int32_t ranks_on_node;
    int32_t vcpus;
} InputPipeline;

/* The time to prepare one batch of `samples`. */
int64_t input_batch_ns(InputPipeline pipeline, int64_t samples);

#endif
