/* The rules that layouts keep, at their limits, and the ranking of those that do. */
#include "sim/base/units.h"
#include "sim/model/transformer/search.h"
#include "tests/support/suite.h"
#include "tests/support/transformer_shapes.h"

static const TransformerJob dense = {
    .shape = LLAMA3_8B_SHAPE, .gpus = 64, .gpus_per_node = 8, .global_batch = 128};
static const TransformerLayout data64 = {.tensor = 1,
                                         .context = 1,
                                         .data = 64,
                                         .pipeline = 1,
                                         .expert = 1,
                                         .divides_experts = true,
                                         .chunks = 1,
                                         .has_flash_attention = true,
                                         .is_sequence_parallel = true,
                                         .micro_batch = 1};

/* Members of a layout of `dense`. */
typedef struct {
    int32_t tensor, context, data, pipeline, chunks;
    int64_t micro_batch;
    Sharding sharding;
    const char *rule; /* that it breaks; NULL: none */
} LayoutRow;

static const char *problem_of(const TransformerJob *job, LayoutRow row)
{
    TransformerLayout layout = data64;
    layout.tensor = row.tensor;
    layout.context = row.context;
    layout.data = row.data;
    layout.pipeline = row.pipeline;
    layout.chunks = row.chunks;
    layout.micro_batch = row.micro_batch;
    layout.sharding = row.sharding;
    return layout_problem(job, &layout);
}

static void check_rule(const TransformerJob *job, LayoutRow row)
{
    const char *problem = problem_of(job, row);
    if (row.rule == NULL)
        ck_assert_msg(problem == NULL, "%s", problem);
    else
        ck_assert_pstr_eq(problem, row.rule);
}

