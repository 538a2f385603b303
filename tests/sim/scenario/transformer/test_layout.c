#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/transformer/layout.h"
#include "tests/support/suite.h"

static const CurvePoint points[] = {{0, 10000}, {INT64_C(1000000000), 1760000}};
static const CurvePoint added[] = {{2, 0}, {64, 620000}};
static const TransformerGpu gpu = {.name = "A100",
                                   .bf16_peak_flops = INT64_C(312000000000000),
                                   .bf16_matmul_flops = INT64_C(250000000000000),
                                   .attention_flops = INT64_C(180000000000000),
                                   .memory_bytes_per_s = INT64_C(1600000000000),
                                   .link_ranks = 8,
                                   .all_reduce = {2, points},
                                   .gather_ppm = PPM};
static const TransformerFabric fabric = {.name = "F",
                                         .port_bytes_per_s = INT64_C(25000000000),
                                         .ports = 8,
                                         .two_nodes = {2, points},
                                         .added = {2, added}};
static const TransformerSoftware software = {.matmul_ppm = PPM,
                                             .fp8_matmul_ppm = PPM,
                                             .attention_ppm = PPM,
                                             .element_ppm = PPM,
                                             .tensor_exposed_ppm = PPM,
                                             .bucket_bytes = 100000000,
                                             .gradient_bytes = 4,
                                             .optimizer_bytes = 28,
                                             .has_flash_attention = true,
                                             .memory_ppm = PPM};
static const TransformerMachine machine = {.gpu = &gpu,
                                           .fabric = &fabric,
                                           .software = &software,
                                           .port_bytes_per_s = INT64_C(25000000000),
                                           .memory_bytes = INT64_C(80) << 30};
static const TransformerJob job = {.shape = {.layers = 32,
                                             .hidden = 4096,
                                             .mlp = 14336,
                                             .is_gated = true,
                                             .heads = 32,
                                             .kv_heads = 8,
                                             .vocabulary = 32000,
                                             .sequence = 4096},
                                   .gpus = 32,
                                   .gpus_per_node = 8,
                                   .global_batch = 64};

static bool space_of(const char *text, LayoutSpace *space, Status *status)
{
    return layout_space_read(piece_of("--layout", text, strlen(text)), &job, &machine, space,
                             status);
}

START_TEST(what_is_given_is_fixed_and_the_rest_has_defaults)
{
    LayoutSpace space;
    Status status = {0};
    ck_assert(space_of("tp=8,pp=2,fsdp", &space, &status));
    ck_assert_int_eq(space.tensor.count, 1);
    ck_assert_int_eq(space.tensor.values[0], 8);
    ck_assert_int_eq(space.pipeline.values[0], 2);
    ck_assert_int_eq(space.context.values[0], 1);
    ck_assert_int_eq(space.sharding.values[0], SHARDING_FSDP);
    ck_assert_int_gt(space.micro_batch.count, 1);
    ck_assert_int_eq(space.recompute.count, 2); // with flash attention selective changes nothing
    LayoutSearch found;
    layouts_search(&job, &machine, &space, 1, &found);
    ck_assert_int_eq(found.count, 1);
    ck_assert_int_eq(found.ranked[0].layout.data, 2);
}
END_TEST

START_TEST(a_layout_is_what_its_text_says)
{
    Arena *arena = arena_create();
    LayoutSpace space, again;
    LayoutSearch found, same;
    Status status = {0};
    ck_assert(space_of("best", &space, &status));
    layouts_search(&job, &machine, &space, RANKED_MOST, &found);
    ck_assert_int_eq(found.count, RANKED_MOST);
    for (int32_t i = 0; i < found.count; i++) {
        ck_assert(space_of(layout_text(arena, &found.ranked[i].layout), &again, &status));
        layouts_search(&job, &machine, &again, 1, &same);
        ck_assert_int_eq(same.combinations, 1);
        ck_assert_double_eq(same.ranked[0].step.step_s, found.ranked[i].step.step_s);
    }
    arena_destroy(arena);
}
END_TEST

