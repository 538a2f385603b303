#include "sim/model/transformer/shape.h"
#include "tests/support/suite.h"
#include "tests/support/transformer_shapes.h"

static const TransformerShape gpt2_small = {.layers = 12,
                                            .hidden = 768,
                                            .mlp = 3072,
                                            .heads = 12,
                                            .kv_heads = 12,
                                            .vocabulary = 50257,
                                            .sequence = 1024,
                                            .is_tied = true,
                                            .positions = 1024,
                                            .has_biases = true};
static const TransformerShape llama3_8b = LLAMA3_8B_SHAPE;

START_TEST(parameters_are_counted_to_the_last)
{
    // A layer of 768: attention 4 h^2 = 2,359,296, MLP 8 h^2 = 4,718,592, biases 3h + h + 4h + h =
    // 6,912, two norms 4h = 3,072. 12 x 7,087,872 + 50,257 h + 1,024 h + 2 h.
    ck_assert_int_eq(transformer_layer_parameters(&gpt2_small, BLOCK_DENSE), 7087872);
    ck_assert_int_eq(transformer_parameters(&gpt2_small), 124439808);
    // 4096 x (4096 + 2 x 1024) + 4096^2 + 3 x 4096 x 14336 = 218,103,808, and two norms.
    ck_assert_int_eq(transformer_layer_matrix_parameters(&llama3_8b, BLOCK_DENSE), 218103808);
    ck_assert_int_eq(transformer_parameters(&llama3_8b), 8030261248);
}
END_TEST

START_TEST(operations_are_counted_to_the_last)
{
    // N = 32 x 218,103,808 + 128,256 x 4,096 = 7,504,658,432; 12 L h s = 12,884,901,888.
    ck_assert_int_eq(transformer_matrix_parameters(&llama3_8b), INT64_C(7504658432));
    ck_assert_int_eq(transformer_flops_per_token(&llama3_8b, ATTENTION_IN_FULL),
                     INT64_C(6) * 7504658432 + INT64_C(12884901888));
    ck_assert_int_eq(transformer_flops_per_token(&llama3_8b, ATTENTION_AS_COMPUTED),
                     INT64_C(6) * 7504658432 + INT64_C(6442450944));
    // An encoder computes all scores.
    TransformerShape encoder = llama3_8b;
    encoder.kind = TRANSFORMER_ENCODER;
    ck_assert_int_eq(transformer_flops_per_token(&encoder, ATTENTION_AS_COMPUTED),
                     transformer_flops_per_token(&llama3_8b, ATTENTION_IN_FULL));
}
END_TEST

static const TransformerShape mixtral = MIXTRAL_8X7B_SHAPE;
/* DeepSeek-V3. */
static const TransformerShape deepseek = {.layers = 61,
                                          .hidden = 7168,
                                          .mlp = 18432,
                                          .is_gated = true,
                                          .heads = 128,
                                          .kv_heads = 128,
                                          .head = 192,
                                          .value = 128,
                                          .latents = {.keys = 512, .queries = 1536, .rotary = 64},
                                          .vocabulary = 129280,
                                          .sequence = 4096,
                                          .experts = {.count = 256,
                                                      .chosen = 8,
                                                      .mlp = 2048,
                                                      .shared = 1,
                                                      .shared_mlp = 2048,
                                                      .dense_first = 3,
                                                      .every = 1,
                                                      .has_router_bias = true,
                                                      .imbalance_ppm = 1000000}};

START_TEST(experts_are_counted_to_the_last)
{
    // An expert: 3 x 4096 x 14336. A layer: attention 2 x 4096^2 + 2 x 4096 x 1024, router 8 x
    // 4096, two norms.
    ck_assert_int_eq(transformer_expert_parameters(&mixtral), 176160768);
    ck_assert_int_eq(transformer_layer_parameters(&mixtral, BLOCK_EXPERTS),
                     41943040 + 32768 + 8192);
    // 32 x (41,984,000 + 8 x 176,160,768) + 2 x 32,000 h + h, published as 46.7 billion; 2 of 8
    // experts active: 12.9 billion.
    ck_assert_int_eq(transformer_parameters(&mixtral), INT64_C(46702792704));
    ck_assert_int_eq(transformer_active_parameters(&mixtral), INT64_C(12879925248));
    // N = 32 x (41,943,040 + 32,768 + 2 x 176,160,768) + 32,000 h.
    ck_assert_int_eq(transformer_matrix_parameters(&mixtral), INT64_C(12748587008));
    ck_assert_int_eq(transformer_flops_per_token(&mixtral, ATTENTION_IN_FULL),
                     INT64_C(6) * 12748587008 + INT64_C(12) * 32 * 4096 * 4096);
}
END_TEST

