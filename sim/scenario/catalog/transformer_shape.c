#include "sim/scenario/catalog/transformer_shape.h"

#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundInteger kind, layers, hidden, mlp, is_gated, heads, kv_heads, vocabulary, sequence;
    BoundInteger is_tied, positions, has_biases, other_parameters;
} ShapeObject;

#define SIZE_MOST INT64_C(4194304)
#define TOKENS_MOST INT64_C(16777216)

static const char *const kinds[] = {
#define X(name, text) text,
    TRANSFORMER_KINDS(X)
#undef X
        NULL};

#define OWNER ShapeObject
static const Field shape_fields[] = {
    NEEDED_INTEGER("layers", layers, 1, 10000, "transformer layers"),
    NEEDED_INTEGER("hidden", hidden, 1, SIZE_MOST, "width of the residual stream"),
    NEEDED_INTEGER("mlp", mlp, 1, SIZE_MOST, "width of the MLP"),
    FIELD_BOOLEAN("gated", is_gated, "true",
                  "whether the MLP has three matrices (SwiGLU), not two"),
    NEEDED_INTEGER("heads", heads, 1, SIZE_MOST, "heads of attention, which divide hidden"),
    FIELD_INTEGER("kv_heads", kv_heads, 1, SIZE_MOST, NULL,
                  "heads of keys and values, which divide heads; absent: as many"),
    NEEDED_INTEGER("vocabulary", vocabulary, 1, TOKENS_MOST, "words that the head distinguishes"),
    NEEDED_INTEGER("sequence", sequence, 1, TOKENS_MOST, "tokens of a sequence"),
    FIELD_CHOICE("kind", kind, kinds, "decoder",
                 "a decoder's attention looks back, an encoder's in both directions"),
    FIELD_BOOLEAN("tied", is_tied, "false", "whether the head shares the weights of the embedding"),
    FIELD_INTEGER("positions", positions, 0, TOKENS_MOST, "0",
                  "learned embeddings of positions; 0: rotary, ALiBi or none"),
    FIELD_BOOLEAN("biases", has_biases, "false",
                  "whether linear layers and norms have biases (LayerNorm); else RMSNorm"),
    FIELD_INTEGER("other_parameters", other_parameters, 0, INT64_C(1000000000000), "0",
                  "parameters that the other members do not imply"),
    {0},
};
const ObjectType transformer_shape_type = OBJECT_TYPE("model", "A transformer.", shape_fields);
#undef OWNER

bool transformer_shape_read(Arena *arena, const Json *json, TransformerShape *shape,
                            Problems *problems)
{
    const int32_t before = problems->count;
    const ShapeObject *object = bind_object(arena, json, &transformer_shape_type, problems);
    if (problems->count > before)
        return false;
    *shape = (TransformerShape){
        .kind = (TransformerKind)object->kind.value,
        .layers = object->layers.value,
        .hidden = object->hidden.value,
        .mlp = object->mlp.value,
        .is_gated = object->is_gated.value != 0,
        .heads = object->heads.value,
        .kv_heads = object->kv_heads.node != NULL ? object->kv_heads.value : object->heads.value,
        .vocabulary = object->vocabulary.value,
        .sequence = object->sequence.value,
        .is_tied = object->is_tied.value != 0,
        .positions = object->positions.value,
        .has_biases = object->has_biases.value != 0,
        .other_parameters = object->other_parameters.value,
    };
    Status status = {0};
    if (!transformer_shape_check(shape, json_at(json), &status))
        problems_add_status(problems, &status);
    return problems->count == before;
}

static bool shape_kind_read(const void *context, Arena *arena, const Field *field, const Json *json,
                            void *item, Status *status)
{
    (void)context;
    Problems problems = problems_create(arena);
    TransformerShape *shape = (TransformerShape *)((char *)item + field->offset);
    if (transformer_shape_read(arena, json, shape, &problems))
        return true;
    *status = problems.items[0];
    return false;
}

const CustomKind transformer_shape_kind = {"shape of a transformer", VALUE_INTEGER,
                                           shape_kind_read};
