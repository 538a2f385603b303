/* The catalogue of the world: machines, networks, storage, software, the service's behaviour. Every
 * number about the real world is read from scenarios/catalog/ (with value, source, date) into these
 * structs; none is hard-coded.
 *
 * Units: durations in ns, data in bytes, rates in bytes/s, money in micro-USD (1e-6 USD), power
 * in mW, fractions in parts per million (ppm). */
#ifndef SIM_CLOUD_SPEC_CATALOG_H
#define SIM_CLOUD_SPEC_CATALOG_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/ascii.h"
#include "sim/engine/sample.h"
#include "sim/model/curve.h"
#include "sim/model/week_hours.h"

typedef struct DeviceTimes DeviceTimes;
struct RanksTime;

typedef struct {
    const char *name;       /* "K80" */
    int64_t peak_flops;     /* fp32, boost clock, operations per second */
    int64_t efficiency_ppm; /* achieved share of the peak on convolutions */
    int64_t memory_bytes;
    int64_t memory_bytes_per_s;    /* 0: no limit */
    int64_t host_link_bytes_per_s; /* device to host and back */
    int64_t peer_bytes_per_s;      /* to the next GPU on the node while all send, each way */
    int64_t rings;                 /* that NCCL makes over such GPUs and a network */
    int64_t rings_spread_ppm;      /* of equal runs of NCCL over Ethernet; 0: as of other runs */
    const DeviceTimes *times;      /* measured stages, used in place of the peak; NULL: none */
} GpuModel;

/* The power of a node of a VM size, without cooling. */
typedef struct {
    const char *vm_size; /* "Standard_NC6" */
    int64_t idle_mw;     /* while its GPUs compute nothing */
    int64_t busy_mw;     /* while all of them compute */
} NodePower;

/* The consequences of the energy of nodes. */
typedef struct {
    int64_t pue_ppm;           /* power usage effectiveness: all energy by that of nodes */
    int64_t carbon_g_per_kwh;  /* CO2e of a kWh; 0: not known */
    int64_t exchange_load_ppm; /* of the difference between busy and idle power, while gradients
                                  are exchanged */
    int64_t micro_usd_per_kwh; /* paid in addition to the price of nodes */
    int32_t cycle_hours; /* after which the next two repeat: HOURS_A_DAY or HOURS_A_WEEK; 0: all are
                            1 */
    /* Factors on micro_usd_per_kwh and carbon_g_per_kwh by hour of the week (UTC, from Monday). */
    int64_t price_hour_ppm[HOURS_A_WEEK], carbon_hour_ppm[HOURS_A_WEEK];
} EnergyTerms;

typedef struct {
    const char *name;   /* "Standard_NC6", compared without case */
    const char *family; /* quota family: "NC" */
    bool has_no_quota;  /* no quota is about such nodes, as in a cluster of one's own */
    int32_t vcpus;
    int64_t memory_bytes; /* main memory; 0: not known */
    int32_t gpus;
    const GpuModel *gpu;         /* NULL without GPU */
    int64_t network_bytes_per_s; /* one node's link, each way */
    int64_t network_latency_ns;  /* one small message, one way */
    int64_t rdma_bytes_per_s;    /* payload over InfiniBand, each way; 0: the size has none */
    int64_t rdma_latency_ns;
    int64_t dedicated_micro_usd_per_hour; /* or PRICE_UNKNOWN, as the next one */
    int64_t low_priority_micro_usd_per_hour;
    const NodePower *power; /* NULL: not known */
} VmSize;

/* The performance of a share. For each provisioned TiB the "per TiB" members are added to the
 * others (share_tier_of_size); they are 0 in the tier of a share, which includes them already. */
typedef struct {
    const char *name;         /* "standard" */
    int64_t read_bytes_per_s; /* whole share, all clients together */
    int64_t write_bytes_per_s;
    int64_t requests_per_s;        /* IOPS limit, reads and writes together */
    int64_t file_read_bytes_per_s; /* limit of one file, and so of one transfer; 0: none */
    int64_t file_write_bytes_per_s;
    int64_t read_bytes_per_s_per_tib; /* these three are 0 if the size does not matter */
    int64_t write_bytes_per_s_per_tib;
    int64_t requests_per_s_per_tib;
    int64_t requests_per_s_most; /* for any size; 0: no such limit */
    int64_t provisioned_bytes;   /* the size of a share that states none */
    bool is_paid_by_size;        /* the whole size is billed, used or not */
    int64_t read_latency_ns;     /* one request */
    int64_t write_latency_ns;
    int64_t request_bytes;           /* a transfer is divided into requests of this size */
    int64_t requests_in_flight;      /* whose latencies overlap */
    bool requests_overlap;           /* a request follows each that is answered; false: in rounds */
    int64_t micro_usd_per_gib_month; /* for the stored bytes, or the size if is_paid_by_size */
} ShareTier;

