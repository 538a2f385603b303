#include "sim/scenario/command/faults_read.h"

#include <inttypes.h>
#include <string.h>

#include "sim/scenario/command/check.h"
#include "sim/scenario/command/condition_read.h"
#include "sim/scenario/config/queue_config.h"
#include "sim/scenario/format/batchai_types.h"
#include "sim/scenario/format/command_members.h"
#include "sim/schema/explanation.h"

typedef struct {
    const CommandBinder *binder;
    const ConfigContext *context;
    const ScenarioText *text;
    const NodeGroups *groups;
    const FaultText *fault;
} Reader;

static Status *problem_at(const Reader *reader, const Json *node, const char *problem)
{
    return problems_add(reader->context->problems, STATUS_BAD_INPUT, json_at(node), "%s %s",
                        command_name(fault_kind(reader->fault)), problem);
}

static bool has_recovery(CommandKind kind)
{
    return kind == COMMAND_NODE_CRASH || kind == COMMAND_GROUP_CRASH ||
           kind == COMMAND_PREPARATION_FAIL;
}

/* --- When --- */

/* Refuses a condition of a resource that no command makes. */
static void check_subject(const Reader *reader, const Condition *condition, Place at)
{
    const CommandKind made_by = quantity_made_by(condition->quantity);
    ResourcePath path;
    if (made_by == COMMAND_SHARE_CREATE)
        config_check_share(reader->context, resource_noun(made_by), condition->subject, at);
    else
        (void)command_subject(reader->binder, made_by, condition->subject, at, &path);
}

static Trigger read_condition(const Reader *reader, BoundText when)
{
    Condition *condition = ARENA_NEW(reader->context->arena, Condition);
    Status status = {0};
    Place at = json_at(when.node);
    if (condition_read(reader->context->arena, when.value, at, condition, &status))
        check_subject(reader, condition, at);
    else
        problems_add_status(reader->context->problems, &status);
    return (Trigger){.moment = MOMENT_CONDITION, .condition = condition};
}

static Trigger read_trigger(const Reader *reader)
{
    const FaultText *fault = reader->fault;
    int32_t said =
        (fault->at.node != NULL) + (fault->after.node != NULL) + (fault->when.node != NULL);
    if (said != 1)
        problem_at(reader, fault->node,
                   "happens \"at\" a time, \"after\" a moment or \"when\" a "
                   "condition holds: one of them");
    Trigger trigger = {.moment = MOMENT_AT, .delay_ns = fault->at.value};
    if (fault->when.value != NULL)
        trigger = read_condition(reader, fault->when);
    else if (fault->after.value != NULL)
        trigger = moment_bind(reader->binder, fault->after);
    trigger_repeat(reader->binder, fault->every, &trigger);
    return trigger;
}

/* --- What it affects --- */

/* The path of the subject called `name`. If it is not known, which refuses the fault, the path has
 * only the name. */
static ResourcePath subject_path(const Reader *reader, CommandKind made_by, BoundText name)
{
    ResourcePath path = {.name = name.value != NULL ? name.value : "(unknown)"};
    if (name.value != NULL)
        (void)command_subject_in_full(reader->binder, made_by, name.value, json_at(name.node),
                                      &path);
    return path;
}

/* The new value as a name, which the trace shows. */
static ResourcePath changed_path(const Reader *reader, CommandKind kind)
{
    const FaultText *fault = reader->fault;
    return (ResourcePath){
        .name = kind == COMMAND_POLICY_CHANGE
                    ? policy_words[fault->policy.value]
                    : arena_printf(reader->context->arena, "%" PRId64, fault->seed.value)};
}

static ResourcePath read_path(const Reader *reader, const NodeGroup *group)
{
    const FaultText *fault = reader->fault;
    CommandKind kind = fault_kind(fault);
    if (kind == COMMAND_REGION_OUTAGE)
        return (ResourcePath){.name = reader->text->region.value};
    if (kind == COMMAND_QUOTA_CHANGE) {
        if (fault->family.value != NULL && reader->context->catalog != NULL &&
            catalog_quota(reader->context->catalog, fault->family.value) == NULL)
            config_unknown_entry(reader->context, CATALOG_QUOTAS, "quota", fault->family);
        return (ResourcePath){.name = fault->family.value};
    }
    if (kind == COMMAND_SEED_CHANGE || kind == COMMAND_POLICY_CHANGE)
        return changed_path(reader, kind);
    if (kind == COMMAND_SHARE_SLOW) {
        if (fault->share.value != NULL)
            config_check_share(reader->context, "share", fault->share.value,
                               json_at(fault->share.node));
        return (ResourcePath){.name = fault->share.value};
    }
    if (kind == COMMAND_GROUP_CRASH || kind == COMMAND_GROUP_PREEMPT)
        return (ResourcePath){.name = group != NULL ? group->name : NULL};
    return fault->job.node != NULL ? subject_path(reader, COMMAND_JOB_CREATE, fault->job)
                                   : subject_path(reader, COMMAND_CLUSTER_CREATE, fault->cluster);
}

