#define _GNU_SOURCE // RTLD_NEXT
#include "tests/emu/faults/disk.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/emu/faults/disk_parts.h"

static Disk none; // before the first disk of the process
Disk *disk = &none;
int disk_open_file[DESCRIPTORS];

uint64_t disk_draw(uint64_t count)
{
    uint64_t z = disk->random += UINT64_C(0x9E3779B97F4A7C15); // splitmix64
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % count;
}

bool disk_chance(double probability)
{
    return probability > 0 && (double)disk_draw(1000000) < probability * 1e6;
}

void disk_note(uint64_t value)
{
    disk->history = (disk->history ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    disk->history ^= disk->history >> 32;
}

uint64_t disk_history(void)
{
    return disk->history;
}

const RealFunctions *disk_real(void)
{
    static RealFunctions functions;
    static const struct {
        const char *name;
        void *at;
    } rows[] = {{"openat", &functions.openat},       {"close", &functions.close},
                {"closedir", &functions.closedir},   {"dup", &functions.dup},
                {"pread", &functions.pread},         {"pwrite", &functions.pwrite},
                {"write", &functions.write},         {"ftruncate", &functions.ftruncate},
                {"fallocate", &functions.fallocate}, {"unlinkat", &functions.unlinkat},
                {"renameat2", &functions.renameat2}, {"mkdir", &functions.mkdir}};
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
        disk_free(change);
    }
    file->first = NULL;
    file->last = &file->first;
}

int disk_add(ino_t number, bool is_directory)
{
    if (disk->file_count == FILES_MAX)
        abort();
    File *file = &disk->files[disk->file_count];
    *file = (File){.number = number, .is_directory = is_directory, .last = &file->first};
    return disk->file_count++;
}

int disk_find(ino_t number)
{
    for (int i = disk->file_count; i-- > 0;)
        if (disk->files[i].number == number)
            return i;
    return -1;
}

static void apply(char **bytes, int64_t *length, const Change *change, bool is_torn)
{
    const int64_t end = change->at + change->length;
    if (change->kind == CHANGE_LENGTH) {
        *bytes = disk_grow(*bytes, (size_t)(change->at > 0 ? change->at : 1));
        if (change->at > *length)
            memset(*bytes + *length, 0, (size_t)(change->at - *length));
        *length = change->at;
        return;
    }
    if (change->kind == CHANGE_WRITE && end > *length) {
        *bytes = disk_grow(*bytes, (size_t)end);
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

void disk_make_durable(File *file)
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
void disk_make_names_durable(const char *folder)
{
    int kept = 0;
    for (int i = 0; i < disk->renamed_count; i++)
        if (!folder || is_in(disk->renamed[i].name.path, folder))
            apply_name(disk->names, &disk->name_count, &disk->renamed[i]);
        else
            disk->renamed[kept++] = disk->renamed[i];
    disk->renamed_count = kept;
}

void disk_change_name(const char *path, int file, bool is_removal)
{
    if (disk->renamed_count == CHANGES_MAX)
        abort();
    NameChange *change = &disk->renamed[disk->renamed_count++];
    change->is_removal = is_removal;
    change->name.file = file;
    snprintf(change->name.path, sizeof change->name.path, "%.*s", NAME_ROOM - 1, path);
}

/* --- Life --- */

static void forget_all(void)
{
    for (int i = 0; i < disk->file_count; i++) {
        forget_changes(&disk->files[i]);
        disk_free(disk->files[i].durable);
    }
    disk->file_count = disk->name_count = disk->renamed_count = 0;
}

static void read_file(const char *whole, File *file, int64_t length)
{
    const int descriptor = disk_real()->openat(AT_FDCWD, whole, O_RDONLY | O_CLOEXEC);
    file->bytes = length;
    file->durable = disk_allocate((size_t)length + 1);
    if (disk_real()->pread(descriptor, file->durable, (size_t)length, 0) != length)
        abort();
    disk_real()->close(descriptor);
}

/* Takes the files below `path` as durable. */
static void take(const char *path)
{
    char whole[PATH_MAX + NAME_ROOM], below[NAME_ROOM];
    snprintf(whole, sizeof whole, "%s%s", disk->root, path);
    DIR *folder = opendir(whole);
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        struct stat facts;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= NAME_ROOM)
            abort();
        snprintf(whole, sizeof whole, "%s%s", disk->root, below);
        if (lstat(whole, &facts) != 0)
            abort();
        Name name = {.file = disk_add(facts.st_ino, S_ISDIR(facts.st_mode))};
        memcpy(name.path, below, sizeof below);
        put_name(disk->names, &disk->name_count, &name);
        if (S_ISDIR(facts.st_mode))
            take(below);
        else
            read_file(whole, &disk->files[name.file], facts.st_size);
    }
    if (folder)
        closedir(folder);
}

static void take_all(void)
{
    int open_file[DESCRIPTORS];
    ino_t numbers[DESCRIPTORS];
    for (int i = 0; i < DESCRIPTORS; i++) {
        open_file[i] = disk_open_file[i];
        numbers[i] = open_file[i] > 0 ? disk->files[open_file[i] - 1].number : 0;
    }
    forget_all();
    take("");
    for (int i = 0; i < DESCRIPTORS; i++)
        if (open_file[i] > 0) {
            const int file = disk_find(numbers[i]);
            disk_open_file[i] = 1 + (file >= 0 ? file : disk_add(numbers[i], false));
        }
}

