#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/jobs/beneath.h"
#include "emu/jobs/run_files_inside.h"
#include "sim/base/array.h"
#include "sim/cli/files.h"

enum { ROUND_LAID = 1 }; /* rounds of looking count on from there; 0: never seen */

/* A file or directory at the time when it was last copied out or examined. */
struct Entry {
    const char *path; /* below the folder, without slashes around it */
    bool is_folder;
    bool is_own;       /* the command has made or changed it */
    bool is_due;       /* to be taken */
    bool is_replaced;  /* by one of the other kind: the old one goes first */
    bool was_added_to; /* taken in pieces: once more as a whole */
    bool has_failed;   /* could not be taken: tried once more at the end */
    uint32_t round;    /* of looking, in which it was there */
    int64_t bytes;
    int64_t taken_bytes;
    uint64_t number;
    struct timespec modified, changed;
};

/* --- Shared with run_files_lay.c --- */

const char *run_files_relative(const char *path)
{
    return path + strspn(path, "/");
}

bool run_files_cannot(const char *what, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "cannot %s: %s", what,
                       strerror(errno));
}

bool run_files_is_fine(const char *what, const char *path, FilesFailure failure, Status *status)
{
    if (failure != FILES_NO_SPACE && failure != FILES_MACHINE)
        return true;
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "cannot be %s: %s", what,
                       files_failure_reason(failure));
}

void run_files_close_file(RunFiles *files)
{
    if (files->reader)
        files_reader_close(files->reader);
    if (files->descriptor >= 0)
        close(files->descriptor);
    files->reader = NULL;
    files->descriptor = -1;
}

/* --- Life --- */

/* Removes everything at that path. */
static bool make_free(const RunFiles *files, const char *path, Status *status)
{
    int above;
    const char *name = beneath_open_above(files->folder, run_files_relative(path), false, &above);
    if (!name)
        return true; // nor can anything be there
    const bool is_free = folder_remove_at(above, name) || run_files_cannot("remove", path, status);
    close(above);
    return is_free;
}

RunFiles *run_files_open(FileStore *store, const char *folder, const ShellMount *mounts,
                         int32_t mount_count, Status *status)
{
    const int root = open(folder, BENEATH_FOLDER_FLAGS);
    if (root < 0) {
        run_files_cannot("open", folder, status);
        return NULL;
    }
    Arena *arena = arena_create();
    RunFiles *files = ARENA_NEW(arena, RunFiles);
    *files = (RunFiles){.store = store,
                        .arena = arena,
                        .folder = root,
                        .mounts = mounts,
                        .mount_count = mount_count,
                        .by_path = name_table_create(arena),
                        .descriptor = -1,
                        .chunk = arena_alloc(arena, CHUNK)};
    bool is_ready = true;
    for (int32_t i = 0; is_ready && i < mount_count; i++)
        is_ready = make_free(files, mounts[i].path, status);
    for (int32_t i = 0; is_ready && i < mount_count; i++)
        is_ready = run_files_make_folder(files, mounts[i].path, status);
    if (is_ready)
        return files;
    run_files_close(files);
    return NULL;
}

void run_files_close(RunFiles *files)
{
    if (!files)
        return;
    run_files_close_file(files);
    close(files->folder);
    arena_destroy(files->arena);
}

bool run_files_make_folder(RunFiles *files, const char *path, Status *status)
{
    const int folder = beneath_open_folder(files->folder, run_files_relative(path), true);
    if (folder < 0)
        return run_files_cannot("make", path, status);
    close(folder);
    return true;
}

