#include "sim/base/units.h"
#include "sim/model/transformer/memory.h"
#include "sim/model/transformer/step.h"
#include "tests/support/suite.h"
#include "tests/support/transformer_shapes.h"

/* 1 TB/s of all-reduce after 10 us: on 8 ranks a rank sends 7/4 of the bytes. */
static const CurvePoint link_points[] = {{0, 10000}, {INT64_C(1000000000), 1760000}};
/* The same of 500 GB/s after 50 us. */
static const CurvePoint wire_points[] = {{0, 50000}, {INT64_C(1000000000), 3800000}};
static const CurvePoint added_points[] = {{2, 0}, {64, 620000}};

static TransformerGpu gpu = {.name = "G",
                             .bf16_peak_flops = INT64_C(1000000000000000),
                             .fp8_peak_flops = INT64_C(2000000000000000),
                             .bf16_matmul_flops = INT64_C(800000000000000),
                             .fp8_matmul_flops = INT64_C(1500000000000000),
                             .attention_flops = INT64_C(400000000000000),
                             .memory_bytes_per_s = INT64_C(3000000000000),
                             .link_ranks = 8,
                             .all_reduce = {2, link_points},
                             .gather_ppm = PPM};
static TransformerFabric fabric = {.name = "F",
                                   .port_bytes_per_s = INT64_C(50000000000),
                                   .ports = 8,
                                   .two_nodes = {2, wire_points},
                                   .added = {2, added_points}};
static TransformerSoftware software = {.matmul_ppm = PPM,
                                       .fp8_matmul_ppm = PPM,
                                       .attention_ppm = PPM,
                                       .element_ppm = PPM,
                                       .tensor_exposed_ppm = PPM,
                                       .overlap_loss_ppm = PPM / 10,
                                       .overlaps_gradients = true,
                                       .bucket_bytes = INT64_C(1000000000),
                                       .gradient_bytes = 4,
                                       .optimizer_bytes = 28,
                                       .layer_launch_ns = 100000,
                                       .step_overhead_ns = 5000000,
                                       .has_flash_attention = true,
                                       .memory_ppm = PPM};
static TransformerRouting routing = {
    .imbalance_ppm = PPM, .all_to_all_ppm = PPM, .exposed_ppm = PPM};
static TransformerMachine machine = {.gpu = &gpu,
                                     .fabric = &fabric,
                                     .software = &software,
                                     .routing = &routing,
                                     .port_bytes_per_s = INT64_C(50000000000),
                                     .memory_bytes = INT64_C(80) << 30};

/* Llama 3 8B. */
static TransformerJob job_on(int32_t gpus)
{
    return (TransformerJob){
        .shape = LLAMA3_8B_SHAPE, .gpus = gpus, .gpus_per_node = 8, .global_batch = 128};
}

static const TransformerLayout alone = {.tensor = 1,
                                        .context = 1,
                                        .data = 1,
                                        .pipeline = 1,
                                        .expert = 1,
                                        .chunks = 1,
                                        .has_flash_attention = true,
                                        .is_sequence_parallel = true,
                                        .micro_batch = 1};

