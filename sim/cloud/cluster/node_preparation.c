/* Private to sim/cloud/cluster: the preparation of nodes: mounts, set-up tasks, and how they fail
 * (node.h). */

#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/node.h"
#include "sim/cloud/cluster/tables.h"
#include "sim/cloud/storage/file_server.h"

static void emit_error(Clusters *clusters, const Node *node, const NodeFailure *failure)
{
    static const char no_code[] = "InternalError"; // the service's default
    if (!recorder_takes(clusters->recorder, TRACE_NODE_ERROR))
        return;
    TraceRecord *record = node_trace(clusters, TRACE_NODE_ERROR, node);
    record->cause = failure->cause;
    record->name =
        arena_printf(clusters->arena, "%s: node %s: %s", failure->code ? failure->code : no_code,
                     node->name, failure->reason ? failure->reason : "it stopped working");
    recorder_emit(clusters->recorder);
}

void node_set_failure(Clusters *clusters, Node *node, NodeFailure failure)
{
    node->last_failure = failure;
    node->failure = &node->last_failure;
    node->failed_ns = clusters->engine->now_ns;
    node->life++; // its pending failure becomes stale
}

void node_become_unusable(Clusters *clusters, Cluster *cluster, Node *node)
{
    const NodeFailure *failure = node->failure;
    bool was_preparing = node->state == NODE_PREPARING;
    node->is_silent = false;
    if (node->drain != DRAIN_BEGUN)
        emit_error(clusters, node, failure);
    node_set_state(clusters, cluster, node, NODE_UNUSABLE, failure->cause);
    clusters->jobs.node_failed(clusters->jobs.jobs, cluster->id);
    if (failure->recovery != RECOVERY_STAYS)
        crew_called(clusters, node);
    if (was_preparing)
        allocation_report_ready(clusters, cluster); // it may have been the last node in preparation
    autoscale_update(clusters, cluster);
}

static bool chance_strikes(const Clusters *clusters, int64_t chance_ppm, const Node *node,
                           int32_t kind, uint64_t occurrence)
{
    return engine_strikes(clusters->engine, chance_ppm, clusters->scenario->failures.rate_ppm,
                          RNG_CHANCE, node->address,
                          (uint64_t)kind << 32 | (occurrence & UINT32_MAX));
}

/* Removes the first failing preparation that applies to the node; false: none does. */
static bool take_failing_preparation(Cluster *cluster, const Node *node, NodeFailure *failure)
{
    for (FailingPreparation **at = &cluster->failing_preparations; *at; at = &(*at)->next) {
        if ((*at)->place != -1 && (*at)->place != node->place)
            continue;
        *failure = (*at)->failure;
        *at = (*at)->next;
        return true;
    }
    return false;
}

void cluster_fail_next_preparation(Clusters *clusters, Cluster *cluster, int32_t place,
                                   NodeFailure failure)
{
    FailingPreparation **last = &cluster->failing_preparations;
    while (*last)
        last = &(*last)->next;
    *last = ARENA_NEW(clusters->arena, FailingPreparation);
    **last = (FailingPreparation){.place = place, .failure = failure};
}

/* Why the mount fails; NULL: it succeeds. */
static const char *mount_trouble(Clusters *clusters, const Node *node, const char *mount,
                                 int32_t index)
{
    enum { MOUNTS_PER_PREPARATION = 256 };
    const ShareId share = storage_find_existing(clusters->storage, mount);
    uint64_t occurrence = (uint64_t)(node->preparations - 1) * MOUNTS_PER_PREPARATION +
                          (uint64_t)index % MOUNTS_PER_PREPARATION;
    if (share.index == ID_NONE)
        return "doesn't exist";
    if (share_is_out(storage_share(clusters->storage, share)))
        return "does not answer";
    return chance_strikes(clusters, clusters->scenario->failures.mount_ppm, node, CHANCE_MOUNT,
                          occurrence)
               ? "refused the connection"
               : NULL;
}

/* Codes and messages are the service's if known (batchai-service notes, "Cluster errors"). */
static NodeFailure mount_failure(Clusters *clusters, const char *mount, bool is_blob,
                                 const char *trouble)
{
    bool is_server = file_server_is_share(mount);
    const char *what = is_server ? "file server" : "Azure file share";
    return (NodeFailure){.cause = CAUSE_MOUNT_FAILURE,
                         .code = is_blob     ? "BFSMountError"
                                 : is_server ? "InternalError"
                                             : "AZFMountError",
                         .reason = is_blob ? storage_blob_message(clusters->arena, mount, trouble)
                                           : arena_printf(clusters->arena,
                                                          "unable to mount %s \"%s\", which %s",
                                                          what, mount, trouble),
                         .recovery = RECOVERY_STAYS,
                         .repair_ns = INT64_MAX};
}

