/* What goes wrong on request: who is struck, and whether there is anything to strike. Whatever a
 * fault may not do is refused before anything changes. */
#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/cloud/world_parts.h"

/* --- Who is struck --- */

static bool is_preemptible(const World *world, const Node *node)
{
    return node_is_in_service(world, node) &&
           world_cluster(world, node->cluster)->spec->is_low_priority;
}

/* What befalls nodes one by one. */
typedef struct {
    NodeTest *counts;
    const char *which; /* of those that count: "works" */
} Victims;

static Victims victims_of(CommandKind kind)
{
    if (kind == COMMAND_NODE_CRASH || kind == COMMAND_GROUP_CRASH)
        return (Victims){node_works, "works"};
    if (kind == COMMAND_NODE_PREEMPT || kind == COMMAND_GROUP_PREEMPT)
        return (Victims){is_preemptible, "can be preempted"};
    return (Victims){node_is_in_service, "is in service"};
}

static Cluster *find_cluster(World *world, const Command *command, Status *status)
{
    Cluster *cluster = world_find_cluster(world, command->path);
    if (!cluster)
        command_not_found(command, "cluster", command->path.name, status);
    return cluster;
}

static Job *find_job(World *world, const Command *command, Status *status)
{
    Job *job = world_find_job(world, command->path);
    if (!job)
        command_not_found(command, "job", command->path.name, status);
    return job;
}

/* The nodes that a fault may strike: those of a job, or the places of a cluster. */
typedef struct {
    const char *noun; /* "cluster", "job" */
    const char *name;
    const Cluster *cluster;
    const Job *job;      /* NULL: the cluster's */
    int32_t place_count; /* none at or after */
} Targets;

static bool find_targets(World *world, const Command *command, Targets *targets, Status *status)
{
    if (!command->as.fault.is_of_job) {
        const Cluster *cluster = find_cluster(world, command, status);
        if (!cluster)
            return false;
        *targets = (Targets){"cluster", cluster->path.name, cluster, NULL, cluster->place_count};
        return true;
    }
    const Job *job = find_job(world, command, status);
    if (!job)
        return false;
    *targets =
        (Targets){"job", job->path.name, world_cluster(world, job->cluster), job, job->spec->nodes};
    return job_is_active(job) ||
           status_fail(status, STATUS_CONFLICT, command_place(command),
                       "job %s is %s and has no nodes", job->path.name, job_state_name(job->state));
}

/* NULL: the place is free. */
static Node *target_at(World *world, const Targets *targets, int32_t place)
{
    if (place >= targets->place_count)
        return NULL;
    return targets->job ? world_node_row(world, targets->job->nodes[place])
                        : cluster_node_at(world, targets->cluster, place);
}

/* One of those that count, each as likely. The node with the least word is struck: one more of them
 * changes the choice only if it is struck itself. */
static Node *draw_victim(World *world, const Targets *targets, NodeTest *counts, uint64_t address,
                         uint64_t draw)
{
    Node *victim = NULL;
    uint64_t least = UINT64_MAX;
    for (int32_t place = 0; place < targets->place_count; place++) {
        Node *node = target_at(world, targets, place);
        if (!node || !counts(world, node))
            continue;
        uint64_t word = world_word(world, RNG_FAULT, address ^ node->address, draw);
        if (victim && word >= least)
            continue;
        victim = node;
        least = word;
    }
    return victim;
}

/* The address of a fault's draws is what it does and to whom; the n-th of that kind takes the n-th
 * draw. */
static Node *draw_next_victim(World *world, const Command *command, const Targets *targets,
                              NodeTest *counts)
{
    const char *key = resource_key(world, command->kind, command->path);
    uint64_t address = name_hash(key);
    uint32_t draw = 0;
    name_table_find(world->former_names, key, &draw);
    Node *victim = draw_victim(world, targets, counts, address, draw);
    if (victim)
        name_table_set(world->former_names, key, draw + 1);
    return victim;
}

