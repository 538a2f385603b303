/* The commands of a scenario: from text to core Commands, with the clusters and jobs they create.
 * Private to sim/scenario. */
#ifndef SIM_SCENARIO_SCENARIO_COMMANDS_H
#define SIM_SCENARIO_SCENARIO_COMMANDS_H

#include "sim/scenario/job_config.h"
#include "sim/scenario/scenario_read.h"

typedef struct {
    int32_t count;
    int32_t implied_count; /* of them, in front */
    Command *items;
    /* By index of the creating command in the file; NULL for other commands. */
    ClusterConfig **clusters;
    JobConfig **jobs;
} ScenarioCommands;

/* All commands in the order of the file, behind those that make what the file takes for granted:
 * storage, groups, workspaces and experiments that no command creates. */
ScenarioCommands scenario_commands(const ConfigContext *context, const ScenarioText *text,
                                   FileSource files, const char *path);

/* The path of the cluster or job (`kind` creates it) called `name`; false, after saying so, when no
 * command creates it. Quiet where somebody who is not wholly known may. */
bool scenario_subject(const ConfigContext *context, const ScenarioText *text, CommandKind kind,
                      const char *name, Place at, ResourcePath *path);

#endif
