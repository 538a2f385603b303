#include "sim/scenario/config/cluster_config.h"

#include "sim/cloud/shell/shell.h"
#include "sim/scenario/config/job_variables.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/config/shell_read.h"
#include "sim/scenario/config/variables.h"
#include "sim/schema/glob.h"

_Static_assert((int)DEALLOCATE_REQUEUE == 0 && (int)DEALLOCATE_TERMINATE == 1 &&
                   (int)DEALLOCATE_WAIT_FOR_JOB == 2,
               "the words of nodeDeallocationOption are in the order of the enum");

/* Only warns: the service accepts a target above the quota, and the cluster gets fewer nodes. */
static void check_quota(const ConfigContext *context, const ClusterConfig *cluster, NodeKind kind,
                        const char *family, BoundInteger bound)
{
    const VmSize *vm = kind.vm_size;
    const int64_t target = bound.value;
    const Place at = json_at(bound.node);
    const CoreQuota *quota = catalog_quota(context->catalog, family);
    if (quota == NULL || vm->has_no_quota)
        return; // the catalogue does not limit the family
    bool is_low = kind.is_low_priority;
    int64_t vcpus = quota_vcpus(quota, is_low);
    if (target * vm->vcpus <= vcpus)
        return;
    status_hint(problems_add(config_warnings(context), STATUS_QUOTA, at,
                             "cluster \"%s\": %" PRId64 " x %s are %" PRId64
                             " vCPUs, but the %s quota \"%s\" is %" PRId64,
                             cluster->name, target, vm->name, target * vm->vcpus,
                             is_low ? "low-priority" : "dedicated", family, vcpus),
                "the quota has room for %" PRId64 "; \"quotas\" of the scenario can raise it",
                vcpus / vm->vcpus);
}

void cluster_check_quotas(const ConfigContext *context, const ClusterConfig *cluster, NodeKind kind,
                          BoundInteger target)
{
    check_quota(context, cluster, kind, kind.vm_size->family, target);
    check_quota(context, cluster, kind, FAMILY_OF_ALL, target);
}

int32_t cluster_nodes_limit(const ConfigContext *context)
{
    return context->catalog != NULL ? catalog_service(context->catalog)->nodes_per_cluster_max
                                    : NODES_UNKNOWN;
}

void cluster_nodes_limit_hint(Status *problem, int64_t nodes)
{
    status_hint(problem,
                "that is the service's limit; \"assume\": {\"service/nodes_per_cluster\": %" PRId64
                "} in the scenario lifts it",
                nodes);
}

void cluster_config_target(const ConfigContext *context, ClusterConfig *cluster,
                           BoundInteger target)
{
    Place at = json_at(target.node);
    int32_t limit = cluster_nodes_limit(context);
    int64_t nodes = target.value;
    if (target.is_refused) {
        cluster->nodes_max = NODES_UNKNOWN;
        return;
    }
    if (nodes > limit) {
        cluster_nodes_limit_hint(problems_add(context->problems, STATUS_BAD_INPUT, at,
                                              "cluster \"%s\": %" PRId64
                                              " nodes, but a cluster has at most %" PRId32,
                                              cluster->name, nodes, limit),
                                 nodes);
        nodes = limit;
    } else if (cluster->spec.vm_size != NULL && !cluster->text->priority.is_refused) {
        cluster_check_quotas(context, cluster, cluster_spec_kind(&cluster->spec, 0), target);
    }
    if (nodes > cluster->nodes_max)
        cluster->nodes_max = (int32_t)nodes;
}

void cluster_check_limits(Problems *problems, const AutoScaleText *automatic)
{
    const int64_t maximum = automatic->maximum.value;
    if (automatic->minimum.value > maximum)
        problems_add(problems, STATUS_BAD_INPUT, json_at(automatic->minimum.node),
                     "minimumNodeCount is %" PRId64 ", above maximumNodeCount %" PRId64,
                     automatic->minimum.value, maximum);
    else if (automatic->initial.value > maximum)
        problems_add(problems, STATUS_BAD_INPUT, json_at(automatic->initial.node),
                     "initialNodeCount is %" PRId64 ", above maximumNodeCount %" PRId64,
                     automatic->initial.value, maximum);
}

/* Returns the most nodes that the cluster may have. Equal limits mean manual scaling, as in az. */
static BoundInteger read_automatic(const ConfigContext *context, const AutoScaleText *automatic,
                                   ClusterSpec *spec)
{
    BoundInteger minimum = automatic->minimum, maximum = automatic->maximum;
    if (minimum.is_refused || maximum.is_refused || automatic->initial.is_refused)
        return (BoundInteger){.is_refused = true};
    cluster_check_limits(context->problems, automatic);
    spec->is_automatic = minimum.value < maximum.value;
    spec->minimum_nodes = (int32_t)minimum.value;
    spec->maximum_nodes = (int32_t)maximum.value;
    spec->target_nodes = (int32_t)(spec->is_automatic ? automatic->initial.value : maximum.value);
    return maximum;
}

/* Returns the most nodes that scaleSettings ask for; 0 if they are absent (NULL). */
static BoundInteger read_scale(const ConfigContext *context, const ScaleSettingsText *scale,
                               ClusterSpec *spec)
{
    BoundInteger target = {.is_refused = true};
    if (scale == NULL)
        return (BoundInteger){.value = 0};
    if (scale->node == NULL)
        return target;
    if ((scale->manual == NULL) == (scale->automatic == NULL)) {
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(scale->node),
                     "scaleSettings has %s of \"manual\" and \"autoScale\", expected one",
                     scale->manual == NULL ? "neither" : "both");
        return target;
    }
    if (scale->manual == NULL)
        return read_automatic(context, scale->automatic, spec);
    spec->deallocation = (DeallocationOption)scale->manual->deallocation.value;
    spec->target_nodes = (int32_t)scale->manual->target.value;
    return scale->manual->target;
}

