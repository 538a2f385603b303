#include "emu/files_difference.h"

#include <string.h>

#include "sim/output/array.h"

enum { PAGE = 4096 };

/* A file at one of the two times. */
typedef struct {
    FilesReader *reader; /* NULL: it is not there */
    FilesRange *ranges;
    int32_t count;
    int32_t at; /* the first range that does not end before the page that is looked at */
} Side;

static FilesFailure open_side(FileStore *files, Arena *arena, ShareName share, const char *path,
                              FilesRange within, Side *side)
{
    int64_t bytes;
    *side = (Side){0};
    FilesFailure failure = files_open(files, share, path, &side->reader, &bytes);
    if (failure != FILES_OK)
        side->reader = NULL;
    else
        failure = files_ranges(files, arena, share, path, within.first, within.last, &side->ranges,
                               &side->count);
    return failure;
}

static void close_side(Side *side)
{
    if (side->reader)
        files_reader_close(side->reader);
}

/* Whether something is written in the page at `first`. Pages are asked for in order. */
static bool is_written(Side *side, int64_t first)
{
    while (side->at < side->count && side->ranges[side->at].last < first)
        side->at++;
    return side->at < side->count && side->ranges[side->at].first < first + PAGE;
}

/* The first page from `first` on that one of the two has written; INT64_MAX: none. */
static int64_t next_page(const Side *sides, int64_t first)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        const Side *side = &sides[i];
        if (side->at == side->count)
            continue;
        const int64_t page = side->ranges[side->at].first / PAGE * PAGE;
        const int64_t from = page > first ? page : first;
        next = from < next ? from : next;
    }
    return next;
}

/* What is not there is zeros. */
static bool read_page(const Side *side, int64_t first, char room[PAGE])
{
    memset(room, 0, PAGE);
    return !side->reader || files_read(side->reader, first, room, PAGE) >= 0;
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

/* `sides`: before and now. */
static FilesFailure compare(Side *sides, FilesRange within, Changes *changes)
{
    char before[PAGE], now[PAGE];
    int64_t first = within.first / PAGE * PAGE;
    while (true) {
        const bool was = is_written(&sides[0], first), is = is_written(&sides[1], first);
        if (!was && !is) {
            first = next_page(sides, first);
            if (first == INT64_MAX)
                return FILES_OK;
            continue;
        }
        if (!read_page(&sides[0], first, before) || !read_page(&sides[1], first, now))
            return FILES_MACHINE;
        const FilesRange page = {first > within.first ? first : within.first,
                                 first + PAGE - 1 < within.last ? first + PAGE - 1 : within.last};
        if (page.first > page.last)
            return FILES_OK;
        if (was != is || memcmp(before, now, PAGE) != 0)
            add(changes, page, !is);
        first += PAGE;
    }
}

FilesFailure files_difference(FileStore *files, Arena *arena, ShareName before, ShareName now,
                              const char *path, FilesRange within, FilesChange **changes,
                              int32_t *count)
{
    Side sides[2];
    Changes found = {.arena = arena};
    FilesFailure failure = open_side(files, arena, now, path, within, &sides[1]);
    if (failure != FILES_OK)
        return failure;
    failure = open_side(files, arena, before, path, within, &sides[0]);
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
