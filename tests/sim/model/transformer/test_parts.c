/* Each part of a step on paper. The machine computes 1e14 operations a second, moves 1e12 bytes a
 * second in memory and 1e9 among the GPUs of a node; nothing else takes time unless a test says so.
 * Times of links are whole nanoseconds. */
#include "sim/base/units.h"
#include "sim/model/transformer/memory.h"
#include "sim/model/transformer/step.h"
#include "tests/support/suite.h"

static const double rate = 1e14, bandwidth = 1e12, link = 1e9;

/* On 8 ranks an all-reduce of 1 GB moves 7/4 GB through each link. */
static const CurvePoint link_points[] = {{0, 0}, {INT64_C(1000000000), 1750000000}};
/* Over two nodes half as fast. */
static const CurvePoint wire_points[] = {{0, 0}, {INT64_C(1000000000), 3750000000}};
static const CurvePoint no_points[] = {{2, 0}, {64, 0}};

static TransformerGpu gpu;
static TransformerSoftware software;
static TransformerRouting routing;
static TransformerMachine machine;
static TransformerJob job;
static TransformerLayout layout;

static void begin(void)
{
    static const TransformerFabric fabric = {.name = "wires",
                                             .port_bytes_per_s = INT64_C(50000000000),
                                             .ports = 8,
                                             .two_nodes = {2, wire_points},
                                             .added = {2, no_points}};
    gpu = (TransformerGpu){.bf16_peak_flops = INT64_C(200000000000000),
                           .bf16_matmul_flops = INT64_C(100000000000000),
                           .attention_flops = INT64_C(100000000000000),
                           .memory_bytes_per_s = INT64_C(1000000000000),
                           .link_ranks = 8,
                           .all_reduce = {2, link_points},
                           .gather_ppm = 9 * PPM / 10};
    software = (TransformerSoftware){.matmul_ppm = PPM,
                                     .attention_ppm = PPM,
                                     .tensor_exposed_ppm = PPM,
                                     .overlap_loss_ppm = PPM,
                                     .bucket_bytes = INT64_C(1000000000000),
                                     .gradient_bytes = 4,
                                     .memory_ppm = PPM};
    routing = (TransformerRouting){.imbalance_ppm = PPM, .all_to_all_ppm = PPM, .exposed_ppm = PPM};
    machine = (TransformerMachine){.gpu = &gpu,
                                   .fabric = &fabric,
                                   .software = &software,
                                   .routing = &routing,
                                   .port_bytes_per_s = INT64_C(50000000000),
                                   .memory_bytes = INT64_C(80) << 30};
    // A head of one word takes 0.1 ms of a step.
    job = (TransformerJob){.shape = {.layers = 4,
                                     .hidden = 1024,
                                     .mlp = 4096,
                                     .is_gated = true,
                                     .heads = 16,
                                     .kv_heads = 4,
                                     .vocabulary = 1,
                                     .sequence = 2048},
                           .gpus = 1,
                           .gpus_per_node = 8,
                           .global_batch = 8};
    layout = (TransformerLayout){.tensor = 1,
                                 .context = 1,
                                 .data = 1,
                                 .pipeline = 1,
                                 .expert = 1,
                                 .divides_experts = true,
                                 .chunks = 1,
                                 .has_flash_attention = true,
                                 .micro_batch = 1};
}

/* The step of `job`, whose GPUs are those of `layout`. */
static TransformerStep step(void)
{
    job.gpus = layout_ranks(&layout);
    ck_assert_ptr_null(layout_problem(&job, &layout));
    return transformer_step(&job, &layout, &machine, SCHEDULE_EXECUTED);
}

static double part_s(StepPart part)
{
    return step().parts_s[part];
}

/* Sequences that a data rank trains on in a step. */
static double sequences(void)
{
    return (double)job.global_batch / layout.data;
}

/* The time that elements add to the step. */
static double elements_s(void)
{
    software.element_ppm = 0;
    const double without_s = part_s(STEP_COMPUTE);
    software.element_ppm = PPM;
    const double with_s = part_s(STEP_COMPUTE);
    software.element_ppm = PPM / 2;
    ck_assert_double_eq_tol(part_s(STEP_COMPUTE), (with_s + without_s) / 2, 1e-12);
    software.element_ppm = 0;
    return with_s - without_s;
}

/* That of `values` of 2 bytes for each token in each of four layers, three times: forward once,
 * backward twice. */
static double values_s(double values)
{
    return 3 * 2 * values * sequences() * 2048 * 4 / bandwidth;
}

