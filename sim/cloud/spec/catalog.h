/* The catalogue of the world: machines, networks, storage, software, the service's behaviour. Every
 * number of the real world comes in through these structs from scenarios/catalog/ (with value,
 * source, date); none is hard-coded.
 *
 * Durations are ns, data bytes, rates bytes/s, money micro-USD (1e-6 USD), shares of one parts per
 * million (ppm). */
#ifndef SIM_CLOUD_SPEC_CATALOG_H
#define SIM_CLOUD_SPEC_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine/sample.h"
#include "sim/model/curve.h"

typedef struct DeviceTimes DeviceTimes;
struct RanksTime;

typedef struct {
    const char *name;       /* "K80" */
    int64_t peak_flops;     /* fp32, boost clock, operations per second */
    int64_t efficiency_ppm; /* achieved share of the peak on convolutions */
    int64_t memory_bytes;
    int64_t memory_bytes_per_s;    /* 0: no limit */
    int64_t host_link_bytes_per_s; /* device to host and back */
    int64_t peer_bytes_per_s;      /* to the next one on the node while all send, each way */
    int64_t rings;                 /* that NCCL lays through such GPUs and a network */
    const DeviceTimes *times;      /* where its steps were measured: they count, and not its peak */
} GpuModel;

typedef struct {
    const char *name;   /* "Standard_NC6" as catalogued; compared without case */
    const char *family; /* quota family: "NC" */
    int32_t vcpus;
    int32_t gpus;
    const GpuModel *gpu;         /* NULL without GPU */
    int64_t network_bytes_per_s; /* one node's link, each way */
    int64_t network_latency_ns;  /* one small message, one way */
    int64_t rdma_bytes_per_s;    /* payload over InfiniBand in addition, each way; 0: none */
    int64_t rdma_latency_ns;
    int64_t dedicated_micro_usd_per_hour;
    int64_t low_priority_micro_usd_per_hour;
} VmSize;

/* The performance of a share. Members "per TiB" are added for each TiB that is provisioned
 * (share_tier_of_size); in the tier of a share they are included already. */
typedef struct {
    const char *name;         /* "standard" */
    int64_t read_bytes_per_s; /* whole share, all clients together */
    int64_t write_bytes_per_s;
    int64_t requests_per_s;        /* IOPS limit, reads and writes together */
    int64_t file_read_bytes_per_s; /* one file, and so one transfer; 0: as the whole share */
    int64_t file_write_bytes_per_s;
    int64_t read_bytes_per_s_per_tib; /* 0: the size does not matter, as in the next two */
    int64_t write_bytes_per_s_per_tib;
    int64_t requests_per_s_per_tib;
    int64_t requests_per_s_most; /* however large it is; 0: no such limit */
    int64_t provisioned_bytes;   /* its size where the share does not say */
    bool is_paid_by_size;        /* once it has a size: all of it is paid, used or not */
    int64_t read_latency_ns;     /* one request */
    int64_t write_latency_ns;
    int64_t request_bytes;           /* a transfer is cut into requests of this size */
    int64_t requests_in_flight;      /* latency of so many requests overlaps */
    int64_t micro_usd_per_gib_month; /* of the stored bytes, or of the size that is paid */
} ShareTier;

typedef struct {
    const char *name;         /* "tensorflow/tensorflow:1.8.0-gpu" */
    int64_t compressed_bytes; /* pulled over the network once per node */
} ContainerImage;

/* Cores that a subscription may hold in one region. */
#define FAMILY_OF_ALL "total" /* its quota is over all families */
typedef struct {
    const char *family;
    int32_t dedicated_vcpus;
    int32_t low_priority_vcpus;
} CoreQuota;

static inline int64_t quota_vcpus(const CoreQuota *quota, bool is_low_priority)
{
    return is_low_priority ? quota->low_priority_vcpus : quota->dedicated_vcpus;
}

/* How a node recovers from a failure. */
#define NODE_RECOVERIES(X)                                                                         \
    X(STAYS, "stays")     /* unusable until it is removed: the service's own behaviour */          \
    X(REBOOT, "reboot")   /* repaired, then prepared again, set-up task included */                \
    X(REPLACE, "replace") /* released after the repair time, and another one allocated */

