#define _GNU_SOURCE // fallocate
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/files/store/contents.h"
#include "emu/state/damage.h"
#include "emu/state/state_folder.h"
#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/cli/files.h"

/* An extent in the blob FILES_CLEARED_BLOB is a cleared range, whose bytes are zeros. Its position
 * is its first byte, so that adjacent ones are joined like other extents. */
typedef struct {
    int64_t first, length;
    int64_t blob, position;
} Extent;

/* --- Blobs --- */

enum { BLOB_NAME = 24 };

static int blob_open(const Blobs *blobs, int64_t blob, int flags)
{
    char name[BLOB_NAME];
    snprintf(name, sizeof name, "%" PRId64, blob);
    return openat(blobs->folder, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* A place for another open blob; NULL: readers use all. */
static OpenBlob *open_blob_place(Blobs *blobs)
{
    OpenBlob *place = NULL;
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->descriptor < 0)
            return row;
        if (row->readers == 0 && (!place || row->used < place->used))
            place = row;
    }
    return place;
}

static void open_blob_close(OpenBlob *row)
{
    if (row->descriptor >= 0)
        close(row->descriptor);
    row->descriptor = -1;
}

/* A descriptor for reading the blob, until blob_release; -1. */
static int blob_hold(Blobs *blobs, int64_t blob)
{
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->descriptor < 0 || row->blob != blob)
            continue;
        row->readers++;
        row->used = ++blobs->uses;
        return row->descriptor;
    }
    const int descriptor = blob_open(blobs, blob, O_RDONLY);
    OpenBlob *place = descriptor >= 0 ? open_blob_place(blobs) : NULL;
    if (place) {
        open_blob_close(place);
        *place =
            (OpenBlob){.blob = blob, .descriptor = descriptor, .readers = 1, .used = ++blobs->uses};
    }
    return descriptor;
}

/* Releases the descriptor of a reader: that of a blob, or a separate one. */
static void blob_release(Blobs *blobs, int descriptor)
{
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->descriptor != descriptor)
            continue;
        if (--row->readers == 0 && row->blob == 0)
            open_blob_close(row);
        return;
    }
    close(descriptor);
}

static void dead_add(Blobs *blobs, DeadRange range)
{
    blobs->dead = array_room(blobs->arena, blobs->dead, blobs->dead_count + 1,
                             &blobs->dead_capacity, sizeof *blobs->dead);
    blobs->dead[blobs->dead_count++] = range;
}

/* Appends bytes and returns their position; -1 on failure. Bytes that were appended and not
 * committed stay before them, unused. */
static int64_t blob_append(Blobs *blobs, int64_t blob, const char *bytes, int64_t length)
{
    struct stat about;
    if (!store_has_room(blobs->store, length)) {
        tables_fail(blobs->tables, ENOSPC);
        return -1;
    }
    int descriptor = blob_open(blobs, blob, O_WRONLY | O_CREAT);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        tables_fail(blobs->tables, errno);
        if (descriptor >= 0)
            close(descriptor);
        return -1;
    }
    bool is_written = file_put(descriptor, bytes, (size_t)length, about.st_size);
    if (!is_written) {
        tables_fail(blobs->tables, errno);
        (void)!ftruncate(descriptor, about.st_size); // frees the space, if possible
    }
    if (about.st_size == 0) {
        dead_add(blobs, (DeadRange){.blob = blob}); // if the operation is undone
        store_sync_before_commit(blobs->store, blobs->folder);
    }
    store_sync_before_commit(blobs->store, descriptor);
    close(descriptor);
    return is_written ? about.st_size : -1;
}

/* --- Extents --- */

/* The extents in [first, end) and the one before; in `arena`. */
static Extent *extents_of(Blobs *blobs, Arena *arena, int64_t contents, int64_t first, int64_t end,
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

static void extents_cut(Blobs *blobs, int64_t contents, int64_t from, int64_t to)
{
    Arena *arena = arena_create();
    int32_t count;
    Extent *extents = extents_of(blobs, arena, contents, from, to, &count);
    for (int32_t i = 0; i < count; i++)
        extent_cut(blobs, contents, extents[i], from, to);
    arena_destroy(arena);
}

/* Adds an extent. It is joined with the one before if both are adjacent, as after appending. */
static void extent_add(Blobs *blobs, int64_t contents, Extent extent)
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
    extent_add(blobs, *contents, (Extent){first, length, *contents, position});
}

void contents_cut(Blobs *blobs, int64_t *contents, int64_t first, int64_t length)
{
    if (length == 0 || *contents == 0)
        return;
    *contents = own_contents(blobs, *contents);
    extents_cut(blobs, *contents, first, first + length);
}

