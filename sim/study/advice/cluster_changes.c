/* Changes of clusters: nodes, VM sizes, priorities, scaling. Private to sim/study/advice. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/training/step_memory.h"
#include "sim/scenario/catalog/read.h"
#include "sim/study/advice/listing.h"

static const char *number(Arena *arena, int64_t value)
{
    return arena_printf(arena, "%" PRId64, value);
}

/* The number of nodes that a cluster has, or may have at most. */
static int32_t nodes_of(const ClusterSpec *spec)
{
    return spec->is_automatic ? spec->maximum_nodes : spec->target_nodes;
}

static bool is_on(const ListedJob *job, const ListedCluster *cluster)
{
    return job->cluster != NULL && strcmp(job->cluster, cluster->name) == 0;
}

/* Whether the nodes of the cluster are of several kinds, which these changes leave unchanged. */
static bool has_kinds(const Listing *listing, ChangeKind kind, const ListedCluster *cluster)
{
    if (cluster->spec->kind_count > 0)
        changes_leave_out(listing->changes, kind,
                          arena_printf(listing->arena, "%s of cluster %s", change_kind_words(kind),
                                       cluster->name),
                          "its nodes are of several kinds; a study can vary how many of each");
    return cluster->spec->kind_count > 0;
}

/* --- Nodes --- */

static int32_t nodes_needed(const ListedJob *job, const ClusterSpec *spec)
{
    const int32_t gpus = spec->vm_size->gpus > 0 ? spec->vm_size->gpus : 1;
    return job->spec->asks_for == REQUEST_GPUS ? (job->spec->gpus + gpus - 1) / gpus
                                               : job->spec->nodes;
}

/* A job that a command submits, and that takes all nodes of a cluster of a stated size, is written
 * for that size: it changes with the cluster. */
static bool follows(const ListedJob *job, const ListedCluster *cluster)
{
    return job->command >= 0 && is_on(job, cluster) && !cluster->spec->is_automatic &&
           job->spec->asks_for != REQUEST_GPUS && job->spec->nodes == nodes_of(cluster->spec);
}

/* Its nodeCount, and the processCount of its toolkit in proportion. */
static void set_job_nodes(const Listing *listing, ChangeDraft *draft, const ListedJob *job,
                          int32_t nodes)
{
    Arena *arena = listing->arena;
    change_set(draft, config_pointer(arena, job->command, "nodeCount"), number(arena, nodes));
    for (const Json *item = job->properties != NULL ? job->properties->first : NULL; item != NULL;
         item = item->next) {
        const Json *count = item->kind == JSON_OBJECT ? json_member(item, "processCount") : NULL;
        if (count == NULL || count->kind != JSON_NUMBER || !count->is_integer ||
            count->integer % job->spec->nodes != 0)
            continue;
        const char *key = arena_printf(arena, "%s/processCount", item->key);
        change_set(draft, config_pointer(arena, job->command, key),
                   number(arena, count->integer / job->spec->nodes * nodes));
    }
}

/* Commands that resize the cluster to the same number of nodes. */
static void set_resizes(const Listing *listing, ChangeDraft *draft, const ListedCluster *cluster,
                        int32_t nodes)
{
    const Json *commands = json_member(listing->file->root, "commands");
    int32_t index = 0;
    for (const Json *item = commands->first; item != NULL; item = item->next, index++) {
        const Json *target = json_member(item, "target"), *name = json_member(item, "name");
        if (target != NULL && name != NULL && name->kind == JSON_STRING &&
            strcmp(name->text, cluster->name) == 0 && target->kind == JSON_NUMBER &&
            target->is_integer && target->integer == nodes_of(cluster->spec))
            change_set(draft, arena_printf(listing->arena, "/commands/%d/target", (int)index),
                       number(listing->arena, nodes));
    }
}

static void set_nodes(const Listing *listing, ChangeDraft *draft, const ListedCluster *cluster,
                      int32_t nodes)
{
    Arena *arena = listing->arena;
    const ClusterSpec *spec = cluster->spec;
    const char *value = number(arena, nodes);
    if (!spec->is_automatic) {
        change_set(draft,
                   config_pointer(arena, cluster->command, "scaleSettings/manual/targetNodeCount"),
                   value);
        set_resizes(listing, draft, cluster, nodes);
        return;
    }
    change_set(draft,
               config_pointer(arena, cluster->command, "scaleSettings/autoScale/maximumNodeCount"),
               value);
    if (spec->minimum_nodes == spec->maximum_nodes || spec->minimum_nodes > nodes)
        change_set(
            draft,
            config_pointer(arena, cluster->command, "scaleSettings/autoScale/minimumNodeCount"),
            value);
}