/* Every layout of the space, one by one, with its schedule executed. */
START_TEST(the_best_is_the_best_of_all)
{
    LayoutSpace space, one;
    LayoutSearch found, single;
    Status status = {0};
    ck_assert(space_of("best,fsdp", &space, &status));
    layouts_search(&job, &machine, &space, 5, &found);
    double best_s = 1e9;
    int64_t fitting = 0;
    for (int32_t t = 0; t < space.tensor.count; t++)
        for (int32_t p = 0; p < space.pipeline.count; p++)
            for (int32_t c = 0; c < space.chunks.count; c++)
                for (int32_t r = 0; r < space.recompute.count; r++)
                    for (int32_t m = 0; m < space.micro_batch.count; m++) {
                        one = space;
                        one.tensor = (Choices){1, {space.tensor.values[t]}};
                        one.pipeline = (Choices){1, {space.pipeline.values[p]}};
                        one.chunks = (Choices){1, {space.chunks.values[c]}};
                        one.recompute = (Choices){1, {space.recompute.values[r]}};
                        one.micro_batch = (Choices){1, {space.micro_batch.values[m]}};
                        layouts_search(&job, &machine, &one, 1, &single);
                        fitting += single.fitting;
                        if (single.count > 0 && single.ranked[0].step.step_s < best_s)
                            best_s = single.ranked[0].step.step_s;
                    }
    ck_assert_int_eq(space.context.count, 1);
    ck_assert_int_eq(found.fitting, fitting);
    ck_assert_double_eq(found.ranked[0].step.step_s, best_s);
    for (int32_t i = 1; i < found.count; i++)
        ck_assert_double_ge(found.ranked[i].step.step_s, found.ranked[i - 1].step.step_s);
}
END_TEST