/* Runs a set-up task of simple commands; the result of a task that depends on files is not known
 * in advance. */
static void run_setup(const ConfigContext *context, const Variables *variables, ClusterSpec *spec)
{
    const ShellScript *script = shell_read(context->arena, spec->setup_command, variables->count,
                                           variables->items, variables->mounts, NULL);
    if (script == NULL || script->uses_files)
        return;
    ShellSettings *settings = ARENA_NEW(context->arena, ShellSettings);
    *settings = (ShellSettings){.arena = context->arena,
                                .script = script,
                                .files = file_set_create(context->arena),
                                .variable_count = variables->count,
                                .variables = variables->items,
                                .directory = ""};
    ShellRun *run = shell_begin(settings);
    int64_t total_ns = 0;
    while (!run->is_over) {
        int64_t sleep_ns = shell_continue(run, total_ns);
        total_ns = sleep_ns < INT64_MAX - total_ns ? total_ns + sleep_ns : INT64_MAX;
    }
    spec->setup_ns = quantiles_always(context->arena, total_ns);
    spec->setup_exit_code = run->exit_code;
    spec->setup_run = run;
}

/* Finds the duration and the exit code of the set-up task: those of the first match in the
 * scenario's "setups", otherwise those of its simple commands. A task that is neither takes no
 * time. */
static void find_setup(const ConfigContext *context, const Variables *variables, ClusterSpec *spec)
{
    for (int32_t i = 0; i < context->setup_count; i++) {
        const SetupText *setup = context->setups[i];
        if (!glob_matches(setup->match.value, spec->setup_command))
            continue;
        spec->setup_ns = quantiles_always(context->arena, setup->duration.value);
        spec->setup_exit_code = (int32_t)setup->exit_code.value;
        return;
    }
    run_setup(context, variables, spec);
}

static void read_setup(const ConfigContext *context, const NodeSetupText *setup,
                       ClusterConfig *cluster)
{
    ClusterSpec *spec = &cluster->spec;
    bool is_unread = setup != NULL && setup->node == NULL;
    cluster->mounts =
        is_unread ? mounts_unread(context->arena, CLUSTER_MOUNT_ROOT, CLUSTER_MOUNT_VARIABLE)
                  : mounts_read(context, setup != NULL ? setup->mounts : NULL, CLUSTER_MOUNT_ROOT,
                                CLUSTER_MOUNT_VARIABLE, NULL);
    spec->mounts = mounts_shares(context->arena, &cluster->mounts, 0, &spec->mount_count,
                                 &spec->is_blob_mount);
    if (setup == NULL || setup->setup_task == NULL)
        return;
    const SetupTaskText *task = setup->setup_task;
    Variables variables = variables_create(context, &cluster->mounts);
    variables_add(&variables, "", "AZ_BATCHAI_MOUNT_ROOT", CLUSTER_MOUNT_ROOT);
    job_variables_own(&variables, &task->environment, false);
    job_variables_own(&variables, &task->secrets, true);
    variables_check_command(&variables, task->command_line);
    spec->setup_std_out_err = variables_output(&variables, context->problems, "stdOutErrPathPrefix",
                                               task->std_out_err_prefix);
    spec->setup_command = task->command_line.value;
    if (spec->setup_command != NULL)
        find_setup(context, &variables, spec);
}

ClusterConfig *cluster_config_unread(Arena *arena, const char *name)
{
    ClusterConfig *cluster = ARENA_NEW(arena, ClusterConfig);
    cluster->name = name;
    cluster->mounts = mounts_unread(arena, CLUSTER_MOUNT_ROOT, CLUSTER_MOUNT_VARIABLE);
    cluster->nodes_max = NODES_UNKNOWN;
    return cluster;
}

ClusterConfig *cluster_config_read(const ConfigContext *context, const Json *root, const char *name,
                                   BoundList kinds)
{
    ClusterConfig *cluster = ARENA_NEW(context->arena, ClusterConfig);
    const ClusterText *text = cluster_bind(context->arena, root, context->problems);
    if (text->node == NULL)
        return cluster_config_unread(context->arena, name);
    ClusterSpec *spec = &cluster->spec;
    cluster->name = name;
    cluster->text = text;
    spec->is_low_priority = text->priority.value == VM_LOW_PRIORITY;
    // The default of az when it runs as root.
    spec->admin_user = text->user != NULL ? text->user->admin_user.value : "azureuser";
    read_setup(context, text->setup, cluster);
    if (kinds.node != NULL) {
        cluster->nodes_max = NODES_UNKNOWN;
        if (!kinds.is_refused && kinds.count > 0)
            kinds_read(context, kinds, cluster);
        else if (!kinds.is_refused)
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(kinds.node),
                         "cluster \"%s\" has no kind of nodes", name);
        return cluster;
    }
    if (text->vm_size.node == NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                     "this Cluster needs \"vmSize\", which is missing");
    else
        spec->vm_size = config_vm_size(context, text->vm_size);
    cluster_config_target(context, cluster, read_scale(context, text->scale, spec));
    return cluster;
}
