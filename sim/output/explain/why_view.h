/* Clusters and jobs as far as the records have shown them, for the stories of jobs (why.h). */
#ifndef SIM_OUTPUT_WHY_VIEW_H
#define SIM_OUTPUT_WHY_VIEW_H

#include "sim/output/explain/gpu_rooms.h"
#include "sim/output/explain/why.h"
#include "sim/output/explain/why_story.h"

/* A job of any cluster. */
typedef struct {
    const char *path; /* NULL before the first record */
    uint32_t cluster;
    bool is_queued, is_running;
} JobView;

/* The fold over records. */
struct Why {
    Arena *arena;
    const char *wanted; /* the job's name or path */
    ClusterView *clusters;
    JobView *jobs;
    Story **stories; /* of each job that is wanted */
    uint32_t cluster_capacity, job_capacity, story_capacity;
    uint32_t job_count, story_count;
    GpuRooms *rooms;
    int64_t now_ns;
    const World *world;       /* NULL: rows come from a file */
    const char *struck_group; /* the group that failed at struck_ns */
    int64_t struck_ns;
};

/* Adds a row to a story. */
typedef void WhyRow(Why *why, Story *story, const TraceRow *row);
/* Calls the entry for the kind of the row, unless it is NULL. */
void why_add_row(WhyRow *const rows[TRACE_KIND_COUNT], Why *why, Story *story, const TraceRow *row);

/* The view of a cluster; empty before its first record. */
ClusterView *why_cluster(Why *why, uint32_t id);
/* The view of the row's job; begins a story if it is wanted. */
JobView *why_job(Why *why, const TraceRow *row);
/* Counts the row: nodes by state, waiting jobs, allocations. */
void why_view_add_row(Why *why, const TraceRow *row);

/* NULL without a world. */
const JobSpec *why_job_spec(const Why *why, uint32_t job);
/* The request of the job; 0 nodes: unknown. */
JobRequest why_job_request(const Why *why, uint32_t job);
OtherJob why_other_job(const Why *why, uint32_t job, int64_t at_ns);
/* Whether `job` is ahead of the story's job in the queue. */
bool why_is_ahead(const Why *why, const Story *story, uint32_t job);

/* Whether the record's name is `name`. */
bool record_is_named(const TraceRecord *record, const char *name);
/* Copies the text into the arena of `why` and frees it. */
const char *why_keep_text(const Why *why, Text *text);

#endif
