#include "sim/cloud/shell/place.h"

#include <string.h>

#include "sim/base/invariant.h"

/* At a greater depth of references (StoredFile.depth) only the size of a file is known. */
enum { DEPTH_MOST = 200 };

/* An absolute path without "." and "..", and without a slash at its end. */
static const char *tidy(Arena *arena, const char *directory, const char *path)
{
    char *out = arena_alloc(arena, strlen(directory) + strlen(path) + 3);
    const char *const pieces[] = {*path == '/' ? "" : directory, path};
    size_t used = 0;
    for (int i = 0; i < 2; i++)
        for (const char *part = pieces[i]; *part != '\0';) {
            size_t length = strcspn(part, "/");
            bool is_up = length == 2 && part[0] == '.' && part[1] == '.';
            bool is_here = length == 0 || (length == 1 && part[0] == '.');
            if (is_up) {
                while (used > 0 && out[--used] != '/')
                    ;
            } else if (!is_here) {
                out[used++] = '/';
                memcpy(out + used, part, length);
                used += length;
            }
            part += length + (part[length] == '/');
        }
    out[used] = '\0';
    return out;
}

/* The mount that holds an absolute path, and the rest of the path; -1: none. */
static int32_t find_mount(const ShellScript *script, const char *path, const char **inside)
{
    int32_t found = -1;
    size_t longest = 0;
    for (int32_t i = 0; i < script->mount_count; i++) {
        size_t length = strlen(script->mounts[i].path);
        if (length > longest && strncmp(path, script->mounts[i].path, length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            found = i;
            longest = length;
        }
    }
    *inside = path + longest + (path[longest] == '/');
    return found;
}

ShellPlace shell_place(ShellRun *run, const char *path)
{
    const ShellSettings *settings = run->settings;
    const char *inside;
    const char *absolute = tidy(settings->arena, run->directory, path);
    int32_t mount = find_mount(settings->script, absolute, &inside);
    if (mount < 0)
        return (ShellPlace){
            .volume = run->disk, .path = inside, .is_null = strcmp(absolute, "/dev/null") == 0};
    const char *folder = settings->script->mounts[mount].folder;
    if (*folder != '\0')
        inside =
            arena_printf(settings->arena, "%s%s%s", folder, *inside != '\0' ? "/" : "", inside);
    return (ShellPlace){.volume = settings->volumes[mount], .path = inside, .is_share = true};
}

const char *shell_absolute(ShellRun *run, const char *path)
{
    return tidy(run->settings->arena, run->directory, path);
}

bool shell_is_directory(const ShellRun *run, ShellPlace place)
{
    return !place.is_null && file_set_has_directory(run->settings->files, place.volume, place.path);
}

uint32_t shell_find(const ShellRun *run, ShellPlace place)
{
    return file_set_find(run->settings->files, place.volume, place.path);
}

const char *shell_cannot_write(const ShellRun *run, ShellPlace place)
{
    if (place.is_null)
        return NULL;
    if (shell_is_directory(run, place))
        return "Is a directory";
    Arena *arena = run->settings->arena;
    const char *slash = strrchr(place.path, '/');
    ShellPlace above = place;
    above.path =
        slash != NULL ? arena_strndup(arena, place.path, (size_t)(slash - place.path)) : "";
    if (shell_find(run, above) != FILE_NONE)
        return "Not a directory";
    bool is_there = place.is_share || shell_is_directory(run, above);
    return is_there ? NULL : "No such file or directory";
}

/* Lists the file once among the changes; shell_continue fills in its state at the end. */
static void note_change(ShellRun *run, ShellPlace place)
{
    for (int32_t i = 0; i < run->change_count; i++)
        if (run->changes[i].volume == place.volume && strcmp(run->changes[i].path, place.path) == 0)
            return;
    run->changes = pieces_room(run->settings->arena, run->changes, run->change_count,
                               &run->change_capacity, sizeof *run->changes);
    run->changes[run->change_count++] = (ShellChange){.volume = place.volume, .path = place.path};
}

void shell_write(ShellRun *run, ShellPlace place, const PartList *contents)
{
    if (place.is_null)
        return;
    if (place.is_share)
        note_change(run, place);
    bool has_parts = contents->bytes <= SHELL_BYTES_MOST && contents->depth <= DEPTH_MOST;
    FilePart *parts = NULL;
    if (has_parts && contents->count > 0) {
        parts = ARENA_ARRAY(run->settings->arena, FilePart, contents->count);
        memcpy(parts, contents->items, (size_t)contents->count * sizeof *parts);
    }
    file_set_put(run->settings->files, &(StoredFile){.volume = place.volume,
                                                     .path = place.path,
                                                     .bytes = contents->bytes,
                                                     .at_ns = run->now_ns,
                                                     .job = run->settings->job,
                                                     .has_parts = has_parts,
                                                     .part_count = has_parts ? contents->count : 0,
                                                     .parts = parts,
                                                     .depth = has_parts ? contents->depth : 0});
}

void shell_remove(ShellRun *run, ShellPlace place)
{
    if (place.is_null)
        return;
    if (place.is_share)
        note_change(run, place);
    file_set_remove(run->settings->files, place.volume, place.path);
}
