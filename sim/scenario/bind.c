#include "sim/scenario/bind.h"

#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"

typedef struct {
    Arena *arena;
    Problems *problems;
    bool is_broken; /* a value is wrong or missing: the struct cannot be used */
} Binder;

static const char *expected_text(FieldKind kind)
{
    static const char *const texts[] = {
#define X(name, expected) expected,
        FIELD_KINDS(X)
#undef X
    };
    return texts[kind];
}

/* The value as a message shows it: short, with its kind. */
static const char *shown(Arena *arena, const Json *node)
{
    enum { SHOWN_MAX = 60 };
    switch (node->kind) {
    case JSON_NULL:
        return "null";
    case JSON_BOOLEAN:
        return node->boolean ? "true" : "false";
    case JSON_NUMBER:
        return node->text;
    case JSON_STRING:
        if (strlen(node->text) <= SHOWN_MAX)
            return arena_printf(arena, "\"%s\"", node->text);
        return arena_printf(arena, "a string of %zu bytes", strlen(node->text));
    case JSON_ARRAY:
        return "an array";
    case JSON_OBJECT:
        return "an object";
    }
    return "";
}

static void wrong_type(Binder *binder, const Field *field, const Json *node)
{
    binder->is_broken = true;
    problems_add(binder->problems, STATUS_BAD_INPUT, node->at, "%s is %s, expected %s", field->name,
                 shown(binder->arena, node), expected_text(field->kind));
}

/* --- Names --- */