START_TEST(latent_attention_is_counted_to_the_last)
{
    // Queries 7168 x 1536 + 1536 x 24,576 = 48,758,784; keys and values 7168 x 576 + 512 x 128 x
    // 256 = 20,905,984; output 16,384 x 7168 = 117,440,512; norms 2 x 7168 + 1536 + 512. The MLP of
    // a dense layer 3 x 7168 x 18,432 = 396,361,728.
    const int64_t attention = 48758784 + 20905984 + 117440512;
    ck_assert_int_eq(transformer_layer_parameters(&deepseek, BLOCK_DENSE),
                     attention + 396361728 + 16384);
    // Router 256 x 7168 and its biases, one shared expert of 3 x 7168 x 2048 = 44,040,192.
    ck_assert_int_eq(transformer_layer_parameters(&deepseek, BLOCK_EXPERTS),
                     attention + 16384 + 1835008 + 256 + 44040192);
    ck_assert_int_eq(transformer_layers(&deepseek, 0, 61).of[BLOCK_EXPERTS], 58);
    // Published: 671 billion, 37 active.
    ck_assert_int_eq(transformer_parameters(&deepseek), INT64_C(671026419200));
    ck_assert_int_eq(transformer_active_parameters(&deepseek), INT64_C(37552297472));
    const AttentionWidths widths = transformer_attention_widths(&deepseek);
    ck_assert_int_eq(widths.queries, 128 * 192);
    ck_assert_int_eq(widths.output, 128 * 128);
    // 6 N, and 6 L s (q + o) of the scores.
    ck_assert_int_eq(transformer_flops_per_token(&deepseek, ATTENTION_IN_FULL) -
                         6 * transformer_matrix_parameters(&deepseek),
                     INT64_C(6) * 61 * 4096 * 128 * (192 + 128));
}
END_TEST

START_TEST(layers_with_experts_are_those_that_the_shape_says)
{
    TransformerShape shape = mixtral;
    for (int64_t every = 1; every <= 5; every++) {
        for (int64_t dense = 0; dense <= 7; dense++) {
            shape.experts.every = every;
            shape.experts.dense_first = dense;
            for (int64_t from = 0; from < shape.layers; from++) {
                int64_t counted = 0; // one by one
                for (int64_t layer = from; layer < shape.layers; layer++) {
                    counted += layer >= dense && (layer + 1) % every == 0;
                    ck_assert_int_eq(transformer_layers(&shape, from, layer + 1).of[BLOCK_EXPERTS],
                                     counted);
                    ck_assert_int_eq(transformer_layers(&shape, from, layer + 1).of[BLOCK_DENSE],
                                     layer + 1 - from - counted);
                }
            }
        }
    }
}
END_TEST

START_TEST(one_expert_for_all_tokens_is_an_mlp)
{
    // All of two experts of half the width are the dense MLP, but for the router.
    TransformerShape dense = mixtral, halves = mixtral;
    dense.experts = (TransformerExperts){0};
    halves.experts.count = halves.experts.chosen = 2;
    halves.experts.mlp = 14336 / 2;
    const int64_t routers = INT64_C(32) * 2 * 4096;
    ck_assert_int_eq(transformer_parameters(&halves), transformer_parameters(&dense) + routers);
    ck_assert_int_eq(transformer_active_parameters(&halves), transformer_parameters(&halves));
    ck_assert_int_eq(transformer_active_parameters(&dense), transformer_parameters(&dense));
    ck_assert_int_eq(transformer_matrix_parameters(&halves),
                     transformer_matrix_parameters(&dense) + routers);
}
END_TEST