/* Why so many nodes cannot come; NULL: they can, as far as this cluster alone is concerned. */
static const char *quota_exceeded(const Listing *listing, const ClusterSpec *spec, int32_t nodes)
{
    const Scenario *scenario = &listing->file->scenario;
    for (int32_t i = 0; i < scenario->quota_count; i++) {
        const CoreQuota *quota = &scenario->quotas[i];
        const int64_t cores = quota_vcpus(quota, spec->is_low_priority);
        if (quota_counts(quota->family, spec->vm_size) &&
            cores < (int64_t)nodes * spec->vm_size->vcpus)
            return arena_printf(listing->arena,
                                "the quota \"%s\" is %" PRId64 " cores, they need %" PRId64,
                                quota->family, cores, (int64_t)nodes * spec->vm_size->vcpus);
    }
    return NULL;
}

static void add_nodes(const Listing *listing, const ListedCluster *cluster, int32_t nodes)
{
    const int32_t now = nodes_of(cluster->spec);
    const char *name =
        arena_printf(listing->arena, "%s%d nodes instead of %d",
                     cluster->spec->is_automatic ? "at most " : "", (int)nodes, (int)now);
    for (int32_t i = 0; i < listing->job_count; i++) {
        const ListedJob *job = &listing->jobs[i];
        if (is_on(job, cluster) && !follows(job, cluster) &&
            nodes_needed(job, cluster->spec) > nodes) {
            changes_leave_out(listing->changes, CHANGE_NODES, name,
                              arena_printf(listing->arena, "jobs of %s need %d", job->name,
                                           (int)nodes_needed(job, cluster->spec)));
            return;
        }
    }
    const char *reason = nodes > now ? quota_exceeded(listing, cluster->spec, nodes) : NULL;
    if (reason != NULL) {
        changes_leave_out(listing->changes, CHANGE_NODES, name, reason);
        return;
    }
    ChangeDraft draft = change_begin(listing, CHANGE_NODES, cluster, name);
    set_nodes(listing, &draft, cluster, nodes);
    for (int32_t i = 0; i < listing->job_count; i++)
        if (follows(&listing->jobs[i], cluster))
            set_job_nodes(listing, &draft, &listing->jobs[i], nodes);
}

void list_nodes(const Listing *listing)
{
    for (int32_t i = 0; i < listing->cluster_count; i++) {
        const ListedCluster *cluster = &listing->clusters[i];
        if (has_kinds(listing, CHANGE_NODES, cluster))
            continue;
        const int32_t now = nodes_of(cluster->spec);
        const int32_t others[] = {now / 2, now - 1, now + 1, 2 * now};
        int32_t last = 0;
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            if (others[k] > last && others[k] != now) {
                add_nodes(listing, cluster, others[k]);
                last = others[k];
            }
    }
}

/* --- VM sizes --- */

