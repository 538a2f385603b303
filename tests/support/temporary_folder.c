#include "tests/support/temporary_folder.h"

#include <check.h>
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/cli/files.h"

const char *temporary_folder_create(Arena *arena)
{
    const char *parent = getenv("TMPDIR");
    char *folder = arena_printf(arena, "%s/trainyard-XXXXXX", parent && *parent ? parent : "/tmp");
    invariant(mkdtemp(folder) != NULL);
    return folder;
}

void temporary_folder_remove(const char *folder)
{
    Status status;
    invariant(folder_remove(folder, &status));
}

void temporary_file_write(const char *folder, const char *name, const void *bytes, size_t length)
{
    Text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    Status status;
    invariant(file_write(path.data, bytes, length, &status));
    text_free(&path);
}

char *temporary_file_text(Arena *arena, const char *path)
{
    char *text;
    size_t length;
    Status status;
    ck_assert_msg(file_read(arena, path, (size_t)1 << 26, &text, &length, &status), "%s",
                  status.message);
    return text;
}
