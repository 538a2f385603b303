#include "sim/schema/json_schema.h"

#include <string.h>

#include "sim/base/invariant.h"

/* The types met so far; each becomes one definition. */
typedef struct {
    Arena *arena;
    Json *definitions;
    const char *placeholder; /* see json_schema; or NULL */
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

Json *json_schema_typed(Arena *arena, const char *type)
{
    Json *node = json_object(arena);
    json_put_text(arena, node, "type", type);
    return node;
}

Json *json_schema_array(Arena *arena, Json *items)
{
    Json *node = json_schema_typed(arena, "array");
    json_set(arena, node, "items", items);
    return node;
}

Json *json_schema_map(Arena *arena, Json *values)
{
    Json *node = json_schema_typed(arena, "object");
    json_set(arena, node, "additionalProperties", values);
    return node;
}

/* --- The schema of one value of each kind --- */

static Json *value_schema(Schema *schema, const Field *field);

static Json *integer_schema(Schema *schema, const Field *field)
{
    Json *node = json_schema_typed(schema->arena, "integer");
    if (field->minimum != 0 || field->maximum != 0) {
        json_put_integer(schema->arena, node, "minimum", field->minimum);
        json_put_integer(schema->arena, node, "maximum", field->maximum);
    }
    return node;
}

static Json *decimal_schema(Schema *schema, const Field *field)
{
    return json_schema_typed(schema->arena, field->decimals == 0 ? "integer" : "number");
}

static Json *real_schema(Schema *schema, const Field *field)
{
    (void)field;
    return json_schema_typed(schema->arena, "number");
}

static Json *boolean_schema(Schema *schema, const Field *field)
{
    (void)field;
    return json_schema_typed(schema->arena, "boolean");
}

static Json *text_schema(Schema *schema, const Field *field)
{
    Json *node = json_schema_typed(schema->arena, "string");
    if (field->is_filled)
        json_put_integer(schema->arena, node, "minLength", 1);
    return node;
}

static Json *choice_schema(Schema *schema, const Field *field)
{
    Json *node = json_schema_typed(schema->arena, "string");
    Json *words = json_put_array(schema->arena, node, "enum");
    for (const char *const *word = field->choices; *word != NULL; word++)
        json_add(words, json_string(schema->arena, *word));
    return node;
}

static Json *bytes_schema(Schema *schema, const Field *field)
{
    (void)field;
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

/* Anything: the reader of a CUSTOM value checks it. */
static Json *custom_schema(Schema *schema, const Field *field)
{
    (void)field;
    return json_object(schema->arena);
}

static Json *object_reference(Schema *schema, const Field *field)
{
    return reference(schema, field->type);
}

/* A schema that accepts each value that `node` or `other` accepts. */
static Json *either_of(Schema *schema, Json *node, Json *other)
{
    Json *either = json_object(schema->arena);
    Json *choices = json_put_array(schema->arena, either, "anyOf");
    json_add(choices, node);
    json_add(choices, other);
    return either;
}

static Json *objects_schema(Schema *schema, const Field *field)
{
    Json *item = reference(schema, field->type);
    if (field->takes_texts)
        item = either_of(schema, item, json_schema_typed(schema->arena, "string"));
    return json_schema_array(schema->arena, item);
}

static Json *texts_schema(Schema *schema, const Field *field)
{
    (void)field;
    return json_schema_array(schema->arena, json_schema_typed(schema->arena, "string"));
}

static Json *named_schema(Schema *schema, const Field *field)
{
    return json_schema_map(schema->arena, reference(schema, field->type));
}

static Json *named_values_schema(Schema *schema, const Field *field)
{
    return json_schema_map(schema->arena, value_schema(schema, &field->type->fields[1]));
}

/* Kinds without an entry are texts. */
static Json *(*const schemas[])(Schema *, const Field *) = {
    [VALUE_INTEGER] = integer_schema,
    [VALUE_DECIMAL] = decimal_schema,
    [VALUE_REAL] = real_schema,
    [VALUE_BOOLEAN] = boolean_schema,
    [VALUE_CHOICE] = choice_schema,
    [VALUE_BYTES] = bytes_schema,
    [VALUE_JSON] = written_schema,
    [VALUE_CUSTOM] = custom_schema,
    [VALUE_OBJECT] = object_reference,
    [VALUE_OBJECTS] = objects_schema,
    [VALUE_TEXTS] = texts_schema,
    [VALUE_NAMED] = named_schema,
    [VALUE_NAMED_VALUES] = named_values_schema,
    [VALUE_FOLDER] = NULL, // the last kind
};

static Json *value_schema(Schema *schema, const Field *field)
{
    return (schemas[field->kind] != NULL ? schemas[field->kind] : text_schema)(schema, field);
}

/* --- Fields and objects --- */

/* Whether `node` is the schema of single values, and refuses some strings. */
static bool refuses_texts(const Json *node)
{
    const Json *type = json_member(node, "type");
    if (type == NULL || type->kind != JSON_STRING)
        return false;
    return strcmp(type->text, "integer") == 0 || strcmp(type->text, "number") == 0 ||
           strcmp(type->text, "boolean") == 0 || json_member(node, "enum") != NULL;
}

static Json *or_placeholder(Schema *schema, Json *node)
{
    if (schema->placeholder == NULL || !refuses_texts(node))
        return node;
    Json *text = json_schema_typed(schema->arena, "string");
    json_put_text(schema->arena, text, "pattern", schema->placeholder);
    return either_of(schema, node, text);
}

/* Draft-07 ignores all members next to "$ref", so a reference has no description. */
static Json *field_schema(Schema *schema, const Field *field)
{
    Json *node = or_placeholder(schema, value_schema(schema, field));
    if (field->is_nullable)
        node = either_of(schema, node, json_schema_typed(schema->arena, "null"));
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
    Json *node = json_schema_typed(schema->arena, "object");
    json_put_text(arena, node, "description", type->doc);
    Json *required = json_array(arena);
    Json *properties = json_put_object(arena, node, "properties");
    for (const Field *field = type->fields; field->name != NULL; field++) {
        if (field->kind == VALUE_KEY)
            continue;
        json_set(arena, properties, field->name, field_schema(schema, field));
        if (field->is_required)
            json_add(required, json_string(arena, field->name));
    }
    if (required->count > 0)
        json_set(arena, node, "required", required);
    json_put_boolean(arena, node, "additionalProperties", false);
    return node;
}

Json *json_schema_value(Arena *arena, const Field *field)
{
    Schema schema = {.arena = arena, .definitions = json_object(arena)};
    return value_schema(&schema, field);
}

Json *json_schema(Arena *arena, const ObjectType *type, const char *id, const char *title,
                  const char *placeholder, bool is_list)
{
    Schema schema = {.arena = arena, .definitions = json_object(arena), .placeholder = placeholder};
    Json *root = json_object(arena);
    json_put_text(arena, root, "$schema", JSON_SCHEMA_DRAFT);
    json_put_text(arena, root, "$id", id);
    json_put_text(arena, root, "title", title);
    Json *body = object_schema(&schema, type);
    if (is_list)
        body = json_schema_array(arena, body);
    for (Json *member = body->first, *next; member != NULL; member = next) {
        next = member->next;
        member->next = NULL;
        json_set(arena, root, member->key, member);
    }
    json_set(arena, root, "definitions", schema.definitions);
    return root;
}
