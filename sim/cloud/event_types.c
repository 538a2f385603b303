#include "sim/cloud/event_types.h"

#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/maintenance.h"
#include "sim/cloud/cluster/region.h"
#include "sim/cloud/condition.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/checkpoint.h"
#include "sim/cloud/job/epochs.h"
#include "sim/cloud/job/exchange.h"
#include "sim/cloud/job/listed.h"
#include "sim/cloud/job/loss.h"
#include "sim/cloud/job/notice.h"
#include "sim/cloud/job/real.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/script.h"
#include "sim/cloud/job/workload.h"
#include "sim/cloud/spec/event.h"
#include "sim/cloud/tables.h"
#include "sim/cloud/trigger.h"

/* --- Subjects: how a handler is called --- */

static Cluster *cluster_of(const World *world, const Event *event)
{
    return cluster_row(world->clusters, (ClusterId){event->subject});
}

static Node *node_of(const World *world, const Event *event)
{
    return node_row(world->clusters, (NodeId){event->subject});
}

static Job *job_of(const World *world, const Event *event)
{
    return job_row(world->jobs, (JobId){event->subject});
}

#define RUN_INDEX(handler) handler(world, event->subject)
#define RUN_RESOURCE(handler) handler(world->resources, event->subject)
#define RUN_CLUSTER(handler) handler(world->clusters, cluster_of(world, event))
#define RUN_QUEUE(handler) handler(world->jobs, (ClusterId){event->subject})
#define RUN_NODE(handler) handler(world->clusters, node_of(world, event))
#define RUN_NODE_CHANCE(handler) handler(world->faults, node_of(world, event))
#define RUN_GROUP(handler) handler(world->faults, event->subject)
#define RUN_REGION(handler) handler(world->clusters)
#define RUN_JOB(handler) handler(world->jobs, job_of(world, event))
#define RUN_JOB_DETAIL(handler) handler(world->jobs, job_of(world, event), event->detail)
#define RUN_TRANSFER(handler) handler(world->storage, event->subject)
#define RUN_SHARE(handler) handler(world->storage, (ShareId){event->subject})
#define RUN_SHARE_DETAIL(handler) handler(world->storage, (ShareId){event->subject}, event->detail)
#define RUN_FILE_SERVER(handler) handler(world->storage, event->subject)
#define RUN_STORAGE(handler) handler(world->storage)
#define RUN_NETWORK(handler) handler(world->jobs)
#define RUN_WORKLOAD(handler) handler(world->jobs, event->subject)
#define RUN_WORKLOAD_DETAIL(handler) handler(world->jobs, event->subject, event->detail)

#define X(kind, phase, awaited, subject, generation, handler)                                      \
    static void run_##kind(void *owner, const Event *event)                                        \
    {                                                                                              \
        World *world = owner;                                                                      \
        (void)event;                                                                               \
        RUN_##subject(handler);                                                                    \
    }
EVENT_KINDS(X)
#undef X

/* --- Generations: whether an event still counts --- */

#define is_stale_NONE NULL

static bool is_stale_CONDITION(void *owner, const Event *event)
{
    return condition_is_stale(owner, event->subject, event->generation);
}

static bool is_stale_CLUSTER(void *owner, const Event *event)
{
    return cluster_of(owner, event)->generation != event->generation;
}

static bool is_stale_CLUSTER_LIFE(void *owner, const Event *event)
{
    return cluster_of(owner, event)->provisioning >= PROVISIONING_DELETING;
}

static bool is_stale_CLUSTER_TICK(void *owner, const Event *event)
{
    return cluster_of(owner, event)->tick_generation != event->generation;
}

static bool is_stale_QUEUE_CLAIM(void *owner, const Event *event)
{
    const World *world = owner;
    return scheduler_claim(world->jobs, (ClusterId){event->subject}, (int32_t)event->detail) !=
           event->generation;
}

static bool is_stale_NODE(void *owner, const Event *event)
{
    return node_of(owner, event)->generation != event->generation;
}

static bool is_stale_NODE_LIFE(void *owner, const Event *event)
{
    return node_of(owner, event)->life != event->generation;
}

static bool is_stale_NODE_HELD(void *owner, const Event *event)
{
    return node_of(owner, event)->state == NODE_STATE_COUNT;
}

static bool is_stale_JOB(void *owner, const Event *event)
{
    const Job *job = job_of(owner, event);
    return job == NULL || job->generation != event->generation;
}

static bool is_stale_JOB_WORK(void *owner, const Event *event)
{
    const Job *job = job_of(owner, event);
    return job == NULL || job->generation != event->generation || job_is_stalled(job);
}

static bool is_stale_TRANSFER(void *owner, const Event *event)
{
    const World *world = owner;
    return transfer_generation(world->storage, event->subject) != event->generation;
}

static bool is_stale_SHARE(void *owner, const Event *event)
{
    const World *world = owner;
    const ShareId share = {event->subject};
    return share_generation(world->storage, share) != event->generation;
}

static bool is_stale_FILE_SERVER(void *owner, const Event *event)
{
    const World *world = owner;
    return file_server_generation(world->storage, event->subject) != event->generation;
}

static bool is_stale_NETWORK(void *owner, const Event *event)
{
    const World *world = owner;
    return exchange_generation(world->jobs) != event->generation;
}

static bool is_stale_STORAGE(void *owner, const Event *event)
{
    const World *world = owner;
    return transfers_limited_generation(world->storage) != event->generation;
}

const EventType event_types[] = {
#define X(kind, phase, awaited, subject, generation, handler)                                      \
    {PHASE_##phase, EVENT_##awaited, is_stale_##generation, run_##kind},
    EVENT_KINDS(X)
#undef X
};
_Static_assert(sizeof event_types / sizeof event_types[0] == EVENT_KIND_COUNT, "one row per kind");