void disk_begin(const char *root, uint64_t seed)
{
    if (disk == &none) {
        disk = disk_allocate(sizeof *disk);
        memset(disk, 0, sizeof *disk);
        disk->names = disk_allocate(FILES_MAX * sizeof *disk->names);
        disk->renamed = disk_allocate(CHANGES_MAX * sizeof *disk->renamed);
    }
    snprintf(disk->root, sizeof disk->root, "%s", root);
    disk->root_length = strlen(root);
    disk->random = seed;
    disk->history = seed;
    disk->is_on = true;
    disk->is_cut = false;
    disk_set((DiskFaults){0});
    take_all();
}

void disk_end(void)
{
    disk->is_on = false;
    forget_all();
    memset(disk_open_file, 0, sizeof disk_open_file);
}

void disk_settle(void)
{
    take_all();
}

void disk_set(DiskFaults faults)
{
    disk->faults = faults;
    disk->changes = 0;
}

bool disk_is_cut(void)
{
    return disk->is_cut;
}

void disk_cut(void)
{
    static const double parts[] = {0, 0.5, 0.9, 1};
    if (disk->is_cut)
        return;
    const double kept = parts[disk_draw(4)];
    const uint64_t names = disk_draw((uint64_t)disk->renamed_count + 1);
    for (uint64_t i = 0; i < names; i++)
        apply_name(disk->names, &disk->name_count, &disk->renamed[i]);
    disk->left_count = disk->name_count;
    for (int i = 0; i < disk->name_count; i++) {
        File *file = &disk->files[disk->names[i].file];
        char *bytes = disk_allocate((size_t)file->bytes + 1);
        int64_t length = file->bytes;
        if (length > 0)
            memcpy(bytes, file->durable, (size_t)length);
        for (const Change *change = file->first; change; change = change->next)
            if (disk_chance(kept))
                apply(&bytes, &length, change, disk_draw(4) == 0);
        disk->left[i] = disk->names[i];
        disk->left_bytes[i] = bytes;
        disk->left_length[i] = length;
    }
    disk->is_cut = true;
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
        if (disk_real()->unlinkat(AT_FDCWD, below, 0) != 0)
            remove_below(below, false);
    }
    if (folder)
        closedir(folder);
    if (!is_root)
        disk_real()->unlinkat(AT_FDCWD, whole, AT_REMOVEDIR);
}

static int by_path(const void *left, const void *right)
{
    return strcmp(disk->left[*(const int *)left].path, disk->left[*(const int *)right].path);
}

void disk_restart(void)
{
    int order[FILES_MAX];
    char whole[PATH_MAX * 2];
    disk_cut();
    remove_below(disk->root, true);
    for (int i = 0; i < disk->left_count; i++)
        order[i] = i;
    qsort(order, (size_t)disk->left_count, sizeof *order, by_path); // folders before their files
    for (int i = 0; i < disk->left_count; i++) {
        const int left = order[i];
        snprintf(whole, sizeof whole, "%s%s", disk->root, disk->left[left].path);
        if (disk->files[disk->left[left].file].is_directory) {
            if (disk_real()->mkdir(whole, 0700) != 0)
                abort();
        } else {
            const int file =
                disk_real()->openat(AT_FDCWD, whole, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            // The name of a file whose folder's name was not kept is gone, too.
            if (file >= 0 && disk_real()->pwrite(file, disk->left_bytes[left],
                                                 (size_t)disk->left_length[left], 0) < 0)
                abort();
            if (file >= 0)
                disk_real()->close(file);
        }
        disk_free(disk->left_bytes[left]);
    }
    disk->left_count = 0;
    disk->is_cut = false;
    disk_set((DiskFaults){0});
    memset(disk_open_file, 0, sizeof disk_open_file);
    take_all();
}

bool disk_flip(const char *part)
{
    int candidates[FILES_MAX], count = 0;
    char whole[PATH_MAX * 2];
    disk_settle();
    for (int i = 0; i < disk->name_count; i++)
        if (strstr(disk->names[i].path, part) && disk->files[disk->names[i].file].bytes > 0)
            candidates[count++] = i;
    if (count == 0)
        return false;
    // The order of a folder is not fixed: the least path counts first.
    int chosen = candidates[0];
    const uint64_t number = disk_draw((uint64_t)count);
    for (int i = 0; i < count; i++) {
        uint64_t less = 0;
        for (int j = 0; j < count; j++)
            less += strcmp(disk->names[candidates[j]].path, disk->names[candidates[i]].path) < 0;
        chosen = less == number ? candidates[i] : chosen;
    }
    const File *file = &disk->files[disk->names[chosen].file];
    const off_t at = (off_t)disk_draw((uint64_t)file->bytes);
    snprintf(whole, sizeof whole, "%s%s", disk->root, disk->names[chosen].path);
    const int descriptor = disk_real()->openat(AT_FDCWD, whole, O_WRONLY | O_CLOEXEC);
    const char byte = (char)(file->durable[at] ^ (1 << disk_draw(8)));
    if (disk_real()->pwrite(descriptor, &byte, 1, at) != 1)
        abort();
    disk_real()->close(descriptor);
    disk_settle();
    return true;
}