/* The most memory that a training on the cluster needs at least; 0: no job trains a network. */
static int64_t memory_needed(const Listing *listing, const ListedCluster *cluster)
{
    int64_t most = 0;
    for (int32_t i = 0; i < listing->job_count; i++) {
        const Program *program = listing->jobs[i].spec->program;
        if (!is_on(&listing->jobs[i], cluster) || program == NULL || program->kind != PROGRAM_TRAIN)
            continue;
        const int64_t bytes =
            program->transformer != NULL
                ? program->transformer->memory_bytes
                : step_memory_least_bytes(program->network, program->batch_per_rank);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Why the size cannot replace that of the cluster; NULL: it can. */
static const char *misfit(const Listing *listing, const ListedCluster *cluster, const VmSize *size,
                          int64_t bytes)
{
    const Scenario *scenario = &listing->file->scenario;
    if (size->gpu->memory_bytes < bytes)
        return arena_printf(listing->arena,
                            "its GPU has %" PRId64 " MiB, the training needs %" PRId64,
                            size->gpu->memory_bytes >> 20, bytes >> 20);
    for (int32_t i = 0; i < scenario->quota_count; i++) {
        const CoreQuota *quota = &scenario->quotas[i];
        const int64_t cores = quota_vcpus(quota, cluster->spec->is_low_priority);
        if (strcmp(quota->family, size->family) == 0 && cores < size->vcpus)
            return arena_printf(listing->arena, "the quota of family %s is %" PRId64 " cores",
                                size->family, cores);
    }
    return NULL;
}

static void add_sizes(const Listing *listing, const ListedCluster *cluster, int64_t bytes)
{
    const VmSize *now = cluster->spec->vm_size;
    int32_t count;
    const char *const *names = catalog_names(listing->file->catalog, CATALOG_VM_SIZES, &count);
    for (int32_t i = 0; i < count; i++) {
        const VmSize *size = catalog_vm_size(listing->file->catalog, names[i]);
        if (size == now || strcmp(size->name, now->name) == 0 || size->gpu == NULL ||
            size->gpus != now->gpus || (size->rdma_bytes_per_s > 0) != (now->rdma_bytes_per_s > 0))
            continue;
        const char *name = arena_printf(listing->arena, "%s instead of %s", size->name, now->name);
        const char *reason = misfit(listing, cluster, size, bytes);
        if (reason != NULL) {
            changes_leave_out(listing->changes, CHANGE_VM_SIZE, name, reason);
            continue;
        }
        ChangeDraft draft = change_begin(listing, CHANGE_VM_SIZE, cluster, name);
        change_set(&draft, config_pointer(listing->arena, cluster->command, "vmSize"),
                   arena_printf(listing->arena, "\"%s\"", size->name));
    }
}

void list_vm_sizes(const Listing *listing)
{
    for (int32_t i = 0; i < listing->cluster_count; i++) {
        const ListedCluster *cluster = &listing->clusters[i];
        if (has_kinds(listing, CHANGE_VM_SIZE, cluster))
            continue;
        const int64_t bytes = memory_needed(listing, cluster);
        if (bytes == 0)
            changes_leave_out(listing->changes, CHANGE_VM_SIZE, "",
                              "its programs take a stated time on any VM size");
        else
            add_sizes(listing, cluster, bytes);
    }
}

/* --- Priorities --- */

/* Makes nodes preemptible as those of the VM family are; false: the run would not end. */
static bool set_preemption(const Listing *listing, ChangeDraft *draft, const VmSize *size)
{
    const Failures *failures = &listing->file->scenario.failures;
    const Json *catalogs = json_member(listing->file->root, "catalog");
    if (failures->preemption != NULL || failures->preemption_count > 0)
        return true;
    if (listing->file->scenario.until_ns == INT64_MAX)
        return false;
    if (json_member(listing->file->root, "failures") != NULL)
        change_set(draft, "/failures/preemption", "\"by-family\"");
    else
        change_set(draft, "/failures", "{\"preemption\":\"by-family\"}");
    if (catalog_preemption(listing->file->catalog, size->family) == NULL)
        change_set(draft, arena_printf(listing->arena, "/catalog/%d", (int)catalogs->count),
                   "\"catalog/failures.json\"");
    return true;
}

void list_priorities(const Listing *listing)
{
    for (int32_t i = 0; i < listing->cluster_count; i++) {
        const ListedCluster *cluster = &listing->clusters[i];
        if (has_kinds(listing, CHANGE_PRIORITY, cluster))
            continue;
        const char *pointer = config_pointer(listing->arena, cluster->command, "vmPriority");
        const bool is_low = cluster->spec->is_low_priority;
        ChangeDraft draft = change_begin(listing, CHANGE_PRIORITY, cluster,
                                         is_low ? "dedicated instead of low-priority nodes"
                                                : "low-priority instead of dedicated nodes");
        change_set(&draft, pointer, is_low ? "\"dedicated\"" : "\"lowpriority\"");
        if (is_low || draft.change == NULL ||
            set_preemption(listing, &draft, cluster->spec->vm_size))
            continue;
        listing->changes->count--;
        changes_leave_out(listing->changes, CHANGE_PRIORITY, draft.change->name,
                          "nodes would be preempted for ever, and the scenario has no \"until\"");
    }
}

/* --- Scaling --- */

static bool has_resize(const Listing *listing, const ListedCluster *cluster)
{
    const Scenario *scenario = &listing->file->scenario;
    for (int32_t i = 0; i < scenario->command_count; i++)
        if ((scenario->commands[i].kind == COMMAND_CLUSTER_RESIZE ||
             scenario->commands[i].kind == COMMAND_CLUSTER_AUTOSCALE) &&
            strcmp(scenario->commands[i].path.name, cluster->name) == 0)
            return true;
    return false;
}

static void add_scaling(const Listing *listing, const ListedCluster *cluster, int32_t minimum)
{
    const int32_t most = nodes_of(cluster->spec);
    const char *name = minimum > 0
                           ? arena_printf(listing->arena, "%d nodes that stay", (int)most)
                           : arena_printf(listing->arena, "0 to %d nodes by autoscale", (int)most);
    ChangeDraft draft = change_begin(listing, CHANGE_SCALING, cluster, name);
    change_set(&draft, config_pointer(listing->arena, cluster->command, "scaleSettings"),
               arena_printf(listing->arena,
                            "{\"autoScale\":{\"minimumNodeCount\":%d,\"maximumNodeCount\":%d}}",
                            (int)minimum, (int)most));
}

void list_scalings(const Listing *listing)
{
    for (int32_t i = 0; i < listing->cluster_count; i++) {
        const ListedCluster *cluster = &listing->clusters[i];
        const ClusterSpec *spec = cluster->spec;
        const int32_t most = nodes_of(spec);
        if (has_kinds(listing, CHANGE_SCALING, cluster))
            continue;
        if (!spec->is_automatic && has_resize(listing, cluster)) {
            changes_leave_out(listing->changes, CHANGE_SCALING, "",
                              "the scenario resizes the cluster by commands");
            continue;
        }
        if (spec->maintenance_count > 0) {
            changes_leave_out(listing->changes, CHANGE_SCALING, cluster->name,
                              "a cluster with planned maintenance does not scale automatically");
            continue;
        }
        if (!spec->is_automatic || spec->minimum_nodes > 0)
            add_scaling(listing, cluster, 0);
        if (spec->is_automatic && spec->minimum_nodes < most)
            add_scaling(listing, cluster, most);
    }
}
