#include "emu/files/store/reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "emu/files/store/extents.h"
#include "sim/base/array.h"

struct FilesReader {
    Arena *arena;
    Blobs *blobs;
    FilesReader *next, *previous;
    int64_t bytes;
    Extent *extents; /* in order; `blob` is the index in `descriptors` */
    Extent *cleared; /* in order, without descriptors */
    int32_t extent_count, cleared_count;
    int *descriptors;
    int64_t *numbers; /* the blob of each descriptor; 0: not a blob */
    uint32_t descriptor_count, descriptor_capacity, blob_capacity;
    const char *file; /* its name; NULL: not of a blob */
    char *unit;       /* room for a unit of which a part is wanted; NULL before the first */
    FilesFailure failure;
    FilesRange damaged;
};

static FilesReader *reader_create(Blobs *blobs, int64_t bytes)
{
    Arena *arena = arena_create();
    FilesReader *reader = ARENA_NEW(arena, FilesReader);
    *reader = (FilesReader){.arena = arena, .blobs = blobs, .next = blobs->readers, .bytes = bytes};
    if (reader->next)
        reader->next->previous = reader;
    blobs->readers = reader;
    return reader;
}

void files_reader_close(FilesReader *reader)
{
    if (!reader)
        return;
    if (reader->previous)
        reader->previous->next = reader->next;
    else
        reader->blobs->readers = reader->next;
    if (reader->next)
        reader->next->previous = reader->previous;
    for (uint32_t i = 0; i < reader->descriptor_count; i++)
        blob_release(reader->blobs, reader->descriptors[i]);
    arena_destroy(reader->arena);
}

static void reader_add(FilesReader *reader, int64_t blob, int descriptor)
{
    uint32_t count = reader->descriptor_count + 1;
    reader->descriptors = array_room(reader->arena, reader->descriptors, count,
                                     &reader->descriptor_capacity, sizeof *reader->descriptors);
    reader->numbers = array_room(reader->arena, reader->numbers, count, &reader->blob_capacity,
                                 sizeof *reader->numbers);
    reader->descriptors[reader->descriptor_count] = descriptor;
    reader->numbers[reader->descriptor_count] = blob;
    reader->descriptor_count = count;
}

/* The index of the blob's descriptor, which is opened at the first use; -1. */
static int64_t reader_blob(FilesReader *reader, int64_t blob)
{
    for (uint32_t i = reader->descriptor_count; i-- > 0;)
        if (reader->numbers[i] == blob)
            return i;
    int descriptor = blob_hold(reader->blobs, blob);
    if (descriptor < 0) {
        tables_fail(reader->blobs->tables, errno);
        return -1;
    }
    reader_add(reader, blob, descriptor);
    return reader->descriptor_count - 1;
}

FilesReader *contents_reader(Blobs *blobs, const char *file, int64_t contents, int64_t bytes)
{
    FilesReader *reader = reader_create(blobs, bytes);
    reader->file = arena_strdup(reader->arena, file);
    int32_t count;
    const Extent *all = extents_of(blobs, reader->arena, contents, 0, bytes, &count);
    reader->extents = ARENA_ARRAY(reader->arena, Extent, count);
    reader->cleared = ARENA_ARRAY(reader->arena, Extent, count);
    for (int32_t i = 0; i < count && blobs->tables->failure == FILES_OK; i++) {
        if (all[i].blob == FILES_CLEARED_BLOB) {
            reader->cleared[reader->cleared_count++] = all[i];
            continue;
        }
        Extent *extent = &reader->extents[reader->extent_count++];
        *extent = all[i];
        extent->blob = reader_blob(reader, extent->blob);
    }
    if (blobs->tables->failure == FILES_OK)
        return reader;
    files_reader_close(reader);
    return NULL;
}

FilesReader *descriptor_reader(Blobs *blobs, int descriptor, int64_t there, int64_t bytes)
{
    FilesReader *reader = reader_create(blobs, bytes);
    reader_add(reader, 0, descriptor);
    reader->extents = ARENA_NEW(reader->arena, Extent);
    reader->extents[0] = (Extent){.length = there < bytes ? there : bytes};
    reader->extent_count = reader->extents[0].length > 0;
    return reader;
}

