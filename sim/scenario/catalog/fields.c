#include "sim/scenario/catalog/fields.h"

#include "sim/scenario/catalog/transformer_fields.h"
#include "sim/scenario/catalog/value.h"

/* The least values: their product must not be rounded to 0 when it is divided among the largest
 * number of ranks. */
#define PEAK_LEAST_FLOPS INT64_C(1000000000)
#define EFFICIENCY_LEAST_PPM 1000

/* Rows of catalogues: the values of NEEDED rows are required once all files are read. Limits apply
 * to a number and to each value of a distribution. */
#define NEEDED_QUANTITY(KIND, key, member, least, most, text)                                      \
    NEEDED_ROW(KIND, key, member, .minimum = least, .maximum = most, .doc = text)
#define NEEDED_CUSTOM(custom_kind, key, member, least, most, text)                                 \
    NEEDED_ROW(CUSTOM, key, member, .custom = &(custom_kind), .minimum = least, .maximum = most,   \
               .doc = text)

static const char *const recovery_words[] = {
#define X(ENUM, text) text,
    NODE_RECOVERIES(X)
#undef X
        NULL};

const char *const catalog_source_keys[CATALOG_SOURCE_KEY_COUNT] = {"title", "date"};

#define OWNER GpuModel
static const Field gpu_fields[] = {
    NEEDED_QUANTITY(FLOPS, "peak", peak_flops, PEAK_LEAST_FLOPS, CATALOG_AMOUNT_MOST,
                    "fp32 operations per second at the boost clock"),
    NEEDED_QUANTITY(RATIO, "efficiency", efficiency_ppm, EFFICIENCY_LEAST_PPM, PPM,
                    "share of the peak that convolutions reach"),
    NEEDED_QUANTITY(BYTES, "memory", memory_bytes, 1, CATALOG_AMOUNT_MOST, "memory of the GPU"),
    NEEDED_QUANTITY(RATE, "memory_rate", memory_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "how fast it reads and writes its memory"),
    NEEDED_QUANTITY(RATE, "host_link_rate", host_link_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "transfer between host and GPU, each way"),
    NEEDED_QUANTITY(RATE, "peer_rate", peer_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "transfer to the next GPU of the node while all send, each way"),
    NEEDED_INTEGER("rings", rings, 1, CATALOG_COUNT_MOST,
                   "rings that NCCL builds through such GPUs and a network"),
    FIELD_ROW(RATIO, "rings_spread", rings_spread_ppm, .minimum = 0, .maximum = 10 * PPM,
              .doc = "how far equal runs of NCCL over Ethernet differ, as a part of images per "
                     "second; absent: as other runs do"),
    {0},
};
#undef OWNER
#define OWNER VmSize
static const Field vm_size_fields[] = {
    NEEDED_TEXT("family", family, "family of its quota, such as \"NC\""),
    FIELD_ROW(BOOLEAN, "has_no_quota", has_no_quota,
              .doc = "true: no quota is about such nodes, as in a cluster of one's own; false or "
                     "absent: that of the family is, and that of all families"),
    NEEDED_INTEGER("vcpus", vcpus, 1, CATALOG_COUNT_MOST, "cores of a node"),
    FIELD_ROW(BYTES, "memory", memory_bytes, .minimum = 1, .maximum = CATALOG_AMOUNT_MOST,
              .doc = "main memory of a node; without it memory never binds"),
    NEEDED_INTEGER("gpus", gpus, 0, CATALOG_COUNT_MOST, "GPUs of a node"),
    NEEDED_CUSTOM(gpu_kind, "gpu", gpu, 0, 0, "their model, a name of \"gpus\"; null without GPUs"),
    NEEDED_QUANTITY(RATE, "network_rate", network_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "one node's Ethernet link, each way"),
    NEEDED_QUANTITY(DURATION, "network_latency", network_latency_ns, 0, CATALOG_DURATION_MOST,
                    "one small message, one way"),
    NEEDED_QUANTITY(RATE, "rdma_rate", rdma_bytes_per_s, 0, CATALOG_AMOUNT_MOST,
                    "payload over InfiniBand, each way; 0 without InfiniBand"),
    NEEDED_QUANTITY(DURATION, "rdma_latency", rdma_latency_ns, 0, CATALOG_DURATION_MOST,
                    "one small message over InfiniBand, one way"),
    FIELD_ROW(MONEY, "dedicated_price_per_hour", dedicated_micro_usd_per_hour, .minimum = 0,
              .maximum = CATALOG_AMOUNT_MOST,
              .doc = "price of a dedicated node; absent: unknown, and so are the costs of runs"),
    FIELD_ROW(MONEY, "low_priority_price_per_hour", low_priority_micro_usd_per_hour, .minimum = 0,
              .maximum = CATALOG_AMOUNT_MOST,
              .doc = "price of a low-priority node; absent: unknown"),
    {0},
};
#undef OWNER
#define OWNER NodePower
static const Field power_fields[] = {
    NEEDED_QUANTITY(POWER, "idle", idle_mw, 0, POWER_MOST,
                    "power of a node whose GPUs compute nothing"),
    NEEDED_QUANTITY(POWER, "busy", busy_mw, 1, POWER_MOST,
                    "power of a node whose GPUs all compute"),
    {0},
};
#undef OWNER
#define OWNER EnergyTerms
static const Field energy_fields[] = {
    FIELD_ROW(RATIO, "pue", pue_ppm, .minimum = PPM, .maximum = 10 * PPM,
              .doc = "power usage effectiveness: the energy of the whole site, with cooling, "
                     "divided by that of its nodes; absent: 1"),
    FIELD_ROW(RATIO, "exchange_load", exchange_load_ppm, .minimum = 1, .maximum = PPM,
              .doc = "part of the difference between busy and idle power that a node draws while "
                     "its GPUs exchange gradients and do not compute; absent: all of it"),
    FIELD_ROW(INTEGER, "carbon_g_per_kwh", carbon_g_per_kwh, .minimum = 1,
              .maximum = CATALOG_COUNT_MOST, .doc = "grams of CO2e for a kWh; absent: not known"),
    FIELD_ROW(MONEY, "price_per_kwh", micro_usd_per_kwh, .minimum = 0,
              .maximum = CATALOG_AMOUNT_MOST,
              .doc = "price of a kWh that is paid in addition to the price of nodes; absent: "
                     "their price includes it"),
    FIELD_ROW(CUSTOM, "carbon_hours", carbon_hour_ppm, .custom = &hour_factors_kind,
              .doc = "factors on carbon_g_per_kwh in each hour of the day, the first from 00:00 "
                     "UTC, or in each hour of the week, the first from Monday 00:00 UTC; absent: "
                     "1"),
    FIELD_ROW(CUSTOM, "price_hours", price_hour_ppm, .custom = &hour_factors_kind,
              .doc = "factors on price_per_kwh, as carbon_hours; absent: 1"),
    {0},
};
#undef OWNER
#define OWNER CoreQuota
static const Field quota_fields[] = {
    NEEDED_INTEGER("dedicated_vcpus", dedicated_vcpus, 0, QUOTA_VCPUS_MOST,
                   "cores of dedicated nodes that a subscription may hold in the region"),
    NEEDED_INTEGER("low_priority_vcpus", low_priority_vcpus, 0, QUOTA_VCPUS_MOST,
                   "cores of low-priority nodes"),
    {0},
};
#undef OWNER
#define OWNER ShareTier
static const Field share_tier_fields[] = {
    NEEDED_QUANTITY(RATE, "read_rate", read_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "reads of the whole share, all clients together"),
    NEEDED_QUANTITY(RATE, "write_rate", write_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "writes of the whole share, all clients together"),
    NEEDED_INTEGER("requests_per_second", requests_per_s, 1, CATALOG_AMOUNT_MOST,
                   "reads and writes together"),
    NEEDED_QUANTITY(RATE, "file_read_rate", file_read_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "reads of one file, and so of one transfer"),
    NEEDED_QUANTITY(RATE, "file_write_rate", file_write_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "writes of one file"),
    NEEDED_QUANTITY(RATE, "read_rate_per_tib", read_bytes_per_s_per_tib, 0, CATALOG_AMOUNT_MOST,
                    "added to read_rate for each provisioned TiB; 0: the size does not matter"),
    NEEDED_QUANTITY(RATE, "write_rate_per_tib", write_bytes_per_s_per_tib, 0, CATALOG_AMOUNT_MOST,
                    "added to write_rate for each provisioned TiB"),
    NEEDED_INTEGER("requests_per_second_per_tib", requests_per_s_per_tib, 0, CATALOG_AMOUNT_MOST,
                   "added to requests_per_second for each provisioned TiB"),
    NEEDED_INTEGER("requests_per_second_most", requests_per_s_most, 1, CATALOG_AMOUNT_MOST,
                   "limit of requests_per_second, however large the share is"),
    NEEDED_QUANTITY(BYTES, "provisioned", provisioned_bytes, 1, CATALOG_AMOUNT_MOST,
                    "size of a share that does not state its own"),
    NEEDED_QUANTITY(DURATION, "read_latency", read_latency_ns, 0, CATALOG_DURATION_MOST,
                    "one read request"),
    NEEDED_QUANTITY(DURATION, "write_latency", write_latency_ns, 0, CATALOG_DURATION_MOST,
                    "one write request"),
    NEEDED_QUANTITY(BYTES, "request_size", request_bytes, 1, CATALOG_AMOUNT_MOST,
                    "a transfer is cut into requests of this size"),
    NEEDED_INTEGER("requests_in_flight", requests_in_flight, 1, CATALOG_COUNT_MOST,
                   "requests whose latencies overlap"),
    FIELD_ROW(BOOLEAN, "requests_overlap", requests_overlap,
              .doc = "true: a request follows as soon as another is answered, so that latency "
                     "passes while bytes move, and a file has at most requests_in_flight / latency "
                     "requests per second; false or absent: requests are sent in rounds, each of "
                     "which waits for the latency"),
    NEEDED_QUANTITY(
        MONEY, "price_per_gib_month", micro_usd_per_gib_month, 0, CATALOG_AMOUNT_MOST,
        "price of the stored data or, if the limits grow with the size, of the provisioned size"),
    {0},
};
#undef OWNER
#define OWNER CatalogImage
static const Field image_fields[] = {
    NEEDED_CUSTOM(
        sizes_kind, "compressed_size", compressed_bytes, 0, CATALOG_AMOUNT_MOST,
        "pulled over the network once for each node; of quantiles each name has one size, "
        "in every run the same"),
    {0},
};
#undef OWNER
#define SERVICE_TIMES(key, member, text)                                                           \
    NEEDED_CUSTOM(durations_kind, key, member, 0, CATALOG_DURATION_MOST, text)
