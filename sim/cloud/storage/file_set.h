/* The files of the world: on shares, and on a node while a command line runs there.
 *
 * A volume is a share (its ShareId) or a disk of a node (file_set_new_disk). Writing a file again
 * replaces its row, unless the row was kept (file_set_keep): then a new row gets the name. A
 * directory exists while it has entries, or since file_set_make_directory. Paths are relative to
 * the volume; empty parts and "." are ignored. Nothing that happens in the world depends on the
 * order of files. */
#ifndef SIM_CLOUD_STORAGE_FILE_SET_H
#define SIM_CLOUD_STORAGE_FILE_SET_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/cloud/record/ids.h"

/* Numbers of files count from 1. */
#define FILE_NONE 0

/* A part of a file: text, or the contents of another file. */
typedef struct {
    const char *text; /* NULL: the contents of `file` */
    int64_t length;   /* of the text */
    uint32_t file;
} FilePart;

typedef struct {
    uint32_t volume;
    const char *path;
    int64_t bytes;
    int64_t at_ns;
    JobId job;      /* the job that wrote it; ID_NONE: uploaded */
    bool has_parts; /* its contents are known */
    int32_t part_count;
    const FilePart *parts;
    int32_t depth;          /* of references to other files; 0: all parts are text */
    const char *local_path; /* of an upload: a file of this machine with the contents; or NULL */
    bool is_kept;           /* see file_set_keep */
} StoredFile;

typedef struct FileSet FileSet;

FileSet *file_set_create(Arena *arena);
/* A new, empty volume for a disk. */
uint32_t file_set_new_disk(FileSet *files);

/* The file of that name; FILE_NONE: there is none. */
uint32_t file_set_find(const FileSet *files, uint32_t volume, const char *path);
/* NULL: the file is forgotten. */
const StoredFile *file_set_at(const FileSet *files, uint32_t file);
/* Adds a file, which replaces another file of its name; returns its number. Strings are borrowed.
 */
uint32_t file_set_put(FileSet *files, const StoredFile *file);
void file_set_remove(FileSet *files, uint32_t volume, const char *path);
/* Keeps the file's row: the number refers to the present contents even after the file is written
 * again. */
void file_set_keep(FileSet *files, uint32_t file);

/* Forgets the uploaded files that were removed or replaced, unless they were kept. */
void file_set_forget_removed(FileSet *files);
/* Removes and forgets all files of a volume, of which none was kept or written by a job. */
void file_set_forget_volume(FileSet *files, uint32_t volume);
/* Calls `found` for every file which is still there, and that a job has written or that was kept.
 */
void file_set_each_needed(const FileSet *files, void *context,
                          void (*found)(void *context, const StoredFile *file));

/* Whether a directory exists. "" is the volume itself, which always exists. */
bool file_set_has_directory(const FileSet *files, uint32_t volume, const char *path);
/* Makes a directory and all directories above it. */
void file_set_make_directory(FileSet *files, uint32_t volume, const char *path);

#endif