START_TEST(shapes_that_cannot_be_are_refused)
{
    const Place at = place_in("model.json", 3, 5);
    Status status = {0};
    TransformerShape shape = gpt2_small;
    ck_assert(transformer_shape_check(&shape, at, &status));
    shape.heads = 11;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    ck_assert_str_eq(status.message, "11 heads do not divide hidden 768");
    ck_assert_int_eq(status.at.line, 3);
    shape = gpt2_small;
    shape.kv_heads = 5;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    ck_assert_str_eq(status.message, "5 kv_heads do not divide 12 heads");
    shape = gpt2_small;
    shape.hidden = shape.heads << 30;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    shape = mixtral;
    ck_assert(transformer_shape_check(&shape, at, &status));
    shape.experts.chosen = 9;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    ck_assert_str_eq(status.message, "a token takes 9 of 8 experts");
    shape = mixtral;
    shape.experts.dense_first = 32;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    ck_assert_str_eq(status.message, "none of 32 layers has experts");
    shape = mixtral;
    shape.layers = 10000;
    shape.experts.count = 65536;
    shape.experts.mlp = 4194304;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    shape = deepseek;
    shape.kv_heads = 64;
    ck_assert(!transformer_shape_check(&shape, at, &status));
    ck_assert_str_eq(status.message, "latent attention with 64 kv_heads and 128 heads");
    shape = mixtral; // 33 heads of a given width
    shape.heads = shape.kv_heads = 33;
    shape.head = 100;
    ck_assert(transformer_shape_check(&shape, at, &status));
}
END_TEST

/* One dimension of a shape is doubled until the shape is refused. */
static void check_largest(const TransformerShape *shape, int64_t *dimension)
{
    const Place at = place_in("model.json", 1, 1);
    Status status = {0};
    int64_t operations = 0, parameters = 0;
    for (int i = 0; transformer_shape_check(shape, at, &status); i++) {
        operations = transformer_flops_per_token(shape, ATTENTION_IN_FULL);
        parameters = transformer_parameters(shape);
        ck_assert_int_lt(i, 62);
        ck_assert_int_lt(operations, INT64_C(1000000000000000000));
        ck_assert_int_lt(parameters, INT64_MAX / 18);
        *dimension *= 2;
    }
    ck_assert_str_eq(status.message,
                     "training this model on one token takes more than 1e18 operations");
    // Models that are refused are not much smaller than the limit.
    const double most = (double)(operations > 6 * parameters ? operations : 6 * parameters);
    ck_assert_double_gt(most, 1e18 / 64);
}

START_TEST(counts_of_shapes_that_pass_are_within_int64)
{
    static const TransformerShape *const shapes[] = {&gpt2_small, &llama3_8b, &mixtral, &deepseek};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        TransformerShape shape = *shapes[i];
        int64_t *const dimensions[] = {&shape.layers,      &shape.mlp,
                                       &shape.vocabulary,  &shape.positions,
                                       &shape.sequence,    &shape.other_parameters,
                                       &shape.experts.mlp, &shape.experts.shared_mlp};
        for (size_t d = 0; d < sizeof dimensions / sizeof dimensions[0]; d++) {
            shape = *shapes[i];
            const bool is_of_experts = d >= 6;
            const bool is_unused = dimensions[d] == &shape.mlp && shapes[i] == &mixtral;
            if (is_unused || (is_of_experts && *dimensions[d] == 0))
                continue;
            *dimensions[d] = *dimensions[d] > 0 ? *dimensions[d] : 1;
            check_largest(&shape, dimensions[d]);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/shape");
    TCase *shapes = tcase_create("shapes");
    tcase_add_test(shapes, parameters_are_counted_to_the_last);
    tcase_add_test(shapes, operations_are_counted_to_the_last);
    tcase_add_test(shapes, experts_are_counted_to_the_last);
    tcase_add_test(shapes, latent_attention_is_counted_to_the_last);
    tcase_add_test(shapes, layers_with_experts_are_those_that_the_shape_says);
    tcase_add_test(shapes, one_expert_for_all_tokens_is_an_mlp);
    tcase_add_test(shapes, shapes_that_cannot_be_are_refused);
    tcase_add_test(shapes, counts_of_shapes_that_pass_are_within_int64);
    suite_add_tcase(suite, shapes);
    return suite;
}
