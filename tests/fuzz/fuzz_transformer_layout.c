/* For any bytes as a layout, on GPUs and batches that its first bytes choose, the search ends with
 * ranked layouts that keep the rules and fit, or with a reason. */
#include <math.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/scenario/transformer/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const CurvePoint points[] = {{0, 10000}, {INT64_C(1000000000), 1760000}};
static const TransformerGpu gpu = {.name = "G",
                                   .bf16_peak_flops = INT64_C(1000000000000000),
                                   .fp8_peak_flops = INT64_C(2000000000000000),
                                   .bf16_matmul_flops = INT64_C(800000000000000),
                                   .fp8_matmul_flops = INT64_C(1500000000000000),
                                   .attention_flops = INT64_C(400000000000000),
                                   .memory_bytes_per_s = INT64_C(3000000000000),
                                   .link_ranks = 8,
                                   .all_reduce = {2, points},
                                   .gather_ppm = PPM};
static const TransformerFabric fabric = {.name = "F",
                                         .port_bytes_per_s = INT64_C(50000000000),
                                         .ports = 8,
                                         .two_nodes = {2, points},
                                         .added = {2, points}};
static const TransformerSoftware software = {.matmul_ppm = PPM,
                                             .fp8_matmul_ppm = PPM,
                                             .attention_ppm = PPM,
                                             .tensor_exposed_ppm = PPM,
                                             .bucket_bytes = 100000000,
                                             .gradient_bytes = 4,
                                             .has_flash_attention = true,
                                             .memory_ppm = PPM};
static const TransformerRouting routing = {
    .imbalance_ppm = PPM, .all_to_all_ppm = PPM, .exposed_ppm = PPM};
static const TransformerMachine machine = {.gpu = &gpu,
                                           .fabric = &fabric,
                                           .software = &software,
                                           .routing = &routing,
                                           .port_bytes_per_s = INT64_C(50000000000),
                                           .memory_bytes = INT64_C(80) << 30};

static void check_ranked(const TransformerJob *job, const LayoutSearch *found)
{
    for (int32_t i = 0; i < found->count; i++) {
        const RankedLayout *ranked = &found->ranked[i];
        invariant(layout_problem(job, &ranked->layout) == NULL);
        invariant(ranked->memory.total_bytes <= machine.memory_bytes);
        invariant(transformer_has_experts(&job->shape) ||
                  (ranked->layout.expert == 1 && ranked->memory.experts_bytes == 0 &&
                   ranked->memory.routed_bytes == 0));
        invariant(ranked->step.step_s > 0 && isfinite(ranked->step.step_s));
        invariant(i == 0 || ranked->step.step_s >= found->ranked[i - 1].step.step_s);
    }
    invariant(found->valid > 0 || found->problem != NULL);
    invariant(found->fitting <= found->valid && found->valid <= found->combinations);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    TransformerJob job = {.shape = {.layers = 1 + data[0] % 12,
                                    .hidden = 4096,
                                    .mlp = 14336,
                                    .is_gated = true,
                                    .heads = 32,
                                    .kv_heads = 8,
                                    .vocabulary = 32000,
                                    .sequence = 4096},
                          .gpus = 1 << data[1] % 6,
                          .gpus_per_node = 8,
                          .global_batch = 1 + data[2] % 64};
    if (data[1] & 0x80)
        job.shape.experts = (TransformerExperts){.count = 2 + data[2] % 7,
                                                 .chosen = 1 + data[2] % 2,
                                                 .mlp = 1024 + 64 * (data[1] % 3),
                                                 .shared = data[0] % 3,
                                                 .shared_mlp = 1024,
                                                 .every = 1 + data[0] / 12 % 2,
                                                 .has_shared_gate = data[0] % 2,
                                                 .imbalance_ppm = PPM + data[2]};
    if (transformer_has_experts(&job.shape) &&
        transformer_layers(&job.shape, BLOCK_EXPERTS, 0, job.shape.layers) == 0)
        return 0; // the shape would have been refused
    const Piece text = piece_of("fuzz", (const char *)data + 3, size - 3);
    LayoutSpace space;
    Status status = {0};
    if (!layout_space_read(text, &job, &machine, &space, &status)) {
        invariant(status.code == STATUS_BAD_INPUT && status.message[0] != '\0');
        return 0;
    }
    static LayoutSearch found;
    layouts_search(&job, &machine, &space, 4, &found);
    check_ranked(&job, &found);
    return 0;
}
