#include "sim/cloud/storage/file_set.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/base/row_table.h"

struct FileSet {
    Arena *arena;
    RowTable rows;    /* StoredFile */
    NameTable *names; /* "7/a/b.txt" -> number of the file; "7/a/" -> how many entries it has */
    uint32_t disks;
    char *key; /* room for a name */
    size_t key_capacity;
};

FileSet *file_set_create(Arena *arena)
{
    FileSet *files = ARENA_NEW(arena, FileSet);
    *files = (FileSet){.arena = arena, .names = name_table_create(arena)};
    return files;
}

uint32_t file_set_new_disk(FileSet *files)
{
    return ID_NONE - ++files->disks;
}

/* --- Names --- */

/* "7/a/b.txt" for "a//b.txt", and its length; with `mark` appended. Valid until the next key. */
static char *key_of(const FileSet *set, uint32_t volume, const char *path, const char *mark,
                    size_t *length)
{
    enum { NUMBER_ROOM = 16 };
    FileSet *files = (FileSet *)set; // only the buffer for keys changes
    size_t needed = NUMBER_ROOM + strlen(path) + strlen(mark) + 1;
    if (files->key_capacity < needed) {
        files->key_capacity = 2 * needed;
        files->key = arena_alloc(files->arena, files->key_capacity);
    }
    size_t used = (size_t)snprintf(files->key, NUMBER_ROOM, "%lu", (unsigned long)volume);
    while (*path != '\0') {
        size_t part = strcspn(path, "/");
        if (part > 0 && !(part == 1 && *path == '.')) {
            files->key[used++] = '/';
            memcpy(files->key + used, path, part);
            used += part;
        }
        path += part + (path[part] == '/');
    }
    *length = used;
    memcpy(files->key + used, mark, strlen(mark) + 1);
    return files->key;
}

/* Adds `change` to the number of entries in each directory above the last part of `key`. */
static void count_above(FileSet *files, char *key, int32_t change)
{
    char *slash = strchr(key, '/');
    while (slash != NULL && (slash = strchr(slash + 1, '/')) != NULL) {
        char after = slash[1];
        uint32_t count = 0;
        slash[1] = '\0';
        name_table_find(files->names, key, &count);
        count += (uint32_t)change;
        if (count > 0)
            name_table_set(files->names, key, count);
        else
            name_table_remove(files->names, key);
        slash[1] = after;
    }
}

uint32_t file_set_find(const FileSet *files, uint32_t volume, const char *path)
{
    size_t length;
    uint32_t number = FILE_NONE;
    name_table_find(files->names, key_of(files, volume, path, "", &length), &number);
    return number;
}

const StoredFile *file_set_at(const FileSet *files, uint32_t file)
{
    invariant(file != FILE_NONE);
    return row_table_at(&files->rows, file - 1);
}

uint32_t file_set_put(FileSet *files, const StoredFile *file)
{
    uint32_t number = file_set_find(files, file->volume, file->path);
    StoredFile *row = number != FILE_NONE ? row_table_at(&files->rows, number - 1) : NULL;
    if (row != NULL && !row->is_kept) {
        *row = *file;
        return number;
    }
    size_t length;
    char *key = key_of(files, file->volume, file->path, "", &length);
    if (row == NULL)
        count_above(files, key, +1);
    row = ARENA_NEW(files->arena, StoredFile);
    *row = *file;
    row->is_kept = false;
    number = row_table_add(files->arena, &files->rows, row) + 1;
    name_table_set(files->names, key, number);
    return number;
}

void file_set_remove(FileSet *files, uint32_t volume, const char *path)
{
    if (file_set_find(files, volume, path) == FILE_NONE)
        return;
    size_t length;
    char *key = key_of(files, volume, path, "", &length);
    name_table_remove(files->names, key);
    count_above(files, key, -1);
}

void file_set_keep(FileSet *files, uint32_t file)
{
    StoredFile *row = row_table_at(&files->rows, file - 1);
    row->is_kept = true;
}

/* Whether others refer to the row, or will. */
static bool is_needed(const StoredFile *row)
{
    return row->is_kept || row->job.index != ID_NONE;
}

void file_set_forget_removed(FileSet *files)
{
    for (uint32_t i = 0; (i = row_table_next(&files->rows, i)) < files->rows.count; i++) {
        const StoredFile *row = row_table_at(&files->rows, i);
        if (!is_needed(row) && file_set_find(files, row->volume, row->path) != i + 1)
            row_table_clear(&files->rows, i);
    }
}

void file_set_forget_volume(FileSet *files, uint32_t volume)
{
    for (uint32_t i = 0; (i = row_table_next(&files->rows, i)) < files->rows.count; i++) {
        const StoredFile *row = row_table_at(&files->rows, i);
        if (row->volume != volume)
            continue;
        invariant(!is_needed(row));
        if (file_set_find(files, volume, row->path) == i + 1)
            file_set_remove(files, volume, row->path);
        row_table_clear(&files->rows, i);
    }
}

void file_set_each_needed(const FileSet *files, void *context,
                          void (*found)(void *context, const StoredFile *file))
{
    for (uint32_t i = 0; (i = row_table_next(&files->rows, i)) < files->rows.count; i++) {
        const StoredFile *row = row_table_at(&files->rows, i);
        if (is_needed(row))
            found(context, row);
    }
}

bool file_set_has_directory(const FileSet *files, uint32_t volume, const char *path)
{
    size_t length;
    const char *key = key_of(files, volume, path, "/", &length);
    return strchr(key, '/') == key + length || name_table_find(files->names, key, NULL);
}

void file_set_make_directory(FileSet *files, uint32_t volume, const char *path)
{
    size_t length;
    if (file_set_has_directory(files, volume, path))
        return;
    // An entry "." that is never removed keeps the directory.
    count_above(files, key_of(files, volume, path, "/.", &length), +1);
}
