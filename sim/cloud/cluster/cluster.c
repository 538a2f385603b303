/* A cluster's record: commands, and its life from creation to deletion. */
#include "sim/cloud/cluster/cluster.h"

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/cluster_parts.h"

const char *provisioning_state_name(ProvisioningState state)
{
    static const char *const names[] = {"creating", "succeeded", "failed", "deleting", "deleted"};
    return names[state];
}

const char *allocation_state_name(AllocationState state)
{
    static const char *const names[] = {"resizing", "steady"};
    return names[state];
}

const char *vm_size_in_capitals(Arena *arena, const char *vm_size)
{
    char *copy = arena_strdup(arena, vm_size);
    for (char *letter = copy; *letter != '\0'; letter++)
        if (*letter >= 'a' && *letter <= 'z')
            *letter = (char)(*letter - 'a' + 'A');
    return copy;
}

static void set_provisioning(World *world, Cluster *cluster, ProvisioningState state)
{
    cluster->provisioning = state;
    world_tell_change(world, cluster_record(world, TRACE_CLUSTER_PROVISIONING, cluster),
                      provisioning_state_name(state), &cluster->provisioning_since_ns);
}

/* --- Checks --- */

static bool target_is_possible(World *world, Place at, const char *name, int32_t target_nodes,
                               Status *status)
{
    int32_t most = world_service(world)->nodes_per_cluster_max;
    if (target_nodes >= 0 && target_nodes <= most)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "cluster \"%s\": %d nodes asked for, expected 0 to %d", name,
                       (int)target_nodes, (int)most);
}

static bool limits_are_possible(World *world, Place at, const char *name, int32_t minimum_nodes,
                                int32_t maximum_nodes, Status *status)
{
    if (!target_is_possible(world, at, name, minimum_nodes, status) ||
        !target_is_possible(world, at, name, maximum_nodes, status))
        return false;
    if (minimum_nodes <= maximum_nodes)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "cluster \"%s\": at least %d nodes, but at most %d", name,
                       (int)minimum_nodes, (int)maximum_nodes);
}

static bool spec_is_possible(World *world, const Command *command, Status *status)
{
    const ClusterSpec *spec = command->as.cluster_create;
    Place at = command_place(command);
    return target_is_possible(world, at, command->path.name, spec->target_nodes, status) &&
           (!spec->is_automatic ||
            limits_are_possible(world, at, command->path.name, spec->minimum_nodes,
                                spec->maximum_nodes, status));
}

/* The words are the service's (azure-docs issue 17809). */
static bool quota_allows(World *world, const Command *command, Status *status)
{
    int32_t most = world_service(world)->clusters_max;
    if (world->living_clusters < most)
        return true;
    return status_fail(status, STATUS_QUOTA, command_place(command),
                       "Operation results in exceeding quota limits of "
                       "Microsoft.BatchAI/clusters. Maximum allowed: %d, Current in use: %d. "
                       "Please contact support to increase the quota for resource type "
                       "Microsoft.BatchAI/clusters",
                       (int)most, (int)world->living_clusters);
}

bool cluster_is_kept(const Cluster *cluster, Place at, Status *status)
{
    if (cluster->provisioning < PROVISIONING_DELETING)
        return true;
    return status_fail(status, STATUS_CONFLICT, at, "cluster \"%s\" is being deleted",
                       cluster->path.name);
}

/* --- Creation --- */

static Cluster *new_cluster(World *world, const Command *command)
{
    const ClusterSpec *spec = command->as.cluster_create;
    const char *key = resource_key(world, COMMAND_CLUSTER_CREATE, command->path);
    Cluster *cluster = ARENA_NEW(world->arena, Cluster);
    *cluster = (Cluster){.id = {row_table_add(world->arena, &world->clusters, cluster)},
                         .path = command->path,
                         .spec = spec,
                         .target_nodes = spec->target_nodes,
                         .is_automatic = spec->is_automatic,
                         .minimum_nodes = spec->minimum_nodes,
                         .maximum_nodes = spec->maximum_nodes,
                         .first_steady_ns = INT64_MAX,
                         .ticked_ns = INT64_MAX,
                         .deallocation = spec->deallocation,
                         .created_ns = world->now_ns,
                         .recorded_ns = INT64_MAX,
                         .provisioning_since_ns = world->now_ns,
                         .allocation_since_ns = world->now_ns,
                         .next_node_number = 1,
                         .set_up_last = {ID_NONE},
                         .address = world_new_address(world, key)};
    // A name, as the GUIDs of jobs are: no draw of anybody's luck, and not counted as one.
    cluster->opaque_number =
        (uint32_t)rng_word(world->scenario->seed, RNG_IDENTITY, cluster->address, 0);
    name_table_set(world->names, key, cluster->id.index);
    container_gains(world, cluster->path);
    world->living_clusters++;
    return cluster;
}

