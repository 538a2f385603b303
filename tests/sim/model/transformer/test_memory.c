#include "sim/base/units.h"
#include "sim/model/bounded.h"
#include "sim/model/transformer/memory.h"
#include "tests/support/suite.h"
#include "tests/support/transformer_shapes.h"

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
                                          .expert = 1,
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
    ck_assert_int_eq(layer_activation_bytes(&job, &tensor8, BLOCK_DENSE),
                     INT64_C(32) * 50331648 / 8);
    // Without it the 8 s b h of norms and inputs are whole.
    TransformerLayout layout = tensor8;
    layout.is_sequence_parallel = false;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout, BLOCK_DENSE),
                     INT64_C(24) * 50331648 / 8 + INT64_C(8) * 50331648);
    // Scores in memory: 5 a s / h more, = 5 x 64 x 2048 / 6144 = 106.67.
    layout = tensor8;
    layout.has_flash_attention = false;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout, BLOCK_DENSE),
                     (INT64_C(32) * 50331648 + INT64_C(5) * 64 * 2048 * 2048 * 4) / 8);
    // Selective recomputation does not keep them.
    layout.recompute = RECOMPUTE_SELECTIVE;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout, BLOCK_DENSE),
                     INT64_C(32) * 50331648 / 8);
    layout.recompute = RECOMPUTE_FULL;
    ck_assert_int_eq(layer_activation_bytes(&job, &layout, BLOCK_DENSE), INT64_C(2) * 50331648 / 8);
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
    ck_assert_int_eq(rank_parameters(&eight, &layout, 0).common, n);
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
    ck_assert_int_eq(memory.gathered_bytes,
                     4 * transformer_layer_parameters(&job.shape, BLOCK_DENSE));
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
    const int64_t layers = 6 * transformer_layer_parameters(&job.shape, BLOCK_DENSE);
    const int64_t table = job.shape.vocabulary * job.shape.hidden;
    ck_assert_int_eq(rank_parameters(&job, &layout, 0).common, layers + table);
    ck_assert_int_eq(rank_parameters(&job, &layout, 3).common, layers);
    ck_assert_int_eq(rank_parameters(&job, &layout, 7).common, layers + table + job.shape.hidden);
    // Four micro batches are fewer than the eight that the first rank would hold.
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 0).activations_bytes,
                     4 * 6 * layer_activation_bytes(&job, &layout, BLOCK_DENSE));
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 7).activations_bytes,
                     6 * layer_activation_bytes(&job, &layout, BLOCK_DENSE));
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 7).logits_bytes,
                     INT64_C(6) * 2048 * job.shape.vocabulary);
    ck_assert_int_eq(rank_memory(&job, &layout, &bare, 0).logits_bytes, 0);
}
END_TEST

