#include "trainer/record/checkpoint_name.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *checkpoint_path(Arena *arena, const char *folder, int64_t epoch)
{
    return arena_printf(arena, "%s/checkpoint-%" PRId64 ".h5", folder, epoch);
}

int64_t checkpoint_epoch(const char *name)
{
    static const char prefix[] = "checkpoint-";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    const char *digits = name + sizeof prefix - 1;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 18 || (digits[0] == '0' && count > 1) ||
        strcmp(digits + count, ".h5") != 0)
        return -1;
    return strtoll(digits, NULL, 10);
}

int64_t checkpoint_latest_epoch(const char *folder, int64_t epoch_max)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return -1;
    int64_t latest = -1;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        int64_t epoch = checkpoint_epoch(entry->d_name);
        latest = epoch > latest && epoch <= epoch_max ? epoch : latest;
    }
    closedir(entries);
    return latest;
}

const char *checkpoint_latest(Arena *arena, const char *folder, int64_t epoch_max)
{
    const int64_t latest = checkpoint_latest_epoch(folder, epoch_max);
    return latest < 0 ? NULL : checkpoint_path(arena, folder, latest);
}