START_TEST(elements_of_a_layer_are_moved_once_for_each_use)
{
    // 8 h of norms and residuals, two uses of 1024 + 256 queries and keys, three of the MLP.
    const double whole = 8 * 1024, divided = 2 * (1024 + 256) + 3 * 4096;
    ck_assert_double_eq_tol(elements_s(), values_s(whole + divided), 1e-12);
    job.shape.is_gated = false;
    ck_assert_double_eq_tol(elements_s(), values_s(whole + divided - 4096), 1e-12);
    job.shape.is_gated = true;
    // Tensor ranks divide what is between matmuls, and all of it with sequence parallelism.
    layout.tensor = 4;
    ck_assert_double_eq_tol(elements_s(), values_s(whole + divided / 4), 1e-12);
    layout.is_sequence_parallel = true;
    ck_assert_double_eq_tol(elements_s(), values_s((whole + divided) / 4), 1e-12);
}
END_TEST

START_TEST(elements_of_latents_are_their_norms)
{
    job.shape.kv_heads = 16;
    job.shape.head = 96;
    job.shape.value = 64;
    const double before_s = elements_s();
    job.shape.latents = (TransformerLatents){.keys = 128, .queries = 192, .rotary = 32};
    ck_assert_double_eq_tol(elements_s() - before_s, values_s(2 * (128 + 192 + 32)), 1e-12);
    layout.tensor = 2;
    job.shape.latents = (TransformerLatents){0};
    const double half_s = elements_s();
    job.shape.latents = (TransformerLatents){.keys = 128, .queries = 192, .rotary = 32};
    ck_assert_double_eq_tol(elements_s() - half_s, values_s(2 * (128 + 192 + 32)), 1e-12);
    layout.is_sequence_parallel = true;
    job.shape.latents = (TransformerLatents){0};
    const double part_s = elements_s();
    job.shape.latents = (TransformerLatents){.keys = 128, .queries = 192, .rotary = 32};
    ck_assert_double_eq_tol(elements_s() - part_s, values_s(128 + 192 + 32), 1e-12);
}
END_TEST

static void add_experts(void)
{
    job.shape.experts = (TransformerExperts){.count = 8,
                                             .chosen = 2,
                                             .mlp = 512,
                                             .shared = 2,
                                             .shared_mlp = 256,
                                             .every = 1,
                                             .imbalance_ppm = PPM};
}

START_TEST(elements_of_experts_are_those_of_their_copies)
{
    const double layer = 8 * 1024 + 2 * (1024 + 256);
    // Two copies of a token are read and written twice each; the shared MLPs, twice 8 scores.
    add_experts();
    const double copies = 2 * (4 * 1024 + 3 * 512), shared = 3 * 2 * 256;
    ck_assert_double_eq_tol(elements_s(), values_s(layer + copies + shared + 2 * 8), 1e-12);
    job.shape.is_gated = false;
    ck_assert_double_eq_tol(elements_s(),
                            values_s(layer + copies - 2 * 512 + shared - 2 * 256 + 2 * 8), 1e-12);
    job.shape.is_gated = true;
    layout.tensor = 2;
    layout.is_sequence_parallel = true;
    // Each of two ranks has half of every expert, and so all copies of both.
    ck_assert_double_eq_tol(
        elements_s(),
        values_s(layer / 2 + 2 * (4 * 1024 + 3 * 512 / 2.0) + shared / 2 + 2 * 8 / 2.0), 1e-12);
}
END_TEST

START_TEST(scores_without_flash_attention_are_computed_in_full_and_moved)
{
    layout.has_flash_attention = false;
    // Forward 2 s (q + o) operations a token and 16 bytes a score, backward 2.5 times as much.
    const double tokens = 8 * 2048.0;
    const double forward_s = 4 * tokens * (2.0 * 2048 * 2048 / rate + 2048.0 * 16 * 16 / bandwidth);
    ck_assert_double_eq_tol(part_s(STEP_ATTENTION), 3.5 * forward_s, 1e-12);
    layout.tensor = 4;
    ck_assert_double_eq_tol(part_s(STEP_ATTENTION), 3.5 * forward_s / 4, 1e-12);
    software.attention_ppm = PPM / 2;
    layout.has_flash_attention = true;
    ck_assert_double_eq_tol(part_s(STEP_ATTENTION), 3.5 * 4 * tokens * 2048 * 2048 / (rate / 2) / 4,
                            1e-12);
    job.shape.kind = TRANSFORMER_ENCODER;
    ck_assert_double_eq_tol(part_s(STEP_ATTENTION),
                            2 * 3.5 * 4 * tokens * 2048 * 2048 / (rate / 2) / 4, 1e-12);
}
END_TEST

