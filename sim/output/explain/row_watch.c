#include "sim/output/explain/row_watch.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/name_table.h"
#include "sim/output/trace/tsv.h"

RowWatch row_watch_start(Arena *arena)
{
    return (RowWatch){.arena = arena, .rolling = fingerprint_start(), .kept = ROW_NONE};
}

RowWatch row_watch_against(Arena *arena, const RowWatch *expected)
{
    RowWatch watch = row_watch_start(arena);
    watch.expected = expected;
    return watch;
}

/* Where `watch`, whose run is over, left the expected one; ROW_NONE. */
static uint32_t first_difference(const RowWatch *watch)
{
    if (watch->kept != ROW_NONE)
        return watch->kept;
    return watch->count < watch->expected->count ? watch->count : ROW_NONE;
}

RowWatch row_watch_for(Arena *arena, const RowWatch *differing)
{
    RowWatch watch = row_watch_start(arena);
    watch.kept = first_difference(differing);
    return watch;
}

static const char *copy_of(Arena *arena, Text *text)
{
    const char *copy = arena_strndup(arena, text_string(text), text->length);
    text_free(text);
    return copy;
}

static void keep(RowWatch *watch, const TraceRow *row)
{
    Text line = {0}, hashes = {0};
    Fingerprint alone = fingerprint_start();
    fingerprint_add(&alone, row);
    trace_tsv_print_row(&line, row);
    fingerprint_print(&hashes, &alone);
    watch->row = copy_of(watch->arena, &line);
    watch->fingerprint = copy_of(watch->arena, &hashes);
}

static bool is_unexpected(const RowWatch *watch, uint32_t index)
{
    return watch->expected != NULL && watch->kept == ROW_NONE &&
           (index >= watch->expected->count ||
            watch->expected->words[index] != watch->words[index]);
}

static void see(void *listener, const TraceRow *row)
{
    RowWatch *watch = listener;
    const uint32_t index = watch->count++;
    watch->words = array_room(watch->arena, watch->words, watch->count, &watch->capacity,
                              sizeof *watch->words);
    fingerprint_add(&watch->rolling, row);
    watch->words[index] = bytes_hash(HASH_START, watch->rolling.hash, sizeof watch->rolling.hash);
    if (is_unexpected(watch, index))
        watch->kept = index;
    if (index == watch->kept)
        keep(watch, row);
}

TraceListener row_watch_listener(RowWatch *watch)
{
    return (TraceListener){.listener = watch, .level = TRACE_LEVEL_STEPS, .row = see};
}

bool row_watch_differs(const RowWatch *watch)
{
    return first_difference(watch) != ROW_NONE;
}

/* Names of the parts "name:hash" of two printed fingerprints that are not the same. */
static void print_ingredients(Text *out, const char *a, const char *b)
{
    const char *separator = "";
    while (*a != '\0' && *b != '\0') {
        const size_t name = strcspn(a, ":");
        const size_t length = strcspn(a, "/"), other = strcspn(b, "/");
        if (length != other || memcmp(a, b, length) != 0) {
            text_add(out, separator);
            text_append(out, a, name);
            separator = ", ";
        }
        a += length + (a[length] == '/');
        b += other + (b[other] == '/');
    }
}

void row_watch_explain(Text *out, const RowWatch *differing, const RowWatch *again)
{
    const uint32_t index = first_difference(differing);
    const bool is_same_first =
        index >= differing->expected->count ||
        (index < again->count && again->words[index] == differing->expected->words[index]);
    text_printf(out, "the second run differs from the first at record %" PRIu64,
                (uint64_t)index + 1);
    if (differing->row != NULL && again->row != NULL && is_same_first) {
        text_add(out, " in its ");
        print_ingredients(out, again->fingerprint, differing->fingerprint);
    }
    text_add(out, "\n  first:  ");
    if (!is_same_first)
        text_add(out, "(a third run says something else again) ");
    text_add(out, again->row != NULL ? again->row : "(it has ended)\n");
    text_add(out, "  second: ");
    text_add(out, differing->row != NULL ? differing->row : "(it has ended)\n");
}