/* The first page boundary at or after `at`. */
static int64_t page_from(int64_t at)
{
    return (at + FILES_PAGE - 1) / FILES_PAGE * FILES_PAGE;
}

static int64_t page_of(int64_t at)
{
    return at / FILES_PAGE * FILES_PAGE;
}

void contents_clear(Blobs *blobs, int64_t *contents, int64_t first, int64_t length)
{
    static const char zeros[FILES_PAGE];
    const int64_t end = first + length;
    const int64_t from = page_from(first) < end ? page_from(first) : end;
    const int64_t to = page_of(end) > from ? page_of(end) : from;
    contents_write(blobs, contents, first, from - first, zeros);
    if (from < to) {
        *contents = own_contents(blobs, *contents);
        extents_cut(blobs, *contents, from, to);
        extent_add(blobs, *contents, (Extent){from, to - from, FILES_CLEARED_BLOB, from});
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

/* --- Reading --- */

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

FilesReader *contents_reader(Blobs *blobs, int64_t contents, int64_t bytes)
{
    FilesReader *reader = reader_create(blobs, bytes);
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
        if (extents[middle].first + extents[middle].length <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
        int64_t extent_end = extent->first + extent->length;
        int64_t part = (extent_end < end ? extent_end : end) - at;
        if (!read_all(reader->descriptors[extent->blob], room + (at - first), part,
                      extent->position + (at - extent->first)))
            return -1;
        at += part;
    }
    memset(room + (at - first), 0, (size_t)(end - at));
    return end - first;
}

enum { FILL_BYTES = 1 << 20 };

void contents_fill(Blobs *blobs, int64_t *contents, FilesReader *reader)
{
    Arena *arena = arena_create();
    char *room = arena_alloc(arena, FILL_BYTES);
    for (int32_t i = 0; i < reader->extent_count; i++) {
        const Extent *extent = &reader->extents[i];
        int64_t end = extent->first + extent->length;
        for (int64_t at = extent->first; at < end && blobs->tables->failure == FILES_OK;) {
            int64_t part = end - at < FILL_BYTES ? end - at : FILL_BYTES;
            if (files_read(reader, at, room, (size_t)part) == part)
                contents_write(blobs, contents, at, part, room);
            else
                tables_fail(blobs->tables, EIO);
            at += part;
        }
    }
    arena_destroy(arena);
}

/* The pages of extents in [first, last]. */
static FilesRange *pages_of(Arena *arena, const Extent *extents, int32_t extent_count,
                            int64_t first, int64_t last, int32_t *count)
{
    FilesRange *ranges = ARENA_ARRAY(arena, FilesRange, extent_count);
    *count = 0;
    for (int32_t i = extent_at(extents, extent_count, page_of(first)); i < extent_count; i++) {
        const int64_t page = page_of(extents[i].first);
        const int64_t end = page_from(extents[i].first + extents[i].length);
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

/* --- Removing --- */

static bool is_being_read(const Blobs *blobs, int64_t blob)
{
    for (const FilesReader *reader = blobs->readers; reader; reader = reader->next)
        for (uint32_t i = 0; i < reader->descriptor_count; i++)
            if (reader->numbers[i] == blob)
                return true;
    return false;
}

static void blob_remove(Blobs *blobs, int64_t blob)
{
    for (int i = 0; i < OPEN_BLOBS; i++) {
        OpenBlob *row = &blobs->open_blobs[i];
        if (row->blob != blob)
            continue;
        row->blob = 0;
        if (row->readers == 0)
            open_blob_close(row);
    }
    char name[BLOB_NAME];
    snprintf(name, sizeof name, "%" PRId64, blob);
    unlinkat(blobs->folder, name, 0); // otherwise the next start removes it as an orphan
}

/* Frees the disk space of a range; on a file system that cannot, only space is lost. */
static void blob_punch(const Blobs *blobs, DeadRange range)
{
    int descriptor = blob_open(blobs, range.blob, O_WRONLY);
    if (descriptor < 0)
        return;
    (void)!fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)range.position,
                     (off_t)range.length);
    close(descriptor);
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
        else if (dead.length > 0 && is_being_read(blobs, dead.blob))
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

/* --- The folder --- */

static bool machine_failed(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("files", 0, 0), "%s %s: %s", doing, path,
                       strerror(errno));
}

/* The name of an unnamed_file until it is removed. */
static const char passing_name[] = "unnamed";

static void warn(Blobs *blobs, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void warn(Blobs *blobs, const char *format, ...)
{
    char line[sizeof((Status *)NULL)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    problems_add(store_warnings(blobs->store), STATUS_MACHINE,
                 place_in(store_folder(blobs->store), 0, 0), "%s", line);
}

/* A file of contents that no extent refers to: a kill left it, or the database has lost what it
 * knew of the file. */
static void set_blob_aside(Blobs *blobs, const char *name)
{
    struct stat about = {0};
    (void)!fstatat(blobs->folder, name, &about, AT_SYMLINK_NOFOLLOW);
    const char *path = set_aside(blobs->arena, store_folder(blobs->store), blobs->folder, name);
    if (path)
        warn(blobs, "contents %s (%jd bytes) belong to no file; they are kept as %s", name,
             (intmax_t)about.st_size, path);
    else
        warn(blobs, "contents %s belong to no file, and cannot be set aside: %s", name,
             strerror(errno));
}

/* Sets aside what is not used, and returns the number of blobs that are. Files with other names are
 * not the store's. */
static int64_t sort_folder(Blobs *blobs, DIR *folder)
{
    int64_t used = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *end;
        const int64_t blob = strtoll(entry->d_name, &end, 10);
        const bool is_blob = *end == '\0' && blob > 0;
        if (strcmp(entry->d_name, passing_name) == 0)
            unlinkat(blobs->folder, entry->d_name, 0);
        else if (is_blob && tables_number(blobs->tables, QUERY_FILES_BLOB_IS_USED, "i", blob) > 0)
            used++;
        else if (is_blob)
            set_blob_aside(blobs, entry->d_name);
    }
    return used;
}

static bool has_blob(const Blobs *blobs, int64_t blob, int64_t bytes)
{
    char name[BLOB_NAME];
    struct stat about;
    snprintf(name, sizeof name, "%" PRId64, blob);
    return fstatat(blobs->folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && about.st_size >= bytes;
}

/* Removes the files whose blobs are missing or too short, and names them. */
static bool remove_lost_files(Blobs *blobs, Status *status)
{
    Arena *arena = blobs->arena;
    int64_t *lost = NULL;
    uint32_t count = 0, capacity = 0;
    sqlite3_stmt *rows = tables_ask(blobs->tables, QUERY_FILES_NEEDS, "");
    while (tables_next(blobs->tables, rows)) {
        const int64_t blob = sqlite3_column_int64(rows, 3);
        if (has_blob(blobs, blob, sqlite3_column_int64(rows, 4)))
            continue;
        warn(blobs, "the file \"%s\" of share %s/%s has lost its contents, and is removed",
             (const char *)sqlite3_column_text(rows, 2), (const char *)sqlite3_column_text(rows, 0),
             (const char *)sqlite3_column_text(rows, 1));
        lost = array_room(arena, lost, count + 1, &capacity, sizeof *lost);
        lost[count++] = blob;
    }
    if (count > 0 && !store_begin(blobs->store, status))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        tables_do(blobs->tables, QUERY_FILES_ENTRIES_WITH_BLOB, "i", lost[i]);
        tables_do(blobs->tables, QUERY_FILES_EXTENTS_WITH_BLOB, "i", lost[i]);
    }
    return true;
}

static bool has_all_blobs(Blobs *blobs, int64_t used, Status *status)
{
    const int64_t known = tables_number(blobs->tables, QUERY_FILES_BLOB_COUNT, "");
    if (store_recovers(blobs->store))
        return remove_lost_files(blobs, status);
    if (used >= known)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(store_folder(blobs->store), 0, 0),
                "%" PRId64 " of the %" PRId64 " contents of its files are missing", known - used,
                known);
    return status_hint(status, STORE_DAMAGE_HINT);
}

bool contents_open(Blobs *blobs, Arena *arena, Store *store, Tables *tables, Status *status)
{
    *blobs = (Blobs){.arena = arena, .store = store, .tables = tables, .folder = -1};
    for (int i = 0; i < OPEN_BLOBS; i++)
        blobs->open_blobs[i].descriptor = -1;
    const char *path = state_path(blobs->arena, store_folder(blobs->store), STATE_CONTENTS);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return machine_failed("cannot make the folder", path, status);
    blobs->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    int again = blobs->folder >= 0 ? dup(blobs->folder) : -1;
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    if (!folder) {
        if (again >= 0)
            close(again);
        return machine_failed("cannot open the folder", path, status);
    }
    const int64_t used = sort_folder(blobs, folder);
    closedir(folder);
    return has_all_blobs(blobs, used, status);
}

void contents_close(Blobs *blobs)
{
    while (blobs->readers)
        files_reader_close(blobs->readers);
    contents_sweep(blobs);
    for (int i = 0; i < OPEN_BLOBS; i++)
        open_blob_close(&blobs->open_blobs[i]);
    if (blobs->folder >= 0)
        close(blobs->folder);
}

int unnamed_file(Blobs *blobs)
{
    int descriptor =
        openat(blobs->folder, passing_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        tables_fail(blobs->tables, errno);
    else
        unlinkat(blobs->folder, passing_name, 0);
    return descriptor;
}
