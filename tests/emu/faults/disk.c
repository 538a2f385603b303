#define _GNU_SOURCE // RTLD_NEXT
#include "tests/emu/faults/disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512, FILES_MAX = 1024, DESCRIPTORS = 1024, CHANGES_MAX = 1 << 14, NAME_ROOM = 128 };

/* --- What is there --- */

typedef enum { CHANGE_WRITE, CHANGE_LENGTH, CHANGE_HOLE } ChangeKind;

/* A change of a file since its last fsync. */
typedef struct Change Change;
struct Change {
    Change *next;
    ChangeKind kind;
    int64_t at, length;
    char bytes[];
};

typedef struct {
    bool is_directory;
    ino_t number;
    char *durable;
    int64_t bytes;
    Change *first, **last;
} File;

typedef struct {
    char path[NAME_ROOM]; /* below the root */
    int file;
} Name;

/* A change of names since the last fsync of their directory. */
typedef struct {
    bool is_removal;
    Name name;
} NameChange;

static struct {
    char root[PATH_MAX];
    size_t root_length;
    bool is_on, is_cut;
    uint64_t random, history;
    DiskFaults faults;
    int64_t changes;
    File files[FILES_MAX];
    int file_count;
    Name *names; /* durable */
    int name_count;
    NameChange *renamed;
    int renamed_count;
    int open_file[DESCRIPTORS]; /* 1 + index; 0: not of the disk */
    Name left[FILES_MAX];       /* after the cut */
    char *left_bytes[FILES_MAX];
    int64_t left_length[FILES_MAX];
    int left_count;
} disk;

uint64_t disk_draw(uint64_t count)
{
    uint64_t z = disk.random += UINT64_C(0x9E3779B97F4A7C15); // splitmix64
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % count;
}

bool disk_chance(double probability)
{
    return probability > 0 && (double)disk_draw(1000000) < probability * 1e6;
}

static void note(uint64_t value)
{
    disk.history = (disk.history ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    disk.history ^= disk.history >> 32;
}

uint64_t disk_history(void)
{
    return disk.history;
}

/* --- The real functions --- */

typedef struct {
    int (*openat)(int, const char *, int, ...);
    int (*close)(int);
    int (*dup)(int);
    ssize_t (*pread)(int, void *, size_t, off_t);
    ssize_t (*pwrite)(int, const void *, size_t, off_t);
    ssize_t (*write)(int, const void *, size_t);
    int (*ftruncate)(int, off_t);
    int (*fallocate)(int, int, off_t, off_t);
    int (*unlinkat)(int, const char *, int);
    int (*renameat2)(int, const char *, int, const char *, unsigned);
    int (*mkdir)(const char *, mode_t);
} RealFunctions;

static const RealFunctions *real(void)
{
    static RealFunctions functions;
    static const struct {
        const char *name;
        void *at;
    } rows[] = {{"openat", &functions.openat},
                {"close", &functions.close},
                {"dup", &functions.dup},
                {"pread", &functions.pread},
                {"pwrite", &functions.pwrite},
                {"write", &functions.write},
                {"ftruncate", &functions.ftruncate},
                {"fallocate", &functions.fallocate},
                {"unlinkat", &functions.unlinkat},
                {"renameat2", &functions.renameat2},
                {"mkdir", &functions.mkdir}};
    for (size_t i = 0; !functions.mkdir && i < sizeof rows / sizeof *rows; i++) {
        void *const function = dlsym(RTLD_NEXT, rows[i].name);
        memcpy(rows[i].at, &function, sizeof function);
    }
    return &functions;
}

/* --- Files and names --- */

static void forget_changes(File *file)
{
    for (Change *change = file->first, *next; change; change = next) {
        next = change->next;
        free(change);
    }
    file->first = NULL;
    file->last = &file->first;
}

static int add_file(ino_t number, bool is_directory)
{
    if (disk.file_count == FILES_MAX)
        abort();
    File *file = &disk.files[disk.file_count];
    *file = (File){.number = number, .is_directory = is_directory, .last = &file->first};
    return disk.file_count++;
}

static int find_file(ino_t number)
{
    for (int i = disk.file_count; i-- > 0;)
        if (disk.files[i].number == number)
            return i;
    return -1;
}

static File *file_of(int descriptor)
{
    if (!disk.is_on || disk.is_cut || descriptor < 0 || descriptor >= DESCRIPTORS ||
        disk.open_file[descriptor] == 0)
        return NULL;
    return &disk.files[disk.open_file[descriptor] - 1];
}

static void apply(char **bytes, int64_t *length, const Change *change, bool is_torn)
{
    const int64_t end = change->at + change->length;
    if (change->kind == CHANGE_LENGTH) {
        *bytes = realloc(*bytes, (size_t)(change->at > 0 ? change->at : 1));
        if (change->at > *length)
            memset(*bytes + *length, 0, (size_t)(change->at - *length));
        *length = change->at;
        return;
    }
    if (change->kind == CHANGE_WRITE && end > *length) {
        *bytes = realloc(*bytes, (size_t)end);
        memset(*bytes + *length, 0, (size_t)(end - *length));
        *length = end;
    }
    for (int64_t at = change->at; at < end && at < *length;) {
        const int64_t sector = (at / SECTOR + 1) * SECTOR, to = sector < end ? sector : end;
        const int64_t part = (to < *length ? to : *length) - at;
        if (is_torn && disk_draw(2) == 0)
            ;
        else if (change->kind == CHANGE_HOLE)
            memset(*bytes + at, 0, (size_t)part);
        else
            memcpy(*bytes + at, change->bytes + (at - change->at), (size_t)part);
        at = to;
    }
}

static void make_durable(File *file)
{
    for (const Change *change = file->first; change; change = change->next)
        apply(&file->durable, &file->bytes, change, false);
    forget_changes(file);
}

static void remove_name(Name *names, int *count, const char *path)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i].path, path) == 0) {
            memmove(names + i, names + i + 1, (size_t)(*count - i - 1) * sizeof *names);
            (*count)--;
            return;
        }
}

