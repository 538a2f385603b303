#include "sim/scenario/cluster_config.h"

#include "sim/scenario/variables.h"

_Static_assert((int)DEALLOCATE_REQUEUE == 0 && (int)DEALLOCATE_TERMINATE == 1 &&
                   (int)DEALLOCATE_WAIT_FOR_JOB == 2,
               "the words of nodeDeallocationOption stand in the order of the enum");

static const char quota_of_all[] = "total";

static void check_quota(const ConfigContext *context, const ClusterConfig *cluster,
                        const char *family, int64_t target, Place at)
{
    const VmSize *vm = cluster->spec->vm_size;
    const CoreQuota *quota = catalog_quota(context->catalog, family);
    if (quota == NULL)
        return; // a family that the catalogue does not limit
    bool is_low = cluster->spec->is_low_priority;
    int64_t vcpus = is_low ? quota->low_priority_vcpus : quota->dedicated_vcpus;
    if (target * vm->vcpus <= vcpus)
        return;
    status_hint(problems_add(context->problems, STATUS_BAD_INPUT, at,
                             "cluster \"%s\": %" PRId64 " x %s are %" PRId64
                             " vCPUs, but the %s quota \"%s\" is %" PRId64,
                             cluster->name, target, vm->name, target * vm->vcpus,
                             is_low ? "low-priority" : "dedicated", family, vcpus),
                "the quota has room for %" PRId64 "; a catalogue can raise \"quotas\"",
                vcpus / vm->vcpus);
}

void cluster_config_target(const ConfigContext *context, ClusterConfig *cluster, int64_t target,
                           Place at)
{
    if (cluster->spec == NULL)
        return;
    int32_t limit = catalog_service(context->catalog)->nodes_per_cluster_max;
    if (target > limit) {
        problems_add(context->problems, STATUS_BAD_INPUT, at,
                     "cluster \"%s\": %" PRId64 " nodes, but a cluster has at most %" PRId32,
                     cluster->name, target, limit);
        return;
    }
    check_quota(context, cluster, cluster->spec->vm_size->family, target, at);
    check_quota(context, cluster, quota_of_all, target, at);
    if (target > cluster->nodes_max)
        cluster->nodes_max = (int32_t)target;
}

/* The target of scaleSettings: manual, or automatic with one possible value, which az turns into
 * manual. */
static const Json *read_scale(const ConfigContext *context, const ScaleSettingsText *scale,
                              ClusterSpec *spec)
{
    if ((scale->manual == NULL) == (scale->automatic == NULL)) {
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(scale->node),
                     "scaleSettings has %s of \"manual\" and \"autoScale\", expected one",
                     scale->manual == NULL ? "neither" : "both");
        return scale->node;
    }
    if (scale->manual != NULL) {
        spec->target_nodes = (int32_t)scale->manual->target.value;
        spec->deallocation = (DeallocationOption)scale->manual->deallocation.value;
        return scale->manual->target.node;
    }
    const AutoScaleText *automatic = scale->automatic;
    if (automatic->minimum.value > automatic->maximum.value)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(automatic->minimum.node),
                     "minimumNodeCount is %" PRId64 ", above maximumNodeCount %" PRId64,
                     automatic->minimum.value, automatic->maximum.value);
    else if (automatic->minimum.value < automatic->maximum.value)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(automatic->node),
                                 "clusters that scale by themselves are not simulated"),
                    "use \"manual\", and cluster.resize commands");
    spec->target_nodes = (int32_t)automatic->minimum.value;
    return automatic->minimum.node;
}

static void read_setup(const ConfigContext *context, const ClusterText *text,
                       ClusterConfig *cluster)
{
    const SetupTaskText *task = text->setup != NULL ? text->setup->setup_task : NULL;
    cluster->mounts = mounts_read(context, text->setup != NULL ? text->setup->mounts : NULL,
                                  CLUSTER_MOUNT_ROOT, CLUSTER_MOUNT_VARIABLE, NULL);
    cluster->spec->mounts =
        mounts_shares(context->arena, &cluster->mounts, 0, &cluster->spec->mount_count);
    if (task == NULL)
        return;
    Variables variables = variables_create(context, &cluster->mounts);
    variables_add(&variables, "AZ_BATCHAI_MOUNT_ROOT", "", CLUSTER_MOUNT_ROOT);
    variables_expand(&variables, task->command_line.value, json_at(task->command_line.node));
    variables_expand(&variables, task->std_out_err_prefix.value,
                     json_at(task->std_out_err_prefix.node));
    cluster->spec->setup_command = task->command_line.value;
}

static const VmSize *find_vm_size(const ConfigContext *context, BoundText name)
{
    const VmSize *vm = catalog_vm_size(context->catalog, name.value);
    if (vm == NULL) {
        int32_t count;
        const char *const *names = catalog_names(context->catalog, CATALOG_VM_SIZES, &count);
        bind_unknown_name(context->problems, json_at(name.node), "VM size", name.value, names,
                          count);
    }
    return vm;
}

ClusterConfig *cluster_config_read(const ConfigContext *context, const Json *root, const char *name)
{
    ClusterConfig *cluster = ARENA_NEW(context->arena, ClusterConfig);
    cluster->name = name;
    cluster->text = cluster_bind(context->arena, root, context->problems);
    if (cluster->text == NULL)
        return cluster;

    const ClusterText *text = cluster->text;
    ClusterSpec *spec = cluster->spec = ARENA_NEW(context->arena, ClusterSpec);
    spec->is_low_priority = text->priority.value == VM_LOW_PRIORITY;
    // az takes this name when it runs as root and none is given.
    spec->admin_user = text->user != NULL ? text->user->admin_user.value : "azureuser";
    read_setup(context, text, cluster);
    const Json *target = read_scale(context, text->scale, spec);
    if (!context->is_alone)
        spec->vm_size = find_vm_size(context, text->vm_size);
    if (spec->vm_size == NULL)
        cluster->spec = NULL;
    cluster_config_target(context, cluster, spec->target_nodes, json_at(target));
    return cluster;
}
