#include "sim/output/expect_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const Json *summary_find(const Json *summary, const char *metric)
{
    const Json *found = NULL;
    size_t longest = 0;
    for (const Json *child = summary->first; child != NULL; child = child->next) {
        const size_t length = child->key != NULL ? strlen(child->key) : 0;
        if (length <= longest || strncmp(metric, child->key, length) != 0 ||
            (metric[length] != '\0' && metric[length] != '.'))
            continue;
        const Json *below =
            metric[length] == '.' ? summary_find(child, metric + length + 1) : child;
        if (below == NULL)
            continue;
        found = below;
        longest = length;
    }
    return found;
}

static const char *words_for(Arena *arena, const Json *value)
{
    if (value == NULL)
        return "no such metric";
    if (value->kind == JSON_STRING)
        return value->text;
    Text text = {0};
    json_print(&text, value, JSON_COMPACT);
    const char *words = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return words;
}

ExpectAnswer expect_equals(Arena *arena, const Json *summary, const char *metric,
                           const char *wanted)
{
    const Json *value = summary_find(summary, metric);
    return (ExpectAnswer){.holds = value != NULL && value->kind == JSON_STRING &&
                                   strcmp(value->text, wanted) == 0,
                          .expected = arena_strdup(arena, wanted),
                          .got = words_for(arena, value)};
}

static const char *range_words(Arena *arena, double low, double high)
{
    // 15 digits print every number that people write as they wrote it.
    if (low == high)
        return arena_printf(arena, "%.15g", low);
    if (isinf(high))
        return arena_printf(arena, "at least %.15g", low);
    if (isinf(low))
        return arena_printf(arena, "at most %.15g", high);
    return arena_printf(arena, "%.15g to %.15g", low, high);
}

ExpectAnswer expect_between(Arena *arena, const Json *summary, const char *metric, double low,
                            double high)
{
    const Json *value = summary_find(summary, metric);
    return (ExpectAnswer){.holds = value != NULL && value->kind == JSON_NUMBER &&
                                   value->number >= low && value->number <= high,
                          .expected = range_words(arena, low, high),
                          .got = words_for(arena, value)};
}

ExpectAnswer expect_count(Arena *arena, int64_t count, double low, double high)
{
    return (ExpectAnswer){.holds = (double)count >= low && (double)count <= high,
                          .expected = range_words(arena, low, high),
                          .got = arena_printf(arena, "%" PRId64, count)};
}
