/* A session without a journal, for tests of handlers: commands are bound as a scenario's are and
 * applied to a world of their own; records are kept in a list. Included by one file of a program.
 */
#ifndef TESTS_EMU_FAKE_SESSION_H
#define TESTS_EMU_FAKE_SESSION_H

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "emu/emulator.h"
#include "emu/files_sas.h"
#include "sim/scenario/job_config.h"
#include "sim/scenario/program_config.h"
#include "sim/scenario/scenario_types.h"
#include "tests/support/memory_files.h"

enum { FAKE_RECORDS = 4000 };

struct Session {
    Arena *arena;
    World *world;
    const ScenarioFile *base;
    ConfigContext context;
    Record records[FAKE_RECORDS];
    uint32_t count;
    int64_t sequence;
};

/* --- What the rest of the emulator does meanwhile --- */

typedef struct {
    Emulator emulator;
    Session session;
    int polls;
    int files_deleted;
    const FilesEntry *entries; /* what every directory has */
    int32_t entry_count;
    const char *listed; /* the directory that was listed last: "account/share/path" */
    char settings[4][80];
} Fake;

static Fake *fake;

void emulator_polled(Emulator *emulator)
{
    (void)emulator;
    fake->polls++;
}

const char *store_setting(Store *store, Arena *arena, const char *name)
{
    (void)store, (void)arena, (void)name;
    return *fake->settings[0] != '\0' ? fake->settings[0] : NULL;
}

bool store_set(Store *store, const char *name, const char *value, Status *status)
{
    (void)store, (void)name, (void)status;
    memcpy(fake->settings[0], value, strlen(value) + 1);
    return true;
}

FilesFailure files_account_delete(FileStore *files, const char *account)
{
    (void)files, (void)account;
    fake->files_deleted++;
    return FILES_OK;
}

FilesFailure files_list(FileStore *files, Arena *arena, ShareName share, const char *path,
                        const char *prefix, const char *marker, int32_t max, FilesEntry **entries,
                        int32_t *count, bool *more)
{
    (void)files, (void)prefix;
    int32_t first = 0;
    fake->listed = arena_printf(fake->session.arena, "%s/%s/%s", share.account, share.share, path);
    while (first < fake->entry_count && strcmp(fake->entries[first].name, marker) <= 0)
        first++;
    *count = fake->entry_count - first > max ? max : fake->entry_count - first;
    *more = first + *count < fake->entry_count;
    *entries = ARENA_ARRAY(arena, FilesEntry, *count);
    for (int32_t i = 0; i < *count; i++)
        (*entries)[i] = fake->entries[first + i];
    return fake->entries ? FILES_OK : FILES_NO_RESOURCE;
}

const char *files_sas_url(Emulator *emulator, Arena *arena, const char *account, const char *share,
                          const char *path, const char *permissions, int64_t expires_unix_ms)
{
    (void)emulator;
    return arena_printf(arena, "http://h/%s/%s/%s?sp=%s&se=%" PRId64, account, share, path,
                        permissions, expires_unix_ms);
}

/* control.c's own. */
const Route control_routes[] = {{0}};

/* --- Looking --- */

const char *record_type(RecordKind kind)
{
    static const char *const types[] = {
#define X(name, type) type,
        RECORD_KINDS(X)
#undef X
    };
    return types[kind];
}

int64_t session_now_ns(const Session *session)
{
    return world_now_ns(session->world);
}

World *session_world(Session *session)
{
    return session->world;
}

const Scenario *session_scenario(const Session *session)
{
    return &session->base->scenario;
}

int64_t session_sequence(const Session *session)
{
    return session->sequence;
}

static bool fake_same(const char *a, const char *b)
{
    return a && b ? strcasecmp(a, b) == 0 : a == b;
}

/* A record whose resource the world has deleted is gone. */
static void fake_sweep(Session *session)
{
    for (uint32_t i = 0; i < session->count; i++) {
        Record *record = &session->records[i];
        if (record->kind == RECORD_CLUSTER)
            record->is_gone = world_cluster(session->world, record->cluster)->provisioning ==
                              PROVISIONING_DELETED;
        if (record->kind == RECORD_JOB)
            record->is_gone =
                world_job(session->world, record->job)->provisioning == PROVISIONING_DELETED;
        if (record->kind != RECORD_FILE_SERVER)
            continue;
        for (uint32_t f = 0; f < world_file_server_count(session->world); f++) {
            const FileServer *server = world_file_server(session->world, f);
            if (server->created_ns == record->created_ns &&
                fake_same(server->path.name, record->path.name))
                record->is_gone = server->provisioning == PROVISIONING_DELETED;
        }
    }
}

