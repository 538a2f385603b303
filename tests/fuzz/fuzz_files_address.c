/* Any bytes as where a request to Azure Files goes: a line with its host, and then its target; and
 * as a URL inside a request. Whatever is taken is a valid name in every part. */
#include <stdint.h>
#include <string.h>

#include "emu/files/auth/address.h"
#include "emu/files/store/file_names.h"
#include "sim/base/invariant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_address(Arena *arena, const FilesAddress *address)
{
    FileName *names;
    int32_t count;
    invariant(account_name_is_valid(address->account));
    invariant(*address->share == '\0' || share_name_is_valid(address->share));
    invariant(*address->share || !*address->path);
    invariant(file_path_split(arena, address->path, &names, &count));
    for (int32_t i = 0; i < count; i++)
        invariant(strcmp(names[i].name, "..") != 0 && strcmp(names[i].name, ".") != 0 &&
                  !strpbrk(names[i].name, "/\\"));
    invariant(!address->snapshot || !strpbrk(address->snapshot, "/\\"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *text = arena_strndup(arena, (const char *)data, size);
    const size_t host = strcspn(text, "\n");
    const char *target = text[host] ? text + host + 1 : "/";
    const size_t path = strcspn(target, "?");
    HttpRequest request = {.arena = arena,
                           .method_text = "GET",
                           .host = arena_strndup(arena, text, host),
                           .target = arena_strndup(arena, target, path),
                           .query_text = "",
                           .body = ""};
    FilesAddress address;
    if (http_read_query(&request, target[path] ? target + path + 1 : "")) {
        const bool is_ours = files_address_is_ours(&request, "core.windows.net");
        if (files_address_read(&request, "core.windows.net", &address) == AZURE_OK) {
            invariant(is_ours);
            check_address(arena, &address);
        }
    }
    HttpRequest inner;
    if (files_address_read_url(&request, text, "core.windows.net", &inner, &address) == AZURE_OK)
        check_address(arena, &address);
    arena_destroy(arena);
    return 0;
}
