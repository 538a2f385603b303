#include "sim/cloud/fault/fault.h"

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/drain.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/region.h"
#include "sim/cloud/fault/tables.h"
#include "sim/cloud/job/attempt.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/workload.h"

/* --- The nodes that a fault strikes --- */

static bool is_preemptible(const Clusters *clusters, const Node *node)
{
    return node_is_in_service(clusters, node) &&
           cluster_kind_of_node(cluster_by_id(clusters, node->cluster), node)->spec.is_low_priority;
}

/* Whether the cluster has nodes of a low-priority kind. */
static bool has_preemptible_kind(const Cluster *cluster)
{
    int32_t k = 0;
    while (k < cluster->kind_count && !cluster->kinds[k].spec.is_low_priority)
        k++;
    return k < cluster->kind_count;
}

/* The condition on the nodes that a fault may strike. */
typedef struct {
    NodeTest *counts;
    const char *which; /* the condition in words: "works" */
} Victims;

/* The nodes that each kind of fault may strike; without a row it strikes none. */
static const Victims victims_of[COMMAND_KIND_COUNT] = {
    [COMMAND_NODE_CRASH] = {node_works, "works"},
    [COMMAND_GROUP_CRASH] = {node_works, "works"},
    [COMMAND_NODE_PREEMPT] = {is_preemptible, "can be preempted"},
    [COMMAND_GROUP_PREEMPT] = {is_preemptible, "can be preempted"},
    [COMMAND_NODE_REBOOT] = {node_is_in_service, "is in service"},
    [COMMAND_NODE_SLOW] = {node_is_in_service, "is in service"},
    [COMMAND_NODE_DRAIN] = {node_can_drain, "is in service and not drained"},
    [COMMAND_NODE_RESUME] = {node_is_drained, "is drained"},
};

static Cluster *find_cluster(Faults *faults, const Command *command, Status *status)
{
    Cluster *cluster = cluster_find(faults->clusters, command->path);
    if (!cluster)
        command_not_found(command, "cluster", command->path.name, status);
    return cluster;
}

static Job *find_job(Faults *faults, const Command *command, Status *status)
{
    Job *job = job_find(faults->jobs, command->path);
    if (!job)
        command_not_found(command, "job", command->path.name, status);
    return job;
}

/* The nodes among which a fault chooses: the nodes of a job, or the places of a cluster. */
typedef struct {
    const char *noun; /* "cluster", "job" */
    const char *name;
    const Cluster *cluster;
    const Job *job;      /* NULL: all nodes of the cluster */
    int32_t place_count; /* all nodes are below this place */
} Targets;

static bool find_targets(Faults *faults, const Command *command, Targets *targets, Status *status)
{
    if (!command->as.fault.is_of_job) {
        const Cluster *cluster = find_cluster(faults, command, status);
        if (!cluster)
            return false;
        *targets = (Targets){"cluster", cluster->path.name, cluster, NULL, cluster->place_count};
        return true;
    }
    const Job *job = find_job(faults, command, status);
    if (!job)
        return false;
    *targets = (Targets){"job", job->path.name, cluster_by_id(faults->clusters, job->cluster), job,
                         job->request.nodes};
    return job_is_active(job) ||
           status_fail(status, STATUS_CONFLICT, command_place(command),
                       "job %s is %s and has no nodes", job->path.name, job_state_name(job->state));
}

/* NULL: the place is free. */
static Node *target_at(Faults *faults, const Targets *targets, int32_t place)
{
    if (place >= targets->place_count)
        return NULL;
    return targets->job ? node_row(faults->clusters, targets->job->nodes[place])
                        : cluster_node_at(faults->clusters, targets->cluster, place);
}

/* Draws one of the nodes that pass the test, each with the same probability: the node with the
 * smallest word. An additional node therefore changes the choice only if it is chosen itself. */
