#include "sim/scenario/catalog/transformer_shape.h"

#include "sim/base/units.h"
#include "sim/schema/bind.h"

typedef struct {
    const Json *node;
    BoundInteger count, chosen, mlp, shared, shared_mlp, dense_first, every;
    BoundInteger has_router_bias, has_shared_gate, imbalance;
} ExpertsObject;

typedef struct {
    const Json *node;
    BoundInteger keys, queries, head, rotary, value;
} LatentsObject;

typedef struct {
    const Json *node;
    BoundInteger kind, layers, hidden, mlp, is_gated, heads, kv_heads, head, vocabulary, sequence;
    BoundInteger is_tied, positions, has_biases, has_norm_biases, other_parameters;
    const ExpertsObject *experts;
    const LatentsObject *latents;
} ShapeObject;

#define SIZE_MOST INT64_C(4194304)
#define TOKENS_MOST INT64_C(16777216)
#define LAYERS_MOST 10000
#define EXPERTS_MOST 65536

static const char *const kinds[] = {
#define X(name, text) text,
    TRANSFORMER_KINDS(X)
#undef X
        NULL};

#define OWNER ExpertsObject
static const Field experts_fields[] = {
    NEEDED_INTEGER("count", count, 2, EXPERTS_MOST, "routed experts of a layer"),
    NEEDED_INTEGER("per_token", chosen, 1, EXPERTS_MOST, "routed experts that a token takes"),
    FIELD_INTEGER("mlp", mlp, 1, SIZE_MOST, NULL,
                  "width of a routed expert; absent: that of the model's mlp"),
    FIELD_INTEGER("shared", shared, 0, EXPERTS_MOST, "0", "experts that every token takes"),
    FIELD_INTEGER("shared_mlp", shared_mlp, 1, SIZE_MOST, NULL,
                  "width of each shared expert; absent: that of a routed one"),
    FIELD_INTEGER("dense_first", dense_first, 0, LAYERS_MOST, "0",
                  "the first layers, which have an MLP in place of experts"),
    FIELD_INTEGER("every", every, 1, LAYERS_MOST, "1",
                  "of the other layers those whose number, from 1 on, is a multiple of it have "
                  "experts"),
    FIELD_BOOLEAN("router_bias", has_router_bias, NULL,
                  "whether the router has a parameter for each expert; absent: as biases"),
    FIELD_BOOLEAN("shared_gate", has_shared_gate, "false",
                  "whether hidden parameters weight the shared experts"),
    FIELD_ROW(RATIO, "imbalance", imbalance,
              .doc = "tokens of the busiest of the ranks that divide the experts, relative to the "
                     "mean: from 100% to count / per_token; absent: as transformer_routing of the "
                     "catalogue assumes"),
    {0},
};
static const ObjectType experts_type = OBJECT_TYPE(
    "mixture of experts", "The experts of a layer, of which a router chooses some for each token.",
    experts_fields);
#undef OWNER

#define OWNER LatentsObject
static const Field latents_fields[] = {
    NEEDED_INTEGER("keys", keys, 1, SIZE_MOST,
                   "width of the latent of keys and values (kv_lora_rank)"),
    FIELD_INTEGER("queries", queries, 0, SIZE_MOST, "0",
                  "width of the latent of queries (q_lora_rank); 0: they have none"),
    NEEDED_INTEGER("head", head, 1, SIZE_MOST,
                   "width of a head's queries and keys without the rotary part (qk_nope_head_dim)"),
    NEEDED_INTEGER("rotary", rotary, 0, SIZE_MOST,
                   "width of the rotary part, whose keys all heads share (qk_rope_head_dim)"),
    NEEDED_INTEGER("value", value, 1, SIZE_MOST, "width of a head's values (v_head_dim)"),
    {0},
};
static const ObjectType latents_type = OBJECT_TYPE(
    "latent attention", "Multi-head latent attention: keys and values are computed from a latent.",
    latents_fields);
#undef OWNER

#define OWNER ShapeObject
static const Field shape_fields[] = {
    NEEDED_INTEGER("layers", layers, 1, LAYERS_MOST, "transformer layers"),
    NEEDED_INTEGER("hidden", hidden, 1, SIZE_MOST, "width of the residual stream"),
    NEEDED_INTEGER("mlp", mlp, 1, SIZE_MOST, "width of the MLP, with experts that of dense layers"),
    FIELD_BOOLEAN("gated", is_gated, "true",
                  "whether the MLP has three matrices (SwiGLU), not two"),
    NEEDED_INTEGER("heads", heads, 1, SIZE_MOST, "heads of attention"),
    FIELD_INTEGER("kv_heads", kv_heads, 1, SIZE_MOST, NULL,
                  "heads of keys and values, which divide heads; absent: as many"),
    FIELD_INTEGER("head_width", head, 1, SIZE_MOST, NULL,
                  "width of a head; absent: hidden / heads, which must be whole"),
    NEEDED_INTEGER("vocabulary", vocabulary, 1, TOKENS_MOST, "words that the head distinguishes"),
    NEEDED_INTEGER("sequence", sequence, 1, TOKENS_MOST, "tokens of a sequence"),
    FIELD_CHOICE("kind", kind, kinds, "decoder",
                 "a decoder's attention looks back, an encoder's in both directions"),
    FIELD_BOOLEAN("tied", is_tied, "false", "whether the head shares the weights of the embedding"),
    FIELD_INTEGER("positions", positions, 0, TOKENS_MOST, "0",
                  "learned embeddings of positions; 0: rotary, ALiBi or none"),
    FIELD_BOOLEAN("biases", has_biases, "false",
                  "whether linear layers and norms have biases (LayerNorm); else RMSNorm"),
    FIELD_BOOLEAN("norm_biases", has_norm_biases, NULL,
                  "whether norms have biases; absent: as biases"),
    FIELD_INTEGER("other_parameters", other_parameters, 0, INT64_C(1000000000000), "0",
                  "parameters that the other members do not imply"),
    FIELD_OBJECT("latents", latents, latents_type,
                 "for multi-head latent attention, in place of head_width and kv_heads"),
    FIELD_OBJECT("experts", experts, experts_type, "for a mixture of experts"),
    {0},
};
const ObjectType transformer_shape_type = OBJECT_TYPE("model", "A transformer.", shape_fields);
#undef OWNER