static void put_name(Name *names, int *count, const Name *name)
{
    remove_name(names, count, name->path);
    if (*count == FILES_MAX)
        abort();
    names[(*count)++] = *name;
}

static void apply_name(Name *names, int *count, const NameChange *change)
{
    if (change->is_removal)
        remove_name(names, count, change->name.path);
    else
        put_name(names, count, &change->name);
}

static bool is_in(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    const char *slash = strrchr(path, '/');
    return slash && (size_t)(slash - path) == length && strncmp(path, folder, length) == 0;
}

/* Applies the changes of names in a directory; NULL: in all. */
static void make_names_durable(const char *folder)
{
    int kept = 0;
    for (int i = 0; i < disk.renamed_count; i++)
        if (!folder || is_in(disk.renamed[i].name.path, folder))
            apply_name(disk.names, &disk.name_count, &disk.renamed[i]);
        else
            disk.renamed[kept++] = disk.renamed[i];
    disk.renamed_count = kept;
}

/* The path of a name below the root, or NULL. */
static const char *path_of(int folder, const char *name, char path[PATH_MAX])
{
    char whole[PATH_MAX], link[64];
    if (!disk.is_on)
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
    if (strncmp(whole, disk.root, disk.root_length) != 0)
        return NULL;
    snprintf(path, PATH_MAX, "%s", whole + disk.root_length);
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/')
        path[length - 1] = '\0';
    return path;
}

static void change_name(const char *path, int file, bool is_removal)
{
    if (disk.renamed_count == CHANGES_MAX)
        abort();
    NameChange *change = &disk.renamed[disk.renamed_count++];
    change->is_removal = is_removal;
    change->name.file = file;
    snprintf(change->name.path, sizeof change->name.path, "%.*s", NAME_ROOM - 1, path);
}

/* --- Faults --- */

/* A change is about to be made. */
static void count_change(uint64_t what)
{
    note(what);
    if (disk.faults.cut_at > 0 && ++disk.changes == disk.faults.cut_at)
        disk_cut();
}