typedef struct {
    const char *name;         /* "tensorflow/tensorflow:1.8.0-gpu" */
    int64_t compressed_bytes; /* pulled over the network once per node */
} ContainerImage;

/* An image of the catalogue, or all images that it does not list. */
typedef struct {
    const char *name;
    Quantiles compressed_bytes;
} CatalogImage;

/* Cores that a subscription may hold in one region. */
#define FAMILY_OF_ALL "total" /* the quota over all families */
typedef struct {
    const char *family;
    int32_t dedicated_vcpus;
    int32_t low_priority_vcpus;
} CoreQuota;

/* Whether the quota counts the cores of such nodes: that of `family`, or of all. */
static inline bool quota_counts(const char *family, const VmSize *size)
{
    return !size->has_no_quota &&
           (ascii_same(family, FAMILY_OF_ALL) || ascii_same(family, size->family));
}

static inline int64_t quota_vcpus(const CoreQuota *quota, bool is_low_priority)
{
    return is_low_priority ? quota->low_priority_vcpus : quota->dedicated_vcpus;
}

/* How a node recovers from a failure. */
#define NODE_RECOVERIES(X)                                                                         \
    X(STAYS, "stays")     /* unusable until it is removed, as in the service */                    \
    X(REBOOT, "reboot")   /* repaired, then prepared again, set-up task included */                \
    X(REPLACE, "replace") /* released after the repair time, and another one allocated */

typedef enum {
#define X(name, text) RECOVERY_##name,
    NODE_RECOVERIES(X)
#undef X
        RECOVERY_COUNT
} NodeRecovery;

/* A random process of failures of a node or of a group of nodes. */
typedef struct {
    const char *name;     /* "llama3-2024" */
    Distribution between; /* ns in working order: from allocation, then from repair, to failure */
    Distribution repair;  /* ns from failure to repair, or from the coming of a crew */
    NodeRecovery recovery;
    const char *reason; /* in plain words: "GPU memory error" */
} FailureModel;

/* The failure model whose `between` is the lifetime of low-priority nodes of a family. */
typedef struct {
    const char *family; /* quota family: "NC"; "*": all that are not listed */
    const FailureModel *model;
} Preemption;

#define FAMILY_NOT_LISTED "*"

