#include "sim/cloud/cluster/cluster.h"

/* A cluster's record: commands, and its life from creation to deletion. */

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/cluster/allocation.h"
#include "sim/cloud/cluster/autoscale.h"
#include "sim/cloud/cluster/gpus.h"
#include "sim/cloud/cluster/maintenance.h"
#include "sim/cloud/cluster/quota.h"
#include "sim/cloud/cluster/tables.h"

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

/* The VM size of a kind, and its name if another kind has that size. */
static const char *kind_label(Arena *arena, const ClusterSpec *spec, int32_t index)
{
    const NodeKind *kind = &spec->kinds[index];
    const char *size = vm_size_in_capitals(arena, kind->vm_size->name);
    bool is_shared = false;
    for (int32_t k = 0; k < spec->kind_count; k++)
        is_shared |= k != index && spec->kinds[k].vm_size == kind->vm_size;
    return is_shared && strcmp(vm_size_in_capitals(arena, kind->name), size) != 0
               ? arena_printf(arena, "%s (%s)", size, kind->name)
               : size;
}

const char *vm_sizes_in_capitals(Arena *arena, const ClusterSpec *spec)
{
    if (spec->kind_count == 0)
        return vm_size_in_capitals(arena, spec->vm_size->name);
    const char *names = kind_label(arena, spec, 0);
    for (int32_t k = 1; k < spec->kind_count; k++)
        names = arena_printf(arena, "%s + %s", names, kind_label(arena, spec, k));
    return names;
}

Clusters *cluster_tables_create(Arena *run, Engine *engine, TraceRecorder *recorder,
                                const Scenario *scenario, Names *names, Resources *resources,
                                Subjects *subjects, Storage *storage)
{
    Clusters *clusters = ARENA_NEW(run, Clusters);
    *clusters = (Clusters){.arena = run,
                           .engine = engine,
                           .recorder = recorder,
                           .scenario = scenario,
                           .names = names,
                           .resources = resources,
                           .subjects = subjects,
                           .storage = storage};
    quotas_prepare(clusters);
    return clusters;
}

void clusters_connect(Clusters *clusters, ClusterJobs jobs, ClusterFaults faults)
{
    clusters->jobs = jobs;
    clusters->faults = faults;
}

uint32_t cluster_count(const Clusters *clusters)
{
    return clusters->rows.count;
}

uint32_t cluster_next(const Clusters *clusters, uint32_t cluster)
{
    return row_table_next(&clusters->rows, cluster);
}

void cluster_forget(Clusters *clusters, ClusterId cluster)
{
    invariant(cluster_by_id(clusters, cluster)->provisioning == PROVISIONING_DELETED);
    row_table_clear(&clusters->rows, cluster.index);
}

const Cluster *cluster_by_id(const Clusters *clusters, ClusterId cluster)
{
    return row_table_at(&clusters->rows, cluster.index);
}

Cluster *cluster_row(Clusters *clusters, ClusterId cluster)
{
    return row_table_at(&clusters->rows, cluster.index);
}

Cluster *cluster_find(Clusters *clusters, ResourcePath path)
{
    uint32_t row;
    path.experiment = NULL;
    return names_row(clusters->names, COMMAND_CLUSTER_CREATE, path, &row)
               ? cluster_row(clusters, (ClusterId){row})
               : NULL;
}

TraceRecord *cluster_trace(const Clusters *clusters, TraceKind kind, const Cluster *cluster)
{
    TraceRecord *record = recorder_begin(clusters->recorder, kind);
    record->cluster = cluster->id;
    return record;
}

void cluster_moment(const Clusters *clusters, const Cluster *cluster, Moment moment)
{
    recorder_moment(clusters->recorder, moment, cluster->path.name, cluster->id.index, 0);
}

static void set_provisioning(Clusters *clusters, Cluster *cluster, ProvisioningState state)
{
    cluster->provisioning = state;
    cluster_trace(clusters, TRACE_CLUSTER_PROVISIONING, cluster);
    recorder_emit_change(clusters->recorder, provisioning_state_name(state),
                         &cluster->provisioning_since_ns);
}

