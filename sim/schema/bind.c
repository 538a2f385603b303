#include "sim/schema/bind.h"

#include <string.h>

#include "sim/base/invariant.h"

typedef struct {
    Arena *arena;
    Problems *problems;
} Binder;

/* Whether the type, or a type that it contains, has a secret member. */
static bool has_secrets(const ObjectType *type)
{
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (field->is_secret || (field->type != NULL && has_secrets(field->type)))
            return true;
    return false;
}

/* The value as a message shows it: short, with its kind. */
static const char *shown(Arena *arena, const Json *node)
{
    enum { SHOWN_MAX = 60 };
    if (node->kind == JSON_BOOLEAN)
        return node->boolean ? "true" : "false";
    if (node->kind == JSON_NUMBER)
        return node->text;
    if (node->kind != JSON_STRING)
        return json_kind_name(node->kind);
    if (strlen(node->text) <= SHOWN_MAX)
        return arena_printf(arena, "\"%s\"", node->text);
    return arena_printf(arena, "a string of %zu bytes", strlen(node->text));
}

/* Returns false, like every function below whose value is refused. */
static bool wrong_type(const Binder *binder, const Field *field, const Json *node)
{
    const bool is_hidden = field->is_secret || (field->type != NULL && has_secrets(field->type));
    problems_add(binder->problems, STATUS_BAD_INPUT, node->at, "%s is %s, expected %s", field->name,
                 is_hidden ? json_kind_name(node->kind) : shown(binder->arena, node),
                 value_expected(field->kind));
    return false;
}

/* --- Names --- */

Status *bind_unknown_name(Problems *problems, Place at, const char *kind, const char *value,
                          const char *const *names, int32_t count)
{
    Status *problem =
        problems_add(problems, STATUS_BAD_INPUT, at, "unknown %s \"%s\"", kind, value);
    status_hint_names(problem, value, names, count);
    return problem;
}

/* The first member whose unknown key is hinted to mean `field`. */
static const Json *misspelt_member(Arena *arena, const ObjectType *type, const char *field,
                                   const Json *object)
{
    int32_t count;
    const char *const *names = field_names_of(arena, type, object, &count);
    for (const Json *member = object->first; member != NULL; member = member->next) {
        if (field_find(type, member->key) != NULL)
            continue;
        const char *nearest = nearest_name(member->key, names, count);
        if (nearest != NULL && strcmp(nearest, field) == 0)
            return member;
    }
    return NULL;
}

const Json *bind_member_meant(Arena *arena, const Json *object, const ObjectType *type,
                              const char *key)
{
    const Json *member = json_member(object, key);
    if (member != NULL && member->kind != JSON_NULL)
        return member;
    return misspelt_member(arena, type, key, object);
}

static void unknown_key(const Binder *binder, const ObjectType *type, const Json *object,
                        const Json *member)
{
    int32_t count;
    const char *const *names = field_names_of(binder->arena, type, object, &count);
    status_hint_names(problems_add(binder->problems, STATUS_BAD_INPUT, member->key_at,
                                   "unknown key \"%s\" in this %s", member->key, type->name),
                      member->key, names, count);
}

/* --- Values --- */

static bool bind_quantity(const Binder *binder, const Field *field, const Json *node,
                          int64_t *value)
{
    Status status = {0};
    if (field->kind == VALUE_BYTES && node->is_integer && node->integer >= 0) {
        *value = node->integer;
        return true;
    }
    if (node->kind != JSON_STRING)
        return wrong_type(binder, field, node);
    if (value_parse(field->kind, node->text, node->at, value, &status))
        return true;
    problems_add_status(binder->problems, &status);
    return false;
}

static bool bind_integer(const Binder *binder, const Field *field, const Json *node, int64_t *value)
{
    bool is_limited = field->minimum != 0 || field->maximum != 0;
    if (!node->is_integer)
        return wrong_type(binder, field, node);
    *value = node->integer;
    if (!is_limited || (*value >= field->minimum && *value <= field->maximum))
        return true;
    if (field->minimum == field->maximum)
        problems_add(binder->problems, STATUS_BAD_INPUT, node->at, "%s is %s, expected %" PRId64,
                     field->name, node->text, field->minimum);
    else
        problems_add(binder->problems, STATUS_BAD_INPUT, node->at,
                     "%s is %s, expected %" PRId64 " to %" PRId64, field->name, node->text,
                     field->minimum, field->maximum);
    return false;
}

