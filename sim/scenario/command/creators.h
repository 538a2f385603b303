/* The resources that commands create, found by their paths, or by the names that faults, triggers
 * and groups use for them. Private to sim/scenario. */
#ifndef SIM_SCENARIO_COMMAND_CREATORS_H
#define SIM_SCENARIO_COMMAND_CREATORS_H

#include "sim/base/file_source.h"
#include "sim/base/name_table.h"
#include "sim/scenario/config/job_config.h"

/* A resource that a command of a session has made. */
typedef struct {
    CommandKind kind;
    bool is_leaving; /* a command has deleted it, or its parent */
    ResourcePath path;
    ClusterConfig *cluster; /* if it is a cluster */
} LaterResource;

/* The context in which commands are bound, and the resources that they may name. */
typedef struct {
    const ConfigContext *context;
    const ScenarioText *text;
    FileSource files;
    const char *path;         /* of the scenario; NULL: uploads cannot name files of this machine */
    NameTable *creators;      /* from resources to the commands that create them: creator_find */
    NameTable *subjects;      /* from names of the file's clusters and jobs: subject_note */
    ClusterConfig **clusters; /* [command of the file]; NULL for those that create no cluster */
    LaterResource *later;     /* [later_count], numbered after the commands of the file */
    uint32_t later_count;
} CommandBinder;

/* --- By path --- */

/* Values of creator_find that are not an index: made at the start because commands need it, and not
 * created. */
#define IMPLIED (UINT32_MAX - 1)
#define NOT_CREATED UINT32_MAX

/* Records that the command `index` creates `path`. */
void creator_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index);
/* Changes the number of a resource; NOT_CREATED forgets it. */
void creator_renumber(const CommandBinder *binder, CommandKind kind, ResourcePath path,
                      uint32_t index, uint32_t now);
/* The index of the command that creates `path`; IMPLIED, or NOT_CREATED. */
uint32_t creator_find(const CommandBinder *binder, CommandKind kind, ResourcePath path);
/* Reports that no command of `kind` creates `name`, with a hint at the names that are created,
 * unless a command with refused values may create it. */
void creator_unknown(const CommandBinder *binder, CommandKind kind, const char *name, Place at);

/* The cluster at the path; NULL: no command creates it, or it is not read yet. */
ClusterConfig *cluster_made(const CommandBinder *binder, ResourcePath path);
/* The same; a cluster that no command creates is reported, and returned as an unread one. */
const ClusterConfig *cluster_known(const CommandBinder *binder, ResourcePath path, Place at);

/* --- By name --- */

/* Records that the command `index` of the file creates the cluster or job at `path`, under the
 * names that faults and groups use for it. The first command that creates a name counts. */
void subject_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index);
/* Finds the path of the cluster or job (`kind` creates it) called `name`. Returns false when no
 * command creates it, and reports that as creator_unknown. Resources of a session precede those of
 * the file; among them the newest that is not deleted is meant. */
bool command_subject(const CommandBinder *binder, CommandKind kind, const char *name, Place at,
                     ResourcePath *path);
/* The same; `name` may also be "workspace/name" or "workspace/experiment/name". */
bool command_subject_in_full(const CommandBinder *binder, CommandKind kind, const char *name,
                             Place at, ResourcePath *path);

/* Warns of commands of the file that wait for each other ("after"), so that none of them happens:
 * one warning for each circle. */
void creators_warn_of_circles(const CommandBinder *binder);

#endif