/* The first extent that ends after `at`. */
static int32_t extent_at(const Extent *extents, int32_t count, int64_t at)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (extent_end(&extents[middle]) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads the unit of byte `at` and copies the part of it that is in [at, end). Returns its end. */
static int64_t read_part(FilesReader *reader, const Extent *extent, int64_t at, int64_t end,
                         char *room)
{
    const FilesRange unit = extent_unit(extent, at);
    if (!reader->unit)
        reader->unit = arena_alloc(reader->arena, SUM_UNIT);
    reader->failure = extent_read(extent, reader->descriptors[extent->blob], unit, reader->unit,
                                  &reader->damaged);
    const int64_t to = unit.last + 1 < end ? unit.last + 1 : end;
    if (reader->failure == FILES_OK)
        memcpy(room, reader->unit + (at - unit.first), (size_t)(to - at));
    return to;
}

/* Reads the whole units that begin at `at` and end before `end`, or all bytes of an extent without
 * checksums. Returns their end. */
static int64_t read_units(FilesReader *reader, const Extent *extent, int64_t at, int64_t end,
                          char *room)
{
    const int64_t to = !extent->sums || end == extent_end(extent) ? end : round_down(end, SUM_UNIT);
    reader->failure = extent_read(extent, reader->descriptors[extent->blob],
                                  (FilesRange){at, to - 1}, room, &reader->damaged);
    return to;
}

/* Reads [at, end) of an extent. */
static bool read_extent(FilesReader *reader, const Extent *extent, int64_t at, int64_t end,
                        char *room)
{
    reader->failure = FILES_OK;
    while (at < end && reader->failure == FILES_OK) {
        const FilesRange unit = extent_unit(extent, at);
        const bool is_whole = !extent->sums || (at == unit.first && unit.last < end);
        const int64_t to = (is_whole ? read_units : read_part)(reader, extent, at, end, room);
        room += to - at;
        at = to;
    }
    return reader->failure == FILES_OK;
}

int64_t files_read(FilesReader *reader, int64_t first, char *room, size_t length)
{
    if (first < 0 || first >= reader->bytes || length == 0)
        return 0;
    int64_t rest = reader->bytes - first;
    int64_t end = first + (length < (uint64_t)rest ? (int64_t)length : rest);
    int64_t at = first;
    for (int32_t i = extent_at(reader->extents, reader->extent_count, first);
         i < reader->extent_count && reader->extents[i].first < end; i++) {
        const Extent *extent = &reader->extents[i];
        if (extent->first > at) {
            memset(room + (at - first), 0, (size_t)(extent->first - at));
            at = extent->first;
        }
        const int64_t to = extent_end(extent) < end ? extent_end(extent) : end;
        if (!read_extent(reader, extent, at, to, room + (at - first))) {
            if (reader->failure == FILES_DAMAGED)
                damage_report(reader->blobs, reader->file, reader->damaged);
            return -1;
        }
        at = to;
    }
    memset(room + (at - first), 0, (size_t)(end - at));
    return end - first;
}

FilesFailure files_reader_failure(const FilesReader *reader)
{
    return reader->failure;
}

FilesFailure files_check(FilesReader *reader, FilesRange range)
{
    enum { CHECKED_AT_ONCE = 16 * SUM_UNIT };
    Arena *arena = arena_create();
    char *room = arena_alloc(arena, CHECKED_AT_ONCE);
    int64_t got = 1;
    for (int64_t at = range.first; at <= range.last && got > 0; at += got) {
        const int64_t end = round_down(at, CHECKED_AT_ONCE) + CHECKED_AT_ONCE;
        got =
            files_read(reader, at, room, (size_t)((end <= range.last ? end : range.last + 1) - at));
    }
    arena_destroy(arena);
    return got < 0 ? reader->failure : FILES_OK;
}

/* The pages of extents in [first, last]. */
static FilesRange *pages_of(Arena *arena, const Extent *extents, int32_t extent_count,
                            int64_t first, int64_t last, int32_t *count)
{
    FilesRange *ranges = ARENA_ARRAY(arena, FilesRange, extent_count);
    *count = 0;
    for (int32_t i = extent_at(extents, extent_count, round_down(first, FILES_PAGE));
         i < extent_count; i++) {
        const int64_t page = round_down(extents[i].first, FILES_PAGE);
        const int64_t end = round_up(extent_end(&extents[i]), FILES_PAGE);
        const int64_t from = page > first ? page : first, to = end - 1 < last ? end - 1 : last;
        if (from > to)
            break;
        if (*count > 0 && ranges[*count - 1].last + 1 >= from)
            ranges[*count - 1].last = to;
        else
            ranges[(*count)++] = (FilesRange){from, to};
    }
    return ranges;
}

FilesRange *reader_pages(const FilesReader *reader, Arena *arena, FilesPages which, int64_t first,
                         int64_t last, int32_t *count)
{
    last = last < reader->bytes ? last : reader->bytes - 1;
    return which == FILES_CLEARED
               ? pages_of(arena, reader->cleared, reader->cleared_count, first, last, count)
               : pages_of(arena, reader->extents, reader->extent_count, first, last, count);
}

bool readers_use(const Blobs *blobs, int64_t blob)
{
    for (const FilesReader *reader = blobs->readers; reader; reader = reader->next)
        for (uint32_t i = 0; i < reader->descriptor_count; i++)
            if (reader->numbers[i] == blob)
                return true;
    return false;
}
