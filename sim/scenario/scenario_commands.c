#include "sim/scenario/scenario_commands.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/scenario/command_check.h"
#include "sim/scenario/scenario_load.h"
#include "sim/scenario/scenario_shares.h"
#include "sim/scenario/trigger_read.h"
#include "sim/scenario/workload_read.h"

typedef struct {
    const ConfigContext *context;
    const ScenarioText *text;
    FileSource files;
    const char *path;    /* of the scenario */
    NameTable *creators; /* by creator_key: index of the creating command in the file */
    ScenarioCommands out;
    int32_t capacity;
} Builder;

/* In the place of an index. */
#define IMPLIED (UINT32_MAX - 1)
#define NOT_CREATED UINT32_MAX

/* --- Who creates what --- */

static const char *creator_key(const Builder *builder, CommandKind kind, ResourcePath path)
{
    return arena_printf(builder->context->arena, "%d %s/%s/%s/%s", (int)kind,
                        path.group != NULL ? path.group : "",
                        path.workspace != NULL ? path.workspace : "",
                        path.experiment != NULL ? path.experiment : "", path.name);
}

/* Whether a command that is not wholly known may create something called `name` (NULL: of any
 * name). */
static bool may_be_created(const Builder *builder, CommandKind kind, const char *name)
{
    for (int32_t i = 0; i < builder->text->commands.count; i++) {
        const CommandText *command = scenario_command(builder->text, i);
        bool is_kind = command->action.is_refused || command_is(command, kind);
        bool is_nameless = command->name.is_refused || command->name.value[0] == '\0';
        bool is_name = name == NULL || is_nameless || strcmp(command->name.value, name) == 0;
        if ((!command_is_placed(command) || is_nameless) && is_kind && is_name)
            return true;
    }
    return builder->text->commands.is_refused;
}

static void note_creator(Builder *builder, CommandKind kind, ResourcePath path, uint32_t index)
{
    const char *key = creator_key(builder, kind, path);
    if (!name_table_find(builder->creators, key, NULL))
        name_table_set(builder->creators, key, index); // the first one counts
    // Triggers know no more than the name.
    ResourcePath name = {.name = path.name};
    name_table_set(builder->creators, creator_key(builder, kind, name), index);
}

/* The index of the command that makes `path`, IMPLIED, or NOT_CREATED. */
static uint32_t find_creator(const Builder *builder, CommandKind kind, ResourcePath path)
{
    uint32_t index = NOT_CREATED;
    name_table_find(builder->creators, creator_key(builder, kind, path), &index);
    return index;
}

/* --- Commands --- */

static Command *add_command(Builder *builder, CommandKind kind, ResourcePath path, Place at)
{
    invariant(builder->out.count < builder->capacity);
    Command *command = &builder->out.items[builder->out.count++];
    command->kind = kind;
    command->path = path;
    command->source = place_text(builder->context->arena, at);
    return command;
}

typedef struct {
    const Json *node;
    BoundInteger bytes;
} SizeText;

static const Field size_fields[] = {
    {.name = "bytes",
     .kind = FIELD_BYTES,
     .offset = offsetof(SizeText, bytes),
     .is_required = true,
     .doc = "size of the file"},
    {0},
};
static const ObjectType size_type = {"file", "A file of which only the size counts.",
                                     sizeof(SizeText), size_fields};

/* A file's content: the name of a local file, or {"bytes": size}. */
static void read_content(Builder *builder, const Json *content, Command *command)
{
    Arena *arena = builder->context->arena;
    Problems *problems = builder->context->problems;
    Status status = {0};
    if (content->kind != JSON_STRING) {
        const SizeText *size = bind_object(arena, content, &size_type, problems);
        command->as.file_upload.bytes = size->bytes.value;
        return;
    }
    const char *local = path_beside(arena, builder->path, content->text);
    command->as.file_upload.local_path = local;
    if (!builder->files.size(builder->files.context, local, &command->as.file_upload.bytes,
                             &status))
        status_hint(
            problems_add(problems, status.code, content->at, "%s: %s", local, status.message),
            "local files are looked for beside the scenario; {\"bytes\": \"1MB\"} needs "
            "none");
}

