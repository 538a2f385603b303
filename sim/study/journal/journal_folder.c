#include "sim/study/journal/journal_folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/array.h"
#include "sim/base/piece.h"

const char *journal_file_path(Arena *arena, const char *folder, int32_t shard, int32_t rank)
{
    return arena_printf(arena, "%s/journal/%" PRId32 "-%" PRId32 ".log", folder, shard, rank);
}

typedef struct {
    int32_t shard, rank;
} FileNumber;

/* True for the name S-R.log. */
static bool number_of_name(const char *name, FileNumber *number)
{
    Piece rest = piece_of("", name, strlen(name)), shard, rank;
    uint64_t shard_number, rank_number;
    if (!piece_cut(&rest, '-', &shard) || !piece_cut(&rest, '.', &rank) || !rest.text ||
        !piece_is(rest, "log") || !piece_digits(shard, INT32_MAX, &shard_number) ||
        !piece_digits(rank, INT32_MAX, &rank_number))
        return false;
    *number = (FileNumber){(int32_t)shard_number, (int32_t)rank_number};
    return true;
}

static int by_shard_and_rank(const void *left, const void *right)
{
    const FileNumber *a = left, *b = right;
    if (a->shard != b->shard)
        return a->shard < b->shard ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool fail_errno(const char *doing, const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "%s failed: %s", doing,
                       strerror(errno));
}

bool journal_files_list(Arena *arena, const char *folder, JournalFiles *files, Status *status)
{
    *files = (JournalFiles){0};
    const char *path = arena_printf(arena, "%s/journal", folder);
    DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT || errno == ENOTDIR ||
               fail_errno("reading the folder", path, status);
    FileNumber *numbers = NULL;
    uint32_t capacity = 0;
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        FileNumber number;
        if (!number_of_name(entry->d_name, &number))
            continue;
        numbers = array_room(arena, numbers, files->count + 1, &capacity, sizeof *numbers);
        numbers[files->count++] = number;
    }
    const bool is_read = errno == 0 || fail_errno("reading the folder", path, status);
    closedir(directory);
    if (files->count > 0)
        qsort(numbers, files->count, sizeof *numbers, by_shard_and_rank);
    files->paths = ARENA_ARRAY(arena, const char *, files->count);
    for (uint32_t i = 0; i < files->count; i++)
        files->paths[i] = journal_file_path(arena, folder, numbers[i].shard, numbers[i].rank);
    return is_read;
}

bool journal_file_read(Arena *arena, int descriptor, const char *path, const char **text,
                       size_t *length, Status *status)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return fail_errno("reading", path, status);
    char *bytes = arena_alloc(arena, (size_t)facts.st_size + 1);
    size_t count = 0;
    while (count < (size_t)facts.st_size) {
        const ssize_t more =
            pread(descriptor, bytes + count, (size_t)facts.st_size - count, (off_t)count);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return fail_errno("reading", path, status);
        if (more == 0)
            break; // the file has become shorter
        count += (size_t)more;
    }
    *text = bytes;
    *length = count;
    return true;
}