#define OWNER ServiceModel
static const Field service_fields[] = {
    SERVICE_TIMES("cluster_record", cluster_record_ns,
                  "from the request to create a cluster until its provisioning has succeeded"),
    SERVICE_TIMES("allocation_create", allocation_create_ns,
                  "from the creation of a cluster with nodes until it is steady"),
    SERVICE_TIMES("allocation_empty", allocation_empty_ns,
                  "from the provisioning of a cluster without nodes until it is steady"),
    SERVICE_TIMES("allocation_resize", allocation_resize_ns,
                  "from a resize that adds nodes until the cluster is steady"),
    FIELD_ROW(CUSTOM, "allocation_autoscale", allocation_autoscale_ns, .custom = &durations_kind,
              .maximum = CATALOG_DURATION_MOST,
              .doc = "from an evaluation of automatic scaling that adds nodes until the cluster is "
                     "steady; absent: as allocation_resize"),
    SERVICE_TIMES("node_preparation", node_preparation_ns,
                  "from steady until a node is idle, for each node"),
    SERVICE_TIMES("release", release_ns,
                  "from a resize that removes nodes until the cluster is steady"),
    SERVICE_TIMES("leaving_delay", leaving_delay_ns,
                  "from a resize that removes nodes until they start to leave"),
    SERVICE_TIMES("cluster_delete", cluster_delete_ns, "deletion of a cluster with nodes"),
    SERVICE_TIMES("cluster_delete_empty", cluster_delete_empty_ns,
                  "deletion of a cluster without nodes"),
    SERVICE_TIMES("workspace_delete", workspace_delete_ns,
                  "deletion of a workspace; what it contains has its own times"),
    SERVICE_TIMES("workspace_delete_clusters", workspace_delete_clusters_ns,
                  "deletion of a workspace with clusters"),
    SERVICE_TIMES("experiment_delete", experiment_delete_ns, "deletion of an experiment"),
    SERVICE_TIMES("job_record", job_record_ns,
                  "from the request to create a job until its provisioning has succeeded"),
    SERVICE_TIMES("job_start", job_start_ns,
                  "from the creation of a job until it runs on idle nodes"),
    SERVICE_TIMES("job_terminate", job_terminate_ns, "termination of a running job"),
    SERVICE_TIMES("job_terminate_queued", job_terminate_queued_ns, "termination of a queued job"),
    SERVICE_TIMES("job_delete", job_delete_ns, "deletion of a completed job"),
    SERVICE_TIMES("job_delete_running", job_delete_running_ns, "deletion of a running job"),
    SERVICE_TIMES("job_delete_gone", job_delete_gone_ns,
                  "deletion of a job that never ran, or whose cluster is gone"),
    SERVICE_TIMES("job_mount", job_mount_ns, "mounting of the volumes of a job, for each node"),
    SERVICE_TIMES("container_start", container_start_ns,
                  "start of a container whose image is on the node, for each node"),
    SERVICE_TIMES("host_overhead", host_overhead_ns, "start and end of a command, for each node"),
    FIELD_ROW(CUSTOM, "host_overhead_prepared", host_overhead_prepared_ns,
              .custom = &durations_kind, .maximum = CATALOG_DURATION_MOST,
              .doc = "the same of a job with a preparation: start and end of both commands; "
                     "absent: as host_overhead"),
    NEEDED_QUANTITY(RATE, "registry_rate", registry_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "pull of a container image, for each node"),
    NEEDED_QUANTITY(RATE, "image_unpack_rate", image_unpack_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "compressed bytes unpacked to disk after the pull"),
    NEEDED_QUANTITY(RATE, "internet_rate", internet_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "downloads of data sets, for each node"),
    NEEDED_QUANTITY(RATE, "local_disk_rate", local_disk_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "a node's own disk"),
    NEEDED_QUANTITY(DURATION, "billing_granularity", billing_granularity_ns, 1,
                    CATALOG_DURATION_MOST,
                    "node time is billed in whole units of this; a remainder is not billed"),
    NEEDED_INTEGER("nodes_per_cluster", nodes_per_cluster_max, 1, CATALOG_COUNT_MOST,
                   "most nodes of a cluster"),
    NEEDED_INTEGER("clusters", clusters_max, 1, CATALOG_COUNT_MOST,
                   "most clusters of a subscription"),
    NEEDED_QUANTITY(DURATION, "autoscale_period", autoscale_period_ns, 1, CATALOG_DURATION_MOST,
                    "between two evaluations of automatic scaling"),
    NEEDED_QUANTITY(DURATION, "autoscale_look_back", autoscale_look_back_ns, 0,
                    CATALOG_DURATION_MOST, "only nodes idle for so long are removed"),
    NEEDED_QUANTITY(DURATION, "allocation_retry", allocation_retry_ns, 1, CATALOG_DURATION_MOST,
                    "from a failed allocation of nodes to the next attempt"),
    SERVICE_TIMES("failure_detection", failure_detection_ns,
                  "from the failure of a node until the service reports it unusable"),
    SERVICE_TIMES("node_reboot", node_reboot_ns, "a reboot on request, until preparation begins"),
    NEEDED_QUANTITY(DURATION, "preemption_notice", preemption_notice_ns, 0, CATALOG_DURATION_MOST,
                    "from the warning to the loss of a low-priority node"),
    NEEDED_QUANTITY(DURATION, "low_priority_run", low_priority_run_max_ns, 1, CATALOG_LIMIT_MOST,
                    "a job on low-priority nodes is preempted after this time"),
    NEEDED_BOOLEAN(
        "preemption_fails_jobs", preemption_fails_jobs,
        "whether preemption fails a job with PreemptionError instead of queueing it again"),
    NEEDED_INTEGER("attempts", attempts_max, 1, CATALOG_COUNT_MOST,
                   "a job that loses a node in its last attempt fails"),
    FIELD_ROW(CUSTOM, "unknown_program", unknown_program_ns, .custom = &distribution_kind,
              .maximum = CATALOG_DURATION_MOST,
              .doc = "a command line whose effect is not known: \"other_programs\" without a "
                     "duration; absent: 10 min"),
    FIELD_ROW(CUSTOM, "unknown_tool", unknown_tool_ns, .custom = &distribution_kind,
              .maximum = CATALOG_DURATION_MOST,
              .doc = "the same, of a line of tools that end at once, such as df, grep and ssh; "
                     "absent: 1 s"),
    SERVICE_TIMES("file_server_create", file_server_create_ns, "creation of a file server"),
    SERVICE_TIMES("file_server_delete", file_server_delete_ns, "deletion of a file server"),
    NEEDED_QUANTITY(DURATION, "max_wall_clock", default_max_wall_clock_ns, 1, CATALOG_LIMIT_MOST,
                    "maxWallClockTime of a job that does not state its own"),
    {0},
};
#undef OWNER
#define OWNER NetworkModel
static const Field network_fields[] = {
    NEEDED_CUSTOM(layers_kind, "layers", layers, 0, 0,
                  "the layers in the order of the forward pass, one text for each"),
    {0},
};
#undef OWNER
#define OWNER DataSet
static const Field data_set_fields[] = {
    NEEDED_INTEGER("train_samples", train_samples, 1, CATALOG_AMOUNT_MOST,
                   "samples of the training set"),
    NEEDED_INTEGER("test_samples", test_samples, 1, CATALOG_AMOUNT_MOST,
                   "samples of the test set, of which accuracies are parts"),
    NEEDED_QUANTITY(BYTES, "download", download_bytes, 0, CATALOG_AMOUNT_MOST,
                    "bytes that each node fetches at the start when the program downloads the set"),
    {0},
};
#undef OWNER
#define OWNER Framework
static const Field framework_fields[] = {
    NEEDED_QUANTITY(DURATION, "start", start_ns, 0, CATALOG_DURATION_MOST,
                    "interpreter, imports, session and first kernels"),
    NEEDED_QUANTITY(DURATION, "step_overhead", step_overhead_ns, 0, CATALOG_DURATION_MOST,
                    "for each step, in addition to arithmetic"),
    NEEDED_QUANTITY(DURATION, "input_time_per_sample", input_cpu_ns_per_sample, 0,
                    CATALOG_DURATION_MOST, "reading and augmenting one sample on one worker"),
    NEEDED_QUANTITY(RATIO, "input_workers", input_parallelism_ppm, 1, 1000000 * PPM,
                    "effective number of workers, such as \"1.5\""),
    NEEDED_INTEGER("update_flops_per_parameter", update_flops_per_parameter, 0, CATALOG_COUNT_MOST,
                   "operations of the optimizer for each parameter"),
    {0},
};
#undef OWNER
#define OWNER ExchangeMethod
static const Field exchange_fields[] = {
    NEEDED_QUANTITY(DURATION, "cycle", cycle_ns, 0, CATALOG_DURATION_MOST,
                    "period of the background thread"),
    NEEDED_BOOLEAN("sleeps_whole_cycle", sleeps_whole_cycle,
                   "whether the whole period is slept before each cycle, not only its remainder"),
    NEEDED_QUANTITY(BYTES, "fusion", fusion_bytes, 1, CATALOG_AMOUNT_MOST,
                    "size of a fusion buffer"),
    NEEDED_QUANTITY(DURATION, "request", request_ns, 0, CATALOG_DURATION_MOST,
                    "time in which rank 0 reads what one rank reports of one gradient"),
    NEEDED_BOOLEAN("via_host", via_host,
                   "true: MPI adds up in the memory of the host; false: NCCL adds up on the GPUs"),
    NEEDED_BOOLEAN("uses_rdma", uses_rdma,
                   "whether nodes that have InfiniBand exchange over it; otherwise over Ethernet"),
    NEEDED_BOOLEAN("loops_back", loops_back,
                   "whether ranks of one node also exchange through its InfiniBand adapter"),
    NEEDED_QUANTITY(RATIO, "rdma_efficiency", rdma_efficiency_ppm, 1, PPM,
                    "share of the adapter's rate that is reached"),
    NEEDED_QUANTITY(DURATION, "rdma_latency", rdma_latency_ns, 0, CATALOG_DURATION_MOST,
                    "a step between nodes over InfiniBand; at least the latency of the adapter"),
    NEEDED_QUANTITY(RATIO, "network_efficiency", network_efficiency_ppm, 1, PPM,
                    "share of the Ethernet's bits that are payload"),
    NEEDED_QUANTITY(RATE, "connection_rate", connection_bytes_per_s, 0, CATALOG_AMOUNT_MOST,
                    "most that one ring reaches over Ethernet; 0: no limit"),
    FIELD_ROW(RATIO, "further_ring", further_ring_ppm, .minimum = 1, .maximum = PPM,
              .doc = "share of connection_rate that each further ring adds; absent: all of it"),
    NEEDED_QUANTITY(DURATION, "node_latency", node_latency_ns, 0, CATALOG_DURATION_MOST,
                    "from a rank to the next one on the node"),
    NEEDED_QUANTITY(DURATION, "start", start_ns, 0, CATALOG_DURATION_MOST,
                    "start of one reduction"),
    NEEDED_QUANTITY(RATE, "copy_rate", copy_bytes_per_s, 2, CATALOG_AMOUNT_MOST,
                    "copies of one core from memory to memory"),
    NEEDED_QUANTITY(RATE, "reduce_rate", reduce_bytes_per_s, 0, CATALOG_AMOUNT_MOST,
                    "addition of two buffers; 0: additions take no additional time"),
    NEEDED_QUANTITY(DURATION, "launch", launch_ns, 0, CATALOG_DURATION_MOST,
                    "the host queues what computes one gradient on the GPU"),
    NEEDED_QUANTITY(DURATION, "hand_over", hand_over_ns, 0, CATALOG_DURATION_MOST,
                    "once a step, between the background thread and the framework"),
    NEEDED_QUANTITY(DURATION, "tensor", tensor_ns, 0, CATALOG_DURATION_MOST,
                    "once for each gradient"),
    FIELD_ROW(BOOLEAN, "after_backward", after_backward,
              .doc = "whether gradients are exchanged only when the backward pass has ended"),
    FIELD_ROW(BOOLEAN, "needs_peers", needs_peers,
              .doc = "whether a single process exchanges nothing"),
    FIELD_ROW(RATIO, "rdma_contended", rdma_contended_ppm, .minimum = 1, .maximum = PPM,
              .doc = "share of InfiniBand's rate that remains if the routes of several nodes "
                     "meet; absent: all of it"),
    FIELD_ROW(RATIO, "extra_error", extra_error_ppm, .minimum = 0, .maximum = 10 * PPM,
              .doc = "error of the exchange's time beyond the usual half, as a part of it"),
    {0},
};
#undef OWNER
#define OWNER SoftwareStack
static const Field stack_fields[] = {
    NEEDED_CUSTOM(framework_kind, "framework", framework, 0, 0, "a name of \"frameworks\""),
    NEEDED_CUSTOM(exchange_kind, "mpi_host", mpi_host, 0, 0,
                  "a name of \"exchanges\" that adds up in the memory of the host, or null"),
    NEEDED_CUSTOM(exchange_kind, "nccl", nccl, 0, 0,
                  "a name of \"exchanges\" that uses NCCL, or null"),
    NEEDED_CUSTOM(jitter_kind, "jitter", jitter, 0, 0,
                  "a name of \"jitters\", for machines without other users"),
    {0},
};
#undef OWNER
#define OWNER LearningCurve
static const Field learning_curve_fields[] = {
    NEEDED_CUSTOM(learning_kind, "accuracy", knots, 0, PPM, "accuracy on the test set by epochs"),
    NEEDED_QUANTITY(RATIO, "loss_at_chance", loss_at_chance_micro, 0, CATALOG_AMOUNT_MOST,
                    "loss of a guess: ln(classes)"),
    NEEDED_QUANTITY(RATIO, "final_loss", final_loss_micro, 0, CATALOG_AMOUNT_MOST,
                    "loss at accuracy 1"),
    NEEDED_QUANTITY(RATIO, "train_gap", train_gap_ppm, 0, PPM,
                    "training accuracy below validation accuracy"),
    NEEDED_QUANTITY(RATIO, "accuracy_loss_per_doubling", accuracy_loss_per_doubling_ppm, 0, PPM,
                    "accuracy lost for each doubling of the ranks"),
    NEEDED_QUANTITY(RATIO, "noise", noise_ppm, 0, PPM, "largest deviation of one evaluation"),
    {0},
};
#undef OWNER
#define OWNER NamedQuantiles
static const Field jitter_fields[] = {
    NEEDED_CUSTOM(ratios_kind, "factor", values, 1, 1000 * PPM,
                  "factor on a rank's own work; 1: as modelled"),
    {0},
};
#undef OWNER
#define OWNER NamedQuantiles
static const Field preparation_fields[] = {
    NEEDED_CUSTOM(durations_kind, "duration", values, 0, CATALOG_DURATION_MOST,
                  "time of the command on a node"),
    {0},
};
#undef OWNER
#define OWNER FailureModel
static const Field failure_model_fields[] = {
    NEEDED_CUSTOM(distribution_kind, "between", between, NS_PER_S, CATALOG_LIFETIME_MOST,
                  "time in working order, from allocation or repair to the next failure"),
    NEEDED_CUSTOM(
        distribution_kind, "repair", repair, 0, CATALOG_LIFETIME_MOST,
        "from failure to repair; of a node that waits for a crew, from the crew's coming"),
    NEEDED_CHOICE("recovery", recovery, recovery_words, "what becomes of the node"),
    NEEDED_TEXT("reason", reason, "in plain words: \"GPU memory error\""),
    {0},
};
#undef OWNER

