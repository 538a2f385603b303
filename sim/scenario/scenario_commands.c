#include "sim/scenario/scenario_commands.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/scenario/scenario_load.h"
#include "sim/scenario/trigger_read.h"

typedef struct {
    const ConfigContext *context;
    const ScenarioText *text;
    FileSource files;
    const char *path; /* of the scenario */
    ScenarioCommands out;
    int32_t capacity;
} Builder;

/* --- Which members a command needs and may have ------------------------------------------------
 */

/* All commands have do, at, after and name beside these. */
static const struct {
    const char *needed, *allowed; /* separated and surrounded by spaces */
} members[] = {
    [COMMAND_GROUP_CREATE] = {" ", " "},
    [COMMAND_GROUP_DELETE] = {" ", " "},
    [COMMAND_WORKSPACE_CREATE] = {" ", " resource_group "},
    [COMMAND_WORKSPACE_DELETE] = {" ", " resource_group "},
    [COMMAND_EXPERIMENT_CREATE] = {" ", " workspace resource_group "},
    [COMMAND_EXPERIMENT_DELETE] = {" ", " workspace resource_group "},
    [COMMAND_STORAGE_CREATE] = {" ", " "},
    [COMMAND_SHARE_CREATE] = {" tier ", " tier "},
    [COMMAND_FILE_UPLOAD] = {" file content ", " file content "},
    [COMMAND_CLUSTER_CREATE] = {" config ", " config workspace resource_group "},
    [COMMAND_CLUSTER_RESIZE] = {" target ", " target deallocation workspace resource_group "},
    [COMMAND_CLUSTER_DELETE] = {" ", " workspace resource_group "},
    [COMMAND_CLUSTER_SHOW] = {" ", " workspace resource_group "},
    [COMMAND_JOB_CREATE] = {" config ", " config cluster experiment workspace resource_group "},
    [COMMAND_JOB_TERMINATE] = {" ", " experiment workspace resource_group "},
    [COMMAND_JOB_DELETE] = {" ", " experiment workspace resource_group "},
    [COMMAND_JOB_SHOW] = {" ", " experiment workspace resource_group "},
    [COMMAND_JOB_FILES] = {" ", " experiment workspace resource_group "},
};
_Static_assert(sizeof(members) / sizeof(members[0]) == COMMAND_KIND_COUNT,
               "every command says what it needs");

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *found = words; (found = strstr(found, " ")) != NULL; found++)
        if (strncmp(found + 1, word, length) == 0 && found[1 + length] == ' ')
            return true;
    return false;
}

static void check_members(const ConfigContext *context, const CommandText *command)
{
    static const char of_all[] = " do at after name ";
    CommandKind kind = (CommandKind)command->action.value;
    for (const Json *member = command->node->first; member != NULL; member = member->next)
        if (!has_word(of_all, member->key, strlen(member->key)) &&
            !has_word(members[kind].allowed, member->key, strlen(member->key)))
            problems_add(context->problems, STATUS_BAD_INPUT, member->key_at, "%s takes no \"%s\"",
                         command_name(kind), member->key);
    for (const char *word = members[kind].needed + 1; *word != '\0';) {
        size_t length = strcspn(word, " ");
        const char *key = arena_strndup(context->arena, word, length);
        if (json_member(command->node, key) == NULL)
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(command->node),
                         "%s needs \"%s\", which is missing", command_name(kind), key);
        word += length + 1;
    }
}

/* --- Names -------------------------------------------------------------------------------------
 */

/* Source: patterns of the path parameters in the OpenAPI document of Batch AI 2018-05-01. */
static void check_name(const ConfigContext *context, BoundText name, const char *more,
                       size_t length_max)
{
    size_t length = strlen(name.value);
    for (size_t i = 0; i < length; i++) {
        char c = name.value[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (is_word || strchr(more, c) != NULL)
            continue;
        status_hint(problems_add(context->problems, STATUS_BAD_INPUT, json_at(name.node),
                                 "name \"%s\" has a '%c'", name.value, c),
                    "names have letters, digits and any of \"%s\"", more);
        return;
    }
    if (length == 0 || length > length_max)
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(name.node),
                     "name \"%s\" has %zu characters, expected 1 to %zu", name.value, length,
                     length_max);
}