static int64_t value_or(BoundInteger given, int64_t otherwise)
{
    return given.node != NULL ? given.value : otherwise;
}

static TransformerExperts experts_of(const ShapeObject *shape)
{
    const ExpertsObject *object = shape->experts;
    if (object == NULL)
        return (TransformerExperts){0};
    const int64_t mlp = value_or(object->mlp, shape->mlp.value);
    return (TransformerExperts){
        .count = object->count.value,
        .chosen = object->chosen.value,
        .mlp = mlp,
        .shared = object->shared.value,
        .shared_mlp = value_or(object->shared_mlp, mlp),
        .dense_first = object->dense_first.value,
        .every = object->every.value,
        .has_router_bias = value_or(object->has_router_bias, shape->has_biases.value) != 0,
        .has_shared_gate = object->has_shared_gate.value != 0,
        .imbalance_ppm = object->imbalance.value,
    };
}

/* The busiest rank takes at least the mean, and a token at most once for each of its experts. */
static void check_imbalance(const ExpertsObject *experts, Problems *problems)
{
    const BoundInteger imbalance = experts->imbalance;
    const int64_t most_ppm = PPM * experts->count.value / experts->chosen.value;
    if (imbalance.node == NULL || (imbalance.value >= PPM && imbalance.value <= most_ppm))
        return;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(imbalance.node),
                             "imbalance is \"%s\", expected 100%% to %.6g%%", imbalance.node->text,
                             100 * (double)most_ppm / PPM),
                "balanced ranks take 100%% of the mean; a token takes an expert once, so no rank "
                "takes more than count / per_token times the mean");
}

/* Members of experts that every token takes need such experts. */
static void check_shared(const ExpertsObject *experts, Problems *problems)
{
    const struct {
        const char *key;
        const Json *node;
    } members[] = {{"shared_mlp", experts->shared_mlp.node},
                   {"shared_gate", experts->has_shared_gate.node}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (experts->shared.value == 0 && members[i].node != NULL)
            status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(members[i].node),
                                     "\"%s\" is for a model with shared experts", members[i].key),
                        "\"shared\" is their number");
}

static void check_experts(const ShapeObject *object, Problems *problems)
{
    const ExpertsObject *experts = object->experts;
    if (experts == NULL)
        return;
    if (experts->chosen.value <= experts->count.value)
        check_imbalance(experts, problems);
    check_shared(experts, problems);
}

/* Latent attention says itself how wide a head is. */
static void check_latents(const ShapeObject *object, Problems *problems)
{
    if (object->latents == NULL || object->head.node == NULL)
        return;
    status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(object->head.node),
                             "a model with latents has no head_width"),
                "the latents have head, rotary and value");
}

bool transformer_shape_read(Arena *arena, const Json *json, TransformerShape *shape,
                            Problems *problems)
{
    const int32_t before = problems->count;
    const ShapeObject *object = bind_object(arena, json, &transformer_shape_type, problems);
    if (problems->count > before)
        return false;
    const LatentsObject *latents = object->latents;
    check_latents(object, problems);
    check_experts(object, problems);
    *shape = (TransformerShape){
        .kind = (TransformerKind)object->kind.value,
        .layers = object->layers.value,
        .hidden = object->hidden.value,
        .mlp = object->mlp.value,
        .is_gated = object->is_gated.value != 0,
        .heads = object->heads.value,
        .kv_heads = value_or(object->kv_heads, object->heads.value),
        .head = latents != NULL ? latents->head.value + latents->rotary.value : object->head.value,
        .value = latents != NULL ? latents->value.value : 0,
        .experts = experts_of(object),
        .vocabulary = object->vocabulary.value,
        .sequence = object->sequence.value,
        .is_tied = object->is_tied.value != 0,
        .positions = object->positions.value,
        .has_biases = object->has_biases.value != 0,
        .norms_differ =
            value_or(object->has_norm_biases, object->has_biases.value) != object->has_biases.value,
        .other_parameters = object->other_parameters.value,
    };
    if (latents != NULL)
        shape->latents = (TransformerLatents){.keys = latents->keys.value,
                                              .queries = latents->queries.value,
                                              .rotary = latents->rotary.value};
    Status status = {0};
    const Json *experts = object->experts != NULL ? object->experts->node : json;
    if (!transformer_experts_check(shape, json_at(experts), &status) ||
        !transformer_shape_check(shape, json_at(json), &status))
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
