/* The fixture of tests about queues of one cluster: nodes of an ideal service, jobs that take a
 * time on GPUs, and the times at which they start. */
#ifndef TESTS_SUPPORT_QUEUE_FIXTURE_H
#define TESTS_SUPPORT_QUEUE_FIXTURE_H

#include <string.h>

#include "sim/base/units.h"
#include "tests/support/world_fixture.h"

enum { QUEUES = 3 };

static const char *const queue_names[QUEUES] = {"a", "b", "c"};

static inline QueueSpec queue(int64_t guaranteed)
{
    return (QueueSpec){.guaranteed = guaranteed, .most = INT64_MAX};
}

static inline QueueSpec reclaiming(int64_t guaranteed, int64_t after_s)
{
    return (QueueSpec){.guaranteed = guaranteed,
                       .most = INT64_MAX,
                       .reclaims = true,
                       .reclaim_after_ns = after_s * NS_PER_S};
}

static inline void add_cluster(int32_t nodes, int32_t gpus_per_node, const QueueSpec *queues,
                               int32_t count)
{
    ClusterSpec *spec = ARENA_NEW(arena, ClusterSpec);
    QueueSpec *own = ARENA_ARRAY(arena, QueueSpec, count);
    for (int32_t q = 0; q < count; q++) {
        own[q] = queues[q];
        own[q].name = queue_names[q];
    }
    *spec = (ClusterSpec){.vm_size = vm_size_of_gpus(arena, gpus_per_node),
                          .target_nodes = nodes,
                          .admin_user = "demo",
                          .queues = own,
                          .queue_count = count};
    commands_create_cluster(&list, "cluster", 0, spec);
}

/* Jobs have the ids 0, 1, ... in the order of their submission. */
static inline JobSpec *add_job(const char *name, int64_t at_s, int32_t of_queue, int32_t gpus,
                               int64_t run_s)
{
    JobSpec *spec = gpu_job(arena, REQUEST_GPUS, 1, gpus, run_s);
    spec->queue = queue_names[of_queue];
    commands_create_job(&list, name, at_s * NS_PER_S, "cluster", spec);
    return spec;
}

static inline World *run_world(PolicyKind policy)
{
    World *world = ideal_world(&list, policy, PLACEMENT_CONSOLIDATE, &recording);
    world_run(world);
    return world;
}

/* The time of the n-th start of a job, from 0, in seconds; -1: there is none. */
static inline int64_t start_s(uint32_t id, int32_t n)
{
    for (int32_t i = 0; i < recording.count; i++) {
        const TraceRecord *record = &recording.items[i];
        if (record->kind == TRACE_JOB_STATE && record->job.index == id &&
            strcmp(record->name, "running") == 0 && n-- == 0)
            return record->at_ns / NS_PER_S;
    }
    return -1;
}

/* A command that gives a queue another guarantee and limit; -1: as before. */
static inline void change_queue(int64_t at_s, int32_t of_queue, int64_t gpus, int64_t gpus_max)
{
    Command *command = commands_add(&list, COMMAND_QUEUE_CHANGE, "cluster", at_s * NS_PER_S);
    command->as.fault.queue = queue_names[of_queue];
    command->as.fault.gpus = gpus;
    command->as.fault.gpus_max = gpus_max;
}

static inline int32_t reclaims(void)
{
    return recording_count(&recording, TRACE_QUEUE_RECLAIMS, NULL);
}

#endif