static bool is_share_name(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash != NULL && slash > name && slash[1] != '\0' && strchr(slash + 1, '/') == NULL;
}

static void check_own_name(const ConfigContext *context, const CommandText *command)
{
    CommandKind kind = (CommandKind)command->action.value;
    if (kind == COMMAND_SHARE_CREATE || kind == COMMAND_FILE_UPLOAD) {
        if (!is_share_name(command->name.value))
            problems_add(context->problems, STATUS_BAD_INPUT, json_at(command->name.node),
                         "share \"%s\" is not of the form \"account/share\"", command->name.value);
    } else if (kind == COMMAND_GROUP_CREATE || kind == COMMAND_GROUP_DELETE) {
        check_name(context, command->name, "-_.", 90);
    } else {
        check_name(context, command->name, "-_", 64);
    }
}

static const char *or_else(BoundText text, BoundText fallback)
{
    return text.value != NULL ? text.value : fallback.value;
}

/* The path of what a command is about; names that it does not say are the scenario's. */
static ResourcePath path_of(const ScenarioText *text, const CommandText *command)
{
    ResourcePath path = {.group = or_else(command->resource_group, text->resource_group),
                         .workspace = or_else(command->workspace, text->workspace),
                         .experiment = or_else(command->experiment, text->experiment),
                         .name = command->name.value};
    const char *kind = command_name((CommandKind)command->action.value);
    bool is_job = strncmp(kind, "job.", 4) == 0;
    bool is_in_workspace =
        is_job || strncmp(kind, "cluster.", 8) == 0 || strncmp(kind, "experiment.", 11) == 0;
    bool is_in_group = is_in_workspace || strncmp(kind, "workspace.", 10) == 0;
    return (ResourcePath){.group = is_in_group ? path.group : NULL,
                          .workspace = is_in_workspace ? path.workspace : NULL,
                          .experiment = is_job ? path.experiment : NULL,
                          .name = path.name};
}

static bool same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_path(ResourcePath a, ResourcePath b)
{
    return same(a.group, b.group) && same(a.workspace, b.workspace) &&
           same(a.experiment, b.experiment) && same(a.name, b.name);
}

/* --- Shares ------------------------------------------------------------------------------------
 */

static const CommandText *command_at(const ScenarioText *text, int32_t index)
{
    return text->commands.items[index];
}

static const ShareTier *find_tier(const ConfigContext *context, const char *name, Place at)
{
    const ShareTier *tier = catalog_share_tier(context->catalog, name);
    if (tier == NULL) {
        int32_t count;
        const char *const *names = catalog_names(context->catalog, CATALOG_SHARE_TIERS, &count);
        bind_unknown_name(context->problems, at, "share tier", name, names, count);
    }
    return tier;
}

static const char *tier_name(const ShareText *share)
{
    if (share->tier.value != NULL)
        return share->tier.value;
    return share->kind.value == SHARE_BLOB ? "blob" : "standard";
}

static int32_t uploads_to(const ScenarioText *text, const char *share, const char **files)
{
    int32_t count = 0;
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if (command->action.value == COMMAND_FILE_UPLOAD && command->file.value != NULL &&
            same(command->name.value, share))
            files[count++] = command->file.value;
    }
    return count;
}

static KnownShare known_share(ConfigContext *context, const ScenarioText *text, const char *name,
                              const Json *files)
{
    int32_t listed = files != NULL && files->kind == JSON_OBJECT ? files->count : 0;
    KnownShare share = {
        .name = name,
        .is_listed = files != NULL,
        .files = ARENA_ARRAY(context->arena, const char *, listed + text->commands.count)};
    for (const Json *file = listed > 0 ? files->first : NULL; file != NULL; file = file->next)
        share.files[share.file_count++] = file->key;
    int32_t uploads = uploads_to(text, name, share.files + share.file_count);
    share.is_listed = share.is_listed || uploads > 0;
    share.file_count += uploads;
    return share;
}

