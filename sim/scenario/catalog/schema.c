#include "sim/scenario/catalog/schema.h"

#include "sim/scenario/catalog/fields.h"
#include "sim/schema/json_schema.h"

static void put_typed(Arena *arena, Json *properties, const char *key, const char *type)
{
    json_set(arena, properties, key, json_schema_typed(arena, type));
}

/* {"value": ..., "source": "list", ...}: the value of one row with its source. */
static Json *sourced_schema(Arena *arena, const Field *field)
{
    Json *node = json_schema_typed(arena, "object");
    json_put_text(arena, node, "description", field->doc);
    Json *properties = json_put_object(arena, node, "properties");
    json_set(arena, properties, "value", json_schema_value(arena, field));
    put_typed(arena, properties, "source", "string");
    put_typed(arena, properties, "note", "string");
    put_typed(arena, properties, "assumption", "boolean");
    put_typed(arena, properties, "error", "string");
    put_typed(arena, properties, "range", "string");
    Json *required = json_put_array(arena, node, "required");
    json_add(required, json_string(arena, "value"));
    json_add(required, json_string(arena, "source"));
    json_put_boolean(arena, node, "additionalProperties", false);
    return node;
}

/* No value is required, because a file may change a single value of an earlier file. */
static Json *entry_schema(Arena *arena, const ObjectType *type)
{
    Json *node = json_schema_typed(arena, "object");
    Json *properties = json_put_object(arena, node, "properties");
    for (const Field *field = type->fields; field->name != NULL; field++)
        json_set(arena, properties, field->name, sourced_schema(arena, field));
    json_put_boolean(arena, node, "additionalProperties", false);
    return node;
}

static Json *section_schema(Arena *arena, const SectionShape *shape)
{
    Json *entry = entry_schema(arena, &shape->type);
    Json *node = shape->is_single ? entry : json_schema_map(arena, entry);
    json_put_text(arena, node, "description", shape->type.doc);
    return node;
}

static Json *version_schema(Arena *arena)
{
    Json *node = json_object(arena);
    json_put_integer(arena, node, "const", CATALOG_VERSION);
    return node;
}

static Json *sources_schema(Arena *arena)
{
    Json *sources = json_schema_typed(arena, "object");
    Json *source = json_put_object(arena, sources, "additionalProperties");
    json_put_text(arena, source, "type", "object");
    Json *properties = json_put_object(arena, source, "properties");
    Json *required = json_put_array(arena, source, "required");
    for (int32_t i = 0; i < CATALOG_SOURCE_KEY_COUNT; i++) {
        put_typed(arena, properties, catalog_source_keys[i], "string");
        json_add(required, json_string(arena, catalog_source_keys[i]));
    }
    json_put_boolean(arena, source, "additionalProperties", false);
    return sources;
}

Json *catalog_schema(Arena *arena, const char *id, const char *title)
{
    Json *root = json_object(arena);
    json_put_text(arena, root, "$schema", JSON_SCHEMA_DRAFT);
    json_put_text(arena, root, "$id", id);
    json_put_text(arena, root, "title", title);
    json_put_text(arena, root, "type", "object");
    Json *properties = json_put_object(arena, root, "properties");
    json_set(arena, properties, "catalog", version_schema(arena));
    put_typed(arena, properties, "description", "string");
    json_set(arena, properties, "sources", sources_schema(arena));
    json_set(arena, properties, "include",
             json_schema_array(arena, json_schema_typed(arena, "string")));
    for (int32_t i = 0; i < CATALOG_SECTION_COUNT; i++)
        json_set(arena, properties, catalog_shapes[i].type.name,
                 section_schema(arena, &catalog_shapes[i]));
    json_set(arena, properties, "throughputs",
             json_schema_array(arena, json_schema_typed(arena, "object")));
    json_add(json_put_array(arena, root, "required"), json_string(arena, "catalog"));
    json_put_boolean(arena, root, "additionalProperties", false);
    return root;
}