static bool is_path_inside(const char *path)
{
    return path[0] != '\0' && path[0] != '/' && strstr(path, "..") == NULL &&
           path[strlen(path) - 1] != '/';
}

static void add_upload(Builder *builder, const char *share, const char *file, const Json *content,
                       Place at, Trigger trigger)
{
    if (!is_path_inside(file)) {
        problems_add(builder->context->problems, STATUS_BAD_INPUT, at,
                     "\"%s\" is not a path on a share", file);
        return;
    }
    Command *command = add_command(builder, COMMAND_FILE_UPLOAD, (ResourcePath){.name = share}, at);
    command->trigger = trigger;
    command->as.file_upload.file = file;
    read_content(builder, content, command);
}

/* The files that lie on `share` from the start (NULL: none). */
static void add_files(Builder *builder, const char *share, const Json *files)
{
    if (files == NULL)
        return;
    if (files->kind != JSON_OBJECT)
        problems_add(builder->context->problems, STATUS_BAD_INPUT, json_at(files),
                     "files is no object of paths");
    else
        for (const Json *file = files->first; file != NULL; file = file->next)
            add_upload(builder, share, file->key, file, file->key_at, (Trigger){0});
}

static void add_storage(Builder *builder, const StorageText *storage)
{
    Arena *arena = builder->context->arena;
    name_check(builder->context, storage->account, ACCOUNT_NAME_MORE, ACCOUNT_NAME_MAX);
    add_command(builder, COMMAND_STORAGE_CREATE, (ResourcePath){.name = storage->account.value},
                json_at(storage->node));
    for (int32_t i = 0; i < storage->shares.count; i++) {
        const ShareText *share = storage->shares.items[i];
        name_check(builder->context, share->name, SHARE_NAME_MORE, SHARE_NAME_MAX);
        if (storage->account.is_refused || share->name.is_refused) {
            add_files(builder, NULL, share->files);
            continue;
        }
        const char *name = arena_printf(arena, "%s/%s", storage->account.value, share->name.value);
        Command *command = add_command(builder, COMMAND_SHARE_CREATE, (ResourcePath){.name = name},
                                       json_at(share->node));
        command->as.share_create.tier = config_share(builder->context, name)->tier;
        add_files(builder, name, share->files);
    }
}

static void ensure(Builder *builder, CommandKind kind, ResourcePath path, Place at)
{
    if (path.name == NULL || find_creator(builder, kind, path) != NOT_CREATED)
        return;
    add_command(builder, kind, path, at);
    note_creator(builder, kind, path, IMPLIED);
}

/* The group, workspace and experiment of a path. */
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

/* What the commands and workloads take for granted is made at the start, each thing once. */
static void add_implied(Builder *builder)
{
    const ScenarioText *text = builder->text;
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

/* The problem that no command of `kind` creates `name`, with the names of all that they create. */
static void unknown_subject(const Builder *builder, CommandKind kind, const char *what,
                            const char *name, Place at)
{
    if (may_be_created(builder, kind, name) ||
        (kind == COMMAND_JOB_CREATE && workload_makes(builder->text, name)))
        return;
    const ScenarioText *text = builder->text;
    const char **names = ARENA_ARRAY(builder->context->arena, const char *, text->commands.count);
    int32_t count = 0;
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_is(scenario_command(text, i), kind) &&
            scenario_command(text, i)->name.value != NULL)
            names[count++] = scenario_command(text, i)->name.value;
    bind_unknown_name(builder->context->problems, at, what, name, names, count);
}

/* Whether `config` is there and could be read. */
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

static ClusterConfig *read_cluster(const Builder *builder, const CommandText *command)
{
    const char *name = shown_name(command);
    return is_read(command->config) ? cluster_config_read(builder->context, command->config, name)
                                    : cluster_config_unread(builder->context->arena, name);
}

