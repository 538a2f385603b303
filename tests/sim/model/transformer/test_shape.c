#include "sim/model/transformer/shape.h"
#include "tests/support/suite.h"

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
static const TransformerShape llama3_8b = {.layers = 32,
                                           .hidden = 4096,
                                           .mlp = 14336,
                                           .is_gated = true,
                                           .heads = 32,
                                           .kv_heads = 8,
                                           .vocabulary = 128256,
                                           .sequence = 8192};

START_TEST(parameters_are_counted_to_the_last)
{
    // A layer of 768: attention 4 h^2 = 2,359,296, MLP 8 h^2 = 4,718,592, biases 3h + h + 4h + h =
    // 6,912, two norms 4h = 3,072. 12 x 7,087,872 + 50,257 h + 1,024 h + 2 h.
    ck_assert_int_eq(transformer_layer_parameters(&gpt2_small), 7087872);
    ck_assert_int_eq(transformer_parameters(&gpt2_small), 124439808);
    // 4096 x (4096 + 2 x 1024) + 4096^2 + 3 x 4096 x 14336 = 218,103,808, and two norms.
    ck_assert_int_eq(transformer_layer_matrix_parameters(&llama3_8b), 218103808);
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
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transformer/shape");
    TCase *shapes = tcase_create("shapes");
    tcase_add_test(shapes, parameters_are_counted_to_the_last);
    tcase_add_test(shapes, operations_are_counted_to_the_last);
    tcase_add_test(shapes, shapes_that_cannot_be_are_refused);
    suite_add_tcase(suite, shapes);
    return suite;
}