typedef enum {
#define X(name, text) RECOVERY_##name,
    NODE_RECOVERIES(X)
#undef X
        RECOVERY_COUNT
} NodeRecovery;

/* A random process that makes a node, or a group of nodes, fail again and again. */
typedef struct {
    const char *name;     /* "llama3-2024" */
    Distribution between; /* ns in working order: from allocation, then from repair, to failure */
    Distribution repair;  /* ns from failure to repair */
    NodeRecovery recovery;
    const char *reason; /* in plain words: "GPU memory error" */
} FailureModel;

/* How the service itself behaves. Quantiles are drawn once per occurrence. */
typedef struct {
    Quantiles cluster_record_ns;    /* PUT -> provisioningState succeeded */
    Quantiles allocation_create_ns; /* creation -> steady, with nodes */
    Quantiles allocation_empty_ns;  /* provisioningState succeeded -> steady, target 0 */
    Quantiles allocation_resize_ns; /* resize up -> steady */
    Quantiles node_preparation_ns;  /* steady -> idle, per node */
    Quantiles release_ns;           /* resize down -> steady, the next one included */
    Quantiles leaving_delay_ns;     /* resize down -> nodes leaving */
    Quantiles cluster_delete_ns;    /* DELETE -> gone, with nodes */
    Quantiles cluster_delete_empty_ns;
    Quantiles workspace_delete_ns;          /* DELETE -> gone; its contents have separate times */
    Quantiles workspace_delete_clusters_ns; /* the same of one with clusters */
    Quantiles experiment_delete_ns;         /* DELETE -> gone, as workspace_delete_ns */
    Quantiles job_record_ns;                /* PUT -> provisioningState succeeded */
    Quantiles job_start_ns;                 /* creation -> running on idle nodes */
    Quantiles job_terminate_ns;             /* of a running job */
    Quantiles job_terminate_queued_ns;
    Quantiles job_delete_ns; /* DELETE -> gone, of a completed job */
    Quantiles job_delete_running_ns;
    Quantiles job_delete_gone_ns; /* of one that never ran, or whose cluster is gone */
    Quantiles job_mount_ns;       /* per node, when the job itself has mounts */
    Quantiles container_start_ns; /* per node, image already there */
    Quantiles host_overhead_ns;   /* per node, start and end of a command */
    int64_t registry_bytes_per_s; /* image pull, per node */
    int64_t
        image_unpack_bytes_per_s; /* compressed bytes unpacked to disk per second, after the pull */
    int64_t internet_bytes_per_s; /* data-set downloads, per node */
    int64_t local_disk_bytes_per_s;
    int64_t
        billing_granularity_ns; /* node time is billed in whole units of this, the rest dropped */
    int32_t nodes_per_cluster_max;
    int32_t clusters_max;
    int64_t default_max_wall_clock_ns;
    int64_t autoscale_period_ns; /* evaluations, counted from the cluster's first steady moment */
    int64_t autoscale_look_back_ns;  /* only nodes idle for so long are taken away */
    int64_t allocation_retry_ns;     /* from a failed allocation of nodes to the next try */
    Quantiles failure_detection_ns;  /* a node goes silent -> the service calls it unusable */
    Quantiles node_reboot_ns;        /* a reboot on request, until preparation begins */
    int64_t preemption_notice_ns;    /* from the warning to the loss of a low-priority node */
    int64_t low_priority_run_max_ns; /* a job on low-priority nodes is preempted after it */
    bool preemption_fails_jobs;      /* PreemptionError instead of another attempt */
    int32_t attempts_max; /* after so many attempts a job that loses a node again fails */
    Quantiles file_server_create_ns;
    Quantiles file_server_delete_ns;
} ServiceModel;

