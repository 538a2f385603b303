#include "emu/session/records.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"

static const char *const types[] = {
#define X(name, type) type,
    RECORD_KINDS(X)
#undef X
};
_Static_assert(sizeof types / sizeof *types == RECORD_KIND_COUNT, "one type per kind");

const char *record_type(RecordKind kind)
{
    return types[kind];
}

RecordKind record_kind(CommandKind made_by)
{
    static const CommandKind makers[] = {
#define X(name, type) COMMAND_##name##_CREATE,
        RECORD_KINDS(X)
#undef X
    };
    int kind = 0;
    while (kind < (int)RECORD_KIND_COUNT && makers[kind] != made_by)
        kind++;
    return (RecordKind)kind;
}

/* --- Properties --- */

const Json *record_kept(const Record *record)
{
    if (record->tree == NULL && record->kept != NULL) {
        Problems problems = problems_create(record->arena);
        ((Record *)record)->tree = json_parse(record->arena, "state", record->kept,
                                              strlen(record->kept), JSON_STRICT, &problems);
        invariant(record->tree != NULL); // it was printed from a tree
    }
    return record->tree;
}

void record_keep(Records *records, Record *record, const Json *kept)
{
    const char **last = &records->last_kept[record->kind];
    Text text = {0};
    record->tree = NULL;
    record->kept = NULL;
    if (kept == NULL)
        return;
    json_print(&text, kept, JSON_COMPACT);
    if (*last == NULL || strcmp(*last, text_string(&text)) != 0)
        *last = arena_strdup(records->arena, text_string(&text));
    record->kept = *last;
    text_free(&text);
}

/* --- Keys --- */

/* Longer than any path whose names were accepted. */
enum { KEY_BYTES = 1024 };

/* Names are compared without case. False where no resource can be called so. */
static bool make_key(char key[KEY_BYTES], RecordKind kind, ResourcePath path)
{
    const char *parts[] = {path.group, path.workspace, path.experiment, path.name};
    size_t length = 0;
    key[length++] = (char)('a' + (int)kind);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *part = parts[i] != NULL ? parts[i] : "";
        if (length + 1 + strlen(part) >= KEY_BYTES || strchr(part, '/') != NULL)
            return false;
        key[length++] = '/';
        for (; *part != '\0'; part++)
            key[length++] = ascii_lower(*part);
    }
    key[length] = '\0';
    return true;
}

/* Accounts are unique in all of Azure, whatever group they are in. */
static bool make_name_key(char key[KEY_BYTES], RecordKind kind, ResourcePath path)
{
    if (kind == RECORD_STORAGE)
        path.group = NULL;
    return make_key(key, kind, path);
}

static int32_t depth_of(ResourcePath scope)
{
    return scope.group == NULL ? 0 : scope.workspace == NULL ? 1 : scope.experiment == NULL ? 2 : 3;
}

/* `path` down to `depth` of its scope. */
static ResourcePath scope_at(ResourcePath path, int32_t depth)
{
    return (ResourcePath){.group = depth > 0 ? path.group : NULL,
                          .workspace = depth > 1 ? path.workspace : NULL,
                          .experiment = depth > 2 ? path.experiment : NULL};
}

/* --- Chains --- */

static RecordRow *row_at(const Records *records, uint32_t index)
{
    return row_table_at(&records->rows, index);
}

/* NULL: nothing exists there. */
static RecordChain *find_chain(const Records *records, RecordKind kind, ResourcePath scope)
{
    char key[KEY_BYTES];
    uint32_t index;
    if (!make_key(key, kind, scope) || !name_table_find(records->scopes, key, &index))
        return NULL;
    return row_table_at(&records->chains, index);
}

static RecordChain *add_chain(Records *records, RecordKind kind, ResourcePath scope)
{
    char key[KEY_BYTES];
    bool is_named = make_key(key, kind, scope);
    invariant(is_named);
    RecordChain *chain = ARENA_NEW(records->arena, RecordChain);
    *chain = (RecordChain){.first = ID_NONE,
                           .last = ID_NONE,
                           .key = arena_strdup(records->arena, key),
                           .depth = depth_of(scope)};
    name_table_set(records->scopes, key, row_table_add(records->arena, &records->chains, chain));
    return chain;
}

static void append(Records *records, int32_t depth, uint32_t index)
{
    const Record *record = &row_at(records, index)->record;
    ResourcePath scope = scope_at(record->path, depth);
    RecordChain *chain = find_chain(records, record->kind, scope);
    if (chain == NULL)
        chain = add_chain(records, record->kind, scope);
    if (chain->last == ID_NONE)
        chain->first = index;
    else
        row_at(records, chain->last)->next[depth] = index;
    chain->last = index;
}

