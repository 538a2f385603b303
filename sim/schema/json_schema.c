#include "sim/schema/json_schema.h"

#include <string.h>

#include "sim/base/invariant.h"

/* The types met so far; each becomes one definition. */
typedef struct {
    Arena *arena;
    Json *definitions;
} Schema;

static Json *object_schema(Schema *schema, const ObjectType *type);

/* {"$ref": "#/definitions/NAME"}, making the definition at the first use. */
static Json *reference(Schema *schema, const ObjectType *type)
{
    Json *node = json_object(schema->arena);
    json_put_text(schema->arena, node, "$ref",
                  arena_printf(schema->arena, "#/definitions/%s", type->name));
    if (json_member(schema->definitions, type->name) == NULL) {
        // The definition is entered before it is filled, because a type may use itself.
        json_put_object(schema->arena, schema->definitions, type->name);
        json_set(schema->arena, schema->definitions, type->name, object_schema(schema, type));
    }
    return node;
}

static Json *typed(Schema *schema, const char *type)
{
    Json *node = json_object(schema->arena);
    json_put_text(schema->arena, node, "type", type);
    return node;
}

static Json *array_of(Schema *schema, Json *items)
{
    Json *node = typed(schema, "array");
    json_set(schema->arena, node, "items", items);
    return node;
}

static Json *integer_schema(Schema *schema, const Field *field)
{
    Json *node = typed(schema, "integer");
    if (field->minimum != 0 || field->maximum != 0) {
        json_put_integer(schema->arena, node, "minimum", field->minimum);
        json_put_integer(schema->arena, node, "maximum", field->maximum);
    }
    return node;
}

static Json *text_schema(Schema *schema, const Field *field)
{
    Json *node = typed(schema, "string");
    if (field->is_filled)
        json_put_integer(schema->arena, node, "minLength", 1);
    return node;
}

static Json *choice_schema(Schema *schema, const Field *field)
{
    Json *node = typed(schema, "string");
    Json *words = json_put_array(schema->arena, node, "enum");
    for (const char *const *word = field->choices; *word != NULL; word++)
        json_add(words, json_string(schema->arena, *word));
    return node;
}

static Json *bytes_schema(Schema *schema)
{
    Json *node = json_object(schema->arena);
    Json *types = json_put_array(schema->arena, node, "type");
    json_add(types, json_string(schema->arena, "string"));
    json_add(types, json_string(schema->arena, "integer"));
    return node;
}

static Json *written_schema(Schema *schema, const Field *field)
{
    Problems problems = problems_create(schema->arena);
    Json *node = json_parse(schema->arena, field->name, field->schema, strlen(field->schema),
                            JSON_STRICT, &problems);
    invariant(node != NULL);
    return node;
}

static Json *value_schema(Schema *schema, const Field *field)
{
    if (field->kind == VALUE_INTEGER)
        return integer_schema(schema, field);
    if (field->kind == VALUE_BOOLEAN)
        return typed(schema, "boolean");
    if (field->kind == VALUE_CHOICE)
        return choice_schema(schema, field);
    if (field->kind == VALUE_BYTES)
        return bytes_schema(schema);
    if (field->kind == VALUE_OBJECT)
        return reference(schema, field->type);
    if (field->kind == VALUE_OBJECTS)
        return array_of(schema, reference(schema, field->type));
    if (field->kind == VALUE_JSON)
        return written_schema(schema, field);
    if (field->kind == VALUE_TEXT)
        return text_schema(schema, field);
    return typed(schema, "string");
}

/* Draft-07 ignores all members next to "$ref", so a reference has no description. */
static Json *field_schema(Schema *schema, const Field *field)
{
    Json *node = value_schema(schema, field);
    if (json_member(node, "$ref") != NULL)
        return node;
    json_put_text(schema->arena, node, "description", field->doc);
    if (field->fallback != NULL)
        json_set(schema->arena, node, "default", field_fallback(schema->arena, field));
    return node;
}

static Json *object_schema(Schema *schema, const ObjectType *type)
{
    Arena *arena = schema->arena;
    Json *node = typed(schema, "object");
    json_put_text(arena, node, "description", type->doc);
    Json *required = json_array(arena);
    Json *properties = json_put_object(arena, node, "properties");
    for (const Field *field = type->fields; field->name != NULL; field++) {
        json_set(arena, properties, field->name, field_schema(schema, field));
        if (field->is_required)
            json_add(required, json_string(arena, field->name));
    }
    if (required->count > 0)
        json_set(arena, node, "required", required);
    json_put_boolean(arena, node, "additionalProperties", false);
    return node;
}

Json *json_schema(Arena *arena, const ObjectType *type, const char *id, const char *title)
{
    Schema schema = {.arena = arena, .definitions = json_object(arena)};
    Json *root = json_object(arena);
    json_put_text(arena, root, "$schema", "http://json-schema.org/draft-07/schema#");
    json_put_text(arena, root, "$id", id);
    json_put_text(arena, root, "title", title);
    Json *body = object_schema(&schema, type);
    for (Json *member = body->first, *next; member != NULL; member = next) {
        next = member->next;
        member->next = NULL;
        json_set(arena, root, member->key, member);
    }
    json_set(arena, root, "definitions", schema.definitions);
    return root;
}
