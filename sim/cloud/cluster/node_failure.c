/* Private to sim/cloud/cluster: nodes that crash, are repaired, warned, preempted or slow (node.h).
 */

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/cluster/node.h"
#include "sim/cloud/cluster/region.h"
#include "sim/cloud/cluster/tables.h"

void node_withdraw(Clusters *clusters, Node *node, DeallocationOption deallocation,
                   TraceCause cause)
{
    if (node->state != NODE_RUNNING)
        return;
    node->is_withdrawn = true;
    if (node->job.index != ID_NONE)
        clusters->jobs.node_taken(clusters->jobs.jobs, node->job, node, deallocation, cause);
    while (node->shared_count > 0)
        clusters->jobs.node_taken(clusters->jobs.jobs, node->shared[0].job, node, deallocation,
                                  cause);
    node->is_withdrawn = false;
    // The jobs may start again at once on other nodes.
    clusters->jobs.nodes_changed(clusters->jobs.jobs, node->cluster);
}

bool node_is_in_service(const Clusters *clusters, const Node *node)
{
    (void)clusters;
    return node->state != NODE_STATE_COUNT && node->state != NODE_LEAVING;
}

bool node_works(const Clusters *clusters, const Node *node)
{
    return node_is_in_service(clusters, node) && node->state != NODE_UNUSABLE && !node->is_silent;
}

void cluster_node_crashes(Clusters *clusters, Node *node, NodeFailure failure)
{
    if (!node_works(clusters, node))
        return;
    node_set_failure(clusters, node, failure);
    if (node->drain_work.cause == CAUSE_HEALTH_CHECK)
        drain_is_lifted(clusters, cluster_row(clusters, node->cluster),
                        node); // this is what the check saw
    node->is_silent = true;
    node->generation++; // its preparation stops
    node_setup_ends(clusters, node, SETUP_CUT_OFF);
    int64_t delay_ns =
        engine_draw(clusters->engine, clusters->scenario->service.failure_detection_ns,
                    RNG_DETECTION, node->address, node->life);
    engine_push(clusters->engine, delay_ns, EVENT_NODE_SILENT, node->id.index, node->life, 0);
    for (int32_t i = 0; i < node_job_count(node); i++)
        clusters->jobs.node_fell_silent(clusters->jobs.jobs, node_job_at(node, i), node);
}

bool node_leaves_instead(Clusters *clusters, Cluster *cluster, Node *node)
{
    if (!node->is_retiring)
        return false;
    node_leaves(clusters, cluster, node, cluster->allocation_cause);
    if (cluster->retiring_nodes == 0)
        allocation_retired(clusters, cluster);
    return true;
}

void cluster_node_missed(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (!node->is_silent)
        return; // it has left since
    node_withdraw(clusters, node, DEALLOCATE_REQUEUE, node->failure->cause);
    if (!node_leaves_instead(clusters, cluster, node))
        node_become_unusable(clusters, cluster, node);
}

/* Prepares a failed or drained node again. It keeps its age and its pulled images. */
static void recovers(Clusters *clusters, Cluster *cluster, Node *node, TraceCause cause,
                     int64_t reboot_ns)
{
    node->is_silent = false;
    node->failure = NULL;
    node->life++;
    node->life_ns = clusters->engine->now_ns;
    if (drain_begins_work(clusters, cluster, node))
        return;
    drain_ends(clusters, cluster, node);
    node_begin_preparation(clusters, cluster, node, cause, reboot_ns);
    clusters->faults.node_begins(clusters->faults.faults, node);
    if (cluster->kind_count > 1)
        autoscale_update(clusters, cluster); // fewer nodes of the scaling kind may be needed
}

void cluster_node_repaired(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (node->state != NODE_UNUSABLE)
        return; // it has left since
    if (region_is_out(clusters)) {
        engine_push_at(clusters->engine, region_up_ns(clusters), EVENT_NODE_REPAIRED,
                       node->id.index, node->life, 0);
        return;
    }
    switch (node->failure->recovery) {
    case RECOVERY_REBOOT:
        recovers(clusters, cluster, node,
                 node->drain == DRAIN_BEGUN ? node->failure->cause : CAUSE_REPAIR, 0);
        return;
    case RECOVERY_REPLACE:
        node_release(clusters, cluster, node, CAUSE_REPLACEMENT);
        allocation_replace(clusters, cluster);
        return;
    case RECOVERY_STAYS:
    case RECOVERY_COUNT:
        break;
    }
    invariant_broken("a node that is to be repaired", __FILE__, __LINE__);
}

void node_warn_jobs(Clusters *clusters, const Node *node, TraceCause cause)
{
    for (int32_t i = 0; i < node_job_count(node); i++)
        clusters->jobs.node_warned(clusters->jobs.jobs, node_job_at(node, i), cause);
}

void cluster_node_warned(Clusters *clusters, Node *node, int64_t notice_ns, TraceCause cause)
{
    if (node->state == NODE_STATE_COUNT || node->notice != CAUSE_NONE)
        return;
    node->notice = cause;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_NOTICE, node);
    record->node_notice.notice_ns = notice_ns;
    record->cause = cause;
    recorder_emit(clusters->recorder);
    engine_push(clusters->engine, notice_ns, EVENT_NODE_PREEMPTED, node->id.index, 0, 0);
    node_warn_jobs(clusters, node, CAUSE_PREEMPTION); // for a job any other cause is a preemption
}

void cluster_node_preempted(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (node->state == NODE_STATE_COUNT)
        return;
    TraceCause cause = node->notice != CAUSE_NONE ? node->notice : CAUSE_PREEMPTION;
    // For the job any other cause is a preemption.
    node_withdraw(clusters, node, DEALLOCATE_REQUEUE,
                  cause == CAUSE_RUN_LENGTH ? CAUSE_RUN_LENGTH : CAUSE_PREEMPTION);
    node_release(clusters, cluster, node, cause);
    allocation_replace(clusters, cluster);
}

void cluster_node_reboots(Clusters *clusters, Node *node, TraceCause cause)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    if (!node_is_in_service(clusters, node) || node->drain == DRAIN_BEGUN)
        return;
    int64_t reboot_ns = engine_draw(clusters->engine, clusters->scenario->service.node_reboot_ns,
                                    RNG_REBOOT, node->address, (uint64_t)node->preparations);
    node_withdraw(clusters, node, DEALLOCATE_REQUEUE, cause);
    if (node_leaves_instead(clusters, cluster, node) || drain_begins_work(clusters, cluster, node))
        return;
    if (node->failure)
        recovers(clusters, cluster, node, cause, reboot_ns);
    else
        node_begin_preparation(clusters, cluster, node, cause, reboot_ns);
}

void cluster_set_node_speed(Clusters *clusters, Node *node, int64_t speed_ppm)
{
    node->speed_ppm = speed_ppm;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_SPEED, node);
    record->node_speed.speed_ppm = speed_ppm;
    recorder_emit(clusters->recorder);
}
