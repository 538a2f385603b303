/* Private to sim/cloud/shell: bytes on their way, piece by piece. */
#ifndef SIM_CLOUD_SHELL_PIECES_H
#define SIM_CLOUD_SHELL_PIECES_H

#include "sim/cloud/shell/shell.h"

/* Room for one more of `items`, which are `size` bytes each; returns the items, moved or not. */
void *pieces_room(Arena *arena, void *items, int32_t count, int32_t *capacity, size_t size);

typedef struct {
    Arena *arena;
    int32_t count, capacity;
    FilePart *items;
    int64_t bytes;
    int32_t depth; /* as StoredFile's */
} PartList;

void parts_add(PartList *list, const FileSet *files, FilePart part);
/* All that is in a file: its pieces where they are few, else the file itself, which is kept. */
void parts_add_file(PartList *list, FileSet *files, uint32_t file);

#endif