#define OWNER Preemption
static const Field preemption_fields[] = {
    NEEDED_CUSTOM(failure_model_kind, "model", model, 0, 0,
                  "a name of \"failure_models\", whose \"between\" is their lifetime"),
    {0},
};
#undef OWNER
#define OWNER StageTime
static const Field stage_time_fields[] = {
    NEEDED_CUSTOM(times_by_count_kind, "time", ns, 0, CATALOG_DURATION_MOST,
                  "by images in the batch; of an update by parameters of the network"),
    {0},
};
#undef OWNER
#define OWNER KindTime
static const Field kind_time_fields[] = {
    NEEDED_QUANTITY(DURATION, "fixed", fixed_ns, 0, CATALOG_DURATION_MOST,
                    "part that does not depend on the layer"),
    NEEDED_QUANTITY(DURATION, "per_million_parameters", per_million_parameters_ns, 0,
                    CATALOG_DURATION_MOST, "for each million parameters"),
    NEEDED_QUANTITY(DURATION, "per_million_macs", per_million_macs_ns, 0, CATALOG_DURATION_MOST,
                    "for each million multiply-adds of the forward pass, in both directions"),
    NEEDED_QUANTITY(DURATION, "per_million_values", per_million_values_ns, 0, CATALOG_DURATION_MOST,
                    "for each million values read and written"),
    {0},
};
#undef OWNER
#define OWNER SideBySide
static const Field side_by_side_fields[] = {
    NEEDED_CUSTOM(ratios_by_count_kind, "factor", factor_ppm, 1, 1000 * PPM,
                  "by ranks on one machine"),
    {0},
};
#undef OWNER
#define OWNER ExchangeTime
static const Field exchange_time_fields[] = {
    NEEDED_TEXT("exchange", exchange, "a name of \"exchanges\""),
    NEEDED_INTEGER("ranks", time.ranks, 1, CATALOG_COUNT_MOST, "ranks of one machine"),
    NEEDED_CUSTOM(times_by_bytes_kind, "time", time.ns, 0, CATALOG_DURATION_MOST, "by bytes"),
    {0},
};
#undef OWNER