START_TEST(recomputation_repeats_the_forward_pass_of_layers)
{
    job.shape.vocabulary = 32000;
    const TransformerStep none = step();
    // The head is not performed again.
    const double tokens = 8 * 2048.0;
    const double head_s = 3 * tokens * 32000 * (2 * 1024 / rate + 16 / bandwidth / 3);
    const double layers_s = none.parts_s[STEP_COMPUTE] - head_s;
    const double attention_s = none.parts_s[STEP_ATTENTION];
    ck_assert_double_eq(none.parts_s[STEP_RECOMPUTE], 0);
    layout.recompute = RECOMPUTE_FULL;
    ck_assert_double_eq_tol(part_s(STEP_RECOMPUTE), layers_s / 3 + attention_s / 3.5, 1e-12);
    layout.recompute = RECOMPUTE_SELECTIVE;
    software.selective_ppm = PPM / 4;
    ck_assert_double_eq_tol(part_s(STEP_RECOMPUTE), (layers_s / 3 + attention_s / 3.5) / 4, 1e-12);
    // Without flash attention all scores are computed again.
    layout.has_flash_attention = false;
    ck_assert_double_eq_tol(part_s(STEP_RECOMPUTE), layers_s / 3 / 4 + part_s(STEP_ATTENTION) / 3.5,
                            1e-12);
}
END_TEST

START_TEST(tensor_ranks_communicate_in_both_halves_of_a_layer)
{
    // An activation of 2048 x 1024 values: on a node of 8 an all-reduce moves 7/4 of its bytes.
    const double bytes = 2.0 * 2048 * 1024, passes = 2 * 2 * 4 * 8;
    layout.tensor = 8;
    job.shape.kv_heads = 8;
    const double reduce_s = bytes * 1.75 / link;
    ck_assert_double_eq_tol(part_s(STEP_TENSOR), passes * reduce_s, 1e-6);
    ck_assert_double_eq(step().between_nodes_s, 0);
    layout.is_sequence_parallel = true; // a gather and a scatter, of 0.9 halves each
    ck_assert_double_eq_tol(part_s(STEP_TENSOR), passes * 0.9 * reduce_s, 1e-6);
    layout.recompute = RECOMPUTE_FULL; // three passes instead of two
    ck_assert_double_eq_tol(part_s(STEP_TENSOR), passes * 1.5 * 0.9 * reduce_s, 1e-6);
    software.tensor_exposed_ppm = PPM / 4;
    ck_assert_double_eq_tol(part_s(STEP_TENSOR), passes * 1.5 * 0.9 * reduce_s / 4, 1e-6);
    // Sixteen ranks are on two nodes, and 2 x 15/16 of the bytes are moved at half of the rate.
    begin();
    layout.tensor = 16;
    job.shape.kv_heads = 16;
    const TransformerStep two = step();
    ck_assert_double_eq_tol(two.parts_s[STEP_TENSOR], passes * bytes * 3.75 / link, 1e-6);
    ck_assert_double_eq(two.between_nodes_s, two.parts_s[STEP_TENSOR]);
    // Two ranks move half of the bytes twice.
    begin();
    layout.tensor = 2;
    ck_assert_double_eq_tol(part_s(STEP_TENSOR), passes * bytes / link, 1e-6);
}
END_TEST

START_TEST(context_ranks_gather_keys_and_values_behind_attention)
{
    layout.context = 4;
    // Each rank computes 512 tokens of 2048; four layers, eight micro batches, three passes.
    const double attention_s = 512 * 2048.0 * 2048 / rate;
    const double gather_s = 0.9 * 2.0 * 2048 * 512 * 3 / 4 / link;
    const double passes = 3 * 4 * 8;
    ck_assert_double_gt(gather_s, attention_s);
    ck_assert_double_eq_tol(part_s(STEP_ATTENTION), 3.5 / 3 * passes * attention_s, 1e-9);
    ck_assert_double_eq_tol(part_s(STEP_CONTEXT), passes * gather_s, 1e-6); // all of it is a loss
    software.overlap_loss_ppm = PPM / 5;
    ck_assert_double_eq_tol(part_s(STEP_CONTEXT),
                            passes * (gather_s - attention_s + attention_s / 5), 1e-6);
    gpu.attention_flops /= 1000; // attention takes longer, and hides all of it
    ck_assert_double_eq_tol(part_s(STEP_CONTEXT), passes * gather_s / 5, 1e-6);
}
END_TEST

