#define _GNU_SOURCE // mkdtemp, O_TMPFILE
#include "sim/cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/file_source.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/machine_clock.h"

/* Reports that `doing` something to `path` failed, with the reason in errno. A stream that failed
 * earlier has lost its reason: errno is then 0. */
static bool fail_errno(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "%s failed: %s", doing,
                       errno ? strerror(errno) : "not all bytes were written");
}

bool file_failed(const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "%s", strerror(errno));
}

/* --- Reading --- */

/* For ENOTDIR: says which part of `path` is a file, with `code`. */
static bool fail_part_is_file(const char *path, StatusCode code, Status *status)
{
    Text part = {0};
    struct stat facts;
    bool is_file = false;
    for (const char *end = path; *end != '\0' && !is_file;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        text_clear(&part);
        text_append(&part, path, (size_t)(end - path));
        is_file = stat(text_string(&part), &facts) == 0 && !S_ISDIR(facts.st_mode);
    }
    status_fail(status, code, place_in(path, 0, 0), "\"%s\" is a file, expected a folder",
                text_string(&part));
    text_free(&part);
    return false;
}

static bool fail_open_to_read(Arena *arena, const char *path, Status *status)
{
    if (errno == ENOTDIR)
        return fail_part_is_file(path, STATUS_NOT_FOUND, status);
    if (errno != ENOENT)
        return fail_errno("reading", path, status);
    file_is_missing(path, status);
    const char *nearest = file_nearest(arena, path);
    if (nearest != NULL)
        return status_hint(status, "did you mean \"%s\"?", path_beside(arena, path, nearest));
    if (path[0] == '/')
        return false;
    return status_hint(status, "relative paths start from the current folder");
}

static bool fail_folder(const char *path, Status *status)
{
    return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                       "is a folder, expected a file");
}

static bool fail_size(const char *path, size_t bytes_max, Status *status)
{
    enum { MIB = 1 << 20 };
    const bool is_mib = bytes_max % MIB == 0;
    return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                       "the file is larger than the %zu %s allowed",
                       is_mib ? bytes_max / MIB : bytes_max, is_mib ? "MiB" : "bytes");
}

/* The size of a regular file and one byte, which shows that the file has ended; more than
 * `bytes_max` + 1 if it is too large. A block for pipes and the like, which have no size. */
static size_t room_for(int descriptor, size_t bytes_max)
{
    enum { BLOCK_BYTES = 16 * 1024 };
    struct stat facts;
    const bool is_known =
        fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0;
    if (!is_known)
        return BLOCK_BYTES < bytes_max ? BLOCK_BYTES : bytes_max + 1;
    return (size_t)facts.st_size <= bytes_max ? (size_t)facts.st_size + 1 : bytes_max + 2;
}

/* Reads until the end or one byte beyond `bytes_max`. The size is only a guess, because files may
 * grow. */
static bool read_all(int descriptor, const char *path, size_t bytes_max, Arena *arena, char **data,
                     size_t *length, Status *status)
{
    size_t room = room_for(descriptor, bytes_max), filled = 0;
    if (room > bytes_max + 1) // not even read: it may be much larger
        return fail_size(path, bytes_max, status);
    char *bytes = arena_alloc(arena, room + 1);
    while (filled <= bytes_max) {
        if (filled == room) {
            room *= 2;
            char *more = arena_alloc(arena, room + 1);
            memcpy(more, bytes, filled);
            bytes = more;
        }
        const ssize_t count = read(descriptor, bytes + filled, room - filled);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno == EISDIR ? fail_folder(path, status)
                                   : fail_errno("reading", path, status);
        if (count == 0) {
            *data = bytes;
            *length = filled;
            return true;
        }
        filled += (size_t)count;
    }
    return fail_size(path, bytes_max, status);
}

bool file_read(Arena *arena, const char *path, size_t bytes_max, char **data, size_t *length,
               Status *status)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_open_to_read(arena, path, status);
    const bool is_read = read_all(descriptor, path, bytes_max, arena, data, length, status);
    close(descriptor);
    return is_read;
}

/* --- Writing --- */

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