static void add_share(ConfigContext *context, KnownShare share, KnownShare *shares, Place at)
{
    if (config_share(context, share.name) != NULL)
        problems_add(context->problems, STATUS_BAD_INPUT, at, "share \"%s\" is created twice",
                     share.name);
    shares[context->share_count++] = share;
}

static const char *first_account(const ScenarioText *text)
{
    if (text->storage.count > 0)
        return ((const StorageText *)text->storage.items[0])->account.value;
    for (int32_t i = 0; i < text->commands.count; i++)
        if (command_at(text, i)->action.value == COMMAND_STORAGE_CREATE)
            return command_at(text, i)->name.value;
    return NULL;
}

void scenario_shares(ConfigContext *context, const ScenarioText *text)
{
    int32_t capacity = text->commands.count;
    for (int32_t i = 0; i < text->storage.count; i++)
        capacity += ((const StorageText *)text->storage.items[i])->shares.count;
    KnownShare *shares = ARENA_ARRAY(context->arena, KnownShare, capacity);
    context->shares = shares;
    context->account = first_account(text);
    for (int32_t i = 0; i < text->storage.count; i++) {
        const StorageText *storage = text->storage.items[i];
        for (int32_t j = 0; j < storage->shares.count; j++) {
            const ShareText *share = storage->shares.items[j];
            Place at = json_at(share->name.node);
            const char *name =
                arena_printf(context->arena, "%s/%s", storage->account.value, share->name.value);
            KnownShare known = known_share(context, text, name, share->files);
            known.tier = find_tier(context, tier_name(share),
                                   share->tier.node != NULL ? json_at(share->tier.node) : at);
            add_share(context, known, shares, at);
        }
    }
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if (command->action.value != COMMAND_SHARE_CREATE || command->tier.value == NULL)
            continue;
        KnownShare known = known_share(context, text, command->name.value, NULL);
        known.tier = find_tier(context, command->tier.value, json_at(command->tier.node));
        add_share(context, known, shares, json_at(command->name.node));
    }
}

/* --- Commands ----------------------------------------------------------------------------------
 */

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
        if (size != NULL)
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

static void add_storage(Builder *builder, const StorageText *storage)
{
    Arena *arena = builder->context->arena;
    check_name(builder->context, storage->account, "", 24);
    add_command(builder, COMMAND_STORAGE_CREATE, (ResourcePath){.name = storage->account.value},
                json_at(storage->node));
    for (int32_t i = 0; i < storage->shares.count; i++) {
        const ShareText *share = storage->shares.items[i];
        check_name(builder->context, share->name, "-$", 63);
        const char *name = arena_printf(arena, "%s/%s", storage->account.value, share->name.value);
        Command *command = add_command(builder, COMMAND_SHARE_CREATE, (ResourcePath){.name = name},
                                       json_at(share->node));
        command->as.share_create.tier = config_share(builder->context, name)->tier;
        if (share->files == NULL)
            continue;
        if (share->files->kind != JSON_OBJECT)
            problems_add(builder->context->problems, STATUS_BAD_INPUT, json_at(share->files),
                         "files is a %s, expected an object of paths",
                         json_kind_name(share->files->kind));
        else
            for (const Json *file = share->files->first; file != NULL; file = file->next)
                add_upload(builder, name, file->key, file, file->key_at, (Trigger){0});
    }
}

/* True when a command of the file, or one put in front of it, makes `path`. */
static bool is_created(const Builder *builder, CommandKind kind, ResourcePath path)
{
    for (int32_t i = 0; i < builder->out.count; i++)
        if (builder->out.items[i].kind == kind && same_path(builder->out.items[i].path, path))
            return true;
    for (int32_t i = 0; i < builder->text->commands.count; i++) {
        const CommandText *command = command_at(builder->text, i);
        if ((CommandKind)command->action.value == kind &&
            same_path(path_of(builder->text, command), path))
            return true;
    }
    return false;
}

