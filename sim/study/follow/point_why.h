/* Why a point is good or bad: what its jobs waited for, where its node time and money went,
 * and which limits bound it, in the mean over the runs of DIR/why. */
#ifndef SIM_STUDY_FOLLOW_POINT_WHY_H
#define SIM_STUDY_FOLLOW_POINT_WHY_H

#include "sim/output/metrics/attribution.h"
#include "sim/output/metrics/waiting.h"
#include "sim/study/outcome.h"

/* A limit that bound, by the time of jobs or of nodes that it cost. X(ENUM, name, words, of jobs)
 */
#define BOUNDS(X)                                                                                  \
    X(MAXIMUM, "maximum", "the largest number of nodes", true)                                     \
    X(QUOTA, "quota", "the quota of cores", true)                                                  \
    X(LIMIT, "limit", "the limits of queues", true)                                                \
    X(GANG, "gang", "gangs at the head of the queue", true)                                        \
    X(FRAGMENTATION, "fragmentation", "free GPUs on too many nodes", true)                         \
    X(CORES, "cores", "cores of nodes with free GPUs", true)                                       \
    X(MEMORY, "memory", "main memory of nodes with free GPUs", true)                               \
    X(NODES, "nodes", "nodes that come only when jobs wait", true)                                 \
    X(UNAVAILABLE, "unavailable", "nodes that the region did not have", true)                      \
    X(MAINTENANCE, "maintenance", "planned maintenance", true)                                     \
    X(LOSSES, "losses", "preemptions and failures", true)                                          \
    X(PRECEDENCE, "precedence", "jobs that go first", true)                                        \
    X(INPUT, "input", "the share, from which nodes read", false)                                   \
    X(NETWORK, "network", "the network, over which gradients go", false)                           \
    X(CHECKPOINT, "checkpoint", "the share, to which checkpoints go", false)                       \
    X(WORK_LOST, "lost_work", "work that is lost and done again", false)

typedef enum {
#define X(name, text, words, of_jobs) BOUND_##name,
    BOUNDS(X)
#undef X
        BOUND_COUNT
} Bound;

const char *bound_name(Bound bound);  /* "quota" */
const char *bound_words(Bound bound); /* "the quota of cores" */
bool bound_is_of_jobs(Bound bound);
/* The limit that a cause of waiting belongs to; BOUND_COUNT: it is not a limit. */
Bound bound_of_wait(WaitCause cause);

/* Means over the runs; NAN: not known. */
typedef struct {
    int32_t run_count;
    double waited_s;                 /* of all jobs, all causes together */
    double wait_s[WAIT_CAUSE_COUNT]; /* by cause */
    double node_s, node_usd;         /* of all uses together */
    double use_s[USE_COUNT], use_usd[USE_COUNT];
    double stranded_usd;             /* paid for uses without a job (node_use_is_without_job) */
    double jobs, failed, unfinished; /* of a run; unfinished: when it ended */
    /* The part of the time in the queue (bound_is_of_jobs) or of the nodes' time with a job. */
    double bound_part[BOUND_COUNT];
    Bound most; /* of the time in the queue the largest part */
} PointWhy;

enum {
    BOUND_MENTION_PERCENT = 10, /* smaller parts need no mention */
    LOSS_MENTION_PERCENT = 1    /* of the bill, of the jobs */
};

/* The findings of the runs of `point` of DIR/why say. */
PointWhy point_why(const StudyFindings *findings, int32_t point);

/* The mean of a metric over the runs of a point; NAN: the study lacks it, or no run knows it. */
double follow_mean(const StudyFindings *findings, int32_t point, const char *metric);

#endif