START_TEST(the_first_rank_has_all_that_is_before_the_layers)
{
    TransformerJob other = job;
    other.shape.positions = 1000;
    other.shape.other_parameters = 777;
    TransformerLayout layout = tensor8;
    layout.tensor = 1;
    layout.pipeline = 8;
    int64_t sum = 0;
    for (int32_t rank = 0; rank < 8; rank++)
        sum += rank_parameters(&other, &layout, rank).common;
    ck_assert_int_eq(sum, transformer_parameters(&other.shape));
    ck_assert_int_eq(rank_parameters(&other, &layout, 0).common -
                         rank_parameters(&job, &layout, 0).common,
                     1000 * other.shape.hidden + 777);
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

/* Mixtral 8x7B on 16 GPUs; experts are balanced. */
static const TransformerJob mixtral = {
    .shape = MIXTRAL_8X7B_SHAPE, .gpus = 16, .gpus_per_node = 8, .global_batch = 64};
static const TransformerLayout data16 = {.tensor = 1,
                                         .context = 1,
                                         .data = 16,
                                         .pipeline = 1,
                                         .expert = 1,
                                         .divides_experts = true,
                                         .chunks = 1,
                                         .sharding = SHARDING_DDP,
                                         .is_sequence_parallel = true,
                                         .has_flash_attention = true,
                                         .micro_batch = 1};

START_TEST(experts_are_divided_among_their_ranks)
{
    const int64_t expert = INT64_C(3) * 4096 * 14336, all = 32 * 8 * expert;
    TransformerLayout layout = data16;
    ck_assert_int_eq(rank_parameters(&mixtral, &layout, 0).experts, all);
    ck_assert_int_eq(rank_parameters(&mixtral, &layout, 0).common,
                     transformer_parameters(&mixtral.shape) - all);
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).experts_bytes, 16 * all);
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).exchange_bytes, 0);
    // Eight expert ranks: an eighth each, whose optimizer two copies divide.
    layout.expert = 8;
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).experts_bytes, 2 * all);
    layout.sharding = SHARDING_ZERO1;
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).experts_bytes,
                     4 * all / 8 + 12 * all / 16);
    layout.sharding = SHARDING_FSDP;
    TransformerMemory memory = rank_memory(&mixtral, &layout, &bare, 0);
    ck_assert_int_eq(memory.experts_bytes, all);
    // Two layers with one expert of each, which are gathered from two copies.
    ck_assert_int_eq(memory.gathered_bytes,
                     4 * (transformer_layer_parameters(&mixtral.shape, BLOCK_EXPERTS) + expert));
    // Tensor ranks divide each expert, or hold whole experts of a wider group.
    layout.tensor = 4;
    layout.data = 4;
    layout.expert = 4;
    ck_assert_int_eq(rank_parameters(&mixtral, &layout, 0).experts, all / 16);
    layout.divides_experts = false;
    ck_assert_int_eq(rank_parameters(&mixtral, &layout, 0).experts, all / 4);
    layout.expert = 8;
    ck_assert_int_eq(rank_parameters(&mixtral, &layout, 0).experts, all / 8);
    ck_assert_int_eq(layout_expert_shards(&layout), 2);
}
END_TEST

START_TEST(copies_of_tokens_take_memory)
{
    TransformerLayout layout = data16;
    TransformerJob job_of = mixtral;
    // Two copies of 4096 tokens: 3 x 14336 values of the MLP, input and output of 4096.
    const int64_t copies = 2 * 4096, of_copy = 2 * (3 * 14336 + 2 * 4096);
    ck_assert_int_eq(layer_routed_bytes(&mixtral, &layout), copies * of_copy);
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).routed_bytes, 32 * copies * of_copy);
    // 32 h + ... of a dense layer, without its MLP, and 8 bytes for each of 8 experts.
    ck_assert_int_eq(layer_activation_bytes(&mixtral, &layout, BLOCK_EXPERTS),
                     INT64_C(4096) * (2 * (2 * 4096 + 2 * 1024) + 8 * 4096 + 64));
    // On two ranks: 2 bytes of each value that is sent and of each that is received.
    layout.expert = 2;
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).exchange_bytes, copies * 4096 * 4);
    // The busiest rank receives half as many again, and sends as many as others; of two ranks it
    // takes at most all copies.
    job_of.shape.experts.imbalance_ppm = 1500000;
    ck_assert_int_eq(layer_routed_bytes(&job_of, &layout), copies * of_copy * 3 / 2);
    ck_assert_int_eq(rank_memory(&job_of, &layout, &bare, 0).exchange_bytes, copies * 4096 * 5);
    job_of.shape.experts.imbalance_ppm = 7000000;
    ck_assert_int_eq(layer_routed_bytes(&job_of, &layout), copies * of_copy * 2);
    layout.expert = 1; // with all experts a rank takes its own copies
    ck_assert_int_eq(layer_routed_bytes(&job_of, &layout), copies * of_copy);
    // Full recomputation keeps the copies of the one layer that it performs again.
    layout.recompute = RECOMPUTE_FULL;
    ck_assert_int_eq(layer_routed_bytes(&mixtral, &layout), 0);
    ck_assert_int_eq(rank_memory(&mixtral, &layout, &bare, 0).routed_bytes, copies * of_copy);
    // Tensor ranks have a part of the tokens each; if they divide experts, they have all copies and
    // a part of the MLP.
    layout.recompute = RECOMPUTE_NONE;
    layout.tensor = 4;
    layout.data = 4;
    ck_assert_int_eq(layer_routed_bytes(&mixtral, &layout),
                     copies * 2 * (3 * 14336 / 4 + 2 * 4096));
    layout.divides_experts = false;
    ck_assert_int_eq(layer_routed_bytes(&mixtral, &layout), copies / 4 * of_copy);
}
END_TEST

