#include "sim/scenario/command/bind.h"

#include <string.h>

#include "sim/scenario/command/check.h"
#include "sim/scenario/command/share_files.h"
#include "sim/scenario/command/shares.h"
#include "sim/scenario/command/trigger_read.h"
#include "sim/scenario/config/kind_config.h"
#include "sim/scenario/config/maintenance_config.h"
#include "sim/scenario/config/program_config.h"
#include "sim/scenario/config/queue_config.h"
#include "sim/schema/explanation.h"

/* --- Clusters and jobs --- */

/* Whether `config` is given and could be read. */
static bool is_read(const Json *config)
{
    return config != NULL && config->kind != JSON_STRING;
}

/* For messages and paths about what a command creates. */
static const char *shown_name(const CommandText *command)
{
    bool has_name = command->name.value != NULL && command->name.value[0] != '\0';
    return has_name ? command->name.value : "(unnamed)";
}

/* Whether a fault of the file changes a queue. */
static bool queues_may_change(const ScenarioText *text)
{
    for (int32_t i = 0; i < text->faults.count; i++) {
        const FaultText *fault = text->faults.items[i];
        if (!fault->action.is_refused && fault_kind(fault) == COMMAND_QUEUE_CHANGE)
            return true;
    }
    return false;
}

ClusterConfig *cluster_bind_command(const CommandBinder *binder, const CommandText *command)
{
    const char *name = shown_name(command);
    if (!is_read(command->config))
        return cluster_config_unread(binder->context->arena, name);
    ClusterConfig *cluster =
        cluster_config_read(binder->context, command->config, name, command->node_kinds);
    if (!command->queues.is_refused)
        queues_read(binder->context, command->queues, queues_may_change(binder->text), cluster);
    if (!command->maintenance.is_refused)
        maintenance_read(binder->context, command->maintenance, cluster);
    return cluster;
}

BoundInteger asked_nodes(const CommandText *command)
{
    return command_is(command, COMMAND_CLUSTER_AUTOSCALE) ? command->maximum : command->target;
}

/* The kind of nodes that the command resizes, as a text. */
static BoundText resized_kind(const ConfigContext *context, const CommandText *command)
{
    const Json *kind = command->node_kind;
    if (kind == NULL)
        return (BoundText){0};
    if (kind->kind == JSON_STRING)
        return (BoundText){.node = kind, .value = kind->text};
    problems_add(context->problems, STATUS_BAD_INPUT, json_at(kind),
                 "cluster.resize changes the nodes of one kind; node_kind is not a name");
    return (BoundText){.node = kind, .is_refused = true};
}

void cluster_targets_note(const CommandBinder *binder, const CommandText *command)
{
    const ConfigContext *context = binder->context;
    ClusterConfig *cluster = cluster_made(binder, command_path(binder->text, command));
    if (cluster == NULL)
        return;
    if (command_is(command, COMMAND_CLUSTER_AUTOSCALE) && cluster->spec.maintenance_count > 0)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(command->node),
                     "cluster \"%s\" has planned maintenance and does not scale automatically",
                     cluster->name);
    if (cluster->spec.kind_count == 0) {
        cluster_config_target(context, cluster, asked_nodes(command));
        if (command->node_kind != NULL && cluster->spec.vm_size != NULL)
            (void)kinds_of_job(context, cluster, command->node_kind);
        return;
    }
    if (command_is(command, COMMAND_CLUSTER_AUTOSCALE)) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(command->node),
                                 "cluster \"%s\" has nodes of several kinds: only its "
                                 "\"node_kinds\" say which of them scales automatically",
                                 cluster->name),
                    "give one of them \"minimum\" and \"maximum\"");
        return;
    }
    const int32_t kind =
        kind_of_resize(context, cluster, resized_kind(context, command), command->node);
    if (kind != KIND_UNKNOWN)
        kind_config_target(context, cluster, kind, asked_nodes(command));
}

/* The cluster `cluster` of `job` (NULL: unread), which `text` creates. If the cluster is not known,
 * reports why and returns an unread one. */