/* The most nodes that a command asks for. */
static BoundInteger asked_nodes(const CommandText *command)
{
    return command_is(command, COMMAND_CLUSTER_AUTOSCALE) ? command->maximum : command->target;
}

/* A command that may resize a cluster, but nobody knows which, or to what. */
static void forget_target(Builder *builder, const CommandText *command)
{
    for (int32_t i = 0; i < builder->text->commands.count; i++) {
        ClusterConfig *cluster = builder->out.clusters[i];
        if (cluster != NULL &&
            (command->name.is_refused || strcmp(command->name.value, cluster->name) == 0))
            cluster->nodes_max = NODES_UNKNOWN;
    }
}

static void read_resize(Builder *builder, const CommandText *command)
{
    ResourcePath path = command_path(builder->text, command);
    uint32_t creator = find_creator(builder, COMMAND_CLUSTER_CREATE, path);
    if (creator != NOT_CREATED)
        cluster_config_target(builder->context, builder->out.clusters[creator],
                              asked_nodes(command));
}

/* Every cluster with all targets that it is ever given; by index of its creating command. */
static void read_clusters(Builder *builder)
{
    const ScenarioText *text = builder->text;
    builder->out.clusters =
        ARENA_ARRAY(builder->context->arena, ClusterConfig *, text->commands.count);
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_is(scenario_command(text, i), COMMAND_CLUSTER_CREATE))
            builder->out.clusters[i] = read_cluster(builder, scenario_command(text, i));
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        bool may_resize = command->action.is_refused ||
                          command_is(command, COMMAND_CLUSTER_RESIZE) ||
                          command_is(command, COMMAND_CLUSTER_AUTOSCALE);
        if (!may_resize)
            continue;
        if (command_is_placed(command) && asked_nodes(command).node != NULL)
            read_resize(builder, command);
        else
            forget_target(builder, command);
    }
}

/* --- One command --- */

static Trigger read_trigger(Builder *builder, const CommandText *command)
{
    Trigger trigger = {.moment = MOMENT_AT, .delay_ns = command->at.value};
    Status status = {0};
    if (command->after.value == NULL)
        return trigger;
    Place at = json_at(command->after.node);
    if (command->at.node != NULL)
        problems_add(builder->context->problems, STATUS_BAD_INPUT, at,
                     "a command has \"at\" or \"after\", not both");
    if (!trigger_read(builder->context->arena, command->after.value, at, &trigger, &status)) {
        problems_add_status(builder->context->problems, &status);
        return trigger;
    }
    bool is_job = trigger_is_job(trigger.moment);
    CommandKind kind = is_job ? COMMAND_JOB_CREATE : COMMAND_CLUSTER_CREATE;
    if (find_creator(builder, kind, (ResourcePath){.name = trigger.subject}) == NOT_CREATED)
        unknown_subject(builder, kind, is_job ? "job" : "cluster", trigger.subject, at);
    return trigger;
}

/* The cluster called `cluster`, where `text` creates `job` (NULL: unread); an unread one when it is
 * not known, after saying why. */
static const ClusterConfig *cluster_of_job(const Builder *builder, const CommandText *text,
                                           const JobText *job, ResourcePath cluster)
{
    const ConfigContext *context = builder->context;
    uint32_t creator = NOT_CREATED;
    bool names_none =
        text->cluster.node == NULL && job != NULL && job->node != NULL && job->cluster == NULL;
    if (names_none) {
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "job \"%s\" has no cluster to run on", shown_name(text)),
                    "add \"cluster\" to the command");
    } else if (cluster.name != NULL && command_is_placed(text)) {
        creator = find_creator(builder, COMMAND_CLUSTER_CREATE, cluster);
        if (creator == NOT_CREATED)
            unknown_subject(builder, COMMAND_CLUSTER_CREATE, "cluster", cluster.name,
                            json_at(text->cluster.node != NULL ? text->cluster.node : text->node));
    }
    return creator != NOT_CREATED ? builder->out.clusters[creator]
                                  : cluster_config_unread(context->arena, "(unknown)");
}

