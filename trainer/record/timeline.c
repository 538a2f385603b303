#include "trainer/record/timeline.h"

#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"

enum { CAPACITY_MIN = 1024 }; // some 150 steps

const char *const phase_names[] = {"load",      "augment",    "forward",   "backward",
                                   "negotiate", "ready",      "allreduce", "update",
                                   "evaluate",  "checkpoint", "whole",     NULL};
_Static_assert(sizeof phase_names / sizeof phase_names[0] == PHASE_COUNT + 1, "a name each");

struct Timeline {
    int32_t rank, ranks;
    int64_t zero_ns;
    TimelineSpan *spans;
    int64_t count, capacity;
};

Timeline *timeline_create(int32_t rank, int32_t ranks, int64_t zero_ns)
{
    invariant(ranks >= 1 && ranks <= TIMELINE_RANKS_MAX);
    invariant(rank >= 0 && rank < ranks);
    Timeline *timeline = memory_zeroed(sizeof *timeline);
    *timeline = (Timeline){.rank = rank, .ranks = ranks, .zero_ns = zero_ns};
    return timeline;
}

void timeline_destroy(Timeline *timeline)
{
    if (timeline)
        free(timeline->spans);
    free(timeline);
}

static void add_span(Timeline *timeline, TimelineSpan span)
{
    span.begin_ns -= timeline->zero_ns;
    span.end_ns -= timeline->zero_ns;
    invariant(span.begin_ns >= 0 && span.end_ns >= span.begin_ns);
    invariant(span.step >= 0 && span.bytes >= 0);
    if (timeline->count == timeline->capacity) {
        timeline->capacity = timeline->capacity ? 2 * timeline->capacity : CAPACITY_MIN;
        timeline->spans =
            memory_resized(timeline->spans, (size_t)timeline->capacity * sizeof *timeline->spans);
    }
    timeline->spans[timeline->count++] = span;
}

void timeline_add(Timeline *timeline, Phase phase, int64_t step, int64_t begin_ns, int64_t end_ns,
                  int64_t bytes)
{
    if (timeline)
        add_span(timeline, (TimelineSpan){.phase = phase,
                                          .rank = timeline->rank,
                                          .step = step,
                                          .begin_ns = begin_ns,
                                          .end_ns = end_ns,
                                          .bytes = bytes});
}

void timeline_add_ready(Timeline *timeline, int64_t step, const int64_t *ready_ns)
{
    if (!timeline)
        return;
    for (int32_t rank = 0; rank < timeline->ranks; rank++)
        add_span(timeline, (TimelineSpan){.phase = PHASE_READY,
                                          .rank = rank,
                                          .step = step,
                                          .begin_ns = ready_ns[rank],
                                          .end_ns = ready_ns[rank]});
}

void timeline_add_stage(Timeline *timeline, int64_t stage, int64_t step, int64_t begin_ns,
                        int64_t end_ns)
{
    invariant(stage > 0);
    if (timeline)
        add_span(timeline, (TimelineSpan){.phase = PHASE_COUNT,
                                          .rank = timeline->rank,
                                          .step = step,
                                          .begin_ns = begin_ns,
                                          .end_ns = end_ns,
                                          .stage = stage});
}

TimelineFile timeline_view(const Timeline *timeline)
{
    return (TimelineFile){timeline->rank, timeline->ranks, timeline->count, timeline->spans};
}