static const ClusterConfig *cluster_of_job(const CommandBinder *binder, const CommandText *text,
                                           const JobText *job, ResourcePath cluster)
{
    const ConfigContext *context = binder->context;
    bool names_none =
        text->cluster.node == NULL && job != NULL && job->node != NULL && job->cluster == NULL;
    if (names_none)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "job \"%s\" has no cluster to run on", shown_name(text)),
                    "add \"cluster\" to the command");
    else if (cluster.name != NULL && command_is_placed(text))
        return cluster_known(binder, cluster,
                             json_at(text->cluster.node != NULL ? text->cluster.node : text->node));
    return cluster_config_unread(context->arena, "(unknown)");
}

/* The path of the cluster that a job is to run on. The id in its config may name a cluster of
 * another workspace. If no command creates that cluster, because the job.json was written for
 * another subscription, the path is that of a cluster of the same name in the job's workspace. */
static ResourcePath cluster_path_of(const CommandBinder *binder, const CommandText *text,
                                    const JobText *job, ResourcePath path)
{
    ResourcePath cluster = {
        .group = path.group, .workspace = path.workspace, .name = text->cluster.value};
    if (text->cluster.node != NULL || job == NULL)
        return cluster;
    ResourcePath meant = job_config_cluster_path(binder->context->arena, job);
    cluster.name = meant.name;
    return meant.workspace != NULL && cluster_made(binder, meant) != NULL ? meant : cluster;
}

/* NULL when the config was not read. */
static JobConfig *read_job(const CommandBinder *binder, const CommandText *text, Command *command)
{
    const ConfigContext *context = binder->context;
    const JobText *job =
        is_read(text->config) ? job_bind(context->arena, text->config, context->problems) : NULL;
    ResourcePath path = command->path;
    ResourcePath cluster = cluster_path_of(binder, text, job, path);
    const ClusterConfig *config = cluster_of_job(binder, text, job, cluster);
    path.name = shown_name(text);
    command->as.job_create.cluster = cluster;
    if (job == NULL)
        return NULL;
    JobText *own = ARENA_NEW(context->arena, JobText);
    *own = *job;
    own->gpus = text->gpus;
    own->gpus_per_node = text->gpus_per_node;
    own->cpus = text->cpus;
    own->memory = text->memory;
    own->queue = text->queue;
    own->node_kind = text->node_kind;
    own->speeds = text->speeds;
    JobConfig *made =
        job_config_read(context, own, path, config, (JobExecution)text->execution.value);
    if (text->expected.node != NULL)
        made->spec.expected_ns = text->expected.value;
    maintenance_warn_of_job(context, config, &made->spec, text->node);
    command->as.job_create.spec = job_config_spec(context, made);
    return made;
}

/* --- One command --- */

void trigger_repeat(const CommandBinder *binder, BoundInteger every, Trigger *trigger)
{
    Problems *problems = binder->context->problems;
    if (every.node == NULL || every.is_refused)
        return;
    const Place at = json_at(every.node);
    if (trigger->moment != MOMENT_AT)
        problems_add(problems, STATUS_BAD_INPUT, at,
                     "what repeats \"every\" time begins \"at\" a time");
    else if (every.value <= 0)
        problems_add(problems, STATUS_BAD_INPUT, at, "every is 0; it would never be over");
    else if (binder->context->has_no_end)
        status_hint(
            problems_add(problems, STATUS_BAD_INPUT, at, "what repeats needs a scenario that ends"),
            "\"until\" of the scenario says when, such as \"90d\"");
    else
        trigger->every_ns = every.value;
}

Trigger moment_bind(const CommandBinder *binder, BoundText after)
{
    Trigger trigger = {0};
    ResourcePath path;
    Status status = {0};
    const Place at = json_at(after.node);
    if (trigger_read(binder->context->arena, after.value, at, &trigger, &status))
        (void)command_subject(binder, moment_made_by(trigger.moment), trigger.subject, at, &path);
    else
        problems_add_status(binder->context->problems, &status);
    return trigger;
}

Trigger trigger_bind(const CommandBinder *binder, const CommandText *command)
{
    Trigger trigger = {.moment = MOMENT_AT, .delay_ns = command->at.value};
    if (command->after.value != NULL && command->at.node != NULL)
        problems_add(binder->context->problems, STATUS_BAD_INPUT, json_at(command->after.node),
                     "a command has \"at\" or \"after\", not both");
    if (command->after.value != NULL)
        trigger = moment_bind(binder, command->after);
    trigger_repeat(binder, command->every, &trigger);
    return trigger;
}

