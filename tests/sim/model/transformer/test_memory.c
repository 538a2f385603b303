#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/transformer/memory.h"
#include "tests/support/suite.h"

/* GPT-3 of 22 billion parameters in Korthikanti et al., table 3: 48 layers, 64 heads, hidden 6144,
 * sequences of 2048, 8 tensor ranks, micro batches of 4. */
static const TransformerJob job = {.shape = {.layers = 48,
                                             .hidden = 6144,
                                             .mlp = 24576,
                                             .heads = 64,
                                             .kv_heads = 64,
                                             .vocabulary = 51200,
                                             .sequence = 2048},
                                   .gpus = 8,
                                   .gpus_per_node = 8,
                                   .global_batch = 4};
static const TransformerLayout tensor8 = {.tensor = 8,
                                          .context = 1,
                                          .data = 1,
                                          .pipeline = 1,
                                          .chunks = 1,
                                          .sharding = SHARDING_DDP,
                                          .is_sequence_parallel = true,
                                          .has_flash_attention = true,
                                          .micro_batch = 4};
/* Adds nothing. */
static const TransformerSoftware bare = {.gradient_bytes = 2, .memory_ppm = PPM};

START_TEST(activations_are_counted_as_published)
{
    // s b h = 2048 x 4 x 6144 = 50,331,648. Sequence parallel: all of 32 s b h divided by 8.
    ck_assert_int_eq(layer_activation_bytes(&job, &tensor8), INT64_C(32) * 50331648 / 8);
    // Without it the 8 s b h of norms and inputs are whole.
    TransformerLayout layout = tensor8;
    layout.is_sequence_parallel = false;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout),
                     INT64_C(24) * 50331648 / 8 + INT64_C(8) * 50331648);
    // Scores in memory: 5 a s / h more, = 5 x 64 x 2048 / 6144 = 106.67.
    layout = tensor8;
    layout.has_flash_attention = false;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout),
                     (INT64_C(32) * 50331648 + INT64_C(5) * 64 * 2048 * 2048 * 4) / 8);
    // Selective recomputation does not keep them.
    layout.recompute = RECOMPUTE_SELECTIVE;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout), INT64_C(32) * 50331648 / 8);
    layout.recompute = RECOMPUTE_FULL;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout), INT64_C(2) * 50331648 / 8);
}
END_TEST

START_TEST(parameters_take_16_bytes_or_their_share)
{
    TransformerJob eight = job;
    TransformerLayout layout = tensor8;
    layout.tensor = 1;
    layout.data = 8;
    layout.micro_batch = 1;
    eight.global_batch = 8;
    const int64_t n = transformer_parameters(&job.shape);
    ck_assert_int_eq(rank_parameters(&eight, &layout, 0), n);
    TransformerMemory memory = rank_memory(&eight, &layout, &bare, 0);
    ck_assert_int_eq(memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes,
                     16 * n);
    layout.sharding = SHARDING_ZERO1;
    memory = rank_memory(&eight, &layout, &bare, 0);
    ck_assert_int_eq(memory.weights_bytes + memory.gradients_bytes, 4 * n);
    ck_assert_int_eq(memory.optimizer_bytes, divide_up(12 * n, 8));
    layout.sharding = SHARDING_FSDP;
    memory = rank_memory(&eight, &layout, &bare, 0);
    ck_assert_int_eq(memory.weights_bytes, divide_up(2 * n, 8));
    ck_assert_int_eq(memory.gathered_bytes, 4 * transformer_layer_parameters(&job.shape));
    ck_assert_int_eq(memory.software_bytes, 0);
    layout.sharding = SHARDING_FSDP_KEPT;
    ck_assert_int_eq(rank_memory(&eight, &layout, &bare, 0).gathered_bytes, 2 * n);
}
END_TEST

START_TEST(pipeline_ranks_hold_their_layers_and_tables)
{
    TransformerLayout layout = tensor8;
    layout.tensor = 1;
    layout.pipeline = 8;
    layout.micro_batch = 1;
    const int64_t layers = 6 * transformer_layer_parameters(&job.shape);
    const int64_t table = job.shape.vocabulary * job.shape.hidden;
    ck_assert_int_eq(rank_parameters(&job, &layout, 0), layers + table);
    ck_assert_int_eq(rank_parameters(&job, &layout, 3), layers);
    ck_assert_int_eq(rank_parameters(&job, &layout, 7), layers + table + job.shape.hidden);
    // Four micro batches are fewer than the eight that the first rank would hold.
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 0).activations_bytes,
                     4 * 6 * layer_activation_bytes(&job, &layout));
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 7).activations_bytes,
                     6 * layer_activation_bytes(&job, &layout));
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 7).logits_bytes,
                     INT64_C(6) * 2048 * job.shape.vocabulary);
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 0).logits_bytes, 0);
}
END_TEST

