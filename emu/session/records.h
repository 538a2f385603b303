/* The resources of a session as requested: found by name, listed by scope. */
#ifndef EMU_SESSION_RECORDS_H
#define EMU_SESSION_RECORDS_H

#include "sim/base/name_table.h"
#include "sim/cloud/world.h"
#include "sim/json/json.h"

/* X(ENUM, type as ids have it) */
#define RECORD_KINDS(X)                                                                            \
    X(GROUP, "Microsoft.Resources/resourceGroups")                                                 \
    X(STORAGE, "Microsoft.Storage/storageAccounts")                                                \
    X(WORKSPACE, "Microsoft.BatchAI/workspaces")                                                   \
    X(EXPERIMENT, "Microsoft.BatchAI/workspaces/experiments")                                      \
    X(CLUSTER, "Microsoft.BatchAI/workspaces/clusters")                                            \
    X(JOB, "Microsoft.BatchAI/workspaces/experiments/jobs")                                        \
    X(FILE_SERVER, "Microsoft.BatchAI/workspaces/fileservers")

typedef enum {
#define X(name, type) RECORD_##name,
    RECORD_KINDS(X)
#undef X
        RECORD_KIND_COUNT
} RecordKind;

const char *record_type(RecordKind kind);

/* A resource as requested. Lives as long as the session, also after the resource was
 * deleted. */
typedef struct {
    RecordKind kind;
    ResourcePath path;  /* as first written; a storage account that was made without a resource
                           group is in that of the scenario */
    int64_t created_ns; /* of the entry that made it */
    int64_t written_ns; /* of the last one that changed it: its ETag */
    int64_t sequence;   /* of the entry that made it; 0: the scenario did */
    const Json *kept;   /* properties for its handlers; no secrets; may be NULL */
    Arena *note;        /* of `kept`; NULL: it is in the session's arena of commands */
    ClusterId cluster;  /* of a cluster; ID_NONE */
    JobId job;          /* of a job */
    uint32_t row;       /* world_resource, world_cluster, world_job or world_file_server */
    bool is_gone;       /* the resource was deleted, as of the last lookup */
} Record;

/* Its provisioning state in the world. */
ProvisioningState record_provisioning(const World *world, const Record *record);

/* Resources of one kind in one scope, in the order in which they were made. */
typedef struct {
    uint32_t first, last; /* rows; ID_NONE: none */
} RecordChain;

enum { SCOPE_DEPTHS = 4 }; /* all, of a group, of a workspace in it, of an experiment in that */

typedef struct {
    Record record;
    uint32_t next[SCOPE_DEPTHS]; /* next row in each of its chains; ID_NONE: it is the last */
} RecordRow;

/* All resources that exist or existed, found by name and listed by scope without a search. Only
 * records.c changes it. */
typedef struct {
    Arena *arena;
    const World *world;
    const char *group; /* of storage accounts that are in none */
    RecordRow **rows;
    uint32_t count, capacity;
    NameTable *names;  /* kind and path -> newest row */
    NameTable *scopes; /* kind and scope -> chain */
    RecordChain *chains;
    uint32_t chain_count, chain_capacity;
    uint32_t resources_seen, clusters_seen, jobs_seen, file_servers_seen;
} Records;

void records_begin(Records *records, Arena *arena, const World *world, const char *group);
void records_end(Records *records); /* frees what is not in the arena */
/* Adds records for resources that are new in the world since the last call. */
void records_catch_up(Records *records);
/* Returns the newest resource of that path, deleted or not; NULL if there is none. */
Record *records_newest(const Records *records, RecordKind kind, ResourcePath path);
Record *records_find(Records *records, RecordKind kind, ResourcePath path);
const Record *records_next(Records *records, RecordKind kind, ResourcePath scope, uint32_t *at);

#endif