static Node *draw_victim(Faults *faults, const Targets *targets, NodeTest *counts, uint64_t address,
                         uint64_t draw)
{
    Node *victim = NULL;
    uint64_t least = UINT64_MAX;
    for (int32_t place = 0; place < targets->place_count; place++) {
        Node *node = target_at(faults, targets, place);
        if (!node || !counts(faults->clusters, node))
            continue;
        uint64_t word = engine_word(faults->engine, RNG_FAULT, address ^ node->address, draw);
        if (victim && word >= least)
            continue;
        victim = node;
        least = word;
    }
    return victim;
}

/* The address of a fault's draws depends on its kind and subject; the n-th fault with that address
 * takes the n-th draw. */
static Node *draw_next_victim(Faults *faults, const Command *command, const Targets *targets,
                              NodeTest *counts)
{
    const char *key = names_key(faults->names, command->kind, command->path);
    uint64_t address = name_hash(key);
    uint32_t draw = 0;
    name_table_find(faults->strikes, key, &draw);
    Node *victim = draw_victim(faults, targets, counts, address, draw);
    if (victim)
        name_table_set(faults->strikes, key, draw + 1);
    return victim;
}

/* Why the fault cannot strike the node, in words: "silent". */
static const char *trouble_of(const Command *command, const Node *node)
{
    if (command->kind == COMMAND_NODE_RESUME)
        return "not drained";
    if (command->kind == COMMAND_NODE_DRAIN && node->drain != DRAIN_NONE)
        return "drained already";
    return node->is_silent ? "silent" : node_state_name(node->state);
}

/* Returns the node at the place that the command names, or draws one. Returns NULL with a status if
 * the fault can strike no node. */
static Node *find_victim(Faults *faults, const Command *command, Status *status)
{
    Targets targets;
    Place at = command_place(command);
    Victims victims = victims_of[command->kind];
    int32_t place = command->as.fault.node;
    if (!find_targets(faults, command, &targets, status))
        return NULL;
    if (command->kind == COMMAND_NODE_PREEMPT && !has_preemptible_kind(targets.cluster)) {
        status_fail(status, STATUS_CONFLICT, at,
                    "cluster %s is dedicated; its nodes are not preempted",
                    targets.cluster->path.name);
        return NULL;
    }
    Node *node = place > 0 ? target_at(faults, &targets, place - 1)
                           : draw_next_victim(faults, command, &targets, victims.counts);
    if (!node && place > 0)
        status_fail(status, STATUS_NOT_FOUND, at, "%s %s has no node at place %d", targets.noun,
                    targets.name, (int)place);
    else if (!node)
        status_fail(status, STATUS_CONFLICT, at, "%s %s has no node that %s", targets.noun,
                    targets.name, victims.which);
    if (!node || victims.counts(faults->clusters, node))
        return node;
    status_fail(status, STATUS_CONFLICT, at, "the node at place %d of %s %s is %s", (int)place,
                targets.noun, targets.name, trouble_of(command, node));
    return NULL;
}

/* --- Effects --- */

static NodeFailure failure_of(const Command *command, TraceCause cause, const char *reason)
{
    bool stays = command->as.fault.recovery == RECOVERY_STAYS;
    return (NodeFailure){.cause = cause,
                         .reason = command->as.fault.reason ? command->as.fault.reason : reason,
                         .recovery = command->as.fault.recovery,
                         .repair_ns = stays ? INT64_MAX : command->as.fault.duration_ns};
}

/* The work on a node that is drained on request: of a stated duration, or until it is resumed. */
static NodeFailure work_of(Faults *faults, const Command *command)
{
    const int64_t duration_ns = command->as.fault.duration_ns;
    const char *reason = command->as.fault.reason;
    return (NodeFailure){
        .cause = CAUSE_DRAIN,
        .reason = reason != NULL ? arena_printf(faults->arena, "the node is drained: %s", reason)
                                 : "the node is drained",
        .recovery = duration_ns == INT64_MAX ? RECOVERY_STAYS : RECOVERY_REBOOT,
        .repair_ns = duration_ns};
}