START_TEST(fsdp_gathers_weights_and_scatters_gradients)
{
    layout.data = 8;
    const double layer = (double)transformer_layer_parameters(&job.shape, BLOCK_DENSE);
    const double gather_s = 0.9 * layer * 2 * 7 / 8 / link;
    const double scatter_s = 2 * gather_s; // of 4 bytes each
    layout.sharding = SHARDING_FSDP;
    ck_assert_double_eq(part_s(STEP_GRADIENTS), 0);
    ck_assert_double_eq_tol(part_s(STEP_GATHER), 4 * (2 * gather_s + scatter_s), 1e-6);
    layout.sharding = SHARDING_FSDP_KEPT;
    ck_assert_double_eq(part_s(STEP_GRADIENTS), 0);
    ck_assert_double_eq_tol(part_s(STEP_GATHER), 4 * (gather_s + scatter_s), 1e-6);
    // Two ranks divide them, too; one has nothing to gather.
    layout.data = 2;
    layout.sharding = SHARDING_FSDP;
    ck_assert_double_eq_tol(part_s(STEP_GATHER), 4 * 4 * (2 * gather_s + scatter_s) * 4 / 7, 1e-6);
    layout.data = 1;
    ck_assert_double_eq(part_s(STEP_GATHER), 0);
    ck_assert_double_eq(part_s(STEP_GRADIENTS), 0);
}
END_TEST

START_TEST(the_host_queues_one_pass_forward_and_two_backward)
{
    software.layer_launch_ns = NS_PER_S;
    // The GPU works while the host queues; only the head is not queued layer by layer.
    const double layers = 4 * 8;
    const TransformerStep plain = step();
    ck_assert_double_eq_tol(plain.parts_s[STEP_HOST] + plain.parts_s[STEP_COMPUTE] +
                                plain.parts_s[STEP_ATTENTION],
                            layers * 3, 1e-3);
    layout.recompute = RECOMPUTE_FULL;
    const TransformerStep again = step();
    ck_assert_double_eq_tol(again.parts_s[STEP_HOST] + again.parts_s[STEP_COMPUTE] +
                                again.parts_s[STEP_ATTENTION] + again.parts_s[STEP_RECOMPUTE],
                            layers * 4, 1e-3);
    software.layer_launch_ns = 1; // never slower than the GPU
    ck_assert_double_eq(part_s(STEP_HOST), 0);
}
END_TEST

/* --- Pipelines --- */

/* The step of a pipeline on one node, whose parts are those of its busiest rank. */
static TransformerStep pipeline_step(int64_t layers, int32_t ranks, int32_t chunks)
{
    job.shape.layers = layers;
    layout.pipeline = ranks;
    layout.chunks = chunks;
    return step();
}

START_TEST(the_first_rank_of_uneven_stages_is_the_busiest)
{
    const double layer_s = part_s(STEP_COMPUTE) / 4;
    TransformerStep uneven = pipeline_step(5, 2, 1); // three layers and two
    ck_assert_int_eq(uneven.rank, 0);
    ck_assert_double_eq_tol(uneven.parts_s[STEP_COMPUTE], 3 * layer_s, 2e-4);
    uneven = pipeline_step(7, 4, 1); // two layers on each rank but the last
    ck_assert_int_eq(uneven.rank, 0);
    ck_assert_double_eq_tol(uneven.parts_s[STEP_COMPUTE], 2 * layer_s, 2e-4);
    job.shape.vocabulary = 128000; // the head is more than a layer
    uneven = pipeline_step(5, 2, 1);
    ck_assert_int_eq(uneven.rank, 1);
    ck_assert_double_gt(uneven.parts_s[STEP_COMPUTE], 3 * layer_s);
}
END_TEST

START_TEST(the_busiest_rank_has_the_most_layers_with_experts)
{
    add_experts();
    job.shape.mlp = 1;
    job.shape.experts.every = 12; // layers 12 and 24 of 32, on ranks 1 and 2 of 4
    ck_assert_int_eq(pipeline_step(32, 4, 1).rank, 1);
    job.shape.experts.every = 4;
    // Layers 4 and 8; of four stages of two layers, the second and the last are on rank 1.
    layout.data = layout.expert = 8;
    job.global_batch = 16;
    const TransformerStep chunks = pipeline_step(8, 2, 2);
    ck_assert_int_eq(chunks.rank, 1);
    // To the experts and back, forward and backward, in two layers and two micro batches.
    const double bytes = 2.0 * 2048 * 2 * 1024;
    ck_assert_double_eq_tol(chunks.parts_s[STEP_EXPERTS],
                            4 * 2 * 2 * group_all_to_all_s(&machine, (RankGroup){8, 8}, bytes),
                            1e-9);
}
END_TEST

