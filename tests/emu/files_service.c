/* Takes the place of the other parts of the emulator in programs that test Azure Files alone. */
#include "tests/emu/files_service.h"

int64_t simulated_unix_ms;
ToldWorld the_world;

int64_t emulator_unix_ms(const Emulator *emulator)
{
    (void)emulator;
    return simulated_unix_ms;
}

const char *arm_storage_key(Emulator *emulator, Arena *arena, const char *account, int which)
{
    (void)emulator;
    const bool is_there = strcmp(account, "pathacct") == 0 || strcmp(account, "other") == 0;
    return is_there ? arena_strdup(arena, which == 0 ? KEY_1 : KEY_2) : NULL;
}

bool session_command(Session *session, const Json *command, const Json *kept, Problems *problems)
{
    (void)session;
    invariant(kept == NULL);
    if (the_world.refuses != STATUS_OK) {
        problems_add(problems, the_world.refuses, place_in("world", 0, 0), "the world says no");
        return false;
    }
    the_world.said = arena_printf(the_world.arena, "%s%s\n", the_world.said,
                                  files_json_print(the_world.arena, command));
    return true;
}

Record *session_find(const Session *session, RecordKind kind, ResourcePath path)
{
    (void)session;
    (void)kind;
    (void)path;
    return NULL;
}

void session_guid(const Session *session, const char *purpose, uint64_t number, char out[GUID_TEXT])
{
    (void)session;
    snprintf(out, GUID_TEXT, "%08x-0000-4000-8000-%012x", (unsigned)strlen(purpose),
             (unsigned)number);
}
