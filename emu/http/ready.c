#include "emu/http/ready.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "emu/state/state_folder.h"
#include "sim/cli/files.h"
#include "sim/schema/plain.h"

enum { FILE_BYTES_MAX = 1 << 16 };

#define OWNER Ready
static const Field ready_fields[] = {
    NEEDED_INTEGER("pid", process, 0, 0, "process of the emulator"),
    NEEDED_TEXT("tls", addresses.tls, "address for https"),
    NEEDED_TEXT("plain", addresses.plain, "address for http"),
    NEEDED_TEXT("userinfo", addresses.userinfo,
                "address for storage URLs with an account before @"),
    NEEDED_TEXT("subscription", subscription, "id of the subscription"),
    NEEDED_TEXT("tenant", tenant, "id of the tenant"),
    NEEDED_TEXT("storage_suffix", storage_suffix, "end of the names of storage hosts"),
    NEEDED_TEXT("state", state_folder, "the state folder"),
    NEEDED_TEXT("ca", ca_path, "the certificate of the development CA"),
    NEEDED_TEXT("ca_bundle", bundle_path, "that certificate and those of the system"),
    NEEDED_BOOLEAN("proxy", has_proxy, "whether it also is a proxy"),
    NEEDED_BOOLEAN("files_only", is_files_only, "whether it serves only Azure Files"),
    {0},
};
#undef OWNER
static const ObjectType ready_type = {"ready file", "A running emulator.", sizeof(Ready),
                                      ready_fields};

const char *ready_path(Arena *arena, const char *state_folder)
{
    return state_path(arena, state_folder, STATE_READY);
}

void ready_print(const Ready *ready, Text *out)
{
    Arena *arena = arena_create();
    Json *root = plain_write(arena, &ready_type, ready);
    json_print(out, root, JSON_INDENTED);
    arena_destroy(arena);
}

bool ready_write(const Ready *ready, const char *path, Status *status)
{
    Text text = {0};
    ready_print(ready, &text);
    const bool is_written = file_write(path, text_string(&text), text.length, status);
    text_free(&text);
    return is_written;
}

static bool no_emulator(const char *state_folder, Status *status)
{
    status_fail(status, STATUS_NOT_FOUND, place_in(state_folder, 0, 0),
                "no emulator serves this folder");
    return status_hint(status, "start \"trainyard serve\" in another shell; --state names its "
                               "folder where it is not here");
}

/* A killed emulator leaves its file. */
static bool is_alive(int64_t process)
{
    return process > 0 && (kill((pid_t)process, 0) == 0 || errno == EPERM);
}

/* The facts in `text`, the contents of `path`; false if they are not what an emulator writes. */
static bool read_facts(Arena *arena, const char *path, const char *text, size_t length,
                       Ready *ready)
{
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, path, text, length, JSON_STRICT, &problems);
    if (root != NULL)
        plain_read(arena, &ready_type, root, ready, &problems);
    return problems.count == 0;
}

bool ready_read(Arena *arena, const char *state_folder, Ready *ready, Status *status)
{
    char *text;
    size_t length;
    Status ignored;
    const char *path = ready_path(arena, state_folder);
    if (!file_read(arena, path, FILE_BYTES_MAX, &text, &length, &ignored))
        return no_emulator(state_folder, status);
    if (!read_facts(arena, path, text, length, ready))
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                           "is not what an emulator writes");
    return is_alive(ready->process) || no_emulator(state_folder, status);
}

void ready_remove(const char *path)
{
    Arena *arena = arena_create();
    char *text;
    size_t length;
    Ready ready;
    Status ignored;
    if (file_read(arena, path, FILE_BYTES_MAX, &text, &length, &ignored) &&
        read_facts(arena, path, text, length, &ready) &&
        (ready.process == getpid() || !is_alive(ready.process)))
        unlink(path);
    arena_destroy(arena);
}