static void read_file_server(const ConfigContext *context, const CommandText *text,
                             Command *command)
{
    command->as.file_server_create.tier = file_server_tier(context, text);
    command->as.file_server_create.share = file_server_share(context, command->path);
    if (context->catalog == NULL || text->vm_size.value == NULL)
        return;
    const VmSize *vm = catalog_vm_size(context->catalog, text->vm_size.value);
    if (vm == NULL)
        config_unknown_entry(context, CATALOG_VM_SIZES, "VM size", text->vm_size);
    command->as.file_server_create.vm_size = vm;
}

/* The query of a show command: the table, or `member`, the only member that trainyard prints of
 * this kind of resource. */
static ShowQuery query_of(const ConfigContext *context, const CommandText *text, ShowQuery member)
{
    ShowQuery query = (ShowQuery)text->query.value;
    if (!text->query.is_refused && query != QUERY_TABLE && query != member)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->query.node),
                                 "this command cannot show %s", show_query_name(query)),
                    "\"table\" or \"%s\"", show_query_name(member));
    return query;
}

static void read_autoscale(const CommandBinder *binder, const CommandText *text, Command *command)
{
    BoundInteger minimum = text->minimum, maximum = text->maximum;
    command->as.cluster_autoscale.minimum_nodes = (int32_t)minimum.value;
    command->as.cluster_autoscale.maximum_nodes = (int32_t)maximum.value;
    bool is_read =
        minimum.node != NULL && maximum.node != NULL && !minimum.is_refused && !maximum.is_refused;
    if (is_read && minimum.value > maximum.value)
        problems_add(binder->context->problems, STATUS_BAD_INPUT, json_at(minimum.node),
                     "minimum is %" PRId64 ", above maximum %" PRId64, minimum.value,
                     maximum.value);
}

/* `number`, from 0 to `maximum`, in millionths; -1 when it is absent or refused. */
static int64_t millionths(const ConfigContext *context, const char *key, const Json *number,
                          int64_t maximum)
{
    if (number == NULL)
        return -1;
    int64_t value;
    if (json_scaled(number, 6, &value) && value >= 0 && value <= maximum * PPM)
        return value;
    problems_add(context->problems, STATUS_BAD_INPUT, json_at(number),
                 "%s is not a number from 0 to %" PRId64 " with at most six decimals", key,
                 maximum);
    return -1;
}

static RealTraining training_result(const ConfigContext *context, const CommandText *text)
{
    return (RealTraining){
        .epochs = text->epochs.node != NULL ? text->epochs.value : -1,
        .steps = text->steps.node != NULL ? text->steps.value : -1,
        .accuracy_ppm = millionths(context, "val_accuracy", text->val_accuracy, 1),
        .loss_micro = millionths(context, "val_loss", text->val_loss, 1000000000)};
}

/* A scenario's own programs hold for the whole run, so that their order does not matter. */
static void check_program(const ConfigContext *context, const CommandText *text)
{
    if (!context->is_of_session)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "program.set is a command of a session"),
                    "a scenario has \"programs\"");
    else if (text->program != NULL)
        program_check(context, text->program);
}

static void read_resize(const CommandText *text, Command *command)
{
    const bool has_kind = text->node_kind != NULL && text->node_kind->kind == JSON_STRING;
    command->as.cluster_resize.kind = has_kind ? text->node_kind->text : NULL;
    command->as.cluster_resize.target_nodes = (int32_t)text->target.value;
    command->as.cluster_resize.deallocation = (DeallocationOption)text->deallocation.value;
}

static void read_job_ran(const ConfigContext *context, const CommandText *text, Command *command)
{
    command->as.job_ran.node = (int32_t)text->place.value;
    command->as.job_ran.took_ns = text->took.value;
    command->as.job_ran.exit_code =
        text->exit_code.node != NULL ? (int32_t)text->exit_code.value : -1;
    command->as.job_ran.reason = text->reason.value;
    command->as.job_ran.ran_as = text->ran_as.value;
    command->as.job_ran.training = training_result(context, text);
}