const SectionShape catalog_shapes[CATALOG_SECTION_COUNT] = {
    [CATALOG_GPUS] = {.type = {"gpus", "GPU models.", sizeof(GpuModel), gpu_fields}},
    [CATALOG_VM_SIZES] = {.type = {"vm_sizes", "Sizes of virtual machines.", sizeof(VmSize),
                                   vm_size_fields}},
    [CATALOG_QUOTAS] = {.type = {"quotas",
                                 "Core quotas of a subscription by family of VM sizes; \"total\" "
                                 "is over all families.",
                                 sizeof(CoreQuota), quota_fields}},
    [CATALOG_SHARE_TIERS] =
        {.type = {"share_tiers",
                  "The limits of file shares, blob containers and the disks of file servers.",
                  sizeof(ShareTier), share_tier_fields}},
    [CATALOG_IMAGES] = {.type = {"images",
                                 "Container images; \"*\" stands for all that are not listed.",
                                 sizeof(CatalogImage), image_fields}},
    [CATALOG_SERVICE] =
        {.type =
             {"service",
              "How the service itself behaves. A distribution is drawn once for each occurrence.",
              sizeof(ServiceModel), service_fields},
         .is_single = true},
    [CATALOG_NETWORKS] = {.type = {"networks", "Networks to be trained.", sizeof(NetworkModel),
                                   network_fields}},
    [CATALOG_DATA_SETS] = {.type = {"data_sets", "Data sets.", sizeof(DataSet), data_set_fields}},
    [CATALOG_FRAMEWORKS] = {.type = {"frameworks", "The software around a network.",
                                     sizeof(Framework), framework_fields}},
    [CATALOG_EXCHANGES] = {.type = {"exchanges",
                                    "How gradients are exchanged. An exchange that is {} was "
                                    "measured as a whole: \"exchange_times\".",
                                    sizeof(ExchangeMethod), exchange_fields},
                           .may_be_empty = true},
    [CATALOG_LEARNING_CURVES] = {.type = {"learning_curves",
                                          "Accuracy and loss by progress of the training.",
                                          sizeof(LearningCurve), learning_curve_fields}},
    [CATALOG_JITTERS] = {.type = {"jitters", "How unevenly a rank's own work takes its time.",
                                  sizeof(NamedQuantiles), jitter_fields}},
    [CATALOG_STACKS] = {.type = {"stacks",
                                 "Software that goes together, under the name that people give it.",
                                 sizeof(SoftwareStack), stack_fields}},
    [CATALOG_PREPARATIONS] =
        {.type =
             {"preparations",
              "Preparation commands, by a pattern of the command line (* any characters, ? one).",
              sizeof(NamedQuantiles), preparation_fields}},
    [CATALOG_FAILURE_MODELS] = {.type = {"failure_models",
                                         "How often a node fails, and what becomes of it.",
                                         sizeof(FailureModel), failure_model_fields}},
    [CATALOG_PREEMPTIONS] = {.type = {"preemptions",
                                      "How long low-priority nodes are kept, by family of VM "
                                      "sizes; \"*\" stands for all families that are not listed.",
                                      sizeof(Preemption), preemption_fields}},
    [CATALOG_STAGE_TIMES] = {.type = {"stage_times",
                                      "Measured stages of a training step, called DEVICE PRECISION "
                                      "STAGE and, for layers, KIND SHAPE.",
                                      sizeof(StageTime), stage_time_fields}},
    [CATALOG_KIND_TIMES] = {.type = {"kind_times", "Layers whose shape was not measured, by kind.",
                                     sizeof(KindTime), kind_time_fields}},
    [CATALOG_SIDE_BY_SIDE] =
        {.type = {"side_by_side",
                  "How much longer a rank takes while others compute on the same machine.",
                  sizeof(SideBySide), side_by_side_fields}},
    [CATALOG_EXCHANGE_TIMES] =
        {.type = {"exchange_times", "Measured sums of gradients over the ranks of one machine.",
                  sizeof(ExchangeTime), exchange_time_fields}},
    [CATALOG_TRANSFORMERS] = {.type = {"transformers", "Transformers to be trained.",
                                       sizeof(CatalogTransformer), transformer_fields}},
    [CATALOG_TRANSFORMER_GPUS] =
        {.type = {"transformer_gpus",
                  "Rates that GPUs and their links reach, by names of \"gpus\".",
                  sizeof(TransformerGpu), transformer_gpu_fields}},
    [CATALOG_TRANSFORMER_FABRICS] = {.type = {"transformer_fabrics",
                                              "All-reduce between nodes, measured.",
                                              sizeof(TransformerFabric),
                                              transformer_fabric_fields}},
    [CATALOG_TRANSFORMER_SOFTWARE] = {.type = {"transformer_software",
                                               "Software that trains transformers, as fitted.",
                                               sizeof(TransformerSoftware),
                                               transformer_software_fields}},
    [CATALOG_TRANSFORMER_ROUTING] = {.type = {"transformer_routing",
                                              "How tokens are moved to their experts and back.",
                                              sizeof(TransformerRouting),
                                              transformer_routing_fields}},
    [CATALOG_POWER] = {.type = {"power", "The power of nodes, by VM size.", sizeof(NodePower),
                                power_fields}},
    [CATALOG_ENERGY] = {.type = {"energy", "The consequences of the energy of nodes.",
                                 sizeof(EnergyTerms), energy_fields},
                        .is_single = true},
};
_Static_assert(sizeof(service_fields) / sizeof(service_fields[0]) <= CATALOG_FIELDS_MAX,
               "the largest");

