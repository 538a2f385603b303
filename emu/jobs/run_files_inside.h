/* The inside of a run's files, for run_files.c and run_files_lay.c alone. */
#ifndef EMU_RUN_FILES_INSIDE_H
#define EMU_RUN_FILES_INSIDE_H

#include "emu/jobs/run_files.h"
#include "sim/base/name_table.h"

/* A directory that is deeper is needed by no job; each level has an open directory. */
enum { DEPTH_MAX = 100, CHUNK = 1 << 20, STEP_BYTES = 32 << 20, LEAST_BYTES = 4096 };

typedef struct Entry Entry;
typedef struct ToLay ToLay;

struct RunFiles {
    FileStore *store;
    Arena *arena;
    int folder;
    int32_t mount_count;
    const ShellMount *mounts;
    Entry *entries;
    uint32_t count, capacity;
    NameTable *by_path;
    ToLay *to_lay;
    uint32_t to_lay_count, to_lay_capacity, laid;
    FilesReader *reader; /* of the file that is being laid out */
    int descriptor;      /* of that, or of the one that is being taken; -1 */
    int64_t position;
    bool is_listed;     /* to_lay is whole */
    bool is_looking;    /* entries are being removed and taken */
    bool is_last;       /* so they are for the last time */
    uint32_t to_remove; /* entries in front that may be gone */
    uint32_t next;      /* the first that may be due */
    uint32_t round;
    int64_t own_bytes, left_out;
    const char *left_out_first;
    char *chunk;
};

/* A path of the node relative to the folder. */
const char *run_files_relative(const char *path);
/* "cannot `what`", with the reason in errno. Returns false. */
bool run_files_cannot(const char *what, const char *path, Status *status);
/* Returns false with a status if the failure's cause is the machine; other failures are the
 * command's or a client's. `what`: "laid out". */
bool run_files_is_fine(const char *what, const char *path, FilesFailure failure, Status *status);
/* Closes the file that is being laid out or taken. */
void run_files_close_file(RunFiles *files);
/* Records all files as the command finds them. */
void run_files_note_all(RunFiles *files);

#endif
