#include "sim/cloud/cluster/drain.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/gpus.h"
#include "sim/cloud/cluster/maintenance.h"
#include "sim/cloud/cluster/tables.h"

bool node_can_drain(const Clusters *clusters, const Node *node)
{
    return node_is_in_service(clusters, node) && node->drain == DRAIN_NONE;
}

bool node_is_drained(const Clusters *clusters, const Node *node)
{
    (void)clusters;
    return node->drain != DRAIN_NONE;
}

static void set_drain(Cluster *cluster, Node *node, NodeDrain drain)
{
    node_count_draining(cluster, node, -1);
    node->drain = drain;
    node_count_draining(cluster, node, 1);
    node_offer(cluster, node);
}

/* Policies plan with the parts of jobs that do not become free. */
static void tell_jobs(const Clusters *clusters, const Node *node)
{
    const ClusterJobs *jobs = &clusters->jobs;
    for (int32_t i = 0; i < node_job_count(node); i++)
        jobs->node_drains(jobs->jobs, node_job_at(node, i));
}

void cluster_node_drained(Clusters *clusters, Node *node, NodeFailure work)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    invariant(node_can_drain(clusters, node));
    maintenance_turn_ends(clusters, cluster, node); // that of an earlier drain
    node->drain_work = work;
    node->drained_ns = clusters->engine->now_ns;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_DRAINED, node);
    record->cause = work.cause;
    record->name = work.reason;
    record->node_drained.work_ns = work.recovery != RECOVERY_STAYS ? work.repair_ns : -1;
    recorder_emit(clusters->recorder);
    set_drain(cluster, node, DRAIN_WAITS);
    if (node->state != NODE_UNUSABLE && !node_has_job(node)) {
        drain_begins_work(clusters, cluster, node);
        return;
    }
    tell_jobs(clusters, node);
    if (work.cause == CAUSE_HEALTH_CHECK)
        node_warn_jobs(clusters, node, work.cause);
    clusters->jobs.node_failed(clusters->jobs.jobs, cluster->id);
    autoscale_update(clusters, cluster);
}

bool drain_begins_work(Clusters *clusters, Cluster *cluster, Node *node)
{
    if (node->drain != DRAIN_WAITS)
        return false;
    node_set_failure(clusters, node, node->drain_work);
    set_drain(cluster, node, DRAIN_BEGUN);
    node_become_unusable(clusters, cluster, node);
    return true;
}

void drain_ends(Clusters *clusters, Cluster *cluster, Node *node)
{
    if (node->drain == DRAIN_NONE)
        return;
    set_drain(cluster, node, DRAIN_NONE);
    TraceRecord *record = node_trace(clusters, TRACE_NODE_RESUMED, node);
    record->cause = node->drain_work.cause;
    record->since_ns = node->drained_ns;
    recorder_emit(clusters->recorder);
}

void drain_is_lifted(Clusters *clusters, Cluster *cluster, Node *node)
{
    if (node->drain == DRAIN_NONE)
        return;
    drain_ends(clusters, cluster, node);
    tell_jobs(clusters, node);
}

void cluster_node_resumed(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (node->drain == DRAIN_BEGUN) {
        node->last_failure.recovery = RECOVERY_REBOOT;
        cluster_node_repaired(clusters, node);
        return;
    }
    drain_is_lifted(clusters, cluster, node);
    maintenance_turn_ends(clusters, cluster, node);
    clusters->jobs.nodes_changed(clusters->jobs.jobs, cluster->id);
    autoscale_update(clusters, cluster);
}
