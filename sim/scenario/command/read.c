#include "sim/scenario/command/read.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/cloud/spec/reuse.h"
#include "sim/cloud/storage/share.h"
#include "sim/scenario/command/check.h"
#include "sim/scenario/command/reader.h"
#include "sim/scenario/command/shares.h"
#include "sim/scenario/config/program_config.h"

struct CommandReader {
    ConfigContext context; /* of the file, extended by the accepted commands */
    CommandBinder binder;
    NodeGroups groups;
    KnownShare *shares; /* those of the context once a command has added one; NULL before */
    int32_t share_capacity, file_shares; /* the first of them are the file's */
    uint32_t later_capacity;
    KnownProgram *programs; /* those of the context once a command has set one; NULL before */
    int32_t program_capacity, session_programs; /* the first of them are the session's */
    ClusterConfig *cluster;                     /* of the command read last */
    const ProgramText *program;                 /* likewise */
    ResourcePath accepted;                      /* path of the command accepted last */
};

CommandReader *command_reader_create(const CommandBinder *binder, const NodeGroups *groups)
{
    CommandReader *reader = ARENA_NEW(binder->context->arena, CommandReader);
    reader->context = *binder->context;
    reader->context.is_of_session = true;
    reader->context.problems = reader->context.warnings = NULL; // each command brings its own
    reader->binder = *binder;
    reader->binder.context = &reader->context;
    reader->binder.files = (FileSource){0}; // a session names none
    reader->groups = *groups;
    reader->share_capacity = reader->file_shares = reader->context.share_count;
    return reader;
}

/* --- Reading --- */

bool command_is_fault(const Json *entry)
{
    static const char *const words[] = {
#define X(name, text, what) text,
        FAULT_KINDS(X)
#undef X
    };
    const Json *action = json_member(entry, "do");
    if (action == NULL || action->kind != JSON_STRING)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(action->text, words[i]) == 0)
            return true;
    return false;
}

/* Checks that a command of a session has a time, and names no other files. */
static void check_form(const Json *entry, Problems *problems)
{
    static const char *const triggers[] = {"after", "when", "every"};
    if (entry->kind != JSON_OBJECT)
        return; // reported when it is bound
    for (size_t i = 0; i < sizeof triggers / sizeof *triggers; i++) {
        const Json *trigger = json_member(entry, triggers[i]);
        if (trigger != NULL)
            problems_add(problems, STATUS_BAD_INPUT, trigger->key_at,
                         "a command of a session cannot have \"%s\", only \"at\"", triggers[i]);
    }
    if (json_member(entry, "at") == NULL)
        problems_add(problems, STATUS_BAD_INPUT, json_at(entry),
                     "a command of a session needs \"at\", which is missing");
    const Json *config = json_member(entry, "config");
    if (config != NULL && config->kind == JSON_STRING)
        problems_add(problems, STATUS_BAD_INPUT, json_at(config),
                     "a session cannot name other files: its config must be an object");
}

static void bind_fault(const CommandBinder *binder, const NodeGroups *groups, const Json *entry,
                       Command *command)
{
    const ConfigContext *context = binder->context;
    const FaultText *fault = bind_object(context->arena, entry, &fault_type, context->problems);
    if (!fault->action.is_refused)
        fault_bind(binder, groups, fault, command);
}

static bool may_resize(const CommandText *text)
{
    return command_is(text, COMMAND_CLUSTER_RESIZE) || command_is(text, COMMAND_CLUSTER_AUTOSCALE);
}

static void bind_service_command(const CommandBinder *binder, const Json *entry,
                                 MadeByCommand *made, const ProgramText **program, Command *command)
{
    const ConfigContext *context = binder->context;
    const CommandText *text = bind_object(context->arena, entry, &command_type, context->problems);
    if (text->action.is_refused)
        return;
    *program = text->program;
    if (command_is(text, COMMAND_CLUSTER_CREATE))
        made->cluster = cluster_bind_command(binder, text);
    if (may_resize(text) && command_is_placed(text) && asked_nodes(text).node != NULL)
        cluster_targets_note(binder, text);
    bool is_bound = command_bind(
        binder, text, (Trigger){.moment = MOMENT_AT, .delay_ns = text->at.value}, made, command);
    if (is_bound && command->kind == COMMAND_SHARE_CREATE)
        share_command_check(context, text);
}