/* --- Checks --- */

static bool target_is_possible(Clusters *clusters, Place at, const char *name, int32_t target_nodes,
                               Status *status)
{
    int32_t most = clusters->scenario->service.nodes_per_cluster_max;
    if (target_nodes >= 0 && target_nodes <= most)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "cluster \"%s\": %d nodes asked for, expected 0 to %d", name,
                       (int)target_nodes, (int)most);
}

static bool limits_are_possible(Clusters *clusters, Place at, const char *name,
                                int32_t minimum_nodes, int32_t maximum_nodes, Status *status)
{
    if (!target_is_possible(clusters, at, name, minimum_nodes, status) ||
        !target_is_possible(clusters, at, name, maximum_nodes, status))
        return false;
    if (minimum_nodes <= maximum_nodes)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, at,
                       "cluster \"%s\": at least %d nodes, but at most %d", name,
                       (int)minimum_nodes, (int)maximum_nodes);
}

static bool spec_is_possible(Clusters *clusters, const Command *command, Status *status)
{
    const ClusterSpec *spec = command->as.cluster_create;
    Place at = command_place(command);
    const int32_t others =
        spec->target_nodes - cluster_spec_kind(spec, spec->scaling_kind).target_nodes;
    return target_is_possible(clusters, at, command->path.name, spec->target_nodes, status) &&
           (!spec->is_automatic ||
            limits_are_possible(clusters, at, command->path.name, others + spec->minimum_nodes,
                                others + spec->maximum_nodes, status));
}

/* The message is the service's (azure-docs issue 17809). */
static bool quota_allows(Clusters *clusters, const Command *command, Status *status)
{
    int32_t most = clusters->scenario->service.clusters_max;
    if (clusters->living_count < most)
        return true;
    return status_fail(status, STATUS_QUOTA, command_place(command),
                       "Operation results in exceeding quota limits of "
                       "Microsoft.BatchAI/clusters. Maximum allowed: %d, Current in use: %d. "
                       "Please contact support to increase the quota for resource type "
                       "Microsoft.BatchAI/clusters",
                       (int)most, (int)clusters->living_count);
}

bool cluster_check_not_deleting(const Cluster *cluster, Place at, Status *status)
{
    if (cluster->provisioning < PROVISIONING_DELETING)
        return true;
    return status_fail(status, STATUS_CONFLICT, at, "cluster \"%s\" is being deleted",
                       cluster->path.name);
}

/* --- Creation --- */

static Cluster *new_cluster(Clusters *clusters, const Command *command)
{
    const ClusterSpec *spec = command->as.cluster_create;
    const char *key = names_key(clusters->names, COMMAND_CLUSTER_CREATE, command->path);
    Cluster *cluster = ARENA_NEW(clusters->arena, Cluster);
    *cluster = (Cluster){.id = {row_table_add(clusters->arena, &clusters->rows, cluster)},
                         .path = command->path,
                         .spec = spec,
                         .is_automatic = spec->is_automatic,
                         .minimum_nodes = spec->minimum_nodes,
                         .maximum_nodes = spec->maximum_nodes,
                         .first_steady_ns = INT64_MAX,
                         .ticked_ns = INT64_MAX,
                         .deallocation = spec->deallocation,
                         .created_ns = clusters->engine->now_ns,
                         .recorded_ns = INT64_MAX,
                         .provisioning_since_ns = clusters->engine->now_ns,
                         .allocation_since_ns = clusters->engine->now_ns,
                         .next_node_number = 1,
                         .set_up_last = {ID_NONE},
                         .address = names_new_address(clusters->names, key)};
    gpus_create(clusters, cluster);
    for (int32_t k = 0; k < cluster->kind_count; k++)
        allocation_set_target(cluster, k, cluster->kinds[k].spec.target_nodes);
    // This draw is part of a name only, like the GUIDs of jobs, so engine_draws does not count it.
    cluster->opaque_number =
        (uint32_t)rng_word(clusters->scenario->seed, RNG_IDENTITY, cluster->address, 0);
    names_set(clusters->names, key, cluster->id.index);
    container_gains(clusters->resources, COMMAND_CLUSTER_CREATE, cluster->path);
    clusters->living_count++;
    return cluster;
}

