/* Scheduling policies, which choose the next job of a queue. A policy is a pure function in a file
 * policy_NAME.c, and a row in POLICIES (scenario.h).
 *
 * A policy chooses one of the waiting jobs of a cluster, or none. The scheduler calls it when jobs
 * are submitted or nodes become idle, starts the chosen job, and calls it again until it chooses
 * none. A job takes all that it asks for at one instant, so a policy chooses only jobs that fit
 * (request_fits). Jobs that ask for whole nodes and jobs that ask for GPUs may wait in one queue.
 *
 * Where a policy adds up or compares the sizes of jobs it counts slots (sim/cloud/spec/request.h),
 * which do not say how free GPUs are spread over nodes. Only request_fits knows that.
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
    JobRequest request;
    int32_t priority;    /* the larger is more urgent; JobPriority for the service's own jobs */
    int64_t expected_ns; /* the run time that its owner states */
    uint32_t owner;      /* index in PolicyView.used_node_us */
} WaitingJob;

typedef struct {
    JobId job;
    JobRequest request;
    int64_t expected_end_ns; /* if it is in the past, the job can end at any time */
} RunningJob;

typedef struct {
    int64_t now_ns;
    Room room;          /* what is free now */
    int32_t most_nodes; /* the most that the cluster may have now: its target, or the maximum of its
                           automatic scaling */
    int32_t waiting_count;
    const WaitingJob *waiting; /* in the service's order: by priority, then by submission */
    int32_t running_count;
    const RunningJob *running;   /* of this cluster, by expected end */
    const int64_t *used_node_us; /* [owner] node time used so far, in all clusters */
} PolicyView;

#define POLICY_NONE (-1)

typedef enum {
    POLICY_SEES_HEAD,  /* only the first job of `waiting`, and no `running`: O(1) per start */
    POLICY_SEES_QUEUE, /* all waiting and running jobs: O(queue) per pass */
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
 * has a reservation for the earliest time at which running jobs are expected to have freed enough
 * slots. A later job may start now if it ends by then, or needs no more slots than will be spare at
 * that time. Nodes under repair or allocation may become ready at any time: the reservation counts
 * them as idle, so that it is never too late, but never as spare. A job that needs more than the
 * cluster may have gets no reservation, and all others may overtake it.
 *
 * The reservation counts slots and names no node: with whole nodes it counts nodes, with GPUs it
 * counts GPUs. A job that needs free GPUs on one node may therefore start later than reserved. If
 * enough slots are free now but the first job does not fit, a later job may pass if it leaves
 * enough.
 *
 * Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995 (LNCS 949); Mu'alem and Feitelson,
 * "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2
 * with backfilling", IEEE TPDS 12(6), 2001. */
int32_t policy_backfill(const PolicyView *view);

/* Shortest job first: the job with the shortest expected run time, regardless of priority; among
 * equals the service's order. While it does not fit, no job overtakes it. Long jobs may starve
 * under load, which this policy demonstrates. Smith, "Various optimizers for single-stage
 * production", Naval Research Logistics 3, 1956 (with equal weights: least mean waiting time on one
 * machine). */
int32_t policy_shortest(const PolicyView *view);

/* Fair share by owner: the first job, in the service's order, of the owner that has used
 * the least node time so far, including failed jobs; among equals the service's order. While it
 * does not fit, no job overtakes it. Usage does not decay. Kay and Lauder, "A fair share
 * scheduler", CACM 31(1), 1988. */
int32_t policy_fair_share(const PolicyView *view);

#endif
