/* Private to sim/output/trace: the lines of a timeline, which are threads in the viewer, and the
 * slices on them. A slice is written once it ends; slices inside it are kept until then. */
#ifndef SIM_OUTPUT_TRACE_TIMELINE_LINES_H
#define SIM_OUTPUT_TRACE_TIMELINE_LINES_H

#include "sim/cloud/cluster/cluster.h"
#include "sim/formats/chrome_trace.h"
#include "sim/output/trace/timeline.h"

/* Nesting depth of a slice on a node's thread. If two slices have the same extent, the one with the
 * lower number is the outer one. */
typedef enum { DEPTH_STATE, DEPTH_JOB, DEPTH_PHASE, DEPTH_EPOCH } Depth;

typedef struct {
    int64_t begin_ns, end_ns;
    Depth depth;
    const char *name;
    const char *detail; /* the members of "args"; NULL: none */
    uint32_t order;     /* position among the slices kept with it */
} Slice;

/* Slices of a thread, kept until their outer slice ends. */
typedef struct {
    Slice *items;
    uint32_t count, capacity;
} KeptSlices;

/* A GPU of a node that jobs share. */
typedef struct {
    ChromeTrack track;
    const char *job; /* that has it; NULL: it is free */
    uint32_t job_index;
    int64_t since_ns;
    KeptSlices slices;
} SlotLine;

typedef struct {
    ChromeTrack track;
    const char *state; /* NULL before and after the node's life */
    int64_t since_ns;
    TraceCause cause;   /* why the state began; CAUSE_NONE */
    const char *reason; /* the same in plain words; NULL */
    const char *error;  /* the last error, for the state that it leads to */
    int64_t error_ns;
    const char *job; /* the job running on the node; NULL */
    uint32_t job_index;
    KeptSlices slices; /* since the node's last transition */
    SlotLine *slots;   /* as many as were in use at one time */
    uint32_t slot_count, slot_capacity;
} NodeLine;

typedef struct {
    ChromeTrack track;      /* the thread "allocation" */
    const char *allocation; /* NULL before and after the cluster's life */
    int64_t since_ns;
    int32_t node_count[NODE_STATE_COUNT];
    bool count_changed; /* since the last counter was written */
} ClusterLine;

typedef struct {
    int32_t queued, running;
    bool changed; /* since the last counter was written */
} JobCounts;

typedef struct {
    ChromeTrack track;
    const char *state; /* NULL before the job is queued and after its end */
    int64_t since_ns;
    uint32_t *nodes; /* nodes running the job, in the order in which they began */
    uint32_t node_count, node_capacity;
    uint32_t *shared; /* nodes that have given it GPUs in this attempt */
    uint32_t shared_count, shared_capacity;
    ChromeTrack *ranks; /* [rank] */
    uint32_t rank_capacity;
} JobLine;

/* Transfers of one share that do not overlap. */
typedef struct {
    ChromeTrack track;
    int64_t free_ns; /* end of the lane's last transfer */
} Lane;

typedef struct {
    int32_t process;
    ChromeTrack states; /* for marks of the share's faults; none before the first */
    Lane *lanes;
    uint32_t lane_count, lane_capacity;
} ShareLine;

struct TimelineWriter {
    Arena *arena;
    ChromeTrace trace;
    TraceLevel level;
    int64_t now_ns;
    ChromeTrack commands;
    int32_t jobs_process;
    int32_t file_servers_process;
    JobCounts job_counts;
    bool counters_changed;
    ClusterLine *clusters; /* [ClusterId.index] and so on; unused items are zero */
    NodeLine *nodes;
    JobLine *jobs;
    ShareLine *shares;
    uint32_t cluster_capacity, node_capacity, job_capacity, share_capacity;
};

/* The lines of the row's subjects, made when they are first mentioned. */
ClusterLine *timeline_cluster(TimelineWriter *timeline, const TraceRow *row);
NodeLine *timeline_node(TimelineWriter *timeline, const TraceRow *row);
JobLine *timeline_job(TimelineWriter *timeline, const TraceRow *row);
ShareLine *timeline_share(TimelineWriter *timeline, const TraceRow *row);

void slice_keep(TimelineWriter *timeline, KeptSlices *kept, Slice slice);
void slice_write(TimelineWriter *timeline, ChromeTrack track, const Slice *slice);
/* Writes the kept slices, outer ones first, and forgets them. */
void slices_write(TimelineWriter *timeline, ChromeTrack track, KeptSlices *kept);
/* Writes the node's present state up to `at_ns` with all slices inside it. */
void timeline_node_write(TimelineWriter *timeline, NodeLine *node, int64_t at_ns);

#endif