Record *session_find(const Session *session, RecordKind kind, ResourcePath path)
{
    fake_sweep((Session *)session);
    for (uint32_t i = 0; i < session->count; i++) {
        Record *record = &((Session *)session)->records[i];
        if (record->kind == kind && !record->is_gone && fake_same(record->path.name, path.name) &&
            (kind == RECORD_STORAGE || fake_same(record->path.group, path.group)) &&
            fake_same(record->path.workspace, path.workspace) &&
            fake_same(record->path.experiment, path.experiment))
            return record;
    }
    return NULL;
}

const Record *session_made_by(const Session *session, int64_t sequence)
{
    fake_sweep((Session *)session);
    for (uint32_t i = 0; i < session->count; i++)
        if (session->records[i].sequence == sequence)
            return &session->records[i];
    return NULL;
}

static bool fake_inside(ResourcePath path, ResourcePath scope)
{
    return (!scope.group || fake_same(scope.group, path.group)) &&
           (!scope.workspace || fake_same(scope.workspace, path.workspace)) &&
           (!scope.experiment || fake_same(scope.experiment, path.experiment));
}

const Record *session_next(const Session *session, RecordKind kind, ResourcePath scope,
                           uint32_t *at)
{
    fake_sweep((Session *)session);
    while (*at < session->count) {
        const Record *record = &session->records[(*at)++];
        if (record->kind == kind && !record->is_gone && fake_inside(record->path, scope))
            return record;
    }
    return NULL;
}

