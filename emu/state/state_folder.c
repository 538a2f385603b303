#include "emu/state/state_folder.h"

#include <string.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/cli/files.h"

static const char *const names[] = {
#define X(name, text) [STATE_##name] = (text),
    STATE_NAMES(X)
#undef X
        [STATE_NAME_COUNT] = NULL};

const char *state_name(StateName name)
{
    return names[name];
}

const char *state_path(Arena *arena, const char *folder, StateName name)
{
    return arena_printf(arena, "%s/%s", folder, names[name]);
}

bool state_folder_is_ours(const char *folder, Status *status)
{
    const FolderMark mark = {.maker = "emulator",
                             .option = "--state",
                             .mark = names[STATE_DATABASE],
                             .beginning = "", // SQLite reports a file that is not a database
                             .replaced = names};
    return folder_is_ours(folder, &mark, status);
}

static bool is_there(Arena *arena, const char *path, size_t length)
{
    return access(arena_strndup(arena, path, length), F_OK) == 0;
}

/* The length of the path of the folder that contains the path of `length` bytes; 0: the path has
 * one part. */
static size_t length_above(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

StateBefore state_folder_before(const char *folder)
{
    Arena *arena = arena_create();
    StateBefore before = {.length = strlen(folder)};
    while (before.length > 0 && !is_there(arena, folder, before.length))
        before.length = length_above(folder, before.length);
    before.has_database = access(state_path(arena, folder, STATE_DATABASE), F_OK) == 0;
    arena_destroy(arena);
    return before;
}

void state_folder_withdraw(const char *folder, StateBefore before)
{
    if (before.has_database)
        return;
    Arena *arena = arena_create();
    Status ignored = {0}; // leftovers do no harm: the start itself has failed
    for (int name = 0; name < STATE_NAME_COUNT; name++)
        (void)!folder_remove(state_path(arena, folder, (StateName)name), &ignored);
    for (size_t length = strlen(folder);
         length > before.length && rmdir(arena_strndup(arena, folder, length)) == 0;)
        length = length_above(folder, length);
    arena_destroy(arena);
}
