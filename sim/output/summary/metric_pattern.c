#include "sim/output/summary/metric_pattern.h"

#include <string.h>

#include "sim/schema/glob.h"

bool metric_is_pattern(const char *name)
{
    return strchr(name, '*') != NULL;
}

/* The next key of a name and the rest after it; the rest of the last key is NULL. */
static const char *next_key(Arena *arena, const char **rest)
{
    const size_t length = strcspn(*rest, ".");
    const char *key = arena_strndup(arena, *rest, length);
    *rest = (*rest)[length] == '.' ? *rest + length + 1 : NULL;
    return key;
}

static bool keys_match(Arena *scratch, const char *pattern, const char *name)
{
    while (pattern != NULL && name != NULL)
        if (!glob_matches(next_key(scratch, &pattern), next_key(scratch, &name)))
            return false;
    return pattern == NULL && name == NULL;
}

const char *const *metric_pattern_names(Arena *arena, const Scenario *scenario, const char *pattern,
                                        int32_t *count)
{
    Arena *scratch = arena_create();
    const MetricList list = metric_list(arena, scenario);
    const char **names = ARENA_ARRAY(arena, const char *, list.count);
    const char *time = strchr(pattern, '('); // of a function: the list has it with another
    const char *keys =
        time != NULL ? arena_strndup(arena, pattern, (size_t)(time - pattern)) : pattern;
    *count = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const char *name = list.items[i].name;
        const char *listed_time = strchr(name, '(');
        if (listed_time != NULL)
            name = arena_strndup(arena, name, (size_t)(listed_time - name));
        if (!list.items[i].is_text && (time != NULL) == (listed_time != NULL) &&
            keys_match(scratch, keys, name))
            names[(*count)++] = time != NULL ? arena_printf(arena, "%s%s", name, time) : name;
    }
    arena_destroy(scratch);
    return names;
}
