#include "sim/scenario/catalog/transformer_fields.h"

#include "sim/scenario/catalog/value.h"

#define RATIO_MOST (1000 * PPM)

#define NEEDED_QUANTITY(KIND, key, member, least, most, text)                                      \
    NEEDED_ROW(KIND, key, member, .minimum = least, .maximum = most, .doc = text)
#define NEEDED_CUSTOM(custom_kind, key, member, least, most, text)                                 \
    NEEDED_ROW(CUSTOM, key, member, .custom = &(custom_kind), .minimum = least, .maximum = most,   \
               .doc = text)

#define OWNER CatalogTransformer
const Field transformer_fields[] = {
    NEEDED_CUSTOM(transformer_shape_kind, "shape", shape, 0, 0, "its members, as in a model file"),
    {0},
};
#undef OWNER

#define OWNER TransformerGpu
const Field transformer_gpu_fields[] = {
    NEEDED_QUANTITY(FLOPS, "bf16_peak", bf16_peak_flops, 1000000000, CATALOG_AMOUNT_MOST,
                    "published dense BF16 peak, which MFU refers to"),
    FIELD_ROW(FLOPS, "fp8_peak", fp8_peak_flops, .minimum = 0, .maximum = CATALOG_AMOUNT_MOST,
              .doc = "published dense FP8 peak; absent: it has no FP8"),
    NEEDED_QUANTITY(FLOPS, "bf16_matmul", bf16_matmul_flops, 1000000000, CATALOG_AMOUNT_MOST,
                    "most that BF16 matmuls reach, measured"),
    FIELD_ROW(FLOPS, "fp8_matmul", fp8_matmul_flops, .minimum = 1000000000,
              .maximum = CATALOG_AMOUNT_MOST, .doc = "most that FP8 matmuls reach, measured"),
    NEEDED_QUANTITY(FLOPS, "attention", attention_flops, 1000000000, CATALOG_AMOUNT_MOST,
                    "what flash attention reaches, measured"),
    NEEDED_QUANTITY(RATE, "memory_rate", memory_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "rate of its memory, measured"),
    NEEDED_INTEGER("link_ranks", link_ranks, 2, CATALOG_COUNT_MOST,
                   "GPUs of one node in the measured all-reduce"),
    NEEDED_CUSTOM(times_by_bytes_kind, "all_reduce", all_reduce, 1, CATALOG_DURATION_MOST,
                  "time of an all-reduce in a node, by bytes"),
    NEEDED_QUANTITY(RATIO, "gather", gather_ppm, PPM / 10, 10 * PPM,
                    "time of an all-gather, as a part of half an all-reduce's"),
    {0},
};
#undef OWNER

#define OWNER TransformerFabric
const Field transformer_fabric_fields[] = {
    NEEDED_QUANTITY(RATE, "port_rate", port_bytes_per_s, 1, CATALOG_AMOUNT_MOST,
                    "port of each GPU on the measured nodes, each way"),
    NEEDED_INTEGER("ports", ports, 1, CATALOG_COUNT_MOST, "ports of a measured node"),
    NEEDED_CUSTOM(times_by_bytes_kind, "two_nodes", two_nodes, 1, CATALOG_DURATION_MOST,
                  "time of an all-reduce over all GPUs of two nodes, by bytes"),
    NEEDED_CUSTOM(times_by_count_kind, "added", added, 0, CATALOG_DURATION_MOST,
                  "what more nodes add to that time, by nodes"),
    {0},
};
#undef OWNER

#define OWNER TransformerSoftware
const Field transformer_software_fields[] = {
    NEEDED_QUANTITY(RATIO, "matmul", matmul_ppm, PPM / 1000, 2 * PPM,
                    "share of the GPU's measured BF16 matmuls that a training reaches"),
    NEEDED_QUANTITY(RATIO, "fp8_matmul", fp8_matmul_ppm, PPM / 1000, 2 * PPM,
                    "the same for FP8, conversions included"),
    NEEDED_INTEGER("matmul_half", matmul_half, 0, CATALOG_COUNT_MOST,
                   "side of a matmul that halves its rate"),
    NEEDED_QUANTITY(RATIO, "attention", attention_ppm, PPM / 1000, 4 * PPM,
                    "share of the GPU's measured flash attention"),
    NEEDED_QUANTITY(RATIO, "elements", element_ppm, 0, RATIO_MOST,
                    "memory traffic between matmuls; 1: each value once for each use"),
    NEEDED_QUANTITY(DURATION, "layer_launch", layer_launch_ns, 0, CATALOG_DURATION_MOST,
                    "time in which the host queues a layer's forward pass"),
    NEEDED_QUANTITY(RATIO, "overlap_loss", overlap_loss_ppm, 0, PPM,
                    "part of overlapped communication that costs time nevertheless"),
    NEEDED_QUANTITY(RATIO, "tensor_exposed", tensor_exposed_ppm, 0, 10 * PPM,
                    "part of tensor-parallel communication that is not hidden"),
    NEEDED_BOOLEAN("overlaps_gradients", overlaps_gradients,
                   "whether gradients are summed during the last backward pass"),
    NEEDED_QUANTITY(BYTES, "bucket", bucket_bytes, 1, CATALOG_AMOUNT_MOST,
                    "gradients that are summed in one message"),
    NEEDED_QUANTITY(BYTES, "gradient", gradient_bytes, 2, 4, "a gradient: 2B or 4B"),
    NEEDED_QUANTITY(BYTES, "optimizer", optimizer_bytes, 0, CATALOG_COUNT_MOST,
                    "memory traffic of the update of a parameter"),
    NEEDED_QUANTITY(DURATION, "step_overhead", step_overhead_ns, 0, CATALOG_DURATION_MOST,
                    "once a step"),
    NEEDED_QUANTITY(RATIO, "selective", selective_ppm, 0, PPM,
                    "share of a layer that recompute=selective performs again"),
    NEEDED_BOOLEAN("flash", has_flash_attention, "whether its attention is flash attention"),
    NEEDED_QUANTITY(BYTES, "memory_base", memory_base_bytes, 0, CATALOG_AMOUNT_MOST,
                    "memory of CUDA, libraries and buffers"),
    NEEDED_QUANTITY(RATIO, "memory", memory_ppm, PPM / 2, 10 * PPM,
                    "memory allocated for each byte in use"),
    NEEDED_QUANTITY(RATIO, "error", error_ppm, 0, 3 * PPM,
                    "standard deviation of the logarithm of a step's time, other software alike"),
    NEEDED_QUANTITY(RATIO, "memory_error", memory_error_ppm, 0, 3 * PPM, "the same of the memory"),
    {0},
};
#undef OWNER

#define OWNER TransformerRouting
const Field transformer_routing_fields[] = {
    NEEDED_QUANTITY(
        RATIO, "imbalance", imbalance_ppm, PPM, RATIO_MOST,
        "tokens of the busiest of the ranks that divide the experts, relative to the mean"),
    NEEDED_QUANTITY(RATIO, "all_to_all", all_to_all_ppm, PPM / 100, 100 * PPM,
                    "time of an all-to-all, as a part of that of a gather that moves as many bytes "
                    "through each port"),
    NEEDED_QUANTITY(RATIO, "exposed", exposed_ppm, 0, 10 * PPM,
                    "part of the all-to-all that is not hidden"),
    NEEDED_QUANTITY(
        RATIO, "error", error_ppm, 0, 10 * PPM,
        "added to the uncertainty of a step's time, because no training with experts was "
        "measured"),
    {0},
};
#undef OWNER