const Command *command_read(CommandReader *reader, Arena *arena, const Json *entry,
                            Problems *problems, Problems *warnings)
{
    const int32_t problems_before = problems->count;
    ConfigContext context = reader->context;
    context.arena = arena;
    context.problems = problems;
    context.warnings = warnings;
    CommandBinder binder = reader->binder;
    binder.context = &context;
    binder.path = NULL;
    MadeByCommand made = {0};
    Command *command = ARENA_NEW(arena, Command);
    reader->program = NULL;
    check_form(entry, problems);
    if (command_is_fault(entry))
        bind_fault(&binder, &reader->groups, entry, command);
    else
        bind_service_command(&binder, entry, &made, &reader->program, command);
    reader->cluster = made.cluster;
    if (problems->count > problems_before)
        return NULL;
    command->path = path_reuse(command->path, reader->accepted);
    return command;
}

void command_be_strict(CommandReader *reader, bool is_strict)
{
    reader->context.is_strict = is_strict;
}

const VmSize *command_vm_size(const CommandReader *reader, const char *name)
{
    return catalog_vm_size(reader->context.catalog, name);
}

/* --- New resources --- */

/* How many deleted resources a command may still mean, so that the world can say of them that they
 * are being deleted. */
enum { DELETED_KEPT = 512 };

/* Makes a larger array, or one of the same size, without all but the last shares that were deleted.
 * Mounts point to the rows of the old array, which stay. */
static void make_room_for_share(CommandReader *reader)
{
    ConfigContext *context = &reader->context;
    int32_t deleted = 0, kept = 0;
    for (int32_t i = 0; i < context->share_count; i++)
        deleted += context->shares[i].is_deleted;
    const int32_t dropped = deleted > DELETED_KEPT ? deleted - DELETED_KEPT : 0;
    if (2 * (context->share_count - dropped) >= reader->share_capacity)
        reader->share_capacity = 2 * context->share_count + 8;
    KnownShare *others = ARENA_ARRAY(context->arena, KnownShare, reader->share_capacity);
    for (int32_t i = 0, seen = 0; i < context->share_count; i++) {
        seen += context->shares[i].is_deleted;
        if (!context->shares[i].is_deleted || seen > dropped)
            others[kept++] = context->shares[i];
    }
    context->shares = reader->shares = others;
    context->share_count = kept;
}

static KnownShare *find_session_share(const CommandReader *reader, const char *name)
{
    for (int32_t i = reader->file_shares; i < reader->context.share_count; i++)
        if (strcmp(reader->shares[i].name, name) == 0)
            return &reader->shares[i];
    return NULL;
}

static void add_share(CommandReader *reader, KnownShare share)
{
    ConfigContext *context = &reader->context;
    KnownShare *before = find_session_share(reader, share.name);
    if (before != NULL)
        before->is_deleted = false;
    if (config_share(context, share.name) != NULL)
        return;
    if (context->share_count == reader->share_capacity)
        make_room_for_share(reader);
    reader->shares[context->share_count++] = share;
}

/* Shares of the scenario stay known. */
static void drop_share(CommandReader *reader, const char *name)
{
    KnownShare *share = find_session_share(reader, name);
    if (share != NULL)
        share->is_deleted = true;
}

static void drop_account(CommandReader *reader, const char *account)
{
    const size_t length = strlen(account);
    for (int32_t i = reader->file_shares; i < reader->context.share_count; i++)
        if (strncmp(reader->shares[i].name, account, length) == 0 &&
            reader->shares[i].name[length] == '/')
            reader->shares[i].is_deleted = true;
}