START_TEST(a_step_on_one_gpu_is_what_paper_gives)
{
    // Without elements, launches and overhead: 128 sequences of 8192 tokens, 6 N operations each at
    // 800 Tflop/s; attention 3.5 forward passes of 2 L h s operations at 400 Tflop/s; a loss of 16
    // bytes a logit, and 28 bytes a parameter at 3 TB/s.
    TransformerSoftware bare = software;
    bare.element_ppm = 0;
    bare.layer_launch_ns = bare.step_overhead_ns = 0;
    TransformerMachine paper = machine;
    paper.software = &bare;
    const TransformerJob job = job_on(1);
    const TransformerStep step = transformer_step(&job, &alone, &paper, SCHEDULE_EXECUTED);
    const double tokens = 128 * 8192.0;
    const double loss_s = tokens * 128256 * 16 / 3e12;
    ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE], tokens * 6 * 7504658432.0 / 800e12 + loss_s,
                            1e-6);
    ck_assert_double_eq_tol(step.parts_s[STEP_ATTENTION],
                            tokens * 3.5 * 2 * 32 * 4096 * 8192 / 400e12, 1e-6);
    ck_assert_double_eq_tol(step.parts_s[STEP_OPTIMIZER], 8030261248.0 * 28 / 3e12, 1e-9);
    ck_assert_double_eq_tol(step.step_s,
                            step.parts_s[STEP_COMPUTE] + step.parts_s[STEP_ATTENTION] +
                                step.parts_s[STEP_OPTIMIZER],
                            1e-9);
    ck_assert_double_eq_tol(transformer_tokens_per_s(&job, step.step_s), tokens / step.step_s,
                            1e-6);
    // 6 N + 6 L h s operations a token of 1000 Tflop/s.
    ck_assert_double_eq_tol(transformer_mfu(&job, &alone, &gpu, ATTENTION_AS_COMPUTED, 100),
                            tokens * (6 * 7504658432.0 + 6442450944.0) / 100 / 1e15, 1e-9);
}
END_TEST

START_TEST(collectives_take_the_measured_time)
{
    const RankGroup node = {8, 8};
    ck_assert_double_eq_tol(group_all_reduce_s(&machine, node, 1e9), 1760e-6, 1e-9);
    ck_assert_double_eq_tol(group_gather_s(&machine, node, 1e9), 880e-6, 1e-9);
    ck_assert_double_eq(group_all_reduce_s(&machine, (RankGroup){1, 1}, 1e9), 0);
    // Two ranks send 1/2 of the bytes each, 8 ranks 7/8: 1 / 1.75.
    ck_assert_double_eq_tol(group_all_reduce_s(&machine, (RankGroup){2, 2}, 1e9),
                            10e-6 + 1750e-6 / 1.75, 1e-9);
    // Two whole nodes; one rank of each of two nodes has one port of eight, and sends 8 / 15.
    ck_assert_double_eq_tol(group_all_reduce_s(&machine, (RankGroup){16, 8}, 1e9), 3800e-6, 1e-9);
    ck_assert_double_eq_tol(group_all_reduce_s(&machine, (RankGroup){2, 1}, 1e9),
                            50e-6 + 3750e-6 * 8 * 8 / 15, 1e-9);
    // 64 nodes: as two, and 620 us.
    ck_assert_double_eq_tol(group_all_reduce_s(&machine, (RankGroup){512, 8}, 1e9),
                            50e-6 + 3750e-6 * (511.0 / 512) / (15.0 / 16) + 620e-6, 1e-8);
    // A rate of small messages is a part of that of large ones.
    ck_assert_double_gt(group_all_reduce_s(&machine, (RankGroup){512, 8}, 1e6) * 100,
                        group_all_reduce_s(&machine, (RankGroup){512, 8}, 1e8));
}
END_TEST

/* Many layouts of 64 GPUs. */
static int32_t layouts_of(const TransformerJob *job, TransformerLayout *layouts, int32_t most)
{
    int32_t count = 0;
    for (int32_t tensor = 1; tensor <= 16; tensor *= 2)
        for (int32_t pipeline = 1; pipeline <= 8; pipeline *= 2)
            for (int32_t context = 1; context <= 4; context *= 2)
                for (int sharding = 0; sharding < SHARDING_COUNT; sharding++)
                    for (int32_t chunks = 1; chunks <= 2; chunks++) {
                        TransformerLayout layout = alone;
                        layout.tensor = tensor;
                        layout.pipeline = pipeline;
                        layout.context = context;
                        layout.chunks = chunks;
                        layout.sharding = (Sharding)sharding;
                        layout.data = job->gpus / (tensor * pipeline * context);
                        if (layout.data > 0 && layout_problem(job, &layout) == NULL && count < most)
                            layouts[count++] = layout;
                    }
    return count;
}