/* Adds the nearest of `names`, or else all of them, as hint. */
static void hint_names(Status *problem, const char *typed, const char *const *names, int32_t count)
{
    enum { LISTED_BYTES = 240 };
    const char *nearest = nearest_name(typed, names, count);
    if (nearest != NULL) {
        status_hint(problem, "did you mean \"%s\"?", nearest);
        return;
    }
    Text list = {0};
    for (int32_t i = 0; i < count; i++) {
        if (list.length + strlen(names[i]) > LISTED_BYTES) {
            text_add(&list, ", ...");
            break;
        }
        text_printf(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    if (count > 0)
        status_hint(problem, "known: %s", text_string(&list));
    text_free(&list);
}

Status *bind_unknown_name(Problems *problems, Place at, const char *kind, const char *value,
                          const char *const *names, int32_t count)
{
    Status *problem =
        problems_add(problems, STATUS_BAD_INPUT, at, "unknown %s \"%s\"", kind, value);
    hint_names(problem, value, names, count);
    return problem;
}

static int32_t word_count(const char *const *words)
{
    int32_t count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

static const Field *find_field(const ObjectType *type, const char *name)
{
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

static void unknown_key(Binder *binder, const ObjectType *type, const Json *member)
{
    int32_t count = 0;
    while (type->fields[count].name != NULL)
        count++;
    const char **names = ARENA_ARRAY(binder->arena, const char *, count);
    for (int32_t i = 0; i < count; i++)
        names[i] = type->fields[i].name;
    hint_names(problems_add(binder->problems, STATUS_BAD_INPUT, member->key_at,
                            "unknown key \"%s\" in this %s", member->key, type->name),
               member->key, names, count);
}

/* --- Values --- */

/* An integer-like value from its text; `at` only matters when it fails. */
static bool parse_text(const Field *field, const char *text, Place at, int64_t *value,
                       Status *status)
{
    if (field->kind == FIELD_DURATION)
        return duration_parse(text, at, value, status);
    if (field->kind == FIELD_BYTES)
        return bytes_parse(text, at, value, status);
    if (field->kind == FIELD_ISO_TIME)
        return iso_time_parse(text, at, value, status);
    return iso_duration_parse(text, at, value, status);
}

static void bind_quantity(Binder *binder, const Field *field, const Json *node, int64_t *value)
{
    Status status = {0};
    if (field->kind == FIELD_BYTES && node->is_integer && node->integer >= 0)
        *value = node->integer;
    else if (node->kind != JSON_STRING)
        wrong_type(binder, field, node);
    else if (!parse_text(field, node->text, node->at, value, &status)) {
        binder->is_broken = true;
        problems_add_status(binder->problems, &status);
    }
}

static void bind_integer(Binder *binder, const Field *field, const Json *node, int64_t *value)
{
    bool is_limited = field->minimum != 0 || field->maximum != 0;
    if (!node->is_integer) {
        wrong_type(binder, field, node);
    } else if (is_limited && (node->integer < field->minimum || node->integer > field->maximum)) {
        binder->is_broken = true;
        problems_add(binder->problems, STATUS_BAD_INPUT, node->at,
                     "%s is %s, expected %" PRId64 " to %" PRId64, field->name, node->text,
                     field->minimum, field->maximum);
    }
    *value = node->integer;
}

static void bind_choice(Binder *binder, const Field *field, const Json *node, int64_t *value)
{
    if (node->kind != JSON_STRING) {
        wrong_type(binder, field, node);
        return;
    }
    for (*value = 0; field->choices[*value] != NULL; ++*value)
        if (strcmp(field->choices[*value], node->text) == 0)
            return;
    binder->is_broken = true;
    bind_unknown_name(binder->problems, node->at, field->name, node->text, field->choices,
                      word_count(field->choices));
}

static void bind_integer_like(Binder *binder, const Field *field, const Json *node,
                              BoundInteger *bound)
{
    bound->node = node;
    if (field->kind == FIELD_INTEGER) {
        bind_integer(binder, field, node, &bound->value);
    } else if (field->kind == FIELD_CHOICE) {
        bind_choice(binder, field, node, &bound->value);
    } else if (field->kind != FIELD_BOOLEAN) {
        bind_quantity(binder, field, node, &bound->value);
    } else {
        if (node->kind != JSON_BOOLEAN)
            wrong_type(binder, field, node);
        bound->value = node->boolean;
    }
}

/* A default, written as text in the table, in the place of an absent value. */
static int64_t fallback_value(const Field *field)
{
    int64_t value = 0;
    Status status = {0};
    if (field->kind == FIELD_INTEGER) {
        for (const char *digit = field->fallback; *digit != '\0'; digit++)
            value = value * 10 + (*digit - '0');
    } else if (field->kind == FIELD_CHOICE) {
        while (strcmp(field->choices[value], field->fallback) != 0)
            value++;
    } else if (field->kind == FIELD_BOOLEAN) {
        value = strcmp(field->fallback, "true") == 0;
    } else {
        bool is_sound =
            parse_text(field, field->fallback, place_in(field->name, 0, 0), &value, &status);
        invariant(is_sound);
    }
    return value;
}

/* --- Members --- */

static BoundList new_list(Binder *binder, const Json *node)
{
    return (BoundList){.node = node, .items = ARENA_ARRAY(binder->arena, void *, node->count)};
}

static void *bind_nested(Binder *binder, const Field *field, const Json *node)
{
    void *bound = bind_object(binder->arena, node, field->type, binder->problems);
    binder->is_broken = binder->is_broken || bound == NULL;
    return bound;
}

static void bind_objects(Binder *binder, const Field *field, const Json *node, BoundList *list)
{
    if (node->kind != JSON_ARRAY) {
        wrong_type(binder, field, node);
        return;
    }
    *list = new_list(binder, node);
    for (const Json *item = node->first; item != NULL; item = item->next)
        list->items[list->count++] = bind_nested(binder, field, item);
}

static void bind_texts(Binder *binder, const Field *field, const Json *node, BoundList *list)
{
    if (node->kind != JSON_ARRAY) {
        wrong_type(binder, field, node);
        return;
    }
    *list = new_list(binder, node);
    for (const Json *item = node->first; item != NULL; item = item->next) {
        if (item->kind != JSON_STRING)
            wrong_type(binder, field, item);
        else
            list->items[list->count++] = (void *)item->text;
    }
}

static void bind_member(Binder *binder, const Field *field, const Json *node, void *member)
{
    switch (field->kind) {
    case FIELD_TEXT:
        if (node->kind != JSON_STRING)
            wrong_type(binder, field, node);
        *(BoundText *)member = (BoundText){.node = node, .value = node->text};
        break;
    case FIELD_INTEGER:
    case FIELD_BOOLEAN:
    case FIELD_CHOICE:
    case FIELD_DURATION:
    case FIELD_BYTES:
    case FIELD_ISO_TIME:
    case FIELD_ISO_DURATION:
        bind_integer_like(binder, field, node, member);
        break;
    case FIELD_OBJECT:
        *(void **)member = bind_nested(binder, field, node);
        break;
    case FIELD_OBJECTS:
        bind_objects(binder, field, node, member);
        break;
    case FIELD_TEXTS:
        bind_texts(binder, field, node, member);
        break;
    case FIELD_ANY:
        *(const Json **)member = node;
        break;
    }
}

static void bind_fallback(Binder *binder, const Field *field, void *member)
{
    if (field->fallback == NULL)
        return;
    if (field->kind == FIELD_TEXT)
        ((BoundText *)member)->value = field->fallback;
    else if (field->kind == FIELD_ANY)
        *(const Json **)member = json_string(binder->arena, field->fallback);
    else
        ((BoundInteger *)member)->value = fallback_value(field);
}

static void bind_field(Binder *binder, const ObjectType *type, const Field *field, const Json *node,
                       void *member)
{
    const Json *value = json_member(node, field->name);
    if (value != NULL && value->kind != JSON_NULL) {
        bind_member(binder, field, value, member);
        return;
    }
    bind_fallback(binder, field, member);
    if (field->is_required) {
        binder->is_broken = true;
        status_hint(problems_add(binder->problems, STATUS_BAD_INPUT, node->at,
                                 "this %s needs \"%s\", which is missing", type->name, field->name),
                    "%s", field->doc);
    }
}

void *bind_object(Arena *arena, const Json *node, const ObjectType *type, Problems *problems)
{
    Binder binder = {.arena = arena, .problems = problems};
    char *bound = arena_alloc(arena, type->size);
    *(const Json **)(void *)bound = node;
    if (node->kind != JSON_OBJECT) {
        problems_add(problems, STATUS_BAD_INPUT, node->at, "this %s is %s, expected an object",
                     type->name, shown(arena, node));
        return NULL;
    }
    for (const Json *member = node->first; member != NULL; member = member->next)
        if (find_field(type, member->key) == NULL)
            unknown_key(&binder, type, member);
    for (const Field *field = type->fields; field->name != NULL; field++)
        bind_field(&binder, type, field, node, bound + field->offset);
    return binder.is_broken ? NULL : bound;
}