/* The format of API version 2018-05-01 (batchai-service notes, "Output paths"). */
const char *cluster_output_segment(const Scenario *scenario, const Cluster *cluster, Arena *arena)
{
    enum { DRAW = 1 }; // after that of its opaque number
    return arena_printf(arena, "%s/%s/workspaces/%s/clusters/%s/%s", scenario->subscription,
                        cluster->path.group, cluster->path.workspace, cluster->path.name,
                        names_guid(scenario, cluster->address, DRAW, arena));
}

bool cluster_create(Clusters *clusters, const Command *command, Status *status)
{
    if (cluster_find(clusters, command->path))
        return status_fail(status, STATUS_CONFLICT, command_place(command),
                           "cluster \"%s\" exists already", command->path.name);
    if (!spec_is_possible(clusters, command, status) || !quota_allows(clusters, command, status))
        return false;
    Cluster *cluster = new_cluster(clusters, command);
    set_provisioning(clusters, cluster, PROVISIONING_CREATING);
    allocation_set(clusters, cluster, ALLOCATION_RESIZING, CAUSE_CREATION);
    if (cluster->is_automatic)
        autoscale_emit(clusters, cluster);
    int64_t record_ns = engine_draw(clusters->engine, clusters->scenario->service.cluster_record_ns,
                                    RNG_CLUSTER_RECORD, cluster->address, 0);
    engine_push(clusters->engine, record_ns, EVENT_CLUSTER_RECORDED, cluster->id.index, 0, 0);
    allocation_begin(clusters, cluster, record_ns);
    maintenance_create(clusters, cluster);
    return true;
}

void cluster_recorded(Clusters *clusters, Cluster *cluster)
{
    if (cluster->provisioning != PROVISIONING_CREATING)
        return;
    cluster->recorded_ns = clusters->engine->now_ns;
    set_provisioning(clusters, cluster, PROVISIONING_SUCCEEDED);
}

/* --- Scaling --- */

bool cluster_resize(Clusters *clusters, Cluster *cluster, int32_t kind, int32_t target_nodes,
                    DeallocationOption deallocation, Status *status)
{
    Place at = place_in(cluster->path.name, 0, 0);
    const bool ends_scaling = cluster_kind_scales(cluster, kind);
    const bool scales_on = cluster->is_automatic && !ends_scaling;
    const int32_t of_kind = cluster->kinds[kind].target_nodes;
    const int64_t now = scales_on ? cluster_limit(cluster, cluster->maximum_nodes)
                                  : cluster->target_nodes; // as many as it may have
    const int64_t all = now - of_kind + target_nodes;
    if (!target_is_possible(clusters, at, cluster->path.name, target_nodes, status) ||
        !target_is_possible(clusters, at, cluster->path.name, (int32_t)all, status) ||
        !cluster_check_not_deleting(cluster, at, status))
        return false;
    bool was_automatic = cluster->is_automatic;
    bool is_under_way = cluster->allocation == ALLOCATION_RESIZING && !ends_scaling &&
                        of_kind == target_nodes && cluster->deallocation == deallocation;
    if (is_under_way)
        return true;
    cluster->deallocation = deallocation;
    if (scales_on)
        autoscale_keep(cluster);
    else
        autoscale_turn_off(clusters, cluster);
    allocation_resize(clusters, cluster, kind, target_nodes, CAUSE_RESIZE);
    if (was_automatic)
        autoscale_emit(clusters, cluster);
    return true;
}