enum { LAYOUTS_MOST = 1000 };

static double step_s(const TransformerJob *job, const TransformerLayout *layout)
{
    return transformer_step(job, layout, &machine, SCHEDULE_EXECUTED).step_s;
}

START_TEST(more_bandwidth_is_never_slower)
{
    static TransformerLayout layouts[LAYOUTS_MOST];
    const TransformerJob job = job_on(64);
    const int32_t count = layouts_of(&job, layouts, LAYOUTS_MOST);
    ck_assert_int_gt(count, 100);
    for (int32_t i = 0; i < count; i++) {
        const double before_s = step_s(&job, &layouts[i]);
        machine.port_bytes_per_s *= 2;
        ck_assert_double_le(step_s(&job, &layouts[i]), before_s + 1e-12);
        machine.port_bytes_per_s /= 2;
        gpu.memory_bytes_per_s *= 2;
        ck_assert_double_lt(step_s(&job, &layouts[i]), before_s);
        gpu.memory_bytes_per_s /= 2;
        gpu.bf16_matmul_flops *= 2;
        ck_assert_double_lt(step_s(&job, &layouts[i]), before_s);
        gpu.bf16_matmul_flops /= 2;
    }
}
END_TEST

START_TEST(parts_add_up_and_bounds_hold)
{
    static TransformerLayout layouts[LAYOUTS_MOST];
    const TransformerJob job = job_on(64);
    const int32_t count = layouts_of(&job, layouts, LAYOUTS_MOST);
    for (int32_t i = 0; i < count; i++) {
        const TransformerStep step =
            transformer_step(&job, &layouts[i], &machine, SCHEDULE_EXECUTED);
        double sum_s = 0;
        for (int part = 0; part < STEP_PART_COUNT; part++) {
            ck_assert_double_ge(step.parts_s[part], 0);
            sum_s += step.parts_s[part];
        }
        ck_assert_double_eq_tol(sum_s, step.step_s, 1e-9 * sum_s);
        ck_assert_double_le(step.between_nodes_s, step.step_s);
        ck_assert_double_le(transformer_step(&job, &layouts[i], &machine, SCHEDULE_BOUND).step_s,
                            step.step_s + 1e-9);
    }
}
END_TEST

START_TEST(recomputation_takes_time)
{
    static TransformerLayout layouts[LAYOUTS_MOST];
    const TransformerJob job = job_on(64);
    const int32_t count = layouts_of(&job, layouts, LAYOUTS_MOST);
    for (int32_t i = 0; i < count; i++) {
        const double none_s = step_s(&job, &layouts[i]);
        layouts[i].recompute = RECOMPUTE_FULL;
        ck_assert_double_gt(step_s(&job, &layouts[i]), none_s);
    }
}
END_TEST

/* Matmul operations of all ranks, from the time that they take without anything else. */
START_TEST(layouts_of_equal_product_conserve_operations)
{
    TransformerSoftware pure = {.matmul_ppm = PPM,
                                .attention_ppm = PPM,
                                .gradient_bytes = 4,
                                .bucket_bytes = 1000000000,
                                .memory_ppm = PPM};
    TransformerGpu fast = gpu; // memory takes no time
    fast.memory_bytes_per_s = INT64_C(1000000000000000000);
    TransformerMachine pure_machine = machine;
    pure_machine.software = &pure;
    pure_machine.gpu = &fast;
    TransformerJob job = job_on(64);
    job.shape.vocabulary = 1; // a head on one stage only is not divided
    const double tokens = 128 * 8192.0;
    const double operations =
        6.0 * 32 * (double)transformer_layer_matrix_parameters(&job.shape, BLOCK_DENSE) * tokens;
    static const int32_t dimensions[][4] = {{1, 1, 64, 1}, {8, 1, 8, 1}, {2, 4, 8, 1}, {4, 2, 2, 4},
                                            {1, 8, 8, 1},  {8, 8, 1, 1}, {2, 1, 16, 2}};
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
        TransformerLayout layout = alone;
        layout.tensor = dimensions[i][0];
        layout.pipeline = dimensions[i][1];
        layout.data = dimensions[i][2];
        layout.context = dimensions[i][3];
        ck_assert_ptr_null(layout_problem(&job, &layout));
        const TransformerStep step =
            transformer_step(&job, &layout, &pure_machine, SCHEDULE_EXECUTED);
        ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE] * 800e12 * 64 / operations, 1, 1e-5);
    }
}
END_TEST

