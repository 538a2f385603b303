/* Counts for the dashboard, kept up to date record by record, so that an overview of 100,000 jobs
 * and nodes costs no more than of a few: jobs by state, the cost of released nodes, and the held
 * nodes by the time of their allocation. */
#ifndef EMU_TALLY_H
#define EMU_TALLY_H

#include "sim/cloud/job/job.h"
#include "sim/output/trace/row.h"

typedef struct Tally Tally;

Tally *tally_create(Arena *arena);
TraceListener tally_listener(Tally *tally);

/* Living jobs in a state. */
int64_t tally_jobs(const Tally *tally, JobState state);
/* The newest living job that is older than `job` ({ID_NONE}: the newest of all) and in `state`
 * (JOB_STATE_COUNT: in any); {ID_NONE} when there is none. */
JobId tally_older_job(const Tally *tally, JobId job, JobState state);

/* Nodes of one kind of a cluster that were allocated together. */
typedef struct {
    int64_t allocated_ns;
    int32_t kind;
    int64_t count;
} HeldNodes;

typedef struct {
    int64_t released_micro_usd; /* bills of its released nodes, each rounded down */
    HeldNodes *held;            /* the others, in order of time, then of kind */
    uint32_t held_count, held_capacity;
} ClusterTally;

/* The tally of a cluster that is not deleted, valid until the next record. */
ClusterTally tally_cluster(const Tally *tally, ClusterId cluster);
/* The bills of the nodes of all deleted clusters, and those of file servers that have ended. */
int64_t tally_deleted_clusters(const Tally *tally);
int64_t tally_file_servers(const Tally *tally);

#endif