/* The operation of a layer. */
#define NETWORK_LAYER_KINDS(X)                                                                     \
    X(CONVOLUTION, "convolution")                                                                  \
    X(DEPTHWISE, "depthwise") /* a convolution of each channel with itself */                      \
    X(DENSE, "dense")                                                                              \
    X(POOLING, "pooling")                                                                          \
    X(NORMALIZATION, "normalization") /* of batches */                                             \
    X(ACTIVATION, "activation")                                                                    \
    X(DROPOUT, "dropout")                                                                          \
    X(ADDITION, "addition") /* of a branch to another */                                           \
    X(CONCATENATION, "concatenation")                                                              \
    X(SOFTMAX, "softmax")

typedef enum {
#define X(name, text) NETWORK_LAYER_##name,
    NETWORK_LAYER_KINDS(X)
#undef X
        NETWORK_LAYER_KIND_COUNT
} NetworkLayerKind;

/* One layer of a network, in the order of the forward pass.
 *
 * `shape` is equal for layers of a kind that cost the same. Convolutions, depthwise ones and
 * pooling have kernel and stride, channels in and out, height and width of the output: "3x3/1 64>64
 * 56x56", "1x7/1 128>128 17x17". Dense layers have values in and out, "2048>1000", all others
 * channels, height and width of the output, "64x112x112". */
typedef struct {
    const char *name;
    NetworkLayerKind kind;
    const char *shape;
    int64_t forward_macs;  /* multiply-adds of one sample; 0 where there are no weights */
    int64_t input_values;  /* activations of one sample that the forward pass reads ... */
    int64_t output_values; /* ... and writes */
    int32_t tensor_count;
    const int64_t *tensor_values; /* parameters in each, in the order in which the backward pass
                                     makes their gradients */
} NetworkLayer;

/* --- Measurements of `trainyard calibrate` --- */

/* The format of the numbers in a computation. */
#define STEP_PRECISIONS(X)                                                                         \
    X(FP32, "fp32")                                                                                \
    X(BF16, "bf16")                                                                                \
    X(TF32, "tf32")

typedef enum {
#define X(name, text) STEP_##name,
    STEP_PRECISIONS(X)
#undef X
        STEP_PRECISION_COUNT
} StepPrecision;

/* A stage of a step on a device, by name:
 *
 *     DEVICE PRECISION forward KIND SHAPE     by images in the batch; a layer, as NetworkLayer has
 *     DEVICE PRECISION backward KIND SHAPE    kind and shape
 *     DEVICE PRECISION input                  by images: fetching and augmenting
 *     DEVICE PRECISION loss                   by images
 *     DEVICE PRECISION update                 by parameters of the network
 */
typedef struct {
    const char *name; /* "local-core fp32 forward convolution 3x3/1 32>32 30x30" */
    MeasuredCurve ns;
} StageTime;

/* Layers of shapes that were never measured, and are not the first of a network:
 *
 *     t = fixed + parameters * c + batch * (multiply-adds * a + values in and out * b)
 */
typedef struct {
    const char *name; /* "local-core fp32 forward convolution" */
    int64_t fixed_ns;
    int64_t per_million_parameters_ns;
    int64_t per_million_macs_ns; /* of the forward pass, in both directions */
    int64_t per_million_values_ns;
} KindTime;

/* How much longer a rank takes while others compute on the same machine, without exchange. */
typedef struct {
    const char *name; /* "local-core fp32 forward"; backward, input or update */
    MeasuredCurve
        factor_ppm; /* by ranks, at least 1; more ranks than were measured are as the most */
} SideBySide;

struct DeviceTimes {
    int32_t stage_count, kind_count, side_count; /* of all devices together */
    const StageTime *const *stages;
    const KindTime *const *kinds;
    const SideBySide *const *sides;
};

/* The sum of gradients over so many ranks of one machine. */
typedef struct RanksTime {
    int32_t ranks;
    MeasuredCurve ns; /* by bytes */
} RanksTime;

/* A network to be trained. All below the layers follows from them
 * (sim/scenario/catalog/layers.h). */
typedef struct {
    const char *name; /* "keras_cifar10_cnn" */
    int32_t layer_count;
    const NetworkLayer *layers;
    int64_t parameters;
    int64_t gradient_bytes; /* 4 a parameter */
    int64_t forward_macs_per_sample;
    int64_t training_flops_per_sample; /* forward + backward: 6 a multiply-add, less 2 in the first
                                          layer that has any: images need no gradient */
    int32_t tensors;                   /* gradient tensors, exchanged fused */
} NetworkModel;