/* True if the call fails, with errno. */
static bool fails(bool may_be_full)
{
    if (!disk_chance(disk.faults.errors))
        return false;
    errno = may_be_full && disk_draw(2) == 0 ? ENOSPC : EIO;
    note((uint64_t)errno);
    return true;
}

static size_t shorter(size_t length)
{
    return length > 1 && disk_chance(disk.faults.shorts) ? 1 + (size_t)disk_draw(length - 1)
                                                         : length;
}

static void record(File *file, ChangeKind kind, int64_t at, int64_t length, const void *bytes)
{
    Change *change = malloc(sizeof *change + (bytes ? (size_t)length : 0));
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
    int file = was_there ? find_file(facts.st_ino) : -1;
    if (file < 0) {
        file = add_file(facts.st_ino, S_ISDIR(facts.st_mode));
        if (!was_there)
            change_name(path, file, false);
    }
    if (was_there && (flags & O_TRUNC))
        record(&disk.files[file], CHANGE_LENGTH, 0, 0, NULL);
    disk.open_file[descriptor] = 1 + file;
    return descriptor;
}

static int open_on_disk(int folder, const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    struct stat facts;
    if (!path_of(folder, name, path) || disk.is_cut)
        return real()->openat(folder, name, flags, mode);
    const bool was_there = fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    if (!was_there && (flags & O_CREAT)) {
        if (fails(true))
            return -1;
        count_change('o');
        if (disk.is_cut)
            return real()->openat(folder, name, flags, mode);
    }
    return opened(real()->openat(folder, name, flags, mode), path, was_there, flags);
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
        disk.open_file[descriptor] = 0;
    return real()->close(descriptor);
}

int dup(int descriptor)
{
    const int copy = real()->dup(descriptor);
    if (copy >= 0 && copy < DESCRIPTORS && descriptor < DESCRIPTORS)
        disk.open_file[copy] = disk.open_file[descriptor];
    return copy;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t at)
{
    File *file = file_of(descriptor);
    if (!file)
        return real()->pwrite(descriptor, bytes, length, at);
    const bool has_failed = fails(true);
    if (has_failed)
        length /= 2; // a part may have been written
    length = shorter(length);
    count_change('w');
    const int reason = errno;
    const ssize_t written = real()->pwrite(descriptor, bytes, length, at);
    if (written > 0 && !disk.is_cut)
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
        return real()->write(descriptor, bytes, length);
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
    return real()->pread(descriptor, room, length, at);
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
    if (disk.is_cut || disk_chance(disk.faults.lies))
        return 0;
    char link[64], whole[PATH_MAX];
    make_durable(file);
    if (file->is_directory) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        const ssize_t length = readlink(link, whole, sizeof whole - 1);
        whole[length > 0 ? length : 0] = '\0';
        make_names_durable(whole + disk.root_length);
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
        if (!disk.is_cut)
            record(file, CHANGE_LENGTH, length, 0, NULL);
    }
    return real()->ftruncate(descriptor, length);
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
        if (!disk.is_cut)
            record(file, CHANGE_HOLE, at, length, NULL);
    }
    return real()->fallocate(descriptor, mode, at, length);
}

int unlinkat(int folder, const char *name, int flags)
{
    char path[PATH_MAX];
    if (path_of(folder, name, path) && !disk.is_cut) {
        if (fails(false))
            return -1;
        count_change('u');
        const bool was_cut = disk.is_cut;
        const int result = real()->unlinkat(folder, name, flags);
        if (result == 0 && !was_cut)
            change_name(path, -1, true);
        return result;
    }
    return real()->unlinkat(folder, name, flags);
}

