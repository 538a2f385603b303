/* Private to tests/emu/faults: the functions of the C library that change files, replaced for the
 * whole process. */
#define _GNU_SOURCE // fallocate
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/emu/faults/disk_parts.h"

static File *file_of(int descriptor)
{
    if (!disk->is_on || disk->is_cut || descriptor < 0 || descriptor >= DESCRIPTORS ||
        disk_open_file[descriptor] == 0)
        return NULL;
    return &disk->files[disk_open_file[descriptor] - 1];
}

/* The path of a name below the root, or NULL. */
static const char *path_of(int folder, const char *name, char path[PATH_MAX])
{
    char whole[PATH_MAX], link[64];
    if (!disk->is_on)
        return NULL;
    if (name[0] == '/') {
        snprintf(whole, sizeof whole, "%s", name);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        const ssize_t length = folder >= 0 ? readlink(link, whole, sizeof whole - 1) : -1;
        if (length < 0)
            return NULL;
        snprintf(whole + length, sizeof whole - (size_t)length, "/%s", name);
    }
    if (strncmp(whole, disk->root, disk->root_length) != 0)
        return NULL;
    snprintf(path, PATH_MAX, "%s", whole + disk->root_length);
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/')
        path[length - 1] = '\0';
    return path;
}

/* --- Faults --- */

/* A change is about to be made. */
static void count_change(uint64_t what)
{
    disk_note(what);
    if (disk->faults.cut_at > 0 && ++disk->changes == disk->faults.cut_at)
        disk_cut();
}

/* True if the call fails, with errno. */
static bool fails(bool may_be_full)
{
    if (!disk_chance(disk->faults.errors))
        return false;
    errno = may_be_full && disk_draw(2) == 0 ? ENOSPC : EIO;
    disk_note((uint64_t)errno);
    return true;
}

static size_t shorter(size_t length)
{
    return length > 1 && disk_chance(disk->faults.shorts) ? 1 + (size_t)disk_draw(length - 1)
                                                          : length;
}

static void record(File *file, ChangeKind kind, int64_t at, int64_t length, const void *bytes)
{
    Change *change = disk_allocate(sizeof *change + (bytes ? (size_t)length : 0));
    *change = (Change){.kind = kind, .at = at, .length = length};
    if (bytes)
        memcpy(change->bytes, bytes, (size_t)length);
    *file->last = change;
    file->last = &change->next;
}

/* --- Replaced functions --- */

// Libraries find them here before those of the C library.
#pragma GCC visibility push(default)

static int opened(int descriptor, const char *path, bool was_there, int flags)
{
    struct stat facts;
    if (descriptor < 0 || descriptor >= DESCRIPTORS || fstat(descriptor, &facts) != 0)
        return descriptor;
    int file = was_there ? disk_find(facts.st_ino) : -1;
    if (file < 0) {
        file = disk_add(facts.st_ino, S_ISDIR(facts.st_mode));
        if (!was_there)
            disk_change_name(path, file, false);
    }
    if (was_there && (flags & O_TRUNC))
        record(&disk->files[file], CHANGE_LENGTH, 0, 0, NULL);
    disk_open_file[descriptor] = 1 + file;
    return descriptor;
}

