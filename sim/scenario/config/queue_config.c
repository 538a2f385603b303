#include "sim/scenario/config/queue_config.h"

#include <inttypes.h>
#include <string.h>

static void check_queue(const ConfigContext *context, BoundList queues, int32_t index,
                        bool may_change)
{
    const QueueText *queue = queues.items[index];
    Problems *problems = context->problems;
    if (queue->node == NULL || queue->name.is_refused)
        return;
    for (int32_t i = 0; i < index; i++) {
        const QueueText *other = queues.items[i];
        if (other->name.value != NULL && strcmp(other->name.value, queue->name.value) == 0)
            problems_add(problems, STATUS_BAD_INPUT, json_at(queue->name.node),
                         "the cluster has a queue \"%s\" already", queue->name.value);
    }
    if (queue->gpus_max.node != NULL && !queue->gpus_max.is_refused && !queue->gpus.is_refused &&
        queue->gpus_max.value < queue->gpus.value)
        problems_add(problems, STATUS_BAD_INPUT, json_at(queue->gpus_max.node),
                     "queue \"%s\": gpus_max is %" PRId64 ", below its guaranteed gpus, %" PRId64,
                     queue->name.value, queue->gpus_max.value, queue->gpus.value);
    if (queue->reclaim_after.node != NULL && !queue->gpus.is_refused && queue->gpus.value == 0 &&
        !may_change)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(queue->reclaim_after.node),
                                 "queue \"%s\" has no guaranteed GPUs that it could reclaim",
                                 queue->name.value),
                    "state its guarantee, \"gpus\"");
}

void queues_read(const ConfigContext *context, BoundList queues, bool may_change,
                 ClusterConfig *cluster)
{
    QueueSpec *specs = ARENA_ARRAY(context->arena, QueueSpec, queues.count);
    for (int32_t i = 0; i < queues.count; i++) {
        const QueueText *queue = queues.items[i];
        const bool has_limit = queue->gpus_max.node != NULL;
        check_queue(context, queues, i, may_change);
        specs[i] = (QueueSpec){.name = queue->name.value != NULL ? queue->name.value : "(unnamed)",
                               .guaranteed = queue->gpus.value,
                               .most = has_limit ? queue->gpus_max.value : INT64_MAX,
                               .reclaims = queue->reclaim_after.node != NULL,
                               .reclaim_after_ns = queue->reclaim_after.value,
                               .grace_ns = queue->grace_period.value,
                               .is_protected = queue->is_protected.value != 0};
    }
    cluster->queues_may_change = may_change;
    cluster->spec.queue_count = queues.count;
    cluster->spec.queues = specs;
}

static bool may_be_reclaimed_from(const QueueSpec *queue)
{
    return queue->most > queue->guaranteed && !queue->is_protected;
}

static void warn_of_reclaim(const ConfigContext *context, BoundList queues,
                            const ClusterSpec *cluster)
{
    int32_t givers = 0;
    for (int32_t i = 0; i < queues.count; i++)
        givers += may_be_reclaimed_from(&cluster->queues[i]);
    for (int32_t i = 0; i < queues.count; i++) {
        const QueueText *queue = queues.items[i];
        if (cluster->queues[i].reclaims && givers == may_be_reclaimed_from(&cluster->queues[i]))
            status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT,
                                     json_at(queue->reclaim_after.node),
                                     "queue \"%s\" can never reclaim its guarantee",
                                     queue->name.value),
                        "each other queue is protected, or may not borrow (gpus_max)");
    }
}

static void warn_of_sum(const ConfigContext *context, BoundList queues,
                        const ClusterConfig *cluster)
{
    const VmSize *vm = cluster->spec.vm_size;
    int64_t sum = 0;
    if (vm == NULL || cluster->nodes_max == NODES_UNKNOWN || queues.count == 0)
        return;
    for (int32_t i = 0; i < queues.count; i++)
        sum += cluster->spec.queues[i].guaranteed;
    int64_t slots = 0;
    for (int32_t k = 0; k < cluster_spec_kind_count(&cluster->spec); k++) {
        const int32_t gpus = cluster_spec_kind(&cluster->spec, k).vm_size->gpus;
        slots +=
            (int64_t)(cluster->kinds_max != NULL ? cluster->kinds_max[k] : cluster->nodes_max) *
            (gpus > 0 ? gpus : 1);
    }
    if (sum > slots)
        status_hint(problems_add(config_warnings(context), STATUS_BAD_INPUT, json_at(queues.node),
                                 "the queues of cluster \"%s\" are guaranteed %" PRId64
                                 " %s, and it never has more than %" PRId64,
                                 cluster->name, sum, vm->gpus > 0 ? "GPUs" : "nodes", slots),
                    "queues below their guarantees keep all others from borrowing");
}

void queues_warn(const ConfigContext *context, BoundList queues, const ClusterConfig *cluster)
{
    warn_of_sum(context, queues, cluster);
    if (!cluster->queues_may_change)
        warn_of_reclaim(context, queues, &cluster->spec);
}

int32_t queue_check(const ConfigContext *context, const ClusterConfig *cluster, const char *queue,
                    Place at)
{
    const ClusterSpec *spec = &cluster->spec;
    const int32_t index = cluster_spec_queue(spec, queue);
    if (index != QUEUE_UNKNOWN)
        return index;
    const char **names = ARENA_ARRAY(context->arena, const char *, spec->queue_count);
    for (int32_t i = 0; i < spec->queue_count; i++)
        names[i] = spec->queues[i].name;
    if (queue != NULL)
        bind_unknown_name(context->problems, at, "queue", queue, names, spec->queue_count);
    else
        status_hint_names(problems_add(context->problems, STATUS_BAD_INPUT, at,
                                       "cluster \"%s\" has queues, and no \"queue\" is stated",
                                       cluster->name),
                          "", names, spec->queue_count);
    return QUEUE_UNKNOWN;
}

int64_t queue_most(const ClusterConfig *cluster, int32_t queue)
{
    const bool is_known =
        queue != QUEUE_UNKNOWN && queue < cluster->spec.queue_count && !cluster->queues_may_change;
    return is_known ? cluster->spec.queues[queue].most : INT64_MAX;
}