START_TEST(divided_gradients_are_scattered_after_each_micro_batch)
{
    // 16 micro batches of 8 ranks: 4 bytes of 8.03 billion parameters, 7/8 of them sent at 1 TB/s,
    // and 2 bytes of weights. Nothing overlaps.
    TransformerSoftware plain = software;
    plain.overlaps_gradients = false;
    plain.bucket_bytes = INT64_C(1000000000000);
    TransformerMachine own = machine;
    own.software = &plain;
    const TransformerJob job = job_on(8);
    TransformerLayout layout = alone;
    layout.data = 8;
    layout.sharding = SHARDING_ZERO1;
    const double scatter_s = 8030261248.0 * 4 * 0.875 / 1e12 + 5e-6;
    const double gather_s = 8030261248.0 * 2 * 0.875 / 1e12 + 5e-6;
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &own, SCHEDULE_EXECUTED).parts_s[STEP_GRADIENTS],
        scatter_s + gather_s, 1e-6);
    layout.sharding = SHARDING_ZERO2;
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &own, SCHEDULE_EXECUTED).parts_s[STEP_GRADIENTS],
        16 * scatter_s + gather_s, 1e-6);
    layout.sharding = SHARDING_DDP;
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &own, SCHEDULE_EXECUTED).parts_s[STEP_GRADIENTS],
        2 * 8030261248.0 * 4 * 0.875 / 1e12 + 10e-6, 1e-6);
}
END_TEST

START_TEST(fp8_speeds_up_layers_only)
{
    const TransformerJob job = job_on(8);
    TransformerLayout layout = alone;
    layout.data = 8;
    const TransformerStep bf16 = transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED);
    layout.precision = PRECISION_FP8;
    const TransformerStep fp8 = transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED);
    ck_assert_double_lt(fp8.parts_s[STEP_COMPUTE], bf16.parts_s[STEP_COMPUTE]);
    ck_assert_double_gt(fp8.parts_s[STEP_COMPUTE], bf16.parts_s[STEP_COMPUTE] * 800 / 1500);
    ck_assert_double_eq(fp8.parts_s[STEP_ATTENTION], bf16.parts_s[STEP_ATTENTION]);
}
END_TEST

START_TEST(a_small_model_waits_for_the_host)
{
    TransformerJob job = job_on(8);
    job.shape = (TransformerShape){.layers = 12,
                                   .hidden = 64,
                                   .mlp = 256,
                                   .heads = 1,
                                   .kv_heads = 1,
                                   .vocabulary = 256,
                                   .sequence = 64};
    TransformerLayout layout = alone;
    layout.data = 8;
    const TransformerStep step = transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED);
    // 16 micro batches, 12 layers, three passes of 100 us, but for what the GPU computes.
    const double gpu_s = step.parts_s[STEP_COMPUTE] + step.parts_s[STEP_ATTENTION];
    ck_assert_double_gt(step.parts_s[STEP_HOST] + gpu_s, 16 * 12 * 3 * 100e-6);
    ck_assert_double_gt(step.parts_s[STEP_HOST], 10 * gpu_s);
}
END_TEST

