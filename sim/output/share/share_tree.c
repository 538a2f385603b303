#include "sim/output/share/share_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/share_path.h"
#include "sim/output/share/log_folder.h"
#include "sim/output/share/written_file.h"

/* A deleted file, or a deleted share with all its files. */
typedef struct {
    const char *share;
    const char *path; /* NULL: all files of the share */
    int64_t at_ns;
} Deletion;

struct ShareTree {
    Arena *arena;
    WrittenFile *files; /* in order of time */
    uint32_t count;
    uint32_t capacity;
    Deletion *deletions; /* in order of time */
    uint32_t deletion_count;
    uint32_t deletion_capacity;
};

ShareTree *share_tree_create(Arena *arena)
{
    ShareTree *tree = ARENA_NEW(arena, ShareTree);
    tree->arena = arena;
    return tree;
}

static bool is_of(const Deletion *deletion, const char *share, const char *path)
{
    return strcmp(deletion->share, share) == 0 &&
           (!deletion->path || (path && strcmp(deletion->path, path) == 0));
}

static void keep_deletion(ShareTree *tree, Deletion deletion)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        if (!is_of(&deletion, tree->files[i].share, tree->files[i].path))
            tree->files[left++] = tree->files[i];
    tree->count = left;
    tree->deletions = array_room(tree->arena, tree->deletions, tree->deletion_count + 1,
                                 &tree->deletion_capacity, sizeof *tree->deletions);
    tree->deletions[tree->deletion_count++] = deletion;
}

static void keep_row(void *listener, const TraceRow *row)
{
    ShareTree *tree = listener;
    const TraceRecord *record = &row->record;
    bool is_share = record->kind == TRACE_RESOURCE_DELETED && row->share != NULL;
    if (is_share || record->kind == TRACE_FILE_DELETED)
        keep_deletion(tree, (Deletion){.share = row->share,
                                       .path = is_share ? NULL : record->name,
                                       .at_ns = record->at_ns});
    WrittenFile file;
    if (!written_file_of(row, &file))
        return;
    tree->files =
        array_room(tree->arena, tree->files, tree->count + 1, &tree->capacity, sizeof *tree->files);
    tree->files[tree->count++] = file;
}

TraceListener share_tree_listener(ShareTree *tree)
{
    return (TraceListener){.listener = tree, .level = TRACE_LEVEL_JOBS, .row = keep_row};
}

/* --- Paths --- */

/* Fails for the machine's error errno at `path`. The path is copied into the message: it may not
 * live as long as the status. */
static bool machine_failed(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in("share", 0, 0), "%s %s: %s", doing, path,
                       strerror(errno));
}

/* {folder}/share/{account}/{share}/{path}; NULL and a status when that is not below the share's
 * folder. */
static const char *place_of(const char *folder, const char *share, const char *path, Arena *arena,
                            Status *status)
{
    const char *share_below = share_path_below(share, arena);
    const char *below = share_path_below(path, arena);
    if (share_below && below)
        return arena_printf(arena, "%s/share/%s/%s", folder, share_below, below);
    status_fail(status, STATUS_BAD_INPUT, place_in(share, 0, 0),
                "\"%s\" is not a path inside the share", path);
    status_hint(status, "paths on a share have no \"..\" and begin with no \"/\"");
    return NULL;
}

/* Creates the folders above `path`. */
static bool folders_make(const char *path, Arena *arena, Status *status)
{
    char *part = arena_strdup(arena, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return machine_failed("cannot make the folder", part, status);
        *slash = '/';
    }
    return true;
}

/* --- Contents --- */

static void write_to_stream(void *to, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, to); // errors are reported by ferror, checked once at the end
}

static ByteSink stream_sink(FILE *stream)
{
    return (ByteSink){stream, write_to_stream};
}

static bool copy_local(const char *local_path, FILE *to, Status *status)
{
    FILE *from = fopen(local_path, "rb");
    if (!from)
        return machine_failed("cannot read the file to upload,", local_path, status);
    char buffer[1 << 16];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, from)) > 0;)
        fwrite(buffer, 1, got, to);
    bool is_good =
        !ferror(from) || machine_failed("cannot read the file to upload,", local_path, status);
    fclose(from);
    return is_good;
}

static bool write_unknown(const WrittenFile *file, const char *notice, FILE *to, Status *status)
{
    fputs(notice, to);
    return (fflush(to) == 0 && ftruncate(fileno(to), (off_t)file->bytes) == 0) ||
           machine_failed("cannot write", file->path, status);
}

static bool write_contents(const World *world, const WrittenFile *file, FILE *to, Status *status)
{
    const WrittenContents contents = written_file_contents(world, file);
    switch (contents.kind) {
    case CONTENTS_LOCAL:
        return copy_local(contents.local_path, to, status);
    case CONTENTS_MODEL:
        return keras_model_write(&contents.model, stream_sink(to), status);
    case CONTENTS_PARTS:
        return written_bytes(world, file->file, stream_sink(to), status);
    case CONTENTS_UNKNOWN:
        break;
    }
    return write_unknown(file, contents.notice, to, status);
}

/* --- Files --- */

/* A file that is being written. */
typedef struct {
    const char *place;
    const char *partial; /* next to the final path, until the file is complete */
    FILE *stream;
} FileInWork;

