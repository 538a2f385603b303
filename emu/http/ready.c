#include "emu/http/ready.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "emu/state/state_folder.h"
#include "sim/cli/files.h"
#include "sim/json/json.h"

enum { FILE_BYTES_MAX = 1 << 16 };

/* Rows of the file that are texts. */
static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    {"tls", offsetof(Ready, addresses.tls)},
    {"plain", offsetof(Ready, addresses.plain)},
    {"userinfo", offsetof(Ready, addresses.userinfo)},
    {"subscription", offsetof(Ready, subscription)},
    {"tenant", offsetof(Ready, tenant)},
    {"storage_suffix", offsetof(Ready, storage_suffix)},
    {"state", offsetof(Ready, state_folder)},
    {"ca", offsetof(Ready, ca_path)},
    {"ca_bundle", offsetof(Ready, bundle_path)},
};
enum { TEXT_COUNT = sizeof texts / sizeof *texts };

static const char **text_of(const Ready *ready, size_t row)
{
    return (const char **)((char *)ready + texts[row].offset);
}

const char *ready_path(Arena *arena, const char *state_folder)
{
    return state_path(arena, state_folder, STATE_READY);
}

void ready_print(const Ready *ready, Text *out)
{
    Arena *arena = arena_create();
    Json *root = json_object(arena);
    json_put_integer(arena, root, "pid", ready->process);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        json_put_text(arena, root, texts[i].key, *text_of(ready, i));
    json_put_boolean(arena, root, "proxy", ready->has_proxy);
    json_put_boolean(arena, root, "files_only", ready->is_files_only);
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

static bool take(const Json *root, Ready *ready)
{
    const Json *process = json_member(root, "pid"), *proxy = json_member(root, "proxy"),
               *files = json_member(root, "files_only");
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const Json *text = json_member(root, texts[i].key);
        if (!text || text->kind != JSON_STRING)
            return false;
        *text_of(ready, i) = text->text;
    }
    if (!process || !process->is_integer || !proxy || !files)
        return false;
    ready->process = process->integer;
    ready->has_proxy = proxy->boolean;
    ready->is_files_only = files->boolean;
    return true;
}

/* A killed emulator leaves its file behind. */
static bool is_alive(int64_t process)
{
    return process > 0 && (kill((pid_t)process, 0) == 0 || errno == EPERM);
}

bool ready_read(Arena *arena, const char *state_folder, Ready *ready, Status *status)
{
    char *text;
    size_t length;
    Status ignored;
    Problems problems = problems_create(arena);
    const char *path = ready_path(arena, state_folder);
    if (!file_read(arena, path, FILE_BYTES_MAX, &text, &length, &ignored))
        return no_emulator(state_folder, status);
    const Json *root = json_parse(arena, path, text, length, JSON_STRICT, &problems);
    if (!root || !take(root, ready))
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                           "is not what an emulator writes");
    return is_alive(ready->process) || no_emulator(state_folder, status);
}
