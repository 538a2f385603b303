/* One command: from text to a core Command, with the resources that it may name. Private to
 * sim/scenario: commands.c binds all commands of a file, read.c the commands of a session one by
 * one. */
#ifndef SIM_SCENARIO_COMMAND_BIND_H
#define SIM_SCENARIO_COMMAND_BIND_H

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

/* --- Creators: the commands that create resources --- */

/* Values of creator_find that are not an index: made at the start because commands need it, and not
 * created. */
#define IMPLIED (UINT32_MAX - 1)
#define NOT_CREATED UINT32_MAX

/* Records that the command `index` creates `path`. */
void creator_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index);
/* Changes the number of a resource; NOT_CREATED forgets it. */
void creator_renumber(const CommandBinder *binder, CommandKind kind, ResourcePath path,
                      uint32_t index, uint32_t now);
/* The index of the command that creates `path`; IMPLIED, or NOT_CREATED. The path of a name alone
 * finds what the file creates: triggers, which a session has not, name resources so. */
uint32_t creator_find(const CommandBinder *binder, CommandKind kind, ResourcePath path);
/* Records that the command `index` of the file creates the cluster or job at `path`, under the
 * names that faults and groups use for it. The first command that creates a name counts. */
void subject_note(const CommandBinder *binder, CommandKind kind, ResourcePath path, uint32_t index);
/* Finds the path of the cluster or job (`kind` creates it) called `name`. Returns false when no
 * command creates it, and reports that unless a command with refused values may create it.
 * Resources of a session precede those of the file; among them the newest that is not deleted is
 * meant. */
bool command_subject(const CommandBinder *binder, CommandKind kind, const char *name, Place at,
                     ResourcePath *path);
/* The same; `name` may also be "workspace/name" or "workspace/experiment/name". */
bool command_subject_in_full(const CommandBinder *binder, CommandKind kind, const char *name,
                             Place at, ResourcePath *path);

/* --- Clusters --- */

/* The cluster that a command creates. Never NULL. */
ClusterConfig *cluster_bind_command(const CommandBinder *binder, const CommandText *command);
/* The cluster at the path; NULL: no command creates it, or it is not read yet. */
ClusterConfig *cluster_made(const CommandBinder *binder, ResourcePath path);
/* The most nodes that a command asks for. */
BoundInteger asked_nodes(const CommandText *command);
/* Records the new target of the cluster that a command resizes. */
void cluster_targets_note(const CommandBinder *binder, const CommandText *command);

/* --- Commands --- */

/* Lets a command or fault at a time repeat, if it has "every". Reports a period of no length, a
 * command that waits for something, and a scenario that never ends. */
void trigger_repeat(const CommandBinder *binder, BoundInteger every, Trigger *trigger);
/* When the command is due. Reports a resource to wait for that is not known. */
Trigger trigger_bind(const CommandBinder *binder, const CommandText *text);

typedef struct {
    ClusterConfig *cluster; /* input: the cluster of a cluster.create */
    JobConfig *job;         /* output: the job of a job.create; NULL: its config was not read */
} MadeByCommand;

/* Fills in `command`. False when there is no command, with the reason reported. The command's
 * values are whole if no problem was added. */
bool command_bind(const CommandBinder *binder, const CommandText *text, Trigger trigger,
                  MadeByCommand *made, Command *command);
/* The upload of `content`, the name of a local file or {"bytes": size}. */
bool upload_bind(const CommandBinder *binder, const char *share, const char *file,
                 const Json *content, Place at, Command *command);

#endif
