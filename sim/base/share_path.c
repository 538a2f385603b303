#include "sim/base/share_path.h"

#include <stdbool.h>
#include <string.h>

const char *share_path_below(const char *path, Arena *arena)
{
    if (*path == '/')
        return NULL;
    char *below = arena_alloc(arena, strlen(path) + 1);
    size_t used = 0;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
        bool is_up = length == 2 && part[0] == '.' && part[1] == '.';
        if (is_up)
            return NULL;
        bool is_here = length == 0 || (length == 1 && part[0] == '.');
        if (!is_here) {
            if (used > 0)
                below[used++] = '/';
            memcpy(below + used, part, length);
            used += length;
        }
        part += length;
        part += *part == '/';
    }
    return used > 0 ? below : NULL;
}