enum { OWN_PATH = 40 };

/* The path that leads to an open file without a name (proc(5)). */
static void own_path(int descriptor, char out[OWN_PATH])
{
    snprintf(out, OWN_PATH, "/proc/self/fd/%d", descriptor);
}

/* A file without a name in the folder of `path`; -1 where the system has none. */
static int open_unnamed(const char *path)
{
    Text folder = {0};
    const char *slash = strrchr(path, '/');
    text_append(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    text_add(&folder, ".");
    int descriptor = open(folder.data, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    text_free(&folder);
    char own[OWN_PATH];
    own_path(descriptor, own);
    if (descriptor >= 0 && access(own, F_OK) != 0) { // it could get no name
        close(descriptor);
        descriptor = -1;
    }
    return descriptor;
}

/* The file that a writer fills before it gets its name. */
static int open_temporary(FileWriter *writer)
{
    text_printf(&writer->temporary, "%s.%ld.tmp", writer->path, (long)getpid());
    unlink(writer->temporary.data); // left by an ended process that had the same number
    const int unnamed = open_unnamed(writer->path);
    writer->is_unnamed = unnamed >= 0;
    return writer->is_unnamed
               ? unnamed
               : open(writer->temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

bool file_writer_open(FileWriter *writer, const char *path, Status *status)
{
    *writer = (FileWriter){.path = path};
    if (folder_exists(path))
        return fail_folder(path, status);
    const int descriptor =
        is_special(path) ? open(path, O_WRONLY | O_CLOEXEC) : open_temporary(writer);
    writer->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (writer->stream)
        return true;
    fail_errno("writing", path, status);
    if (descriptor >= 0)
        close(descriptor);
    text_free(&writer->temporary);
    return false;
}

/* Flushes all bytes to disk, because the file is renamed only afterwards: a crash in between leaves
 * the old file. */
static bool stream_settle(FileWriter *writer)
{
    const bool is_direct = writer->temporary.length == 0;
    return fflush(writer->stream) == 0 && !ferror(writer->stream) &&
           (is_direct || fsync(fileno(writer->stream)) == 0);
}

/* An earlier failure has lost its reason, but a full disk is still full. Writing one more block to
 * the file, which is discarded anyway, sets errno again. */
static void find_reason(const FileWriter *writer)
{
    static const char block[4096];
    if (errno == 0 && writer->temporary.length > 0 &&
        write(fileno(writer->stream), block, sizeof block) == (ssize_t)sizeof block)
        errno = 0; // the reason no longer applies
}

/* Gives a file without a name its temporary name, because only a name can replace another one. */
static bool name_file(FileWriter *writer)
{
    char own[OWN_PATH];
    own_path(fileno(writer->stream), own);
    if (writer->is_unnamed &&
        linkat(AT_FDCWD, own, AT_FDCWD, writer->temporary.data, AT_SYMLINK_FOLLOW) != 0)
        return false;
    writer->is_unnamed = false;
    return true;
}

bool file_writer_commit(FileWriter *writer, Status *status)
{
    const char *temporary = text_string(&writer->temporary);
    errno = 0;
    bool is_settled = stream_settle(writer);
    if (!is_settled) {
        find_reason(writer);
        fail_errno("writing", writer->path, status);
    }
    if (is_settled && !name_file(writer))
        is_settled = fail_errno("writing", writer->path, status);
    if (fclose(writer->stream) != 0 && is_settled)
        is_settled = fail_errno("writing", writer->path, status);
    if (is_settled && *temporary && rename(temporary, writer->path) != 0)
        is_settled = fail_errno("writing", writer->path, status);
    if (!is_settled && *temporary && !writer->is_unnamed)
        unlink(temporary);
    text_free(&writer->temporary);
    return is_settled;
}

void file_writer_abandon(FileWriter *writer)
{
    fclose(writer->stream);
    if (writer->temporary.length > 0 && !writer->is_unnamed)
        unlink(writer->temporary.data);
    text_free(&writer->temporary);
}

bool file_write(const char *path, const void *bytes, size_t length, Status *status)
{
    FileWriter writer;
    if (!file_writer_open(&writer, path, status))
        return false;
    errno = 0;
    if (fwrite(bytes, 1, length, writer.stream) == length)
        return file_writer_commit(&writer, status);
    fail_errno("writing", path, status); // now, because the commit resets errno
    file_writer_abandon(&writer);
    return false;
}

bool file_put(int descriptor, const void *bytes, size_t length, int64_t position)
{
    const char *next = bytes;
    while (length > 0) {
        const ssize_t count = position == FILE_CURRENT_POSITION
                                  ? write(descriptor, next, length)
                                  : pwrite(descriptor, next, length, (off_t)position);
        if (count < 0 && errno == EINTR)
            continue;
        if (count == 0)
            errno = ENOSPC;
        if (count <= 0)
            return false;
        next += count;
        length -= (size_t)count;
        if (position != FILE_CURRENT_POSITION)
            position += count;
    }
    return true;
}

/* The folder that contains `path`. */
static void folder_of(const char *path, Text *folder)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        text_add(folder, ".");
    else
        text_append(folder, path, slash == path ? 1 : (size_t)(slash - path));
}

bool file_name_settle(const char *path, Status *status)
{
    Text folder = {0};
    folder_of(path, &folder);
    const int descriptor = open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // EINVAL: this file system cannot sync folders; EACCES: the folder may not be read.
    const bool is_settled = descriptor < 0
                                ? errno == EACCES
                                : fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
    if (!is_settled)
        fail_errno("writing", path, status);
    if (descriptor >= 0)
        close(descriptor);
    text_free(&folder);
    return is_settled;
}

/* --- Folders --- */

bool folder_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Makes `part`, which is `path` or a folder above it. */
static bool folder_make(const char *part, const char *path, Status *status)
{
    if (mkdir(part, 0777) == 0)
        return true;
    const int error = errno;
    if (folder_exists(part))
        return true; // mkdir may report EEXIST, EROFS or EACCES
    if (error == EEXIST || error == ENOTDIR)
        return fail_part_is_file(path, STATUS_BAD_INPUT, status);
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0),
                       "making the folder \"%s\" failed: %s", part, strerror(error));
}

bool folder_create(const char *path, Status *status)
{
    Text part = {0};
    bool is_made = true;
    for (const char *end = path; is_made && *end;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        text_clear(&part);
        text_append(&part, path, (size_t)(end - path));
        is_made = folder_make(part.data, path, status);
    }
    text_free(&part);
    return is_made;
}

FileLock file_lock(int descriptor)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return FILE_LOCK_TAKEN;
    switch (errno) {
    case EWOULDBLOCK:
        return FILE_LOCK_BUSY;
    case ENOLCK:
    case ENOSYS:
    case EOPNOTSUPP:
    case EINVAL:
        return FILE_LOCK_MISSING;
    default:
        return FILE_LOCK_FAILED;
    }
}