static void note_upload(CommandReader *reader, const char *name)
{
    for (int32_t i = 0; i < reader->context.share_count; i++)
        if (reader->context.shares[i].is_of_session &&
            strcmp(reader->context.shares[i].name, name) == 0)
            reader->shares[i].has_uploads = true;
}

/* Forgets all but the last resources that were deleted. */
static void drop_deleted(CommandBinder *binder)
{
    LaterResource *later = binder->later;
    const uint32_t in_file = (uint32_t)binder->text->commands.count;
    const uint32_t count = binder->later_count;
    uint32_t kept = 0, deleted = 0;
    for (uint32_t i = 0; i < count; i++)
        deleted += later[i].is_leaving;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_kept = !later[i].is_leaving || deleted <= DELETED_KEPT;
        deleted -= later[i].is_leaving;
        creator_renumber(binder, later[i].kind, later[i].path, in_file + i,
                         is_kept ? in_file + kept : NOT_CREATED);
        if (is_kept)
            later[kept++] = later[i];
    }
    for (uint32_t i = kept; i < count; i++)
        later[i] = (LaterResource){0};
    binder->later_count = kept;
}

static void add_later(CommandReader *reader, const Command *command)
{
    CommandBinder *binder = &reader->binder;
    const bool is_full = binder->later_count == reader->later_capacity;
    if (is_full)
        drop_deleted(binder);
    if (is_full && 2 * binder->later_count >= reader->later_capacity) {
        reader->later_capacity = 2 * reader->later_capacity + 16;
        LaterResource *larger =
            ARENA_ARRAY(reader->context.arena, LaterResource, reader->later_capacity);
        for (uint32_t i = 0; i < binder->later_count; i++)
            larger[i] = binder->later[i];
        binder->later = larger;
    }
    binder->later[binder->later_count] =
        (LaterResource){.kind = command->kind, .path = command->path, .cluster = reader->cluster};
    creator_note(binder, command->kind, command->path,
                 (uint32_t)binder->text->commands.count + binder->later_count);
    binder->later_count++;
}

/* --- Programs --- */

static const char *program_pattern(const KnownProgram *program)
{
    return program->text->match.value != NULL ? program->text->match.value : "";
}

/* The newest program comes first. It replaces an older one of the session with the same pattern. */
static void set_program(CommandReader *reader, const ProgramText *text)
{
    ConfigContext *context = &reader->context;
    int32_t count = context->program_count;
    if (count >= reader->program_capacity) {
        reader->program_capacity = 2 * count + 8;
        KnownProgram *larger = ARENA_ARRAY(context->arena, KnownProgram, reader->program_capacity);
        for (int32_t i = 0; i < count; i++)
            larger[i] = context->programs[i];
        context->programs = reader->programs = larger;
    }
    int32_t end = 0; // the programs up to here move back by one place
    while (end < count && (end >= reader->session_programs ||
                           strcmp(program_pattern(&reader->programs[end]), text->match.value) != 0))
        end++;
    const bool is_new = end == count;
    for (int32_t i = end; i > 0; i--)
        reader->programs[i] = reader->programs[i - 1];
    reader->programs[0] = (KnownProgram){
        .text = text, .fixed = program_fixed(context->arena, text, true), .is_sound = true};
    context->program_count += is_new;
    reader->session_programs += is_new;
}

int32_t command_programs(const CommandReader *reader)
{
    return reader->session_programs;
}

const Json *command_program(const CommandReader *reader, int32_t index)
{
    return reader->context.programs[index].text->node;
}

/* --- Deleted resources --- */

/* Whether the resource at `path` belongs to the group, workspace or experiment that is deleted. */
static bool is_deleted_with(ResourcePath path, const Command *deletion)
{
    const bool is_of_group = deletion->kind == COMMAND_GROUP_DELETE;
    const bool is_of_workspace = deletion->kind == COMMAND_WORKSPACE_DELETE;
    const ResourcePath in = deletion->path;
    if (!ascii_same(path.group, is_of_group ? in.name : in.group))
        return false;
    if (is_of_group)
        return true;
    if (!ascii_same(path.workspace, is_of_workspace ? in.name : in.workspace))
        return false;
    return is_of_workspace || (path.experiment != NULL && ascii_same(path.experiment, in.name));
}