/* Mixtral 8x7B with balanced experts. */
static TransformerJob mixtral_on(int32_t gpus)
{
    return (TransformerJob){
        .shape = MIXTRAL_8X7B_SHAPE, .gpus = gpus, .gpus_per_node = 8, .global_batch = 128};
}

START_TEST(all_to_alls_take_as_long_as_gathers_through_the_same_ports)
{
    // On one node of 8 each rank sends 7/8: as a gather of all bytes, 880 us.
    const RankGroup node = {8, 8};
    ck_assert_double_eq_tol(group_all_to_all_bytes(node, 1e9).within, 0.875e9, 1);
    ck_assert_double_eq(group_all_to_all_bytes(node, 1e9).between, 0);
    ck_assert_double_eq_tol(group_all_to_all_s(&machine, node, 1e9), 880e-6, 1e-9);
    ck_assert_double_eq(group_all_to_all_s(&machine, (RankGroup){1, 1}, 1e9), 0);
    // On two nodes half of the bytes leave through the rank's port. The all-reduce of 1 GB moved
    // 2 x 15/16 GB / 8 through each port in 3750 us; the gather starts in half of its 50 us.
    const RankGroup nodes = {16, 8};
    ck_assert_double_eq_tol(group_all_to_all_bytes(nodes, 1e9).within, 1e9 * 7 / 16, 1);
    ck_assert_double_eq_tol(group_all_to_all_bytes(nodes, 1e9).between, 0.5e9, 1);
    ck_assert_double_eq_tol(group_all_to_all_s(&machine, nodes, 1e9),
                            25e-6 + 0.5e9 / (15e9 / 64) * 3750e-6, 1e-9);
    // One rank on each of two nodes: half of the bytes, through the same port.
    ck_assert_double_eq_tol(group_all_to_all_s(&machine, (RankGroup){2, 1}, 1e9),
                            group_all_to_all_s(&machine, nodes, 1e9), 1e-9);
    // A slower all-to-all.
    routing.all_to_all_ppm = 3 * PPM / 2;
    ck_assert_double_eq_tol(group_all_to_all_s(&machine, node, 1e9), 1320e-6, 1e-9);
    routing.all_to_all_ppm = PPM;
}
END_TEST

/* Only matmuls take time: their operations at 800 Tflop/s. */
static TransformerMachine matmuls_only(TransformerSoftware *pure, TransformerGpu *fast)
{
    *pure = (TransformerSoftware){.matmul_ppm = PPM,
                                  .attention_ppm = PPM,
                                  .gradient_bytes = 4,
                                  .bucket_bytes = 1000000000,
                                  .memory_ppm = PPM};
    *fast = gpu;
    fast->memory_bytes_per_s = INT64_C(1000000000000000000);
    TransformerMachine result = machine;
    result.software = pure;
    result.gpu = fast;
    return result;
}

START_TEST(experts_compute_active_parameters)
{
    TransformerSoftware pure;
    TransformerGpu fast;
    const TransformerMachine only = matmuls_only(&pure, &fast);
    TransformerJob job = mixtral_on(1);
    const double tokens = 128 * 4096.0, n = 12748587008.0, experts = 32 * 2 * 176160768.0;
    TransformerStep step = transformer_step(&job, &alone, &only, SCHEDULE_EXECUTED);
    ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE], tokens * 6 * n / 800e12, 1e-3);
    // Two ranks divide the experts: one waits for the other. A rank that has all does not.
    job.shape.experts.imbalance_ppm = 3 * PPM / 2;
    step = transformer_step(&job, &alone, &only, SCHEDULE_EXECUTED);
    ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE], tokens * 6 * n / 800e12, 1e-3);
    job.gpus = 2;
    TransformerLayout two = alone;
    two.data = two.expert = 2;
    step = transformer_step(&job, &two, &only, SCHEDULE_EXECUTED);
    ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE], tokens / 2 * 6 * (n + experts / 2) / 800e12,
                            1e-3);
    // A small side halves the rate: each of 8 experts has a quarter of the tokens.
    job = mixtral_on(1);
    job.shape.vocabulary = 1;
    pure.matmul_half = 1024;
    const double before_s =
        transformer_step(&job, &alone, &only, SCHEDULE_EXECUTED).parts_s[STEP_COMPUTE];
    job.shape.experts.count = 16;
    ck_assert_double_gt(
        transformer_step(&job, &alone, &only, SCHEDULE_EXECUTED).parts_s[STEP_COMPUTE],
        before_s + 0.99 * tokens * 6 * experts / 800e12);
}
END_TEST