/* The node at the place that the command says, or one that is drawn; NULL and a status when there
 * is none that it can befall. */
static Node *find_victim(World *world, const Command *command, Status *status)
{
    Targets targets;
    Place at = command_place(command);
    Victims victims = victims_of(command->kind);
    int32_t place = command->as.fault.node;
    if (!find_targets(world, command, &targets, status))
        return NULL;
    if (command->kind == COMMAND_NODE_PREEMPT && !targets.cluster->spec->is_low_priority) {
        status_fail(status, STATUS_CONFLICT, at,
                    "cluster %s is dedicated; its nodes are not preempted",
                    targets.cluster->path.name);
        return NULL;
    }
    Node *node = place > 0 ? target_at(world, &targets, place - 1)
                           : draw_next_victim(world, command, &targets, victims.counts);
    if (!node && place > 0)
        status_fail(status, STATUS_NOT_FOUND, at, "%s %s has no node at place %d", targets.noun,
                    targets.name, (int)place);
    else if (!node)
        status_fail(status, STATUS_CONFLICT, at, "%s %s has no node that %s", targets.noun,
                    targets.name, victims.which);
    if (!node || victims.counts(world, node))
        return node;
    status_fail(status, STATUS_CONFLICT, at, "the node at place %d of %s %s is %s", (int)place,
                targets.noun, targets.name,
                node->is_silent ? "silent" : node_state_name(node->state));
    return NULL;
}

/* --- What befalls it --- */

static NodeFailure failure_of(const Command *command, TraceCause cause, const char *reason)
{
    bool stays = command->as.fault.recovery == RECOVERY_STAYS;
    return (NodeFailure){.cause = cause,
                         .reason = command->as.fault.reason ? command->as.fault.reason : reason,
                         .recovery = command->as.fault.recovery,
                         .repair_ns = stays ? INT64_MAX : command->as.fault.duration_ns};
}

static void strike(World *world, const Command *command, Node *node, TraceCause cause)
{
    CommandKind kind = command->kind;
    if (kind == COMMAND_NODE_CRASH || kind == COMMAND_GROUP_CRASH)
        cluster_node_crashes(world, node,
                             failure_of(command, cause, "the node stopped responding"));
    else if (kind == COMMAND_NODE_PREEMPT || kind == COMMAND_GROUP_PREEMPT)
        cluster_node_warned(world, node, world_service(world)->preemption_notice_ns,
                            CAUSE_PREEMPTION);
    else if (kind == COMMAND_NODE_REBOOT)
        cluster_node_reboots(world, node, CAUSE_REBOOT);
    else
        cluster_set_node_speed(world, node, command->as.fault.speed_ppm);
}

static bool node_fault(World *world, const Command *command, Status *status)
{
    Node *node = find_victim(world, command, status);
    if (!node)
        return false;
    strike(world, command, node, CAUSE_CRASH);
    return true;
}

static bool group_fault(World *world, const Command *command, Status *status)
{
    int32_t count;
    Victims victims = victims_of(command->kind);
    const NodeGroup *group = command->as.fault.group;
    NodeId *nodes = mishap_group_nodes(world, group, victims.counts, &count);
    if (count == 0)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "group %s has no node that %s", group->name, victims.which);
    bool is_crash = command->kind == COMMAND_GROUP_CRASH;
    mishap_tell_struck(world, group->name, count, is_crash ? CAUSE_GROUP : CAUSE_PREEMPTION);
    for (int32_t i = 0; i < count; i++)
        strike(world, command, world_node_row(world, nodes[i]), CAUSE_GROUP);
    return true;
}

