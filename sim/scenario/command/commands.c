#include "sim/scenario/command/commands.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/scenario/command/check.h"
#include "sim/scenario/command/share_files.h"
#include "sim/scenario/command/shares.h"
#include "sim/scenario/command/workload_read.h"
#include "sim/scenario/config/queue_config.h"
#include "sim/schema/explanation.h"

typedef struct {
    CommandBinder *binder;
    ScenarioCommands out;
    int32_t capacity;
} Builder;

/* --- Implied commands --- */

static Command *next_command(Builder *builder)
{
    invariant(builder->out.count < builder->capacity);
    return &builder->out.items[builder->out.count++];
}

static Command *add_command(Builder *builder, CommandKind kind, ResourcePath path, Place at)
{
    Command *command = next_command(builder);
    command->kind = kind;
    command->path = path;
    command->source = place_text(builder->binder->context->arena, at);
    return command;
}

static void add_upload(Builder *builder, const char *share, const Json *file)
{
    Command command = {0};
    if (upload_bind(builder->binder, share, file->key, file, file->key_at, &command))
        *next_command(builder) = command;
}

/* The files on `share` at the start (NULL: none). */
static void add_files(Builder *builder, const char *share, const Json *files)
{
    if (files == NULL)
        return;
    if (files->kind != JSON_OBJECT)
        problems_add(builder->binder->context->problems, STATUS_BAD_INPUT, json_at(files),
                     "files is not an object of paths");
    else
        for (const Json *file = files->first; file != NULL; file = file->next)
            add_upload(builder, share, file);
}

static void add_storage(Builder *builder, const StorageText *storage)
{
    Arena *arena = builder->binder->context->arena;
    name_check(builder->binder->context, storage->account, ACCOUNT_NAME_MORE, ACCOUNT_NAME_MAX);
    add_command(builder, COMMAND_STORAGE_CREATE, (ResourcePath){.name = storage->account.value},
                json_at(storage->node));
    for (int32_t i = 0; i < storage->shares.count; i++) {
        const ShareText *share = storage->shares.items[i];
        name_check(builder->binder->context, share->name, SHARE_NAME_MORE, SHARE_NAME_MAX);
        if (storage->account.is_refused || share->name.is_refused) {
            add_files(builder, NULL, share->files);
            continue;
        }
        const char *name = stored_share_name(arena, storage, share);
        Command *command = add_command(builder, COMMAND_SHARE_CREATE, (ResourcePath){.name = name},
                                       json_at(share->node));
        command->as.share_create.tier = config_share(builder->binder->context, name)->tier;
        add_files(builder, name, share->files);
    }
}

static void ensure(Builder *builder, CommandKind kind, ResourcePath path, Place at)
{
    if (path.name == NULL || creator_find(builder->binder, kind, path) != NOT_CREATED)
        return;
    add_command(builder, kind, path, at);
    creator_note(builder->binder, kind, path, IMPLIED);
}

/* Makes the group, workspace and experiment of a path if no command creates them. */
static void ensure_above(Builder *builder, ResourcePath path, Place at)
{
    ensure(builder, COMMAND_GROUP_CREATE, (ResourcePath){.name = path.group}, at);
    ensure(builder, COMMAND_WORKSPACE_CREATE,
           (ResourcePath){.group = path.group, .name = path.workspace}, at);
    ensure(
        builder, COMMAND_EXPERIMENT_CREATE,
        (ResourcePath){.group = path.group, .workspace = path.workspace, .name = path.experiment},
        at);
}

/* Adds commands that make, once each at the start, the resources that commands and workloads
 * need. */
static void add_implied(Builder *builder)
{
    const ScenarioText *text = builder->binder->text;
    for (int32_t i = 0; i < text->storage.count; i++)
        add_storage(builder, text->storage.items[i]);
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        ensure_above(builder, command_path(text, command), json_at(command->node));
    }
    for (int32_t i = 0; i < text->workloads.count; i++) {
        const WorkloadText *workload = text->workloads.items[i];
        ensure_above(builder, workload_path(text, workload), json_at(workload->node));
    }
}

/* --- Clusters --- */

/* Handles a command that may resize a cluster, but whose cluster or target is not known. */
static void forget_target(const Builder *builder, const CommandText *command)
{
    for (int32_t i = 0; i < builder->binder->text->commands.count; i++) {
        ClusterConfig *cluster = builder->out.clusters[i];
        if (cluster != NULL &&
            (command->name.is_refused || strcmp(command->name.value, cluster->name) == 0))
            cluster->nodes_max = NODES_UNKNOWN;
    }
}

