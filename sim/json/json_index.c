#include "sim/json/json_index.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"

/* Open addressing with linear probing; at least half of the slots are empty. */
struct JsonIndex {
    size_t capacity; /* a power of two */
    Json ***slots;   /* links; NULL: empty */
};

/* The slot of `key`, or the empty one where it belongs. */
static Json ***slot_of(const struct JsonIndex *index, const char *key)
{
    size_t at = name_hash(key) & (index->capacity - 1);
    while (index->slots[at] != NULL && strcmp((*index->slots[at])->key, key) != 0)
        at = (at + 1) & (index->capacity - 1);
    return &index->slots[at];
}

static void put(const struct JsonIndex *index, Json **link)
{
    Json ***slot = slot_of(index, (*link)->key);
    if (*slot == NULL)
        *slot = link;
}

/* An index of all members of `object`, with room for as many again. */
static void build(Arena *arena, Json *object)
{
    struct JsonIndex *index = ARENA_NEW(arena, struct JsonIndex);
    index->capacity = 4 * (size_t)JSON_INDEXED_LEAST;
    while (index->capacity < 4 * (size_t)object->count)
        index->capacity *= 2;
    index->slots = ARENA_ARRAY(arena, Json **, index->capacity);
    for (Json **link = &object->first; *link != NULL; link = &(*link)->next)
        put(index, link);
    object->index = index;
}

void json_index_add(Arena *arena, Json *object, Json **link)
{
    if (object->index != NULL && 2 * (size_t)object->count <= object->index->capacity)
        put(object->index, link);
    else if (object->count >= JSON_INDEXED_LEAST)
        build(arena, object);
}

Json **json_index_find(const Json *object, const char *key)
{
    return *slot_of(object->index, key);
}

void json_index_move(Json *object, const char *key, Json **link)
{
    Json ***slot = slot_of(object->index, key);
    invariant(*slot != NULL);
    *slot = link;
}