static void read_job_reached(const CommandText *text, Command *command)
{
    command->as.job_reached.step = text->step.value;
    command->as.job_reached.took_ns = text->took.value;
    command->as.job_reached.kept = text->kept.value;
    command->as.job_reached.kept_steps = text->kept_steps.value;
}

/* Refuses a command about a cluster, job or file server that no command creates. A name that is
 * ill-formed has been reported. */
static void check_subject(const CommandBinder *binder, const CommandText *text,
                          const Command *command)
{
    const CommandKind creates = command_made_by(command->kind);
    const bool is_found_by_path = creates == COMMAND_CLUSTER_CREATE ||
                                  creates == COMMAND_JOB_CREATE ||
                                  creates == COMMAND_FILE_SERVER_CREATE;
    if (is_found_by_path && creates != command->kind && command_is_placed(text) &&
        name_is_formed(text->name.value, COMMAND_NAME_MORE, COMMAND_NAME_MAX) &&
        creator_find(binder, creates, command->path) == NOT_CREATED)
        creator_unknown(binder, creates, text->name.value, json_at(text->name.node));
}

/* The members that only commands of this kind have. Returns false when the command cannot be used.
 */
static bool read_members(const CommandBinder *binder, const CommandText *text, MadeByCommand *made,
                         Command *command)
{
    switch (command->kind) {
    case COMMAND_SHARE_CREATE:
        command->as.share_create.tier = share_command_tier(binder->context, text);
        break;
    case COMMAND_CLUSTER_CREATE:
        command->as.cluster_create = &made->cluster->spec;
        break;
    case COMMAND_CLUSTER_RESIZE:
        read_resize(text, command);
        break;
    case COMMAND_CLUSTER_AUTOSCALE:
        read_autoscale(binder, text, command);
        break;
    case COMMAND_CLUSTER_SHOW:
        command->as.show.query = query_of(binder->context, text, QUERY_NODE_STATE_COUNTS);
        break;
    case COMMAND_JOB_CREATE:
        made->job = read_job(binder, text, command);
        break;
    case COMMAND_JOB_SHOW:
        command->as.show.query = query_of(binder->context, text, QUERY_EXECUTION_STATE);
        break;
    case COMMAND_JOB_RAN:
        read_job_ran(binder->context, text, command);
        break;
    case COMMAND_JOB_REACHED:
        read_job_reached(text, command);
        break;
    case COMMAND_FILE_SERVER_CREATE:
        read_file_server(binder->context, text, command);
        break;
    case COMMAND_FILE_UPLOAD:
        return file_upload_bind(binder, text, command);
    case COMMAND_FILE_DELETE:
        file_delete_bind(binder, text, command);
        break;
    case COMMAND_SHARE_DELETE:
        share_name_check(binder->context, text);
        break;
    case COMMAND_PROGRAM_SET:
        check_program(binder->context, text);
        break;
    case COMMAND_CLUSTER_DELETE:
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_FILES:
    case COMMAND_FILE_SERVER_DELETE:
    case COMMAND_STORAGE_DELETE:
    case COMMAND_GROUP_CREATE:
    case COMMAND_GROUP_DELETE:
    case COMMAND_WORKSPACE_CREATE:
    case COMMAND_WORKSPACE_DELETE:
    case COMMAND_EXPERIMENT_CREATE:
    case COMMAND_EXPERIMENT_DELETE:
    case COMMAND_STORAGE_CREATE:
    case COMMAND_USAGES_SHOW:
#define X(name, text, what) case COMMAND_##name:
        FAULT_KINDS(X)
#undef X
    case COMMAND_KIND_COUNT:
        break;
    }
    return true;
}

bool command_bind(const CommandBinder *binder, const CommandText *text, Trigger trigger,
                  MadeByCommand *made, Command *command)
{
    const ResourcePath path = command_path(binder->text, text);
    command_check(binder->context, text);
    *command = (Command){.kind = (CommandKind)text->action.value,
                         .trigger = trigger,
                         .path = path,
                         .source = place_text(binder->context->arena, json_at(text->node))};
    const bool is_read = read_members(binder, text, made, command);
    check_subject(binder, text, command);
    return is_read;
}