int run_files_create(RunFiles *files, const char *path, Status *status)
{
    // What is laid out there is not written over but replaced.
    int above;
    const char *name = beneath_open_above(files->folder, run_files_relative(path), true, &above);
    int file = -1;
    if (name && folder_remove_at(above, name))
        file = openat(above, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        run_files_cannot("make", path, status);
    if (name)
        close(above);
    return file;
}

/* --- Entries --- */

static Entry *entry_of(RunFiles *files, const char *path)
{
    uint32_t index;
    if (name_table_find(files->by_path, path, &index))
        return &files->entries[index];
    files->entries = array_room(files->arena, files->entries, files->count + 1, &files->capacity,
                                sizeof *files->entries);
    Entry *entry = &files->entries[files->count];
    *entry = (Entry){.path = arena_strdup(files->arena, path), .taken_bytes = -1};
    name_table_set(files->by_path, path, files->count++);
    return entry;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_as_noted(const Entry *entry, const struct stat *facts)
{
    return entry->round > 0 && entry->bytes == facts->st_size &&
           entry->number == (uint64_t)facts->st_ino &&
           is_same_time(entry->modified, facts->st_mtim) &&
           is_same_time(entry->changed, facts->st_ctim);
}

static void note(Entry *entry, const struct stat *facts, uint32_t round)
{
    if (entry->number != (uint64_t)facts->st_ino)
        entry->taken_bytes = -1; // another file of that name
    entry->bytes = facts->st_size;
    entry->number = (uint64_t)facts->st_ino;
    entry->modified = facts->st_mtim;
    entry->changed = facts->st_ctim;
    entry->round = round;
}

/* Returns the mount that contains a path, and in `*inside` the path in its share. NULL for a path
 * on the node's disk, or on a mount that is not a share of Azure Files. */
static const ShellMount *mount_of(const RunFiles *files, Arena *arena, const char *path,
                                  const char **inside)
{
    const ShellMount *found = NULL;
    size_t longest = 0;
    for (int32_t i = 0; i < files->mount_count; i++) {
        const char *at = run_files_relative(files->mounts[i].path);
        const size_t length = strlen(at);
        if (length > longest && strncmp(path, at, length) == 0 && path[length] == '/') {
            found = &files->mounts[i];
            longest = length;
        }
    }
    if (!found || file_server_is_share(found->share))
        return NULL;
    *inside = *found->folder == '\0'
                  ? path + longest + 1
                  : arena_printf(arena, "%s/%s", found->folder, path + longest + 1);
    return found;
}

static void leave_out(RunFiles *files, const char *path, const char *why)
{
    if (files->left_out++ == 0)
        files->left_out_first = arena_printf(files->arena, "%s (%s)", path, why);
}

static void leave_out_entry(RunFiles *files, Entry *entry, const char *why)
{
    entry->has_failed = true;
    leave_out(files, entry->path, why);
}

const char *run_files_left_out(const RunFiles *files, Arena *arena)
{
    if (files->left_out == 0)
        return NULL;
    return files->left_out == 1 ? arena_strdup(arena, files->left_out_first)
                                : arena_printf(arena, "%s and %lld more", files->left_out_first,
                                               (long long)files->left_out - 1);
}

int64_t run_files_bytes(const RunFiles *files)
{
    return files->own_bytes;
}

int64_t run_files_count(const RunFiles *files)
{
    return files->count;
}

/* --- Looking --- */

static void look_at(RunFiles *files, const char *path, const struct stat *facts)
{
    Entry *entry = entry_of(files, path);
    const bool is_folder = S_ISDIR(facts->st_mode);
    if (files->round == ROUND_LAID) { // as the command finds it
        entry->is_folder = is_folder;
        note(entry, facts, files->round);
        return;
    }
    if (!is_folder && !is_as_noted(entry, facts))
        entry->is_own = entry->is_due = true;
    if (is_folder && entry->round == 0)
        entry->is_own = entry->is_due = true;
    if (entry->round > 0 && entry->is_folder != is_folder)
        entry->is_replaced = entry->is_own = entry->is_due = true;
    entry->is_folder = is_folder;
    note(entry, facts, files->round);
    if (entry->is_own)
        files->own_bytes += facts->st_size > LEAST_BYTES ? facts->st_size : LEAST_BYTES;
}

/* An entry that cannot be copied back: on a share, the message at the end names it. */
static void look_at_odd(RunFiles *files, const char *path, mode_t mode)
{
    const char *inside;
    if (files->is_last && mount_of(files, files->arena, path, &inside))
        leave_out(files, arena_printf(files->arena, "/%s", path),
                  S_ISLNK(mode)                    ? "a link"
                  : S_ISREG(mode) || S_ISDIR(mode) ? "too deep"
                                                   : "no plain file");
}

/* All in a directory, whose descriptor it closes; `path` is its own, "" for the folder. */
static void look_into(RunFiles *files, int folder, const char *path, int depth)
{
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    if (!entries) {
        if (folder >= 0)
            close(folder);
        return; // it has just gone, or was shut
    }
    for (const struct dirent *one; (one = readdir(entries)) != NULL;) {
        char inner[PATH_MAX];
        struct stat facts;
        if (strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0 ||
            fstatat(folder, one->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        const int length =
            snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "/" : "", one->d_name);
        const bool is_folder = S_ISDIR(facts.st_mode);
        const bool is_reached = length < (int)sizeof inner && depth < DEPTH_MAX;
        if (is_reached && (S_ISREG(facts.st_mode) || is_folder))
            look_at(files, inner, &facts);
        else
            look_at_odd(files, inner, facts.st_mode);
        if (is_reached && is_folder)
            look_into(files, openat(folder, one->d_name, BENEATH_FOLDER_FLAGS), inner, depth + 1);
    }
    closedir(entries);
}

static void look_at_all(RunFiles *files)
{
    look_into(files, beneath_open_folder(files->folder, "", false), "", 0);
}

void run_files_note_all(RunFiles *files)
{
    files->round = ROUND_LAID;
    look_at_all(files);
}

/* --- Taking --- */

static bool is_gone(const RunFiles *files, const Entry *entry)
{
    return entry->round > 0 && entry->round < files->round;
}

static bool take_removal(RunFiles *files, Entry *entry, Status *status)
{
    const char *inside;
    Arena *arena = arena_create();
    const ShellMount *mount = mount_of(files, arena, entry->path, &inside);
    FilesFailure failure = FILES_OK;
    const bool was_folder = entry->is_folder != entry->is_replaced;
    if (mount && !was_folder)
        failure = files_file_delete(files->store, share_name_read(arena, mount->share), inside);
    else if (mount)
        failure =
            files_directory_delete(files->store, share_name_read(arena, mount->share), inside);
    arena_destroy(arena);
    if (!entry->is_replaced) {
        entry->round = 0; // as if it had never been there
        entry->is_due = entry->has_failed = false;
    }
    entry->is_replaced = entry->was_added_to = false;
    entry->taken_bytes = -1;
    return run_files_is_fine("deleted", entry->path, failure, status);
}

static bool take_folder(RunFiles *files, Entry *entry, Status *status)
{
    const char *inside;
    Arena *arena = arena_create();
    const ShellMount *mount = mount_of(files, arena, entry->path, &inside);
    FilesFailure failure = FILES_OK;
    if (mount)
        failure = files_directory_create(files->store, share_name_read(arena, mount->share), inside,
                                         NULL);
    arena_destroy(arena);
    entry->is_due = entry->has_failed = false;
    if (failure != FILES_OK && failure != FILES_EXISTS)
        leave_out_entry(files, entry, files_failure_reason(failure));
    return run_files_is_fine("taken", entry->path, failure, status);
}

/* Opens a file to be taken; `files->descriptor` stays -1 where there is nothing to take. */
static bool begin_taking(RunFiles *files, Entry *entry, bool last, ShareName share,
                         const char *inside, Status *status)
{
    struct stat facts;
    const int file = beneath_open_file(files->folder, entry->path, O_RDONLY, false);
    entry->has_failed = false;
    if (file < 0 || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        if (file >= 0)
            close(file);
        else if (errno == EACCES)
            leave_out_entry(files, entry, "it cannot be read");
        return true; // else: the next look finds what it has become
    }
    const bool is_longer = !last && entry->taken_bytes >= 0 && facts.st_size > entry->taken_bytes &&
                           entry->number == (uint64_t)facts.st_ino;
    FilesFailure failure = FILES_OK;
    if (!is_longer)
        failure = files_file_create(files->store, share, inside, 0, NULL, NULL);
    if (failure != FILES_OK) {
        close(file);
        leave_out_entry(files, entry, files_failure_reason(failure));
        return run_files_is_fine("taken", entry->path, failure, status);
    }
    entry->was_added_to = is_longer;
    if (!is_longer)
        entry->taken_bytes = 0;
    files->position = entry->taken_bytes;
    files->descriptor = file;
    return true;
}

/* Copies the next piece. Its size changes in the same step, so that no reader sees one without the
 * other. `*got` 0: the file is complete. */
static bool take_piece(RunFiles *files, Entry *entry, ShareName share, const char *inside,
                       int64_t *got, Status *status)
{
    do {
        *got = pread(files->descriptor, files->chunk, CHUNK, (off_t)files->position);
    } while (*got < 0 && errno == EINTR);
    if (*got < 0)
        return run_files_cannot("read", entry->path, status);
    if (*got == 0)
        return true;
    FilesFailure failure =
        files_change(files->store, share, inside, files->position + *got, NULL, NULL, NULL);
    if (failure == FILES_OK)
        failure = files_write(files->store, share, inside, files->position, *got, files->chunk);
    if (failure != FILES_OK) { // its share is gone, or a client has deleted the file
        *got = 0;
        entry->taken_bytes = -1;
        leave_out_entry(files, entry, files_failure_reason(failure));
        return run_files_is_fine("taken", entry->path, failure, status);
    }
    files->position += *got;
    entry->taken_bytes = files->position;
    return true;
}

/* `*left` is what this step may still take. */
static bool take_file(RunFiles *files, Entry *entry, bool last, int64_t *left, Status *status)
{
    const char *inside;
    Arena *arena = arena_create();
    const ShellMount *mount = mount_of(files, arena, entry->path, &inside);
    bool is_well = true;
    int64_t got = 0;
    if (mount) {
        const ShareName share = share_name_read(arena, mount->share);
        if (files->descriptor < 0)
            is_well = begin_taking(files, entry, last, share, inside, status);
        if (is_well && files->descriptor >= 0)
            is_well = take_piece(files, entry, share, inside, &got, status);
    }
    arena_destroy(arena);
    *left -= got + LEAST_BYTES;
    if (got == 0) {
        run_files_close_file(files);
        entry->is_due = false;
    }
    return is_well;
}

static void look(RunFiles *files, bool last)
{
    files->round++;
    files->own_bytes = 0;
    files->is_looking = true;
    files->is_last = last;
    if (last)
        files->left_out = 0;
    look_at_all(files);
    files->next = 0;
    files->to_remove = files->count;
    for (uint32_t i = 0; last && i < files->count; i++)
        if (files->entries[i].was_added_to || files->entries[i].has_failed)
            files->entries[i].is_due = true;
}

/* One entry, or a piece of it. */
static bool take(RunFiles *files, Entry *entry, int64_t *left, Status *status)
{
    if (!entry->is_due)
        return true;
    if (!entry->is_folder)
        return take_file(files, entry, files->is_last, left, status);
    *left -= LEAST_BYTES;
    return take_folder(files, entry, status);
}

RunFilesStep run_files_take(RunFiles *files, bool last, Status *status)
{
    int64_t left = STEP_BYTES;
    if (!files->is_looking)
        look(files, last);
    // Deleted entries first, so that new ones find their names free. A directory precedes its
    // entries, so the loop runs from the end.
    for (; files->to_remove > 0; files->to_remove--) {
        Entry *entry = &files->entries[files->to_remove - 1];
        if (!is_gone(files, entry) && !entry->is_replaced)
            continue;
        if (left <= 0)
            return RUN_FILES_MORE;
        left -= LEAST_BYTES;
        if (!take_removal(files, entry, status))
            return RUN_FILES_FAILED;
    }
    while (files->next < files->count) {
        Entry *entry = &files->entries[files->next];
        if (left <= 0)
            return RUN_FILES_MORE;
        if (!take(files, entry, &left, status))
            return RUN_FILES_FAILED;
        if (!entry->is_due)
            files->next++;
    }
    files->is_looking = false;
    return last && !files->is_last ? RUN_FILES_MORE : RUN_FILES_DONE;
}
