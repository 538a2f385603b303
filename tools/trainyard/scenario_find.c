#include "tools/trainyard/scenario_find.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/array.h"
#include "sim/cli/files.h"

static void add_path(Arena *arena, ScenarioPaths *paths, const char *path)
{
    paths->items =
        array_room(arena, paths->items, paths->count + 1, &paths->capacity, sizeof *paths->items);
    paths->items[paths->count++] = path;
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool walk(Arena *arena, const char *folder, ScenarioPaths *paths, Status *status)
{
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return file_failed(folder, status);
    bool is_fine = true;
    for (const struct dirent *entry; is_fine && (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);
        struct stat facts;
        if (lstat(path, &facts) != 0)
            is_fine = file_failed(path, status);
        else if (S_ISDIR(facts.st_mode))
            is_fine = walk(arena, path, paths, status);
        else if (strcmp(entry->d_name, "scenario.json") == 0 ||
                 strcmp(entry->d_name, "study.json") == 0)
            add_path(arena, paths, path);
    }
    closedir(entries);
    return is_fine;
}

static const char *without_last_slashes(Arena *arena, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return arena_strndup(arena, path, length);
}

bool scenario_find(Arena *arena, const char *path, ScenarioPaths *paths, Status *status)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        add_path(arena, paths, path); // errors in a file are reported when it is read
        return true;
    }
    const uint32_t before = paths->count;
    if (!walk(arena, without_last_slashes(arena, path), paths, status))
        return false;
    if (paths->count == before)
        return status_fail(status, STATUS_NOT_FOUND, place_in(path, 0, 0),
                           "no scenario.json or study.json in this folder or below");
    qsort(paths->items + before, paths->count - before, sizeof *paths->items, by_bytes);
    return true;
}