/* --- Members --- */

static void check_fault_members(const Reader *reader)
{
    const FaultText *fault = reader->fault;
    CommandKind kind = fault_kind(fault);
    members_check(reader->context, fault->node, &fault_type, kind);
    if (command_one_of(kind)[0] != '\0' &&
        (fault->cluster.node != NULL) == (fault->job.node != NULL))
        problem_at(reader, fault->node,
                   "strikes a node of a \"cluster\" or of a \"job\": one of them");
    bool stays = fault->recovery.value == RECOVERY_STAYS;
    if (!has_recovery(kind) || fault->recovery.is_refused)
        return;
    if (stays && fault->duration.node != NULL)
        status_hint(problem_at(reader, fault->duration.node,
                               "has a \"duration\", but the node is not repaired"),
                    "\"recovery\": \"reboot\" or \"replace\"");
    if (!stays && fault->duration.node == NULL)
        problem_at(reader, fault->node, "needs \"duration\", the time until the node is repaired");
}

/* The queue is one of the cluster's, and its new values agree. */
static void check_queue(const Reader *reader, ResourcePath path)
{
    const FaultText *fault = reader->fault;
    const ClusterConfig *cluster = cluster_made(reader->binder, path);
    if (fault->gpus.node == NULL && fault->gpus_max.node == NULL)
        problem_at(reader, fault->node, "changes \"gpus\", \"gpus_max\" or both");
    if (fault->gpus.node != NULL && fault->gpus_max.node != NULL && !fault->gpus.is_refused &&
        !fault->gpus_max.is_refused && fault->gpus_max.value < fault->gpus.value)
        problem_at(reader, fault->gpus_max.node,
                   arena_printf(reader->context->arena,
                                "has a gpus_max of %" PRId64
                                ", below its guaranteed gpus, %" PRId64,
                                fault->gpus_max.value, fault->gpus.value));
    if (cluster == NULL || fault->queue.value == NULL)
        return;
    if (cluster->spec.queue_count == 0)
        problem_at(reader, fault->cluster.node, "needs a cluster that has queues");
    else
        (void)queue_check(reader->context, cluster, fault->queue.value, json_at(fault->queue.node));
}

static int64_t value_or_none(BoundInteger value)
{
    return value.node != NULL ? value.value : -1;
}

/* Only an outage may lack a duration: it then never ends. */
static int64_t read_duration(const FaultText *fault)
{
    return fault->duration.node != NULL ? fault->duration.value : INT64_MAX;
}

void fault_bind(const CommandBinder *binder, const NodeGroups *groups, const FaultText *fault,
                Command *command)
{
    const Reader shared = {binder, binder->context, binder->text, groups, fault};
    const Reader *reader = &shared;
    CommandKind kind = fault_kind(fault);
    int64_t speed_least = kind == COMMAND_SHARE_SLOW ? 0 : 1;
    int64_t speed_most = kind == COMMAND_SHARE_SLOW ? PPM : NODE_SPEED_MOST_PPM;
    check_fault_members(reader);
    const NodeGroup *group = groups_find(reader->context, groups, fault->group);
    *command = (Command){
        .kind = kind,
        .trigger = read_trigger(reader),
        .path = read_path(reader, group),
        .source = place_text(reader->context->arena, json_at(fault->node)),
        .as.fault = {.is_of_job = fault->job.node != NULL,
                     .node = (int32_t)fault->place.value,
                     .group = group,
                     .recovery = (NodeRecovery)fault->recovery.value,
                     .duration_ns = read_duration(fault),
                     .speed_ppm = failures_ratio(reader->context, "speed", fault->speed,
                                                 speed_least, speed_most),
                     .count = (int32_t)fault->count.value,
                     .exit_code = (int32_t)fault->exit_code.value,
                     .seed = (uint64_t)fault->seed.value,
                     .policy = (int32_t)fault->policy.value,
                     .vcpus = (int32_t)fault->vcpus.value,
                     .queue = fault->queue.value,
                     .gpus = value_or_none(fault->gpus),
                     .gpus_max = value_or_none(fault->gpus_max),
                     .is_low_priority = fault->priority.value == VM_LOW_PRIORITY,
                     .reason = fault->reason.value},
    };
    if (kind == COMMAND_QUEUE_CHANGE)
        check_queue(reader, command->path);
}

void faults_read(const CommandBinder *binder, const NodeGroups *groups, ScenarioCommands *commands)
{
    const ScenarioText *text = binder->text;
    for (int32_t i = 0; i < text->faults.count; i++) {
        const FaultText *fault = text->faults.items[i];
        if (fault->node == NULL || fault->action.is_refused)
            continue;
        fault_bind(binder, groups, fault, &commands->items[commands->count++]);
    }
}
