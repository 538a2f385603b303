#include "emu/state/state_folder.h"

#include "sim/cli/files.h"

static const char *const names[] = {
#define X(name, text) [STATE_##name] = (text),
    STATE_NAMES(X)
#undef X
        [STATE_NAME_COUNT] = NULL};

const char *state_path(Arena *arena, const char *folder, StateName name)
{
    return arena_printf(arena, "%s/%s", folder, names[name]);
}

bool state_folder_is_ours(const char *folder, Status *status)
{
    const FolderMark mark = {.maker = "emulator",
                             .option = "--state",
                             .mark = names[STATE_DATABASE],
                             .beginning = "", // SQLite says what is no database
                             .replaced = names};
    return folder_is_ours(folder, &mark, status);
}