/* The form is that of 2018-05-01 (batchai-service notes, "Output paths"). */
const char *cluster_output_segment(const Scenario *scenario, const Cluster *cluster, Arena *arena)
{
    enum { DRAW = 1 }; // behind that of its opaque number
    return arena_printf(arena, "%s/%s/workspaces/%s/clusters/%s/%s", scenario->subscription,
                        cluster->path.group, cluster->path.workspace, cluster->path.name,
                        world_guid(scenario, cluster->address, DRAW, arena));
}

bool cluster_create(World *world, const Command *command, Status *status)
{
    if (world_find_cluster(world, command->path))
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "cluster \"%s\" exists already", command->path.name);
    if (!spec_is_possible(world, command, status) || !quota_allows(world, command, status))
        return false;
    Cluster *cluster = new_cluster(world, command);
    set_provisioning(world, cluster, PROVISIONING_CREATING);
    allocation_set(world, cluster, ALLOCATION_RESIZING, CAUSE_CREATION);
    if (cluster->is_automatic)
        autoscale_tell(world, cluster);
    int64_t record_ns = world_draw(world, world_service(world)->cluster_record_ns,
                                   RNG_CLUSTER_RECORD, cluster->address, 0);
    world_push(world, record_ns, EVENT_CLUSTER_RECORDED, cluster->id.index, 0, 0);
    allocation_begin(world, cluster, record_ns);
    return true;
}

void cluster_recorded(World *world, Cluster *cluster)
{
    if (cluster->provisioning != PROVISIONING_CREATING)
        return;
    cluster->recorded_ns = world->now_ns;
    set_provisioning(world, cluster, PROVISIONING_SUCCEEDED);
}

/* --- Scaling --- */

bool cluster_resize(World *world, Cluster *cluster, int32_t target_nodes,
                    DeallocationOption deallocation, Status *status)
{
    Place at = place_in(cluster->path.name, 0, 0);
    if (!target_is_possible(world, at, cluster->path.name, target_nodes, status) ||
        !cluster_is_kept(cluster, at, status))
        return false;
    bool was_automatic = cluster->is_automatic;
    bool is_under_way = cluster->allocation == ALLOCATION_RESIZING && !was_automatic &&
                        cluster->target_nodes == target_nodes &&
                        cluster->deallocation == deallocation;
    if (is_under_way)
        return true;
    cluster->deallocation = deallocation;
    autoscale_turn_off(world, cluster);
    allocation_resize(world, cluster, target_nodes, CAUSE_RESIZE);
    if (was_automatic)
        autoscale_tell(world, cluster);
    return true;
}

bool cluster_autoscale(World *world, Cluster *cluster, int32_t minimum_nodes, int32_t maximum_nodes,
                       Status *status)
{
    Place at = place_in(cluster->path.name, 0, 0);
    if (!limits_are_possible(world, at, cluster->path.name, minimum_nodes, maximum_nodes, status) ||
        !cluster_is_kept(cluster, at, status))
        return false;
    cluster->is_automatic = true;
    cluster->minimum_nodes = minimum_nodes;
    cluster->maximum_nodes = maximum_nodes;
    autoscale_tell(world, cluster);
    autoscale_look(world, cluster);
    return true;
}

/* --- Deletion --- */

bool cluster_delete(World *world, Cluster *cluster, Status *status)
{
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, place_in(cluster->path.name, 0, 0),
                           "cluster \"%s\" is being deleted already", cluster->path.name);
    Quantiles duration_ns = cluster->current_nodes > 0
                                ? world_service(world)->cluster_delete_ns
                                : world_service(world)->cluster_delete_empty_ns;
    set_provisioning(world, cluster, PROVISIONING_DELETING);
    conditions_lose(world, COMMAND_CLUSTER_CREATE, cluster->path, cluster->id.index);
    autoscale_turn_off(world, cluster);
    allocation_end(world, cluster);
    world_push(world, world_draw(world, duration_ns, RNG_DELETE, cluster->address, 0),
               EVENT_CLUSTER_DELETED, cluster->id.index, 0, 0);
    return true;
}

void cluster_deleted(World *world, Cluster *cluster)
{
    allocation_release(world, cluster, CAUSE_DELETION);
    set_provisioning(world, cluster, PROVISIONING_DELETED);
    world->living_clusters--;
    world_forget(world, resource_key(world, COMMAND_CLUSTER_CREATE, cluster->path));
    container_loses(world, cluster->path);
    world_moment(world, MOMENT_CLUSTER_DELETED, cluster->path.name);
}

/* --- Looking --- */

Node *cluster_node_at(World *world, const Cluster *cluster, int32_t place)
{
    if (place < 0 || place >= cluster->place_count || cluster->nodes[place].index == ID_NONE)
        return NULL;
    return world_node_row(world, cluster->nodes[place]);
}

void cluster_bill_held_nodes(World *world, Cluster *cluster)
{
    for (int32_t place = 0; place < cluster->place_count; place++) {
        const Node *node = cluster_node_at(world, cluster, place);
        if (node)
            node_bill(world, node, "held");
    }
}
