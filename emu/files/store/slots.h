/* Slots of a directory: the entries of clients and of the world under one name, and which of them
 * is visible.
 */
#ifndef EMU_FILES_SLOTS_H
#define EMU_FILES_SLOTS_H

#include "emu/files/store/file_names.h"
#include "emu/files/store/operation.h"

typedef enum { SHOWS_NOTHING, SHOWS_CLIENTS, SHOWS_WORLDS } Shows;

/* A name in a directory, and its entries. */
typedef struct {
    Directory above;
    FileName name;
    bool is_root; /* the share's root directory: `above` and `name` are unused */
    bool has_client, has_world;
    EntryRow client;
    WorldRow world;
    Shows shows;
} Slot;

void entry_put(FileStore *files, int64_t share, int64_t parent, const EntryRow *row);
/* Finds the place of a path; FILES_NO_PARENT if the directory above does not exist. With
 * `is_writing` clients own that directory afterwards. */
FilesFailure slot_walk(FileStore *files, Arena *arena, ShareName share, const char *path,
                       bool is_writing, Slot *slot);
/* The place of an existing file. */
FilesFailure slot_find_file(FileStore *files, Arena *arena, ShareName share, const char *path,
                            Slot *slot);
/* The place of a file that may exist, in a directory that clients own; FILES_OTHER_KIND: it is a
 * directory. */
FilesFailure slot_walk_file(FileStore *files, Arena *arena, ShareName share, const char *path,
                            Slot *slot);
bool slot_is_directory(const Slot *slot);
/* The bytes of the visible entry; measures it first, if it is the world's. */
int64_t slot_bytes(FileStore *files, Slot *slot);
/* The directory at the place, with the parts of clients and of the world. */
Directory slot_directory(FileStore *files, const Slot *slot);
/* At most `max` entries of a directory after `marker` that begin with `prefix`, ordered by name;
 * both are folded. */
Slot *slots_list(FileStore *files, Arena *arena, const Directory *directory, const char *prefix,
                 const char *marker, int32_t max, int32_t *count);
/* Gives clients a copy of the world's entry at the place. */
void slot_own(FileStore *files, Slot *slot);
/* Copies all of the world's entries in a directory. */
void directory_copy(FileStore *files, const Directory *from, int64_t share, int64_t parent);
/* Writes the clients' row, with a new ETag. */
void slot_put(FileStore *files, Slot *slot);
/* The row of an entry that a client creates at the place. */
EntryRow slot_new_row(FileStore *files, const Slot *slot, FilesKind kind, const char *properties,
                      const char *metadata);
/* Writes a new row in place of the clients' row, whose contents are dropped. */
void slot_replace(FileStore *files, Slot *slot, EntryRow row);
/* Removes the clients' row, and leaves a mark if the world has an entry there. The contents are
 * kept. */
void slot_leave(FileStore *files, const Slot *slot);
FilesEntry slot_entry(FileStore *files, const Slot *slot, Arena *arena);

#endif
