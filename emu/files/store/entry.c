#include "emu/files/store/entry.h"

#include <string.h>

#include "sim/cloud/storage/share.h"

ShareName share_name_read(Arena *arena, const char *name)
{
    const char *slash = strchr(name, '/'), *container = share_container(name);
    if (!slash)
        return (ShareName){0};
    return (ShareName){.account = arena_strndup(arena, name, (size_t)(slash - name)),
                       .share = container ? container : slash + 1,
                       .is_container = container != NULL};
}

const char *share_name_text(Arena *arena, ShareName name)
{
    return name.is_container ? share_name_of_blob(arena, name.account, name.share)
                             : arena_printf(arena, "%s/%s", name.account, name.share);
}

const char *share_row_name(Arena *arena, ShareName name)
{
    return share_name_text(arena, name) + strlen(name.account) + 1;
}

bool share_row_is_container(const char *row_name)
{
    return strchr(row_name, ':') != NULL;
}

const char *files_failure_reason(FilesFailure failure)
{
    static const char *const reasons[] = {
#define X(name, reason) reason,
        FILES_FAILURES(X)
#undef X
    };
    return reasons[failure];
}
