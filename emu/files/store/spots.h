/* Places on a share: what clients and the world have there, and which of it shows. */
#ifndef EMU_FILES_SPOTS_H
#define EMU_FILES_SPOTS_H

#include "emu/files/store/file_names.h"
#include "emu/files/store/operation.h"

typedef enum { SHOWS_NOTHING, SHOWS_CLIENTS, SHOWS_WORLDS } Shows;

/* A place in a directory, and what is there. */
typedef struct {
    Directory above;
    FileName name;
    bool is_root; /* the share's root directory: above and name say nothing */
    bool has_client, has_world;
    EntryRow client;
    WorldRow world;
    Shows shows;
} Spot;

EntryRow entry_row(sqlite3_stmt *row, Arena *arena);
void entry_put(FileStore *files, int64_t share, int64_t parent, const EntryRow *row);
Spot spot_find(FileStore *files, Arena *arena, const Directory *above, FileName name);
/* The place that a path leads to; FILES_NO_PARENT when the directory above is not there. With
 * `is_writing` clients have that directory afterwards. */
FilesFailure spot_walk(FileStore *files, Arena *arena, ShareName share, const char *path,
                       bool is_writing, Spot *spot);
bool spot_is_directory(const Spot *spot);
/* The directory there is at the place, both sides' part of it. */
Directory spot_directory(FileStore *files, const Spot *spot);
/* Everything in a directory behind `marker` that begins with `prefix`, both folded, by name; at
 * most `max`. */
Spot *spots_list(FileStore *files, Arena *arena, const Directory *directory, const char *prefix,
                 const char *marker, int32_t max, int32_t *count);
/* Clients have a copy of what is there. */
void spot_own(FileStore *files, Spot *spot);
/* A copy of what the world shows at a place, as an entry of its own elsewhere. */
EntryRow spot_copy(FileStore *files, const Spot *spot, int64_t share, int64_t parent,
                   FileName name);
/* The same of all that it shows in a directory. */
void directory_copy(FileStore *files, const Directory *from, int64_t share, int64_t parent);
/* Writes clients' row back, with a new ETag. */
void spot_put(FileStore *files, Spot *spot);
/* Takes clients' row out, and leaves a mark where the world has something. Contents stay. */
void spot_leave(FileStore *files, const Spot *spot);
FilesEntry spot_entry(FileStore *files, const Spot *spot, Arena *arena);

#endif