/* The behaviour of the service. Quantiles are drawn once per occurrence. */
typedef struct {
    Quantiles cluster_record_ns;       /* PUT -> provisioningState succeeded */
    Quantiles allocation_create_ns;    /* creation -> steady, with nodes */
    Quantiles allocation_empty_ns;     /* provisioningState succeeded -> steady, target 0 */
    Quantiles allocation_resize_ns;    /* resize up -> steady */
    Quantiles allocation_autoscale_ns; /* evaluation of automatic scaling up -> steady */
    Quantiles node_preparation_ns;     /* steady -> idle, per node */
    Quantiles release_ns;              /* resize down -> steady, including leaving_delay_ns */
    Quantiles leaving_delay_ns;        /* resize down -> nodes leaving */
    Quantiles cluster_delete_ns;       /* DELETE -> gone, with nodes */
    Quantiles cluster_delete_empty_ns;
    Quantiles workspace_delete_ns;          /* DELETE -> gone; its contents have separate times */
    Quantiles workspace_delete_clusters_ns; /* the same for a workspace with clusters */
    Quantiles experiment_delete_ns;         /* DELETE -> gone, as workspace_delete_ns */
    Quantiles job_record_ns;                /* PUT -> provisioningState succeeded */
    Quantiles job_start_ns;                 /* creation -> running on idle nodes */
    Quantiles job_terminate_ns;             /* of a running job */
    Quantiles job_terminate_queued_ns;
    Quantiles job_delete_ns; /* DELETE -> gone, of a completed job */
    Quantiles job_delete_running_ns;
    Quantiles job_delete_gone_ns;        /* of a job that never ran, or whose cluster was deleted */
    Quantiles job_mount_ns;              /* per node, if the job itself has mounts */
    Quantiles container_start_ns;        /* per node, after the pull of its image */
    Quantiles host_overhead_ns;          /* per node, start and end of a command */
    Quantiles host_overhead_prepared_ns; /* the same of a job with a preparation, for both */
    int64_t registry_bytes_per_s;        /* image pull, per node */
    int64_t image_unpack_bytes_per_s;    /* compressed bytes, after the pull */
    int64_t internet_bytes_per_s;        /* data-set downloads, per node */
    int64_t local_disk_bytes_per_s;
    int64_t billing_granularity_ns; /* node time is billed in whole units, the rest is dropped */
    int32_t nodes_per_cluster_max;
    int32_t clusters_max;
    int64_t default_max_wall_clock_ns;
    int64_t autoscale_period_ns; /* evaluations, counted from the cluster's first steady moment */
    int64_t autoscale_look_back_ns;  /* only nodes idle for at least this time are removed */
    int64_t allocation_retry_ns;     /* from a failed allocation of nodes to the next try */
    Quantiles failure_detection_ns;  /* a node falls silent -> it is unusable */
    Quantiles node_reboot_ns;        /* a reboot on request, until preparation begins */
    int64_t preemption_notice_ns;    /* from the warning to the loss of a low-priority node */
    int64_t low_priority_run_max_ns; /* after this time a job on low-priority nodes is preempted */
    bool preemption_fails_jobs;      /* PreemptionError instead of another attempt */
    int32_t attempts_max; /* a job that loses a node in this attempt, or a later one, fails */
    Distribution unknown_program_ns; /* a command line that only the real machine could run ... */
    Distribution unknown_tool_ns;    /* ... but if it consists of tools that end at once, this */
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
 * Layers of a kind that cost the same have the same `shape`. Convolutions, depthwise convolutions
 * and pooling: kernel and stride, channels in and out, height and width of the output, "3x3/1 64>64
 * 56x56". Dense layers: values in and out, "2048>1000". All other kinds: channels, height and width
 * of the output, "64x112x112". */
typedef struct {
    const char *name;
    NetworkLayerKind kind;
    const char *shape;
    int64_t forward_macs;  /* multiply-adds of one sample; 0 for layers without weights */
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

/* The time of a stage of a step on a device, by name:
 *
 *     DEVICE PRECISION forward KIND SHAPE     by images in the batch; KIND and SHAPE of a
 *     DEVICE PRECISION backward KIND SHAPE    NetworkLayer
 *     DEVICE PRECISION input                  by images: fetching and augmenting
 *     DEVICE PRECISION loss                   by images
 *     DEVICE PRECISION update                 by parameters of the network
 */
typedef struct {
    const char *name; /* "local-core fp32 forward convolution 3x3/1 32>32 30x30" */
    MeasuredCurve ns;
} StageTime;

/* The time of a layer whose shape was not measured, fitted to layers that are not the first of a
 * network:
 *
 *     t = fixed + parameters * c + batch * (multiply-adds * a + values in and out * b)
 */
typedef struct {
    const char *name; /* "local-core fp32 forward convolution" */
    int64_t fixed_ns;
    int64_t per_million_parameters_ns;
    int64_t per_million_macs_ns; /* multiply-adds of the forward pass, for both directions */
    int64_t per_million_values_ns;
} KindTime;

/* The slowdown of a rank while other ranks compute on the same machine, without the exchange. */
typedef struct {
    const char *name;         /* "local-core fp32 forward"; backward, input or update */
    MeasuredCurve factor_ppm; /* by ranks, at least PPM; constant beyond the measured ranks */
} SideBySide;

struct DeviceTimes {
    int32_t stage_count, kind_count, side_count; /* of all devices together */
    const StageTime *const *stages;
    const KindTime *const *kinds;
    const SideBySide *const *sides;
};

/* The measured time to add up gradients over `ranks` ranks of one machine. */
typedef struct RanksTime {
    int32_t ranks;
    MeasuredCurve ns; /* by bytes */
} RanksTime;

/* A network to be trained. All members after `layers` follow from the layers
 * (sim/scenario/catalog/layers.h). */
typedef struct {
    const char *name; /* "keras_cifar10_cnn" */
    int32_t layer_count;
    const NetworkLayer *layers;
    int64_t parameters;
    int64_t gradient_bytes; /* 4 a parameter */
    int64_t forward_macs_per_sample;
    int64_t training_flops_per_sample; /* forward + backward: 6 per multiply-add, but 4 in the first
                                          layer with any, because images need no gradient */
    int32_t tensors;                   /* gradient tensors, exchanged fused */
} NetworkModel;

typedef struct {
    const char *name; /* "cifar10" */
    int64_t train_samples;
    int64_t test_samples;
    int64_t download_bytes; /* fetched by each node if the program downloads the data set */
} DataSet;

/* The software around the network. */
typedef struct {
    const char *name;                /* "keras-2.2-tf-1.8" */
    int64_t start_ns;                /* interpreter, imports, session, first kernels */
    int64_t step_overhead_ns;        /* per step, in addition to arithmetic */
    int64_t input_cpu_ns_per_sample; /* reading and augmentation, one worker */
    int64_t input_parallelism_ppm;   /* effective workers: 1,500,000 = 1.5 */
    int64_t update_flops_per_parameter;
} Framework;

/* How gradients are exchanged (sim/model/exchange.h). */
typedef struct {
    const char *name;               /* "horovod-0.13-mpi" */
    int64_t cycle_ns;               /* the background thread's period */
    bool sleeps_whole_cycle;        /* sleeps for cycle_ns after each cycle, not only the rest */
    int64_t fusion_bytes;           /* a buffer's size */
    int64_t request_ns;             /* rank 0 reads one rank's request for one gradient */
    bool via_host;                  /* MPI, adding in the host's memory; else NCCL on the devices */
    bool uses_rdma;                 /* InfiniBand between nodes that have it, else Ethernet */
    bool loops_back;                /* with RDMA: ranks of a node also exchange by its adapter */
    int64_t rdma_efficiency_ppm;    /* achieved share of the adapter's rate */
    int64_t rdma_latency_ns;        /* of one step between nodes; at least the adapter's */
    int64_t network_efficiency_ppm; /* share of the Ethernet's bits that are payload */
    int64_t connection_bytes_per_s; /* limit of one ring over Ethernet; 0: no such limit */
    int64_t further_ring_ppm;       /* share of that limit which each further ring adds */
    int64_t node_latency_ns;        /* from a rank to the next on the node */
    int64_t start_ns;               /* of one reduction */
    int64_t copy_bytes_per_s;       /* one core's, memory to memory */
    int64_t reduce_bytes_per_s;     /* adding two buffers; 0: added while they move */
    int64_t launch_ns; /* the host queues the operation that computes one gradient on the device */
    int64_t hand_over_ns;             /* once a step, between the thread and the framework */
    int64_t tensor_ns;                /* once a gradient */
    bool after_backward;              /* exchanges gradients only after the backward pass */
    bool needs_peers;                 /* a single process exchanges nothing */
    int64_t rdma_contended_ppm;       /* share of InfiniBand's rate where routes meet; 0: all */
    int64_t extra_error_ppm;          /* of the exchange's time, beyond the usual half of it */
    int32_t measured_count;           /* 0: the members above apply */
    const struct RanksTime *measured; /* [measured_count], rising by ranks */
} ExchangeMethod;

/* A measurement: training on one GPU, one process, one size of batch. */
typedef struct {
    const GpuModel *gpu;
    const NetworkModel *network;
    const Framework *framework;
    const ExchangeMethod *exchange; /* of one process with itself; NULL: without */
    int64_t batch;
    int64_t micro_samples_per_s;
    bool calibrates;  /* false: not used for other networks, GPUs or software */
    const char *note; /* where it was measured, and its peculiarities */
    const char *source;
} Throughput;

enum { THROUGHPUTS_MAX = 1024 };
typedef struct {
    int32_t count; /* up to THROUGHPUTS_MAX */
    const Throughput *rows;
    bool replaces_constants; /* used even for software without rows; false: such
                                software has the stated rate and overhead */
} Throughputs;

/* Accuracy by progress x; linear in 1 / (1 + sqrt(x)) between knots (sim/model/learning.h). */
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
