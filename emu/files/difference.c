#include "emu/files/difference.h"

#include <string.h>

#include "sim/base/array.h"

/* Ordered ranges of pages, which are read page by page. */
typedef struct {
    FilesRange *ranges;
    int32_t count;
    int32_t at; /* the first range that does not end before the current page */
} Pages;

enum { BLOCK = 64 << 10 }; // bytes of one read

/* The file at one of the two times. */
typedef struct {
    FilesReader *reader; /* NULL: the file does not exist */
    Pages written, cleared;
    char *block;
    int64_t block_first; /* -1: none was read yet */
} Side;

static FilesFailure open_side(FileStore *files, Arena *arena, FileAt at, FilesRange within,
                              Side *side)
{
    int64_t bytes;
    *side = (Side){.block = arena_alloc(arena, BLOCK), .block_first = -1};
    FilesFailure failure = files_open(files, at.share, at.path, &side->reader, &bytes);
    if (failure == FILES_OK)
        failure = files_ranges(files, arena, at.share, at.path, FILES_WRITTEN, within.first,
                               within.last, &side->written.ranges, &side->written.count);
    if (failure == FILES_OK)
        failure = files_ranges(files, arena, at.share, at.path, FILES_CLEARED, within.first,
                               within.last, &side->cleared.ranges, &side->cleared.count);
    return failure;
}

static void close_side(Side *side)
{
    if (side->reader)
        files_reader_close(side->reader);
}

/* Whether the page at `first` is among them. `*end` is reduced to the page where that changes.
 * Pages are queried in order. */
static bool has_page(Pages *pages, int64_t first, int64_t *end)
{
    while (pages->at < pages->count && pages->ranges[pages->at].last < first)
        pages->at++;
    if (pages->at == pages->count)
        return false;
    const FilesRange range = pages->ranges[pages->at];
    const int64_t begin = range.first / FILES_PAGE * FILES_PAGE;
    const bool is_there = begin <= first;
    const int64_t changes = is_there ? (range.last / FILES_PAGE + 1) * FILES_PAGE : begin;
    *end = changes < *end ? changes : *end;
    return is_there;
}

typedef enum { NEVER_WRITTEN, CLEARED, WRITTEN } PageState;

static PageState page_state(Side *side, int64_t first, int64_t *end)
{
    const bool is_cleared = has_page(&side->cleared, first, end);
    return has_page(&side->written, first, end) ? WRITTEN : is_cleared ? CLEARED : NEVER_WRITTEN;
}

/* The bytes of a page, with zeros where nothing is stored. NULL: the disk failed. */
static const char *page_bytes(Side *side, int64_t first)
{
    const int64_t block = first / BLOCK * BLOCK;
    if (side->block_first != block) {
        memset(side->block, 0, BLOCK);
        if (side->reader && files_read(side->reader, block, side->block, BLOCK) < 0)
            return NULL;
        side->block_first = block;
    }
    return side->block + (first - block);
}

typedef struct {
    Arena *arena;
    FilesChange *items;
    uint32_t count, capacity;
} Changes;

static void add(Changes *changes, FilesRange range, bool is_clear)
{
    FilesChange *last = changes->count > 0 ? &changes->items[changes->count - 1] : NULL;
    if (last && last->is_clear == is_clear && last->range.last + 1 == range.first) {
        last->range.last = range.last;
        return;
    }
    changes->items = array_room(changes->arena, changes->items, changes->count + 1,
                                &changes->capacity, sizeof *changes->items);
    changes->items[changes->count++] = (FilesChange){range, is_clear};
}

/* `sides`: before and now. Advances by runs of pages in the same state; compares bytes page by
 * page. */
static FilesFailure compare(Side *sides, FilesRange within, Changes *changes)
{
    int64_t end;
    for (int64_t first = within.first / FILES_PAGE * FILES_PAGE; first <= within.last;
         first = end) {
        end = INT64_MAX;
        const PageState was = page_state(&sides[0], first, &end);
        const PageState is = page_state(&sides[1], first, &end);
        bool has_changed = was != is && (was == WRITTEN || is != NEVER_WRITTEN);
        if (was == WRITTEN && is == WRITTEN) {
            const char *before = page_bytes(&sides[0], first);
            const char *now = page_bytes(&sides[1], first);
            if (!before || !now)
                return files_reader_failure(sides[before ? 1 : 0].reader);
            has_changed = memcmp(before, now, FILES_PAGE) != 0;
            end = first + FILES_PAGE;
        }
        const FilesRange run = {first > within.first ? first : within.first,
                                end - 1 < within.last ? end - 1 : within.last};
        if (has_changed)
            add(changes, run, is != WRITTEN);
    }
    return FILES_OK;
}

FilesFailure files_difference(FileStore *files, Arena *arena, FileAt before, FileAt now,
                              FilesRange within, FilesChange **changes, int32_t *count)
{
    Side sides[2];
    Changes found = {.arena = arena};
    FilesFailure failure = open_side(files, arena, now, within, &sides[1]);
    if (failure != FILES_OK)
        return failure;
    failure = open_side(files, arena, before, within, &sides[0]);
    if (failure == FILES_NO_RESOURCE || failure == FILES_NO_PARENT)
        failure = FILES_OK;
    if (failure == FILES_OK)
        failure = compare(sides, within, &found);
    close_side(&sides[0]);
    close_side(&sides[1]);
    *changes = found.items;
    *count = (int32_t)found.count;
    return failure;
}
