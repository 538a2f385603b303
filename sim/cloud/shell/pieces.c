#include "sim/cloud/shell/pieces.h"

#include <string.h>

#include "sim/model/bounded.h"

/* The parts of a file with at most this many parts are copied. */
enum { PIECES_TAKEN_OVER = 16 };

void *pieces_room(Arena *arena, void *items, int32_t count, int32_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = 2 * *capacity + 8;
    void *more = arena_alloc_array(arena, (size_t)*capacity, size);
    if (count > 0)
        memcpy(more, items, (size_t)count * size);
    return more;
}

void parts_add(PartList *list, const FileSet *files, FilePart part)
{
    const StoredFile *file = part.text == NULL ? file_set_at(files, part.file) : NULL;
    list->items = pieces_room(list->arena, list->items, list->count, &list->capacity, sizeof part);
    list->items[list->count++] = part;
    list->bytes = bounded_add(list->bytes, file != NULL ? file->bytes : part.length);
    if (file != NULL && list->depth <= file->depth)
        list->depth = file->depth + 1;
}

void parts_add_file(PartList *list, FileSet *files, uint32_t number)
{
    const StoredFile *file = file_set_at(files, number);
    if (file->has_parts && file->part_count <= PIECES_TAKEN_OVER) {
        for (int32_t i = 0; i < file->part_count; i++)
            parts_add(list, files, file->parts[i]);
        return;
    }
    file_set_keep(files, number);
    parts_add(list, files, (FilePart){.file = number});
}