static void ensure(Builder *builder, CommandKind kind, ResourcePath path, Place at)
{
    if (path.name != NULL && !is_created(builder, kind, path))
        add_command(builder, kind, path, at);
}

/* What the commands take for granted is made at the start, each thing once. */
static void add_implied(Builder *builder)
{
    const ScenarioText *text = builder->text;
    for (int32_t i = 0; i < text->storage.count; i++)
        add_storage(builder, text->storage.items[i]);
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        ResourcePath path = path_of(text, command);
        Place at = json_at(command->node);
        ensure(builder, COMMAND_GROUP_CREATE, (ResourcePath){.name = path.group}, at);
        ensure(builder, COMMAND_WORKSPACE_CREATE,
               (ResourcePath){.group = path.group, .name = path.workspace}, at);
        ensure(builder, COMMAND_EXPERIMENT_CREATE,
               (ResourcePath){
                   .group = path.group, .workspace = path.workspace, .name = path.experiment},
               at);
    }
}

/* --- Clusters ----------------------------------------------------------------------------------
 */

/* The index of the command in `text` that does `kind` to `path`; -1 when none does. */
static int32_t creator_of(const ScenarioText *text, CommandKind kind, ResourcePath path)
{
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if ((CommandKind)command->action.value == kind && same_path(path_of(text, command), path))
            return i;
    }
    return -1;
}

/* Names of all that commands of `kind` create, for hints. */
static void unknown_subject(const Builder *builder, CommandKind kind, const char *what,
                            const char *name, Place at)
{
    const ScenarioText *text = builder->text;
    const char **names = ARENA_ARRAY(builder->context->arena, const char *, text->commands.count);
    int32_t count = 0;
    for (int32_t i = 0; i < text->commands.count; i++)
        if ((CommandKind)command_at(text, i)->action.value == kind)
            names[count++] = command_at(text, i)->name.value;
    bind_unknown_name(builder->context->problems, at, what, name, names, count);
}

/* Every cluster with all targets that it is ever given; by index of its creating command. */
static void read_clusters(Builder *builder)
{
    const ScenarioText *text = builder->text;
    builder->out.clusters =
        ARENA_ARRAY(builder->context->arena, ClusterConfig *, text->commands.count);
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if (command->action.value == COMMAND_CLUSTER_CREATE && command->config != NULL)
            builder->out.clusters[i] =
                cluster_config_read(builder->context, command->config, command->name.value);
    }
    for (int32_t i = 0; i < text->commands.count; i++) {
        const CommandText *command = command_at(text, i);
        if (command->action.value != COMMAND_CLUSTER_RESIZE || command->target.node == NULL)
            continue;
        int32_t creator = creator_of(text, COMMAND_CLUSTER_CREATE, path_of(text, command));
        if (creator >= 0 && builder->out.clusters[creator] != NULL)
            cluster_config_target(builder->context, builder->out.clusters[creator],
                                  command->target.value, json_at(command->target.node));
    }
}

/* --- One command -------------------------------------------------------------------------------
 */

static Trigger read_trigger(Builder *builder, const CommandText *command)
{
    Trigger trigger = {.moment = MOMENT_AT, .delay_ns = command->at.value};
    Status status = {0};
    if (command->after.node == NULL)
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
    for (int32_t i = 0; i < builder->text->commands.count; i++) {
        const CommandText *other = command_at(builder->text, i);
        if ((CommandKind)other->action.value == kind && same(other->name.value, trigger.subject))
            return trigger;
    }
    unknown_subject(builder, kind, is_job ? "job" : "cluster", trigger.subject, at);
    return trigger;
}

