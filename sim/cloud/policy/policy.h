/* Scheduling policies, which choose the next job of a queue. A policy is a pure function in a file
 * NAME.c, and a row in POLICIES (scenario.h).
 *
 * A policy chooses one of the waiting jobs of a cluster, or none. The scheduler calls it when jobs
 * are submitted or nodes become idle, starts the chosen job, and calls it again until it chooses
 * none. Before each choice a preemptive policy chooses running jobs to stop, one by one, until it
 * chooses none; they wait again, with their work so far (job_is_preempted). In a queue with a grace
 * period it chooses as if they had gone, and they stop later (sim/cloud/job/notice.h). A job takes
 * all that it asks for at one instant, so a policy chooses only jobs that fit (request_fits). Jobs
 * that ask for whole nodes and jobs that ask for GPUs may wait in one queue.
 *
 * Where a policy adds up or compares the sizes of jobs it counts slots (sim/cloud/spec/request.h),
 * which do not say how free GPUs are spread over nodes. Only request_fits knows that. In a cluster
 * of several kinds it counts the slots of each kind, because a job runs on nodes of one; and if a
 * job may start on several kinds it says on which of them.
 *
 * A policy sees one queue. If a cluster has several (sim/cloud/policy/queue_share.h), jobs and
 * nodes of the others are like nodes in preparation: they may become free at any time. It stops
 * only jobs of that queue. When a queue takes its guarantee back (sim/cloud/job/reclaim.h), its
 * policy is asked what it would start if some nodes were free that are not, so a choice depends on
 * the view alone.
 *
 * Waiting jobs that would run into planned maintenance (policy_last_start_ns) are not in the view,
 * and those that would do so on some kinds of nodes do not allow these. So other jobs pass them
 * under every policy: a job that ends before the maintenance does not delay one that starts after
 * it.
 *
 * A policy knows only what the service knows: a silent node counts as idle or running until the
 * service notices, and the durations that owners state (JobSpec.expected_ns, or else
 * max_wall_clock_ns) may be wrong. */
#ifndef SIM_CLOUD_POLICY_POLICY_H
#define SIM_CLOUD_POLICY_POLICY_H

#include "sim/cloud/record/ids.h"
#include "sim/cloud/spec/scenario.h"

typedef struct {
    JobId job;
    JobRequest request;
    int32_t priority;    /* the larger is more urgent; JobPriority for the service's own jobs */
    uint32_t owner;      /* index in PolicyView.used_node_us */
    int64_t expected_ns; /* the run time that its owner states, without the work that the job keeps
                            of preempted attempts; at the stated speed (policy_expected_ns) */
    int64_t owed_ns;     /* the cost of preemption, in addition, at any speed */
    const KindSpeeds *speeds; /* NULL: those of the kinds */
    int64_t fastest_ppm; /* the highest of its speeds on kinds of nodes that it allows and of which
                            the cluster had nodes at first, or may scale to some; 0: as stated */
} WaitingJob;

typedef struct {
    JobId job;
    JobRequest request;
    int32_t priority;
    int64_t started_ns;      /* the present attempt */
    int64_t expected_end_ns; /* if it is in the past, the job can end at any time */
    int64_t kept_back;       /* those of its slots that do not become free when it ends: they are on
                                drained nodes */
    int64_t speed_ppm;       /* on its nodes ... */
    int64_t fastest_ppm;     /* ... and as in WaitingJob */
} RunningJob;

/* Free slots from a time on, until the next step. */
typedef struct {
    int64_t at_ns;
    int64_t slots;
} PolicyStep;

typedef struct {
    int64_t now_ns;
    const Room *room;   /* of the first kind of nodes: what is free now */
    SlotLimit limit;    /* of the queue, for all kinds together */
    bool takes_fastest; /* KIND_CHOICE_FASTEST */
    int32_t waiting_count;
    const WaitingJob *waiting; /* in the service's order: by priority, then by submission; or by
                                  shortest time first (POLICY_SEES_QUEUE_BY_TIME) */
    int32_t running_count;
    const RunningJob *running;   /* of this queue, by expected end */
    const int64_t *used_node_us; /* [owner] node time used so far, in all clusters */
    PolicyOutside *outside;      /* POLICY_OUTSIDE; else NULL */
    PolicyStep *steps; /* memory to work with: [kinds * (running_count + waiting_count + 1)] */
    int32_t *indices;  /* likewise: [2 * waiting_count] */
} PolicyView;

#define POLICY_NONE (-1)