static bool mount_fails(Clusters *clusters, const Cluster *cluster, const Node *node,
                        NodeFailure *failure)
{
    const ClusterSpec *spec = cluster->spec;
    for (int32_t m = 0; m < spec->mount_count; m++) {
        const char *mount = spec->mounts[m];
        const char *trouble = mount_trouble(clusters, node, mount, m);
        if (!trouble)
            continue;
        *failure =
            mount_failure(clusters, mount, spec->is_blob_mount && spec->is_blob_mount[m], trouble);
        return true;
    }
    return false;
}

/* Whether the preparation before the set-up task fails. */
static bool preparation_fails(Clusters *clusters, Cluster *cluster, const Node *node,
                              NodeFailure *failure)
{
    if (take_failing_preparation(cluster, node, failure))
        return true;
    if (!chance_strikes(clusters, clusters->scenario->failures.preparation_ppm, node,
                        CHANCE_PREPARATION, (uint64_t)(node->preparations - 1)))
        return mount_fails(clusters, cluster, node, failure);
    *failure = (NodeFailure){.cause = CAUSE_PREPARATION_FAILURE,
                             .reason = "its start-up failed before any command of ours ran",
                             .recovery = RECOVERY_STAYS,
                             .repair_ns = INT64_MAX};
    return true;
}

/* Ends the set-up task, if there is one. Returns whether it failed. */
static bool setup_fails(Clusters *clusters, const Cluster *cluster, Node *node,
                        NodeFailure *failure)
{
    const ClusterSpec *spec = cluster->spec;
    int32_t exit_code = spec->setup_exit_code;
    if (!spec->setup_command)
        return false;
    if (exit_code == 0 && chance_strikes(clusters, clusters->scenario->failures.setup_ppm, node,
                                         CHANCE_SETUP, (uint64_t)(node->preparations - 1)))
        exit_code = 1;
    node_setup_ends(clusters, node, exit_code);
    if (exit_code == 0)
        return false;
    // The place of its output: batchai-service notes, "nodeStateCounts semantics".
    *failure =
        (NodeFailure){.cause = CAUSE_SETUP_FAILURE,
                      .reason = arena_printf(clusters->arena,
                                             "set-up task \"%s\" ended with exit code %d (see "
                                             "/mnt/batch/tasks/startup/stderr.txt on the node)",
                                             spec->setup_command, (int)exit_code),
                      .recovery = RECOVERY_STAYS,
                      .repair_ns = INT64_MAX};
    return true;
}

/* Begins the set-up task; false if the cluster has no task, or the task takes no time. */
static bool begins_setup(Clusters *clusters, Cluster *cluster, Node *node)
{
    const ClusterSpec *spec = cluster->spec;
    if (!spec->setup_command)
        return false;
    if (node->setup_began_ns == INT64_MAX) {
        node->set_up_before = cluster->set_up_last;
        cluster->set_up_last = node->id;
    }
    cluster->setup_count++;
    node->is_in_setup = true;
    node->setup_began_ns = clusters->engine->now_ns;
    node->setup_ended_ns = INT64_MAX;
    if (spec->setup_ns.count == 0)
        return false;
    int64_t delay_ns = engine_draw(clusters->engine, spec->setup_ns, RNG_SETUP, node->address,
                                   (uint64_t)(node->preparations - 1));
    if (delay_ns == 0)
        return false;
    engine_push(clusters->engine, delay_ns, EVENT_NODE_PREPARED, node->id.index, node->generation,
                0);
    return true;
}

void cluster_node_prepared(Clusters *clusters, Node *node)
{
    Cluster *cluster = cluster_row(clusters, node->cluster);
    NodeFailure failure;
    bool is_mounted = node->is_in_setup;
    bool fails = !is_mounted && preparation_fails(clusters, cluster, node, &failure);
    if (!fails && !is_mounted && begins_setup(clusters, cluster, node))
        return;
    if (fails || setup_fails(clusters, cluster, node, &failure)) {
        node_set_failure(clusters, node, failure);
        node_become_unusable(clusters, cluster, node);
        return;
    }
    node_set_state(clusters, cluster, node, NODE_IDLE, CAUSE_NONE);
    allocation_report_ready(clusters, cluster);
    clusters->jobs.nodes_changed(clusters->jobs.jobs, cluster->id);
    autoscale_update(clusters, cluster);
}
