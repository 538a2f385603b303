/* The reasons for which jobs waited. Each ns of a job's time in the queue has one cause, so that
 * the causes of a cluster add up to the time in the queue of all jobs that waited there.
 *
 * A job that returns to the queue waits because of the loss that sent it there. The cause of any
 * other job follows from its cluster at the end of each instant. Nodes that are idle, on their way,
 * unusable, allowed by autoscale and refused by a quota are given to the waiting jobs in this
 * order, small jobs first; the job waits for the last of the nodes that it is given. Jobs for which
 * no nodes are left wait for the running jobs. A job that is too large for the rest of its queue's
 * limit waits for the limit, and one that gets the nodes of running jobs that have notice of being
 * stopped for its queue waits for the end of their notice. A job that planned maintenance defers
 * (TRACE_JOB_DEFERRED) waits for its end. The order of the queue is not followed,
 * so the causes of single jobs may be exchanged (`trainyard run --why JOB` follows one job
 * exactly). */
#ifndef SIM_OUTPUT_SUMMARY_WAITING_H
#define SIM_OUTPUT_SUMMARY_WAITING_H

#include "sim/base/wide.h"
#include "sim/cloud/world.h"
#include "sim/output/trace/row.h"

/* X(ENUM, name in summary.json, for people) */
#define WAIT_CAUSES(X)                                                                             \
    X(SERVICE, "service", "the service's own delay")                                               \
    X(AHEAD, "ahead", "jobs ahead in the queue, while enough nodes were idle")                     \
    X(GANG, "gang", "other nodes of the job's gang, while some were idle")                         \
    X(FRAGMENTATION, "fragmentation", "free GPUs that were on too many nodes")                     \
    X(CORES, "cores", "free cores on nodes with free GPUs")                                        \
    X(MEMORY, "memory", "free memory on nodes with free GPUs and cores")                           \
    X(NODES, "nodes", "nodes that were allocated or prepared")                                     \
    X(REPAIR, "repair", "unusable nodes")                                                          \
    X(SCALING, "scaling", "the next evaluation of automatic scaling")                              \
    X(QUOTA, "quota", "the quota of cores")                                                        \
    X(UNAVAILABLE, "unavailable", "nodes that the region did not have")                            \
    X(MAXIMUM, "maximum", "running jobs, which held all nodes that the cluster may have")          \
    X(NOTICE, "notice", "jobs with notice of being stopped, on nodes of the job's queue")          \
    X(LIMIT, "limit", "the limit of the job's queue")                                              \
    X(MAINTENANCE, "maintenance", "planned maintenance, into which the job would have run")        \
    X(PREEMPTION, "preemption", "another start after a preemption")                                \
    X(FAILURE, "failure", "another start after a failure")                                         \
    X(PRECEDENCE, "precedence", "another start after the scheduler stopped the job")

typedef enum {
#define X(name, text, words) WAIT_##name,
    WAIT_CAUSES(X)
#undef X
        WAIT_CAUSE_COUNT
} WaitCause;

const char *wait_cause_name(WaitCause cause);  /* "quota" */
const char *wait_cause_words(WaitCause cause); /* "the quota of cores" */

/* Time of jobs by cause; [ClusterId.index] in lists. */
typedef struct {
    Wide ns[WAIT_CAUSE_COUNT];
} ClusterWaits;

/* --- One instant --- */

/* Waiting jobs of one request. */
typedef struct {
    JobRequest request;
    int64_t jobs;
} WaitingJobs;

/* A cluster, with numbers of nodes of one kind. */
typedef struct WaitingView {
    Room room;      /* its `next` is not used */
    int32_t coming; /* preparing, being allocated, or replaced */
    int32_t unusable;
    int32_t refused;                /* that the region did not have; they are asked for again */
    int32_t growth;                 /* that automatic scaling may still add */
    int32_t over_quota;             /* that the cluster may have, and no quota has room for */
    const struct WaitingView *next; /* the nodes of the next kind; NULL for the last kind */
} WaitingView;

/* Adds the jobs of `count` requests, in the order of their sizes, to `jobs_by_cause`. Pure. */
void waiting_divide(WaitingView view, const WaitingJobs *waiting, int32_t count,
                    int64_t *jobs_by_cause);

/* --- A run --- */

typedef struct WaitingFold WaitingFold;

WaitingFold *waiting_fold_create(Arena *arena);
/* Sets the world that sends the rows, before it runs: the fold reads its clusters and jobs. */
void waiting_fold_watch(WaitingFold *fold, const World *world);
TraceListener waiting_fold_listener(WaitingFold *fold);
/* After the run; `*count` clusters. Lives in the fold's arena. */
const ClusterWaits *waiting_fold_result(const WaitingFold *fold, uint32_t *count);

#endif