START_TEST(more_recomputation_never_takes_more_memory)
{
    TransformerJob wide = job;
    wide.global_batch = 8;
    for (int32_t tensor = 1; tensor <= 8; tensor *= 2) {
        for (int sharding = SHARDING_DDP; sharding < SHARDING_COUNT; sharding++) {
            for (int flash = 0; flash < 2; flash++) {
                int64_t before = INT64_MAX;
                for (int recompute = RECOMPUTE_NONE; recompute < RECOMPUTE_COUNT; recompute++) {
                    TransformerLayout layout = tensor8;
                    layout.tensor = tensor;
                    layout.data = 8 / tensor;
                    layout.micro_batch = 1;
                    layout.sharding = (Sharding)sharding;
                    layout.recompute = (Recompute)recompute;
                    layout.has_flash_attention = flash == 1;
                    const int64_t bytes = layout_memory(&wide, &layout, &bare, NULL).total_bytes;
                    ck_assert_int_le(bytes, before);
                    before = bytes;
                }
            }
        }
    }
}
END_TEST

START_TEST(the_rank_with_the_most_memory_is_found)
{
    TransformerJob wide = job;
    wide.shape.vocabulary = 256000;
    wide.global_batch = 64;
    for (int32_t pipeline = 1; pipeline <= 8; pipeline *= 2) {
        for (int32_t chunks = 1; chunks <= (pipeline > 1 ? 3 : 1); chunks++) {
            TransformerLayout layout = tensor8;
            layout.tensor = 8 / pipeline;
            layout.pipeline = pipeline;
            layout.chunks = chunks;
            layout.micro_batch = 1;
            int32_t most;
            const int64_t bytes = layout_memory(&wide, &layout, &bare, &most).total_bytes;
            for (int32_t rank = 0; rank < pipeline; rank++)
                ck_assert_int_le(rank_memory(&wide, &layout, &bare, rank).total_bytes, bytes);
            ck_assert_int_eq(rank_memory(&wide, &layout, &bare, most).total_bytes, bytes);
        }
    }
}
END_TEST

START_TEST(a_checkpoint_has_weights_and_optimizer_of_each_parameter_once)
{
    TransformerLayout layout = tensor8;
    // No parameter is on two ranks of one copy, and 8 divides all of them: 2 + 12 bytes each.
    const int64_t n = transformer_parameters(&job.shape);
    TransformerState state = layout_state(&job, &layout);
    ck_assert_int_eq(state.bytes, 14 * divide_up(n, 8) * 8);
    ck_assert_int_eq(state.writers, 8);
    // Copies of a model write once, unless they divide the optimizer: then each its part.
    layout.data = 4;
    state = layout_state(&job, &layout);
    ck_assert_int_eq(state.bytes, 14 * divide_up(n, 8) * 8);
    ck_assert_int_eq(state.writers, 8);
    for (int sharding = SHARDING_ZERO1; sharding <= SHARDING_FSDP_KEPT; sharding++) {
        layout.sharding = (Sharding)sharding;
        ck_assert_int_eq(layout_state(&job, &layout).bytes, state.bytes);
        ck_assert_int_eq(layout_state(&job, &layout).writers, 32);
    }
    // Stages of a pipeline have their layers; a tied head is on the last rank again.
    TransformerJob tied = job;
    tied.shape.is_tied = true;
    layout.pipeline = 2;
    ck_assert_int_eq(layout_state(&job, &layout).writers, 64);
    ck_assert_int_eq(layout_state(&tied, &layout).bytes, layout_state(&job, &layout).bytes);
    layout.pipeline = 1;
    ck_assert_int_lt(layout_state(&tied, &layout).bytes, layout_state(&job, &layout).bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/memory");
    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, activations_are_counted_as_published);
    tcase_add_test(memory, parameters_take_16_bytes_or_their_share);
    tcase_add_test(memory, pipeline_ranks_hold_their_layers_and_tables);
    tcase_add_test(memory, more_recomputation_never_takes_more_memory);
    tcase_add_test(memory, the_rank_with_the_most_memory_is_found);
    tcase_add_test(memory, a_checkpoint_has_weights_and_optimizer_of_each_parameter_once);
    suite_add_tcase(suite, memory);
    return suite;
}
