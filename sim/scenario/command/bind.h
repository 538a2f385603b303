/* One command: from text to a core Command, with the resources that it may name. Private to
 * sim/scenario: scenario_commands.c binds a whole file, command_read.c one command of a session
 * after another. */
#ifndef SIM_SCENARIO_COMMAND_BIND_H
#define SIM_SCENARIO_COMMAND_BIND_H

#include "sim/base/file_source.h"
#include "sim/base/name_table.h"
#include "sim/scenario/config/job_config.h"

/* Something that a command of a session has made. */
typedef struct {
    CommandKind kind;
    ResourcePath path;
    ClusterConfig *cluster; /* of a cluster */
    bool is_leaving;        /* a command has deleted it, or its parent */
} LaterThing;

typedef struct {
    const ConfigContext *context;
    const ScenarioText *text;
    FileSource files;
    const char *path;         /* of the scenario; NULL: no file of this machine is meant */
    NameTable *creators;      /* who creates what: see creator_find */
    ClusterConfig **clusters; /* [command of the file]; NULL for those that create no cluster */
    LaterThing *later;        /* [later_count], numbered after the commands of the file */
    uint32_t later_count;
} CommandBinder;

/* --- Who creates what --- */

/* In the place of an index. */
#define IMPLIED (UINT32_MAX - 1)
#define NOT_CREATED UINT32_MAX

/* From now on `path` is what the command `index` makes. */
void creator_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index);
/* The index of the command that makes `path` (of which the name alone may be given), IMPLIED, or
 * NOT_CREATED. */
uint32_t creator_find(const CommandBinder *binder, CommandKind kind, ResourcePath path);
/* The path of the cluster or job (`kind` creates it) called `name`; false, after saying so, when
 * no command creates it. There is no problem if a command that is not fully known may create it.
 * Among the resources of a session the newest that is not deleted is meant; they precede those
 * of the file. */
bool command_subject(const CommandBinder *binder, CommandKind kind, const char *name, Place at,
                     ResourcePath *path);
/* The same of "workspace/name" and "workspace/experiment/name" too. */
bool command_subject_in_full(const CommandBinder *binder, CommandKind kind, const char *name,
                             Place at, ResourcePath *path);

/* The same among the commands of a file alone. */
bool scenario_subject(const ConfigContext *context, const ScenarioText *text, CommandKind kind,
                      const char *name, Place at, ResourcePath *path);

/* --- Clusters --- */

/* The cluster that a command creates. Never NULL. */
ClusterConfig *cluster_bind_command(const CommandBinder *binder, const CommandText *command);
/* The most nodes that a command asks for. */
BoundInteger asked_nodes(const CommandText *command);
/* Records the new target of the cluster that a command resizes. */
void cluster_targets_note(const CommandBinder *binder, const CommandText *command);

/* --- Commands --- */

/* When; what it waits for must be known. */
Trigger trigger_bind(const CommandBinder *binder, const CommandText *text);

typedef struct {
    ClusterConfig *cluster; /* given: what a cluster.create creates */
    JobConfig *job;         /* filled: what a job.create creates; NULL: its config was not read */
} MadeByCommand;

/* False where there is none, after saying why; its values are whole when there is no problem. */
bool command_bind(const CommandBinder *binder, const CommandText *text, Trigger trigger,
                  MadeByCommand *made, Command *command);
/* The upload of `content`, the name of a local file or {"bytes": size}. */
bool upload_bind(const CommandBinder *binder, const char *share, const char *file,
                 const Json *content, Place at, Command *command);

#endif