START_TEST(gradients_hide_behind_the_backward_passes_of_their_rank)
{
    job.global_batch = 8 * 8;
    layout.data = 8;
    for (int32_t chunks = 1; chunks <= 2; chunks++) {
        software.overlaps_gradients = false;
        const TransformerStep after = pipeline_step(8, 4, chunks);
        const double sum_s = after.parts_s[STEP_GRADIENTS];
        const double parameters = (double)rank_parameters(&job, &layout, after.rank).common;
        // Data ranks of a stage are on one node.
        ck_assert_double_eq_tol(sum_s, parameters * 4 * 1.75 / link, 1e-6);
        software.overlaps_gradients = true;
        software.overlap_loss_ppm = PPM / 10;
        // Two layers on each rank, eight micro batches: the last backward pass of both layers.
        const double backward_s =
            after.parts_s[STEP_COMPUTE] / 8 * 2 / 3 + after.parts_s[STEP_ATTENTION] / 8 * 2.5 / 3.5;
        const double hidden_s = sum_s < backward_s ? sum_s : backward_s;
        ck_assert_double_eq_tol(pipeline_step(8, 4, chunks).parts_s[STEP_GRADIENTS],
                                sum_s - hidden_s + hidden_s / 10, 1e-4);
        software.overlap_loss_ppm = PPM;
    }
}
END_TEST

START_TEST(stages_send_activations_of_a_micro_batch)
{
    // 1F1B of equal stages without sending: (ranks - 1) passes idle.
    job.global_batch = 16;
    const TransformerStep plain = pipeline_step(4, 4, 1);
    const double busy_s = plain.parts_s[STEP_COMPUTE] + plain.parts_s[STEP_ATTENTION];
    const double send_s = 2.0 * 2048 * 1024 / link;
    const double idle_s = plain.parts_s[STEP_BUBBLE];
    ck_assert_double_ge(idle_s, 3 * busy_s / 16 + 2 * 3 * send_s - 2e-4);
    ck_assert_double_le(idle_s, 3 * busy_s / 16 + 2 * 16 * 3 * send_s + 2e-4);
    // A slower link delays the last rank's first pass and the first rank's last.
    static const CurvePoint slow_points[] = {{0, 0}, {INT64_C(1000000000), INT64_C(17500000000)}};
    gpu.all_reduce.points = slow_points;
    ck_assert_double_ge(part_s(STEP_BUBBLE), idle_s + 2 * 3 * 9 * send_s - 2e-4);
    // Tensor ranks each send their part.
    begin();
    job.global_batch = 16;
    layout.tensor = 2;
    const TransformerStep halves = pipeline_step(4, 4, 1);
    const double half_busy_s = halves.step_s - halves.parts_s[STEP_BUBBLE] -
                               halves.parts_s[STEP_GRADIENTS] - halves.parts_s[STEP_OPTIMIZER];
    ck_assert_double_le(halves.parts_s[STEP_BUBBLE], 3 * half_busy_s / 16 + 16 * 3 * send_s + 2e-4);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/parts");
    TCase *parts = tcase_create("parts");
    tcase_add_checked_fixture(parts, begin, NULL);
    tcase_add_test(parts, elements_of_a_layer_are_moved_once_for_each_use);
    tcase_add_test(parts, elements_of_latents_are_their_norms);
    tcase_add_test(parts, elements_of_experts_are_those_of_their_copies);
    tcase_add_test(parts, scores_without_flash_attention_are_computed_in_full_and_moved);
    tcase_add_test(parts, recomputation_repeats_the_forward_pass_of_layers);
    tcase_add_test(parts, tensor_ranks_communicate_in_both_halves_of_a_layer);
    tcase_add_test(parts, context_ranks_gather_keys_and_values_behind_attention);
    tcase_add_test(parts, fsdp_gathers_weights_and_scatters_gradients);
    tcase_add_test(parts, the_host_queues_one_pass_forward_and_two_backward);
    suite_add_tcase(suite, parts);
    TCase *pipelines = tcase_create("pipelines");
    tcase_add_checked_fixture(pipelines, begin, NULL);
    tcase_add_test(pipelines, the_first_rank_of_uneven_stages_is_the_busiest);
    tcase_add_test(pipelines, the_busiest_rank_has_the_most_layers_with_experts);
    tcase_add_test(pipelines, gradients_hide_behind_the_backward_passes_of_their_rank);
    tcase_add_test(pipelines, stages_send_activations_of_a_micro_batch);
    suite_add_tcase(suite, pipelines);
    return suite;
}