static void read_job(Builder *builder, int32_t index, const CommandText *text, Command *command)
{
    const ConfigContext *context = builder->context;
    const JobText *job =
        is_read(text->config) ? job_bind(context->arena, text->config, context->problems) : NULL;
    ResourcePath path = command->path;
    ResourcePath cluster = {.group = path.group,
                            .workspace = path.workspace,
                            .name = text->cluster.node == NULL && job != NULL
                                        ? job_config_cluster(job)
                                        : text->cluster.value};
    const ClusterConfig *config = cluster_of_job(builder, text, job, cluster);
    path.name = shown_name(text);
    command->as.job_create.cluster = cluster;
    if (job == NULL)
        return;
    builder->out.jobs[index] = job_config_read(context, job, path, config);
    if (text->expected.node != NULL)
        builder->out.jobs[index]->spec.expected_ns = text->expected.value;
    command->as.job_create.spec = &builder->out.jobs[index]->spec;
}

static void read_upload(Builder *builder, const CommandText *text, Trigger trigger)
{
    if (text->name.value != NULL)
        config_check_share(builder->context, "share", text->name.value, json_at(text->name.node));
    if (text->file.value != NULL && text->content != NULL)
        add_upload(builder, text->name.value, text->file.value, text->content, json_at(text->node),
                   trigger);
}

static const ShareTier *tier_of(const ConfigContext *context, const CommandText *text)
{
    const KnownShare *share =
        text->name.value != NULL ? config_share(context, text->name.value) : NULL;
    return share != NULL ? share->tier : NULL;
}

static void read_file_server(const ConfigContext *context, const CommandText *text,
                             Command *command)
{
    command->as.file_server_create.tier = file_server_tier(context, text);
    if (context->catalog == NULL || text->vm_size.value == NULL)
        return;
    const VmSize *vm = catalog_vm_size(context->catalog, text->vm_size.value);
    if (vm == NULL)
        config_unknown_entry(context, CATALOG_VM_SIZES, "VM size", text->vm_size);
    command->as.file_server_create.vm_size = vm;
}

/* The table, or the one member that trainyard prints of this kind of thing. */
static ShowQuery query_of(const ConfigContext *context, const CommandText *text, ShowQuery member)
{
    ShowQuery query = (ShowQuery)text->query.value;
    if (!text->query.is_refused && query != QUERY_TABLE && query != member)
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(text->query.node),
                                 "there is no %s in what this shows", show_query_name(query)),
                    "\"table\" or \"%s\"", show_query_name(member));
    return query;
}

static void refuse_unknown(const Builder *builder, const CommandText *text, CommandKind creates,
                           const char *what, ResourcePath path)
{
    bool is_formed = command_is_placed(text) && name_is_formed(text->name.value, COMMAND_NAME_MORE,
                                                               COMMAND_NAME_MAX); // or it was said
    if (is_formed && find_creator(builder, creates, path) == NOT_CREATED)
        unknown_subject(builder, creates, what, text->name.value, json_at(text->name.node));
}

static void read_autoscale(const Builder *builder, const CommandText *text, Command *command)
{
    BoundInteger minimum = text->minimum, maximum = text->maximum;
    command->as.cluster_autoscale.minimum_nodes = (int32_t)minimum.value;
    command->as.cluster_autoscale.maximum_nodes = (int32_t)maximum.value;
    bool is_read =
        minimum.node != NULL && maximum.node != NULL && !minimum.is_refused && !maximum.is_refused;
    if (is_read && minimum.value > maximum.value)
        problems_add(builder->context->problems, STATUS_BAD_INPUT, json_at(minimum.node),
                     "minimum is %" PRId64 ", above maximum %" PRId64, minimum.value,
                     maximum.value);
}