/* Whether the file at `path` exists and begins with `beginning`. */
static bool is_mark(const char *path, const char *beginning)
{
    if (*beginning == '\0')
        return access(path, F_OK) == 0;
    FILE *file = fopen(path, "rb");
    bool is_ours = file != NULL;
    for (const char *at = beginning; is_ours && *at != '\0'; at++)
        is_ours = getc(file) == (unsigned char)*at;
    if (file != NULL)
        fclose(file);
    return is_ours;
}

bool folder_is_ours(const char *folder, const FolderMark *mark, Status *status)
{
    Text path = {0};
    struct stat facts;
    const char *const *name = mark->replaced;
    text_printf(&path, "%s/%s", folder, mark->mark);
    bool is_ours = is_mark(text_string(&path), mark->beginning);
    for (; !is_ours && *name != NULL; name++) {
        text_clear(&path);
        text_printf(&path, "%s/%s", folder, *name);
        if (lstat(text_string(&path), &facts) == 0)
            break;
    }
    text_free(&path);
    if (is_ours || *name == NULL)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(folder, 0, 0),
                "contains a \"%s\" that no %s made", *name, mark->maker);
    return status_hint(status, "it would be replaced: choose another folder for %s", mark->option);
}

/* A removal keeps at most this many nested folders open. Deeper folders are first moved up into the
 * outermost one, so that neither the limit of descriptors nor the length of paths stops it. */