START_TEST(latent_attention_computes_its_matmuls_and_scores)
{
    TransformerSoftware pure;
    TransformerGpu fast;
    const TransformerMachine only = matmuls_only(&pure, &fast);
    // DeepSeek-V2-Lite, with a latent of queries, too.
    TransformerJob job = {.shape = {.layers = 27,
                                    .hidden = 2048,
                                    .mlp = 10944,
                                    .is_gated = true,
                                    .heads = 16,
                                    .kv_heads = 16,
                                    .head = 192,
                                    .value = 128,
                                    .latents = {.keys = 512, .queries = 768, .rotary = 64},
                                    .vocabulary = 1,
                                    .sequence = 4096,
                                    .experts = {.count = 64,
                                                .chosen = 6,
                                                .mlp = 1408,
                                                .shared = 2,
                                                .shared_mlp = 1408,
                                                .dense_first = 1,
                                                .every = 1,
                                                .imbalance_ppm = PPM}},
                          .gpus = 8,
                          .gpus_per_node = 8,
                          .global_batch = 64};
    const double tokens = 64 * 4096.0;
    for (int32_t tensor = 1; tensor <= 8; tensor *= 2) {
        TransformerLayout layout = alone;
        layout.tensor = tensor;
        layout.data = 8 / tensor;
        layout.divides_experts = true;
        ck_assert_ptr_null(layout_problem(&job, &layout));
        const TransformerStep step = transformer_step(&job, &layout, &only, SCHEDULE_EXECUTED);
        // Without the head of one word, which all tensor ranks compute.
        const double n = (double)transformer_matrix_parameters(&job.shape) - 2048;
        ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE] * 8 * 800e12 / (tokens * 6 * n), 1,
                                1e-5);
        // Scores of 16 heads of 192, values of 128, half of them, and 2.5 times as many backward.
        ck_assert_double_eq_tol(step.parts_s[STEP_ATTENTION],
                                tokens / 8 * 3.5 * 27 * 4096 * 16 * (192 + 128) / 400e12, 1e-9);
    }
}
END_TEST

