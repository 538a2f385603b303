/* Takes the place of the other parts of the emulator in programs that test Azure Files alone. */
#include "tests/emu/files_service.h"

int64_t simulated_unix_ms;
ToldWorld the_world;

static int64_t now_ms(void *owner)
{
    (void)owner;
    return simulated_unix_ms;
}

static int64_t machine_ms(void *owner)
{
    (void)owner;
    return real_unix_ms;
}

static const char *account_key(void *owner, Arena *arena, const char *account, int which)
{
    (void)owner;
    const bool is_there = strcmp(account, "pathacct") == 0 || strcmp(account, "other") == 0;
    return is_there ? arena_strdup(arena, which == 0 ? KEY_1 : KEY_2) : NULL;
}

static int64_t account_number(void *owner, const char *account)
{
    (void)owner, (void)account;
    return -1;
}

static void new_id(void *owner, const char *purpose, char out[FILES_ID])
{
    (void)owner;
    snprintf(out, FILES_ID, "%08x-0000-4000-8000-%012x", (unsigned)strlen(purpose),
             the_world.requests);
}

static bool enter(void *owner, const Json *command, Problems *problems)
{
    (void)owner;
    if (the_world.refuses != STATUS_OK) {
        problems_add(problems, the_world.refuses, place_in("world", 0, 0), "the world says no");
        return false;
    }
    the_world.said = arena_printf(the_world.arena, "%s%s\n", the_world.said,
                                  files_json_print(the_world.arena, command));
    return true;
}

AzureFiles service_azure(FileStore *files, Store *store)
{
    static const HttpAddresses addresses = {.tls = "127.0.0.1:8443", .plain = "127.0.0.1:8080"};
    return (AzureFiles){.files = files,
                        .store = store,
                        .storage_suffix = "core.windows.net",
                        .addresses = &addresses,
                        .now_ms = now_ms,
                        .machine_ms = machine_ms,
                        .account_key = account_key,
                        .account_number = account_number,
                        .new_id = new_id,
                        .enter = enter};
}
