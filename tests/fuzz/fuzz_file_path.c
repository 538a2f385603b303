/* Paths on shares on any bytes: what is taken consists of names that lead nowhere else, and folding
 * a folded name changes nothing. */
#include <stdint.h>
#include <string.h>

#include "emu/files/store/file_names.h"
#include "sim/base/invariant.h"
#include "sim/base/share_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(FileName name)
{
    size_t length = strlen(name.name);
    invariant(length > 0 && length <= 3 * FILE_NAME_MAX);
    invariant(strspn(name.name, ".") < length && !strpbrk(name.name, "/\\:*?\"<>|\n\r\t"));
    invariant(strlen(name.folded) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *text = arena_strndup(arena, (const char *)data, size);
    FileName *names;
    int32_t count;
    if (file_path_split(arena, text, &names, &count)) {
        invariant(count <= FILE_DEPTH_MAX);
        for (int32_t i = 0; i < count; i++)
            check_name(names[i]);
    }
    const char *dotless = file_path_without_dots(arena, text);
    invariant(strcmp(file_path_without_dots(arena, dotless), dotless) == 0);
    const char *folded = file_name_fold(arena, text);
    invariant(strcmp(file_name_fold(arena, folded), folded) == 0);
    if (share_name_is_valid(text))
        invariant(file_path_split(arena, text, &names, &count) || strlen(text) < 5);
    const char *below = share_path_below(text, arena);
    invariant(!below || (*below && *below != '/' && !strstr(below, "//")));
    arena_destroy(arena);
    return 0;
}
