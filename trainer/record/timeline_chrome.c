/* Private to trainer/record: timelines as Chrome traces. A track of such a trace can only draw
 * slices that nest: of two that overlap, one contains the other. Rows of a timeline need not nest.
 * Each rank therefore has lanes: one while everything nests, and a further lane for slices that do
 * not fit into the earlier lanes. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/base/memory.h"
#include "sim/cli/files.h"
#include "trainer/record/timeline.h"

/* Horovod's names (horovod/common/common.h) for phases that Horovod has, too. NULL: no slice. */
static const char *const chrome_names[] = {
    [PHASE_LOAD] = "load",
    [PHASE_AUGMENT] = "augment",
    [PHASE_FORWARD] = "forward",
    [PHASE_BACKWARD] = "backward",
    [PHASE_NEGOTIATE] = "NEGOTIATE_ALLREDUCE",
    [PHASE_READY] = NULL,
    [PHASE_ALLREDUCE] = "MPI_ALLREDUCE",
    [PHASE_UPDATE] = "update",
    [PHASE_EVALUATE] = "evaluate",
    [PHASE_CHECKPOINT] = "checkpoint",
    [PHASE_WHOLE] = "whole step",
};
_Static_assert(sizeof chrome_names / sizeof chrome_names[0] == PHASE_COUNT, "a name each");

/* A span; with phase PHASE_COUNT and stage 0 it is a step. */
typedef struct {
    TimelineSpan span;
    int64_t order; /* of addition; steps follow all spans */
} Slice;

typedef struct {
    ChromeTrack track;
    int64_t *ends_ns; /* of the open slices, the outermost first */
    int64_t depth, capacity;
} Lane;

/* The tracks of a rank's phases, or of its stages. */
typedef struct {
    ChromeTrace *trace;
    int32_t process, rank;
    bool is_of_stages;
    TimelineStages stages;
    Lane *lanes;
    int32_t lane_count;
} RankTracks;

static bool is_of_step(const TimelineSpan *span)
{
    return span->stage != 0 || span->phase == PHASE_WHOLE ||
           (span->phase <= PHASE_UPDATE && span->phase != PHASE_READY);
}

static bool is_step(const TimelineSpan *span)
{
    return span->phase == PHASE_COUNT && span->stage == 0;
}

/* --- Order --- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_step(const void *left, const void *right)
{
    const Slice *a = left, *b = right;
    const int order = compare(a->span.step, b->span.step);
    return order != 0 ? order : compare(a->order, b->order);
}

/* Outer slices come before inner ones. If two slices are equal, the step comes first, then the one
 * that was added first. */
static int by_time(const void *left, const void *right)
{
    const Slice *a = left, *b = right;
    if (a->span.begin_ns != b->span.begin_ns)
        return compare(a->span.begin_ns, b->span.begin_ns);
    if (a->span.end_ns != b->span.end_ns)
        return compare(b->span.end_ns, a->span.end_ns);
    const bool a_is_step = is_step(&a->span), b_is_step = is_step(&b->span);
    return a_is_step != b_is_step ? b_is_step - a_is_step : compare(a->order, b->order);
}

/* --- Slices --- */

/* Adds a slice for each step after the `count` slices, from its first beginning to its last end.
 * Returns the new number of slices. */
static int64_t add_steps(Slice *slices, int64_t count)
{
    int64_t all = count;
    qsort(slices, (size_t)count, sizeof *slices, by_step);
    for (int64_t i = 0; i < count; i++) {
        const TimelineSpan *span = &slices[i].span;
        if (!is_of_step(span))
            continue;
        TimelineSpan *step = &slices[all - 1].span;
        if (all > count && step->step == span->step) {
            step->begin_ns = span->begin_ns < step->begin_ns ? span->begin_ns : step->begin_ns;
            step->end_ns = span->end_ns > step->end_ns ? span->end_ns : step->end_ns;
            continue;
        }
        slices[all] = (Slice){*span, all};
        slices[all].span.phase = PHASE_COUNT;
        slices[all].span.stage = 0;
        all++;
    }
    return all;
}

static bool is_drawn(const TimelineSpan *span, bool is_stage)
{
    return is_stage ? span->stage != 0 : span->stage == 0 && chrome_names[span->phase] != NULL;
}

/* All slices of a rank's phases, or of its stages, in drawing order. The caller frees them. */
static Slice *slices_of(const TimelineFile *file, bool is_stage, int64_t *count)
{
    Slice *slices = memory_zeroed((size_t)file->count * 2 * sizeof *slices);
    int64_t spans = 0;
    for (int64_t i = 0; i < file->count; i++)
        if (is_drawn(&file->spans[i], is_stage)) {
            slices[spans] = (Slice){file->spans[i], spans};
            spans++;
        }
    *count = add_steps(slices, spans);
    qsort(slices, (size_t)*count, sizeof *slices, by_time);
    return slices;
}

/* --- Lanes --- */

