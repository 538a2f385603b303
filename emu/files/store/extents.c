#include "emu/files/store/extents.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/array.h"
#include "sim/base/checksum.h"
#include "sim/base/invariant.h"
#include "sim/base/little_endian.h"

/* An extent with checksums is not joined to more than this: its row, which each append writes
 * again, has 2 KiB of them. */
enum { JOINED_MOST = 4 << 20 };

/* --- Rows --- */

static int64_t units_of(const Extent *extent)
{
    return (round_up(extent_end(extent), SUM_UNIT) - round_down(extent->first, SUM_UNIT)) /
           SUM_UNIT;
}

/* Words of the machine to words of the row, and back. */
static void order_bytes(uint64_t *words, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        words[i] = little_endian_word((const char *)&words[i]);
}

static uint64_t *read_sums(Arena *arena, sqlite3_stmt *row, int column, const Extent *extent)
{
    const int64_t count = units_of(extent);
    const size_t bytes = (size_t)count * sizeof(uint64_t);
    const void *stored = sqlite3_column_blob(row, column);
    if (!stored || (size_t)sqlite3_column_bytes(row, column) != bytes)
        return NULL;
    uint64_t *sums = ARENA_ARRAY(arena, uint64_t, count);
    memcpy(sums, stored, bytes);
    order_bytes(sums, count);
    return sums;
}

Extent *extents_of(Blobs *blobs, Arena *arena, int64_t contents, int64_t first, int64_t end,
                   int32_t *count)
{
    Extent *extents = NULL;
    uint32_t found = 0, capacity = 0;
    sqlite3_stmt *rows =
        tables_ask(blobs->tables, QUERY_FILES_EXTENTS, "iii", contents, first, end);
    while (tables_next(blobs->tables, rows)) {
        Extent extent = {.first = sqlite3_column_int64(rows, 0),
                         .length = sqlite3_column_int64(rows, 1),
                         .blob = sqlite3_column_int64(rows, 2),
                         .position = sqlite3_column_int64(rows, 3)};
        extent.sums = read_sums(arena, rows, 4, &extent);
        extents = array_room(arena, extents, found + 1, &capacity, sizeof *extents);
        extents[found++] = extent;
    }
    *count = (int32_t)found;
    return extents;
}

static void extent_put(Blobs *blobs, int64_t contents, const Extent *extent)
{
    const int64_t count = extent->sums ? units_of(extent) : 0;
    order_bytes(extent->sums, count);
    tables_do(blobs->tables, QUERY_FILES_EXTENT_PUT, "iiiiib", contents, extent->first,
              extent->length, extent->blob, extent->position, extent->sums,
              count * (int64_t)sizeof(uint64_t));
    order_bytes(extent->sums, count);
}

/* --- Reading --- */

FilesRange extent_unit(const Extent *extent, int64_t at)
{
    const int64_t unit = round_down(at, SUM_UNIT), last = extent_end(extent) - 1;
    return (FilesRange){.first = unit > extent->first ? unit : extent->first,
                        .last = unit + SUM_UNIT - 1 < last ? unit + SUM_UNIT - 1 : last};
}

static uint64_t *sum_of(const Extent *extent, int64_t at)
{
    return &extent->sums[at / SUM_UNIT - extent->first / SUM_UNIT];
}

static bool read_all(int descriptor, char *room, int64_t length, int64_t position)
{
    while (length > 0) {
        ssize_t got = pread(descriptor, room, (size_t)length, (off_t)position);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false; // another process has cut the file
        room += got;
        length -= got;
        position += got;
    }
    return true;
}

FilesFailure extent_read(const Extent *extent, int descriptor, FilesRange range, char *room,
                         FilesRange *damaged)
{
    if (!read_all(descriptor, room, range.last - range.first + 1,
                  extent->position + (range.first - extent->first)))
        return FILES_MACHINE;
    for (int64_t at = range.first; extent->sums && at <= range.last;) {
        const FilesRange unit = extent_unit(extent, at);
        invariant(unit.first == at && unit.last <= range.last);
        if (checksum_wide(room + (at - range.first), (size_t)(unit.last - at + 1)) !=
            *sum_of(extent, at)) {
            *damaged = unit;
            return FILES_DAMAGED;
        }
        at = unit.last + 1;
    }
    return FILES_OK;
}

/* Reads the unit of byte `at` into `room`. */
static FilesFailure read_unit(Blobs *blobs, const Extent *extent, int64_t at, char room[SUM_UNIT])
{
    const int descriptor = blob_hold(blobs, extent->blob);
    if (descriptor < 0)
        return FILES_MACHINE;
    const FilesFailure failure =
        extent_read(extent, descriptor, extent_unit(extent, at), room, &blobs->damaged);
    blob_release(blobs, descriptor);
    return failure;
}

/* --- Cutting --- */

