#include "sim/base/share_path.h"

#include <string.h>

bool share_path_leads_up(const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.')
            return true;
        path += length + (path[length] == '/');
    }
    return false;
}

const char *share_path_below(const char *path, Arena *arena)
{
    if (*path == '/' || share_path_leads_up(path))
        return NULL;
    char *below = arena_alloc(arena, strlen(path) + 1);
    size_t used = 0;
    for (const char *part = path; *part;) {
        size_t length = strcspn(part, "/");
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