static void read_command(Builder *builder, int32_t index)
{
    const CommandText *text = scenario_command(builder->text, index);
    CommandKind kind = (CommandKind)text->action.value;
    ResourcePath path = command_path(builder->text, text);
    Trigger trigger = read_trigger(builder, text);
    if (text->action.is_refused)
        return;
    command_check(builder->context, text);
    if (kind == COMMAND_FILE_UPLOAD) {
        read_upload(builder, text, trigger);
        return;
    }
    Command *command = add_command(builder, kind, path, json_at(text->node));
    command->trigger = trigger;
    switch (kind) {
    case COMMAND_SHARE_CREATE:
        command->as.share_create.tier = tier_of(builder->context, text);
        break;
    case COMMAND_CLUSTER_CREATE:
        command->as.cluster_create = &builder->out.clusters[index]->spec;
        break;
    case COMMAND_CLUSTER_RESIZE:
        command->as.cluster_resize.target_nodes = (int32_t)text->target.value;
        command->as.cluster_resize.deallocation = (DeallocationOption)text->deallocation.value;
        refuse_unknown(builder, text, COMMAND_CLUSTER_CREATE, "cluster", path);
        break;
    case COMMAND_CLUSTER_AUTOSCALE:
        read_autoscale(builder, text, command);
        refuse_unknown(builder, text, COMMAND_CLUSTER_CREATE, "cluster", path);
        break;
    case COMMAND_CLUSTER_SHOW:
        command->as.show.query = query_of(builder->context, text, QUERY_NODE_STATE_COUNTS);
        refuse_unknown(builder, text, COMMAND_CLUSTER_CREATE, "cluster", path);
        break;
    case COMMAND_CLUSTER_DELETE:
        refuse_unknown(builder, text, COMMAND_CLUSTER_CREATE, "cluster", path);
        break;
    case COMMAND_JOB_CREATE:
        read_job(builder, index, text, command);
        break;
    case COMMAND_JOB_SHOW:
        command->as.show.query = query_of(builder->context, text, QUERY_EXECUTION_STATE);
        refuse_unknown(builder, text, COMMAND_JOB_CREATE, "job", path);
        break;
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_FILES:
        refuse_unknown(builder, text, COMMAND_JOB_CREATE, "job", path);
        break;
    case COMMAND_FILE_SERVER_CREATE:
        read_file_server(builder->context, text, command);
        break;
    case COMMAND_FILE_SERVER_DELETE:
        refuse_unknown(builder, text, COMMAND_FILE_SERVER_CREATE, "file server", path);
        break;
    case COMMAND_FILE_UPLOAD:
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
}

/* Implied commands: one per storage account, share and file, and up to three per command or
 * workload. */
static int32_t capacity_for(const ScenarioText *text)
{
    int32_t capacity = 4 * text->commands.count + 3 * text->workloads.count + text->faults.count;
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

ScenarioCommands scenario_commands(const ConfigContext *context, const ScenarioText *text,
                                   FileSource files, const char *path)
{
    Builder builder = {.context = context,
                       .text = text,
                       .files = files,
                       .path = path,
                       .capacity = capacity_for(text)};
    builder.out.items = ARENA_ARRAY(context->arena, Command, builder.capacity);
    builder.out.jobs = ARENA_ARRAY(context->arena, JobConfig *, text->commands.count);
    builder.creators = name_table_create(context->arena);
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_is_placed(scenario_command(text, i)))
            note_creator(&builder, (CommandKind)scenario_command(text, i)->action.value,
                         command_path(text, scenario_command(text, i)), (uint32_t)i);
    read_clusters(&builder);
    add_implied(&builder);
    builder.out.implied_count = builder.out.count;
    for (int32_t i = 0; i < text->commands.count; i++)
        read_command(&builder, i);
    return builder.out;
}

bool scenario_subject(const ConfigContext *context, const ScenarioText *text, CommandKind kind,
                      const char *name, Place at, ResourcePath *path)
{
    const Builder builder = {.context = context, .text = text};
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = scenario_command(text, i);
        if (!command_is(command, kind) || !command_is_placed(command) ||
            strcmp(command->name.value, name) != 0)
            continue;
        *path = command_path(text, command);
        return true;
    }
    if (kind == COMMAND_JOB_CREATE && workload_job_path(text, name, path))
        return true;
    unknown_subject(&builder, kind, kind == COMMAND_JOB_CREATE ? "job" : "cluster", name, at);
    return false;
}