typedef struct {
    const char *name; /* "cifar10" */
    int64_t train_samples;
    int64_t test_samples;
    int64_t download_bytes; /* fetched by each node at start when the program downloads it */
} DataSet;

/* The software around the network. */
typedef struct {
    const char *name;                /* "keras2-tf1.8" */
    int64_t start_ns;                /* interpreter, imports, session, first kernels */
    int64_t step_overhead_ns;        /* per step, on top of arithmetic */
    int64_t input_cpu_ns_per_sample; /* reading and augmentation, one worker */
    int64_t input_parallelism_ppm;   /* effective workers: 1,500,000 = 1.5 */
    int64_t update_flops_per_parameter;
} Framework;

/* How gradients are exchanged (sim/model/exchange.h). */
typedef struct {
    const char *name;               /* "horovod-0.13-mpi" */
    int64_t cycle_ns;               /* the background thread's period */
    bool sleeps_whole_cycle;        /* slept in full before each cycle, not only the remainder */
    int64_t fusion_bytes;           /* a buffer's size */
    int64_t request_ns;             /* rank 0 reads one rank's request for one gradient */
    bool via_host;                  /* MPI adds in the host's memory; else NCCL, on the devices */
    bool uses_rdma;                 /* between nodes whose size has it; else the Ethernet */
    bool loops_back;                /* then also inside a node, by way of its adapter */
    int64_t rdma_efficiency_ppm;    /* share of the adapter's rate that it reaches */
    int64_t rdma_latency_ns;        /* by it, a step between nodes; at least the adapter's */
    int64_t network_efficiency_ppm; /* share of the Ethernet's bits that are payload */
    int64_t connection_bytes_per_s; /* one ring's over Ethernet at most; 0: no such limit */
    int64_t node_latency_ns;        /* from a rank to the next on the node */
    int64_t start_ns;               /* of one reduction */
    int64_t copy_bytes_per_s;       /* one core's, memory to memory */
    int64_t reduce_bytes_per_s;     /* adding two buffers; 0: while they move */
    int64_t launch_ns; /* the host queues the operation that computes one gradient on the device */
    int64_t hand_over_ns;   /* once a step, between the thread and the framework */
    int64_t tensor_ns;      /* once a gradient */
    int32_t measured_count; /* by number of ranks, rising; 0: nothing was, and the above count */
    const struct RanksTime *measured;
} ExchangeMethod;

/* A measurement: training on one GPU, one process, one size of batch. */
typedef struct {
    const GpuModel *gpu;
    const NetworkModel *network;
    const Framework *framework;
    const ExchangeMethod *exchange; /* of one process with itself; NULL: without */
    int64_t batch;
    int64_t micro_samples_per_s;
    bool calibrates;  /* false: does not apply to other networks, GPUs and software */
    const char *note; /* where it was measured, and its peculiarities */
    const char *source;
} Throughput;

enum { THROUGHPUTS_MAX = 1024 };
typedef struct {
    int32_t count; /* up to THROUGHPUTS_MAX */
    const Throughput *rows;
    bool replaces_constants; /* also for software that they do not apply to, which keeps the stated
                                rate and overhead otherwise */
} Throughputs;

/* Accuracy against progress; linear between knots in 1 / (1 + sqrt(x)). See sim/model/learning.h.
 */
typedef struct {
    int64_t epochs_milli; /* one-GPU epochs of updates, thousandths */
    int64_t accuracy_ppm;
} LearningKnot;

typedef struct {
    const char *name;
    int32_t count;
    const LearningKnot *knots;
    int64_t loss_at_chance_micro; /* loss of a guess: ln(classes), millionths */
    int64_t final_loss_micro;     /* loss at accuracy 1 */
    int64_t train_gap_ppm; /* running training accuracy below validation (dropout, augmentation) */
    int64_t accuracy_loss_per_doubling_ppm; /* of ranks */
    int64_t noise_ppm;                      /* largest deviation of one evaluation */
} LearningCurve;

#endif
