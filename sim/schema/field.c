#include "sim/schema/field.h"

#include <string.h>

const Field *field_find(const ObjectType *type, const char *name)
{
    for (const Field *field = type->fields; field->name != NULL; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

const char *const *field_words_at(const ObjectType *type, const char *pointer)
{
    while (type != NULL && *pointer == '/') {
        char name[64];
        const size_t length = strcspn(++pointer, "/");
        const Field *field = NULL;
        if (length < sizeof name) {
            memcpy(name, pointer, length);
            name[length] = '\0';
            field = field_find(type, name);
        }
        if (field == NULL)
            return NULL;
        pointer += length;
        if (*pointer == '\0')
            return field->kind == VALUE_CHOICE ? field->choices : NULL;
        if (field->kind == VALUE_OBJECTS || field->kind == VALUE_NAMED)
            pointer += 1 + strcspn(pointer + 1, "/"); // the index or name of an item
        type = field->type;
    }
    return NULL;
}

const char *const *field_names(Arena *arena, const ObjectType *type, int32_t *count)
{
    *count = 0;
    while (type->fields[*count].name != NULL)
        ++*count;
    const char **names = ARENA_ARRAY(arena, const char *, *count);
    for (int32_t i = 0; i < *count; i++)
        names[i] = type->fields[i].name;
    return names;
}

/* Whether the word of `object` in the choice `field`, if it is known, takes the member `key`. */
static bool choice_allows(const Field *field, const Json *object, const char *key)
{
    const Json *word = json_member(object, field->name);
    const int32_t choice = field->choice_takes != NULL && word != NULL && word->kind == JSON_STRING
                               ? word_list_find(field->choices, word->text)
                               : -1;
    return choice < 0 || field->choice_takes(choice, key);
}

const char *const *field_names_of(Arena *arena, const ObjectType *type, const Json *object,
                                  int32_t *count)
{
    int32_t all;
    const char *const *names = field_names(arena, type, &all);
    const char **kept = ARENA_ARRAY(arena, const char *, all);
    *count = 0;
    for (int32_t i = 0; i < all; i++) {
        bool is_allowed = true;
        for (const Field *field = type->fields; is_allowed && field->name != NULL; field++)
            is_allowed = choice_allows(field, object, names[i]);
        if (is_allowed)
            kept[(*count)++] = names[i];
    }
    return kept;
}

Json *field_fallback(Arena *arena, const Field *field)
{
    if (field->fallback == NULL)
        return NULL;
    if (field->kind == VALUE_BOOLEAN)
        return json_boolean(arena, strcmp(field->fallback, "true") == 0);
    return field->kind == VALUE_INTEGER ? json_decimal(arena, field->fallback)
                                        : json_string(arena, field->fallback);
}

void field_store_integer(const Field *field, void *item, int64_t value)
{
    void *member = (char *)item + field->offset;
    if (field->size == sizeof(bool))
        *(bool *)member = value != 0;
    else if (field->size == sizeof(int32_t))
        *(int32_t *)member = (int32_t)value;
    else
        *(int64_t *)member = value;
}