static void read_job(Builder *builder, int32_t index, const CommandText *text, Command *command)
{
    const char *name =
        text->cluster.value != NULL ? text->cluster.value : job_config_cluster(text->config);
    if (name == NULL) {
        status_hint(problems_add(builder->context->problems, STATUS_BAD_INPUT, json_at(text->node),
                                 "job \"%s\" has no cluster to run on", text->name.value),
                    "add \"cluster\" to the command");
        return;
    }
    ResourcePath cluster = {
        .group = command->path.group, .workspace = command->path.workspace, .name = name};
    command->as.job_create.cluster = cluster;
    int32_t creator = creator_of(builder->text, COMMAND_CLUSTER_CREATE, cluster);
    if (creator < 0) {
        unknown_subject(builder, COMMAND_CLUSTER_CREATE, "cluster", name,
                        text->cluster.node != NULL ? json_at(text->cluster.node)
                                                   : json_at(text->node));
        return;
    }
    if (builder->out.clusters[creator] == NULL)
        return; // its own command lacks its config, as reported
    JobConfig *job = job_config_read(builder->context, text->config, command->path,
                                     builder->out.clusters[creator]);
    builder->out.jobs[index] = job;
    command->as.job_create.spec = job->spec;
}

static void refuse_unknown(const Builder *builder, const CommandText *text, CommandKind creates,
                           const char *what, ResourcePath path)
{
    if (creator_of(builder->text, creates, path) < 0)
        unknown_subject(builder, creates, what, text->name.value, json_at(text->name.node));
}

static void read_command(Builder *builder, int32_t index)
{
    const CommandText *text = command_at(builder->text, index);
    CommandKind kind = (CommandKind)text->action.value;
    ResourcePath path = path_of(builder->text, text);
    int32_t problems_before = builder->context->problems->count;
    check_members(builder->context, text);
    check_own_name(builder->context, text);
    Trigger trigger = read_trigger(builder, text);
    if (builder->context->problems->count > problems_before)
        return;
    if (kind == COMMAND_FILE_UPLOAD) {
        if (config_share(builder->context, path.name) == NULL)
            config_unknown_share(builder->context, "share", path.name, json_at(text->name.node));
        add_upload(builder, path.name, text->file.value, text->content, json_at(text->node),
                   trigger);
        return;
    }
    Command *command = add_command(builder, kind, path, json_at(text->node));
    command->trigger = trigger;
    switch (kind) {
    case COMMAND_SHARE_CREATE:
        command->as.share_create.tier = config_share(builder->context, path.name)->tier;
        break;
    case COMMAND_CLUSTER_CREATE:
        command->as.cluster_create = builder->out.clusters[index]->spec;
        break;
    case COMMAND_CLUSTER_RESIZE:
        command->as.cluster_resize.target_nodes = (int32_t)text->target.value;
        command->as.cluster_resize.deallocation = (DeallocationOption)text->deallocation.value;
        refuse_unknown(builder, text, COMMAND_CLUSTER_CREATE, "cluster", path);
        break;
    case COMMAND_CLUSTER_DELETE:
    case COMMAND_CLUSTER_SHOW:
        refuse_unknown(builder, text, COMMAND_CLUSTER_CREATE, "cluster", path);
        break;
    case COMMAND_JOB_CREATE:
        read_job(builder, index, text, command);
        break;
    case COMMAND_JOB_TERMINATE:
    case COMMAND_JOB_DELETE:
    case COMMAND_JOB_SHOW:
    case COMMAND_JOB_FILES:
        refuse_unknown(builder, text, COMMAND_JOB_CREATE, "job", path);
        break;
    case COMMAND_FILE_UPLOAD:
    case COMMAND_GROUP_CREATE:
    case COMMAND_GROUP_DELETE:
    case COMMAND_WORKSPACE_CREATE:
    case COMMAND_WORKSPACE_DELETE:
    case COMMAND_EXPERIMENT_CREATE:
    case COMMAND_EXPERIMENT_DELETE:
    case COMMAND_STORAGE_CREATE:
    case COMMAND_KIND_COUNT:
        break;
    }
}

/* Implied commands: one per storage account, share and file, and up to three per command. */
static int32_t capacity_for(const ScenarioText *text)
{
    int32_t capacity = 4 * text->commands.count;
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
    read_clusters(&builder);
    add_implied(&builder);
    builder.out.implied_count = builder.out.count;
    for (int32_t i = 0; i < text->commands.count; i++)
        read_command(&builder, i);
    return builder.out;
}