/* --- Following the world --- */

void records_begin(Records *records, Arena *arena, const World *world, const char *group)
{
    *records = (Records){.arena = arena,
                         .world = world,
                         .group = group,
                         .names = name_table_create(arena),
                         .scopes = name_table_create(arena)};
}

/* Adds the record of the resource in that row of the world's table of its kind. */
static void add(Records *records, RecordKind kind, uint32_t index_in_world, ResourcePath path,
                int64_t created_ns)
{
    char key[KEY_BYTES];
    if (kind == RECORD_STORAGE && path.group == NULL)
        path.group = records->group;
    bool is_named = make_name_key(key, kind, path);
    invariant(is_named);
    RecordRow *row = ARENA_NEW(records->arena, RecordRow);
    row->record = (Record){.kind = kind,
                           .path = path,
                           .created_ns = created_ns,
                           .written_ns = created_ns,
                           .arena = records->arena,
                           .cluster = {kind == RECORD_CLUSTER ? index_in_world : ID_NONE},
                           .job = {kind == RECORD_JOB ? index_in_world : ID_NONE},
                           .row = index_in_world};
    for (int32_t depth = 0; depth < SCOPE_DEPTHS; depth++)
        row->next[depth] = ID_NONE;
    const uint32_t index = row_table_add(records->arena, &records->rows, row);
    name_table_set(records->names, key, index);
    for (int32_t depth = 0; depth <= depth_of(path); depth++)
        append(records, depth, index);
}

void records_catch_up(Records *records)
{
    const World *world = records->world;
    for (uint32_t *row = &records->resources_seen; *row < world_resource_count(world); ++*row) {
        WorldResource resource = world_resource(world, *row);
        if (resource.path.name != NULL) // NULL, as below: it is forgotten
            add(records, record_kind(resource.made_by), *row, resource.path, resource.created_ns);
    }
    for (uint32_t *row = &records->clusters_seen; *row < world_cluster_count(world); ++*row) {
        const Cluster *cluster = world_cluster(world, (ClusterId){*row});
        if (cluster != NULL)
            add(records, RECORD_CLUSTER, *row, cluster->path, cluster->created_ns);
    }
    for (uint32_t *row = &records->jobs_seen; *row < world_job_count(world); ++*row) {
        const Job *job = world_job(world, (JobId){*row});
        if (job != NULL)
            add(records, RECORD_JOB, *row, job->path, job->created_ns);
    }
    for (uint32_t *row = &records->file_servers_seen; *row < world_file_server_count(world);
         ++*row) {
        const FileServer *server = world_file_server(world, *row);
        if (server != NULL)
            add(records, RECORD_FILE_SERVER, *row, server->path, server->created_ns);
    }
}

ProvisioningState record_provisioning(const World *world, const Record *record)
{
    const Cluster *cluster;
    const Job *job;
    const FileServer *server;
    switch (record->kind) { // NULL: it is forgotten
    case RECORD_GROUP:
    case RECORD_STORAGE:
    case RECORD_WORKSPACE:
    case RECORD_EXPERIMENT:
        return world_resource(world, record->row).provisioning;
    case RECORD_CLUSTER:
        cluster = world_cluster(world, record->cluster);
        return cluster != NULL ? cluster->provisioning : PROVISIONING_DELETED;
    case RECORD_JOB:
        job = world_job(world, record->job);
        return job != NULL ? job->provisioning : PROVISIONING_DELETED;
    case RECORD_FILE_SERVER:
        server = world_file_server(world, record->row);
        return server != NULL ? server->provisioning : PROVISIONING_DELETED;
    case RECORD_KIND_COUNT:
        break;
    }
    invariant_broken("a record of a known kind", __FILE__, __LINE__);
}

/* Looks whether it is gone meanwhile; once gone it stays so. */
static bool is_living(const Records *records, Record *record)
{
    if (!record->is_gone)
        record->is_gone = record_provisioning(records->world, record) == PROVISIONING_DELETED;
    return !record->is_gone;
}

/* --- Looking --- */

static bool is_named_or_any(const char *name, const char *group)
{
    return group == NULL || (name != NULL && ascii_same(name, group));
}

Record *records_newest(const Records *records, RecordKind kind, ResourcePath path)
{
    char key[KEY_BYTES];
    uint32_t index;
    if (!make_name_key(key, kind, path) || !name_table_find(records->names, key, &index))
        return NULL;
    Record *record = &row_at(records, index)->record;
    bool is_there = kind != RECORD_STORAGE || is_named_or_any(record->path.group, path.group);
    return is_there ? record : NULL;
}