enum { REMOVAL_DEPTH = 32 };

typedef struct {
    int top;            /* the outermost folder */
    uint32_t last_name; /* number in the name of the entry that was moved up last */
    bool has_moved;     /* an entry was moved since this was last reset */
    int error;          /* errno of the first entry that could not be removed; 0: none */
} Removal;

static void note_error(Removal *removal, int error)
{
    if (removal->error == 0)
        removal->error = error;
}

static void move_up(Removal *removal, int folder, const char *name)
{
    char free_name[32];
    do {
        snprintf(free_name, sizeof free_name, "removed-%" PRIu32, ++removal->last_name);
        if (renameat(folder, name, removal->top, free_name) == 0) {
            removal->has_moved = true;
            return;
        }
    } while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR); // the name is taken
    note_error(removal, errno);
}

/* Opens the folder `name` in `folder`, and gives its owner the right to remove its entries. Returns
 * -1 with errno on failure. */
static int open_to_remove(int folder, const char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int inner = openat(folder, name, FLAGS);
    if (inner < 0 && errno == EACCES && fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
        inner = openat(folder, name, FLAGS);
    if (inner >= 0)
        (void)!fchmod(inner, 0700); // fails for another user's folder, which may still be writable
    return inner;
}

static void remove_all(Removal *removal, int folder, const char *name, int depth);

/* Removes the entries of `inner` and closes it. */
static void remove_contents(Removal *removal, int inner, int depth)
{
    DIR *list = fdopendir(inner);
    if (list == NULL) {
        note_error(removal, errno);
        close(inner);
        return;
    }
    if (depth == 0)
        removal->top = inner;
    do {
        if (depth == 0)
            removal->has_moved = false;
        rewinddir(list);
        for (const struct dirent *one; (one = readdir(list)) != NULL;)
            if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0)
                remove_all(removal, inner, one->d_name, depth + 1);
    } while (depth == 0 && removal->has_moved);
    closedir(list);
}

/* Removes `name` in `folder`: a file, a link, or a folder with its content. */
static void remove_all(Removal *removal, int folder, const char *name, int depth)
{
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
        return;
    const int error = errno;
    const int inner = open_to_remove(folder, name);
    if (inner < 0) {
        note_error(removal, errno == ENOTDIR ? error : errno);
    } else if (depth == REMOVAL_DEPTH) {
        close(inner);
        move_up(removal, folder, name);
    } else {
        remove_contents(removal, inner, depth);
        if (unlinkat(folder, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
            note_error(removal, errno);
    }
}

bool folder_remove_at(int folder, const char *name)
{
    Removal removal = {.top = -1};
    remove_all(&removal, folder, name, 0);
    errno = removal.error;
    return removal.error == 0;
}

bool folder_remove(const char *path, Status *status)
{
    return folder_remove_at(AT_FDCWD, path) || fail_errno("removing the folder", path, status);
}

const char *folder_create_temporary(Arena *arena, const char *prefix, Status *status)
{
    const char *parent = getenv("TMPDIR");
    char *folder = arena_printf(arena, "%s/%s-XXXXXX", parent && *parent ? parent : "/tmp", prefix);
    if (mkdtemp(folder) != NULL)
        return folder;
    status_fail(status, STATUS_MACHINE, place_in(folder, 0, 0), "cannot make a folder: %s",
                strerror(errno));
    return NULL;
}

void folder_of_program(Text *out)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    const char *slash = strrchr(path, '/');
    if (slash)
        text_append(out, path, (size_t)(slash + 1 - path));
}

FileVersion file_version(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return (FileVersion){0};
    return (FileVersion){.device = facts.st_dev,
                         .number = facts.st_ino,
                         .bytes = facts.st_size,
                         .modified_ns = machine_time_ns(facts.st_mtim)};
}

bool file_version_is_same(FileVersion a, FileVersion b)
{
    return a.device == b.device && a.number == b.number && a.bytes == b.bytes &&
           a.modified_ns == b.modified_ns;
}
