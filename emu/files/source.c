#include "emu/files/source.h"

typedef struct {
    FilesReader *reader;
    int64_t first;
} Contents;

static int64_t contents_read(void *owner, int64_t offset, char *room, size_t length)
{
    const Contents *contents = owner;
    return files_read(contents->reader, contents->first + offset, room, length);
}

static void contents_free(void *owner)
{
    files_reader_close(((Contents *)owner)->reader);
}

HttpSource files_source(Arena *arena, FilesReader *reader, int64_t first)
{
    Contents *contents = ARENA_NEW(arena, Contents);
    *contents = (Contents){reader, first};
    return (HttpSource){contents, contents_read, contents_free};
}
