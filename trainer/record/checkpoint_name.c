#include "trainer/record/checkpoint_name.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/array.h"

static const char prefix[] = "checkpoint-", within[] = "-step-", ending[] = ".h5";

int checkpoint_point_compare(CheckpointPoint a, CheckpointPoint b)
{
    if (a.epochs != b.epochs)
        return a.epochs < b.epochs ? -1 : 1;
    return (a.steps > b.steps) - (a.steps < b.steps);
}

const char *checkpoint_path(Arena *arena, const char *folder, CheckpointPoint point)
{
    if (point.steps == 0)
        return arena_printf(arena, "%s/%s%" PRId64 "%s", folder, prefix, point.epochs, ending);
    return arena_printf(arena, "%s/%s%" PRId64 "%s%" PRId64 "%s", folder, prefix, point.epochs,
                        within, point.steps, ending);
}

/* Moves `*text` to the end of `word`, with which it begins. */
static bool skip(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

static bool read_number(const char **text, int64_t *number)
{
    const size_t count = strspn(*text, "0123456789");
    if (count == 0 || count > 18 || ((*text)[0] == '0' && count > 1))
        return false;
    *number = strtoll(*text, NULL, 10);
    *text += count;
    return true;
}

bool checkpoint_point_of(const char *name, CheckpointPoint *point)
{
    *point = (CheckpointPoint){0};
    if (!skip(&name, prefix) || !read_number(&name, &point->epochs))
        return false;
    if (skip(&name, within) && (!read_number(&name, &point->steps) || point->steps == 0))
        return false;
    return strcmp(name, ending) == 0;
}

static int by_point(const void *left, const void *right)
{
    return checkpoint_point_compare(*(const CheckpointPoint *)left,
                                    *(const CheckpointPoint *)right);
}

CheckpointPoint *checkpoint_points(Arena *arena, const char *folder, int32_t *count)
{
    DIR *entries = opendir(folder);
    CheckpointPoint *points = NULL, point;
    uint32_t found = 0, capacity = 0;
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        if (!checkpoint_point_of(entry->d_name, &point))
            continue;
        points = array_room(arena, points, found + 1, &capacity, sizeof *points);
        points[found++] = point;
    }
    if (entries)
        closedir(entries);
    if (found > 1)
        qsort(points, found, sizeof *points, by_point);
    *count = (int32_t)found;
    return points;
}

bool checkpoint_latest_point(const char *folder, CheckpointPoint most, CheckpointPoint *latest)
{
    DIR *entries = opendir(folder);
    bool is_found = false;
    if (!entries)
        return false;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        CheckpointPoint point;
        if (!checkpoint_point_of(entry->d_name, &point) ||
            checkpoint_point_compare(point, most) > 0 ||
            (is_found && checkpoint_point_compare(point, *latest) < 0))
            continue;
        *latest = point;
        is_found = true;
    }
    closedir(entries);
    return is_found;
}

const char *checkpoint_latest(Arena *arena, const char *folder, CheckpointPoint most)
{
    CheckpointPoint latest;
    return checkpoint_latest_point(folder, most, &latest) ? checkpoint_path(arena, folder, latest)
                                                          : NULL;
}

void checkpoint_remove_from(Arena *arena, const char *folder, CheckpointPoint first)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        CheckpointPoint other;
        if (checkpoint_point_of(entry->d_name, &other) && other.epochs == first.epochs &&
            other.steps >= first.steps)
            (void)unlink(arena_printf(arena, "%s/%s", folder, entry->d_name));
    }
    closedir(entries);
}
