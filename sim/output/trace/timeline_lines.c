#include "sim/output/trace/timeline_lines.h"

#include <stdlib.h>

#include "sim/base/array.h"
#include "sim/json/json.h"

/* array_room zeroes new items: they have no name and no state yet. */
ClusterLine *timeline_cluster(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.cluster.index;
    timeline->clusters = array_room(timeline->arena, timeline->clusters, id + 1,
                                    &timeline->cluster_capacity, sizeof *timeline->clusters);
    ClusterLine *cluster = &timeline->clusters[id];
    if (cluster->track.process == 0) {
        const int32_t process = chrome_trace_process(
            &timeline->trace, arena_printf(timeline->arena, "cluster %s", row->cluster));
        cluster->track = chrome_trace_thread(&timeline->trace, process, "allocation");
    }
    return cluster;
}

/* "NAME", or "NAME (v100)" if the first record of the node states its kind. */
static const char *name_of_node(const TimelineWriter *timeline, const TraceRow *row)
{
    return row->record.kind == TRACE_NODE_KIND
               ? arena_printf(timeline->arena, "%s (%s)", row->node, row->record.name)
               : row->node;
}

NodeLine *timeline_node(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.node.index;
    timeline->nodes = array_room(timeline->arena, timeline->nodes, id + 1, &timeline->node_capacity,
                                 sizeof *timeline->nodes);
    NodeLine *node = &timeline->nodes[id];
    if (node->track.process == 0)
        node->track =
            chrome_trace_thread(&timeline->trace, timeline_cluster(timeline, row)->track.process,
                                name_of_node(timeline, row));
    return node;
}

JobLine *timeline_job(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.job.index;
    timeline->jobs = array_room(timeline->arena, timeline->jobs, id + 1, &timeline->job_capacity,
                                sizeof *timeline->jobs);
    JobLine *job = &timeline->jobs[id];
    if (timeline->jobs_process == 0)
        timeline->jobs_process = chrome_trace_process(&timeline->trace, "jobs");
    if (job->track.process == 0)
        job->track = chrome_trace_thread(&timeline->trace, timeline->jobs_process, row->job);
    return job;
}

ShareLine *timeline_share(TimelineWriter *timeline, const TraceRow *row)
{
    const uint32_t id = row->record.share.index;
    timeline->shares = array_room(timeline->arena, timeline->shares, id + 1,
                                  &timeline->share_capacity, sizeof *timeline->shares);
    ShareLine *share = &timeline->shares[id];
    if (share->process == 0)
        share->process = chrome_trace_process(
            &timeline->trace, arena_printf(timeline->arena, "share %s", row->share));
    return share;
}

/* --- Slices --- */

static int outer_first(const void *left, const void *right)
{
    const Slice *a = left, *b = right;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void slice_keep(TimelineWriter *timeline, KeptSlices *kept, Slice slice)
{
    kept->items = array_room(timeline->arena, kept->items, kept->count + 1, &kept->capacity,
                             sizeof *kept->items);
    slice.order = kept->count;
    kept->items[kept->count++] = slice;
}

void slice_write(TimelineWriter *timeline, ChromeTrack track, const Slice *slice)
{
    chrome_trace_slice(&timeline->trace, track, slice->name, slice->begin_ns, slice->end_ns,
                       slice->detail);
}

void slices_write(TimelineWriter *timeline, ChromeTrack track, KeptSlices *kept)
{
    qsort(kept->items, kept->count, sizeof *kept->items, outer_first);
    for (uint32_t i = 0; i < kept->count; i++)
        slice_write(timeline, track, &kept->items[i]);
    kept->count = 0;
}

/* "cause":"crash","reason":"..." of a state; NULL when it has neither. */
static const char *state_detail(TimelineWriter *timeline, const NodeLine *node)
{
    Text detail = {0};
    if (node->cause == CAUSE_NONE && node->reason == NULL)
        return NULL;
    if (node->cause != CAUSE_NONE)
        text_printf(&detail, "\"cause\":\"%s\"", trace_cause_name(node->cause));
    if (node->reason != NULL) {
        text_add(&detail, detail.length > 0 ? ",\"reason\":" : "\"reason\":");
        json_print_string(&detail, node->reason);
    }
    return text_move(timeline->arena, &detail);
}

void timeline_node_write(TimelineWriter *timeline, NodeLine *node, int64_t at_ns)
{
    if (node->state == NULL)
        return;
    const int64_t since_ns = node->since_ns;
    const char *detail = state_detail(timeline, node);
    slice_keep(timeline, &node->slices,
               (Slice){since_ns, at_ns, DEPTH_STATE, node->state, detail, 0});
    if (node->job != NULL)
        slice_keep(timeline, &node->slices,
                   (Slice){since_ns, at_ns, DEPTH_JOB, node->job, NULL, 0});
    slices_write(timeline, node->track, &node->slices);
    node->since_ns = at_ns;
}
