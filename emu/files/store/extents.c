#include "emu/files/store/extents.h"

#include "sim/base/array.h"

Extent *extents_of(Blobs *blobs, Arena *arena, int64_t contents, int64_t first, int64_t end,
                   int32_t *count)
{
    Extent *extents = NULL;
    uint32_t found = 0, capacity = 0;
    sqlite3_stmt *rows =
        tables_ask(blobs->tables, QUERY_FILES_EXTENTS, "iii", contents, first, end);
    while (tables_next(blobs->tables, rows)) {
        extents = array_room(arena, extents, found + 1, &capacity, sizeof *extents);
        extents[found++] = (Extent){.first = sqlite3_column_int64(rows, 0),
                                    .length = sqlite3_column_int64(rows, 1),
                                    .blob = sqlite3_column_int64(rows, 2),
                                    .position = sqlite3_column_int64(rows, 3)};
    }
    *count = (int32_t)found;
    return extents;
}

static void extent_put(Blobs *blobs, int64_t contents, Extent extent)
{
    tables_do(blobs->tables, QUERY_FILES_EXTENT_PUT, "iiiii", contents, extent.first, extent.length,
              extent.blob, extent.position);
}

/* Removes [from, to) from an extent. */
static void extent_cut(Blobs *blobs, int64_t contents, Extent extent, int64_t from, int64_t to)
{
    int64_t end = extent.first + extent.length;
    if (end <= from || extent.first >= to)
        return;
    int64_t cut_first = extent.first > from ? extent.first : from;
    int64_t cut_end = end < to ? end : to;
    if (extent.first < from) {
        Extent left = extent;
        left.length = from - extent.first;
        extent_put(blobs, contents, left);
    } else {
        tables_do(blobs->tables, QUERY_FILES_EXTENT_DELETE, "ii", contents, extent.first);
    }
    if (end > to)
        extent_put(blobs, contents,
                   (Extent){.first = to,
                            .length = end - to,
                            .blob = extent.blob,
                            .position = extent.position + (to - extent.first)});
    if (extent.blob == FILES_CLEARED_BLOB)
        return;
    // Another file may use the same range of a shared blob.
    DeadRange dead = {.blob = extent.blob};
    if (extent.blob == contents) {
        dead.position = extent.position + (cut_first - extent.first);
        dead.length = cut_end - cut_first;
    }
    dead_add(blobs, dead);
}

void extents_cut(Blobs *blobs, int64_t contents, int64_t from, int64_t to)
{
    Arena *arena = arena_create();
    int32_t count;
    Extent *extents = extents_of(blobs, arena, contents, from, to, &count);
    for (int32_t i = 0; i < count; i++)
        extent_cut(blobs, contents, extents[i], from, to);
    arena_destroy(arena);
}

void extent_add(Blobs *blobs, int64_t contents, Extent extent)
{
    Arena *arena = arena_create();
    int32_t count = 0;
    Extent *before = NULL;
    if (extent.first > 0)
        before = extents_of(blobs, arena, contents, extent.first - 1, extent.first, &count);
    if (count == 1 && before->first + before->length == extent.first &&
        before->blob == extent.blob && before->position + before->length == extent.position) {
        before->length += extent.length;
        extent = *before;
    }
    extent_put(blobs, contents, extent);
    arena_destroy(arena);
}
