#include "real/launch/data_set.h"

#include "trainer/data/dataset.h"

/* The set's file versions; `samples` stays 0. */
static DataSetCounted versions_of(Arena *arena, const CifarFile *found)
{
    DataSetCounted set = {0};
    for (int file = 0; file < CIFAR_FILES; file++)
        set.files[file] =
            file_version(cifar_file_path(arena, found->folder, found->encoding, file));
    return set;
}

static bool is_same(const DataSetCounted *a, const DataSetCounted *b)
{
    for (int file = 0; file < CIFAR_FILES; file++)
        if (!file_version_is_same(a->files[file], b->files[file]))
            return false;
    return true;
}

bool data_set_count(Arena *arena, const char *folder, DataSetCounted *last, DataSamples *samples,
                    Status *status)
{
    CifarFile found;
    int32_t train, test;
    *samples = (DataSamples){0};
    if (folder == NULL || !cifar_file_find(folder, arena, &found))
        return true;
    DataSetCounted set = versions_of(arena, &found);
    if (last != NULL && is_same(last, &set)) {
        *samples = last->samples;
        return true;
    }
    if (!dataset_count(folder, arena, &train, &test, status))
        return false;
    *samples = set.samples = (DataSamples){train, test};
    if (last != NULL)
        *last = set;
    return true;
}