static bool bind_boolean(const Binder *binder, const Field *field, const Json *node, int64_t *value)
{
    *value = node->boolean;
    return node->kind == JSON_BOOLEAN || wrong_type(binder, field, node);
}

static bool bind_choice(const Binder *binder, const Field *field, const Json *node, int64_t *value)
{
    if (node->kind != JSON_STRING)
        return wrong_type(binder, field, node);
    *value = word_list_find(field->choices, node->text);
    if (*value >= 0)
        return true;
    bind_unknown_name(binder->problems, node->at, field->name, node->text, field->choices,
                      word_list_count(field->choices));
    return false;
}

static bool bind_integer_like(const Binder *binder, const Field *field, const Json *node,
                              BoundInteger *bound)
{
    bound->node = node;
    if (field->kind == VALUE_INTEGER)
        return bind_integer(binder, field, node, &bound->value);
    if (field->kind == VALUE_BOOLEAN)
        return bind_boolean(binder, field, node, &bound->value);
    if (field->kind == VALUE_CHOICE)
        return bind_choice(binder, field, node, &bound->value);
    return bind_quantity(binder, field, node, &bound->value);
}

/* The default of a field, which the table gives as text; 0 without a default. */
static int64_t fallback_value(const Field *field)
{
    int64_t value = 0;
    Status status = {0};
    bool is_sound = true;
    if (field->fallback == NULL)
        return 0;
    if (field->kind == VALUE_INTEGER)
        is_sound = whole_number_parse(field->fallback, INT64_MAX, &value);
    else if (field->kind == VALUE_CHOICE)
        is_sound = (value = word_list_find(field->choices, field->fallback)) >= 0;
    else if (field->kind == VALUE_BOOLEAN)
        value = strcmp(field->fallback, "true") == 0;
    else
        is_sound =
            value_parse(field->kind, field->fallback, place_in(field->name, 0, 0), &value, &status);
    invariant(is_sound);
    return value;
}

/* --- Members --- */

static bool bind_text(const Binder *binder, const Field *field, const Json *node, BoundText *text)
{
    *text = (BoundText){.node = node, .value = node->text};
    if (node->kind != JSON_STRING)
        return wrong_type(binder, field, node);
    if (!field->is_filled || node->text[0] != '\0')
        return true;
    status_hint(
        problems_add(binder->problems, STATUS_BAD_INPUT, node->at, "%s is empty", field->name),
        "%s", field->doc);
    return false;
}

static bool bind_objects(const Binder *binder, const Field *field, const Json *node,
                         BoundList *list)
{
    if (node->kind != JSON_ARRAY)
        return wrong_type(binder, field, node);
    *list = (BoundList){.node = node, .items = ARENA_ARRAY(binder->arena, void *, node->count)};
    for (const Json *item = node->first; item != NULL; item = item->next)
        list->items[list->count++] =
            bind_object(binder->arena, item, field->type, binder->problems);
    return true;
}

BoundAs bound_as(ValueKind kind)
{
    static const BoundAs bound_as_kind[] = {
#define X(name, bound, title, expected) BOUND_##bound,
        VALUE_KINDS(X)
#undef X
    };
    return bound_as_kind[kind];
}

static bool bind_member(const Binder *binder, const Field *field, const Json *node, void *member)
{
    switch (bound_as(field->kind)) {
    case BOUND_TEXT:
        return bind_text(binder, field, node, member);
    case BOUND_INTEGER:
        return bind_integer_like(binder, field, node, member);
    case BOUND_OBJECT:
        *(void **)member = bind_object(binder->arena, node, field->type, binder->problems);
        break;
    case BOUND_LIST:
        return bind_objects(binder, field, node, member);
    case BOUND_NODE:
        *(const Json **)member = node;
        break;
    }
    return true;
}

static void *refused_object(Arena *arena, const ObjectType *type);

