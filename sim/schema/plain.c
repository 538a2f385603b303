#include "sim/schema/plain.h"

#include "sim/base/invariant.h"

static int64_t integer_of(const Field *field, const void *member)
{
    return field->size == sizeof(bool)      ? *(const bool *)member
           : field->size == sizeof(int32_t) ? *(const int32_t *)member
                                            : *(const int64_t *)member;
}

static Json *value_write(Arena *arena, const Field *field, const void *member)
{
    if (field->kind == VALUE_TEXT)
        return json_string(arena, *(const char *const *)member);
    const int64_t value = integer_of(field, member);
    if (field->kind == VALUE_BOOLEAN)
        return json_boolean(arena, value != 0);
    if (field->kind == VALUE_CHOICE)
        return json_string(arena, field->choices[value]);
    invariant(field->kind == VALUE_INTEGER);
    return json_integer(arena, value);
}

Json *plain_write(Arena *arena, const ObjectType *type, const void *item)
{
    Json *root = json_object(arena);
    for (const Field *field = type->fields; field->name != NULL; field++)
        json_set(arena, root, field->name,
                 value_write(arena, field, (const char *)item + field->offset));
    return root;
}

static bool value_read(const Field *field, const Json *node, void *item)
{
    if (node->kind == JSON_STRING && field->kind == VALUE_TEXT) {
        *(const char **)(void *)((char *)item + field->offset) = node->text;
        return true;
    }
    int64_t value = -1;
    if (node->kind == JSON_BOOLEAN && field->kind == VALUE_BOOLEAN)
        value = node->boolean;
    else if (node->is_integer && field->kind == VALUE_INTEGER)
        value = node->integer;
    else if (node->kind == JSON_STRING && field->kind == VALUE_CHOICE)
        value = word_list_find(field->choices, node->text);
    else
        return false;
    field_store_integer(field, item, value);
    return field->kind != VALUE_CHOICE || value >= 0;
}

bool plain_read(const ObjectType *type, const Json *root, void *item, Status *status)
{
    for (const Field *field = type->fields; field->name != NULL; field++) {
        const Json *node = json_member(root, field->name);
        if (node == NULL || !value_read(field, node, item))
            return status_fail(status, STATUS_BAD_INPUT, json_at(node != NULL ? node : root),
                               "%s is missing or is not %s", field->name,
                               value_expected(field->kind));
    }
    return true;
}