int unlink(const char *name)
{
    return unlinkat(AT_FDCWD, name, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    char path[PATH_MAX], new_path[PATH_MAX];
    struct stat facts;
    if (!path_of(from_folder, from, path) || !path_of(to_folder, to, new_path) || disk.is_cut)
        return real()->renameat2(from_folder, from, to_folder, to, flags);
    if (fails(true))
        return -1;
    count_change('r');
    const bool was_cut = disk.is_cut;
    const int result = real()->renameat2(from_folder, from, to_folder, to, flags);
    if (result == 0 && !was_cut && fstatat(to_folder, to, &facts, AT_SYMLINK_NOFOLLOW) == 0) {
        int file = find_file(facts.st_ino);
        if (file < 0)
            file = add_file(facts.st_ino, S_ISDIR(facts.st_mode));
        change_name(new_path, file, false);
        change_name(path, -1, true);
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
    const int result = real()->mkdir(name, mode);
    if (result == 0 && path_of(AT_FDCWD, name, path) && !disk.is_cut && stat(name, &facts) == 0)
        change_name(path, add_file(facts.st_ino, true), false);
    return result;
}

#pragma GCC visibility pop

/* --- Life --- */

static void forget_all(void)
{
    for (int i = 0; i < disk.file_count; i++) {
        forget_changes(&disk.files[i]);
        free(disk.files[i].durable);
    }
    disk.file_count = disk.name_count = disk.renamed_count = 0;
}

static void read_file(const char *whole, File *file, int64_t length)
{
    const int descriptor = real()->openat(AT_FDCWD, whole, O_RDONLY | O_CLOEXEC);
    file->bytes = length;
    file->durable = malloc((size_t)length + 1);
    if (real()->pread(descriptor, file->durable, (size_t)length, 0) != length)
        abort();
    real()->close(descriptor);
}

/* Takes the files below `path` as durable. */
static void take(const char *path)
{
    char whole[PATH_MAX + NAME_ROOM], below[NAME_ROOM];
    snprintf(whole, sizeof whole, "%s%s", disk.root, path);
    DIR *folder = opendir(whole);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        struct stat facts;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= NAME_ROOM)
            abort();
        snprintf(whole, sizeof whole, "%s%s", disk.root, below);
        if (lstat(whole, &facts) != 0)
            abort();
        Name name = {.file = add_file(facts.st_ino, S_ISDIR(facts.st_mode))};
        memcpy(name.path, below, sizeof below);
        put_name(disk.names, &disk.name_count, &name);
        if (S_ISDIR(facts.st_mode))
            take(below);
        else
            read_file(whole, &disk.files[name.file], facts.st_size);
    }
    if (folder)
        closedir(folder);
}

static void take_all(void)
{
    int open_file[DESCRIPTORS];
    ino_t numbers[DESCRIPTORS];
    for (int i = 0; i < DESCRIPTORS; i++) {
        open_file[i] = disk.open_file[i];
        numbers[i] = open_file[i] > 0 ? disk.files[open_file[i] - 1].number : 0;
    }
    forget_all();
    take("");
    for (int i = 0; i < DESCRIPTORS; i++)
        if (open_file[i] > 0) {
            const int file = find_file(numbers[i]);
            disk.open_file[i] = 1 + (file >= 0 ? file : add_file(numbers[i], false));
        }
}

void disk_begin(const char *root, uint64_t seed)
{
    if (!disk.names) {
        disk.names = malloc(FILES_MAX * sizeof *disk.names);
        disk.renamed = malloc(CHANGES_MAX * sizeof *disk.renamed);
    }
    snprintf(disk.root, sizeof disk.root, "%s", root);
    disk.root_length = strlen(root);
    disk.random = seed;
    disk.history = seed;
    disk.is_on = true;
    disk.is_cut = false;
    disk_set((DiskFaults){0});
    take_all();
}

void disk_end(void)
{
    disk.is_on = false;
    forget_all();
    memset(disk.open_file, 0, sizeof disk.open_file);
}

void disk_settle(void)
{
    take_all();
}

void disk_set(DiskFaults faults)
{
    disk.faults = faults;
    disk.changes = 0;
}

bool disk_is_cut(void)
{
    return disk.is_cut;
}