/* The job that starts. */
typedef struct {
    int32_t job;   /* an index in PolicyView.waiting, or POLICY_NONE */
    KindSet kinds; /* on one of these, on which it fits; 0: on any that it allows */
} PolicyChoice;

/* Whether the job could start now. */
static inline bool policy_fits(const PolicyView *view, const WaitingJob *job)
{
    return request_fits(&job->request, &view->limit, view->room);
}
/* The most slots of a kind that the jobs of the queue may have at once. */
int64_t policy_most_slots(const PolicyView *view, const Room *kind);
/* Those of them that no job of the queue has and that take no job now, but may at any time: of
 * nodes that are allocated or prepared, and those that other queues use. Slots of unusable and
 * drained nodes are not among them: the service does not know when a repair ends. Slurm's backfill
 * scheduler counts nodes in the same way: those that are powered up, and not those that are down.
 */
int64_t policy_slots_to_come(const PolicyView *view, const Room *kind);
/* The slots of a kind that are free, as far as the limit lets the queue have them. */
int64_t policy_free_slots(const PolicyView *view, const Room *kind);
/* The expected run time of a job on nodes of a kind. */
int64_t policy_expected_ns(const WaitingJob *job, const Room *kind);
/* The same on the kind of nodes on which it runs fastest (WaitingJob.fastest_ppm). */
int64_t policy_shortest_ns(const WaitingJob *job);
/* The time that a running job would still need there, rounded down; not more than if it waited, so
 * that jobs do not stop each other in turn. */
int64_t policy_left_ns(const PolicyView *view, const RunningJob *job);
/* The kinds of nodes in the order in which the job takes them: that of the cluster, or those on
 * which it runs fastest first, equal ones in the cluster's order. Returns how many there are. */
int32_t policy_kinds_in_order(const PolicyView *view, const WaitingJob *job,
                              const Room *order[NODE_KINDS_MAX]);
/* The last time at which the job may start on nodes of a kind, so that it is expected to end before
 * their next maintenance, or if that has begun a time in the past; INT64_MAX: none is planned. */
int64_t policy_last_start_ns(const WaitingJob *job, const Room *kind);
/* The slots of a kind that become free when a running job ends. */
int64_t policy_held_slots(const RunningJob *job, const Room *kind);

typedef enum {
    POLICY_SEES_HEAD,  /* only the first job of `waiting`, and no `running`: O(1) per start */
    POLICY_SEES_QUEUE, /* all waiting and running jobs: O(queue) per pass */
    POLICY_SEES_QUEUE_BY_TIME, /* as QUEUE, with `waiting` in the order of policy_shortest_ns */
} PolicySight;

typedef struct {
    const char *name;
    const char *what;
    PolicySight sight;
    PolicyChoice (*choose)(const PolicyView *view);
    /* The waiting job for which the queue keeps its place while it does not fit; POLICY_NONE: no
     * job. NULL: the first of `waiting`, if there is any. */
    int32_t (*first)(const PolicyView *view);
    int32_t (*victim)(const PolicyView *view); /* an index in view->running, or POLICY_NONE; NULL:
                                                  the policy stops no job */
} Policy;

const Policy *policy_of(PolicyKind kind);

/* The service's order: priority first, then submission, and a job starts when all its nodes are
 * idle at once. Whether a smaller job could pass a blocked larger one is not recorded; here it may
 * not, so no job starves (assumption). */
PolicyChoice policy_service(const PolicyView *view);

/* EASY backfilling: the service's order, with one reservation. While the first job does not fit, it
 * has a reservation for the earliest time at which running jobs are expected to have freed enough
 * slots. A later job may start now if it ends by then, or needs no more slots than will be spare at
 * that time. Nodes that are allocated or prepared may become ready at any time: the reservation
 * counts them as idle, so that it is never too late, but never as spare. Unusable nodes do not
 * count (policy_slots_to_come). A job that needs more than the cluster may have, or more than it
 * has without unusable nodes, gets no reservation: all others may overtake it, and the next one is
 * the first.
 *
 * The reservation counts slots and names no node: with whole nodes it counts nodes, with GPUs it
 * counts GPUs. A job that needs free GPUs on one node may therefore start later than reserved. If
 * enough slots are free now but the first job does not fit, a later job may pass if it leaves
 * enough. A first job that allows several kinds of nodes has its reservation on the kind that can
 * have enough slots first, the first in the order of policy_kinds_in_order among equals; jobs on
 * other kinds may pass. A job whose reservation would let it run into maintenance has none, and the
 * next job is the first.
 *
 * Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995 (LNCS 949); Mu'alem and Feitelson,
 * "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM SP2
 * with backfilling", IEEE TPDS 12(6), 2001. */