static void strike(Faults *faults, const Command *command, Node *node, TraceCause cause)
{
    CommandKind kind = command->kind;
    if (kind == COMMAND_NODE_CRASH || kind == COMMAND_GROUP_CRASH)
        cluster_node_crashes(faults->clusters, node,
                             failure_of(command, cause, "the node stopped responding"));
    else if (kind == COMMAND_NODE_PREEMPT || kind == COMMAND_GROUP_PREEMPT)
        cluster_node_warned(faults->clusters, node, faults->scenario->service.preemption_notice_ns,
                            CAUSE_PREEMPTION);
    else if (kind == COMMAND_NODE_REBOOT)
        cluster_node_reboots(faults->clusters, node, CAUSE_REBOOT);
    else if (kind == COMMAND_NODE_DRAIN)
        cluster_node_drained(faults->clusters, node, work_of(faults, command));
    else if (kind == COMMAND_NODE_RESUME)
        cluster_node_resumed(faults->clusters, node);
    else
        cluster_set_node_speed(faults->clusters, node, command->as.fault.speed_ppm);
}

static bool node_fault(Faults *faults, const Command *command, Status *status)
{
    Node *node = find_victim(faults, command, status);
    if (!node)
        return false;
    strike(faults, command, node, CAUSE_CRASH);
    return true;
}

static bool group_fault(Faults *faults, const Command *command, Status *status)
{
    int32_t count;
    Victims victims = victims_of[command->kind];
    const NodeGroup *group = command->as.fault.group;
    NodeId *nodes = mishap_group_nodes(faults, group, victims.counts, &count);
    if (count == 0)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "group %s has no node that %s", group->name, victims.which);
    bool is_crash = command->kind == COMMAND_GROUP_CRASH;
    mishap_emit_struck(faults, group->name, count, is_crash ? CAUSE_GROUP : CAUSE_PREEMPTION);
    for (int32_t i = 0; i < count; i++)
        strike(faults, command, node_row(faults->clusters, nodes[i]), CAUSE_GROUP);
    return true;
}

/* All nodes that work crash; they reboot after the outage. */
static bool region_outage(Faults *faults, const Command *command, Status *status)
{
    (void)status;
    int64_t duration_ns = command->as.fault.duration_ns;
    const char *reason = command->as.fault.reason;
    NodeFailure failure = {.cause = CAUSE_GROUP,
                           .reason = reason ? reason : "the region is out",
                           .recovery = duration_ns == INT64_MAX ? RECOVERY_STAYS : RECOVERY_REBOOT,
                           .repair_ns = duration_ns};
    int32_t count = 0;
    for (uint32_t n = 0; (n = node_next(faults->clusters, n)) < node_count(faults->clusters); n++)
        count += node_works(faults->clusters, node_by_id(faults->clusters, (NodeId){n}));
    mishap_emit_struck(faults, faults->scenario->region, count, CAUSE_GROUP);
    region_goes_out(faults->clusters, duration_ns);
    for (uint32_t n = 0; (n = node_next(faults->clusters, n)) < node_count(faults->clusters); n++) {
        Node *node = node_row(faults->clusters, (NodeId){n});
        if (node_works(faults->clusters, node))
            cluster_node_crashes(faults->clusters, node, failure);
    }
    return true;
}

static bool cluster_fault(Faults *faults, const Command *command, Status *status)
{
    Cluster *cluster = find_cluster(faults, command, status);
    if (!cluster)
        return false;
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "cluster %s is being deleted", cluster->path.name);
    if (command->kind == COMMAND_ALLOCATION_FAIL)
        cluster_fail_next_allocation(cluster, command->as.fault.count);
    else
        cluster_fail_next_preparation(
            faults->clusters, cluster, command->as.fault.node - 1,
            failure_of(command, CAUSE_PREPARATION_FAILURE, "the node could not be prepared"));
    return true;
}

static bool share_fault(Faults *faults, const Command *command, Status *status)
{
    if (!storage_has_share(faults->storage, command->path.name))
        return command_not_found(command, "share", command->path.name, status);
    share_slows(faults->storage, storage_find_share(faults->storage, command->path.name),
                command->as.fault.speed_ppm, command->as.fault.duration_ns);
    return true;
}

