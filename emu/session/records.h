/* The resources of a session as requested: found by name, listed by scope. */
#ifndef EMU_SESSION_RECORDS_H
#define EMU_SESSION_RECORDS_H

#include "sim/base/name_table.h"
#include "sim/base/row_table.h"
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
/* The kind of the resources that commands of the kind `made_by` create; RECORD_KIND_COUNT: they
 * create none that has a record. */
RecordKind record_kind(CommandKind made_by);

/* A resource as requested. Lives at least until records_forget finds it deleted. */
typedef struct {
    RecordKind kind;
    ResourcePath path;  /* as first written; a storage account that was made without a resource
                           group is in that of the scenario */
    int64_t created_ns; /* of the entry that made it */
    int64_t written_ns; /* of the last one that changed it: its ETag */
    int64_t sequence;   /* of the entry that made it; 0: the scenario did */
    const char *kept;   /* properties for its handlers as JSON, no secrets; NULL: none */
    const Json *tree;   /* of `kept`, from its first use to the next records_forget; NULL */
    Arena *arena;       /* of the tree */
    ClusterId cluster;  /* of a cluster; ID_NONE */
    JobId job;          /* of a job */
    uint32_t row;       /* world_resource, world_cluster, world_job or world_file_server */
    bool is_gone;       /* the resource was deleted, as of the last lookup */
} Record;

/* Its properties for handlers, until the next records_forget: a tree takes ten times the memory of
 * its text. NULL where it has none. */
const Json *record_kept(const Record *record);
/* Its provisioning state in the world. */
ProvisioningState record_provisioning(const World *world, const Record *record);

/* Resources of one kind in one scope, in the order in which they were made. */
typedef struct {
    uint32_t first, last; /* rows; ID_NONE: none */
    const char *key;      /* of its kind and scope */
    int32_t depth;        /* of the scope */
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
    RowTable rows;     /* RecordRow */
    NameTable *names;  /* kind and path -> newest row */
    NameTable *scopes; /* kind and scope -> chain */
    RowTable chains;   /* RecordChain */
    uint32_t resources_seen, clusters_seen, jobs_seen, file_servers_seen;
    const char *last_kept[RECORD_KIND_COUNT]; /* newest text: the next record's is often equal */
} Records;

void records_begin(Records *records, Arena *arena, const World *world, const char *group);
/* Forgets resources that are deleted, and the trees of all others. */
void records_forget(Records *records);
/* Replaces the properties that the record keeps. NULL: there are none. */
void record_keep(Records *records, Record *record, const Json *kept);
/* Adds records for resources that are new in the world since the last call. */
void records_catch_up(Records *records);
/* Returns the newest resource of that path, deleted or not; NULL if there is none. */
Record *records_newest(const Records *records, RecordKind kind, ResourcePath path);
/* Prints the subject of a note in the journal, "3 group/workspace/experiment/name": the record's
 * kind and path. */
void record_subject_print(const Record *record, Text *text);
/* Returns the record that such a text names, or NULL. Several resources had the same path one after
 * another: the newest at the time of the note is meant. */
Record *records_subject(const Records *records, Arena *scratch, const char *subject);
Record *records_find(Records *records, RecordKind kind, ResourcePath path);
const Record *records_next(Records *records, RecordKind kind, ResourcePath scope, uint32_t *at);

#endif
