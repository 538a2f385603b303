#include "emu/session/secret_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Lists of secret variables in commands. */
static const char *const places[] = {"/config/properties/secrets",
                                     "/config/properties/nodeSetup/setupTask/secrets"};
enum { PLACES = sizeof places / sizeof *places };

static const char *member_text(const Json *item, const char *key)
{
    const Json *value = item->kind == JSON_OBJECT ? json_member(item, key) : NULL;
    return value != NULL && value->kind == JSON_STRING ? value->text : NULL;
}

static const Json *first_of(const Json *root, const char *pointer)
{
    const Json *list = root != NULL ? json_find(root, pointer) : NULL;
    return list != NULL && list->kind == JSON_ARRAY ? list->first : NULL;
}

/* The form is {PLACE: {NAME: VALUE}}. */
Json *secret_values_of(Arena *arena, const Json *command)
{
    Json *values = NULL;
    for (int i = 0; i < PLACES; i++) {
        Json *of_place = NULL;
        for (const Json *item = first_of(command, places[i]); item != NULL; item = item->next) {
            const char *name = member_text(item, "name"), *value = member_text(item, "value");
            if (name == NULL || value == NULL)
                continue;
            if (values == NULL)
                values = json_object(arena);
            if (of_place == NULL)
                of_place = json_put_object(arena, values, places[i]);
            json_put_text(arena, of_place, arena_strdup(arena, name), value);
        }
    }
    return values;
}

Json *secret_values_put(Arena *arena, Json *command, const Json *values)
{
    if (values == NULL)
        return command;
    Json *copy = json_copy(arena, command, NULL);
    for (int i = 0; i < PLACES; i++) {
        const Json *of_place = json_member(values, places[i]);
        for (const Json *item = first_of(copy, places[i]); item != NULL && of_place != NULL;
             item = item->next) {
            const char *name = member_text(item, "name");
            const char *value = name != NULL ? member_text(of_place, name) : NULL;
            if (value != NULL)
                json_put_text(arena, (Json *)item, "value", value);
        }
    }
    return copy;
}

static void print_key(char out[40], int64_t sequence)
{
    snprintf(out, 40, STORE_SECRETS_SETTING "%" PRId64, sequence);
}

bool secret_values_store(Store *store, int64_t sequence, const Json *values, Status *status)
{
    char key[40];
    Text text = {0};
    if (values == NULL)
        return true;
    print_key(key, sequence);
    json_print(&text, values, JSON_COMPACT);
    const bool is_stored = store_set(store, key, text_string(&text), status);
    text_free(&text);
    return is_stored;
}

Json *secret_values_read(Store *store, Arena *arena, int64_t sequence)
{
    char key[40];
    print_key(key, sequence);
    const char *text = store_setting(store, arena, key);
    Problems ignored = problems_create(arena); // it is what secret_values_store has written
    return text != NULL ? json_parse(arena, "state", text, strlen(text), JSON_STRICT, &ignored)
                        : NULL;
}