START_TEST(expert_ranks_conserve_operations_and_send_copies)
{
    TransformerSoftware pure;
    TransformerGpu fast;
    const TransformerMachine only = matmuls_only(&pure, &fast);
    TransformerJob job = mixtral_on(64);
    job.shape.vocabulary = 1; // a head on one stage only is not divided
    const double tokens = 128 * 4096.0;
    const double operations =
        6.0 * 32 * (double)transformer_layer_matrix_parameters(&job.shape, BLOCK_EXPERTS) * tokens;
    static const struct {
        int32_t tensor, pipeline, data, expert;
        bool divides_experts;
        double copies; // of 4096 tokens, that a rank sends
    } rows[] = {{1, 1, 64, 1, true, 0},   {1, 1, 64, 8, true, 2},    {1, 4, 16, 4, false, 2},
                {4, 1, 16, 8, true, 0.5}, {4, 1, 16, 8, false, 0.5}, {8, 1, 8, 1, true, 0},
                {8, 2, 4, 8, false, 0.25}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TransformerLayout layout = alone;
        layout.tensor = rows[i].tensor;
        layout.pipeline = rows[i].pipeline;
        layout.data = rows[i].data;
        layout.expert = rows[i].expert;
        layout.divides_experts = rows[i].divides_experts;
        ck_assert_ptr_null(layout_problem(&job, &layout));
        const TransformerStep step = transformer_step(&job, &layout, &only, SCHEDULE_EXECUTED);
        ck_assert_double_eq_tol(step.parts_s[STEP_COMPUTE] * 800e12 * 64 / operations, 1, 1e-5);
        const double bytes = rows[i].copies * 4096 * 4096 * 2;
        const AllToAllBytes sent = step.all_to_all;
        ck_assert_double_eq_tol(sent.within + sent.between,
                                bytes * (rows[i].expert - 1) / rows[i].expert, 1);
        ck_assert_int_eq(step.parts_s[STEP_EXPERTS] > 0, rows[i].expert > 1);
        // Two all-to-alls forward and two backward, of each layer and micro batch.
        const int32_t stride = rows[i].divides_experts ? rows[i].tensor : 1;
        const int32_t on_node = 8 / stride < rows[i].expert ? 8 / stride : rows[i].expert;
        const double once_s =
            group_all_to_all_s(&only, (RankGroup){rows[i].expert, on_node}, bytes);
        ck_assert_double_eq_tol(step.parts_s[STEP_EXPERTS],
                                4 * once_s * 32 / rows[i].pipeline * 128 / rows[i].data, 1e-9);
    }
}
END_TEST

START_TEST(tensor_ranks_gather_what_their_experts_need)
{
    TransformerSoftware pure;
    TransformerGpu fast;
    TransformerMachine only = matmuls_only(&pure, &fast);
    TransformerJob job = mixtral_on(64);
    TransformerLayout layout = alone;
    pure.tensor_exposed_ppm = PPM;
    layout.tensor = 4;
    layout.data = 16;
    layout.divides_experts = true;
    // Gather and scatter, forward and backward, of 4096 tokens in each half of a layer: 8 micro
    // batches of 32 layers.
    const double half_s = 2 * 2 * group_gather_s(&only, (RankGroup){4, 4}, 2.0 * 4096 * 4096);
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &only, SCHEDULE_EXECUTED).parts_s[STEP_TENSOR],
        8 * 32 * 2 * half_s, 1e-9);
    // Experts on several ranks: two copies of each token in the second half.
    layout.expert = 8;
    const double copies_s = 2 * 2 * group_gather_s(&only, (RankGroup){4, 4}, 4.0 * 4096 * 4096);
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &only, SCHEDULE_EXECUTED).parts_s[STEP_TENSOR],
        8 * 32 * (half_s + copies_s), 1e-9);
    // Whole experts: the first half alone, unless shared experts are divided.
    layout.divides_experts = false;
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &only, SCHEDULE_EXECUTED).parts_s[STEP_TENSOR],
        8 * 32 * half_s, 1e-9);
    job.shape.experts.shared = 1;
    job.shape.experts.shared_mlp = 1024;
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &only, SCHEDULE_EXECUTED).parts_s[STEP_TENSOR],
        8 * 32 * 2 * half_s, 1e-9);
}
END_TEST

