/* Private to sim/cloud/shell: lists of parts, the contents of pipes and files. */
#ifndef SIM_CLOUD_SHELL_PIECES_H
#define SIM_CLOUD_SHELL_PIECES_H

#include "sim/cloud/shell/shell.h"

/* Makes room for one more of `items`, which are `size` bytes each; returns their new address. */
void *pieces_room(Arena *arena, void *items, int32_t count, int32_t *capacity, size_t size);

typedef struct {
    Arena *arena;
    int32_t count, capacity;
    FilePart *items;
    int64_t bytes;
    int32_t depth; /* as StoredFile's */
} PartList;

void parts_add(PartList *list, const FileSet *files, FilePart part);
/* Adds the contents of a file: its parts if they are few, else a reference to the file, which is
 * kept (file_set_keep). */
void parts_add_file(PartList *list, FileSet *files, uint32_t file);

#endif