/* Computes the checksum of the unit of byte `at` again if the part has fewer bytes of it. */
static bool sum_again(Blobs *blobs, const Extent *whole, const Extent *part, int64_t at)
{
    const FilesRange before = extent_unit(whole, at), now = extent_unit(part, at);
    if (before.first == now.first && before.last == now.last)
        return true;
    char room[SUM_UNIT];
    const FilesFailure failure = read_unit(blobs, whole, at, room);
    if (failure != FILES_OK) {
        tables_refuse(blobs->tables, failure);
        return false;
    }
    *sum_of(part, at) =
        checksum_wide(room + (now.first - before.first), (size_t)(now.last - now.first + 1));
    return true;
}

/* Puts the part [from, to) of an extent as a separate extent. */
static void part_put(Blobs *blobs, Arena *arena, int64_t contents, const Extent *whole,
                     int64_t from, int64_t to)
{
    Extent part = {.first = from,
                   .length = to - from,
                   .blob = whole->blob,
                   .position = whole->position + (from - whole->first)};
    if (whole->sums) {
        const int64_t count = units_of(&part);
        part.sums = ARENA_ARRAY(arena, uint64_t, count);
        memcpy(part.sums, sum_of(whole, from), (size_t)count * sizeof *part.sums);
        if (!sum_again(blobs, whole, &part, from) || !sum_again(blobs, whole, &part, to - 1))
            return;
    }
    extent_put(blobs, contents, &part);
}

/* Removes [from, to) from an extent. */
static void extent_cut(Blobs *blobs, Arena *arena, int64_t contents, const Extent *extent,
                       int64_t from, int64_t to)
{
    const int64_t end = extent_end(extent);
    if (end <= from || extent->first >= to)
        return;
    const int64_t cut_first = extent->first > from ? extent->first : from;
    const int64_t cut_end = end < to ? end : to;
    if (extent->first < from)
        part_put(blobs, arena, contents, extent, extent->first, from);
    else
        tables_do(blobs->tables, QUERY_FILES_EXTENT_DELETE, "ii", contents, extent->first);
    if (end > to)
        part_put(blobs, arena, contents, extent, to, end);
    if (extent->blob == FILES_CLEARED_BLOB)
        return;
    // Another file may use the same range of a shared blob.
    DeadRange dead = {.blob = extent->blob};
    if (extent->blob == contents) {
        dead.position = extent->position + (cut_first - extent->first);
        dead.length = cut_end - cut_first;
    }
    dead_add(blobs, dead);
}

void extents_cut(Blobs *blobs, int64_t contents, int64_t from, int64_t to)
{
    Arena *arena = arena_create();
    int32_t count;
    const Extent *extents = extents_of(blobs, arena, contents, from, to, &count);
    for (int32_t i = 0; i < count && blobs->tables->failure == FILES_OK; i++)
        extent_cut(blobs, arena, contents, &extents[i], from, to);
    arena_destroy(arena);
}

/* --- Adding --- */

static void sum_all(Extent *extent, const char *bytes)
{
    for (int64_t at = extent->first; at < extent_end(extent);) {
        const FilesRange unit = extent_unit(extent, at);
        *sum_of(extent, at) =
            checksum_wide(bytes + (at - extent->first), (size_t)(unit.last - at + 1));
        at = unit.last + 1;
    }
}

static bool may_join(const Extent *before, const Extent *extent)
{
    return extent_end(before) == extent->first && before->blob == extent->blob &&
           before->position + before->length == extent->position &&
           !before->sums == !extent->sums &&
           (!extent->sums || before->length + extent->length <= JOINED_MOST);
}

/* Makes one extent of two adjacent ones. If a unit that both have cannot be read, they stay two,
 * and the damage is found by readers. */
static void join(Blobs *blobs, Arena *arena, const Extent *before, Extent *extent,
                 const char *bytes)
{
    const int64_t border = extent->first;
    Extent both = *before;
    both.length += extent->length;
    if (extent->sums) {
        const int64_t count = units_of(&both), early = units_of(before);
        both.sums = ARENA_ARRAY(arena, uint64_t, count);
        memcpy(both.sums, before->sums, (size_t)early * sizeof *both.sums);
        memcpy(sum_of(&both, border), extent->sums, (size_t)units_of(extent) * sizeof *both.sums);
        const FilesRange unit = extent_unit(&both, border);
        if (unit.first < border) {
            char room[SUM_UNIT];
            if (read_unit(blobs, before, border - 1, room) != FILES_OK)
                return;
            memcpy(room + (border - unit.first), bytes, (size_t)(unit.last - border + 1));
            *sum_of(&both, border) = checksum_wide(room, (size_t)(unit.last - unit.first + 1));
        }
    }
    *extent = both;
}

void extent_add(Blobs *blobs, int64_t contents, Extent extent, const char *bytes)
{
    Arena *arena = arena_create();
    int32_t count = 0;
    const Extent *before = NULL;
    if (bytes) {
        extent.sums = ARENA_ARRAY(arena, uint64_t, units_of(&extent));
        sum_all(&extent, bytes);
    }
    if (extent.first > 0)
        before = extents_of(blobs, arena, contents, extent.first - 1, extent.first, &count);
    if (count == 1 && may_join(before, &extent))
        join(blobs, arena, before, &extent, bytes);
    extent_put(blobs, contents, &extent);
    arena_destroy(arena);
}