/* Marks a resource that a command of the session has made. */
static void leave(CommandBinder *binder, CommandKind made_by, ResourcePath path)
{
    const uint32_t index = creator_find(binder, made_by, path);
    const uint32_t in_file = (uint32_t)binder->text->commands.count;
    if (index != NOT_CREATED && index != IMPLIED && index >= in_file)
        binder->later[index - in_file].is_leaving = true;
}

static void leave_inside(CommandReader *reader, const Command *deletion)
{
    CommandBinder *binder = &reader->binder;
    for (uint32_t i = 0; i < binder->later_count; i++)
        binder->later[i].is_leaving |= is_deleted_with(binder->later[i].path, deletion);
    for (int32_t i = reader->file_shares; i < reader->context.share_count; i++)
        if (reader->shares[i].server.name != NULL)
            reader->shares[i].is_deleted |= is_deleted_with(reader->shares[i].server, deletion);
}

/* Marks resources and shares as deleted, because a newer one may have the same name. `arena` is for
 * a name that is not kept. */
static void note_deletion(CommandReader *reader, Arena *arena, const Command *command)
{
    const CommandKind kind = command->kind;
    if (kind == COMMAND_CLUSTER_DELETE || kind == COMMAND_JOB_DELETE ||
        kind == COMMAND_FILE_SERVER_DELETE)
        leave(&reader->binder, command_made_by(kind), command->path);
    if (kind == COMMAND_GROUP_DELETE || kind == COMMAND_WORKSPACE_DELETE ||
        kind == COMMAND_EXPERIMENT_DELETE)
        leave_inside(reader, command);
    if (kind == COMMAND_FILE_SERVER_DELETE) {
        ConfigContext context = reader->context;
        context.arena = arena;
        drop_share(reader, file_server_share(&context, command->path));
    }
    if (kind == COMMAND_STORAGE_DELETE)
        drop_account(reader, command->path.name);
    if (kind == COMMAND_SHARE_DELETE)
        drop_share(reader, command->path.name);
}

void command_accept(CommandReader *reader, Arena *arena, const Command *command)
{
    note_deletion(reader, arena, command);
    reader->accepted = command->path;
    if (command->kind == COMMAND_JOB_CREATE)
        reader->context.earlier_job = command->as.job_create.spec;
    const char *name = command->path.name;
    CommandKind kind = command->kind;
    if (kind == COMMAND_CLUSTER_CREATE || kind == COMMAND_JOB_CREATE ||
        kind == COMMAND_FILE_SERVER_CREATE)
        add_later(reader, command);
    if (kind == COMMAND_PROGRAM_SET)
        set_program(reader, reader->program);
    if (kind == COMMAND_SHARE_CREATE)
        add_share(reader, (KnownShare){.name = name,
                                       .is_of_session =
                                           !share_tier_is_blob(command->as.share_create.tier)});
    if (kind == COMMAND_FILE_UPLOAD)
        note_upload(reader, name);
    if (kind == COMMAND_FILE_SERVER_CREATE)
        add_share(reader, (KnownShare){.name = command->as.file_server_create.share,
                                       .server = command->path});
    if (kind == COMMAND_STORAGE_CREATE && reader->context.account == NULL)
        reader->context.account = name;
}

/* --- The session of a file --- */

void session_read(CommandReader *reader, const Json *session, ScenarioCommands *commands,
                  Problems *problems)
{
    Arena *arena = reader->context.arena;
    if (session == NULL)
        return;
    if (session->kind != JSON_ARRAY) {
        problems_add(problems, STATUS_BAD_INPUT, json_at(session),
                     "session is not an array of commands");
        return;
    }
    for (const Json *entry = session->first; entry != NULL; entry = entry->next) {
        const Command *command =
            command_read(reader, arena, entry, problems, config_warnings(&reader->context));
        if (command == NULL)
            continue;
        commands->items[commands->count++] = *command;
        command_accept(reader, arena, command);
    }
}