START_TEST(wrong_words_are_refused_at_their_place)
{
    static const struct {
        const char *text;
        const char *message;
        int32_t column;
    } cases[] = {
        {"tp=8,pq=2", "\"pq=2\": expected a choice of a layout", 6},
        {"tp=0", "\"0\": expected a whole number from 1 to 65536", 4},
        {"tp=8,fsdp,zero1", "a second choice of sharding", 11},
        {"tp=8,tp=4", "a second choice of tp", 6},
        {"fp8", "A100 has no FP8", 1},
        {"", "\"\": expected a choice of a layout", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        LayoutSpace space;
        Status status = {0};
        ck_assert(!space_of(cases[i].text, &space, &status));
        ck_assert_str_eq(status.message, cases[i].message);
        ck_assert_int_eq(status.at.column, cases[i].column);
    }
}
END_TEST

START_TEST(layouts_that_break_a_rule_say_which)
{
    static const char *const cases[][2] = {
        {"tp=8,dp=8", "tp x cp x dp x pp is not the number of GPUs"},
        {"tp=3", "tp x cp x dp x pp is not the number of GPUs"},
        {"pp=32,vpp=2", "the pipeline has more chunks than the model has layers"},
        {"pp=4,vpp=3", "interleaving (vpp) needs pp > 1, and pp x vpp must divide the layers"},
        {"tp=1,mb=4", "dp x mb does not divide the global batch"},
        {"pp=2,zero2",
         "zero2 divides gradients that a pipeline accumulates: use zero1 or fsdp with pp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        LayoutSpace space;
        LayoutSearch found;
        Status status = {0};
        ck_assert(space_of(cases[i][0], &space, &status));
        layouts_search(&job, &machine, &space, 1, &found);
        ck_assert_int_eq(found.valid, 0);
        ck_assert_str_eq(found.problem, cases[i][1]);
    }
}
END_TEST

static const TransformerRouting routing = {
    .imbalance_ppm = PPM, .all_to_all_ppm = PPM, .exposed_ppm = PPM};

/* `job` with 8 experts in each layer. */
static TransformerJob job_with_experts(void)
{
    TransformerJob result = job;
    result.shape.experts = (TransformerExperts){.count = 8,
                                                .chosen = 2,
                                                .mlp = 1792,
                                                .shared = 1,
                                                .shared_mlp = 1792,
                                                .every = 1,
                                                .imbalance_ppm = PPM};
    return result;
}

static TransformerMachine machine_with_routing(void)
{
    TransformerMachine result = machine;
    result.routing = &routing;
    return result;
}

START_TEST(experts_add_two_choices)
{
    const TransformerJob with_experts = job_with_experts();
    const TransformerMachine own = machine_with_routing();
    Arena *arena = arena_create();
    LayoutSpace space, again;
    static LayoutSearch found, same;
    Status status = {0};
    ck_assert(
        layout_space_read(piece_of("l", "tp=2,fsdp", 9), &with_experts, &own, &space, &status));
    ck_assert_int_eq(space.expert.count, 1);
    ck_assert_int_eq(space.expert.values[0], 1);
    ck_assert_int_eq(space.divides_experts.values[0], 1);
    ck_assert(layout_space_read(piece_of("l", "best", 4), &with_experts, &own, &space, &status));
    ck_assert_int_eq(space.expert.count, 4); // 1, 2, 4, 8
    ck_assert_int_eq(space.divides_experts.count, 2);
    layouts_search(&with_experts, &own, &space, RANKED_MOST, &found);
    ck_assert_int_eq(found.count, RANKED_MOST);
    bool has_several = false;
    for (int32_t i = 0; i < found.count; i++) {
        const char *text = layout_text(arena, &found.ranked[i].layout);
        has_several = has_several || found.ranked[i].layout.expert > 1;
        ck_assert(layout_space_read(piece_of("l", text, strlen(text)), &with_experts, &own, &again,
                                    &status));
        layouts_search(&with_experts, &own, &again, 1, &same);
        ck_assert_int_eq(same.combinations, 1);
        ck_assert_double_eq(same.ranked[0].step.step_s, found.ranked[i].step.step_s);
        ck_assert_int_eq(same.ranked[0].memory.total_bytes, found.ranked[i].memory.total_bytes);
        // No layout is ranked twice.
        for (int32_t j = 0; j < i; j++)
            ck_assert_str_ne(layout_text(arena, &found.ranked[j].layout), text);
    }
    ck_assert(has_several);
    // A dense model has neither.
    ck_assert(space_of("best", &space, &status));
    ck_assert_int_eq(space.expert.count, 1);
    ck_assert_int_eq(space.divides_experts.count, 1);
    arena_destroy(arena);
}
END_TEST

/* Every layout of the space with experts, one by one. */
START_TEST(the_best_with_experts_is_the_best_of_all)
{
    const TransformerJob with_experts = job_with_experts();
    const TransformerMachine own = machine_with_routing();
    LayoutSpace space, one;
    static LayoutSearch found, single;
    Status status = {0};
    ck_assert(layout_space_read(piece_of("l", "best,zero1,vpp=1", 16), &with_experts, &own, &space,
                                &status));
    layouts_search(&with_experts, &own, &space, 5, &found);
    double best_s = 1e9;
    int64_t fitting = 0;
    for (int32_t t = 0; t < space.tensor.count; t++)
        for (int32_t p = 0; p < space.pipeline.count; p++)
            for (int32_t r = 0; r < space.recompute.count; r++)
                for (int32_t m = 0; m < space.micro_batch.count; m++)
                    for (int32_t e = 0; e < space.expert.count; e++)
                        for (int32_t whole = 0; whole < 2; whole++) {
                            one = space;
                            one.tensor = (Choices){1, {space.tensor.values[t]}};
                            one.pipeline = (Choices){1, {space.pipeline.values[p]}};
                            one.recompute = (Choices){1, {space.recompute.values[r]}};
                            one.micro_batch = (Choices){1, {space.micro_batch.values[m]}};
                            one.expert = (Choices){1, {space.expert.values[e]}};
                            one.divides_experts = (Choices){1, {whole == 0}};
                            layouts_search(&with_experts, &own, &one, 1, &single);
                            const bool is_repeated = whole == 1 && space.tensor.values[t] == 1;
                            fitting += is_repeated ? 0 : single.fitting;
                            if (single.count > 0 && single.ranked[0].step.step_s < best_s)
                                best_s = single.ranked[0].step.step_s;
                        }
    ck_assert_int_gt(found.fitting, 100);
    ck_assert_int_eq(found.fitting, fitting);
    ck_assert_double_eq(found.ranked[0].step.step_s, best_s);
}
END_TEST

START_TEST(rules_of_experts_are_said)
{
    static const struct {
        const char *text, *rule;
        int64_t mlp, shared_mlp;
    } cases[] = {
        {"ep=3", "ep does not divide the number of experts of a layer", 1792, 1792},
        {"tp=8,ep=8", "ep does not divide dp x cp (with no-etp it must divide tp x cp x dp)", 1792,
         1792},
        {"tp=2,pp=8,no-etp,ep=8", "ep does not divide tp x cp x dp", 1792, 1792},
        {"tp=4,ep=4", "tp does not divide the width of an expert: no-etp leaves experts whole",
         1790, 1792},
        {"tp=4,no-etp", "tp does not divide the width of a shared expert", 1790, 1790},
        {"tp=4,ep=4,no-sp",
         "with tp, experts that are divided among ranks (ep, no-etp) need sequence parallel (sp)",
         1792, 1792},
        {"tp=4,no-etp,no-sp",
         "with tp, experts that are divided among ranks (ep, no-etp) need sequence parallel (sp)",
         1792, 1792},
        {"tp=4,no-sp", NULL, 1792, 1792},
        {"tp=4,no-etp,ep=8", NULL, 1790, 1792},
        {"tp=4,ep=8", NULL, 1792, 1792},
    };
    const TransformerMachine own = machine_with_routing();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TransformerJob with_experts = job_with_experts();
        LayoutSpace space;
        static LayoutSearch found;
        Status status = {0};
        with_experts.shape.experts.mlp = cases[i].mlp;
        with_experts.shape.experts.shared_mlp = cases[i].shared_mlp;
        const Piece text = piece_of("l", cases[i].text, strlen(cases[i].text));
        ck_assert(layout_space_read(text, &with_experts, &own, &space, &status));
        layouts_search(&with_experts, &own, &space, 1, &found);
        if (cases[i].rule == NULL) {
            ck_assert_int_gt(found.valid, 0);
        } else {
            ck_assert_int_eq(found.valid, 0);
            ck_assert_str_eq(found.problem, cases[i].rule);
        }
    }
    LayoutSpace space;
    LayoutSearch found;
    Status status = {0};
    ck_assert(space_of("ep=2", &space, &status));
    layouts_search(&job, &machine, &space, 1, &found);
    ck_assert_str_eq(found.problem, "ep divides experts, and this model has none: leave ep out");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer_layout");
    TCase *layouts = tcase_create("layouts");
    tcase_add_test(layouts, what_is_given_is_fixed_and_the_rest_has_defaults);
    tcase_add_test(layouts, a_layout_is_what_its_text_says);
    tcase_add_test(layouts, the_best_is_the_best_of_all);
    tcase_add_test(layouts, wrong_words_are_refused_at_their_place);
    tcase_add_test(layouts, layouts_that_break_a_rule_say_which);
    tcase_add_test(layouts, experts_add_two_choices);
    tcase_add_test(layouts, the_best_with_experts_is_the_best_of_all);
    tcase_add_test(layouts, rules_of_experts_are_said);
    suite_add_tcase(suite, layouts);
    return suite;
}
