#include "trainer/run/timeline_gather.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"

/* `spans` of rank 0 has room for `each` spans of every rank; it is NULL on other ranks. All ranks
 * send the same number of spans: a rank with fewer spans adds zeros. */
static bool gather_spans(const TimelineFile *mine, Comm *comm, int64_t each, TimelineSpan *spans,
                         Status *status)
{
    TimelineSpan *padded = memory_zeroed((size_t)each * sizeof *padded);
    if (mine->count > 0)
        memcpy(padded, mine->spans, (size_t)mine->count * sizeof *padded);
    const bool is_fine = comm_gather(comm, padded, each * (int64_t)sizeof *padded, spans, status);
    free(padded);
    return is_fine;
}

/* The files to write; used on rank 0 only. */
typedef struct {
    const char *folder;
    const char *chrome_path; /* or NULL */
    TimelineStages stages;
} Target;

static bool write_all(Target target, const TimelineFile *files, int32_t ranks, Status *status)
{
    return timeline_write_folder(files, ranks, target.folder, status) &&
           (!target.chrome_path ||
            timeline_write_chrome(files, ranks, target.stages, target.chrome_path, status));
}

static bool write_gathered(Target target, int32_t ranks, const int64_t *counts, int64_t each,
                           const TimelineSpan *spans, Status *status)
{
    TimelineFile *files = memory_zeroed((size_t)ranks * sizeof *files);
    for (int32_t i = 0; i < ranks; i++)
        files[i] = (TimelineFile){i, ranks, counts[i], spans + i * each};
    const bool is_fine = write_all(target, files, ranks, status);
    free(files);
    return is_fine;
}

bool timeline_gather(const Timeline *timeline, Comm *comm, const char *folder,
                     const char *chrome_path, TimelineStages stages, Status *status)
{
    const TimelineFile mine = timeline_view(timeline);
    const Target target = {folder, chrome_path, stages};
    const int32_t ranks = comm_size(comm);
    const bool is_first = comm_rank(comm) == 0;
    int64_t least = -mine.count; // the minimum of the negative counts gives the largest count
    if (!comm_min(comm, &least, status))
        return false;
    const int64_t each = -least;
    int64_t *counts = memory_zeroed((size_t)ranks * sizeof *counts);
    TimelineSpan *spans =
        is_first ? memory_zeroed((size_t)ranks * (size_t)each * sizeof *spans) : NULL;
    const bool is_fine =
        comm_gather(comm, &mine.count, sizeof mine.count, is_first ? counts : NULL, status) &&
        gather_spans(&mine, comm, each, spans, status) &&
        (!is_first || write_gathered(target, ranks, counts, each, spans, status));
    free(spans);
    free(counts);
    return is_fine;
}
