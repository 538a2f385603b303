#include "sim/scenario/catalog/fields.h"

/* Least values that leave something of their product for each of as many ranks as there can be. */
#define PEAK_LEAST_FLOPS INT64_C(1000000000)
#define EFFICIENCY_LEAST_PPM 1000

static const CatalogField gpu_fields[] = {
    {"peak", VALUE_FLOPS, offsetof(GpuModel, peak_flops), PEAK_LEAST_FLOPS, CATALOG_AMOUNT_MOST},
    {"efficiency", VALUE_RATIO, offsetof(GpuModel, efficiency_ppm), EFFICIENCY_LEAST_PPM, PPM},
    {"memory", VALUE_BYTES, offsetof(GpuModel, memory_bytes), 1, CATALOG_AMOUNT_MOST},
    {"memory_rate", VALUE_RATE, offsetof(GpuModel, memory_bytes_per_s), 1, CATALOG_AMOUNT_MOST},
    {"host_link_rate", VALUE_RATE, offsetof(GpuModel, host_link_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"peer_rate", VALUE_RATE, offsetof(GpuModel, peer_bytes_per_s), 1, CATALOG_AMOUNT_MOST},
    {"rings", VALUE_COUNT, offsetof(GpuModel, rings), 1, CATALOG_COUNT_MOST},
};
static const CatalogField vm_size_fields[] = {
    {"family", VALUE_NAME, offsetof(VmSize, family), 0, 0},
    {"vcpus", VALUE_COUNT_32, offsetof(VmSize, vcpus), 1, CATALOG_COUNT_MOST},
    {"gpus", VALUE_COUNT_32, offsetof(VmSize, gpus), 0, CATALOG_COUNT_MOST},
    {"gpu", VALUE_GPU, offsetof(VmSize, gpu), 0, 0},
    {"network_rate", VALUE_RATE, offsetof(VmSize, network_bytes_per_s), 1, CATALOG_AMOUNT_MOST},
    {"network_latency", VALUE_DURATION, offsetof(VmSize, network_latency_ns), 0,
     CATALOG_DURATION_MOST},
    {"rdma_rate", VALUE_RATE, offsetof(VmSize, rdma_bytes_per_s), 0, CATALOG_AMOUNT_MOST},
    {"rdma_latency", VALUE_DURATION, offsetof(VmSize, rdma_latency_ns), 0, CATALOG_DURATION_MOST},
    {"dedicated_price_per_hour", VALUE_MONEY, offsetof(VmSize, dedicated_micro_usd_per_hour), 0,
     CATALOG_AMOUNT_MOST},
    {"low_priority_price_per_hour", VALUE_MONEY, offsetof(VmSize, low_priority_micro_usd_per_hour),
     0, CATALOG_AMOUNT_MOST},
};
static const CatalogField quota_fields[] = {
    {"dedicated_vcpus", VALUE_COUNT_32, offsetof(CoreQuota, dedicated_vcpus), 0,
     CATALOG_COUNT_MOST},
    {"low_priority_vcpus", VALUE_COUNT_32, offsetof(CoreQuota, low_priority_vcpus), 0,
     CATALOG_COUNT_MOST},
};
static const CatalogField share_tier_fields[] = {
    {"read_rate", VALUE_RATE, offsetof(ShareTier, read_bytes_per_s), 1, CATALOG_AMOUNT_MOST},
    {"write_rate", VALUE_RATE, offsetof(ShareTier, write_bytes_per_s), 1, CATALOG_AMOUNT_MOST},
    {"requests_per_second", VALUE_COUNT, offsetof(ShareTier, requests_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"file_read_rate", VALUE_RATE, offsetof(ShareTier, file_read_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"file_write_rate", VALUE_RATE, offsetof(ShareTier, file_write_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"read_rate_per_tib", VALUE_RATE, offsetof(ShareTier, read_bytes_per_s_per_tib), 0,
     CATALOG_AMOUNT_MOST},
    {"write_rate_per_tib", VALUE_RATE, offsetof(ShareTier, write_bytes_per_s_per_tib), 0,
     CATALOG_AMOUNT_MOST},
    {"requests_per_second_per_tib", VALUE_COUNT, offsetof(ShareTier, requests_per_s_per_tib), 0,
     CATALOG_AMOUNT_MOST},
    {"requests_per_second_most", VALUE_COUNT, offsetof(ShareTier, requests_per_s_most), 1,
     CATALOG_AMOUNT_MOST},
    {"provisioned", VALUE_BYTES, offsetof(ShareTier, provisioned_bytes), 1, CATALOG_AMOUNT_MOST},
    {"read_latency", VALUE_DURATION, offsetof(ShareTier, read_latency_ns), 0,
     CATALOG_DURATION_MOST},
    {"write_latency", VALUE_DURATION, offsetof(ShareTier, write_latency_ns), 0,
     CATALOG_DURATION_MOST},
    {"request_size", VALUE_BYTES, offsetof(ShareTier, request_bytes), 1, CATALOG_AMOUNT_MOST},
    {"requests_in_flight", VALUE_COUNT, offsetof(ShareTier, requests_in_flight), 1,
     CATALOG_COUNT_MOST},
    {"price_per_gib_month", VALUE_MONEY, offsetof(ShareTier, micro_usd_per_gib_month), 0,
     CATALOG_AMOUNT_MOST},
};
static const CatalogField image_fields[] = {
    {"compressed_size", VALUE_BYTES, offsetof(ContainerImage, compressed_bytes), 0,
     CATALOG_AMOUNT_MOST},
};
#define SERVICE_TIMES(name, member)                                                                \
    {                                                                                              \
        name, VALUE_DURATIONS, offsetof(ServiceModel, member), 0, CATALOG_DURATION_MOST            \
    }
static const CatalogField service_fields[] = {
    SERVICE_TIMES("cluster_record", cluster_record_ns),
    SERVICE_TIMES("allocation_create", allocation_create_ns),
    SERVICE_TIMES("allocation_empty", allocation_empty_ns),
    SERVICE_TIMES("allocation_resize", allocation_resize_ns),
    SERVICE_TIMES("node_preparation", node_preparation_ns),
    SERVICE_TIMES("release", release_ns),
    SERVICE_TIMES("leaving_delay", leaving_delay_ns),
    SERVICE_TIMES("cluster_delete", cluster_delete_ns),
    SERVICE_TIMES("cluster_delete_empty", cluster_delete_empty_ns),
    SERVICE_TIMES("workspace_delete", workspace_delete_ns),
    SERVICE_TIMES("workspace_delete_clusters", workspace_delete_clusters_ns),
    SERVICE_TIMES("experiment_delete", experiment_delete_ns),
    SERVICE_TIMES("job_record", job_record_ns),
    SERVICE_TIMES("job_start", job_start_ns),
    SERVICE_TIMES("job_terminate", job_terminate_ns),
    SERVICE_TIMES("job_terminate_queued", job_terminate_queued_ns),
    SERVICE_TIMES("job_delete", job_delete_ns),
    SERVICE_TIMES("job_delete_running", job_delete_running_ns),
    SERVICE_TIMES("job_delete_gone", job_delete_gone_ns),
    SERVICE_TIMES("job_mount", job_mount_ns),
    SERVICE_TIMES("container_start", container_start_ns),
    SERVICE_TIMES("host_overhead", host_overhead_ns),
    {"registry_rate", VALUE_RATE, offsetof(ServiceModel, registry_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"image_unpack_rate", VALUE_RATE, offsetof(ServiceModel, image_unpack_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"internet_rate", VALUE_RATE, offsetof(ServiceModel, internet_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"local_disk_rate", VALUE_RATE, offsetof(ServiceModel, local_disk_bytes_per_s), 1,
     CATALOG_AMOUNT_MOST},
    {"billing_granularity", VALUE_DURATION, offsetof(ServiceModel, billing_granularity_ns), 1,
     CATALOG_DURATION_MOST},
    {"nodes_per_cluster", VALUE_COUNT_32, offsetof(ServiceModel, nodes_per_cluster_max), 1,
     CATALOG_COUNT_MOST},
    {"clusters", VALUE_COUNT_32, offsetof(ServiceModel, clusters_max), 1, CATALOG_COUNT_MOST},
    {"autoscale_period", VALUE_DURATION, offsetof(ServiceModel, autoscale_period_ns), 1,
     CATALOG_DURATION_MOST},
    {"autoscale_look_back", VALUE_DURATION, offsetof(ServiceModel, autoscale_look_back_ns), 0,
     CATALOG_DURATION_MOST},
    {"allocation_retry", VALUE_DURATION, offsetof(ServiceModel, allocation_retry_ns), 1,
     CATALOG_DURATION_MOST},
    SERVICE_TIMES("failure_detection", failure_detection_ns),
    SERVICE_TIMES("node_reboot", node_reboot_ns),
    {"preemption_notice", VALUE_DURATION, offsetof(ServiceModel, preemption_notice_ns), 0,
     CATALOG_DURATION_MOST},
    {"low_priority_run", VALUE_DURATION, offsetof(ServiceModel, low_priority_run_max_ns), 1,
     CATALOG_DURATION_MOST},
    {"preemption_fails_jobs", VALUE_BOOLEAN, offsetof(ServiceModel, preemption_fails_jobs), 0, 0},
    {"attempts", VALUE_COUNT_32, offsetof(ServiceModel, attempts_max), 1, CATALOG_COUNT_MOST},
    SERVICE_TIMES("file_server_create", file_server_create_ns),
    SERVICE_TIMES("file_server_delete", file_server_delete_ns),
    {"max_wall_clock", VALUE_DURATION, offsetof(ServiceModel, default_max_wall_clock_ns), 1,
     CATALOG_DURATION_MOST},
};
static const CatalogField network_fields[] = {
    {"layers", VALUE_LAYERS, 0, 0, 0},
};
static const CatalogField data_set_fields[] = {
    {"train_samples", VALUE_COUNT, offsetof(DataSet, train_samples), 1, CATALOG_AMOUNT_MOST},
    {"test_samples", VALUE_COUNT, offsetof(DataSet, test_samples), 0, CATALOG_AMOUNT_MOST},
    {"download", VALUE_BYTES, offsetof(DataSet, download_bytes), 0, CATALOG_AMOUNT_MOST},
};
static const CatalogField framework_fields[] = {
    {"start", VALUE_DURATION, offsetof(Framework, start_ns), 0, CATALOG_DURATION_MOST},
    {"step_overhead", VALUE_DURATION, offsetof(Framework, step_overhead_ns), 0,
     CATALOG_DURATION_MOST},
    {"input_time_per_sample", VALUE_DURATION, offsetof(Framework, input_cpu_ns_per_sample), 0,
     CATALOG_DURATION_MOST},
    {"input_workers", VALUE_RATIO, offsetof(Framework, input_parallelism_ppm), 1, 1000000 * PPM},
    {"update_flops_per_parameter", VALUE_COUNT, offsetof(Framework, update_flops_per_parameter), 0,
     CATALOG_COUNT_MOST},
};
static const CatalogField exchange_fields[] = {
    {"cycle", VALUE_DURATION, offsetof(ExchangeMethod, cycle_ns), 0, CATALOG_DURATION_MOST},
    {"sleeps_whole_cycle", VALUE_BOOLEAN, offsetof(ExchangeMethod, sleeps_whole_cycle), 0, 0},
    {"fusion", VALUE_BYTES, offsetof(ExchangeMethod, fusion_bytes), 1, CATALOG_AMOUNT_MOST},
    {"request", VALUE_DURATION, offsetof(ExchangeMethod, request_ns), 0, CATALOG_DURATION_MOST},
    {"via_host", VALUE_BOOLEAN, offsetof(ExchangeMethod, via_host), 0, 0},
    {"uses_rdma", VALUE_BOOLEAN, offsetof(ExchangeMethod, uses_rdma), 0, 0},
    {"loops_back", VALUE_BOOLEAN, offsetof(ExchangeMethod, loops_back), 0, 0},
    {"rdma_efficiency", VALUE_RATIO, offsetof(ExchangeMethod, rdma_efficiency_ppm), 1, PPM},
    {"rdma_latency", VALUE_DURATION, offsetof(ExchangeMethod, rdma_latency_ns), 0,
     CATALOG_DURATION_MOST},
    {"network_efficiency", VALUE_RATIO, offsetof(ExchangeMethod, network_efficiency_ppm), 1, PPM},
    {"connection_rate", VALUE_RATE, offsetof(ExchangeMethod, connection_bytes_per_s), 0,
     CATALOG_AMOUNT_MOST},
    {"node_latency", VALUE_DURATION, offsetof(ExchangeMethod, node_latency_ns), 0,
     CATALOG_DURATION_MOST},
    {"start", VALUE_DURATION, offsetof(ExchangeMethod, start_ns), 0, CATALOG_DURATION_MOST},
    {"copy_rate", VALUE_RATE, offsetof(ExchangeMethod, copy_bytes_per_s), 2, CATALOG_AMOUNT_MOST},
    {"reduce_rate", VALUE_RATE, offsetof(ExchangeMethod, reduce_bytes_per_s), 0,
     CATALOG_AMOUNT_MOST},
    {"launch", VALUE_DURATION, offsetof(ExchangeMethod, launch_ns), 0, CATALOG_DURATION_MOST},
    {"hand_over", VALUE_DURATION, offsetof(ExchangeMethod, hand_over_ns), 0, CATALOG_DURATION_MOST},
    {"tensor", VALUE_DURATION, offsetof(ExchangeMethod, tensor_ns), 0, CATALOG_DURATION_MOST},
};
static const CatalogField stack_fields[] = {
    {"framework", VALUE_FRAMEWORK, offsetof(SoftwareStack, framework), 0, 0},
    {"mpi_host", VALUE_EXCHANGE, offsetof(SoftwareStack, mpi_host), 0, 0},
    {"nccl", VALUE_EXCHANGE, offsetof(SoftwareStack, nccl), 0, 0},
    {"jitter", VALUE_JITTER, offsetof(SoftwareStack, jitter), 0, 0},
};
static const CatalogField learning_curve_fields[] = {
    {"accuracy", VALUE_LEARNING_KNOTS, 0, 0, PPM},
    {"loss_at_chance", VALUE_RATIO, offsetof(LearningCurve, loss_at_chance_micro), 0,
     CATALOG_AMOUNT_MOST},
    {"final_loss", VALUE_RATIO, offsetof(LearningCurve, final_loss_micro), 0, CATALOG_AMOUNT_MOST},
    {"train_gap", VALUE_RATIO, offsetof(LearningCurve, train_gap_ppm), 0, PPM},
    {"accuracy_loss_per_doubling", VALUE_RATIO,
     offsetof(LearningCurve, accuracy_loss_per_doubling_ppm), 0, PPM},
    {"noise", VALUE_RATIO, offsetof(LearningCurve, noise_ppm), 0, PPM},
};
static const CatalogField jitter_fields[] = {
    {"factor", VALUE_RATIOS, offsetof(NamedQuantiles, values), 1, 1000 * PPM},
};
static const CatalogField preparation_fields[] = {
    {"duration", VALUE_DURATIONS, offsetof(NamedQuantiles, values), 0, CATALOG_DURATION_MOST},
};
static const CatalogField failure_model_fields[] = {
    {"between", VALUE_DISTRIBUTION, offsetof(FailureModel, between), NS_PER_S,
     CATALOG_LIFETIME_MOST},
    {"repair", VALUE_DISTRIBUTION, offsetof(FailureModel, repair), 0, CATALOG_LIFETIME_MOST},
    {"recovery", VALUE_RECOVERY, offsetof(FailureModel, recovery), 0, 0},
    {"reason", VALUE_NAME, offsetof(FailureModel, reason), 0, 0},
};

static const CatalogField stage_time_fields[] = {
    {"time", VALUE_TIMES_BY_COUNT, offsetof(StageTime, ns), 0, CATALOG_DURATION_MOST},
};
static const CatalogField kind_time_fields[] = {
    {"fixed", VALUE_DURATION, offsetof(KindTime, fixed_ns), 0, CATALOG_DURATION_MOST},
    {"per_million_parameters", VALUE_DURATION, offsetof(KindTime, per_million_parameters_ns), 0,
     CATALOG_DURATION_MOST},
    {"per_million_macs", VALUE_DURATION, offsetof(KindTime, per_million_macs_ns), 0,
     CATALOG_DURATION_MOST},
    {"per_million_values", VALUE_DURATION, offsetof(KindTime, per_million_values_ns), 0,
     CATALOG_DURATION_MOST},
};
static const CatalogField side_by_side_fields[] = {
    {"factor", VALUE_RATIOS_BY_COUNT, offsetof(SideBySide, factor_ppm), 1, 1000 * PPM},
};
static const CatalogField exchange_time_fields[] = {
    {"exchange", VALUE_NAME, offsetof(ExchangeTime, exchange), 0, 0},
    {"ranks", VALUE_COUNT_32, offsetof(ExchangeTime, time.ranks), 1, CATALOG_COUNT_MOST},
    {"time", VALUE_TIMES_BY_BYTES, offsetof(ExchangeTime, time.ns), 0, CATALOG_DURATION_MOST},
};

const SectionShape catalog_shapes[CATALOG_SECTION_COUNT] = {
#define FIELDS(of_section)                                                                         \
    .field_count = (int32_t)(sizeof(of_section) / sizeof(of_section)[0]), .fields = (of_section)
    [CATALOG_GPUS] = {"gpus", sizeof(GpuModel), FIELDS(gpu_fields)},
    [CATALOG_VM_SIZES] = {"vm_sizes", sizeof(VmSize), FIELDS(vm_size_fields)},
    [CATALOG_QUOTAS] = {"quotas", sizeof(CoreQuota), FIELDS(quota_fields)},
    [CATALOG_SHARE_TIERS] = {"share_tiers", sizeof(ShareTier), FIELDS(share_tier_fields)},
    [CATALOG_IMAGES] = {"images", sizeof(ContainerImage), FIELDS(image_fields)},
    [CATALOG_SERVICE] = {"service", sizeof(ServiceModel), FIELDS(service_fields),
                         .is_single = true},
    [CATALOG_NETWORKS] = {"networks", sizeof(NetworkModel), FIELDS(network_fields)},
    [CATALOG_DATA_SETS] = {"data_sets", sizeof(DataSet), FIELDS(data_set_fields)},
    [CATALOG_FRAMEWORKS] = {"frameworks", sizeof(Framework), FIELDS(framework_fields)},
    // One that is {} was measured as a whole: "exchange_times".
    [CATALOG_EXCHANGES] = {"exchanges", sizeof(ExchangeMethod), FIELDS(exchange_fields),
                           .may_be_empty = true},
    [CATALOG_LEARNING_CURVES] = {"learning_curves", sizeof(LearningCurve),
                                 FIELDS(learning_curve_fields)},
    [CATALOG_JITTERS] = {"jitters", sizeof(NamedQuantiles), FIELDS(jitter_fields)},
    [CATALOG_STACKS] = {"stacks", sizeof(SoftwareStack), FIELDS(stack_fields)},
    [CATALOG_PREPARATIONS] = {"preparations", sizeof(NamedQuantiles), FIELDS(preparation_fields)},
    [CATALOG_FAILURE_MODELS] = {"failure_models", sizeof(FailureModel),
                                FIELDS(failure_model_fields)},
    [CATALOG_STAGE_TIMES] = {"stage_times", sizeof(StageTime), FIELDS(stage_time_fields)},
    [CATALOG_KIND_TIMES] = {"kind_times", sizeof(KindTime), FIELDS(kind_time_fields)},
    [CATALOG_SIDE_BY_SIDE] = {"side_by_side", sizeof(SideBySide), FIELDS(side_by_side_fields)},
    [CATALOG_EXCHANGE_TIMES] = {"exchange_times", sizeof(ExchangeTime),
                                FIELDS(exchange_time_fields)},
#undef FIELDS
};
_Static_assert(sizeof(service_fields) / sizeof(service_fields[0]) <= CATALOG_FIELDS_MAX,
               "the largest");

// Entries are named through their first member.
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
NAME_COMES_FIRST(StageTime, name);
NAME_COMES_FIRST(KindTime, name);
NAME_COMES_FIRST(SideBySide, name);
NAME_COMES_FIRST(ExchangeTime, name);
