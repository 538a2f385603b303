#include "real/data_set.h"

#include "trainer/cifar_files.h"
#include "trainer/dataset.h"

bool data_set_count(Arena *arena, const char *folder, DataSamples *samples, Status *status)
{
    Arena *scratch = arena_create(); // the images themselves are not kept
    CifarFile found;
    Dataset set = {0};
    const bool is_there = folder != NULL && cifar_file_find(folder, scratch, &found);
    const bool is_good = !is_there || dataset_read(folder, scratch, &set, status);
    if (!is_good)
        status->at.source = arena_strdup(arena, status->at.source);
    *samples = is_good ? (DataSamples){set.train.count, set.test.count} : (DataSamples){0, 0};
    arena_destroy(scratch);
    return is_good;
}