static Lane *lane_add(RankTracks *rank)
{
    Text name = {0};
    text_printf(&name, "rank %" PRId32 "%s%s%s", rank->rank, rank->is_of_stages ? ", " : "",
                rank->is_of_stages ? rank->stages.clock : "",
                rank->lane_count == 0 ? "" : ", at the same time");
    rank->lanes = memory_resized(rank->lanes, ((size_t)rank->lane_count + 1) * sizeof *rank->lanes);
    Lane *lane = &rank->lanes[rank->lane_count++];
    *lane = (Lane){.track = chrome_trace_thread(rank->trace, rank->process, name.data)};
    text_free(&name);
    return lane;
}

/* True if a slice that does not begin before the earlier ones fits into the open slices. */
static bool lane_fits(Lane *lane, const TimelineSpan *span)
{
    while (lane->depth > 0 && lane->ends_ns[lane->depth - 1] <= span->begin_ns)
        lane->depth--;
    return lane->depth == 0 || lane->ends_ns[lane->depth - 1] >= span->end_ns;
}

static Lane *lane_for(RankTracks *rank, const TimelineSpan *span)
{
    for (int32_t i = 0; i < rank->lane_count; i++)
        if (lane_fits(&rank->lanes[i], span))
            return &rank->lanes[i];
    return lane_add(rank);
}

static void lane_push(Lane *lane, int64_t end_ns)
{
    if (lane->depth == lane->capacity) {
        lane->capacity = 2 * lane->capacity + 4;
        lane->ends_ns =
            memory_resized(lane->ends_ns, (size_t)lane->capacity * sizeof *lane->ends_ns);
    }
    lane->ends_ns[lane->depth++] = end_ns;
}

/* --- Drawing --- */

static void print_name(const TimelineSpan *span, TimelineStages stages, Text *name)
{
    text_clear(name);
    if (is_step(span))
        text_printf(name, "step %" PRId64, span->step);
    else if (span->stage != 0)
        text_add(name, stages.names[span->stage]);
    else
        text_add(name, chrome_names[span->phase]);
}

static void print_details(const TimelineSpan *span, Text *details)
{
    text_clear(details);
    text_printf(details, "\"%s\":%" PRId64,
                is_of_step(span) || is_step(span) ? "step" : "after_step", span->step);
    if (!is_step(span) && span->bytes > 0)
        text_printf(details, ",\"bytes\":%" PRId64, span->bytes);
}

static void draw_slices(RankTracks *rank, const TimelineFile *file)
{
    Text name = {0}, details = {0};
    int64_t count;
    Slice *slices = slices_of(file, rank->is_of_stages, &count);
    for (int64_t i = 0; i < count; i++) {
        const TimelineSpan *span = &slices[i].span;
        Lane *lane = lane_for(rank, span);
        lane_push(lane, span->end_ns);
        print_name(span, rank->stages, &name);
        print_details(span, &details);
        chrome_trace_slice(rank->trace, lane->track, name.data, span->begin_ns, span->end_ns,
                           details.data);
    }
    free(slices);
    text_free(&name);
    text_free(&details);
}

/* Horovod draws a tick with the number of each rank that is ready. */
static void draw_ticks(RankTracks *rank, const TimelineFile *file)
{
    Text name = {0};
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        if (span->phase != PHASE_READY)
            continue;
        text_clear(&name);
        text_printf(&name, "%" PRId32, span->rank);
        chrome_trace_mark(rank->trace, rank->lanes[0].track, name.data, span->begin_ns, NULL);
    }
    text_free(&name);
}

static void lanes_free(RankTracks *rank)
{
    for (int32_t i = 0; i < rank->lane_count; i++)
        free(rank->lanes[i].ends_ns);
    free(rank->lanes);
}

void timeline_chrome_rank(ChromeTrace *trace, int32_t process, const TimelineFile *file,
                          TimelineStages stages)
{
    const RankTracks empty = {
        .trace = trace, .process = process, .rank = file->rank, .stages = stages};
    RankTracks phases = empty, of_stages = empty;
    lane_add(&phases);
    draw_slices(&phases, file);
    draw_ticks(&phases, file);
    lanes_free(&phases);
    of_stages.is_of_stages = true;
    draw_slices(&of_stages, file);
    lanes_free(&of_stages);
}

void timeline_chrome(const TimelineFile *files, int32_t count, TimelineStages stages, FILE *stream)
{
    ChromeTrace trace = chrome_trace_begin(stream);
    const int32_t process = chrome_trace_process(&trace, "trainyard train");
    for (int32_t i = 0; i < count; i++)
        timeline_chrome_rank(&trace, process, &files[i], stages);
    chrome_trace_end(&trace);
}

bool timeline_write_chrome(const TimelineFile *files, int32_t count, TimelineStages stages,
                           const char *path, Status *status)
{
    FileWriter writer;
    if (!file_writer_open(&writer, path, status))
        return false;
    timeline_chrome(files, count, stages, writer.stream);
    return file_writer_commit(&writer, status);
}