START_TEST(each_rule_is_kept_up_to_its_limit)
{
    static const char uneven[] =
        "interleaving (vpp) needs pp > 1, and pp x vpp must divide the layers";
    static const char accumulated[] =
        "zero2 divides gradients that a pipeline accumulates: use zero1 or fsdp with pp";
    static const LayoutRow rows[] = {
        {8, 1, 8, 1, 1, 1, SHARDING_DDP, NULL},
        {8, 1, 4, 1, 1, 1, SHARDING_DDP, "tp x cp x dp x pp is not the number of GPUs"},
        {64, 1, 1, 1, 1, 1, SHARDING_DDP, "tp does not divide the heads"},
        {2, 1, 1, 32, 1, 1, SHARDING_DDP, NULL},
        {1, 1, 1, 64, 1, 1, SHARDING_DDP, "the pipeline has more chunks than the model has layers"},
        {4, 1, 1, 16, 2, 1, SHARDING_DDP, NULL},
        {4, 1, 1, 16, 4, 1, SHARDING_DDP, "the pipeline has more chunks than the model has layers"},
        {8, 1, 8, 1, 2, 1, SHARDING_DDP, uneven},
        {8, 1, 2, 4, 3, 1, SHARDING_DDP, uneven},
        {8, 1, 2, 4, 2, 16, SHARDING_DDP, NULL}, // four micro batches
        {8, 1, 2, 4, 2, 32, SHARDING_DDP, "interleaving needs a multiple of pp micro batches"},
        {8, 1, 2, 4, 1, 32, SHARDING_DDP, NULL}, // two
        {1, 1, 64, 1, 1, 2, SHARDING_DDP, NULL},
        {1, 1, 64, 1, 1, 4, SHARDING_DDP, "dp x mb does not divide the global batch"},
        {1, 1, 64, 1, 1, 1, SHARDING_ZERO2, NULL},
        {1, 1, 32, 2, 1, 1, SHARDING_ZERO1, NULL},
        {1, 1, 32, 2, 1, 1, SHARDING_ZERO2, accumulated},
        {1, 1, 32, 2, 1, 1, SHARDING_FSDP, NULL},
        {1, 1, 32, 2, 1, 1, SHARDING_FSDP_KEPT, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_rule(&dense, rows[i]);
    TransformerJob job = dense;
    job.shape.sequence = 24; // halves of it among four ranks, then among eight
    check_rule(&job, (LayoutRow){1, 4, 16, 1, 1, 1, SHARDING_DDP, NULL});
    check_rule(&job, (LayoutRow){1, 8, 8, 1, 1, 1, SHARDING_DDP,
                                 "cp does not divide half of the sequence"});
    check_rule(&job, (LayoutRow){8, 1, 8, 1, 1, 1, SHARDING_DDP, NULL});
    check_rule(
        &job, (LayoutRow){16, 1, 4, 1, 1, 1, SHARDING_DDP, "tp does not divide the sequence (sp)"});
    job = dense;
    job.shape.mlp = 14340;
    check_rule(&job, (LayoutRow){4, 1, 16, 1, 1, 1, SHARDING_DDP, NULL});
    check_rule(&job, (LayoutRow){8, 1, 8, 1, 1, 1, SHARDING_DDP,
                                 "tp does not divide the width of the MLP"});
    job = dense;
    job.shape.layers = 1024;
    job.gpus = 512;
    job.global_batch = 1024;
    check_rule(&job, (LayoutRow){1, 1, 1, 512, 1, 1, SHARDING_DDP, NULL});
    check_rule(&job, (LayoutRow){1, 1, 1, 512, 2, 1, SHARDING_DDP,
                                 "the pipeline has more than 512 chunks"});
    job = dense;
    job.gpus = 1;
    job.shape.sequence = TRANSFORMER_TOKENS_MOST;
    check_rule(&job, (LayoutRow){1, 1, 1, 1, 1, 1, SHARDING_DDP, NULL});
    check_rule(&job, (LayoutRow){1, 1, 1, 1, 1, 2, SHARDING_DDP,
                                 "a micro batch has more than 67,108,864 tokens"});
}
END_TEST

START_TEST(tensor_ranks_may_have_whole_tokens_if_experts_are_divided_among_them_alone)
{
    TransformerJob job = {
        .shape = MIXTRAL_8X7B_SHAPE, .gpus = 64, .gpus_per_node = 8, .global_batch = 128};
    TransformerLayout layout = data64;
    layout.tensor = 4;
    layout.data = 16;
    layout.is_sequence_parallel = false;
    ck_assert_ptr_null(layout_problem(&job, &layout));
    layout.expert = 2;
    ck_assert_ptr_nonnull(layout_problem(&job, &layout));
    layout.is_sequence_parallel = true;
    ck_assert_ptr_null(layout_problem(&job, &layout));
    layout.expert = 1;
    layout.divides_experts = layout.is_sequence_parallel = false;
    ck_assert_ptr_nonnull(layout_problem(&job, &layout));
}
END_TEST

START_TEST(stages_have_all_layers_in_order)
{
    TransformerJob job = {
        .shape = MIXTRAL_8X7B_SHAPE, .gpus = 64, .gpus_per_node = 8, .global_batch = 128};
    job.shape.layers = 13;
    job.shape.experts.every = 4; // layers 4, 8 and 12
    TransformerLayout layout = data64;
    layout.data = 16;
    layout.pipeline = 4;
    static const int64_t layers[] = {4, 3, 3, 3}, with_experts[] = {1, 0, 1, 1};
    for (int32_t stage = 0; stage < 4; stage++) {
        const LayerCounts counts = layout_chunk_layers(&job, &layout, stage);
        ck_assert_int_eq(counts.of[BLOCK_DENSE] + counts.of[BLOCK_EXPERTS], layers[stage]);
        ck_assert_int_eq(counts.of[BLOCK_EXPERTS], with_experts[stage]);
    }
}
END_TEST

START_TEST(ranks_are_counted_without_overflow)
{
    TransformerLayout layout = data64;
    layout.tensor = 3;
    layout.context = 5;
    layout.data = 7;
    layout.pipeline = 11;
    ck_assert_int_eq(layout_ranks(&layout), 3 * 5 * 7 * 11);
    layout.tensor = layout.context = layout.data = layout.pipeline = INT32_MAX;
    ck_assert_int_eq(layout_ranks(&layout), TRANSFORMER_GPUS_MOST + 1);
    layout = data64;
    layout.data = TRANSFORMER_GPUS_MOST;
    ck_assert_int_eq(layout_ranks(&layout), TRANSFORMER_GPUS_MOST);
}
END_TEST

/* --- The search --- */

static const CurvePoint points[] = {{0, 0}, {INT64_C(1000000000), 1750000}};
static const TransformerGpu gpu = {.bf16_matmul_flops = INT64_C(400000000000000),
                                   .attention_flops = INT64_C(400000000000000),
                                   .memory_bytes_per_s = INT64_C(2000000000000),
                                   .link_ranks = 8,
                                   .all_reduce = {2, points},
                                   .gather_ppm = PPM};
static const TransformerSoftware software = {.matmul_ppm = PPM,
                                             .attention_ppm = PPM,
                                             .tensor_exposed_ppm = PPM,
                                             .bucket_bytes = 100000000,
                                             .gradient_bytes = 4,
                                             .memory_ppm = PPM};

static TransformerMachine machine_of(int64_t memory_bytes)
{
    return (TransformerMachine){.gpu = &gpu, .software = &software, .memory_bytes = memory_bytes};
}

/* One node of 8 GPUs. */
static TransformerJob small_job(void)
{
    TransformerJob job = dense;
    job.gpus = 8;
    return job;
}

/* Recomputation and micro batches of data ranks with plain layouts. */
static LayoutSpace small_space(void)
{
    return (LayoutSpace){.tensor = {1, {1}},
                         .context = {1, {1}},
                         .pipeline = {1, {1}},
                         .chunks = {1, {1}},
                         .sharding = {1, {SHARDING_FSDP}},
                         .sequence_parallel = {1, {1}},
                         .recompute = {2, {RECOMPUTE_NONE, RECOMPUTE_FULL}},
                         .micro_batch = {3, {1, 2, 4}},
                         .expert = {1, {1}},
                         .divides_experts = {1, {1}},
                         .has_flash_attention = true};
}

START_TEST(every_combination_is_tried_once)
{
    const TransformerJob job = small_job();
    const TransformerMachine machine = machine_of(INT64_C(1) << 50);
    LayoutSpace space = small_space();
    space.sharding = (Choices){2, {SHARDING_ZERO1, SHARDING_FSDP}};
    static LayoutSearch found;
    layouts_search(&job, &machine, &space, RANKED_MOST, &found);
    ck_assert_int_eq(found.combinations, 2 * 2 * 3);
    ck_assert_int_eq(found.valid, 12);
    ck_assert_int_eq(found.fitting, 12);
    ck_assert_int_eq(found.count, 12);
    for (int32_t i = 0; i < found.count; i++) {
        const RankedLayout *one = &found.ranked[i];
        ck_assert_int_eq(one->layout.data, 8);
        for (int32_t j = 0; j < i; j++) {
            const RankedLayout *other = &found.ranked[j];
            ck_assert(one->layout.recompute != other->layout.recompute ||
                      one->layout.micro_batch != other->layout.micro_batch ||
                      one->layout.sharding != other->layout.sharding);
            ck_assert_double_le(other->step.step_s, one->step.step_s);
        }
    }
    // The three best are the first three of them.
    static LayoutSearch three;
    layouts_search(&job, &machine, &space, 3, &three);
    ck_assert_int_eq(three.count, 3);
    for (int32_t i = 0; i < 3; i++)
        ck_assert_double_eq(three.ranked[i].step.step_s, found.ranked[i].step.step_s);
}
END_TEST

START_TEST(layouts_of_equal_time_are_ranked_by_memory_and_then_by_their_order)
{
    // On one GPU sharding changes neither time nor memory: the first is kept.
    TransformerJob job = small_job();
    job.gpus = 1;
    const TransformerMachine machine = machine_of(INT64_C(1) << 50);
    LayoutSpace space = small_space();
    space.recompute.count = space.micro_batch.count = 1;
    space.sharding = (Choices){3, {SHARDING_ZERO1, SHARDING_DDP, SHARDING_ZERO2}};
    static LayoutSearch found;
    layouts_search(&job, &machine, &space, 3, &found);
    ck_assert_int_eq(found.count, 3);
    for (int32_t i = 0; i < 3; i++)
        ck_assert_int_eq(found.ranked[i].layout.sharding, (Sharding)space.sharding.values[i]);
    // Without memory traffic an optimizer that is divided takes the same time in less memory.
    TransformerSoftware free_sums = software;
    free_sums.overlaps_gradients = true; // and no loss: the backward pass hides them
    TransformerMachine own = machine;
    own.software = &free_sums;
    job.gpus = 8;
    space.sharding = (Choices){2, {SHARDING_DDP, SHARDING_ZERO1}};
    layouts_search(&job, &own, &space, 1, &found);
    ck_assert_int_eq(found.ranked[0].layout.sharding, SHARDING_ZERO1);
    layouts_search(&job, &own, &space, 2, &found);
    ck_assert_double_eq(found.ranked[0].step.step_s, found.ranked[1].step.step_s);
}
END_TEST

START_TEST(what_does_not_fit_is_counted_and_the_least_is_named)
{
    const TransformerJob job = small_job();
    const TransformerMachine machine = machine_of(1000000);
    LayoutSpace space = small_space();
    static LayoutSearch found;
    layouts_search(&job, &machine, &space, 4, &found);
    ck_assert_int_eq(found.valid, 6);
    ck_assert_int_eq(found.fitting, 0);
    ck_assert_int_eq(found.count, 0);
    ck_assert(found.has_least);
    ck_assert_int_eq(found.least.layout.recompute, RECOMPUTE_FULL);
    ck_assert_int_eq(found.least.layout.micro_batch, 1);
    // In the other order, too.
    space.recompute = (Choices){2, {RECOMPUTE_FULL, RECOMPUTE_NONE}};
    space.micro_batch = (Choices){3, {4, 2, 1}};
    layouts_search(&job, &machine, &space, 4, &found);
    ck_assert_int_eq(found.least.layout.recompute, RECOMPUTE_FULL);
    ck_assert_int_eq(found.least.layout.micro_batch, 1);
    // Exactly enough fits.
    const TransformerMachine enough = machine_of(found.least.memory.total_bytes);
    layouts_search(&job, &enough, &space, 4, &found);
    ck_assert_int_eq(found.fitting, 1);
    ck_assert_int_eq(found.ranked[0].layout.micro_batch, 1);
    // Two layouts break a rule, the first of which is kept.
    space.micro_batch = (Choices){2, {3, 1}};
    layouts_search(&job, &enough, &space, 4, &found);
    ck_assert_int_eq(found.combinations, 4);
    ck_assert_int_eq(found.valid, 2);
    ck_assert_str_eq(found.problem, "dp x mb does not divide the global batch");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/layout");
    TCase *rules = tcase_create("rules");
    tcase_add_test(rules, each_rule_is_kept_up_to_its_limit);
    tcase_add_test(rules,
                   tensor_ranks_may_have_whole_tokens_if_experts_are_divided_among_them_alone);
    tcase_add_test(rules, stages_have_all_layers_in_order);
    tcase_add_test(rules, ranks_are_counted_without_overflow);
    suite_add_tcase(suite, rules);
    TCase *searches = tcase_create("searches");
    tcase_add_test(searches, every_combination_is_tried_once);
    tcase_add_test(searches, layouts_of_equal_time_are_ranked_by_memory_and_then_by_their_order);
    tcase_add_test(searches, what_does_not_fit_is_counted_and_the_least_is_named);
    suite_add_tcase(suite, searches);
    return suite;
}