void session_guid(const Session *session, const char *purpose, uint64_t number, char out[GUID_TEXT])
{
    (void)session;
    uint64_t words[2] = {UINT64_C(0xcbf29ce484222325), number};
    for (const char *at = purpose; *at != '\0'; at++)
        words[0] = (words[0] ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    for (int i = 0; i < 2; i++) { // splitmix64
        words[i] = (words[i] + words[0]) * UINT64_C(0x9e3779b97f4a7c15);
        words[i] = (words[i] ^ (words[i] >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        words[i] ^= words[i] >> 27;
        words[0] ^= words[1] << 1;
    }
    snprintf(out, GUID_TEXT, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(words[0] >> 32),
             (unsigned)(words[0] & 0xffff), (unsigned)(words[1] & 0xfff),
             (unsigned)(words[1] >> 12 & 0xfff),
             (unsigned long long)(words[1] >> 16 & 0xffffffffffff));
}

/* --- Changing --- */

void session_advance(Session *session, int64_t until_ns)
{
    world_advance(session->world, until_ns);
}

void session_keep(Session *session, Record *record, const Json *kept)
{
    record->kept = json_copy(session->arena, kept);
    record->written_ns = session_now_ns(session);
    session->sequence++;
}

static const char *fake_text(Session *session, const Json *command, const char *key)
{
    const Json *member = json_member(command, key);
    return member ? arena_strdup(session->arena, member->text) : NULL;
}

static const ClusterConfig *fake_cluster_config(Session *session, const Json *properties)
{
    return cluster_config_read(&session->context, properties, "cluster");
}

/* What of a command the scenario's readers make. */
static void fake_bind(Session *session, const Json *asked, Command *command)
{
    Arena *arena = session->arena;
    const Json *properties = json_member(json_member(asked, "config"), "properties");
    ResourcePath cluster = {.group = command->path.group, .workspace = command->path.workspace};
    if (command->kind == COMMAND_CLUSTER_CREATE)
        command->as.cluster_create =
            &fake_cluster_config(session, json_copy(arena, properties))->spec;
    if (command->kind == COMMAND_JOB_CREATE) {
        const Json *copy = json_copy(arena, properties);
        const JobText *text = job_bind(arena, copy, session->context.problems);
        cluster.name = job_config_cluster(text);
        const Record *record = session_find(session, RECORD_CLUSTER, cluster);
        const ClusterConfig *config = fake_cluster_config(session, record->kept);
        command->as.job_create.cluster = cluster;
        command->as.job_create.spec =
            &job_config_read(&session->context, text, command->path, config)->spec;
    }
    if (command->kind == COMMAND_CLUSTER_RESIZE)
        command->as.cluster_resize.target_nodes = (int32_t)json_member(asked, "target")->integer;
    if (command->kind == COMMAND_CLUSTER_AUTOSCALE) {
        command->as.cluster_autoscale.minimum_nodes =
            (int32_t)json_member(asked, "minimum")->integer;
        command->as.cluster_autoscale.maximum_nodes =
            (int32_t)json_member(asked, "maximum")->integer;
    }
    if (command->kind == COMMAND_FILE_SERVER_CREATE) {
        command->as.file_server_create.tier =
            catalog_share_tier(session->context.catalog, "standard");
        command->as.file_server_create.vm_size =
            catalog_vm_size(session->context.catalog, json_member(asked, "vm_size")->text);
        if (!command->as.file_server_create.vm_size)
            problems_add(session->context.problems, STATUS_BAD_INPUT,
                         json_at(json_member(asked, "vm_size")), "unknown VM size");
    }
}

static void fake_record(Session *session, const Command *command, const Json *kept)
{
    static const struct {
        CommandKind command;
        RecordKind kind;
    } kinds[] = {
        {COMMAND_GROUP_CREATE, RECORD_GROUP},
        {COMMAND_STORAGE_CREATE, RECORD_STORAGE},
        {COMMAND_WORKSPACE_CREATE, RECORD_WORKSPACE},
        {COMMAND_EXPERIMENT_CREATE, RECORD_EXPERIMENT},
        {COMMAND_CLUSTER_CREATE, RECORD_CLUSTER},
        {COMMAND_JOB_CREATE, RECORD_JOB},
        {COMMAND_FILE_SERVER_CREATE, RECORD_FILE_SERVER},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].command != command->kind)
            continue;
        ck_assert_int_lt(session->count, FAKE_RECORDS);
        session->records[session->count++] =
            (Record){.kind = kinds[i].kind,
                     .path = command->path,
                     .created_ns = session_now_ns(session),
                     .written_ns = session_now_ns(session),
                     .sequence = session->sequence,
                     .kept = kept ? json_copy(session->arena, kept) : NULL,
                     .cluster = {world_cluster_count(session->world) - 1},
                     .job = {world_job_count(session->world) - 1}};
    }
}

/* Containers go at once, with all the records in them that the world does not keep. */
static void fake_forget(Session *session, const Command *command)
{
    ResourcePath scope = command->path;
    scope.name = NULL;
    RecordKind kind = RECORD_KIND_COUNT;
    if (command->kind == COMMAND_GROUP_DELETE) {
        scope.group = command->path.name;
        kind = RECORD_GROUP;
    } else if (command->kind == COMMAND_WORKSPACE_DELETE) {
        scope.workspace = command->path.name;
        kind = RECORD_WORKSPACE;
    } else if (command->kind == COMMAND_EXPERIMENT_DELETE) {
        scope.experiment = command->path.name;
        kind = RECORD_EXPERIMENT;
    }
    Record *record = kind != RECORD_KIND_COUNT ? session_find(session, kind, command->path) : NULL;
    if (!record)
        return;
    record->written_ns = session_now_ns(session);
    record->is_gone = true;
    for (uint32_t i = 0; i < session->count; i++)
        if (fake_inside(session->records[i].path, scope) &&
            session->records[i].kind != RECORD_GROUP)
            session->records[i].is_gone = true;
}

bool session_command(Session *session, const Json *asked, const Json *kept, Problems *problems)
{
    Command command = {.kind = COMMAND_KIND_COUNT};
    const char *name = fake_text(session, asked, "do");
    Status status = {0};
    for (int kind = 0; kind < COMMAND_KIND_COUNT; kind++)
        if (strcmp(command_name((CommandKind)kind), name) == 0)
            command.kind = (CommandKind)kind;
    command.path = (ResourcePath){.group = fake_text(session, asked, "resource_group"),
                                  .workspace = fake_text(session, asked, "workspace"),
                                  .experiment = fake_text(session, asked, "experiment"),
                                  .name = fake_text(session, asked, "name")};
    if (strcmp(name, "storage.delete") == 0) {
        session_find(session, RECORD_STORAGE, command.path)->is_gone = true;
        session->sequence++;
        return true;
    }
    ck_assert_msg(command.kind != COMMAND_KIND_COUNT, "%s", name);
    world_advance(session->world, session_now_ns(session) + 1);
    session->context.problems = problems;
    fake_bind(session, asked, &command);
    Command *lasting = ARENA_NEW(session->arena, Command);
    *lasting = command;
    if (problems->count > 0)
        return false;
    if (!world_apply(session->world, lasting, &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    session->sequence++;
    fake_forget(session, lasting);
    fake_record(session, lasting, kept);
    world_advance(session->world, session_now_ns(session));
    return true;
}

/* --- Life --- */

static void fake_ignore(void *listener, const TraceRecord *record)
{
    (void)listener, (void)record;
}

static void fake_shares(Session *session, const ScenarioText *text)
{
    const StorageText *storage = text->storage.items[0];
    KnownShare *share = ARENA_NEW(session->arena, KnownShare);
    share->name = arena_printf(session->arena, "%s/share", storage->account.value);
    share->tier = catalog_share_tier(session->context.catalog, "standard");
    session->context.shares = share;
    session->context.share_count = 1;
    session->context.account = storage->account.value;
}

/* Emulates a world of one account with a share called "share", whose clock stands at `start`. Any
 * program takes no time. */
static Emulator *fake_open(Arena *arena, const char *start, const char *account, uint64_t seed)
{
    fake = ARENA_NEW(arena, Fake);
    Session *session = &fake->session;
    Problems problems = problems_create(arena);
    const char *text = arena_printf(
        arena,
        "{\"trainyard\": 1, \"seed\": %d, \"start\": \"%s\", \"region\": \"northeurope\","
        " \"catalog\": [\"catalog/azure-2018.json\"],"
        " \"storage\": [{\"account\": \"%s\", \"shares\": [{\"name\": \"share\"}]}],"
        " \"programs\": [{\"match\": \"*\", \"duration\": \"0s\"}],"
        " \"setups\": [{\"match\": \"*\", \"duration\": \"0s\"}],"
        " \"commands\": [{\"do\": \"group.create\", \"name\": \"base\"}]}",
        (int)seed, start, account);
    MemoryFiles *files = ARENA_NEW(arena, MemoryFiles);
    *files = small_scenario(arena);
    memory_files_set(files, "scenario.json", text, strlen(text));
    session->arena = arena;
    session->base = scenario_read(arena, memory_files_source(files), "scenario.json",
                                  (ScenarioOverrides){0}, &problems);
    ck_assert_msg(session->base != NULL, "%s", problems.count ? problems.items[0].message : "");
    const Json *catalog = json_parse(arena, "catalog", files->items[0].text, files->items[0].length,
                                     JSON_STRICT, &problems);
    const ScenarioText *bound =
        bind_object(arena, json_parse(arena, "base", text, strlen(text), JSON_STRICT, &problems),
                    &scenario_type, &problems);
    session->context = (ConfigContext){.arena = arena,
                                       .problems = &problems,
                                       .catalog = catalog_read(arena, &catalog, 1, &problems)};
    fake_shares(session, bound);
    KnownProgram *program = ARENA_NEW(arena, KnownProgram);
    *program = (KnownProgram){.text = bound->programs.items[0]};
    program->is_sound = program_check(&session->context, program->text);
    session->context.programs = program;
    session->context.program_count = 1;
    session->context.setups = (SetupText *const *)bound->setups.items;
    session->context.setup_count = 1;
    session->world =
        world_create(arena, &session->base->scenario, (TraceSink){.record = fake_ignore});
    world_check_always(session->world);
    world_advance(session->world, 0);
    fake->emulator.session = session;
    fake->emulator.clock = (Clock){.kind = CLOCK_MANUAL};
    fake->emulator.real_unix_ms = INT64_C(1795000000000);
    fake->emulator.settings =
        (EmulatorSettings){.subscription = "00000000-0000-0000-0000-000000000000",
                           .tenant = "11111111-1111-1111-1111-111111111111",
                           .storage_suffix = "core.windows.net",
                           .addresses = {"127.0.0.1:8443", "127.0.0.1:8080", ""}};
    return &fake->emulator;
}

#endif