START_TEST(latents_of_attention_are_kept_on_each_tensor_rank)
{
    TransformerJob latent = mixtral;
    latent.shape.kv_heads = 32;
    latent.shape.head = 192;
    latent.shape.value = 128;
    latent.shape.latents = (TransformerLatents){.keys = 512, .queries = 1536, .rotary = 64};
    latent.shape.experts = (TransformerExperts){0};
    TransformerLayout layout = data16;
    // Queries and keys of 32 x 192, values and output of 32 x 128, the MLP; norms and inputs; 512 +
    // 1536 + 64 latents.
    const int64_t values = 2 * 32 * 192 + 2 * 32 * 128 + 3 * 14336;
    ck_assert_int_eq(layer_activation_bytes(&latent, &layout, BLOCK_DENSE),
                     INT64_C(4096) * (2 * values + 8 * 4096 + 2 * 2112));
    layout.tensor = 2;
    layout.data = 8;
    layout.is_sequence_parallel = false;
    ck_assert_int_eq(layer_activation_bytes(&latent, &layout, BLOCK_DENSE),
                     INT64_C(4096) * (values + 8 * 4096 + 2 * 2112));
}
END_TEST

START_TEST(more_expert_ranks_never_take_more_memory_of_experts)
{
    for (int sharding = SHARDING_DDP; sharding < SHARDING_COUNT; sharding++) {
        int64_t before = INT64_MAX;
        for (int32_t expert = 1; expert <= 8; expert *= 2) {
            TransformerLayout layout = data16;
            layout.sharding = (Sharding)sharding;
            layout.expert = expert;
            const int64_t bytes = rank_memory(&mixtral, &layout, &bare, 0).experts_bytes;
            ck_assert_int_le(bytes, before);
            before = bytes;
            // A checkpoint has each parameter once, wherever it is.
            ck_assert_int_eq(layout_state(&mixtral, &layout).bytes,
                             14 * transformer_parameters(&mixtral.shape));
            ck_assert_int_eq(layout_state(&mixtral, &layout).writers,
                             sharding == SHARDING_DDP ? expert : 16);
        }
    }
}
END_TEST

START_TEST(any_rank_of_a_pipeline_may_have_the_most_experts)
{
    TransformerJob late = mixtral;
    late.shape.vocabulary = 100;
    late.shape.experts.dense_first = 9; // all of the first rank's, and one of the second's
    TransformerLayout layout = data16;
    layout.data = 4;
    layout.pipeline = 4;
    layout.expert = 4;
    layout.recompute = RECOMPUTE_FULL; // so that activations, which fall from rank to rank, are few
    int32_t most;
    const int64_t bytes = layout_memory(&late, &layout, &bare, &most).total_bytes;
    ck_assert_int_eq(most, 2);
    for (int32_t rank = 0; rank < 4; rank++)
        ck_assert_int_le(rank_memory(&late, &layout, &bare, rank).total_bytes, bytes);
    ck_assert_int_eq(rank_parameters(&late, &layout, 0).experts, 0);
    ck_assert_int_eq(rank_memory(&late, &layout, &bare, 0).routed_bytes, 0);
    ck_assert_int_eq(rank_memory(&late, &layout, &bare, 0).exchange_bytes, 0);
    ck_assert_int_eq(rank_parameters(&late, &layout, 1).experts, INT64_C(7) * 2 * 3 * 4096 * 14336);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/memory");
    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, activations_are_counted_as_published);
    tcase_add_test(memory, parameters_take_16_bytes_or_their_share);
    tcase_add_test(memory, pipeline_ranks_hold_their_layers_and_tables);
    tcase_add_test(memory, the_first_rank_has_all_that_is_before_the_layers);
    tcase_add_test(memory, more_recomputation_never_takes_more_memory);
    tcase_add_test(memory, the_rank_with_the_most_memory_is_found);
    tcase_add_test(memory, a_checkpoint_has_weights_and_optimizer_of_each_parameter_once);
    tcase_add_test(memory, experts_are_divided_among_their_ranks);
    tcase_add_test(memory, copies_of_tokens_take_memory);
    tcase_add_test(memory, latents_of_attention_are_kept_on_each_tensor_rank);
    tcase_add_test(memory, more_expert_ranks_never_take_more_memory_of_experts);
    tcase_add_test(memory, any_rank_of_a_pipeline_may_have_the_most_experts);
    suite_add_tcase(suite, memory);
    return suite;
}