static int open_on_disk(int folder, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    struct stat facts;
    if (!path_of(folder, name, path) || disk->is_cut)
        return disk_real()->openat(folder, name, flags, mode);
    const bool was_there = fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    if (!was_there && (flags & O_CREAT)) {
        if (fails(true))
            return -1;
        count_change('o');
        if (disk->is_cut)
            return disk_real()->openat(folder, name, flags, mode);
    }
    return opened(disk_real()->openat(folder, name, flags, mode), path, was_there, flags);
}

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                         \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *name, int flags, ...)
{
    MODE_OF(flags)
    return open_on_disk(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
    MODE_OF(flags)
    return open_on_disk(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...)
{
    MODE_OF(flags)
    return open_on_disk(folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...)
{
    MODE_OF(flags)
    return open_on_disk(folder, name, flags, mode);
}

int close(int descriptor)
{
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        disk_open_file[descriptor] = 0;
    return disk_real()->close(descriptor);
}

/* The C library closes its descriptor itself. */
int closedir(DIR *folder)
{
    const int descriptor = dirfd(folder);
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        disk_open_file[descriptor] = 0;
    return disk_real()->closedir(folder);
}

int dup(int descriptor)
{
    const int copy = disk_real()->dup(descriptor);
    if (copy >= 0 && copy < DESCRIPTORS && descriptor < DESCRIPTORS)
        disk_open_file[copy] = disk_open_file[descriptor];
    return copy;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t at)
{
    File *file = file_of(descriptor);
    if (!file)
        return disk_real()->pwrite(descriptor, bytes, length, at);
    const bool has_failed = fails(true);
    if (has_failed)
        length /= 2; // a part may have been written
    length = shorter(length);
    count_change('w');
    const int reason = errno;
    const ssize_t written = disk_real()->pwrite(descriptor, bytes, length, at);
    if (written > 0 && !disk->is_cut)
        record(file, CHANGE_WRITE, at, written, bytes);
    errno = reason;
    return has_failed ? -1 : written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t at)
{
    return pwrite(descriptor, bytes, length, at);
}

ssize_t write(int descriptor, const void *bytes, size_t length)
{
    if (!file_of(descriptor))
        return disk_real()->write(descriptor, bytes, length);
    const off_t at = lseek(descriptor, 0, SEEK_CUR);
    const ssize_t written = pwrite(descriptor, bytes, length, at);
    if (written > 0)
        lseek(descriptor, written, SEEK_CUR);
    return written;
}

ssize_t pread(int descriptor, void *room, size_t length, off_t at)
{
    if (file_of(descriptor)) {
        if (fails(false))
            return -1;
        length = shorter(length);
    }
    return disk_real()->pread(descriptor, room, length, at);
}

ssize_t pread64(int descriptor, void *room, size_t length, off64_t at)
{
    return pread(descriptor, room, length, at);
}

static int sync_file(int descriptor)
{
    File *file = file_of(descriptor);
    if (!file)
        return 0;
    if (fails(true))
        return -1;
    count_change('s');
    if (disk->is_cut || disk_chance(disk->faults.lies))
        return 0;
    char link[64], whole[PATH_MAX];
    disk_make_durable(file);
    if (file->is_directory) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        const ssize_t length = readlink(link, whole, sizeof whole - 1);
        whole[length > 0 ? length : 0] = '\0';
        disk_make_names_durable(whole + disk->root_length);
    }
    return 0;
}

int fsync(int descriptor)
{
    return sync_file(descriptor);
}

int fdatasync(int descriptor)
{
    return sync_file(descriptor);
}

int ftruncate(int descriptor, off_t length)
{
    File *file = file_of(descriptor);
    if (file) {
        if (fails(false))
            return -1;
        count_change('t');
        if (!disk->is_cut)
            record(file, CHANGE_LENGTH, length, 0, NULL);
    }
    return disk_real()->ftruncate(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length)
{
    return ftruncate(descriptor, length);
}

int fallocate(int descriptor, int mode, off_t at, off_t length)
{
    File *file = file_of(descriptor);
    if (file && !(mode & FALLOC_FL_PUNCH_HOLE)) { // the emulator has no reserve on such a disk
        errno = EOPNOTSUPP;
        return -1;
    }
    if (file) {
        if (fails(true))
            return -1;
        count_change('a');
        if (!disk->is_cut)
            record(file, CHANGE_HOLE, at, length, NULL);
    }
    return disk_real()->fallocate(descriptor, mode, at, length);
}

int unlinkat(int folder, const char *name, int flags)
{
    char path[PATH_MAX];
    if (path_of(folder, name, path) && !disk->is_cut) {
        if (fails(false))
            return -1;
        count_change('u');
        const bool was_cut = disk->is_cut;
        const int result = disk_real()->unlinkat(folder, name, flags);
        if (result == 0 && !was_cut)
            disk_change_name(path, -1, true);
        return result;
    }
    return disk_real()->unlinkat(folder, name, flags);
}

int unlink(const char *name)
{
    return unlinkat(AT_FDCWD, name, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    char path[PATH_MAX], new_path[PATH_MAX];
    struct stat facts;
    if (!path_of(from_folder, from, path) || !path_of(to_folder, to, new_path) || disk->is_cut)
        return disk_real()->renameat2(from_folder, from, to_folder, to, flags);
    if (fails(true))
        return -1;
    count_change('r');
    const bool was_cut = disk->is_cut;
    const int result = disk_real()->renameat2(from_folder, from, to_folder, to, flags);
    if (result == 0 && !was_cut && fstatat(to_folder, to, &facts, AT_SYMLINK_NOFOLLOW) == 0) {
        int file = disk_find(facts.st_ino);
        if (file < 0)
            file = disk_add(facts.st_ino, S_ISDIR(facts.st_mode));
        disk_change_name(new_path, file, false);
        disk_change_name(path, -1, true);
    }
    return result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to)
{
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int mkdir(const char *name, mode_t mode)
{
    char path[PATH_MAX];
    struct stat facts;
    const int result = disk_real()->mkdir(name, mode);
    if (result == 0 && path_of(AT_FDCWD, name, path) && !disk->is_cut && stat(name, &facts) == 0)
        disk_change_name(path, disk_add(facts.st_ino, true), false);
    return result;
}

#pragma GCC visibility pop
