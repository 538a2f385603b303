#include "real/compare/trace_pair.h"

#include "sim/cli/files.h"

/* The instant at which the first rank of a run begins its first step. It is time 0 of all ranks. */
static int64_t first_step_ns(const MeasuredRun *run)
{
    int64_t first_ns = INT64_MAX;
    for (int32_t rank = 0; rank < run->ranks; rank++)
        if (run->steps[rank][0].begin_ns < first_ns)
            first_ns = run->steps[rank][0].begin_ns;
    return first_ns;
}

/* A copy without the time before `zero_ns`, which becomes time 0. */
static TimelineFile file_from(Arena *arena, const TimelineFile *file, int64_t zero_ns)
{
    TimelineSpan *spans = ARENA_ARRAY(arena, TimelineSpan, file->count);
    TimelineFile moved = {.rank = file->rank, .ranks = file->ranks, .spans = spans};
    for (int64_t i = 0; i < file->count; i++) {
        if (file->spans[i].begin_ns < zero_ns)
            continue;
        TimelineSpan *span = &spans[moved.count++];
        *span = file->spans[i];
        span->begin_ns -= zero_ns;
        span->end_ns -= zero_ns;
    }
    return moved;
}

static void draw(ChromeTrace *trace, const CompareJob *job, const char *which, bool names_job,
                 const MeasuredRun *run, const TimelineFile *file)
{
    Arena *arena = arena_create();
    const char *name = arena_printf(arena, "%s%s%s rank %d", names_job ? job->prediction->job : "",
                                    names_job ? ": " : "", which, (int)file->rank);
    const TimelineFile moved = file_from(arena, file, first_step_ns(run));
    timeline_chrome_rank(trace, chrome_trace_process(trace, name), &moved, (TimelineStages){0});
    arena_destroy(arena);
}

bool compare_timeline_write(const Comparison *comparison, const char *path, Status *status)
{
    FileWriter writer;
    if (!file_writer_open(&writer, path, status))
        return false;
    ChromeTrace trace = chrome_trace_begin(writer.stream);
    for (int32_t i = 0; i < comparison->job_count; i++) {
        const CompareJob *job = &comparison->jobs[i];
        const bool names_job = comparison->job_count > 1;
        for (int32_t rank = 0; rank < job->predicted.ranks; rank++) {
            draw(&trace, job, "predicted", names_job, &job->predicted, &job->predicted_files[rank]);
            draw(&trace, job, "measured", names_job, &job->runs[0], &job->files[0][rank]);
        }
    }
    chrome_trace_end(&trace);
    return file_writer_commit(&writer, status);
}