/* The nodes come back when the region does. */
static bool region_outage(World *world, const Command *command, Status *status)
{
    (void)status;
    int64_t duration_ns = command->as.fault.duration_ns;
    const char *reason = command->as.fault.reason;
    NodeFailure failure = {.cause = CAUSE_GROUP,
                           .reason = reason ? reason : "the region is out",
                           .recovery = duration_ns == INT64_MAX ? RECOVERY_STAYS : RECOVERY_REBOOT,
                           .repair_ns = duration_ns};
    int32_t count = 0;
    for (uint32_t n = 0; n < world->nodes.count; n++)
        count += node_works(world, world_node(world, (NodeId){n}));
    mishap_tell_struck(world, world->scenario->region, count, CAUSE_GROUP);
    mishap_region_goes_out(world, duration_ns);
    for (uint32_t n = 0; n < world->nodes.count; n++) {
        Node *node = world_node_row(world, (NodeId){n});
        if (node_works(world, node))
            cluster_node_crashes(world, node, failure);
    }
    return true;
}

static bool cluster_fault(World *world, const Command *command, Status *status)
{
    Cluster *cluster = find_cluster(world, command, status);
    if (!cluster)
        return false;
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "cluster %s is being deleted", cluster->path.name);
    if (command->kind == COMMAND_ALLOCATION_FAIL)
        cluster_spoil_allocation(cluster, command->as.fault.count);
    else
        cluster_spoil_preparation(
            world, cluster, command->as.fault.node - 1,
            failure_of(command, CAUSE_PREPARATION_FAILURE, "the node could not be prepared"));
    return true;
}

static bool share_fault(World *world, const Command *command, Status *status)
{
    if (!world_share_exists(world, command->path.name))
        return command_not_found(command, "share", command->path.name, status);
    share_slows(world, world_find_share(world, command->path.name), command->as.fault.speed_ppm,
                command->as.fault.duration_ns);
    return true;
}

static bool container_fault(World *world, const Command *command, Status *status)
{
    Job *job = find_job(world, command, status);
    if (!job)
        return false;
    if (job->state != JOB_QUEUED && job->state != JOB_RUNNING)
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "job %s is %s and starts no container any more", job->path.name,
                           job_state_name(job->state));
    job_spoil_container(job);
    return true;
}

static bool exit_fault(World *world, const Command *command, Status *status)
{
    Job *job = find_job(world, command, status);
    if (!job)
        return false;
    return job_exits_now(world, job, command->as.fault.exit_code) ||
           status_fail(status, STATUS_CONFLICT, command_place(command),
                       "job %s is %s and its program does not run", job->path.name,
                       job_state_name(job->state));
}

static bool quota_fault(World *world, const Command *command, Status *status)
{
    return quota_change(world, command->path.name, command->as.fault.is_low_priority,
                        command->as.fault.vcpus) ||
           command_not_found(command, "quota", command->path.name, status);
}

bool fault_apply(World *world, const Command *command, Status *status)
{
    static bool (*const apply[COMMAND_KIND_COUNT])(World *, const Command *, Status *) = {
        [COMMAND_NODE_CRASH] = node_fault,          [COMMAND_NODE_PREEMPT] = node_fault,
        [COMMAND_NODE_REBOOT] = node_fault,         [COMMAND_NODE_SLOW] = node_fault,
        [COMMAND_GROUP_CRASH] = group_fault,        [COMMAND_GROUP_PREEMPT] = group_fault,
        [COMMAND_REGION_OUTAGE] = region_outage,    [COMMAND_ALLOCATION_FAIL] = cluster_fault,
        [COMMAND_PREPARATION_FAIL] = cluster_fault, [COMMAND_SHARE_SLOW] = share_fault,
        [COMMAND_CONTAINER_FAIL] = container_fault, [COMMAND_JOB_EXIT] = exit_fault,
        [COMMAND_QUOTA_CHANGE] = quota_fault,
    };
#define X(name, text, what) invariant(apply[COMMAND_##name] != NULL);
    FAULT_KINDS(X)
#undef X
    return apply[command->kind](world, command, status);
}
