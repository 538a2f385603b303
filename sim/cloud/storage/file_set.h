/* The files that the world knows of: on shares, and on a node while a command line runs there.
 *
 * A volume is a share, by its ShareId, or a disk of a node (file_set_new_disk). A file that is
 * written again is a new row with the same name; a reference to the earlier row keeps its contents
 * (file_set_keep). A directory exists while it has entries, or since it was made. Paths are
 * relative to the volume; empty parts and "." are ignored. The set is never iterated. */
#ifndef SIM_CLOUD_STORAGE_FILE_SET_H
#define SIM_CLOUD_STORAGE_FILE_SET_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/cloud/record/ids.h"

/* A file's number counts from 1: a record without one (TraceRecord.file) has 0. */
#define FILE_NONE 0

/* A piece of a file: text, or all that is in another file. */
typedef struct {
    const char *text; /* NULL: the file */
    int64_t length;   /* of the text */
    uint32_t file;
} FilePart;

typedef struct {
    uint32_t volume;
    const char *path;
    int64_t bytes;
    int64_t at_ns;
    JobId job;      /* who wrote it; ID_NONE: uploaded */
    bool has_parts; /* its contents are known piece by piece */
    int32_t part_count;
    const FilePart *parts;
    int32_t depth;          /* files in files in files: a file of texts alone has 0 */
    const char *local_path; /* of an upload: where its contents are on this machine; or NULL */
    bool is_kept;           /* it is referred to */
} StoredFile;

typedef struct FileSet FileSet;

FileSet *file_set_create(Arena *arena);
/* A volume that is not in use. */
uint32_t file_set_new_disk(FileSet *files);

/* The file of that name; FILE_NONE: there is none. */
uint32_t file_set_find(const FileSet *files, uint32_t volume, const char *path);
const StoredFile *file_set_at(const FileSet *files, uint32_t file);
/* `file` is there from now on, in the place of another of its name; returns its number. Its strings
 * are borrowed. */
uint32_t file_set_put(FileSet *files, const StoredFile *file);
void file_set_remove(FileSet *files, uint32_t volume, const char *path);
/* The present contents stay those of the file's number. */
void file_set_keep(FileSet *files, uint32_t file);

/* "" is the volume itself, which is always there. */
bool file_set_has_directory(const FileSet *files, uint32_t volume, const char *path);
/* With all above it. */
void file_set_make_directory(FileSet *files, uint32_t volume, const char *path);

#endif