/* Lookups find only the first cluster of a path. If the path is created again with more nodes, the
 * first cluster gets their number. */
static void merge_recreated(const Builder *builder)
{
    const ScenarioText *text = builder->binder->text;
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        if (!command_is(command, COMMAND_CLUSTER_CREATE) || !command_is_placed(command))
            continue;
        const ClusterConfig *again = builder->out.clusters[i];
        ClusterConfig *first = builder->out.clusters[creator_find(
            builder->binder, COMMAND_CLUSTER_CREATE, command_path(text, command))];
        if (again->nodes_max > first->nodes_max)
            first->nodes_max = again->nodes_max;
    }
}

/* Reads every cluster, by index of its creating command, with all targets that it is ever given. */
static void read_clusters(const Builder *builder)
{
    const CommandBinder *binder = builder->binder;
    const ScenarioText *text = binder->text;
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_is(scenario_command(text, i), COMMAND_CLUSTER_CREATE))
            builder->out.clusters[i] = cluster_bind_command(binder, scenario_command(text, i));
    merge_recreated(builder);
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        bool may_resize = command->action.is_refused ||
                          command_is(command, COMMAND_CLUSTER_RESIZE) ||
                          command_is(command, COMMAND_CLUSTER_AUTOSCALE);
        if (!may_resize)
            continue;
        if (command_is_placed(command) && asked_nodes(command).node != NULL)
            cluster_targets_note(binder, command);
        else
            forget_target(builder, command);
    }
    for (int32_t i = 0; i < text->commands.count; i++)
        if (builder->out.clusters[i] != NULL)
            queues_warn(binder->context, scenario_command(text, i)->queues,
                        builder->out.clusters[i]);
}

/* --- All of them --- */

static void read_command(Builder *builder, int32_t index)
{
    const CommandText *text = scenario_command(builder->binder->text, index);
    Trigger trigger = trigger_bind(builder->binder, text);
    if (text->action.is_refused)
        return;
    MadeByCommand made = {.cluster = builder->out.clusters[index]};
    Command command;
    if (command_bind(builder->binder, text, trigger, &made, &command))
        *next_command(builder) = command;
    builder->out.jobs[index] = made.job;
}

/* Among several commands that create the same resource the first one counts. */
static void note_creators(const Builder *builder)
{
    const ScenarioText *text = builder->binder->text;
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        CommandKind kind = (CommandKind)command->action.value;
        const ResourcePath path = command_path(text, command);
        if (!command_is_placed(command))
            continue;
        subject_note(builder->binder, kind, path, (uint32_t)i);
        if (creator_find(builder->binder, kind, path) == NOT_CREATED)
            creator_note(builder->binder, kind, path, (uint32_t)i);
    }
}

/* The number of commands at most. Implied commands are one for each storage account, share and
 * file, and up to three for each command or workload. */
static int32_t capacity_for(const ScenarioText *text)
{
    int32_t capacity = 4 * text->commands.count + 3 * text->workloads.count + text->faults.count +
                       (text->session != NULL ? text->session->count : 0);
    for (int32_t i = 0; i < text->storage.count; i++) {
        const StorageText *storage = text->storage.items[i];
        capacity += 1 + storage->shares.count;
        for (int32_t j = 0; j < storage->shares.count; j++) {
            const ShareText *share = storage->shares.items[j];
            capacity += share->files != NULL ? share->files->count : 0;
        }
    }
    return capacity;
}

ScenarioCommands scenario_commands(CommandBinder *binder)
{
    const ConfigContext *context = binder->context;
    const ScenarioText *text = binder->text;
    Builder builder = {.binder = binder, .capacity = capacity_for(text)};
    builder.out.items = ARENA_ARRAY(context->arena, Command, builder.capacity);
    builder.out.jobs = ARENA_ARRAY(context->arena, JobConfig *, text->commands.count);
    builder.out.clusters = ARENA_ARRAY(context->arena, ClusterConfig *, text->commands.count);
    binder->clusters = builder.out.clusters;
    binder->creators = name_table_create(context->arena);
    binder->subjects = name_table_create(context->arena);
    note_creators(&builder);
    read_clusters(&builder);
    add_implied(&builder);
    builder.out.implied_count = builder.out.count;
    for (int32_t i = 0; i < text->commands.count; i++)
        read_command(&builder, i);
    creators_warn_of_circles(binder);
    return builder.out;
}