PolicyChoice policy_backfill(const PolicyView *view);
int32_t policy_backfill_first(const PolicyView *view);

/* Shortest job first: the job with the shortest expected run time (policy_shortest_ns),
 * regardless of priority; among equals the service's order. While it does not fit, no job overtakes
 * it. Long jobs may starve under load, which this policy demonstrates. Smith, "Various optimizers
 * for single-stage production", Naval Research Logistics 3, 1956 (with equal weights: least mean
 * waiting time on one machine). */
PolicyChoice policy_shortest(const PolicyView *view);
int32_t policy_shortest_first(const PolicyView *view);

/* Fair share by owner: the first job, in the service's order, of the owner that has used
 * the least node time so far, including failed jobs; among equals the service's order. While it
 * does not fit, no job overtakes it. Usage decays with Scenario.fair_share_half_life_ns, if that is
 * set: used time counts half after this time, a quarter after twice. Kay and Lauder, "A fair share
 * scheduler", CACM 31(1), 1988. */
PolicyChoice policy_fair_share(const PolicyView *view);
int32_t policy_fair_share_first(const PolicyView *view);

/* Shortest remaining time first, regardless of priority. All jobs, running and waiting, are taken
 * in order of the time that they are expected to need (policy_left_ns, policy_shortest_ns); among
 * equals a running job comes first, then the service's order (running jobs: by id). Each gets its
 * slots while as many are left; a job that does not fit into the rest is skipped. Running jobs that
 * got none are stopped, waiting jobs that got theirs start. A running job without slots is never
 * stopped.
 *
 * Slots are counted: they are those that are free now and those of running jobs, and the policy
 * names no node. A chosen job that does not fit because free GPUs are spread over nodes waits, and
 * its slots stay idle for it, so that no job is stopped and started in turn. A job that could not
 * run on all these nodes alone is skipped. A waiting job gets slots of the first kind, in the order
 * of policy_kinds_in_order, that it allows with enough left.
 *
 * These are the rules of the simulator of Hu et al., "Characterization and prediction of deep
 * learning workloads in large-scale GPU datacenters" (Helios), SC 2021, with its cost of preemption
 * as the default (Scenario.preemption_cost). Differences: Time is not cut into seconds, and a job
 * takes its own time, not one second more. The remaining time is the owner's estimate, and counts
 * from the start of the attempt; with exact estimates and jobs that only take time they are the
 * same. Schrage, "A proof of the optimality of the shortest remaining processing time discipline",
 * Operations Research 16, 1968 (least mean time in system on one machine). Long jobs may starve. */
PolicyChoice policy_srtf(const PolicyView *view);
int32_t policy_srtf_victim(const PolicyView *view);

/* Conservative backfilling: every waiting job has a reservation, in the service's order, for the
 * earliest time at which enough slots are free for as long as the job is expected to run, in
 * addition to those of running jobs and of earlier reservations. A job starts when its reservation
 * is now and it fits. So no job delays an earlier one, as far as estimates are right and slots
 * suffice. The reservations are made anew at each pass: a job may move forward when others end
 * early.
 *
 * As in policy_backfill the reservations count slots and name no node; an overdue job may end at
 * any time, and nodes that are allocated or prepared may come at any time: their slots count for a
 * reservation, but an idle slot that an earlier job may need at any time is not given to a later
 * one. Unusable nodes do not count. A job that needs more than the cluster may have, or more than
 * it has without unusable nodes, gets no reservation, nor does one that would run into maintenance
 * with it. A job that allows several kinds of nodes has it on the kind where it can start first.
 * Mu'alem and Feitelson (see policy_backfill).
 *
 * A choice looks at each waiting job, so that an overloaded log takes quadratic time, as under
 * backfill and srtf. Reservations cost most. Those that cannot change the choice are not made,
 * which are nearly all of a long queue (conservative.c); if they all do, it takes O(w * (w +
 * running)) steps for w waiting jobs. tools/long_queue.sh measures this. */
PolicyChoice policy_conservative(const PolicyView *view);

/* For the service's order with preemption: while the first waiting job does not fit, the running
 * job of lower priority that started last; among equals the one with the largest id. If the slots
 * of all such jobs together with the free ones are not enough, none. The first kind, in the order
 * of policy_kinds_in_order, that the first job allows and on which they are enough counts. Slots
 * are counted: with GPUs spread over nodes all such jobs may be stopped and the first one still
 * wait. No job overtakes. */
int32_t policy_priority_victim(const PolicyView *view);

#endif
