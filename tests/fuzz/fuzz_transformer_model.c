/* For any bytes in a model file, reading ends with a shape whose counts are exact, or with
 * problems that have a place. */
#include "sim/base/invariant.h"
#include "sim/scenario/catalog/transformer_shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    const Json *root =
        json_parse(arena, "fuzz", (const char *)data, size, JSON_WITH_COMMENTS, &problems);
    TransformerShape shape;
    if (root == NULL) {
        invariant(problems.count > 0);
    } else if (!transformer_shape_read(arena, root, &shape, &problems)) {
        invariant(problems.count > 0 && problems.items[0].at.line >= 1);
    } else {
        invariant(shape.head > 0 || shape.hidden % shape.heads == 0);
        invariant(shape.heads % shape.kv_heads == 0);
        invariant(transformer_parameters(&shape) > transformer_matrix_parameters(&shape) / 2);
        invariant(transformer_parameters(&shape) >= transformer_active_parameters(&shape));
        invariant(transformer_has_experts(&shape) ||
                  transformer_parameters(&shape) == transformer_active_parameters(&shape));
        invariant(transformer_flops_per_token(&shape, ATTENTION_IN_FULL) >=
                  transformer_flops_per_token(&shape, ATTENTION_AS_COMPUTED));
    }
    arena_destroy(arena);
    return 0;
}