static bool file_begin(FileInWork *file, const char *place, Arena *arena, Status *status)
{
    file->place = place;
    file->partial = arena_printf(arena, "%s.partial", place);
    if (!folders_make(place, arena, status))
        return false;
    file->stream = fopen(file->partial, "wb");
    return file->stream || machine_failed("cannot write", file->partial, status);
}

/* Closes the file. Moves it to its final path when `is_good`, otherwise removes it. */
static bool file_end(FileInWork *file, bool is_good, int64_t modified_unix_ms, Status *status)
{
    struct timespec modified = {.tv_sec = modified_unix_ms / 1000,
                                .tv_nsec = modified_unix_ms % 1000 * 1000000};
    if (is_good && (fflush(file->stream) != 0 || ferror(file->stream) ||
                    futimens(fileno(file->stream), (struct timespec[]){modified, modified}) != 0))
        is_good = machine_failed("cannot write", file->partial, status);
    if (fclose(file->stream) != 0 && is_good)
        is_good = machine_failed("cannot write", file->partial, status);
    if (is_good && rename(file->partial, file->place) != 0)
        is_good = machine_failed("cannot move a file to", file->place, status);
    if (!is_good)
        remove(file->partial);
    return is_good;
}

static bool write_recorded(const World *world, const WrittenFile *file, const char *folder,
                           Status *status)
{
    Arena *arena = arena_create();
    const char *place = place_of(folder, file->share, file->path, arena, status);
    FileInWork out;
    bool is_good = place && file_begin(&out, place, arena, status);
    if (is_good)
        is_good = file_end(&out, write_contents(world, file, out.stream, status),
                           world_unix_ms(world, file->at_ns), status);
    arena_destroy(arena);
    return is_good;
}

/* Whether a file, or its whole share, was deleted at `since_ns` or later. */
static bool is_deleted(const ShareTree *tree, const char *share, const char *path, int64_t since_ns)
{
    for (uint32_t i = tree->deletion_count; i-- > 0 && tree->deletions[i].at_ns >= since_ns;)
        if (is_of(&tree->deletions[i], share, path))
            return true;
    return false;
}

/* The output of a command of real execution is where the command ran. It must not be replaced by
 * trainyard's file, which would be empty. */
static bool is_written_outside(const World *world, LogFolder logs, const FileEntry *entry)
{
    return logs.job.index != ID_NONE && entry->bytes == 0 &&
           world_job(world, logs.job)->spec->program->kind == PROGRAM_REAL;
}

static bool write_log(const ShareTree *tree, const World *world, LogFolder logs,
                      const FileEntry *entry, const char *folder, Arena *arena, Status *status)
{
    const char *share = log_folder_share(world, logs);
    const char *path =
        arena_printf(arena, "%s/%s", log_folder_path(world, logs, arena), entry->name);
    if (is_deleted(tree, share, path, log_folder_since_ns(world, logs, entry)))
        return true;
    const char *place = place_of(folder, share, path, arena, status);
    FileInWork out;
    if (!place)
        return false;
    if (is_written_outside(world, logs, entry) && access(place, F_OK) == 0)
        return true;
    if (!file_begin(&out, place, arena, status))
        return false;
    bool is_there =
        log_folder_write(world, logs, entry->name, world_now_ns(world), stream_sink(out.stream));
    invariant(is_there); // the file was just listed
    return file_end(&out, true, entry->modified_unix_ms, status);
}

static bool write_logs(const ShareTree *tree, const World *world, LogFolder logs,
                       const char *folder, Status *status)
{
    if (!log_folder_share(world, logs))
        return true;
    Arena *arena = arena_create();
    int32_t count;
    FileEntry *entries = log_folder_list(world, logs, world_now_ns(world), arena, &count);
    bool is_good = true;
    for (int32_t i = 0; i < count && is_good; i++)
        is_good = write_log(tree, world, logs, &entries[i], folder, arena, status);
    arena_destroy(arena);
    return is_good;
}

static bool write_share_folders(const ShareTree *tree, const World *world, const char *folder,
                                Status *status)
{
    Arena *arena = arena_create();
    bool is_good = true;
    for (uint32_t i = 0; is_good && (i = world_next_share(world, i)) < world_share_count(world);
         i++) {
        const char *name = share_name(world_share(world, (ShareId){i}));
        if (world_share_is_gone(world, (ShareId){i}) && is_deleted(tree, name, NULL, 0))
            continue;
        const char *place = place_of(folder, name, "x", arena, status);
        is_good = place && folders_make(place, arena, status);
    }
    arena_destroy(arena);
    return is_good;
}

bool share_tree_write(const ShareTree *tree, const World *world, const char *folder, Status *status)
{
    bool is_good = write_share_folders(tree, world, folder, status);
    for (uint32_t i = 0; i < tree->count && is_good; i++)
        is_good = write_recorded(world, &tree->files[i], folder, status);
    for (uint32_t i = 0; is_good && (i = world_next_cluster(world, i)) < world_cluster_count(world);
         i++)
        is_good = write_logs(tree, world, log_folder_of_cluster((ClusterId){i}), folder, status);
    for (uint32_t i = 0; i < world_job_count(world) && is_good; i++)
        is_good = write_logs(tree, world, log_folder_of_job((JobId){i}), folder, status);
    return is_good;
}