bool cluster_autoscale(Clusters *clusters, Cluster *cluster, int32_t minimum_nodes,
                       int32_t maximum_nodes, Status *status)
{
    Place at = place_in(cluster->path.name, 0, 0);
    if (cluster->kind_count > 1)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "cluster \"%s\" has nodes of %d kinds: only its \"node_kinds\" say "
                           "which of them scales automatically",
                           cluster->path.name, (int)cluster->kind_count);
    if (cluster->spec->maintenance_count > 0)
        return status_fail(status, STATUS_BAD_INPUT, at,
                           "cluster \"%s\" has planned maintenance and does not scale "
                           "automatically",
                           cluster->path.name);
    if (!limits_are_possible(clusters, at, cluster->path.name, minimum_nodes, maximum_nodes,
                             status) ||
        !cluster_check_not_deleting(cluster, at, status))
        return false;
    cluster->is_automatic = true;
    cluster->minimum_nodes = minimum_nodes;
    cluster->maximum_nodes = maximum_nodes;
    allocation_note_most(cluster);
    autoscale_emit(clusters, cluster);
    autoscale_update(clusters, cluster);
    return true;
}

/* --- Deletion --- */

bool cluster_delete(Clusters *clusters, Cluster *cluster, Status *status)
{
    if (cluster->provisioning >= PROVISIONING_DELETING)
        return status_fail(status, STATUS_CONFLICT, place_in(cluster->path.name, 0, 0),
                           "cluster \"%s\" is being deleted already", cluster->path.name);
    Quantiles duration_ns = cluster->current_nodes > 0
                                ? clusters->scenario->service.cluster_delete_ns
                                : clusters->scenario->service.cluster_delete_empty_ns;
    set_provisioning(clusters, cluster, PROVISIONING_DELETING);
    subject_leaves(clusters->subjects, COMMAND_CLUSTER_CREATE, cluster->path, cluster->id.index);
    autoscale_turn_off(clusters, cluster);
    allocation_end(clusters, cluster);
    engine_push(clusters->engine,
                engine_draw(clusters->engine, duration_ns, RNG_DELETE, cluster->address, 0),
                EVENT_CLUSTER_DELETED, cluster->id.index, 0, 0);
    return true;
}

void cluster_deleted(Clusters *clusters, Cluster *cluster)
{
    allocation_release(clusters, cluster, CAUSE_DELETION);
    set_provisioning(clusters, cluster, PROVISIONING_DELETED);
    clusters->living_count--;
    names_forget(clusters->names, COMMAND_CLUSTER_CREATE,
                 names_key(clusters->names, COMMAND_CLUSTER_CREATE, cluster->path));
    container_loses(clusters->resources, COMMAND_CLUSTER_CREATE, cluster->path);
    cluster_moment(clusters, cluster, MOMENT_CLUSTER_DELETED);
}

bool clusters_delete_inside(Clusters *clusters, ResourcePath scope, Status *status)
{
    for (uint32_t c = 0; (c = cluster_next(clusters, c)) < clusters->rows.count; c++) {
        Cluster *cluster = cluster_row(clusters, (ClusterId){c});
        if (path_is_inside(cluster->path, scope) && cluster->provisioning < PROVISIONING_DELETING &&
            !cluster_delete(clusters, cluster, status))
            return false;
    }
    return true;
}

/* --- Queries --- */

Node *cluster_node_at(Clusters *clusters, const Cluster *cluster, int32_t place)
{
    if (place < 0 || place >= cluster->place_count || cluster->nodes[place].index == ID_NONE)
        return NULL;
    return node_row(clusters, cluster->nodes[place]);
}

void clusters_bill_held_nodes(Clusters *clusters)
{
    for (uint32_t c = 0; (c = cluster_next(clusters, c)) < clusters->rows.count; c++) {
        const Cluster *cluster = cluster_by_id(clusters, (ClusterId){c});
        for (int32_t place = 0; place < cluster->place_count; place++) {
            const Node *node = cluster_node_at(clusters, cluster, place);
            if (node)
                node_bill(clusters, node, "held");
        }
    }
}
