/* Which job starts next: a policy is one pure function in a separate file (policy_NAME.c) and one
 * row in POLICIES (scenario.h).
 *
 * A policy looks at a cluster and names one of the jobs that wait, or none. The scheduler asks when
 * jobs come, nodes come free or nodes appear; it starts the job that is named and asks again until
 * the policy names none. Every policy starts gangs: a job takes all its nodes at one instant, so
 * one that is named fits (its nodes are at most the idle ones).
 *
 * A policy knows only what the service knows: a silent node counts as idle or running until the
 * service notices, and the durations that owners state (JobSpec.expected_ns, or else
 * max_wall_clock_ns) may be wrong. */
#ifndef SIM_CLOUD_JOB_POLICY_H
#define SIM_CLOUD_JOB_POLICY_H

#include "sim/cloud/record/ids.h"
#include "sim/cloud/spec/scenario.h"

typedef struct {
    JobId job;
    int32_t nodes;
    JobPriority priority;
    int64_t expected_ns; /* from its start to its end, as its owner says */
    uint32_t experiment; /* index in PolicyView.used_node_us */
} WaitingJob;

typedef struct {
    JobId job;
    int32_t nodes;
    int64_t expected_end_ns; /* may be in the past: then it can end at any moment */
} RunningJob;

typedef struct {
    int64_t now_ns;
    int32_t idle_nodes;
    int32_t most_nodes; /* the most that the cluster may have now: its target, or the maximum of its
                           automatic scaling */
    int32_t waiting_count;
    const WaitingJob *waiting; /* in the service's order: by priority, then by submission */
    int32_t running_count;
    const RunningJob *running;   /* of this cluster, the first to end first */
    const int64_t *used_node_us; /* [experiment] node time used so far, in all clusters */
} PolicyView;

#define POLICY_NONE (-1)

typedef enum {
    POLICY_SEES_HEAD,  /* `waiting` has the first job at most, `running` none: O(1) per start */
    POLICY_SEES_QUEUE, /* all of both: O(queue) per pass */
} PolicySight;

typedef struct {
    const char *name;
    const char *what;
    PolicySight sight;
    int32_t (*choose)(const PolicyView *view); /* an index in view->waiting, or POLICY_NONE */
} Policy;

const Policy *policy_of(PolicyKind kind);

/* The service's order: priority first, then submission, and a job starts when all its nodes are
 * idle at once. Whether a smaller job could pass a blocked larger one is not recorded; here it may
 * not, so no job starves (assumption). */
int32_t policy_service(const PolicyView *view);

/* EASY backfilling: the service's order, with one reservation. While the first job does not fit, it
 * is promised the earliest time at which running jobs, as they say, will have freed enough nodes; a
 * later job may start now if it ends by then, or needs no more nodes than will be left over at that
 * time. Nodes under repair or allocation may be ready at any moment: the promise counts them as
 * idle, so that it is never too late, and never counts them as left over. A job that needs more
 * nodes than the cluster may have cannot be delayed: it has no reservation, and all others pass it.
 *
 * Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995 (LNCS 949); Mu'alem and Feitelson,
 * "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2
 * with backfilling", IEEE TPDS 12(6), 2001. */
int32_t policy_backfill(const PolicyView *view);

/* Shortest job first: the one that says it is shortest, whatever its priority; among equals the
 * service's order. While it does not fit no job overtakes it. Long jobs may starve under load,
 * which this policy is there to show. Smith, "Various optimizers for single-stage production",
 * Naval Research Logistics 3, 1956 (with equal weights: least mean waiting time on one machine). */
int32_t policy_shortest(const PolicyView *view);

/* Fair share by experiment: the first job, in the service's order, of the experiment that has used
 * least node time so far, whether its jobs succeeded or not; among equals the service's order.
 * While it does not fit no job overtakes it. Usage does not decay. Kay and Lauder, "A fair share
 * scheduler", CACM 31(1), 1988. */
int32_t policy_fair_share(const PolicyView *view);

#endif
