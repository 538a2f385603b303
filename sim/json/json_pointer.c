/* Private to sim/json: RFC 6901 pointers (sim/json/json.h). */
#include "sim/json/json.h"

#include <string.h>

/* One step of a pointer, unescaped, starting at `*pointer` (a '/'); moves `*pointer` past it. */
static char *next_step(Arena *arena, const char **pointer)
{
    const char *start = *pointer + 1;
    size_t length = strcspn(start, "/");
    char *step = arena_strndup(arena, start, length);
    char *out = step;
    for (const char *in = step; *in != '\0'; in++) {
        if (in[0] == '~' && (in[1] == '0' || in[1] == '1'))
            *out++ = *++in == '1' ? '/' : '~';
        else
            *out++ = *in;
    }
    *out = '\0';
    *pointer = start + length;
    return step;
}

/* An array index in digits, without leading zeros; -1 for anything else. */
static int32_t step_index(const char *step)
{
    enum { DIGITS_MAX = 9 };
    size_t length = strlen(step);
    if (length == 0 || length > DIGITS_MAX || strspn(step, "0123456789") != length ||
        (step[0] == '0' && length > 1))
        return -1;
    int32_t index = 0;
    for (const char *digit = step; *digit != '\0'; digit++)
        index = index * 10 + (*digit - '0');
    return index;
}

static Json *child(const Json *node, const char *step)
{
    return node->kind == JSON_ARRAY ? json_item(node, step_index(step)) : json_member(node, step);
}

Json *json_find(const Json *root, const char *pointer)
{
    Arena *scratch = arena_create();
    Json *node = (Json *)root; // children are reached through the parent's own pointers
    while (node != NULL && *pointer == '/')
        node = child(node, next_step(scratch, &pointer));
    arena_destroy(scratch);
    return *pointer == '\0' ? node : NULL;
}

/* Names the step that leads to no value, and what was probably meant. */
static bool missing_step(Arena *arena, const Json *node, const char *step, Place at, Status *status)
{
    if (node->kind == JSON_OBJECT) {
        const char **keys = ARENA_ARRAY(arena, const char *, node->count);
        int32_t count = 0;
        for (const Json *member = node->first; member != NULL; member = member->next)
            keys[count++] = member->key;
        const char *nearest = nearest_name(step, keys, count);
        status_fail(status, STATUS_NOT_FOUND, at, "there is no \"%s\" on this path", step);
        return nearest == NULL ? false : status_hint(status, "did you mean \"%s\"?", nearest);
    }
    if (node->kind == JSON_ARRAY)
        return status_fail(status, STATUS_NOT_FOUND, at,
                           "there is no item \"%s\" in an array of %d, counted from 0", step,
                           (int)node->count);
    return status_fail(status, STATUS_NOT_FOUND, at, "\"%s\" cannot be inside %s", step,
                       json_kind_name(node->kind));
}

static bool put_child(Arena *arena, Json *parent, const char *step, Json *value, Place at,
                      Status *status)
{
    if (parent->kind == JSON_OBJECT) {
        json_set(arena, parent, step, value);
        if (value->key_at.source == NULL)
            value->key_at = at; // a new key
        return true;
    }
    if (parent->kind == JSON_ARRAY) {
        int32_t index = strcmp(step, "-") == 0 ? parent->count : step_index(step);
        if (index == parent->count) {
            json_add(parent, value);
            return true;
        }
        if (json_item(parent, index) != NULL) {
            json_replace(parent, json_item(parent, index), value);
            return true;
        }
    }
    return missing_step(arena, parent, step, at, status);
}

bool json_put_at(Arena *arena, Json *root, const char *pointer, Json *value, Place at,
                 Status *status)
{
    if (*pointer != '/')
        return status_fail(status, STATUS_BAD_INPUT, at, "\"%s\" is not a JSON pointer", pointer) ||
               status_hint(status, "as in /commands/0/name");
    Json *node = root;
    for (;;) {
        const char *step = next_step(arena, &pointer);
        if (*pointer == '\0')
            return put_child(arena, node, step, value, at, status);
        Json *next = child(node, step);
        if (next == NULL)
            return missing_step(arena, node, step, at, status);
        node = next;
    }
}