void disk_cut(void)
{
    static const double parts[] = {0, 0.5, 0.9, 1};
    if (disk.is_cut)
        return;
    const double kept = parts[disk_draw(4)];
    const uint64_t names = disk_draw((uint64_t)disk.renamed_count + 1);
    for (uint64_t i = 0; i < names; i++)
        apply_name(disk.names, &disk.name_count, &disk.renamed[i]);
    disk.left_count = disk.name_count;
    for (int i = 0; i < disk.name_count; i++) {
        File *file = &disk.files[disk.names[i].file];
        char *bytes = malloc((size_t)file->bytes + 1);
        int64_t length = file->bytes;
        if (length > 0)
            memcpy(bytes, file->durable, (size_t)length);
        for (const Change *change = file->first; change; change = change->next)
            if (disk_chance(kept))
                apply(&bytes, &length, change, disk_draw(4) == 0);
        disk.left[i] = disk.names[i];
        disk.left_bytes[i] = bytes;
        disk.left_length[i] = length;
    }
    disk.is_cut = true;
}

static void remove_below(const char *whole, bool is_root)
{
    char below[PATH_MAX];
    DIR *folder = opendir(whole);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(below, sizeof below, "%s/%s", whole, entry->d_name) >= PATH_MAX)
            abort();
        if (real()->unlinkat(AT_FDCWD, below, 0) != 0)
            remove_below(below, false);
    }
    if (folder)
        closedir(folder);
    if (!is_root)
        real()->unlinkat(AT_FDCWD, whole, AT_REMOVEDIR);
}

static int by_path(const void *left, const void *right)
{
    return strcmp(disk.left[*(const int *)left].path, disk.left[*(const int *)right].path);
}

void disk_restart(void)
{
    int order[FILES_MAX];
    char whole[PATH_MAX * 2];
    disk_cut();
    remove_below(disk.root, true);
    for (int i = 0; i < disk.left_count; i++)
        order[i] = i;
    qsort(order, (size_t)disk.left_count, sizeof *order, by_path); // folders before their files
    for (int i = 0; i < disk.left_count; i++) {
        const int left = order[i];
        snprintf(whole, sizeof whole, "%s%s", disk.root, disk.left[left].path);
        if (disk.files[disk.left[left].file].is_directory) {
            if (real()->mkdir(whole, 0700) != 0)
                abort();
        } else {
            const int file =
                real()->openat(AT_FDCWD, whole, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            // The name of a file whose folder's name was not kept is gone, too.
            if (file >= 0 &&
                real()->pwrite(file, disk.left_bytes[left], (size_t)disk.left_length[left], 0) < 0)
                abort();
            if (file >= 0)
                real()->close(file);
        }
        free(disk.left_bytes[left]);
    }
    disk.left_count = 0;
    disk.is_cut = false;
    disk_set((DiskFaults){0});
    memset(disk.open_file, 0, sizeof disk.open_file);
    take_all();
}

bool disk_flip(const char *part)
{
    int candidates[FILES_MAX], count = 0;
    char whole[PATH_MAX * 2];
    disk_settle();
    for (int i = 0; i < disk.name_count; i++)
        if (strstr(disk.names[i].path, part) && disk.files[disk.names[i].file].bytes > 0)
            candidates[count++] = i;
    if (count == 0)
        return false;
    // The order of a folder is not fixed: the least path counts first.
    int chosen = candidates[0];
    const uint64_t number = disk_draw((uint64_t)count);
    for (int i = 0; i < count; i++) {
        uint64_t less = 0;
        for (int j = 0; j < count; j++)
            less += strcmp(disk.names[candidates[j]].path, disk.names[candidates[i]].path) < 0;
        chosen = less == number ? candidates[i] : chosen;
    }
    const File *file = &disk.files[disk.names[chosen].file];
    const off_t at = (off_t)disk_draw((uint64_t)file->bytes);
    snprintf(whole, sizeof whole, "%s%s", disk.root, disk.names[chosen].path);
    const int descriptor = real()->openat(AT_FDCWD, whole, O_WRONLY | O_CLOEXEC);
    const char byte = (char)(file->durable[at] ^ (1 << disk_draw(8)));
    if (real()->pwrite(descriptor, &byte, 1, at) != 1)
        abort();
    real()->close(descriptor);
    disk_settle();
    return true;
}
