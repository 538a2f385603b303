#include "tests/support/json_shrink.h"

/* The part that a copy omits: `count` children, from child `first`, of the `container`-th array or
 * object in the order of the text. */
typedef struct {
    int32_t container;
    int32_t first, count;
} Cut;

typedef struct {
    Arena *arena;
    Cut cut;
    int32_t containers; /* seen so far */
} Copier;

static bool is_container(const Json *node)
{
    return node->kind == JSON_ARRAY || node->kind == JSON_OBJECT;
}

static Json *copy(Copier *copier, const Json *node);

static Json *copy_leaf(Arena *arena, const Json *node)
{
    switch (node->kind) {
    case JSON_NULL:
        return json_null(arena);
    case JSON_BOOLEAN:
        return json_boolean(arena, node->boolean);
    case JSON_NUMBER:
        return json_decimal(arena, node->text);
    case JSON_STRING:
        return json_string(arena, node->text);
    case JSON_ARRAY:
        return json_array(arena);
    case JSON_OBJECT:
        break;
    }
    return json_object(arena);
}

static Json *copy(Copier *copier, const Json *node)
{
    Json *fresh = copy_leaf(copier->arena, node);
    if (!is_container(node))
        return fresh;
    bool is_cut = copier->containers++ == copier->cut.container;
    int32_t index = 0;
    for (const Json *child = node->first; child != NULL; child = child->next, index++) {
        if (is_cut && index >= copier->cut.first && index < copier->cut.first + copier->cut.count)
            continue;
        Json *value = copy(copier, child);
        if (node->kind == JSON_OBJECT)
            json_set(copier->arena, fresh, child->key, value);
        else
            json_add(fresh, value);
    }
    return fresh;
}

/* The container of that number and how many there are. */
static const Json *find_container(const Json *node, int32_t wanted, int32_t *seen)
{
    if (!is_container(node))
        return NULL;
    if ((*seen)++ == wanted)
        return node;
    for (const Json *child = node->first; child != NULL; child = child->next) {
        const Json *found = find_container(child, wanted, seen);
        if (found != NULL)
            return found;
    }
    return NULL;
}

typedef struct {
    Arena *arena;
    const Json *best;
    JsonShows *shows;
    void *context;
    int32_t asks_left;
} Shrinker;

/* Keeps the copy without `cut` if it still shows. */
static bool try_cut(Shrinker *shrinker, Cut cut)
{
    if (shrinker->asks_left == 0)
        return false;
    shrinker->asks_left--;
    Copier copier = {.arena = shrinker->arena, .cut = cut};
    const Json *candidate = copy(&copier, shrinker->best);
    if (!shrinker->shows(shrinker->context, candidate))
        return false;
    shrinker->best = candidate;
    return true;
}

/* Halves, quarters, ... single children of one container, the last ones first: what comes later
 * rests on what comes before it. */
static bool shrink_container(Shrinker *shrinker, int32_t container)
{
    bool has_shrunk = false;
    int32_t seen = 0;
    int32_t count = find_container(shrinker->best, container, &seen)->count;
    for (int32_t size = count; size >= 1; size /= 2)
        for (int32_t first = count - size; first > -size; first -= size) {
            Cut cut = {container, first > 0 ? first : 0, first > 0 ? size : size + first};
            if (cut.count == 0 || !try_cut(shrinker, cut))
                continue;
            count -= cut.count;
            has_shrunk = true;
        }
    return has_shrunk;
}

const Json *json_shrink(Arena *arena, const Json *root, JsonShows *shows, void *context,
                        int32_t asks_max)
{
    Shrinker shrinker = {arena, root, shows, context, asks_max};
    for (bool has_shrunk = true; has_shrunk;) {
        has_shrunk = false;
        for (int32_t c = 0;; c++) {
            int32_t seen = 0;
            if (find_container(shrinker.best, c, &seen) == NULL)
                break;
            has_shrunk |= shrink_container(&shrinker, c);
        }
    }
    return shrinker.best;
}
