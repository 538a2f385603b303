#include "emu/files/store/contents.h"

#include "emu/files/store/extents.h"
#include "emu/files/store/reader.h"

/* Contents that only this entry uses, and to whose blob it may append. */
static int64_t own_contents(Blobs *blobs, int64_t contents)
{
    if (contents > 0 && tables_number(blobs->tables, QUERY_FILES_CONTENTS_USERS, "i", contents) < 2)
        return contents;
    int64_t own = new_number(blobs->tables);
    if (contents > 0)
        tables_do(blobs->tables, QUERY_FILES_EXTENTS_COPY, "ii", contents, own);
    return own;
}

void contents_write(Blobs *blobs, int64_t *contents, int64_t first, int64_t length,
                    const char *bytes)
{
    if (length == 0)
        return;
    *contents = own_contents(blobs, *contents);
    const int64_t position = blob_append(blobs, *contents, bytes, length);
    if (position < 0)
        return;
    extents_cut(blobs, *contents, first, first + length);
    extent_add(blobs, *contents, (Extent){first, length, *contents, position, NULL}, bytes);
}

void contents_cut(Blobs *blobs, int64_t *contents, int64_t first, int64_t length)
{
    if (length == 0 || *contents == 0)
        return;
    *contents = own_contents(blobs, *contents);
    extents_cut(blobs, *contents, first, first + length);
}

void contents_clear(Blobs *blobs, int64_t *contents, int64_t first, int64_t length)
{
    static const char zeros[FILES_PAGE];
    const int64_t end = first + length;
    const int64_t from = round_up(first, FILES_PAGE) < end ? round_up(first, FILES_PAGE) : end;
    const int64_t to = round_down(end, FILES_PAGE) > from ? round_down(end, FILES_PAGE) : from;
    contents_write(blobs, contents, first, from - first, zeros);
    if (from < to) {
        *contents = own_contents(blobs, *contents);
        extents_cut(blobs, *contents, from, to);
        extent_add(blobs, *contents, (Extent){from, to - from, FILES_CLEARED_BLOB, from, NULL},
                   NULL);
    }
    contents_write(blobs, contents, to, end - to, zeros);
}

void contents_drop(Blobs *blobs, int64_t contents)
{
    if (contents == 0 ||
        tables_number(blobs->tables, QUERY_FILES_CONTENTS_USERS, "i", contents) > 0)
        return;
    dead_add(blobs, (DeadRange){.blob = contents});
    sqlite3_stmt *rows = tables_ask(blobs->tables, QUERY_FILES_BLOBS, "i", contents);
    while (tables_next(blobs->tables, rows))
        dead_add(blobs, (DeadRange){.blob = sqlite3_column_int64(rows, 0)});
    tables_do(blobs->tables, QUERY_FILES_EXTENTS_DELETE, "i", contents);
}

enum { FILL_BYTES = 1 << 20 };

void contents_fill(Blobs *blobs, int64_t *contents, FilesReader *reader)
{
    Arena *arena = arena_create();
    char *room = arena_alloc(arena, FILL_BYTES);
    int32_t count;
    const FilesRange *written = reader_pages(reader, arena, FILES_WRITTEN, 0, INT64_MAX, &count);
    for (int32_t i = 0; i < count; i++) {
        const int64_t end = written[i].last + 1;
        for (int64_t at = written[i].first; at < end && blobs->tables->failure == FILES_OK;) {
            int64_t part = end - at < FILL_BYTES ? end - at : FILL_BYTES;
            if (files_read(reader, at, room, (size_t)part) == part)
                contents_write(blobs, contents, at, part, room);
            else
                tables_refuse(blobs->tables, files_reader_failure(reader));
            at += part;
        }
    }
    arena_destroy(arena);
}

void contents_sweep(Blobs *blobs)
{
    // A failed commit restores what was removed; the next start removes what is left over.
    if (blobs->dead_count == 0 || store_is_dirty(blobs->store) || store_has_lost(blobs->store))
        return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < blobs->dead_count; i++) {
        DeadRange dead = blobs->dead[i];
        if (tables_number(blobs->tables, QUERY_FILES_BLOB_IS_USED, "i", dead.blob) == 0)
            blob_remove(blobs, dead.blob);
        else if (dead.length > 0 && readers_use(blobs, dead.blob))
            blobs->dead[kept++] = dead;
        else if (dead.length > 0 &&
                 tables_number(blobs->tables, QUERY_FILES_BLOB_IS_SHARED, "i", dead.blob) == 0)
            blob_punch(blobs, dead);
    }
    blobs->dead_count = kept;
}

void contents_begin(Blobs *blobs)
{
    blobs->dead_before = blobs->dead_count;
}

/* Whole blobs stay in the list: their use is checked again before they are removed. */
void contents_undo(Blobs *blobs)
{
    uint32_t kept = blobs->dead_before;
    for (uint32_t i = blobs->dead_before; i < blobs->dead_count; i++)
        if (blobs->dead[i].length == 0)
            blobs->dead[kept++] = blobs->dead[i];
    blobs->dead_count = kept;
}
