/* Places on a share: the entries of clients and of the world there, and which of them is visible.
 */
#ifndef EMU_FILES_SPOTS_H
#define EMU_FILES_SPOTS_H

#include "emu/files/store/file_names.h"
#include "emu/files/store/operation.h"

typedef enum { SHOWS_NOTHING, SHOWS_CLIENTS, SHOWS_WORLDS } Shows;

/* A place in a directory, and its entries. */
typedef struct {
    Directory above;
    FileName name;
    bool is_root; /* the share's root directory: `above` and `name` are unused */
    bool has_client, has_world;
    EntryRow client;
    WorldRow world;
    Shows shows;
} Spot;

EntryRow entry_row(sqlite3_stmt *row, Arena *arena);
void entry_put(FileStore *files, int64_t share, int64_t parent, const EntryRow *row);
Spot spot_find(FileStore *files, Arena *arena, const Directory *above, FileName name);
/* Finds the place of a path; FILES_NO_PARENT if the directory above does not exist. With
 * `is_writing` clients own that directory afterwards. */
FilesFailure spot_walk(FileStore *files, Arena *arena, ShareName share, const char *path,
                       bool is_writing, Spot *spot);
bool spot_is_directory(const Spot *spot);
/* The directory at the place, with the parts of clients and of the world. */
Directory spot_directory(FileStore *files, const Spot *spot);
/* At most `max` entries of a directory after `marker` that begin with `prefix`, ordered by name;
 * both are folded. */
Spot *spots_list(FileStore *files, Arena *arena, const Directory *directory, const char *prefix,
                 const char *marker, int32_t max, int32_t *count);
/* Gives clients a copy of the world's entry at the place. */
void spot_own(FileStore *files, Spot *spot);
/* Copies the world's entry at a place to another directory. */
EntryRow spot_copy(FileStore *files, const Spot *spot, int64_t share, int64_t parent,
                   FileName name);
/* Copies all of the world's entries in a directory. */
void directory_copy(FileStore *files, const Directory *from, int64_t share, int64_t parent);
/* Writes the clients' row, with a new ETag. */
void spot_put(FileStore *files, Spot *spot);
/* Removes the clients' row, and leaves a mark if the world has an entry there. The contents are
 * kept. */
void spot_leave(FileStore *files, const Spot *spot);
FilesEntry spot_entry(FileStore *files, const Spot *spot, Arena *arena);

#endif