static bool container_fault(Faults *faults, const Command *command, Status *status)
{
    Job *job = find_job(faults, command, status);
    if (!job)
        return false;
    if (job->state != JOB_QUEUED && job->state != JOB_RUNNING)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "job %s is %s and no longer starts containers", job->path.name,
                           job_state_name(job->state));
    job_fail_next_container(job);
    return true;
}

static bool exit_fault(Faults *faults, const Command *command, Status *status)
{
    Job *job = find_job(faults, command, status);
    if (!job)
        return false;
    return job_exits_now(faults->jobs, job, command->as.fault.exit_code) ||
           status_fail(status, STATUS_CONFLICT, command_place(command),
                       "job %s is %s and its program does not run", job->path.name,
                       job_state_name(job->state));
}

static bool quota_fault(Faults *faults, const Command *command, Status *status)
{
    return quota_change(faults->clusters, command->path.name, command->as.fault.is_low_priority,
                        command->as.fault.vcpus) ||
           command_not_found(command, "quota", command->path.name, status);
}

static bool queue_fault(Faults *faults, const Command *command, Status *status)
{
    const Cluster *cluster = find_cluster(faults, command, status);
    const char *name = command->as.fault.queue;
    if (cluster == NULL)
        return false;
    const int32_t queue = cluster_spec_queue(cluster->spec, name);
    if (cluster->spec->queue_count == 0 || queue == QUEUE_UNKNOWN)
        return status_fail(status, STATUS_NOT_FOUND, command_place(command),
                           "cluster %s has no queue \"%s\"", cluster->path.name, name);
    return scheduler_change_queue(faults->jobs, cluster->id, queue, command, status);
}

/* Durations that have begun keep their draws; failures, preemptions and arrivals that have not
 * happened are drawn again. */
static bool seed_change(Faults *faults, const Command *command, Status *status)
{
    (void)status;
    if (command->as.fault.seed == engine_seed(faults->engine))
        return true;
    engine_reseed(faults->engine, command->as.fault.seed);
    mishaps_draw_again(faults);
    workloads_draw_again(faults->jobs);
    return true;
}

static bool policy_change(Faults *faults, const Command *command, Status *status)
{
    (void)status;
    scheduler_change_policy(faults->jobs, (PolicyKind)command->as.fault.policy);
    return true;
}

bool fault_apply(Faults *faults, const Command *command, Status *status)
{
    static bool (*const apply[COMMAND_KIND_COUNT])(Faults *, const Command *, Status *) = {
        [COMMAND_NODE_CRASH] = node_fault,          [COMMAND_NODE_PREEMPT] = node_fault,
        [COMMAND_NODE_REBOOT] = node_fault,         [COMMAND_NODE_SLOW] = node_fault,
        [COMMAND_NODE_DRAIN] = node_fault,          [COMMAND_NODE_RESUME] = node_fault,
        [COMMAND_GROUP_CRASH] = group_fault,        [COMMAND_GROUP_PREEMPT] = group_fault,
        [COMMAND_REGION_OUTAGE] = region_outage,    [COMMAND_ALLOCATION_FAIL] = cluster_fault,
        [COMMAND_PREPARATION_FAIL] = cluster_fault, [COMMAND_SHARE_SLOW] = share_fault,
        [COMMAND_CONTAINER_FAIL] = container_fault, [COMMAND_JOB_EXIT] = exit_fault,
        [COMMAND_QUOTA_CHANGE] = quota_fault,       [COMMAND_QUEUE_CHANGE] = queue_fault,
        [COMMAND_SEED_CHANGE] = seed_change,        [COMMAND_POLICY_CHANGE] = policy_change,
    };
#define X(name, text, what) invariant(apply[COMMAND_##name] != NULL);
    FAULT_KINDS(X)
#undef X
    return apply[command->kind](faults, command, status);
}
