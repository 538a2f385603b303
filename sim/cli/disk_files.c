#include "sim/cli/disk_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/array.h"
#include "sim/cli/files.h"

// Enough for the list of ten million jobs with many columns.
enum { FILE_BYTES_MAX = 1 << 30 };

static bool is_pipe(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

static bool disk_read(void *context, Arena *arena, const char *path, const char **text,
                      size_t *length, Status *status)
{
    (void)context;
    char *data;
    if (!file_read(arena, path, FILE_BYTES_MAX, &data, length, status))
        return false;
    *text = data;
    if (*length > 0 || !is_pipe(path))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                "is a pipe without contents, or one whose contents were read already");
    status_hint(status, "some commands read a file more than once: write it to the disk");
    return false;
}

static bool disk_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    (void)context;
    struct stat facts;
    if (stat(path, &facts) != 0)
        return errno == ENOENT || errno == ENOTDIR ? file_is_missing(path, status)
                                                   : file_failed(path, status);
    *bytes = (int64_t)facts.st_size;
    return true;
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *file_nearest(Arena *arena, const char *path)
{
    const char *name = path + path_folder_length(path);
    const char *folder = path_beside(arena, path, ".");
    const char **names = NULL;
    uint32_t count = 0, capacity = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return NULL;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        names = array_room(arena, names, count + 1, &capacity, sizeof *names);
        names[count++] = arena_strdup(arena, entry->d_name);
    }
    closedir(entries);
    if (count > 0)
        qsort(names, count, sizeof *names, by_bytes);
    return nearest_name(name, names, (int32_t)count);
}

static const char *disk_nearest(void *context, Arena *arena, const char *path)
{
    (void)context;
    return file_nearest(arena, path);
}

const FileSource disk_files = {.read = disk_read, .size = disk_size, .nearest = disk_nearest};

static bool known_read(void *context, Arena *arena, const char *path, const char **text,
                       size_t *length, Status *status)
{
    const KnownFile *known = context;
    if (strcmp(path, known->path) != 0)
        return disk_read(NULL, arena, path, text, length, status);
    *text = arena_strndup(arena, known->text, known->length);
    *length = known->length;
    return true;
}

static bool known_size(void *context, const char *path, int64_t *bytes, Status *status)
{
    const KnownFile *known = context;
    if (strcmp(path, known->path) != 0)
        return disk_size(NULL, path, bytes, status);
    *bytes = (int64_t)known->length;
    return true;
}

FileSource disk_files_with(const KnownFile *known)
{
    return (FileSource){
        .context = (void *)known, .read = known_read, .size = known_size, .nearest = disk_nearest};
}

FileSource operand_files(Arena *arena, const char *path)
{
    KnownFile *known = ARENA_NEW(arena, KnownFile);
    Status ignored = {0}; // the command reads the pipe again, and reports it
    known->path = path;
    if (!is_pipe(path) || !disk_read(NULL, arena, path, &known->text, &known->length, &ignored))
        return disk_files;
    return disk_files_with(known);
}

const char *scenario_operand(Arena *arena, const char *path, bool may_be_study)
{
    struct stat facts;
    if (!folder_exists(path))
        return path;
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    const char *study = arena_printf(arena, "%s%sstudy.json", path, slash);
    return may_be_study && stat(study, &facts) == 0
               ? study
               : arena_printf(arena, "%s%sscenario.json", path, slash);
}