/* Layouts of 64 GPUs with experts, and what must hold for each of them. */
START_TEST(layouts_with_experts_have_the_properties_of_others)
{
    TransformerJob job = mixtral_on(64);
    static TransformerLayout layouts[LAYOUTS_MOST];
    const int32_t count = layouts_of(&job, layouts, LAYOUTS_MOST);
    int32_t tried = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t expert = 1; expert <= 8; expert *= 2) {
            for (int whole = 0; whole < 2; whole++) {
                TransformerLayout layout = layouts[i];
                layout.expert = expert;
                layout.divides_experts = whole == 0;
                if (layout_problem(&job, &layout) != NULL)
                    continue;
                tried++;
                const TransformerStep step =
                    transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED);
                double sum_s = 0;
                for (int part = 0; part < STEP_PART_COUNT; part++) {
                    ck_assert_double_ge(step.parts_s[part], 0);
                    sum_s += step.parts_s[part];
                }
                ck_assert_double_eq_tol(sum_s, step.step_s, 1e-9 * sum_s);
                ck_assert_double_le(step.between_nodes_s, step.step_s);
                ck_assert_double_le(
                    transformer_step(&job, &layout, &machine, SCHEDULE_BOUND).step_s,
                    step.step_s + 1e-9);
                machine.port_bytes_per_s *= 2;
                ck_assert_double_le(step_s(&job, &layout), step.step_s + 1e-12);
                machine.port_bytes_per_s /= 2;
                job.shape.experts.imbalance_ppm = 2 * PPM;
                if (expert > 1)
                    ck_assert_double_gt(step_s(&job, &layout), step.step_s);
                else
                    ck_assert_double_eq(step_s(&job, &layout), step.step_s);
                job.shape.experts.imbalance_ppm = PPM;
            }
        }
    }
    ck_assert_int_gt(tried, 300);
}
END_TEST

START_TEST(the_busiest_rank_may_be_between_the_others)
{
    TransformerJob job = mixtral_on(4);
    job.shape.vocabulary = 1;
    job.shape.experts.dense_first = 9; // all layers of the first rank, and one of the second
    job.shape.experts.chosen = 8;
    TransformerLayout layout = alone;
    layout.pipeline = 4;
    const TransformerStep step = transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED);
    ck_assert_int_ge(step.rank, 2);
    job.shape.experts.every = 8; // layers 16, 24 and 32: none on the first rank
    ck_assert_int_ge(transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED).rank, 1);
    // Gradients of experts are summed over their copies alone.
    job = mixtral_on(64);
    layout = alone;
    layout.data = 64;
    layout.expert = 8;
    layout.divides_experts = true;
    TransformerSoftware plain = software;
    plain.overlaps_gradients = false;
    plain.bucket_bytes = INT64_C(1000000000000);
    TransformerMachine own = machine;
    own.software = &plain;
    const double experts = 32 * 8 * 176160768.0;
    const double common = (double)transformer_parameters(&job.shape) - experts;
    ck_assert_double_eq_tol(
        transformer_step(&job, &layout, &own, SCHEDULE_EXECUTED).parts_s[STEP_GRADIENTS],
        group_all_reduce_s(&own, (RankGroup){64, 8}, 4 * common) +
            group_all_reduce_s(&own, (RankGroup){8, 1}, 4 * experts / 8),
        1e-9);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/step");
    TCase *steps = tcase_create("steps");
    tcase_add_test(steps, a_step_on_one_gpu_is_what_paper_gives);
    tcase_add_test(steps, collectives_take_the_measured_time);
    tcase_add_test(steps, more_bandwidth_is_never_slower);
    tcase_add_test(steps, parts_add_up_and_bounds_hold);
    tcase_add_test(steps, recomputation_takes_time);
    tcase_add_test(steps, layouts_of_equal_product_conserve_operations);
    tcase_add_test(steps, divided_gradients_are_scattered_after_each_micro_batch);
    tcase_add_test(steps, fp8_speeds_up_layers_only);
    tcase_add_test(steps, a_small_model_waits_for_the_host);
    tcase_add_test(steps, all_to_alls_take_as_long_as_gathers_through_the_same_ports);
    tcase_add_test(steps, experts_compute_active_parameters);
    tcase_add_test(steps, latent_attention_computes_its_matmuls_and_scores);
    tcase_add_test(steps, expert_ranks_conserve_operations_and_send_copies);
    tcase_add_test(steps, tensor_ranks_gather_what_their_experts_need);
    tcase_add_test(steps, layouts_with_experts_have_the_properties_of_others);
    tcase_add_test(steps, the_busiest_rank_may_be_between_the_others);
    suite_add_tcase(suite, steps);
    return suite;
}