Record *records_find(Records *records, RecordKind kind, ResourcePath path)
{
    records_catch_up(records);
    Record *record = records_newest(records, kind, path);
    return record != NULL && is_living(records, record) ? record : NULL;
}

/* Returns the next existing resource after `row` (ID_NONE: the first of the chain). Removes deleted
 * ones in between from the chain, so that each is met once. */
static uint32_t next_living(const Records *records, RecordChain *chain, int32_t depth, uint32_t row)
{
    RecordRow *before = row == ID_NONE ? NULL : row_at(records, row);
    uint32_t found = before == NULL ? chain->first : before->next[depth];
    while (found != ID_NONE && !is_living(records, &row_at(records, found)->record))
        found = row_at(records, found)->next[depth];
    if (before != NULL && !is_living(records, &before->record))
        return found; // `row` may have left the chain itself: nothing after it may change
    if (before == NULL)
        chain->first = found;
    else
        before->next[depth] = found;
    if (found == ID_NONE)
        chain->last = row;
    return found;
}

/* Whether a chain continues after `at`, which a client may make up, bring from another list, or
 * bring after its resource was deleted. */
static bool is_place_in(const Records *records, const RecordChain *chain, uint32_t at,
                        RecordKind kind, int32_t depth)
{
    if (at == 0)
        return true;
    const RecordRow *row = at <= records->rows.count ? row_at(records, at - 1) : NULL;
    return row != NULL && row->record.kind == kind &&
           find_chain(records, kind, scope_at(row->record.path, depth)) == chain;
}

const Record *records_next(Records *records, RecordKind kind, ResourcePath scope, uint32_t *at)
{
    records_catch_up(records);
    int32_t depth = depth_of(scope);
    RecordChain *chain = find_chain(records, kind, scope_at(scope, depth));
    if (chain == NULL || !is_place_in(records, chain, *at, kind, depth))
        return NULL;
    uint32_t found = next_living(records, chain, depth, *at == 0 ? ID_NONE : *at - 1);
    if (found == ID_NONE)
        return NULL;
    *at = found + 1;
    return &row_at(records, found)->record;
}

/* --- Subjects of notes --- */

void record_subject_print(const Record *record, Text *text)
{
    const char *parts[] = {record->path.group, record->path.workspace, record->path.experiment,
                           record->path.name};
    text_printf(text, "%d", (int)record->kind);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_printf(text, "%c%s", i == 0 ? ' ' : '/', parts[i] != NULL ? parts[i] : "");
}

Record *records_subject(const Records *records, Arena *scratch, const char *subject)
{
    char *rest;
    long kind = strtol(subject, &rest, 10);
    if (kind < 0 || kind >= RECORD_KIND_COUNT || *rest != ' ')
        return NULL;
    const char *parts[4];
    char *part = arena_strdup(scratch, rest + 1);
    for (int32_t i = 0; i < 4; i++) {
        size_t length = strcspn(part, "/");
        if ((part[length] == '/') != (i < 3))
            return NULL;
        part[length] = '\0';
        parts[i] = length > 0 ? part : NULL;
        part += length + 1;
    }
    return records_newest(records, (RecordKind)kind,
                          (ResourcePath){parts[0], parts[1], parts[2], parts[3]});
}

/* --- Forgetting --- */

/* Removes deleted resources from all chains, and chains that are empty. */
static void shorten_chains(Records *records)
{
    for (uint32_t c = 0; (c = row_table_next(&records->chains, c)) < records->chains.count; c++) {
        RecordChain *chain = row_table_at(&records->chains, c);
        uint32_t row = ID_NONE;
        do
            row = next_living(records, chain, chain->depth, row);
        while (row != ID_NONE);
        if (chain->first != ID_NONE)
            continue;
        name_table_remove(records->scopes, chain->key);
        row_table_clear(&records->chains, c);
    }
}

void records_forget(Records *records)
{
    records_catch_up(records);
    shorten_chains(records);
    for (uint32_t i = 0; (i = row_table_next(&records->rows, i)) < records->rows.count; i++) {
        Record *record = &row_at(records, i)->record;
        char key[KEY_BYTES];
        uint32_t newest;
        record->tree = NULL;
        if (is_living(records, record))
            continue;
        if (make_name_key(key, record->kind, record->path) &&
            name_table_find(records->names, key, &newest) && newest == i)
            name_table_remove(records->names, key);
        row_table_clear(&records->rows, i);
    }
}