/* Fills the member of a value that is absent (`node` NULL), or refused because `node` is wrong. */
static void bind_nothing(Arena *arena, const Field *field, const Json *node, bool is_refused,
                         void *member)
{
    switch (bound_as(field->kind)) {
    case BOUND_TEXT:
        *(BoundText *)member =
            (BoundText){.node = node, .value = field->fallback, .is_refused = is_refused};
        break;
    case BOUND_INTEGER:
        *(BoundInteger *)member =
            (BoundInteger){.node = node, .value = fallback_value(field), .is_refused = is_refused};
        break;
    case BOUND_OBJECT:
        *(void **)member = is_refused ? refused_object(arena, field->type) : NULL;
        break;
    case BOUND_LIST:
        *(BoundList *)member = (BoundList){.node = node, .is_refused = is_refused};
        break;
    case BOUND_NODE:
        if (field->fallback != NULL)
            *(const Json **)member = json_string(arena, field->fallback);
        break;
    }
}

static void *refused_object(Arena *arena, const ObjectType *type)
{
    char *bound = arena_alloc(arena, type->size);
    for (const Field *field = type->fields; field->name != NULL; field++)
        bind_nothing(arena, field, NULL, field->kind != VALUE_OBJECT || field->is_required,
                     bound + field->offset);
    return bound;
}

/* A misspelt key is one mistake: its value is read as the value of the intended key, or refused,
 * without a second problem. */
static void bind_misspelt(const Binder *binder, const Field *field, const Json *value, void *member)
{
    Problems discarded = problems_create(binder->arena);
    Binder quiet = {.arena = binder->arena, .problems = &discarded};
    if (!bind_member(&quiet, field, value, member) || discarded.count > 0)
        bind_nothing(binder->arena, field, value, true, member);
}

/* `has_unknown`: some keys of `node` do not belong to `type`, which has been reported. */
static void bind_field(const Binder *binder, const ObjectType *type, const Field *field,
                       const Json *node, bool has_unknown, void *member)
{
    const Json *value = json_member(node, field->name);
    if (value != NULL && value->kind != JSON_NULL) {
        if (!bind_member(binder, field, value, member))
            bind_nothing(binder->arena, field, value, true, member);
        return;
    }
    const Json *misspelt =
        has_unknown ? misspelt_member(binder->arena, type, field->name, node) : NULL;
    if (misspelt != NULL) {
        bind_misspelt(binder, field, misspelt, member);
        return;
    }
    bind_nothing(binder->arena, field, NULL, field->is_required, member);
    if (field->is_required)
        status_hint(problems_add(binder->problems, STATUS_BAD_INPUT, node->at,
                                 "this %s needs \"%s\", which is missing", type->name, field->name),
                    "%s", field->doc);
}

void *bind_object(Arena *arena, const Json *node, const ObjectType *type, Problems *problems)
{
    Binder binder = {.arena = arena, .problems = problems};
    if (node->kind != JSON_OBJECT) {
        problems_add(problems, STATUS_BAD_INPUT, node->at, "this %s is %s, expected an object",
                     type->name,
                     has_secrets(type) ? json_kind_name(node->kind) : shown(arena, node));
        return refused_object(arena, type);
    }
    char *bound = arena_alloc(arena, type->size);
    *(const Json **)(void *)bound = node;
    bool has_unknown = false;
    for (const Json *member = node->first; member != NULL; member = member->next) {
        if (field_find(type, member->key) != NULL)
            continue;
        unknown_key(&binder, type, node, member);
        has_unknown = true;
    }
    for (const Field *field = type->fields; field->name != NULL; field++)
        bind_field(&binder, type, field, node, has_unknown, bound + field->offset);
    return bound;
}

/* --- Whole structs: without refused values --- */

static bool list_is_whole(const ObjectType *type, const BoundList *list)
{
    for (int32_t i = 0; i < list->count; i++)
        if (!bind_is_whole(type, list->items[i]))
            return false;
    return !list->is_refused;
}

static bool member_is_whole(const Field *field, const void *member)
{
    switch (bound_as(field->kind)) {
    case BOUND_TEXT:
        return !((const BoundText *)member)->is_refused;
    case BOUND_INTEGER:
        return !((const BoundInteger *)member)->is_refused;
    case BOUND_OBJECT: {
        const void *object = *(const void *const *)member;
        return object == NULL || bind_is_whole(field->type, object);
    }
    case BOUND_LIST:
        return list_is_whole(field->type, member);
    case BOUND_NODE:
        break;
    }
    return true;
}

bool bind_is_whole(const ObjectType *type, const void *bound)
{
    if (*(const Json *const *)bound == NULL)
        return false;
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (!member_is_whole(field, (const char *)bound + field->offset))
            return false;
    return true;
}