// The name of an entry is written into its first member.
#define NAME_COMES_FIRST(type, member) _Static_assert(offsetof(type, member) == 0, "name first")
NAME_COMES_FIRST(GpuModel, name);
NAME_COMES_FIRST(VmSize, name);
NAME_COMES_FIRST(CoreQuota, family);
NAME_COMES_FIRST(ShareTier, name);
NAME_COMES_FIRST(ContainerImage, name);
NAME_COMES_FIRST(NetworkModel, name);
NAME_COMES_FIRST(DataSet, name);
NAME_COMES_FIRST(Framework, name);
NAME_COMES_FIRST(ExchangeMethod, name);
NAME_COMES_FIRST(SoftwareStack, name);
NAME_COMES_FIRST(LearningCurve, name);
NAME_COMES_FIRST(NamedQuantiles, name);
NAME_COMES_FIRST(FailureModel, name);
NAME_COMES_FIRST(Preemption, family);
NAME_COMES_FIRST(StageTime, name);
NAME_COMES_FIRST(KindTime, name);
NAME_COMES_FIRST(SideBySide, name);
NAME_COMES_FIRST(ExchangeTime, name);
NAME_COMES_FIRST(CatalogTransformer, name);
NAME_COMES_FIRST(TransformerGpu, name);
NAME_COMES_FIRST(TransformerFabric, name);
NAME_COMES_FIRST(TransformerSoftware, name);
NAME_COMES_FIRST(TransformerRouting, name);
NAME_COMES_FIRST(NodePower, vm_size);
